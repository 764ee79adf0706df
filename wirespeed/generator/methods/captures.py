"""Captures, receive queues and service mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirespeed.generator.port import Port
from wirespeed.generator.registry import OwnedPort, method
from wirespeed.generator.rpc import Json, bad_parameters, failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

MAX_SNAP_LEN = 65_535
DEFAULT_QUEUE = 1000


@method("capture")
def capture(
    server: Server,
    command: str,
    capture_id: int = 0,
    tx: list[Any] | None = None,
    rx: list[Any] | None = None,
    limit: int = 1000,
    mode: str = "fixed",
    filter: str = "",
    snaplen: int = 0,
    pkt_limit: int = 50,
    endpoint: str = "",
) -> Any:
    """One method, five commands: start, status, fetch, stop, remove."""
    captures = server.captures
    match command:
        case "status":
            return captures.status()
        case "start":
            if endpoint:
                raise failed("a capture cannot write to an endpoint by itself; fetch its packets")
            if mode not in ("fixed", "cyclic"):
                raise bad_parameters(f"field 'mode' is '{mode}', expecting 'fixed' or 'cyclic'")
            if snaplen > MAX_SNAP_LEN:
                raise bad_parameters(f"field 'snaplen' is {snaplen}, expecting at most {MAX_SNAP_LEN}")
            ports = _ports(server, "tx", tx), _ports(server, "rx", rx)
            number, started_s = captures.start(*ports, limit, mode == "cyclic", filter, snaplen)
            return {"capture_id": number, "start_ts": started_s}
        case "fetch":
            fetched = captures.get(capture_id)
            packets = fetched.fetch(pkt_limit, snaplen)
            return {"pkts": packets, "pending": len(fetched.packets), "start_ts": fetched.started_s}
        case "stop":
            return {"pkt_count": len(captures.stop(capture_id).packets), "endpoint": ""}
        case "remove":
            captures.remove(capture_id)
            return {}
    raise bad_parameters(f"field 'command' is '{command}', expecting start, status, fetch, stop or remove")


def _ports(server: Server, name: str, ports: list[Any] | None) -> list[int]:
    for port in ports or []:
        if isinstance(port, bool) or not isinstance(port, int):
            raise bad_parameters(f"field '{name}' is not an array of 'uint8'")
        if not 0 <= port < len(server.ports):
            raise failed(f"invalid port id - should be: {' '.join(str(one.index) for one in server.ports)}")
    return sorted(set(ports or []))


@method("service")
def service(server: Server, port: OwnedPort, enabled: bool, filtered: bool = False) -> Json:
    """T-Rex needs this mode to hand packets to clients; here they are handed out in any."""
    port.service, port.service_filtered = enabled or filtered, filtered
    return {}


@method("set_rx_feature")
def set_rx_feature(server: Server, port: OwnedPort, type: str, enabled: bool, size: int = DEFAULT_QUEUE) -> Json:
    """Open or close the receive queue of a port."""
    if type != "queue":
        if enabled:
            raise failed(f"RX feature '{type}' cannot be switched on")
    elif enabled:
        server.captures.open_queue(port.index, size)
    else:
        server.captures.close_queue(port.index)
    return {}


@method("get_rx_queue_pkts")
def get_rx_queue_pkts(server: Server, port: Port) -> Json:
    """The queue's packets, oldest first, as far as they fit into an answer."""
    queue = server.captures.queue(port.index)
    if queue is None:
        raise failed(f"port {port.index} has no receive queue; open one with set_rx_feature")
    return {"pkts": [{"binary": one["binary"], "ts": one["ts"]} for one in queue.fetch(queue.limit)]}
