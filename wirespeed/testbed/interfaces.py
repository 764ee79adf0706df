"""The device's own list of interfaces: state, addresses, received packets.

One command per type of device, parsed by a pure function.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wirespeed.dut.reach.reach import Reach
from wirespeed.errors import ConnectionFault, RemoteError
from wirespeed.testbed.model import TestbedDut

_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


@dataclass(frozen=True)
class LinkedInterface:
    """`is_up` and `mac` are None where the device does not say. `has_members` is a bridge or bond, which counts
    what its members receive as well."""

    name: str
    is_up: bool | None
    mac: str | None
    rx_packets: int
    has_members: bool = False


class DeviceInterfaces:
    """The interfaces of a device, read by way of its `reach` or the socket of our router. ConnectionFault or
    EnvironmentFault when it cannot be asked, RemoteError when it answers with an error."""

    def __init__(self, device: TestbedDut, reach: Reach | None) -> None:
        self._device, self._reach = device, reach

    def read(self) -> dict[str, LinkedInterface]:
        """By name; without loopbacks."""
        match self._device.kind:
            case "linux" | "danos":
                interfaces = linux_interfaces(self._run("ip -j -s link show"))
            case "freebsd" | "openbsd":
                interfaces = bsd_interfaces(
                    self._run("netstat -ibn" if self._device.kind == "freebsd" else "netstat -in")
                )
            case "vpp":
                socket = f"-s {self._device.socket} " if self._device.socket else ""
                interfaces = vector_interfaces(*(self._run(f"vppctl {socket}{words}") for words in _SHOWN))
            case _:
                interfaces = vector_interfaces(*(self._asked(words) for words in _SHOWN))
        return {one.name: one for one in interfaces if one.name not in ("lo", "lo0", "local0")}

    def _run(self, command: str) -> str:
        assert self._reach is not None
        ran = self._reach.run(command)
        if ran.code:
            raise RemoteError(f"{self._reach.name} does not list its interfaces: `{command}`: {ran.why}")
        return ran.out

    def _asked(self, words: str) -> str:
        """The wirespeed router's answer; its socket is on this machine, or on the one behind `reach`."""
        socket = self._device.socket or "/run/wirespeed/router.sock"
        if self._device.reach == "local":
            from wirespeed.router.client import ask  # noqa: PLC0415

            return ask(Path(socket), words)
        return self._run(f"wirespeed ctl --socket {socket} {words}")


_SHOWN = ("show interface", "show hardware-interfaces")


def linux_interfaces(text: str) -> list[LinkedInterface]:
    """`ip -j -s link show`. ConnectionFault for an invalid answer."""
    try:
        rows = [row for row in json.loads(text) if row]
        masters = {row.get("master") for row in rows}
        return [
            LinkedInterface(
                str(row["ifname"]),
                {"UP": True, "DOWN": False, "LOWERLAYERDOWN": False}.get(row.get("operstate", "")),
                str(row.get("address", "")).lower() or None,
                int(row["stats64"]["rx"]["packets"]),
                row["ifname"] in masters,
            )
            for row in rows
        ]
    except (ValueError, KeyError, TypeError):
        raise ConnectionFault(f"the DUT's output of `ip -j -s link show` cannot be read: {text[:60]!r}") from None


def bsd_interfaces(text: str) -> list[LinkedInterface]:
    """`netstat -ibn` or `-in`: the rows of the links; a star behind the name is an interface that is down."""
    interfaces = []
    for words in map(str.split, text.splitlines()):
        if len(words) > 4 and words[2].startswith("<Link") and _MAC.fullmatch(words[3].lower()) and words[4].isdigit():
            interfaces.append(
                LinkedInterface(words[0].rstrip("*"), not words[0].endswith("*"), words[3].lower(), int(words[4]))
            )
    return interfaces


_ROW = re.compile(r"(?P<name>\S+)\s+\d+\s+(?P<state>up|down)\s(?P<rest>.*)")
_HARDWARE = re.compile(r"(?P<name>\S+)\s+\d+\s+(?P<link>up|down)\s")


def vector_interfaces(interfaces: str, hardware: str) -> list[LinkedInterface]:
    """`show interface` and `show hardware-interfaces` of VPP or wirespeed. Up means link and administrative state."""
    states: dict[str, bool] = {}
    packets: dict[str, int] = {}
    name = ""
    for line in interfaces.splitlines():
        if row := _ROW.match(line):
            name = row["name"]
            states[name], packets[name] = row["state"] == "up", 0
        if name and (count := re.search(r"rx packets\s+(\d+)", line)):
            packets[name] = int(count[1])
    macs: dict[str, str] = {}
    links: dict[str, bool] = {}
    for line in hardware.splitlines():
        if row := _HARDWARE.match(line):
            name = row["name"]
            links[name] = row["link"] == "up"
        if name and (mac := re.search(r"Ethernet address (\S+)", line)):
            macs[name] = mac[1].lower()
    return [
        LinkedInterface(name, up and links.get(name, True), macs.get(name), packets[name])
        for name, up in states.items()
    ]


Reader = Callable[[], dict[str, LinkedInterface]]
