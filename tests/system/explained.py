"""A load test run like a user's, and the explanation of its file."""

from __future__ import annotations

from pathlib import Path

from wirespeed.cli.main import main
from wirespeed.explain.ranking import Explanation, explain
from wirespeed.explain.sources.files import read_cases

LOW = "5kpps,10kpps"
"""Loads that also a busy machine carries."""
LADDER = "2kpps,4kpps,6kpps,8kpps,10kpps"
"""Enough loads to detect a loss ratio."""


def explained(
    rpc: str,
    file: Path,
    *,
    dut: str = "",
    profile: str = "bench",
    tunables: str = "size=64",
    steps: str = LOW,
    more: tuple[str, ...] = ("-u",),
    against: tuple[Path, ...] = (),
) -> Explanation:
    """In one direction if `more` includes `-u`, otherwise in both; `dut` is the access to the device."""
    options = ["-s", rpc, "-p", profile, "-t", tunables, "-q", "--steps", steps, "-wd", "0.1", "-hd", "0.4", *more]
    options += ["--interval", "0.2", "-o", str(file), *(["--dut", dut] if dut else [])]
    assert main(["loadtest", *options]) in (0, 5)  # 5: no packets came back
    (case,) = read_cases([file], against)
    return explain(case)


def profile_of(file: Path, *, ttl: int = 64, at_once: int = 1) -> str:
    """A profile of `at_once` synchronous streams: that many packets in a row, then a long gap."""
    file.write_text(
        "from trex.stl.api import IP, UDP, Ether, STLPktBuilder, STLStream, STLTXCont\n"
        "class Made:\n"
        "    def get_streams(self, port_id=0, direction=0, tunables=(), **kwargs):\n"
        f"        packet = Ether() / IP(src='16.0.0.1', dst='48.0.0.1', ttl={ttl}) / UDP(dport=12) / (b'x' * 18)\n"
        f"        return [STLStream(packet=STLPktBuilder(packet), mode=STLTXCont()) for _ in range({at_once})]\n"
        "def register():\n"
        "    return Made()\n"
    )
    return str(file)


def preempted_share(found: Explanation) -> float:
    """The share of time in which a worker of the device was preempted."""
    spans = [worker.preempted_s / worker.interval_s for worker in found.case.workers if worker.preempted_s]
    return max(spans, default=0.0)


def has_lost(found: Explanation, ratio: float) -> bool:
    """True if the highest load lost about this ratio, which a test built in. A router that is preempted holds packets
    back beyond the last sample, and without its counters nobody knows.
    """
    load = found.case.load
    return load.offered_pps is not None and abs(1 - load.received_pps / load.offered_pps - ratio) < 0.05


def first_but_the_machine(found: Explanation) -> str:
    """The most certain cause, except for those of the busy machine: preemptions that a worker or the tester measured,
    and a tester that was late for lack of its CPU.
    """
    is_busy = preempted_share(found) > 0.01 or found.case.load.disturbed_share >= 0.5
    taken = {"preemption", "tester"} if is_busy else set()
    return next((finding.cause for finding in found.named if finding.cause not in taken), "unknown")
