"""`wirespeed generator`: open ports, send and receive on them, serve T-Rex's stateless RPC."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from wirespeed._native.generator import GeneratorCore
    from wirespeed.generator.server import Server
    from wirespeed.model import PortSpec

MIN_MTU, MAX_MTU = 576, 9198

_SPARE_MB = 64
_BUFFER_OVERHEAD_BYTES = 512
_SPARE_BUFFERS = 16384


def command(
    port: Annotated[
        list[str],
        typer.Option(
            "--port", metavar="SPEC", help="A port, as memif:/run/e0.sock or pci:0000:02:00.0; once for each."
        ),
    ],
    cpu: Annotated[
        str, typer.Option("--cpu", metavar="N[,N]", help="CPUs of the workers; port i belongs to worker i mod workers.")
    ] = "",
    rpc: Annotated[
        str, typer.Option("--rpc", metavar="ADDR:PORT", help="Where to serve; the port below it publishes.")
    ] = "127.0.0.1:4501",
    dest_mac: Annotated[
        list[str] | None,
        typer.Option(
            "--dest-mac",
            metavar="MAC",
            help="Where a port sends to, the router's address; once for each port. Else the other port of its pair.",
        ),
    ] = None,
    hugepages: Annotated[
        str, typer.Option("--hugepages", metavar="auto|never|require", help="Memory of the packet buffers.")
    ] = "auto",
    memory: Annotated[
        int | None, typer.Option("--memory", metavar="MB", help="Memory to set aside; else what the ports need.")
    ] = None,
    mtu: Annotated[int, typer.Option("--mtu", metavar="BYTES", help="Largest layer 3 packet.")] = 1500,
    march: Annotated[
        int, typer.Option("--march", metavar="0|2|3|4", help="x86-64 level of the code; 0 is the best there is.")
    ] = 0,
    verbose: Annotated[bool, typer.Option("--verbose", help="Let DPDK log to standard error.")] = False,
) -> int:
    """Run the traffic generator (T-Rex stateless RPC).

    T-Rex's own console, Python client and scripts work with it. It runs until it is told to end with Ctrl-C or
    SIGTERM; then traffic stops and the ports are closed.
    """
    from wirespeed._native import runtime  # noqa: PLC0415 - a command starts fast
    from wirespeed._native.generator import NativeGenerator  # noqa: PLC0415
    from wirespeed.generator.server import Server  # noqa: PLC0415
    from wirespeed.generator.service import RpcSockets, parse_rpc_address, serve  # noqa: PLC0415
    from wirespeed.model import parse_mac, parse_port_spec  # noqa: PLC0415

    specs = [parse_port_spec(text) for text in port]
    cpus = parse_cpus(cpu)
    dest_macs = [parse_mac(text) for text in dest_mac or []]
    host, tcp_port = parse_rpc_address(rpc)
    if len(dest_macs) > len(specs):
        raise UsageError(f"{len(dest_macs)} --dest-mac for {len(specs)} ports; give one for each port at most")
    if hugepages not in ("auto", "never", "require"):
        raise UsageError(f"--hugepages {hugepages} is not known; choose auto, never or require")
    if not MIN_MTU <= mtu <= MAX_MTU:
        raise UsageError(f"--mtu {mtu} cannot be used; give {MIN_MTU} to {MAX_MTU}")
    if march not in (0, 2, 3, 4):
        raise UsageError(f"--march {march} is not known; choose 0, 2, 3 or 4")
    if memory is not None and not 16 <= memory <= 1 << 20:
        raise UsageError(f"--memory {memory} cannot be used; give megabytes from 16 up")
    memory_mb = memory or memory_needed_mb(specs, len(cpus), mtu)
    with RpcSockets(host, tcp_port) as sockets:
        started = runtime.start_runtime(
            f"generator-{os.getpid()}",
            cpus,
            memory_mb,
            "never" if hugepages == "never" else "require" if hugepages == "require" else "auto",
            march,
            verbose=verbose,
        )
        try:
            if started.notice:
                typer.echo(f"wirespeed: {started.notice}", err=True)
            runtime.open_ports(specs, [f"p{index}" for index in range(len(specs))], mtu=mtu, promiscuous=True)
            core = NativeGenerator(cpus, len(specs))
            try:
                server = Server(core, dest_macs)
                for line in describe(core, server):
                    typer.echo(line)
                typer.echo(f"ready: RPC at {sockets.address}")
                serve(server, sockets)
            finally:
                core.close()
        finally:
            runtime.close()
    return 0


def parse_cpus(text: str) -> list[int]:
    """`0` or `0,2`; nothing means the last CPU that this process may use."""
    usable = sorted(os.sched_getaffinity(0))
    if not text:
        return [usable[-1]]
    cpus = []
    for word in text.split(","):
        if not word.isascii() or not word.isdigit():
            raise UsageError(f"--cpu {text} cannot be read; give CPU numbers such as 0 or 0,2")
        cpus.append(int(word))
    for one in cpus:
        if one not in range(os.cpu_count() or 1):
            raise UsageError(f"CPU {one} does not exist; this machine has CPUs 0 to {(os.cpu_count() or 1) - 1}")
        if one not in usable:
            allowed = ", ".join(str(number) for number in usable)
            raise EnvironmentFault(f"CPU {one} may not be used by this process; it may use {allowed} (see taskset)")
    if len(set(cpus)) < len(cpus):
        raise UsageError(f"--cpu {text} names a CPU twice; each worker needs its own")
    return cpus


def memory_needed_mb(specs: Sequence[PortSpec], workers: int, mtu: int) -> int:
    """Room for the buffers in all rings, and for templates and tables."""
    in_rings = sum(
        spec.rx_queues * spec.rx_descriptors + max(spec.tx_queues, workers) * spec.tx_descriptors for spec in specs
    )
    buffer_bytes = max(2048, mtu + 64) + _BUFFER_OVERHEAD_BYTES
    return _SPARE_MB + (in_rings + _SPARE_BUFFERS) * buffer_bytes // (1 << 20)


def describe(core: GeneratorCore, server: Server) -> list[str]:
    """One line for each port: what it is, where it sends, who serves it."""
    lines = []
    for port in server.ports:
        info = port.info
        speed = f"{info.speed_bps / 1e9:g} Gb/s" if info.speed_bps else "speed unknown"
        cpu = core.worker_cpus[port.index % len(core.worker_cpus)]
        lines.append(f"port {port.index}: {info.driver} {info.mac} to {port.dst_mac}, {speed}, cpu {cpu}")
    return lines
