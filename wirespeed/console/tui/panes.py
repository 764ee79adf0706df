"""The panes of the live view as text. Pure: a second in, rich text out."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from wirespeed.console.flow_views import packet_type
from wirespeed.console.port_views import BAD, GOOD, count_styles, format_line
from wirespeed.console.readings import PortReading, total
from wirespeed.console.tables import ConsoleRow, ConsoleTable, render, render_compact
from wirespeed.console.tui.live import MINUTE, Live, Minute, sparkline
from wirespeed.units import format_si

TX, RX, WARN = "cyan", "green", "bold yellow"
LINES_OF_OTHERS = 20
"""Lines of a terminal that the rest of the view needs at least."""

WIDE = 72
"""Columns of a terminal from which on there is room for a word of sixteen letters a port."""

SHORT = 19
"""Lines of a terminal below which the ports have their most telling rows alone, without rules."""

FLAT = 21
"""Lines below which the last minute is left out."""

TALL = 34
"""Lines of a terminal from which on there is room for the counters."""


def head(server: str, version: str, live: Live | None, trouble: str) -> Text:
    """One line: where, how loaded, what."""
    text = Text.assemble((" wirespeed ", "bold reverse"), f" {server}", no_wrap=True, overflow="ellipsis")
    if trouble:
        text.append(f"  {trouble}", BAD)
    elif live is not None:
        drops, late = (sum(getattr(one, name) for one in live.missing) for name in ("drops_pps", "late_pps"))
        text.append(f"  cpu {float(live.stats.get('m_cpu_util') or 0):.0f} %")
        text.append(f"  drops {format_si(drops, 'pps')}", BAD if drops else "")
        if late:
            text.append(f"  late {format_si(late, 'pps')}", WARN)
        else:
            text.append(f"  {version}", "dim")
    return text


def ports(live: Live, columns: int, lines: int) -> Text:
    """T-Rex's port statistics with the loss; on a tall terminal with all counters, on a short one with the fewest."""
    readings = [*live.ports, total(live.ports)] if len(live.ports) > 1 else list(live.ports)
    headings = [f"port {reading.port}" if reading.port is not None else "total" for reading in readings]

    def row(
        name: str, text: Callable[[PortReading], str], style: str | tuple[str, ...] = "", each: bool = False
    ) -> ConsoleRow:
        return ConsoleRow(name, tuple("" if each and port.port is None else text(port) for port in readings), style)

    def count(name: str, bad: bool = False) -> ConsoleRow:
        return row(name, lambda reading: str(reading.counters[name]), count_styles(readings, name) if bad else "")

    def lacking(name: str, values: list[float], style: str) -> ConsoleRow:
        shown = [*values, sum(values)][: len(readings)]
        cells = tuple(format_si(value, "pps") for value in shown)
        return ConsoleRow(name, cells, tuple(style if value else "" for value in shown))

    least = 16 if columns >= WIDE else 12
    states = tuple(GOOD if reading.sends else "" if reading.link_up else BAD for reading in readings)
    state = row("state", _state, states, each=True)
    sent = row("Tx pps", lambda reading: format_si(reading.tx_pps, "pps"), TX)
    share = row("Line Util.", format_line, each=True)
    received = row("Rx pps", lambda reading: format_si(reading.rx_pps, "pps"), RX)
    drops = lacking("drops", [reading.drops_pps for reading in live.missing], BAD)
    if lines < SHORT:
        return render_compact(ConsoleTable("", ("", *headings), (state, sent, share, received, drops), least=least))
    rows = [
        row("owner", lambda reading: reading.owner or "-", each=True),
        state,
        row("Tx bps L2", lambda reading: format_si(reading.tx_bps, "bps")),
        row("Tx bps L1", lambda reading: format_si(reading.tx_l1_bps, "bps")),
        sent,
        share,
        row("Rx bps", lambda reading: format_si(reading.rx_bps, "bps")),
        received,
        drops,
    ]
    if lines >= TALL:
        known = [
            name for name in ("intended", "refused", "late") if all(name in reading.counters for reading in live.ports)
        ]
        rows += [count(name) for name in ("opackets", "ipackets")]
        rows += [count(name, bad=name != "intended") for name in known]
        rows += [count(name, bad=True) for name in ("oerrors", "ierrors")]
    return render(ConsoleTable("", ("", *headings), tuple(rows), least=least))


def _state(reading: PortReading) -> str:
    return reading.state if reading.link_up else "LINK DOWN"


def minute(live: Live, history: Minute, columns: int, lines: int) -> Text:
    """One line for each port: sent and received in the last minute, all on one scale that begins at 0.

    As many ports as the terminal's height leaves room for.
    """
    shown = max(1, lines - LINES_OF_OTHERS)
    hidden = f", {len(live.ports) - shown} more ports" if len(live.ports) > shown else ""
    width = min(MINUTE, max(8, (columns - 36) // 2))
    ceiling = max([0.0, *(value for each in (*history.tx_pps, *history.rx_pps) for value in each)])
    text = [Text(f"the last minute, from 0 to {format_si(ceiling, 'pps')}{hidden}", "dim")]
    for place, reading in enumerate(live.ports[:shown]):
        tx, rx = (sparkline(each[place], width, ceiling) for each in (history.tx_pps, history.rx_pps))
        text.append(
            Text.assemble(
                f"{reading.port} tx ",
                (tx, TX),
                f" {format_si(reading.tx_pps, 'pps'):<12}",
                " rx ",
                (rx, RX),
                f" {format_si(reading.rx_pps, 'pps'):<12}",
            )
        )
    return Text("\n").join(text)


def streams(live: Live) -> Text:
    """Loaded streams; rates are measured if a stream counts its packets."""
    if not live.streams:
        return Text("no streams are loaded; start -f stl/bench.py -m 10kpps", "dim")
    flows = {flow.pg_id: flow for flow in live.flows}
    packets = [packet_type(one.packet) for one in live.streams]
    width = max(map(len, packets))
    rows = []
    for stream, packet in zip(live.streams, packets, strict=True):
        flow = flows.get(stream.pg_id) if stream.pg_id is not None else None
        measured = ("-", "-") if flow is None else (format_si(flow.tx_pps, "pps"), format_si(flow.rx_pps, "pps"))
        rate = stream.rate if stream.mode == "Continuous" else f"{stream.mode}, {stream.rate}"
        group = "-" if stream.pg_id is None else f"{stream.pg_id}{' latency' if stream.latency else ''}"
        rows.append(
            ConsoleRow(
                f"{stream.port}.{stream.stream_id}",
                (packet.ljust(width), str(stream.frame_bytes), rate, group, *measured),
            )
        )
    headings = ("stream", "packet".ljust(width), "length", "own rate", "PG ID", "Tx pps", "Rx pps")
    text = render_compact(ConsoleTable("", headings, tuple(rows), least=5))
    if live.more_streams:
        text.append(f"\nand {live.more_streams} more; `streams` lists them", "dim")
    return text


def latency(live: Live) -> Text:
    """One line for each packet group that measures latency, in microseconds."""
    rows = []
    for flow in live.flows:
        if (one := flow.latency) is not None:
            wrong = sum(one.errors.values())
            figures = (one.min_us, one.average_us, one.max_us, one.last_max_us, one.jitter_us)
            cells = (str(flow.tx_packets), str(flow.rx_packets), *(f"{value:g}" for value in figures), str(wrong))
            rows.append(ConsoleRow(str(flow.pg_id), cells, ("",) * 7 + (BAD if wrong else "",)))
    if not rows:
        return Text("no stream measures latency; start -f stl/bench.py -t size=128,flow=fsl", "dim")
    headings = ("PG ID", "Tx pkts", "Rx pkts", "min µs", "avg", "max", "last max", "jitter", "errors")
    return render_compact(ConsoleTable("", headings, tuple(rows), least=6))
