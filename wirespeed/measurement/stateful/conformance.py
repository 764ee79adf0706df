"""Deviations of a method from RFC 9693, which a report states beside each figure. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.measurement.rfc.plan import LATENCY_REPEATS, LATENCY_STREAM_S, TRIAL_S
from wirespeed.measurement.stateful.result import StatefulMethod, Test
from wirespeed.pages.words import count

REPEATS = 10
"""§6 requires repeats and names no number; its own example has 10."""
RFC_PAIR = ("10.0.0.2", "198.19.0.2")
OUTSIDE = ("stateful", "forward")
"""Filters of a lab without source NAT."""


def exceptions_of(method: StatefulMethod, filter: str = "") -> Mapping[Test, tuple[str, ...]]:
    """Deviations of `method` by test, as text for the report. `filter` is the DUT's, if known."""
    if method.transport == "tcp":
        return {}
    common = _common(method, filter)
    return {test: (*_of_test(method, test), *common) for test in method.tests}


def _of_test(method: StatefulMethod, test: Test) -> tuple[str, ...]:
    few = (f"{count(method.repeats, 'repeat')}, not {REPEATS}",) if method.repeats < REPEATS else ()
    short = (f"trials of {method.trial_s:g} s, not of at least {TRIAL_S:g} s",) if method.trial_s < TRIAL_S else ()
    match test:
        case "rate" | "capacity":
            return few
        case "tear-down":
            return (*few, "one command, which flushes the table as a whole")
        case "throughput":
            return (*few, *short)
        case "frame-loss":
            return (f"one series of loads, not {REPEATS}", *short)
        case "latency":
            exceptions = ["all frames are timed, not some tagged ones"]
            if method.latency_repeats < LATENCY_REPEATS:
                exceptions.append(f"{count(method.latency_repeats, 'repeat')}, not at least {LATENCY_REPEATS}")
            if method.trial_s < LATENCY_STREAM_S:
                exceptions.append(f"streams of {method.trial_s:g} s, not of at least {LATENCY_STREAM_S:g} s")
            return tuple(exceptions)


def _common(method: StatefulMethod, filter: str) -> tuple[str, ...]:
    """Statements about all tests."""
    exceptions = ["UDP only, no NAT64"]
    first = method.ranges[0]
    if len(method.addresses) == 1:
        (number,) = method.addresses
        many = "one pair of addresses" if number == 1 else f"{number} addresses of each side"
        exceptions.append(f"{many} only (§3.2)")
    if ":" in first.source:
        exceptions.append("IPv6: no IETF document defines a stateful NAT66 (§1)")
    elif (first.source, first.destination) != RFC_PAIR:
        exceptions.append(
            f"addresses from {first.source} and {first.destination} on, not {' and '.join(RFC_PAIR)} (§3)"
        )
    if filter in OUTSIDE:
        exceptions.append("states without source NAT are outside the RFC's scope (§1)")
    if method.over_timeout:
        exceptions.append("trials are longer than the DUT's timeout of flows where so marked (§4.4)")
    return tuple(exceptions)
