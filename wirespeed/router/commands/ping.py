"""Ping: echo requests of the router.

- Not supported: `burst`, `table-id`. `interval` comes last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.router.pause import Pause
from wirespeed.seam.ip6 import EchoReply

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_LOOK_S = 0.005
_MOST_BYTES, _MOST_REPEATS = 1400, 10_000


@command(
    "ping [ipv4|ipv6] <address> [(source <interface>|repeat <number:repeat>|size <number:size>)...]"
    " [interval <text:interval>]"
)
def ping(console: Console, words: Match) -> Iterator[str]:
    """Send pings and print the answers; default: five of 60 bytes, one per second."""
    count, size = words.get("repeat", 5), words.get("size", 60)
    if not 1 <= count <= _MOST_REPEATS:
        raise UsageError(f"repeat {count} is not between 1 and {_MOST_REPEATS}")
    if size > _MOST_BYTES:
        raise UsageError(f"size {size} is too large; give at most {_MOST_BYTES} bytes")
    return _ping(console, words, count, size, _interval(words.get("interval", "1")))


def _interval(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.01 <= seconds <= 60:
        raise UsageError(f"interval {text} is not between 0.01 and 60 seconds")
    return seconds


def _ping(console: Console, words: Match, count: int, size: int, interval_s: float) -> Iterator[str]:
    core = console.core
    received = 0
    for _ in range(count):
        sent_tsc = core.tsc()
        sequence = core.ip6.echo(words["address"], words.get("interface"), size)
        answered = False
        for _ in range(max(1, round(interval_s / _LOOK_S))):
            # An answer after the next request has gone is late, and not counted.
            if not answered and (reply := _take(console, sequence)):
                answered = True
                received += 1
                time_ms = (reply.tsc - sent_tsc) / core.tsc_hz() * 1000
                about = f"icmp_seq={sequence} ttl={reply.ttl} time={time_ms:.4f} ms"
                yield f"{reply.length} bytes from {reply.source}: {about}"
            yield Pause(_LOOK_S)
    loss = 100 * (count - received) / count
    yield ""
    yield f"Statistics: {count} sent, {received} received, {loss:g}% packet loss"


def _take(console: Console, sequence: int) -> EchoReply | None:
    """The answer to one ping; those to others, of other sessions too, are kept for them."""
    console.core.poll()
    console.echo_replies.update((reply.sequence, reply) for reply in console.core.ip6.echo_replies())
    while len(console.echo_replies) > _MOST_REPEATS:
        del console.echo_replies[next(iter(console.echo_replies))]
    return console.echo_replies.pop(sequence, None)
