"""Settings in a start-up file, as one value; `settings` makes it from a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.model import PortSpec

if TYPE_CHECKING:
    from wirespeed.router.startup.syntax import StartupPlace

INTERFACE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._/-]{0,31}")


@dataclass(frozen=True)
class StartupInterface:
    """One `dev` or `vdev`. A name may hold `%s`: the kind of Ethernet that the device turns out to be. RX queue i goes
    to worker `workers[i % len(workers)]` when there are any."""

    name: str
    port: PortSpec
    workers: tuple[int, ...]
    place: StartupPlace


@dataclass(frozen=True)
class Startup:
    """Settings of a start-up file; None or empty if the file does not have them. `commands` are lines for the router's
    command line, each with its place in the file; they run before `exec_file`. `telnet` is the TCP port for VPP's
    client, after its loopback address."""

    interfaces: tuple[StartupInterface, ...] = ()
    worker_cpus: tuple[int, ...] = ()
    main_cpu: int | None = None
    exec_file: Path | None = None
    socket: Path | None = None
    telnet: tuple[str, int] | None = None
    log: Path | None = None
    pidfile: Path | None = None
    hugepages: bool = True
    buffers: int = 0
    buffer_size: int = 0
    api_socket: Path | None = None
    stats_socket: Path | None = None
    stats_bytes: int | None = None
    stats_nodes: bool = True
    stats_interval_s: float = 1.0
    max_routes: int | None = None
    max_ip6_routes: int | None = None
    max_neighbors: int | None = None
    max_interface_neighbors: int | None = None
    max_path_sets: int | None = None
    flow_hash_seed: int | None = None
    commands: tuple[tuple[StartupPlace, str], ...] = ()
    notice: str | None = None
