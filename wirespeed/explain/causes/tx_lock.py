"""Workers wait for each other at a port with fewer TX queues than workers: each shared queue has a lock.

A port needs one TX queue per worker. With its own queue, sending takes a quarter to a third of the cycles of plain
routing. Two fifths and more, in several workers, is waiting.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case, Worker
from wirespeed.explain.evidence import AGAINST, FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import share_text
from wirespeed.results.node_classes import class_of

NAME = "tx-lock"
_WAITING = 0.4


def look(case: Case) -> CauseFinding | None:
    if len(case.busy) < 2 or not case.may_be_short:
        return None
    shares = [share for worker in case.busy if (share := _sending(worker)) is not None]
    queues = case.dut.tx_queues
    if len(shares) < 2 or (queues is None and min(shares) < _WAITING):
        return None
    pieces = []
    if queues is not None:
        text = f"{queues} TX queue{'s' if queues != 1 else ''} per port for {len(case.busy)} workers"
        pieces.append(Evidence(text, FAIR if queues < len(case.busy) else 2 * AGAINST, case.dut.source))
    waits = min(shares) >= _WAITING
    text = f"sending takes {share_text(min(shares))} of each worker's cycles and more"
    pieces.append(Evidence(text, (STRONG if queues is not None else HINT) if waits else AGAINST, case.busy[0].source))
    return CauseFinding(
        NAME,
        f"workers wait for each other to send: {pieces[0].text}",
        tuple(pieces),
        missing=() if queues is not None else ("TX queues of each port (`show hardware-interfaces`)",),
        next="as many TX queues as workers (`num-tx-queues`), or one worker less: does a packet cost less?",
    )


def _sending(worker: Worker) -> float | None:
    """Share of the worker's cycles without polling that its tx nodes take."""
    whole = worker.clocks - worker.polling_clocks
    sent = [node.clocks for node in worker.nodes if node.vectors and class_of(node.name) == "tx"]
    return sum(sent) / whole if sent and whole > 0 else None
