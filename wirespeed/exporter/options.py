"""Words of the command line as targets, and where to listen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from wirespeed.client.generator_client import parse_server
from wirespeed.errors import UsageError
from wirespeed.exporter.device import DeviceTarget
from wirespeed.exporter.exposition import Listening
from wirespeed.exporter.foreign import ForeignTarget
from wirespeed.exporter.generator import GeneratorTarget
from wirespeed.exporter.router import By, RouterTarget
from wirespeed.exporter.runs import RunTarget
from wirespeed.exporter.target import Target, check_names
from wirespeed.exporter.watts import PowerTarget
from wirespeed.files import read_text_file
from wirespeed.power.spec import parse_power
from wirespeed.router.stats_file import default_stats_file

PORT = 19482
"""Beyond the list of allocated ports of exporters, which has 9482 for VPP's."""

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.-]{0,63})=(.+)")


@dataclass(frozen=True)
class TargetOptions:
    """Words as they were given, each NAME=WHAT or WHAT."""

    routers: Sequence[str] = ()
    segments: Sequence[str] = ()
    generators: Sequence[str] = ()
    results: Sequence[str] = ()
    devices: Sequence[str] = ()
    urls: Sequence[str] = ()
    meters: Sequence[str] = ()
    benches: Sequence[Path] = ()
    nodes: By = "thread"
    vpp_names: bool = False
    timeout_s: float = 2.0


def targets_of(options: TargetOptions) -> list[Target]:
    """UsageError says which word is wrong, or that there is none."""
    if not 0.1 <= options.timeout_s <= 60:
        raise UsageError(f"--timeout {options.timeout_s:g}: give 0.1 to 60 seconds")

    def generator(name: str, server: str) -> Target:
        parse_server(server)
        return GeneratorTarget(name, server, options.timeout_s)

    def router(name: str, socket: str) -> Target:
        path = Path(socket)
        return RouterTarget(name, default_stats_file(path), path, options.nodes, options.vpp_names)

    def segment(name: str, path: str) -> Target:
        return RouterTarget(name, Path(path), None, options.nodes, options.vpp_names)

    def device(name: str, way: str) -> Target:
        return _device(name, way, options)

    made: list[Target] = [
        *_each(options.routers, _stem, router),
        *_each(options.segments, _folder, segment),
        *_each(options.generators, str, generator),
        *_each(options.results, _stem, lambda name, file: RunTarget(name, Path(file))),
        *_each(options.devices, str, device),
        *_each(options.meters, _meter_name, lambda name, meter: PowerTarget(name, parse_power(meter).meter)),
        *_each(options.urls, str, lambda name, url: ForeignTarget(name, url, options.timeout_s)),
    ]
    for bench in options.benches:
        made += _of_bench(bench, options)
    if not made:
        raise UsageError(
            "name a target: --router, --stats, --generator, --result, --dut, --power, --testbed or --scrape"
        )
    check_names(made)
    return made


def listening(where: str, credentials: Path | None, certificate: Path | None, key: Path | None) -> Listening:
    """UsageError for an invalid HOST:PORT, or if the file `credentials` has no USER:PASSWORD."""
    host, colon, port = where.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise UsageError(
            f"--listen {where}: give HOST:PORT, e.g. 127.0.0.1:{PORT} or [::]:{PORT}; port 0 takes a free one"
        )
    try:
        ip_address(host)
    except ValueError:
        if host != "localhost":
            raise UsageError(
                f"--listen {where}: {host} is not an address of this machine; give one, or localhost"
            ) from None
    if (certificate is None) != (key is None):
        raise UsageError("--tls-cert and --tls-key go together")
    told = read_text_file(credentials, "auth file", 4096).decode(errors="replace").strip() if credentials else ""
    if credentials is not None and (":" not in told or "\n" in told):
        raise UsageError(f"--auth-file {credentials}: the file must hold one line, USER:PASSWORD")
    return Listening(host, int(port), told, certificate, key)


def _each(words: Iterable[str], name_of: Callable[[str], str], make: Callable[[str, str], Target]) -> Iterator[Target]:
    for word in words:
        named = _NAMED.fullmatch(word)
        # A port spec or URL may hold an equals sign behind its first slash or colon, which no name has.
        name, what = (named[1], named[2]) if named else (name_of(word), word)
        if not what:
            raise UsageError("a target is empty: give NAME=WHAT or WHAT")
        yield make(name, what)


def _meter_name(text: str) -> str:
    """Without what may hold a password."""
    return text.partition(":")[0]


def _stem(path: str) -> str:
    return Path(path).stem


def _folder(path: str) -> str:
    """Sockets of VPPs are all called stats.sock."""
    return Path(path).parent.name or Path(path).stem


def _device(name: str, way: str, options: TargetOptions) -> Target:
    from wirespeed.dut.device import parse_device  # noqa: PLC0415 - asyncssh, needed with a device alone
    from wirespeed.dut.kinds.vpp import VppKind  # noqa: PLC0415
    from wirespeed.exporter.vpp_text import VppTextTarget  # noqa: PLC0415

    device = parse_device(way)
    if isinstance(device.kind, VppKind):
        return VppTextTarget(name, device, device.kind, options.timeout_s)
    return DeviceTarget(name, device, options.timeout_s)


def _of_bench(file: Path, options: TargetOptions) -> Iterator[Target]:
    from wirespeed.testbed.file import read_bench  # noqa: PLC0415 - pydantic, needed with a bench alone

    bench = read_bench(file)
    if bench.dut.kind != "none":
        socket = f",socket={bench.dut.socket}" if bench.dut.socket else ""
        way = f"{bench.dut.kind}:{bench.dut.reach}{socket}"
        yield _device(f"{file.stem}-dut", way, options)
    if bench.tester.server is not None:
        yield GeneratorTarget(f"{file.stem}-tester", bench.tester.server, options.timeout_s)
    if bench.power:
        yield PowerTarget(f"{file.stem}-power", parse_power(bench.power).meter)
