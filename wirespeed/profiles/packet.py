"""A stream's packet: scapy's layers to bytes, and the place of each header and field in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from wirespeed._native.pcap import read_packets
from wirespeed.profiles.field_program import STLScVmRaw
from wirespeed.profiles.instructions import Json, STLError
from wirespeed.scapy_layers import Ether, Packet, hexdump, wrpcap

_NAME = re.compile(r"(?P<layer>[^:.]+)(?::(?P<index>\d+))?(?:\.(?P<field>\w+))?")


class PacketLayout:
    """Offsets in a packet that scapy built or took apart."""

    def __init__(self, packet: Packet) -> None:
        self._packet = packet

    def header_offset(self, name: str) -> int:
        return self._find(name)[1]

    def field_offset(self, name: str) -> int:
        layer, offset, wanted = self._find(name)
        if wanted is None:
            raise STLError(f"offset {name!r} names a header but no field; give it as in IP.src")
        written: Any = b""  # scapy holds bits that do not fill a byte yet as (bytes, bits, value)
        for field in layer.fields_desc:
            if field.name == wanted:
                return offset + len(written[0] if isinstance(written, tuple) else written)
            written = field.addfield(layer, written, layer.getfieldval(field.name))
        known = ", ".join(field.name for field in layer.fields_desc)
        raise STLError(f"offset {name!r}: {type(layer).__name__} has no field {wanted!r}; it has {known}")

    def _find(self, name: str) -> tuple[Packet, int, str | None]:
        """The layer a name means, its offset, and the field asked for."""
        match = _NAME.fullmatch(name)
        if match is None:
            raise STLError(f"offset {name!r} cannot be read; give a number, or a name such as IP.src, IP:1.dst or IP")
        skip = int(match["index"] or 0)
        offset, layer = 0, self._packet
        while layer:
            if match["layer"] in (type(layer).__name__, layer.name.replace(".", "|")):
                if skip == 0:
                    return layer, offset, match["field"]
                skip -= 1
            offset += len(layer) - len(layer.payload)
            layer = layer.payload
        there = "/".join(kind.__name__ for kind in self._packet.layers())
        raise STLError(f"offset {name!r}: the packet has no such header; its headers are {there}")


class STLPktBuilder:
    """A packet and the field program that changes it, under the name T-Rex's profiles use."""

    def __init__(
        self,
        pkt: Any = None,
        pkt_buffer: bytes | None = None,
        vm: Any = None,
        path_relative_to_profile: bool = False,
        build_raw: bool = False,
        remove_fcs: bool = True,
    ) -> None:
        self._remove_fcs = remove_fcs
        if pkt is not None and pkt_buffer is not None:
            raise STLError("STLPktBuilder takes one packet: give pkt= (scapy layers or a pcap file) or pkt_buffer=")
        self._directory = PROFILE_DIRECTORY[-1] if path_relative_to_profile and PROFILE_DIRECTORY else Path()
        self._packet: Packet | None = None
        self._bytes = b""
        self._from_bytes = False
        if pkt_buffer is not None:
            self.set_pkt_as_str(pkt_buffer)
        elif pkt is not None:
            self.set_packet(pkt)
        if build_raw and self._from_bytes:
            self._build()
        self._program = vm if isinstance(vm, STLScVmRaw) else STLScVmRaw(vm if isinstance(vm, list) else None)
        if vm is not None and not isinstance(vm, STLScVmRaw | list):
            raise STLError(f"vm= takes STLVM, STLScVmRaw or a list of instructions, not {type(vm).__name__}")

    def set_packet(self, pkt: Any) -> None:
        """scapy's layers, or the name of a packet file of which the first packet is taken."""
        if isinstance(pkt, str):
            return self.set_pcap_file(pkt)
        if not isinstance(pkt, Packet):
            raise STLError(f"STLPktBuilder takes scapy layers such as Ether()/IP()/UDP(), not {type(pkt).__name__}")
        self._packet, self._bytes, self._from_bytes = pkt, bytes(pkt), False
        return None

    def set_pkt_as_str(self, pkt_buffer: bytes) -> None:
        if not isinstance(pkt_buffer, bytes):
            raise STLError(f"pkt_buffer= takes bytes, not {type(pkt_buffer).__name__}")
        self._packet, self._bytes, self._from_bytes = Ether(pkt_buffer), pkt_buffer, True

    def set_pcap_file(self, pcap_file: str) -> None:
        self.set_pkt_as_str(self._first_of_pcap(pcap_file))

    def __bytes__(self) -> bytes:
        if self._layers().lastlayer().name == "Padding":
            self._program.encode(self)  # which builds the packet where a field is named
        return self._bytes

    # ---- where its program's fields are

    def header_offset(self, name: str) -> int:
        return PacketLayout(self._build()).header_offset(name)

    def field_offset(self, name: str) -> int:
        return PacketLayout(self._build()).field_offset(name)

    def _layers(self) -> Packet:
        if self._packet is None:
            raise STLError("STLPktBuilder has no packet: give pkt= (scapy layers or a pcap file) or pkt_buffer=")
        return self._packet

    def _build(self) -> Packet:
        """The layers, as T-Rex builds them where a program names their fields or `build_raw` asks for it: without what
        lies behind the length that a header tells, which it takes for the FCS of a captured frame."""
        packet = self._layers()
        last = packet.lastlayer()
        if self._remove_fcs and last.name == "Padding" and last.underlayer is not None:
            last.underlayer.remove_payload()
            self._bytes = bytes(packet)
        return packet

    def get_pkt_len(self) -> int:
        """Bytes without FCS."""
        return len(bytes(self))

    def add_command(self, script: STLScVmRaw) -> None:
        """Add a field program's steps behind those that are there."""
        self._program = STLScVmRaw([*self._program.commands, *script.commands], script.cache_size)

    def dump_pkt_to_pcap(self, file_path: str) -> None:
        wrpcap(file_path, self._layers())

    def to_pkt_dump(self) -> None:
        """Print the packet layer by layer, and its bytes."""
        self._layers().show2()
        hexdump(self._layers())

    def get_vm_data(self) -> Json:
        return self._program.encode(self)

    def has_own_mac(self, field: str) -> bool:
        """True if the profile gave the address by name; addresses in raw bytes are replaced by the port's."""
        return not self._from_bytes and isinstance(self._packet, Ether) and field in self._packet.fields

    def _first_of_pcap(self, name: str) -> bytes:
        path = self._directory / name
        try:
            return next(read_packets(path))[1]
        except StopIteration:
            raise STLError(f"packet file {str(path)!r} holds no packet; give another") from None


PROFILE_DIRECTORY: list[Path] = []
"""Directory of the profile file that runs now, for `path_relative_to_profile`; empty for the built-in ones."""
