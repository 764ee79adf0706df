"""Router and generator on real NIC drivers in guests: `make vm`.

One guest for each kind of NIC, with four of them on two wires. Prints a line for each check and a table at the end;
code 0 when all checks held, 1 when not, 3 when the guests cannot be made.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from guest import READY, Guest, GuestFailed, Nic, device_of
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
    "mtu_refused",
    "mtu_start",
    "queues",
    "unplug",
)
DOCTOR_CHECKS = ("lacking", "fix", "generator", "undo", "inspect")
SHORTEST = ("start", "forward", "multicast", "link")

_ROOT = Path(__file__).resolve().parents[2]
# An editable install asks ninja at each start whether the native part is up to date, which takes a guest half a minute.
_WITHOUT_NINJA = """
cp "$0"/build/wirespeed/_native/*.so "$0/wirespeed/_native/"
MESONPY_EDITABLE_SKIP="$0/build" PYTHONPATH="$0" exec "$@"
"""
# Some boots of a translated guest hang in the kernel (RCU stalls): then once more, before anything was checked.
_BOOTS = 3


@dataclass(frozen=True)
class Outcome:
    kind: str
    check: str
    ok: bool
    saw: str
    seconds: float


def nics_of(kind: str) -> list[Nic]:
    """Generator 0 and 1, router 0 and 1, in that order; equal numbers share a wire."""
    return [Nic(kind, f"02:00:00:00:0{end}:0{wire}", wire) for end in (0, 1) for wire in (0, 1)]


def run(
    kind: str, checks: Sequence[str], folder: Path, log: Path, *, inside: str = "inside.py", kernel: str = READY
) -> Iterator[Outcome]:
    """The outcome of each check of the program `inside` as it comes; those that a guest does not live to see have
    failed."""
    qemu = Qemu(folder / QEMU.name)
    if not qemu.has(device_of(kind)):
        yield from (Outcome(kind, check, False, "this QEMU has no such NIC", 0.0) for check in checks)
        return
    nics, boot = nics_of(kind), Boot(folder, folder / KERNEL.name, HOST_ROOT)
    program = [sys.executable, str(_ROOT / "tests/vm" / inside), kind, ",".join(checks), *(nic.mac for nic in nics)]
    seen: list[str] = []
    failure = "not reached"
    for _ in range(_BOOTS):
        try:
            with Guest(qemu, boot, nics, ["sh", "-c", _WITHOUT_NINJA, str(_ROOT), *program], log, kernel) as guest:
                for message in guest.messages():
                    if "check" in message:
                        seen.append(message["check"])
                        yield Outcome(kind, message["check"], message["ok"], message["saw"], message["seconds"])
            break
        except GuestFailed as error:
            failure = str(error)
            if seen:
                break
    for check in checks:
        if check not in seen:
            yield Outcome(kind, check, False, failure, 0.0)
            failure = "not reached"


def doctor_runs(folder: Path) -> list[Iterator[Outcome]]:
    """A guest that lacks what can be mended, and one whose IOMMU is off."""
    log, inside = folder / "doctor.log", "doctor_inside.py"
    return [
        run("e1000e", DOCTOR_CHECKS, folder, log, inside=inside, kernel="intel_iommu=on"),
        run("e1000e", ("without_iommu",), folder, folder / "no-iommu.log", inside=inside, kernel="intel_iommu=off"),
    ]


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """A row for each kind of NIC, a column for each check."""
    checks = list(dict.fromkeys(one.check for one in outcomes))
    widths = [max(len(check), 6) for check in checks]
    lines = ["NIC      " + "  ".join(f"{check:<{width}}" for check, width in zip(checks, widths, strict=True))]
    for kind in dict.fromkeys(one.kind for one in outcomes):
        held = {one.check: "ok" if one.ok else "FAILED" for one in outcomes if one.kind == kind}
        cells = (f"{held.get(check, '-'):<{width}}" for check, width in zip(checks, widths, strict=True))
        lines.append(f"{kind:<9}" + "  ".join(cells))
    return [line.rstrip() for line in lines]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--nic", action="append", choices=KINDS, help="only this kind; may be given again")
    arguments.add_argument("--check", action="append", choices=CHECKS, help="only these, and start")
    arguments.add_argument("--doctor", action="store_true", help="only what doctor mends and inspect reads")
    given = arguments.parse_args()
    checks = [check for check in CHECKS if not given.check or check in ("start", *given.check)]
    folder = cache_folder()
    try:
        fetch(folder, QEMU, KERNEL)
    except EnvironmentFault as error:
        print(f"make vm: {error}", file=sys.stderr)
        return 3
    outcomes = []
    runs = [run(kind, checks, folder, folder / f"{kind}.log") for kind in given.nic or KINDS]
    if given.doctor or not (given.nic or given.check):
        runs = [*([] if given.doctor else runs), *doctor_runs(folder)]
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
