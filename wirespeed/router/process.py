"""A router as a process: data plane up, start-up file run, control socket served, all taken down again."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed._native.runtime import Hugepages, open_ports, pool_buffers, router_held_buffers, start_runtime
from wirespeed._native.runtime import close as close_runtime
from wirespeed.errors import FileFault, WirespeedError
from wirespeed.router.columns import speed
from wirespeed.router.console import Console
from wirespeed.router.native import NativeRouter
from wirespeed.router.own_mac import give_mac
from wirespeed.router.protocol import default_stats_socket
from wirespeed.router.server import open_socket, open_telnet, serve
from wirespeed.router.settings import RouterSettings
from wirespeed.router.stats_file import StatsFile, default_stats_file
from wirespeed.router.stats_socket import StatsServer, opened

if TYPE_CHECKING:
    from wirespeed.router.startup.requests import Startup
    from wirespeed.router.startup.syntax import StartupPlace


def run(
    settings: RouterSettings,
    startup: Startup,
    socket_path: Path,
    *,
    exec_file: Path | None,
    api_socket: Path | None = None,
    hugepages: Hugepages,
    march: int,
    verbose: bool,
    announce: Callable[[str], None],
    warn: Callable[[str], None],
) -> None:
    """Run a router until SIGINT or SIGTERM. `settings` are made of `startup` too; `api_socket` None is for no binary
    API. `announce` gets a line per interface and a last one that begins with `ready`; `warn` gets notices. Any error
    ends the router before traffic starts."""
    with ExitStack() as undo:
        if startup.pidfile is not None:
            undo.callback(_write_pid(startup.pidfile).unlink, missing_ok=True)
        listener = undo.enter_context(open_socket(socket_path))
        undo.callback(socket_path.unlink, missing_ok=True)
        stats_socket = startup.stats_socket or default_stats_socket(socket_path)
        stats_listener = undo.enter_context(
            open_socket(stats_socket, "statistics socket", "statseg { socket-name }", socket.SOCK_SEQPACKET)
        )
        undo.callback(stats_socket.unlink, missing_ok=True)
        telnet_listener = None if startup.telnet is None else undo.enter_context(open_telnet(*startup.telnet))
        api_listener = None
        if api_socket is not None:
            api_listener = undo.enter_context(open_socket(api_socket, "API socket", "--api-socket"))
            undo.callback(api_socket.unlink, missing_ok=True)
        held = router_held_buffers(len(settings.cpus))
        memory_mb = settings.memory_mb(pool_buffers(settings.ports, len(settings.cpus)) + held)
        started = start_runtime(
            f"router-{socket_path.stem}", settings.cpus, memory_mb, hugepages, march, verbose=verbose
        )
        if started.notice:
            warn(started.notice)
        with ExitStack() as undo_runtime:
            undo_runtime.callback(close_runtime)
            open_ports(
                settings.ports,
                settings.names,
                min_tx_queues=len(settings.cpus),
                chains=True,
                held_buffers=held,
                min_buffers=settings.buffers,
                min_buffer_size=settings.buffer_size,
            )
            stats = undo.enter_context(StatsFile(default_stats_file(socket_path)))
            core = NativeRouter(
                len(settings.cpus),
                settings.max_routes,
                settings.max_ip6_routes,
                settings.max_neighbors,
                settings.max_interface_neighbors,
                max_path_sets=settings.max_path_sets,
                polls_eagerly=settings.polls_eagerly,
                stats_path=stats.made,
                stats_max_kb=(startup.stats_bytes or 0) // 1024,
                stats_interval_s=startup.stats_interval_s,
                stats_nodes=startup.stats_nodes,
            )
            undo_runtime.pop_all()
        undo.callback(core.close)
        if settings.flow_hash_seed is not None:
            core.tables.set_flow_hash_seed(settings.flow_hash_seed)
        server = StatsServer(stats_listener, undo.enter_context(opened(stats.made)))
        stats.publish()
        for index in core.interface_names().values():
            give_mac(core, index)
        for index, queue, worker in settings.placement:
            if queue < core.port(index).rx_queues:
                core.set_placement(index, queue, worker)
        console = Console(core)
        console.messages.show = warn
        undo.callback(console.close)
        for index, port in enumerate(settings.ports):
            if port.kind == "memif":
                console.memifs.adopt(core.interface(index).name, index, port)
        for place, line in startup.commands:
            _run_line(console, place, line, announce)
        if exec_file is not None:
            for line in console.run_file(exec_file):
                announce(line)
        console.changed()
        core.start()
        for index in range(len(settings.ports)):
            announce(describe(core, index))
        if not core.interface_names():
            announce("no interfaces yet: give --interface NAME=SPEC, or make some (wirespeed ctl create ?)")
        cpus = ",".join(str(cpu) for cpu in settings.cpus)
        serve(
            console,
            listener,
            lambda: announce(f"ready: workers on CPU {cpus}, control socket {socket_path}"),
            startup.stats_interval_s,
            server,
            api_listener,
            telnet_listener,
        )


def _write_pid(path: Path) -> Path:
    try:
        path.write_text(f"{os.getpid()}\n")
    except OSError as error:
        raise FileFault(f"pidfile {path} cannot be written: {error.strerror}") from None
    return path


def _run_line(console: Console, place: StartupPlace, line: str, announce: Callable[[str], None]) -> None:
    """A line from a start-up file; errors name its place in the file."""
    try:
        for answer in console.run(line):
            announce(answer)
    except WirespeedError as error:
        raise type(error)(f"{place.file}:{place.line}: {line}: {error}") from None


def describe(core: NativeRouter, index: int) -> str:
    """One line about an interface: `e0: memif … 10 Gbps, up, 100.64.1.1/30`."""
    face, port = core.interface(index), core.port(index)
    words = [port.driver, face.mac, speed(port.speed_bps), "up" if face.admin_up else "down"]
    return f"{face.name}: " + ", ".join(words + [str(address) for address in face.addresses])
