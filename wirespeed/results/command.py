"""The command line that measures a result again, from the settings that it carries. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.results.measurement import MeasurementResult

_FLAGS: dict[str, tuple[tuple[str, str], ...]] = {
    "loadtest": (
        ("warmup_mult", "-wm"),
        ("warmup_duration", "-wd"),
        ("rampup_target", "-rt"),
        ("rampup_duration", "-rd"),
        ("hold_duration", "-hd"),
        ("steps", "--steps"),
    ),
    "search": (("preset", "--preset"), ("min", "--min"), ("max", "--max"), ("time", "--time")),
    "rfc2544": (("sizes", "--sizes"),),
    "soak": (("load", "--load"), ("duration", "--duration"), ("wires", "--directions")),
}
"""Of each kind the settings that its command takes under another name."""
_COMMON = (
    ("server", "-s"),
    ("profile_file", "-p"),
    ("tunables", "-t"),
    ("latency", "--latency"),
    ("verify", "--signature"),
)
_SWITCHES = (("ip6", "--ip6"), ("ride_link", "--ignore-link-down"), ("keep_spoilt", "--include-disturbed"))


def command_of(result: MeasurementResult) -> str:
    """As a shell takes it. A port, a bench or a device that the command named besides is not in the settings; `lab` of
    the result tells of it."""
    kind = result.kind
    return shlex.join(["wirespeed", kind, *_words(kind, result.variables)])


def _words(kind: str, told: Mapping[str, Any]) -> Iterator[str]:
    for key, flag in (*_COMMON, *_FLAGS[kind]):
        # The profile of RFC 2544 is the command's own.
        if (value := told.get(key)) not in (None, "", {}) and not (kind == "rfc2544" and flag == "-p"):
            yield from (flag, _text(key, value))
    for key, flag in _SWITCHES:
        if told.get(key) is True:
            yield flag
    if told.get("unidirectional") is True:
        yield "-u"
    if output := told.get("output_file"):
        yield from ("-o", str(output))


def _text(key: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{name}={one}" for name, one in value.items())
    text = f"{value:.12g}" if isinstance(value, float) else str(value)
    return f"{text}pps" if key == "latency" else text
