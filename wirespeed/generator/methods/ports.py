"""Ownership, status and attributes of ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirespeed.generator.port import Port
from wirespeed.generator.registry import OwnedPort, method, read
from wirespeed.generator.rpc import Json, failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

_ATTRIBUTES = ("promiscuous", "multicast", "link_status", "led_status", "flow_ctrl_mode")
_RX_PARTS = ("stack", "queue", "latency", "grat_arp", "capwap_proxy", "capture_port")


@method("acquire")
def acquire(server: Server, port: Port, user: str, session_id: int, force: bool) -> str:
    return port.acquire(user, session_id, force)


@method("release")
def release(server: Server, port: OwnedPort) -> Json:
    port.release()
    return {}


@method("get_owner")
def get_owner(server: Server, port: Port) -> Json:
    return {"owner": port.owner.user if port.owner else ""}


@method("get_port_status")
def get_port_status(server: Server, port: Port, block: bool = False, profile_id: str = "_") -> Json:
    del block, profile_id
    return {
        "owner": port.owner.user if port.owner else "",
        "state": port.state.value,
        "state_profile": {name: profile.state.value for name, profile in port.profiles.items()},
        "profile_count": len(port.profiles),
        "max_stream_id": port.max_stream_id,
        "service": port.service,
        "service_filtered": port.service_filtered,
        "attr": _attributes(port),
        "rx_info": {name: {"is_active": name == "stack"} for name in _RX_PARTS} | {"queue": _queue(server, port)},
    }


def _attributes(port: Port) -> Json:
    info = port.info
    return {
        "speed": info.speed_bps / 1e9,
        "link": {"up": info.link_up},
        "promiscuous": {"enabled": port.promiscuous},
        "multicast": {"enabled": port.multicast},
        "fc": {"mode": -1 if port.flow_control is None else port.flow_control},
        "rx_filter_mode": "all" if port.service else "hw",
        "vlan": {"tags": list(port.layers.host.vlan)},
        "vxlan_fs": [],
        "layer_cfg": port.layers.to_json(),
    }


def _queue(server: Server, port: Port) -> Json:
    queue = server.captures.queue(port.index)
    if queue is None:
        return {"is_active": False}
    return {"is_active": True, "size": queue.limit, "count": len(queue.packets)}


@method("set_port_attr")
def set_port_attr(server: Server, port: OwnedPort, attr: dict[str, Any]) -> Json:
    """All attributes are checked before the first is set; a driver that has not what is asked refuses all of them."""
    unknown = [name for name in attr if name not in _ATTRIBUTES]
    if unknown:
        raise failed(f"attribute '{unknown[0]}' is not supported for this NIC")
    promiscuous = _switch(attr, "promiscuous", "enabled")
    link = _switch(attr, "link_status", "up")
    multicast = _switch(attr, "multicast", "enabled")
    if multicast and not (port.promiscuous or promiscuous or port.info.is_virtual):
        raise failed("multicast filters are not supported for this NIC; promiscuous mode receives all")
    led = _switch(attr, "led_status", "on")
    flow_control = read(read(attr, "flow_ctrl_mode", dict), "mode", int) if "flow_ctrl_mode" in attr else None
    # What only some drivers have comes first: it may be refused.
    if flow_control is not None:
        server.core.set_flow_control(port.index, flow_control)
    if led is not None:
        server.core.set_led(port.index, led)
    if promiscuous is not None:
        port.set_promiscuous(promiscuous)
    if multicast is not None:
        port.multicast = multicast
    if link is not None:
        server.core.set_link(port.index, link)
    return {}


def _switch(attr: Json, name: str, key: str) -> bool | None:
    """A boolean in an attribute, None when the attribute is not given."""
    if name not in attr:
        return None
    value: bool = read(read(attr, name, dict), key, bool)
    return value
