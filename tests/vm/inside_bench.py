"""In the guest: a router and a generator on real NIC drivers, reports to the host, and hand-made frames."""

from __future__ import annotations

import base64
import json
import re
import signal
import struct
import subprocess
import time
from collections.abc import Callable
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from harness import waiting
from harness.programs import wirespeed

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.errors import WirespeedError
from wirespeed.router.client import ask

PATIENCE_S = 240.0
"""Under translation on a busy machine, effects may be seconds late."""
LINE_S = 60.0
wait_for = partial(waiting.wait_for, patience_s=PATIENCE_S)

FOLDER = Path("/run/bench")
SOCKET = FOLDER / "router.sock"
RPC = "127.0.0.1:4601"
PACKETS = 40
ROUTER_IP = ("10.0.0.1", "10.0.1.1")
HOST_IP = ("10.0.0.2", "10.0.1.2")
ROUTER_IP6 = "2001:db8::1"
HOST_IP6 = "2001:db8::2"
JUMBO_MTU = 9000
_MOST_MTU = {"vmxnet3": 2026}
"""Lower maximum MTUs: receive buffers hold 2048 bytes, and frames cannot span several."""
PCI = Path("/sys/bus/pci")


class Host:
    """The other end of the serial port."""

    def __init__(self) -> None:
        self._file = next(Path("/dev").glob("vport*p1")).open("r+b", buffering=0)

    def tell(self, **message: Any) -> None:
        self._file.write(json.dumps(message).encode() + b"\n")

    def machine(self, command: str, **arguments: Any) -> dict[str, Any]:
        self.tell(qmp=command, arguments=arguments)
        return self.line()

    def line(self) -> dict[str, Any]:
        """The next line from the host."""
        line = b""
        while not line.endswith(b"\n"):
            line += self._file.read(1) or b""
        return json.loads(line)  # type: ignore[no-any-return]


class Failed(Exception):
    """A failed check, with the observed value."""


def tell_check(host: Host, name: str, check: Callable[[], str]) -> bool:
    """Report the check's result to the host; returns whether it passed."""
    began = time.monotonic()
    try:
        saw, ok = check(), True
    except (AssertionError, Failed, WirespeedError, OSError, ValueError) as error:
        saw, ok = f"{type(error).__name__}: {error}", False
    host.tell(check=name, ok=ok, saw=saw, seconds=round(time.monotonic() - began, 1))
    return ok


class Program:
    """One of wirespeed's programs as a process, up to the line that says that it serves."""

    def __init__(self, name: str, *arguments: str) -> None:
        self.log = FOLDER / f"{name}-{time.monotonic_ns()}.log"
        with self.log.open("wb") as log:
            command = wirespeed(name, "--hugepages", "require", *arguments)
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
    """PCI address of the NIC: slots are in the order of the NICs, each behind a root port."""
    return _ADDRESSES[mac]


_ADDRESSES: dict[str, str] = {}


def bind(macs: list[str]) -> None:
    """Bind each NIC to vfio-pci. They are in the order of their ports; no other device has their class."""
    nics = sorted(
        device.name for device in (PCI / "devices").iterdir() if (device / "class").read_text().startswith("0x0200")
    )
    _ADDRESSES.update(zip(macs, nics, strict=True))
    for address in nics:
        holder = PCI / "devices" / address / "driver"
        if holder.exists():  # virtio-pci, which the guest's disk and serial port use
            (holder / "unbind").write_text(address)
        (PCI / "devices" / address / "driver_override").write_text("vfio-pci")
        (PCI / "drivers_probe").write_text(address)


class Bench:
    """Ports 0 and 1 of the generator, connected to interfaces e0 and e1 of the router."""

    def __init__(self, host: Host, kind: str, macs: list[str]) -> None:
        self.host, self.kind, self.macs = host, kind, macs
        self.most_mtu = _MOST_MTU.get(kind, JUMBO_MTU)
        self.client = GeneratorClient(RPC, timeout_s=LINE_S)

    def start_router(self, data_size: int, device: str = "", cpus: str = "1") -> None:
        """`buffers`: size of the packet buffers, 0: the default; `device`: settings of each NIC in addition to its
        name.
        """
        config = FOLDER / "startup.conf"
        # The PCI address without its domain, as lspci prints it.
        devices = " ".join(
            f"dev {address_of(mac).removeprefix('0000:')} {{ name e{i} {device} }}"
            for i, mac in enumerate(self.macs[2:])
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
            "router", "--cpu", cpus, "--socket", str(SOCKET), "--max-routes", "1000", "--config", str(config)
        )

    def start_generator(self) -> None:
        ports = [word for mac in self.macs[:2] for word in ("--port", f"pci:{address_of(mac).removeprefix('0000:')}")]
        self.generator = Program("generator", "--cpu", "0", "--rpc", RPC, "--mtu", str(self.most_mtu), *ports)

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

    def sent(self, port: int) -> int:
        """Frames so far from the generator's port."""
        return int(self.client.call("get_port_stats", port_id=port)["opackets"])

    def restart(self, data_size: int, device: str = "", cpus: str = "1") -> None:
        """Kill both programs and start them again; arguments as in `start_router`."""
        self.router.kill()
        self.generator.kill()
        self.start_router(data_size, device, cpus)
        self.start_generator()
        self.connect()
        self.router.wait()
        self.wait_for_links()

    def dropped(self, reason: str) -> int:
        return sum(int(line.split()[0]) for line in self.ask("show errors").splitlines() if reason in line)


def udp(destination_mac: str, source: str, destination: str, length: int, sport: int = 1000) -> bytes:
    """An Ethernet frame of `length` bytes without FCS; the source MAC address is put in by the generator."""
    ip = struct.pack("!BBHHHBBH", 0x45, 0, length - 14, 0, 0, 64, 17, 0)
    ip += ip_address(source).packed + ip_address(destination).packed
    ip = ip[:10] + struct.pack("!H", _checksum(ip)) + ip[12:]
    datagram = struct.pack("!HHHH", sport, 9, length - 34, 0).ljust(length - 34, b"\0")
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


def forward(bench: Bench, sender: int, length: int = 60, packets: int = PACKETS) -> int:
    """Number of frames that arrived at the other side; Failed if some are missing."""
    receiver = 1 - sender
    packet = udp(bench.macs[2 + sender], HOST_IP[sender], HOST_IP[receiver], length)
    # The first frame makes the router resolve the neighbour.
    if HOST_IP[receiver] not in bench.ask("show ip neighbors"):
        bench.push(sender, packet, 1)
        wait_for(lambda: HOST_IP[receiver] in bench.ask("show ip neighbors"), f"neighbour {HOST_IP[receiver]}")
        wait_for_rest(bench, receiver)
    before = bench.received(receiver)
    bench.push(sender, packet, packets)
    wait_for(
        lambda: bench.received(receiver) >= before + packets,
        f"{packets} packets of {length} bytes from port {sender} to {receiver}",
        patience_s=PATIENCE_S / 4,
    )
    return packets


def wait_for_rest(bench: Bench, port: int) -> None:
    """Wait for the packets that were held for the neighbour."""
    seen = -1
    while (now := bench.received(port)) != seen:
        seen = now
        time.sleep(0.5)
