"""Mean frame sizes of profiles."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from wirespeed.profiles import load_profile
from wirespeed.trial.mix import mix_of


def stream(length: int, rate_type: str = "pps", value: float = 1, **more: Any) -> dict[str, Any]:
    packet = {"binary": base64.b64encode(bytes(length)).decode(), "meta": ""}
    rate = {"type": rate_type, "value": value}
    return {"stream_id": 1, "stream": {"packet": packet, "mode": {"type": "continuous", "rate": rate}, **more}}


@pytest.mark.parametrize(
    ("tunables", "mean"),
    [({"size": "64"}, 64), ({"size": "1514"}, 1514), ({"size": "imix"}, (28 * 68 + 16 * 590 + 4 * 1514) / 48)],
)
def test_bench_has_the_sizes_it_is_asked_for(tunables: dict[str, str], mean: float) -> None:
    mix = mix_of(load_profile("bench", tunables, 0, 0))
    assert mix.mean_frame_bytes == pytest.approx(mean)
    assert mix.fixed_size


def test_a_field_program_that_trims_gives_its_mean() -> None:
    mix = mix_of(load_profile("bench", {"vm": "size"}, 0, 0))
    assert not mix.fixed_size
    assert mix.mean_frame_bytes == pytest.approx((64 + 9216) / 2, abs=2)


def test_short_packets_count_as_the_smallest_frame() -> None:
    assert mix_of([stream(42)]).mean_frame_bytes == 64


def test_rates_of_any_kind_weigh_their_sizes() -> None:
    assert mix_of([stream(60, "bps_L2", 64), stream(996, "bps_L2", 1000)]).mean_frame_bytes == pytest.approx(532)
    assert mix_of([stream(60, "percentage", 84), stream(996, "bps_L1", 1020)]).mean_frame_bytes == pytest.approx(532)


def test_latency_streams_keep_their_own_rate_and_do_not_count() -> None:
    latency = stream(1000, value=1000, flow_stats={"enabled": True, "rule_type": "latency"})
    assert mix_of([stream(60), latency]).mean_frame_bytes == 64
    alone = mix_of([latency])  # then they are the load, at their own rate
    assert (alone.mean_frame_bytes, alone.moves) == (1004, False)
