"""Interface counters: state, packets, addresses, drivers.

- Interfaces are numbered from 1 and `local0` is not shown. Sub-interfaces and loopbacks are counted by the router,
  ports by their drivers. `show hardware-interfaces` shows ports only. Both `clear` commands do the same. On input arcs
  all interfaces share one node.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from wirespeed.router.columns import centre, speed
from wirespeed.router.commands.ip6 import dad_word
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.router.interface_numbers import shown_index
from wirespeed.router.pci import pci_device
from wirespeed.seam.interfaces import InterfaceCounters, InterfaceKind, Mode, MtuKind

if TYPE_CHECKING:
    from wirespeed.router.console import Console
    from wirespeed.seam.ports import PortDevice, PortInfo

_WORDS_WIDTH = 52
_COUNTERS = {
    "rx packets": "rx_packets",
    "rx bytes": "rx_bytes",
    "tx packets": "tx_packets",
    "tx bytes": "tx_bytes",
    "drops": "drops",
    "punt": "punts",
    "ip4": "ip4",
    "ip6": "ip6",
    "mpls": "mpls",
    "rx-no-buf": "rx_no_buffer",
    "rx-miss": "rx_missed",
    "rx-error": "rx_errors",
    "tx-error": "tx_errors",
}


@command("show interface [<interface>...]")
def show_interface(console: Console, words: Match) -> Iterator[str]:
    """State, MTU and counters of the interfaces, since clear interfaces."""
    yield (
        centre("Name", 32)
        + centre("Idx", 5)
        + centre("State", 10)
        + centre("MTU (L3/IP4/IP6/MPLS)", 21)
        + centre("Counter", 16)
        + centre("Count", 16)
    )
    for index in console.interfaces(words.all("interface")):
        face = console.core.interface(index)
        state = "up" if face.admin_up else "down"
        mtus = "/".join(str(mtu) for mtu in face.mtus[MtuKind.L3 :])
        head = f"{face.name:<32}{centre(shown_index(index), 5)}{centre(state, 10)}{centre(mtus, 21)}"
        counted = list(_counted(console.statistics.interface(index)))
        yield head + (counted[0] if counted else "")
        yield from (" " * len(head) + line for line in counted[1:])


def _counted(counters: InterfaceCounters) -> Iterator[str]:
    for label, name in _COUNTERS.items():
        count = getattr(counters, name)
        if count:
            yield f"{label:<16}{count:>16}"


@command(
    "clear interfaces [<interface>...]",
    "clear interface [<interface>...]",
    "clear hardware-interfaces [<interface>...]",
)
def clear_interfaces(console: Console, words: Match) -> None:
    """Set the counters of show interface to 0, including those of the driver."""
    for index in console.interfaces(words.all("interface")):
        console.statistics.clear_interface(index)


@command("show interface features [<interface>...]")
def show_interface_features(console: Console, words: Match) -> Iterator[str]:
    """Active features of each arc."""
    nodes = set(console.node_names())
    features = list(console.core.features())
    for index in console.interfaces(words.all("interface")):
        name = console.core.interface(index).name
        yield f"Feature paths configured on {name}..."
        for arc, of_arc in groupby(features, key=lambda feature: feature.arc):
            own = [node for feature in of_arc if (node := feature.node.replace("%", name)) in nodes]
            yield ""
            yield f"{arc}:"
            yield from (f"  {node}" for node in own or ["none configured"])
        yield ""


@command("show interface address [<interface>...]")
def show_interface_address(console: Console, words: Match) -> Iterator[str]:
    """Addresses of the interfaces, or their cross-connect."""
    for index in console.interfaces(words.all("interface")):
        face = console.core.interface(index)
        yield f"{face.name} ({'up' if face.admin_up else 'dn'}):"
        if face.mode is Mode.XCONNECT:
            yield f"  L2 xconnect {console.core.interface(face.xconnect_to).name}"
        elif face.bridge_domain:
            bvi = " bvi" if face.is_bvi else ""
            yield f"  L2 bridge bd-id {face.bridge_domain} idx {face.bridge_domain} shg {face.split_horizon_group}{bvi}"
        yield from (f"  L3 {address}{dad_word(console, index, address.ip)}" for address in face.addresses)
        if face.unnumbered_of is not None:
            lender = console.core.interface(face.unnumbered_of)
            yield f"  unnumbered, use {lender.name}"
            yield from (f"  L3 {address}" for address in lender.addresses)


@command("show interface tag [<interface>...]")
def show_interface_tag(console: Console, words: Match) -> Iterator[str]:
    """Tags of the interfaces."""
    for index in console.interfaces(words.all("interface")):
        if index in console.tags:
            yield f"{console.core.interface(index).name}: {console.tags[index]}"


def _ports(console: Console, chosen: Sequence[int] = ()) -> list[int]:
    """Ports among the chosen interfaces, or among all."""
    return [i for i in console.interfaces(chosen) if console.core.interface(i).kind is InterfaceKind.PORT]


@command("show hardware-interfaces [brief|verbose|detail] [<interface>...]")
@command("show hardware-interfaces <interface>... (brief|verbose|detail)")
def show_hardware(console: Console, words: Match) -> Iterator[str]:
    """Link, queues and driver of the ports; detail: driver counters."""
    yield centre("Name", 32) + centre("Idx", 6) + centre("Link", 8) + "Hardware"
    for index in _ports(console, words.all("interface")):
        port = console.core.port(index)
        link = "up" if port.link_up else "down"
        yield f"{port.name:<32}{centre(shown_index(index), 6)}{centre(link, 8)}{port.name}"
        yield f"  Link speed: {speed(port.speed_bps)}"
        yield from _queues(console, index)
        if "brief" not in words:
            yield from _driver(console, index)
        if "detail" in words:
            yield from _driver_counters(console, index)


def _queues(console: Console, index: int) -> Iterator[str]:
    port, workers = console.core.port(index), console.core.worker_count()
    yield "  RX Queues:"
    yield "    queue thread         mode      "
    for queue in range(port.rx_queues):
        worker = console.core.placement(index, queue)
        thread = f"{console.core.worker(worker).name} ({worker + 1})"
        yield f"    {queue:<6}{thread:<15}{console.core.rx_mode(index, queue).name.lower():<10}"
    yield "  TX Queues:"
    yield "    queue shared thread(s)      "
    for queue in range(port.tx_queues):
        threads = [str(worker + 1) for worker in range(workers) if worker % port.tx_queues == queue]
        yield f"    {queue:<6}{'yes' if len(threads) > 1 else 'no':<7}{','.join(threads)}"


def _driver(console: Console, index: int) -> Iterator[str]:
    port, face = console.core.port(index), console.core.interface(index)
    yield f"  Ethernet address {face.mac}"
    yield f"  {port.driver}"
    yield f"    carrier {'up' if port.link_up else 'down'} full duplex max-frame-size {port.mtu + 18} "
    yield f"    flags: {'admin-up' if face.admin_up else 'admin-down'}"
    yield (
        f"    rx: queues {port.rx_queues} (max {port.max_rx_queues}), "
        f"desc {port.rx_descriptors} (min {port.min_rx_descriptors} max {port.max_rx_descriptors})"
    )
    yield (
        f"    tx: queues {port.tx_queues} (max {port.max_tx_queues}), "
        f"desc {port.tx_descriptors} (min {port.min_tx_descriptors} max {port.max_tx_descriptors})"
    )
    yield from _place(port)
    device = console.core.port_device(index)
    if device is None:
        yield f"    promiscuous: unicast {_on(port.promiscuous)}"
    else:
        yield from _offers(port, device)


def _on(value: bool) -> str:
    return "on" if value else "off"


def _place(port: PortInfo) -> Iterator[str]:
    """Lines with the device's address and the speed of its link to the CPU."""
    pci = None if port.is_virtual else pci_device(port.bus_address)
    if pci is None:
        where = "device" if port.is_virtual else "pci: address"
        yield f"    {where} {port.bus_address} numa {max(port.numa, 0)}"
        return
    domain, bus, slot = port.bus_address.split(":")
    device, _, function = slot.partition(".")
    address = f"{domain}:{bus}:{device}.{int(function):02x}"
    yield f"    pci: device {pci.device} subsystem {pci.subsystem} address {address} numa {max(port.numa, 0)}"
    yield f"    pci link: {pci.link}, {pci.most_link} at most"


def _offers(port: PortInfo, device: PortDevice) -> Iterator[str]:
    if device.max_rx_packet and device.max_rx_packet < 1 << 31:
        yield f"    max rx packet len: {device.max_rx_packet}"
    yield f"    promiscuous: unicast {_on(port.promiscuous)} all-multicast {_on(device.all_multicast)}"
    stripped, filtered = "vlan-strip" in device.rx_active, "vlan-filter" in device.rx_active
    qinq = "qinq-strip" in device.rx_active
    yield f"    vlan offload: strip {_on(stripped)} filter {_on(filtered)} qinq {_on(qinq)}"
    yield from _words("rx offload avail", device.rx_offered)
    yield from _words("rx offload active", device.rx_active)
    yield from _words("tx offload avail", device.tx_offered)
    yield from _words("tx offload active", device.tx_active)
    yield from _words("rss avail", device.hash_offered)
    yield from _words("rss active", device.hash_active)
    if device.hash_active:
        yield f"    rss table: {device.reta_size} entries, key of {device.hash_key_bytes} bytes"
    for path, burst in (("tx", device.tx_burst), ("rx", device.rx_burst)):
        yield f"    {path} burst function: {burst or '(not available)'}"


def _words(label: str, words: Sequence[str]) -> Iterator[str]:
    """A label and its words, as many in a line as fit, the further lines below the first word."""
    wrapped = textwrap.wrap(" ".join(words), _WORDS_WIDTH, break_on_hyphens=False) or ["none"]
    for number, line in enumerate(wrapped):
        yield f"    {label + ':' if number == 0 else '':<19}{line}"


def _driver_counters(console: Console, index: int) -> Iterator[str]:
    counters = console.core.port_counters(index)
    rows = (
        ("tx frames ok", counters.tx_packets),
        ("tx bytes ok", counters.tx_bytes),
        ("tx errors", counters.tx_errors),
        ("rx frames ok", counters.rx_packets),
        ("rx bytes ok", counters.rx_bytes),
        ("rx missed", counters.rx_missed),
        ("rx errors", counters.rx_errors),
        ("rx no bufs", counters.rx_no_buffer),
    )
    yield from (f"    {label:<36}{count:>20}" for label, count in rows if count)
