"""Prepares the device that is named, killed at each step in turn, right before or right after it, and puts it back.

killed_preparing.py DEVICE JOURNAL INTERFACE...     as root, where the device is reached by `netns:` or `local`

Prints a line for each step that is not put back, then how many there are. The kills are real: of a process that does no
more than prepare.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from wirespeed.dut import prepare as preparing
from wirespeed.dut.device import DutDevice, parse_device
from wirespeed.dut.journal import DutJournal
from wirespeed.dut.options import interface_of
from wirespeed.dut.reach.reach import PATIENCE_S, Ran, Reach
from wirespeed.dut.setup import DutOptions, DutSetup, FilterOptions, default_setup

STATE = """\
grep -rH . /proc/sys/net/ipv4 /proc/sys/net/ipv6 2>/dev/null | grep -v -e random -e stable_secret | sort
ip -br link; ip -br addr; ip route; ip -6 route; ip neigh show nud permanent
for e in e0 e1; do ethtool -k $e; done
nft list ruleset; grep -H . /proc/sys/net/netfilter/nf_conntrack_udp_timeout*"""


@dataclass
class Killing:
    """Access to the device through which this process is killed at change number `step`, before or after it is made."""

    reach: Reach
    commands: list[str]
    step: int
    after: bool
    name: str = "killing"

    def run(self, command: str, *, stdin: str = "", timeout_s: float = PATIENCE_S) -> Ran:
        dies = command == self.commands[self.step]
        if dies and not self.after:
            os.kill(os.getpid(), signal.SIGKILL)
        ran = self.reach.run(command, stdin=stdin, timeout_s=timeout_s)
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return ran

    def close(self) -> None:
        self.reach.close()


def is_put_back(device: DutDevice, setup: DutSetup, journal: Path, way: Killing) -> bool:
    before = device.reach.run(STATE).out
    child = os.fork()
    if not child:
        with DutJournal(journal, device.name) as kept:
            preparing.prepare(device.kind, way, setup, kept, lambda _: None)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), f"step {way.step} was never come to"
    changed = device.reach.run(STATE).out != before
    with DutJournal(journal, device.name) as kept:
        preparing.restore(device.kind, device.reach, kept, lambda _: None)
    # Only the kill before the first step leaves nothing to restore.
    return device.reach.run(STATE).out == before and not journal.exists() and (changed or way.step == 0)


def main(name: str, journal: Path, interfaces: list[str]) -> None:
    device = parse_device(name)
    options = DutOptions(filter=FilterOptions("nat", timeout_s=300))
    setup = default_setup("ip4", tuple(map(interface_of, interfaces)), options)
    commands = [step.do.command for step in preparing.planned(device.kind, device.reach, setup).steps]
    for step, command in enumerate(commands):
        for after in (False, True):
            if not is_put_back(device, setup, journal, Killing(device.reach, commands, step, after)):
                print(f"not put back: {'after' if after else 'before'} {command}")
    print(f"{len(commands)} steps")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
