"""libpcap, called through ctypes: packet filters in its own language, and packet files of all the kinds it reads.

DPDK needs libpcap for its pcap ports, so it is there wherever the generator runs.
"""

from __future__ import annotations

import ctypes
import functools
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wirespeed.errors import EnvironmentFault, FileFault, UsageError

MAX_FILTER_CHARS = 4096
MAX_PACKET_BYTES = 65_535

_LIBRARY = "libpcap.so.0.8"
_ETHERNET = 1
_ERROR_BYTES = 256
_NANOSECONDS = 1
_NO_NETMASK = 0xFFFF_FFFF


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint), ("instructions", ctypes.c_void_p)]


class _Header(ctypes.Structure):
    _fields_ = [
        ("seconds", ctypes.c_long),
        ("fraction", ctypes.c_long),
        ("kept_bytes", ctypes.c_uint32),
        ("whole_bytes", ctypes.c_uint32),
    ]


@functools.cache
def _library() -> ctypes.CDLL:
    try:
        lib = ctypes.CDLL(_LIBRARY)
    except OSError:
        raise EnvironmentFault(f"{_LIBRARY} is missing; as root: apt-get install libpcap0.8") from None
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, arguments in (
        ("pcap_open_dead", pointer, [number, number]),
        ("pcap_compile", number, [pointer, ctypes.POINTER(_Program), text, number, ctypes.c_uint32]),
        ("pcap_geterr", text, [pointer]),
        ("pcap_close", None, [pointer]),
        ("pcap_freecode", None, [ctypes.POINTER(_Program)]),
        ("pcap_offline_filter", number, [ctypes.POINTER(_Program), ctypes.POINTER(_Header), text]),
        ("pcap_open_offline_with_tstamp_precision", pointer, [text, ctypes.c_uint, text]),
        ("pcap_datalink", number, [pointer]),
        ("pcap_next_ex", number, [pointer, ctypes.POINTER(ctypes.POINTER(_Header)), ctypes.POINTER(pointer)]),
    ):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


class PacketFilter:
    """A compiled filter for Ethernet frames; the empty text lets all pass. UsageError says what libpcap says."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._program: _Program | None = None
        if not text.strip():
            return
        if len(text) > MAX_FILTER_CHARS or not text.isprintable():
            raise UsageError(f"packet filter of {len(text)} characters; give one line of at most {MAX_FILTER_CHARS}")
        lib, program = _library(), _Program()
        compiler = lib.pcap_open_dead(_ETHERNET, MAX_PACKET_BYTES)
        try:
            if lib.pcap_compile(compiler, ctypes.byref(program), text.encode(), 1, _NO_NETMASK):
                reason = lib.pcap_geterr(compiler).decode(errors="replace")
                raise UsageError(f"packet filter {text!r}: {reason}")
        finally:
            lib.pcap_close(compiler)
        self._program = program
        weakref.finalize(self, lib.pcap_freecode, ctypes.byref(program))

    def matches(self, packet: bytes, whole_bytes: int | None = None) -> bool:
        """`whole_bytes`: how long the packet was, when less of it was kept."""
        if self._program is None:
            return True
        header = _Header(kept_bytes=len(packet), whole_bytes=len(packet) if whole_bytes is None else whole_bytes)
        return bool(_library().pcap_offline_filter(ctypes.byref(self._program), ctypes.byref(header), packet))


def read_packets(path: Path) -> Iterator[tuple[float, bytes]]:
    """Times in seconds and frames of a packet file (pcap or pcapng of Ethernet); FileFault says what is wrong."""
    lib = _library()
    with _open(path) as handle:
        header, data = ctypes.POINTER(_Header)(), ctypes.c_void_p()
        while (status := lib.pcap_next_ex(handle, ctypes.byref(header), ctypes.byref(data))) == 1:
            seen = header.contents
            if seen.kept_bytes < seen.whole_bytes:
                raise FileFault(f"packet file {path} holds packets cut short; record them whole (tcpdump -s 0)")
            if data.value is None:
                raise FileFault(f"packet file {path} holds an empty packet")
            yield seen.seconds + seen.fraction / 1e9, ctypes.string_at(data.value, seen.kept_bytes)
        if status != -2:  # the end of the file
            raise FileFault(f"packet file {path} cannot be read: {lib.pcap_geterr(handle).decode(errors='replace')}")


@contextmanager
def _open(path: Path) -> Iterator[int]:
    lib, error = _library(), ctypes.create_string_buffer(_ERROR_BYTES)
    handle = None
    if path.is_file():  # libpcap would wait for a pipe's writer
        handle = lib.pcap_open_offline_with_tstamp_precision(bytes(path), _NANOSECONDS, error)
    if not handle:
        raise FileFault(f"packet file {path} cannot be read: {error.value.decode(errors='replace') or 'no such file'}")
    try:
        if lib.pcap_datalink(handle) != _ETHERNET:
            raise FileFault(f"packet file {path} does not hold Ethernet frames")
        yield handle
    finally:
        lib.pcap_close(handle)
