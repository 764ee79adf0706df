"""Tagged packet groups by RPC: enabled and disabled in T-Rex's steps, tags, counts, refusals, and ownership."""

from __future__ import annotations

from typing import Any

import pytest
from test_rpc_methods import Session

from wirespeed._native.flow_records import FlowKind, Tagged, TagVlans
from wirespeed.generator.rpc import RpcError
from wirespeed.profiles import load_profile

VLANS = [{"type": "Dot1Q", "value": {"vlan": vlan}} for vlan in (5, 6, 7)]
QINQ = {"type": "QinQ", "value": {"vlans": [20, 30]}}
OFF = {"username": "-", "acquired_ports": [], "rx_ports": [], "num_tpgids": 0, "num_tags": 0}
NO_OWNER = "Tagged Packet Group is not enabled"


@pytest.fixture
def session() -> Session:
    one = Session()
    one.acquire(0, 1)
    return one


@pytest.fixture
def enabled(session: Session) -> Session:
    """User `me` has 4 groups and 4 tags on both ports; port 1 receives."""
    switch_on(session)
    return session


def enable(session: Session, **given: Any) -> Any:
    asked = {"username": "me", "session_id": 1, "ports": [0, 1], "rx_ports": [1], "num_tpgids": 4}
    return session.call("enable_tpg", **asked | {"tags": [*VLANS, QINQ]} | given)


def switch_on(session: Session, **given: Any) -> None:
    enable(session, **given)
    session.call("enable_tpg", username=given.get("username", "me"))


def refused(session: Session, name: str, **params: Any) -> str:
    with pytest.raises(RpcError) as caught:
        session.call(name, **params)
    return str(caught.value.specific)


def stream(tpgid: int, port: int = 0) -> dict[str, Any]:
    loaded = load_profile("bench", {}, port, port)[0]
    group = {"enabled": True, "stream_id": tpgid, "rule_type": "tpg"}
    return loaded | {"stream": loaded["stream"] | {"flow_stats": group}}


def add(session: Session, tpgid: int, stream_id: int = 1, port: int = 0) -> None:
    session.owned("add_stream", port, **stream(tpgid, port) | {"stream_id": stream_id})


def test_on_and_off_in_two_steps_each(session: Session) -> None:
    states = [session.call("get_tpg_state", username="me")]
    for name in ("enable_tpg", "enable_tpg", "disable_tpg", "disable_tpg"):
        if states == [0]:
            enable(session)
        else:
            session.call(name, username="me")
        states.append(session.call("get_tpg_state", username="me"))
        on = session.call("get_tpg_status", port_id=0)
        assert on["enabled"] == (states[-1] == 3)
        assert on["enabled"] or on["data"] == OFF
    assert states == [0, 2, 3, 5, 0]
    tags = (TagVlans(5), TagVlans(6), TagVlans(7), TagVlans(20, 30))
    assert session.core.calls.count(("tag", 0, False, 4, tags)) == session.core.calls.count(("tag", 1, True, 4, tags))
    assert session.core.tags == {}
    assert refused(session, "disable_tpg", username="me") == "Tagged Packet Group is not enabled."


def test_status_tells_by_user_or_port(enabled: Session) -> None:
    on = {"username": "me", "acquired_ports": [0, 1], "rx_ports": [1], "num_tpgids": 4, "num_tags": 4}
    assert enabled.call("get_tpg_status", username="me") == {"enabled": True, "data": on}
    assert enabled.call("get_tpg_status", port_id=1) == {"enabled": True, "data": on}
    assert enabled.call("get_tpg_status", username="you") == {"enabled": False, "data": OFF}
    assert "only one between" in refused(enabled, "get_tpg_status", username="me", port_id=1)
    assert "at least one between" in refused(enabled, "get_tpg_status")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ports": [0, 2]}, "Invalid port number: 2 Max port number: 1"),
        ({"username": "you"}, "Port 0 is not owned by you."),
        ({"session_id": 2}, "Port 0 is owned by another session of me"),
        ({"ports": [0]}, "Rx Ports must be acquired!"),
        ({"tags": [VLANS[0], VLANS[0]]}, "Vlan 5 already exists or is invalid!"),
        ({"tags": [{"type": "Dot1Q", "value": {"vlan": 4095}}]}, "Vlan 4095 already exists or is invalid!"),
        ({"tags": [QINQ, QINQ]}, "QinQ (20,30) already exists or is invalid!"),
        ({"tags": [{"type": "QinQ", "value": {"vlans": [1]}}]}, "QinQ must contain 2 Vlans!"),
        ({"tags": [{"type": "MPLS", "value": {}}]}, "Tag type MPLS is not supported!"),
        ({"num_tpgids": None}, "num_tpgids"),
    ],
)
def test_what_cannot_be_switched_on(session: Session, given: dict[str, Any], said: str) -> None:
    with pytest.raises(RpcError) as caught:
        enable(session, **given)
    assert said in str(caught.value.specific)
    assert session.core.tags == {}
    assert session.call("get_tpg_state", username="me") == 0


def test_a_port_that_nobody_has_is_refused() -> None:
    with pytest.raises(RpcError, match="Please acquire port 0 before using it"):
        enable(Session())


def test_a_port_that_cannot_be_tagged_leaves_no_other_tagged(session: Session) -> None:
    session.core.tag_faults[1] = "no memory for 4 tagged packet groups of 4 tags"
    with pytest.raises(RpcError, match="no memory for 4"):
        enable(session)
    assert session.core.tags == {}
    session.core.tag_faults = {}
    switch_on(session)


def test_streams_belong_to_groups_of_their_port(enabled: Session) -> None:
    add(enabled, 3)
    assert "already in use" in enabled.refused("add_stream", **stream(3) | {"stream_id": 2})
    assert "maximal tpgid allowed for this port is 3" in enabled.refused("add_stream", **stream(4) | {"stream_id": 2})
    add(enabled, 3, port=1)
    enabled.start()
    started = next(call for call in enabled.core.calls if call[0] == "start")
    assert [(one.flow_kind, one.flow_id) for one in started[2]] == [(FlowKind.TAGGED, 3)]  # type: ignore[attr-defined]
    enabled.core.advance(1)
    sent = enabled.call("get_tpg_tx_stats", port_id=0, tpgid=3)["0"]["3"]
    assert sent["pkts"] == 1000
    enabled.call("clear_tpg_tx_stats", port_id=0, tpgid=3)
    assert enabled.call("get_tpg_tx_stats", port_id=0, tpgid=3) == {"0": {"3": {"pkts": 0, "bytes": 0}}}
    assert "bigger than the max allowed" in refused(enabled, "get_tpg_tx_stats", port_id=0, tpgid=4)
    assert "bigger than the max allowed" in refused(enabled, "clear_tpg_tx_stats", port_id=0, tpgid=4)
    assert enabled.call("get_active_pgids") == {"ids": {"flow_stats": [], "latency": []}}


def test_a_group_is_free_again_without_its_stream(enabled: Session) -> None:
    add(enabled, 0)
    enabled.owned("remove_stream", stream_id=1)
    add(enabled, 0)
    enabled.owned("remove_all_streams")
    add(enabled, 0)


def test_tags_are_told_and_changed(enabled: Session) -> None:
    assert enabled.call("get_tpg_tags", username="me", min_tag=0, max_tag=4) == [*VLANS, QINQ]
    changes = [{"tag_id": 0, "type": None}, {"tag_id": 1, "type": "Dot1Q", "value": {"vlan": 5}}]
    enabled.call("update_tpg_tags", username="me", tags=changes)
    assert enabled.core.tags[1][2] == (TagVlans(), TagVlans(5), TagVlans(7), TagVlans(20, 30))
    assert enabled.call("get_tpg_tags", port_id=0, min_tag=0, max_tag=2) == [None, VLANS[0]]
    for number, said in ((4, "Tag Id 4 greater than num of tags 4"), (2, "Vlan 5 already exists or is invalid!")):
        again = [{"tag_id": number, "type": "Dot1Q", "value": {"vlan": 5}}]
        assert refused(enabled, "update_tpg_tags", username="me", tags=again) == said
    assert "must be smaller" in refused(enabled, "get_tpg_tags", username="me", min_tag=1, max_tag=1)
    assert "larger than number" in refused(enabled, "get_tpg_tags", username="me", min_tag=0, max_tag=5)
    assert NO_OWNER in refused(enabled, "get_tpg_tags", username="you", min_tag=0, max_tag=1)
    assert NO_OWNER in refused(enabled, "update_tpg_tags", username="you", tags=[])


def test_as_many_tags_as_a_message_holds(session: Session) -> None:
    """20 000 tags, the maximum in T-Rex's own tests, whose client waits three seconds for an answer."""
    tags = [{"type": "QinQ", "value": {"vlans": [1 + n // 4000, 1 + n % 4000]}} for n in range(20_000)]
    switch_on(session, tags=tags)
    assert session.call("get_tpg_tags", username="me", min_tag=19_998, max_tag=20_000) == tags[-2:]
    swapped = [{"tag_id": 0, "type": None}, {"tag_id": 1, **tags[0]}, {"tag_id": 0, **tags[1]}]
    session.call("update_tpg_tags", username="me", tags=swapped)
    assert session.call("get_tpg_tags", username="me", min_tag=0, max_tag=3) == [tags[1], tags[0], tags[2]]


def test_counts_are_told_for_a_run_of_equal_ones(enabled: Session) -> None:
    enabled.core.tagged_counts = {
        (1, 2, 0): Tagged(9, 900, 1, 2, 3, 4, 5),
        (1, 2, 4): Tagged(7, 700),
        (1, 2, 5): Tagged(8),
    }
    names = ("pkts", "bytes", "seq_err", "seq_err_too_big", "seq_err_too_small", "ooo", "dup")
    asked = {"port_id": 1, "tpgid": 2}

    def told(low: int, high: int, **beside: bool) -> Any:
        return enabled.call("get_tpg_stats", **asked, min_tag=low, max_tag=high, **beside)["1"]["2"]

    assert told(0, 4) == {"0": dict(zip(names, (9, 900, 1, 2, 3, 4, 5), strict=True))}
    assert told(1, 4) == {"1-3": dict.fromkeys(names, 0)}
    assert told(0, 0, unknown_tag=True, untagged=True) == {
        "untagged": dict.fromkeys(names, 0) | {"pkts": 8},
        "unknown_tag": {"pkts": 7, "bytes": 700},
    }
    assert "iff unknown tag" in refused(enabled, "get_tpg_stats", **asked, min_tag=1, max_tag=1)
    assert "smaller/equal" in refused(enabled, "get_tpg_stats", **asked, min_tag=2, max_tag=1)
    assert "larger than number" in refused(enabled, "get_tpg_stats", **asked, min_tag=0, max_tag=5)
    assert "not a valid port" in refused(enabled, "get_tpg_stats", port_id=0, tpgid=2, min_tag=0, max_tag=1)
    assert "max allowed" in refused(enabled, "get_tpg_stats", port_id=1, tpgid=4, min_tag=0, max_tag=1)


def test_counts_are_cleared_by_range_list_and_place(enabled: Session) -> None:
    def left(name: str, **params: Any) -> list[tuple[int, int]]:
        full = {(1, group, at): Tagged(1) for group in (0, 1) for at in range(6)}
        enabled.core.tagged_counts = full
        enabled.call(name, port_id=1, **params)
        return sorted(key[1:] for key in full)

    others = [(1, at) for at in range(6)]
    assert left("clear_tpg_stats", tpgid=0, min_tag=1, max_tag=4) == [(0, 0), (0, 4), (0, 5), *others]
    assert left("clear_tpg_stats", tpgid=0, tag_list=[0, 2]) == [(0, 1), (0, 3), (0, 4), (0, 5), *others]
    beside = {"min_tag": 0, "max_tag": 0, "unknown_tag": True, "untagged": True}
    assert left("clear_tpg_stats", tpgid=0, **beside) == [(0, 0), (0, 1), (0, 2), (0, 3), *others]
    given = {"username": "me", "min_tpgid": 0, "max_tpgid": 2, "tag_list": [0, 1, 2]}
    assert left("clear_updated", **given) == [(group, at) for group in (0, 1) for at in (3, 4, 5)]
    one = {"port_id": 1, "tpgid": 0}
    assert "max_tag and tag_list" in refused(enabled, "clear_tpg_stats", **one)
    assert "max_tag and tag_list" in refused(enabled, "clear_tpg_stats", **one, max_tag=1, tag_list=[])
    assert "Tag 4 is larger" in refused(enabled, "clear_tpg_stats", **one, tag_list=[4])
    assert "not a valid port" in refused(enabled, "clear_tpg_stats", port_id=0, tpgid=0, max_tag=1)
    for change, said in (
        ({"username": "you"}, NO_OWNER),
        ({"port_id": 0}, "not a valid port"),
        ({"max_tpgid": 5}, "max allowed"),
        ({"min_tpgid": 2}, "is bigger than min tpgid"),
        ({"tag_list": [0] * 2000}, "too big"),
    ):
        assert said in refused(enabled, "clear_updated", **{"port_id": 1} | given | change)


def test_unknown_tags_are_told_until_cleared(enabled: Session) -> None:
    assert enabled.call("get_tpg_unknown_tags", port_id=1) == {"1": []}
    enabled.core.unknown = [(2, TagVlans(9)), (3, TagVlans(8, 9))]
    told = [
        {"tpgid": 2, "tag": {"type": "Dot1Q", "value": {"vlan": 9}}},
        {"tpgid": 3, "tag": {"type": "QinQ", "value": {"vlans": [8, 9]}}},
    ]
    assert enabled.call("get_tpg_unknown_tags", port_id=1) == {"1": told}
    enabled.call("clear_tpg_unknown_tags", port_id=1)
    assert enabled.call("get_tpg_unknown_tags", port_id=1) == {"1": []}
    for name in ("get_tpg_unknown_tags", "clear_tpg_unknown_tags"):
        assert "not enabled or collecting" in refused(enabled, name, port_id=0)


def test_nothing_is_told_of_a_port_without_groups(session: Session) -> None:
    assert "TPG isn't enabled in this port" in session.refused("add_stream", **stream(0))
    for name, params in (
        ("get_tpg_stats", {"tpgid": 0, "min_tag": 0, "max_tag": 1}),
        ("clear_tpg_stats", {"tpgid": 0, "max_tag": 1}),
        ("get_tpg_tx_stats", {"tpgid": 0}),
        ("clear_tpg_tx_stats", {"tpgid": 0}),
        ("get_tpg_unknown_tags", {}),
        ("clear_tpg_unknown_tags", {}),
    ):
        assert NO_OWNER in refused(session, name, port_id=1, **params)


def test_groups_end_with_their_owner(enabled: Session) -> None:
    enabled.owned("release", 0)
    assert enabled.core.tags == {}
    assert enabled.call("get_tpg_state", username="me") == 0
    enabled.acquire(0)
    switch_on(enabled)


def test_groups_are_a_users_until_another_one_takes_a_port(enabled: Session) -> None:
    with pytest.raises(RpcError, match="Port 0 is not owned by you"):
        enable(enabled, username="you", session_id=2)
    enabled.acquire(0, 1, session_id=3, force=True)
    assert sorted(enabled.core.tags) == [0, 1]  # by the same user
    enabled.acquire(0, user="you", session_id=2, force=True)
    assert enabled.core.tags == {}
    switch_on(enabled, username="you", session_id=2, ports=[0], rx_ports=[])
    assert enabled.call("get_tpg_status", port_id=0)["data"]["username"] == "you"
    assert not enabled.call("get_tpg_status", port_id=1)["enabled"]


def test_what_is_sent_of_a_port_goes_on_without_its_groups(enabled: Session) -> None:
    add(enabled, 0)
    enabled.start()
    enabled.call("disable_tpg", username="me")
    assert enabled.state() == "TX"
