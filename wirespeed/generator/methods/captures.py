"""Captures, receive queues and service mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirespeed.generator.parameters import one_of
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
    command: str | None = None,
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
    if command is None:
        raise bad_parameters("field 'command' is missing")
    one_of("command", command, ("start", "stop", "fetch", "status", "remove"))
    captures = server.captures
    match command:
        case "status":
            return captures.status()
        case "start":
            if endpoint:
                raise failed("captures to an endpoint are not supported; fetch the packets")
            one_of("mode", mode, ("fixed", "cyclic"))
            if snaplen > MAX_SNAP_LEN:
                raise bad_parameters(f"field 'snaplen' is {snaplen}, expecting at most {MAX_SNAP_LEN}")
            ports = _ports(server, "tx", tx), _ports(server, "rx", rx)
            number, started_s = captures.start(server.asking, *ports, limit, mode == "cyclic", filter, snaplen)
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
    return None


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
    leaves = not (enabled or filtered)
    if leaves and server.captures.queue(port.index) is not None:
        raise failed("unable to disable service mode - please remove RX queue")
    if leaves and server.captures.watches(port.index):
        raise failed(f"unable to disable service mode - an active capture on port {port.index} exists")
    port.service, port.service_filtered = enabled, filtered
    return {}


@method("set_rx_feature")
def set_rx_feature(server: Server, port: OwnedPort, type: str, enabled: bool, size: int = DEFAULT_QUEUE) -> Json:
    """Open or close the receive queue of a port."""
    one_of("type", type, ("queue", "server", "capwap_proxy"))
    if type == "capwap_proxy":
        reason = "is not supported; capture and push_pkts reach every packet" if enabled else "is not active"
        raise failed(f"CAPWAP proxy mode {reason} at port {port.index}!")
    if type == "server":  # what a port receives is looked at in any case
        return {}
    if enabled and not size:
        raise bad_parameters("queue size cannot be zero")
    if enabled:
        server.captures.open_queue(server.asking, port.index, size)
    else:
        server.captures.close_queue(port.index)
    return {}


@method("get_rx_queue_pkts")
def get_rx_queue_pkts(server: Server, port: Port) -> Json:
    """The queue's packets, oldest first, as far as they fit into an answer."""
    queue = server.captures.queue(port.index)
    if queue is None:
        return {"pkts": []}
    return {"pkts": [{"binary": one["binary"], "ts": one["ts"]} for one in queue.fetch(queue.limit)]}
