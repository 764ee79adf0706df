"""The load tests that the seed articles run against every router, and what one of them found."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from wirespeed.errors import EnvironmentFault
from wirespeed.generator.client import GeneratorClient
from wirespeed.lab.lab import Lab
from wirespeed.loadtest.outcome import raise_for_outcome
from wirespeed.loadtest.plan import LoadPlan
from wirespeed.loadtest.result import Result, write_result
from wirespeed.loadtest.run import PORTS, Progress, run_loadtest
from wirespeed.units import Rate, l1_bits

_LINK_WAIT_S = 15.0


@dataclass(frozen=True)
class SuiteTest:
    """One row of the articles' table."""

    label: str
    profile: str
    tunables: dict[str, str]
    unidirectional: bool

    @property
    def name(self) -> str:
        return f"{'uni' if self.unidirectional else 'bi'}directional {self.label}"

    @property
    def file_stem(self) -> str:
        return self.name.replace(" ", "-").replace("directional", "dir").lower()


@dataclass(frozen=True)
class Timing:
    """How long each test of a suite takes, and how often it samples; seconds."""

    warmup_s: float
    ramp_s: float
    hold_s: float
    interval_s: float


_LOADS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("1514b", "bench", {"size": "1514", "vm": "var2"}),
    ("imix", "bench", {"size": "imix", "vm": "var2"}),
    ("64b many flows", "bench", {"size": "64", "vm": "var2"}),
    ("64b one flow", "bench", {"size": "64"}),
    ("64b MPLS", "mpls", {"size": "64"}),
)
SEED_SUITE = tuple(SuiteTest(*load, unidirectional) for unidirectional in (True, False) for load in _LOADS)


@dataclass(frozen=True)
class Finding:
    """What a test found, summed over its channels: rates in packets and L1 bits a second, percent of one line.

    Cycles and vectors are the DUT's own while the full load was held; None where it does not tell.
    """

    test: SuiteTest
    dut: str
    pps: float
    l1_bps: float
    line_percent: float
    saturated: bool
    tester_limited: bool
    cycles_per_packet: float | None
    vectors_per_call: float | None
    file: Path


def wait_for_links(client: GeneratorClient, ports: Sequence[int] = PORTS) -> None:
    """Return when all `ports` have their link; EnvironmentFault when that takes too long."""
    deadline = time.monotonic() + _LINK_WAIT_S
    while down := [port for port, status in client.port_status(ports).items() if not status.link_up]:
        if time.monotonic() > deadline:
            raise EnvironmentFault(f"port {down[0]} of the generator has no link after {_LINK_WAIT_S:.0f} s")
        time.sleep(0.05)


def run_suite(
    lab: Lab,
    tests: Sequence[SuiteTest],
    timing: Timing,
    directory: Path,
    on_start: Callable[[SuiteTest], None],
    on_sample: Callable[[Progress], None],
) -> list[Finding]:
    """Run `tests` one after the other in a lab that is up; each leaves its result file in `directory`."""
    findings = []
    with GeneratorClient(lab.rpc) as client:
        client.connect()
        wait_for_links(client)
        for test in tests:
            stem = f"{lab.name.lower()}-{test.file_stem}"
            path = directory / f"{stem}.json"
            plan = LoadPlan(
                profile=test.profile,
                tunables=test.tunables,
                warmup_rate=Rate(10_000, "pps"),
                warmup_s=timing.warmup_s,
                ramp_s=timing.ramp_s,
                hold_s=timing.hold_s,
                interval_s=timing.interval_s,
                unidirectional=test.unidirectional,
                name=stem,
                output_file=path.name,
                lab=lab.describe(),
                dut=lab.describe_dut(),
            )
            on_start(test)
            before = lab.drops()
            result = run_loadtest(plan, client, on_sample=on_sample, dut_probe=lab.probe)
            if before is not None:
                result = replace(result, dut={**result.dut, "dropped_packets": (lab.drops() or 0) - before})
            write_result(result, path)
            raise_for_outcome(result)
            if result.outcome["status"] != "complete":
                raise KeyboardInterrupt
            findings.append(finding(test, lab.name, result, path))
    return findings


def finding(test: SuiteTest, dut: str, result: Result, path: Path) -> Finding:
    """The table's row from a complete result."""
    channels: list[dict[str, Any]] = list(result.outcome["channels"].values())
    best = [_best_second(result, channel.rx) for channel in result.channels]
    l1_bps = sum(pps * l1_bits(channel["mean_frame_bytes"]) for pps, channel in zip(best, channels, strict=True))
    line_bps = result.lab["ports"][0]["speed_bps"]
    held = [sample.dut for sample in result.samples if sample.phase == "hold" and "cycles_per_packet" in sample.dut]
    return Finding(
        test=test,
        dut=dut,
        pps=sum(best),
        l1_bps=l1_bps,
        line_percent=l1_bps / line_bps * 100,
        saturated=any(channel["saturation"] is not None for channel in channels),
        tester_limited=any(channel["tester_limited"] for channel in channels),
        cycles_per_packet=fmean(dut["cycles_per_packet"] for dut in held) if held else None,
        vectors_per_call=fmean(dut["vectors_per_call"] for dut in held) if held else None,
        file=path,
    )


def _best_second(result: Result, port: int) -> float:
    """The most packets a second that `port` received over a second on end, or over the hold if that is shorter.

    Single samples may hold more than the line carries: a tester that was away for some milliseconds makes up for it.
    """
    samples = [sample for sample in result.samples if sample.phase in ("ramp", "hold")]
    width_s = min(1.0, float(result.variables["hold_duration"]))
    best = 0.0
    for first in range(len(samples)):
        packets = seconds = 0.0
        for sample in samples[first:]:
            packets += sample.ports[port].rx_pps * sample.interval_s
            seconds += sample.interval_s
            if seconds >= width_s * 0.999:
                best = max(best, packets / seconds)
                break
    return best
