"""The report of RFC 9693. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirespeed.measurement.rfc.loss import LossPoint
from wirespeed.measurement.rfc.text import RfcTable, RfcText, at_least, lossy, whole
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
from wirespeed.measurement.stateful.verdict import capacity_text, row_limit
from wirespeed.results.figures import NOTHING, fixed_text, percent_text
from wirespeed.results.verdict import LIMITS, Named
from wirespeed.tables import Columns

WITHOUT = "off"
WITH = "as is"


class StatefulText(RfcText[StatefulResult]):
    rfc = "RFC 9693"

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


def _filter(row: Row) -> str:
    return WITH if row.filtered else WITHOUT


def _searched(unit: str, named: Named) -> Columns[FoundRow]:
    """The columns of a rate or load that was searched for."""
    return {
        unit: lambda row: (at_least(row) if row.found else "") + whole(row.median),
        "1 %": lambda row: whole(row.p1),
        "99 %": lambda row: whole(row.p99),
        "error": lambda row: whole(row.error),
        "repeats": lambda row: str(len(row.found)),
        "limit": lambda row: LIMITS[row_limit(row, named).by] if row.found else NOTHING,
        "states in use": lambda row: whole(row.states),
    }


_FLOWS: Columns[Row] = {"flows": lambda row: f"{row.flows:,}", "addresses": lambda row: f"{row.addresses:,}"}


def _rate(named: Named) -> Columns[RateRow]:
    return {
        **_FLOWS,
        "filter": _filter,
        **_searched("flows/s", named),
        "unvalidated": lambda row: whole(row.unvalidated) if row.found else NOTHING,
    }


def _throughput(named: Named) -> Columns[StateThroughputRow]:
    return {
        **_FLOWS,
        "sends": lambda row: row.way,
        "filter": _filter,
        **_searched("frames/s each way", named),
        "% of line": lambda row: percent_text(row.line_percent),
        "opened at flows/s": lambda row: whole(row.opened_at),
    }


_FRAME_LOSS: Columns[tuple[StateLossRow, LossPoint]] = {
    "flows": lambda line: f"{line[0].flows:,}",
    "addresses": lambda line: f"{line[0].addresses:,}",
    "sends": lambda line: line[0].way,
    "filter": lambda line: _filter(line[0]),
    "input % of line": lambda line: f"{line[1].intended_percent:g}",
    "offered fps": lambda line: whole(line[1].offered_pps),
    "loss %": lambda line: lossy(line[1].loss_percent),
    "states in use": lambda line: whole(line[0].states),
}
_LATENCY: Columns[tuple[StateLatencyRow, str, Sequence[float]]] = {
    "flows": lambda line: f"{line[0].flows:,}",
    "addresses": lambda line: f"{line[0].addresses:,}",
    "sends": lambda line: line[0].way,
    "filter": lambda line: _filter(line[0]),
    "direction": lambda line: line[0].direction,
    "load fps": lambda line: whole(line[0].load_pps),
    "of": lambda line: line[1],
    "us": lambda line: fixed_text(percentile(line[2], 50)),
    "1 %": lambda line: fixed_text(percentile(line[2], 1)),
    "99 %": lambda line: fixed_text(percentile(line[2], 99)),
    "repeats": lambda line: str(len(line[2])),
    "frames": lambda line: whole(line[0].frames),
}
_TEAR_DOWN: Columns[TearDownRow] = {
    **_FLOWS,
    "entries/s": lambda row: whole(row.median),
    "1 %": lambda row: whole(percentile(row.rates, 1)),
    "99 %": lambda row: whole(percentile(row.rates, 99)),
    "repeats": lambda row: str(len(row.flushes)),
    "entries": lambda row: whole(row.states),
    "left": lambda row: whole(row.flushes[-1].left) if row.flushes else NOTHING,
    "flush ms": lambda row: fixed_text(row.flushes[-1].took_s if row.flushes else None, 1, 1e3),
    "empty ms": lambda row: fixed_text(row.flushes[-1].idle_s if row.flushes else None, 1, 1e3),
}
_CAPACITY: Columns[CapacityRow] = {
    **_FLOWS,
    "capacity": lambda row: whole(percentile(row.found, 50)),
    "1 %": lambda row: whole(percentile(row.found, 1)),
    "99 %": lambda row: whole(percentile(row.found, 99)),
    "full at": lambda row: whole(row.full_at),
    "repeats": lambda row: str(len(row.found)),
    "states in use": lambda row: whole(row.states),
}

TEXT = StatefulText(
    {
        "rate": RfcTable("Connection establishment rate", _rate),
        "throughput": RfcTable("Throughput over states", _throughput),
        "frame-loss": RfcTable(
            "Frame loss rate over states", lambda _: _FRAME_LOSS, lambda row: ((row, point) for point in row.points)
        ),
        "latency": RfcTable(
            "Latency over states",
            lambda _: _LATENCY,
            lambda row: ((row, *quantity) for quantity in row.quantities.items()),
        ),
        "tear-down": RfcTable("Tear-down rate", lambda _: _TEAR_DOWN),
        "capacity": RfcTable("Capacity of the state table", lambda _: _CAPACITY),
    }
)


def steps_text(row: CapacityRow) -> str:
    """The steps of the last repeat: `10,000 at 11 200, … 160,000 collapsed`."""
    last = row.steps[-1].repeat if row.steps else 0
    steps = [one for one in row.steps if one.repeat == last]
    rates = (f"{one.flows:,} " + ("collapsed" if one.rate is None else f"at {whole(one.rate)}") for one in steps)
    return f"{capacity_text(row)}; flows and their rate, flows/s: {', '.join(rates) or NOTHING}."
