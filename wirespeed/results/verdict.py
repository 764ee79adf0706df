"""The verdict on a result: its figures, what limited it, one sentence and one next step. Pure.

Every place that shows a result prints its verdict and computes nothing. What limited a test is told by `explain`
(`wirespeed.explain.verdicts`); the result's own counters decide where they leave no doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from wirespeed.results.figures import (
    NOTHING,
    Scaler,
    loss_text,
    measured_text,
    rounded,
    share_text,
)
from wirespeed.units import l1_bits

LimitedBy = Literal["dut", "line", "tester", "host", "nothing", "unknown"]
"""`host`: CPUs of tester or DUT were preempted. `nothing`: no more was offered, and nothing was lost."""

LIMITS: dict[LimitedBy, str] = {
    "line": "line",
    "dut": "DUT",
    "tester": "tester",
    "host": "host",
    "nothing": "nothing: not offered more",
    "unknown": "unknown",
}
"""The limits in words, in the order of legends."""

LIMIT_WORDS = {limit: words.partition(":")[0] for limit, words in LIMITS.items()}
"""The limits in the one word that a cell has room for."""

BOUNDS: dict[LimitedBy, str] = {"tester": "tester-limited", "host": "host-limited", "nothing": "not offered more"}
"""Limits that make a figure a lower bound, as the figure names them."""

Mark = Literal["held", "estimate", "at least", "lossy", "irregular", "broken off", "disturbed", "not measured"]

NEXT_STEPS: dict[LimitedBy, str] = {
    "dut": "hold that load and read the DUT at the same time (`loadtest --dut`), its NIC counters and CPUs",
    "line": "use smaller frames, both directions or a faster line",
    "tester": "give the tester a CPU of its own, more workers or another kind of port (`wirespeed host check`)",
    "host": "close other programs or give the lab CPUs of its own, and run it again (`wirespeed host check`)",
    "nothing": "offer more: a higher target, smaller frames or both directions",
    "unknown": "run it again and read the DUT (`loadtest --dut`)",
}
"""Next steps, for verdicts without an experiment by `explain`."""
NOTHING_BACK = "check cables, addresses and routes: `wirespeed testbed check` tries each"
"""The next step where no packet came back."""

DISTURBED = "not measured: disturbed"

FORWARDED = "forwarded"
FULL_LOAD = "at full load"
"""Names of a load test's figures: with at most the loss threshold, and while the full load was held."""


@dataclass(frozen=True)
class Limit:
    """The limit of a test. `cause` is the name that `explain` has for it, empty if counters alone show the limit;
    `confidence` is 0 to 1."""

    by: LimitedBy = "unknown"
    sentence: str = "what limited it is unknown"
    next_step: str = ""
    confidence: float = 0.0
    cause: str = ""


Named = Mapping[str, Limit]
"""The limits that `explain` names, by subject: a frame size, a test with its number of flows, or "" for a result that
has one case."""


@dataclass(frozen=True)
class Figure:
    """One figure of a result, of all directions together.

    `rate_pps` is None for the reason `why`, or where the lowest load, `upper_pps`, lost packets. `loss_ratio` is the
    loss at `offered_pps`, or the loss that the goal of a search allows. `line_percent` is the share of all `lines`
    together, at most 100. `upper_pps` is the upper bound of a search. `each` has the directions by name, if there are
    several. `said` is the text of a figure that is not a rate. `samples` is the number of samples in the mean, with
    rates from `low_pps` to `high_pps`; 0 for trials.
    """

    name: str
    mark: Mark
    rate_pps: float | None = None
    offered_pps: float | None = None
    loss_ratio: float | None = None
    l1_bps: float | None = None
    line_percent: float | None = None
    lines: int = 1
    bound: str = ""
    upper_pps: float | None = None
    why: str = ""
    samples: int = 0
    each: tuple[Figure, ...] = ()
    said: str = ""
    low_pps: float | None = None
    high_pps: float | None = None

    def __repr__(self) -> str:
        return f"<figure {self.line}>"

    @property
    def is_measured(self) -> bool:
        return self.rate_pps is not None or bool(self.said)

    @property
    def text(self) -> str:
        """`4.47 Mpps`, `≥ 4.47 Mpps (tester-limited)`, `7.77 Mpps to 7.81 Mpps`, `not measured: disturbed`."""
        if self.said:
            return self.said
        return self._form(measured_text) + (f" ({self.bound})" if self.bound else "")

    def parts(self, scaler: Scaler) -> tuple[str, str]:
        """Rate and unit for large type, what bounds it left out: `("≥ 4.47", "Mpps")`; or why there is none."""
        is_rate = not self.said and (self.rate_pps is not None or self.upper_pps is not None)
        return self.scaled(scaler), scaler.unit if is_rate else ""

    def text_in(self, scaler: Scaler) -> str:
        """The figure with the unit of its page: `7.77 to 7.81 Mpps`, `≥ 0.450 Mpps (tester-limited)`."""
        return " ".join(filter(None, self.parts(scaler))) + (f" ({self.bound})" if self.bound and not self.said else "")

    def scaled(self, scaler: Scaler) -> str:
        """The figure in a column of one unit: `4.47`, `≥ 4.47`. The reason of a bound is in another column."""
        return self.said or self._form(scaler.text)

    def cell(self, scaler: Scaler) -> str:
        """In a column of one unit with trust marks: a dash for what was not measured, since the mark says why."""
        return self.scaled(scaler) if self.is_measured or self.mark == "lossy" else NOTHING

    def _form(self, form: Callable[[float], str]) -> str:
        if self.rate_pps is None:
            return self.why if self.upper_pps is None else f"less than {form(self.upper_pps)}"
        rate = form(self.rate_pps)
        if self.bound:
            return f"≥ {rate}"
        return rate if self.upper_pps is None else f"{rate} to {form(self.upper_pps)}"

    def spread(self, scaler: Scaler) -> str:
        """Range of an estimate: `mean of 3 neighbouring samples, which forwarded 2.23 to 3.72 Mpps`. Empty for other
        figures."""
        if self.mark != "estimate" or self.low_pps is None or self.high_pps is None or self.samples < 2:
            return ""
        span = f"{scaler.text(self.low_pps)} to {scaler.text(self.high_pps)} {scaler.unit}"
        return f"mean of {self.samples} neighbouring samples, which forwarded {span}"

    def each_text(self, scaler: Scaler) -> str:
        """The parts of a figure of several directions: `1.49 Mpps each way`, or `0→1 1.49 Mpps, 1→0 1.40 Mpps`."""
        if not self.each:
            return ""
        texts = {one.name: one.parts(scaler) for one in self.each}
        if len(set(texts.values())) == 1:
            return f"{' '.join(next(iter(texts.values())))} each way"
        return ", ".join(f"{name} {' '.join(parts)}" for name, parts in texts.items())

    @property
    def line(self) -> str:
        """The figure with its name, its share of the line and, unless a goal has it, its loss: `forwarded 4.47 Mpps,
        30.1 % of line, loss 0 %`."""
        return self._line(self.text)

    def line_in(self, scaler: Scaler) -> str:
        """The line with the unit of its page."""
        return self._line(self.text_in(scaler))

    def _line(self, text: str) -> str:
        words = [self.said or f"{self.name} {text}"]
        if self.rate_pps is not None and self.line_percent is not None:
            words.append(self.share_text)
        if self.rate_pps is not None and self.samples:
            words.append(f"loss {self.loss_text}")
        if self.mark == "irregular":
            words.append("irregular")
        return ", ".join(words)

    @property
    def share_text(self) -> str:
        """`33.7 % of line`, `30.4 % of 2 lines`; a dash where the line is unknown."""
        return share_text(self.line_percent, self.lines)

    @property
    def l2_bps(self) -> float | None:
        """Frame bytes alone, without the 20 that each takes on the wire besides."""
        return None if self.l1_bps is None or self.rate_pps is None else self.l1_bps - l1_bits(0) * self.rate_pps

    @property
    def each_way(self) -> Figure:
        """The figure of one direction, of a load that is the same in all directions."""
        return self.each[0] if self.each else self

    def of(self, direction: str) -> Figure:
        """The figure of one direction; the whole where it has no directions."""
        return next((one for one in self.each if one.name == direction), self)

    @property
    def loss_text(self) -> str:
        return NOTHING if self.loss_ratio is None else loss_text(self.loss_ratio)

    def to_json(self) -> dict[str, Any]:
        """Plain values, and the texts that people read."""
        return {
            "name": self.name,
            "mark": self.mark,
            "rate_pps": rounded(self.rate_pps),
            "offered_pps": rounded(self.offered_pps),
            "loss_ratio": None if self.loss_ratio is None else round(self.loss_ratio, 9),
            "l1_bps": rounded(self.l1_bps),
            "line_percent": rounded(self.line_percent),
            "lines": self.lines,
            "upper_pps": rounded(self.upper_pps),
            "samples": self.samples,
            "text": self.text,
            "share": self.share_text,
            "each": [one.to_json() for one in self.each],
        }


@dataclass(frozen=True)
class Verdict:
    """The verdict on a result. The first of `figures` represents the result. A load test has `forwarded` and `full
    load`, a search its goals, RFC 2544 the throughput of each frame size, a soak the loss.

    The host disturbed `disturbed` of `samples` samples. `status` is the status of the measurement. `counting` states
    what the packets' numbers show, or what the counters cannot see; empty if that is not known. `named` are the limits
    that `explain` names, for tables that have one per row. `limits` are those of each case by its subject, where a
    result has several."""

    kind: str
    name: str
    figures: tuple[Figure, ...]
    limit: Limit = field(default_factory=Limit)
    status: str = "complete"
    threshold: float | None = None
    disturbed: int = 0
    samples: int = 0
    counting: str = ""
    named: Named = field(default_factory=dict)
    limits: Named = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<verdict on {self.name}: {self.line}>"

    @property
    def figure(self) -> Figure:
        return self.figures[0]

    @property
    def full_load(self) -> Figure | None:
        """Rate that a load test forwarded while it held the full load."""
        return next((one for one in self.figures if one.name == FULL_LOAD), None)

    def heading(self, figure: Figure) -> str:
        """Heading of a figure that stands alone, such as `highest load with loss ≤ 0.1 %`. An estimate is a mean of
        samples, some of which forwarded more."""
        if figure.name == FORWARDED and self.threshold is not None:
            load = f"load with loss ≤ {100 * self.threshold:g} %"
            return f"{load}, estimated" if figure.mark == "estimate" else f"highest {load}"
        return f"{figure.name}, overloaded" if figure.name == FULL_LOAD and figure.mark == "lossy" else figure.name

    @property
    def shown(self) -> Figure:
        """The figure for a place that has room for one: the first that was measured."""
        return next((one for one in self.figures if one.is_measured), self.figure)

    @property
    def line(self) -> str:
        """The figures in one line: `forwarded 4.47 Mpps, loss 0 %; at full load 4.41 Mpps, loss 1.2 %`."""
        return "; ".join(one.line for one in self.figures)

    @property
    def lines(self) -> tuple[str, ...]:
        """The figures, what limited the test, what to do next, and how well the packets were counted."""
        following = (f"next: {self.next_step}",) if self.next_step else ()
        counted = (f"counting: {self.counting}",) if self.counting else ()
        return (self.line, f"limited by {LIMIT_WORDS[self.limited_by]}: {self.sentence}", *following, *counted)

    @property
    def plain_lines(self) -> tuple[str, ...]:
        """The lines for pages, in which backticks have no meaning."""
        return tuple(line.replace("`", "") for line in self.lines)

    def naming(self, named: Named) -> Verdict:
        """The verdict with the limits that `explain` names."""
        return replace(self, named=named)

    @property
    def limited_by(self) -> LimitedBy:
        return self.limit.by

    @property
    def sentence(self) -> str:
        """The limit of the test, in one sentence."""
        return self.limit.sentence

    @property
    def next_step(self) -> str:
        return self.limit.next_step

    @property
    def shows_the_dut(self) -> bool:
        """True if the DUT's own limit was found, or if it forwarded the whole line rate."""
        return self.limited_by in ("dut", "line") and self.figure.is_measured

    def to_json(self) -> dict[str, Any]:
        return {
            "figures": [one.to_json() for one in self.figures],
            "limited_by": self.limited_by,
            "cause": self.limit.cause,
            "confidence": round(self.limit.confidence, 4),
            "sentence": self.sentence,
            "next": self.next_step,
            "counting": self.counting,
            "disturbed_samples": self.disturbed,
            "samples": self.samples,
        }
