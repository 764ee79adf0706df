"""Counters of ports, workers and packet groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirespeed.generator.port import Port
from wirespeed.generator.registry import method
from wirespeed.generator.rpc import Json

if TYPE_CHECKING:
    from wirespeed.generator.server import Server


@method("get_global_stats")
def get_global_stats(server: Server) -> Json:
    """With `machine`, which is ours, and not published: T-Rex's clients expect numbers there."""
    return server.global_stats() | {"machine": server.machine()}


@method("get_port_stats")
def get_port_stats(server: Server, port: Port) -> Json:
    return server.port_stats(port)


@method("get_port_xstats_names")
def get_port_xstats_names(server: Server, port: Port) -> Json:
    return {"xstats_names": list(_xstats(server, port))}


@method("get_port_xstats_values")
def get_port_xstats_values(server: Server, port: Port) -> Json:
    return {"xstats_values": list(_xstats(server, port).values())}


def _xstats(server: Server, port: Port) -> dict[str, int]:
    """The driver's counters (bytes without FCS), those of each queue too, and how the asked packets fared."""
    seen = server.snapshot.ports[port.index]
    return server.core.extended_counters(port.index) | {
        "tx_asked_packets": seen.asked_packets,
        "tx_refused_packets": seen.refused_packets,
        "tx_no_buffer_packets": seen.no_buffer_packets,
        "tx_late_packets": seen.late_packets,
    }


@method("get_utilization")
def get_utilization(server: Server) -> Json:
    """Busy percent of each worker, newest first, and the packet pool as `[free, total]`."""
    workers = len(server.core.worker_cpus)
    pool = server.core.pool()
    return {
        "cpu": [
            {"ports": list(range(worker, len(server.ports), workers)), "history": list(history)}
            for worker, history in enumerate(server.meter.cpu_history)
        ],
        "mbuf_stats": {"cpu-socket-0": {f"{pool.buffer_size}b": [pool.available, pool.total]}},
    }
