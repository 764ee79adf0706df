"""vppcfg files: valid ones, and errors with their line, path, value and fix."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.cli.main import main
from wirespeed.config.check import check_file, check_text
from wirespeed.config.rules import RULES
from wirespeed.documents import MOST_NODES, parse
from wirespeed.errors import FileFault

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("*.yaml"))
PORTS = "interfaces:\n  e0: {}\n  e1: {}\n"


def found(text: str) -> list[str]:
    """Each finding as printed, without the file's name."""
    return [finding.text("f").removeprefix("f:") for finding in check_text(text.encode(), "f").findings]


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_examples_are_valid(file, capsys):
    assert main(["config", "check", str(file)]) == 0
    assert capsys.readouterr().out == f"{file} is valid\n"


@pytest.mark.parametrize("text", ["", "{}", "interfaces:\n", "# nothing\n", "interfaces: {e0: {mtu: }}"])
def test_what_says_nothing_is_valid(text):
    assert found(text) == []


SUB = "interfaces:\n  e0:\n    lcp: e0\n    sub-interfaces:\n      10:\n"
BOND = "  BondEthernet0: {}\nbondethernets:\n  BondEthernet0:\n"
WRONG = {
    # ---- schema
    "interfaces: {e0: {mtu: 64}}": "1: interfaces.e0.mtu: 64 is not between 128 and 9216; give a number within",
    "interfaces: {e0: {mtu: big}}": "interfaces.e0.mtu: 'big' is not a whole number; give a whole number",
    "interfaces: {e0: {stat: up}}": "interfaces.e0.stat: there is no key 'stat'; did you mean state?",
    "interface: {}": "interface: there is no key 'interface'; did you mean interfaces?",
    "interfaces: {e0: {state: on}}": "interfaces.e0.state: on is not one of 'up' or 'down'",
    "interfaces: {e0: {mac: 52:54:10:20:30:40}}": "52:54:10:20:30:40 without quotes is not text to YAML; put",
    "interfaces: {e0: {mac: 'x'}}": "interfaces.e0.mac: 'x' cannot stand here; a MAC address is six pairs",
    "interfaces: {e0: {addresses: [192.0.2.1]}}": "addresses.0: '192.0.2.1' cannot stand here; an address needs",
    "interfaces: {e0: {addresses: 192.0.2.1/30}}": "'192.0.2.1/30' is not a list; give a list",
    "interfaces: {e0: 7}": "interfaces.e0: 7 is not a mapping of keys and values",
    "interfaces: {e0: }": "interfaces.e0: nothing stands here; write {}",
    "interfaces: {e0: {sub-interfaces: {x: {}}}}": "sub-interfaces.x: 'x' is not a name of this section; a name here",
    "loopbacks: {lo: {}}": "loopbacks.lo: 'lo' is not a name of this section; a name here is loopN",
    "vxlan_tunnels: {vxlan_tunnel1: {local: 192.0.2.1, vni: 7}}": "vxlan_tunnel1.remote: it is needed and not there",
    "taps: {tap1: {host: {name: a234567890123456}}}": "has 16 letters, and at most 15 may stand here",
    "taps: {tap1: {host: {name: a b}}}": "'a b' does not have the form of name; a name of Linux has no spaces",
    "acls: {ab: {terms: [{action: permit, source-port: [1]}]}}": "source-port: a list is neither a number nor text",
    "- a": "1: configuration: this is not a mapping of sections",
    "interfaces:\n  e0: {}\n  e0: {mtu: 1500}\n": "3: interfaces.e0: key e0 stands here again, first in line 2",
    # ---- bonds
    PORTS + "bondethernets: {BondEthernet0: {}}": "4: bondethernets.BondEthernet0: BondEthernet0 has no entry among",
    PORTS + BOND + "    interfaces: [e7]": "7: bondethernets.BondEthernet0.interfaces.0: there is no interface e7; add",
    PORTS + BOND + "    mode: broadcast\n    load-balance: l2": "load-balance l2 has no meaning in mode broadcast",
    PORTS + BOND + "    interfaces: [e0, e0]": "e0 stands here twice",
    "interfaces:\n  e0: {mtu: 9000}\n" + BOND + "    interfaces: [e0]": "member e0 has MTU 9000, its bond 1500",
    "interfaces:\n  e0: {lcp: e0}\n"
    + BOND
    + "    interfaces: [e0]": "member e0 has LCP e0; give the LCP to BondEthernet0",
    "interfaces:\n  e0: {addresses: [10.0.0.1/8]}\n"
    + BOND
    + "    interfaces: [e0]": "member e0 has address 10.0.0.1/8",
    "interfaces:\n  e0: {sub-interfaces: {1: {mtu: 1500}}}\n" + BOND + "    interfaces: [e0]": "has sub-interface e0.1",
    "interfaces: {BondEthernet0: {mac: '02:00:00:00:00:01'}}\nbondethernets: {BondEthernet0: {}}": "move it to bondeth",
    "interfaces: {BondEthernet4294967295: {}}\nbondethernets: {BondEthernet4294967295: {}}": "is above 4294967294",
    "interfaces: {BondEthernet0: {}}\nloopbacks: {loop1: {}}\nbondethernets: {BondEthernet0: {interfaces: [loop1]}}": (
        "3: bondethernets.BondEthernet0.interfaces.0: loop1 is a loopback, and members of BondEthernet0 are ports"
    ),
    PORTS
    + "  BondEthernet0: {}\n  BondEthernet1: {}\n"
    + "bondethernets: {BondEthernet0: {interfaces: [e0]}, BondEthernet1: {interfaces: [e0]}}": (
        "BondEthernet1.interfaces.0: e0 is a member of BondEthernet0 already; keep it in one of them"
    ),
    PORTS.replace("e0: {}", "e0: {l2xc: e1}") + BOND + "    interfaces: [e0]": "member e0 is cross-connected to e1",
    PORTS.replace("e0: {}", "e0: {l2xc: e1}")
    + BOND
    + "    interfaces: [e1]": "2: interfaces.e0.l2xc: e1 is a member of",
    PORTS + BOND + "    interfaces: [e0]\nbridgedomains: {bd1: {interfaces: [e0]}}": "put the bond here",
    # ---- interfaces
    "interfaces: {tap7: {}}": "there is no TAP tap7 in taps; add taps.tap7",
    "interfaces: {loop7: {}}": "interfaces.loop7: loop7 is a loopback's name",
    "interfaces: {e0: {mac: '01:00:00:00:00:01'}}": "01:00:00:00:00:01 is a group's address",
    "interfaces: {tap0: {device-type: dpdk}}\ntaps: {tap0: {host: {name: t}}}": "device-type is for ports",
    "interfaces: {'e 0': {}}": "1: interfaces.e 0: 'e 0' is not an interface's name; names have at most 63 letters",
    "interfaces: {e0: {}, e0.7: {}}": "e0.7 is the name of a sub-interface of e0; move it to that one's",
    "interfaces: {tap0: {sflow: true}}\ntaps: {tap0: {host: {name: t}}}": "sflow samples ports; set it on the ports",
    "loopbacks: {loop4096: {}}": "instance 4096 is above 4095",
    "loopbacks: {loop01: {}}": "loop01 has zeros in front; write loop1",
    # ---- sub-interfaces
    SUB + "        {}\n": "interfaces.e0.sub-interfaces.10: e0.10 is empty",
    SUB + "        encapsulation: {dot1q: 5, dot1ad: 6}": "dot1q 5 and dot1ad 6 are both the outer tag; keep one",
    SUB + "        encapsulation: {inner-dot1q: 6}": "there is no outer tag for inner-dot1q 6; give dot1q or dot1ad",
    SUB + "        mtu: 1500\n      11: {encapsulation: {dot1q: 10, exact-match: true}}": "e0.11 has the tags of e0.10",
    SUB + "        mtu: 9000": "6: interfaces.e0.sub-interfaces.10.mtu: e0.10 has MTU 9000, e0 below it 1500",
    SUB + "        mtu: 1500\n    state: down": "e0.10 is up, its parent down; set it down, or e0 up",
    SUB + "        encapsulation: {dot1q: 7}\n        lcp: v": "e0.10 has an LCP, which needs exact-match",
    "interfaces: {e0: {sub-interfaces: {5000: {mtu: 1500}}}}": "the id is the tag, and 5000 is above 4095",
    "interfaces: {" + "e" * 60 + ": {sub-interfaces: {4000: {mtu: 1500}}}}": "has 65 letters, 63 are the most",
    "interfaces: {tap0: {sub-interfaces: {1: {mtu: 1500}}}}\ntaps: {tap0: {host: {name: t}}}": "takes no sub-",
    # ---- Linux
    PORTS.replace("{}", "{lcp: x}"): "3: interfaces.e1.lcp: LCP x is e0 already; give it another name",
    "interfaces: {e0: {sub-interfaces: {1: {lcp: x}}}}": "e0.1 has LCP x, its parent none; give e0 an lcp",
    SUB + "        lcp: q\n        encapsulation: {dot1q: 5, inner-dot1q: 6, exact-match: true}": "two tags and LCP q",
    "interfaces: {e0: {lcp: x, l2xc: e1}, e1: {}}": "e0 has LCP x and is cross-connected to e1",
    # ---- cross-connects
    "interfaces: {e0: {l2xc: e9}}": "interfaces.e0.l2xc: there is no interface e9; name one of this file",
    "interfaces: {e0: {l2xc: e0}}": "e0 is cross-connected to itself",
    "interfaces: {e0: {l2xc: e2}, e1: {l2xc: e2}, e2: {}}": "e1.l2xc: e2 is the target of e0 already",
    "interfaces: {e0: {l2xc: e1}, e1: {mtu: 9000}}": "e0 has MTU 1500, e1 9000; give both the same mtu",
    "interfaces: {e0: {l2xc: e1}, e1: {addresses: [10.0.0.1/8]}}": "e1 has address 10.0.0.1/8; leave",
    "interfaces: {e0: {l2xc: e1, sub-interfaces: {1: {mtu: 1500}}}, e1: {}}": "e0 has sub-interface e0.1; cross",
    "interfaces: {e0: {l2xc: e1}, e1: {}}\nbridgedomains: {bd1: {interfaces: [e1]}}": "e1 is in bridge domain bd1",
    # ---- unnumbered
    "interfaces: {e0: {unnumbered: e9}}": "there is no interface e9 with addresses",
    "interfaces: {e0: {unnumbered: e0}}": "e0 uses its own addresses",
    "interfaces: {e0: {unnumbered: e1}, e1: {unnumbered: e2}, e2: {}}": "e1 uses the addresses of e2 itself",
    "interfaces: {e0: {unnumbered: e1, addresses: [10.0.0.1/8]}, e1: {}}": "10.0.0.1/8 and uses those of e1",
    "interfaces: {e0: {unnumbered: e1}, e1: {l2xc: e2}, e2: {}}": "e1 is cross-connected to e2; let it route",
    # ---- addresses
    "interfaces: {e0: {addresses: [2001:DB8::1/64]}}": "is not written in its canonical form; write 2001:db8::1/64",
    "interfaces: {e0: {addresses: [10.1.0.1/16]}, e1: {addresses: [10.1.2.1/24]}}": "overlaps that of 10.1.0.1/16 on",
    "interfaces: {e0: {addresses: [10.1.0.1/16, 10.1.2.1/24]}}": "overlaps that of 10.1.0.1/16 on this interface",
    "interfaces: {e0: {addresses: [10.1.0.1/16, 10.1.0.1/16]}}": "10.1.0.1/16 stands here twice",
    "interfaces: {tap0: {addresses: [10.0.0.1/8]}}\ntaps: {tap0: {host: {name: t}}}": "tap0 is a TAP with address",
    # ---- bridge domains
    "bridgedomains: {bd0: {}}": "bd0 is reserved; number it from 1",
    "bridgedomains: {bd16777216: {}}": "bd16777216 is above bd16777215",
    "bridgedomains: {bd1: {bvi: loop1}}": "bridgedomains.bd1.bvi: there is no loopback loop1",
    "loopbacks: {loop1: {}}\nbridgedomains: {bd1: {bvi: loop1}, bd2: {bvi: loop1}}": "is the BVI of bd1 and bd2",
    "loopbacks: {loop1: {mtu: 9000}}\nbridgedomains: {bd1: {bvi: loop1}}": "loop1 has MTU 9000, bd1 1500",
    PORTS + "bridgedomains: {bd1: {interfaces: [e9]}}": "there is no interface e9; add it",
    PORTS + "bridgedomains: {bd1: {interfaces: [e0]}, bd2: {interfaces: [e0]}}": "e0 is in bd1 and bd2",
    "interfaces: {e0: {addresses: [10.0.0.1/8]}}\nbridgedomains: {bd1: {interfaces: [e0]}}": "has address 10.0.0.1/8",
    "interfaces: {e0: {lcp: x}}\nbridgedomains: {bd1: {interfaces: [e0]}}": "e0 has LCP x and is in bridge domain bd1",
    "interfaces: {e0: {mtu: 9000}}\nbridgedomains: {bd1: {interfaces: [e0]}}": "e0 has MTU 9000, bd1 1500",
    # ---- tunnels and TAPs
    "vxlan_tunnels: {vxlan_tunnel2147483648: {local: 10.0.0.1, remote: 10.0.0.2, vni: 1}}": "is above 2147483647",
    "vxlan_tunnels: {vxlan_tunnel1: {local: 10.0.0.1, remote: '::2', vni: 1}}": "are of different families",
    "vxlan_tunnels: {vxlan_tunnel1: {local: 10.0.0.1, remote: 10.0.0.1, vni: 1}}": "10.0.0.1 is local as well; name",
    "vxlan_tunnels: {vxlan_tunnel1: &a {local: 10.0.0.1, remote: 10.0.0.2, vni: 1}, vxlan_tunnel2: *a}": "VNI 1 is",
    "taps: {tap1025: {host: {name: t}}}": "tap1025 is above tap1024",
    "taps: {tap1: {host: {name: t}}, tap2: {host: {name: t}}}": "host name t is that of tap1",
    "taps: {tap1: {rx-ring-size: 300, host: {name: t}}}": "300 is not a power of two; give 256 or 512",
    "taps: {tap1: {host: {name: t, namespace-create: true}}}": "namespace-create is set, and no namespace is named",
    "interfaces: {tap1: {mtu: 1400}}\ntaps: {tap1: {host: {name: t, mtu: 1500}}}": "tap1 has MTU 1400, its host 1500",
    # ---- access lists
    "prefixlists: {any: {}}": "`any` is every address; name it otherwise",
    "acls: {ab: {terms: [{action: deny, protocol: 256}]}}": "protocol 256 is not between 1 and 255",
    "acls: {ab: {terms: [{action: deny, protocol: nonsuch}]}}": "protocol nonsuch is not known",
    "acls: {ab: {terms: [{action: deny, source-port: 80}]}}": "source-port 80 with protocol any; ports are",
    "acls: {ab: {terms: [{action: deny, protocol: tcp, source-port: 9-1}]}}": "9-1 goes from high to low; write 1-9",
    "acls: {ab: {terms: [{action: deny, protocol: tcp, source-port: 70000}]}}": "port 70000 is above 65535",
    "acls: {ab: {terms: [{action: deny, protocol: udp, source-port: no-such}]}}": "is not a number, service or range",
    "acls: {ab: {terms: [{action: deny, icmp-type: 8}]}}": "icmp-type 8 with protocol any",
    "acls: {ab: {terms: [{action: deny, protocol: icmp, icmp-code: 256}]}}": "icmp-code 256 is above 255",
    "acls: {ab: {terms: [{action: deny, family: ipv6, source: 10.0.0.0/8}]}}": "10.0.0.0/8 has no address of family",
    "acls: {ab: {terms: [{action: deny, source: 10.0.0.0/8, destination: '::1'}]}}": "have no family in common",
    "acls: {ab: {terms: [{action: deny, source: nolist}]}}": "nolist is neither an address nor the name of a prefix",
}


@pytest.mark.parametrize(("text", "told"), WRONG.items(), ids=range(len(WRONG)))
def test_what_is_wrong_is_told(text, told):
    lines = found(text)
    assert any(told in line for line in lines), lines


def test_every_rule_is_broken_by_a_case_and_is_named():
    broken = {line.rpartition("(")[2].rstrip(")") for text in WRONG for line in found(text)}
    names = {rule.__name__.replace("_", "-") for rule in RULES}
    assert names <= broken


def test_all_findings_of_a_stage_are_told_in_one_run_in_order(tmp_path, capsys):
    file = tmp_path / "lab.yaml"
    file.write_text("interfaces:\n  e0: {l2xc: e9}\n  e1: {unnumbered: e8}\nloopbacks:\n  loop9999: {}\n")
    assert main(["config", "check", str(file)]) == FileFault.exit_code
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[1] for line in said[:-1]] == ["2", "3", "5"]
    assert said[-1] == f"{file} has 3 findings"
    assert main(["config", "plan", "--offline", str(file)]) == FileFault.exit_code
    assert capsys.readouterr().err.count("\n") == 4


# ---- Files of other formats


def fault(text: bytes) -> str:
    with pytest.raises(FileFault) as caught:
        check_text(text, "f")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def bomb(levels: int) -> bytes:
    """`levels` lists of ten of the one before."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines).encode()


def test_aliases_that_multiply_are_bounded():
    assert f"has more than {MOST_NODES} values" in fault(bomb(30))
    assert parse(bomb(3), "f").findings == ()


def test_an_alias_stands_for_its_anchor_and_may_be_merged():
    text = "interfaces:\n  e0: &plain {mtu: 9000, mpls: true}\n  e1: *plain\n  e2:\n    <<: *plain\n    mtu: 2000\n"
    config = check_text(text.encode(), "f").config
    assert config is not None
    assert [(one.mtu, one.mpls) for one in config.interfaces.values()] == [(9000, True), (9000, True), (2000, True)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"interfaces:\n\te0: {}\n", "f:2: a tab indents this line, and YAML takes none; indent with spaces"),
        (b"interfaces: {e0: [\n", "f:2: this is not YAML"),
        (b"a: &x [*x]", "*x refers to itself"),
        (b"a: *nowhere", "f:1: *nowhere has no anchor &nowhere above it"),
        (b"[" * 100_000, "levels"),
        (b"- " * 100_000, "levels"),
        (b"a: !!python/object/apply:os.system [ls]", "a configuration has no YAML tags such as"),
        (b"? [a]\n: b", "a list or mapping cannot be a key"),
        (b"a: 1\n---\nb: 2\n", "f:3: a second YAML document begins here"),
        (b"a: \xff\xfe", "f:1: this is not UTF-8 text"),
        (b"<<: 7", "<< needs a mapping"),
        (b"a: \x07", "f: this is not YAML"),
    ],
)
def test_what_is_no_yaml_is_one_line(text, told):
    assert told in fault(text)


def test_a_file_of_10_mb_is_bounded(tmp_path):
    file = tmp_path / "big.yaml"
    file.write_bytes(b"- a\n" * (10 << 18))
    with pytest.raises(FileFault, match="values, the most of a configuration"):
        check_file(file)
    file.write_bytes(b"# more\n" * (2 << 20))
    with pytest.raises(FileFault, match="has 14 MB; at most 10 MB are read"):
        check_file(file)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab:-[]{}&*!?|>'\"#,\n\t 01<%@`~.", max_size=60))
def test_any_text_is_answered(text):
    try:
        check_text(text.encode(), "f")
    except FileFault as error:
        assert str(error).startswith("f:")
