"""The lab whose DUT is a virtual machine: a router that boots from a disk image, wired to the generator by vhost-user.

Without an image of the user's the guest is a small Debian that is made here once. QEMU, a kernel and that system are
Debian's packages, kept in the user's cache.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from wirespeed.dut.device import KINDS, DutDevice
from wirespeed.dut.dut import Dut
from wirespeed.dut.journal import DutJournal
from wirespeed.dut.none import NoDut
from wirespeed.dut.prepare import prepare
from wirespeed.dut.reach.ssh import SshReach
from wirespeed.dut.remote import RemoteDut
from wirespeed.dut.setup import FILTER_MODES, DutInterface, DutOptions, Mode, Neighbour, default_setup
from wirespeed.errors import ConnectionFault, EnvironmentFault, RemoteError
from wirespeed.lab.generator import LabGenerator, LabWire
from wirespeed.lab.vm_options import VmOptions
from wirespeed.machine.placement import LabCpus
from wirespeed.owned import OwnedDirectory
from wirespeed.results.lab import LabFacts
from wirespeed.testbed.interfaces import DeviceInterfaces
from wirespeed.testbed.model import Bench, TestbedLink, TestbedTester
from wirespeed.testbed.model import TestbedDut as BenchDevice
from wirespeed.units import parse_speed
from wirespeed.vm.debian import debian_disk
from wirespeed.vm.image import image_format
from wirespeed.vm.machine import VirtualMachine, VmHardware, VmNic, free_tcp_port
from wirespeed.vm.packages import KERNEL, QEMU, SYSTEM, cache_folder, fetch
from wirespeed.vm.qemu import Qemu, check_architecture, system_qemu

GENERATOR_MACS = ("02:ee:00:00:02:00", "02:ee:00:00:02:01")
GUEST_MACS = ("02:fe:00:00:02:00", "02:fe:00:00:02:01")

_MARK = b"wirespeed lab"
Say = Callable[[str], None]


def say_on_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class VmLab:
    """Generator ↔ vhost-user ↔ a guest of QEMU, which is prepared over SSH."""

    name = "VM"
    profiles = ("bench",)
    """Profiles that its guests are prepared for: IPv4."""

    def __init__(self, cpus: LabCpus, options: VmOptions | None = None, say: Say = say_on_stderr) -> None:
        self._cpus = cpus
        self._options = options = options or VmOptions()
        self._say = say
        self._owned = OwnedDirectory("lab", Path(tempfile.gettempdir()))
        self.directory = self._owned.path
        self._nics = [VmNic(self.directory / f"v{index}.sock", GUEST_MACS[index]) for index in (0, 1)]
        wires = [
            LabWire(
                f"vhost:{nic.socket},role=client,mac={GENERATOR_MACS[index]},speed={options.speed}", dut_mac=nic.mac
            )
            for index, nic in enumerate(self._nics)
        ]
        self._generator = LabGenerator(wires, cpus.generator, cpus.control, self.directory / "generator.log")
        self._machine: VirtualMachine | None = None
        self._reach: SshReach | None = None
        self.dut: Dut = NoDut()

    @property
    def machine(self) -> VirtualMachine:
        assert self._machine is not None, "the lab is not up"
        return self._machine

    @property
    def rpc(self) -> str:
        return self._generator.rpc

    @property
    def facts(self) -> LabFacts:
        return LabFacts(
            kind="vm",
            port_type="vhost-user",
            speed_bps=parse_speed(self._options.speed),
            cpus=self._cpus.roles,
            topology=self._cpus.topology,
            filter=self._options.filter.rules,
        )

    def start(self) -> None:
        check_architecture()
        image = self._options.image
        disk_format = image_format(image) if image is not None else ""  # before anything is fetched
        qemu = self._qemu()
        hardware, key = self._hardware(disk_format)
        accelerator = qemu.accelerator()
        self._say(accelerator.said)
        # The guest has what the generator's worker leaves it.
        host_cpus = frozenset(self._cpus.all - {self._cpus.generator})
        ssh_port = self._options.ssh_port or free_tcp_port()
        self._machine = VirtualMachine(qemu, accelerator, hardware, self._nics, self.directory, ssh_port, host_cpus)
        self._machine.start()
        self._generator.start()
        self._say(f"the guest boots; its console: {self._machine.console}")
        if self._options.kind == "none":
            self._say("it is not prepared nor asked anything (kind=none): it has to be a router by itself")
            self._wait_until_it_forwards()
        else:
            self._prepare(SshReach("127.0.0.1", self._options.user, ssh_port, key=key, is_ours=True))

    def _qemu(self) -> Qemu:
        installed = system_qemu()
        if installed is not None:
            return installed
        folder = cache_folder()
        # One reading of Debian's lists for all that is needed.
        own_disk = () if self._options.image else (KERNEL, SYSTEM)
        fetch(folder, QEMU, *own_disk, say=self._say)
        return Qemu(folder / QEMU.name)

    def _hardware(self, disk_format: str) -> tuple[VmHardware, str]:
        """And the file of the key that lets us in, empty: those of the user."""
        options = self._options
        cpus = options.cpus or 1
        if options.image is None:
            disk = debian_disk(cache_folder(), self._say)
            own = VmHardware(disk.disk, "raw", disk.boot, options.memory_mb, cpus, options.qemu)
            return own, options.key or str(disk.key)
        return VmHardware(options.image, disk_format, None, options.memory_mb, cpus, options.qemu), options.key

    def _prepare(self, reach: SshReach) -> None:
        self._reach = reach
        began = time.monotonic()
        self._wait_for_ssh(reach)
        self._say(
            f"it answers on ssh -p {self.machine.ssh_port} {self._options.user}@127.0.0.1 after "
            f"{time.monotonic() - began:.0f} s"
        )
        device = DutDevice(reach.name, KINDS[self._options.kind](), reach)
        interfaces = tuple(
            DutInterface(name, neighbours=(Neighbour("", mac),))
            for name, mac in zip(self._interfaces(reach), GENERATOR_MACS, strict=True)
        )
        # It ends with the lab, and its disk is as before: the journal is for a step that fails.
        with DutJournal(self.directory / "dut.jsonl", device.name) as journal:
            rules = self._options.filter.rules
            mode: Mode = "ip6" if FILTER_MODES.get(rules) == "ip6" else "ip4"
            setup = default_setup(mode, interfaces, DutOptions(filter=self._options.filter))
            done = prepare(device.kind, reach, setup, journal, lambda _: None)
        self._say(f"it is prepared: {len(done.steps)} steps")
        self.dut = RemoteDut(device, is_of_lab=self._options.kind == "linux" and bool(rules))
        self.dut.prepare()

    def _wait_for_ssh(self, reach: SshReach) -> None:
        deadline = time.monotonic() + self._options.boot_s
        said = ""
        while True:
            self.machine.check()
            try:
                reach.run("true")
                return
            except ConnectionFault as error:
                if time.monotonic() > deadline:
                    raise EnvironmentFault(
                        f"the guest cannot be reached {self._options.boot_s:.0f} s after its start: {error}"
                        f"{self.machine.last_words()}; boot=SECONDS waits longer"
                    ) from None
                if "keys" in str(error) and str(error) != said:
                    said = str(error)
                    self._say(f"not yet: {said}")
                time.sleep(1.0)

    def _interfaces(self, reach: SshReach) -> list[str]:
        """The guest's names of the two NICs, which it tells apart by their addresses."""
        device = BenchDevice(kind=self._options.kind, reach=reach.name)  # type: ignore[arg-type]
        try:
            there = DeviceInterfaces(device, reach).read()
        except RemoteError as error:
            raise EnvironmentFault(
                f"the guest does not answer as kind={self._options.kind}: {error}; give the kind= of its system"
            ) from None
        by_mac = {one.mac: name for name, one in there.items()}
        for mac in GUEST_MACS:
            if mac not in by_mac:
                raise EnvironmentFault(
                    f"the guest has no interface with MAC address {mac}; check that it has the "
                    f"virtio driver. It has {', '.join(f'{one} ({own})' for own, one in by_mac.items())}"
                )
        return [by_mac[mac] for mac in GUEST_MACS]

    def _wait_until_it_forwards(self) -> None:
        """Its links are up once its drivers are loaded, well before it is the router that its configuration says."""
        from wirespeed.client.stateless_client import StatelessClient  # noqa: PLC0415
        from wirespeed.testbed.links import goes_through  # noqa: PLC0415
        from wirespeed.testbed.neighbours import held  # noqa: PLC0415 - scapy takes long to import
        from wirespeed.testbed.packets import proof  # noqa: PLC0415

        bench = Bench(
            tester=TestbedTester(server=self.rpc, ports=()), links=(TestbedLink(port=0), TestbedLink(port=1))
        ).filled()

        def forwards(tx: int, rx: int) -> bool:
            packet = proof(bench, tx, rx, GENERATOR_MACS[tx], GUEST_MACS[tx], _MARK)
            return packet is not None and goes_through(client, tx, rx, packet, _MARK)

        with StatelessClient(self.rpc) as client:
            client.connect()
            self.machine.wait_for(
                lambda: all(status.link_up for status in client.port_status((0, 1)).values()),
                self._options.boot_s,
                "the guest's drivers did not take both NICs",
            )
            with held(client, (0, 1)):
                for tx, rx in ((0, 1), (1, 0)):
                    self.machine.wait_for(
                        lambda tx=tx, rx=rx: forwards(tx, rx),  # type: ignore[misc]
                        self._options.boot_s,
                        f"the guest forwarded nothing from port {tx} to port {rx}",
                    )

    def stop(self) -> None:
        self.dut.close()
        if self._reach is not None:
            self._reach.close()
        self._generator.stop()
        if self._machine is not None:
            self._machine.stop()
        self._owned.remove()
