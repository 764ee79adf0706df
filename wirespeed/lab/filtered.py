"""NAT or a firewall in the namespace of the Linux lab, and the limits of the machine's state tables.

Rules and timeouts belong to the namespace and end with it. The limits of connection tracking belong to the whole
machine: a journal has the previous values, which the next lab restores after a SIGKILL."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from wirespeed.dut import prepare as preparing
from wirespeed.dut.journal import DutJournal, journal_path
from wirespeed.dut.kinds.linux import LinuxKind
from wirespeed.dut.kinds.linux_filter import filter_stages
from wirespeed.dut.plan import DutStage
from wirespeed.dut.reach.local import LocalReach
from wirespeed.dut.setup import DutOptions, DutSetup, FilterOptions
from wirespeed.errors import FileFault

MACHINE = "the state table of this machine"
"""Name of the journal of the machine's limits."""


class _FilterOfLinux(LinuxKind):
    """The part of preparing Linux that a lab's namespace needs."""

    def stages(self, setup: DutSetup) -> Sequence[DutStage]:
        return filter_stages(setup)


class FilteredNamespace:
    """The filter of `setup` in the namespace `netns`."""

    def __init__(self, netns: str, setup: DutSetup, directory: Path) -> None:
        self._setup = setup
        self._netns = netns
        self._directory = directory
        self._limits: DutJournal | None = None

    def apply(self) -> None:
        """EnvironmentFault where nftables, the kernel or this machine's limits do not allow it; FileFault while another
        lab has set the limits."""
        asked = self._setup.options.filter
        if asked.states is not None or asked.buckets is not None:
            self._limits = DutJournal(journal_path(MACHINE), MACHINE)
            self._prepare(replace(asked, rules="", timeout_s=None), LocalReach(), self._limits)
        with DutJournal(self._directory / "filter.jsonl", self._netns) as journal:
            self._prepare(replace(asked, states=None, buckets=None), LocalReach(self._netns), journal)

    def put_back(self) -> None:
        """The machine's limits as they were. Harmless when repeated."""
        if self._limits is not None:
            with self._limits as journal:
                preparing.restore(_FilterOfLinux(), LocalReach(), journal, _ignore)
            self._limits = None

    def _prepare(self, options: FilterOptions, reach: LocalReach, journal: DutJournal) -> None:
        setup = replace(self._setup, options=DutOptions(filter=options))
        preparing.prepare(_FilterOfLinux(), reach, setup, journal, _ignore)


def sweep_limits() -> None:
    """Restore the limits changed by a killed lab; those of a running lab stay."""
    path = journal_path(MACHINE)
    if path.exists():
        with suppress(FileFault), DutJournal(path, MACHINE) as journal:
            preparing.restore(_FilterOfLinux(), LocalReach(), journal, _ignore)


def _ignore(_: str) -> None:
    """A lab says nothing about its steps."""
