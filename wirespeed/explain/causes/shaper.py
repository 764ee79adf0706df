"""A traffic shaper on the DUT (token bucket) limits the bit rate, and the rest of the DUT has time.

The shaper's own counter shows it (`tc -s qdisc`), or the bit rate does: it is the same for frames of different lengths
and below line rate. A DUT that is limited by packets would have the same packet rate instead.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case, CaseLoad
from wirespeed.explain.evidence import FAIR, PROOF, STRONG, CauseFinding, Evidence
from wirespeed.results.figures import rate_text
from wirespeed.units import FCS_BYTES, format_si

NAME = "shaper"
_MOST = 0.5
_SAME = 0.02
_OTHER_LENGTH = 1.5
_BELOW_LINE = 0.95


def look(case: Case) -> CauseFinding | None:
    pieces = [*_counted(case), *_same_bits(case)]
    if not pieces:
        return None
    most = max((one for one in case.dut.shapers if one.dropped), key=lambda one: one.dropped, default=None)
    named = "it" if most is None else f"{most.kind} of {most.interface}"
    rate = "a fixed number of bits per second" if most is None or not most.rate else f"{most.rate} per second"
    return CauseFinding(
        NAME,
        f"the DUT shapes traffic: {named} passes {rate} and drops the rest",
        tuple(pieces),
        next=f"take the shaper off (`tc qdisc del dev {most.interface} root`) and measure again"
        if most is not None
        else "search its configuration for a shaper or policer (`tc -s qdisc`), take it off and measure again",
    )


def _counted(case: Case) -> list[Evidence]:
    pieces = []
    for shaper in case.dut.shapers:
        if not shaper.dropped:
            continue
        rate = f" at {shaper.rate}" if shaper.rate else ""
        text = f"{shaper.kind} of {shaper.interface}{rate} dropped {shaper.dropped:,} packets in the test"
        is_most = case.lost_packets is not None and shaper.dropped >= _MOST * case.lost_packets
        pieces.append(Evidence(text, PROOF if is_most else FAIR, f"{case.dut.source}, tc -s qdisc"))
    return pieces


def _same_bits(case: Case) -> list[Evidence]:
    mine = _bits_per_s(case.load)
    if mine is None or not _is_below_line(case.load) or not case.load.loss_ratio:
        return []
    for other in case.others:
        bits = _bits_per_s(other)
        if bits is None or not other.loss_ratio or not _is_below_line(other):
            continue
        lengths = sorted((case.load.frame_bytes or 0.0, other.frame_bytes or 0.0))
        if other.directions != case.load.directions or lengths[1] < _OTHER_LENGTH * lengths[0]:
            continue
        if abs(bits / mine - 1) > _SAME:
            continue
        text = (
            f"{format_si(mine, 'bps')} here and {format_si(bits, 'bps')} in {other.name}: the same bits per second "
            f"with frames of {lengths[0]:.0f} and {lengths[1]:.0f} bytes ({rate_text(case.load.received_pps)} and "
            f"{rate_text(other.received_pps)})"
        )
        return [Evidence(text, STRONG, other.source)]
    return []


def _bits_per_s(load: CaseLoad) -> float | None:
    """Without FCS, as shapers count; None of a load whose frame length is not known."""
    if not load.frame_bytes:
        return None
    return load.received_pps * (load.frame_bytes - FCS_BYTES) * 8


def _is_below_line(load: CaseLoad) -> bool:
    return load.line_share is None or load.line_share < _BELOW_LINE
