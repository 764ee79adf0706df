"""A device under test as the command line names it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from wirespeed.cpus import cpu_list
from wirespeed.dut.dut import Dut
from wirespeed.dut.linux import LinuxDut
from wirespeed.dut.none import NoDut
from wirespeed.dut.router import RouterDut
from wirespeed.errors import UsageError

FORMS = (
    "router:/path/router.sock[,stats=FILE], linux:[netns=NAME][,cpus=LIST], "
    "KIND:ssh://user@host[,every=S], KIND:netns:NAME, KIND:local or none"
)
_WAY = re.compile(r"ssh://|netns:|local(,|$)|console-log:")


def parse_dut(text: str) -> Dut:
    """`router:/run/router.sock`, `linux:netns=dut,cpus=2-3`, `linux:` (this host), `none`. UsageError for another."""
    kind, colon, rest = text.partition(":")
    if colon and _WAY.match(rest):
        return _remote(text)
    make = _KINDS.get(kind)
    if make is None or (kind != "none" and not colon) or (kind == "none" and rest):
        raise UsageError(f"--dut {text}: there is no such device; give {FORMS}")
    return make(text, rest)


def _remote(text: str) -> Dut:
    """`linux:ssh://root@dut,every=0.5`: a type of DUT and its access method."""
    from wirespeed.dut.device import parse_device  # noqa: PLC0415
    from wirespeed.dut.remote import RemoteDut  # noqa: PLC0415 - a command starts fast

    device, *options = _parts(text)
    given = _options(text, options, ("every", "socket"))
    device += f",socket={given['socket']}" if "socket" in given else ""
    every = given.get("every", "1")
    if not re.fullmatch(r"\d{1,3}(\.\d{1,3})?", every) or float(every) < 0.1:
        raise UsageError(f"--dut {text}: every={every} is not a sample interval; give seconds from 0.1 to 999")
    return RemoteDut(parse_device(device), float(every))


def _router(text: str, rest: str) -> Dut:
    path, *options = _parts(rest)
    given = _options(text, options, ("stats",))
    if not path or "=" in path:
        raise UsageError(f"--dut {text} names no control socket; give router:/path/router.sock")
    return RouterDut(Path(path), Path(given["stats"]) if "stats" in given else None)


def _linux(text: str, rest: str) -> Dut:
    given = _options(text, [part for part in _parts(rest) if part], ("netns", "cpus"))
    return LinuxDut(given.get("netns", ""), cpu_list("--dut cpus", given["cpus"]) if "cpus" in given else ())


def _none(text: str, rest: str) -> Dut:
    return NoDut()


_KINDS: dict[str, Callable[[str, str], Dut]] = {"router": _router, "linux": _linux, "none": _none}


def _parts(text: str) -> list[str]:
    """Between commas, but for those of a list of CPUs."""
    return re.split(r",(?=[a-z]+=)", text)


def _options(text: str, parts: list[str], allowed: tuple[str, ...]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if key not in allowed or not equals or not value or key in settings:
            raise UsageError(
                f"--dut {text}: unknown setting {part}; allowed: {', '.join(f'{one}=…' for one in allowed)}; "
                f"give {FORMS}"
            )
        settings[key] = value
    return settings
