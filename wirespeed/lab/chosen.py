"""A lab that a command was told to bring up for itself: `embedded`, `linux`, `embedded,mtu=9000`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from wirespeed.cpus import settled
from wirespeed.dut.setup import FilterOptions
from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.lab.embedded import DEEP_SLOTS, OWN_ROUTER, EmbeddedLab, RouterChoice
from wirespeed.lab.filter_words import FILTER_KEYS, filter_options, number
from wirespeed.lab.lab import Lab
from wirespeed.lab.linux import NO_FILTER, LinuxLab, unavailable
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
    queues of its wires, their descriptors (as many as there is memory for unless told), and which router it has; of the
    Linux one its packet filter."""

    name: str
    mtu: int = PLAIN_MTU
    queues: int = 1
    descriptors: int | None = None
    router: RouterChoice = OWN_ROUTER
    filter: FilterOptions = NO_FILTER


def parse_lab(text: str) -> LabSpec:
    """A lab of LABS, by the value of `--lab`. UsageError for an unknown name, a wrong option, or a file that does not
    exist."""
    name, *words = text.split(",")
    if name not in LABS:
        raise UsageError(f"--lab {text}: there is no such lab; give {', '.join(LABS)} or vm")
    settings = {}
    own = _OWN.get(name.partition(":")[0], ())
    for word in words:
        key, _, value = word.partition("=")
        if key in FILTER_KEYS and key not in own:
            raise UsageError(f"--lab {text}: {key}= is for the filter of Linux; give --lab linux,filter=nat or vm")
        if key not in ("mtu", *own):
            also = f"; this one also {'=, '.join(own)}=" if own else ""
            raise UsageError(f"--lab {text}: unknown option {key!r}; a lab takes mtu=, as in {name},mtu=9000{also}")
        settings[key] = value
    mtu = lab_mtu(settings["mtu"], f"--lab {text}: mtu") if "mtu" in settings else PLAIN_MTU
    queues = number(settings.get("queues", "1"), f"--lab {text}: queues", 16)
    descriptors = (
        number(settings["descriptors"], f"--lab {text}: descriptors", DEEP_SLOTS) if "descriptors" in settings else None
    )
    files = {
        key: _file(settings[key], f"--lab {text}: {key}") for key in ("program", "config", "exec") if key in settings
    }
    return LabSpec(name, mtu, queues, descriptors, RouterChoice(**files), filter_options(text, settings))


_OWN = {"embedded": ("queues", "descriptors", "program", "config", "exec"), "linux": FILTER_KEYS}
"""Options of a lab besides its MTU."""


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
    if spec.filter.rules:
        port = spec.name.partition(":")[2]
        return lambda cpus: LinuxLab(cpus, port=port, mtu=spec.mtu, filter=spec.filter)
    return lambda cpus: LABS[spec.name](cpus, mtu=spec.mtu)


@contextmanager
def chosen_lab(text: str) -> Iterator[Lab]:
    """The lab that `text` says, up with all its links; it goes down again whatever happens. UsageError as of
    `parse_lab`, EnvironmentFault where this machine cannot do it."""
    make = _maker(text)
    reason = unavailable() if text.startswith(("linux", "veth")) else None
    if reason is not None:
        raise EnvironmentFault(f"a lab over veth cannot run here: {reason}")
    cpus = choose_cpus()
    with settled(cpus.control), running(make(cpus)) as lab:
        yield lab
