"""Values that cross boundaries: port specs as users write them, and what they say about a port."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv6Address
from pathlib import Path

from wirespeed.errors import UsageError
from wirespeed.port_types import PORT_TYPES
from wirespeed.units import parse_speed

DEFAULT_SPEED_BPS = 10_000_000_000
"""Nominal line of a medium that has none of its own (memif, ring, null, pcap), unless `speed=` says."""

PLAIN_MTU, MIN_MTU, MAX_MTU = 1500, 576, 9216
"""Largest layer 3 packets: of a port that is told nothing, and what one may be told; a NIC's limit may be lower."""

PCI_ADDRESS = re.compile(r"(?:([0-9a-fA-F]{4}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")
"""Domain (0 if omitted, as by lspci), bus, device and function."""

MAX_QUEUES = 64
"""Most queues of a port, in each direction."""

MAX_DEVICE_PORT = 15
"""Highest port of a PCI device with several ports, counted from 0."""

_PLAIN_RING_MTU = 1900
_RING_OVERHEAD_BYTES = 66 + 22
"""The kernel's headers in front of a frame (TPACKET_V2), Ethernet and two tags."""
_RING_BLOCK_FRAMES = 64
"""Frames of a multiple of 64 bytes in a block make it whole pages."""

COMMON_OPTIONS: Mapping[str, str] = {
    "speed": "nominal line rate of a port type without a speed of its own (10G)",
    "rxq": f"RX queues, 1 to {MAX_QUEUES} (1)",
    "txq": f"TX queues, 1 to {MAX_QUEUES} (1)",
    "rxd": "descriptors of each RX queue, 1 to 32768 (1024)",
    "txd": "descriptors of each TX queue, 1 to 32768 (1024)",
    "mac": "MAC address (the driver's)",
    "mtu": f"largest layer 3 packet, {MIN_MTU} to {MAX_MTU}, or as much as the NIC carries ({PLAIN_MTU})",
}
"""Options of all types of ports, with their meanings and defaults."""


@dataclass(frozen=True)
class PortSpec:
    """One port anywhere: `memif:/run/e0.sock,id=0,role=client,speed=10G`.

    `target` is what stands between the kind and the first option: the socket path of memif, vhost and virtio, the
    interface name of tap, af_packet and af_xdp, the ring's name, the PCI address, the input file of pcap. A start-up
    file may also have the kind `vdev`, whose target is DPDK's own description of a device.
    """

    kind: str
    target: str = ""
    options: dict[str, str] = field(default_factory=dict)
    speed_bps: int | None = None
    rx_queues: int = 1
    tx_queues: int = 1
    rx_descriptors: int = 1024
    tx_descriptors: int = 1024
    mac: str | None = None
    mtu: int | None = None
    device_port: int | None = None
    """Port number within a PCI device whose ports share one address."""

    def __str__(self) -> str:
        words = [f"{self.kind}:{self.target}" if self.target else self.kind]
        words += [f"{key}={value}" if value else key for key, value in self.options.items()]
        if self.device_port is not None:
            words.append(f"port={self.device_port}")
        if self.mtu is not None:
            words.append(f"mtu={self.mtu}")
        if self.speed_bps is not None:
            words.append(f"speed={self.speed_bps}")
        return ",".join(words)

    def lending(self) -> PortSpec:
        """The port, with packets of a memif client in memory that its server reads and writes, unless the user gave
        `zero-copy=no`. Use it only if nothing in a received packet is trusted: the server may change it at any time."""
        return replace(self, options={"zero-copy": "yes"} | self.options) if self.kind == "memif" else self

    def carries(self, mtu: int) -> int:
        """Its MTU, `mtu` where it was not told one."""
        return self.mtu or mtu

    def ring_frame_bytes(self, default_mtu: int) -> int:
        """Size of a frame of an AF_PACKET ring, with the kernel's headers, for packets of the port's MTU; 0 if the
        driver's default of 2048 bytes suffices, or if there is no such ring."""
        mtu = self.carries(default_mtu)
        if self.kind != "af_packet" or mtu <= _PLAIN_RING_MTU:
            return 0
        return -(-(mtu + _RING_OVERHEAD_BYTES) // _RING_BLOCK_FRAMES) * _RING_BLOCK_FRAMES

    def devargs(self, index: int, mtu: int = 1500) -> str:
        """The DPDK device string of this port; `index` makes virtual device names unique in the process."""
        match self.kind:
            case "memif":
                return ",".join([f"memif:{self.target}", *(f"{key}={value}" for key, value in self.options.items())])
            case "vhost":
                # DPDK's client is who connects to the socket, and comes again when the other side was away.
                is_client = int(self.options.get("role", "client") == "client")
                queues = max(self.rx_queues, self.tx_queues)
                return f"net_vhost{index},iface={self.target},queues={queues},client={is_client}"
            case "virtio":
                is_server = int(self.options.get("role", "client") == "server")
                queues = max(self.rx_queues, self.tx_queues)
                # A packet may lie in several of the peer's buffers, which hold 2048 bytes as a rule.
                made = f"net_virtio_user{index},path={self.target},queues={queues},server={is_server},mrg_rxbuf=1"
                made += f",queue_size={max(self.rx_descriptors, self.tx_descriptors)}"
                return made + (f",mac={self.mac}" if self.mac else "")
            case "ring":
                return f"ring:{self.target}"
            case "null":
                return f"net_null{index},size={self.options.get('size', '64')},copy=1"
            case "pcap":
                rx = f",rx_pcap={self.target}" if self.target else ""
                tx = f",tx_pcap={self.options['out']}" if "out" in self.options else ""
                infinite = ",infinite_rx=1" if "loop" in self.options else ""
                return f"net_pcap{index}{rx}{tx}{infinite}"
            case "tap":
                return ",".join([f"tap:{self.target}", *(f"{key}={value}" for key, value in self.options.items())])
            case "af_packet":
                made = f"net_af_packet{index},iface={self.target},qpairs={max(self.rx_queues, self.tx_queues)}"
                frame = self.ring_frame_bytes(mtu)
                block = f",blocksz={frame * _RING_BLOCK_FRAMES},framesz={frame},framecnt={4 * _RING_BLOCK_FRAMES}"
                return made + block if frame else made
            case "af_xdp":
                return f"net_af_xdp{index},iface={self.target},queue_count={self.rx_queues}"
            case "pci":
                return ",".join([self.target, *self.options.values()])
            case _:
                return self.target


def parse_port_spec(text: str) -> PortSpec:
    """Read a port spec; UsageError names the invalid word and the allowed ones."""
    head, *words = text.split(",")
    kind, _, target = head.partition(":")
    port_type = PORT_TYPES.get(kind)
    if port_type is None:
        raise UsageError(f"port {text!r}: {kind!r} is not a port type; choose from {', '.join(PORT_TYPES)}")
    if kind == "pcap" and words and "=" not in words[0] and words[0] != "loop":
        words[0] = f"out={words[0]}"
    if port_type.target and not target:
        raise UsageError(f"port {text!r} needs {port_type.target}, as in {kind}:{port_type.example}")
    if kind == "pcap" and not target and not any(word.startswith("out=") for word in words):
        raise UsageError(f"port {text!r} names no file: give pcap:IN.pcap, pcap:IN.pcap,OUT.pcap or pcap:,OUT.pcap")
    allowed = {*COMMON_OPTIONS, *port_type.options}
    spec = PortSpec(kind, target)
    options: dict[str, str] = {}
    for word in words:
        key, _, value = word.partition("=")
        if key not in allowed:
            raise UsageError(f"port {text!r}: unknown option {key!r}; {kind} takes {', '.join(sorted(allowed))}")
        match key:
            case "speed":
                spec = replace(spec, speed_bps=parse_speed(value))
            case "rxq":
                spec = replace(spec, rx_queues=_count(text, key, value, MAX_QUEUES))
            case "txq":
                spec = replace(spec, tx_queues=_count(text, key, value, MAX_QUEUES))
            case "rxd":
                spec = replace(spec, rx_descriptors=_count(text, key, value, 32768))
            case "txd":
                spec = replace(spec, tx_descriptors=_count(text, key, value, 32768))
            case "mac":
                spec = replace(spec, mac=parse_mac(value))
            case "mtu":
                spec = replace(spec, mtu=_count(text, key, value, MAX_MTU, MIN_MTU))
            case "port":
                spec = replace(spec, device_port=_count(text, key, value, MAX_DEVICE_PORT, 0))
            case _:
                options[key] = value
    if kind == "memif":
        _check_memif(text, options)
    if kind in ("memif", "vhost", "virtio"):
        _check_socket(text, target, options)
    if kind == "pci":
        spec = replace(spec, target=_pci_address(text, target))
    return replace(spec, options=options)


def _pci_address(text: str, target: str) -> str:
    """A PCI address with its domain, as Linux and DPDK write it."""
    found = PCI_ADDRESS.fullmatch(target)
    if found is None:
        raise UsageError(f"port {text!r}: {target!r} is not a PCI address; give one such as 0000:02:00.0 (lspci -D)")
    return f"{found[1] or '0000'}:{found[2]}:{found[3]}.{found[4]}".lower()


def parse_mac(text: str, unicast: bool = True) -> str:
    """An Ethernet address as six hex bytes, `unicast` unless another will do; returned in lower case with colons."""
    parts = text.replace("-", ":").split(":")
    try:
        values = [int(part, 16) for part in parts]
    except ValueError:
        values = []
    if len(values) != 6 or not all(0 <= value < 256 for value in values):
        raise UsageError(f"{text!r} is not a MAC address: give six hex bytes such as 02:fe:00:00:00:01")
    if unicast and values[0] & 1:
        raise UsageError(f"{text!r} is a multicast address; a port needs a unicast one")
    return ":".join(f"{value:02x}" for value in values)


def mac_bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def link_local(mac: bytes) -> IPv6Address:
    """The address that a port gives itself (RFC 4291, appendix A)."""
    return IPv6Address(b"\xfe\x80" + bytes(6) + bytes([mac[0] ^ 2]) + mac[1:3] + b"\xff\xfe" + mac[3:6])


def _check_memif(text: str, options: dict[str, str]) -> None:
    if not options.get("id", "0").isdigit():
        raise UsageError(f"port {text!r}: id takes a number")
    if options.get("zero-copy", "no") not in ("yes", "no"):
        raise UsageError(f"port {text!r}: zero-copy takes yes or no")
    if len(options.get("secret", "").encode()) > 24:
        raise UsageError(f"port {text!r}: the secret is too long; give at most 24 bytes")


def _check_socket(text: str, target: str, options: dict[str, str]) -> None:
    if options.get("role", "client") not in ("client", "server"):
        raise UsageError(f"port {text!r}: role takes client or server")
    if len(target.encode()) > 107:
        raise UsageError(
            f"port {text!r}: a socket path has at most 107 bytes, and this one {len(target.encode())}; shorten it"
        )
    # "@…" is a name of the kernel's, which no file bears; vhost-user has none such.
    if not (target.startswith("@") and text.startswith("memif:")) and not Path(target).parent.is_dir():
        raise UsageError(f"port {text!r}: directory {Path(target).parent} does not exist; create it first")


def _count(text: str, key: str, value: str, most: int, least: int = 1) -> int:
    if not value.isdigit() or not least <= int(value) <= most:
        raise UsageError(f"port {text!r}: {key} is a number from {least} to {most}, not {value!r}")
    return int(value)
