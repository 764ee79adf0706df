"""Packets as text in requests and profiles."""

from __future__ import annotations

import base64
import re

_BASE64 = re.compile("[A-Za-z0-9+/]*")


def packet_of(text: str) -> bytes:
    """The packet in base64; as T-Rex reads it, it ends before the first character that is none."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:  # binascii.Error is one, and so is a letter beyond ASCII
        found = _BASE64.match(text)
        whole = found.group() if found else ""
        whole = whole[: len(whole) - (len(whole) % 4 == 1)]
        return base64.b64decode(whole + "=" * (-len(whole) % 4))
