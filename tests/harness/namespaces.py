"""Network namespaces with names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_FOLDER = Path("/run/netns")

needs_namespace_names = pytest.mark.skipif(
    _FOLDER.is_dir() and not os.access(_FOLDER, os.R_OK | os.X_OK),
    reason=f"{_FOLDER} is closed to this user: as root, chmod 755 {_FOLDER}",
)
