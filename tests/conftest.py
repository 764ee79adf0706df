"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# A test must not fail because the machine is busy; pytest's own time limit ends one that hangs.
settings.register_profile("wirespeed", deadline=None)
settings.load_profile("wirespeed")
