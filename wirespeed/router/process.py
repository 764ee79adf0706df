"""A router as a process: data plane up, start-up file run, control socket served, all taken down again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from wirespeed._native.router import NativeRouter
from wirespeed._native.runtime import Hugepages, open_ports, start_runtime
from wirespeed._native.runtime import close as close_runtime
from wirespeed.router.columns import speed
from wirespeed.router.console import Console
from wirespeed.router.core import RouterCore
from wirespeed.router.server import open_socket, serve
from wirespeed.router.settings import RouterSettings

# A ring's port has no address of its own.
_NO_MAC = "00:00:00:00:00:00"


def run(
    settings: RouterSettings,
    socket_path: Path,
    *,
    exec_file: Path | None,
    hugepages: Hugepages,
    march: int,
    verbose: bool,
    announce: Callable[[str], None],
    warn: Callable[[str], None],
) -> None:
    """Run a router until SIGINT or SIGTERM. `announce` gets a line for each interface and a last one that begins
    with `ready`; `warn` gets notices. Anything that is wrong ends it before traffic starts."""
    with ExitStack() as undo:
        listener = undo.enter_context(open_socket(socket_path))
        undo.callback(socket_path.unlink, missing_ok=True)
        started = start_runtime(
            f"router-{socket_path.stem}", settings.cpus, settings.memory_mb(), hugepages, march, verbose=verbose
        )
        if started.notice:
            warn(started.notice)
        with ExitStack() as undo_runtime:
            undo_runtime.callback(close_runtime)
            open_ports(settings.ports, settings.names, min_tx_queues=len(settings.cpus))
            core = NativeRouter(len(settings.cpus), settings.max_routes)
            undo_runtime.pop_all()
        undo.callback(core.close)
        for index in range(core.interface_count()):
            if core.interface(index).mac == _NO_MAC:
                core.set_mac(index, f"02:fe:00:00:00:{index:02x}")
        console = Console(core)
        if exec_file is not None:
            for line in console.run_file(exec_file):
                announce(line)
        core.start()
        for index in range(core.interface_count()):
            announce(describe(core, index))
        cpus = ",".join(str(cpu) for cpu in settings.cpus)
        serve(console, listener, lambda: announce(f"ready: workers on CPU {cpus}, control socket {socket_path}"))


def describe(core: RouterCore, index: int) -> str:
    """One line about an interface: `e0: memif … 10 Gbps, up, 100.64.1.1/30`."""
    face, port = core.interface(index), core.port(index)
    words = [port.driver, face.mac, speed(port.speed_bps), "up" if face.admin_up else "down"]
    return f"{face.name}: " + ", ".join(words + [str(address) for address in face.addresses])
