"""The balance of a direction: what it conserves, and that nothing hides a loss."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from simulated_bench import FORWARD, LINE_BPS, Bench, after_drain, ramp, run

from wirespeed.results.balance import Balance, Medium, total
from wirespeed.results.codec import from_json, to_json
from wirespeed.results.order import Order
from wirespeed.results.point import points
from wirespeed.results.sample import PortSample, Sample, balance

COUNTS = st.integers(0, 10**12)


@st.composite
def balances(draw: st.DrawFn) -> Balance:
    """Of counted packets, as a tester keeps its books."""
    sent, refused, no_buffer, late = (draw(COUNTS) for _ in range(4))
    return balance(
        sent=sent,
        received=draw(COUNTS),
        intended=draw(st.sampled_from([None, sent + refused + no_buffer + late])),
        refused=refused,
        no_buffer=no_buffer,
        late=late,
        missed=draw(COUNTS),
        foreign=0,
        test_frames=None,
        medium=draw(st.sampled_from(Medium)),
        paused=draw(st.booleans()),
        order=draw(st.none() | st.builds(Order, COUNTS, COUNTS, COUNTS)),
    )


@given(balances())
def test_nothing_appears_or_vanishes(one: Balance) -> None:
    assert one.test_frames + one.extraneous == one.received
    assert one.test_frames <= one.offered
    assert one.offered - one.test_frames == one.lost
    assert one.lost_by_tester + one.lost_by_dut == one.lost
    assert one.unoffered + one.lost == one.shortfall
    if one.intended is not None:
        assert one.offered + one.unoffered == one.intended
        assert one.test_frames + one.shortfall == one.intended


@given(balances())
def test_ratios_are_shares(one: Balance) -> None:
    for share in (one.loss_ratio, one.tester_share, one.share_of_tester):
        assert 0 <= share <= 1
    assert (one.loss_ratio == 0) == (one.lost == 0 or one.offered == 0)


@given(st.lists(balances(), max_size=6))
def test_a_sum_is_its_parts(parts: list[Balance]) -> None:
    whole = total(parts)
    for name in ("sent", "received", "offered", "test_frames", "lost", "unoffered", "shortfall", "extraneous"):
        assert getattr(whole, name) == sum(getattr(part, name) for part in parts)
    orders = [part.order for part in parts]
    known = [order for order in orders if order is not None]
    assert (whole.order is None) == (not parts or None in orders)
    if whole.order is not None:
        assert whole.order.duplicates == sum(order.duplicates for order in known)


@given(balances())
def test_a_balance_is_read_as_it_was_written(one: Balance) -> None:
    """An older program reads the keys that it knows, since they are unchanged."""
    raw = json.loads(json.dumps(to_json(one)))
    assert from_json(Balance, raw, "a file") == one
    numbered = ("duplicate_packets", "reordered_packets", "unplaced_packets")
    older = {key: value for key, value in raw.items() if key not in numbered}
    assert from_json(Balance, older, "a file") == replace(one, order=None)


@given(balances(), COUNTS)
def test_a_surplus_never_hides_a_loss_where_ours_are_known(one: Balance, more: int) -> None:
    counted = {
        "sent": one.sent,
        "intended": one.intended,
        "refused": one.refused,
        "no_buffer": one.no_buffer,
        "late": one.late,
        "missed": one.missed,
        "medium": one.medium,
        "paused": one.paused,
    }
    by_signature = balance(received=one.received + more, foreign=0, test_frames=one.test_frames, **counted)
    by_kind = balance(received=one.received + more, foreign=more + one.extraneous, test_frames=None, **counted)
    assert by_signature.lost == by_kind.lost == one.lost
    assert by_signature.extraneous == by_kind.extraneous == more + one.extraneous


@given(balances())
def test_whose_a_refused_packet_is_follows_from_the_medium(one: Balance) -> None:
    assume(one.refused > 0)
    ring, queue = replace(one, medium=Medium.RING), replace(one, medium=Medium.QUEUE, paused=False)
    assert ring.offered == queue.offered + one.refused
    assert queue.unoffered == ring.unoffered + one.refused
    assert replace(queue, paused=True).offered == ring.offered


BENCHES = st.builds(
    Bench,
    medium=st.sampled_from(Medium),
    worker_pps=st.floats(1e5, 2e7),
    port_pps=st.floats(1e5, 2e7),
    receiver_pps=st.floats(1e5, 2e7),
    foreign_pps=st.sampled_from([0.0, 1e3, 1e6]),
    foreign_known=st.booleans(),
    duplicates=st.sampled_from([0.0, 0.1]),
    signature=st.booleans(),
    held=st.frozensets(st.integers(0, 11), max_size=3),
    absences_hz=st.sampled_from([0.0, 5.0]),
    interval_s=st.sampled_from([0.25, 1.0]),
)


@given(BENCHES, st.floats(1e4, 1.4e7), st.integers(0, 2**16))
def test_points_keep_the_books_of_their_samples(bench: Bench, top_pps: float, seed: int) -> None:
    samples = run(bench, ramp(top_pps, 10, 2), seed)
    found = points(samples, FORWARD, bench.medium, LINE_BPS)
    whole, parts = after_drain(bench, samples), total(point.balance for point in found)
    assert parts.sent == whole.sent
    assert parts.received == whole.received
    assert parts.intended == whole.intended
    assert parts.offered == whole.offered
    assert parts.unoffered == whole.unoffered
    assert whole.lost <= parts.lost  # late packets count as missing first
    for point in found:
        assert 0 <= point.loss_ratio <= 1
        assert 0 <= point.received_pps <= point.offered_pps
        assert point.received_pps <= point.returned_pps * (1 + 1e-9)
        assert (point.line_percent or 0) <= (point.offered_line_percent or 0) + 1e-9


@pytest.mark.parametrize(
    ("before", "counters", "lost"),
    [
        (None, {"opackets": 1000, "ipackets": 999}, 1),  # counters begin at 0 with the test
        ({"opackets": 500, "ipackets": 500}, {"opackets": 1500, "ipackets": 1490}, 10),
        ({"opackets": 9000, "ipackets": 9000}, {"opackets": 100, "ipackets": 100}, 100),  # reset: by the rates
        ({}, {"opackets": 1000, "ipackets": 1000}, 100),  # missing before: by the rates
    ],
)
def test_counters_go_before_rates(before: dict[str, int] | None, counters: dict[str, int], lost: float) -> None:
    def sample(totals: dict[str, int]) -> Sample:
        sender = PortSample(1000, 0, 0, 0, 0, 0, opackets=totals.get("opackets"))
        receiver = PortSample(0, 900, 0, 0, 0, 0, ipackets=totals.get("ipackets"))
        return Sample(1, 1, "ramp", {0: sender, 1: receiver})

    samples = [sample(counters)] if before is None else [sample(before), sample(counters)]
    assert points(samples, FORWARD, Medium.QUEUE)[-1].balance.lost == lost
