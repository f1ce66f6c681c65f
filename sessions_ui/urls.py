"""Every address of the project."""

from __future__ import annotations

from django.urls import path

from sessions_ui.views import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]

handler500 = "sessions_ui.views.outage.server_error"
