"""The test ended before the DUT did: the tester could not offer more, or was not asked for more."""

from __future__ import annotations

from wirespeed.cases.facts import Case, CaseLoad
from wirespeed.explain.evidence import AGAINST, EXCLUDED, PROOF, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import share_text
from wirespeed.results.figures import loss_text, rate_text

NAME = "tester"
OFFER_MORE = "offer more: a higher target, smaller frames or both directions"
_SAME, _NEAR = 0.015, 0.025
"""Shares of a line: the rounding of published percentages, and more if the mean frame of a mix is rounded too."""
_LOSSLESS = 0.001
_LINE = 0.985
_SURPLUS = 0.05
"""Copied, truncated or answered frames return in addition to the test frames, or instead of them."""


def look(case: Case) -> CauseFinding | None:
    load = case.load
    pieces = [piece for piece in (_said(load), _end(load), _all_came(case), _lost(load)) if piece is not None]
    if not pieces:
        return None
    sentence = "the tester reached its limit, not the DUT"
    if load.loss_ratio is not None and load.loss_ratio <= _LOSSLESS:
        offered = rate_text(load.offered_pps)
        sentence = f"the DUT forwarded all packets offered, {offered}: it may forward more"
        if load.is_short_of_tester:
            said = f"at the highest target the tester offered only {offered}"
            sentence = f"{said}: the DUT forwarded all of it and may forward more"
    more = "a faster tester, or two of them; `testbed check --tester`"
    return CauseFinding(
        NAME, sentence, tuple(pieces), next=f"offer more: {more}" if load.is_short_of_tester else OFFER_MORE
    )


def _said(load: CaseLoad) -> Evidence | None:
    return Evidence("the test found its tester too slow", PROOF, load.source) if load.tester_limited else None


def _end(load: CaseLoad) -> Evidence | None:
    """The tester is known to end at a share of the line."""
    if load.tester_percent is None or load.line_share is None:
        return None
    end = load.tester_percent / 100
    if load.line_share < end - _NEAR:
        return Evidence(f"the tester can do {share_text(end)} of a line", EXCLUDED, load.source)
    text = f"{share_text(load.line_share)} of the line came back, and the tester reaches {share_text(end)}"
    return Evidence(text, PROOF if load.line_share >= end - _SAME else STRONG, load.source)


def _all_came(case: Case) -> Evidence | None:
    load = case.load
    if load.bound_by in ("dut", "host"):
        lost = f", {loss_text(load.loss_ratio)}" if load.loss_ratio else ""
        return Evidence(f"the test refused this load because of its loss{lost}", EXCLUDED, load.source)
    if load.loss_ratio is None or load.loss_ratio > _LOSSLESS or (load.line_share or 0.0) >= _LINE:
        return None
    if load.offered_pps is not None and load.received_pps > (1 + _SURPLUS) * load.offered_pps:
        return None  # both figures cannot be right
    if load.hidden_share:
        text = f"the DUT counts {share_text(load.hidden_share)} more drops than are missing: duplicates hide them"
        return Evidence(text, AGAINST, load.source)
    if case.extraneous_share >= _SURPLUS:
        more = share_text(case.extraneous_share)
        text = f"{more} more came out of the DUT than went in, so that test frames cannot be told apart"
        return Evidence(text, AGAINST, load.source)
    return Evidence(f"all packets offered came back, {rate_text(load.offered_pps)}", PROOF, load.source)


def _lost(load: CaseLoad) -> Evidence | None:
    if load.loss_ratio is None or load.loss_ratio <= _LOSSLESS or load.tester_limited:
        return None
    return Evidence(f"{loss_text(load.loss_ratio)} of what was offered did not come back", EXCLUDED, load.source)
