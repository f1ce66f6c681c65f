"""Settings, all from the environment; without any, a safe dashboard for this machine alone."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import environ
from csp.constants import NONE, SELF

from sessions_ui.json_log import logging_config
from sessions_ui.settings import environment

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parents[2]
VAR = environment.private_folder(BASE_DIR / env.str("STATECORE_VAR", default="var"))

# Where it is served
HOST = env.str("HOST", default="127.0.0.1")
PORT = environment.port(env.str("PORT", default="8000"))
IS_LOOPBACK = HOST in environment.LOOPBACK
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]", HOST])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
ROOT_URLCONF = "sessions_ui.urls"
WSGI_APPLICATION = "sessions_ui.wsgi.application"

# HTTPS=true says that all come through https; a proxy in front then has to set X-Forwarded-Proto itself.
HTTPS = env.bool("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=31_536_000) if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# The probes of an orchestrator speak plain http to the process itself.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]

SECRET_KEY = env.str("SECRET_KEY", default="") or environment.kept_secret(VAR / "secret_key")

INSTALLED_APPS = [
    "statecore",
    "sessions_ui",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_htmx",
]

MIDDLEWARE = [
    "sessions_ui.request_log.RequestLogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "sessions_ui.appearance.AppearanceMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "sessions_ui.login_timeout.LoginTimeoutMiddleware",
    "sessions_ui.gate.LoginGateMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# Data
DATABASES = {"default": environment.database(env.str("DATABASE_URL", default=""), VAR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
LANGUAGE_CODE = "en"

# Static files
STATIC_URL = "static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
MEDIA_ROOT = VAR / "media"

# Headers
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# Login. A login session ends after this long without a request.
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"
SESSION_COOKIE_AGE = env.int("LOGIN_TIMEOUT", default=int(timedelta(hours=8).total_seconds()))
SESSION_COOKIE_NAME = "statecore_login"
CSRF_COOKIE_NAME = "statecore_csrf"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "sessions_ui.views.errors.csrf_failure"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# Of one name from one address: others neither lock a person out nor are locked out with them.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = env.int("LOGIN_FAILURE_LIMIT", default=10)
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_ENABLE_ADMIN = False
AXES_LOCKOUT_CALLABLE = "sessions_ui.views.errors.locked_out"

# Background work. Any worker may take any task again: tasks are safe to repeat.
CELERY: dict[str, Any] = {
    **environment.broker(env.str("CELERY_BROKER_URL", default=""), VAR),
    "task_serializer": "json",
    "accept_content": ["json"],
    "task_ignore_result": True,
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "worker_prefetch_multiplier": 1,
    "worker_hijack_root_logger": False,
    "worker_redirect_stdouts": False,
    "timezone": "UTC",
    "beat_schedule_filename": str(environment.private_folder(VAR / "celery") / "beat"),
    "beat_schedule": {
        "clear-login-sessions": {
            "task": "sessions_ui.tasks.clear_login_sessions",
            "schedule": timedelta(hours=1),
        },
    },
}

LOGGING = logging_config(level=env.str("LOG_LEVEL", default="INFO").upper())
LOGGING_CONFIG = "logging.config.dictConfig"
