"""libpcap: packet filters in its own language, and packet files of all the kinds it reads.

Its module is apart from the core, so that a client that reads a packet file loads no DPDK.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from wirespeed.errors import EnvironmentFault, FileFault, UsageError
from wirespeed.files import open_regular

MAX_FILTER_CHARS = 4096
MAX_PACKET_BYTES = 65_535


@functools.cache
def _pcap() -> Any:
    try:
        return import_module("wirespeed._native._pcap")
    except ImportError as error:
        raise EnvironmentFault(
            f"libpcap cannot be used ({error}); install it (apt-get install libpcap0.8) or build its module with: make"
        ) from None


class PacketFilter:
    """A compiled filter for Ethernet frames; the empty text lets all pass. UsageError says what libpcap says."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._program: Any = None
        if not text.strip():
            return
        if len(text) > MAX_FILTER_CHARS or not text.isprintable():
            raise UsageError(f"packet filter of {len(text)} characters; give one line of at most {MAX_FILTER_CHARS}")
        ffi, lib = _pcap().ffi, _pcap().lib
        program = ffi.new("struct bpf_program *")
        compiler = lib.pcap_open_dead(lib.DLT_EN10MB, MAX_PACKET_BYTES)
        if not compiler:
            raise EnvironmentFault("libpcap has no memory to compile a packet filter")
        try:
            # Not optimized: libpcap's optimizer needs minutes for a line of "port 1 or port 2 or …", and what it
            # saves cannot be measured beside the call.
            if lib.pcap_compile(compiler, program, text.encode(), 0, lib.PCAP_NETMASK_UNKNOWN):
                raise UsageError(f"packet filter {text!r}: {_said(lib.pcap_geterr(compiler))}")
        finally:
            lib.pcap_close(compiler)
        self._program = ffi.gc(program, lib.pcap_freecode)

    def matches(self, packet: bytes, whole_bytes: int | None = None) -> bool:
        """`whole_bytes`: how long the packet was, when less of it was kept."""
        if self._program is None:
            return True
        ffi, lib = _pcap().ffi, _pcap().lib
        header = ffi.new("struct pcap_pkthdr *")
        header.caplen = len(packet)
        header.len = len(packet) if whole_bytes is None else whole_bytes
        return bool(lib.pcap_offline_filter(self._program, header, packet))


def read_packets(path: Path) -> Iterator[tuple[float, bytes]]:
    """Times in seconds and frames of a packet file (pcap or pcapng of Ethernet); FileFault for an invalid file, with
    the reason."""
    ffi, lib = _pcap().ffi, _pcap().lib
    with _open(path) as handle:
        header, data = ffi.new("struct pcap_pkthdr **"), ffi.new("unsigned char **")
        while (status := lib.pcap_next_ex(handle, header, data)) == 1:
            seen = header[0]
            if seen.caplen < seen.len:
                raise FileFault(f"packet file {path} holds packets cut short; record them whole (tcpdump -s 0)")
            if not data[0]:
                raise FileFault(f"packet file {path} holds an empty packet")
            # A copy: what libpcap points at is its own, until the next packet is read.
            yield seen.ts.tv_sec + seen.ts.tv_usec / 1e9, bytes(ffi.buffer(data[0], seen.caplen))
        if status != lib.PCAP_ERROR_BREAK:  # the end of the file
            raise FileFault(f"packet file {path} cannot be read: {_said(lib.pcap_geterr(handle))}")


@contextmanager
def _open(path: Path) -> Iterator[Any]:
    ffi, lib = _pcap().ffi, _pcap().lib
    open_regular(path, "packet file").close()  # libpcap would wait for a pipe's writer
    error = ffi.new("char[]", lib.PCAP_ERRBUF_SIZE)
    # Absolute, since libpcap reads standard input for a file called "-".
    name = bytes(path.absolute())
    handle = lib.pcap_open_offline_with_tstamp_precision(name, lib.PCAP_TSTAMP_PRECISION_NANO, error)
    if not handle:
        raise FileFault(f"packet file {path} cannot be read: {_said(error)}")
    try:
        if lib.pcap_datalink(handle) != lib.DLT_EN10MB:
            raise FileFault(f"packet file {path} does not hold Ethernet frames")
        yield handle
    finally:
        lib.pcap_close(handle)


def _said(text: Any) -> str:
    said: str = _pcap().ffi.string(text).decode(errors="replace")
    return said
