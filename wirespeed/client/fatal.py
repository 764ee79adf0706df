"""Requests that end a T-Rex (v3.08), which a client must not send to one. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_STARRED = {"get_port_status": True, "get_stream_list": True, "remove_stream": False, "validate": False}
"""Methods for which T-Rex looks up a profile by name without checking that it exists; True if the name may be `*` for
all profiles."""

_DEFAULT = "_"
_VARIABLES = ("flow_var", "flow_var_rand_limit")


def profile_looked_up(method: str, params: Mapping[str, Any]) -> tuple[int, str] | None:
    """Port and name of a profile that must exist; None where nothing can go wrong."""
    if method not in _STARRED:
        return None
    profile = params.get("profile_id", _DEFAULT)
    if profile == _DEFAULT or (profile == "*" and _STARRED[method]):
        return None
    return int(params["port_id"]), str(profile)


def variable_without_bounds(method: str, params: Mapping[str, Any]) -> str | None:
    """Name of an 8-byte variable of an added stream that takes every value there is: a T-Rex divides by their number,
    which is 0 in 64 bits."""
    if method != "add_stream":
        return None
    for one in (params["stream"].get("vm") or {}).get("instructions") or ():
        if one.get("type") in _VARIABLES and one.get("size") == 8 and "value_list" not in one and _all_values(one):
            return str(one.get("name", ""))
    return None


def _all_values(variable: Mapping[str, Any]) -> bool:
    return int(variable.get("max_value", 0)) - int(variable.get("min_value", 0)) + 1 == 1 << 64
