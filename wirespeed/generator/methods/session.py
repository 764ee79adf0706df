"""Handshake, what the server is, and events."""

from __future__ import annotations

import platform
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirespeed import __version__
from wirespeed._native.flow_records import FlowKind
from wirespeed.generator.packet_groups import LIMITS
from wirespeed.generator.registry import METHODS, method
from wirespeed.generator.rpc import Json, bad_parameters, failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

API_NAME, API_MAJOR, API_MINOR = "STL", 5, 1
CORE_API = "core"
TREX_VERSION = "v3.08"
"""The release whose protocol this is; clients compare it with their own."""


@method("api_sync_v2", open_to_all=True)
def api_sync_v2(server: Server, name: str, major: int, minor: int) -> Json:
    if name != API_NAME:
        raise failed(
            f"RPC configuration mismatch - server RPC configuration: '{API_NAME}', client RPC configuration: '{name}'"
        )
    if major != API_MAJOR or minor > API_MINOR:
        older = (major, minor) < (API_MAJOR, API_MINOR)
        fault = (
            "RPC version mismatch: a newer client version is required"
            if older
            else "Version mismatch: your client version is too new for this server"
        )
        versions = f"(API type '{API_NAME}':  - server: '{API_MAJOR}.{API_MINOR}', client: '{major}.{minor}')"
        raise failed(f"{fault}\n{versions}")
    return {"api_h": server.api_h}


@method("api_sync", open_to_all=True)
def api_sync(server: Server, api_vers: list[Any]) -> Json:
    """The older handshake: a list of APIs of which there is one, `core`."""
    if not api_vers:
        raise bad_parameters("field 'api_vers' is empty")
    for wanted in api_vers:
        if not isinstance(wanted, dict) or wanted.get("type") != CORE_API:
            raise failed(f"unknown API in api_vers; this server has '{CORE_API}' {API_MAJOR}.{API_MINOR}")
        if wanted.get("major") != API_MAJOR:
            raise failed(
                f"RPC version mismatch: (API type '{CORE_API}': - server: '{API_MAJOR}.{API_MINOR}', "
                f"client: '{wanted.get('major')}.{wanted.get('minor')}')"
            )
    return {"api_vers": [{"type": CORE_API, "api_h": server.api_h} for _ in api_vers]}


@method("ping", open_to_all=True)
def ping(server: Server) -> Json:
    return {"ts": server.core.now_s()}


@method("get_version", open_to_all=True)
def get_version(server: Server) -> Json:
    return {
        "version": TREX_VERSION,
        "mode": API_NAME,
        "build_date": "",
        "build_time": "",
        "built_by": f"wirespeed {__version__}",
    }


@method("get_supported_cmds")
def get_supported_cmds(server: Server) -> list[str]:
    return [name for name, found in METHODS.items() if found.listed]


@method("get_system_info")
def get_system_info(server: Server) -> Json:
    workers = len(server.core.worker_cpus)
    of_a_port = max(map(len, server.core.port_workers), default=1)
    return {
        "hostname": platform.node(),
        "uptime": time.strftime("%b %d %Y @ %H:%M:%S", time.localtime(server.started_at)),
        "core_type": _cpu_model(),
        "dp_core_count": workers,
        "dp_core_count_per_port": of_a_port,
        "is_multiqueue_mode": of_a_port > 1,
        "advanced_per_stream_stats": True,
        "port_count": len(server.ports),
        "ports": [_describe(server, index) for index in range(len(server.ports))],
        "latency_floors": {str(port): floor.to_json() for port, floor in server.floors.items()},
    }


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _describe(server: Server, index: int) -> Json:
    info = server.ports[index].info
    return {
        "index": index,
        "driver": info.driver,
        "description": info.name,
        "pci_addr": info.bus_address or "N/A",
        "numa": info.numa,
        "hw_mac": server.ports[index].layers.host.mac.hex(":"),
        "stack": "legacy",
        "rx": {"caps": ["flow_stats", "latency", "rx_bytes", "tpg"], "counters": LIMITS[FlowKind.STATS]},
        "cores": list(server.core.port_workers[index]),
        "is_virtual": info.is_virtual,
        "medium": info.medium.name.lower(),
        "is_prom_supported": server.ports[index].can_be_promiscuous,
        "is_link_supported": not info.is_virtual,
        "is_fc_supported": server.ports[index].flow_control is not None,
        "is_led_supported": not info.is_virtual,
        "is_vxlan_supported": False,
        "is_ieee1588_supported": False,
        "supp_speeds": [],
    }


@method("publish_now")
def publish_now(server: Server, key: int, baseline: bool) -> Json:
    """Publish statistics and a trigger at once: how a client finds that its subscription works."""
    del key
    server.publish(baseline)
    server.events.triggers += 1
    return {}


@method("get_async_events")
def get_async_events(server: Server, session_id: int, user: str = "") -> Json:
    del user
    return {"data": server.events.fetch(session_id, server.core.now_s())}
