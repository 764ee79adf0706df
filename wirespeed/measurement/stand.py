"""Setup of a command that measures: a generator that answers, and a DUT that may be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.dut.dut import Dut, TellsLater
from wirespeed.dut.spec import parse_dut
from wirespeed.ending_signals import leave_while_starting
from wirespeed.errors import UsageError
from wirespeed.power.metered import metered
from wirespeed.results.dut import DutFacts
from wirespeed.results.lab import LabFacts
from wirespeed.testbed.options import GivenOptions, StandOptions, without_bench

if TYPE_CHECKING:
    from wirespeed.lab.lab import Lab
    from wirespeed.testbed.model import Bench


@dataclass(frozen=True)
class Stand:
    """`lab` and `device` describe a lab of this program or the testbed of a file, for the result; otherwise they are
    empty. `restart` restarts the device's process, if this program started it."""

    client: GeneratorClient
    dut: Dut | None
    lab: LabFacts = LabFacts()  # noqa: RUF009 - frozen
    device: DutFacts | None = None
    restart: Callable[[], None] | None = None


def with_bench(file: Path | None, options: GivenOptions, default_profile: str = "") -> StandOptions:
    """The options, completed by the testbed in `file`; unchanged without a file."""
    if file is None:
        return without_bench(options)
    from wirespeed.testbed.file import read_bench  # noqa: PLC0415 - pydantic, needed with a bench alone
    from wirespeed.testbed.options import on_bench  # noqa: PLC0415

    return on_bench(read_bench(file), str(file), options, default_profile)


@contextmanager
def stand_of(
    options: StandOptions,
    bench: Path | None = None,
    force: bool = False,
    lasting_s: float = 0.0,
    stop: Event | None = None,
    lab: Lab | None = None,
) -> Iterator[Stand]:
    """The setup that the options (those of `with_bench`) describe, with a power meter of the device, for a measurement
    of the given length. UsageError for contradicting options; KeyboardInterrupt for a signal before everything is up,
    if `stop` of `stop_on_signals` is given. `lab` is one that is already up."""
    with ExitStack() as stack:
        with nullcontext() if stop is None else leave_while_starting(stop):
            stand = stack.enter_context(_stand(options, bench, force, lasting_s, lab))
            told, meter = stack.enter_context(metered(stand.dut, options.power))
        yield replace(stand, dut=told, lab=replace(stand.lab, power=meter))


@contextmanager
def _stand(
    options: StandOptions, bench: Path | None, force: bool, lasting_s: float, lab: Lab | None
) -> Iterator[Stand]:
    if options.lab:
        with _lab(options, lab) as up:
            yield up
        return
    device = parse_dut(options.dut)
    if isinstance(device, TellsLater):
        device.lasts(lasting_s)
    try:
        device.prepare()
        asked = None if options.dut == "none" else device
        if bench is None:
            with GeneratorClient(options.server) as client:
                client.connect()
                yield Stand(client, asked)
        else:
            with _bench(bench, options, asked, force) as up:
                yield up
    finally:
        device.close()


@contextmanager
def _bench(file: Path, options: StandOptions, dut: Dut | None, force: bool) -> Iterator[Stand]:
    from wirespeed.testbed.ceiling import ceiling_facts, kept  # noqa: PLC0415
    from wirespeed.testbed.facts import device_facts, lab_facts  # noqa: PLC0415
    from wirespeed.testbed.file import read_bench  # noqa: PLC0415
    from wirespeed.testbed.tester import running_tester  # noqa: PLC0415
    from wirespeed.trial.plan import parse_tunables  # noqa: PLC0415

    bench = read_bench(file)
    ceiling = ceiling_facts(kept(file), options.profile, parse_tunables(options.tunables))
    lab = lab_facts(bench, str(file), ceiling)
    with running_tester(bench) as server, GeneratorClient(server) as client:
        client.connect()
        _settle(bench, server, force)
        yield Stand(client, dut, lab, device_facts(bench, dut))


def _settle(bench: Bench, server: str, force: bool) -> None:
    from wirespeed.client.stateless_client import StatelessClient  # noqa: PLC0415
    from wirespeed.testbed.neighbours import held, settle  # noqa: PLC0415 - scapy takes long to import
    from wirespeed.trial.links import wait_for_links  # noqa: PLC0415

    with StatelessClient(server) as client:
        client.connect()
        if bench.tester.ports:
            wait_for_links(client, bench.ports)
        with held(client, bench.ports, force):
            settle(client, bench)


@contextmanager
def _lab(options: StandOptions, lab: Lab | None) -> Iterator[Stand]:
    if options.dut != "none":
        raise UsageError(f"--lab {options.lab} has a DUT of its own; leave out --dut {options.dut}")
    from wirespeed.lab.chosen import chosen_lab  # noqa: PLC0415
    from wirespeed.lab.embedded import EmbeddedLab  # noqa: PLC0415

    with ExitStack() as stack:
        up = stack.enter_context(chosen_lab(options.lab)) if lab is None else lab
        client = stack.enter_context(GeneratorClient(up.rpc))
        client.connect()
        restart = up.restart_router if isinstance(up, EmbeddedLab) else None
        yield Stand(client, up.dut, up.facts, up.dut.describe(), restart)
