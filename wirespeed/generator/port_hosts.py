"""Ports that live on a network: they answer ARP, ping and neighbor discovery, and find their gateways' addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from wirespeed._native.flow_records import CaptureWhat
from wirespeed._native.generator import NativeGenerator
from wirespeed.generator.emulated_hosts import Emulated, EmulatedHosts
from wirespeed.generator.neighbor_packets import answer, arp_request, gateway_mac
from wirespeed.generator.port import Port
from wirespeed.generator.pushes import Pushes
from wirespeed.generator.rpc import NO_RESULTS, WORK_IN_PROGRESS, RpcError, failed

REQUESTS = 3
"""ARP requests before a gateway counts as silent."""

INTERVAL_S = 1.0

_SLOTS = 1024
_READ_AT_ONCE = 512
_MAX_TICKETS = 1000


@dataclass
class _Search:
    """A gateway that is asked for."""

    ticket: int
    asked: int = 0
    due_s: float = 0.0


class Hosts:
    """Looks at the control packets of all ports that have addresses; nothing is read while none has."""

    def __init__(self, core: NativeGenerator, ports: list[Port], pushes: Pushes) -> None:
        self._core, self._ports, self._pushes = core, ports, pushes
        self.emulated = EmulatedHosts(core, pushes)
        self._capture: int | None = None
        self._listening: tuple[int, ...] = ()
        self._searches: dict[int, _Search] = {}
        self._tickets = count(1)
        self._outcomes: dict[int, str | None] = {}

    @property
    def active(self) -> bool:
        return self._capture is not None

    def configured(self, port: Port) -> int | None:
        """The port's addresses changed: listen, and ask for the gateway; returns the ticket of that search."""
        self._listen()
        self._conclude(port, "the port was configured again")
        if not port.layers.needs_arp:
            return None
        search = _Search(next(self._tickets))
        self._searches[port.index] = search
        self._ask(port, search)
        return search.ticket

    def emulate(self, port: Port, hosts: Sequence[Emulated]) -> None:
        """Emulate these hosts in addition to the port itself, in place of earlier ones."""
        if hosts or self.emulated.on(port.index):
            self._listen(port.index if hosts else None)
            self.emulated.place(port.index, hosts)
            self._listen()

    def _listen(self, also: int | None = None) -> None:
        listening = tuple(
            one.index
            for one in self._ports
            if one.layers.host.listens or self.emulated.on(one.index) or one.index == also
        )
        if listening != self._listening:
            if self._capture is not None:
                self._core.stop_capture(self._capture)
                self._capture = None
            if listening:
                self._capture = self._core.start_capture((), listening, _SLOTS, what=CaptureWhat.CONTROL)
            self._listening = listening

    def poll(self) -> None:
        """Answer requests, learn from answers, repeat unanswered requests."""
        if self._capture is None:
            return
        for packet in self._core.read_capture(self._capture, _READ_AT_ONCE):
            self._hear(self._ports[packet.port], packet.data)
        self.emulated.ask_again()
        for index, search in list(self._searches.items()):
            if self._core.now_s() < search.due_s:
                continue
            port = self._ports[index]
            if search.asked == REQUESTS:
                self._conclude(port, f"no answer to ARP for {port.layers.host.gateway}")
            else:
                self._ask(port, search)

    def result(self, ticket: int) -> None:
        """Return if a search has found its gateway. RpcError if it is still running, has failed or is unknown."""
        if any(search.ticket == ticket for search in self._searches.values()):
            raise RpcError(WORK_IN_PROGRESS, str(ticket))
        if ticket not in self._outcomes:
            raise RpcError(NO_RESULTS)
        fault = self._outcomes.pop(ticket)
        if fault is not None:
            raise failed(fault)

    def cancel(self, ticket: int) -> None:
        for index, search in list(self._searches.items()):
            if search.ticket == ticket:
                self._conclude(self._ports[index], "cancelled")

    def _ask(self, port: Port, search: _Search) -> None:
        search.asked += 1
        search.due_s = self._core.now_s() + INTERVAL_S
        self._pushes.push(port.index, [arp_request(port.layers.host)])

    def _hear(self, port: Port, packet: bytes) -> None:
        mac = gateway_mac(port.layers.host, packet)
        if mac is not None and port.layers.needs_arp:
            port.gateway_found(mac.hex(":"))
            self._conclude(port, None)
        reply = answer(port.layers.host, packet)
        if reply is not None:
            self._pushes.answer(port.index, reply)
        else:
            self.emulated.hear(port.index, packet)

    def _conclude(self, port: Port, fault: str | None) -> None:
        search = self._searches.pop(port.index, None)
        if search is not None:
            self._outcomes[search.ticket] = fault
            while len(self._outcomes) > _MAX_TICKETS:  # of clients that never asked
                del self._outcomes[next(iter(self._outcomes))]
