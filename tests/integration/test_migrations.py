from __future__ import annotations

import pytest
from django.core.management import call_command


@pytest.mark.django_db
def test_migrations_say_all_that_the_models_say() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
