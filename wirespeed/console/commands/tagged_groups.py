"""Tagged packet groups: on and off, tags, counts."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from wirespeed.console.commands.registry import STATELESS, command
from wirespeed.console.grammar import PORTS, ConsoleOption, Given, count, read_ports, switch
from wirespeed.console.screen import step
from wirespeed.console.session import Session
from wirespeed.console.tables import ConsoleRow, ConsoleTable, render
from wirespeed.errors import ConnectionFault, EnvironmentFault, UsageError

Json = dict[str, Any]

_WAIT_S = 60.0
_LOOK_S = 0.05
_ENABLED_BY_RECEIVER, _DISABLED_BY_RECEIVER = 2, 5
"""T-Rex's numbers of states; those beyond are failures."""
_AT_ONCE = 500
"""Tags of a request."""

_COUNTS = {
    "pkts": "Packets",
    "bytes": "Bytes",
    "seq_err": "Seq Error",
    "seq_err_too_big": "Seq Too Big",
    "seq_err_too_small": "Seq Too Small",
    "dup": "Duplicates",
    "ooo": "Out of Order",
}

_PORT = ConsoleOption(("-p", "--port"), "The port.", count("port", 0), "PORT", optional=False, source="ports")
_GROUP = ConsoleOption(("--tpgid",), "The group.", count("group", 0), "ID", optional=False)
_MIN_TAG = ConsoleOption(("--min-tag",), "The first tag; 0 if left out.", count("tag", 0), "TAG", default=0)
_MAX_TAG = ConsoleOption(("--max-tag",), "The tag behind the last; all tags if left out.", count("tag", 0), "TAG")
_UNKNOWN = switch("--unknown", help="Include unknown tags.")
_UNTAGGED = switch("--untagged", help="Include packets without a tag.")
_USER = ConsoleOption(("-u", "--username"), "Those of a user, not of ports.")


@command(
    "tpg_enable",
    STATELESS,
    "Give our ports tagged packet groups.",
    ConsoleOption(("--num-tpgids",), "Number of groups.", count("number of groups"), "COUNT", optional=False),
    ConsoleOption(
        ("--tags",),
        "JSON file of tags, or Python file that makes them.",
        metavar="FILE",
        optional=False,
        source="files",
    ),
    ConsoleOption(
        ("-p", "--ports"), "Receiving ports. Default: all acquired ports.", read_ports, "PORT", True, source="ports"
    ),
    ConsoleOption(("-t", "--tunables"), "Arguments of the file's get_tpg_conf, up to the end of the line.", rest=True),
)
def tpg_enable(session: Session, args: Given) -> None:
    from wirespeed.profiles.script import load_tags  # noqa: PLC0415 - scapy takes long to import

    ours, receivers = session.ours(None), session.ours(args.ports)
    client = session.client
    asked = {
        "session_id": client.session_id,
        "ports": ours,
        "rx_ports": receivers,
        "num_tpgids": args.num_tpgids,
        "tags": load_tags(args.tags, args.tunables),
    }
    with step(session.screen, "Enabling Tagged Packet Group:"):
        client.call("enable_tpg", username=client.user, **asked)
        _wait(session, _ENABLED_BY_RECEIVER)
        client.call("enable_tpg", username=client.user)


@command("tpg_disable", STATELESS, "Take the tagged packet groups from our ports.")
def tpg_disable(session: Session, given: Given) -> None:
    with step(session.screen, "Disabling Tagged Packet Group:"):
        _disable(session)


def _disable(session: Session) -> None:
    session.client.call("disable_tpg", username=session.client.user)
    _wait(session, _DISABLED_BY_RECEIVER)
    session.client.call("disable_tpg", username=session.client.user)


def _wait(session: Session, wanted: int) -> None:
    until_s = time.monotonic() + _WAIT_S
    while (state := session.client.call("get_tpg_state", username=session.client.user)) != wanted:
        if state > _DISABLED_BY_RECEIVER:
            _disable(session)
            raise EnvironmentFault("the generator has no memory for so many groups and tags; give fewer")
        if time.monotonic() > until_s:
            raise ConnectionFault(f"tagged packet groups are in state {state} after {_WAIT_S:.0f} s")
        time.sleep(_LOOK_S)


@command("tpg_status", STATELESS, "Show whether tagged packet groups are on.", PORTS, _USER)
def tpg_status(session: Session, given: Given) -> None:
    asked: dict[str, Json] = {f"port {port}": {"port_id": port} for port in session.some(given.ports)}
    if given.username is not None:
        asked = {f"user {given.username}": {"username": given.username}}
    for whose, params in asked.items():
        answer = session.client.call("get_tpg_status", **params)
        on = bool(answer.get("enabled")) if isinstance(answer, dict) else False
        session.screen.show(f"{whose}: tagged packet groups are {'on' if on else 'off'}")
        if on:
            data = answer["data"]
            ports = (" ".join(map(str, data[key])) for key in ("acquired_ports", "rx_ports"))
            cells = (*ports, str(data["num_tpgids"]), str(data["num_tags"]))
            columns = ("Username", "Acquired Ports", "Rx Ports", "Num TPGId", "Num Tags")
            session.screen.show(
                render(
                    ConsoleTable("Tagged Packet Group Data", columns, (ConsoleRow(data["username"], cells),), least=8)
                )
            )


def _status(session: Session, **whose: Any) -> Json:
    answer: Json = session.client.call("get_tpg_status", **whose)
    if not answer["enabled"]:
        raise UsageError("Tagged Packet Group is not enabled.")
    data: Json = answer["data"]
    return data


@command(
    "tpg_update",
    STATELESS,
    "Give a tag's number to another tag, or to none.",
    ConsoleOption(("--type",), "Kind of the new tag.", optional=False, choices=("Dot1Q", "QinQ", "Invalidate")),
    ConsoleOption(("--tag_id",), "The number.", count("tag", 0), "TAG", optional=False),
    ConsoleOption(("--value",), "VLAN id, or two for QinQ.", count("VLAN id", 0), "VLAN", True, repeats=True),
    switch("--clear", help="Set its counts to 0."),
)
def tpg_update(session: Session, args: Given) -> None:
    user, number = session.client.user, args.tag_id
    tag: Json = {"type": None, "tag_id": number}
    if args.type != "Invalidate":
        values = args.value or []
        need = 1 if args.type == "Dot1Q" else 2
        if len(values) != need:
            raise UsageError(f"tpg_update: {args.type} takes {need} --value, not {len(values)}")
        tag |= {"type": args.type, "value": {"vlan": values[0]} if need == 1 else {"vlans": values}}
    data = _status(session, username=user)
    with step(session.screen, "Updating Tagged Packet Group Tags:"):
        session.client.call("update_tpg_tags", username=user, tags=[tag])
        groups = data["num_tpgids"]
        for port in data["rx_ports"] if args.clear else ():
            for first in range(0, groups, _AT_ONCE):
                some = {"min_tpgid": first, "max_tpgid": min(first + _AT_ONCE, groups), "tag_list": [number]}
                session.client.call("clear_updated", username=user, port_id=port, **some)


@command(
    "tpg_tags",
    STATELESS,
    "Show which number has which tag.",
    _USER,
    ConsoleOption(("-p", "--port"), "Those of a port.", count("port", 0), "PORT", source="ports"),
    _MIN_TAG,
    _MAX_TAG,
)
def tpg_tags(session: Session, args: Given) -> None:
    whose: Json = {"username": args.username or session.client.user} if args.port is None else {"port_id": args.port}
    total = _status(session, **whose)["num_tags"]
    last = total if args.max_tag is None else min(total, args.max_tag)
    rows: list[ConsoleRow] = []
    for first in range(args.min_tag, last, _AT_ONCE):
        tags = session.client.call("get_tpg_tags", **whose, min_tag=first, max_tag=min(first + _AT_ONCE, last))
        rows += [ConsoleRow(str(first + place), (_tag_text(tag),)) for place, tag in enumerate(tags)]
    columns = ("Tag Id", "Tag Type")
    session.screen.show(render(ConsoleTable(f"Tags [{args.min_tag}-{last})", columns, tuple(rows))))


def _tag_text(tag: Json | None) -> str:
    if tag is None:
        return "-"
    value = tag["value"]
    return f"Dot1Q({value['vlan']})" if tag["type"] == "Dot1Q" else f"QinQ({', '.join(map(str, value['vlans']))})"


@command(
    "tpg_stats",
    STATELESS,
    "Show what a port received of a group, by tag.",
    _PORT,
    _GROUP,
    _MIN_TAG,
    ConsoleOption(("--max-tag",), "The tag behind the last.", count("tag", 0), "TAG", optional=False),
    _UNKNOWN,
    _UNTAGGED,
)
def tpg_stats(session: Session, args: Given) -> None:
    by_tag: dict[str, Json] = {}
    at, beside = args.min_tag, {"unknown_tag": args.unknown, "untagged": args.untagged}
    while at < args.max_tag or not by_tag:
        asked = {"port_id": args.port, "tpgid": args.tpgid, "min_tag": at, "max_tag": args.max_tag}
        seen = session.client.call("get_tpg_stats", **asked, **beside)[str(args.port)][str(args.tpgid)]
        by_tag |= seen
        beside = {}
        at = max((int(key.split("-")[-1]) + 1 for key in seen if key[0].isdigit()), default=args.max_tag)
    rows = (
        ConsoleRow(key.removesuffix("_tag"), tuple(str(counts.get(name, "")) for name in _COUNTS))
        for key, counts in by_tag.items()
    )
    title = f"Port {args.port}, tpgid {args.tpgid}, Tags = [{args.min_tag}, {args.max_tag})"
    session.screen.show(render(ConsoleTable(title, ("Tag Id", *_COUNTS.values()), tuple(rows), least=8)))


@command(
    "tpg_clear_stats",
    STATELESS,
    "Set what a port received of a group to 0.",
    _PORT,
    _GROUP,
    _MIN_TAG,
    _MAX_TAG,
    ConsoleOption(("--tag-list",), "These tags.", count("tag", 0), "TAG", True),
    _UNKNOWN,
    _UNTAGGED,
)
def tpg_clear_stats(session: Session, args: Given) -> None:
    asked: Json = {"unknown_tag": args.unknown, "untagged": args.untagged}
    if args.tag_list is not None:
        asked["tag_list"] = args.tag_list
        if args.max_tag is not None:
            raise UsageError("tpg_clear_stats: --max-tag or --tag-list, not both")
    else:
        last = _status(session, port_id=args.port)["num_tags"] if args.max_tag is None else args.max_tag
        asked |= {"min_tag": args.min_tag, "max_tag": last}
    with step(session.screen, "Clearing Tagged Packet Group Stats:"):
        session.client.call("clear_tpg_stats", port_id=args.port, tpgid=args.tpgid, **asked)


@command("tpg_tx_stats", STATELESS, "Show what a port sent of a group.", _PORT, _GROUP)
def tpg_tx_stats(session: Session, args: Given) -> None:
    answer = session.client.call("get_tpg_tx_stats", port_id=args.port, tpgid=args.tpgid)
    sent = answer[str(args.port)][str(args.tpgid)]
    row = ConsoleRow(str(args.tpgid), (str(sent["pkts"]), str(sent["bytes"])))
    title = f"Port {args.port}, tpgid {args.tpgid}"
    session.screen.show(render(ConsoleTable(title, ("tpgid", "Packets", "Bytes"), (row,))))


@command("tpg_clear_tx_stats", STATELESS, "Set what a port sent of a group to 0.", _PORT, _GROUP)
def tpg_clear_tx_stats(session: Session, given: Given) -> None:
    with step(session.screen, "Clearing Tagged Packet Group Tx Stats:"):
        session.client.call("clear_tpg_tx_stats", port_id=given.port, tpgid=given.tpgid)


@command("tpg_show_unknown_tags", STATELESS, "Show tags without a number that a port received first.", _PORT)
def tpg_show_unknown_tags(session: Session, args: Given) -> None:
    answer: Json = session.client.call("get_tpg_unknown_tags", port_id=args.port)
    told: Iterable[Json] = answer.get(str(args.port), ())
    rows = tuple(dict.fromkeys(ConsoleRow(str(one["tpgid"]), (_tag_text(one["tag"]),)) for one in told))
    if not rows:
        session.screen.show(f"No unknown tags found in port {args.port}.")
        return
    session.screen.show(render(ConsoleTable(f"Port {args.port} unknown tags", ("tpgid", "Type"), rows)))


@command("tpg_clear_unknown_tags", STATELESS, "Forget tags without a number that a port received.", _PORT)
def tpg_clear_unknown_tags(session: Session, given: Given) -> None:
    with step(session.screen, "Clearing Tagged Packet Group unknown tags:"):
        session.client.call("clear_tpg_unknown_tags", port_id=given.port)
