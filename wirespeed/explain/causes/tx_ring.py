"""The transmit ring was full: a NIC, or a shared-memory peer, had no free slot.

If the line behind the ring is full, the line is the cause. Otherwise the ring is shorter than one burst of a worker, or
its consumer is slow. If `show errors` is missing, VPP's `show runtime` has the drops: its tx node counts packets that
the driver took, the output node before it packets to send.
"""

from __future__ import annotations

from wirespeed.cases.facts import DROPS_BY_REASON, Case, Worker
from wirespeed.explain.causes._drops import share_of_lost, weight
from wirespeed.explain.causes._reasons import TX_FULL
from wirespeed.explain.evidence import EXCLUDED, FAIR, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import share_text
from wirespeed.results.figures import rate_text
from wirespeed.results.node_classes import OUTPUT, TX, port_of, whole_names

NAME = "tx-ring"
_LEAST = 0.005


def look(case: Case) -> CauseFinding | None:
    pieces = [*_counted(case), *_nodes(case)]
    if not pieces:
        none = Evidence("no packet was dropped for lack of a TX slot", EXCLUDED)
        return CauseFinding(NAME, "", (none,)) if case.drops else None
    pieces += [
        Evidence(f"{worker.name}: in {rate_text(worker.in_pps)}, out {rate_text(worker.out_pps)}", FAIR, worker.source)
        for worker in case.busy
        if worker.in_pps
        and worker.out_pps is not None
        # Packets that the router dropped itself never reached a ring.
        and worker.out_pps + (worker.drop_pps or 0.0) < (1 - _LEAST) * worker.in_pps
    ]
    slots = case.dut.tx_slots
    return CauseFinding(
        NAME,
        f"the TX ring{f' of {slots} slots' if slots else ''} is full: {pieces[0].text}",
        tuple(pieces),
        missing=() if case.drops else (DROPS_BY_REASON,),
        next="more TX descriptors (`num-tx-desc`, `ethtool -G`); if the line behind it is full, it is the line",
    )


def _counted(case: Case) -> list[Evidence]:
    count = case.dropped(*TX_FULL)
    if not count:
        return []
    share = share_of_lost(case, count)
    text = f"{count:,} packets found no free TX slot"
    if share is not None:
        text += f", {share_text(share)} of what was lost"
    return [Evidence(text, weight(case, count), "drops by reason")]


def _nodes(case: Case) -> list[Evidence]:
    """Ports of each worker whose tx node passed on less than the output node gave it."""
    if case.drops:
        return []
    return [piece for worker in case.busy for piece in _short_of(case, worker)]


def _short_of(case: Case, worker: Worker) -> list[Evidence]:
    """Few packets prove nothing: the shortfall weighs by what it explains of the loss."""
    counts: dict[str, int] = {}
    for node in worker.nodes:
        (name,) = whole_names([node.name])
        counts[name] = counts.get(name, 0) + node.vectors
    pieces: list[Evidence] = []
    for port in dict.fromkeys(port for name in counts if (port := port_of(name)) is not None):
        out, sent = counts.get(port + OUTPUT), counts.get(port + TX)
        if not out or sent is None or sent >= (1 - _LEAST) * out:
            continue
        text = f"{port}: {out:,} packets to send, {sent:,} sent"
        bits = min(FAIR if pieces else STRONG, weight(case, out - sent))
        if bits > 0:
            pieces.append(Evidence(text, bits, worker.source))
    return pieces
