"""The CPUs were preempted: by the hypervisor, or by another thread on the worker's CPU.

A worker measures its own preemption, which costs at most that share of the load, and as much again while the other side
catches up (docs/measurement.md). If that explains the loss, it is not the DUT's limit.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case, CpuShares
from wirespeed.explain.causes._preemption import (
    ALMOST_ALL,
    disturbed_text,
    explains_loss,
    longest_preemption,
    rings_hold,
)
from wirespeed.explain.causes._steps import shares_lost
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, PROOF, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import share_text
from wirespeed.results.figures import loss_text, percent_text

NAME = "preemption"
_STEAL_PERCENT = 2.0
_MANY = 0.5
"""Share of the samples that lost packets, by a loss that preemption explains."""
_PROGRAMS_PERCENT, _IDLE_PERCENT = 25.0, 5.0
_RINGS = ("ring", "tx", "rx", "miss", "slot", "buf", "squeeze")


def look(case: Case) -> CauseFinding | None:
    pieces = []
    loss, share = case.load.loss_ratio, longest_preemption(case)
    if share is not None:
        fits = explains_loss(case, share)
        text = f"a worker was preempted for {share_text(share)} of the time"
        pieces.append(Evidence(text, STRONG if fits else AGAINST, case.workers[0].source))
        if fits and loss is not None:
            pieces.append(Evidence(f"which explains a loss of {loss_text(loss)}", FAIR, case.load.source))
    disturbed = case.load.disturbed_share
    if disturbed >= _MANY:
        bits = STRONG + FAIR if disturbed >= ALMOST_ALL else FAIR + FAIR
        pieces.append(Evidence(disturbed_text(disturbed), bits, case.load.source))
    if case.load.bound_by == "host":
        text = "the test refused this load because of losses that preemption explains"
        pieces.append(Evidence(text, PROOF, case.load.source))
    elif pieces and case.load.bound_by == "dut":
        pieces.append(Evidence("the test found losses that preemption does not explain", AGAINST, case.load.source))
    stolen = [cpu for cpu in case.cpus if cpu.percent.get("steal", 0.0) >= _STEAL_PERCENT]
    if stolen:
        text = f"{stolen[0].name}: {percent_text(stolen[0].percent['steal'])} % stolen by the hypervisor"
        pieces.append(Evidence(text, STRONG, "CPU time"))
    pieces += _programs(case)
    if not pieces:
        return None
    if rings_hold(case) and case.load.bound_by != "host":
        longest_ms = (case.load.longest_preemption_s or 0) * 1e3
        text = f"any ring holds the packets of the longest preemption, {longest_ms:.3g} ms"
        pieces.append(Evidence(text, EXCLUDED, case.load.source))
    pieces += _named(case)
    shares = shares_lost(case)
    if shares is not None and shares.is_steady and disturbed < ALMOST_ALL:
        pieces.append(Evidence("the same share is lost at all loads, in every sample", AGAINST, case.load.source))
    return CauseFinding(
        NAME,
        "CPUs of tester or DUT were preempted: the host is the limit, not the DUT",
        tuple(pieces),
        next="isolate the CPUs or use a quiet host: `wirespeed host check` names what disturbs",
    )


def _programs(case: Case) -> list[Evidence]:
    """A kernel that is behind leaves the rest to a thread, which shares the CPU with everybody's programs."""
    behind = sum(count for event, count in case.events.items() if "squeeze" in event or "softnet dropped" in event)
    if not (case.dut.is_kernel and behind and case.cpus):
        return []
    cpu = max(case.cpus, key=_programs_percent)
    if _programs_percent(cpu) < _PROGRAMS_PERCENT or cpu.idle_percent > _IDLE_PERCENT:
        return []
    percent = percent_text(_programs_percent(cpu))
    text = f"programs had {percent} % of {cpu.name}, and softirqs were behind {behind:,} times"
    return [Evidence(text, STRONG, "CPU time")]


def _programs_percent(cpu: CpuShares) -> float:
    return cpu.percent.get("user", 0.0) + cpu.percent.get("nice", 0.0)


def _named(case: Case) -> list[Evidence]:
    """Drops for a reason that has nothing to do with time: those of full rings are left out."""
    count = sum(count for reason, count in case.drops.items() if not any(word in reason.lower() for word in _RINGS))
    if not case.lost_packets or count < 0.5 * case.lost_packets:
        return []
    return [Evidence(f"the DUT dropped {count:,} packets for reasons of its own", EXCLUDED, "drops by reason")]
