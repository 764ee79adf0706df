"""Statistics, streams and profiles, and the baseline of counters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.text import Text

from wirespeed.console.commands.registry import COMMON, STATELESS, command
from wirespeed.console.flow_views import floor_note, flow_table, histogram_table, latency_table, stream_table
from wirespeed.console.grammar import ALL, PORTS, STREAM_IDS, ConsoleOption, Given, read_ports
from wirespeed.console.port_views import ServerFacts, global_table, port_table, status_table
from wirespeed.console.readings import FlowStatistics, stream_readings
from wirespeed.console.screen import step
from wirespeed.console.server_views import cpu_table, memory_table, xstats_table
from wirespeed.console.session import Session
from wirespeed.console.tables import ConsoleRow, ConsoleTable, render
from wirespeed.files import write_atomically

Json = Mapping[str, Any]
Ports = tuple[int, ...]

_UNCOUNTED = "nothing is counted; what a stream of a packet group sends is, as with -t flow=fs of stl/bench.py"
_UNMEASURED = "nothing is measured; streams that measure are those of -t flow=fsl of stl/bench.py"


def server_facts(session: Session) -> ServerFacts:
    system = session.system
    cores = int(system.get("dp_core_count", 1))
    return ServerFacts(session.server, session.version, cores, int(system.get("dp_core_count_per_port", 1)))


def _global(session: Session, ports: Ports) -> Text:
    return global_table(server_facts(session), session.client.call("get_global_stats"))


def _ports(session: Session, ports: Ports) -> Text:
    return render(port_table(session.readings(ports)[1]))


def _flows(session: Session, ports: Ports) -> Text:
    flows = session.flows()
    return render(flow_table(flows)) if flows else Text(f"Streams Statistics: {_UNCOUNTED}")


def _latency(session: Session, ports: Ports) -> Text:
    return _measured(session, latency_table).append(floor_note(session.system.get("latency_floors") or {}))


def _histogram(session: Session, ports: Ports) -> Text:
    return _measured(session, histogram_table)


def _measured(session: Session, table: Callable[[Sequence[FlowStatistics]], ConsoleTable]) -> Text:
    flows = [flow for flow in session.flows() if flow.latency is not None]
    return render(table(flows)) if flows else Text(f"Latency Statistics: {_UNMEASURED}")


def _cpu(session: Session, ports: Ports) -> Text:
    return render(cpu_table(session.client.call("get_utilization")))


def _memory(session: Session, ports: Ports) -> Text:
    return render(memory_table(session.client.call("get_utilization")))


def _xstats(session: Session, ports: Ports) -> Text:
    return render(xstats_table(ports, session.xstats(ports)))


def _all_xstats(session: Session, ports: Ports) -> Text:
    return render(xstats_table(ports, session.xstats(ports), zeros=True))


def port_status(session: Session, ports: Ports) -> Text:
    return render(status_table([session.port_info(port) for port in ports], session.statuses(ports)))


_KINDS: dict[str, Callable[[Session, Ports], Text]] = {
    "global": _global,
    "ports": _ports,
    "streams": _flows,
    "latency": _latency,
    "histogram": _histogram,
    "cpu": _cpu,
    "mbuf": _memory,
    "xstats": _xstats,
    "all_xstats": _all_xstats,
    "status": port_status,
}


def _kind(flags: tuple[str, ...], dest: str, help: str) -> ConsoleOption:
    return ConsoleOption(flags, help, None, dest=dest)


@command(
    "stats",
    COMMON,
    "Show statistics; those of the server and of its ports if no kind is named.",
    ConsoleOption(("--port",), "Only these ports.", read_ports, "PORT", True, dest="chosen", source="ports"),
    replace(ALL, help="All ports (the default without --port)."),
    _kind(("-g", "--global"), "global", "Of the whole server."),
    _kind(("-p", "--ports"), "ports", "Of the ports."),
    _kind(("-s", "--streams"), "streams", "Of flows, by packet group."),
    _kind(("-l", "--latency"), "latency", "Latency by packet group."),
    _kind(("--lh",), "histogram", "Histograms of the latency."),
    _kind(("-c", "--cpu"), "cpu", "Load of the cores."),
    _kind(("-m", "--mbuf"), "mbuf", "Packet buffers."),
    _kind(("-x", "--xstats"), "xstats", "The drivers' own counters that are not 0."),
    _kind(("--xz", "--zx"), "all_xstats", "All of the drivers' own counters."),
    _kind(("--ps",), "status", "Status of the ports."),
)
def stats(session: Session, given: Given) -> None:
    ports = session.some(given.chosen)
    wanted = [kind for kind in _KINDS if getattr(given, kind)] or ["global", "ports"]
    for place, kind in enumerate(wanted):
        if place:
            session.screen.show()
        session.screen.show(_KINDS[kind](session, ports))


@command("clear", COMMON, "Count from 0 again, for this console only.", PORTS, ALL)
def clear(session: Session, given: Given) -> None:
    with step(session.screen, "Clearing stats :"):
        session.clear(session.some(given.ports))


@command(
    "streams",
    STATELESS,
    "Show the streams that are loaded.",
    PORTS,
    ALL,
    STREAM_IDS,
    ConsoleOption(
        ("--code",),
        "Show the streams as Python, or write them to FILE as a profile; one file per port if there are several.",
        metavar="FILE.py",
        alone="-",
        source="files",
    ),
)
def streams(session: Session, args: Given) -> None:
    empty: list[int] = []
    coded: dict[int, dict[str, Json]] = {}
    for port in session.some(args.ports):
        loaded = session.client.all_streams(port)
        shown = [one for one in stream_readings(port, loaded) if args.ids is None or one.stream_id in args.ids]
        if not shown:
            empty.append(port)
        elif args.code:
            coded[port] = {str(one.stream_id): loaded[one.profile][str(one.stream_id)] for one in shown}
        else:
            session.screen.show(render(stream_table(shown, f"Port {port}:")))
            session.screen.show()
    if coded:
        _show_code(session, coded, args.code)
    if empty:
        which = "no such stream" if args.ids is not None else "no stream"
        session.screen.show(f"{which} on port {', '.join(map(str, empty))}")


def _show_code(session: Session, streams: Mapping[int, Mapping[str, Json]], path: str) -> None:
    """T-Rex's `--code`: a profile of each port's streams, on the screen for `-`, else in a file."""
    from wirespeed.profiles.code import profile_code  # noqa: PLC0415 - pulls in scapy
    from wirespeed.profiles.plain import PlainStream  # noqa: PLC0415 - as above

    for port, fields in streams.items():
        code = profile_code([PlainStream(one) for one in _chained(fields)])
        if path == "-":
            session.screen.show(f"Port {port}:\n\n{code}")
            continue
        file = Path(path if len(streams) == 1 else f"{path.removesuffix('.py')}_port{port}.py").expanduser()
        with step(session.screen, f"Writing the streams of port {port} to {file}:"):
            write_atomically(file, code, "profile")


def _chained(streams: Mapping[str, Json]) -> list[dict[str, Any]]:
    """Streams whose next one is known by its number, as its name."""
    names = {number: one.get("name") or f"stream {number}" for number, one in streams.items()}
    followed = {str(one.get("next_stream_id", -1)) for one in streams.values()}
    chained = []
    for number, stream in streams.items():
        following = names.get(str(stream.get("next_stream_id", -1)))
        chained.append(
            {
                **stream,
                **({"name": names[number]} if number in followed else {}),
                **({"next": following} if following else {}),
            }
        )
    return chained


@command("profiles", STATELESS, "Show the profiles that are loaded, and the built-in ones.", PORTS, ALL)
def profiles(session: Session, args: Given) -> None:
    from wirespeed.profiles import BUILTIN_NAMES  # noqa: PLC0415 - pulls in the profiles

    rows = []
    for port in session.some(args.ports):
        states = session.statuses([port])[0].get("state_profile") or {}
        for name, loaded in sorted(session.client.all_streams(port).items()):
            ids = sorted(map(int, loaded))
            listed = ", ".join(map(str, ids[:8])) + (f" … ({len(ids)})" if len(ids) > 8 else "")
            rows.append(ConsoleRow(f"{port}.{name}", (str(states.get(name, "?")), listed)))
    if rows:
        session.screen.show(
            render(ConsoleTable("Profiles", ("profile", "state", "stream ids"), tuple(rows), align="left"))
        )
        session.screen.show()
    session.screen.show(f"built in: {', '.join(f'stl/{name}.py' for name in BUILTIN_NAMES)}; see docs/generator.md")
