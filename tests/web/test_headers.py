from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.test import Client


def test_every_answer_forbids_inline_code_and_strangers(client: Client) -> None:
    policy = client.get("/healthz")["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules == {
        "default-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "object-src": "'none'",
    }


def test_every_answer_keeps_addresses_to_itself(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"


def test_an_unknown_host_is_refused(client: Client) -> None:
    assert client.get("/healthz", headers={"host": "evil.example"}).status_code == 400
