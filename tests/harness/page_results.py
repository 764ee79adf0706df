"""Recorded results that every page must be able to show: slow and fast devices, one direction and both, no loss and
total loss, latency, samples that are all disturbed, names of 60 characters, eight devices, one result and two hundred.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from wirespeed.measurement.file import write_file
from wirespeed.measurement.loadtest.analysis import judged
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.results.balance import Medium
from wirespeed.results.channel import Channel
from wirespeed.results.dut import DutFacts
from wirespeed.results.ending import Ending
from wirespeed.results.inspection import CommandOutput, Inspection, InspectionTable, Remarked
from wirespeed.results.journal import Journal, journal_path
from wirespeed.results.lab import LabFacts, MeterFacts
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample import Latency, PortSample, Preemption, Sample
from wirespeed.units import l1_bits

RAMP_S, HOLD_S = 20, 10
LONG = "router-with-a-name-of-sixty-characters-that-does-not-fit-any"
FORWARD, BACK = Channel(0, 1), Channel(1, 0)


@dataclass(frozen=True)
class SampleDut:
    """A simulated device that forwards `capacity_pps` in all directions together and draws up to `watts`; 0 W: no
    meter. `share` is the highest load of a test, as a part of the line rate.
    """

    name: str
    capacity_pps: float
    line_bps: float = 10e9
    watts: float = 0.0
    price: str = ""
    share: float = 1.0


@dataclass(frozen=True)
class Load:
    name: str
    frame_bytes: float
    tunables: str


B64, B64_FLOWS = Load("64b", 64, "size=64"), Load("64b-flows", 64, "size=64,vm=var2")
IMIX, B1514 = Load("imix", 362.5, "size=imix"), Load("1514b", 1514, "size=1514")
LOADS = (B64, B64_FLOWS, IMIX, B1514)
SLOW, FAST = (
    SampleDut("slow-box", 0.05e6, 1e9, 6.5, "120 EUR"),
    SampleDut("fast-box", 38e6, 100e9, 210.0, "9800 EUR", 0.4),
)
PLAIN = SampleDut("router", 5.01e6, watts=14.0, price="400 EUR")
EIGHT = tuple(SampleDut(f"box {number}", 2e6 + 1.1e6 * number, watts=9.0 + 2 * number) for number in range(1, 9))


def loadtest(
    dut: SampleDut,
    load: Load = B64,
    *,
    both: bool = True,
    version: str = "1.0",
    started: str = "2026-11-22T10:00:00+00:00",
    lost: float = 0.0,
    latency: bool = False,
    disturbed: bool = False,
) -> Result:
    """A ramp and a hold. `lost` is the share of all packets that the device loses at any load."""
    line_pps, senders = dut.line_bps / l1_bits(load.frame_bytes), 2 if both else 1
    samples: list[Sample] = []
    refused = [0, 0]
    for second in range(1, RAMP_S + HOLD_S + 1):
        offered = line_pps * dut.share * min(1.0, second / RAMP_S)
        got = min(offered * (1 - lost), dut.capacity_pps / senders)
        if disturbed:
            got = min(got, offered * 0.8)
        refused = [refused[0] + round(offered - got), refused[1] + (round(offered - got) if both else 0)]
        ports = {
            0: _port(load, line_pps, offered, got if both else 0.0, refused[0]),
            1: _port(load, line_pps, offered if both else 0.0, got, refused[1]),
        }
        busy = min(1.0, senders * got / dut.capacity_pps)
        cost: dict[str, float] = {"cycles_per_packet": 400 / max(busy, 0.02), "vectors_per_call": max(1, 256 * busy)}
        if dut.watts:
            cost["watts"] = dut.watts * (0.6 + 0.4 * busy)
        told = Latency(900, 5.0, 9.0 + 80 * busy, 60 + 400 * busy, 1.0, {"50": 8.0, "99": 20 + 300 * busy})
        samples.append(
            Sample(
                float(second),
                1.0,
                "ramp" if second <= RAMP_S else "hold",
                ports,
                dut=cost,
                latency=dict.fromkeys((FORWARD, BACK) if both else (FORWARD,), told) if latency else {},
                preemption=Preemption(dut_preempted_s=0.3, dut_longest_preemption_s=0.3, cpus=2) if disturbed else None,
            )
        )
    settings = LoadTestSettings(
        warmup_mult="1kpps",
        warmup_duration=0,
        rampup_target=f"{100 * dut.share:g}%",
        rampup_duration=RAMP_S,
        hold_duration=HOLD_S,
        profile_file="bench",
        tunables=load.tunables,
        unidirectional=not both,
    )
    described: Mapping[str, str] = {"dut": dut.name, "price": dut.price, "date": "2026-11-01"} if dut.price else {}
    return judged(
        Result(
            f"{dut.name}-{load.name}-{'bi' if both else 'uni'}",
            settings,
            tuple(samples),
            dut=DutFacts(dut.name, version=version, description=described),
            ports={port: PortFacts(port, speed_bps=dut.line_bps, medium=Medium.RING) for port in (0, 1)},
            lab=LabFacts(power=MeterFacts("constant", dut.name, 0.6 * dut.watts) if dut.watts else None),
            ending=Ending(started=started),
        )
    )


def _port(load: Load, line_pps: float, sent: float, got: float, refused: int) -> PortSample:
    bps, used = 8 * load.frame_bytes, 100 / line_pps
    return PortSample(sent, got, sent * bps, got * bps, sent * used, got * used, intended_pps=sent, refused=0, late=0)


INSPECTED = Inspection(
    PLAIN.name,
    "2026-11-22T10:00:00Z",
    (
        InspectionTable("Machine", ("what", "is"), (("CPU", "Atom E3950"), ("kernel", "6.1.0-28-amd64"))),
        InspectionTable("NICs", ("name", "address", "driver"), (("enp1s0", "0000:01:00.0", "ixgbe"),)),
    ),
    marks=(Remarked("memory", "one module of two: half of the bandwidth"),),
    texts={"lspci -vv": CommandOutput("01:00.0 Ethernet controller\n")},
)


def one_result() -> list[Result]:
    return [loadtest(PLAIN)]


def all_kinds() -> list[Result]:
    """Eighteen results: each kind of data at least once."""
    return [
        *(loadtest(dut) for dut in EIGHT),
        *(loadtest(dut, load, both=False) for dut in (SLOW, FAST) for load in (B64, B1514)),
        loadtest(replace(PLAIN, name="loses nothing", capacity_pps=40e6), B64_FLOWS),
        loadtest(replace(PLAIN, name="loses all"), B64_FLOWS, lost=1.0),
        loadtest(replace(PLAIN, name="with latency"), IMIX, latency=True),
        loadtest(replace(PLAIN, name="disturbed"), IMIX, disturbed=True),
        loadtest(replace(PLAIN, name=LONG), B1514, version=LONG[::-1]),
        loadtest(replace(PLAIN, name="")),
    ]


def two_hundred() -> list[Result]:
    """Five versions on five days of five DUTs, eight tests each."""
    duts = (SLOW, FAST, PLAIN, replace(PLAIN, name=LONG), EIGHT[0])
    return [
        loadtest(
            replace(dut, capacity_pps=dut.capacity_pps * (1 + 0.002 * (day % 2) - (0.12 if day > 2 else 0.0))),
            load,
            both=both,
            version=f"1.{day}",
            started=f"2026-11-{10 + day:02d}T{10 + place:02d}:00:00+00:00",
        )
        for day in range(5)
        for dut in duts
        for place, (load, both) in enumerate((load, both) for load in LOADS for both in (False, True))
    ]


def written(results: list[Result], folder: Path) -> list[Path]:
    """Write the results as files into a new folder; file names are made of position and title."""
    folder.mkdir(parents=True)
    paths = [folder / f"{number:03d}-{one.name}.json" for number, one in enumerate(results)]
    for one, path in zip(results, paths, strict=True):
        write_file(one, path)
    return paths


def site_pages(site: Path) -> dict[str, Path]:
    """A page of each kind, by its name: the pages of the first folder, and of each further folder the largest one, with
    the longest name.
    """
    found = {page.stem: page for page in sorted(site.glob("*.html"))}
    for kind in ("boxes", "tests", "results", "hardware"):
        every = (site / kind).glob("*.html")
        found[f"{kind} page"] = max(every, key=lambda page: (LONG in page.name, page.stat().st_size))
    return found


def running(result: Result, file: Path, share: float, left_s: float = 0.0) -> Journal:
    """A running test: that share of its samples is in the journal of `file`. `left_s` is the time until its end beyond
    that of the missing samples.
    """
    document: dict[str, Any] = json.loads(json.dumps(result.to_json()))
    samples = list(document.pop("stats").values())
    document.pop("outcome")
    journal = Journal(journal_path(file))
    journal.most_s = len(samples) + left_s
    some = samples[: round(share * len(samples))]
    started = datetime.now(UTC) - timedelta(seconds=len(some))
    journal.begin("loadtest", {"name": file.stem, "started": started.isoformat(timespec="seconds"), **document})
    for sample in some:
        journal.add(sample)
    return journal
