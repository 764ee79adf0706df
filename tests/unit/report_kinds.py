"""Results of the kinds that are made of trials: searches of simulated devices, RFC 2544, soaks."""

from dataclasses import replace

from simulated_dut import BACK, FORWARD, SimulatedDut, step

from wirespeed.measurement.rfc.bench import throughput_goal
from wirespeed.measurement.rfc2544.result import (
    BackToBackRow,
    FrameLossRow,
    LatencyRow,
    LossPoint,
    Method,
    RecoveryRow,
    ResetRow,
    Rfc2544Result,
    Rfc2544Settings,
    SuiteTrial,
    ThroughputRow,
)
from wirespeed.measurement.search.goals import goals_of
from wirespeed.measurement.search.result import SearchResult, SearchSettings
from wirespeed.measurement.soak.chronicle import Chronicle
from wirespeed.measurement.soak.result import (
    Gap,
    LatencySpan,
    LossEvent,
    SoakFlow,
    SoakResult,
    SoakSettings,
    SoakVerdict,
    Span,
)
from wirespeed.report.comparison import compare
from wirespeed.results.codec import from_json
from wirespeed.results.dut import DutFacts
from wirespeed.results.ending import Ending
from wirespeed.results.lab import LabFacts, LatencyBaseline
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample import Latency
from wirespeed.trial.controller import Controller
from wirespeed.units import Rate, line_rate_pps

LINE_BPS = 10e9
PORTS = {port: PortFacts(port, speed_bps=LINE_BPS) for port in (0, 1)}
DUT = {"name": "router", "version": "1"}
BOTH = (FORWARD, BACK)
NO_ROWS = dict.fromkeys(("latency", "frame_loss", "back_to_back", "recovery", "reset"), ())


def searched(goals, most_pps, measure, warmup_s=0.25, repeats=0):
    """A search that is over."""

    def kept(*what):
        made.keep(trial := made.judged(measure(*what)))
        return trial

    made = Controller(goals, 9001.0, most_pps, kept, warmup_s, repeats=repeats)
    made.run()
    return made


def search_of(
    name="wirespeed-search",
    dut=None,
    goals=(),
    preset="quick",
    directions=BOTH,
    tunables="size=64",
    described=DUT,
    mrr=0,
    latency=False,
    repeats=0,
):
    """A search of `dut` (one that carries 7.77 Mpps each way, unless told), as `wirespeed search` would write it."""
    dut = dut or SimulatedDut(step(7.77e6))
    most_pps = line_rate_pps(64, LINE_BPS)

    def measure(load_pps, seconds, purpose, label=""):
        trial = dut(load_pps, seconds, purpose)
        channels = {wire: trial.trial.channels[wire] for wire in directions}
        if purpose == "latency":
            told = Latency(9000, 5.0, 9.0, 90.0, 1.0, {"50": 8.0, "90": 12.0, "99": 20.0, "99.9": 60.0})
            channels = {wire: replace(channel, latency=told) for wire, channel in channels.items()}
        return replace(trial, label=label, trial=replace(trial.trial, channels=channels))

    made = searched(goals_of(list(goals), preset), most_pps, measure, repeats=repeats)
    for _ in range(mrr):
        made.keep(measure(most_pps, 1.0, "mrr"))
    if latency:
        for share in (10, 50, 90):
            made.keep(measure(7.7e6 * share / 100, 5.0, "latency", f"{share} % of PDR"))
    return SearchResult(
        name=name,
        variables=SearchSettings(profile_file="bench", tunables=tunables, preset=preset),
        directions=directions,
        least_pps=9001.0,
        most_pps=most_pps,
        most_is_line=True,
        trials=tuple(made.trials),
        goals=made.outcomes(most_is_line=True),
        versions={"wirespeed": "0.1.0"},
        lab=LabFacts(kind="embedded", latency_baseline={"0→1": LatencyBaseline(median_us=4.5)} if latency else {}),
        dut=from_json(DutFacts, described),
        ports=PORTS,
        frame_bytes={0: 64.0, 1: 64.0},
        spent_s=made.spent_s,
        ending=Ending(started="2026-11-22T20:00:00+00:00"),
    )


def suite_of(name="suite", irregular=""):
    """All six tests of two sizes."""
    lines = {"64": line_rate_pps(64, LINE_BPS), "1518": line_rate_pps(1518, LINE_BPS)}
    held = {"64": 7_000_000.0, "1518": lines["1518"]}
    common = [(frame, float(frame)) for frame in lines]
    losses = ((100.0, 52.0), (90.0, 47.0), (50.0, 6.0), (40.0, 0.0), (30.0, 0.0))
    exceptions = {"throughput": ("trials of 2 s, not of at least 60 s (§24)",)}
    return Rfc2544Result(
        name=name,
        variables=Rfc2544Settings(sizes="64,1518"),
        directions=BOTH,
        method=Method(
            ("throughput", "latency", "frame-loss", "back-to-back", "recovery", "reset"),
            tuple(lines),
            trial_s=2.0,
            stream_format="one flow",
            exceptions=exceptions,
        ),
        throughput=tuple(
            ThroughputRow(
                *one,
                line_pps=lines[one[0]],
                throughput_pps=held[one[0]],
                upper_pps=held[one[0]] * 1.01 if one[0] == "64" else None,
                limit="dut" if one[0] == "64" else "line",
                irregular=irregular,
                trials=12,
            )
            for one in common
        ),
        latency=tuple(
            LatencyRow(
                *one,
                direction=str(wire),
                load_pps=held[one[0]],
                line_pps=lines[one[0]],
                repeats_us=(10.0, 12.0, 11.0),
                least_us=5.0,
                most_us=80.0,
                tagged=3000,
                baseline_us=4.0,
            )
            for one in common
            for wire in BOTH
        ),
        frame_loss=tuple(
            FrameLossRow(
                *one,
                line_pps=lines[one[0]],
                points=tuple(
                    LossPoint(share, lines[one[0]] * share / 100, share, lines[one[0]] * share / 100, lost)
                    for share, lost in losses
                ),
                lossless_twice=True,
            )
            for one in common
        ),
        back_to_back=(
            BackToBackRow(
                *common[0], line_pps=lines["64"], throughput_pps=held["64"], lengths=(900.0, 1000.0), longest=29_000_000
            ),
            BackToBackRow(
                *common[1], line_pps=lines["1518"], throughput_pps=held["1518"], skipped="it carries the whole line"
            ),
        ),
        recovery=(RecoveryRow(*common[0], held["64"], held["64"] * 1.1, held["64"] / 2, 2.0, (0.004, 0.005), 0.001),),
        reset=(ResetRow(*common[0], "software, by the lab", held["64"], (0.31,), (2_170_000.0,)),),
        versions={"wirespeed": "0.1.0", "generator": "wirespeed"},
        dut=from_json(DutFacts, DUT),
        ports=PORTS,
    )


def tried_suite_of(carried, name="suite"):
    """Throughput of the frame sizes `carried`, each with the rate that the device carries, from trials that the result
    has."""
    method = Method(("throughput",), tuple(carried), trial_s=1.0)
    trials, rows = [], []
    for frame, capacity_pps in carried.items():
        line_pps = line_rate_pps(int(frame), LINE_BPS)
        goal = throughput_goal(method.trial_s, method.resolution)
        made = searched((goal,), line_pps, SimulatedDut(step(capacity_pps)), goal.initial_s)
        (outcome,) = made.outcomes(most_is_line=True)
        trials += [
            SuiteTrial(number, "throughput", one.load_pps, one.intended_s, one.trial, frame)
            for number, one in enumerate(made.trials, len(trials) + 1)
        ]
        bounds = outcome.lower_pps, outcome.upper_pps, outcome.limit
        rows.append(ThroughputRow(frame, float(frame), line_pps, *bounds, trials=len(made.trials)))
    return replace(suite_of(name), method=method, trials=tuple(trials), **NO_ROWS, throughput=tuple(rows))


def soak_of(name="soak", seconds=400, lossy=(), gap=None, shown=False):
    """A load of 1 Mpps per direction; `lossy` are (second, packets) of 0→1, `gap` is a second without data."""
    head = SoakResult(
        name=name,
        variables=SoakSettings(profile_file="bench", tunables="size=64"),
        directions=BOTH,
        load=Rate(1e6, "pps"),
        load_pps=1e6,
        intended_s=float(seconds),
        verdict=SoakVerdict(target_ratio=1e-7, confidence=0.95),
        versions={"wirespeed": "0.1.0"},
        dut=from_json(DutFacts, DUT),
        ports=PORTS,
        frame_bytes={0: 64.0, 1: 64.0},
    )
    chronicle, lost_at = Chronicle(head), dict(lossy)
    each = 100_000_000 if shown else 1_000_000
    for second in range(seconds):
        lost = lost_at.get(second, 0)
        latency = LatencySpan(9000, 0, 5.0, 8.0 + second / 100, 40.0, 20.0)
        flows = {
            FORWARD: SoakFlow(each, each - lost, lost, latency=latency),
            BACK: SoakFlow(each, each, latency=latency),
        }
        chronicle.add(Span(float(second), 1.0, flows, lossy_s=1.0 if lost else 0.0))
        if lost:
            number = chronicle.numbers + 1
            event = LossEvent(number, float(second), 1.0, FORWARD, lost, "dut", lost / each, drops={"tx-full": lost})
            chronicle.put(event)
    if gap is not None:
        chronicle.add_gap(Gap(gap, 20.0, "controller", "the controller was away"))
    return chronicle.told(head)


def comparison_of(*results):
    return compare(list(results))
