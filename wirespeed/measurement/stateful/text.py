"""The report of RFC 9693. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wirespeed.measurement.rfc.text import Grid, RfcText, lossy, whole
from wirespeed.measurement.stateful.result import (
    CapacityRow,
    FoundRow,
    Ranges,
    RateRow,
    Row,
    StatefulResult,
    StateLatencyRow,
    StateLossRow,
    StateThroughputRow,
    TearDownRow,
    Test,
    percentile,
)
from wirespeed.measurement.verdicts import LIMITED_BY
from wirespeed.results.figures import NOTHING, percent_text
from wirespeed.results.verdict import LIMITS

WITHOUT = "off"
WITH = "as is"


class StatefulText(RfcText[StatefulResult]):
    rfc = "RFC 9693"
    titles: ClassVar = {
        "rate": "Connection establishment rate",
        "throughput": "Throughput over states",
        "frame-loss": "Frame loss rate over states",
        "latency": "Latency over states",
        "tear-down": "Tear-down rate",
        "capacity": "Capacity of the state table",
    }

    def named(self, result: StatefulResult) -> str:
        return self.rfc if result.method.transport == "udp" else "TCP connections"

    def setup(self, result: StatefulResult) -> Iterator[str]:
        method = result.method
        if result.filter:
            yield f"Filter: {result.filter}"
        yield f"State table: {table_text(result)}"
        yield f"Protocol: {method.protocol}, frames of {method.frame} bytes with FCS"
        yield from map(ranges_text, method.ranges)
        yield (
            f"Repeats: {method.repeats}, latency {method.latency_repeats}; trials over states of {method.trial_s:g} s; "
            f"search resolution {method.resolution * 100:g} %; alpha {method.alpha:g}; flows are opened for the other "
            f"tests at {method.opening * 100:g} % of the rate; {method.rest_s:g} s before each trial"
        )

    def grid(self, result: StatefulResult, test: Test) -> Grid:
        match test:
            case "rate":
                return _rate(result.rate)
            case "throughput":
                return _throughput(result.throughput)
            case "frame-loss":
                return _frame_loss(result.frame_loss)
            case "latency":
                return _latency(result.latency)
            case "tear-down":
                return _tear_down(result.tear_down)
            case "capacity":
                return _capacity(result.capacity)

    def sentences(self, result: StatefulResult, test: Test) -> Iterator[str]:
        method = result.method
        match test:
            case "rate":
                arrived = "arrived" if method.transport == "udp" else "had its SYN, SYN-ACK and ACK arrive,"
                yield (
                    f"A rate counts where each of the flows {arrived} with a tuple of its own, and the responder's "
                    f"frame over each of them came back, sent at {method.alpha:g} of the rate. Unvalidated: without "
                    "that proof."
                )
            case "latency":
                yield (
                    "All frames are timed. Typical is the median, worst the 99.9th percentile, PDV that less the "
                    "least; IPDV is the latency of a frame less that of the frame sent before it. Values are medians "
                    "of the repeats."
                )
            case "tear-down":
                yield "Entries a second, flushed as a whole; the command's time on an empty table is taken off."
            case "capacity":
                for row in result.capacity:
                    yield f"{row.subject}: {steps_text(row)}"
                yield (
                    f"Flows doubled until their validated rate fell below {method.beta:g} (beta) of the one before; "
                    f"the number between was halved to {method.capacity_error * 100:g} % (E) by {method.gamma:g} "
                    "(gamma)."
                )


TEXT = StatefulText()


def table_text(result: StatefulResult) -> str:
    """The facts on the DUT's table that §6 requires: limit, hash size, states per bucket, timeouts."""
    table = result.table
    if table is None:
        timeout_s = result.method.timeout_s
        name = result.method.transport.upper()
        return "not read" + ("" if timeout_s is None else f"; {name} timeout {timeout_s:g} s, as given")
    parts = [] if table.limit is None else [f"at most {table.limit:,} entries"]
    if table.buckets is not None:
        most = max(result.method.flows) * table.entries_per_flow
        parts.append(f"{table.buckets:,} buckets, {most / table.buckets:.3g} entries per bucket at {most:,}")
    if table.entries_per_flow != 1:
        parts.append(f"{table.entries_per_flow} entries a flow")
    parts += [f"{name} {seconds:g} s" for name, seconds in table.timeouts_of(result.method.transport).items()]
    if table.nat_ports is not None:
        parts.append(f"{table.nat_ports:,} ports of NAT a public address and destination")
    parts.append(f"{table.used:,} entries before the test; a reading takes {table.took_s * 1e3:.0f} ms")
    return "; ".join(parts)


def ranges_text(ranges: Ranges) -> str:
    """`1,000,000 flows of 1,000,000 tuples: 16.0.0.1 ports 1024 to 51023, to 48.0.0.1 ports 5001 to 5020`."""

    def side(address: str, count: int, port: int, ports: int) -> str:
        more = f" and the {count - 1} after it" if count > 1 else ""
        return f"{address}{more}, " + (f"ports {port} to {port + ports - 1}" if ports > 1 else f"port {port}")

    initiator = side(ranges.source, ranges.sources, ranges.source_port, ranges.source_ports)
    responder = side(ranges.destination, ranges.destinations, ranges.destination_port, ranges.destination_ports)
    return f"{ranges.flows:,} of {ranges.tuples:,} tuples: {initiator}; to {responder}"


def _least(row: FoundRow) -> str:
    """A lower bound, if tester or host ended the search."""
    return "≥ " if row.is_at_least else ""


def _flows(row: Row) -> tuple[str, str]:
    return f"{row.flows:,}", f"{row.addresses:,}"


def _filter(row: Row) -> str:
    return WITH if row.filtered else WITHOUT


def _found(row: FoundRow) -> tuple[str, ...]:
    least = _least(row) if row.found else ""
    values = (least + whole(row.median), whole(row.p1), whole(row.p99), whole(row.error), str(len(row.found)))
    return (*values, LIMITS[LIMITED_BY[row.limit]] if row.found else NOTHING, whole(row.states))


_FOUND = ("1 %", "99 %", "error", "repeats", "limit", "states in use")


def _rate(rows: Sequence[RateRow]) -> Grid:
    head = ("flows", "addresses", "filter", "flows/s", *_FOUND, "unvalidated")
    cells = []
    for row in rows:
        unvalidated = whole(row.unvalidated) if row.found else NOTHING
        cells.append((*_flows(row), _filter(row), *_found(row), unvalidated))
    return head, cells


def _throughput(rows: Sequence[StateThroughputRow]) -> Grid:
    head = ("flows", "addresses", "sends", "filter", "frames/s each way", *_FOUND, "% of line", "opened at flows/s")
    cells = []
    for row in rows:
        line = None if row.median is None or not row.line_pps else row.median / row.line_pps * 100
        cells.append((*_flows(row), row.way, _filter(row), *_found(row), percent_text(line), whole(row.opened_at)))
    return head, cells


def _frame_loss(rows: Sequence[StateLossRow]) -> Grid:
    return (
        ("flows", "addresses", "sends", "filter", "input % of line", "offered fps", "loss %", "states in use"),
        [
            (
                *(*_flows(row), row.way, _filter(row), f"{point.intended_percent:g}", whole(point.offered_pps)),
                *(lossy(point.loss_percent), whole(row.states)),
            )
            for row in rows
            for point in row.points
        ],
    )


def _latency(rows: Sequence[StateLatencyRow]) -> Grid:
    head = (
        *("flows", "addresses", "sends", "filter", "direction", "load fps"),
        *("of", "us", "1 %", "99 %", "repeats", "frames"),
    )
    lines = []
    for row in rows:
        of = (*_flows(row), row.way, _filter(row), row.direction, whole(row.load_pps))
        for name, values in row.quantities.items():
            times = (percentile(values, share) for share in (50, 1, 99))
            cells = (NOTHING if value is None else f"{value:.1f}" for value in times)
            lines.append((*of, name, *cells, str(len(values)), whole(row.frames)))
    return head, lines


def _tear_down(rows: Sequence[TearDownRow]) -> Grid:
    head = ("flows", "addresses", "entries/s", "1 %", "99 %", "repeats", "entries", "left", "flush ms", "empty ms")
    lines = []
    for row in rows:
        rates = (whole(value) for value in (row.median, percentile(row.rates, 1), percentile(row.rates, 99)))
        cells = [*_flows(row), *rates, str(len(row.flushes)), whole(row.states)]
        last = row.flushes[-1] if row.flushes else None
        cells += (
            [NOTHING] * 3
            if last is None
            else [whole(last.left), f"{last.took_s * 1e3:.1f}", f"{last.idle_s * 1e3:.1f}"]
        )
        lines.append(cells)
    return head, lines


def _capacity(rows: Sequence[CapacityRow]) -> Grid:
    head = ("flows", "addresses", "capacity", "1 %", "99 %", "full at", "repeats", "states in use")
    cells = []
    for row in rows:
        numbers = (whole(percentile(row.found, share)) for share in (50, 1, 99))
        cells.append((*_flows(row), *numbers, whole(row.full_at), str(len(row.found)), whole(row.states)))
    return head, cells


def steps_text(row: CapacityRow) -> str:
    """The steps of the last repeat: `10,000 at 11 200, … 160,000 collapsed`."""
    last = row.steps[-1].repeat if row.steps else 0
    steps = [one for one in row.steps if one.repeat == last]
    rates = (f"{one.flows:,} " + ("collapsed" if one.rate is None else f"at {whole(one.rate)}") for one in steps)
    return f"{capacity_text(row)}; flows and their rate, flows/s: {', '.join(rates) or NOTHING}."


def capacity_text(row: CapacityRow) -> str:
    """`capacity 99,994 flows, full at 100,040`."""
    if row.capacity is None:
        return f"no capacity: {row.left_out}"
    full = "no number tried was too many" if row.full_at is None else f"full at {row.full_at:,}"
    return f"capacity {'≥ ' if row.full_at is None else ''}{row.capacity:,} flows, {full}"
