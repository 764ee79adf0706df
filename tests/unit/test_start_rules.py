"""Starts with and without T-Rex's rules: options of the server, as seen by a client and by the core."""

from __future__ import annotations

import pytest
from fake_generator import FakeGenerator
from test_rpc_methods import Session

from wirespeed._native.stream_records import Stream, StreamMode
from wirespeed.generator.server import Server
from wirespeed.generator.start_rules import StartRules, spread
from wirespeed.profiles import load_profile

PACKET = bytes(60)
BURST = {"type": "single_burst", "rate": {"type": "pps", "value": 1000}, "total_pkts": 20}


def session(rules: StartRules | None = None) -> Session:
    one = Session(FakeGenerator())
    one.server = Server(one.core, rules=rules)
    one.acquire(0)
    return one


@pytest.mark.parametrize(
    ("rules", "factor"), [(None, 500), (StartRules(own_burst_rates=True), 0.5)], ids=["as T-Rex", "own rates"]
)
def test_a_burst_of_20_started_at_500_pps(rules: StartRules | None, factor: float) -> None:
    one = session(rules)
    (loaded,) = load_profile("bench", {}, 0, 0)
    one.owned("add_stream", stream_id=1, stream=loaded["stream"] | {"mode": BURST})
    assert one.start(500) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("rules", "delays"), [(None, [0, 0]), (StartRules(spread_starts=True), [0, 500])], ids=["as T-Rex", "spread"]
)
def test_two_streams_start_together_or_evenly(rules: StartRules | None, delays: list[float]) -> None:
    one = session(rules)
    (loaded,) = load_profile("bench", {}, 0, 0)
    for number in (1, 2):
        one.owned("add_stream", stream_id=number, stream=loaded["stream"])
    one.start(2000)
    started = next(call for call in one.core.calls if call[0] == "start")
    assert [stream.start_delay_us for stream in started[2]] == pytest.approx(delays)  # type: ignore[attr-defined]


def test_ten_thousand_streams_are_spread_over_their_period() -> None:
    delays = [one.start_delay_us for one in spread([Stream(i, PACKET, rate_pps=50.0) for i in range(10_000)], 2.0)]
    assert delays == pytest.approx(list(range(10_000)))
    assert sum(delay < 5000 for delay in delays) == pytest.approx(5000, abs=1)


def test_only_what_goes_on_from_the_start_is_spread_within_its_own_period() -> None:
    streams = [
        Stream(1, PACKET, rate_pps=1000.0),
        Stream(2, PACKET, rate_pps=10.0, start_delay_us=70.0),
        Stream(3, PACKET, rate_pps=10.0, self_start=False),
        Stream(4, PACKET, rate_pps=10.0, mode=StreamMode.SINGLE_BURST, packets=5, bursts=1),
        *(Stream(number, PACKET, rate_pps=1.0, fixed_rate=True) for number in range(5, 8)),
        Stream(8, PACKET, rate_pps=1e6),
    ]
    spread_out = list(spread(streams, 1.0))
    assert [one.start_delay_us for one in spread_out[:4]] == [0, 70, 0, 0]
    assert all(0 < one.start_delay_us < 1e6 / one.rate_pps for one in spread_out[4:])
