"""The types of ports that a port spec may have, with their options; docs/commands.md lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PortType:
    """`target` is what a spec of this type needs behind the colon, None if it needs nothing; `example` is a whole one
    without the type. `options` are those of this type alone, each with its meaning."""

    about: str
    target: str | None = None
    example: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


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
    ),
    "vhost": PortType(
        "The host's end of a virtual machine's NIC, by vhost-user. Use `role=server` if QEMU connects to it.",
        "a socket path",
        "/run/lab/v0.sock,role=client",
        {"role": _ROLE},
    ),
    "virtio": PortType(
        "The other end of a `vhost` port, as a virtual machine has it. With a `vhost` port of `role=server` it forms a "
        "link between two processes.",
        "a socket path",
        "/run/lab/v0.sock,role=server",
        {"role": _ROLE},
    ),
    "ring": PortType(
        "Two ports of one process with the same name are connected to each other; a single one to itself.",
        "a ring name",
        "loop",
    ),
    "null": PortType(
        "Discards all packets and delivers endless ones.",
        options={"size": "bytes of the packets that it delivers (64)"},
    ),
    "pcap": PortType(
        "Reads packets from one file and writes them into the other; either may be missing.",
        None,
        "in.pcap,out.pcap",
        {"out": "the file to write", "loop": "repeats the input"},
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
    "af_packet": PortType("An existing Linux interface, by a packet socket.", "an interface name", "veth0"),
    "af_xdp": PortType("An existing Linux interface, by an AF_XDP socket.", "an interface name", "veth0"),
    "pci": PortType(
        "A NIC driven by DPDK, by its PCI address (`lspci -D`).",
        "a PCI address such as 0000:02:00.0",
        "0000:02:00.0",
        {"port": "one of several ports that share a PCI address, 0 to 15"},
    ),
}
