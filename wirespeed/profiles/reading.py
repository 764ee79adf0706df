"""A profile's text, looked at before it is read whole."""

from __future__ import annotations

from pathlib import Path

from wirespeed.files import read_text_file

MAX_PROFILE_BYTES = 64 << 20


def read_profile(path: Path) -> bytes:
    """The bytes of a profile that is text; FileFault when it is too large, is not text, or cannot be read."""
    hint = "give a T-Rex profile (.py, .yaml, .json) or a packet file"
    return read_text_file(path, "profile", MAX_PROFILE_BYTES, hint)
