"""IPv6 on interfaces, silent neighbors and pings of the native router."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from wirespeed._native.addresses import address_struct, network_of, prefix_struct, read_address
from wirespeed._native.runtime import RouterPart, check, format_mac, from_struct
from wirespeed.errors import UsageError
from wirespeed.seam.ip6 import AdvertisedPrefix, Advertising, DadConflict, DadState, EchoReply, Ip6Interface

_REPLIES = 64
_CONFLICTS = 64


class Ip6(RouterPart):
    def of(self, index: int) -> Ip6Interface:
        struct = self._ffi.new("struct ws_ip6_interface *")
        check(self._lib.ws_router_ip6(self._router, index, struct))
        address = read_address(struct.link_local) if struct.enabled else None
        return Ip6Interface(address if isinstance(address, IPv6Address) else None, _advertising(struct.advertising))

    def enable(self, index: int, enabled: bool) -> None:
        check(self._lib.ws_router_set_ip6(self._router, index, enabled))

    def set_link_local(self, index: int, address: IPv6Address | None) -> None:
        struct = self._ffi.new("struct ws_address *")[0] if address is None else address_struct(self._ffi, address)
        check(self._lib.ws_router_set_link_local(self._router, index, struct))

    def set_advertising(self, index: int, advertising: Advertising) -> None:
        struct = self._ffi.new("struct ws_ip6_advertising *")
        if len(advertising.prefixes) > len(struct.prefixes):
            raise UsageError(f"at most {len(struct.prefixes)} prefixes are advertised, not {len(advertising.prefixes)}")
        struct.is_on, struct.managed, struct.other = advertising.is_on, advertising.managed, advertising.other
        struct.lifetime_s = advertising.lifetime_s
        struct.min_interval_s, struct.max_interval_s = advertising.min_interval_s, advertising.max_interval_s
        struct.prefix_count = len(advertising.prefixes)
        for out, given in zip(struct.prefixes, advertising.prefixes, strict=False):
            out.prefix = prefix_struct(self._ffi, given.prefix.network_address, given.prefix.prefixlen)
            out.valid_s, out.preferred_s = given.valid_s, given.preferred_s
            out.on_link, out.autonomous = given.on_link, given.autonomous
        check(self._lib.ws_router_set_advertising(self._router, index, struct))

    def set_reachable_time(self, version: int, seconds: int) -> None:
        """Reachable time of neighbors, after which they are probed; 0 for ever."""
        check(self._lib.ws_router_set_reachable_time(self._router, version, seconds))

    def reachable_time(self, version: int) -> int:
        return check(self._lib.ws_router_reachable_time(self._router, version))

    def set_announcing(self, version: int, is_on: bool) -> None:
        """True if addresses are announced when they change and when their interface comes up."""
        check(self._lib.ws_router_set_announcing(self._router, version, is_on))

    def is_announcing(self, version: int) -> bool:
        return bool(self._lib.ws_router_is_announcing(self._router, version))

    def set_dad(self, index: int | None, transmits: int) -> None:
        """Number of probes for an address before it is used; 0: none. None: on all interfaces, new ones included."""
        number = self._lib.WS_DAD_ALL_INTERFACES if index is None else index
        check(self._lib.ws_router_set_dad(self._router, number, transmits))

    def dad(self, index: int) -> int:
        return check(self._lib.ws_router_dad(self._router, index))

    def dad_state(self, index: int, address: IPv6Address) -> DadState:
        return DadState(check(self._lib.ws_router_dad_state(self._router, index, address_struct(self._ffi, address))))

    def dad_conflicts(self) -> Sequence[DadConflict]:
        """Address conflicts found since the last call."""
        page = self._ffi.new("struct ws_dad_conflict[]", _CONFLICTS)
        found = check(self._lib.ws_router_dad_conflicts(self._router, page, _CONFLICTS))
        return [DadConflict(c.interface, read_address(c.address), format_mac(bytes(c.mac))) for c in page[0:found]]

    def echo(self, destination: IPv4Address | IPv6Address, interface: int | None, payload_len: int) -> int:
        """Send a ping; returns its sequence number."""
        struct = self._ffi.new("struct ws_echo *")
        struct.destination = address_struct(self._ffi, destination)
        struct.interface = -1 if interface is None else interface
        struct.payload_len = payload_len
        return check(self._lib.ws_router_echo(self._router, struct))

    def echo_replies(self) -> Sequence[EchoReply]:
        """Echo replies received since the last call."""
        page = self._ffi.new("struct ws_echo_reply[]", _REPLIES)
        found = check(self._lib.ws_router_echo_replies(self._router, page, _REPLIES))
        return [EchoReply(read_address(r.source), r.sequence, r.length, r.ttl, r.tsc) for r in page[0:found]]


def _advertising(struct: Any) -> Advertising:
    # Never set: as the records' defaults say.
    if not struct.max_interval_s:
        return Advertising()
    prefixes = tuple(_prefix(prefix) for prefix in struct.prefixes[0 : struct.prefix_count])
    return from_struct(Advertising, struct, prefixes=prefixes)


def _prefix(struct: Any) -> AdvertisedPrefix:
    network = network_of(struct.prefix)
    assert network.version == 6
    return AdvertisedPrefix(network, struct.valid_s, struct.preferred_s, struct.on_link, struct.autonomous)
