"""Evidence files, written by hand or copied from an article: a DUT, its tests, and printed texts.

schema: wirespeed-evidence/1
dut: {name: Netgate 6100, system: vpp, cores: 4, workers: 3, queues: 1, hz: 2.2e9,
      links: [{gts: 2.5, width: 1, ports: 1, nic: i211}]}
tests:
  - {name: 64b 1-flow, size: 64, line: 10G, directions: 1, flows: one, received: 5.01Mpps}
  - {name: 64b multi, size: 64, line: 10G, directions: 1, flows: many, percent: 33, show_run: "Thread 1 …"}
explain: [64b 1-flow]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from wirespeed.cases.facts import Case, CaseDut, CaseLoad, CaseStep, CpuShares, Flows, NicLink, Worker
from wirespeed.cases.machine_facts import Clock, Crossing, Energy, MachineFacts, NicFacts, Perf
from wirespeed.cases.nic_counters import losses, pauses, queue_packets
from wirespeed.documents import mapping_of, validated
from wirespeed.errors import FileFault, UsageError
from wirespeed.explain.sources.pasted import more_than_offered
from wirespeed.explain.sources.plain_lines import plain_text
from wirespeed.explain.sources.show_run import counted_in, workers_of
from wirespeed.explain.sources.texts import Figures, case_of_text, kinds_in
from wirespeed.explain.words import share_text
from wirespeed.files import read_text_file
from wirespeed.results.figures import rate_text
from wirespeed.units import line_rate_pps, parse_rate, parse_speed

T = TypeVar("T")

SCHEMA = "wirespeed-evidence/1"
IMIX_BYTES = (28 * 68 + 16 * 590 + 4 * 1514) / 48
"""Mean frame of the bench profile's imix."""
_TEXTS = {
    "show_hardware_interfaces": "show hardware-interfaces",
    "show_interface": "show interface",
    "show_rx_placement": "show interface rx-placement",
    "show_cpu": "show cpu",
    "mpstat": "mpstat",
    "softirqs": "/proc/softirqs",
}
"""Keys of pasted texts, by the kind of text that each takes."""
_OF_TEXTS = ("system", "cores", "workers", "queues", "tx_slots", "tx_queues", "hz")
"""Facts of a DUT that are taken from texts if the file does not have them."""
_OTHERS = {
    "a campaign file": {"campaign", "suite"},
    "a testbed file": {"tester", "links", "wires"},
    "a configuration of a router": {"interfaces", "loopbacks"},
}
"""Other YAML files, by keys that evidence files do not have."""
_MOST_BYTES = 4_000_000
_CONTRADICTS = 0.05
_OFF = 0.02
"""Tolerance of a percentage, in addition to its rounding."""


def _parsed(parse: Callable[[str], T], text: str) -> T:
    """UsageError of `parse` as ValueError, to which pydantic adds the place."""
    try:
        return parse(text)
    except UsageError as error:
        raise ValueError(str(error)) from None


def _pps(value: Any) -> Any:
    if isinstance(value, str):
        rate = _parsed(parse_rate, value)
        if rate.unit != "pps":
            raise ValueError(f"{value!r} is not a packet rate; write 1.48Mpps, or `percent` of the line")
        return rate.value
    return value


def _bps(value: Any) -> Any:
    return _parsed(parse_speed, value) if isinstance(value, str) else value


def _bytes(value: Any) -> Any:
    return IMIX_BYTES if value == "imix" else value


Pps = Annotated[float, BeforeValidator(_pps), Field(gt=0, allow_inf_nan=False)]
Bps = Annotated[float, BeforeValidator(_bps), Field(gt=0, allow_inf_nan=False)]
Bytes = Annotated[float, BeforeValidator(_bytes), Field(ge=60, le=65535)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _of_dut(default: Any) -> Any:
    """The field `dut`, which older files have as `box`."""
    return Field(default=default, validation_alias=AliasChoices("dut", "box"))


class LinkText(_Strict):
    """A PCIe link: GT/s, lanes, and how many of the NIC's `ports` carry the test."""

    gts: float
    width: int = Field(ge=1, le=32)
    ports: int = 1
    nic: str = ""


class ClockText(_Strict):
    """Frequency of a CPU under load, and its rated frequency, in Hz."""

    now: float = Field(gt=0)
    rated: float | None = Field(default=None, gt=0)


class CrossingText(_Strict):
    """A NIC on one NUMA node, and a worker's CPU on another."""

    nic: str
    nic_node: int
    cpu: int
    cpu_node: int


class PowerText(_Strict):
    """Watts under load, and idle."""

    watts: float = Field(gt=0)
    idle: float | None = Field(default=None, ge=0)


class PerfText(_Strict):
    """Figures of `perf stat` per packet."""

    cycles: float | None = Field(default=None, gt=0)
    instructions: float | None = Field(default=None, gt=0)


class DutText(_Strict):
    """The DUT."""

    name: str = ""
    system: Literal["", "vpp", "wirespeed", "linux", "freebsd", "openbsd", "danos"] = ""
    cores: int | None = Field(default=None, ge=1)
    workers: int | None = Field(default=None, ge=1)
    queues: int | None = Field(default=None, ge=1)
    tx_slots: int | None = Field(default=None, ge=1)
    tx_queues: int | None = Field(default=None, ge=1)
    hz: float | None = Field(default=None, gt=0)
    firewall: bool | None = None
    links: tuple[LinkText, ...] = ()


class TestText(_Strict):
    """One test. `received` and `offered` are of all directions together. `percent` is of all lines or, with
    `percent_of: one`, of one line, so that both directions make up to 200. A test needs `received`, or `percent` with
    `size` and `line`. Figures given twice are compared. `drops`, `events`, `cpu` and `nics` (`ethtool -S` counters by
    interface) are as the DUT names them; `show_run` to `softirqs` (`/proc/softirqs`) are texts as printed. `claim` is
    an explanation by somebody else."""

    __test__ = False  # no test of pytest's

    name: str
    size: Bytes | None = None
    line: Bps | None = None
    directions: int = Field(default=1, ge=1)
    flows: Flows | None = None
    hashed: bool = True
    received: Pps | None = None
    offered: Pps | None = None
    percent: float | None = Field(default=None, gt=0)
    percent_of: Literal["one", "all"] | None = None
    l2_bps: Bps | None = None
    by_direction: tuple[Pps, ...] = ()
    tester_percent: float | None = Field(default=None, gt=0)
    paused: bool = False
    routes: int | None = Field(default=None, ge=1)
    cycles: float | None = Field(default=None, gt=0)
    show_run: str = ""
    show_errors: str = ""
    show_hardware_interfaces: str = ""
    show_interface: str = ""
    show_rx_placement: str = ""
    show_cpu: str = ""
    mpstat: str = ""
    softirqs: str = ""
    drops: dict[str, int] = {}
    events: dict[str, int] = {}
    cpu: dict[str, dict[str, float]] = {}
    clocks: dict[str, ClockText] = {}
    throttled: int = Field(default=0, ge=0)
    numa: tuple[CrossingText, ...] = ()
    nics: dict[str, dict[str, int]] = {}
    power: PowerText | None = None
    perf: PerfText | None = None
    steps: tuple[tuple[Pps, Pps], ...] = ()
    claim: str = ""
    dut: DutText | None = _of_dut(None)


class EvidenceText(_Strict):
    """Figures from an article or a notebook. `explain` names the tests to explain, all by default."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    schema_: Literal["wirespeed-evidence/1"] = Field(alias="schema")
    dut: DutText = _of_dut(DutText())
    tests: tuple[TestText, ...] = Field(min_length=1)
    explain: tuple[str, ...] = ()


def read_evidence(path: Path) -> tuple[Case, ...]:
    """A case for each test to explain, by default all; the other tests are for comparison."""
    return cases_of(read_text_file(path, "evidence file", _MOST_BYTES), path.name)


def cases_of(text: str | bytes, source: str) -> tuple[Case, ...]:
    """Like read_evidence, of a text; FileFault names the line, the path in the file and the fault."""
    document, keys = mapping_of(text, source, "has no evidence in it; docs/explain.md shows one")
    if "schema" not in keys:
        kind = next((kind for kind, words in _OTHERS.items() if not words.isdisjoint(keys)), "not an evidence file")
        raise FileFault(
            f"{source} is {kind}; give result files, output of a DUT as text, or an evidence file, which begins with "
            f"`schema: {SCHEMA}`"
        )
    parsed = validated(EvidenceText, document, source, "evidence")
    named = [test.name for test in parsed.tests]
    unknown = [name for name in parsed.explain if name not in named]
    if unknown:
        line = document.line(("explain",))
        raise FileFault(f"{source}:{line}: explain: there is no test {unknown[0]!r}; give one of {', '.join(named)}")
    loads = {}
    for number, test in enumerate(parsed.tests):
        try:
            loads[test.name] = _load(test, source)
            _pasted(test, f"{source}: {test.name}")
        except UsageError as error:
            place = f"{source}:{document.line(('tests', number))}"
            raise FileFault(f"{place}: tests.{number}: {str(error).removeprefix(f'{source}: ')}") from None
    duts = {test.name: test.dut or parsed.dut for test in parsed.tests}
    wanted = parsed.explain or tuple(named)
    cases = []
    for test in (test for test in parsed.tests if test.name in wanted):
        dut = duts[test.name]
        others = tuple(loads[name] for name in loads if name != test.name and _is_same(duts[name], dut))
        cases.append(_case(test, dut, loads[test.name], others, source))
    return tuple(cases)


def _is_same(one: DutText, other: DutText) -> bool:
    """True if tests of both may be compared: of the same device with the same system. Devices without names are the
    same if their descriptions are equal."""
    return (one.name, one.system) == (other.name, other.system) if one.name and other.name else one == other


def _load(test: TestText, source: str) -> CaseLoad:
    line_pps = line_rate_pps(test.size, test.line) * test.directions if test.size and test.line else None
    received = test.received or (sum(test.by_direction) if test.by_direction else None)
    share = _share(test)
    if received is None and share is not None and line_pps:
        received = line_pps * share
    if received is None:
        raise UsageError(f"{source}: {test.name}: give `received`, or `percent` with `size` and `line`")
    return CaseLoad(
        name=test.name,
        received_pps=received,
        source=f"{source}: {test.name}",
        offered_pps=test.offered,
        frame_bytes=test.size,
        line_bps=test.line,
        directions=test.directions,
        flows=test.flows,
        hashed=test.hashed,
        tester_percent=test.tester_percent,
        paused=test.paused,
        by_direction=test.by_direction,
        routes=test.routes,
        cycles=test.cycles,
    )


def _share(test: TestText) -> float | None:
    """Received share of all lines, 0 to 1, by `percent`. More than all lines can only refer to one line."""
    if test.percent is None:
        return None
    of_one = test.percent_of == "one" or (test.percent_of is None and _is_over(test))
    return test.percent / 100 / (test.directions if of_one else 1)


def _is_over(test: TestText) -> bool:
    return test.directions > 1 and test.percent is not None and test.percent > 100 * (1 + _OFF)


def _ambiguous(test: TestText) -> tuple[str, ...]:
    """A percentage of two directions that does not say of which lines it is."""
    if test.percent is None or test.percent_of is not None or test.directions < 2:
        return ()
    read = "one line, since it is more than all have" if _is_over(test) else f"all {test.directions} lines"
    return (
        f"{test.name}: {test.percent:g} % is read as of {read}; write `percent_of: one` or `percent_of: all` beside it",
    )


def _case(test: TestText, dut: DutText, load: CaseLoad, others: tuple[CaseLoad, ...], source: str) -> Case:
    place = f"{source}: {test.name}"
    read = _pasted(test, place)
    if read is not None:
        told = {name: getattr(read.dut, name) for name in _OF_TEXTS if not getattr(dut, name)}
        dut = dut.model_copy(update=told)
    workers: tuple[Worker, ...] = ()
    remarks: tuple[str, ...] = ()
    if test.show_run:
        workers, remarks = workers_of(plain_text(test.show_run), f"{place}: show_run", dut.hz, load.received_pps)
    counted = counted_in(plain_text(test.show_errors))
    drops = counted.drops | test.drops
    paused = {f"{name}: pause frames": count for name, told in test.nics.items() if (count := pauses(told))}
    for name, counters in test.nics.items():
        drops |= losses(name, counters)
    machine = _machine(test, place)
    cpus = tuple(CpuShares(name, shares) for name, shares in test.cpu.items())
    if read is not None:
        drops |= read.drops
        paused |= read.events
        machine = replace(machine, nics=(*machine.nics, *read.machine.nics))
        cpus, remarks = (*cpus, *read.cpus), (*remarks, *read.remarks)
    return Case(
        load=load,
        dut=_dut(dut, source),
        others=others,
        workers=workers,
        drops=drops,
        events=counted.events | test.events | paused,
        tells_drops=bool(test.show_errors),
        cpus=cpus,
        steps=tuple(CaseStep(offered, received) for offered, received in test.steps),
        remarks=(
            *remarks,
            *_contradictions(test, load),
            *((f"claimed: {test.claim}",) if test.claim else ()),
            *_ambiguous(test),
        ),
        machine=machine,
    )


def _pasted(test: TestText, place: str) -> Case | None:
    """The facts of the pasted texts of a test. UsageError for a text under the key of another kind."""
    pasted = {key: text for key in _TEXTS if (text := getattr(test, key))}
    for key, text in pasted.items():
        kinds = kinds_in(text)
        if _TEXTS[key] not in kinds:
            other = f"it is a `{kinds[0]}`" if kinds else "paste it as it was printed"
            raise UsageError(f"{place}: {key} holds no `{_TEXTS[key]}`: {other}")
    return case_of_text("\n".join(pasted.values()), place, Figures()) if pasted else None


def _machine(test: TestText, place: str) -> MachineFacts:
    power, perf = test.power, test.perf
    return MachineFacts(
        clocks=tuple(Clock(cpu, clock.now, clock.rated, place) for cpu, clock in test.clocks.items()),
        crossings=tuple(Crossing(**one.model_dump(), source=place) for one in test.numa),
        nics=tuple(
            NicFacts(name, queue_packets=queue_packets(told), counters=told, source=place)
            for name, told in test.nics.items()
        ),
        throttled=test.throttled,
        perf=Perf(perf.cycles, perf.instructions, place) if perf is not None else None,
        energy=Energy(power.watts, power.idle, place) if power is not None else None,
        source=place,
    )


def _dut(dut: DutText, source: str) -> CaseDut:
    links = tuple(NicLink(one.gts, one.width, one.ports, one.nic, f"{source}: dut.links") for one in dut.links)
    given = dut.model_dump(exclude={"links"})
    return CaseDut(**given, links=links, source=f"{source}: dut")


def _contradictions(test: TestText, load: CaseLoad) -> list[str]:
    """Figures given twice that do not agree."""
    sentences = list(more_than_offered(test.name, load.offered_pps, load.received_pps))
    share = load.line_share
    percent = test.percent if test.received is not None else None
    rounded = 0.5 if percent is not None and percent == int(percent) else 0.05
    stated = 100 * (_share(test) or 0.0)
    if percent is not None and share is not None and abs(stated - 100 * share) > rounded + _OFF * percent:
        sentences.append(
            f"{test.name}: {share_text(percent / 100)} of the line is given, {rate_text(load.received_pps)} are "
            f"{share_text(share)}"
        )
    if test.l2_bps is not None and test.size is not None and test.size != IMIX_BYTES:
        bits = test.l2_bps / load.received_pps
        if min(abs(bits / 8 / size - 1) for size in (test.size, test.size - 4)) > _CONTRADICTS:
            sentences.append(
                f"{test.name}: {test.l2_bps / 1e9:.3g} Gb/s of {rate_text(load.received_pps)} are {bits / 8:.4g} bytes "
                f"per frame, of {test.size:.0f}"
            )
    return sentences
