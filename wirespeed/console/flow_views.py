"""Tables of streams, flow statistics and latency. Pure: readings in, tables out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from wirespeed.console.readings import ERRORS, FlowStatistics, LatencyStatistics, StreamReading
from wirespeed.console.tables import RULE, ConsoleRow, ConsoleTable
from wirespeed.units import format_si, l1_bps

BAD = "bold red"


def stream_table(streams: Sequence[StreamReading], title: str) -> ConsoleTable:
    """Streams of one port."""
    rows = tuple(
        ConsoleRow(
            str(stream.stream_id),
            (
                stream.name,
                stream.profile,
                packet_type(stream.packet),
                str(stream.frame_bytes),
                stream.mode,
                stream.rate,
                format_pg_id(stream),
                "-" if stream.next_id < 0 else str(stream.next_id),
            ),
        )
        for stream in streams
    )
    headings = ("ID", "name", "profile", "packet type", "length", "mode", "rate", "PG ID", "next")
    return ConsoleTable(title, headings, rows, align="center", least=6)


def format_pg_id(stream: StreamReading) -> str:
    if stream.pg_id is None:
        return "-"
    return f"latency: {stream.pg_id}" if stream.latency else str(stream.pg_id)


def _to_transport(layers: list[str]) -> list[str]:
    """Bytes behind the transport header are a test's payload; scapy would guess a protocol from the port numbers."""
    ends = [index for index, name in enumerate(layers) if name in ("UDP", "TCP", "SCTP", "ICMP")]
    return [*layers[: ends[0] + 1], "Raw"] if ends and len(layers) > ends[0] + 1 else layers


@lru_cache(maxsize=4096)
def packet_type(packet: bytes) -> str:
    """`Ethernet:IP:UDP:Raw`."""
    from wirespeed.scapy_layers import Ether  # noqa: PLC0415 - takes long to import

    try:
        layers = _to_transport([layer.__name__ for layer in Ether(packet).layers()])
    except Exception:  # scapy lets through whatever a dissector stumbles over
        return f"{len(packet)} bytes"
    return ":".join({"Ether": "Ethernet", "Padding": "Raw"}.get(name, name) for name in layers)


def packet_summary(packet: bytes) -> str:
    """One line about a packet, as scapy puts it."""
    from wirespeed.scapy_layers import Ether  # noqa: PLC0415 - takes long to import

    try:
        return str(Ether(packet).summary())
    except Exception:  # as above
        return f"{len(packet)} bytes that cannot be dissected"


def flow_table(flows: Sequence[FlowStatistics]) -> ConsoleTable:
    """Streams statistics: one column for each packet group."""

    def row(name: str, text: Callable[[FlowStatistics], str]) -> ConsoleRow:
        return ConsoleRow(name, tuple(text(one) for one in flows))

    rows = (
        row("Tx pps", lambda one: format_si(one.tx_pps, "pps")),
        row("Tx bps L2", lambda one: format_si(one.tx_bps, "bps")),
        row("Tx bps L1", lambda one: format_si(l1_bps(one.tx_bps, one.tx_pps), "bps")),
        RULE,
        row("Rx pps", lambda one: format_si(one.rx_pps, "pps")),
        row("Rx bps", lambda one: format_si(one.rx_bps, "bps")),
        RULE,
        row("opackets", lambda one: str(one.tx_packets)),
        row("ipackets", lambda one: str(one.rx_packets)),
        row("obytes", lambda one: str(one.tx_bytes)),
        row("ibytes", lambda one: str(one.rx_bytes)),
        RULE,
        row("tx-pkts", lambda one: format_si(one.tx_packets, "pkts")),
        row("rx-pkts", lambda one: format_si(one.rx_packets, "pkts")),
        row("tx-bytes", lambda one: format_si(one.tx_bytes, "B")),
        row("rx-bytes", lambda one: format_si(one.rx_bytes, "B")),
    )
    return ConsoleTable("Streams Statistics", ("PG ID", *(str(one.pg_id) for one in flows)), rows)


def latency_table(flows: Sequence[FlowStatistics]) -> ConsoleTable:
    """Microseconds, one column for each packet group that measures latency."""
    measured = _measured(flows)

    def row(name: str, text: Callable[[LatencyStatistics], str], styles: tuple[str, ...] = ()) -> ConsoleRow:
        return ConsoleRow(name, tuple(text(latency) for _, latency in measured), styles)

    wrong = tuple(BAD if any(latency.errors.values()) else "" for _, latency in measured)
    rows = (
        ConsoleRow("TX pkts", tuple(str(flow.tx_packets) for flow, _ in measured)),
        ConsoleRow("RX pkts", tuple(str(flow.rx_packets) for flow, _ in measured)),
        row("Max latency", lambda one: f"{one.max_us:g}"),
        row("Min latency", lambda one: f"{one.min_us:g}"),
        row("Avg latency", lambda one: f"{one.average_us:g}"),
        row("Last max", lambda one: f"{one.last_max_us:g}"),
        RULE,
        row("Jitter", lambda one: f"{one.jitter_us:g}"),
        RULE,
        row("Errors", lambda one: str(sum(one.errors.values())), wrong),
    )
    return ConsoleTable("Latency Statistics (µs)", ("PG ID", *(str(flow.pg_id) for flow, _ in measured)), rows)


def floor_note(floors: Mapping[str, Mapping[str, float]]) -> str:
    """Note with the baseline latency that the generator measured at its start; empty if it did not."""
    return "".join(
        f"\nof it the medium's own, from port {port}: at least {floor['min_us']:.2f} µs, median "
        f"{floor['median_us']:.2f}, 99 % {floor['p99_us']:.2f}"
        for port, floor in floors.items()
    )


def histogram_table(flows: Sequence[FlowStatistics]) -> ConsoleTable:
    """Packets by latency, the slowest first, and the sequence errors."""
    measured = _measured(flows)
    bins = sorted({low for _, latency in measured for low, _ in latency.histogram}, reverse=True)
    counts = [dict(latency.histogram) for _, latency in measured]
    rows = [ConsoleRow(str(low), tuple(str(one[low]) if low in one else "" for one in counts)) for low in bins]
    rows.append(RULE)
    for name in ERRORS.values():
        cells = tuple(str(latency.errors[name]) for _, latency in measured)
        rows.append(ConsoleRow(name, cells, tuple("" if cell == "0" else BAD for cell in cells)))
    return ConsoleTable("Latency Histogram (µs)", ("PG ID", *(str(flow.pg_id) for flow, _ in measured)), tuple(rows))


def _measured(flows: Sequence[FlowStatistics]) -> list[tuple[FlowStatistics, LatencyStatistics]]:
    return [(flow, flow.latency) for flow in flows if flow.latency is not None]
