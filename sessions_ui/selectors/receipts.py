"""What is left of deleted sessions."""

from __future__ import annotations

from statecore.core.ids import slot_of_id
from statecore.models import Receipt


def find_receipt(session_ref: int) -> Receipt | None:
    """Return the receipt of the deleted session that had this numeric id."""
    return Receipt.objects.filter(id=session_ref, slot=slot_of_id(session_ref)).first()
