"""Streams in the words of T-Rex's HLT API: a packet, its changes and its rate by some 150 named arguments.

Fields that change by the same mode, count and step share one flow variable; it runs around the middle of its
range and each field adds the distance of its own first value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wirespeed.profiles.field_program import STLScVmRaw
from wirespeed.profiles.hlt_arguments import (
    DEFAULTS,
    TOS_WORDS,
    Arguments,
    complete,
    integer,
    ipv4_bits,
    ipv6_bits,
    is_true,
    listed,
    mac_bits,
)
from wirespeed.profiles.instructions import (
    Instruction,
    STLError,
    STLVmFixIpv4,
    STLVmFlowVar,
    STLVmTrimPktSize,
    STLVmWrFlowVar,
    STLVmWrMaskFlowVar,
)
from wirespeed.profiles.packet import STLPktBuilder
from wirespeed.profiles.streams import (
    STLFlowStats,
    STLStream,
    STLTXCont,
    STLTXMode,
    STLTXMultiBurst,
    STLTXSingleBurst,
)
from wirespeed.scapy_layers import IP, TCP, UDP, Dot1Q, Ether, IPv6, Packet
from wirespeed.units import L1_OVERHEAD_BYTES

_RATES = {"rate_pps": "pps", "rate_bps": "bps_L2", "rate_percent": "percentage"}
_OPERATIONS = {"increment": "inc", "decrement": "dec", "random": "random"}
_TAG_PROTOCOLS = (0x8100, 0x88A8, 0x9100, 0x9200, 0x9300)
_TCP_FLAGS = {"fin": "F", "syn": "S", "rst": "R", "psh": "P", "ack": "A", "urg": "U"}
_LEAST_IMIX_BYTES = 32
_LEAST_FRAME_BYTES = 44
"""Without FCS, of a length that varies."""
_LEAST_L3_BYTES = 40


def STLHltStream(**given: Any) -> STLStream | list[STLStream]:  # noqa: N802 - T-Rex's name
    """One stream, or with `length_mode="imix"` one for each size that has a share."""
    rate = _rate_argument(given)
    if given.get("length_mode") == "imix":
        return _imix(given, rate)
    arguments = complete(given)
    grouped = arguments["l3_protocol"] is not None and not is_true(arguments["disable_flow_stats"])
    pg_id = (arguments["pg_id"] or arguments["flow_stats_id"]) if grouped else None
    return STLStream(
        packet=_Builder(given, arguments).build(),
        mode=_mode(arguments, {_RATES[rate]: float(arguments[rate])}),
        random_seed=1 if is_true(arguments["consistent_random"]) else 0,
        flow_stats=STLFlowStats(int(pg_id)) if pg_id else None,
    )


def _rate_argument(given: Arguments) -> str:
    rates = [name for name in _RATES if name in given]
    if len(rates) > 1:
        raise STLError(f"HLT stream: {' and '.join(rates)} are given; a stream has one rate")
    rate = rates[0] if rates else "rate_percent"
    if rate == "rate_percent" and float((DEFAULTS | given)[rate]) > 100:
        raise STLError(f"HLT stream: rate_percent={given[rate]} is above 100")
    return rate


def _mode(arguments: Arguments, rate: dict[str, float]) -> STLTXMode:
    match arguments["transmit_mode"]:
        case "continuous":
            return STLTXCont(**rate)
        case "single_burst":
            return STLTXSingleBurst(total_pkts=integer(arguments, "pkts_per_burst"), **rate)
        case "multi_burst":
            return STLTXMultiBurst(
                pkts_per_burst=integer(arguments, "pkts_per_burst"),
                count=integer(arguments, "burst_loop_count"),
                ibg=arguments["inter_burst_gap"],
                **rate,
            )
    raise STLError(
        f"HLT stream: transmit_mode={arguments['transmit_mode']!r} is not one of continuous, single_burst, multi_burst"
    )


def _imix(given: Arguments, rate: str) -> list[STLStream]:
    """The sizes share the rate by packets when it is in pps, else by the bits that they take of it."""
    arguments = DEFAULTS | given
    overhead = L1_OVERHEAD_BYTES if rate == "rate_percent" else 0
    weights: list[tuple[int, float]] = []
    for number in range(1, 5):
        size, ratio = integer(arguments, f"l3_imix{number}_size"), arguments[f"l3_imix{number}_ratio"]
        if size < _LEAST_IMIX_BYTES:
            raise STLError(f"HLT stream: l3_imix{number}_size={size} is below {_LEAST_IMIX_BYTES}")
        if ratio > 0:
            weights.append((size, ratio * (1 if rate == "rate_pps" else size + overhead)))
    if not weights:
        raise STLError("HLT stream: length_mode is imix and every l3_imix…_ratio is 0; give one of them a share")
    total = sum(weight for _, weight in weights)
    streams: list[STLStream] = []
    for size, weight in weights:
        part = {"length_mode": "fixed", "frame_size": size, rate: float(arguments[rate]) * weight / total}
        stream = STLHltStream(**(given | part))
        assert isinstance(stream, STLStream)
        streams.append(stream)
    return streams


@dataclass(frozen=True)
class _Field:
    """A field that the arguments NAME_mode, NAME_count and NAME_step vary, from the value of `first` on."""

    name: str
    first: str
    place: str
    bytes: int
    bits: Callable[[Any, str], int]
    """The bits that vary, of a value or a step."""
    fixup: int = 0


def _number(value: Any, name: str) -> int:
    return integer({name: value}, name)


_MACS = [_Field(f"mac_{end}", f"mac_{end}", f"Ethernet.{end}", 4, mac_bits, 2) for end in ("src", "dst")]
_IPV4 = [_Field(f"ip_{end}", f"ip_{end}_addr", f"IP.{end}", 4, ipv4_bits) for end in ("src", "dst")]
_IPV6 = [_Field(f"ipv6_{end}", f"ipv6_{end}_addr", f"IPv6.{end}", 4, ipv6_bits, 12) for end in ("src", "dst")]
_PORTS = {
    layer: [
        _Field(f"{layer}_{end}_port", f"{layer}_{end}_port", f"{layer.upper()}.{field}", 2, _number)
        for end, field in (("src", "sport"), ("dst", "dport"))
    ]
    for layer in ("tcp", "udp")
}


class _Builder:
    """Puts one packet together, layer by layer, and the program that changes it."""

    def __init__(self, given: Arguments, arguments: Arguments) -> None:
        self._given, self._arguments = given, arguments
        self._commands: list[Instruction] = []
        self._changes_ipv4 = False

    def build(self) -> STLPktBuilder:
        l2 = self._ethernet()
        l3, l4 = self._network(), self._transport()
        headers = l2 if l3 is None else l2 / l3 if l4 is None else l2 / l3 / l4
        size = self._length(headers, l2, l3, l4)
        if size < len(headers):
            raise STLError(f"HLT stream: {size} bytes without FCS are fewer than the {len(headers)} of the headers")
        if self._changes_ipv4 and isinstance(l3, IP) and self._arguments["ip_checksum"] is None:
            self._commands.append(STLVmFixIpv4(offset="IP"))
        if self._arguments["split_by_cores"] not in ("split", "duplicate"):
            raise STLError(
                f"HLT stream: split_by_cores={self._arguments['split_by_cores']!r} is not split or duplicate"
            )
        return STLPktBuilder(pkt=headers / (b"!" * (size - len(headers))), vm=STLScVmRaw(self._commands))

    def _ethernet(self) -> Packet:
        arguments = self._arguments
        encapsulation = arguments["l2_encap"]
        if encapsulation not in ("ethernet_ii", "ethernet_ii_vlan"):
            raise STLError(f"HLT stream: l2_encap={encapsulation!r} is not ethernet_ii or ethernet_ii_vlan")
        if is_true(arguments["ignore_macs"]):
            packet = Ether()
        else:
            packet = Ether(**{end: arguments[f"mac_{end}"] for end in ("src", "dst") if arguments[f"mac_{end}"]})
            for field in _MACS:
                self._vary(field)
        if encapsulation == "ethernet_ii_vlan" or any(name.startswith("vlan_") for name in self._given):
            packet = self._tags(packet)
        return packet

    def _tags(self, packet: Packet) -> Packet:
        """As many tags as the longest of the vlan arguments has values; the others end in their defaults."""
        columns = {name: listed(value) for name, value in self._arguments.items() if name.startswith("vlan_")}
        for number in range(max(len(values) for values in columns.values())):
            tag = {name: values[number] if number < len(values) else DEFAULTS[name] for name, values in columns.items()}
            protocol = tag["vlan_protocol_tag_id"]
            if protocol is not None:
                packet.lastlayer().type = _tag_protocol(protocol)
            packet /= Dot1Q(
                prio=integer(tag, "vlan_user_priority"), vlan=integer(tag, "vlan_id"), id=integer(tag, "vlan_cfi")
            )
            place = f"802|1Q:{number}.vlan"
            self._vary(_Field("vlan_id", "vlan_id", place, 2, _number), tag, f"vlan{number}_", mask=0xFFF)
        return packet

    def _network(self) -> Packet | None:
        arguments = self._arguments
        match arguments["l3_protocol"]:
            case None:
                return None
            case "ipv4":
                for field in _IPV4:
                    self._changes_ipv4 |= self._vary(field)
                return IP(
                    tos=_type_of_service(self._given, arguments),
                    id=arguments["ip_id"],
                    frag=arguments["ip_fragment_offset"],
                    ttl=arguments["ip_ttl"],
                    chksum=arguments["ip_checksum"],
                    src=arguments["ip_src_addr"],
                    dst=arguments["ip_dst_addr"],
                )
            case "ipv6":
                for field in _IPV6:
                    self._vary(field)
                following = arguments["ipv6_next_header"]
                return IPv6(
                    tc=arguments["ipv6_traffic_class"],
                    fl=arguments["ipv6_flow_label"],
                    plen=arguments["ipv6_length"],
                    hlim=arguments["ipv6_hop_limit"],
                    src=arguments["ipv6_src_addr"],
                    dst=arguments["ipv6_dst_addr"],
                    **({} if following is None else {"nh": following}),
                )
        raise STLError(f"HLT stream: l3_protocol={arguments['l3_protocol']!r} is not ipv4 or ipv6")

    def _transport(self) -> Packet | None:
        arguments, kind = self._arguments, self._arguments["l4_protocol"]
        if kind is None:
            return None
        if kind not in _PORTS:
            raise STLError(f"HLT stream: l4_protocol={kind!r} is not tcp or udp")
        if arguments["l3_protocol"] is None:
            raise STLError(f"HLT stream: l4_protocol={kind!r} needs l3_protocol: ipv4 or ipv6")
        for field in _PORTS[kind]:
            self._changes_ipv4 |= self._vary(field)
        ports = {"sport": integer(arguments, f"{kind}_src_port"), "dport": integer(arguments, f"{kind}_dst_port")}
        if kind == "udp":
            return UDP(len=arguments["udp_length"], **ports)
        return TCP(
            seq=arguments["tcp_seq_num"],
            ack=arguments["tcp_ack_num"],
            dataofs=arguments["tcp_data_offset"],
            flags="".join(letter for flag, letter in _TCP_FLAGS.items() if is_true(arguments[f"tcp_{flag}_flag"])),
            window=arguments["tcp_window"],
            chksum=arguments["tcp_checksum"],
            urgptr=arguments["tcp_urgent_ptr"],
            **ports,
        )

    def _vary(self, field: _Field, values: Arguments | None = None, prefix: str = "", mask: int | None = None) -> bool:
        """Let a field change as its mode says; False when it does not."""
        values = self._arguments if values is None else values
        mode = values[f"{field.name}_mode"]
        if mode == "fixed":
            return False
        if mode not in _OPERATIONS:
            raise STLError(f"HLT stream: {field.name}_mode={mode!r} is not fixed, {', '.join(_OPERATIONS)}")
        times = integer(values, f"{field.name}_count", least=1) - 1
        if times == 0 and mode != "random":
            return False
        step = field.bits(values[f"{field.name}_step"], f"{field.name}_step")
        if step < 1:
            raise STLError(f"HLT stream: {field.name}_step={step} is below 1")
        middle = (1 << 8 * field.bytes - 1) - 1
        operation, add = _OPERATIONS[mode], 0
        if mode == "random":
            variable, low, high, step = f"{prefix}{field.name}_random", 0, (1 << 8 * field.bytes) - 1, 1
        else:
            variable = f"{prefix}{operation}_{field.bytes}_{times}_{step}"
            low, high = (middle, middle + times * step) if operation == "inc" else (middle - times * step, middle)
            add = field.bits(values[field.first], field.first) - middle
        if not any(variable in command.defines for command in self._commands):
            self._commands.append(
                STLVmFlowVar(variable, min_value=low, max_value=high, size=field.bytes, step=step, op=operation)
            )
        if mask is None:
            self._commands.append(STLVmWrFlowVar(variable, field.place, offset_fixup=field.fixup, add_val=add))
        else:
            self._commands.append(
                STLVmWrMaskFlowVar(variable, field.place, pkt_cast_size=field.bytes, mask=mask, add_value=add)
            )
        return True

    def _length(self, headers: Packet, l2: Packet, l3: Packet | None, l4: Packet | None) -> int:
        """Bytes of the template, without FCS; a length that varies trims it and corrects the length fields."""
        arguments, mode = self._arguments, self._arguments["length_mode"]
        if mode == "auto":
            return len(headers)
        if mode == "fixed":
            by_l3 = "l3_length" in self._given and "frame_size" not in self._given
            return integer(arguments, "l3_length") + len(l2) if by_l3 else arguments["frame_size"]
        if mode not in _OPERATIONS:
            raise STLError(f"HLT stream: length_mode={mode!r} is not auto, fixed, imix, {', '.join(_OPERATIONS)}")
        of_l2 = "frame_size_min" in self._given or "frame_size_max" in self._given
        word, base, least = ("frame_size", 0, _LEAST_FRAME_BYTES) if of_l2 else ("l3_length", len(l2), _LEAST_L3_BYTES)
        low, high = (integer(arguments, f"{word}_{end}", least) for end in ("min", "max"))
        if low > high:
            raise STLError(f"HLT stream: {word}_min is above {word}_max")
        if low == high:
            return base + high
        step = integer(arguments, f"{word}_step", 1)
        self._commands += [
            STLVmFlowVar("pkt_len", None, base + low, base + high, 2, step, _OPERATIONS[mode]),
            STLVmTrimPktSize("pkt_len"),
        ]
        lengths = [("IP.len", 0)] if isinstance(l3, IP) else [("IPv6.plen", 40)] if l3 is not None else []
        if isinstance(l4, UDP) and l3 is not None:
            lengths.append(("UDP.len", len(l3)))
        self._commands += [STLVmWrFlowVar("pkt_len", place, add_val=-len(l2) - above) for place, above in lengths]
        self._changes_ipv4 = True
        return base + high


def _tag_protocol(value: Any) -> int:
    try:
        number = int(value, 16) if isinstance(value, str) else int(value)
    except ValueError:
        number = 0
    if number not in _TAG_PROTOCOLS:
        known = ", ".join(f"0x{protocol:04x}" for protocol in _TAG_PROTOCOLS)
        raise STLError(f"HLT stream: vlan_protocol_tag_id={value!r} is not one of {known}")
    return number


def _type_of_service(given: Arguments, arguments: Arguments) -> int:
    """The byte, said in one of three ways: DSCP, precedence and TOS, or precedence and single bits."""
    named = {word for words in TOS_WORDS for word in words} & given.keys()
    for words in TOS_WORDS:
        if named <= words.keys():
            value = sum(integer(arguments, word) << shift for word, shift in words.items())
            if value > 255:
                raise STLError(f"HLT stream: a type of service of {value} does not fit a byte")
            return value
    raise STLError(f"HLT stream: {', '.join(sorted(named))} are ways to say one byte that do not go together")
