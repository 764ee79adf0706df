"""Runs in the guest: a router and a generator on real NIC drivers, and the checks of what they do with them.

Usage: inside.py CHECKS GENERATOR0 GENERATOR1 ROUTER0 ROUTER1, the NICs by their MAC addresses; CHECKS are names with
commas between.
Each check tells the host `{"check": NAME, "ok": BOOLEAN, "saw": WORDS}`. Python starts slowly in a guest that is
translated: one process does it all.
"""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.errors import EnvironmentFault, WirespeedError
from wirespeed.router.client import ask

PATIENCE_S = 240.0
"""Under translation on a busy machine seconds pass between cause and effect."""
LINE_S = 60.0

FOLDER = Path("/run/bench")
SOCKET = FOLDER / "router.sock"
RPC = "127.0.0.1:4601"
PACKETS = 40
ROUTER_IP = ("10.0.0.1", "10.0.1.1")
HOST_IP = ("10.0.0.2", "10.0.1.2")
ROUTER_IP6 = "2001:db8::1"
HOST_IP6 = "2001:db8::2"
_PCI = Path("/sys/bus/pci")


class Host:
    """The other end of the serial port."""

    def __init__(self) -> None:
        self._file = next(Path("/dev").glob("vport*p1")).open("r+b", buffering=0)

    def tell(self, **message: Any) -> None:
        self._file.write(json.dumps(message).encode() + b"\n")

    def machine(self, command: str, **arguments: Any) -> dict[str, Any]:
        self.tell(qmp=command, arguments=arguments)
        line = b""
        while not line.endswith(b"\n"):
            line += self._file.read(1) or b""
        return json.loads(line)  # type: ignore[no-any-return]


class Failed(Exception):
    """A check did not see what it wanted; says what it saw."""


def wait_for(condition: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    end = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > end:
            raise Failed(f"not within {patience_s:.0f} s: {what}")
        time.sleep(0.2)


class Program:
    """One of ours as a process, up to the line that says that it serves."""

    def __init__(self, name: str, *arguments: str) -> None:
        self.log = FOLDER / f"{name}-{time.monotonic_ns()}.log"
        with self.log.open("wb") as log:
            command = [sys.executable, "-m", "wirespeed", name, "--hugepages", "require", *arguments]
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def wait(self, word: str = "ready") -> None:
        wait_for(lambda: word in self.said() or self.process.poll() is not None, f"{word!r} from the program")
        if word not in self.said():
            raise Failed(f"the program ended with code {self.process.returncode}: {self.said()[-600:]}")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def address_of(mac: str) -> str:
    """Where the NIC is on the PCI bus: the slots are in the order of the NICs, behind a root port each."""
    return _ADDRESSES[mac]


_ADDRESSES: dict[str, str] = {}


def bind(macs: list[str]) -> None:
    """Give each NIC to vfio-pci. They stand in the order of their ports; nothing else is of their class."""
    nics = sorted(
        device.name for device in (_PCI / "devices").iterdir() if (device / "class").read_text().startswith("0x0200")
    )
    _ADDRESSES.update(zip(macs, nics, strict=True))
    for address in nics:
        holder = _PCI / "devices" / address / "driver"
        if holder.exists():  # virtio-pci, which the guest's own disk and serial port need
            (holder / "unbind").write_text(address)
        (_PCI / "devices" / address / "driver_override").write_text("vfio-pci")
        (_PCI / "drivers_probe").write_text(address)


class Bench:
    """Ports 0 and 1 of the generator, each on a wire with interface e0 and e1 of the router."""

    def __init__(self, host: Host, macs: list[str]) -> None:
        self.host, self.macs = host, macs
        self.client = GeneratorClient(RPC, timeout_s=LINE_S)

    def start_router(self, data_size: int) -> None:
        config = FOLDER / "startup.conf"
        # Without its domain, as lspci prints it.
        devices = " ".join(
            f"dev {address_of(mac).removeprefix('0000:')} {{ name e{i} }}" for i, mac in enumerate(self.macs[2:])
        )
        lines = FOLDER / "lines"
        lines.write_text(
            "".join(
                f"set interface state e{i} up\nset interface ip address e{i} {ip}/24\n"
                for i, ip in enumerate(ROUTER_IP)
            )
            + f"set interface ip address e0 {ROUTER_IP6}/64\n"
        )
        size = f"buffers {{ default data-size {data_size} }}" if data_size else ""
        config.write_text(f"dpdk {{ {devices} }} {size} unix {{ exec {lines} }}\n")
        self.router = Program(
            "router", "--cpu", "1", "--socket", str(SOCKET), "--max-routes", "1000", "--config", str(config)
        )

    def start_generator(self) -> None:
        ports = [word for mac in self.macs[:2] for word in ("--port", f"pci:{address_of(mac).removeprefix('0000:')}")]
        self.generator = Program("generator", "--cpu", "0", "--rpc", RPC, "--mtu", "9000", *ports)

    def connect(self) -> None:
        self.generator.wait()
        self.client.connect()
        self.client.acquire([0, 1], force=True)
        for port in (0, 1):
            self.call("set_l3", port, src_addr=HOST_IP[port], dst_addr=ROUTER_IP[port], block=False)

    def call(self, method: str, port: int, **params: Any) -> Any:
        return self.client.call(method, port_id=port, handler=self.client._handlers[port], **params)

    def ask(self, line: str) -> str:
        return ask(SOCKET, line, LINE_S)

    def has_link(self, interface: str) -> bool:
        return "carrier up" in self.ask(f"show hardware-interfaces {interface}")

    def wait_for_links(self) -> None:
        for interface in ("e0", "e1"):
            wait_for(lambda name=interface: self.has_link(name), f"link of {interface}")
        wait_for(
            lambda: all(status.link_up is not False for status in self.client.port_status([0, 1]).values()),
            "links of the generator",
        )

    def counter(self, interface: str, what: str) -> int:
        found = re.search(rf"{what} +(\d+)", self.ask(f"show interface {interface}"))
        return int(found[1]) if found else 0

    def push(self, port: int, packet: bytes, count: int = PACKETS) -> None:
        item = {"binary": base64.b64encode(packet).decode(), "use_port_src_mac": True, "use_port_dst_mac": False}
        self.client.call("push_pkts", port_id=port, pkts=[item] * count, force=True)

    def received(self, port: int) -> int:
        """Frames so far at the generator's port."""
        return int(self.client.call("get_port_stats", port_id=port)["ipackets"])

    def dropped(self, reason: str) -> int:
        return sum(int(line.split()[0]) for line in self.ask("show errors").splitlines() if reason in line)


def udp(destination_mac: str, source: str, destination: str, length: int) -> bytes:
    """An Ethernet frame of `length` bytes without FCS; the source MAC address is put in by the generator."""
    ip = struct.pack("!BBHHHBBH", 0x45, 0, length - 14, 0, 0, 64, 17, 0)
    ip += ip_address(source).packed + ip_address(destination).packed
    ip = ip[:10] + struct.pack("!H", _checksum(ip)) + ip[12:]
    datagram = struct.pack("!HHHH", 1000, 9, length - 34, 0).ljust(length - 34, b"\0")
    return bytes.fromhex(destination_mac.replace(":", "")) + bytes(6) + b"\x08\x00" + ip + datagram


def solicitation(source: str, target: str, mac: str) -> bytes:
    """Of a neighbour, to the group that its address is in (RFC 4861, section 4.3)."""
    group = ip_address("ff02::1:ff00:0").packed[:13] + ip_address(target).packed[13:]
    body = (
        struct.pack("!BBHI", 135, 0, 0, 0) + ip_address(target).packed + b"\1\1" + bytes.fromhex(mac.replace(":", ""))
    )
    addresses = ip_address(source).packed + group
    checksum = _checksum(addresses + struct.pack("!II", len(body), 58) + body)
    body = body[:2] + struct.pack("!H", checksum) + body[4:]
    head = b"\x33\x33" + group[12:] + bytes(6) + b"\x86\xdd" + struct.pack("!IHBB", 6 << 28, len(body), 58, 255)
    return head + addresses + body


def _checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


# ---- The checks


def check_refused(bench: Bench) -> str:
    """A port that does not open ends the program with a line; those before it, which never ran, are let go of."""
    ports = ["--port", f"pci:{address_of(bench.macs[0])}", "--port", "pcap:/dev/null"]
    program = Program("generator", "--cpu", "0", "--rpc", RPC, *ports)
    try:
        wait_for(lambda: program.process.poll() is not None, "the end of the program")
    finally:
        program.kill()
    if program.process.returncode != EnvironmentFault.exit_code or "DPDK cannot open net_pcap" not in program.said():
        raise Failed(f"code {program.process.returncode}: {program.said()[-600:]}")
    return f"code {EnvironmentFault.exit_code}"


def check_start(bench: Bench) -> str:
    bench.start_router(data_size=9216)
    bench.start_generator()
    bench.connect()
    bench.router.wait()
    bench.wait_for_links()
    first = next(line for line in bench.generator.said().splitlines() if line.startswith("port 0"))
    # Nothing tells a virtio device's, unless QEMU is told to.
    if "speed unknown" in first and "net_virtio" not in first:
        raise Failed(first)
    return first.split(", ")[1]


def forward(bench: Bench, sender: int, length: int = 60, packets: int = PACKETS) -> int:
    """How many of them came out at the other side, all of them or Failed."""
    receiver = 1 - sender
    packet = udp(bench.macs[2 + sender], HOST_IP[sender], HOST_IP[receiver], length)
    # The first one makes the router ask for the neighbour.
    if HOST_IP[receiver] not in bench.ask("show ip neighbors"):
        bench.push(sender, packet, 1)
        wait_for(lambda: HOST_IP[receiver] in bench.ask("show ip neighbors"), f"neighbour {HOST_IP[receiver]}")
        wait_for_rest(bench, receiver)
    before = bench.received(receiver)
    bench.push(sender, packet, packets)
    wait_for(
        lambda: bench.received(receiver) >= before + packets,
        f"{packets} packets of {length} bytes from port {sender} to {receiver}",
        PATIENCE_S / 4,
    )
    return packets


def wait_for_rest(bench: Bench, port: int) -> None:
    """What waited for the neighbour is through."""
    seen = -1
    while (now := bench.received(port)) != seen:
        seen = now
        time.sleep(0.5)


def check_forward(bench: Bench) -> str:
    return f"{forward(bench, 0)} and {forward(bench, 1)} of {PACKETS}"


def check_vlan(bench: Bench) -> str:
    """A frame with a tag reaches the sub-interface of its VLAN, and leaves without it."""
    for line in (
        "create sub-interfaces e0 7",
        "set interface state e0.7 up",
        "set interface ip address e0.7 10.0.7.1/24",
    ):
        bench.ask(line)
    plain = udp(bench.macs[2], "10.0.7.2", HOST_IP[1], 60)
    forward(bench, 0)  # the neighbour is known
    before = bench.received(1)
    bench.push(0, plain[:12] + b"\x81\x00\x00\x07" + plain[12:])
    wait_for(lambda: bench.received(1) >= before + PACKETS, f"{PACKETS} packets of VLAN 7", PATIENCE_S / 4)
    return f"{PACKETS} of {PACKETS}"


def check_bytes(bench: Bench) -> str:
    """60 bytes a frame, without the FCS."""
    # Nothing but these: neighbours are known, and keepalives are 42 bytes padded to 60.
    sizes = []
    for what in ("rx", "tx"):
        before = [bench.counter("e0" if what == "rx" else "e1", f"{what} {unit}") for unit in ("packets", "bytes")]
        forward(bench, 0)
        after = [bench.counter("e0" if what == "rx" else "e1", f"{what} {unit}") for unit in ("packets", "bytes")]
        sizes.append((after[1] - before[1]) / (after[0] - before[0]))
    # What the router makes itself is not padded where the NIC does that.
    if not (59 <= sizes[0] <= 60 and 55 <= sizes[1] <= 60):
        raise Failed(f"{sizes[0]:.1f} bytes a frame received, {sizes[1]:.1f} sent")
    return f"{sizes[0]:.0f}"


def check_multicast(bench: Bench) -> str:
    """A neighbour solicitation goes to a group; the NIC must let it in, and the router answer."""
    bench.push(0, solicitation(HOST_IP6, ROUTER_IP6, bench.macs[0]), 3)
    wait_for(lambda: HOST_IP6 in bench.ask("show ip6 neighbors"), "the IPv6 neighbour", PATIENCE_S / 4)
    if "promiscuous: unicast on" in bench.ask("show hardware-interfaces e0"):
        raise Failed("the router's port is promiscuous")
    return "solicited"


def check_link(bench: Bench) -> str:
    """What is routed into a port without a link is a counted drop, and the link's return is seen."""
    nic = f"nic{bench.macs[3].replace(':', '')[-4:]}"
    bench.host.machine("set_link", name=nic, up=False)
    try:
        wait_for(lambda: not bench.has_link("e1"), "the loss of e1's link")
        before = bench.dropped("interface has no link")
        bench.push(0, udp(bench.macs[2], HOST_IP[0], HOST_IP[1], 60))
        wait_for(lambda: bench.dropped("interface has no link") >= before + PACKETS, "the drops")
    finally:
        bench.host.machine("set_link", name=nic, up=True)
    wait_for(lambda: bench.has_link("e1"), "the return of e1's link")
    return f"lost, {PACKETS} drops, back; then {forward(bench, 0)}"


def check_down(bench: Bench) -> str:
    bench.ask("set interface state e0 down")
    if bench.has_link("e0"):
        raise Failed("e0 has a link while it is down")
    before = bench.counter("e0", "rx packets")
    bench.push(0, udp(bench.macs[2], HOST_IP[0], HOST_IP[1], 60))
    time.sleep(2)
    received = bench.counter("e0", "rx packets") - before
    bench.ask("set interface state e0 up")
    bench.wait_for_links()
    if received:
        raise Failed(f"{received} of {PACKETS} received while it was down")
    return f"none in; up again: {forward(bench, 0)}"


def check_mtu(bench: Bench) -> str:
    for interface in ("e0", "e1"):
        bench.ask(f"set interface mtu 9000 {interface}")
    bench.wait_for_links()
    return f"9000 while it runs; 8000 bytes: {forward(bench, 0, 8000, 10)} of 10"


def check_kill(bench: Bench) -> str:
    bench.router.kill()
    bench.generator.kill()
    bench.start_router(data_size=0)
    bench.start_generator()
    bench.connect()
    bench.router.wait()
    bench.wait_for_links()
    return f"again: {forward(bench, 1)} of {PACKETS}"


def check_mtu_refused(bench: Bench) -> str:
    """With buffers of 2 048 bytes: the cause is named, and 1500 goes on."""
    try:
        bench.ask("set interface mtu 9000 e0")
    except WirespeedError as error:
        if "data-size" not in str(error):
            raise Failed(str(error)) from None
        return f"names data-size; {forward(bench, 0)}"
    raise Failed("taken with buffers of 2048 bytes")


def check_unplug(bench: Bench) -> str:
    """Of the router's second NIC, and of the generator's second: each says so and goes on with its first."""
    for program, mac, what in ((bench.router, bench.macs[3], "e1"), (bench.generator, bench.macs[1], "port 1")):
        address = address_of(mac)
        bench.host.machine("device_del", id=f"nic{mac.replace(':', '')[-4:]}")
        wait_for(lambda said=program: "was removed" in said.said(), f"the message about {what}")
        wait_for(lambda gone=address: not (_PCI / "devices" / gone).exists(), f"{what} gone from Linux")
    if "carrier down" not in bench.ask("show hardware-interfaces e1"):
        raise Failed(bench.ask("show hardware-interfaces e1"))
    before = bench.counter("e0", "rx packets")
    bench.push(0, udp(bench.macs[2], HOST_IP[0], HOST_IP[1], 60))
    wait_for(lambda: bench.counter("e0", "rx packets") >= before + PACKETS, "packets at e0")
    return "both say so; e0 and port 0 go on"


CHECKS = {name.removeprefix("check_"): value for name, value in list(globals().items()) if name.startswith("check_")}


def main() -> None:
    names, macs = sys.argv[1].split(","), sys.argv[2:]
    host = Host()
    FOLDER.mkdir(parents=True)
    host.tell(started=True)
    bind(macs)
    bench = Bench(host, macs)
    for name in names:
        began = time.monotonic()
        try:
            saw, ok = CHECKS[name](bench), True
        except (Failed, WirespeedError, OSError) as error:
            saw, ok = f"{type(error).__name__}: {error}", False
        host.tell(check=name, ok=ok, saw=saw, seconds=round(time.monotonic() - began, 1))
        if not ok:
            for program in (getattr(bench, "router", None), getattr(bench, "generator", None)):
                if program is not None:
                    print(program.said()[-1500:], flush=True)
            if name in ("start", "kill"):
                break
    host.tell(end=True)


if __name__ == "__main__":
    os.environ["HOME"] = "/root"
    main()
