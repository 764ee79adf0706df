"""The charts of load tests: over the load that was offered, and over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.charts.chart import (
    Chart,
    Curve,
    Dash,
    Panel,
    PercentScale,
    Rule,
    direction_dash,
    short,
    shortened,
    together,
)
from wirespeed.charts.dut_panels import PANEL_PX, Account, DutSample, panels_of
from wirespeed.charts.sampled import Dot, blank, device_panels, sampled
from wirespeed.charts.scales import loss_floor, loss_scale
from wirespeed.measurement.load import SAME_SIZE, LoadGroup, beside
from wirespeed.measurement.loadtest.analysis import Analysis
from wirespeed.measurement.loadtest.analysis import MeasuredCurve as Measured
from wirespeed.measurement.loadtest.panels import more_panels
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.registry import report_of
from wirespeed.measurement.reported import BIDIRECTIONAL, Shown
from wirespeed.pages.duts import dut_name, editions
from wirespeed.pages.words import count, first_of
from wirespeed.results.channel import SUM
from wirespeed.results.figures import Scaler, losses_text, percent_text, share_text
from wirespeed.results.outcome import Knee, LoadPoint
from wirespeed.results.point import Point

RECEIVED_PX, LOSS_PX, TIME_PX = 320, 200, 260
DISTURBED, SUMS = "disturbed", "sums"
SATURATED, LOSSY = "saturation point", "loss onset"
MOST_APART = 8.0
"""Highest ratio of the fastest to the slowest device in a chart: a higher one would flatten the slowest curve."""
MOST_NAMED, MOST_TIED = 3, 8
ALIKE = 0.005
"""Share of the highest rate. If samples of both directions differ by less, their curves cannot be told apart."""


@dataclass(frozen=True)
class _Drawn:
    """A direction of a test, and the style of its curves."""

    test: Analysis
    curve: Measured
    style: Curve
    on: bool


def by_speed(group: LoadGroup[Result]) -> tuple[LoadGroup[Result], ...]:
    """The tests of a load in groups of devices that one chart can show, in the order of their first tests."""
    highest: dict[str, float] = {}
    for result in group.results:
        rates = (point.received_pps for curve in result.analysis.directions for point in curve.measured)
        dut = dut_name(result)
        highest[dut] = max(highest.get(dut, 0.0), *rates, 0.0)
    classes: list[set[str]] = []
    slowest = 0.0
    for dut in sorted(highest, key=highest.__getitem__):
        if not classes or highest[dut] > MOST_APART * slowest > 0:
            classes.append(set())
            slowest = 0.0
        classes[-1].add(dut)
        slowest = slowest or highest[dut]
    parts = (tuple(result for result in group.results if dut_name(result) in some) for some in classes)
    ordered = sorted(parts, key=lambda results: group.results.index(results[0]))
    return tuple(LoadGroup(group.load, results) for results in ordered)


def devices_of(group: LoadGroup[Result]) -> str:
    return first_of(dict.fromkeys(map(dut_name, group.results)), MOST_NAMED)


def load_chart(identity: str, group: LoadGroup[Result], shown: Shown) -> Chart:
    """Received load, loss and the router's telemetry over the offered load: panels on one axis, with the bounds from
    other results of the same tests."""
    scaler = shown.scaler
    drawn = [one for one in _drawn(group, shown) if one.curve.measured]
    thresholds = sorted({result.analysis.threshold for result in group.results})
    floor = loss_floor([point.loss_ratio for one in drawn for point in one.curve.measured], thresholds)
    received: list[Curve] = []
    lost: list[Curve] = []
    disturbed: list[Curve] = []
    for line in drawn:
        received += _received(line, scaler)
        lost += _loss(line, scaler, floor)
        if line.curve.channel != SUM:
            disturbed += _disturbed_samples(line, scaler, floor)
    lost += disturbed
    bands = [
        band
        for result in group.results
        for one in beside(result, group.load, shown.bounds)
        for band in report_of(one.kind).bands(one, shown.colours[dut_name(result)], scaler)
    ]
    return Chart(
        identity=identity,
        sentence=f"{group.load.title}: received load and loss over the offered load",
        x_title=f"offered load per direction ({scaler.unit})",
        x_unit=scaler.unit,
        panels=(
            Panel(
                title=f"received ({scaler.unit})",
                unit=scaler.unit,
                height_px=RECEIVED_PX,
                curves=tuple(received),
                rules=tuple(
                    Rule(f"line rate {scaler.exact(pps)} {scaler.unit}", short(pps / scaler.divisor))
                    for pps in line_rates(group)
                ),
                diagonal="received = offered",
            ),
            Panel(
                title="loss of what was offered",
                unit="",
                height_px=LOSS_PX,
                curves=tuple(lost),
                scale=loss_scale(floor),
                rules=tuple(Rule(f"loss {ratio * 100:g} %", ratio, alarm=True) for ratio in thresholds if ratio > 0),
            ),
            *(
                replace(panel, folded=number > 0) for number, panel in enumerate(_device(group, drawn, scaler))
            ),  # the cost stands first
        ),
        bands=tuple(bands),
        off=frozenset([DISTURBED, *(one.style.key for one in drawn if not one.on)]),
        called={**_called(drawn), DISTURBED: _counted(drawn)},
        shares=_shares(drawn, scaler),
        title=f"Load test, {group.load.title}: {devices_of(group)}",
    )


def _counted(drawn: Sequence[_Drawn]) -> str:
    """Number of disturbed samples, of all that the tests took at a time."""
    samples = {(one.test.result.name, point.t_s) for one in drawn for point in one.curve.measured}
    disturbed = {(one.test.result.name, point.t_s) for one in drawn for point in one.curve.measured if point.disturbed}
    return f"{len(disturbed)} of {count(len(samples), 'sample')} disturbed: the host took CPUs away"


def _shares(drawn: Sequence[_Drawn], scaler: Scaler) -> PercentScale | None:
    """Each test in percent of its highest received load per direction; None for a single test."""
    highest: dict[str, float] = {}
    for one in drawn:
        if one.curve.channel != SUM:
            most = max(point.received_pps for point in one.curve.measured) / scaler.divisor
            highest[one.style.of] = max(most, highest.get(one.style.of, 0.0))
    of = {name: short(most) for name, most in highest.items() if most > 0}
    share = "% of the test's highest received load"
    return PercentScale(f"offered load per direction ({share})", f"received ({share})", of) if len(of) > 1 else None


def time_chart(identity: str, group: LoadGroup[Result], shown: Shown) -> Chart:
    """Offered and received load of every channel over the whole test, warm-up and drain included."""
    scaler = shown.scaler
    drawn = [one for one in _drawn(group, shown) if one.curve.channel in shown.channels]
    curves = []
    for line in drawn:
        times = shortened(point.t_s for point in line.curve.points)
        received = shortened(point.received_pps / scaler.divisor for point in line.curve.points)
        offered = shortened(point.offered_pps / scaler.divisor for point in line.curve.points)
        curves.append(replace(line.style, x=times, y=received, value=""))
        name = f"{line.style.name} offered"
        curves.append(replace(line.style, x=times, y=offered, name=name, dash="dot", width=1.0))
    return Chart(
        identity=identity,
        sentence=f"{group.load.title}: received and offered load over time",
        x_title="time (s)",
        x_unit="s",
        panels=(Panel(f"received and offered, dotted ({scaler.unit})", scaler.unit, TIME_PX, tuple(curves)),),
        off=frozenset(one.style.key for one in drawn if not one.on),
        called=_called(drawn),
        title=f"Load test over time, {group.load.title}: {devices_of(group)}",
    )


def line_rates(group: LoadGroup[Result]) -> list[float]:
    """The different line rates of one direction; packets per second."""
    lines: list[float] = []
    for result in group.results:
        for curve in result.analysis.curves:
            pps = curve.line_pps
            if curve.lines == 1 and pps and all(abs(pps - known) > SAME_SIZE * known for known in lines):
                lines.append(pps)
    return lines


def _direction_of(test: Analysis, curve: Measured) -> str:
    """`0→1` of a test in one direction, `bidirectional 0→1` of one in several, as columns of the matrix are called."""
    return curve.channel if len(test.curves) == 1 else f"{BIDIRECTIONAL} {curve.channel}"


def first_to_lose(group: LoadGroup[Result], scaler: Scaler) -> str:
    """The device that loses first, or those that cannot be told apart since their loss begins in one step of the load;
    empty for a single test and where loss does not last."""
    tests = [result.analysis for result in group.results]
    names = _test_names(tests)
    losing = [
        (curve.outcome.loss_onset.offered_pps, curve.passed_pps or 0.0, names[test.result.name], curve)
        for test in tests
        for curve in test.directions
        if curve.outcome.loss_onset is not None
    ]
    if len(tests) < 2 or not losing:
        return ""
    onset_pps, _, name, curve = min(losing, key=lambda one: one[:2])
    tied = list(dict.fromkeys(other for _, passed_pps, other, _ in losing if passed_pps < (1 - ALIKE) * onset_pps))
    assert curve.outcome.loss_onset is not None
    where = f"{_onset_text(curve.passed_pps, curve.outcome.loss_onset, scaler)} {scaler.unit} of a direction"
    if len(tied) < 2:
        return f"Loss begins first in {name}, {where}."
    either = f"{first_of(tied[:-1], MOST_TIED)} or {tied[-1]}"
    return f"Loss begins first in {either}, which cannot be told apart: {where}."


def _curve_name(test: Analysis, curve: Measured, mixed: bool) -> str:
    """Device and direction; the name of the file if it names no device. `mixed`: the group has tests in one direction
    and in several."""
    direction = _direction_of(test, curve) if mixed and curve.channel != SUM else curve.channel
    return f"{dut_name(test.result)} {direction}"


def _curve_names(tests: Sequence[Analysis]) -> Mapping[tuple[str, str], str]:
    """Names by test and channel. Equal names get the version, the day or the file in brackets."""
    mixed = len({len(test.curves) == 1 for test in tests}) > 1
    names = {
        (test.result.name, curve.channel): _curve_name(test, curve, mixed) for test in tests for curve in test.curves
    }
    edition = editions(test.result for test in tests)
    shared, pairs = Counter(names.values()), Counter((name, edition[place[0]]) for place, name in names.items())

    def apart(place: tuple[str, str], name: str) -> str:
        return edition[place[0]] if edition[place[0]] and pairs[name, edition[place[0]]] == 1 else place[0]

    return {place: name if shared[name] == 1 else f"{name} ({apart(place, name)})" for place, name in names.items()}


def _test_names(tests: Sequence[Analysis]) -> Mapping[str, str]:
    """Name of a whole test: its device; with direction, version, day or file if others of the group have the same."""
    duts = {test.result.name: dut_name(test.result) for test in tests}
    ways = {test.result.name: test.curves[0].channel if len(test.curves) == 1 else BIDIRECTIONAL for test in tests}
    edition = editions(test.result for test in tests)
    counts, pairs = Counter(duts.values()), Counter((duts[name], ways[name]) for name in duts)
    several = Counter((duts[name], ways[name], edition[name]) for name in duts)

    def apart(name: str) -> str:
        if pairs[duts[name], ways[name]] == 1:
            return ways[name]
        is_told = edition[name] and several[duts[name], ways[name], edition[name]] == 1
        return f"{ways[name]} ({edition[name]})" if is_told else f"({name})"

    return {name: dut if counts[dut] == 1 else f"{dut} {apart(name)}" for name, dut in duts.items()}


def _dash_of(test: Analysis, curve: Measured) -> Dash:
    """Sums are dotted."""
    return "dot" if curve.channel == SUM else direction_dash(test.curves.index(curve), len(test.directions))


def _drawn(group: LoadGroup[Result], shown: Shown) -> Iterator[_Drawn]:
    """The requested channels, and sums that are hidden at first. Of several tests of one device in one direction, the
    first is drawn; the others are hidden at first, and thinner."""
    tests = [result.analysis for result in group.results]
    names = _curve_names(tests)
    seen: set[tuple[str, str]] = set()
    for test in tests:
        dut, are_alike = dut_name(test.result), _are_alike(test, shown)
        for curve in test.curves:
            is_asked = curve.channel in shown.channels
            if not is_asked and curve.channel != SUM:
                continue
            key = test.result.name if len(test.curves) == 1 or are_alike else f"{test.result.name} {curve.channel}"
            if not is_asked:
                key = SUMS
            name = names[test.result.name, curve.channel]
            place = dut, _direction_of(test, curve)
            first = place not in seen
            seen.add(place)
            style = replace(
                blank(name, shown.colours[dut], key, _dash_of(test, curve), 2.0 if first else 1.2, test.result.name),
                value="" if key == SUMS else _told(curve, shown.scaler),
                is_open=test.curves.index(curve) % 2 == 1,
            )
            yield _Drawn(test, curve, style, is_asked and first)


def _are_alike(test: Analysis, shown: Shown) -> bool:
    """True if one curve shows both directions: they have the same figures, and their samples lie on each other."""
    if len(test.directions) != 2 or not shown.channels >= {curve.channel for curve in test.directions}:
        return False
    first, other = test.directions
    pairs = list(zip(first.measured, other.measured, strict=False))
    near = ALIKE * max((point.received_pps for point in first.measured), default=0.0)
    return (
        len(first.measured) == len(other.measured)
        and _told(first, shown.scaler) == _told(other, shown.scaler)
        and all(abs(a.received_pps - b.received_pps) <= near for a, b in pairs)
    )


def _called(drawn: Sequence[_Drawn]) -> dict[str, str]:
    """Names of the keys that several curves share."""
    names: dict[str, list[str]] = {}
    for one in drawn:
        names.setdefault(one.style.key, []).append(one.style.name)
    return {key: together(some) for key, some in names.items() if len(some) > 1} | {SUMS: "sums of all directions"}


def _told(curve: Measured, scaler: Scaler) -> str:
    """Loss onset and saturation point: `loss onset between 2.23 and 2.98, saturation point 2.50 Mpps`."""
    lossy, knee = curve.outcome.loss_onset, curve.outcome.saturation
    found = [f"{LOSSY} {_onset_text(curve.passed_pps, lossy, scaler)}"] if lossy else []
    found += [f"{SATURATED} {scaler.text(knee.offered_pps)}"] if knee else []
    return f"{', '.join(found)} {scaler.unit}" if found else "no lasting loss"


def _onset_text(passed_pps: float | None, lossy: LoadPoint, scaler: Scaler) -> str:
    """`between 2.23 and 2.98`; `at or below 0.744` where no load passed."""
    onset = scaler.text(lossy.offered_pps)
    return f"at or below {onset}" if passed_pps is None else f"between {scaler.text(passed_pps)} and {onset}"


def _received(line: _Drawn, scaler: Scaler) -> list[Curve]:
    dots = [
        Dot(
            point.phase != "ramp",
            point.offered_pps / scaler.divisor,
            point.received_pps / scaler.divisor,
            f"{_share(point)}, {_lost(point)}",
        )
        for point in line.curve.measured
    ]
    curves = sampled(dots, line.style)
    outcome = line.curve.outcome
    if outcome.saturation:
        curves.append(_knee(outcome.saturation, line.style, scaler))
    if outcome.loss_onset:
        received = outcome.loss_onset.received_pps / scaler.divisor
        curves.append(_lossy(outcome.loss_onset, received, line.curve.passed_pps, line.style, scaler))
    return curves


def _loss(line: _Drawn, scaler: Scaler, floor: float) -> list[Curve]:
    dots = [
        Dot(
            point.phase != "ramp",
            point.offered_pps / scaler.divisor,
            max(point.loss_ratio, floor),
            _lost(point),
        )
        for point in line.curve.measured
    ]
    found, onset = sampled(dots, line.style), line.curve.outcome.loss_onset
    if onset:
        found.append(_lossy(onset, max(onset.loss_ratio, floor), line.curve.passed_pps, line.style, scaler))
    return found


def _disturbed_samples(line: _Drawn, scaler: Scaler, floor: float) -> Iterable[Curve]:
    """Crosses on the disturbed samples."""
    dots = [
        Dot(True, point.offered_pps / scaler.divisor, max(point.loss_ratio, floor), point.disturbed or "")
        for point in line.curve.measured
        if point.disturbed
    ]
    return sampled(dots, replace(line.style, key=DISTURBED, symbol="cross", value=""))


def _knee(knee: Knee, style: Curve, scaler: Scaler) -> Curve:
    """A diamond at the saturation point, with its bounds."""
    where = "" if knee.offered_percent is None else f", {percent_text(knee.offered_percent)} % of line"
    at, low, high = (short(pps / scaler.divisor) for pps in (knee.offered_pps, knee.low_pps, knee.high_pps))
    return replace(
        style,
        x=(at,),
        y=(short(knee.plateau_pps / scaler.divisor),),
        left=(low,),
        right=(high,),
        told=(f"{SATURATED} {at:.4g} {scaler.unit} offered ({low:.4g} to {high:.4g}){where}",),
        dots=True,
        symbol="diamond",
        is_open=False,
        note=SATURATED,
        bar="its bounds",
    )


def _lossy(onset: LoadPoint, y: float, passed_pps: float | None, style: Curve, scaler: Scaler) -> Curve:
    """An open diamond at the loss onset, with a bar from the highest load that passed."""
    at = short(onset.offered_pps / scaler.divisor)
    return replace(
        style,
        x=(at,),
        y=(short(y),),
        left=(at if passed_pps is None else short(passed_pps / scaler.divisor),),
        right=(at,),
        told=(f"{LOSSY} {_onset_text(passed_pps, onset, scaler)} {scaler.unit} offered",),
        dots=True,
        symbol="diamond",
        is_open=True,
        note=LOSSY,
        bar="" if passed_pps is None else "from the highest load that passed",
    )


def _device(group: LoadGroup[Result], drawn: Sequence[_Drawn], scaler: Scaler) -> Iterator[Panel]:
    """Curves of the devices' telemetry and of latency, in the style of each test's first direction."""
    styles: dict[str, Curve] = {}
    for one in drawn:
        styles.setdefault(one.test.result.name, one.style)
    tests = [result.analysis for result in group.results if result.name in styles]
    names = _test_names(tests)
    accounts = [account_of(test) for test in tests]
    called = {name: replace(style, name=names[name]) for name, style in styles.items()}
    yield from device_panels(panels_of(accounts), accounts, called, scaler.divisor)
    for extra in more_panels(tests):
        curves: list[Curve] = []
        for line in extra.lines:
            dots = [Dot(held, pps / scaler.divisor, value) for held, pps, value in line.dots]
            named = replace(styles[line.test], name=f"{names[line.test]} {line.label}", dash=line.dash, width=1.6)
            curves += sampled(dots, named)
        yield Panel(extra.title, extra.unit, PANEL_PX, tuple(curves), rules=extra.floors)


def account_of(test: Analysis) -> Account:
    """Account of a load test: every ramp and hold sample, over the mean offered load of its channels; a router
    has one cost for all of them."""
    total = test.curves[-1]
    pairs = zip(total.points, test.result.samples, strict=True)
    samples = (
        DutSample(point.phase != "ramp", point.offered_pps / total.lines, sample.dut)
        for point, sample in pairs
        if point.measured
    )
    return Account(test.result.name, tuple(samples))


def _share(point: Point) -> str:
    """The received load as a share of its lines, never above them."""
    percent = point.line_percent
    return "line unknown" if percent is None else share_text(min(100.0, percent / point.lines), point.lines)


def _lost(point: Point) -> str:
    losses = losses_text(point.loss_ratio, point.balance.tester_share)
    return f"{losses}, disturbed: {point.disturbed}" if point.disturbed else losses
