"""Meanings of VPP's error numbers, of those that clients here encounter."""

from __future__ import annotations

_WORDS = {-2: "no such interface", -6: "no such entry", -9: "unimplemented", -68: "sub-interface exists"}


def refusal(message: str, retval: int) -> str:
    """One line for a reply that is not a success."""
    words = f" ({_WORDS[retval]})" if retval in _WORDS else ""
    return f"the router answers {message} with {retval}{words}"
