"""Listen addresses that the options of the page allow."""

from __future__ import annotations

import re
import secrets

from wirespeed.errors import UsageError
from wirespeed.serving.loopback import is_loopback
from wirespeed.web.app import Where

_TOKEN = re.compile(r"[A-Za-z0-9_-]{12,128}")
NEW = "new"


def checked(listen: str, token: str) -> Where:
    """UsageError for an invalid HOST:PORT, for a token that can be guessed, and for a missing token beyond loopback."""
    host, colon, port = listen.rpartition(":")
    host = host.strip("[]")
    if not colon or not host or not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise UsageError(f"--listen {listen!r} cannot be read: give HOST:PORT, such as 127.0.0.1:8480 or [::1]:8480")
    if token == NEW:
        token = secrets.token_urlsafe(18)
    elif token and not _TOKEN.fullmatch(token):
        raise UsageError("--token takes 12 to 128 letters, digits, - and _; `new` generates a random one")
    if not token and not is_loopback(host):
        raise UsageError(
            f"--listen {listen} can be reached from other machines: give --token new, and its URL to viewers only"
        )
    return Where(host, int(port), token)
