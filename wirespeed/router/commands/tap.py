"""TAP interfaces of Linux, made at run time.

- Rings have the requested number of slots, a power of two or not. There is one queue. Give host addresses with `ip` in
  the namespace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.model import parse_port_spec
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.commands.subinterfaces import delete, free_number
from wirespeed.router.grammar import Match
from wirespeed.seam.interfaces import InterfaceKind

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_MOST_ID = 65535


@command(
    "create tap ([id <number:id>]|[hw-addr <mac>]|[host-if-name <word:host>]|[host-ns <word:netns>]"
    "|[host-mac-addr <mac:host-mac>]|[host-mtu-size <number:host-mtu>]|[rx-ring-size <number:rx-ring>]"
    "|[tx-ring-size <number:tx-ring>])..."
)
def create_tap(console: Console, words: Match) -> Lines:
    """Create a TAP interface of Linux, optionally in a network namespace."""
    options = [f"{key}={words[key]}" for key in ("netns", "host-mac", "host-mtu") if words.get(key)]
    options += [f"rxd={size}" for size in words.all("rx-ring")] + [f"txd={size}" for size in words.all("tx-ring")]
    index = add_tap(console, words.get("id"), words.get("host"), options, words.get("mac"))
    return [console.core.interface(index).name]


def add_tap(console: Console, ident: int | None, host: str | None, options: Sequence[str], mac: str | None) -> int:
    """Make a tap, whose number is returned: the first free one unless `ident` says which, called as in the router
    unless `host` says how; `options` are those of its port spec."""
    if ident is None:
        ident = free_number(console, "tap")
    if ident > _MOST_ID:
        raise UsageError(f"tap id {ident} is not between 0 and {_MOST_ID}")
    name = f"tap{ident}"
    if console.interface_index(name) is not None:
        raise UsageError(f"there is an interface {name} already; give another id")
    spec = parse_port_spec(",".join([f"tap:{host or name}", *options]))
    index = console.core.add_port(name, spec)
    console.core.set_mac(index, mac or f"02:fe:{ident >> 8:02x}:{ident & 255:02x}:00:{index:02x}")
    console.taps[name] = spec
    return index


@command("delete tap <interface>")
def delete_tap(console: Console, words: Match) -> None:
    """Delete a TAP and its end in Linux, with its addresses."""
    remove_tap(console, words["interface"])


def remove_tap(console: Console, index: int) -> None:
    """Take a tap away; UsageError for other interfaces."""
    name = console.core.interface(index).name
    if name not in console.taps:
        raise UsageError(f"{name} was not made by create tap")
    delete(console, index, InterfaceKind.PORT, "a tap")
    del console.taps[name]


@command("show tap [<interface>...]")
def show_tap(console: Console, words: Match) -> Iterator[str]:
    """TAPs made at run time, and their ends in Linux."""
    wanted = console.interfaces(words.all("interface"))
    for name, index in console.interface_names().items():
        if name not in console.taps or index not in wanted:
            continue
        spec, port = console.taps[name], console.core.port(index)
        yield f"Interface: {name} (ifindex {index + 1})"
        yield f'  name "{spec.target}"'
        yield f'  host-ns "{spec.options.get("netns", "(nil)")}"'
        yield f"  mac-addr {console.core.interface(index).mac}"
        yield f"  host-mac-addr {spec.options.get('host-mac', '(nil)')}"
        if "host-mtu" in spec.options:
            yield f"  host-mtu-size {spec.options['host-mtu']}"
        yield f"  rx-ring-size {port.rx_descriptors} tx-ring-size {port.tx_descriptors}"
