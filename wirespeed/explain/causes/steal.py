"""Somebody else had the CPUs: the hypervisor, or another thread on the worker's.

A worker measures its own absence. What it costs is at most that part of the load, and as much again while the other
side catches up (docs/measurement.md); when that explains the loss, it is not the device's limit.
"""

from __future__ import annotations

from wirespeed.explain.causes._absence import explains_loss, longest_absence
from wirespeed.explain.evidence import AGAINST, FAIR, STRONG, Evidence, Finding
from wirespeed.explain.facts import Case
from wirespeed.explain.words import share_text
from wirespeed.results.figures import loss_text

NAME = "steal"
_STEAL_PERCENT = 2.0


def look(case: Case) -> Finding | None:
    pieces = []
    loss, share = case.load.loss_ratio, longest_absence(case)
    if share is not None:
        fits = explains_loss(case, share)
        text = f"a worker was away from its CPU for {share_text(share)} of the time"
        pieces.append(Evidence(text, STRONG if fits else AGAINST, case.workers[0].source))
        if fits and loss is not None:
            pieces.append(Evidence(f"which explains a loss of {loss_text(loss)}", FAIR, case.load.source))
    if case.load.spoilt_share >= 0.5:
        part = share_text(case.load.spoilt_share)
        pieces.append(Evidence(f"in {part} of the samples that lost, CPUs were away", FAIR + FAIR, case.load.source))
    stolen = [cpu for cpu in case.cpus if cpu.percent.get("steal", 0.0) >= _STEAL_PERCENT]
    if stolen:
        text = f"{stolen[0].name}: {stolen[0].percent['steal']:.3g} % stolen by the hypervisor"
        pieces.append(Evidence(text, STRONG, "CPU time"))
    if not pieces:
        return None
    return Finding(
        NAME,
        "the CPUs were taken away for moments: the machine is the limit, not the router",
        tuple(pieces),
        next="isolated CPUs, a quiet host; `--robust` sets such trials aside",
    )
