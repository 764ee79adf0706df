"""Processors: what they are, how their threads share cores and caches, and how fast they run now."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from wirespeed.cpus import cpu_list
from wirespeed.inspect.transcript import Transcript, text, tree
from wirespeed.results.lab import CpuPlace

_CPU = "/sys/devices/system/cpu"
_CACHE = re.compile(rf"{_CPU}/cpu(\d+)/cache/index\d+/level")
UNKNOWN = "unknown"
FLAGS = ("avx2", "avx512f", "aes", "pdpe1gb", "constant_tsc", "nonstop_tsc", "tsc_known_freq", "cat_l3", "movdir64b")
"""Processor flags that matter to a packet path or its clock."""


@dataclass(frozen=True)
class Cache:
    """One kind of cache: its size, how many of them there are, and how many threads share one."""

    name: str
    size_kib: int
    count: int
    threads: int


@dataclass(frozen=True)
class CpuFacts:
    """Frequencies in MHz: the maximum, and the current ones of its threads. `hypervisor` is empty on bare metal. None
    and empty mean unknown."""

    model: str
    places: tuple[CpuPlace, ...]
    online: int
    caches: tuple[Cache, ...] = ()
    base_mhz: float | None = None
    min_mhz: float | None = None
    max_mhz: float | None = None
    now_mhz: tuple[float, ...] = ()
    governor: str = ""
    boost: bool | None = None
    microcode: str = ""
    hypervisor: str = ""
    flags: tuple[str, ...] = ()

    @property
    def sockets(self) -> int:
        return len({place.package for place in self.places}) or 1

    @property
    def cores(self) -> int:
        return len({(place.package, place.core) for place in self.places}) or self.online

    @property
    def nodes(self) -> tuple[int, ...]:
        return tuple(sorted({place.node for place in self.places})) or (0,)

    @property
    def smt(self) -> bool:
        return any(len(place.siblings) > 1 for place in self.places)


def cpu_of(transcript: Transcript) -> CpuFacts:
    """By /proc/cpuinfo, lscpu and sysfs, whichever tells; of another machine's lscpu alone as well."""
    info, listed = _fields(text(transcript, "cpuinfo")), _fields(text(transcript, "lscpu"))
    files = tree(text(transcript, "cpus"))
    places = _places(files) or _listed_places(listed)
    flags = (info.get("flags") or listed.get("Flags") or "").split()
    virtual = listed.get("Hypervisor vendor") or ("yes" if "hypervisor" in flags else "")
    return CpuFacts(
        model=info.get("model name") or listed.get("Model name") or info.get("CPU part") or UNKNOWN,
        places=places,
        online=len(places) or int(listed.get("CPU(s)") or 1),
        caches=_caches(files) or _listed_caches(listed),
        base_mhz=_mhz(files, "base_frequency"),
        min_mhz=_mhz(files, "cpuinfo_min_freq") or _number(listed, "CPU min MHz"),
        max_mhz=_mhz(files, "cpuinfo_max_freq") or _number(listed, "CPU max MHz"),
        now_mhz=_now_mhz(files, text(transcript, "cpuinfo")),
        governor=", ".join(sorted(set(_each(files, "scaling_governor")))),
        boost=_boost(files),
        microcode=info.get("microcode", ""),
        hypervisor=virtual,
        flags=tuple(flag for flag in FLAGS if flag in flags),
    )


def _fields(printed: str) -> dict[str, str]:
    """`KEY: VALUE` lines, the first of each key."""
    fields: dict[str, str] = {}
    for line in printed.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields.setdefault(key.strip(), value.strip())
    return fields


def _number(fields: Mapping[str, str], name: str) -> float | None:
    # Another locale's comma is not a digit group here: lscpu prints none.
    value = fields.get(name, "").replace(",", ".")
    return float(value) if re.fullmatch(r"\d+(\.\d+)?", value) else None


def _places(files: Mapping[str, str]) -> tuple[CpuPlace, ...]:
    online, isolated = (_list(files.get(f"{_CPU}/{name}", "")) for name in ("online", "isolated"))
    nodes = {
        cpu: int(match[1])
        for path, value in files.items()
        if (match := re.fullmatch(r"/sys/devices/system/node/node(\d+)/cpulist", path))
        for cpu in _list(value)
    }
    places = []
    for cpu in online:
        topology = f"{_CPU}/cpu{cpu}/topology"
        places.append(
            CpuPlace(
                cpu=cpu,
                core=_whole(files.get(f"{topology}/core_id", ""), cpu),
                package=_whole(files.get(f"{topology}/physical_package_id", ""), 0),
                node=nodes.get(cpu, 0),
                siblings=_list(files.get(f"{topology}/thread_siblings_list", "")) or (cpu,),
                is_isolated=cpu in isolated,
            )
        )
    return tuple(places)


def _listed_places(listed: Mapping[str, str]) -> tuple[CpuPlace, ...]:
    """By lscpu's counts alone: how many sockets, cores and threads there are, though not which is which."""
    online = _list(listed.get("On-line CPU(s) list", ""))
    nodes = {
        cpu: int(match[1])
        for key, value in listed.items()
        if (match := re.fullmatch(r"NUMA node(\d+) CPU\(s\)", key))
        for cpu in _list(value)
    }
    threads = _whole(listed.get("Thread(s) per core", ""), 1) or 1
    cores = _whole(listed.get("Core(s) per socket", ""), 0) * _whole(listed.get("Socket(s)", ""), 1)
    sockets = _whole(listed.get("Socket(s)", ""), 1) or 1
    if not cores:
        return ()
    places = []
    for number, cpu in enumerate(online):
        core = number % cores
        siblings = tuple(online[at] for at in range(core, len(online), cores)) if threads > 1 else (cpu,)
        places.append(CpuPlace(cpu, core, core // max(1, cores // sockets), nodes.get(cpu, 0), siblings))
    return tuple(places)


def _caches(files: Mapping[str, str]) -> tuple[Cache, ...]:
    shared: dict[tuple[str, int], set[tuple[int, ...]]] = defaultdict(set)
    for path, level in files.items():
        if (match := _CACHE.fullmatch(path)) is None:
            continue
        index = path.removesuffix("/level")
        kind = {"Data": "d", "Instruction": "i"}.get(files.get(f"{index}/type", ""), "")
        size = re.match(r"(\d+)K", files.get(f"{index}/size", ""))
        if size is not None:
            cpus = _list(files.get(f"{index}/shared_cpu_list", "")) or (int(match[1]),)
            shared[f"L{level}{kind}", int(size[1])].add(cpus)
    return tuple(
        Cache(name, size, len(groups), max(len(group) for group in groups))
        for (name, size), groups in sorted(shared.items())
    )


def _listed_caches(listed: Mapping[str, str]) -> tuple[Cache, ...]:
    caches = []
    for name in ("L1d", "L1i", "L2", "L3"):
        match = re.match(r"([\d.]+) (K|M)iB \((\d+) instance", listed.get(f"{name} cache", ""))
        if match is not None:
            count, threads = int(match[3]), len(_list(listed.get("On-line CPU(s) list", "")))
            size = float(match[1]) * (1024 if match[2] == "M" else 1) / count
            caches.append(Cache(name, round(size), count, max(1, threads // count)))
    return tuple(caches)


def _each(files: Mapping[str, str], name: str) -> list[str]:
    """A cpufreq file of every CPU that has it."""
    return [value for path, value in files.items() if re.fullmatch(rf"{_CPU}/cpu\d+/cpufreq/{name}", path)]


def _mhz(files: Mapping[str, str], name: str) -> float | None:
    found = [int(value) / 1000 for value in _each(files, name) if value.isdigit()]
    return max(found, default=None)


def _now_mhz(files: Mapping[str, str], cpuinfo: str) -> tuple[float, ...]:
    found = [int(value) / 1000 for value in _each(files, "scaling_cur_freq") if value.isdigit()]
    # The first processor stands in cpuinfo's text twice: whole, and among the lines of all.
    shown = re.findall(r"^cpu MHz\s*: ([\d.]+)", cpuinfo, re.MULTILINE)[1:]
    return tuple(found or map(float, shown))


def _boost(files: Mapping[str, str]) -> bool | None:
    """True if the CPU may run above its base frequency; the two drivers state it in opposite ways."""
    if (off := files.get(f"{_CPU}/intel_pstate/no_turbo")) is not None:
        return off == "0"
    boost = files.get(f"{_CPU}/cpufreq/boost")
    return None if boost is None else boost == "1"


def _list(value: str) -> tuple[int, ...]:
    return cpu_list("CPUs", value) if re.fullmatch(r"\d+([-,]\d+)*", value) else ()


def _whole(value: str, otherwise: int) -> int:
    return int(value) if re.fullmatch(r"-?\d+", value) else otherwise
