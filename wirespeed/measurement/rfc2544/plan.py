"""The plan of the tests, as a value, and the method that follows from it. Pure; nothing runs here."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from wirespeed.errors import UsageError
from wirespeed.measurement.rfc.plan import LATENCY_REPEATS, LEAST_REPEATS, TRIAL_S, RfcPlan, tests_of
from wirespeed.measurement.rfc2544.conformance import BURST_REPEATS, WAITS_S, exceptions_of
from wirespeed.measurement.rfc2544.result import TESTS, Method, Rfc2544Settings, Test
from wirespeed.trial.directions import check_directions
from wirespeed.units import MAX_FRAME_BYTES, MIN_FRAME_BYTES, parse_duration

PROFILE = "bench"
SIZES = "64,128,256,512,1024,1280,1518"
IP6_SIZES = "82,128,256,512,1024,1280,1518"
IP6_LEAST_BYTES = 82
"""Ethernet, IPv6 and UDP headers, the tester's signature of 16 bytes, FCS."""

MIX = "imix"

OWN_TUNABLES = ("size", "ip")
NEEDED: dict[Test, tuple[Test, ...]] = dict.fromkeys(("latency", "back-to-back", "recovery", "reset"), ("throughput",))


@dataclass(frozen=True)
class Frame:
    """Frames of one size with FCS, or a mix, by the name that results have; `tunables` make the profile send them."""

    name: str
    tunables: dict[str, str]


@dataclass(frozen=True)
class Rfc2544Plan(RfcPlan):
    """`waits_s` (after learning, residual, restabilise) is None if it follows from `trial_s`. `tunables` are those
    other than size and IP version. `reset_kind` describes how the DUT is reset, empty if it cannot be reset;
    `is_left_out`: the reset test was requested and is therefore omitted."""

    profile: str = PROFILE
    tests: tuple[Test, ...] = TESTS
    frames: tuple[Frame, ...] = ()
    waits_s: tuple[float, float, float] | None = None
    burst_most_s: float = 2.0
    reset_kind: str = ""
    is_left_out: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        reset = ("reset was left out: --reset-command would say how to reset the DUT",) if self.is_left_out else ()
        return (*reset, *super().notes)

    @property
    def title(self) -> str:
        frames = ",".join(frame.name for frame in self.frames)
        return f"RFC 2544 {', '.join(self.tests)}; sizes {frames}; trials of {self.trial_s:g} s"

    def with_reset(self, reset_kind: str) -> Rfc2544Plan:
        """The plan for a device with the given reset. If it cannot be reset, that test is omitted; UsageError if no
        other test remains."""
        tests, is_left_out = self.tests, not reset_kind and "reset" in self.tests
        if is_left_out:
            if len(tests) == 1 or set(tests) == {"throughput", "reset"}:
                raise UsageError("reset needs to know how to reset the DUT: give --reset-command, or --lab embedded")
            tests = tuple(test for test in tests if test != "reset")
        return replace(self, tests=tests, is_left_out=is_left_out, reset_kind=reset_kind)

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
            latency_repeats=self.repeats_for(LATENCY_REPEATS),
            burst_repeats=self.repeats_for(BURST_REPEATS),
            recovery_repeats=self.repeats or LEAST_REPEATS,
            reset_repeats=self.repeats or LEAST_REPEATS,
            burst_most_s=self.burst_most_s,
            protocol=self.protocol,
            stream_format=self._stream_format,
        )
        return replace(bare, exceptions=exceptions_of(bare, ip6=self.ip6, signature=self.signature))

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
    """UsageError for a plan that is invalid whatever the links are."""
    plan.check_trials("the RFC has 20 for latency, 50 for back-to-back")
    for key in OWN_TUNABLES:
        if key in plan.tunables:
            raise UsageError(f"-t {key}=…: frames are chosen by --sizes and --ip6; leave {key} out of -t")
    check_directions(plan.directions, plan.signature)


def parse_test(word: str) -> tuple[Test, ...]:
    """The named test after those that it depends on, in running order."""
    return tests_of(word, TESTS, NEEDED, TESTS)


def parse_sizes(text: str, ip6: bool) -> tuple[Frame, ...]:
    """`64,1518,imix`; those of the RFC for an empty text. UsageError for an invalid or repeated size."""
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
