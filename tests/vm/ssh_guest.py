"""A Debian guest as a router on a separate machine: two NICs by vhost-user, reached over SSH.

`Router` runs wirespeed against it like a user, with a testbed file, a home with the key, and a known host.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness.ports import free_port
from harness.programs import wirespeed
from harness.waiting import wait_for

from wirespeed.dut.reach.reach import Ran
from wirespeed.dut.reach.ssh import SshReach
from wirespeed.errors import ConnectionFault
from wirespeed.vm.debian import DebianDisk, debian_disk
from wirespeed.vm.machine import VirtualMachine, VmHardware, VmNic
from wirespeed.vm.packages import KERNEL, QEMU, SYSTEM, cache_folder, fetch
from wirespeed.vm.qemu import Qemu, system_qemu

GUEST_MACS = ("02:fe:00:00:03:00", "02:fe:00:00:03:01")
TESTER_MACS = ("02:ee:00:00:03:00", "02:ee:00:00:03:01")
PATIENCE_S = 300.0
_STATE = (
    "ip -br link; ip -br -4 address; ip route; ip neigh show nud permanent; "
    "sysctl net.ipv4.ip_forward net.ipv4.conf.all.rp_filter; ls -d /tmp/wirespeed*"
)
_BENCH = """\
tester: {{ports: ["{ports[0]}", "{ports[1]}"], hugepages: never}}
links:
  - {{port: 0, interface: eth1, speed: 1G}}
  - {{port: 1, interface: eth2, speed: 1G}}
dut: {{kind: linux, reach: "ssh://root@127.0.0.1:{ssh}"}}
description: {{box: A guest}}
"""


@dataclass
class Router:
    """The guest, booted, with a working SSH connection."""

    directory: Path
    machine: VirtualMachine
    disk: DebianDisk
    ports: list[str]
    state_at_first: str = field(default="", init=False)

    def __post_init__(self) -> None:
        ssh = self.directory / "home/.ssh"
        ssh.mkdir(parents=True, mode=0o700)
        shutil.copy(self.disk.key, ssh / "id_ed25519")
        (ssh / "known_hosts").write_text(f"[127.0.0.1]:{self.machine.ssh_port} {self.disk.host_key}\n")
        self.bench = self.directory / "bench.yaml"
        self.bench.write_text(_BENCH.format(ports=self.ports, ssh=self.machine.ssh_port))

    # ---- the program

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command; both of its streams are its stdout."""
        environment = {**os.environ, "HOME": str(self.directory / "home"), "SSH_AUTH_SOCK": ""}
        return subprocess.Popen(
            wirespeed(*words),
            env={**environment, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wirespeed(self, *words: str) -> tuple[int, str]:
        """Exit code and output; never a traceback."""
        process = self.start(*words)
        said, _ = process.communicate()
        assert "Traceback" not in said, said
        return process.returncode, said

    def done(self, *words: str) -> str:
        code, said = self.wirespeed(*words)
        assert code == 0, said
        return said

    # ---- the guest

    def state(self) -> str:
        """The current values of everything that `dut prepare` changes."""
        reach = SshReach("127.0.0.1", "root", self.machine.ssh_port, key=str(self.disk.key), is_ours=True)
        try:
            # Without carriers, which follow the tester's ports.
            return run_once_up(self.machine, reach, _STATE).out.replace("NO-CARRIER,", "").replace("LOWER_UP", "")
        finally:
            reach.close()

    def reset_during(self, words: list[str], begun: Callable[[str], bool]) -> tuple[int, str]:
        """Reset the guest once `begun` is true for the command's output; returns how the command ended."""
        process = self.start(*words)
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if begun(said):
                break
        self.machine.reset()
        rest, _ = process.communicate(timeout=PATIENCE_S)
        assert "Traceback" not in said + rest, said + rest
        return process.returncode, said + rest


def run_once_up(machine: VirtualMachine, reach: SshReach, script: str) -> Ran:
    """Run a script in the guest as soon as it is reachable."""

    def ran() -> Ran | None:
        try:
            return reach.run(script)
        except ConnectionFault:
            machine.check()
            return None

    return wait_for(ran, "the guest answers", PATIENCE_S)


def debian_guest(directory: Path, macs: Sequence[str]) -> tuple[VirtualMachine, DebianDisk, list[Path]]:
    """A Debian guest, not started yet, with a vhost-user NIC per address, and the sockets. Its image is made on first
    use; EnvironmentFault if that is not possible.
    """
    folder = cache_folder()
    fetch(folder, QEMU, KERNEL, SYSTEM, say=print)
    disk = debian_disk(folder, print)
    qemu = system_qemu() or Qemu(folder / QEMU.name)
    nics = [VmNic(directory / f"v{index}.sock", mac) for index, mac in enumerate(macs)]
    hardware, cpus = VmHardware(disk.disk, boot=disk.boot), frozenset(os.sched_getaffinity(0))
    machine = VirtualMachine(qemu, qemu.accelerator(), hardware, nics, directory, free_port(), cpus)
    return machine, disk, [nic.socket for nic in nics]


@contextmanager
def router(directory: Path) -> Iterator[Router]:
    """A router that answers over SSH."""
    machine, disk, sockets = debian_guest(directory, GUEST_MACS)
    ports = [f"vhost:{socket},mac={mac}" for socket, mac in zip(sockets, TESTER_MACS, strict=True)]
    made = Router(directory, machine, disk, ports)
    machine.start()
    try:
        # QEMU starts the guest only when the other ends of its NICs are connected.
        first = made.start("generator", "--hugepages", "never", "--rpc", f"127.0.0.1:{free_port()}", *_named(ports))
        try:
            made.state_at_first = made.state()
        finally:
            first.send_signal(signal.SIGTERM)
            first.communicate()
        yield made
    finally:
        machine.stop()


def _named(ports: list[str]) -> list[str]:
    return [word for port in ports for word in ("--port", port)]
