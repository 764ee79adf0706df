"""Frames through the real router: pcap files in, a router process, pcap files out."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.programs import started, wirespeed
from harness.threads import threads_of
from harness.waiting import wait_for
from scapy.utils import RawPcapReader, RawPcapWriter

from wirespeed.dut.errors import parse_errors
from wirespeed.errors import ConnectionFault
from wirespeed.router.client import ask

# MAC addresses of the interfaces e0 and e1, and of a host at each.
ROUTER0, ROUTER1 = "02:fe:00:00:00:00", "02:fe:00:00:00:01"
HOST0, HOST1 = "02:ee:00:00:00:00", "02:ee:00:00:00:01"
INTERFACES = f"""\
set interface mac address e0 {ROUTER0}
set interface mac address e1 {ROUTER1}
set interface state e0 up
set interface state e1 up
"""
CROSSED = """\
set interface state e0 up
set interface state e1 up
set interface l2 xconnect e0 e1
set interface l2 xconnect e1 e0
"""
ETHERNET_LINK = 1


@dataclass(frozen=True)
class Outcome:
    """`frames[i]` are the frames that interface i sent; `counters` are those of `show errors`, `answers` those of
    `ask`.
    """

    frames: list[list[bytes]]
    counters: dict[str, int]
    answers: list[str]
    received: int
    dropped: int


class RouterProcess:
    """A running `wirespeed router`; `said` is its output so far, `asked` the lines that it was sent."""

    def __init__(self, process: subprocess.Popen[str], socket: Path) -> None:
        self.process = process
        self.socket = socket
        self.said = ""
        self.asked: list[str] = []

    def ask(self, line: str) -> str:
        self.asked.append(line)
        try:
            return ask(self.socket, line)
        except ConnectionFault as fault:
            fault.add_note(threads_of(self.process.pid))
            raise


def worker_cpu() -> int:
    return max(os.sched_getaffinity(0))


def command(socket: Path, interfaces: Sequence[str], *options: str) -> list[str]:
    words = wirespeed("router", "--cpu", worker_cpu(), "--socket", socket)
    for interface in interfaces:
        words += ["--interface", interface]
    # Small tables, which are enough for the tests and quick to make.
    return [*words, "--max-routes", "20000", *options]


def assert_conserved(outcome: Outcome, made: int = 0) -> None:
    """Every packet is sent or a counted drop; `made` is the number of packets that the router made itself."""
    assert outcome.received + made == sum(map(len, outcome.frames)) + outcome.dropped


@contextmanager
def router(directory: Path, interfaces: Sequence[str], config: str = "", *options: str) -> Iterator[RouterProcess]:
    """A router that is ready; at the end it must exit with 0."""
    (directory / "start.conf").write_text(config)
    socket = directory / "router.sock"
    words = command(socket, interfaces, "--exec", str(directory / "start.conf"), *options)
    own = started(words)
    with own as process:
        assert process.stdout is not None and process.stderr is not None
        running = RouterProcess(process, socket)
        for line in process.stdout:
            running.said += line
            if line.startswith("ready"):
                break
        else:
            raise AssertionError(f"the router is not ready: {process.stderr.read()}")
        try:
            yield running
        finally:
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate()
    assert process.returncode == 0, errors


def received(router: RouterProcess) -> int:
    return sum(int(count) for count in re.findall(r"rx packets +(\d+)", router.ask("show interface")))


def loops(router: RouterProcess) -> int:
    return int(router.ask("show threads").splitlines()[1].split()[4])


def wait_received(router: RouterProcess, packets: int) -> None:
    """Wait until the worker has received and processed that many packets."""
    wait_for(lambda: received(router) >= packets, f"reception of {packets} packets")
    before = loops(router)
    wait_for(lambda: loops(router) > before + 1, "the worker's next loop")


def route(
    directory: Path,
    config: str,
    *sent: Sequence[bytes],
    ask: Sequence[str] = (),
    options: Sequence[str] = (),
    fresh: bool = False,
) -> Outcome:
    """Send frames into the interfaces e0, e1, … of the shared router, or of a separate one: with `options`, or `fresh`,
    for settings that can be made only once. `ask` are commands to run once all frames are processed.
    """
    from shared_router import shared  # noqa: PLC0415 - which needs this module

    names = [f"e{index}" for index in range(len(sent))]
    for name, frames in zip(names, sent, strict=True):
        write_pcap(directory / f"{name}-in.pcap", frames)
    ports = [f"{name}=pcap:{directory}/{name}-in.pcap,{directory}/{name}-out.pcap" for name in names]
    own = bool(options) or fresh
    with router(directory, ports, config, *options) if own else shared(directory, ports, config) as running:
        wait_received(running, sum(len(frames) for frames in sent))
        errors = parse_errors(running.ask("show errors"))
        answers = [running.ask(line) for line in ask]
        interfaces = running.ask("show interface")
    return Outcome(
        [read_pcap(directory / f"{name}-out.pcap") for name in names],
        {f"{row.node}: {row.reason}": row.count for row in errors},
        answers,
        sum(len(frames) for frames in sent),
        sum(int(count) for count in re.findall(r"drops +(\d+)", interfaces)),
    )


def write_pcap(path: Path, frames: Sequence[bytes]) -> None:
    with RawPcapWriter(str(path), linktype=ETHERNET_LINK) as writer:
        writer.write_header(None)
        for frame in frames:
            writer.write_packet(frame)


def read_pcap(path: Path) -> list[bytes]:
    with RawPcapReader(str(path)) as reader:
        return [frame for frame, _ in reader]
