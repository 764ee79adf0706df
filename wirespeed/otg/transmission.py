"""Flows on the generator: loaded, started, stopped, and what state they are in."""

from __future__ import annotations

import time
from collections.abc import Iterable

from wirespeed.client.readings import RUNNING_STATES
from wirespeed.client.stateless_client import Multiplier, ProfileTarget, StatelessClient
from wirespeed.errors import RemoteError
from wirespeed.otg.faults import ModelFault
from wirespeed.otg.flows import FlowStreams
from wirespeed.otg.metrics import counted
from wirespeed.otg.patterns import Json
from wirespeed.otg.setup import OtgSetup, Running

_SETTLED_S = 0.1
_RAW = Multiplier("raw", "abs", 1)
_FIRST_GROUP = 1 << 24
"""Above the numbers that T-Rex's scripts choose."""

_ACTS = {"stop": "stop_traffic", "pause": "pause_traffic", "resume": "resume_traffic"}


class OtgTransmission:
    """Callers have taken the ports."""

    def __init__(self, client: StatelessClient) -> None:
        self._client = client
        self._next_group = _FIRST_GROUP

    def clear(self, setup: OtgSetup) -> None:
        """Stop all flows and take their streams away."""
        owned = self._client.owned
        targets = [one.target for one in setup.flows.values() if one.target.port in owned]
        if targets:
            self._client.on_profiles("stop_traffic", targets)
            self._client.on_profiles("remove_all_streams", targets)

    def load(self, flow: Running) -> None:
        """Add the streams of a flow, under unused packet groups."""
        flow.groups, flow.seen, flow.started = (), (), False
        items = []
        for number, stream in enumerate(flow.streams.streams, 1):
            stats: Json = {"enabled": False}
            if flow.counted:
                flow.groups += (self._next_group,)
                rule = "latency" if flow.timed else "stats"
                stats = {"enabled": True, "stream_id": self._next_group, "rule_type": rule, "payload_signature": True}
                self._next_group += 1
            items.append({"stream_id": number, "stream": stream.json | {"flow_stats": stats}})
        try:
            self._client.load_streams(flow.target, items)
        except RemoteError as error:
            raise ModelFault(flow.path, str(error)) from None

    def standing(self, flows: Iterable[Running]) -> list[Running]:
        """Flows that do not run."""
        flows = list(flows)
        states = self.states(flows)
        return [one for one in flows if states[one.target] not in RUNNING_STATES]

    def transmit(self, state: str, flows: list[Running]) -> None:
        """Only flows that stand still are given to be started."""
        if state == "start":
            self._start(flows)
            return
        states = self.states(flows)
        before = {"stop": RUNNING_STATES, "pause": ("TX",), "resume": ("PAUSE",)}[state]
        targets = [one.target for one in flows if states[one.target] in before]
        if targets:
            self._client.on_profiles(_ACTS[state], targets, **({"bursts": True} if state == "pause" else {}))

    def _start(self, flows: list[Running]) -> None:
        """From the first packet on, with counters that are 0; those of one duration at the same instant."""
        for flow in flows:
            self._client.on_profiles("remove_all_streams", [flow.target])
            self.load(flow)
        for duration_s in dict.fromkeys(one.streams.duration_s for one in flows):
            together = [one for one in flows if one.streams.duration_s == duration_s]
            self._client.start_profiles([one.target for one in together], _RAW, duration_s)
            for flow in together:
                flow.started = True

    def change_rates(self, flow: Running, new: FlowStreams) -> None:
        """Have a flow that runs go on at other rates."""
        loaded = self._client.all_streams(flow.target.port)[flow.target.profile]
        for number, stream in enumerate(new.streams, 1):
            began_pps = loaded[str(number)]["mode"]["rate"]["value"]
            mul = Multiplier("raw", "abs", stream.pps / began_pps).to_json()
            self._client.on_profiles("update_streams", [flow.target], mul=mul, force=True, stream_ids=[number])

    def states(self, flows: Iterable[Running]) -> dict[ProfileTarget, str]:
        flows = list(flows)
        states: dict[ProfileTarget, str] = {}
        for port in {one.target.port for one in flows}:
            answer = self._client.call("get_port_status", port_id=port, block=False, profile_id="*")
            states |= {ProfileTarget(port, name): state for name, state in answer["state_profile"].items()}
        return {one.target: states.get(one.target, "IDLE") for one in flows}

    @staticmethod
    def told_state(flow: Running, state: str, stats: Json) -> str:
        """A flow that ended is stopped once its counters have come to rest: they are final then."""
        if state in RUNNING_STATES:
            return "paused" if state == "PAUSE" else "started"
        now_s, frames = time.monotonic(), counted(stats, flow.groups, flow.target.port, flow.rx.values()).frames
        if flow.seen != frames or not flow.seen_s:
            flow.seen, flow.seen_s = frames, now_s
        if flow.started and now_s - flow.seen_s >= _SETTLED_S:
            flow.started = False
        return "started" if flow.started else "stopped"
