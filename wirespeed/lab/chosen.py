"""A lab that a command was told to bring up for itself: `embedded`, `linux`, `embedded,mtu=9000`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.lab.embedded import DEEP_SLOTS, OWN_ROUTER, EmbeddedLab, RouterChoice
from wirespeed.lab.lab import Lab
from wirespeed.lab.linux import LinuxLab, unavailable
from wirespeed.lab.running import running
from wirespeed.lab.veth import VethLab
from wirespeed.machine.placement import LabCpus, choose_cpus
from wirespeed.model import MAX_MTU, PLAIN_MTU


class Maker(Protocol):
    """Makes a lab on these CPUs whose tester and device carry layer 3 packets of `mtu`."""

    def __call__(self, cpus: LabCpus, *, mtu: int) -> Lab: ...


LABS: Mapping[str, Maker] = {
    "embedded": EmbeddedLab,
    "linux": LinuxLab,
    "linux:af_xdp": partial(LinuxLab, port="af_xdp"),
    "linux:af_packet": partial(LinuxLab, port="af_packet"),
    "veth": VethLab,
}
_VM = re.compile(r"vm([:,]|$)")


@dataclass(frozen=True)
class LabSpec:
    """A lab by its name, and the largest layer 3 packet that tester and device carry. Of the embedded one also the
    queues of its wires, their descriptors (as many as there is memory for unless told), and which router it has."""

    name: str
    mtu: int = PLAIN_MTU
    queues: int = 1
    descriptors: int | None = None
    router: RouterChoice = OWN_ROUTER


def parse_lab(text: str) -> LabSpec:
    """A lab of LABS, by the value of `--lab`. UsageError for an unknown name, a wrong option, or a file that does not
    exist."""
    name, *words = text.split(",")
    if name not in LABS:
        raise UsageError(f"--lab {text}: there is no such lab; give {', '.join(LABS)} or vm")
    given = {}
    allowed = ("mtu", *_EMBEDDED) if name == "embedded" else ("mtu",)
    for word in words:
        key, _, value = word.partition("=")
        if key not in allowed:
            also = f"; this one also {'=, '.join(_EMBEDDED)}=" if name == "embedded" else ""
            raise UsageError(f"--lab {text}: unknown option {key!r}; a lab takes mtu=, as in {name},mtu=9000{also}")
        given[key] = value
    mtu = lab_mtu(given["mtu"], f"--lab {text}: mtu") if "mtu" in given else PLAIN_MTU
    queues = _count(given.get("queues", "1"), f"--lab {text}: queues", 16)
    descriptors = (
        _count(given["descriptors"], f"--lab {text}: descriptors", DEEP_SLOTS) if "descriptors" in given else None
    )
    files = {key: _file(given[key], f"--lab {text}: {key}") for key in ("program", "config", "exec") if key in given}
    return LabSpec(name, mtu, queues, descriptors, RouterChoice(**files))


_EMBEDDED = ("queues", "descriptors", "program", "config", "exec")


def _count(value: str, what: str, most: int) -> int:
    if not (value.isascii() and value.isdigit() and 1 <= int(value) <= most):
        raise UsageError(f"{what} is a number from 1 to {most}, not {value!r}")
    return int(value)


def _file(value: str, what: str) -> Path:
    if not Path(value).is_file():
        raise UsageError(f"{what}: there is no file {value!r}")
    return Path(value)


def lab_mtu(value: str, what: str) -> int:
    """The MTU of a lab, whose tests have frames of up to 1514 bytes; UsageError names `what` had another. Pure."""
    if not (value.isascii() and value.isdigit() and PLAIN_MTU <= int(value) <= MAX_MTU):
        raise UsageError(f"{what} is a number from {PLAIN_MTU} to {MAX_MTU}, not {value!r}")
    return int(value)


def _maker(text: str) -> Callable[[LabCpus], Lab]:
    if _VM.match(text):
        from wirespeed.lab.vm import VmLab  # noqa: PLC0415 - asyncssh and pydantic, needed by this lab alone
        from wirespeed.lab.vm_options import parse_vm  # noqa: PLC0415

        options = parse_vm(text)
        return lambda cpus: VmLab(cpus, options)
    spec = parse_lab(text)
    if spec.name == "embedded":
        slots, queues = spec.descriptors, spec.queues
        return lambda cpus: EmbeddedLab(cpus, mtu=spec.mtu, ring_slots=slots, queues=queues, router=spec.router)
    return lambda cpus: LABS[spec.name](cpus, mtu=spec.mtu)


@contextmanager
def chosen_lab(text: str) -> Iterator[Lab]:
    """The lab that `text` says, up with all its links; it goes down again whatever happens. UsageError as of
    `parse_lab`, EnvironmentFault where this machine cannot do it."""
    make = _maker(text)
    reason = unavailable() if text.startswith(("linux", "veth")) else None
    if reason is not None:
        raise EnvironmentFault(f"a lab over veth cannot run here: {reason}")
    cpus, before = choose_cpus(), os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus.control)
    try:
        with running(make(cpus)) as lab:
            yield lab
    finally:
        os.sched_setaffinity(0, before)
