from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sessions_ui.presenters.receipt import describe_receipt

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("person", "12:00:00 UTC, by operator:kim, with 1,204 events."),
        ("expired", "12:00:00 UTC, because its time was over, by operator:kim, with 1,204 events."),
        ("flood", "12:00:00 UTC, by the rule flood, by operator:kim, with 1,204 events."),
    ],
)
def test_receipt_says_when_by_which_rule_and_whom_and_how_much(rule: str, said: str) -> None:
    text = describe_receipt(delete_time=NOON, rule=rule, actor="operator:kim", event_count=1204, now=NOON, zone=UTC)
    assert text == f"It was deleted on 1 Dec 2026 {said}"
