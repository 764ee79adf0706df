"""Counters of ports, workers and packet groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirespeed.generator.port import Port
from wirespeed.generator.registry import method
from wirespeed.generator.rpc import Json
from wirespeed.renamed import with_former_keys

if TYPE_CHECKING:
    from wirespeed.generator.server import Server
    from wirespeed.seam.ports import PoolInfo

TREX_POOLS = {
    "64b": 64, "128b": 128, "256b": 256, "512b": 512, "1024b": 1024, "2048b": 2048, "4096b": 4096, "9kb": 9216
}  # fmt: skip
"""T-Rex's packet pools and the bytes of a packet in each."""


@method("get_global_stats")
def get_global_stats(server: Server) -> Json:
    """With `machine`, an extension that is not published, since T-Rex's clients expect numbers there."""
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
    """The driver's counters (bytes without FCS), also per queue, and the counts of intended packets by outcome."""
    seen = server.snapshot.ports[port.index]
    return server.core.extended_counters(port.index) | with_former_keys(
        {
            "tx_intended_packets": seen.intended_packets,
            "tx_refused_packets": seen.refused_packets,
            "tx_no_buffer_packets": seen.no_buffer_packets,
            "tx_late_packets": seen.late_packets,
        }
    )


@method("get_utilization")
def get_utilization(server: Server) -> Json:
    """Busy percent of each worker, newest first, with the ports it sends on now, and packet buffers."""
    return {
        "cpu": [
            {"ports": _sending(server, worker), "history": list(history)}
            for worker, history in enumerate(server.meter.cpu_history)
        ],
        "mbuf_stats": {f"cpu-socket-{max(0, pool.node)}": packet_room(pool) for pool in server.core.pools()},
    }


def _sending(server: Server, worker: int) -> list[int]:
    """Two ports at least, as T-Rex's cores have, -1 for none."""
    mine = [port for port in server.ports if worker in server.core.port_workers[port.index]]
    load = server.snapshot.workers[worker]
    sending = [port.index for port in mine if port.traffic.running and load.sending >> port.index & 1]
    return sending + [-1] * (2 - len(sending))


def packet_room(pool: PoolInfo) -> dict[str, list[int]]:
    """`[free, total]` packets of each size that T-Rex has a pool for, as many as the pool has room for by itself:
    a large one takes several buffers."""
    room = {}
    for name, size in TREX_POOLS.items():
        buffers = -(-size // pool.buffer_size)
        room[name] = [pool.available // buffers, max(1, pool.total // buffers)]
    return room
