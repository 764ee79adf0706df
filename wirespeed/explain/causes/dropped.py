"""The DUT drops packets for a reason that it names and that no other cause covers.

Examples are a filter, a wrong MAC address, a checksum, an interface that is down: the counter's own name is the
verdict. Sums of an interface (`rx drop`) and full rings show where a packet was dropped and not why, so they do not
count. If `show errors` is missing, the drop nodes of VPP's `show runtime` have the number of dropped packets.
"""

from __future__ import annotations

from wirespeed.cases.facts import DROPS_BY_REASON, Case
from wirespeed.explain.causes import _reasons
from wirespeed.explain.causes._drops import has, pieces_of, share_of_lost, weight
from wirespeed.explain.evidence import CauseFinding, Evidence
from wirespeed.explain.words import share_text
from wirespeed.results.figures import rate_text

NAME = "dropped"
_ENDS = ("drop", "error-drop")


def look(case: Case) -> CauseFinding | None:
    left = {reason: count for reason, count in case.drops.items() if not has(reason, _reasons.ALL)}
    pieces = pieces_of(case, left)
    if not pieces:
        return _by_nodes(case)
    return CauseFinding(
        NAME,
        f"the DUT drops them: {pieces[0].text}",
        pieces,
        next="what the counter's node checks (`show errors`, a trace of one such packet)",
    )


def _by_header(case: Case) -> dict[str, int]:
    """By the drop rate that a `show runtime` has above its rows, where those of the drop nodes are missing."""
    count = round(sum((worker.drop_pps or 0.0) * worker.interval_s for worker in case.busy))
    return {"drop (the rate above the rows)": count} if count else {}


def _by_nodes(case: Case) -> CauseFinding | None:
    """Evidence from the drop nodes of a `show runtime`: the router dropped packets, and their share of the loss."""
    if case.tells_drops or case.drops:
        return None
    by_node: dict[str, int] = {}
    for node in (node for worker in case.busy for node in worker.nodes if node.vectors):
        if node.name.endswith("-drop") or node.name == "drop":
            by_node[node.name] = by_node.get(node.name, 0) + node.vectors
    # All of them end in error-drop and drop, whatever the node before them is called.
    named = {name: count for name, count in by_node.items() if name not in _ENDS} or by_node or _by_header(case)
    if not named:
        return None
    most = max(named, key=lambda name: (named[name], name))
    count = named[most]
    share = share_of_lost(case, count)
    text = f"{count:,} packets went to {most}" + ("" if share is None else f", {share_text(share)} of what was lost")
    bits = weight(case, count)
    if not bits:
        return None
    pieces = (Evidence(text, bits, case.busy[0].source),)
    seconds = max(worker.interval_s for worker in case.busy)
    rate = f" {rate_text(count / seconds)}" if seconds > 0 else " packets"
    return CauseFinding(
        NAME,
        f"the DUT itself dropped{rate} ({most}): {pieces[0].text}",
        pieces,
        missing=(DROPS_BY_REASON,),
        next="`show errors` of the same time: it has the reason",
    )
