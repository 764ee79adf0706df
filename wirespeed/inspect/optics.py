"""Modules one by one, as the articles go through them: insert, link or not, packets each way, the dump kept, a row."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.files import write_atomically
from wirespeed.inspect.module import OpticalModule
from wirespeed.inspect.nic import interface_of
from wirespeed.inspect.questions import nic_questions, question
from wirespeed.inspect.tables import MODULE, NOTHING, module_cells
from wirespeed.inspect.transcript import ShellMachine, ask, section
from wirespeed.results.inspection import InspectionTable

_NAME = re.compile(r"[A-Za-z0-9_.:@-]{1,15}")


@dataclass(frozen=True)
class ModuleTest:
    """One module in its cage. `module` is None if it cannot be read, for the reason `why`. Packets are those counted
    during the probe, None without one."""

    label: str
    module: OpticalModule | None
    why: str
    has_link: bool | None
    sent: int | None
    received: int | None


def try_module(machine: ShellMachine, interface: str, label: str, probe: str, folder: Path | None) -> ModuleTest:
    """Read the module in the cage. `probe` is a command that sends packets through it."""
    before = _packets(machine, interface) if probe else None
    if probe:
        machine.run(probe)
    after = _packets(machine, interface) if probe else None
    answers = ask(machine, nic_questions([interface]))
    facts = interface_of(interface, answers)
    dump = section(answers, question(interface, "-m"))
    if folder is not None and dump.code == 0 and dump.text:
        write_atomically(folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', label)}.txt", dump.text, "module dump")
    why = facts.module_fault or (dump.text.strip().splitlines() or ["ethtool -m says nothing"])[0]
    passed = [new - old for old, new in zip(before, after, strict=True)] if before and after else [None, None]
    return ModuleTest(label, facts.module, "" if facts.module else why, facts.has_link, passed[0], passed[1])


def _packets(machine: ShellMachine, interface: str) -> tuple[int, int] | None:
    at = f"/sys/class/net/{interface}/statistics"
    numbers = machine.run(f"cat {at}/tx_packets {at}/rx_packets").split()
    return (int(numbers[0]), int(numbers[1])) if len(numbers) == 2 and all(map(str.isdigit, numbers)) else None


def check_interface(machine: ShellMachine, interface: str) -> None:
    """UsageError for an invalid interface name, EnvironmentFault for a missing interface."""
    if not _NAME.fullmatch(interface):
        raise UsageError(f"INTERFACE {interface} is not a name of an interface; give one such as enp1s0f0")
    if "yes" not in machine.run(f"test -e /sys/class/net/{shlex.quote(interface)} && echo yes"):
        raise EnvironmentFault(f"there is no interface {interface} on {machine.name}; `ip link` lists them")


def go_through(
    machine: ShellMachine, interface: str, probe: str, folder: Path | None, asked: Callable[[str], str]
) -> list[ModuleTest]:
    """Ask for one module after the other until an empty answer; EOFError of `asked` ends it as well."""
    check_interface(machine, interface)
    tried: list[ModuleTest] = []
    while True:
        try:
            label = asked(f"Insert module {len(tried) + 1} into {interface}; its name (empty to end): ").strip()
        except EOFError:
            return tried
        if not label:
            return tried
        tried.append(try_module(machine, interface, label, probe, folder))


def optics_part(tried: list[ModuleTest]) -> InspectionTable:
    """The modules as a table."""
    return InspectionTable(
        "Modules", ("Module", "Link", "Sent", "Received", *MODULE), tuple(_row(one) for one in tried)
    )


def _row(test: ModuleTest) -> tuple[str, ...]:
    link = {True: "yes", False: "no", None: NOTHING}[test.has_link]
    counts = tuple(NOTHING if count is None else str(count) for count in (test.sent, test.received))
    cells = module_cells(test.module) if test.module else (test.why, *[NOTHING] * (len(MODULE) - 1))
    return (test.label, link, *counts, *cells)
