"""Directions of a test, as a user names them: sending and receiving ports. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.errors import UsageError
from wirespeed.results.channel import Channel, parse_channel

PAIR = (0, 1)


def parse_ports(text: str) -> tuple[int, ...]:
    """`2,3` or `0,1,4,5`: ports that are cabled in pairs, in this order."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) <= 3 for word in words):
        raise UsageError(f"ports {text!r} are not numbers: give e.g. 2,3")
    ports = tuple(map(int, words))
    if len(set(ports)) != len(ports) or len(ports) % 2:
        raise UsageError(f"ports {text!r} are not pairs of different ports: give an even number of ports, e.g. 0,1,2,3")
    return ports


def parse_directions(text: str) -> tuple[Channel, ...]:
    """`0>1,1>2,2>0`: each direction by itself, in any shape."""
    return tuple(parse_channel(word) for word in text.split(",") if word.strip())


def pair_directions(ports: Sequence[int] = PAIR, only: str = "both") -> tuple[Channel, ...]:
    """The directions of ports that are cabled in pairs: `both`, or one of them, such as `1-0`."""
    forward = [Channel(first, second) for first, second in zip(ports[::2], ports[1::2], strict=True)]
    pairs = (*forward, *(one.reverse for one in forward))
    if only == "both":
        return pairs
    wanted = parse_channel(only)
    if wanted not in pairs:
        names = ", ".join(f"{one.tx}-{one.rx}" for one in pairs)
        raise UsageError(f"unknown direction {only!r}: give {names} or both")
    return (wanted,)


def check_directions(directions: Sequence[Channel], has_signature: bool) -> None:
    """UsageError if received packets could not be assigned to a direction. `has_signature`: a signature identifies
    them."""
    if not directions:
        raise UsageError("no direction is given: give e.g. --directions '0>1,1>0'")
    for wire in directions:
        same = [other for other in directions if other.tx == wire.tx]
        if len(same) > 1:
            raise UsageError(
                f"port {wire.tx} is to send to port {same[0].rx} and to port {same[1].rx}: a port can send in one "
                "direction only; leave one of the two out"
            )
        senders = [str(other.tx) for other in directions if other.rx == wire.rx]
        if len(senders) > 1 and not has_signature:
            raise UsageError(
                f"ports {' and '.join(senders)} send to port {wire.rx}, whose counters cannot tell their packets from "
                "each other: give --signature, which marks them"
            )
