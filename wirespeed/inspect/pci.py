"""Devices on the PCI bus and their links, from `lspci -vv`, from sysfs, or from both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from wirespeed.errors import UsageError
from wirespeed.inspect.transcript import tree

ETHERNET = "0200"
ACCELERATORS = {"0b40": "co-processor", "1200": "processing accelerator", "1000": "encryption"}
_HEAD = re.compile(
    r"^(?P<address>(?:[0-9a-f]{4,5}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) "
    r"(?P<kind>[^:\[]+?)(?: \[(?P<class>[0-9a-f]{4})\])?: (?P<name>.*)$"
)
_IDS = re.compile(r"\[([0-9a-f]{4}:[0-9a-f]{4})\](?: \(rev [0-9a-f]+\))?(?: \(prog-if .*)?$")
_CAPABLE = re.compile(r"LnkCap:.*?Speed ([\d.]+|unknown) ?(?:GT/s)?, Width x(\d+)")
_STATUS = re.compile(r"LnkSta:\s*Speed ([\d.]+|unknown) ?(?:GT/s)?[^,]*, Width x(\d+)")
_PAYLOAD = re.compile(r"MaxPayload (\d+) bytes, MaxReadReq (\d+)")
_ASPM = re.compile(r"LnkCtl:\s*ASPM ([^;]+);")
_SECONDARY = re.compile(r"secondary=([0-9a-f]{2})")
_NODE = re.compile(r"NUMA node: (\d+)")
_SYSFS_SPEED = re.compile(r"([\d.]+) GT/s")
_VPP = re.compile(
    r"^(?P<address>[0-9a-f]{4,5}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+(?P<node>\d+|any)\s+(?P<ids>[0-9a-f]{4}:[0-9a-f]{4})\s+"
    r"(?:(?P<speed>[\d.]+) GT/s x(?P<width>\d+)|\S+)\s*(?P<driver>[a-z][\w-]*)?"
)
_DMESG = re.compile(
    r"(?P<driver>\S+) (?P<address>[0-9a-f]{4,5}:[0-9a-f]{2}:[0-9a-f]{2}\.\d)[^:]*: [\d.]+ Gb/s available "
    r"PCIe bandwidth(?:, limited by (?P<speed>[\d.]+) GT/s PCIe x(?P<width>\d+) link\s*at (?P<at>[0-9a-f:.]+) "
    r"\(capable of [\d.]+ Gb/s with (?P<max_speed>[\d.]+) GT/s PCIe x(?P<max_width>\d+) link\))?"
)


@dataclass(frozen=True)
class LinkSpeed:
    """One speed and width; giga-transfers a second and lanes."""

    speed_gts: float
    lanes: int

    def __str__(self) -> str:
        return f"{self.speed_gts:g} GT/s x{self.lanes}"


@dataclass(frozen=True)
class PciDevice:
    """`address` has its domain. `now` and `most` are this device's own link, None of what has none or does not say;
    `parent` is the bridge above it, empty at a root. `payload_bytes` is the most of one packet on the link,
    `read_bytes` what one request asks for. `node` is its NUMA node, None where there are none."""

    address: str
    kind: str = ""
    class_code: str = ""
    ids: str = ""
    name: str = ""
    driver: str = ""
    interfaces: tuple[str, ...] = ()
    now: LinkSpeed | None = None
    most: LinkSpeed | None = None
    parent: str = ""
    payload_bytes: int | None = None
    read_bytes: int | None = None
    aspm: str = ""
    node: int | None = None
    denied: bool = False

    @property
    def card(self) -> str:
        """Its functions share a link: the address without the function."""
        return self.address.rpartition(".")[0]

    @property
    def is_ethernet(self) -> bool:
        return self.class_code == ETHERNET or self.kind == "Ethernet controller"


@dataclass(frozen=True)
class LimitSaid:
    """A driver's message about its link at start: the slowest hop, and the device's maximum. `now` and `most` are None
    if the link is as wide as the device."""

    address: str
    at: str = ""
    now: LinkSpeed | None = None
    most: LinkSpeed | None = None


def parse_lspci(text: str) -> dict[str, PciDevice]:
    """The devices of `lspci -vv`, with -n, -nn and -D or without, or of VPP's `show pci`, by address. Capabilities that
    lspci may not read without rights leave `denied`."""
    devices: dict[str, PciDevice] = {}
    buses: dict[str, str] = {}
    for block in _blocks(text):
        device, secondary = _of_block(block)
        if device is not None:
            devices[device.address] = device
            if secondary:
                buses[f"{device.address[:-8]}:{secondary}"] = device.address
    found = {address: replace(device, parent=buses.get(address[:-5], "")) for address, device in devices.items()}
    return found or _of_vpp(text)


def _of_vpp(text: str) -> dict[str, PciDevice]:
    """VPP lists nothing but network devices."""
    devices = {}
    for match in filter(None, map(_VPP.match, text.splitlines())):
        link = LinkSpeed(float(match["speed"]), int(match["width"])) if match["speed"] else None
        devices[match["address"]] = PciDevice(
            match["address"],
            class_code=ETHERNET,
            ids=match["ids"],
            driver=match["driver"] or "",
            now=link,
            node=int(match["node"]) if match["node"].isdigit() else None,
        )
    return devices


def _blocks(text: str) -> Iterator[list[str]]:
    block: list[str] = []
    for line in text.splitlines():
        if _HEAD.match(line) and block:
            yield block
            block = []
        if block or _HEAD.match(line):
            block.append(line)
    if block:
        yield block


def _of_block(block: list[str]) -> tuple[PciDevice | None, str]:
    head = _HEAD.match(block[0])
    if head is None:
        return None, ""
    body = "\n".join(line.strip() for line in block[1:])
    ids, payload, aspm, node = (
        _IDS.search(head["name"]),
        _PAYLOAD.search(body),
        _ASPM.search(body),
        _NODE.search(body),
    )
    driver = re.search(r"Kernel driver in use: (\S+)", body)
    secondary = _SECONDARY.search(body)
    device = PciDevice(
        address=full_address(head["address"]),
        kind=head["kind"].strip(),
        class_code=head["class"] or "",
        ids=ids[1] if ids else "",
        name=_IDS.sub("", head["name"]).strip(),
        driver=driver[1] if driver else "",
        now=_link(_STATUS.search(body)),
        most=_link(_CAPABLE.search(body)),
        payload_bytes=int(payload[1]) if payload else None,
        read_bytes=int(payload[2]) if payload else None,
        aspm=aspm[1].strip() if aspm else "",
        node=int(node[1]) if node else None,
        denied="<access denied>" in body,
    )
    return device, secondary[1] if secondary else ""


def parse_address(text: str) -> str:
    """The address of a device as the user gives it, with its domain. UsageError for an invalid address."""
    if not re.fullmatch(r"(?:[0-9a-f]{4,5}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", text):
        raise UsageError(f"{text} is not a PCI address; give one such as 0000:05:00.0 (lspci -D lists them)")
    return full_address(text)


def full_address(address: str) -> str:
    """The address with its domain, which lspci omits if there is only one."""
    return address if address.count(":") == 2 else f"0000:{address}"


def _link(match: re.Match[str] | None) -> LinkSpeed | None:
    if match is None or match[1] == "unknown" or match[2] == "0":
        return None
    return LinkSpeed(float(match[1]), int(match[2]))


def parse_sysfs(text: str) -> dict[str, PciDevice]:
    """The devices of `tree /sys/bus/pci/devices/*…`, by address; of kernels that have no link files, without links."""
    files = tree(text)
    names: dict[str, list[str]] = {}
    for line in text.splitlines():
        if (
            match := re.fullmatch(r"/sys/bus/pci/devices/([^/]+)/(?:virtio\d+/)?net/([^/ ]+)", line.strip())
        ) is not None:
            names.setdefault(match[1], []).append(match[2])
    devices = {}
    for path, target in files.items():
        match = re.fullmatch(r"/sys/bus/pci/devices/([^/]+)", path)
        if match is not None:
            devices[match[1]] = _of_tree(match[1], target, files, tuple(names.get(match[1], ())))
    return devices


def _of_tree(address: str, target: str, files: Mapping[str, str], interfaces: tuple[str, ...]) -> PciDevice:
    def value(name: str) -> str:
        return files.get(f"/sys/bus/pci/devices/{address}/{name}", "")

    above = target.rstrip("/").split("/")[-2] if target.count("/") > 1 else ""
    node = value("numa_node")
    ids = ":".join(value(name).removeprefix("0x") for name in ("vendor", "device"))
    return PciDevice(
        address=address,
        class_code=value("class").removeprefix("0x")[:4],
        ids=ids if len(ids) > 1 else "",
        driver=value("driver").rpartition("/")[2],
        interfaces=interfaces,
        now=_sysfs_link(value("current_link_speed"), value("current_link_width")),
        most=_sysfs_link(value("max_link_speed"), value("max_link_width")),
        parent=above if re.fullmatch(r"[0-9a-f]{4,5}:[0-9a-f]{2}:[0-9a-f]{2}\.\d", above) else "",
        node=int(node) if node.isdigit() else None,
    )


def _sysfs_link(speed: str, width: str) -> LinkSpeed | None:
    """`5.0 GT/s PCIe`, older `5 GT/s`; "Unknown" and the widths 0 and 255 are of what has no link."""
    match = _SYSFS_SPEED.match(speed)
    if match is None or not width.isdigit() or not 0 < int(width) <= 32:
        return None
    return LinkSpeed(float(match[1]), int(width))


def merged(sysfs: Mapping[str, PciDevice], lspci: Mapping[str, PciDevice]) -> dict[str, PciDevice]:
    """Facts of both sources: drivers and topology from sysfs, names and payloads from lspci, the link from either."""
    return {address: _both(sysfs.get(address), lspci.get(address)) for address in sorted({*sysfs, *lspci})}


def _both(sysfs: PciDevice | None, lspci: PciDevice | None) -> PciDevice:
    if sysfs is None or lspci is None:
        found = sysfs or lspci
        assert found is not None
        return found
    return replace(
        lspci,
        class_code=lspci.class_code or sysfs.class_code,
        ids=lspci.ids or sysfs.ids,
        driver=sysfs.driver or lspci.driver,
        interfaces=sysfs.interfaces,
        now=sysfs.now or lspci.now,
        most=sysfs.most or lspci.most,
        parent=sysfs.parent or lspci.parent,
        node=lspci.node if sysfs.node is None else sysfs.node,
    )


def parse_dmesg(text: str) -> dict[str, LimitSaid]:
    """Drivers' messages about available bandwidth, the last one of each device. A message may be broken over two
    lines."""
    joined = re.sub(r"\n\s+(?=at [0-9a-f]{4})", " ", text)
    limits = {}
    for match in _DMESG.finditer(joined):
        now = LinkSpeed(float(match["speed"]), int(match["width"])) if match["speed"] else None
        most = LinkSpeed(float(match["max_speed"]), int(match["max_width"])) if match["max_speed"] else None
        limits[match["address"]] = LimitSaid(match["address"], match["at"] or "", now, most)
    return limits


def path_to_root(devices: Mapping[str, PciDevice], address: str) -> tuple[PciDevice, ...]:
    """The device and the bridges above it."""
    path: list[PciDevice] = []
    while (device := devices.get(address)) is not None and device not in path:
        path.append(device)
        address = device.parent
    return tuple(path)
