"""Start, stop, pause and change traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirespeed.generator.load import parse_multiplier
from wirespeed.generator.port import DEFAULT_PROFILE
from wirespeed.generator.registry import OwnedPort, UInt64, method
from wirespeed.generator.rpc import Json, bad_parameters, failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

ALL_CORES = (1 << 64) - 1


@method("start_traffic")
def start_traffic(
    server: Server,
    port: OwnedPort,
    mul: dict[str, Any],
    duration: float,
    force: bool,
    profile_id: str = DEFAULT_PROFILE,
    core_mask: UInt64 = ALL_CORES,
    start_at_ts: float = 0,
) -> Json:
    if not core_mask & 1:
        raise failed("core_mask leaves no core; a port is served by one, which is bit 0")
    if start_at_ts:
        raise failed("start_at_ts is not supported; start at once with 0")
    if duration == 0:
        raise failed("duration is 0 seconds; give more, or -1 for endless")
    factor = port.start(profile_id, parse_multiplier(mul, ops=("abs",)), duration, force)
    return {"multiplier": factor, "ts": server.core.now_s()}


@method("stop_traffic")
def stop_traffic(server: Server, port: OwnedPort, profile_id: str = DEFAULT_PROFILE) -> Json:
    port.stop(profile_id)
    return {}


@method("pause_traffic")
def pause_traffic(server: Server, port: OwnedPort, profile_id: str = DEFAULT_PROFILE) -> Json:
    port.pause(profile_id)
    return {}


@method("resume_traffic")
def resume_traffic(server: Server, port: OwnedPort, profile_id: str = DEFAULT_PROFILE) -> Json:
    port.resume(profile_id)
    return {}


@method("update_traffic")
def update_traffic(
    server: Server, port: OwnedPort, mul: dict[str, Any], force: bool, profile_id: str = DEFAULT_PROFILE
) -> Json:
    return {"multiplier": port.update(profile_id, parse_multiplier(mul), force)}


@method("update_streams")
def update_streams(
    server: Server,
    port: OwnedPort,
    mul: dict[str, Any],
    force: bool,
    stream_ids: list[Any],
    profile_id: str = DEFAULT_PROFILE,
) -> Json:
    return {"multiplier": port.update_streams(profile_id, _numbers(stream_ids), parse_multiplier(mul), force)}


@method("pause_streams")
def pause_streams(server: Server, port: OwnedPort, stream_ids: list[Any], profile_id: str = DEFAULT_PROFILE) -> Json:
    port.pause_streams(profile_id, _numbers(stream_ids), True)
    return {}


@method("resume_streams")
def resume_streams(server: Server, port: OwnedPort, stream_ids: list[Any], profile_id: str = DEFAULT_PROFILE) -> Json:
    port.pause_streams(profile_id, _numbers(stream_ids), False)
    return {}


def _numbers(stream_ids: list[Any]) -> list[int]:
    for stream_id in stream_ids:
        if isinstance(stream_id, bool) or not isinstance(stream_id, int):
            raise bad_parameters("field 'stream_ids' is not an array of 'uint32'")
    return stream_ids
