"""Field programs on the real data plane: each sent packet is compared with the one that scapy builds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from scapy.all import IP, TCP, UDP, Ether, ICMPv6EchoRequest, IPv6, Packet, Raw

from wirespeed._native.stream_records import Op, OpKind, Stream, StreamMode, VarKind

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_child import GeneratorChild

ETHER = {"dst": "00:00:00:02:00:00", "src": "00:00:00:01:00:00"}
PACKETS = 150  # more than two batches
UDP_L4, TCP_L4, IP_L4 = 11, 13, 17

LONG = (Op(OpKind.VAR, var=15, size=8, max=2**40),)
"""An unused variable that keeps a program from being unrolled into ready packets."""


def ip4(
    src: str = "16.0.0.1", dst: str = "48.0.0.1", sport: int = 1025, dport: int = 12, pad: int = 30, **fields: int
) -> Packet:
    payload = Raw(bytes(i * 7 % 256 for i in range(pad)))
    return Ether(**ETHER) / IP(src=src, dst=dst, **fields) / UDP(sport=sport, dport=dport) / payload


def stale(packet: Packet, **checksums: int) -> bytes:
    """The packet with wrong checksums, which the program has to correct."""
    for layer in (IP, UDP, TCP, ICMPv6EchoRequest):
        if layer in packet:
            field = "cksum" if layer is ICMPv6EchoRequest else "chksum"
            setattr(packet[layer], field, checksums.get(layer.__name__, 0x1234))
    return bytes(packet)


def address(number: int) -> str:
    return ".".join(str(byte) for byte in number.to_bytes(4, "big"))


@pytest.fixture(scope="module")
def child() -> Iterator[GeneratorChild]:
    with GeneratorChild("ring:loop") as started:
        yield started


def sent(
    child: GeneratorChild, packet: bytes, ops: tuple[Op, ...], count: int = PACKETS, **options: int
) -> list[bytes]:
    """The frames as they come back; none may be missing."""
    stream = Stream(1, packet, mode=StreamMode.SINGLE_BURST, rate_pps=5e3, packets=count, ops=ops, **options)
    capture = child.start_capture([], [0], 2 * PACKETS)
    child.start(0, stream)
    child.finish()
    captured = [one.data for one in child.read_capture(capture)]
    child.change("stop_capture", capture)
    assert len(captured) == count
    return captured


def counter(var: int, low: int, high: int, init: int | None = None, **rest: int) -> Op:
    first = low if init is None else init
    return Op(OpKind.VAR, var=var, size=4, min=low, max=high, init=first, **rest)


def var2(turn: int) -> Packet:
    return ip4(src=address(0x10000004 + turn % 251), dst=address(0x30000004 + turn % 251))


def down_by_three(turn: int) -> Packet:
    return ip4(sport=2008 - turn * 3 % 9)


def tuple_of_six(turn: int) -> Packet:
    return ip4(src=address(0x10000001 + turn % 3), sport=1025 + turn // 3 % 2)


def from_list(turn: int) -> Packet:
    return ip4(dport=[53, 80, 443, 8080, 65535][turn * 2 % 5])


def dscp(turn: int) -> Packet:
    return ip4(tos=0x03 | (turn % 64) << 2)


def sized(turn: int) -> Packet:
    return ip4(pad=18 + turn % 20)


def tcp6(turn: int) -> Packet:
    return Ether(**ETHER) / IPv6(src="2001:db8::1", dst="2001:db8::2") / TCP(sport=turn, dport=80) / Raw(b"odd")


def udp6(turn: int) -> Packet:
    return (
        Ether(**ETHER)
        / IPv6(src=f"2001:db8::{turn:x}", dst="2001:db8::2")
        / UDP(sport=1, dport=2)
        / Raw(b"twelve bytes")
    )


def icmp6(turn: int) -> Packet:
    return Ether(**ETHER) / IPv6(src="2001:db8::1", dst="2001:db8::2") / ICMPv6EchoRequest(id=7, seq=turn, data=b"ping")


def tcp4(turn: int) -> Packet:
    return Ether(**ETHER) / IP(src="16.0.0.1", dst="48.0.0.1", options=[]) / TCP(seq=0xFFFFFF00 + turn) / Raw(b"x" * 11)


def write(var: int, offset: int, size: int, add: int = 0) -> Op:
    return Op(OpKind.WRITE, var=var, offset=offset, size=size, add=add)


def fix(l3_len: int, l4: int) -> Op:
    return Op(OpKind.FIX_L4, l2_len=14, l3_len=l3_len, l4=l4)


FIX_IP4 = Op(OpKind.FIX_IP4, offset=14)
CASES: dict[str, tuple[Callable[[int], Packet], tuple[Op, ...]]] = {
    "two addresses": (
        var2,
        (
            counter(0, 0x10000004, 0x100000FE),
            write(0, 26, 4),
            counter(1, 4, 254),
            write(1, 30, 4, 0x30000000),
            fix(20, UDP_L4),
        ),
    ),
    "down by three": (
        down_by_three,
        (counter(0, 2000, 2008, 2008, step=3, var_kind=VarKind.DEC), write(0, 34, 2), fix(20, UDP_L4)),
    ),
    "tuple": (
        tuple_of_six,
        (
            Op(OpKind.TUPLE, var=0, var2=1, min=0x10000001, max=0x10000003, min2=1025, max2=1026),
            write(0, 26, 4),
            write(1, 34, 2),
            fix(20, UDP_L4),
        ),
    ),
    "list": (
        from_list,
        (
            Op(OpKind.VAR, size=2, var_kind=VarKind.LIST, list=(53, 80, 443, 8080, 65535), step=2),
            write(0, 36, 2),
            fix(20, UDP_L4),
        ),
    ),
    "mask": (
        dscp,
        (
            counter(0, 0, 63),
            Op(OpKind.WRITE_MASK, var=0, offset=15, size=1, mask=0xFC, shift=2),
            FIX_IP4,
        ),
    ),
    "size": (
        sized,
        (
            counter(0, 60, 79),
            Op(OpKind.TRIM, var=0),
            write(0, 16, 2, -14),
            write(0, 38, 2, -34),
            fix(20, UDP_L4),
        ),
    ),
    "tcp over ip6": (tcp6, (counter(0, 0, 1000), write(0, 54, 2), fix(40, TCP_L4))),
    "udp over ip6": (udp6, (counter(0, 0, 1000), write(0, 36, 2), fix(40, UDP_L4))),
    "icmp6": (
        icmp6,
        (counter(0, 0, 1000), write(0, 60, 2), Op(OpKind.FIX_ICMP6, l2_len=14, l3_len=40)),
    ),
    "tcp": (tcp4, (counter(0, 0xFFFFFF00, 0xFFFFFFFF), write(0, 38, 4), fix(20, TCP_L4))),
    "ip alone": (
        lambda turn: ip4(id=turn),
        (counter(0, 0, 0xFFFF), write(0, 18, 2), fix(20, IP_L4)),
    ),
}


def expected(build: Callable[[int], Packet], turn: int, mends_l4: bool) -> bytes:
    """The whole frame; a program that does not change L4 keeps the template's checksum there."""
    packet = build(turn)
    if not mends_l4 and UDP in packet:
        packet[UDP].chksum = 0x1234
    return bytes(packet).ljust(60, b"\0")


@pytest.mark.parametrize("unrolled", [True, False], ids=["ready", "live"])
@pytest.mark.parametrize("name", CASES)
def test_packets_are_those_that_scapy_builds(child: GeneratorChild, name: str, unrolled: bool) -> None:
    build, ops = CASES[name]
    template = stale(build(19 if name == "size" else 0))
    mends_l4 = any(op.kind == OpKind.FIX_ICMP6 or (op.kind == OpKind.FIX_L4 and op.l4 != IP_L4) for op in ops)
    for turn, frame in enumerate(sent(child, template, ops if unrolled else LONG + ops)):
        assert frame.hex() == expected(build, turn, mends_l4).hex(), f"packet {turn}"


def test_little_endian_write(child: GeneratorChild) -> None:
    ops = (counter(0, 0x01020304, 0x01020305), Op(OpKind.WRITE, offset=50, size=4, big_endian=False))
    assert [frame[50:54].hex() for frame in sent(child, bytes(ip4()), ops, 3)] == [
        "04030201",
        "05030201",
        "04030201",
    ]


def test_cache_replays_the_first_packets(child: GeneratorChild) -> None:
    ops = (counter(0, 0, 1000), write(0, 50, 2))
    values = [int.from_bytes(frame[50:52], "big") for frame in sent(child, bytes(ip4()), ops, cache=7)]
    assert values == [turn % 7 for turn in range(len(values))]


def test_random_values_are_reproducible(child: GeneratorChild) -> None:
    ops = (
        Op(OpKind.VAR, size=4, var_kind=VarKind.RANDOM, min=10, max=0xFFFFFFFF),
        write(0, 30, 4),
        Op(OpKind.VAR, var=1, size=2, var_kind=VarKind.RAND_LIMIT, max=0xFFFF, limit=20, seed=5),
        write(1, 36, 2),
        fix(20, UDP_L4),
    )
    first = sent(child, bytes(ip4()), ops)
    again = sent(child, bytes(ip4()), ops)
    other = sent(child, bytes(ip4()), ops, random_seed=77)
    common = min(len(first), len(again), len(other))
    assert first[:common] == again[:common]
    assert [frame[30:34] for frame in first[:common]] != [frame[30:34] for frame in other[:common]]
    assert len({frame[30:34] for frame in first}) > 0.9 * len(first)
    ports = [frame[36:38] for frame in first]
    assert all(port == ports[turn % 20] for turn, port in enumerate(ports))
    assert len(set(ports)) > 15
    for frame in first:
        packet = Ether(frame)
        del packet[IP].chksum, packet[UDP].chksum
        assert bytes(packet) == frame
