"""IPv6 on interfaces: settings are stored; tests set `replies`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address

from wirespeed.seam.ip6 import Advertising, DadConflict, DadState, EchoReply, Ip6Interface


class FakeIp6:
    def __init__(self) -> None:
        self.interfaces: dict[int, Ip6Interface] = {}
        self.reachable_s: dict[int, int] = {}
        self.announcing: set[int] = set()
        self.dad_transmits: dict[int | None, int] = {}
        self.dad_states: dict[tuple[int, IPv6Address], DadState] = {}
        self.conflicts: list[DadConflict] = []
        self.echoes: list[tuple[IPv4Address | IPv6Address, int | None, int]] = []
        self.replies: dict[int, EchoReply] = {}

    def of(self, index: int) -> Ip6Interface:
        return self.interfaces.get(index, Ip6Interface())

    def enable(self, index: int, enabled: bool) -> None:
        address = IPv6Address(f"fe80::fe:ff:fe00:{index:x}") if enabled else None
        self.interfaces[index] = replace(self.of(index), link_local=address)

    def set_link_local(self, index: int, address: IPv6Address | None) -> None:
        self.interfaces[index] = replace(self.of(index), link_local=address)

    def set_advertising(self, index: int, advertising: Advertising) -> None:
        self.interfaces[index] = replace(self.of(index), advertising=advertising)

    def set_reachable_time(self, version: int, seconds: int) -> None:
        self.reachable_s[version] = seconds

    def reachable_time(self, version: int) -> int:
        return self.reachable_s.get(version, 30)

    def set_announcing(self, version: int, is_on: bool) -> None:
        self.announcing = self.announcing - {version} | ({version} if is_on else set())

    def is_announcing(self, version: int) -> bool:
        return version in self.announcing

    def set_dad(self, index: int | None, transmits: int) -> None:
        self.dad_transmits = {None: transmits} if index is None else self.dad_transmits | {index: transmits}

    def dad(self, index: int) -> int:
        return self.dad_transmits.get(index, self.dad_transmits.get(None, 0))

    def dad_state(self, index: int, address: IPv6Address) -> DadState:
        return self.dad_states.get((index, address), DadState.USED)

    def dad_conflicts(self) -> Sequence[DadConflict]:
        found, self.conflicts = self.conflicts, []
        return found

    def echo(self, destination: IPv4Address | IPv6Address, interface: int | None, payload_len: int) -> int:
        self.echoes.append((destination, interface, payload_len))
        return len(self.echoes)

    def echo_replies(self) -> Sequence[EchoReply]:
        came = [reply for sequence, reply in self.replies.items() if sequence <= len(self.echoes)]
        self.replies = {s: reply for s, reply in self.replies.items() if s > len(self.echoes)}
        return came
