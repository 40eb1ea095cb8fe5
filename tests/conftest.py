"""Where tests must not depend on chance, hypothesis draws the same examples every time."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
if os.environ.get("CI"):
    settings.load_profile("steady")
