"""Duplicates and reordered packets, from counters to sentences; and the text of a test without sequence numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_kinds import search_of, soak_of
from simulated_bench import FORWARD, LINE_BPS, Bench, run, steps
from simulated_dut import SimulatedDut, step

from wirespeed.explain.ranking import explain
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.loadtest.analysis import judged
from wirespeed.measurement.loadtest.case import cases_of
from wirespeed.measurement.loadtest.remarks import remarks_on
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.results.balance import Medium
from wirespeed.results.codec import from_json
from wirespeed.results.dut import DutFacts
from wirespeed.results.lab import CpuRoles, LabFacts
from wirespeed.results.order import Order
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample import Sample, sample_balance

LOADS = steps([1e6, 2e6])


def result_of(samples: list[Sample], dropped: int | None = None, **variables: object) -> Result:
    ports = {port: PortFacts(port, speed_bps=LINE_BPS, medium=str(Medium.RING)) for port in (0, 1)}
    dut = DutFacts(dropped_packets=dropped)
    head = {"warmup_mult": "", "warmup_duration": 0, "rampup_target": "", "rampup_duration": 0, "hold_duration": 0}
    known = {**head, "profile_file": "bench", "tunables": {"size": "64"}, **variables}
    return judged(
        Result("t", from_json(LoadTestSettings, known), tuple(samples), ports=ports, directions=(FORWARD,), dut=dut)
    )


def numbered(duplicates: float, reordered: int = 0, unplaced: int = 0) -> list[Sample]:
    """Samples of a DUT that loses nothing and duplicates a share of the packets."""
    made = []
    for sample in run(Bench(medium=Medium.RING, signature=True), LOADS):
        ours = sample.test_frames[FORWARD]
        again = round(ours * duplicates)
        port = replace(sample.ports[1], ipackets=(sample.ports[1].ipackets or 0) + again)
        order = {FORWARD: Order(again, reordered, unplaced)}
        made.append(replace(sample, ports={**sample.ports, 1: port}, order=order))
    return made


def test_duplicates_are_counted_per_sample_and_hide_no_loss() -> None:
    samples = numbered(0.02, reordered=7)
    found = sample_balance(samples[3], samples[4], FORWARD, Medium.RING)
    assert found.order is not None and found.order.reordered == 0
    assert found.order.duplicates == found.extraneous == pytest.approx(0.02 * found.test_frames, abs=1)
    assert found.lost == 0
    first = sample_balance(None, samples[0], FORWARD, Medium.RING)
    assert first.order is not None and first.order.reordered == 7


def test_the_result_keeps_them_and_older_files_have_none() -> None:
    result = result_of(numbered(0.02, reordered=7, unplaced=1), signature=True)
    document = result.to_json()
    again = Result.from_json(document, "t")
    assert again == result
    for sample in document["stats"].values():
        for name in ("duplicates", "reordered", "unplaced"):
            del sample["channels"]["0→1"][name]
    assert all(not sample.order for sample in Result.from_json(document, "t").samples)


@pytest.mark.parametrize(
    ("samples", "dropped", "signature", "words"),
    [
        (numbered(0), None, True, "packets are numbered: no duplicate, none reordered"),
        (numbered(0.02, 7), 9, True, "duplicates (2 %), 7 reordered"),
        (numbered(0, 0, 3), None, True, "none reordered, 3 too late to tell which of both"),
        (run(Bench(signature=True), LOADS), None, True, "no 16 bytes of payload for a number"),
        (
            run(Bench(), LOADS),
            None,
            False,
            "a duplicate hides a lost packet (`--signature` sees both); the DUT's own counters",
        ),
        (run(Bench(), LOADS), None, False, "counters were not read"),
        (run(Bench(), LOADS), 12, False, "do not contradict the balance (12 dropped)"),
        (run(Bench(), LOADS), 10**6, False, "contradict the balance: 1,000,000 dropped, 0 missing"),
    ],
)
def test_one_line_says_how_packets_were_counted(
    samples: list[Sample], dropped: int | None, signature: bool, words: str
) -> None:
    verdict = verdict_of(result_of(samples, dropped, **({"signature": True} if signature else {})))
    assert words in verdict.counting
    assert verdict.lines[-1] == f"counting: {verdict.counting}"
    assert verdict.to_json()["counting"] == verdict.counting


def test_a_hidden_loss_is_no_proof_that_all_came_back() -> None:
    told = result_of(run(Bench(), LOADS), 10**6)
    quiet = result_of(run(Bench(), LOADS), 3)
    verdict = verdict_of(told)
    assert (verdict.limited_by, "--signature" in verdict.next_step) == ("unknown", True)
    assert "1,000,000 packets that are not missing" in verdict.sentence
    assert verdict_of(quiet).limited_by == "nothing"
    (case,) = cases_of(told, "t")
    against = [piece.text for one in explain(case).ruled_out for piece in one.speaks_against]
    assert any("duplicates hide" in text for text in against)
    assert any("contradict the balance" in remark for remark in case.remarks)


def test_the_report_warns_of_both() -> None:
    twice, hidden = result_of(numbered(0.02), signature=True), result_of(run(Bench(), LOADS), 10**6)
    found = {one.cause: one.sentence for one in remarks_on([twice, hidden])}
    assert "packets came back twice" in found["duplicates"]
    assert "duplicates hide a loss" in found["hidden-loss"]
    assert "extraneous" not in found


def test_trials_say_it_too() -> None:
    """A search adds up the counters of the DUT over all its trials."""
    search, numbers = search_of("t", SimulatedDut(step(5e6)), directions=(FORWARD,)), Order(duplicates=5)
    assert "a duplicate hides a lost packet" in verdict_of(search).counting
    trials = []
    for one in search.trials:
        channels = {
            wire: replace(channel, balance=replace(channel.balance, order=numbers))
            for wire, channel in one.trial.channels.items()
        }
        trials.append(replace(one, trial=replace(one.trial, channels=channels)))
    count = sum(len(one.trial.channels) for one in trials)
    assert f"{5 * count:,} duplicates" in verdict_of(replace(search, trials=tuple(trials))).counting


@pytest.mark.parametrize(("workers", "says"), [((3,), False), ((3, 4), True), (None, True)])
def test_copies_at_several_workers_are_no_duplicates_and_the_result_says_so(workers, says: bool) -> None:
    lab = LabFacts(cpus=None if workers is None else CpuRoles(workers))
    told = verdict_of(replace(result_of(numbered(0.02), signature=True), lab=lab)).counting
    assert "duplicates (" in told
    assert told.endswith("workers of the receiver are not counted as duplicates") == says


@pytest.mark.parametrize(
    ("signature", "dropped", "words"),
    [
        (
            False,
            None,
            "hides a lost packet (`--signature` sees both); the DUT's own counters were not read",
        ),
        (False, 0, "do not contradict the balance (0 dropped)"),
        (False, 10**12, "the DUT's own counters contradict the balance: 1,000,000,000,000 dropped"),
        (True, 0, "a soak counts neither duplicates nor reordered packets"),
    ],
)
def test_a_soak_says_what_its_counters_cannot_see(signature: bool, dropped: int | None, words: str) -> None:
    soak = soak_of()
    assert soak.total is not None
    total = replace(soak.total, dut=replace(soak.total.dut, drop_packets=dropped))
    verdict = verdict_of(replace(soak, total=total, variables=replace(soak.variables, signature=signature)))
    assert words in verdict.counting
    assert verdict.lines[-1] == f"counting: {verdict.counting}"
