"""Deviations of a method from the RFC, which a report states beside each figure. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.measurement.rfc.plan import LATENCY_REPEATS, LATENCY_STREAM_S, TRIAL_S
from wirespeed.measurement.rfc2544.result import Method, Test

WAITS_S = (2.0, 2.0, 5.0)
"""After learning frames, for residual frames, to restabilise (RFC 2544 section 23)."""

STANDARD_SIZES = frozenset({"64", "128", "256", "512", "1024", "1280", "1518"})
IP6_SIZES = STANDARD_SIZES - {"64"}
BURST_REPEATS = 50


def exceptions_of(method: Method, *, ip6: bool, signature: bool) -> Mapping[Test, tuple[str, ...]]:
    """Deviations of `method` by test, as text for the report."""
    common = _common(method, ip6=ip6, signature=signature)
    return {test: (*_of_test(method, test), *common) for test in method.tests}


def _of_test(method: Method, test: Test) -> tuple[str, ...]:
    trial_s = method.trial_s
    short = (f"trials of {trial_s:g} s, not of at least {TRIAL_S:g} s (§24)",) if trial_s < TRIAL_S else ()
    match test:
        case "throughput" | "frame-loss":
            return short
        case "latency":
            stream_s = 2 * trial_s
            exceptions = [f"tagged frames throughout, {method.latency_pps:g} per second, not one after 60 s"]
            if stream_s < LATENCY_STREAM_S:
                exceptions.append(f"streams of {stream_s:g} s, not of at least {LATENCY_STREAM_S:g} s")
            if method.latency_repeats < LATENCY_REPEATS:
                exceptions.append(f"{method.latency_repeats} repeats, not at least {LATENCY_REPEATS}")
            return tuple(exceptions)
        case "back-to-back":
            few = method.burst_repeats < BURST_REPEATS
            return (f"{method.burst_repeats} repeats, not at least {BURST_REPEATS}",) if few else ()
        case "recovery":
            until = "the last frame lost is known by counters, whose readings are its resolution"
            return (until, *((f"overload of {trial_s:g} s, not of at least 60 s",) if trial_s < TRIAL_S else ()))
        case "reset":
            return ("one type of reset, not each that the DUT has",)


def _common(method: Method, *, ip6: bool, signature: bool) -> tuple[str, ...]:
    """Statements about all tests."""
    waits = (method.learning_s, method.residual_s, method.restabilise_s)
    exceptions = []
    if any(ours < theirs for ours, theirs in zip(waits, WAITS_S, strict=True)):
        told = ", ".join(f"{wait_s:g}" for wait_s in waits)
        exceptions.append(
            f"waits of {told} s after learning, for residual frames and to restabilise, not 2, 2, 5 s (§23)"
        )
    standard = IP6_SIZES if ip6 else STANDARD_SIZES
    if not standard <= set(method.frames):
        exceptions.append(f"sizes {', '.join(method.frames)} only (§9.1)")
    if ip6 and "82" in method.frames:
        exceptions.append("82 bytes are the least that hold IPv6, UDP and the tester's signature (RFC 5180)")
    if not ip6:
        exceptions.append(
            "addresses of 16.0.0.0/8 and 48.0.0.0/8 and UDP port 12, not 198.18.0.0/15 and port 7 (appendix C)"
        )
    exceptions.append("static routes and neighbours, no routing updates (§23)")
    if not signature:
        exceptions.append("test frames are known by the receiving port's counters, not by their content (§10)")
    return tuple(exceptions)
