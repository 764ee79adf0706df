"""Streams of ports: add, remove, list, look at what they would send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirespeed.generator.load import Load, Timeline
from wirespeed.generator.port import ALL_PROFILES, DEFAULT_PROFILE, Port
from wirespeed.generator.registry import OwnedPort, method
from wirespeed.generator.rpc import Json, failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

MAX_LISTED_EVENTS = 100


@method("add_stream")
def add_stream(
    server: Server, port: OwnedPort, stream_id: int, stream: dict[str, Any], profile_id: str = DEFAULT_PROFILE
) -> Json:
    port.add_stream(profile_id, stream_id, stream)
    return {}


@method("remove_stream")
def remove_stream(server: Server, port: OwnedPort, stream_id: int, profile_id: str = DEFAULT_PROFILE) -> Json:
    port.remove_stream(profile_id, stream_id)
    return {}


@method("remove_all_streams")
def remove_all_streams(server: Server, port: OwnedPort, profile_id: str = DEFAULT_PROFILE) -> Json:
    port.remove_all_streams(profile_id)
    return {}


@method("remove_rx_filters")
def remove_rx_filters(server: Server, port: OwnedPort, profile_id: str = DEFAULT_PROFILE) -> Json:
    """NIC filters for flow statistics; every packet is seen in software, so there are none."""
    del profile_id
    return {}


@method("get_stream_list")
def get_stream_list(server: Server, port: Port, profile_id: str = DEFAULT_PROFILE) -> list[int]:
    return list(port.profile(profile_id).streams)


@method("get_profile_list")
def get_profile_list(server: Server, port: Port) -> list[str]:
    return [name for name, profile in port.profiles.items() if profile.streams]


@method("get_all_streams")
def get_all_streams(server: Server, port: Port, profile_id: str = DEFAULT_PROFILE) -> Json:
    """Streams exactly as they were added."""
    if profile_id != ALL_PROFILES:
        return {"streams": _as_added(port, profile_id)}
    return {"profiles": {name: _as_added(port, name) for name in get_profile_list(server, port)}}


def _as_added(port: Port, profile_id: str) -> Json:
    return {str(number): added.json for number, added in port.profile(profile_id).streams.items()}


@method("get_stream")
def get_stream(
    server: Server, port: Port, stream_id: int, profile_id: str = DEFAULT_PROFILE, get_pkt: bool = True
) -> Json:
    added = port.profile(profile_id).streams.get(stream_id)
    if added is None:
        raise failed(f"stream {stream_id} does not exist")
    if get_pkt:
        return {"stream": added.json}
    return {"stream": {name: value for name, value in added.json.items() if name != "packet"}}


@method("validate")
def validate(server: Server, port: OwnedPort, profile_id: str = DEFAULT_PROFILE) -> Json:
    """What the profile would send at multiplier 1."""
    _, loads = port.traffic.streams_at_unit_factor(profile_id)
    most = loads.peak(1.0)
    return {"rate": _rates("max", most, port) | _rates("min", Load(), port), "graph": _graph(loads)}


def _rates(prefix: str, load: Load, port: Port) -> Json:
    speed_bps = port.info.speed_bps
    return {
        f"{prefix}_pps": load.pps,
        f"{prefix}_bps_l1": load.l1_bps,
        f"{prefix}_bps_l2": load.l2_bps,
        f"{prefix}_line_util": 100 * load.l1_bps / speed_bps if speed_bps else 0.0,
    }


def _graph(loads: Timeline) -> Json:
    events = [
        {
            "time_usec": step.time_us,
            "diff_pps": step.change.pps,
            "diff_bps_l1": step.change.l1_bps,
            "diff_bps_l2": step.change.l2_bps,
            "stream_id": step.stream_id,
        }
        for step in loads.steps[:MAX_LISTED_EVENTS]
    ]
    duration = -1 if loads.duration_us is None else loads.duration_us
    return {"expected_duration": duration, "events_count": len(loads.steps), "events": events}
