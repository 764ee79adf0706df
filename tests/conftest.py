"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# A test must not fail because the machine is busy; pytest's own time limit ends one that hangs. Nor may a tree pass
# and fail by turns: the same tests draw the same examples. `make fuzz` draws others each time.
settings.register_profile("wirespeed", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("wirespeed")
