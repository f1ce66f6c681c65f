"""Key history, of a session's, a user's or an app's key; and one value in full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import Http404
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from sessions_ui import access
from sessions_ui.presenters.json_branch import present_branch
from sessions_ui.presenters.key_history import HistoryPage, count_text, present_history
from sessions_ui.presenters.state_values import shown_key
from sessions_ui.presenters.visible_text import visible_text
from sessions_ui.selectors.history import COUNT_LIMIT, PAGE_SIZE, count_history, find_owner, list_history
from sessions_ui.selectors.state import find_value, value_at
from sessions_ui.views.fragments import seal
from sessions_ui.views.opened_session import Opened, number, open_session
from statecore.core.jsontext import load_json
from statecore.core.masking import DEFAULT_RULES, mask_value
from statecore.core.scopes import Scope, format_key, parse_key

if TYPE_CHECKING:
    from django.http import HttpResponse

    from sessions_ui.presenters.records import HeldValue
    from sessions_ui.views.fragments import HtmxRequest


@dataclass(frozen=True, slots=True)
class Keeper:
    """Whose key it is: ``page`` names the address of its own page, ``title`` says it without personal data.

    ``name`` is what people call it, for the page itself.
    """

    ref: int
    scope: Scope
    page: str
    title: str
    name: str

    def address(self, what: str) -> str:
        """Return the address of this keeper's ``history`` or ``value`` page."""
        return reverse(f"{self.page}-{what}", args=[self.ref])


@require_safe
def session_history(request: HtmxRequest, session_ref: int) -> HttpResponse:
    """Show every write to one key as a session sees it; keys of its user and app are theirs."""
    opened = open_session(request, session_ref)
    scope, name = parse_key(_key(request))
    if scope is Scope.SESSION:
        return _history(request, _of_session(opened, scope), name)
    owner_name = opened.owned.user_id if scope is Scope.USER else opened.owned.app_name
    return _history(request, _shared(scope, opened.owned.owner_ref(scope), owner_name), name)


@require_safe
def user_history(request: HtmxRequest, owner_ref: int) -> HttpResponse:
    """Show every write to one key of a user, across sessions."""
    return _owner_history(request, owner_ref, Scope.USER)


@require_safe
def app_history(request: HtmxRequest, owner_ref: int) -> HttpResponse:
    """Show every write to one key of an app, across users and sessions."""
    return _owner_history(request, owner_ref, Scope.APP)


@require_safe
def session_value(request: HtmxRequest, session_ref: int) -> HttpResponse:
    """Show one value in full, as of event ``at`` (now, without it) or of the change at ``position``."""
    at = number(request, "at")
    opened = open_session(request, session_ref, at=at)
    key = _key(request)
    scope, name = parse_key(key)
    owner_ref = opened.owned.owner_ref(scope)
    position = number(request, "position")
    if position is not None:
        held = value_at(owner_ref, name, position)
    else:
        seq = opened.revision if at is None else min(at, opened.revision)
        held = find_value(opened.owned, key, seq=seq, is_now=at is None)
    return _value(request, _of_session(opened, scope), name, held)


@require_safe
def user_value(request: HtmxRequest, owner_ref: int) -> HttpResponse:
    """Show one value of a user in full: the current one, or that of the change at ``position``."""
    return _owner_value(request, owner_ref, Scope.USER)


@require_safe
def app_value(request: HtmxRequest, owner_ref: int) -> HttpResponse:
    """Show one value of an app in full: the current one, or that of the change at ``position``."""
    return _owner_value(request, owner_ref, Scope.APP)


def _owner_history(request: HtmxRequest, owner_ref: int, scope: Scope) -> HttpResponse:
    owner_name = _check_owner(request, owner_ref, scope)
    return _history(request, _shared(scope, owner_ref, owner_name), _owner_key(request, scope))


def _owner_value(request: HtmxRequest, owner_ref: int, scope: Scope) -> HttpResponse:
    keeper = _shared(scope, owner_ref, _check_owner(request, owner_ref, scope))
    name = _owner_key(request, scope)
    return _value(request, keeper, name, value_at(owner_ref, name, number(request, "position")))


def _of_session(opened: Opened, scope: Scope) -> Keeper:
    return Keeper(opened.ref, scope, "session", f"Session {opened.ref}", opened.header().title)


def _shared(scope: Scope, owner_ref: int, name: str) -> Keeper:
    page = "user" if scope is Scope.USER else "app"
    return Keeper(owner_ref, scope, page, f"{page.capitalize()} {owner_ref}", visible_text(name))


def _check_owner(request: HtmxRequest, owner_ref: int, scope: Scope) -> str:
    """Return the name of the user or app that the caller may read."""
    owner = find_owner(owner_ref)
    if owner is None or (owner.user_id is None) is not (scope is Scope.APP):
        raise Http404
    access.require(request.user, "read", owner.app_name)
    return owner.app_name if owner.user_id is None else owner.user_id


def _key(request: HtmxRequest) -> str:
    """Return the key with its prefix; the empty key is a key."""
    if "key" not in request.GET:
        raise BadRequest("name the key: ?key=...")
    key = request.GET["key"]
    if "\x00" in key or parse_key(key)[0] is Scope.TEMP:
        raise Http404
    return key


def _owner_key(request: HtmxRequest, scope: Scope) -> str:
    """Return the name without prefix; on a user's or app's page the prefix may be left out."""
    key = _key(request)
    return key.removeprefix(scope.prefix)


def _history(request: HtmxRequest, keeper: Keeper, name: str) -> HttpResponse:
    before, after = number(request, "before"), number(request, "after")
    records = list_history(keeper.ref, name, before=before, after=after)
    page = HistoryPage.cut(records, size=PAGE_SIZE, before=before, after=after)
    if not page.records and before is None and after is None:
        raise Http404
    context = {
        "keeper": keeper,
        "key": shown_key(keeper.scope, name),
        "query": urlencode({"key": format_key(keeper.scope, name)}),
        "rows": present_history(page.records, name, now=timezone.now(), zone=timezone.get_current_timezone()),
        "page": page,
        "count_text": count_text(count_history(keeper.ref, name), limit=COUNT_LIMIT),
        "history_url": keeper.address("history"),
        "value_url": keeper.address("value"),
        "back_url": reverse(keeper.page, args=[keeper.ref]),
    }
    return seal(render(request, "session/_history.html" if request.htmx else "session/history.html", context))


def _value(request: HtmxRequest, keeper: Keeper, name: str, held: HeldValue | None) -> HttpResponse:
    if held is None:
        raise Http404
    query = {"key": format_key(keeper.scope, name)}
    query.update({part: request.GET[part] for part in ("at", "position") if request.GET.get(part)})
    context: dict[str, Any] = {
        "keeper": keeper,
        "key": shown_key(keeper.scope, name),
        "branch_url": f"{keeper.address('value')}?{urlencode(query)}&",
        "history_url": f"{keeper.address('history')}?{urlencode({'key': query['key']})}",
        "back_url": reverse(keeper.page, args=[keeper.ref]),
        "as_of": _as_of(request),
        "is_removed": held.text is None,
    }
    if held.text is not None:
        masked = mask_value(name, load_json(held.text), DEFAULT_RULES)
        try:
            start = number(request, "start") or 0
            context["branch"] = present_branch(masked, pointer=request.GET.get("pointer", ""), start=start)
        except LookupError:
            raise Http404 from None
    return seal(render(request, "session/_branch.html" if request.htmx else "session/value.html", context))


def _as_of(request: HtmxRequest) -> str:
    """Say of which moment a value is."""
    if number(request, "position") is not None:
        return "The value as one write of its history left it."
    at = number(request, "at")
    if at is None:
        return "The value now."
    return "The value when the session was created." if at == 0 else f"The value as of event #{at} of this session."
