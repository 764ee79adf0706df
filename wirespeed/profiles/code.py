"""Streams as Python: a profile file that makes them again, here and with T-Rex's client."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from wirespeed.profiles.instructions import Json
from wirespeed.scapy_layers import ARP, ICMP, IP, TCP, UDP, Dot1Q, Ether, IPv6, Packet, Raw

if TYPE_CHECKING:
    from wirespeed.profiles.streams import STLStream

_LAYERS = (Ether, Dot1Q, ARP, IP, IPv6, UDP, TCP, ICMP)
_ADDRESSES = {"src", "dst", "hwsrc", "psrc"}
"""Fields of which T-Rex has defaults of its own."""

_FLOW_STATS = {"stats": "STLFlowStats", "latency": "STLFlowLatencyStats", "tpg": "STLTaggedPktGroup"}
_MODES = {"continuous": "STLTXCont", "single_burst": "STLTXSingleBurst", "multi_burst": "STLTXMultiBurst"}

_INSTRUCTIONS = {
    "flow_var": ("var", "name size op step split_to_cores next_var min_value max_value init_value value_list"),
    "flow_var_rand_limit": (
        "repeatable_random_var",
        "fv_name=name size limit seed min_value max_value split_to_cores next_var",
    ),
    "tuple_flow_var": ("tuple_var", "name ip_min ip_max port_min port_max limit_flows flags"),
    "write_flow_var": ("write", "fv_name=name pkt_offset add_val=add_value byte_order"),
    "write_mask_flow_var": (
        "write_mask",
        "fv_name=name pkt_offset pkt_cast_size mask shift add_val=add_value byte_order",
    ),
    "trim_pkt_size": ("trim", "fv_name=name"),
    "fix_checksum_ipv4": ("fix_chksum", "offset=pkt_offset"),
    "fix_checksum_hw": ("fix_chksum_hw", "l3_offset l4_offset l4_type"),
    "fix_checksum_icmpv6": ("fix_chksum_icmpv6", "l3_offset l4_offset"),
}
"""Methods of STLVM and their arguments, `argument=key` where the JSON calls it otherwise."""

_PROFILE = """\
from trex_stl_lib.api import *


class Streams:
    def get_streams(self, direction=0, **kwargs):
        streams = []
{body}
        return streams


def register():
    return Streams()
"""


def profile_code(streams: Iterable[STLStream]) -> str:
    """A whole profile file."""
    lines = [line for stream in streams for line in [*stream_code(stream).splitlines(), "streams.append(stream)"]]
    return _PROFILE.format(body="\n".join(f"        {line}" for line in lines))


def stream_code(stream: STLStream) -> str:
    """Lines that leave the stream in `stream`; trex_stl_lib.api's names are to be there."""
    fields = stream.to_json()
    return "\n".join([*_packet(stream.get_pkt()), *_program(fields["vm"]), f"stream = STLStream({_arguments(fields)})"])


def _packet(packet: bytes) -> list[str]:
    """The packet as code: layers if they produce the same bytes, otherwise the bytes."""
    single = _layers(packet)
    rebuilt = single[0].copy()
    for layer in single[1:]:
        rebuilt = rebuilt / layer.copy()
    if bytes(rebuilt) != packet:
        return [f"packet = Ether(bytes.fromhex({packet.hex()!r}))"]
    return [f"packet = {' / '.join(layer.command() for layer in single)}"]


def _layers(packet: bytes) -> list[Packet]:
    """One by one, up to the transport header; the rest as it is, whatever dissectors scapy has for it."""
    single = []
    layer = Ether(packet)
    while type(layer) in _LAYERS:
        rest = layer.payload
        alone = layer.copy()
        alone.remove_payload()
        for field in set(alone.fields) - _ADDRESSES:
            if alone.fields[field] == alone.default_fields[field]:
                del alone.fields[field]
        single.append(alone)
        layer = rest
    return [*single, Raw(bytes(layer))] if layer else single


def _program(program: Json) -> list[str]:
    lines = ["vm = STLVM()"]
    for instruction in program["instructions"]:
        method, words = _INSTRUCTIONS[instruction["type"]]
        given = _as_arguments(instruction)
        pairs = (word.partition("=") for word in words.split())
        arguments = [(argument, given[key or argument]) for argument, _, key in pairs if (key or argument) in given]
        lines.append(f"vm.{method}({_listed(arguments)})")
    if program.get("cache"):
        lines.append(f"vm.set_cached({program['cache']})")
    return lines


def _as_arguments(instruction: Json) -> Json:
    """Forms that the methods take in place of the protocol's."""
    arguments = dict(instruction)
    if "is_big_endian" in arguments:
        arguments["byte_order"] = "big" if arguments["is_big_endian"] else "little"
    if "l2_len" in arguments:
        arguments |= {"l3_offset": arguments["l2_len"], "l4_offset": arguments["l2_len"] + arguments["l3_len"]}
    if "value_list" in arguments:
        arguments |= {"min_value": None, "max_value": None}
    for key in ("ip_min", "ip_max"):
        if key in arguments:
            arguments[key] = str(ipaddress.IPv4Address(arguments[key]))
    return arguments


def _arguments(fields: Json) -> str:
    defaults: Json = {
        "name": None,
        "next": None,
        "enabled": True,
        "self_start": True,
        "start_paused": False,
        "isg": 0.0,
        "action_count": 0,
        "random_seed": 0,
        "core_id": -1,
    }
    flags = fields["flags"]
    changed = [(key, fields[key]) for key, default in defaults.items() if fields.get(key, default) != default]
    changed += [("mac_src_override_by_pkt", flags & 1), ("mac_dst_override_mode", flags >> 1 & 3)]
    if flags & 8:
        changed.append(("dummy_stream", True))
    text = ["packet=STLPktBuilder(pkt=packet, vm=vm)", f"mode={_mode(fields['mode'])}", _listed(changed)]
    if fields["flow_stats"].get("enabled"):
        text.append(f"flow_stats={_flow_stats(fields['flow_stats'])}")
    return ", ".join(text)


def _mode(mode: Json) -> str:
    counts = [(key, value) for key, value in mode.items() if key not in ("type", "rate")]
    return f"{_MODES[mode['type']]}({_listed([*counts, (mode['rate']['type'], mode['rate']['value'])])})"


def _flow_stats(stats: Json) -> str:
    options = _listed((key, True) for key in ("vxlan", "ieee_1588") if stats.get(key))
    return f"{_FLOW_STATS[stats['rule_type']]}({', '.join(filter(None, (str(stats['stream_id']), options)))})"


def _listed(arguments: Iterable[tuple[str, Any]]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in arguments)
