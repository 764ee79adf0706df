"""The embedded lab for a test: up, with its links, and ended in any case.

Its router sleeps unless packets come, so that other processes get the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from wirespeed.lab.embedded import SHALLOW_SLOTS, EmbeddedLab
from wirespeed.lab.running import running
from wirespeed.machine.placement import choose_cpus
from wirespeed.model import PLAIN_MTU
from wirespeed.router.client import ask


@contextmanager
def joined_lab(hugepages: str = "auto", mtu: int = PLAIN_MTU) -> Iterator[EmbeddedLab]:
    # With shallow rings it starts faster.
    with running(EmbeddedLab(choose_cpus(), hugepages=hugepages, ring_slots=SHALLOW_SLOTS, mtu=mtu)) as lab:
        for index in range(2):
            ask(lab.control_socket, f"set interface rx-mode e{index} adaptive")
        yield lab
