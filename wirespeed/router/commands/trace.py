"""Packet traces: the nodes that single packets pass.

- `trace add dpdk-input 100` traces the next 100 packets that enter the node on each worker, at every node that they
  enter then.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.router.packet_text import ethernet_line, payload_lines
from wirespeed.router.trace_filter import TraceFilter
from wirespeed.seam.graph import TraceStep

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_SHOWN_PACKETS = 50
# Nodes whose business is the Ethernet header alone, and those that look at what it carries alone.
_ETHERNET_NODES = ("ethernet-input",)
_UNDECIDED = 0xFFFFFFFF  # the adjacency of a packet that was not looked up
_PAYLOAD_NODES = ("ip4-", "icmp4-", "arp-", "ip6-", "icmp6-", "lookup-ip")


@command("trace add <node> <number>")
def add_trace(console: Console, words: Match) -> None:
    """Trace the next packets that enter a node, on each worker."""
    if not 1 <= words["number"] <= 1_000_000:
        raise UsageError(f"{words['number']} packets cannot be traced; give 1 to 1000000")
    console.core.add_trace(words["node"], words["number"])


@command("trace filter (include|exclude) <node> <number>")
def filter_shown(console: Console, words: Match) -> None:
    """Show only packets that passed a node (include) or did not (exclude), at most the given number."""
    console.trace_filter = TraceFilter("include" in words, words["node"], words["number"])


@command("trace filter prefix <prefix>")
def filter_traced(console: Console, words: Match) -> None:
    """Trace only packets from or to a prefix; pcap trace filter uses the same prefix."""
    console.core.filter_trace(words["prefix"].network)
    console.capture_prefix = words["prefix"].network


@command("trace filter none")
def filter_nothing(console: Console, words: Match) -> None:
    """Remove all filters of the trace."""
    console.core.filter_trace(None)
    console.trace_filter = console.capture_prefix = None


@command("show trace filter")
def show_filter(console: Console, words: Match) -> Iterator[str]:
    """Filters of the trace."""
    shown = console.trace_filter
    if shown is not None:
        kind = "include" if shown.includes else "exclude"
        yield f"trace filter {kind} {shown.node} {shown.count}"
    if console.capture_prefix is not None:
        yield f"trace filter prefix {console.capture_prefix}"
    if shown is None and console.capture_prefix is None:
        yield "trace filter none"


@command("clear trace")
def clear_trace(console: Console, words: Match) -> None:
    """Delete all traced packets."""
    console.core.clear_trace()


@command("show trace [max <number>]")
def show_trace(console: Console, words: Match) -> Iterator[str]:
    """Nodes of each traced packet, with time and headers."""
    names = {index: name for name, index in console.interface_names().items()}
    wanted = console.trace_filter
    for worker in range(console.core.worker_count()):
        yield f"------------------- Start of thread {worker + 1} {console.core.worker(worker).name} -------------------"
        # Packets travel as vectors, so the steps of several are interleaved in the order of nodes.
        steps = sorted(console.core.trace(worker), key=lambda step: step.packet)
        packets = [list(path) for _, path in groupby(steps, key=lambda step: step.packet)]
        if wanted is not None:
            packets = [path for path in packets if wanted.lets([step.node for step in path])][: wanted.count]
        if not packets:
            yield "No packets in trace buffer"
        for number, path in enumerate(packets, 1):
            if number > words.get("number", _SHOWN_PACKETS):
                yield f"Limiting display to {number - 1} packets; show trace max <number> shows more."
                break
            yield f"Packet {number}"
            yield ""
            for step, following in zip_longest(path, path[1:]):
                yield from _step(step, names, console)
                yield from _bonded(step, following, names)
            yield ""


def _step(step: TraceStep, names: dict[int, str], console: Console) -> Iterator[str]:
    if step.note:
        yield f"  {step.note}"
        return
    seconds, microseconds = divmod((step.tsc - console.started_tsc) * 1_000_000 // console.core.tsc_hz(), 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    yield f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}:{microseconds:06}: {step.node}"
    yield f"  {_ways(step, names)}"
    ethernet = ethernet_line(step.data)
    if ethernet is None:
        yield f"  runt of {step.packet_len} bytes: {step.data.hex()}"
        return
    if not step.node.startswith(_PAYLOAD_NODES):
        yield f"  {ethernet}"
    if step.node not in _ETHERNET_NODES:
        yield from (f"  {line}" for line in payload_lines(step.data))


def _bonded(step: TraceStep, following: TraceStep | None, names: dict[int, str]) -> Iterator[str]:
    """VPP's line about the decision of a bond's nodes, derived from the next step; none for dropped packets."""
    if following is None or ethernet_line(step.data) is None:
        return
    if step.node == "bond-input" and following.rx_interface != step.rx_interface:
        way = f"{names.get(step.rx_interface, 'deleted')} -> {names.get(following.rx_interface, 'deleted')}"
    elif step.node == "bond-tx" and step.tx_interface is not None and following.tx_interface is not None:
        bond = names.get(step.tx_interface, "deleted").split(".")[0]
        way = f"{bond} -> {names.get(following.tx_interface, 'deleted')}"
    else:
        return
    yield f"  src {step.data[6:12].hex(':')}, dst {step.data[0:6].hex(':')}, {way}"


def _ways(step: TraceStep, names: dict[int, str]) -> str:
    """Interfaces may have been deleted since."""
    out = f" tx {names.get(step.tx_interface, 'deleted')}" if step.tx_interface is not None else ""
    if out and step.adjacency != _UNDECIDED:
        out += f" adjacency {step.adjacency}"
    return f"rx {names.get(step.rx_interface, 'deleted')}{out} length {step.packet_len}"
