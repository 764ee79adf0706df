"""VLANs, cross-connects and bridge domains, byte for byte: tags are written by hand from IEEE 802.1Q."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from router_run import CROSSED, RouterProcess, assert_conserved, route, router
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw

from wirespeed.errors import UsageError

MACS = [f"02:fe:00:00:00:{n:02x}" for n in range(6)]
A, B, C = "02:aa:00:00:00:0a", "02:bb:00:00:00:0b", "02:cc:00:00:00:0c"
ALL = "ff:ff:ff:ff:ff:ff"


def interfaces(count: int) -> str:
    lines = [f"set interface mac address e{n} {MACS[n]}\nset interface state e{n} up\n" for n in range(count)]
    return "".join(lines)


def frame(src: str, dst: str, *layers: Packet, payload: bytes = b"x" * 46) -> bytes:
    packet: Packet = Ether(src=src, dst=dst)
    for layer in layers:
        packet /= layer
    return bytes(packet / Raw(payload)) if not layers else bytes(packet)


def body(text: bytes = b"payload") -> Packet:
    return IP(src="10.9.9.9", dst="10.8.8.8") / UDP(sport=1, dport=2) / Raw(text.ljust(30))


# ---- Sub-interfaces


SUB = """\
create sub-interfaces e0 100
create sub-interfaces e0 200 dot1ad 7 inner-dot1q 9 exact-match
set interface state e0.100 up
set interface state e0.200 up
set interface ip address e0.100 10.1.0.1/24
set interface ip address e0.200 10.2.0.1/24
set interface ip address e1 10.3.0.1/24
ip neighbor e1 10.3.0.2 02:ee:00:00:00:01
ip neighbor e0.100 10.1.0.2 02:ee:00:00:01:00
ip neighbor e0.200 10.2.0.2 02:ee:00:00:02:00
"""


def ip(src: str, dst: str, ttl: int = 64) -> Packet:
    return IP(src=src, dst=dst, ttl=ttl, id=1) / UDP(sport=5, dport=6) / Raw(b"0123456789" * 3)


@pytest.mark.parametrize(
    ("layers", "reason"),
    [
        ([Dot1Q(vlan=101)], "unknown vlan"),
        ([Dot1AD(vlan=100)], "unknown vlan"),
        ([Dot1Q(vlan=100), Dot1Q(vlan=5)], "unknown vlan"),
        ([Dot1AD(vlan=7)], "unknown vlan"),
        ([Dot1AD(vlan=7), Dot1Q(vlan=9), Dot1Q(vlan=1)], "unknown vlan"),
        ([Dot1AD(vlan=7), Dot1Q(vlan=9)] + [Dot1Q(vlan=1)] * 300, "unknown vlan"),
    ],
)
def test_tags_that_nobody_takes_are_dropped(tmp_path: Path, layers: list[Packet], reason: str) -> None:
    packet: Packet = Ether(src=A, dst=MACS[0])
    for layer in layers:
        packet /= layer
    outcome = route(tmp_path, interfaces(2) + SUB, [bytes(packet / ip("10.1.0.2", "10.3.0.2"))], [])
    assert outcome.frames == [[], []]
    assert outcome.counters[f"ethernet-input: {reason}"] == 1
    assert_conserved(outcome)


def test_frames_that_end_within_a_tag_are_runts(tmp_path: Path) -> None:
    whole = bytes(Ether(src=A, dst=MACS[0]) / Dot1AD(vlan=7) / Dot1Q(vlan=9) / ip("10.2.0.2", "10.3.0.2"))
    cut = [whole[:length] for length in range(14, 22)]
    outcome = route(tmp_path, interfaces(2) + SUB, cut, [])
    assert outcome.counters["ethernet-input: frame shorter than its header"] == len(cut)
    assert_conserved(outcome)


def test_a_tag_of_vlan_0_is_a_priority_only(tmp_path: Path) -> None:
    config = interfaces(2) + SUB + "set interface ip address e0 10.4.0.1/24\n"
    packet = bytes(Ether(src=A, dst=MACS[0]) / Dot1Q(vlan=0, prio=6) / ip("10.4.0.2", "10.3.0.2"))
    outcome = route(tmp_path, config, [packet], [])
    assert outcome.frames[1] == [bytes(Ether(src=MACS[1], dst="02:ee:00:00:00:01") / ip("10.4.0.2", "10.3.0.2", 63))]


def test_the_subinterface_that_says_most_takes_the_frame(tmp_path: Path) -> None:
    subs = ["dot1q 5 inner-dot1q 9", "dot1q 5 inner-dot1q any", "dot1q any", "untagged", "default"]
    config = interfaces(6)
    for number, match in enumerate(subs, 1):
        config += f"create sub-interfaces e0 {number} {match}\nset interface state e0.{number} up\n"
        config += f"set interface l2 xconnect e0.{number} e{number}\n"
    tags: dict[int, list[list[Packet]]] = {
        1: [[Dot1Q(vlan=5), Dot1Q(vlan=9)], [Dot1Q(vlan=5), Dot1Q(vlan=9), Dot1Q(vlan=1)]],
        2: [[Dot1Q(vlan=5), Dot1Q(vlan=8)]],
        3: [[Dot1Q(vlan=5)], [Dot1Q(vlan=7)], [Dot1Q(vlan=7), Dot1Q(vlan=9)]],
        4: [[]],
        5: [[Dot1AD(vlan=5)], [Dot1AD(vlan=5), Dot1Q(vlan=9)]],
    }
    frames = {number: [frame(A, B, *layers, body()) for layers in kinds] for number, kinds in tags.items()}
    outcome = route(tmp_path, config, [one for kind in frames.values() for one in kind], [], [], [], [], [])
    assert outcome.frames == [[], *frames.values()]
    assert_conserved(outcome)


def test_a_subinterface_for_untagged_frames_routes_in_its_ports_place(tmp_path: Path) -> None:
    config = interfaces(2) + "set interface ip address e1 10.3.0.1/24\nip neighbor e1 10.3.0.2 02:ee:00:00:00:01\n"
    config += "create sub-interfaces e0 1 untagged\nset interface state e0.1 up\n"
    config += "set interface ip address e0.1 10.1.0.1/24\nip neighbor e0.1 10.1.0.2 02:ee:00:00:01:00\n"
    there = bytes(Ether(src=A, dst=MACS[0]) / ip("10.1.0.2", "10.3.0.2"))
    back = bytes(Ether(src=B, dst=MACS[1]) / ip("10.3.0.2", "10.1.0.2"))
    tagged = bytes(Ether(src=A, dst=MACS[0]) / Dot1Q(vlan=5) / ip("10.1.0.2", "10.3.0.2"))
    outcome = route(tmp_path, config, [there, tagged], [back], ask=["show interface e0.1"])
    assert outcome.frames == [
        [bytes(Ether(src=MACS[0], dst="02:ee:00:00:01:00") / ip("10.3.0.2", "10.1.0.2", 63))],
        [bytes(Ether(src=MACS[1], dst="02:ee:00:00:00:01") / ip("10.1.0.2", "10.3.0.2", 63))],
    ]
    assert outcome.counters["ethernet-input: unknown vlan"] == 1
    assert "rx packets                     1" in outcome.answers[0]


# ---- Cross-connects and tag rewrites


def crossed(rewrite: str, tags: str = "dot1q 100") -> str:
    return (
        interfaces(2)
        + f"create sub-interfaces e0 1 {tags} exact-match\nset interface state e0.1 up\n"
        + "set interface l2 xconnect e0.1 e1\nset interface l2 xconnect e1 e0.1\n"
        + f"set interface l2 tag-rewrite e0.1 {rewrite}\n"
    )


@pytest.mark.parametrize(
    ("rewrite", "tags", "inside", "outside"),
    [
        ("disable", "dot1q 100", [Dot1Q(vlan=100)], [Dot1Q(vlan=100)]),
        ("pop 1", "dot1q 100", [Dot1Q(vlan=100)], []),
        ("pop 2", "dot1ad 100 inner-dot1q 5", [Dot1AD(vlan=100), Dot1Q(vlan=5)], []),
        ("pop 1", "dot1ad 100 inner-dot1q 5", [Dot1AD(vlan=100), Dot1Q(vlan=5)], [Dot1Q(vlan=5)]),
        ("push dot1q 7", "dot1q 100", [Dot1Q(vlan=100)], [Dot1Q(vlan=7), Dot1Q(vlan=100)]),
        ("push dot1ad 7 8", "dot1q 100", [Dot1Q(vlan=100)], [Dot1AD(vlan=7), Dot1Q(vlan=8), Dot1Q(vlan=100)]),
        ("translate-1-1 dot1q 200", "dot1q 100", [Dot1Q(vlan=100)], [Dot1Q(vlan=200)]),
        ("translate-1-2 dot1ad 200 300", "dot1q 100", [Dot1Q(vlan=100)], [Dot1AD(vlan=200), Dot1Q(vlan=300)]),
        ("translate-2-1 dot1q 9", "dot1ad 100 inner-dot1q 5", [Dot1AD(vlan=100), Dot1Q(vlan=5)], [Dot1Q(vlan=9)]),
        (
            "translate-2-2 dot1ad 9 10",
            "dot1ad 100 inner-dot1q 5",
            [Dot1AD(vlan=100), Dot1Q(vlan=5)],
            [Dot1AD(vlan=9), Dot1Q(vlan=10)],
        ),
    ],
)
def test_tags_are_rewritten_there_and_back(
    tmp_path: Path, rewrite: str, tags: str, inside: list[Packet], outside: list[Packet]
) -> None:
    there, back = frame(A, B, *inside, body()), frame(B, A, *outside, body(b"back"))
    outcome = route(tmp_path, crossed(rewrite, tags), [there], [back], ask=["show mode"])
    assert outcome.frames == [[frame(B, A, *inside, body(b"back"))], [frame(A, B, *outside, body())]]
    assert_conserved(outcome)
    wanted = "" if rewrite == "disable" else f" tag-rewrite {rewrite}"
    assert f"l2 xconnect e0.1 e1{wanted}\n" in outcome.answers[0]


def test_a_translated_tag_keeps_the_priority(tmp_path: Path) -> None:
    sent = frame(A, B, Dot1Q(vlan=100, prio=5), body())
    outcome = route(tmp_path, crossed("translate-1-1 dot1q 200"), [sent], [])
    assert outcome.frames[1] == [frame(A, B, Dot1Q(vlan=200, prio=5), body())]


def test_a_frame_without_the_tags_to_take_off_is_dropped(tmp_path: Path) -> None:
    # Sent by e0.1, one tag is removed: the one that is pushed on received frames.
    outcome = route(tmp_path, crossed("push dot1q 7"), [], [frame(B, A, body())])
    assert outcome.frames == [[], []]
    assert outcome.counters["l2-output: frame has fewer tags than are to be taken off"] == 1
    assert_conserved(outcome)


def test_a_port_in_l2_takes_what_no_subinterface_does(tmp_path: Path) -> None:
    config = interfaces(3) + "create sub-interfaces e0 5 dot1q 5\nset interface state e0.5 up\n"
    config += "set interface l2 xconnect e0 e1\nset interface l2 xconnect e0.5 e2\n"
    frames = [frame(A, B, *layers, body()) for layers in ([], [Dot1Q(vlan=6)], [Dot1Q(vlan=5)])]
    # Not exact: further tags behind the matched ones do not matter.
    frames.append(frame(A, B, Dot1Q(vlan=5), Dot1Q(vlan=6), body()))
    outcome = route(tmp_path, config, frames, [], [])
    assert outcome.frames == [[], frames[:2], frames[2:]]


# ---- Bridge domains


def bridged(count: int = 3, extra: str = "") -> str:
    joined = "".join(f"set interface l2 bridge e{n} 10\n" for n in range(count))
    return interfaces(count) + "create bridge-domain 10\n" + joined + extra


def test_unknown_stations_are_flooded_and_known_ones_are_not(tmp_path: Path) -> None:
    # pcap ports are all read at once, so each case has a single sending port.
    sent = [frame(A, B, body(str(n).encode())) for n in range(5)]
    outcome = route(tmp_path, bridged(), sent, [], [], ask=["show l2fib verbose", "show bridge-domain 10 detail"])
    assert outcome.frames == [[], sent, sent]
    assert_conserved(outcome, made=5)
    assert outcome.counters["l2-learn: L2 mac learnt"] == 1
    assert outcome.counters["l2-flood: L2 copies flooded"] == 5
    station = next(line for line in outcome.answers[0].splitlines() if A in line).split()
    assert station == [A, "10", "1", "0", "-", "-", "-", "e0"]
    assert outcome.answers[0].endswith("L2FIB total/learned entries: 1/1\n")
    assert [line.split()[0] for line in outcome.answers[1].splitlines() if line.strip().startswith("e")] == [
        "e0",
        "e1",
        "e2",
    ]


def test_static_stations_filters_and_reflections(tmp_path: Path) -> None:
    extra = f"l2fib add {B} 10 e1 static\nl2fib add {C} 10 filter\nl2fib add 02:dd:00:00:00:0d 10 e0\n"
    sent = [frame(A, to, body()) for to in (B, C, "02:dd:00:00:00:0d")]
    sent.append(frame(B, A, body()))  # B is a static entry of e1, so it does not move
    sent.append(frame("03:00:00:00:00:01", B, body()))
    outcome = route(tmp_path, bridged(extra=extra), sent, [], [])
    assert outcome.frames == [[], [sent[0]], []]
    assert outcome.counters["l2-fwd: L2 frames to this station are filtered"] == 1
    assert outcome.counters["l2-fwd: L2 station is where the frame came from"] == 1
    assert outcome.counters["l2-learn: L2 mac move violates a static entry"] == 1
    assert outcome.counters["l2-learn: L2 sender is a group address"] == 1
    assert_conserved(outcome)


def test_split_horizon_groups_do_not_hear_each_other(tmp_path: Path) -> None:
    config = interfaces(4) + "".join(f"set interface l2 bridge e{n} 10 {n % 2}\n" for n in range(4))
    config += f"l2fib add {B} 10 e3\n"
    sent = [frame(A, ALL, body()), frame(A, B, body())]
    outcome = route(tmp_path, config, [], sent, [], [])
    assert outcome.frames == [[sent[0]], [], [sent[0]], []]
    assert outcome.counters["l2-output: L2 split horizon drop"] == 1


@pytest.mark.parametrize(
    ("options", "heard"),
    [("uu-flood 0", [ALL]), ("flood 0", [B]), ("forward 0", [ALL]), ("learn 0", [ALL, B])],
)
def test_what_a_domain_does_can_be_turned_off(tmp_path: Path, options: str, heard: list[str]) -> None:
    config = bridged().replace("create bridge-domain 10", f"create bridge-domain 10 {options}")
    sent = [frame(A, to, body()) for to in (ALL, B)]
    outcome = route(tmp_path, config, sent, [], [])
    assert outcome.frames[1] == [frame(A, to, body()) for to in heard]
    assert outcome.counters.get("l2-learn: L2 mac learnt", 0) == (0 if "learn" in options else 1)
    assert_conserved(outcome, made=len(heard))


def test_vlans_are_bridged_with_their_tags_rewritten(tmp_path: Path) -> None:
    config = interfaces(3) + "create bridge-domain 5\n"
    for port, vlan in ((0, 100), (1, 200)):
        name = f"e{port}.{vlan}"
        config += f"create sub-interfaces e{port} {vlan}\nset interface state {name} up\n"
        config += f"set interface l2 bridge {name} 5\nset interface l2 tag-rewrite {name} pop 1\n"
    config += "set interface l2 bridge e2 5\n"
    outcome = route(tmp_path, config, [frame(A, ALL, Dot1Q(vlan=100), body())], [], [])
    assert outcome.frames == [[], [frame(A, ALL, Dot1Q(vlan=200), body())], [frame(A, ALL, body())]]


def test_a_flood_of_addresses_is_bounded_and_nothing_is_lost(tmp_path: Path) -> None:
    draw = random.Random(4)
    stations = [f"02:{draw.getrandbits(40):010x}" for _ in range(20000)]
    macs = [":".join([station[:2], *(station[3:][i : i + 2] for i in range(0, 10, 2))]) for station in stations]
    prefix = [bytes.fromhex(mac.replace(":", "")) for mac in macs]
    tail = frame(A, B, body())[12:]
    sent = [bytes.fromhex(B.replace(":", "")) + mac + tail for mac in prefix]
    outcome = route(tmp_path, bridged(), sent, [], [], ask=["show l2fib", "show errors"])
    learnt = outcome.counters["l2-learn: L2 mac learnt"]
    assert learnt == len(set(prefix))
    assert outcome.answers[0] == f"L2FIB total/learned entries: {learnt}/{learnt}\n"
    made = outcome.counters["l2-flood: L2 copies flooded"] + outcome.counters.get(
        "l2-flood: L2 copy dropped: no room", 0
    )
    assert made == len(sent)
    assert_conserved(outcome, made)


# ---- What is wrong


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("set interface l2 bridge e0 0", "bridge domain 0 is not between 1 and"),
        ("set interface l2 bridge e0 10 bvi", "e0 is not a loopback; only those can be a BVI"),
        ("set interface l2 bridge loop0 10", "loop0 is a loopback: it may be a bridge domain's BVI"),
        ("set interface l2 bridge loop1 10 bvi", "bridge domain 10 already has BVI loop0; remove it first"),
        ("set interface l2 bridge e0 10 300", "split-horizon group 300 is not between 0 and 255"),
        ("set interface l2 xconnect e0 loop1", "loop1 is a loopback"),
        ("set interface l2 tag-rewrite e0 pop 1", "e0 has 0 tags of its own, so 1 cannot be taken off"),
        ("set interface l2 tag-rewrite e0.5 pop 2", "e0.5 has 1 tags of its own, so 2 cannot be taken off"),
        ("create sub-interfaces e0 9 dot1q any exact-match", "exact-match needs VLAN ids, not any"),
        ("create sub-interfaces e0 9 dot1q 4095", "VLAN id 4095 is not between 1 and 4094"),
        ("create sub-interfaces e0 9 dot1q all", "'all' is not a whole number"),
        ("create sub-interfaces e0 9 untagged", "sub-interface e0.8 already takes these VLAN tags; give others"),
        ("set interface l2 tag-rewrite e0.7 pop 1", "e0.7 has 0 tags of its own, so 1 cannot be taken off"),
        ("set interface l2 tag-rewrite e0.5 pop 3", "pop removes 1 or 2 tags, not 3"),
        ("set interface l2 tag-rewrite e0.5 push dot1q 5000", "VLAN id 5000 is not between 1 and 4094"),
        ("create bridge-domain 10 learn 2", "learn is 1 or 0, not 2"),
        ("create bridge-domain 10 mac-age 256", "mac-age 256 is not between 0 and 255 minutes"),
        ("delete bridge-domain 10", "bridge domain 10 has interface e1; take it out first"),
        ("delete bridge-domain 11", "there is no bridge domain 11"),
        ("set bridge-domain learn 11", "there is no bridge domain 11"),
        (f"l2fib add {A} 11 e1", "there is no bridge domain 11"),
        (f"l2fib add {A} 10 e0", "e0 is not in bridge domain 10"),
        (f"l2fib del {A} 10", "bridge domain 10 has no such address"),
        ("create bridge-domain 10 bd-tag " + 64 * "x", "has more than 63 characters"),
        ("set interface mac address e0.5 02:00:00:00:00:01", "e0.5 has the MAC address of its port"),
    ],
)
def test_what_is_wrong_is_one_line_and_changes_nothing(wrong: RouterProcess, line: str, message: str) -> None:
    before = [wrong.ask(question) for question in ("show mode", "show bridge-domain detail", "show l2fib all")]
    with pytest.raises(UsageError, match=message):
        wrong.ask(line)
    assert before == [wrong.ask(question) for question in ("show mode", "show bridge-domain detail", "show l2fib all")]


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RouterProcess]:
    config = "create sub-interfaces e0 5\ncreate sub-interfaces e0 6\ncreate loopback interface\n"
    config += "create loopback interface\nset interface l2 bridge e1 10\nset interface l2 bridge loop0 10 bvi\n"
    config += "set interface l2 xconnect e0.5 e0.6\n"
    config += "create sub-interfaces e0 7 dot1q any\ncreate sub-interfaces e0 8 untagged\n"
    with router(tmp_path_factory.mktemp("l2"), ["e0=ring:a", "e1=ring:b"], config) as made:
        yield made


def test_lines_of_vppcfg_are_taken(wrong: RouterProcess) -> None:
    """A bridge domain with a tag; the deletion of a sub-interface to which another is cross-connected, which then
    routes.
    """
    wrong.ask("create bridge-domain 12 bd-tag vppcfg")
    assert "BD-Tag: vppcfg" in wrong.ask("show bridge-domain 12 detail")
    wrong.ask("create bridge-domain 12 del")
    wrong.ask("create bridge-domain 12")
    assert "BD-Tag" not in wrong.ask("show bridge-domain 12 detail")
    wrong.ask("delete bridge-domain 12")
    wrong.ask("set interface unnumbered loop1 use e0.6")
    with pytest.raises(UsageError, match="uses the addresses of e0.6"):
        wrong.ask("delete sub e0.6")
    assert "l2 xconnect e0.5 e0.6" in wrong.ask("show mode")  # unchanged: nothing was deleted
    wrong.ask("set interface unnumbered del loop1")
    wrong.ask("delete sub e0.6")
    assert "l3 e0.5" in wrong.ask("show mode")
    wrong.ask("create sub-interfaces e0 6")
    wrong.ask("set interface l2 xconnect e0.5 e0.6")


def test_learnt_stations_go_with_their_interface(tmp_path: Path) -> None:
    sent = [frame(A, B, body())]
    ask = ["show l2fib", "set interface l3 e0", "show l2fib", "set interface l3 e1", "set interface l3 e2"]
    ask += ["delete bridge-domain 10", "show bridge-domain"]
    outcome = route(tmp_path, bridged(), sent, [], [], ask=ask)
    assert outcome.answers[0] == "L2FIB total/learned entries: 1/1\n"
    assert outcome.answers[2] == "L2FIB total/learned entries: 0/0\n"
    assert outcome.answers[-1] == "no bridge-domains in use\n"


def test_subinterfaces_route_with_their_tags(tmp_path: Path) -> None:
    sent0 = [
        bytes(Ether(src=A, dst=MACS[0]) / Dot1Q(vlan=100) / ip("10.1.0.2", "10.3.0.2")),
        bytes(Ether(src=A, dst=MACS[0]) / Dot1AD(vlan=7) / Dot1Q(vlan=9) / ip("10.2.0.2", "10.3.0.2")),
        # From one sub-interface to another of the same port.
        bytes(Ether(src=A, dst=MACS[0]) / Dot1Q(vlan=100, prio=5) / ip("10.1.0.2", "10.2.0.2")),
    ]
    sent1 = [bytes(Ether(src=B, dst=MACS[1]) / ip("10.3.0.2", to)) for to in ("10.1.0.2", "10.2.0.2")]
    outcome = route(tmp_path, interfaces(2) + SUB, sent0, sent1, ask=["show interface"])
    assert sorted(outcome.frames[1]) == sorted(
        bytes(Ether(src=MACS[1], dst="02:ee:00:00:00:01") / ip(src, "10.3.0.2", 63)) for src in ("10.1.0.2", "10.2.0.2")
    )
    tagged = Ether(src=MACS[0], dst="02:ee:00:00:01:00") / Dot1Q(vlan=100)
    double = Ether(src=MACS[0], dst="02:ee:00:00:02:00") / Dot1AD(vlan=7) / Dot1Q(vlan=9)
    assert sorted(outcome.frames[0]) == sorted(
        [
            bytes(double / ip("10.1.0.2", "10.2.0.2", 63)),
            bytes(tagged / ip("10.3.0.2", "10.1.0.2", 63)),
            bytes(double / ip("10.3.0.2", "10.2.0.2", 63)),
        ]
    )
    assert_conserved(outcome)
    shown = outcome.answers[0].split("e0.100")[1].split("e0.200")[0]
    assert "rx packets                     2" in shown
    assert "tx packets                     1" in shown
    assert f"rx bytes{2 * len(sent0[0]):>24}" in shown


def test_arp_and_ping_on_a_subinterface(tmp_path: Path) -> None:
    tags = Dot1Q(vlan=100)
    question = bytes(Ether(src=A, dst=ALL) / tags / ARP(hwsrc=A, psrc="10.1.0.7", pdst="10.1.0.1") / Raw(b"\0" * 14))
    ping = IP(src="10.1.0.2", dst="10.1.0.1", id=3) / ICMP(id=1, seq=2) / Raw(b"ping")
    # The last next hop is unknown: the router sends a request with the tags.
    sent = [question, bytes(Ether(src=A, dst=MACS[0]) / tags / ping)]
    sent.append(bytes(Ether(src=A, dst=MACS[0]) / Dot1AD(vlan=7) / Dot1Q(vlan=9) / ip("10.2.0.2", "10.1.0.99")))
    frames = route(tmp_path, interfaces(2) + SUB, sent, []).frames[0]
    answer = Ether(src=MACS[0], dst=A) / tags
    answer /= ARP(op=2, hwsrc=MACS[0], psrc="10.1.0.1", hwdst=A, pdst="10.1.0.7") / Raw(b"\0" * 14)
    asked = Ether(src=MACS[0], dst=ALL) / tags
    asked /= ARP(hwsrc=MACS[0], psrc="10.1.0.1", hwdst="00:00:00:00:00:00", pdst="10.1.0.99")
    assert bytes(answer) in frames
    assert bytes(asked) in [sent[: len(asked)] for sent in frames]
    reply = next(Ether(sent) for sent in frames if ICMP in Ether(sent))
    assert (reply[Dot1Q].vlan, reply.dst, reply[ICMP].type) == (100, "02:ee:00:00:01:00", 0)


def test_a_subinterface_that_is_down_passes_nothing(tmp_path: Path) -> None:
    config = interfaces(2) + SUB + "set interface state e0.100 down\n"
    sent = bytes(Ether(src=A, dst=MACS[0]) / Dot1Q(vlan=100) / ip("10.1.0.2", "10.3.0.2"))
    back = bytes(Ether(src=B, dst=MACS[1]) / ip("10.3.0.2", "10.1.0.2"))
    outcome = route(tmp_path, config, [sent], [back])
    assert outcome.frames == [[], []]
    assert outcome.counters["ethernet-input: interface is down"] == 1
    assert outcome.counters["e0-output: interface is down"] == 1
    assert_conserved(outcome)


def test_the_router_is_a_station_of_the_domain_by_its_bvi(tmp_path: Path) -> None:
    bvi = "02:b1:00:00:00:01"
    extra = f"create loopback interface mac {bvi}\nset interface state loop0 up\nset interface l2 bridge loop0 10 bvi\n"
    extra += "set interface ip address loop0 10.5.0.1/24\n"
    question = bytes(Ether(src=A, dst=ALL) / ARP(hwsrc=A, psrc="10.5.0.2", pdst="10.5.0.1") / Raw(b"\0" * 18))
    ping = bytes(Ether(src=A, dst=bvi) / IP(src="10.5.0.2", dst="10.5.0.1") / ICMP() / Raw(b"ping" * 8))
    config = bridged(2, extra) + f"ip neighbor loop0 10.5.0.2 {A}\n"
    outcome = route(tmp_path, config, [question, ping], [], ask=["show interface loop0"])
    answer = Ether(src=bvi, dst=A) / ARP(op=2, hwsrc=bvi, psrc="10.5.0.1", hwdst=A, pdst="10.5.0.2") / Raw(b"\0" * 18)
    assert outcome.frames[1] == [question]
    assert bytes(answer) in outcome.frames[0]
    reply = next(Ether(sent) for sent in outcome.frames[0] if ICMP in Ether(sent))
    assert (reply.src, reply.dst, reply[ICMP].type, reply[IP].ttl) == (bvi, A, 0, 64)
    assert_conserved(outcome, made=1)
    assert "rx packets                     2" in outcome.answers[0]
    assert "tx packets                     2" in outcome.answers[0]


def test_frames_longer_than_the_port_carries_are_dropped(tmp_path: Path) -> None:
    """1500 bytes and up to two tags; alone or with other frames in a vector, without an error message."""

    def sized(length: int, *tags: Packet) -> bytes:
        return frame(A, B, *tags, body())[:length].ljust(length, b"\0")

    fit = [sized(60), sized(1514), sized(1518, Dot1Q(vlan=7)), sized(1522, Dot1AD(vlan=7), Dot1Q(vlan=8))]
    long = [sized(1515), sized(1519, Dot1Q(vlan=7)), sized(1523, Dot1AD(vlan=7), Dot1Q(vlan=8))]
    frames = [*[fit[0]] * 19, *long, *[fit[1]] * 18, long[0], *fit, *[fit[0]] * 16]
    outcome = route(tmp_path, CROSSED, frames, [])
    assert_conserved(outcome)
    assert outcome.frames[1] == [one for one in frames if one not in long]
    assert outcome.counters["l2-output: L2 MTU exceeded"] == outcome.dropped == 4
    # The limit is that of the other port.
    outcome = route(tmp_path, CROSSED + "set interface mtu 1600 e1\n", [sized(1614), sized(1615)], [])
    assert outcome.frames[1] == [sized(1614)]
