"""Start, stop, pause and change traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirespeed._native.generator import ALL_CORES
from wirespeed.generator.load import parse_multiplier
from wirespeed.generator.parameters import UInt64
from wirespeed.generator.port import DEFAULT_PROFILE
from wirespeed.generator.registry import OwnedPort, method
from wirespeed.generator.rpc import Json, bad_parameters, failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

ENDLESS_S = -1.0
"""A duration; T-Rex takes 0 for the same."""

PINNING_MASKS = (0x5555_5555, 0xAAAA_AAAA, 0x5555_5555_5555_5555, 0xAAAA_AAAA_AAAA_AAAA)
"""T-Rex's client pins the ports of a pair to every second core by these; where a port has a single one, that is its."""

MAX_WAIT_S = 3600.0
"""Latest start time, in seconds from now."""


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
    cores = len(server.core.port_workers[port.index])
    if not core_mask & (1 << cores) - 1:
        if core_mask not in PINNING_MASKS:
            remedy = f"; {_remedy(cores)}" if core_mask else ""
            raise bad_parameters(f"core_mask: '{core_mask:#x}' for {cores} cores generates an empty set{remedy}")
        core_mask = ALL_CORES
    now_s = server.core.now_s()
    if start_at_ts > now_s + MAX_WAIT_S:
        raise failed(f"start_at_ts {start_at_ts:g} is more than {MAX_WAIT_S:g} seconds ahead; it is {now_s:g} now")
    wanted = parse_multiplier(mul, starts=True)
    factor = port.traffic.start(profile_id, wanted, duration or ENDLESS_S, force, max(0.0, start_at_ts), core_mask)
    return {"multiplier": factor, "ts": now_s}


def _remedy(cores: int) -> str:
    """Remedy for a mask that leaves no core, with options of the generator's command line."""
    fits = f"give a mask of bits 0 to {cores - 1}" if cores > 1 else "give a mask with bit 0"
    return f"{fits}, or start the generator with more workers for each pair of ports, as `--cpu 2-3/`"


@method("stop_traffic", gathers=True)
def stop_traffic(server: Server, port: OwnedPort, profile_id: str = DEFAULT_PROFILE) -> Json:
    port.traffic.stop(profile_id)
    return {}


@method("pause_traffic", gathers=True)
def pause_traffic(server: Server, port: OwnedPort, profile_id: str = DEFAULT_PROFILE, bursts: bool = False) -> Json:
    """T-Rex refuses to pause bursts; `bursts` is an extension."""
    port.traffic.pause(profile_id, bursts)
    return {}


@method("resume_traffic", gathers=True)
def resume_traffic(server: Server, port: OwnedPort, profile_id: str = DEFAULT_PROFILE) -> Json:
    port.traffic.resume(profile_id)
    return {}


@method("update_traffic", gathers=True)
def update_traffic(
    server: Server, port: OwnedPort, mul: dict[str, Any], force: bool, profile_id: str = DEFAULT_PROFILE
) -> Json:
    return {"multiplier": port.traffic.update(profile_id, parse_multiplier(mul), force)}


@method("update_streams")
def update_streams(
    server: Server,
    port: OwnedPort,
    mul: dict[str, Any],
    force: bool,
    stream_ids: list[Any],
    profile_id: str = DEFAULT_PROFILE,
) -> Json:
    chosen = _numbers(stream_ids, "update")
    return {"multiplier": port.traffic.update_streams(profile_id, chosen, parse_multiplier(mul), force)}


@method("pause_streams")
def pause_streams(server: Server, port: OwnedPort, stream_ids: list[Any], profile_id: str = DEFAULT_PROFILE) -> Json:
    port.traffic.pause_streams(profile_id, _numbers(stream_ids, "pause"), True)
    return {}


@method("resume_streams")
def resume_streams(server: Server, port: OwnedPort, stream_ids: list[Any], profile_id: str = DEFAULT_PROFILE) -> Json:
    port.traffic.pause_streams(profile_id, _numbers(stream_ids, "resume"), False)
    return {}


def _numbers(stream_ids: list[Any], verb: str) -> list[int]:
    if not stream_ids:
        raise bad_parameters(f"please specify streams to {verb}")
    for stream_id in stream_ids:
        if isinstance(stream_id, bool) or not isinstance(stream_id, int):
            raise bad_parameters("field 'stream_ids' is not an array of 'uint32'")
    return stream_ids
