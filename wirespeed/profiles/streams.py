"""Streams as T-Rex's profiles write them, and the JSON they become."""

from __future__ import annotations

import base64
import copy
from typing import Any

from wirespeed.profiles.instructions import Json, STLError
from wirespeed.profiles.packet import STLPktBuilder
from wirespeed.scapy_layers import IP, Ether
from wirespeed.units import FCS_BYTES

_RATES = {"pps": "pps", "bps_L1": "bps_L1", "bps_L2": "bps_L2", "percentage": "percentage"}


class STLTXMode:
    """Transmission mode of a stream; the rate is one of pps, bps_L1, bps_L2 and percentage, 1 pps by default."""

    kind = ""

    def __init__(self, **rates: float | None) -> None:
        rate = {unit: value for unit, value in rates.items() if value is not None}
        unknown = [word for word in rate if word not in _RATES]
        if unknown or len(rate) > 1:
            raise STLError(f"a mode takes one rate out of {', '.join(_RATES)}, not {', '.join(rate)}")
        (unit, value), *_ = rate.items() or [("pps", 1)]
        if value <= 0:
            raise STLError(f"rate {unit}={value} is not above zero; give more")
        self._rate: Json = {"type": _RATES[unit], "value": value}

    def to_json(self) -> Json:
        return {"type": self.kind, "rate": dict(self._rate)}


class STLTXCont(STLTXMode):
    kind = "continuous"


class STLTXSingleBurst(STLTXMode):
    kind = "single_burst"

    def __init__(self, total_pkts: int = 1, **rate: float | None) -> None:
        super().__init__(**rate)
        self._total = total_pkts

    def to_json(self) -> Json:
        return super().to_json() | {"total_pkts": self._total}


class STLTXMultiBurst(STLTXMode):
    kind = "multi_burst"

    def __init__(self, pkts_per_burst: int = 1, ibg: float = 0.0, count: int = 1, **rate: float | None) -> None:
        super().__init__(**rate)
        self._burst: Json = {"pkts_per_burst": pkts_per_burst, "ibg": ibg, "count": count}

    def to_json(self) -> Json:
        return super().to_json() | self._burst


class STLFlowStats:
    """Count the packets of this stream under a number, the packet group."""

    rule = "stats"

    def __init__(self, pg_id: int, vxlan: bool = False, ieee_1588: bool = False) -> None:
        if not isinstance(pg_id, int) or not 0 <= pg_id < 1 << 32:
            raise STLError(f"pg_id {pg_id!r} is not a group number; give 0 to {(1 << 32) - 1}")
        self._json: Json = {
            "enabled": True,
            "stream_id": pg_id,
            "rule_type": self.rule,
            "vxlan": vxlan,
            "ieee_1588": ieee_1588,
        }

    def to_json(self) -> Json:
        return dict(self._json)


class STLFlowLatencyStats(STLFlowStats):
    rule = "latency"


class STLTaggedPktGroup(STLFlowStats):
    rule = "tpg"

    def __init__(self, tpgid: int) -> None:
        super().__init__(tpgid)


_MODE_NAMES = {"continuous": "Continuous", "single_burst": "Single Burst", "multi_burst": "Multi Burst"}

STLStreamDstMAC_CFG_FILE = 0
STLStreamDstMAC_PKT = 1
STLStreamDstMAC_ARP = 2


class STLStream:
    """One stream: a packet, how it is sent, and which stream comes after it."""

    def __init__(
        self,
        name: str | int | None = None,
        packet: Any = None,
        mode: STLTXMode | None = None,
        enabled: bool = True,
        self_start: bool = True,
        isg: float = 0.0,
        flow_stats: STLFlowStats | None = None,
        next: str | int | None = None,
        stream_id: int | None = None,
        action_count: int = 0,
        random_seed: int = 0,
        mac_src_override_by_pkt: int | None = None,
        mac_dst_override_mode: int | None = None,
        dummy_stream: bool = False,
        start_paused: bool = False,
        core_id: int = -1,
    ) -> None:
        self._id = stream_id
        self._name, self._next = name, next
        mode = STLTXCont() if mode is None else mode
        if not isinstance(mode, STLTXMode):
            raise STLError("mode= takes STLTXCont, STLTXSingleBurst or STLTXMultiBurst")
        if isinstance(mode, STLTXCont) and next is not None:
            raise STLError(
                f"a continuous stream never ends, so {next!r} cannot follow it: drop next= or use a burst mode"
            )
        if packet is None:
            packet = STLPktBuilder(Ether() / IP())
        elif not isinstance(packet, STLPktBuilder):
            packet = STLPktBuilder(packet)
        own_src = packet.has_own_mac("src") if mac_src_override_by_pkt is None else bool(mac_src_override_by_pkt)
        own_dst = STLStreamDstMAC_PKT if packet.has_own_mac("dst") else STLStreamDstMAC_CFG_FILE
        dst_mode = own_dst if mac_dst_override_mode is None else mac_dst_override_mode
        self._json: Json = {
            "enabled": enabled,
            "self_start": self_start,
            "start_paused": start_paused,
            "isg": isg,
            "flags": int(own_src) | (dst_mode & 3) << 1 | int(dummy_stream) << 3,
            "action_count": action_count,
            "next_stream_id": -1,
            "core_id": core_id,
            "mode": mode.to_json(),
            "packet": {"binary": base64.b64encode(bytes(packet)).decode(), "meta": ""},
            "vm": packet.get_vm_data(),
            "flow_stats": {"enabled": False} if flow_stats is None else flow_stats.to_json(),
        }
        if random_seed:
            self._json["random_seed"] = random_seed
        if name is not None:
            self._json["name"] = name
        if next is not None:
            self._json["next"] = next

    def to_json(self) -> Json:
        return self._json

    def get_id(self) -> int | None:
        """The number that the profile gave it; another one is sent, since profiles are numbered when loaded."""
        return self._id

    def get_name(self) -> str | int | None:
        return self._name

    def get_next(self) -> str | int | None:
        return self._next

    def get_pkt(self) -> bytes:
        return base64.b64decode(self._json["packet"]["binary"])

    def get_pkt_len(self, count_crc: bool = True) -> int:
        return len(self.get_pkt()) + (FCS_BYTES if count_crc else 0)

    def has_flow_stats(self) -> bool:
        return bool(self._json["flow_stats"]["enabled"])

    def get_pg_id(self) -> int | None:
        pg_id: int | None = self._json["flow_stats"].get("stream_id")
        return pg_id

    def get_flow_stats_type(self) -> str | None:
        rule: str | None = self._json["flow_stats"].get("rule_type")
        return rule

    def has_custom_mac_addr(self) -> bool:
        return bool(self._json["flags"] & 7)

    def is_explicit_dst_mac(self) -> bool:
        return bool(self._json["flags"] >> 1 & 3 == STLStreamDstMAC_PKT)

    def is_dummy(self) -> bool:
        return bool(self._json["flags"] & 8)

    def get_mode(self) -> str:
        return _MODE_NAMES[self._json["mode"]["type"]]

    def to_code(self) -> str:
        """Lines of a profile file that leave this stream in `stream`."""
        from wirespeed.profiles.code import stream_code  # noqa: PLC0415 - it takes streams

        return stream_code(self)

    def clone(self) -> STLStream:
        return copy.deepcopy(self)
