"""A lab that a command was told to bring up for itself: `embedded`, `linux`, `embedded,mtu=9000`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.lab.lab import Lab, choose_cpus
from wirespeed.lab.linux import LinuxLab, unavailable
from wirespeed.lab.placement import LabCpus
from wirespeed.lab.running import running
from wirespeed.model import MAX_MTU, PLAIN_MTU


class Maker(Protocol):
    """Makes a lab on these CPUs whose tester and device carry layer 3 packets of `mtu`."""

    def __call__(self, cpus: LabCpus, *, mtu: int) -> Lab: ...


LABS: Mapping[str, Maker] = {
    "embedded": EmbeddedLab,
    "linux": LinuxLab,
    "linux:af_xdp": partial(LinuxLab, port="af_xdp"),
    "linux:af_packet": partial(LinuxLab, port="af_packet"),
}
_VM = re.compile(r"vm([:,]|$)")


@dataclass(frozen=True)
class LabSpec:
    """A lab by its name, and the largest layer 3 packet that tester and device carry."""

    name: str
    mtu: int = PLAIN_MTU


def parse_lab(text: str) -> LabSpec:
    """What `--lab` says of a lab in LABS. UsageError for a name that there is not, and for a wrong option. Pure."""
    name, *words = text.split(",")
    if name not in LABS:
        raise UsageError(f"--lab {text}: there is no such lab; give {', '.join(LABS)} or vm")
    mtu = PLAIN_MTU
    for word in words:
        key, _, value = word.partition("=")
        if key != "mtu":
            raise UsageError(f"--lab {text}: unknown option {key!r}; a lab takes mtu=, as in {name},mtu=9000")
        mtu = lab_mtu(value, f"--lab {text}: mtu")
    return LabSpec(name, mtu)


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
    return lambda cpus: LABS[spec.name](cpus, mtu=spec.mtu)


@contextmanager
def chosen_lab(text: str) -> Iterator[Lab]:
    """The lab that `text` says, up with all its links; it goes down again whatever happens. UsageError as of
    `parse_lab`, EnvironmentFault where this machine cannot do it."""
    make = _maker(text)
    reason = unavailable() if text.startswith("linux") else None
    if reason is not None:
        raise EnvironmentFault(f"no Linux lab here: {reason}")
    cpus, before = choose_cpus(), os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus.control)
    try:
        with running(make(cpus)) as lab:
            yield lab
    finally:
        os.sched_setaffinity(0, before)
