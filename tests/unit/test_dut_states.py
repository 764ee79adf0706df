"""State tables from texts of Linux, pf and VPP: counts, limits, settings that raise them, and the effect of a flush."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from wirespeed.dut.device import KINDS
from wirespeed.dut.kinds.linux_states import conntrack_counters, nat_ports, rule_packets, uncounted_rules
from wirespeed.dut.plan import StatesKind
from wirespeed.dut.reach.questions import answer_of, questions_of
from wirespeed.dut.reach.reach import PATIENCE_S, Ran
from wirespeed.dut.states import DutStates
from wirespeed.errors import EnvironmentFault
from wirespeed.results.codec import from_json, to_json
from wirespeed.results.states import StateTable, TearDown

COLUMNS = (
    "entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop icmp_error  "
    "expect_new expect_create expect_delete search_restart\n"
)
ROW = "00000bb8  00000001 000000ff 00000000 00000010 00000000 00000000 00000002 00000000 0000000a {drop} 00000003 " + (
    "00000000  00000000 00000000 00000000 00000005\n"
)
RULES = """\
table inet filter {
	set allowed {
		type ipv4_addr
	}
	flowtable fast {
		hook ingress priority filter
		devices = { "e0", "e1" }
	}
	chain forward {
		type filter hook forward priority filter; policy drop;
		iifname "e0" ct state new limit rate over 1000/second burst 5 packets counter packets 812 bytes 37352 drop
		ct state established counter packets 64000 bytes 2944000 accept
		iifname "e1" drop
	}
	chain out {
		type nat hook postrouting priority srcnat; policy accept;
		oifname "e1" ip protocol udp masquerade to :40000-41999
	}
}
"""
LINUX = {
    "count": "3000\n",
    "grep": "\n".join(
        f"/proc/sys/net/netfilter/nf_conntrack_{name}:{value}"
        for name, value in {"max": 262144, "buckets": 65536, "udp_timeout": 30, "udp_timeout_stream": 120}.items()
    ),
    "stat/nf_conntrack": COLUMNS + ROW.format(drop="00000000") + ROW.format(drop="00000020"),
    "list ruleset": RULES,
    "softnet_stat": f"{'000000aa ' * 1}{'00000000 ' * 11}00000000\n{'000000bb ' * 1}{'00000000 ' * 11}00000001\n",
    "hw-tc-offload": "e1\n",
}
PF = {
    "info": """\
Status: Enabled for 0 days 01:02:03              Debug: Urgent

State Table                          Total             Rate
  current entries                      999
  searches                        26342211         7077.4/s
  inserts                           128431           34.5/s
  removals                          127432           34.2/s
Counters
  match                             130531           35.1/s
  memory                                17            0.0/s
  state-limit                            0            0.0/s
  map-failed                             4            0.0/s
Limit Counters
  max states per rule                    0            0.0/s
""",
    "memory": "states        hard limit     1000\nsrc-nodes     hard limit    10000\n",
    "timeouts": "tcp.first                   120s\nudp.first                    60s\nudp.single                   30s\n"
    "adaptive.start              600 states\n",
    "-v -s rules": "block drop in quick on ix1 all\n  [ Evaluations: 22   Packets: 9    Bytes: 414    States: 0     ]\n"
    "  [ Inserted: uid 0 pid 1 State Creations: 0     ]\n",
    "-s nat": "nat on ix1 inet from any to any -> (ix1) round-robin\n",
    "hashsize": "131072\n",
}
VPP = {
    "/nat44-ed/": """\
[0 @ 1]: 600 packets /nat44-ed/total-sessions
[0 @ 2]: 24 packets /nat44-ed/total-sessions
64512.00 /nat44-ed/max-cfg-sessions
[1 @ 1]: 70 packets /nat44-ed/in2out/slowpath/udp
[1 @ 2]: 2 packets /nat44-ed/in2out/slowpath/udp
""",
    "show nat timeouts": "udp timeout: 300sec\ntcp-established timeout: 7440sec\n",
    "show errors": "   Count                  Node                              Reason               Severity \n"
    "        17             nat44-ed-in2out-slowpath           maximum sessions exceeded          error  \n"
    "         5                   ip4-input                      ip4 ttl <= 1                  error  \n",
    "show threads": "ID     Name                Type        LWP     Sched Policy (Priority)  lcore  Core\n"
    "0      vpp_main                        1       other (0)                0      0      0\n"
    "1      vpp_wk_0            workers     2       other (0)                1      1      0\n"
    "2      vpp_wk_1            workers     3       other (0)                2      2      0\n",
}


class TextReach:
    """A device whose answers are the texts with a key in the command, the last one first; `flush` executes other
    commands.
    """

    name = "box"

    def __init__(self, texts: Mapping[str, str], flush: Ran = Ran(0, "")) -> None:  # noqa: B008 - frozen
        self.texts, self.flush = texts, flush
        self.told: list[str] = []

    def run(self, command: str, *, stdin: str = "", timeout_s: float = PATIENCE_S) -> Ran:
        questions = questions_of(command)
        if not questions:
            self.told.append(command)
            return self.flush
        return Ran(0, "".join(answer_of(question, self._text(question)) for question in questions))

    def _text(self, question: str) -> str | None:
        return next((self.texts[key] for key in reversed(self.texts) if key in question), None)

    def close(self) -> None:
        pass


def states_of_kind(name: str) -> StatesKind:
    kind = KINDS[name]().states
    assert kind is not None
    return kind


def read(name: str, texts: Mapping[str, str]) -> StateTable:
    return replace(DutStates(states_of_kind(name), TextReach(texts)).read(), took_s=0.0)


def test_linux_is_read_by_counts_of_all_cpus() -> None:
    table = read("linux", LINUX)
    assert (table.used, table.limit, table.buckets, table.entries_per_flow) == (3000, 262144, 65536, 1)
    assert table.timeouts_s == {"udp": 30.0, "udp_stream": 120.0} and table.timeout_s("udp") == 30.0
    assert table.counters["drop"] == 0x20 and table.counters["insert_failed"] == 20
    assert table.counters["found"] == 510 and table.counters["chainlength"] == 4 and table.counters["early_drop"] == 6
    assert not {"entries", "insert", "new", "delete"} & table.counters.keys(), "what does not count flows"
    assert table.cpu_packets == {"cpu0": 0xAA, "cpu1": 0xBB}
    assert table.bypasses == ("flowtable fast", "hw-tc-offload of e1")
    assert table.nat_ports == 2000 and table.links_per_bucket == pytest.approx(0.0916, rel=0.01)
    assert from_json(StateTable, to_json(table)) == table


def test_rules_are_told_with_their_packets_and_those_that_drop_uncounted() -> None:
    limit = 'forward: iifname "e0" ct state new limit rate over 1000/second burst 5 packets drop'
    assert rule_packets(RULES) == {limit: 812, "forward: ct state established accept": 64000}
    assert list(uncounted_rules(RULES)) == [
        "forward: type filter hook forward priority filter; policy drop",
        'forward: iifname "e1" drop',
    ]
    assert nat_ports("chain out {\n\tsnat ip to 100.64.2.1\n}\n") == 64512 and nat_ports("") is None


def test_a_kernel_without_the_file_is_read_by_its_tool() -> None:
    said = "cpu=0   \tfound=7 invalid=0 insert=3 insert_failed=1 drop=2 early_drop=0 error=4 search_restart=0 "
    said += "clash_resolve=5 chaintoolong=6 \n"
    found = conntrack_counters(said + said.replace("cpu=0", "cpu=1"))
    assert found["found"] == 14 and found["chainlength"] == 12 and found["clashres"] == 10 and found["icmp_error"] == 8
    assert "insert" not in found and "cpu" not in found


def test_counters_of_32_bits_wrap_and_begin_anew() -> None:
    before, after = (
        StateTable(0, counters={"drop": 2**32 - 5, "found": 70}),
        StateTable(9, counters={"drop": 7, "found": 3}),
    )
    assert after.since(before).counters == {"drop": 12, "found": 3} and after.since(before).used == 9


@pytest.mark.parametrize("name", ["freebsd", "openbsd"])
def test_pf_has_two_states_for_a_flow(name: str) -> None:
    table = read(name, PF)
    assert (table.used, table.limit, table.entries_per_flow, table.nat_ports) == (999, 1000, 2, 15535)
    assert table.counters["memory"] == 17 and table.counters["state-limit"] == 0 and table.counters["map-failed"] == 4
    assert table.timeout_s("udp") == 30.0 and table.buckets == (131072 if name == "freebsd" else None)
    assert table.rules == {"block drop in quick on ix1 all": 9}
    off = DutStates(states_of_kind(name), TextReach(PF | {"info": PF["info"].replace("Enabled", "Disabled")}))
    with pytest.raises(EnvironmentFault, match="box has no state table"):
        off.read()


def test_vpp_is_read_by_its_statistics_and_counts_sessions_per_worker() -> None:
    table = read("vpp", VPP)
    assert (table.used, table.limit, table.nat_ports) == (624, 129024, 32256)
    assert table.counters == {
        "/nat44-ed/in2out/slowpath/udp": 72,
        "nat44-ed-in2out-slowpath: maximum sessions exceeded": 17,
    }
    assert table.timeout_s("udp") == 300.0
    assert not any(
        "nat44 sessions" in question or "summary" in question for question in states_of_kind("vpp").questions
    )


@pytest.mark.parametrize("name", ["danos", "wirespeed"])
def test_others_have_no_state_table(name: str) -> None:
    assert KINDS[name]().states is None


@pytest.mark.parametrize(
    ("name", "texts", "said"),
    [
        (
            "linux",
            LINUX,
            "holds 262144 entries; 300000 flows take 300000 beside the 3000 that are there: raise the limit ",
        ),
        (
            "freebsd",
            PF,
            "300000 flows take 600000 beside the 999 that are there: raise the limit by `set limit states 600999`",
        ),
        ("vpp", VPP, "holds 129024 entries; 300000 flows take 300000 beside the 624"),
    ],
)
def test_more_flows_than_the_limit_are_refused_with_what_raises_it(name: str, texts: dict[str, str], said: str) -> None:
    states = DutStates(states_of_kind(name), TextReach(texts))
    assert said in (states.why_not(300_000, states.read()) or "")
    assert states.why_not(500, replace(states.read(), used=0)) is None


def test_a_flush_is_refused_by_a_device_without_the_command() -> None:
    kind = states_of_kind("linux")
    with pytest.raises(EnvironmentFault, match=r"box has no `conntrack -F`.*install Debian's package conntrack there"):
        DutStates(kind, TextReach(LINUX, Ran(127, "", "sh: 1: conntrack: not found"))).empty()
    with pytest.raises(EnvironmentFault, match=r"`conntrack -F` failed on box: Operation not permitted"):
        DutStates(kind, TextReach(LINUX, Ran(1, "", "Operation not permitted"))).empty()
    reach = TextReach(LINUX)
    assert DutStates(kind, reach).tear_down().states == 3000 and reach.told == ["conntrack -F"] * 4


def test_a_flush_shows_a_rate_only_above_its_own_time() -> None:
    assert TearDown(1_000_000, 0, took_s=1.05, idle_s=0.05).states_per_s == pytest.approx(1e6)
    assert TearDown(1_000, 0, took_s=0.006, idle_s=0.004).states_per_s is None
    assert from_json(TearDown, to_json(TearDown(5, 1, 0.5, 0.1))) == TearDown(5, 1, 0.5, 0.1)
