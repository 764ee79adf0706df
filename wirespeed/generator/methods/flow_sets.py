"""Flow sets: millions of flows through a stateful device (RFC 9693); an extension to T-Rex.

A set belongs to the owner of two ports. A phase begins, streams of the set send (`flow_set` of a stream), the phase
ends and returns its counts. A set ends when its initiator port is released.
"""

from __future__ import annotations

import ipaddress
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from wirespeed._native.flow_records import HDR_DIGITS, HDR_HIGHEST_NS, HDR_LOWEST_NS
from wirespeed._native.flow_sets import FlowPhase, FlowSetConfig, FlowSetCounts, NativeFlowSets
from wirespeed.generator import hdr
from wirespeed.generator.parameters import Byte, UInt16, UInt64, one_of, read
from wirespeed.generator.port import Port
from wirespeed.generator.registry import OwnedPort, method
from wirespeed.generator.rpc import Json, bad_parameters, failed
from wirespeed.seam.flow_sets import PhaseTotals

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

UInt32 = Annotated[int, "uint32"]

_PHASES = {"learn": FlowPhase.LEARN, "validate": FlowPhase.VALIDATE, "exchange": FlowPhase.EXCHANGE}
_SPARE_SHARE = 0.5
"""Share of the free memory that the tables of a set may take, at most."""


@method("open_flow_set", listed=False)
def open_flow_set(
    server: Server,
    port: OwnedPort,
    responder: Byte,
    responder_handler: str,
    sources: dict[str, Any],
    destinations: dict[str, Any],
    source_ports: dict[str, Any],
    destination_ports: dict[str, Any],
    flows: UInt32,
    seed: UInt64 = 1,
    protocol: str = "udp",
) -> Json:
    """`port_id` is the initiator. Ranges have a `first` one and a `count`."""
    one_of("protocol", protocol, ("udp", "tcp"))
    _responder(server, responder).check_handler(responder_handler)
    source, sources_count = _addresses("sources", sources)
    destination, destinations_count = _addresses("destinations", destinations)
    if len(source) != len(destination):
        raise failed("sources and destinations of a flow set must be of one family")
    config = FlowSetConfig(
        source=source,
        destination=destination,
        sources=sources_count,
        destinations=destinations_count,
        source_port=read(source_ports, "first", UInt16),
        source_ports=read(source_ports, "count", UInt32),
        destination_port=read(destination_ports, "first", UInt16),
        destination_ports=read(destination_ports, "count", UInt32),
        flows=flows,
        seed=seed,
        tcp=protocol == "tcp",
    )
    sets = NativeFlowSets(server.core)
    size_bytes = sets.bytes_of(config)
    _check_memory(size_bytes, flows)
    sets.open(port.index, responder, config)
    port.at_leave.append(lambda: sets.close(port.index))
    return {"bytes": size_bytes}


def _responder(server: Server, index: int) -> Port:
    if index >= len(server.ports):
        raise failed(f"invalid port id - should be: {' '.join(str(port.index) for port in server.ports)}")
    return server.ports[index]


def _addresses(name: str, given: Json) -> tuple[bytes, int]:
    text = read(given, "first", str)
    try:
        return ipaddress.ip_address(text).packed, read(given, "count", UInt32)
    except ValueError:
        raise bad_parameters(f"'{name}': {text!r} is not an IPv4 or IPv6 address") from None


def _check_memory(size_bytes: int, flows: int) -> None:
    free_bytes = _available_bytes(Path("/proc/meminfo").read_text())
    if size_bytes > free_bytes * _SPARE_SHARE:
        raise failed(
            f"{flows} flows take {size_bytes >> 20} MB in the generator, and {free_bytes >> 20} MB are free; at most "
            "half of that may be used: choose fewer flows"
        )


def _available_bytes(meminfo: str) -> int:
    line = next(line for line in meminfo.splitlines() if line.startswith("MemAvailable:"))
    return int(line.split()[1]) * 1024


@method("close_flow_set", listed=False)
def close_flow_set(server: Server, port: OwnedPort) -> Json:
    NativeFlowSets(server.core).close(port.index)
    return {}


@method("begin_flow_phase", listed=False)
def begin_flow_phase(server: Server, port: OwnedPort, phase: str, latency_every: UInt32 = 0) -> Json:
    """From now on only frames of this phase count, each kind from 0."""
    one_of("phase", phase, tuple(_PHASES))
    NativeFlowSets(server.core).begin(port.index, _PHASES[phase], latency_every)
    return {}


@method("end_flow_phase", listed=False)
def end_flow_phase(server: Server, port: OwnedPort) -> Json:
    """The counts of the phase; frames that arrive from now on are late."""
    NativeFlowSets(server.core).end(port.index)
    return _told(server, port)


@method("get_flow_set", listed=False)
def get_flow_set(server: Server, port: Port) -> Json:
    """The counts of the phase so far; the learnt flows are known when phase 1 has ended."""
    return _told(server, port)


def _told(server: Server, port: Port) -> Json:
    sets = NativeFlowSets(server.core)
    learnt = sets.learnt(port.index)
    return {
        "ts": server.core.now_s(),
        "initiator": _counts(sets, sets.counts(port.index, responder=False)),
        "responder": _counts(sets, sets.counts(port.index, responder=True)),
        "learnt": asdict(learnt),
    }


def _counts(sets: NativeFlowSets, counts: FlowSetCounts) -> Json:
    """Histograms as HdrHistogram's text, those that are not empty."""
    document: Json = {field.name: getattr(counts, field.name) for field in fields(PhaseTotals)}
    document["sending_s"] = (counts.last_tsc - counts.first_tsc) / sets.tsc_hz
    for name, histogram in (("hdrh_ns", counts.hdr), ("more_hdrh_ns", counts.more), ("less_hdrh_ns", counts.less)):
        if histogram:
            document[name] = hdr.encode(histogram, HDR_LOWEST_NS, HDR_HIGHEST_NS, HDR_DIGITS).decode()
    return document


@method("get_flow_tuple", listed=False)
def get_flow_tuple(server: Server, port: Port, flow: UInt32) -> Json:
    """Tuples of a flow as sent and as learnt (None if it was not), to inspect single flows."""
    sent, learnt = NativeFlowSets(server.core).tuple_of(port.index, flow)
    return {"sent": _tuple(sent), "learnt": None if learnt is None else _tuple(learnt)}


def _tuple(packed: bytes) -> Json:
    size = 4 if not any(packed[12:]) else 16
    source, destination = (ipaddress.ip_address(packed[at : at + size]) for at in (0, size))
    ports = packed[2 * size : 2 * size + 4]
    return {
        "source": str(source),
        "destination": str(destination),
        "source_port": int.from_bytes(ports[:2], "big"),
        "destination_port": int.from_bytes(ports[2:], "big"),
    }
