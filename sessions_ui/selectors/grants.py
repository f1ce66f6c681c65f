"""Who was granted what."""

from __future__ import annotations

from sessions_ui.models import Grant


def find_grants(user_pk: int) -> list[tuple[str, list[str]]]:
    """Return app name and rights of each grant of one person."""
    return list(Grant.objects.filter(user_id=user_pk).values_list("app_name", "rights"))


def find_granters(*app_names: str) -> list[tuple[str, list[str]]]:
    """Return username and rights of each active person's grant in these apps."""
    grants = Grant.objects.filter(app_name__in=app_names, user__is_active=True)
    return list(grants.values_list("user__username", "rights"))
