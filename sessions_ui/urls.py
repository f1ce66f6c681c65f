"""Every address of the project. Paths hold numbers alone; names of apps, users, sessions and keys go into queries."""

from __future__ import annotations

from django.urls import path, register_converter

from sessions_ui.views import accounts, errors, event, gallery, health, history, owners, session, sessions


class NumberConverter:
    """A number that the database can hold; a longer one is an unknown address."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)

    def to_url(self, value: int) -> str:
        """Return the number as text."""
        return str(value)


register_converter(NumberConverter, "number")

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("login/", accounts.login_page, name="login"),
    path("logout/", accounts.logout_person, name="logout"),
    path("setup/", accounts.setup, name="setup"),
    path("profile/", accounts.profile, name="profile"),
    path("profile/password/", accounts.change_password, name="password"),
    path("", sessions.sessions, name="sessions"),
    path("apps/<number:owner_ref>/", owners.app, name="app"),
    path("apps/<number:owner_ref>/history", history.app_history, name="app-history"),
    path("apps/<number:owner_ref>/value", history.app_value, name="app-value"),
    path("users/<number:owner_ref>/", owners.user, name="user"),
    path("users/<number:owner_ref>/history", history.user_history, name="user-history"),
    path("users/<number:owner_ref>/value", history.user_value, name="user-value"),
    path("sessions/<number:session_ref>/", session.session_page, name="session"),
    path("sessions/<number:session_ref>/history", history.session_history, name="session-history"),
    path("sessions/<number:session_ref>/value", history.session_value, name="session-value"),
    path("sessions/<number:session_ref>/events/<number:seq>/", event.event_page, name="event"),
    path("sessions/<number:session_ref>/events/<number:seq>/json", event.event_json, name="event-json"),
    path("sessions/<number:session_ref>/events/<number:seq>/branch", event.event_branch, name="event-branch"),
    path("sessions/<number:session_ref>/events/<number:seq>/parts/<str:part>/", event.event_part, name="event-part"),
    path(
        "sessions/<number:session_ref>/events/<number:seq>/parts/<str:part>/data",
        event.event_part_data,
        name="event-part-data",
    ),
    path("gallery/", gallery.gallery_page, name="gallery"),
]

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = "sessions_ui.views.outage.server_error"
