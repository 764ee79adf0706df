"""Router and generator on real NIC drivers in guests: `make vm`.

For each kind of NIC, one guest with four of them on two links, then two guests with two each; then the fixes of `host
check`, and memory on two NUMA nodes. Prints a line per check and a table at the end. Exit codes: 0 all checks passed, 1
some failed, 3 the guests cannot be made.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from guest import READY, Guest, GuestFailed, Json, Nic, device_of
from host_root import HOST_ROOT

from wirespeed.errors import EnvironmentFault
from wirespeed.vm.initramfs import Boot
from wirespeed.vm.packages import KERNEL, QEMU, cache_folder, fetch
from wirespeed.vm.qemu import Qemu

KINDS = ("e1000e", "igb", "vmxnet3", "virtio")
CHECKS = (
    "refused",
    "start",
    "forward",
    "multicast",
    "vlan",
    "bytes",
    "link",
    "down",
    "hardware",
    "conserve",
    "mtu",
    "kill",
    "mtu_buffers",
    "mtu_start",
    "queues",
    "unplug",
)
DOCTOR_CHECKS = ("lacking", "fix", "generator", "undo", "inspect")
PAIR_CHECKS = ("start", "forward", "conserve")
"""Checks for a router in one guest and a generator in the other."""
NUMA_CHECKS = ("pools", "counters", "across", "generator")
SHORTEST = ("start", "forward", "multicast", "link")

_ROOT = Path(__file__).resolve().parents[2]
# At each start, an editable install runs ninja to check the native part, which takes half a minute in a guest.
_WITHOUT_NINJA = """
cp "$0"/build/wirespeed/_native/*.so "$0/wirespeed/_native/"
MESONPY_EDITABLE_SKIP="$0/build" PYTHONPATH="$0:$0/tests" exec "$@"
"""
# Some boots of a translated guest hang in the kernel (RCU stalls): boot again, once, if no check has run yet.
_BOOTS = 3


@dataclass(frozen=True)
class Outcome:
    kind: str
    check: str
    ok: bool
    saw: str
    seconds: float


def nics_of(kind: str) -> list[Nic]:
    """Generator 0 and 1, router 0 and 1, in that order; equal numbers share a link."""
    return [Nic(kind, f"02:00:00:00:0{end}:0{wire}", wire) for end in (0, 1) for wire in (0, 1)]


def run(
    kind: str,
    checks: Sequence[str],
    folder: Path,
    log: Path,
    *,
    inside: str = "inside.py",
    kernel: str = READY,
    numa: bool = False,
) -> Iterator[Outcome]:
    """The outcome of each check of the program `inside` as it arrives; checks that did not run before the guest ended
    have failed.
    """
    nics = nics_of(kind)
    words = program(inside, kind, ",".join(checks), *(nic.mac for nic in nics))

    def messages(qemu: Qemu, boot: Boot) -> Iterator[Json]:
        with Guest(qemu, boot, nics, words, log, kernel, numa=numa) as guest:
            yield from guest.messages()

    return outcomes_of(kind, "two nodes" if numa else kind, checks, folder, messages)


def run_pair(kind: str, checks: Sequence[str], folder: Path) -> Iterator[Outcome]:
    """Like `run`, with the router in a separate guest, whose NICs are connected to those of the other one by
    sockets.
    """
    nics = nics_of(kind)
    macs = [nic.mac for nic in nics]
    far_words = program("inside_far.py", kind, *macs[2:])
    near_words = program("inside_near.py", kind, ",".join(checks), *macs)

    def messages(qemu: Qemu, boot: Boot) -> Iterator[Json]:
        with ExitStack() as undo:
            wires = undo.enter_context(tempfile.TemporaryDirectory(prefix="wirespeed-vm-"))

            def guest(end: str, nics: Sequence[Nic], words: Sequence[str], server: str) -> Guest:
                wire = f"stream,server={server},addr.type=unix,addr.path={wires}/"
                log = folder / f"{kind}-{end}.log"
                made = Guest(qemu, boot, nics, words, log, wire=lambda nic: f"{wire}{nic.wire}")
                return undo.enter_context(made)

            far = guest("far", nics[2:], far_words, "on")
            answers = far.messages()
            next(answers)
            near = guest("near", nics[:2], near_words, "off")
            for message in near.messages():
                if "router" in message:
                    far.tell(ask=message["router"])
                    near.tell(**next(answers))
                else:
                    yield message

    return outcomes_of(kind, f"{kind}*2", checks, folder, messages)


def program(inside: str, *words: str) -> list[str]:
    """Command for a guest: one of the programs in this folder."""
    return ["sh", "-c", _WITHOUT_NINJA, str(_ROOT), sys.executable, str(_ROOT / "tests/vm" / inside), *words]


def outcomes_of(
    kind: str, label: str, checks: Sequence[str], folder: Path, messages: Callable[[Qemu, Boot], Iterator[Json]]
) -> Iterator[Outcome]:
    """Outcomes of the checks in `messages`."""
    qemu, boot = Qemu(folder / QEMU.name), Boot(folder, folder / KERNEL.name, HOST_ROOT)
    if not qemu.has(device_of(kind)):
        yield from (Outcome(label, check, False, "this QEMU has no such NIC", 0.0) for check in checks)
        return
    seen: list[str] = []
    failure = "not reached"
    for _ in range(_BOOTS):
        try:
            for message in messages(qemu, boot):
                if "check" in message:
                    seen.append(message["check"])
                    yield Outcome(label, message["check"], message["ok"], message["saw"], message["seconds"])
            break
        except GuestFailed as error:
            failure = str(error)
            if seen:
                break
    for check in checks:
        if check not in seen:
            yield Outcome(label, check, False, failure, 0.0)
            failure = "not reached"


def doctor_runs(folder: Path) -> list[Iterator[Outcome]]:
    """A guest with faults that can be fixed, and one whose IOMMU is off."""
    log, inside = folder / "doctor.log", "doctor_inside.py"
    return [
        run("e1000e", DOCTOR_CHECKS, folder, log, inside=inside, kernel="intel_iommu=on"),
        run("e1000e", ("without_iommu",), folder, folder / "no-iommu.log", inside=inside, kernel="intel_iommu=off"),
    ]


def numa_run(folder: Path) -> Iterator[Outcome]:
    """A guest of two NUMA nodes."""
    return run("e1000e", NUMA_CHECKS, folder, folder / "numa.log", inside="numa_inside.py", numa=True)


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """A row per kind of NIC, a column per check."""
    checks = list(dict.fromkeys(one.check for one in outcomes))
    widths = [max(len(check), 6) for check in checks]
    lines = ["NIC        " + "  ".join(f"{check:<{width}}" for check, width in zip(checks, widths, strict=True))]
    for kind in dict.fromkeys(one.kind for one in outcomes):
        held = {one.check: "ok" if one.ok else "FAILED" for one in outcomes if one.kind == kind}
        cells = (f"{held.get(check, '-'):<{width}}" for check, width in zip(checks, widths, strict=True))
        lines.append(f"{kind:<11}" + "  ".join(cells))
    return [line.rstrip() for line in lines]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--nic", action="append", choices=KINDS, help="only this kind; may be given again")
    arguments.add_argument("--pair", action="store_true", help="only a router and a generator in two guests")
    arguments.add_argument("--check", action="append", choices=CHECKS, help="only these, and start")
    arguments.add_argument("--doctor", action="store_true", help="only what doctor mends and inspect reads")
    arguments.add_argument("--numa", action="store_true", help="only what is near to which NUMA node")
    given = arguments.parse_args()
    checks = [check for check in CHECKS if not given.check or check in ("start", *given.check)]
    folder = cache_folder()
    try:
        fetch(folder, QEMU, KERNEL)
    except EnvironmentFault as error:
        print(f"make vm: {error}", file=sys.stderr)
        return 3
    outcomes = []
    kinds = given.nic or KINDS
    alone = given.pair or given.doctor or given.numa
    runs = [] if alone else [run(kind, checks, folder, folder / f"{kind}.log") for kind in kinds]
    if given.pair or not (alone or given.check):
        runs += [run_pair(kind, PAIR_CHECKS, folder) for kind in kinds]
    if given.doctor or not (alone or given.nic or given.check):
        runs += doctor_runs(folder)
    if given.numa or not (alone or given.nic or given.check):
        runs.append(numa_run(folder))
    for found in runs:
        for one in found:
            outcomes.append(one)
            print(
                f"{one.kind} {one.check}: {'ok' if one.ok else 'FAILED'}, {one.saw} ({one.seconds:.0f} s)", flush=True
            )
    print("\n".join(["", *table(outcomes)]))
    failed = not all(one.ok for one in outcomes)
    if failed:
        print(f"what the guests printed: {folder}/NIC.log")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
