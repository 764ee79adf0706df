"""Lines typed into earlier shells of wirespeed."""

from __future__ import annotations

import os
from pathlib import Path

from prompt_toolkit.history import FileHistory, History, InMemoryHistory


def line_history(name: str) -> History:
    """The lines in the user's file `name`; this shell's alone where that cannot be written."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state")
    file = state / "wirespeed" / name
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))
