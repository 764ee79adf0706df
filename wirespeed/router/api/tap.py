"""tap_create, tap_delete_v2, sw_interface_tap_v2_dump."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.commands.tap import add_tap, remove_tap
from wirespeed.router.interface_numbers import shown_index
from wirespeed.vpp_api.codec import Values

# Settings on Linux's side that VPP changes and this router leaves to their owner.
_NOT_SET = ("host_ip4_prefix_set", "host_ip6_prefix_set", "host_ip4_gw_set", "host_ip6_gw_set")
_KIND = "tap"


@change("tap_create_v2")
@change("tap_create_v3")
def create(client: Client, request: Values) -> Answer:
    if any(request[flag] for flag in (*_NOT_SET, "host_bridge_set")) or request.tap_flags:
        raise Refusal(Retval.UNIMPLEMENTED)
    options = [f"rxd={request.rx_ring_sz}"] * bool(request.rx_ring_sz)
    options += [f"txd={request.tx_ring_sz}"] * bool(request.tx_ring_sz)
    if request.host_namespace_set:
        options.append(f"netns={request.host_namespace}")
    if request.host_mac_addr_set:
        options.append(f"host-mac={request.host_mac_addr}")
    if request.host_mtu_set:
        options.append(f"host-mtu={request.host_mtu_size}")
    index = add_tap(
        client.console,
        None if request.id == ALL else request.id,
        request.host_if_name if request.host_if_name_set else None,
        options,
        None if request.use_random_mac else request.mac_address,
    )
    return {"sw_if_index": shown_index(index)}


@change("tap_delete_v2")
def delete(client: Client, request: Values) -> Answer:
    index, face = client.interface(request.sw_if_index)
    if face.name not in client.console.taps:
        raise Refusal(Retval.INVALID_SW_IF_INDEX)
    remove_tap(client.console, index)
    return None


@handler("sw_interface_tap_v2_dump")
def dump(client: Client, request: Values) -> Answer:
    return _taps(client, request.sw_if_index)


def _taps(client: Client, sw_if_index: int) -> Iterator[dict[str, Any]]:
    """TAPs that were created, and TAPs of pairs with Linux."""
    pairs = client.console.lcp.pairs.values() if hasattr(client.console, "lcp") else ()
    paired = {pair.tap: pair for pair in pairs if not pair.is_vlan}
    for index, face in client.chosen(sw_if_index):
        spec = client.console.taps.get(face.name)
        pair = paired.get(index)
        if spec is None and pair is None:
            continue
        options = spec.options if spec else {}
        port = client.core.port(index)
        yield {
            "sw_if_index": shown_index(index),
            "id": int(face.name.removeprefix(_KIND)),
            "rx_ring_sz": port.rx_descriptors,
            "tx_ring_sz": port.tx_descriptors,
            "host_mac_addr": options.get("host-mac"),
            "host_mtu_size": int(options.get("host-mtu", 0)),
            "dev_name": face.name,
            "host_if_name": spec.target if spec else pair.host_if if pair else "",
            "host_namespace": options.get("netns") if spec else pair.netns if pair else "",
        }
