"""Options of a command on a bench: each overrides what the file says, unless the two contradict each other. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from wirespeed.errors import UsageError
from wirespeed.profiles.loading import BUILTIN_NAMES
from wirespeed.trial.directions import parse_directions, parse_ports

if TYPE_CHECKING:
    from wirespeed.testbed.model import Bench, Mode

SERVER, PORTS, NO_DUT = "127.0.0.1:4501", "0,1", "none"
"""Values of options that are not given."""

LEAST6 = "size=66"
"""The shortest frame that holds IPv6 and UDP."""
IMIX6 = "size=imix,vm=var2"
"""IMIX by the profile that supports IPv6, in place of the one that does not."""


@dataclass(frozen=True)
class GivenOptions:
    """Options as on the command line; None means not given."""

    server: str | None = None
    dut: str | None = None
    lab: str = ""
    ports: str | None = None
    directions: str = ""
    line: str = ""
    profile: str = ""
    tunables: str = ""
    power: str = ""


@dataclass(frozen=True)
class StandOptions:
    """Options completed by defaults. `ports` is None with `directions`, and may be None without a testbed. With an
    empty `server`, the tester is started here. `mode` is that of the testbed, None without one."""

    server: str
    dut: str
    ports: str | None
    lab: str = ""
    directions: str = ""
    line: str = ""
    profile: str = ""
    tunables: str = ""
    power: str = ""
    mode: Mode | None = None


def without_bench(options: GivenOptions) -> StandOptions:
    """The meaning of `options` where no bench says more."""
    return StandOptions(
        server=options.server or SERVER,
        dut=options.dut or NO_DUT,
        ports=options.ports,
        lab=options.lab,
        directions=options.directions,
        line=options.line,
        profile=options.profile,
        tunables=options.tunables,
        power=options.power,
    )


def on_bench(bench: Bench, file: str, options: GivenOptions, default_profile: str = "") -> StandOptions:
    """The `options`, completed by `bench`, whose file is `file`. UsageError names an option and the setting that
    it contradicts."""
    if options.lab:
        raise UsageError(f"--lab {options.lab} has a tester and a DUT of its own, as --testbed {file} does; give one")
    profile, tunables = _load(bench, file, options, default_profile)
    return replace(
        without_bench(options),
        server=_server(bench, file, options.server),
        dut=_dut(bench, file, options.dut),
        ports=_ports(bench, file, options),
        line=options.line or _line(bench),
        profile=profile,
        tunables=tunables,
        power=options.power or bench.power,
        mode=bench.mode,
    )


def _server(bench: Bench, file: str, server: str | None) -> str:
    """Empty for a tester that is started here."""
    own = bench.tester.server
    if server is None or server == own:
        return own or ""
    where = f"it says that the tester is {own}" if own else "it has the ports of a tester to start here"
    raise UsageError(f"-s {server} contradicts {file}: {where}; leave -s out, or change the file")


def device_spec(bench: Bench) -> str:
    """The device as --dut names it; none where the file does not say how it is reached."""
    dut, reach = bench.dut, bench.dut.reach or ""
    if dut.kind == "wirespeed" and dut.socket and (reach == "local" or reach.startswith("netns:")):
        return f"router:{dut.socket}"
    if dut.kind == "linux" and reach == "local":
        return "linux:"
    if dut.kind == "linux" and reach.startswith("netns:"):
        return f"linux:netns={reach.removeprefix('netns:')}"
    if not reach or reach.startswith("console-log:") or dut.kind == "none":
        return NO_DUT
    return f"{dut.kind}:{reach}" + (f",socket={dut.socket}" if dut.socket else "")


def _dut(bench: Bench, file: str, dut: str | None) -> str:
    if dut is None:
        return device_spec(bench)
    if dut == NO_DUT:
        return dut
    kind = {"router": "wirespeed"}.get(dut.partition(":")[0], dut.partition(":")[0])
    if bench.dut.kind not in ("none", kind):
        raise UsageError(f"--dut {dut} contradicts {file}: its DUT is of kind {bench.dut.kind}")
    return dut


def _ports(bench: Bench, file: str, options: GivenOptions) -> str | None:
    if options.directions:
        named = {port for link in parse_directions(options.directions) for port in (link.tx, link.rx)}
        option = f"--directions {options.directions}"
    elif options.ports is None:
        return ",".join(map(str, bench.ports))
    else:
        named, option = set(parse_ports(options.ports)), f"--ports {options.ports}"
    if missing := sorted(named - set(bench.ports)):
        there = ", ".join(map(str, bench.ports))
        raise UsageError(f"{option} contradicts {file}: no link ends at port {missing[0]}; there are {there}")
    return options.ports


def _line(bench: Bench) -> str:
    """The speed of all links; empty if they differ, since each port has its own then."""
    speeds = {link.speed for link in bench.links}
    return next(iter(speeds)) or "" if len(speeds) == 1 else ""


def _load(bench: Bench, file: str, given: GivenOptions, default: str) -> tuple[str, str]:
    """Profile and tunables that the mode forwards; a profile of the user's own is left as it is."""
    profile, tunables = given.profile, given.tunables
    if bench.mode == "l2xc" or profile not in BUILTIN_NAMES:
        return profile, tunables
    says = f"contradicts {file}: its mode is {bench.mode}"
    if bench.mode == "mpls":
        if profile not in ("mpls", default):
            raise UsageError(f"profile {profile} {says}; give mpls, or a profile of your own")
        return "mpls", tunables or f"label={min(label.label for label in bench.filled().labels)}"
    if profile == "mpls":
        raise UsageError(f"profile mpls {says}")
    family: Literal["4", "6"] = "6" if bench.mode == "ip6" else "4"
    words = dict(word.partition("=")[::2] for word in tunables.split(",") if word)
    if words.get("ip", family) != family:
        raise UsageError(f"ip={words['ip']} {says}")
    if family == "4" or "ip" in words:
        return profile, tunables
    if profile != "bench":
        if profile != default:
            raise UsageError(f"profile {profile} {says}, and that profile is IPv4; give bench")
        tunables = ",".join(filter(None, (IMIX6, tunables)))
    size = "" if "size=" in tunables else LEAST6
    return "bench", ",".join(filter(None, (tunables, size, "ip=6")))
