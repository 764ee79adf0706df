"""memif: shared-memory interfaces to other processes.

- Only mode ethernet, no zero-copy. Sockets of `--interface` have the highest ids until `create memif socket` gives the
  file another one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.model import PortSpec, parse_port_spec
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.commands.subinterfaces import delete
from wirespeed.router.grammar import Match
from wirespeed.router.protocol import default_socket
from wirespeed.seam.interfaces import InterfaceKind

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_MOST_SOCKET = 2**32 - 2


@dataclass(frozen=True)
class Memif:
    """One interface as it was asked for."""

    interface: int
    socket: int
    id: int
    spec: PortSpec

    @property
    def is_server(self) -> bool:
        """The server listens on the socket; an interface without a role connects."""
        return self.spec.options.get("role") == "server"


class Memifs:
    """Sockets by their ids, and the interfaces on them. Socket 0 is the usual one, unless it is given a file.

    Interfaces of the start have sockets without ids. These get the highest ids, so that the low ones stay free for
    commands, until a command gives the file an id.
    """

    def __init__(self) -> None:
        self.sockets: dict[int, Path] = {}
        self.by_name: dict[str, Memif] = {}
        """Made at run time."""
        self.of_start: dict[str, Memif] = {}

    def path(self, socket: int) -> Path | None:
        """The file of a socket; None without one. Socket 0 has none if the user has no runtime directory."""
        if socket == 0 and 0 not in self.sockets:
            with contextlib.suppress(EnvironmentFault):
                self.sockets[0] = default_socket().with_name("memif.sock")
        return self.sockets.get(socket)

    def on(self, socket: int) -> list[Memif]:
        return [memif for memif in self.all.values() if memif.socket == socket]

    @property
    def all(self) -> dict[str, Memif]:
        return self.of_start | self.by_name

    def adopt(self, name: str, interface: int, spec: PortSpec) -> None:
        """Enter an interface that is there from the start."""
        path = Path(spec.target)
        self.path(0)
        socket = next((ident for ident, present in self.sockets.items() if present == path), None)
        if socket is None:
            socket = next(ident for ident in range(_MOST_SOCKET, 0, -1) if ident not in self.sockets)
            self.sockets[socket] = path
        self.of_start[name] = Memif(interface, socket, int(spec.options.get("id", "0")), spec)

    def set_socket(self, ident: int, path: Path) -> None:
        """Give a socket file an id; UsageError when either has another already."""
        if ident > _MOST_SOCKET:
            raise UsageError(f"memif socket id {ident} is not between 0 and {_MOST_SOCKET}")
        present = self.sockets.get(ident)
        if present == path:
            return
        if present is not None:
            raise UsageError(f"memif socket id {ident} is {present} already; delete it first")
        other = next((number for number, taken in self.sockets.items() if taken == path), None)
        if other is not None:
            users = {name for name, memif in self.all.items() if memif.socket == other}
            if not users or users & self.by_name.keys():
                raise UsageError(f"socket file {path} already has memif socket id {other}; use that id")
            del self.sockets[other]
            self.of_start |= {name: replace(self.of_start[name], socket=ident) for name in users}
        self.sockets[ident] = path

    def free_socket(self) -> int:
        """The lowest id that no socket has."""
        return next(ident for ident in range(1, len(self.sockets) + 2) if ident not in self.sockets)

    def delete_socket(self, ident: int) -> None:
        """Forget a socket; UsageError when there is none or an interface is on it."""
        if ident not in self.sockets:
            raise UsageError(f"there is no memif socket id {ident} to delete")
        if users := [name for name, memif in self.all.items() if memif.socket == ident]:
            raise UsageError(f"memif socket id {ident} is used by {', '.join(users)}; delete that first")
        del self.sockets[ident]


@command(
    "create memif socket id <number> filename <file>",
    "create memif socket filename <file> id <number>",
)
def create_socket(console: Console, words: Match) -> None:
    """Set the file of a memif socket."""
    console.memifs.set_socket(words["number"], socket_path(console.directory, str(words["file"])))


def socket_path(directory: Path, name: str) -> Path:
    """The file of that name below `directory`; `@…` is an abstract socket."""
    return Path(name) if name.startswith("@") else directory / name


@command("delete memif socket id <number>")
def delete_socket(console: Console, words: Match) -> None:
    """Delete a memif socket that no interface uses."""
    console.memifs.delete_socket(words["number"])


@command(
    "create interface memif ([id <number:id>]|[socket-id <number:socket>]|[hw-addr <mac>]|[ring-size <number:ring>]"
    "|[rx-queues <number:rxq>]|[tx-queues <number:txq>]|[secret <word:secret>]|[mode ethernet]|[(master|slave)])..."
)
def create_memif(console: Console, words: Match) -> Lines:
    """Create a memif interface: master listens on the socket, slave connects."""
    options = [f"role={'client' if 'slave' in words else 'server'}"]
    options += [f"{key}={words[key]}" for key in ("rxq", "txq") if key in words]
    options += [f"mac={mac}" for mac in words.all("mac")] + [f"secret={secret}" for secret in words.all("secret")]
    index = add_memif(console, words.get("socket", 0), words.get("id", 0), words.get("ring", 1024), options)
    return [console.core.interface(index).name]


def add_memif(console: Console, socket: int, ident: int, ring: int, options: Sequence[str]) -> int:
    """Make a memif interface, whose number is returned; `options` are those of its port spec besides id and rings.
    UsageError when there is no such socket, or the interface is there."""
    if ring & (ring - 1) or not 64 <= ring <= 16384:
        raise UsageError(f"ring size {ring} is not a power of two between 64 and 16384")
    path = console.memifs.path(socket)
    if path is None:
        raise UsageError(f"there is no memif socket id {socket}; create memif socket id {socket} filename <file>")
    name = f"memif{socket}/{ident}"
    if console.interface_index(name) is not None:
        raise UsageError(f"there is an interface {name} already; give another id")
    spec = parse_port_spec(",".join([f"memif:{path}", f"id={ident}", f"rxd={ring}", f"txd={ring}", *options]))
    index = console.core.add_port(name, spec)
    console.memifs.by_name[name] = Memif(index, socket, ident, spec)
    return index


@command("delete interface memif <interface>")
def delete_memif(console: Console, words: Match) -> None:
    """Delete a memif interface, with its addresses."""
    remove_memif(console, words["interface"])


def remove_memif(console: Console, index: int) -> None:
    """Take a memif interface away; UsageError for other interfaces, and for memifs of the start."""
    name = console.core.interface(index).name
    if name not in console.memifs.by_name:
        raise UsageError(f"{name} was not made by create interface memif")
    delete(console, index, InterfaceKind.PORT, "a memif interface")
    del console.memifs.by_name[name]


@command("show memif [<interface>...]")
def show_memif(console: Console, words: Match) -> Iterator[str]:
    """memif sockets and interfaces."""
    console.memifs.path(0)
    yield "sockets"
    yield "  id  listener    filename"
    for number, path in sorted(console.memifs.sockets.items()):
        listens = any(memif.is_server for memif in console.memifs.on(number))
        yield f"  {number:<3} {'yes' if listens else 'no':<11} {path}"
    wanted = console.interfaces(words.all("interface"))
    for name, memif in console.memifs.all.items():
        if memif.interface not in wanted:
            continue
        port = console.core.port(memif.interface)
        yield ""
        yield f"interface {name}"
        yield f"  socket-id {memif.socket} id {memif.id} mode ethernet"
        yield f"  role {'master' if memif.is_server else 'slave'}"
        yield f"  link {'up' if port.link_up else 'down'}"
        yield f"  rx-queues {port.rx_queues} tx-queues {port.tx_queues} ring-size {port.rx_descriptors}"
