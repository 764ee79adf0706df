"""A device as a kind and a way to it: `linux:ssh://root@10.0.0.1`, `vpp:local`, `router:/run/router.sock`."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.dut.kinds.linux import LinuxKind
from wirespeed.dut.plan import Kind
from wirespeed.dut.reach.reach import Reach
from wirespeed.dut.reach.spec import FORMS as WAYS
from wirespeed.dut.reach.spec import parse_reach
from wirespeed.errors import UsageError

KINDS: dict[str, type[Kind]] = {"linux": LinuxKind}
FORMS = f"KIND:WAY, a kind of {', '.join(KINDS)} and a way of {WAYS}"


@dataclass(frozen=True)
class Device:
    """`name` as it was given."""

    name: str
    kind: Kind
    reach: Reach


def parse_device(text: str) -> Device:
    """The device that `text` names, not yet tried. UsageError for another."""
    name, colon, way = text.partition(":")
    kind = KINDS.get(name)
    if kind is None or not colon or not way:
        raise UsageError(f"--dut {text}: there is no such device; give {FORMS}")
    return Device(text, kind(), parse_reach(way))
