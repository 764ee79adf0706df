"""A lab that a command was told to bring up for itself, by its name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.lab.lab import Lab, choose_cpus
from wirespeed.lab.linux import LinuxLab, unavailable
from wirespeed.lab.placement import LabCpus
from wirespeed.lab.suite import wait_for_links

LABS: Mapping[str, Callable[[LabCpus], Lab]] = {
    "embedded": EmbeddedLab,
    "linux": LinuxLab,
    "linux:af_xdp": partial(LinuxLab, port="af_xdp"),
    "linux:af_packet": partial(LinuxLab, port="af_packet"),
}
_VM = re.compile(r"vm([:,]|$)")


def _maker(name: str) -> Callable[[LabCpus], Lab]:
    if _VM.match(name):
        from wirespeed.lab.vm import VmLab  # noqa: PLC0415 - asyncssh and pydantic, needed by this lab alone
        from wirespeed.lab.vm_options import parse_vm  # noqa: PLC0415

        options = parse_vm(name)
        return lambda cpus: VmLab(cpus, options)
    if name not in LABS:
        raise UsageError(f"--lab {name}: there is no such lab; give {', '.join(LABS)} or vm")
    return LABS[name]


@contextmanager
def chosen_lab(name: str) -> Iterator[Lab]:
    """The lab called `name`, up with all its links; it goes down again whatever happens. UsageError for a name that
    there is not, EnvironmentFault where this machine cannot do it."""
    make = _maker(name)
    reason = unavailable() if name.startswith("linux") else None
    if reason is not None:
        raise EnvironmentFault(f"no Linux lab here: {reason}")
    cpus, before = choose_cpus(), os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus.control)
    lab = make(cpus)
    try:
        lab.start()
        with GeneratorClient(lab.rpc) as client:
            client.connect()
            wait_for_links(client)
        yield lab
    finally:
        lab.stop()
        os.sched_setaffinity(0, before)
