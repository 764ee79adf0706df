"""Rules and sessions of ACLs in an evaluator that applies them one after the other; and its packets."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from enum import Enum
from ipaddress import IPv4Address, IPv6Address

from wirespeed.router.features.acl.core import AclAction, AclRule

ICMP, TCP, UDP, GRE, ICMP6, SCTP = 1, 6, 17, 47, 58, 132
PORTS = (TCP, UDP, SCTP)
TYPES = (ICMP, ICMP6)
_ECHO = {ICMP: (8, 0), ICMP6: (128, 129)}
_FAMILY_ICMP = {4: ICMP, 6: ICMP6}


class Part(Enum):
    WHOLE = 0
    LATER_FRAGMENT = 1
    CUT_OFF = 2
    """The packet ends after the first byte of the upper header."""


@dataclass(frozen=True)
class Packet:
    """For ICMP the ports are type and code."""

    source: IPv4Address | IPv6Address
    destination: IPv4Address | IPv6Address
    protocol: int
    source_port: int = 0
    destination_port: int = 0
    tcp_flags: int = 0
    identifier: int = 0
    part: Part = Part.WHOLE

    @property
    def answer(self) -> Packet:
        turned = replace(self, source=self.destination, destination=self.source)
        if self.protocol not in TYPES:
            return replace(turned, source_port=self.destination_port, destination_port=self.source_port)
        request, reply = _ECHO[self.protocol]
        types = {request: reply, reply: request}
        return replace(turned, source_port=types.get(self.source_port, self.source_port))

    def frame(self) -> bytes:
        upper = self._upper()
        if self.source.version == 4:
            fragment = 100 if self.part is Part.LATER_FRAGMENT else 0
            fields = (0x45, 0, 20 + len(upper), 1, fragment, 64, self.protocol)
            head = struct.pack("!BBHHHBB", *fields)
            ends = self.source.packed + self.destination.packed
            words = struct.unpack("!9H", head + ends)
            total = sum(words)
            checksum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
            return bytes(12) + b"\x08\x00" + head + struct.pack("!H", checksum) + ends + upper
        following = self.protocol
        if self.part is Part.LATER_FRAGMENT:
            upper = struct.pack("!BBHI", self.protocol, 0, 100 << 3, 9) + upper
            following = 44
        head = struct.pack("!IHBB", 6 << 28, len(upper), following, 64)
        return bytes(12) + b"\x86\xdd" + head + self.source.packed + self.destination.packed + upper

    def _upper(self) -> bytes:
        if self.part is Part.CUT_OFF:
            return b"\0"
        if self.protocol in TYPES:
            return struct.pack("!BBHHH", self.source_port, self.destination_port, 0, self.identifier, 0) + bytes(12)
        head = struct.pack("!HH", self.source_port, self.destination_port) + bytes(9)
        return head + bytes([self.tcp_flags if self.protocol == TCP else 0]) + bytes(6)


def fits(rule: AclRule, packet: Packet) -> bool:
    if rule.source.version != packet.source.version or rule.protocol not in (0, packet.protocol):
        return False
    if packet.source not in rule.source or packet.destination not in rule.destination:
        return False
    most = 255 if rule.protocol in TYPES else 65535
    asks = rule.source_ports != (0, most) or rule.destination_ports != (0, most) or rule.tcp_flags_mask
    if not asks or packet.part is Part.LATER_FRAGMENT:
        return True
    return (
        packet.part is Part.WHOLE
        and rule.source_ports[0] <= packet.source_port <= rule.source_ports[1]
        and rule.destination_ports[0] <= packet.destination_port <= rule.destination_ports[1]
        and not (packet.tcp_flags ^ rule.tcp_flags_value) & rule.tcp_flags_mask
    )


@dataclass
class NaiveAcls:
    """ACLs of one interface's input and output; the key of a session is the same for both of its directions."""

    rules: tuple[list[AclRule], list[AclRule]]
    sessions: set[tuple[object, ...]] = field(default_factory=set)

    def judge(self, packet: Packet, is_output: bool) -> tuple[bool, int]:
        """True if the packet passes, and the number of the rule that decided; -1 if no rule did."""
        session = _session(packet, is_output)
        if session in self.sessions:
            return True, -1
        for number, rule in enumerate(self.rules[is_output]):
            if fits(rule, packet):
                if rule.action is AclAction.REFLECT and session is not None:
                    self.sessions.add(session)
                return rule.action is not AclAction.DENY, number
        return False, -1


def _session(packet: Packet, is_output: bool) -> tuple[object, ...] | None:
    """The key, with the end behind the interface first; None for a packet that cannot belong to a session."""
    if packet.part is Part.LATER_FRAGMENT or (packet.part is Part.CUT_OFF and packet.protocol in (*PORTS, *TYPES)):
        return None
    ends = [(packet.source, packet.source_port), (packet.destination, packet.destination_port)]
    if packet.protocol in TYPES:
        if packet.protocol != _FAMILY_ICMP[packet.source.version] or packet.destination_port:
            return None
        if packet.source_port not in _ECHO[packet.protocol]:
            return None
        asks = packet.source_port == _ECHO[packet.protocol][0]
        asker = "far" if asks == is_output else "near"
        ends = [(packet.source, packet.identifier), (packet.destination, packet.identifier)]
        near, far = reversed(ends) if is_output else ends
        return packet.protocol, near, far, asker
    if packet.protocol not in PORTS:
        ends = [(packet.source, 0), (packet.destination, 0)]
    near, far = reversed(ends) if is_output else ends
    return packet.protocol, near, far
