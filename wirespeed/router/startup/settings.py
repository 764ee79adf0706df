"""Settings of this router in a start-up file: one value, made from the file's statements."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from wirespeed.cpus import MAX_WORKERS, check_cpu, listed_cpus
from wirespeed.errors import UsageError, WirespeedError
from wirespeed.model import PCI_ADDRESS, PortSpec, parse_port_spec
from wirespeed.router.startup.requests import INTERFACE_NAME, Startup, StartupInterface
from wirespeed.router.startup.schema import FILE
from wirespeed.router.startup.syntax import StartupBlock, StartupPlace, Statement, read_file
from wirespeed.serving.loopback import is_loopback

_SMALL_PAGE = ("default", "4k", "4096")
_PORT_FIELDS = {
    "num-rx-queues": "rx_queues",
    "num-tx-queues": "tx_queues",
    "num-rx-desc": "rx_descriptors",
    "num-tx-desc": "tx_descriptors",
    "mtu": "mtu",
    "port": "device_port",
}
# The plugins of VPP whose work this router does.
_OWN_PLUGINS = ("acl", "default", "dpdk", "memif", "af_packet", "af_xdp", "linux_cp", "linux_nl", "ping", "tap")

_MOST_PORT = 65535

_REASONS = {"devices": "devices (VPP's own drivers; name NICs by dpdk { dev ADDRESS })"}


def read_startup(path: Path) -> Startup:
    """The start-up file at `path`; errors name file, line, word and the allowed words."""
    return make_startup(read_file(path, FILE), str(path))


def make_startup(statements: Sequence[Statement], file: str) -> Startup:
    """The value that checked statements come to."""
    read = _Statements(statements)
    unix, statseg = read.section("unix"), read.section("statseg")
    main_cpu, worker_cpus = _cpus(read.section("cpu"))
    buffers = read.section("buffers")
    return Startup(
        interfaces=_interfaces(read.section("dpdk")),
        worker_cpus=worker_cpus,
        main_cpu=main_cpu,
        exec_file=unix.value("exec", unix.value("startup-config")),
        socket=_socket(unix),
        telnet=_telnet(unix),
        log=unix.value("log"),
        pidfile=unix.value("pidfile"),
        hugepages=_hugepages(read),
        buffers=buffers.value("buffers-per-numa", 0),
        buffer_size=buffers.value("default data-size", 0),
        api_socket=read.section("socksvr").value("socket-name"),
        stats_socket=statseg.value("socket-name"),
        stats_bytes=statseg.value("size"),
        stats_nodes=statseg.value("per-node-counters", True),
        stats_interval_s=statseg.value("update-interval", 1.0),
        max_routes=read.section("ip").value("max-routes"),
        max_ip6_routes=read.section("ip6").value("max-routes"),
        max_neighbors=read.section("neighbors").value("max"),
        max_interface_neighbors=read.section("neighbors").value("max-interface"),
        max_path_sets=read.section("ip").value("max-path-sets"),
        flow_hash_seed=read.section("ip").value("flow-hash-seed"),
        commands=(
            *_linux_cp(read.section("linux-cp")),
            *_acl_plugin(read.section("acl-plugin")),
            *_neighbors(read.section("neighbors")),
            *_statseg(statseg),
        ),
        notice=_notice(statements, file),
    )


class _Statements:
    """Statements of one block, or of all blocks of one section: of a word that stands twice the last counts."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.all = tuple(statements)

    def section(self, key: str) -> _Statements:
        return _Statements(inner for statement in self.all if statement.key == key for inner in statement.inner)

    def get(self, key: str) -> Statement | None:
        return next((statement for statement in reversed(self.all) if statement.key == key), None)

    def value(self, key: str, default: Any = None) -> Any:
        statement = self.get(key)
        return default if statement is None else statement.value

    def __contains__(self, key: str) -> bool:
        return self.get(key) is not None


def _socket(unix: _Statements) -> Path | None:
    listen = unix.value("cli-listen", "")
    if "/" in listen:
        return Path(listen)
    directory: Path | None = unix.value("runtime-dir")
    return directory / "router.sock" if directory is not None else None


def _telnet(unix: _Statements) -> tuple[str, int] | None:
    """HOST:PORT of cli-listen. Whoever reaches it can do what the router can, so it is for this machine alone."""
    statement = unix.get("cli-listen")
    if statement is None or "/" in statement.value or _is_for_others(statement):
        return None
    host, _, port = statement.value.rpartition(":")
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= _MOST_PORT):
        raise statement.place.error(f"cli-listen {statement.value}: give a path, or localhost and a TCP port")
    return host.strip("[]"), int(port)


def _is_for_others(statement: Statement) -> bool:
    return "/" not in statement.value and not is_loopback(statement.value.rpartition(":")[0])


def _hugepages(found: _Statements) -> bool:
    sizes = (found.section("buffers").value("page-size", ""), found.section("memory").value("main-heap-page-size", ""))
    return "no-hugetlb" not in found.section("dpdk") and not any(size.lower() in _SMALL_PAGE for size in sizes)


# ---- CPUs


def _cpus(cpu: _Statements) -> tuple[int | None, tuple[int, ...]]:
    """The main thread's CPU and those of the workers, chosen as VPP does: consecutive ones, after those to be skipped
    and the main thread's, which is the first of them unless `main-core` names it. Where no CPU would be left for the
    workers then, the main thread, which sleeps, shares theirs. With `relative` a CPU is named by its position among
    those that this process may use; `workers` counts from these anyway."""
    main, listed, count = cpu.get("main-core"), cpu.get("corelist-workers"), cpu.get("workers")
    usable = sorted(os.sched_getaffinity(0))
    is_relative = "relative" in cpu
    main_cpu: int | None = None
    if main is not None:
        with _at(main.place):
            main_cpu = _at_position(main, (main.value,), usable)[0] if is_relative else main.value
            check_cpu(main_cpu, usable)
    if listed is not None:
        with _at(listed.place):
            if is_relative:
                chosen = _at_position(listed, [n for part in listed.value.split(",") for n in _span(part)], usable)
            else:
                chosen = listed_cpus("corelist-workers", listed.value)
        if not len(set(chosen)) == len(chosen) <= MAX_WORKERS:
            raise listed.place.error(f"corelist-workers {listed.value}: give at most {MAX_WORKERS} CPUs, each once")
        return main_cpu, chosen
    free = [number for number in usable[cpu.value("skip-cores", 0) :] if number != main_cpu]
    if count is None:
        return main_cpu, ()
    if count.value > len(free):
        raise count.place.error(f"workers {count.value}: {len(free)} CPUs are left for workers; ask for fewer")
    first = 1 if main is None and count.value < len(free) else 0
    return main_cpu, tuple(free[first : first + count.value])


def _at_position(statement: Statement, positions: Sequence[int], usable: Sequence[int]) -> tuple[int, ...]:
    if max(positions, default=0) >= len(usable):
        raise UsageError(
            f"{statement.key} {statement.value} relative: this process may use {len(usable)} CPUs; "
            f"positions are 0 to {len(usable) - 1}"
        )
    return tuple(usable[position] for position in positions)


@contextmanager
def _at(place: StartupPlace) -> Iterator[None]:
    """Errors from within get the place in the file that they are about."""
    try:
        yield
    except WirespeedError as error:
        raise type(error)(f"{place.file}:{place.line}: {error}") from None


# ---- Interfaces


def _interfaces(dpdk: _Statements) -> tuple[StartupInterface, ...]:
    default = _Statements(inner for s in dpdk.all if s.key == "dev default" for inner in s.inner)
    decimal = "decimal-interface-names" in dpdk
    interfaces: list[StartupInterface] = []
    for statement in dpdk.all:
        if statement.key not in ("dev", "vdev"):
            continue
        made = _interface(statement, default, decimal)
        if made.name in (other.name for other in interfaces):
            raise statement.place.error(f"{statement.value}: interface name {made.name} is given twice")
        interfaces.append(made)
    return tuple(interfaces)


def _interface(statement: Statement, default: _Statements, decimal: bool) -> StartupInterface:
    own = _Statements((*default.all, *statement.inner))
    with _at(statement.place):
        name, port = _port(statement, decimal)
    for key, field in _PORT_FIELDS.items():
        # Options of a port spec take precedence over `dev default`.
        is_given = getattr(port, field) != getattr(PortSpec, field)
        value = _Statements(statement.inner).value(key, None if is_given else default.value(key))
        if value is not None:
            port = replace(port, **{field: value})
    if port.device_port is not None:
        if port.kind != "pci":
            raise statement.place.error(f"{statement.value}: port selects a port of a PCI device; leave it out")
        name += f"-{port.device_port}"
    if port.kind == "pci" and "devargs" in own:
        port = replace(port, options={"devargs": own.value("devargs")})
    named = own.get("name")
    if named is not None:
        name = named.value
        if not INTERFACE_NAME.fullmatch(name):
            raise named.place.error(f"name {name}: give letters, digits and ._/- , a letter first, 32 in all at most")
    workers = tuple(n for part in own.value("workers", "").split(",") if part for n in _span(part))
    return StartupInterface(name, port, workers, statement.place)


def _span(part: str) -> range:
    first, _, last = part.partition("-")
    return range(int(first), min(int(last or first), int(first) + MAX_WORKERS) + 1)


def _port(statement: Statement, decimal: bool) -> tuple[str, PortSpec]:
    """The name that a device has unless it is given one, and its port."""
    word: str = statement.value
    if statement.key == "vdev":
        return word.partition(",")[0], PortSpec("vdev", word)
    pci = PCI_ADDRESS.fullmatch(word)
    if pci is None:
        spec = parse_port_spec(word)
        return re.sub(r"[^A-Za-z0-9._/-]", "-", Path(spec.target).stem or spec.kind), spec
    numbers = [int(number or "0", 16) for number in pci.groups()]
    place = "/".join(f"{number:d}" if decimal else f"{number:x}" for number in (numbers if numbers[0] else numbers[1:]))
    return f"%s{place}", PortSpec("pci", f"{numbers[0]:04x}:{pci[2]}:{pci[3]}.{pci[4]}".lower())


# ---- The rest


def _linux_cp(section: _Statements) -> Iterator[tuple[StartupPlace, str]]:
    for statement in section.all:
        match statement.key:
            case "default netns":
                yield statement.place, f"lcp default netns {statement.value}"
            case "lcp-sync":
                yield statement.place, "lcp lcp-sync on"
            case "lcp-auto-subint":
                yield statement.place, "lcp lcp-auto-subint on"


def _neighbors(section: _Statements) -> Iterator[tuple[StartupPlace, str]]:
    for statement in section.all:
        if statement.key == "announce":
            yield from ((statement.place, f"set ip neighbor-config {family} announce on") for family in statement.value)
        elif statement.key == "dad-transmits":
            yield statement.place, f"set ip6 dad all transmits {statement.value}"


def _acl_plugin(section: _Statements) -> Iterator[tuple[StartupPlace, str]]:
    most = section.get("connection count max")
    if most is not None:
        yield most.place, f"set acl-plugin session table max-entries {most.value}"


def _statseg(section: _Statements) -> Iterator[tuple[StartupPlace, str]]:
    for what in ("route", "adjacency"):
        counters = section.get(f"per-{what}-counters")
        if counters is not None and counters.value:
            yield counters.place, f"{what} counters enable"


def _notice(statements: Sequence[Statement], file: str) -> str | None:
    """One line that names the known sections and words without effect."""
    words = list(dict.fromkeys(_without_meaning(statements)))
    return f"{file}: no meaning here, left out: {', '.join(words)}" if words else None


def _without_meaning(statements: Sequence[Statement]) -> Iterator[str]:
    for section in statements:
        if FILE.forms[section.key].unused:
            yield _REASONS.get(section.key, section.key)
        block = FILE.forms[section.key].block
        for statement in section.inner:
            assert block is not None
            form = block.forms[statement.key]
            if form.unused:
                yield f"{section.key} {statement.key}"
            elif statement.key == "cli-listen" and _is_for_others(statement):
                yield f"unix cli-listen {statement.value} (other machines could command the router; use localhost:PORT)"
            elif statement.key == "uio-driver":
                yield f"dpdk uio-driver {statement.value} (devices are bound beforehand)"
            elif statement.key == "plugin" and any(inner.key == "enable" for inner in statement.inner):
                if statement.value.removesuffix(".so").removesuffix("_plugin") not in _OWN_PLUGINS:
                    yield f"plugin {statement.value}"
            elif form.block is not None:
                yield from (f"dev {inner.key}" for inner in statement.inner if _is_unused(form.block, inner))


def _is_unused(block: StartupBlock, statement: Statement) -> bool:
    return block.forms[statement.key].unused
