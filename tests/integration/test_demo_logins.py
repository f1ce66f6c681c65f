from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User

from sessions_ui import demo_logins

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_django import Settings

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fast_hashes(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def make_demo(var: Path, password: str) -> None:
    for name in demo_logins.NAMES:
        User.objects.create_user(name, password=password)
    demo_logins.keep_password(var, password)


def test_demo_logins_work_with_the_password_of_the_latest_start(tmp_path: Path) -> None:
    make_demo(tmp_path, "first")
    assert demo_logins.allow(tmp_path, "second") == ["viewer", "editor", "admin"]
    assert all(user.check_password("second") for user in User.objects.all())
    assert demo_logins.choose_password(tmp_path, None) == "second"


def test_demo_logins_are_refused_until_they_are_allowed_again(tmp_path: Path) -> None:
    make_demo(tmp_path, "open sesame")
    demo_logins.refuse(tmp_path)
    assert not User.objects.filter(is_active=True).exists()
    demo_logins.allow(tmp_path, "open sesame")
    assert User.objects.filter(is_active=True).count() == 3


def test_a_login_whose_owner_changed_its_password_is_left_alone(tmp_path: Path) -> None:
    make_demo(tmp_path, "open sesame")
    admin = User.objects.get(username="admin")
    admin.set_password("mine")
    admin.save()
    assert demo_logins.allow(tmp_path, "other") == ["viewer", "editor"]
    demo_logins.refuse(tmp_path)
    admin.refresh_from_db()
    assert admin.is_active
    assert admin.check_password("mine")


def test_without_a_demo_nobody_is_touched(tmp_path: Path) -> None:
    User.objects.create_user("admin", password="mine")
    demo_logins.refuse(tmp_path)
    assert demo_logins.allow(tmp_path, "other") == []
    assert User.objects.get(username="admin").is_active


def test_the_password_is_the_wanted_else_the_kept_else_a_new_one(tmp_path: Path) -> None:
    assert len(demo_logins.choose_password(tmp_path, None)) >= 12
    demo_logins.keep_password(tmp_path, "kept")
    assert demo_logins.choose_password(tmp_path, None) == "kept"
    assert demo_logins.choose_password(tmp_path, "wanted") == "wanted"
    assert stat.S_IMODE((tmp_path / "demo_password").stat().st_mode) == 0o600
