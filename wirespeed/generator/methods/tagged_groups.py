"""Tagged packet groups: on and off, tags, counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple
from itertools import groupby
from typing import TYPE_CHECKING, Any

from wirespeed._native.flow_records import Tagged, TagVlans
from wirespeed.generator.parameters import UInt16, read
from wirespeed.generator.port import Port
from wirespeed.generator.registry import method
from wirespeed.generator.rpc import Json, failed
from wirespeed.generator.tagged_groups import TaggedGroups, TaggedState, described, tag_of

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

_OFF = "Tagged Packet Group is not enabled."
_OFF_ON_PORT = "Tagged Packet Group is not enabled on this port."
_MOST_CLEARED = 2048
_NAMES = ("pkts", "bytes", "seq_err", "seq_err_too_big", "seq_err_too_small", "ooo", "dup")


@method("enable_tpg")
def enable_tpg(
    server: Server,
    username: str,
    session_id: int | None = None,
    ports: list[Any] | None = None,
    rx_ports: list[Any] | None = None,
    num_tpgids: int | None = None,
    tags: list[Any] | None = None,
) -> Json:
    """In two steps, as T-Rex's clients take them: the first names everything, the second only the user."""
    groups = server.tagged.of_user(username)
    if groups is not None:
        if groups.state is not TaggedState.ENABLED_BY_RECEIVER:
            raise failed("Tagged Packet Group in Dp can be enabled only after Cp and Rx!")
        groups.state = TaggedState.ENABLED
        return {}
    raw = {"session_id": session_id, "ports": ports, "rx_ports": rx_ports, "num_tpgids": num_tpgids, "tags": tags}
    session: int = read(raw, "session_id", int)
    acquired = _own_ports(server, read(raw, "ports", list), username, session)
    receivers = _own_ports(server, read(raw, "rx_ports", list), username, session)
    if not set(receivers) <= set(acquired):
        raise failed("Rx Ports must be acquired!")
    count: int = read(raw, "num_tpgids", int)
    numbered: dict[TagVlans, None] = {}
    for one in read(raw, "tags", list):
        numbered[tag_of(one if isinstance(one, dict) else {}, numbered)] = None
    server.tagged.add(TaggedGroups(username, acquired, receivers, count, list(numbered)))
    return {}


def _own_ports(server: Server, ports: list[Any], user: str, session: int) -> list[int]:
    for index in ports:
        if not isinstance(index, int) or not 0 <= index < len(server.ports):
            raise failed(f"Invalid port number: {index} Max port number: {len(server.ports) - 1}")
        owner = server.ports[index].owner
        if owner is None:
            raise failed(f"Please acquire port {index} before using it for Tagged Packet Group")
        if owner.user != user:
            raise failed(f"Port {index} is not owned by you.")
        if owner.session_id != session:
            raise failed(f"Port {index} is owned by another session of {user}")
    return ports


@method("disable_tpg")
def disable_tpg(server: Server, username: str) -> Json:
    groups = server.tagged.of_user(username)
    if groups is not None and groups.state is TaggedState.DISABLED_BY_RECEIVER:
        server.tagged.forget(groups)
    elif groups is not None and groups.state is TaggedState.ENABLED:
        server.tagged.disable(groups)
    else:
        raise failed(_OFF)
    return {}


@method("get_tpg_state")
def get_tpg_state(server: Server, username: str) -> int:
    groups = server.tagged.of_user(username)
    return TaggedState.DISABLED if groups is None else groups.state


def _of_user_or_port(server: Server, username: str, port_id: int | None, what: str) -> TaggedGroups | None:
    if username and port_id is not None:
        raise failed(f"Should provide only one between port_id and username to get TPG {what}")
    if not username and port_id is None:
        raise failed(f"Should provide at least one between port_id and username to get TPG {what}")
    found = server.tagged.of_user(username) if port_id is None else server.tagged.of_port(port_id)
    return found if found is not None and found.state is TaggedState.ENABLED else None


@method("get_tpg_status")
def get_tpg_status(server: Server, username: str = "", port_id: int | None = None) -> Json:
    groups = _of_user_or_port(server, username, port_id, "status")
    shown = groups or TaggedGroups("-", [], [], 0, [])
    data = {
        "username": shown.user,
        "acquired_ports": shown.ports,
        "rx_ports": shown.receivers,
        "num_tpgids": shown.count,
        "num_tags": len(shown.tags),
    }
    return {"enabled": groups is not None, "data": data}


@method("update_tpg_tags")
def update_tpg_tags(server: Server, username: str, tags: list[Any]) -> Json:
    groups = server.tagged.of_user(username)
    if groups is None or groups.state is not TaggedState.ENABLED:
        raise failed(_OFF)
    changed = list(groups.tags)
    taken = set(changed)
    for raw in tags:
        number: int = read(raw, "tag_id", UInt16)
        if number >= len(changed):
            raise failed(f"Tag Id {number} greater than num of tags {len(changed)}")
        tag = tag_of(raw, taken) if raw.get("type") else TagVlans()
        taken.discard(changed[number])
        taken.add(tag)
        changed[number] = tag
    server.tagged.retag(groups, changed)
    return {}


@method("get_tpg_tags")
def get_tpg_tags(
    server: Server, min_tag: UInt16, max_tag: UInt16, username: str = "", port_id: int | None = None
) -> list[Json | None]:
    if min_tag >= max_tag:
        raise failed(f"Min Tag = {min_tag} must be smaller than Max Tag = {max_tag}")
    groups = _of_user_or_port(server, username, port_id, "tags")
    if groups is None:
        raise failed(_OFF)
    _check_max_tag(groups, max_tag)
    return [described(tag) for tag in groups.tags[min_tag:max_tag]]


def _check_max_tag(groups: TaggedGroups, max_tag: int) -> None:
    if max_tag > len(groups.tags):
        raise failed(f"Max Tag {max_tag} is larger than number of tags {len(groups.tags)}")


def _check_group(groups: TaggedGroups, tpgid: int) -> None:
    if tpgid >= groups.count:
        raise failed(f"tpgid {tpgid} is bigger than the max allowed tpgid.")


def _check_receives(groups: TaggedGroups, port: Port) -> None:
    if port.index not in groups.receivers:
        raise failed(f"Port {port.index} is not a valid port for TPG stats.")


def _check_range(groups: TaggedGroups, min_tag: int, max_tag: int, beside: bool) -> None:
    if min_tag > max_tag:
        raise failed(f"Min Tag = {min_tag} must be smaller/equal than Max Tag = {max_tag}")
    if min_tag == max_tag and not beside:
        raise failed("Min Tag can equal Max Tag iff unknown tag or untagged flags provided.")
    _check_max_tag(groups, max_tag)


def _on(server: Server, port: Port) -> TaggedGroups:
    groups = server.tagged.enabled_on(port.index)
    if groups is None:
        raise failed(_OFF_ON_PORT)
    return groups


@method("get_tpg_stats")
def get_tpg_stats(
    server: Server,
    port: Port,
    tpgid: int,
    min_tag: UInt16,
    max_tag: UInt16,
    unknown_tag: bool = False,
    untagged: bool = False,
) -> Json:
    """Counts of the first tag, and of the following ones with the same counts: clients continue from there."""
    groups = _on(server, port)
    _check_range(groups, min_tag, max_tag, unknown_tag or untagged)
    _check_receives(groups, port)
    _check_group(groups, tpgid)
    by_tag: Json = {}
    if max_tag > min_tag:
        seen = server.core.tagged(port.index, tpgid, min_tag, max_tag - min_tag)
        same = next((at for at, one in enumerate(seen) if one != seen[0]), len(seen))
        last = min_tag + same - 1
        by_tag[str(min_tag) if same == 1 else f"{min_tag}-{last}"] = _counts(seen[0])
    unknown, none = server.core.tagged(port.index, tpgid, len(groups.tags), 2)
    if untagged:
        by_tag["untagged"] = _counts(none)
    if unknown_tag:
        by_tag["unknown_tag"] = {"pkts": unknown.packets, "bytes": unknown.bytes}
    return {str(port.index): {str(tpgid): by_tag}}


def _counts(seen: Tagged) -> Json:
    return dict(zip(_NAMES, astuple(seen), strict=True))


@method("clear_tpg_stats")
def clear_tpg_stats(
    server: Server,
    port: Port,
    tpgid: int,
    min_tag: UInt16 = 0,
    max_tag: UInt16 | None = None,
    tag_list: list[Any] | None = None,
    unknown_tag: bool = False,
    untagged: bool = False,
) -> Json:
    if (tag_list is None) == (max_tag is None):
        raise failed("One between max_tag and tag_list should be provided in clear_tpg_stats.")
    groups = _on(server, port)
    _check_receives(groups, port)
    _check_group(groups, tpgid)
    if max_tag is not None:
        _check_range(groups, min_tag, max_tag, unknown_tag or untagged)
        server.core.clear_tagged(port.index, tpgid, min_tag, max_tag - min_tag)
    _clear_listed(server, groups, port, range(tpgid, tpgid + 1), tag_list or [])
    beside = [len(groups.tags)] * unknown_tag + [len(groups.tags) + 1] * untagged
    for at in beside:
        server.core.clear_tagged(port.index, tpgid, at, 1)
    return {}


def _clear_listed(server: Server, groups: TaggedGroups, port: Port, tpgids: range, tags: list[Any]) -> None:
    for tag in tags:
        if not isinstance(tag, int) or not 0 <= tag < len(groups.tags):
            raise failed(f"Tag {tag} is larger than number of tags {len(groups.tags)}")
    runs = list(_runs(tags))
    for tpgid in tpgids:
        for first, count in runs:
            server.core.clear_tagged(port.index, tpgid, first, count)


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The first and the count of each run of numbers that follow each other: a run takes one message to the workers."""
    ordered = sorted(set(numbers))
    for _, run in groupby(enumerate(ordered), lambda one: one[1] - one[0]):
        members = [number for _, number in run]
        yield members[0], len(members)


@method("clear_updated")
def clear_updated(
    server: Server, username: str, port: Port, min_tpgid: int, max_tpgid: int, tag_list: list[Any]
) -> Json:
    """Counts of tags that were changed, of many groups."""
    groups = server.tagged.of_user(username)
    if groups is None or groups.state is not TaggedState.ENABLED:
        raise failed(_OFF)
    _check_receives(groups, port)
    if max_tpgid > groups.count:
        raise failed(f"tpgid {max_tpgid} is bigger than the max allowed tpgid.")
    if min_tpgid >= max_tpgid:
        raise failed(f"max tpgid {max_tpgid} is bigger than min tpgid {min_tpgid}")
    count = (max_tpgid - min_tpgid) * len(tag_list)
    if count > _MOST_CLEARED:
        raise failed(f"Num Stats to clear {count} is too big. Decrease list of tags.")
    _clear_listed(server, groups, port, range(min_tpgid, max_tpgid), tag_list)
    return {}


@method("get_tpg_tx_stats")
def get_tpg_tx_stats(server: Server, port: Port, tpgid: int) -> Json:
    groups = _on(server, port)
    _check_group(groups, tpgid)
    packets, size = server.tagged.sent(groups, port.index, tpgid)
    return {str(port.index): {str(tpgid): {"pkts": packets, "bytes": size}}}


@method("clear_tpg_tx_stats")
def clear_tpg_tx_stats(server: Server, port: Port, tpgid: int) -> Json:
    groups = _on(server, port)
    _check_group(groups, tpgid)
    server.tagged.clear_sent(groups, port.index, tpgid)
    return {}


@method("get_tpg_unknown_tags")
def get_tpg_unknown_tags(server: Server, port: Port) -> Json:
    _collecting(server, port)
    unknown = server.core.unknown_tags(port.index)
    return {str(port.index): [{"tpgid": group, "tag": described(tag)} for group, tag in unknown]}


@method("clear_tpg_unknown_tags")
def clear_tpg_unknown_tags(server: Server, port: Port) -> Json:
    _collecting(server, port)
    server.core.unknown_tags(port.index, forget=True)
    return {}


def _collecting(server: Server, port: Port) -> None:
    groups = server.tagged.of_port(port.index)
    if groups is None or port.index not in groups.receivers:
        raise failed("Tagged Packet Group is not enabled or collecting on this port.")
