"""The tester of a testbed: a running generator, or one that is started and stopped here."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wirespeed.cpus import cpu_list, settled
from wirespeed.held_signals import signals_held
from wirespeed.machine.child import Child
from wirespeed.machine.placement import choose_cpus
from wirespeed.machine.ports import free_rpc_port
from wirespeed.model import parse_port_spec
from wirespeed.owned import OwnedDirectory
from wirespeed.testbed.model import Bench


@contextmanager
def running_tester(bench: Bench) -> Iterator[str]:
    """HOST:PORT where the tester answers, or should. EnvironmentFault when one of our own does not start."""
    if bench.tester.server:
        yield bench.tester.server
        return
    workers, control = _cpus(bench)
    owned = OwnedDirectory("lab", Path(tempfile.gettempdir()))
    address = f"127.0.0.1:{free_rpc_port()}"
    child = Child(
        "generator",
        arguments(bench, workers, control, address),
        owned.path / "generator.log",
        frozenset((*workers, *control)),
    )
    with settled(control):
        try:
            child.start()
            yield address
        finally:
            with signals_held():
                child.stop()
                owned.remove()


def arguments(bench: Bench, workers: tuple[int, ...], control: tuple[int, ...], address: str) -> list[str]:
    """Arguments of `wirespeed generator` for the testbed's tester."""
    words = ["generator", "--cpu", ",".join(map(str, workers)), "--main-cpu", ",".join(map(str, control))]
    words += ["--rpc", address, "--hugepages", bench.tester.hugepages]
    for number, text in enumerate(bench.tester.ports):
        words += ["--port", _port(bench, number, text)]
    return words


def _port(bench: Bench, number: int, text: str) -> str:
    """The port spec, completed by the link of that port."""
    spec = parse_port_spec(text)
    link = bench.link(number) if number in bench.ports else None
    if link is not None and link.speed and spec.speed_bps is None:
        text += f",speed={link.speed}"
    if link is not None and link.tester_mac and spec.mac is None:
        text += f",mac={link.tester_mac}"
    return text


def _cpus(bench: Bench) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """CPUs of the workers, and of all other threads."""
    said = [cpu_list("cpus", text) if text else () for text in (bench.tester.cpus, bench.tester.main_cpu)]
    if all(said):
        return said[0], said[1]
    chosen = choose_cpus()
    workers = said[0] or (chosen.generator,)
    return workers, said[1] or tuple(cpu for cpu in chosen.control if cpu not in workers) or workers
