"""The FIB compared with the naive table while packets cross the router, through thousands of route changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_network

import pytest
from fib_traffic import HOPS, KEPT, KEPT_HOPS, REPLACED, STREAMS, Traffic, address_of, halves, output_of, traffic
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from naive_table import NaiveTable

from wirespeed._native.generator import PortTraffic
from wirespeed.dut.errors import parse_errors
from wirespeed.seam.addresses import Address, Network

DROP = -1
"""In place of a next hop's number."""
AREAS = {4: ip_network("20.0.0.0/8"), 6: ip_network("2001:db8:20::/48")}
"""Destinations of pings; prefixes are inside or around it."""

# ---- Random prefixes that nest and touch: few bits vary, and lengths are around those where the table's structure
# changes.

_LENGTHS = {
    4: [0, 1, 7, 8, 9, 15, 16, 17, 22, 23, 24, 25, 26, 29, 30, 31, 32, 32],
    6: [0, 1, 31, 32, 33, 47, 48, 49, 55, 56, 57, 63, 64, 65, 96, 111, 112, 120, 126, 127, 128, 128],
}


def _prefix(version: int, length: int, high: int, middle: int, low: int) -> Network:
    """The 16 bits behind the area's consist of `high` and `middle`; the last bits are `low`."""
    bits = 32 if version == 4 else 128
    address = int(AREAS[version][0]) | (high << 8 | middle) << (bits - AREAS[version].prefixlen - 16) | low
    if version == 4:
        address = int(AREAS[4][0]) | high << 16 | middle << 8 | low
    return ip_network((address >> (bits - length) << (bits - length), length))


def _prefixes(version: int) -> st.SearchStrategy[Network]:
    return st.builds(
        _prefix,
        st.just(version),
        st.sampled_from(_LENGTHS[version]),
        st.sampled_from([0, 0x80, 0xFF]),
        st.integers(0, 7),
        st.integers(0, 255),
    )


@dataclass(frozen=True)
class Step:
    """One line of `ip route`. Changes of existing routes select number `pick` of them."""

    what: str
    prefix: Network
    hop: int
    pick: int


# Twice as many additions as removals, so that tables fill.
_KINDS = ["add"] * 4 + ["drop", "add path", "replace", "del", "del", "del path"]
STEPS = st.builds(
    Step,
    st.sampled_from(_KINDS),
    st.one_of(_prefixes(4), _prefixes(6)),
    st.integers(0, HOPS - 1),
    st.integers(0, 1 << 16),
)
BATCHES = st.lists(st.lists(STEPS, min_size=25, max_size=60), min_size=3, max_size=6)


# ---- The router and the model


class Churn:
    """Routes are changed in both; `refused` counts the pings without a route in the model."""

    def __init__(self, crossing: Traffic) -> None:
        self._crossing = crossing
        self.changes = 0
        self._lines: list[str] = []
        self.refused: Counter[str] = Counter()
        self._tables: dict[int, NaiveTable[Network]] = {4: NaiveTable(), 6: NaiveTable()}
        self._changing: dict[int, list[Network]] = {4: [], 6: []}
        for prefix, replaced, hop in zip(KEPT, REPLACED, KEPT_HOPS, strict=True):
            for one in (prefix, *replaced.subnets()):
                self._tables[prefix.version].add(one, hop)

    def run(self, batch: Sequence[Step]) -> list[Network]:
        """Change the routes as fast as the router reads them; returns the prefixes with changed routes."""
        touched = [prefix for prefix in map(self._apply, batch) if prefix is not None]
        self._tell()
        return touched

    def _tell(self) -> None:
        self.changes += len(self._lines)
        self._crossing.execute(self._lines)
        self._lines.clear()

    def _apply(self, step: Step) -> Network | None:
        """The prefix whose route has changed; None if the step has nothing to change."""
        version = step.prefix.version
        if step.what in ("add", "drop"):
            if any(step.prefix.subnet_of(own) for own in (KEPT + REPLACED) if own.version == version):
                return None
            return self._add(step.prefix, DROP if step.what == "drop" else step.hop)
        if step.what == "replace":
            return self._replace(version, step.hop)
        present = self._changing[version]
        if not present:
            return None
        prefix = present[step.pick % len(present)]
        if step.what == "add path":
            return self._add(prefix, step.hop)
        if step.what == "del path":
            hops = sorted(self._tables[version].routes[prefix])
            return self._delete(prefix, hops[step.pick % len(hops)])
        return self._delete(prefix)

    def _add(self, prefix: Network, hop: int) -> Network:
        """Add a next hop to a prefix; a drop is always the only path."""
        table = self._tables[prefix.version]
        if prefix not in table.routes:
            self._changing[prefix.version].append(prefix)
        if hop == DROP or DROP in table.routes.get(prefix, ()):
            table.replace(prefix, hop)
        else:
            table.add(prefix, hop)
        self._lines.append(
            f"ip route add {prefix} " + ("drop" if hop == DROP else f"via {address_of(prefix.version, hop)}")
        )
        return prefix

    def _replace(self, version: int, hop: int) -> Network:
        prefix = next(prefix for prefix in REPLACED if prefix.version == version)
        for half in prefix.subnets():
            self._tables[version].replace(half, hop)
        self._lines.append(f"ip route add {halves(prefix)} via {address_of(version, hop)}")
        return prefix

    def _delete(self, prefix: Network, hop: int = DROP) -> Network:
        """Delete the route, or its single path through `hop`."""
        table = self._tables[prefix.version]
        path = "" if hop == DROP else f" via {address_of(prefix.version, hop)}"
        if not (table.delete_path(prefix, hop) if path else table.delete(prefix)):
            raise AssertionError(f"the model has no {prefix}{path}")
        if prefix not in table.routes:
            self._changing[prefix.version].remove(prefix)
        self._lines.append(f"ip route del {prefix}{path}")
        return prefix

    def delete_all(self) -> None:
        for present in self._changing.values():
            while present:
                self._delete(present[-1])
        self._tell()

    def check(self, prefixes: Sequence[Network]) -> None:
        """Check that pings to the ends of prefixes and beside them leave as in the model, or not at all."""
        addresses = sorted({address for prefix in prefixes for address in _edges(prefix)}, key=lambda one: one.packed)
        for address, arrived in zip(addresses, self._crossing.pings(addresses), strict=True):
            table = self._tables[address.version]
            match = table.match(address)
            hops = {DROP} if match is None else table.routes[match]
            if hops == {DROP}:
                self.refused[f"ip{address.version}-lookup: {'no route' if match is None else 'route says drop'}"] += 1
                assert not arrived, f"{address} has no route, or {match} that drops"
            else:
                assert len(arrived) == 1, f"{address} by {match}"
                assert arrived[0].hop in hops, f"{address} by {match}"
                assert arrived[0].port == output_of(arrived[0].hop)


def _edges(prefix: Network) -> Iterator[Address]:
    area = AREAS[prefix.version]
    for number in (int(prefix[0]) - 1, int(prefix[0]), int(prefix[-1]), int(prefix[-1]) + 1):
        if int(area[0]) <= number <= int(area[-1]):
            yield type(area[0])(number)


# ---- Every packet is accounted for


def sums(text: str, what: str) -> int:
    return sum(int(count) for count in re.findall(rf"{what} +(\d+)", text))


def assert_streams_are_whole(crossing: Traffic) -> None:
    """Packets of constant routes come out there; packets of replaced routes come out somewhere."""
    for stream, hop in zip(STREAMS, KEPT_HOPS, strict=False):
        flows = crossing.flow(stream.id)
        assert 0 < flows[0].tx_packets == flows[output_of(hop)].rx_packets
    for stream in STREAMS[len(KEPT) :]:
        flows = crossing.flow(stream.id)
        assert 0 < flows[0].tx_packets == sum(flow.rx_packets for flow in flows)


def assert_all_is_accounted_for(
    crossing: Traffic, before: list[PortTraffic], after: list[PortTraffic], refused: Counter[str]
) -> None:
    text = crossing.running.ask("show interface")
    sent = sum(after.tx_packets - before.tx_packets for before, after in zip(before, after, strict=True))
    back = sum(after.rx_packets - before.rx_packets for before, after in zip(before, after, strict=True))
    assert (sums(text, "rx packets"), sums(text, "tx packets")) == (sent, back)
    assert sent == back + sums(text, "drops")
    errors = Counter(
        {
            f"{row.node}: {row.reason}": row.count
            for row in parse_errors(crossing.running.ask("show errors"))
            if row.severity == "error"
        }
    )
    # Packets without a route cause errors, or are dropped beyond the rate limit.
    limited = Counter({name: count for name, count in errors.items() if name.endswith("error rate limited")})
    assert errors - limited == refused
    drops = sum(count for name, count in refused.items() if name.endswith("route says drop"))
    assert sums(text, "drops") == drops + limited.total()


# ---- The test


@pytest.fixture(scope="module")
def crossing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Traffic]:
    with traffic(tmp_path_factory.mktemp("fib")) as made:
        yield made


@pytest.mark.parametrize(
    ("runs", "fewest_changes"),
    [(3, 250), pytest.param(16, 2000, marks=pytest.mark.long("hypothesis at full depth"))],
)
def test_packets_follow_the_naive_table_through_many_changes(crossing: Traffic, runs: int, fewest_changes: int) -> None:
    churn = Churn(crossing)

    # Failing examples are not reduced: at nearly a second each, that would exceed the test's time limit.
    @settings(
        max_examples=runs,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(BATCHES)
    def run(batches: list[list[Step]]) -> None:
        churn.refused.clear()
        before = crossing.start()
        try:
            for batch in batches:
                churn.check([*churn.run(batch), *KEPT])
        finally:
            churn.delete_all()
            after = crossing.stop()
        assert_streams_are_whole(crossing)
        assert_all_is_accounted_for(crossing, before, after, churn.refused)

    run()
    assert churn.changes >= fewest_changes
