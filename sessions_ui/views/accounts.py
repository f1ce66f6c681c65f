"""Logging in and out, the first login, password and appearance of the person who is signed in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.http import Http404
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from sessions_ui import access, appearance
from sessions_ui.actions import first_admin
from sessions_ui.forms import AppearanceForm, FirstAdminForm
from sessions_ui.presenters.visible_text import visible_text
from sessions_ui.views.errors import Problem, answer
from sessions_ui.views.fragments import seal

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

_BACKEND = "django.contrib.auth.backends.ModelBackend"
_LOOPBACK = ("127.0.0.1", "::1")
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")


@login_not_required
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def login_page(request: HttpRequest) -> HttpResponse:
    """Let a person in, and send them to the page they came for."""
    if request.user.is_authenticated:
        return redirect(_next(request))
    if request.method == "POST":
        form = AuthenticationForm(request, data=request.POST)
        if form.is_valid():
            login(request, form.get_user())
            return redirect(_next(request))
    elif not first_admin.is_set_up():
        return redirect("setup")
    else:
        form = AuthenticationForm(request)
    return _form_page(request, "accounts/login.html", form, next=_next(request))


@login_not_required
@require_POST
def logout_person(request: HttpRequest) -> HttpResponse:
    """End the login session."""
    logout(request)
    return redirect(settings.LOGOUT_REDIRECT_URL)


@login_not_required
@sensitive_post_parameters("password1", "password2", "token")
@require_http_methods(["GET", "HEAD", "POST"])
def setup(request: HttpRequest) -> HttpResponse:
    """Make the first login; unknown as soon as there is one."""
    if first_admin.is_set_up():
        raise Http404
    token = request.POST.get("token") or request.GET.get("token", "")
    if not (_is_at_the_machine(request) or first_admin.is_token(token)):
        return answer(request, _NEEDS_TOKEN)
    if request.method != "POST":
        return _form_page(request, "accounts/setup.html", FirstAdminForm(initial={"token": token}))
    form = FirstAdminForm(request.POST)
    if not form.is_valid():
        return _form_page(request, "accounts/setup.html", form)
    user = form.save(commit=False)
    try:
        first_admin.make_first_admin(user)
    except first_admin.AlreadySetUpError:
        raise Http404 from None
    login(request, user, backend=_BACKEND)
    return redirect("sessions")


@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """Show the person's name and grants, and let them choose colours and time zone."""
    now = {"theme": appearance.theme_of(request), "zone": str(appearance.zone_of(request))}
    form = AppearanceForm(request.POST if request.method == "POST" else None, initial=now)
    if form.is_valid():
        response = redirect("profile")
        appearance.remember(response, **form.cleaned_data)
        messages.success(request, "Saved for this browser.")
        return response
    return _form_page(request, "accounts/profile.html", form, grants=_shown_grants(request))


@sensitive_post_parameters("old_password", "new_password1", "new_password2")
@require_http_methods(["GET", "HEAD", "POST"])
def change_password(request: HttpRequest) -> HttpResponse:
    """Change the person's password; their other login sessions end."""
    form: Any = PasswordChangeForm(request.user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        update_session_auth_hash(request, form.save())
        messages.success(request, "The password is changed. You are signed out everywhere else.")
        return redirect("profile")
    return _form_page(request, "accounts/password.html", form)


def _shown_grants(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the person's grants, rights in the order people know them."""
    found = access.grants_of(request.user)
    return [
        {
            "is_everywhere": app_name == access.ALL_APPS,
            "app_name": visible_text(app_name),
            "rights": [right for right in access.RIGHTS if right in rights],
        }
        for app_name, rights in sorted(found.items())
    ]


def _form_page(request: HttpRequest, template: str, form: Any, **more: Any) -> HttpResponse:
    """Show a form; one that was refused is a 422."""
    return seal(render(request, template, {"form": form, **more}, status=422 if form.is_bound else 200))


def _next(request: HttpRequest) -> str:
    """Return where to go after login: a page of ours, whatever the address says."""
    wanted = request.POST.get("next") or request.GET.get("next", "")
    # By its path: anything else ``redirect`` takes for the name of a view.
    is_ours = wanted.startswith("/") and url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else resolve_url(settings.LOGIN_REDIRECT_URL)


def _is_at_the_machine(request: HttpRequest) -> bool:
    """Whether the request comes from this machine itself, and not from a proxy on it."""
    return (
        settings.IS_LOOPBACK
        and request.META.get("REMOTE_ADDR") in _LOOPBACK
        and not any(name in request.headers for name in _FORWARDED)
    )


_NEEDS_TOKEN = Problem(
    403,
    "Nobody can sign in yet",
    "The first login is made from the machine itself, or with the address that the server printed when it started.",
    "Open that address, or run `manage.py create_admin` on the server.",
)
