"""Streams of ports: add, remove, list, look at what they would send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirespeed.generator.load import PortRates, Timeline
from wirespeed.generator.parameters import Name
from wirespeed.generator.port import ALL_PROFILES, DEFAULT_PROFILE, Port
from wirespeed.generator.port_profile import PortProfile
from wirespeed.generator.registry import OwnedPort, method
from wirespeed.generator.rpc import Json, failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

MAX_LISTED_EVENTS = 100


@method("add_stream", wrong_fails=True)
def add_stream(
    server: Server, port: OwnedPort, stream_id: int, stream: dict[str, Any], profile_id: Name = DEFAULT_PROFILE
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
    port.traffic.check_has_streams("remove_rx_filters", profile_id)
    return {}


@method("get_stream_list")
def get_stream_list(server: Server, port: Port, profile_id: str = DEFAULT_PROFILE) -> list[int] | Json:
    if profile_id == ALL_PROFILES:
        return {name: list(profile.streams) for name, profile in port.profiles.items()}
    return list(port.profile(profile_id).streams)


@method("get_profile_list")
def get_profile_list(server: Server, port: Port) -> list[str]:
    return list(port.profiles)


@method("get_all_streams")
def get_all_streams(server: Server, port: Port, profile_id: str = DEFAULT_PROFILE) -> Json:
    """Streams exactly as they were added."""
    if profile_id != ALL_PROFILES:
        profile = port.profiles.get(profile_id)
        return {"streams": _as_added(profile) if profile else {}}
    return {"profiles": {name: _as_added(profile) for name, profile in port.profiles.items() if profile.streams}}


def _as_added(profile: PortProfile) -> Json:
    return {str(number): added.json for number, added in profile.streams.items()}


@method("get_stream")
def get_stream(server: Server, port: Port, stream_id: int, get_pkt: bool, profile_id: str = DEFAULT_PROFILE) -> Json:
    profile = port.profiles.get(profile_id)
    added = profile.streams.get(stream_id) if profile else None
    if added is None:
        raise failed(f"stream id {stream_id}, profile id {profile_id} on port {port.index} does not exists")
    if get_pkt:
        return {"stream": added.json}
    return {"stream": {name: value for name, value in added.json.items() if name != "packet"}}


@method("validate")
def validate(server: Server, port: OwnedPort, profile_id: str = DEFAULT_PROFILE) -> Json:
    """Rates of the profile at multiplier 1."""
    port.traffic.check_links(profile_id)
    _, loads = port.traffic.streams_at_unit_factor(profile_id)
    return {"rate": _rates("max", loads.peak(1.0), port) | _rates("min", loads.peak(0.0), port), "graph": _graph(loads)}


def _rates(prefix: str, load: PortRates, port: Port) -> Json:
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
