"""Parts of every measurement over memif: latency probe, samples grouped by the machine's speed, processes on CPUs."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from rounds import living

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.dut.router import RouterDut
from wirespeed.errors import EnvironmentFault
from wirespeed.lab.embedded import GENERATOR_MACS, ROUTER_MACS
from wirespeed.lab.generator import LabGenerator, LabWire
from wirespeed.machine.child import Child
from wirespeed.machine.placement import choose_cpus
from wirespeed.results.dut import DutTelemetry

SAMPLE_S = 0.25
NEAR_NS, FAR_NS = 60.0, 120.0
PROBE = Path(__file__).parent.parent / "build" / "native" / "bench" / "core_probe"
SPEED = "200G"  # faster than one CPU can send, so the line is never the limit
RING_SLOTS = 4096
PEER_RING_LOG2 = 11  # net_memif is slower with larger rings
PEER_LINE = re.compile(r"mono (?P<at>[\d.]+) .*\brx1 (?P<rx1>[\d.]+)(?:.*\bfull (?P<full>[\d.]+))?")
_LISTENS = 0x10000  # the flag of /proc/net/unix


class Probe:
    """core_probe in the background: the core-to-core latency over time, from which each sample gets its speed."""

    def __init__(self, cpus: tuple[int, int]) -> None:
        command = [str(PROBE), str(cpus[0]), str(cpus[1]), "100", "7200"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._times: list[float] = []
        self._latencies: list[float] = []
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)

    def collect(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            at_s, latency_ns = line.split()
            self._times.append(float(at_s))
            self._latencies.append(float(latency_ns))

    def speed(self, at_s: float) -> str:
        """Speed during the sample that ended at `at_s`: near or far if all its probes agree, otherwise between."""
        inside = self._latencies[bisect_left(self._times, at_s - SAMPLE_S) : bisect_left(self._times, at_s)]
        if inside and max(inside) < NEAR_NS:
            return "near"
        return "far" if inside and min(inside) > FAR_NS else "between"

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


@dataclass(frozen=True)
class Patience:
    """Sampling time of a run: at least `least_s`, then until it has `near` near samples, at most `most_s`."""

    least_s: float
    most_s: float
    near: int


@dataclass
class Series:
    """Samples of one contender: packets per second by the machine's speed, and counts that show the limit.

    Unsent packets are `refused` if the ring to the far end was full, `late` if the generator was behind schedule. A
    peer sends without a rate; `full` has, for each sample, the share of its bursts that found the ring full.
    """

    rates: dict[str, list[float]] = field(default_factory=lambda: {"near": [], "far": [], "between": []})
    costs: list[DutTelemetry] = field(default_factory=list)
    refused: int = 0
    late: int = 0
    full: list[float] = field(default_factory=list)

    def add(self, run: Series) -> None:
        for speed, rates in run.rates.items():
            self.rates[speed] += rates
        self.costs += run.costs
        self.full += run.full
        self.refused += run.refused
        self.late += run.late

    def median(self, speed: str) -> float | None:
        return median(self.rates[speed]) if self.rates[speed] else None

    def spread(self, speed: str) -> float | None:
        """Half of the interquartile range, as a share of the median; None for fewer than four samples."""
        rates = self.rates[speed]
        if len(rates) < 4:
            return None
        low, middle, high = quantiles(rates, n=4)
        return (high - low) / 2 / middle if middle else None

    def cost(self, name: str) -> float | None:
        """Median of one field of the DUT's telemetry; None if the DUT does not report it."""
        told = [value for cost in self.costs if (value := getattr(cost, name)) is not None]
        return median(told) if told else None

    @property
    def refused_share(self) -> float | None:
        """Share of the generator's unsent packets that a full ring refused; with a peer, the median of `full`. None if
        all packets were sent, or if there are no counts."""
        if self.full:
            return median(self.full)
        unsent = self.refused + self.late
        return self.refused / unsent if unsent else None


@contextmanager
def command(words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that SIGINT ends at the exit. Its standard input stays open, since some programs end when it closes.
    EnvironmentFault if the process cannot be started or ends early."""
    try:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise EnvironmentFault(f"{words[0]} cannot be started: {error.strerror}") from None
    try:
        with living(words[0], lambda: process.poll() is None):
            yield process
    finally:
        with process:  # closes its standard input
            process.send_signal(signal.SIGINT)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def listener_of(path: str) -> int:
    """Process that listens at a socket, or EnvironmentFault. Read from the kernel's list, without connecting: DPDK
    22.11's memif server ends when a client connects and sends nothing."""
    lines = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
    inodes = {f"socket:[{words[6]}]" for words in lines if words[7:] == [path] and int(words[3], 16) & _LISTENS}
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if str(descriptor.readlink()) in inodes:
                return int(descriptor.parts[2])
    raise EnvironmentFault(f"no router of this user's listens at {path}; start it first")


@contextmanager
def awake(path: str) -> Iterator[None]:
    """Let a router that was started elsewhere run. Outside it is stopped, since it uses the CPU of the other DUTs."""
    pid = listener_of(path)
    os.kill(pid, signal.SIGCONT)
    try:
        with living(f"the router at {path}", lambda: is_running(pid)):
            yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)


def is_running(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def fill_in(template: str, directory: Path, cpu: int) -> list[str]:
    """Words of a command template, with `{cpu}`, `{wire0}` and `{wire1}` replaced."""
    wires = {f"wire{index}": socket_path(directory, index) for index in (0, 1)}
    return [word.format(cpu=cpu, **wires) for word in shlex.split(template)]


def testpmd(mode: str, cpu: int, directory: Path, role: str, wires: int) -> list[str]:
    """Command of dpdk-testpmd with its worker on `cpu`, in forwarding mode `mode`, on the first `wires` memifs."""
    words = ["dpdk-testpmd", "--lcores", f"0@{cpu},1@{cpu}", "--file-prefix", f"bench{os.getpid()}", "--no-pci"]
    words += ["--no-huge", "-m", "256", "--no-telemetry"]
    ring = (RING_SLOTS - 1).bit_length()
    for index in range(wires):
        device = f"role={role},id=0,socket={socket_path(directory, index)},socket-abstract=no,rsize={ring}"
        words.append(f"--vdev=net_memif{index},{device}")
    return [*words, "--", f"--forward-mode={mode}", "--auto-start", "--burst=64", "--total-num-mbufs=16384"]


def socket_path(directory: Path, index: int) -> str:
    return f"{directory}/w{index}.sock"


def spec(directory: Path, index: int, role: str) -> str:
    return spec_at(socket_path(directory, index), index, role)


def spec_at(path: str, index: int, role: str) -> str:
    mac = (GENERATOR_MACS if role == "client" else ROUTER_MACS)[index]
    return f"memif:{path},role={role},speed={SPEED},rxd={RING_SLOTS},txd={RING_SLOTS},mac={mac}"


def generator(stack: ExitStack, directory: Path, name: str, cpu: int, specs: list[str]) -> GeneratorClient:
    """A generator on `cpu` for as long as `stack` lives, and a client connected to it."""
    wires = [LabWire(text, dut_mac) for text, dut_mac in zip(specs, ROUTER_MACS, strict=False)]
    log = directory / f"{name}.log"
    started = stack.enter_context(LabGenerator(wires, cpu, choose_cpus().control, log, "never", name))
    stack.enter_context(living(f"the generator {name}", lambda: started.child.alive))
    client = stack.enter_context(GeneratorClient(started.rpc))
    client.connect()
    return client


def vdev(directory: Path, index: int) -> str:
    """The `vdev` entry of a startup.conf for one memif over DPDK's driver, not wirespeed's."""
    ring, path = (RING_SLOTS - 1).bit_length(), socket_path(directory, index)
    device = f"net_memif{index},role=server,id=0,socket={path},socket-abstract=no,rsize={ring},mac={ROUTER_MACS[index]}"
    return f"vdev {device} {{ name e{index} num-rx-desc {RING_SLOTS} num-tx-desc {RING_SLOTS} }}"


def router(
    stack: ExitStack, directory: Path, cpu: int, commands: str, max_routes: int, *, by_dpdk: bool = False
) -> RouterDut:
    """A router on `cpu` between memifs 0 and 1 (over DPDK's driver if `by_dpdk`), whose counters can be read."""
    start_up, control = directory / "router.conf", directory / "router.sock"
    start_up.write_text(commands)
    arguments = ["router", "--cpu", str(cpu), *choose_cpus().main_cpu, "--hugepages", "never"]
    arguments += ["--exec", str(start_up), "--socket", str(control), "--max-routes", str(max_routes)]
    if by_dpdk:
        devices = directory / "startup.conf"
        devices.write_text(f"dpdk {{ {' '.join(vdev(directory, index) for index in (0, 1))} }}\n")
        arguments += ["--config", str(devices)]
    else:
        for index in (0, 1):
            arguments += ["--interface", f"e{index}={spec(directory, index, 'server')}"]
    child = stack.enter_context(Child("router", arguments, directory / "router.log").start())
    stack.enter_context(living("the router", lambda: child.alive))
    dut = RouterDut(control)
    dut.prepare()
    stack.callback(dut.close)
    return dut


def sample(client: GeneratorClient, port: int, patience: Patience, series: Series, probe: Probe) -> None:
    """Add the receive rate of `port` to `series`, every quarter of a second, without the first second."""
    time.sleep(1.0)
    file_samples(received(client, port), patience, series, probe)


def received(client: GeneratorClient, port: int) -> Iterator[tuple[float, float]]:
    """Monotonic time, and packets per second since the previous sample, every quarter of a second."""
    before = client.snapshot([port])
    while True:
        time.sleep(SAMPLE_S)
        now = client.snapshot([port])
        packets = now.ports[port].ipackets - before.ports[port].ipackets
        yield time.monotonic(), packets / (now.at_s - before.at_s)
        before = now


def file_samples(samples: Iterator[tuple[float, float]], patience: Patience, series: Series, probe: Probe) -> None:
    begin = time.monotonic()
    taken: list[tuple[float, float]] = []
    near = 0
    while time.monotonic() < begin + (patience.least_s if near >= patience.near else patience.most_s):
        taken.append(next(samples))
        probe.collect()
        near = sum(probe.speed(at_s) == "near" for at_s, _ in taken)
    for at_s, pps in taken:
        series.rates[probe.speed(at_s)].append(pps)


def peer(program: Path, wires: tuple[str, str], cpu: int, seconds: float, arguments: list[str]) -> list[str]:
    """Command of a program like native/bench/memif_peer.c on `cpu`, as client of both memifs."""
    words = [str(program), "--lcores", f"0@{cpu}", "--file-prefix", f"peer{os.getpid()}", "--no-pci", "--no-huge"]
    words += ["-m", "512", "--no-telemetry"]
    for index, path in enumerate(wires):
        device = f"role=client,id=0,socket={path},socket-abstract=no,rsize={PEER_RING_LOG2}"
        words.append(f"--vdev=net_memif{index},{device},mac={GENERATOR_MACS[index]}")
    return [*words, "--", "-m", ROUTER_MACS[0], "-M", ROUTER_MACS[1], "-t", str(seconds), *arguments]


class Peer:
    """A process like memif_peer, which prints its send and receive rates four times per second."""

    def __init__(self, words: list[str], log: Path) -> None:
        self._name, self._log = words[0], log
        with log.open("w") as errors:
            self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True)

    def samples(self, series: Series) -> Iterator[tuple[float, float]]:
        """Monotonic time and packets per second received at port 1; EnvironmentFault if the program ended."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if not (found := PEER_LINE.match(line)):
                continue
            if found["full"]:
                series.full.append(float(found["full"]))
            yield float(found["at"]), 1e6 * float(found["rx1"])
        said = self._log.read_text().strip().splitlines() or ["it said nothing"]
        raise EnvironmentFault(f"{self._name} ended: {said[-1]}")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


def count_unsent(client: GeneratorClient, series: Series) -> None:
    """Add the unsent packets of port 0 to `series`."""
    port = client.snapshot([0]).ports[0]
    series.refused += port.refused or 0
    series.late += port.late or 0
