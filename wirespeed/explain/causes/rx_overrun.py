"""RX descriptors ran out while the CPU had time: bursts longer than the ring.

The NIC or the tester's wire counts packets that found no free descriptor (rx-miss, imissed), and the worker is not
saturated: it came too late for bursts, not too slowly for the load.
"""

from __future__ import annotations

from wirespeed.explain.causes._drops import named
from wirespeed.explain.evidence import EXCLUDED, FAIR, STRONG, Evidence, Finding
from wirespeed.explain.facts import Case

NAME = "rx-overrun"
_WORDS = ("rx-miss", "rx miss", "imissed", "rx_miss", "missed", "no_buf", "nobuf", "no dma", "out_of_buffer", "rx drop")


def look(case: Case) -> Finding | None:
    pieces = list(named(case, *_WORDS))
    if not pieces:
        return None
    source = case.busy[0].source if case.busy else ""
    if any(worker.is_saturated for worker in case.busy):
        pieces.append(
            Evidence("the worker behind it is saturated: the ring is full since the CPU is", EXCLUDED, source)
        )
    elif case.busy:
        pieces.append(Evidence("the workers have time to spare", FAIR, source))
    if case.box.is_kernel and any(cpu.idle_percent < 5 for cpu in case.cpus):
        pieces.append(Evidence("a CPU has no idle time: the ring is full since the CPU is", -STRONG, "CPU time"))
    return Finding(
        NAME,
        f"bursts overrun the RX ring: {pieces[0].text}",
        tuple(pieces),
        next="more RX descriptors (and fewer again where caches are small); what keeps the worker away meanwhile",
    )
