"""Steal and preemption of the generator's workers, so that disturbed samples can be detected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirespeed._native.generator import GeneratorSnapshot
from wirespeed.stolen_time import StolenTime

Json = dict[str, Any]


def machine(snapshot: GeneratorSnapshot, worker_cpus: Sequence[int], stolen: StolenTime) -> Json:
    """`machine` of `get_global_stats`: cumulative seconds, of the instant of the counters."""
    return {
        "ts": snapshot.at_s,
        "steal_s": stolen.steal_s,
        "cpus": stolen.cpus,
        "workers": [
            {
                "cpu": cpu,
                "absent_s": load.absent_s,
                "absences": load.absences,
                "longest_absent_s": load.longest_absent_s,
            }
            for cpu, load in zip(worker_cpus, snapshot.workers, strict=True)
        ],
    }
