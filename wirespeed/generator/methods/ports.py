"""Ownership, status and attributes of ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirespeed.generator.parameters import Name, read
from wirespeed.generator.port import ALL_PROFILES, Port
from wirespeed.generator.registry import OwnedPort, SharedPort, method
from wirespeed.generator.rpc import Json, RpcError, failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

_ATTRIBUTES = ("promiscuous", "multicast", "link_status", "led_status", "flow_ctrl_mode", "vxlan_fs")
FREE = "<FREE>"
"""Owner of a port without an owner."""

_RX_PARTS = ("stack", "queue", "latency", "grat_arp", "capwap_proxy", "capture_port")


@method("acquire")
def acquire(server: Server, port: Port, user: Name, session_id: int, force: bool) -> str:
    handler = port.acquire(user, session_id, force)
    if force:
        server.hosts.emulate(port, ())
    return handler


@method("release")
def release(server: Server, port: OwnedPort) -> Json:
    port.release()
    server.hosts.emulate(port, ())
    return {}


@method("get_owner")
def get_owner(server: Server, port: Port) -> Json:
    return {"owner": port.owner.user if port.owner else FREE}


@method("get_port_status")
def get_port_status(server: Server, port: Port, block: bool = False, profile_id: str = "") -> Json:
    """`state_profile` is there for a profile, and for all of them by name when `*` is asked for."""
    del block
    of_profile: Json = {}
    if profile_id == ALL_PROFILES:
        of_profile["state_profile"] = {name: profile.state.value for name, profile in port.profiles.items()}
    elif profile_id:
        of_profile["state_profile"] = port.profile(profile_id).state.value
    return of_profile | {
        "owner": port.owner.user if port.owner else "",
        "state": port.state.value,
        "profile_count": len(port.profiles),
        "max_stream_id": port.max_stream_id,
        "service": port.service,
        "service_filtered": port.service_filtered,
        "attr": _attributes(port),
        "rx_info": {name: {"is_active": name == "stack"} for name in _RX_PARTS}
        | {"queue": _queue(server, port), "latency": {"is_active": any(one.traffic.times for one in server.ports)}},
    }


def _attributes(port: Port) -> Json:
    info = port.info
    return {
        "speed": info.speed_bps / 1e9,
        "medium": info.medium.name.lower(),
        "mtu": info.mtu,
        "longest_tx": info.longest_tx,
        "longest_rx": info.longest_rx,
        "link": {"up": info.link_up},
        "link_losses": port.link_losses,
        "promiscuous": {"enabled": port.promiscuous},
        "multicast": {"enabled": port.multicast},
        "fc": {"mode": -1 if port.flow_control is None else port.flow_control},
        "rx_filter_mode": "all" if port.service or port.service_filtered else "hw",
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
def set_port_attr(server: Server, port: SharedPort, attr: dict[str, Any]) -> Json:
    """All attributes are checked before the first is set; if the driver lacks one, all are refused."""
    unknown = [name for name in attr if name not in _ATTRIBUTES]
    if unknown:
        raise failed(f"unknown attribute type: '{unknown[0]}'")
    if "vxlan_fs" in attr:
        raise _unsupported("vxlan_fs")
    promiscuous = _switch(attr, "promiscuous", "enabled")
    link = _switch(attr, "link_status", "up")
    multicast = _switch(attr, "multicast", "enabled")
    led = _switch(attr, "led_status", "on")
    flow_control = read(read(attr, "flow_ctrl_mode", dict), "mode", int) if "flow_ctrl_mode" in attr else None
    if led is not None and port.info.is_virtual:
        raise _unsupported("led_status")
    if flow_control is not None and port.flow_control is None:
        raise _unsupported("flow_ctrl_mode")
    # Flow control comes first: only some drivers have it, and it may be refused.
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


def _unsupported(name: str) -> RpcError:
    return failed(f"Error applying {name}: operation is not supported for this NIC.")
