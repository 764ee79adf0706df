"""The plan of the tests, as a value, and the method that follows from it. Pure; nothing runs here."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from wirespeed.errors import UsageError
from wirespeed.measurement.rfc2544.conformance import TRIAL_S, WAITS_S, exceptions_of
from wirespeed.measurement.rfc2544.result import TESTS, Method, Rfc2544Settings, Test
from wirespeed.trial.directions import check_directions
from wirespeed.trial.plan import MeasurementPlan
from wirespeed.units import MAX_FRAME_BYTES, MIN_FRAME_BYTES, parse_duration

PROFILE = "bench"
SIZES = "64,128,256,512,1024,1280,1518"
IP6_SIZES = "82,128,256,512,1024,1280,1518"
IP6_LEAST_BYTES = 82
"""Ethernet, IPv6 and UDP headers, the tester's signature of 16 bytes, FCS."""

MIX = "imix"
EVERYTHING = "all"

LEAST_REPEATS = 3
LATENCY_REPEATS, BURST_REPEATS = 20, 50

OWN_TUNABLES = ("size", "ip")
NEEDING_THROUGHPUT: tuple[Test, ...] = ("latency", "back-to-back", "recovery", "reset")


@dataclass(frozen=True)
class Frame:
    """Frames of one size with FCS, or a mix, by the name that results have; `tunables` make the profile send them."""

    name: str
    tunables: dict[str, str]


@dataclass(frozen=True)
class Rfc2544Plan(MeasurementPlan):
    """`repeats` and `waits_s` (after learning, residual, restabilise) are None where they follow from `trial_s`.
    `tunables` are those besides size and IP version. With `robust` trials are repeated whose loss the machine explains;
    None does so in a lab whose control shares CPUs with what it measures.
    `reset_kind` says how the DUT is reset; it is empty where nobody can. `notes` go into the result as they are."""

    profile: str = PROFILE
    tests: tuple[Test, ...] = TESTS
    frames: tuple[Frame, ...] = ()
    trial_s: float = TRIAL_S
    repeats: int | None = None
    waits_s: tuple[float, float, float] | None = None
    resolution: float = 0.01
    burst_most_s: float = 2.0
    ip6: bool = False
    robust: bool | None = None
    reset_kind: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_robust(self) -> bool:
        return self.lab.shares_cpus if self.robust is None else self.robust

    @property
    def title(self) -> str:
        frames = ",".join(frame.name for frame in self.frames)
        return f"RFC 2544 {', '.join(self.tests)}; sizes {frames}; trials of {self.trial_s:g} s"

    def with_reset(self, reset_kind: str) -> Rfc2544Plan:
        """The plan for a device with the given reset. If it cannot be reset, that test is omitted; UsageError if no
        other test remains."""
        tests, notes = self.tests, self.notes
        if not reset_kind and "reset" in tests:
            if len(tests) == 1 or set(tests) == {"throughput", "reset"}:
                raise UsageError("reset needs to know how to reset the DUT: give --reset-command, or --lab embedded")
            tests = tuple(test for test in tests if test != "reset")
            notes = ("reset was left out: --reset-command would say how to reset the DUT",)
        return replace(self, tests=tests, notes=notes, reset_kind=reset_kind)

    @property
    def method(self) -> Method:
        """The method of the tests, with its deviations from the RFC."""
        share = min(1.0, self.trial_s / TRIAL_S)
        learning_s, residual_s, restabilise_s = self.waits_s or tuple(round(share * wait_s, 3) for wait_s in WAITS_S)
        bare = Method(
            tests=self.tests,
            frames=tuple(frame.name for frame in self.frames),
            trial_s=self.trial_s,
            resolution=self.resolution,
            learning_s=learning_s,
            residual_s=residual_s,
            restabilise_s=restabilise_s,
            latency_repeats=self._repeats(LATENCY_REPEATS, share),
            burst_repeats=self._repeats(BURST_REPEATS, share),
            recovery_repeats=self.repeats or LEAST_REPEATS,
            reset_repeats=self.repeats or LEAST_REPEATS,
            burst_most_s=self.burst_most_s,
            protocol="UDP over IPv6" if self.ip6 else "UDP over IPv4",
            stream_format=self._stream_format,
        )
        return replace(bare, exceptions=exceptions_of(bare, ip6=self.ip6, signature=self.signature))

    def _repeats(self, of_the_rfc: int, share: float) -> int:
        return self.repeats or max(LEAST_REPEATS, math.ceil(of_the_rfc * share))

    @property
    def _stream_format(self) -> str:
        sides = "2001:2::/49 and 2001:2:0:8000::/49" if self.ip6 else "16.0.0.0/8 and 48.0.0.0/8"
        vary = self.tunables.get("vm", "none")
        flows = "one flow a direction" if vary == "none" else f"many flows (vm={vary})"
        return f"profile {PROFILE}, {flows} between {sides}, UDP ports 1025 to 12"

    def tunables_of(self, frame: Frame) -> dict[str, str]:
        return {**self.tunables, **frame.tunables}

    def variables(self, server: str) -> Rfc2544Settings:
        return Rfc2544Settings(
            **self.settings_head(server),
            unidirectional=self.unidirectional,
            sizes=",".join(frame.name for frame in self.frames),
            robust=self.is_robust or None,
            ip6=self.ip6 or None,
        )


def check_plan(plan: Rfc2544Plan) -> None:
    """UsageError when the plan cannot be run on any line."""
    if not (math.isfinite(plan.trial_s) and plan.trial_s > 0):
        raise UsageError(f"--trial {plan.trial_s:g} is not a duration: give seconds above 0, 60 for the RFC's")
    if plan.repeats is not None and plan.repeats < 1:
        raise UsageError(f"--repeats {plan.repeats}: give 1 or more; the RFC has 20 for latency, 50 for back-to-back")
    if not 0 < plan.resolution < 1:
        raise UsageError(f"--resolution {plan.resolution:g}: give a share between 0 and 1, such as 1% or 0.001")
    for key in OWN_TUNABLES:
        if key in plan.tunables:
            raise UsageError(f"-t {key}=…: frames are chosen by --sizes and --ip6; leave {key} out of -t")
    check_directions(plan.directions, plan.signature)


def parse_test(word: str) -> tuple[Test, ...]:
    """A test with those that it stands on, in the order in which they are run."""
    if word == EVERYTHING:
        return TESTS
    if word not in TESTS:
        raise UsageError(f"test {word!r} is not known: give {', '.join(TESTS)} or {EVERYTHING}")
    return tuple(test for test in TESTS if test == word or (test == "throughput" and word in NEEDING_THROUGHPUT))


def parse_sizes(text: str, ip6: bool) -> tuple[Frame, ...]:
    """`64,1518,imix`; those of the RFC for an empty text. UsageError for what is not a size, or stands there twice."""
    least = IP6_LEAST_BYTES if ip6 else MIN_FRAME_BYTES
    names = [word.strip() for word in (text or (IP6_SIZES if ip6 else SIZES)).split(",")]
    for name in names:
        if name == MIX:
            continue
        if not (name.isascii() and name.isdigit() and len(name) <= 5 and least <= int(name) <= MAX_FRAME_BYTES):
            why = " (IPv6, UDP and the tester's signature take as much)" if ip6 else ""
            raise UsageError(
                f"size {name!r} cannot be used: give bytes with FCS from {least}{why} to {MAX_FRAME_BYTES}, or {MIX}"
            )
    if len(set(names)) != len(names):
        raise UsageError(f"sizes {text}: a size is given twice; give each once")
    family = {"ip": "6"} if ip6 else {}
    return tuple(Frame(name, {"size": name, **family}) for name in names)


def parse_waits(text: str) -> tuple[float, float, float]:
    """`2,2,5`: seconds after learning frames, for residual frames and to restabilise."""
    try:
        learning_s, residual_s, restabilise_s = (parse_duration(word) for word in text.split(","))
    except (ValueError, UsageError):
        raise UsageError(
            f"waits {text!r} cannot be read: give seconds after learning, for residual frames and to restabilise, "
            "such as 2,2,5"
        ) from None
    if not all(0 <= wait_s < math.inf for wait_s in (learning_s, residual_s, restabilise_s)):
        raise UsageError(f"waits {text!r} are not times: give seconds from 0 up, such as 2,2,5")
    return learning_s, residual_s, restabilise_s
