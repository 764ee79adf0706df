"""Streams as T-Rex's profiles write them, and the JSON they become."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from wirespeed.generator.profiles.instructions import Json, STLError
from wirespeed.generator.profiles.layers import IP, Ether
from wirespeed.generator.profiles.packet import STLPktBuilder

_RATES = {"pps": "pps", "bps_L1": "bps_L1", "bps_L2": "bps_L2", "percentage": "percentage"}


class STLTXMode:
    """How packets follow each other; the rate is one of pps, bps_L1, bps_L2 and percentage, 1 pps by default."""

    kind = ""

    def __init__(self, **rate: float) -> None:
        unknown = [word for word in rate if word not in _RATES]
        if unknown or len(rate) > 1:
            raise STLError(f"a mode takes one rate out of {', '.join(_RATES)}, not {', '.join(rate)}")
        (unit, value), *_ = rate.items() or [("pps", 1)]
        if value <= 0:
            raise STLError(f"rate {unit}={value} is not above zero")
        self._rate: Json = {"type": _RATES[unit], "value": value}

    def to_json(self) -> Json:
        return {"type": self.kind, "rate": dict(self._rate)}


class STLTXCont(STLTXMode):
    kind = "continuous"


class STLTXSingleBurst(STLTXMode):
    kind = "single_burst"

    def __init__(self, total_pkts: int = 1, **rate: float) -> None:
        super().__init__(**rate)
        self._total = total_pkts

    def to_json(self) -> Json:
        return super().to_json() | {"total_pkts": self._total}


class STLTXMultiBurst(STLTXMode):
    kind = "multi_burst"

    def __init__(self, pkts_per_burst: int = 1, ibg: float = 0.0, count: int = 1, **rate: float) -> None:
        super().__init__(**rate)
        self._burst: Json = {"pkts_per_burst": pkts_per_burst, "ibg": ibg, "count": count}

    def to_json(self) -> Json:
        return super().to_json() | self._burst


class STLFlowStats:
    """Count the packets of this stream under a number, the packet group."""

    rule = "stats"

    def __init__(self, pg_id: int, vxlan: bool = False, ieee_1588: bool = False) -> None:
        if not isinstance(pg_id, int) or not 0 <= pg_id < 1 << 32:
            raise STLError(f"pg_id {pg_id!r} is no number from 0 to {(1 << 32) - 1}")
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


STLStreamDstMAC_CFG_FILE = 0
STLStreamDstMAC_PKT = 1
STLStreamDstMAC_ARP = 2


class STLStream:
    """One stream: a packet, how it is sent, and which stream comes after it."""

    def __init__(
        self,
        name: str | None = None,
        packet: Any = None,
        mode: STLTXMode | None = None,
        enabled: bool = True,
        self_start: bool = True,
        isg: float = 0.0,
        flow_stats: STLFlowStats | None = None,
        next: str | None = None,
        stream_id: int | None = None,
        action_count: int = 0,
        random_seed: int = 0,
        mac_src_override_by_pkt: int | None = None,
        mac_dst_override_mode: int | None = None,
        dummy_stream: bool = False,
        start_paused: bool = False,
        core_id: int = -1,
    ) -> None:
        del stream_id  # numbers are given when the profile is loaded
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
        self._packet: STLPktBuilder = packet
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

    def get_name(self) -> str | None:
        return self._name

    def get_next(self) -> str | None:
        return self._next


class STLProfile:
    """A list of streams; what older profiles return."""

    def __init__(self, streams: STLStream | list[STLStream] | None = None) -> None:
        listed = streams if isinstance(streams, list) else [] if streams is None else [streams]
        if not all(isinstance(stream, STLStream) for stream in listed):
            raise STLError("STLProfile takes a list of STLStream")
        self._streams = listed

    def get_streams(self) -> list[STLStream]:
        return self._streams

    # Files are read by modules that build on this one.

    @staticmethod
    def load_py(python_file: str, direction: int = 0, port_id: int = 0, **tunables: Any) -> STLProfile:
        from wirespeed.generator.profiles.script import run_profile_file  # noqa: PLC0415

        words = {name: str(value) for name, value in tunables.items()}
        return STLProfile(run_profile_file(Path(python_file), words, port_id, direction))

    @staticmethod
    def load_json(json_file: str) -> STLProfile:
        from wirespeed.generator.profiles import plain  # noqa: PLC0415

        return STLProfile(plain.load_json(Path(json_file)))

    @staticmethod
    def load_yaml(yaml_file: str) -> STLProfile:
        from wirespeed.generator.profiles import plain  # noqa: PLC0415

        return STLProfile(plain.load_yaml(Path(yaml_file)))

    @staticmethod
    def load_pcap(pcap_file: str, *arguments: Any, **more: Any) -> STLProfile:
        from wirespeed.generator.profiles import plain  # noqa: PLC0415

        return STLProfile(plain.load_pcap(Path(pcap_file), *arguments, **more))
