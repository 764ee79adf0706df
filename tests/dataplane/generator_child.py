"""The generator's core in a separate process: DPDK starts only once per process, so each set of ports needs one.

`GeneratorChild` is the test's end; this file, run as a program, is the other end: a line of JSON in, a line of JSON
out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from wirespeed._native import runtime
from wirespeed._native.flow_records import (
    FLOW_FIELDS,
    CapturedPacket,
    CaptureWhat,
    FlowCounters,
    FlowFaults,
    FlowKind,
    LatencyCounters,
    ProfileState,
    Tagged,
    TagVlans,
)
from wirespeed._native.generator import (
    ALL_CORES,
    FrameKinds,
    GeneratorSnapshot,
    NativeGenerator,
    PortTraffic,
    WorkerLoad,
)
from wirespeed._native.stream_records import Op, Stream
from wirespeed.errors import WirespeedError
from wirespeed.model import parse_port_spec
from wirespeed.seam.ports import PortMedium


class Refused(Exception):
    """The core refused a call; the text is the user's error message."""


class GeneratorChild:
    """A generator on `ports`, all served by one worker unless more `cpus` are given; a CPU may be given twice. With
    `netns` it runs in a network namespace of its own, after these shell commands.
    """

    def __init__(
        self,
        *ports: str,
        cpus: Sequence[int] = (),
        memory_mb: int = 128,
        mtu: int = 1500,
        netns: str = "",
        port_workers: Sequence[Sequence[int]] = (),
    ) -> None:
        inside = ["unshare", "--net", "sh", "-ec", f'{netns}\nexec "$@"', "sh"] if netns else []
        self._process = subprocess.Popen(
            [*inside, sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = self._process.pid
        cpus = cpus or [max(os.sched_getaffinity(0))]
        try:
            self._call("open", ports, list(cpus), memory_mb, mtu, [list(one) for one in port_workers])
        except Refused:
            self._process.communicate(timeout=60)
            raise

    def __enter__(self) -> GeneratorChild:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.communicate(timeout=60)
        assert exception[0] or self._process.returncode == 0

    def _call(self, *words: Any) -> Any:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"result": null}')
        if "refused" in answer:
            raise Refused(answer["refused"])
        return answer["result"]

    def start(
        self,
        port: int,
        *streams: Stream,
        factor: float = 1.0,
        duration_s: float = -1.0,
        profile: int = 0,
        start_at_s: float = 0.0,
        cores: int = ALL_CORES,
    ) -> None:
        given = [asdict(stream) | {"packet": stream.packet.hex()} for stream in streams]
        self._call("start", port, given, factor, duration_s, profile, start_at_s, cores)

    def change(self, name: str, *arguments: Any, **options: Any) -> Any:
        """A call of the core with plain arguments and results: stop, pause, set_factors, push_left …"""
        return self._call("change", name, arguments, options)

    def profiles(self, port: int) -> dict[int, bool]:
        """The profiles that run, and whether each is paused."""
        return {state.profile: state.paused for state in (ProfileState(**one) for one in self._call("profiles", port))}

    def flow(self, kind: FlowKind, flow_id: int) -> tuple[FlowCounters, ...]:
        """One flow's counters on all ports."""
        counts = tuple(self._call("flow", kind, flow_id))
        return tuple(FlowCounters(*counts[at : at + FLOW_FIELDS]) for at in range(0, len(counts), FLOW_FIELDS))

    def latency(self, flow_id: int) -> LatencyCounters:
        seen = self._call("latency", flow_id)
        return LatencyCounters(**seen | {"histogram": tuple(seen["histogram"]), "hdr": tuple(map(tuple, seen["hdr"]))})

    def faults(self) -> FlowFaults:
        return FlowFaults(**self._call("faults"))

    def tag(self, port: int, groups: int, tags: Sequence[tuple[int, int]], receives: bool = True) -> None:
        self._call("tag", port, receives, groups, tags)

    def retag(self, port: int, tags: Sequence[tuple[int, int]]) -> None:
        self._call("retag", port, tags)

    def tagged(self, port: int, group: int, first: int, count: int) -> list[Tagged]:
        return [Tagged(**one) for one in self._call("tagged", port, group, first, count)]

    def unknown_tags(self, port: int, forget: bool = False) -> list[tuple[int, TagVlans]]:
        return [(group, TagVlans(**tag)) for group, tag in self._call("unknown_tags", port, forget)]

    def port_info(self, port: int) -> dict[str, Any]:
        """The port as its driver reports it, with the fields of `PortInfo`."""
        answer: dict[str, Any] = self._call("port_info", port)
        return answer

    def medium(self, port: int) -> PortMedium:
        return PortMedium(self._call("medium", port))

    def start_capture(
        self, tx: Sequence[int], rx: Sequence[int], slots: int, snap_len: int = 0, what: CaptureWhat = CaptureWhat.ALL
    ) -> int:
        return int(self._call("start_capture", tx, rx, slots, snap_len, what))

    def read_capture(self, capture: int, limit: int = 1 << 20) -> list[CapturedPacket]:
        return [
            CapturedPacket(**one | {"data": bytes.fromhex(one["data"])})
            for one in self._call("read_capture", capture, limit)
        ]

    def push(self, port: int, packets: Sequence[bytes], gap_us: float = 0.0, wait: bool = True) -> None:
        """Send packets, and wait until all are sent."""
        self._call("push", port, [packet.hex() for packet in packets], gap_us)
        if wait:
            _wait_for(lambda: not self.change("push_left", port), "the packets to be sent")

    def snapshot(self) -> GeneratorSnapshot:
        return _snapshot(*self._call("snapshot"))

    def samples(self, count: int, interval_s: float) -> list[GeneratorSnapshot]:
        """`count` snapshots; before each further one every worker has made a pass. Taken in the child process, so that
        the pauses have the right length.
        """
        return [_snapshot(*one) for one in self._call("samples", count, interval_s)]

    def finish(self) -> tuple[PortTraffic, ...]:
        """Wait until no port sends and nothing more arrives while each worker polls; returns the counters."""
        seen = self.snapshot()

        def is_at_rest() -> bool:
            nonlocal seen
            before, now = seen, self.snapshot()
            if now.ports != before.ports or any(port.active for port in now.ports):
                seen = now
                return False
            return _turns(before, now) > 1

        _wait_for(is_at_rest, "the end of the traffic")
        return seen.ports

    def wait_turns(self, turns: int) -> None:
        """Wait until each worker has made that many passes."""
        before = self.snapshot()
        _wait_for(lambda: _turns(before, self.snapshot()) >= turns, f"{turns} turns of each worker")


def _turns(before: GeneratorSnapshot, after: GeneratorSnapshot) -> int:
    """The lowest number of passes of any worker between the two."""
    return min(now.loops - then.loops for then, now in zip(before.workers, after.workers, strict=True))


def _wait_for(condition: Callable[[], bool], what: str) -> None:
    from harness.waiting import wait_for  # noqa: PLC0415 - the program has no path to it

    wait_for(condition, what)


def _read_stream(given: dict[str, Any]) -> Stream:
    ops = tuple(Op(**op | {"list": tuple(op["list"])}) for op in given["ops"])
    return Stream(**given | {"packet": bytes.fromhex(given["packet"]), "ops": ops})


def _open(
    ports: list[str], cpus: list[int], memory_mb: int, mtu: int, port_workers: list[list[int]]
) -> NativeGenerator:
    shared = len(set(cpus)) < len(cpus)
    runtime.start_runtime(f"wirespeed-test-{os.getpid()}", cpus, memory_mb, "never", shared_cpus=shared)
    runtime.open_ports([parse_port_spec(port) for port in ports], [f"p{i}" for i in range(len(ports))], mtu=mtu)
    return NativeGenerator(cpus, len(ports), port_workers)


def _values(snapshot: GeneratorSnapshot) -> tuple[float, list[dict[str, Any]], list[dict[str, Any]]]:
    return snapshot.at_s, [asdict(port) for port in snapshot.ports], [asdict(worker) for worker in snapshot.workers]


def _snapshot(at_s: float, ports: list[dict[str, Any]], workers: list[dict[str, Any]]) -> GeneratorSnapshot:
    return GeneratorSnapshot(
        at_s,
        tuple(PortTraffic(**port | {"rx_kinds": FrameKinds(**port["rx_kinds"])}) for port in ports),
        tuple(WorkerLoad(**worker) for worker in workers),
    )


def _samples(core: NativeGenerator, count: int, interval_s: float) -> list[Any]:
    taken = [core.snapshot()]
    deadline_s = time.monotonic() + 60
    while len(taken) < count:
        time.sleep(interval_s)
        # A worker that was preempted all the time has counted nothing.
        if _turns(taken[-1], now := core.snapshot()) or time.monotonic() > deadline_s:
            taken.append(now)
    return [_values(one) for one in taken]


def main() -> None:
    try:
        core = _open(*json.loads(sys.stdin.readline())[1:])
    except WirespeedError as error:
        print(json.dumps({"refused": str(error)}), flush=True)
        return
    print('{"result": null}', flush=True)
    calls: dict[str, Callable[..., Any]] = {
        "start": lambda port, streams, factor, duration_s, profile, start_at_s, cores: core.start(
            port,
            [_read_stream(one) for one in streams],
            factor,
            duration_s,
            profile=profile,
            start_at_s=start_at_s,
            cores=cores,
        ),
        "change": lambda name, arguments, options: getattr(core, name)(*arguments, **options),
        "port_info": lambda port: asdict(core.port_info(port)),
        "profiles": lambda port: [asdict(one) for one in core.profiles(port)],
        "flow": lambda kind, flow_id: core.flows(FlowKind(kind), [flow_id]).counts[flow_id],
        "latency": lambda flow_id: asdict(core.latencies([flow_id])[flow_id]),
        "medium": lambda port: core.port_info(port).medium,
        "faults": lambda: asdict(core.flow_faults()),
        "tag": lambda port, receives, groups, tags: core.tag(port, receives, groups, [TagVlans(*one) for one in tags]),
        "retag": lambda port, tags: core.retag(port, [TagVlans(*one) for one in tags]),
        "tagged": lambda *asked: [asdict(one) for one in core.tagged(*asked)],
        "unknown_tags": lambda *asked: [(group, asdict(tag)) for group, tag in core.unknown_tags(*asked)],
        "start_capture": lambda tx, rx, slots, snap_len, what: core.start_capture(
            tx, rx, slots, snap_len=snap_len, what=what
        ),
        "read_capture": lambda capture, limit: [
            asdict(one) | {"data": one.data.hex()} for one in core.read_capture(capture, limit)
        ],
        "push": lambda port, packets, gap_us: core.push(port, [bytes.fromhex(one) for one in packets], gap_us),
        "snapshot": lambda: _values(core.snapshot()),
        "samples": lambda *arguments: _samples(core, *arguments),
    }
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        try:
            answer = {"result": calls[name](*arguments)}
        except WirespeedError as error:
            answer = {"refused": str(error)}
        print(json.dumps(answer), flush=True)
    core.close()
    runtime.close()


if __name__ == "__main__":
    main()
