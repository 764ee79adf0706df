"""Possible effects of preemptions on a trial, and that a trial does not disturb its tester."""

from __future__ import annotations

import pytest
from simulated_trex import SimulatedTrex

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.dut.none import NoDut
from wirespeed.profiles import load_profile
from wirespeed.results.balance import Balance
from wirespeed.results.codec import from_json
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.lab import LabFacts
from wirespeed.results.machine import most_lost
from wirespeed.results.sample import Preemption
from wirespeed.results.search_trial import Goal, SearchTrial
from wirespeed.results.trial import ChannelTrial, Drain, TrialResult
from wirespeed.trial import tester
from wirespeed.trial.directions import pair_directions
from wirespeed.trial.load import load_of
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate

PPS = 10e6


@pytest.mark.parametrize(
    ("moment", "slots", "packets"),
    [
        # One of 2 ms and rings that hold 0: the packets forwarded in that time, and the same number in the catch-up
        # burst.
        (Preemption(tester_preempted_s=0.002, tester_longest_preemption_s=0.002, dut_preempted_s=0.0), 0, 40_000),
        # Rings that hold 1 ms: half of the packets exceed them.
        (Preemption(tester_preempted_s=0.002, tester_longest_preemption_s=0.002, dut_preempted_s=0.0), 10_000, 20_000),
        # Ten of 0.2 ms: the rings hold each, but the DUT has lost 2 ms in total, and the rings hold one.
        (Preemption(tester_preempted_s=0.002, tester_longest_preemption_s=0.0002, dut_preempted_s=0.0), 10_000, 10_000),
        # Less than the rings hold, whichever side was preempted.
        (Preemption(tester_preempted_s=0.0005, dut_preempted_s=0.0004, dut_longest_preemption_s=0.0004), 10_000, 0),
        (Preemption(tester_preempted_s=0.0, dut_preempted_s=0.0), 0, 0),
        # Only CPU steal is known: two of four CPUs carry a direction.
        (Preemption(steal_s=0.004, cpus=4), 0, 40_000),
        (Preemption(), 0, None),
    ],
)
def test_what_absences_can_have_cost_follows_from_their_length_and_the_rings(
    moment: Preemption, slots: int, packets: float | None
) -> None:
    assert most_lost(moment, PPS, slots) == (None if packets is None else pytest.approx(packets))


def trial_of(*channels: tuple[int, int, float | None]) -> SearchTrial:
    """Packets sent and lost in each direction, and the possible losses by preemptions there."""
    found = {
        wire: ChannelTrial(Balance(sent, sent - lost, intended=sent), sent, sent - lost, most_by_preemption=most)
        for wire, (sent, lost, most) in zip(pair_directions(), channels, strict=True)
    }
    return SearchTrial(1, "search", 1e6, 1.0, TrialResult(Rate(1e6, "pps"), 0.0, 1.0, found, Drain(0.2, settled=True)))


def test_only_a_loss_that_absences_explain_down_to_the_goal_is_spoilt_for_it() -> None:
    ndr, pdr = Goal("ndr"), Goal("pdr", loss_ratio=0.005)
    half = trial_of((1_000_000, 8000, 4000.0), (1_000_000, 8000, 4000.0))
    assert half.loss_ratio == pytest.approx(0.008) and half.sure_loss_ratio == pytest.approx(0.004)
    assert not half.is_disturbed_for(ndr) and half.is_disturbed_for(pdr)
    whole = trial_of((1_000_000, 3000, 5000.0), (1_000_000, 0, 0.0))
    assert whole.is_disturbed_for(ndr)
    assert not whole.is_disturbed_for(pdr)  # which allows it
    assert not trial_of((1_000_000, 3000, None), (1_000_000, 0, None)).is_disturbed_for(ndr)  # nobody measured


def test_an_absence_excuses_the_loss_of_its_own_direction_alone() -> None:
    """Both directions together could have lost 10 000 packets by preemptions; one of them lost 8 000."""
    one_sided = trial_of((1_000_000, 8000, 5000.0), (1_000_000, 0, 5000.0))
    assert one_sided.sure_loss_ratio == pytest.approx(0.0015)
    assert not one_sided.is_disturbed_for(Goal("ndr"))


class Told(NoDut):
    """A DUT whose drops are given."""

    def __init__(self, drops: dict[str, int]) -> None:
        super().__init__()
        self._drops = drops

    def telemetry(self, before: object, after: object) -> DutTelemetry:
        return DutTelemetry(drops=self._drops)


@pytest.mark.parametrize(
    ("away", "drops", "capacity_pps", "excused"),
    [
        (0.5, {}, 9e5, True),
        (0.5, {"e1-tx: no free tx slots": 30_000}, 9e5, True),
        (0.5, {"e1-output: interface is down": 30_000}, 9e5, False),
        (0.5, {}, 0.0, False),  # no packets came back, though the worker had its CPU for half of the time
        (0.95, {}, 0.0, True),
    ],
)
def test_links_of_the_device_and_the_size_decide_before_an_absence(
    away: float, drops: dict[str, int], capacity_pps: float, excused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trial of 1 Mpps for 0.3 s, in which the tester's worker was preempted for the share `away` of the time."""
    absent = Preemption(tester_preempted_s=away * 0.3, tester_longest_preemption_s=away * 0.3)
    monkeypatch.setattr("wirespeed.trial.trial.preemption_between", lambda *_: absent)
    wires = pair_directions()
    load = load_of({port: load_profile("bench", {"size": "64"}, port, port) for port in (0, 1)})
    with SimulatedTrex(capacity_pps=capacity_pps) as trex, GeneratorClient(trex.server, timeout_s=5.0) as client:
        client.connect()
        with Trial(tester.Tester(client, wires), load, dut=Told(drops)) as trial:
            found = trial.measure(Rate(1e6, "pps"), 0.3)
    assert (found.disturbed is not None) is excused
    trial_of_search = SearchTrial(1, "search", 1e6, 0.3, found)
    assert trial_of_search.is_disturbed_for(Goal("ndr")) is excused


@pytest.mark.parametrize(
    ("lab", "shares"),
    [
        ({"cpus": {"tester": [0], "dut": [1], "control": [0]}}, True),
        ({"cpus": {"tester": [2], "dut": [3], "control": [0, 1]}}, False),
        ({"cpus": "0-3"}, False),
        ({"generator": "10.0.0.1:4501"}, False),
    ],
)
def test_a_lab_says_whether_control_shares_its_cpus(lab: dict[str, object], shares: bool) -> None:
    assert from_json(LabFacts, lab).shares_cpus is shares


@pytest.mark.parametrize("extended", [True, False])
def test_nobody_asks_the_tester_anything_while_a_trial_runs(extended: bool) -> None:
    """Between the start of a trial and its end there are only two readings of the host, right after the start and after
    the end; rates are those of the time in between.
    """
    wires = pair_directions()
    load = load_of({port: load_profile("bench", {"size": "64"}, port, port) for port in (0, 1)})
    with SimulatedTrex(extended=extended) as trex, GeneratorClient(trex.server, timeout_s=5.0) as client:
        client.connect()
        with Trial(tester.Tester(client, wires), load) as trial:
            found = trial.measure(Rate(1e6, "pps"), 0.3)
        starts = [index for index, methods in enumerate(trex.messages) if "start_traffic" in methods]
        (start,) = starts
        assert trex.messages[start + 1 : start + 3] == [["get_global_stats"], ["get_global_stats"]]
        assert set(trex.messages[start + 3]) == {"get_port_status"}
    assert found.duration_s == pytest.approx(0.3)
    for channel in found.channels.values():
        assert channel.offered_pps == pytest.approx(1e6, rel=1e-4)
        assert channel.received_pps == channel.offered_pps
