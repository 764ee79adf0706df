"""Analysis against values worked out by hand, and published reviews' line-rate arithmetic."""

from dataclasses import replace
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.measurement.loadtest.analysis import analyse
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.results.balance import Balance
from wirespeed.results.lab import LabFacts
from wirespeed.results.outcome import ChannelOutcome, Outcome
from wirespeed.results.sample import PortSample, Sample
from wirespeed.units import l1_bits

SETTINGS = LoadTestSettings(
    warmup_mult="1kpps", warmup_duration=0, rampup_target=100, rampup_duration=10, hold_duration=0, unidirectional=True
)
IDLE = PortSample(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def sender(pps, size=64, speed_bps=10e9, **more):
    return PortSample(pps, 0.0, pps * size * 8, 0.0, pps * l1_bits(size) / speed_bps * 100, 0.0, **more)


def receiver(pps, size=64, speed_bps=10e9, **more):
    return PortSample(0.0, pps, 0.0, pps * size * 8, 0.0, pps * l1_bits(size) / speed_bps * 100, **more)


def one_way(
    pairs, phases=None, ports=lambda sent, got: {0: sender(sent), 1: receiver(got)}, interval_s=1.0, outcome=None
):
    """A unidirectional test of (sent or asked, received) rates, a sample each."""
    phases = phases or ["ramp"] * len(pairs)
    samples = tuple(
        Sample((index + 1) * interval_s, interval_s, phase, ports(*pair))
        for index, (pair, phase) in enumerate(zip(pairs, phases, strict=True))
    )
    more = {"outcome": outcome} if outcome else {}
    return Result("test", SETTINGS, samples, **more)


def curve(result, threshold=0.001):
    return analyse(result, threshold).curves[0]


@pytest.mark.parametrize(
    ("pps", "size", "speed_bps", "line_pps", "l1_bps", "percent"),
    [
        # Netgate 6100: VPP, 64b, one flow: 5.01 Mpps, 3.37 Gbps, 33.67 %
        (5.01e6, 64, 10e9, 14_880_952, 3.367e9, 33.67),
        # the same box: pfSense 622.98 kpps, 418.65 Mbps, 4.19 %
        (622_980, 64, 10e9, 14_880_952, 418.65e6, 4.19),
        # GoWin R86S: 2.5GbE carries 203 715 frames of 1514; 64b 3.28 Mpps is 88.1 %
        (203_715, 1514, 2.5e9, 203_715, 2.5e9, 100.0),
        (3.28e6, 64, 2.5e9, 3_720_238, 2.204e9, 88.17),
    ],
)
def test_the_articles_line_rates(pps, size, speed_bps, line_pps, l1_bps, percent):
    found = curve(
        one_way([(pps, pps)], ports=lambda s, g: {0: sender(s, size, speed_bps), 1: receiver(g, size, speed_bps)})
    )
    assert found.line_pps == pytest.approx(line_pps, abs=1)
    assert found.forwarded == found.full_load
    assert found.forwarded.l1_bps == pytest.approx(l1_bps, rel=1e-3)
    assert found.forwarded.received_percent == pytest.approx(percent, abs=0.01)


def test_the_ramp_before_saturation_gives_the_rate_below_the_threshold():
    found = curve(one_way([(1e6, 1e6), (2e6, 2e6), (3e6, 2.9e6), (4e6, 3.0e6), (5e6, 2.8e6), (6e6, 2.7e6)]))
    # Two samples passed before the loss onset: their mean is the figure. The last three are at full load.
    assert (found.forwarded.received_pps, found.forwarded.samples, found.forwarded.is_estimate) == (1.5e6, 2, True)
    full = found.full_load
    assert (full.offered_pps, full.samples) == (5e6, 3)
    assert full.received_pps == pytest.approx(8.5e6 / 3)
    assert full.loss_ratio == pytest.approx(1 - 8.5 / 15)
    assert full.l1_bps == pytest.approx(8.5e6 / 3 * 84 * 8)
    assert full.received_percent == pytest.approx(full.l1_bps / 10e9 * 100)
    lossy = found.outcome.loss_onset
    assert (lossy.t_s, lossy.offered_pps, lossy.received_pps) == (3.0, 3e6, 2.9e6)
    assert lossy.offered_percent == pytest.approx(20.16)
    knee = found.outcome.saturation
    assert 1.9e6 < knee.low_pps < 3e6 < knee.high_pps
    assert knee.low_pps <= knee.offered_pps <= knee.high_pps
    assert found.stray_failures == 0


def test_one_bad_sample_in_the_middle_is_no_saturation():
    pairs = [(load * 1e6, load * (0.5e6 if load == 4 else 1e6)) for load in range(1, 11)]
    found = curve(one_way(pairs))
    assert found.outcome.loss_onset is None
    assert found.outcome.saturation is None
    assert found.forwarded.received_pps == found.full_load.received_pps == 9e6  # of 8, 9 and 10 Mpps
    assert found.stray_failures == 1


def test_one_good_sample_at_the_end_does_not_undo_saturation():
    pairs = [(load * 1e6, min(load, 4) * 1e6) for load in range(1, 11)] + [(4e6, 4e6)]
    found = curve(one_way(pairs))
    assert found.outcome.loss_onset.offered_pps == 5e6
    assert found.forwarded.received_pps == 3e6  # of 2, 3 and 4 Mpps


def test_warm_up_and_drain_count_for_nothing():
    pairs = [(9e6, 9e6), (1e6, 1e6), (2e6, 2e6), (9e6, 9e6)]
    found = curve(one_way(pairs, ["warm-up", "ramp", "hold", "drain"]))
    assert (found.full_load.received_pps, found.full_load.samples) == (2e6, 1)
    assert found.forwarded == found.full_load
    assert not found.forwarded.is_estimate
    assert [point.offered_pps for point in found.measured] == [1e6, 2e6]


def test_a_router_that_loses_from_the_first_load_has_no_rate_below_the_threshold():
    found = curve(one_way([(load * 1e6, 0.9e6) for load in range(1, 6)]))
    assert found.forwarded is None
    assert found.full_load.received_pps == pytest.approx(0.9e6)
    assert found.outcome.loss_onset.offered_pps == 1e6
    assert found.outcome.saturation.offered_pps == pytest.approx(0.9e6)


def test_more_received_than_sent_is_no_loss_and_no_load_is_no_division():
    found = curve(one_way([(0.0, 5.0), (1e6, 1.1e6)]))
    assert [point.loss_ratio for point in found.points] == [0.0, 0.0]
    assert [point.offered_pps for point in found.measured] == [1e6]


def test_a_test_without_any_traffic_says_nothing():
    found = curve(one_way([(0.0, 0.0)] * 3))
    assert (found.forwarded, found.full_load, found.line_pps, found.outcome.loss_onset) == (None,) * 4


def test_the_threshold_is_what_may_be_lost():
    pairs = [(1e6, 1e6), *[(load * 1e6, load * 0.995e6) for load in (2, 3, 4, 5)]]
    assert curve(one_way(pairs), 0.005).outcome.loss_onset is None
    assert curve(one_way(pairs), 0.004).outcome.loss_onset.offered_pps == 2e6


def test_integer_rates_of_old_files_lose_no_fractions():
    found = curve(one_way([(1000, 999)], ports=lambda s, g: {0: sender(s), 1: receiver(g)}))
    assert found.points[0].loss_ratio == pytest.approx(0.001)


def test_loss_is_counted_in_packets_where_the_totals_are_known():
    # Smoothed rates show a loss of 10 %; the counters of the second sample show 1 of 1000.
    def ports(sent_total, received_total):
        return {0: sender(1000.0, opackets=sent_total), 1: receiver(900.0, ipackets=received_total)}

    found = curve(one_way([(1000, 1000), (2000, 1999)], ports=ports))
    assert [point.loss_ratio for point in found.points] == [0, pytest.approx(0.001)]
    assert [point.received_pps for point in found.points] == [1000, 999]


def test_counters_that_went_back_are_not_used():
    def ports(sent_total, received_total):
        return {0: sender(1000.0, opackets=sent_total), 1: receiver(990.0, ipackets=received_total)}

    found = curve(one_way([(9000, 9000), (100, 100)], ports=ports))
    assert found.points[1].loss_ratio == pytest.approx(0.01)


def asked(refused_share, late_share, capacity=3e6, interval_s=0.5):
    """wirespeed's generator on a virtual link: refused and late packets are intended, not sent."""
    loads = [1e6, 2e6, 3e6, 4e6, 5e6, 6e6]
    got = [min(load, capacity) for load in loads]
    totals = {
        name: list(accumulate(round((load - back) * share * interval_s) for load, back in zip(loads, got, strict=True)))
        for name, share in (("refused", refused_share), ("late", late_share))
    }
    samples = []
    for index, (load, back) in enumerate(zip(loads, got, strict=True)):
        unsent = {name: values[index] for name, values in totals.items()}
        ports = {0: sender(back, intended_pps=load, **unsent), 1: receiver(back)}
        samples.append(Sample((index + 1) * interval_s, interval_s, "ramp", ports))
    return Result("test", SETTINGS, tuple(samples), lab=LabFacts(kind="embedded"))


def test_what_was_asked_and_not_taken_is_the_routers_loss():
    found = curve(asked(refused_share=1, late_share=0))
    assert found.outcome.loss_onset.offered_pps == 4e6
    assert found.outcome.saturation.offered_pps == pytest.approx(3e6)
    assert found.points[3].loss_ratio == pytest.approx(0.25)
    assert found.forwarded.received_pps == 2e6  # of 1, 2 and 3 Mpps
    assert found.tester_ratio == 0
    assert not found.tester_limited


@pytest.mark.parametrize(("late_share", "limited"), [(0.4, False), (0.6, True), (1.0, True)])
def test_the_tester_is_the_limit_when_late_packets_dominate(late_share, limited):
    found = curve(asked(refused_share=1 - late_share, late_share=late_share))
    assert found.tester_ratio == pytest.approx(late_share)
    assert found.tester_limited is limited


def test_packets_that_the_receiver_missed_are_the_testers_own():
    result = asked(refused_share=1, late_share=0)
    samples = []
    for number, sample in enumerate(result.samples):
        missed = round(1e6 * max(0, number - 2))
        samples.append(replace(sample, ports={**sample.ports, 1: replace(sample.ports[1], rx_missed=missed)}))
    found = curve(replace(result, samples=tuple(samples)))
    assert found.tester_limited
    assert found.tester_ratio > 0.5
    assert found.outcome.saturation is None


def noted(balance, limited=True):
    """An outcome that says whether the tester limited its only direction."""
    channel = ChannelOutcome(balance, 64.0, 64.0, 10e9, None, None, None, None, tester_limited=limited)
    return Outcome(channels={"0→1": channel})


def test_what_the_load_tester_found_of_itself_is_believed_where_samples_cannot_show_it():
    assert curve(one_way([(1e6, 1e6)], outcome=noted(Balance(1e6, 1e6)))).tester_limited
    assert not curve(one_way([(1e6, 1e6)], outcome=noted(Balance(1e6, 1e6), limited=False))).tester_limited


def test_a_direction_that_lost_nothing_in_the_end_is_neither_lossy_nor_saturated():
    """The last samples lack the packets still in flight."""
    pairs = [(load * 1e6, load * 1e6) for load in range(1, 8)] + [(8e6, 7e6), (8e6, 7e6), (8e6, 7e6)]
    assert curve(one_way(pairs)).outcome.loss_onset is not None
    found = curve(one_way(pairs, outcome=noted(Balance(52e6, 52e6), limited=False))).outcome
    assert (found.loss_onset, found.saturation, found.balance.loss_ratio) == (None, None, 0)


def test_each_file_is_judged_by_its_own_threshold():
    pairs = [(1e6, 1e6), *[(load * 1e6, load * 0.995e6) for load in (2, 3, 4, 5)]]
    result = one_way(pairs, outcome=Outcome(threshold=0.01))
    assert analyse(result).threshold == 0.01
    assert analyse(result).curves[0].outcome.loss_onset is None
    assert analyse(result, 0).curves[0].outcome.loss_onset.offered_pps == 2e6


def test_percent_of_another_line():
    result = one_way([(1e6, 1e6)])
    assert curve(result).forwarded.received_percent == pytest.approx(6.72)
    (found,) = analyse(result, line_bps=1e9).curves
    assert found.forwarded.received_percent == pytest.approx(67.2)
    assert found.line_pps == pytest.approx(1_488_095, abs=1)


@pytest.mark.parametrize("native", [True, False])
def test_rate_l1_and_percentage_end_at_the_line_together(native):
    """A tester that catches up, or a fast clock, shows more than line rate."""
    pairs = [(1e6, 1e6), (14.95e6, 14.95e6), (15.1e6, 15.1e6)]
    found = curve(replace(one_way(pairs, ["ramp", "hold", "hold"]), native=native)).forwarded
    assert found.received_percent == 100
    assert found.received_pps == pytest.approx(10e9 / 672)
    assert found.l1_bps == pytest.approx(10e9)


def test_frames_that_come_back_longer_are_a_share_of_their_own():
    found = curve(one_way([(1e6, 1e6)], ports=lambda s, g: {0: sender(s, 64), 1: receiver(g, 68)}))
    assert found.forwarded.received_percent == pytest.approx(6.72)
    assert found.returned_percent(found.forwarded) == pytest.approx(7.04)
    assert found.forwarded.l1_bps == pytest.approx(1e6 * 84 * 8)


def test_the_line_rate_is_not_spoilt_by_rounded_utilisation():
    def ports(pps, percent):
        return {0: PortSample(pps, 0, 0, 0, percent, 0), 1: PortSample(0, pps, 0, 0, 0, percent)}

    # 1 kpps is 0.00672 %, which rounds to 0.01 and would mean a line of 10 Mpps
    found = curve(one_way([(1000, 0.01), (7_440_476, 50.0), (14_880_952, 100.0)], ports=ports))
    assert found.line_pps == pytest.approx(14_880_952)


def test_without_utilisation_there_are_rates_but_no_percentages():
    found = curve(
        one_way([(1e6, 1e6)], ports=lambda s, g: {0: PortSample(s, 0, 0, 0, 0, 0), 1: PortSample(0, g, 0, 0, 0, 0)})
    )
    assert found.forwarded.received_pps == 1e6
    assert (found.line_pps, found.forwarded.received_percent, found.forwarded.l1_bps) == (None,) * 3
    assert analyse(one_way([(1e6, 1e6)]), 0.001).frame_bytes == pytest.approx(64)


def both_ways(triples):
    """(offered on both, received 0→1, received 1→0)."""
    samples = tuple(
        Sample(
            index + 1.0,
            1.0,
            "ramp",
            {
                0: PortSample(load, back, load * 512, back * 512, load * 6.72e-6, back * 6.72e-6),
                1: PortSample(load, there, load * 512, there * 512, load * 6.72e-6, there * 6.72e-6),
            },
        )
        for index, (load, there, back) in enumerate(triples)
    )
    return Result("test", replace(SETTINGS, unidirectional=None), samples)


def test_two_channels_are_summed_on_a_line_of_200_percent():
    there, back, both = analyse(
        both_ways([(1e6, 1e6, 1e6), (2e6, 2e6, 2e6), *[(load, 2.5e6, load) for load in (3e6, 4e6, 5e6)]]), 0.001
    ).curves
    assert [found.channel for found in (there, back, both)] == ["0→1", "1→0", "sum"]
    assert (there.outcome.loss_onset.offered_pps, back.outcome.loss_onset) == (3e6, None)
    assert both.lines == 2
    assert both.line_pps == pytest.approx(2 * 14_880_952, rel=1e-6)
    assert both.forwarded.received_pps == 3e6  # of 1 and 2 Mpps each way
    assert both.full_load.received_pps == pytest.approx(6.5e6)  # of 3, 4 and 5 Mpps each way
    assert both.full_load.received_percent == pytest.approx(6.5e6 * 6.72e-6)
    assert both.full_load.loss_ratio == pytest.approx(1.5 / 8)
    for figure in ("forwarded", "full_load"):
        parts = [getattr(one, figure) for one in (there, back)]
        assert sum(part.received_pps for part in parts) == pytest.approx(getattr(both, figure).received_pps)
    assert both.outcome.loss_onset.offered_pps == 6e6
    assert both.outcome.loss_onset.offered_percent == pytest.approx(6e6 * 6.72e-6)
    assert both.points[2].loss_ratio == pytest.approx(0.5 / 6)


rates = st.floats(0, 1e9)


@given(st.lists(st.tuples(rates, rates), min_size=1, max_size=30), st.floats(0.0001, 1.0))
def test_figures_agree_with_each_other(pairs, threshold):
    found = curve(one_way(pairs), threshold)
    assert all(0 <= point.loss_ratio <= 1 for point in found.points)
    if found.forwarded is not None:
        assert found.forwarded.loss_ratio <= threshold
        assert found.forwarded.received_pps <= max(point.received_pps for point in found.measured)
    if found.outcome.loss_onset:
        assert found.outcome.loss_onset.offered_pps in [sent for sent, _ in pairs]
        assert sum(point.loss_ratio > threshold for point in found.measured) > found.stray_failures
