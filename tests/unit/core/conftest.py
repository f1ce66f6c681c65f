"""The machine that runs these tests may be busy: a property is wrong when it fails, not when it is slow."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("busy-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy-machine")
