"""A check of a testbed part by part: tester, ports, DUT, links, neighbours, and a packet in each direction.

A part that fails names the next step; parts that depend on it are not checked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Literal

from wirespeed._native.runtime import core
from wirespeed.client.probes import find_peers
from wirespeed.client.stateless_client import StatelessClient
from wirespeed.dut.reach.spec import parse_reach
from wirespeed.errors import EnvironmentFault, WirespeedError
from wirespeed.testbed.interfaces import DeviceInterfaces, LinkedInterface
from wirespeed.testbed.links import find_interface, goes_through, shared
from wirespeed.testbed.model import Bench, TestbedLink
from wirespeed.testbed.neighbours import ask, assign, held, own_macs
from wirespeed.testbed.packets import proof
from wirespeed.testbed.tester import running_tester
from wirespeed.units import format_si

State = Literal["ok", "FAIL"]
MARK = b"wirespeed testbed check"
LINK_WAIT_S = 10.0
"""NICs agree on a speed for some seconds after they are opened."""
_FAULT = EnvironmentFault.exit_code


@dataclass(frozen=True)
class CheckResult:
    """One line: a part and its state. A failed check has the exit code of its cause and the next step."""

    part: str
    state: State
    text: str
    next_step: str = ""
    exit_code: int = 0


@dataclass
class Check:
    """A check of `bench`, whose file is `file`; `tell` gets each finding at once. `force` acquires ports from other
    users."""

    bench: Bench
    file: str
    tell: Callable[[CheckResult], None]
    force: bool = False
    link_wait_s: float = LINK_WAIT_S
    exit_code: int = 0
    _stack: ExitStack = field(default_factory=ExitStack)
    _macs: dict[int, str] = field(default_factory=dict)

    def run(self) -> int:
        """The exit code of the first part that failed, 0 if all is well."""
        self.bench = self.bench.filled()
        with self._stack:
            client = self._tester()
            links = client is not None and self._links(client)
            device = self._device()
            if client is None or not links or self.exit_code:
                return self.exit_code
            try:
                with held(client, self.bench.ports, self.force):
                    self._macs = own_macs(client, self.bench.ports)
                    if device is None or self._cabling(client, device):
                        self._packets(client)
            except WirespeedError as error:
                self._fail("bench", str(error), "", error.exit_code)
        return self.exit_code

    def _ok(self, part: str, text: str) -> None:
        self.tell(CheckResult(part, "ok", text))

    def _fail(self, part: str, text: str, next_step: str, exit_code: int = _FAULT) -> None:
        self.exit_code = self.exit_code or exit_code
        self.tell(CheckResult(part, "FAIL", text, next_step, exit_code))

    def _prepare(self, does: str) -> str:
        """The next step where the device is not set up."""
        if self.bench.dut.kind == "none":
            return f"set the DUT up by hand, or say in {self.file} how it is reached: `wirespeed dut prepare` {does}"
        return f"`wirespeed dut prepare --testbed {self.file}` {does}"

    def _tester(self) -> StatelessClient | None:
        try:
            if not self.bench.tester.server and find_spec("wirespeed._native._core") is None:
                core()
        except WirespeedError as error:
            self._fail("tester", str(error), "", error.exit_code)  # nothing that the file could correct
            return None
        try:
            server = self._stack.enter_context(running_tester(self.bench))
            client = self._stack.enter_context(StatelessClient(server))
            client.connect()
            info = client.server_info()
        except WirespeedError as error:
            step = "start it there, or correct `tester.server`" if self.bench.tester.server else "correct `tester`"
            self._fail("tester", str(error), f"{step} in {self.file}", error.exit_code)
            return None
        self._ok("tester", f"{info.program} at {server}, {info.port_count} ports")
        return client

    def _links(self, client: StatelessClient) -> bool:
        there = client.server_info().port_count
        if missing := [port for port in self.bench.ports if port >= there]:
            self._fail(
                f"port {missing[0]}",
                f"the tester has {there} ports, numbered from 0",
                f"correct the links in {self.file}",
            )
            return False
        deadline = time.monotonic() + self.link_wait_s
        status = client.port_status(self.bench.ports)
        while not all(one.link_up for one in status.values()) and time.monotonic() < deadline:
            time.sleep(0.1)
            status = client.port_status(self.bench.ports)
        for port, one in status.items():
            speed = f", {format_si(one.speed_bps, 'bps', 0)}" if one.speed_bps else ""
            if one.link_up:
                self._ok(f"port {port}", f"link up{speed}")
            else:
                self._fail(
                    f"port {port}",
                    "the link is down",
                    "plug the cable in, set the DUT's end up, look at the SFPs",
                )
        return not self.exit_code

    def _device(self) -> DeviceInterfaces | None:
        """The interfaces of the device; None if it cannot be queried or the testbed has none."""
        dut = self.bench.dut
        if dut.kind == "none" or dut.reach is None:
            return None
        try:
            if dut.kind == "wirespeed" and dut.reach == "local":
                device = DeviceInterfaces(dut, None)
            else:
                reach = parse_reach(dut.reach)
                self._stack.callback(reach.close)
                device = DeviceInterfaces(dut, reach)
            there = device.read()
        except WirespeedError as error:
            self._fail("DUT", str(error), f"try by hand what dut.reach says in {self.file}", error.exit_code)
            return None
        self._ok("DUT", f"{dut.kind} by {dut.reach}, {len(there)} interfaces: {', '.join(sorted(there))}")
        for link in self.bench.links:
            self._interface(link, there)
        return device

    def _interface(self, link: TestbedLink, there: Mapping[str, LinkedInterface]) -> None:
        name = link.interface
        if name is None:
            return
        interface = there.get(name)
        if interface is None:
            known = ", ".join(sorted(there))
            self._fail(name, f"the DUT has no interface {name}; it has {known}", f"correct the links in {self.file}")
        elif interface.is_up is False:
            self._fail(name, "it is down on the DUT", self._prepare("sets it up"))
        else:
            self._ok(name, f"up on the DUT{f', {interface.mac}' if interface.mac else ''}")

    def _cabling(self, client: StatelessClient, device: DeviceInterfaces) -> bool:
        """True if each port ends at the interface that the file has for it; an interface that it lacks is found."""
        names = [
            find_interface(client, link.port, self._macs[link.port], device.read, link.interface)
            for link in self.bench.links
        ]
        if twice := shared(names):
            self._fail(
                "links", f"two links end at interface {twice} of the DUT", "check whether a switch connects them"
            )
            return False
        good = True
        for place, (link, name) in enumerate(zip(self.bench.links, names, strict=True), start=1):
            part = f"link {place}"
            if name is None:
                said = f"interface {link.interface}" if link.interface else "any interface"
                good = False
                self._fail(
                    part,
                    f"frames from port {link.port} do not arrive at {said} of the DUT",
                    "follow the cable: it ends elsewhere, or the DUT's driver drops frames for other addresses",
                )
            elif link.interface is None:
                self._ok(part, f"port {link.port} ends at {name}; write `interface: {name}` into {self.file}")
            elif name != link.interface:
                good = False
                self._fail(
                    part,
                    f"port {link.port} ends at {name}, and {self.file} says {link.interface}",
                    "swap the cables, or the interfaces in the file",
                )
            else:
                self._ok(part, f"port {link.port} ends at {name}")
        return good

    def _packets(self, client: StatelessClient) -> None:
        if self.bench.mode == "l2xc":
            theirs = {port: self._macs[self._peer(port)] for port in self.bench.ports}
        else:
            answers = {link.port: self._neighbour(client, link) for link in self.bench.links}
            if not all(answers.values()):
                return
            theirs = {port: mac for port, mac in answers.items() if mac is not None}
        for port in self.bench.ports:
            self._through(client, port, self._peer(port), theirs[port])

    def _peer(self, port: int) -> int:
        """The other port of its pair."""
        return self.bench.ports[self.bench.ports.index(port) ^ 1]

    def _neighbour(self, client: StatelessClient, link: TestbedLink) -> str | None:
        """MAC address that answers for the DUT's address; the port sends to it. None without an answer."""
        part, mac = f"port {link.port}", link.tester_mac or self._macs[link.port]
        what = "neighbour discovery" if link.dut_address and ":" in link.dut_address else "ARP"
        answer = ask(client, link.port, mac, link)
        if answer is None:
            others = (one for one in self.bench.links if one is not link)
            other = next((one for one in others if ask(client, link.port, mac, one)), None)
            if other is not None:
                self._fail(
                    part,
                    f"{other.dut_address} answers here, and the file says {link.dut_address}: the cables are swapped",
                    "swap the cables, or the ports in the file",
                )
            elif link.dut_mac:
                assign(client, link, link.dut_mac)
                self._ok(
                    part, f"nobody answers {what} for {link.dut_address}; packets go to {link.dut_mac} of the file"
                )
                return link.dut_mac
            else:
                self._fail(
                    part,
                    f"nobody answers {what} for {link.dut_address}",
                    self._prepare("gives the DUT its addresses"),
                )
            return None
        if link.dut_mac and link.dut_mac.lower() != answer:
            self._fail(part, f"{answer} answers, and the file says dut_mac {link.dut_mac}", "correct dut_mac")
            return None
        assign(client, link, answer)
        self._ok(part, f"{link.dut_address} is at {answer} ({what})")
        return answer

    def _through(self, client: StatelessClient, tx: int, rx: int, mac: str) -> None:
        part = f"{tx}>{rx}"
        packet = proof(self.bench, tx, rx, self._macs[tx], mac, MARK)
        if packet is None:
            self._fail(part, f"no route or label leads to port {rx}", f"give one in {self.file}")
        elif goes_through(client, tx, rx, packet, MARK):
            self._ok(part, "a packet went through the DUT")
        elif self.bench.mode == "l2xc" and (peer := find_peers(client, self._macs)[tx]) is not None:
            self._fail(
                part, f"frames from port {tx} arrive at port {peer}", "swap the cables, or the links in the file"
            )
        else:
            self._fail(
                part,
                "a packet does not come out of the DUT",
                self._prepare(f"sets its routes and forwarding (mode {self.bench.mode})"),
            )
