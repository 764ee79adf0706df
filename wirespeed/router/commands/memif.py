"""create, delete and show memif: shared-memory interfaces to other processes, made at run time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.model import MAX_QUEUES, PortSpec, parse_port_spec
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.commands.subinterfaces import delete
from wirespeed.router.core import InterfaceKind
from wirespeed.router.grammar import Match
from wirespeed.router.protocol import default_socket

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


class Memifs:
    """Sockets by their ids, and the interfaces on them. Socket 0 is the usual one, unless it is given a file."""

    def __init__(self) -> None:
        self.sockets: dict[int, Path] = {}
        self.by_name: dict[str, Memif] = {}

    def path(self, socket: int) -> Path | None:
        if socket == 0 and 0 not in self.sockets:
            self.sockets[0] = default_socket().with_name("memif.sock")
        return self.sockets.get(socket)

    def on(self, socket: int) -> list[str]:
        return [name for name, memif in self.by_name.items() if memif.socket == socket]


@command(
    "create memif socket id <number> filename <file>",
    "create memif socket filename <file> id <number>",
)
def create_socket(console: Console, words: Match) -> None:
    """Name the socket file that memif interfaces meet at."""
    number, path = words["number"], console.directory / words["file"]
    present = console.memifs.sockets.get(number)
    if number > _MOST_SOCKET:
        raise UsageError(f"memif socket id {number} is not between 0 and {_MOST_SOCKET}")
    if present == path:
        return
    if present is not None:
        raise UsageError(f"memif socket id {number} is {present} already; delete it first")
    for other, taken in console.memifs.sockets.items():
        if taken == path:
            raise UsageError(f"{path} is memif socket id {other} already")
    console.memifs.sockets[number] = path


@command("delete memif socket id <number>")
def delete_socket(console: Console, words: Match) -> None:
    """Forget a socket file that no interface uses."""
    number, users = words["number"], console.memifs.on(words["number"])
    if number not in console.memifs.sockets:
        raise UsageError(f"there is no memif socket id {number} to delete")
    if users:
        raise UsageError(f"memif socket id {number} is used by {', '.join(users)}; delete that first")
    del console.memifs.sockets[number]


@command(
    "create interface memif ([id <number:id>]|[socket-id <number:socket>]|[hw-addr <mac>]|[ring-size <number:ring>]"
    "|[rx-queues <number:rxq>]|[tx-queues <number:txq>]|[mode ethernet]|[(master|slave)])..."
)
def create_memif(console: Console, words: Match) -> Lines:
    """An interface to another process over shared memory: master listens on the socket, slave connects."""
    ident, socket = words.get("id", 0), words.get("socket", 0)
    path = console.memifs.path(socket)
    if path is None:
        raise UsageError(f"there is no memif socket id {socket}; create memif socket id {socket} filename <file>")
    name = f"memif{socket}/{ident}"
    if console.interface_index(name) is not None:
        raise UsageError(f"there is an interface {name} already")
    role = "client" if "slave" in words else "server"
    options = [f"id={ident}", f"role={role}"]
    ring = words.get("ring", 1024)
    if ring & (ring - 1) or not 64 <= ring <= 16384:
        raise UsageError(f"ring size {ring} is no power of two between 64 and 16384")
    options += [f"rxd={ring}", f"txd={ring}"]
    for key in ("rxq", "txq"):
        if not 1 <= words.get(key, 1) <= MAX_QUEUES:
            raise UsageError(f"{words[key]} queues are not between 1 and {MAX_QUEUES}")
        options.append(f"{key}={words.get(key, 1)}")
    options += [f"mac={mac}" for mac in words.all("mac")]
    spec = parse_port_spec(",".join([f"memif:{path}", *options]))
    index = console.core.add_port(name, spec)
    console.memifs.by_name[name] = Memif(index, socket, ident, spec)
    return [name]


@command("delete interface memif <interface>")
def delete_memif(console: Console, words: Match) -> None:
    """Take a memif interface away, with its addresses."""
    name = console.core.interface(words["interface"]).name
    if name not in console.memifs.by_name:
        raise UsageError(f"{name} was not made by create interface memif")
    delete(console, words["interface"], InterfaceKind.PORT, "a memif interface")
    del console.memifs.by_name[name]


@command("show memif [<interface>...]")
def show_memif(console: Console, words: Match) -> Iterator[str]:
    """Socket files, and the memif interfaces made at run time."""
    console.memifs.path(0)
    yield "sockets"
    yield "  id  listener    filename"
    for number, path in sorted(console.memifs.sockets.items()):
        listens = any(memif.spec.options["role"] == "server" for memif in _on(console, number))
        yield f"  {number:<3} {'yes' if listens else 'no':<11} {path}"
    wanted = console.interfaces(words.all("interface"))
    for name, memif in console.memifs.by_name.items():
        if memif.interface not in wanted:
            continue
        port = console.core.port(memif.interface)
        yield ""
        yield f"interface {name}"
        yield f"  socket-id {memif.socket} id {memif.id} mode ethernet"
        yield f"  role {'master' if memif.spec.options['role'] == 'server' else 'slave'}"
        yield f"  link {'up' if port.link_up else 'down'}"
        yield f"  rx-queues {port.rx_queues} tx-queues {port.tx_queues} ring-size {port.rx_descriptors}"


def _on(console: Console, socket: int) -> list[Memif]:
    return [console.memifs.by_name[name] for name in console.memifs.on(socket)]
