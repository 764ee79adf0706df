"""The types of ports that a port spec may have, with their options; docs/commands.md lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PortType:
    """`target` is what a spec of this type needs behind the colon, None if it needs nothing; `example` is a whole one
    without the type. `options` are those of this type alone, each with its meaning. `sent` and `received` are the
    longest frames in bytes, without FCS; empty if unknown."""

    about: str
    target: str | None = None
    example: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    sent: str = "MTU + 22"
    received: str = "MTU + 22"


_OF_INTERFACE = "the interface's MTU + 18"
_ROLE = "`client` or `server` (client)"

PORT_TYPES: Mapping[str, PortType] = {
    "memif": PortType(
        "Shared memory to another process, by the path of a socket; `@name` is a socket without a file. One end has "
        "`role=server`, both have the same socket and `id`. A generator that is the client lends its packets to the "
        "server.",
        "a socket path",
        "/run/lab/e0.sock,id=0,role=client",
        {
            "id": "interface number (0)",
            "role": _ROLE,
            "secret": "shared text of at most 24 bytes",
            "zero-copy": "`yes` or `no`: whether a client lends its packets",
        },
        received="16384, independent of the peer's MTU",
    ),
    "vhost": PortType(
        "The host's end of a virtual machine's NIC, by vhost-user. Use `role=server` if QEMU connects to it.",
        "a socket path",
        "/run/lab/v0.sock,role=client",
        {"role": _ROLE},
        sent="",
    ),
    "virtio": PortType(
        "The other end of a `vhost` port, as a virtual machine has it. With a `vhost` port of `role=server` it forms a "
        "link between two processes.",
        "a socket path",
        "/run/lab/v0.sock,role=server",
        {"role": _ROLE},
        sent="",
    ),
    "ring": PortType(
        "Two ports of one process with the same name are connected to each other; a single one to itself.",
        "a ring name",
        "loop",
    ),
    "null": PortType(
        "Discards all packets and delivers endless ones.",
        options={"size": "bytes of the packets that it delivers (64)"},
        received="`size=`",
    ),
    "pcap": PortType(
        "Reads packets from one file and writes them into the other; either may be missing.",
        None,
        "in.pcap,out.pcap",
        {"out": "the file to write", "loop": "repeats the input"},
        received="65535",
    ),
    "tap": PortType(
        "A new TAP interface of Linux, here or in a network namespace.",
        "an interface name",
        "tap0",
        {
            "netns": "network namespace of the interface",
            "host-mac": "MAC address of the interface",
            "host-mtu": "MTU of the interface",
            "state": "`down` leaves the interface down",
        },
    ),
    "af_packet": PortType(
        "An existing Linux interface, by a packet socket.",
        "an interface name",
        "veth0",
        sent=f"{_OF_INTERFACE} (the kernel allows one additional tag); a smaller interface MTU is raised",
        received=_OF_INTERFACE,
    ),
    "af_xdp": PortType(
        "An existing Linux interface, by an AF_XDP socket.",
        "an interface name",
        "veth0",
        sent=f"{_OF_INTERFACE}; `--mtu` is at most 3498, since buffers lie within a page, or what the kernel takes",
        received=_OF_INTERFACE,
    ),
    "pci": PortType(
        "A NIC driven by DPDK, by its PCI address (`lspci -D`).",
        "a PCI address such as 0000:02:00.0",
        "0000:02:00.0",
        {"port": "one of several ports that share a PCI address, 0 to 15"},
    ),
}
