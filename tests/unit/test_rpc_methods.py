"""Effects of the RPC methods: ownership, streams, the port's states, statistics, events."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest
from fake_generator import FakeGenerator

from wirespeed._native.flow_records import FlowKind
from wirespeed._native.generator import GeneratorSnapshot, PortTraffic
from wirespeed.client.framing import unpack
from wirespeed.generator.rpc import RpcError
from wirespeed.generator.server import Server
from wirespeed.generator.traffic_statistics import CounterRates, RateMeter, global_stats
from wirespeed.profiles import load_profile

ALL_CORES = (1 << 64) - 1


class Session:
    """A client of a server on a fake core; `call` raises RpcError for an error answer."""

    def __init__(self, core: FakeGenerator | None = None) -> None:
        self.core = core or FakeGenerator()
        self.server = Server(self.core, ["02:fe:00:00:00:00", "02:fe:00:00:00:01"])
        self.handlers: dict[int, str] = {}

    def batch(self, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
        requests = [
            {"jsonrpc": "2.0", "id": number, "method": name, "params": {"api_h": self.server.api_h} | params}
            for number, (name, params) in enumerate(calls)
        ]
        replies = json.loads(self.server.handle(json.dumps(requests).encode()))
        results = []
        for reply in replies if isinstance(replies, list) else [replies]:
            if "error" in reply:
                raise RpcError(reply["error"]["code"], reply["error"].get("specific_err"))
            results.append(reply["result"])
        return results

    def call(self, name: str, **params: Any) -> Any:
        return self.batch((name, params))[0]

    def acquire(self, *ports: int, user: str = "me", session_id: int = 1, force: bool = False) -> None:
        for port in ports:
            who = {"user": user, "session_id": session_id, "force": force}
            self.handlers[port] = self.call("acquire", port_id=port, **who)

    def owned(self, name: str, port: int = 0, **params: Any) -> Any:
        return self.call(name, port_id=port, handler=self.handlers[port], **params)

    def load(self, port: int = 0, profile: str = "bench", **tunables: str) -> None:
        for loaded in load_profile(profile, tunables, port, port):
            self.owned("add_stream", port, **loaded)

    def start(self, value: float = 1000, kind: str = "pps", port: int = 0, **params: Any) -> float:
        mul = {"type": kind, "op": "abs", "value": value}
        given = {"mul": mul, "duration": -1, "force": False, "core_mask": ALL_CORES, "start_at_ts": 0} | params
        return self.owned("start_traffic", port, **given)["multiplier"]

    def update(self, value: float, kind: str = "pps", op: str = "abs", **params: Any) -> float:
        given = {"mul": {"type": kind, "op": op, "value": value}, "force": False} | params
        return self.owned("update_traffic", **given)["multiplier"]

    def state(self, port: int = 0) -> str:
        return self.call("get_port_status", port_id=port)["state"]

    def events(self, session_id: int = 1) -> list[tuple[int, dict[str, Any]]]:
        events = self.call("get_async_events", session_id=session_id, user="sub")["data"]
        return [(event["type"], event["data"]) for event in events]

    def refused(self, name: str, port: int = 0, **params: Any) -> str:
        with pytest.raises(RpcError) as caught:
            self.owned(name, port, **params)
        assert caught.value.code == -32000
        return str(caught.value.specific)


@pytest.fixture
def session() -> Session:
    one = Session()
    one.acquire(0, 1)
    return one


# ---- ownership


def test_a_port_has_one_owner_unless_it_is_forced() -> None:
    first, second = Session(), Session()
    second.server, second.core = first.server, first.core
    first.acquire(0)
    assert first.call("get_owner", port_id=0) == {"owner": "me"}
    with pytest.raises(RpcError, match="already taken by 'me'"):
        second.acquire(0, user="you", session_id=2)
    with pytest.raises(RpcError, match="another session of 'me'"):
        second.acquire(0, session_id=2)
    second.acquire(0, user="you", session_id=2, force=True)
    assert first.refused("remove_all_streams") == "port is not owned by you or your current executing session"
    second.owned("release")
    assert second.refused("remove_all_streams") == "please acquire the port before modifying port state"
    assert second.call("get_owner", port_id=0) == {"owner": "<FREE>"}


def test_only_a_forced_acquire_gives_the_owner_a_new_handler(session: Session) -> None:
    before = session.handlers[0]
    session.acquire(0)
    assert session.handlers[0] == before
    session.acquire(0, force=True)
    assert session.handlers[0] != before
    assert len(before) == 8


def test_owners_are_told_to_all_sessions(session: Session) -> None:
    session.events(session_id=1), session.events(session_id=2)
    session.acquire(0, force=True)
    session.owned("release")
    told = [
        (5, {"port_id": 0, "who": "me", "session_id": 1, "force": True}),
        (6, {"port_id": 0, "who": "me", "session_id": 1}),
    ]
    assert session.events(1) == told
    assert session.events(2) == told
    assert session.events(1) == []


def test_silent_sessions_stop_collecting_and_sequence_numbers_have_no_gap(session: Session) -> None:
    session.events(1)
    session.acquire(0)
    session.core.advance(60)
    session.acquire(0)
    first = session.call("get_async_events", session_id=1, user="sub")["data"]
    session.acquire(0)
    second = session.call("get_async_events", session_id=1, user="sub")["data"]
    assert [event["seq"] for event in first + second] == [0, 1]


# ---- streams


def test_streams_come_back_exactly_as_they_were_sent(session: Session) -> None:
    (loaded,) = load_profile("bench", {"vm": "var2"}, 0, 0)
    stream = loaded["stream"] | {"name": "x", "next": None, "anything": {"else": [1, 2.5, None]}}
    session.owned("add_stream", stream_id=7, stream=stream)
    assert session.call("get_stream_list", port_id=0) == [7]
    assert session.call("get_stream", port_id=0, stream_id=7, get_pkt=True) == {"stream": stream}
    assert "packet" not in session.call("get_stream", port_id=0, stream_id=7, get_pkt=False)["stream"]
    assert session.call("get_all_streams", port_id=0, profile_id="*") == {"profiles": {"_": {"7": stream}}}
    assert session.call("get_profile_list", port_id=0) == ["_"]
    assert session.call("get_port_status", port_id=0)["max_stream_id"] == 7


def test_adding_and_removing(session: Session) -> None:
    (loaded,) = load_profile("bench", {}, 0, 0)
    session.owned("add_stream", **loaded)
    assert session.state() == "STREAMS"
    assert session.refused("add_stream", **loaded) == "stream 1 already exists in profile_id(_)"
    assert session.refused("remove_stream", stream_id=9) == "stream 9 does not exists in profile_id(_)"
    session.owned("remove_stream", stream_id=1)
    assert session.state() == "IDLE"
    session.owned("add_stream", **loaded, profile_id="other")
    told = session.call("get_port_status", port_id=0, profile_id="*")
    assert told["state_profile"] == {"_": "IDLE", "other": "STREAMS"}
    session.owned("remove_all_streams", profile_id="other")
    told = session.call("get_port_status", port_id=0, profile_id="*")
    assert told["state_profile"] == {"_": "IDLE", "other": "IDLE"}
    assert session.call("get_stream_list", port_id=0, profile_id="other") == []
    with pytest.raises(RpcError, match="no profile 'none'"):
        session.call("get_stream_list", port_id=0, profile_id="none")


def test_jumbo_packets_need_a_jumbo_mtu(session: Session) -> None:
    (loaded,) = load_profile("bench", {"size": "9000"}, 0, 0)
    assert "a larger mtu= in the port, or --mtu" in session.refused("add_stream", **loaded)


def test_validate_says_what_would_be_sent(session: Session) -> None:
    session.load(size="imix")
    found = session.owned("validate")
    assert found["rate"]["max_pps"] == 48
    assert found["rate"]["max_bps_l2"] == pytest.approx(17400 * 8)
    assert found["rate"]["max_line_util"] == pytest.approx(100 * found["rate"]["max_bps_l1"] / 1e10)
    assert found["rate"]["min_pps"] == 0
    assert [event["time_usec"] for event in found["graph"]["events"]] == [0, 0.1, 0.2]
    assert (found["graph"]["events_count"], found["graph"]["expected_duration"]) == (3, -1)


# ---- traffic


def test_core_gets_packets_with_the_ports_addresses(session: Session) -> None:
    session.load(vm="var2")
    assert session.start(1.5, "percentage") == pytest.approx(223_214.29)
    _, port, (stream,), factor, duration = session.core.calls[-1]
    assert (port, factor, duration) == (0, pytest.approx(223_214.29), -1)
    assert stream.packet[:12] == bytes.fromhex("02fe00000000020000000001")
    assert stream.rate_pps == 1


def test_life_of_a_run(session: Session) -> None:
    session.load()
    session.events()
    session.start(1000)
    assert session.state() == "TX"
    session.owned("pause_traffic")
    assert session.state() == "PAUSE"
    session.owned("resume_traffic")
    assert session.state() == "TX"
    session.owned("stop_traffic")
    session.owned("stop_traffic")
    assert session.state() == "STREAMS"
    kinds = [(kind, data.get("profile_id")) for kind, data in session.events()]
    assert kinds == [(10, "_"), (0, None), (12, "_"), (2, None), (13, "_"), (3, None), (11, "_"), (1, None)]


def test_what_the_state_does_not_allow(session: Session) -> None:
    wrong = "command '{}' cannot be executed on current state: '{} on profile_id(_)."
    mul = {"type": "pps", "op": "abs", "value": 1}
    assert session.refused("start_traffic", mul=mul, duration=-1, force=False) == wrong.format("start", "IDLE")
    assert session.refused("validate") == "no streams attached to port"
    session.load()
    assert session.refused("pause_traffic") == wrong.format("pause", "STREAMS")
    assert session.refused("resume_traffic") == wrong.format("resume", "STREAMS")
    assert session.refused("update_traffic", mul=mul, force=False) == wrong.format("update", "STREAMS")
    session.start()
    assert session.refused("start_traffic", mul=mul, duration=-1, force=False) == wrong.format("start", "TX")
    (loaded,) = load_profile("bench", {}, 0, 0)
    assert session.refused("add_stream", stream=loaded["stream"], stream_id=2) == wrong.format("add_stream", "TX")
    assert session.refused("remove_stream", stream_id=1) == wrong.format("remove_stream", "TX")
    assert session.refused("remove_all_streams") == wrong.format("remove_and_delete_all_streams", "TX")


def test_pause_needs_an_endless_run(session: Session) -> None:
    session.load()
    session.start(duration=30)
    assert "pause is supported when duration is not enable" in session.refused("pause_traffic")
    assert "pause is supported when duration is not enable" in session.refused("pause_streams", stream_ids=[1])


def test_bursts_are_not_paused_unless_told(session: Session) -> None:
    (loaded,) = load_profile("bench", {}, 0, 0)
    mode = {"type": "single_burst", "rate": {"type": "pps", "value": 10}, "total_pkts": 5}
    session.owned("add_stream", stream_id=1, stream=loaded["stream"] | {"mode": mode})
    session.start()
    said = "pause is supported when all streams are in continues mode"
    assert session.refused("pause_traffic") == session.refused("pause_streams", stream_ids=[1]) == said
    session.owned("pause_traffic", bursts=True)
    assert session.state() == "PAUSE"


def test_addresses_stay_while_a_port_sends(session: Session) -> None:
    changes = {
        "set_l2": ("set_l2_mode", {"dst_mac": "ff:ff:ff:ff:ff:ff"}),
        "set_l3": ("set_l3_mode", {"src_addr": "1.1.1.1", "dst_addr": "1.1.1.2", "resolved_mac": "02:00:00:00:00:09"}),
        "set_vlan": ("set_vlan_cfg", {"vlan": [5]}),
        "conf_ipv6": ("conf_ipv6", {"enabled": True, "src_ipv6": ""}),
    }
    session.load()
    before = session.call("get_port_status", port_id=0)["attr"]
    for state, act in (("TX", "start_traffic"), ("PAUSE", "pause_traffic")):
        session.start() if act == "start_traffic" else session.owned(act)
        for name, (command, params) in changes.items():
            said = f"command '{command}' cannot be executed on current state: '{state}'"
            assert session.refused(name, **params) == said
    assert session.call("get_port_status", port_id=0)["attr"] == before
    session.owned("stop_traffic")
    for name, (_, params) in changes.items():
        session.owned(name, **params)
    session.owned("set_l2", dst_mac="ff:ff:ff:ff:ff:ff")
    assert session.call("get_port_status", port_id=0)["attr"]["layer_cfg"]["ether"]["dst"] == "ff:ff:ff:ff:ff:ff"


def test_a_program_that_means_nothing_is_told_at_the_start(session: Session) -> None:
    (loaded,) = load_profile("bench", {}, 0, 0)
    write = {"type": "write_flow_var", "name": "a", "pkt_offset": 26, "add_value": 0, "is_big_endian": True}
    faulty = loaded["stream"] | {"vm": {"instructions": [write]}}
    session.owned("add_stream", stream_id=3, stream=faulty)
    said = "stream 3: instruction 0 (write_flow_var): variable 'a' is not defined; the program defines none"
    assert session.refused("validate") == said
    with pytest.raises(RpcError, match=re.escape(said)):
        session.start()
    session.owned("remove_all_streams")
    session.owned("add_stream", stream_id=1, stream=loaded["stream"])
    session.owned("add_stream", stream_id=3, stream=faulty | {"enabled": False})
    session.start()
    session.owned("stop_traffic")
    session.owned("remove_all_streams")
    session.owned("add_stream", stream_id=1, stream=loaded["stream"] | {"next_stream_id": 1})
    with pytest.raises(RpcError, match="stream 1: a continuous stream never ends"):
        session.start()


@pytest.mark.parametrize("mask", [0x5555_5555, 0xAAAA_AAAA, 0x5555_5555_5555_5555, 0xAAAA_AAAA_AAAA_AAAA])
def test_a_pinning_mask_that_selects_no_core_is_all_cores(session: Session, mask: int) -> None:
    session.load()
    session.start(core_mask=mask)
    assert session.state() == "TX"


@pytest.mark.parametrize("kind", ["duration", "burst"])
def test_a_run_that_ends_by_itself_is_finished(session: Session, kind: str) -> None:
    session.load()
    session.events()
    session.start(duration=2 if kind == "duration" else -1)
    assert session.server.watch_s == 0.5  # the workers have time until then
    session.server.tick()
    assert session.state() == "TX"
    if kind == "duration":
        session.core.advance(1.75)
        assert session.server.watch_s == pytest.approx(0.251)  # right after its end, not before
        session.core.advance(0.25)
    else:
        session.core.finish(0)
    session.server.tick()
    assert session.state() == "STREAMS"
    assert session.server.watch_s == 0.5
    assert session.events()[2:] == [(14, {"port_id": 0, "profile_id": "_"}), (4, {"port_id": 0})]


def test_bursts_are_watched_closely(session: Session) -> None:
    (loaded,) = load_profile("bench", {}, 0, 0)
    mode = {"type": "single_burst", "rate": {"type": "pps", "value": 10}, "total_pkts": 5}
    session.owned("add_stream", stream_id=1, stream=loaded["stream"] | {"mode": mode})
    session.start(1, "raw")
    assert session.server.watch_s < 0.5


def test_update_changes_the_factor(session: Session) -> None:
    session.load()
    session.start(10_000)
    assert session.update(20_000) == 20_000
    assert session.update(50, "percentage", "add") == 30_000
    assert session.update(1000, "pps", "sub") == 29_000
    assert session.core.calls[-1] == ("set_factors", 0, {0: 29_000})


def test_line_rate_is_refused_without_force(session: Session) -> None:
    session.load()
    with pytest.raises(RpcError, match=r"Expected L1 B/W: '20 Gbps' exceeds port line rate: '10 Gbps'"):
        session.start(200, "percentage")
    assert session.state() == "STREAMS"
    assert session.start(200, "percentage", force=True) == pytest.approx(2 * 14_880_952.38)
    with pytest.raises(RpcError, match="exceeds port line rate"):
        session.update(101, "percentage")
    assert session.update(100, "percentage") == pytest.approx(14_880_952.38)


def test_streams_by_themselves(session: Session) -> None:
    session.load(size="imix")
    session.start(10, "raw")
    session.owned("pause_streams", stream_ids=[2])
    session.owned("resume_streams", stream_ids=[2])
    mul = {"type": "pps", "op": "abs", "value": 560}
    assert session.owned("update_streams", mul=mul, force=False, stream_ids=[1]) == {"multiplier": 10}
    assert session.core.calls[-3:] == [
        ("pause_stream", 0, 2, True),
        ("pause_stream", 0, 2, False),
        ("set_stream_factor", 0, 1, 2.0),
    ]
    assert session.call("get_global_stats")["m_tx_expected_pps"] == 560 + 160 + 40
    assert session.update(20, "raw") == 20
    assert session.call("get_global_stats")["m_tx_expected_pps"] == 2 * (560 + 160 + 40)
    assert session.refused("pause_streams", stream_ids=[9]).startswith("pause_streams: stream 9 does not exists")
    too_much = {"type": "percentage", "op": "abs", "value": 101}
    assert "exceeds" in session.refused("update_streams", mul=too_much, force=False, stream_ids=[1])
    assert "does not exists" in session.refused("update_streams", mul=mul, force=False, stream_ids=[1], profile_id="*")
    with pytest.raises(RpcError, match="stream_ids"):
        session.owned("pause_streams", stream_ids=["1"])


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"core_mask": 0}, "generates an empty set"),
        ({"core_mask": 2}, "generates an empty set; give a mask with bit 0, or start .* as `--cpu 2-3/`"),
        ({"start_at_ts": 99_999.0}, "more than 3600 seconds ahead; it is 1000 now"),
        ({"mul": {"type": "pps", "op": "abs", "value": 0}}, "multiplier can't be zero"),
    ],
)
def test_starts_that_cannot_be(session: Session, params: dict[str, Any], said: str) -> None:
    session.load()
    with pytest.raises(RpcError, match=said):
        session.start(**params)
    assert session.state() == "STREAMS"


def test_a_chain_that_leads_nowhere_does_not_start(session: Session) -> None:
    (loaded,) = load_profile("bench", {}, 0, 0)
    mode = {"type": "single_burst", "rate": {"type": "pps", "value": 10}, "total_pkts": 5}
    session.owned("add_stream", stream_id=1, stream=loaded["stream"] | {"mode": mode, "next_stream_id": 8})
    with pytest.raises(RpcError, match="stream id 8 does not exists"):
        session.start()


def test_link_down_stops_starts_and_is_told(session: Session) -> None:
    session.load()
    session.events()
    session.core.set_link_state(0, False)
    session.server.tick()
    assert session.state() == "STREAMS"  # T-Rex's client knows no state of a link that is down
    attributes = session.call("get_port_status", port_id=0)["attr"]
    assert (attributes["link"], attributes["link_losses"]) == ({"up": False}, 1)
    assert session.events() == [(8, {"port_id": 0, "attr": {"link": {"up": False}}})]
    with pytest.raises(RpcError, match="link of port 0 is down"):
        session.start()
    assert session.start(force=True) == 1000


def test_flow_groups_get_hardware_ids(session: Session) -> None:
    (loaded,) = load_profile("bench", {}, 0, 0)
    groups = [("stats", 70), ("stats", 7), ("latency", 8), ("stats", 70)]
    for number, (rule, pg_id) in enumerate(groups, start=1):
        flow = {"enabled": True, "stream_id": pg_id, "rule_type": rule, "vxlan": False, "ieee_1588": False}
        session.owned("add_stream", stream_id=number, stream=loaded["stream"] | {"flow_stats": flow})
    assert session.call("get_active_pgids") == {"ids": {"flow_stats": [7, 70], "latency": [8]}}
    session.start(1, "raw")
    streams = session.core.calls[-1][2]
    assert [(stream.flow_kind, stream.flow_id) for stream in streams] == [
        (FlowKind.STATS, 0),
        (FlowKind.STATS, 1),
        (FlowKind.LATENCY, 0),
        (FlowKind.STATS, 0),
    ]
    assert list(session.call("get_pgid_stats", pgids=[7, 8])["flow_stats"]) == ["7", "8"]


def test_a_latency_group_is_of_one_stream(session: Session) -> None:
    (loaded,) = load_profile("bench", {"flow": "fsl"}, 0, 0)
    session.owned("add_stream", stream_id=1, stream=loaded["stream"])
    for port in (0, 1):
        with pytest.raises(RpcError, match="Can't have two streams with same pg_id"):
            session.owned("add_stream", port, stream_id=2, stream=loaded["stream"])
    assert session.call("get_stream_list", port_id=0) == [1]


# ---- statistics


def test_counters_follow_the_core(session: Session) -> None:
    session.load()
    session.start(1000)
    session.core.advance(2)
    sent, received = session.call("get_port_stats", port_id=0), session.call("get_port_stats", port_id=1)
    assert (sent["opackets"], sent["obytes"], sent["intended_packets"]) == (2000, 128_000, 2000)
    assert (received["ipackets"], received["ibytes"], received["opackets"]) == (2000, 128_000, 0)
    assert {"refused_packets", "late_packets", "rx_missed", "ts"} <= sent.keys()
    assert session.call("get_global_stats")["m_total_tx_pkts"] == 2000


def test_a_batch_is_answered_from_one_snapshot(session: Session) -> None:
    session.core.calls.clear()
    port_0, port_1, total = session.batch(
        ("get_port_stats", {"port_id": 0}), ("get_port_stats", {"port_id": 1}), ("get_global_stats", {})
    )
    assert port_0["ts"] == port_1["ts"]
    assert total["m_total_tx_pkts"] == 0
    assert session.core.calls == [("snapshot",)]


def test_rates_settle_on_what_is_sent(session: Session) -> None:
    session.load()
    session.start(1000)
    for _ in range(20):
        session.core.advance(0.5)
        session.server.tick()
    sent, total = session.call("get_port_stats", port_id=0), session.call("get_global_stats")
    assert sent["m_total_tx_pps"] == pytest.approx(1000, rel=1e-3)
    assert sent["m_total_tx_bps"] == pytest.approx(512_000, rel=1e-3)
    assert sent["m_cpu_util"] == pytest.approx(25, rel=1e-3)
    assert total["m_rx_pps"] == pytest.approx(1000, rel=1e-3)
    assert total["m_tx_expected_pps"] == 1000
    assert session.call("get_utilization")["cpu"] == [{"ports": [0, -1], "history": [25] * 20}]


def test_cores_tell_the_ports_they_send_on() -> None:
    session = Session(FakeGenerator(ports=4))
    session.acquire(0, 1, 3)
    assert session.call("get_utilization")["cpu"][0]["ports"] == [-1, -1]
    for port in (0, 1, 3):
        session.load(port)
        session.start(port=port)
    assert session.call("get_utilization")["cpu"][0]["ports"] == [0, 1, 3]


def test_cores_of_a_pair_tell_which_of_them_sends() -> None:
    session = Session(FakeGenerator(ports=4, workers=2))
    system = session.call("get_system_info")
    assert (system["dp_core_count"], system["dp_core_count_per_port"], system["is_multiqueue_mode"]) == (4, 2, True)
    assert [port["cores"] for port in system["ports"]] == [[0, 1], [0, 1], [2, 3], [2, 3]]
    session.acquire(0, 1, 2)
    for port, mask in ((0, 3), (1, 2), (2, 1)):
        session.load(port)
        session.start(port=port, core_mask=mask)
    assert [core["ports"] for core in session.call("get_utilization")["cpu"]] == [[0, -1], [0, 1], [2, -1], [-1, -1]]
    session.owned("stop_traffic", port=0)
    assert [core["ports"] for core in session.call("get_utilization")["cpu"]][:2] == [[-1, -1], [1, -1]]
    with pytest.raises(RpcError, match="core_mask: '0x4' for 2 cores generates an empty set"):
        session.start(port=0, core_mask=4)


def test_there_is_a_row_for_each_of_a_trexs_pools(session: Session) -> None:
    pools = session.call("get_utilization")["mbuf_stats"]["cpu-socket-0"]
    small = {size: [8000, 8192] for size in ("64b", "128b", "256b", "512b", "1024b", "2048b")}
    assert pools == small | {"4096b": [4000, 4096], "9kb": [1600, 1638]}


def test_xstats_names_match_their_values(session: Session) -> None:
    session.load()
    session.start(1000)
    session.core.advance(1)
    names = session.call("get_port_xstats_names", port_id=0)["xstats_names"]
    values = session.call("get_port_xstats_values", port_id=0)["xstats_values"]
    counted = dict(zip(names, values, strict=True))
    assert (counted["tx_good_packets"], counted["tx_q0_packets"], counted["tx_intended_packets"]) == (1000, 1000, 1000)


def test_what_is_sent_and_not_received_is_the_drop_rate(session: Session) -> None:
    meter = RateMeter(GeneratorSnapshot(0.0, (PortTraffic(), PortTraffic()), ()))
    meter.rates[0] = CounterRates(tx_bps=1000.0)
    now = GeneratorSnapshot(1.0, (PortTraffic(), PortTraffic()), ())
    meter.cpu_percent = [0.0]
    for received, dropped in ((0.0, 1000.0), (899.0, 101.0), (901.0, 0.0), (1100.0, 0.0)):
        meter.rates[1] = CounterRates(rx_bps=received)
        assert global_stats(now, meter, 0, 0)["m_rx_drop_bps"] == dropped


def test_flow_control_where_the_driver_has_it(session: Session) -> None:
    attr = {"flow_ctrl_mode": {"mode": 3}}
    refusal = "Error applying flow_ctrl_mode: operation is not supported for this NIC."
    assert session.refused("set_port_attr", attr=attr | {"promiscuous": {"enabled": True}}) == refusal
    told = session.call("get_port_status", port_id=0)["attr"]
    assert (told["fc"], told["promiscuous"]) == ({"mode": -1}, {"enabled": False})
    assert session.call("get_system_info")["ports"][0]["is_fc_supported"] is False
    session.core.flow_controls[0] = 0
    session.owned("set_port_attr", attr=attr)
    assert session.call("get_port_status", port_id=0)["attr"]["fc"] == {"mode": 3}
    assert session.call("get_system_info")["ports"][0]["is_fc_supported"] is True


def published(session: Session) -> list[Any]:
    return [json.loads(unpack(message)[0]) for message in session.server.outgoing()]


def test_statistics_are_published_twice_a_second(session: Session) -> None:
    published(session)
    for _ in range(10):
        session.core.advance(0.1)
        session.server.tick()
    first, second = published(session)
    assert first["name"] == second["name"] == "trex-global"
    assert {"m_tx_pps", "opackets-0", "opackets-1", "ts"} <= first["data"].keys()


def test_publish_now_answers_with_statistics_and_a_trigger(session: Session) -> None:
    published(session)
    session.call("publish_now", key=5, baseline=True)
    statistics, trigger = published(session)
    assert statistics["baseline"] is True
    assert trigger == {}
    assert published(session) == []


def test_events_trigger_the_subscribers(session: Session) -> None:
    published(session)
    session.acquire(0)
    assert published(session) == [{}]


# ---- attributes and the rest


def test_attributes(session: Session) -> None:
    session.owned("set_port_attr", attr={"promiscuous": {"enabled": False}, "link_status": {"up": False}})
    session.owned("set_l2", dst_mac="02-AA-00-00-00-09", block=False)
    attr = session.call("get_port_status", port_id=0)["attr"]
    assert (attr["promiscuous"], attr["link"], attr["speed"]) == ({"enabled": False}, {"up": False}, 10.0)
    assert attr["layer_cfg"]["ether"] == {
        "src": "02:00:00:00:00:01",
        "dst": "02:aa:00:00:00:09",
        "state": "configured",
    }
    assert "not supported for this NIC" in session.refused("set_port_attr", attr={"vxlan_fs": [4789]})
    refusal = "Error applying led_status: operation is not supported for this NIC."
    assert session.refused("set_port_attr", attr={"led_status": {"on": True}}) == refusal
    session.owned("set_port_attr", attr={"multicast": {"enabled": True}})
    assert session.call("get_port_status", port_id=0)["attr"]["multicast"] == {"enabled": True}
    with pytest.raises(RpcError, match="invalid MAC address: 'nonsense'"):
        session.owned("set_l2", dst_mac="nonsense")
    with pytest.raises(RpcError, match="field 'enabled' value is null"):
        session.owned("set_port_attr", attr={"promiscuous": {}})


def test_unknown_attributes_change_nothing(session: Session) -> None:
    session.refused("set_port_attr", attr={"promiscuous": {"enabled": True}, "led_status": {"on": True}})
    assert session.call("get_port_status", port_id=0)["attr"]["promiscuous"] == {"enabled": False}


def test_service_mode(session: Session) -> None:
    session.owned("service", enabled=True, filtered=False)
    status = session.call("get_port_status", port_id=0)
    assert (status["service"], status["service_filtered"], status["attr"]["rx_filter_mode"]) == (True, False, "all")
    session.owned("service", enabled=False, filtered=True, mask=1)
    assert session.call("get_port_status", port_id=0)["service_filtered"] is True
    session.owned("service", enabled=False)
    assert session.call("get_port_status", port_id=0)["service"] is False


def test_ports_send_to_their_pair_unless_told() -> None:
    core = FakeGenerator(ports=3)
    macs = [port.layers.dst_mac for port in Server(core, [None, "02:fe:00:00:00:01"]).ports]
    assert macs == ["02:00:00:00:00:02", "02:fe:00:00:00:01", "02:00:00:00:00:03"]


def test_shut_down_stops_traffic_and_tells(session: Session) -> None:
    session.load()
    session.start()
    session.events()
    session.server.shut_down("ended by SIGTERM")
    assert session.state() == "STREAMS"
    assert session.events()[-1] == (100, {"cause": "ended by SIGTERM"})


def test_handles_differ_between_servers() -> None:
    assert Session().server.api_h != Session().server.api_h


def test_short_packets_can_be_sent(session: Session) -> None:
    (loaded,) = load_profile("udp_1pkt_simple", {}, 0, 0)
    session.owned("add_stream", **loaded)
    assert len(base64.b64decode(loaded["stream"]["packet"]["binary"])) == 52
    assert session.start(100, "percentage") == pytest.approx(14_880_952.38)
