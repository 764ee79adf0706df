"""A network stack that forwards on one CPU at a time, regardless of their number (OpenBSD up to 7.x).

The packet rate is the same at all sizes, below line rate, and CPUs are idle.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._sizes import same_rate_at_other_size
from wirespeed.explain.evidence import EXCLUDED, FAIR, HINT, STRONG, CauseFinding, Evidence

NAME = "kernel-lock"


def look(case: Case) -> CauseFinding | None:
    if case.dut.system != "openbsd" or not case.is_short:
        return None
    pieces = [Evidence("this kernel forwards in one thread", FAIR, case.dut.source)]
    same = same_rate_at_other_size(case)
    if same is not None:
        pieces.append(Evidence(same[0], STRONG if same[1] else EXCLUDED, case.load.source))
    if (case.dut.cores or 1) > 1:
        pieces.append(Evidence(f"the DUT has {case.dut.cores} cores", HINT, case.dut.source))
    busy = [cpu for cpu in case.cpus if cpu.idle_percent < 5]
    if case.cpus:
        text = f"{len(busy)} of {len(case.cpus)} CPUs without idle time"
        pieces.append(Evidence(text, STRONG if len(busy) == 1 else EXCLUDED, "CPU time"))
    return CauseFinding(
        NAME,
        "the kernel's network stack runs on one CPU at a time: a packet costs the same whatever its size, and the "
        "other cores do not help",
        tuple(pieces),
        missing=() if case.cpus else ("`top -SH` under load: the softnet thread",),
        next="a newer release with parallel forwarding, or another system on the same DUT",
    )
