"""A link loses packets at all loads: a dirty or failing module, a bad cable, a duplex mismatch.

A DUT that is too slow loses more as the load grows. The same loss ratio at the lowest and the highest load, counted
nowhere but as CRC errors of a receiver, is a link.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._drops import named, share_of_lost
from wirespeed.explain.causes._preemption import ALMOST_ALL, disturbed_text, rings_hold
from wirespeed.explain.causes._reasons import CHECKSUM
from wirespeed.explain.causes._steps import shares_lost
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import share_text
from wirespeed.results.figures import loss_text, rate_text

NAME = "bad-wire"
_NOT_ON_WIRE, _MOST, _ALL = 0.2, 0.5, 0.999


def look(case: Case) -> CauseFinding | None:
    broken = named(case, *CHECKSUM)
    crc = case.dropped(*CHECKSUM)
    pieces = [*broken, *_constant(case)]
    if not pieces:
        return None
    if not broken and case.load.disturbed_share >= ALMOST_ALL and not rings_hold(case):
        pieces.append(Evidence(disturbed_text(case.load.disturbed_share), AGAINST, case.load.source))
    counted = sum(case.drops.values()) - crc
    share = share_of_lost(case, counted) if counted > 0 else None
    if share is not None and share > _NOT_ON_WIRE:
        text = f"the DUT itself counted {counted:,} drops, {share_text(share)} of what was lost"
        pieces.append(Evidence(text, EXCLUDED if share > _MOST else AGAINST, "drops by reason"))
    inside = case.lost_inside
    if inside is not None and inside > _NOT_ON_WIRE:
        text = f"{share_text(inside)} of what was lost came into the DUT, which did not send it"
        pieces.append(Evidence(text, EXCLUDED, "the DUT's counts"))
    if case.load.refused_share > _NOT_ON_WIRE:
        text = f"{share_text(case.load.refused_share)} of what was lost never got onto the wire: the ring was full"
        pieces.append(Evidence(text, EXCLUDED, case.load.source))
    if case.dut.firewall:
        pieces.append(Evidence("a firewall is on, which may drop some and count none", -FAIR, case.dut.source))
    return CauseFinding(
        NAME,
        "a share is lost at all loads: a wire, a module or a cable",
        (*pieces, *_optics(case)),
        missing=() if crc else ("CRC counters of both ends",),
        next="another cable and module; RX power (`host optics`); CRC counters of both ends",
    )


def _constant(case: Case) -> list[Evidence]:
    shares = shares_lost(case)
    if shares is None or shares.below >= _ALL:
        return []  # where nothing comes back, a link is down or leads elsewhere
    text = f"{loss_text(shares.below)} lost up to {rate_text(shares.half_pps)}, {loss_text(shares.above)} beyond"
    return [Evidence(text, STRONG + FAIR if shares.is_steady else AGAINST, case.load.source)]


def _optics(case: Case) -> list[Evidence]:
    """Modules that say themselves that something is wrong."""
    return [
        Evidence(f"the module in {optic.interface} says {', '.join(optic.faults)}", FAIR, optic.source)
        for optic in case.machine.optics
        if optic.faults
    ]
