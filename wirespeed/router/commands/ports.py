"""Ports on files and rings, made at run time.

- **pcap.** The packets of the file are received when the interface first goes up, or with `hold` after `pcap replay`,
  so routes and other interfaces can be set up first. `loop` repeats them. The output file is complete once the
  interface is deleted; an existing file is replaced. The default name is `pcap0`.
- **ring.** A ring with one end returns its packets to that end. The default name is `ring0`.
- `delete interface` deletes any interface made at run time; interfaces given at the start stay. An interface that
  another object needs is not deleted, and the error names that object. Examples are a port with sub-interfaces, the
  target of a cross-connect, and a lender of addresses. Addresses, neighbours and bridge membership are removed with the
  interface. No worker stops while a port is added or removed; counters continue.
- A router that starts without interfaces has the packet buffers of `buffers { buffers-per-numa N }`, or about 6 000.
  Give more for many ports.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.model import PortSpec
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.commands.subinterfaces import delete, free_number
from wirespeed.router.grammar import Match
from wirespeed.router.own_mac import give_mac
from wirespeed.router.startup.requests import INTERFACE_NAME
from wirespeed.seam.interfaces import InterfaceKind
from wirespeed.seam.ports import RxStart

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command(
    "create pcap ([name <word:name>]|[input <file:input>]|[output <file:output>]|[loop]|[hold]|[hw-addr <mac>])..."
)
def create_pcap(console: Console, words: Match) -> Lines:
    """Create an interface that receives the packets of one file and writes sent packets to another."""
    options = {"out": _path(console, words["output"])} if words.get("output") else {}
    if "loop" in words:
        options["loop"] = ""
    given = words.get("input")
    if given is None and ("loop" in words or "hold" in words or not options):
        raise UsageError("create pcap needs input <file>, or at least output <file>")
    spec = PortSpec("pcap", "" if given is None else _path(console, given), options)
    # A file is read at once, however little the router knows by then of where its packets are to go.
    return [_add(console, spec, words, RxStart.WHEN_TOLD if "hold" in words else RxStart.WHEN_UP)]


@command("pcap replay <interface>...")
def replay(console: Console, words: Match) -> None:
    """Start the replay of interfaces created with hold."""
    for index in words.all("interface"):
        console.core.start_reception(index)


@command("create ring <word:ring> ([name <word:name>]|[hw-addr <mac>])...")
def create_ring(console: Console, words: Match) -> Lines:
    """Create an end of a ring: two ends of a ring are connected to each other, a single one to itself."""
    if "," in words["ring"]:
        raise UsageError(f"ring {words['ring']}: a name cannot contain a comma")
    return [_add(console, PortSpec("ring", words["ring"]), words, RxStart.AT_ONCE)]


def _path(console: Console, given: Path) -> str:
    path = str(console.directory / given)
    if "," in path:
        raise UsageError(f"{path}: the name of a packet file cannot contain a comma")
    return path


def _add(console: Console, spec: PortSpec, words: Match, rx_start: RxStart) -> str:
    name: str = words.get("name") or f"{spec.kind}{free_number(console, spec.kind)}"
    if not INTERFACE_NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not an interface name: give letters, digits and ._/- , a letter first, at most 32 characters"
        )
    index = console.core.add_port(name, spec, rx_start)
    if mac := words.get("mac"):
        console.core.set_mac(index, mac)
    give_mac(console.core, index)
    console.ports[name] = spec
    return name


@command("delete interface <interface>")
def delete_interface(console: Console, words: Match) -> None:
    """Delete any interface made at run time; its output file is then complete."""
    index = words["interface"]
    face = console.core.interface(index)
    made = [names for names in (console.ports, console.taps, console.memifs.by_name) if face.name in names]
    if face.kind is InterfaceKind.PORT and not made:
        raise UsageError(f"{face.name} was not created by a command; interfaces given at the start cannot be deleted")
    delete(console, index, face.kind, face.name)
    for names in made:
        del names[face.name]
