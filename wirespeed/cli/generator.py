"""`wirespeed generator`: open ports, send and receive on them, serve T-Rex's stateless RPC."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.options import (
    CpuOption,
    HugepagesOption,
    MainCpuOption,
    MarchOption,
    VerboseOption,
    march_level,
    seconds,
)
from wirespeed.ending_signals import leave_on_signals
from wirespeed.errors import UsageError
from wirespeed.model import MAX_MTU, MIN_MTU, PLAIN_MTU

if TYPE_CHECKING:
    from wirespeed._native.generator import NativeGenerator
    from wirespeed.generator.port import Port
    from wirespeed.generator.server import Server
    from wirespeed.generator.service import RpcSockets
    from wirespeed.generator.trex_cfg import PortHost
    from wirespeed.model import PortSpec
    from wirespeed.otg.service import OtgService
    from wirespeed.seam.ports import PortInfo

DEFAULT_RPC = "127.0.0.1:4501"

_SPARE_MB = 64
_BUFFER_OVERHEAD_BYTES = 512
_SPARE_BUFFERS = 12288
_SPARE_FRESH = 1024
"""Packets that are made one by one and on the way, of each port and of each worker."""
_READY_MB = 16
"""Memory for unrolled packets of each further worker of a port (READY_BYTES of traffic.c)."""


def command(
    port: Annotated[
        list[str] | None,
        typer.Option(
            "--port", metavar="SPEC", help="A port, e.g. memif:/run/e0.sock or pci:0000:02:00.0; once per port."
        ),
    ] = None,
    trex_cfg: Annotated[
        Path | None,
        typer.Option(
            "--trex-cfg",
            metavar="FILE",
            help="Ports, addresses and CPUs from T-Rex's trex_cfg.yaml; other options override it.",
        ),
    ] = None,
    cpu: CpuOption = "",
    main_cpu: MainCpuOption = "",
    rpc: Annotated[
        str,
        typer.Option(
            "--rpc",
            metavar="ADDR:PORT",
            help="RPC listen address; the port below it publishes. There is no authentication.",
        ),
    ] = DEFAULT_RPC,
    dest_mac: Annotated[
        list[str] | None,
        typer.Option(
            "--dest-mac",
            metavar="MAC",
            help="Destination MAC address, the router's; once per port. Default: the other port of its pair.",
        ),
    ] = None,
    hugepages: HugepagesOption = "auto",
    memory: Annotated[
        int | None, typer.Option("--memory", metavar="MB", help="Memory to allocate. Default: as the ports need.")
    ] = None,
    mtu: Annotated[
        int, typer.Option("--mtu", metavar="BYTES", help="Largest layer 3 packet of ports without mtu=.")
    ] = PLAIN_MTU,
    march: MarchOption = "auto",
    owner_timeout: Annotated[
        float,
        typer.Option(
            "--owner-timeout",
            parser=seconds,
            metavar="TIME",
            help="Stop a port whose owner is silent for this time; 0: never.",
            show_default="60s",
        ),
    ] = 60.0,
    own_burst_rates: Annotated[
        bool,
        typer.Option(
            "--own-burst-rates",
            help="Count bursts of less than 1000 packets with their own rate in the load. T-Rex: 1 pps.",
        ),
    ] = False,
    spread_starts: Annotated[
        bool,
        typer.Option(
            "--spread-starts",
            help="Spread the starts of continuous streams evenly. Default, as in T-Rex: all start at once.",
        ),
    ] = False,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate", help="Measure the baseline latency first; the ports of each pair must be connected."
        ),
    ] = False,
    otg: Annotated[
        str,
        typer.Option(
            "--otg", metavar="HOST:PORT", help="Also serve the Open Traffic Generator API, for snappi scripts."
        ),
    ] = "",
    otg_cert: Annotated[
        Path | None,
        typer.Option("--otg-cert", metavar="PEM", help="Certificate and key of --otg for https. Default: plain http."),
    ] = None,
    verbose: VerboseOption = False,
) -> int:
    """Run the traffic generator (T-Rex stateless RPC; Open Traffic Generator with --otg).

    T-Rex's console, Python client and scripts work with it. It runs until Ctrl-C, SIGTERM or a client's request; then
    traffic stops and the ports are closed. --cpu 2,3 gives each port one worker, in turn. --cpu 2-5/6-9 gives each pair
    of ports four workers (2-5/ for a single pair), with one queue per worker.
    """
    from wirespeed._native import runtime  # noqa: PLC0415 - a command starts fast
    from wirespeed._native.generator import NativeGenerator  # noqa: PLC0415
    from wirespeed.cpus import parse_worker_cpus, settle_main  # noqa: PLC0415
    from wirespeed.generator.server import Server  # noqa: PLC0415
    from wirespeed.generator.service import RpcSockets, parse_rpc_address, serve  # noqa: PLC0415
    from wirespeed.generator.start_rules import StartRules  # noqa: PLC0415
    from wirespeed.serving.loopback import is_loopback  # noqa: PLC0415

    options = _Wanted(cpu=cpu, main_cpu=main_cpu, rpc=rpc, memory_mb=memory, mtu=mtu)
    options = _wanted(options, port, dest_mac, trex_cfg)
    specs, dest_macs, mtu = options.specs, options.dest_macs, options.mtu
    cpus, port_workers = parse_worker_cpus(options.cpu, len(specs))
    host, tcp_port = parse_rpc_address(options.rpc)
    if not 0 <= owner_timeout <= 1e9:
        raise UsageError(f"--owner-timeout {owner_timeout:g} cannot be used; give seconds, or 0 for never")
    settle_main(options.main_cpu)
    specs = [
        replace(spec, rx_queues=max(spec.rx_queues, len(workers)), tx_queues=max(spec.tx_queues, len(workers)))
        for spec, workers in zip(specs, port_workers, strict=True)
    ]
    memory_mb = options.memory_mb or memory_needed_mb(specs, len(cpus), mtu)
    with leave_on_signals(), RpcSockets(host, tcp_port) as sockets, ExitStack() as beside:
        service = _otg_service(otg, otg_cert)
        if not is_loopback(host):
            typer.echo(
                f"wirespeed: anyone who reaches {sockets.address} can use this generator, since the RPC has no "
                "authentication: for trusted networks only (docs/security.md)",
                err=True,
            )
        started = runtime.start_runtime(
            f"generator-{os.getpid()}",
            cpus,
            memory_mb,
            hugepages,
            march_level(march),
            verbose=verbose,
        )
        try:
            if started.notice:
                typer.echo(f"wirespeed: {started.notice}", err=True)
            names = [f"p{index}" for index in range(len(specs))]
            runtime.open_ports([spec.lending() for spec in specs], names, mtu=mtu, promiscuous=True)
            core = NativeGenerator(cpus, len(specs), port_workers)
            try:
                server = Server(core, dest_macs, owner_timeout, StartRules(own_burst_rates, spread_starts))
                for index, addresses in enumerate(options.hosts):
                    settle(server, server.ports[index], addresses)
                for line in describe(core, server):
                    typer.echo(line)
                if calibrate:
                    server.calibrate()
                    for first, floor in server.floors.items():
                        typer.echo(f"port {first}: {floor}")
                serve(server, sockets, lambda: typer.echo(_ready(sockets, service, beside)))
            finally:
                core.close()
        finally:
            runtime.close()
    return 0


@dataclass(frozen=True)
class _Wanted:
    """Settings of the options and of T-Rex's configuration file together; `hosts` are the ports' addresses in the
    file."""

    cpu: str
    main_cpu: str
    rpc: str
    memory_mb: int | None
    mtu: int
    specs: list[PortSpec] = field(default_factory=list)
    dest_macs: list[str | None] = field(default_factory=list)
    hosts: tuple[PortHost, ...] = ()


def _wanted(options: _Wanted, ports: list[str] | None, dest_macs: list[str] | None, trex_cfg: Path | None) -> _Wanted:
    """With the ports; UsageError for what cannot be used."""
    from wirespeed.generator.trex_cfg import read_trex_cfg  # noqa: PLC0415 - a command starts fast
    from wirespeed.model import parse_mac, parse_port_spec  # noqa: PLC0415 - as above

    if (ports is None) == (trex_cfg is None):
        raise UsageError("give --port or --trex-cfg, not both" if ports else "Missing option '--port' (or --trex-cfg)")
    if trex_cfg is None:
        wanted = replace(options, specs=[parse_port_spec(text) for text in ports or ()])
    else:
        file = read_trex_cfg(trex_cfg)
        if file.notice:
            typer.echo(f"wirespeed: {file.notice} (docs/from-trex.md)", err=True)
        wanted = _Wanted(
            cpu=options.cpu or file.cpu,
            main_cpu=options.main_cpu or file.main_cpu,
            rpc=f"127.0.0.1:{file.rpc_port}" if file.rpc_port and options.rpc == DEFAULT_RPC else options.rpc,
            memory_mb=options.memory_mb or file.memory_mb,
            mtu=file.mtu if file.mtu and options.mtu == PLAIN_MTU else options.mtu,
            specs=list(file.ports),
            dest_macs=list(file.dest_macs),
            hosts=file.hosts,
        )
    if dest_macs:
        macs: list[str | None] = [parse_mac(text) for text in dest_macs]
        hosts = [replace(host, gateway_mac=mac) for host, mac in zip(wanted.hosts, macs, strict=False)]
        wanted = replace(wanted, dest_macs=macs, hosts=(*hosts, *wanted.hosts[len(hosts) :]))
    if len(wanted.dest_macs) > len(wanted.specs):
        raise UsageError(f"{len(wanted.dest_macs)} --dest-mac for {len(wanted.specs)} ports; give at most one per port")
    if not MIN_MTU <= wanted.mtu <= MAX_MTU:
        raise UsageError(f"--mtu {wanted.mtu} cannot be used; give {MIN_MTU} to {MAX_MTU}")
    if wanted.memory_mb is not None and not 16 <= wanted.memory_mb <= 1 << 20:
        raise UsageError(f"--memory {wanted.memory_mb} cannot be used; give megabytes from 16 up")
    return wanted


def settle(server: Server, port: Port, host: PortHost) -> None:
    """Give a port the addresses of a T-Rex's file, and ask for its gateway."""
    if host.vlan is not None:
        port.layers.set_vlan((host.vlan,))
    if host.address is not None and host.gateway is not None:
        port.layers.set_l3(host.address, host.gateway, host.gateway_mac)
        server.hosts.configured(port)


def _otg_service(address: str, certificate: Path | None) -> OtgService | None:
    """The server of the OTG API at `address`; None without an address."""
    if not address:
        if certificate is not None:
            raise UsageError("--otg-cert is the certificate of --otg HOST:PORT; give --otg too")
        return None
    from wirespeed.otg.service import OtgService  # noqa: PLC0415 - only where it is asked for
    from wirespeed.serving.loopback import is_loopback  # noqa: PLC0415 - as above

    service = OtgService(address, certificate)
    if not is_loopback(service.host):
        typer.echo(
            f"wirespeed: anyone who reaches {service.url} can use this generator: for trusted networks only "
            "(docs/security.md)",
            err=True,
        )
    return service


def _ready(sockets: RpcSockets, service: OtgService | None, beside: ExitStack) -> str:
    """The line that the program prints when it is ready; from then on the API is served, until `beside` is left."""
    if service is None:
        return f"ready: RPC at {sockets.address}"
    beside.enter_context(service.serving(sockets.reached))
    return f"ready: RPC at {sockets.address}, OTG at {service.url}"


def memory_needed_mb(specs: Sequence[PortSpec], workers: int, mtu: int) -> int:
    """Memory for the buffers in all rings, as many again for packets built individually while others are still queued,
    and for templates and tables."""
    from wirespeed._native.runtime import pool_buffers  # noqa: PLC0415 - as above

    fresh = sum(max(spec.tx_descriptors, spec.rx_descriptors) * spec.tx_queues + _SPARE_FRESH for spec in specs)
    fresh += workers * _SPARE_FRESH
    senders = sum(spec.tx_queues for spec in specs)
    longest = max(max(spec.carries(mtu), spec.ring_frame_bytes(mtu)) for spec in specs) + 64
    buffer_bytes = max(2048, longest) + _BUFFER_OVERHEAD_BYTES
    ready_mb = (senders - len(specs)) * _READY_MB
    return _SPARE_MB + ready_mb + (pool_buffers(specs, workers) + fresh + _SPARE_BUFFERS) * buffer_bytes // (1 << 20)


def describe(core: NativeGenerator, server: Server) -> list[str]:
    """One line per port: its type, addresses, speed and workers."""
    lines = []
    for port in server.ports:
        info = port.info
        cpus = ",".join(str(core.worker_cpus[worker]) for worker in core.port_workers[port.index])
        own = port.layers.host.mac.hex(":")
        lines.append(f"port {port.index}: {info.driver} {own} to {port.layers.dst_mac}, {_speed(info)}, cpu {cpus}")
    return lines


def _speed(info: PortInfo) -> str:
    """A link takes a second or more to come up, and has no speed before."""
    if info.speed_bps:
        return f"{info.speed_bps / 1e9:g} Gb/s"
    most = f"at most {info.most_speed_bps / 1e9:g} Gb/s, " if info.most_speed_bps else ""
    return f"{most}{'speed unknown' if info.link_up else 'no link yet'}"
