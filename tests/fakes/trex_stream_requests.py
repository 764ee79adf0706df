"""Requests about the streams and the traffic of a strict T-Rex."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from trex_fields import BAD, Fields, Refused
from trex_port import Port, Profile, must_live
from trex_statistics import Statistics
from trex_streams import Stream, read_stream


class StreamRequests(Protocol):
    """Part of the server, with these requests."""

    statistics: Statistics
    on_stop: Callable[[], object]

    @property
    def now_s(self) -> float: ...
    def _port(self, params: Fields) -> Port: ...

    # ---- streams

    def _do_add_stream(self, params: Fields) -> Any:
        port, name = self._port(params), params.text("profile_id", "_")
        stream = read_stream(params)
        port.must_not_send("add_stream", name)
        held = port.profiles.get(name)
        if held is not None and stream.number in held.streams:
            raise Refused(f"stream {stream.number} already exists in profile_id({name})")
        self.statistics.add(port, stream)
        profile = port.profiles.setdefault(name, Profile())
        profile.streams[stream.number] = stream
        profile.rest()
        return {}

    def _do_remove_stream(self, params: Fields) -> Any:
        port, name, number = self._port(params), params.text("profile_id", "_"), params.whole("stream_id")
        must_live(port, name)
        port.must_not_send("remove_stream", name)
        if number not in port.profiles[name].streams:
            raise Refused(f"stream {number} does not exists in profile_id({name})")
        self.statistics.drop(port.profiles[name].streams.pop(number))
        port.profiles[name].rest()
        return {}

    def _do_remove_all_streams(self, params: Fields) -> Any:
        """Remove the streams of a profile, if it exists. A `*` removes none, unless a profile has that name:
        then all.
        """
        port, name = self._port(params), params.text("profile_id", "_")
        port.must_not_send("remove_and_delete_all_streams", name)
        for profile in port.profiles.values() if name == "*" in port.profiles else port.named(name):
            for stream in profile.streams.values():
                self.statistics.drop(stream)
            profile.streams.clear()
            profile.rest()
        return {}

    def _do_get_profile_list(self, params: Fields) -> Any:
        return list(self._port(params).profiles)

    def _do_get_stream_list(self, params: Fields) -> Any:
        port, name = self._port(params), params.text("profile_id", "_")
        if name == "*":
            return {each: list(profile.streams) for each, profile in port.profiles.items()}
        must_live(port, name)
        return list(port.profiles[name].streams)

    def _do_get_all_streams(self, params: Fields) -> Any:
        port, name = self._port(params), params.text("profile_id", "_")
        if name == "*":
            full = {each: profile for each, profile in port.profiles.items() if profile.streams}
            return {"profiles": {each: _raw(profile.streams) for each, profile in full.items()}}
        return {"streams": _raw(port.profiles[name].streams) if name in port.profiles else {}}

    def _do_get_stream(self, params: Fields) -> Any:
        port, name, number = self._port(params), params.text("profile_id", "_"), params.whole("stream_id")
        whole = params.truth("get_pkt")
        if name not in port.profiles or number not in port.profiles[name].streams:
            raise Refused(f"stream id {number}, profile id {name} on port {port.index} does not exists")
        raw = port.profiles[name].streams[number].raw
        return {"stream": {key: value for key, value in raw.items() if whole or key != "packet"}}

    # ---- traffic

    def _do_validate(self, params: Fields) -> Any:
        port, name = self._port(params), params.text("profile_id", "_")
        must_live(port, name)
        streams = port.profiles[name].streams
        if not streams:
            raise Refused("no streams attached to port")
        for stream in streams.values():
            following = stream.raw["next_stream_id"]
            if following >= 0 and following not in streams:
                raise Refused(f"error: stream {stream.number} is pointing to a non-existent stream {following}")
        return self.statistics.validation(port, streams)

    def _do_start_traffic(self, params: Fields) -> Any:
        port, name = self._port(params), params.text("profile_id", "_")
        _check_multiplier(params.inner("mul"), start=True)
        mask = params.whole("core_mask", "uint64", (1 << 64) - 1)
        if not mask & 1:
            raise params.refuse(f"core_mask: '0x{mask:x}' for 1 cores generates an empty set")
        params.real("start_at_ts", 0.0)
        return port.start(name, params, self.now_s)

    def _do_update_traffic(self, params: Fields) -> Any:
        _check_multiplier(params.inner("mul"))
        return self._port(params).update(params.text("profile_id", "_"), params, self.now_s)

    def _do_stop_traffic(self, params: Fields) -> Any:
        port = self._port(params)
        if port.active:
            self.on_stop()
        port.stop(params.text("profile_id", "_"), self.now_s)
        return {}

    def _do_pause_traffic(self, params: Fields) -> Any:
        self._port(params).pause(params.text("profile_id", "_"), self.now_s)
        return {}

    def _do_resume_traffic(self, params: Fields) -> Any:
        self._port(params).resume(params.text("profile_id", "_"), self.now_s)
        return {}

    def _do_remove_rx_filters(self, params: Fields) -> Any:
        port, name = self._port(params), params.text("profile_id", "_")
        state = port.known(name).state
        if state == "IDLE":
            raise Refused(
                f"command 'remove_rx_filters' cannot be executed on current state: 'IDLE on profile_id({name})."
            )
        return {}

    def _do_pause_streams(self, params: Fields) -> Any:
        return self._some_streams("pause", params)

    def _do_resume_streams(self, params: Fields) -> Any:
        return self._some_streams("resume", params)

    def _do_update_streams(self, params: Fields) -> Any:
        _check_multiplier(params.inner("mul"))
        self._some_streams("update", params)
        return {"multiplier": self._port(params).profiles[params.text("profile_id", "_")].factor}

    def _some_streams(self, verb: str, params: Fields) -> dict[str, Any]:
        port, name, numbers = self._port(params), params.text("profile_id", "_"), params.listed("stream_ids")
        if not numbers:
            raise params.refuse(f"please specify streams to {verb}")
        for number in numbers:
            if number not in port.known(name).streams:
                raise Refused(f"{verb}_streams: stream {number} does not exists in profile_id({name})")
        return {}


def _check_multiplier(mul: Fields, *, start: bool = False) -> None:
    mul.one_of("type", "raw", "bps", "bpsl1", "pps", "percentage")
    mul.one_of("op", "abs", "add", "sub")
    value = mul.real("value", positive=True)
    if start and mul.raw["op"] != "abs":
        raise Refused("start message can only specify absolute speed rate", BAD)
    if start and value == 0:
        raise Refused("multiplier can't be zero", BAD)


def _raw(streams: dict[int, Stream]) -> dict[str, Any]:
    return {str(number): stream.raw for number, stream in streams.items()}
