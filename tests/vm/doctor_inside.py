"""Runs in the guest: faults that `host check` finds, fixes and restores, and the hardware that `host show` reads, on
real NIC drivers.

Usage: doctor_inside.py KIND CHECKS MAC…; each check reports to the host like those of inside.py. All of wirespeed but
the generator runs in this process: Python starts slowly in a translated guest.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

from inside_bench import FOLDER, PATIENCE_S, Failed, Host, Program, tell_check, wait_for

from wirespeed.cli.main import main as wirespeed

PCI = Path("/sys/bus/pci/devices")
HUGEPAGES = Path("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages")


def nics() -> list[str]:
    """Two NICs in the order of their ports; no other device has their class."""
    return sorted(one.name for one in PCI.iterdir() if (one / "class").read_text().startswith("0x0200"))[:2]


def doctor(verb: str = "check") -> tuple[int, dict[str, list[str]]]:
    """Its exit code and the grades of its findings, by check."""
    named = [word for address in nics() for word in ("--nic", address)]
    said = io.StringIO()
    with redirect_stdout(said):
        code = wirespeed(["host", verb, "--json", *named])
    grades: dict[str, list[str]] = {}
    for one in json.loads(said.getvalue())["findings"]:
        grades.setdefault(one["check"], []).append(one["grade"])
    return code, grades


def expect(grades: dict[str, list[str]], **wanted: list[str]) -> None:
    for check, several in wanted.items():
        if grades.get(check) != several:
            raise Failed(f"{check} is {grades.get(check)}, not {several}")


def drivers() -> list[str]:
    return [(PCI / nic / "driver").resolve().name if (PCI / nic / "driver").exists() else "" for nic in nics()]


def check_lacking() -> str:
    code, grades = doctor()
    expect(grades, hugepages=["blocks"], iommu=["costs"], vfio=["ok"], drivers=["blocks", "blocks"])
    if code != 3:
        raise Failed(f"it ended with {code}")
    return f"no hugepages, and {nics()} without vfio-pci; code 3"


def check_fix() -> str:
    _, grades = doctor("fix")
    expect(grades, hugepages=["ok"], drivers=["ok", "ok"])
    return f"{HUGEPAGES.read_text().strip()} hugepages, both held by {drivers()[0]}"


def check_generator() -> str:
    ports = [word for address in nics() for word in ("--port", f"pci:{address}")]
    generator = Program("generator", "--cpu", "0", "--rpc", "127.0.0.1:4601", *ports)
    try:
        ended = generator.process.poll
        wait_for(lambda: "ready" in generator.said() or ended() is not None, "the generator", patience_s=5 * PATIENCE_S)
        generator.wait()
    finally:
        generator.kill()
    return "ready on both"


def check_undo() -> str:
    code = wirespeed(["host", "restore"])
    left = int(HUGEPAGES.read_text())
    wait_for(lambda: drivers() == ["", ""], "the NICs free again", patience_s=PATIENCE_S / 4)
    if code or left:
        raise Failed(f"code {code}, {left} hugepages left")
    return "no hugepages, both NICs as they were"


def check_inspect() -> str:
    kept = FOLDER / "inspection.json"
    with redirect_stdout(io.StringIO()):
        wirespeed(["host", "show", "-o", str(kept)])
    cards = {card["address"]: card for card in json.loads(kept.read_text())["facts"]["cards"]}
    seen = []
    for nic in nics():
        card = cards.get(nic.rpartition(".")[0])
        if card is None or len(card["path"]) != 2 or card["functions"][0]["now"] is None or not card["path"][1]["most"]:
            raise Failed(f"{nic}: {card}")
        seen.append(f"{card['name']} {card['functions'][0]['now']} below {card['path'][1]['most']}")
    return "; ".join(seen)


def check_without_iommu() -> str:
    code, grades = doctor()
    expect(grades, iommu=["blocks"])
    if code != 3:
        raise Failed(f"it ended with {code}")
    return "no group; blocks"


CHECKS: dict[str, Callable[[], str]] = {
    name.removeprefix("check_"): value for name, value in list(globals().items()) if name.startswith("check_")
}


def main() -> None:
    host = Host()
    FOLDER.mkdir(parents=True)
    host.tell(started=True)
    for name in sys.argv[2].split(","):
        tell_check(host, name, CHECKS[name])
    host.tell(end=True)


if __name__ == "__main__":
    main()
