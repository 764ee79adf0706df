"""Cases of ../shared/cases: small inputs of other people, each run as it says, with its right outcome.

The cases are not part of this repository. If they are missing, one skipped test says so.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from console_server import ConsoleServer, Driver
from fake_linux import FakeLinuxHost
from fake_router import FakeRouterCore
from report_cases import OURS
from router_process import RouterProcess
from trials import isolation

from wirespeed.cli.main import main
from wirespeed.errors import EnvironmentFault, WirespeedError
from wirespeed.explain.ranking import explain
from wirespeed.explain.sources.evidence_file import read_evidence
from wirespeed.router.console import Console
from wirespeed.router.startup.log import Log
from wirespeed.router.startup.schema import FILE
from wirespeed.router.startup.settings import make_startup
from wirespeed.router.startup.syntax import read_text
from wirespeed.seam.graph import NodeStats

ROOT = Path(__file__).parents[2]
CASES = ROOT.parent / "shared" / "cases"

pytestmark = pytest.mark.filterwarnings("ignore:open_text is deprecated:DeprecationWarning")


@dataclass(frozen=True)
class Run:
    """The files of one case, an empty directory, and one way to run `wirespeed` on them within this process."""

    files: list[Path]
    directory: Path
    capsys: pytest.CaptureFixture[str]

    def wirespeed(self, *words: object, code: int = 0) -> str:
        """Output of `wirespeed WORDS…`; it must end with `code`."""
        self.capsys.readouterr()
        assert main([str(word) for word in words]) == code, "".join(self.capsys.readouterr())
        return "".join(self.capsys.readouterr())

    def lines(self, number: int = 0) -> list[str]:
        """Lines of a file that are not a comment."""
        return [line for line in self.files[number].read_text().splitlines() if line and not line.startswith("#")]

    def script(self, *words: object, inside: Sequence[str] = ()) -> str:
        """Output of a script of the case, run unchanged except for its temporary files, which are in `directory`.
        `inside` is a command that runs it.
        """
        for file in (self.files[0], self.files[0].with_name("lib.sh")):
            if file.exists():
                (self.directory / file.name).write_text(file.read_text().replace("/tmp/", f"{self.directory}/"))
        (self.directory / "lab").mkdir(exist_ok=True)
        program = Path(sys.executable).with_name("wirespeed")
        given = {"TMPDIR": self.directory, "D": self.directory / "lab", "RESULTS": self.directory}
        given["PATH"] = f"{program.parent}:{os.environ['PATH']}"
        interpreter = sys.executable if self.files[0].suffix == ".py" else "bash"
        command = [*inside, interpreter, self.directory / self.files[0].name, *words]
        done = subprocess.run(
            [str(word) for word in command],
            env={**os.environ, **{name: str(value) for name, value in given.items()}},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            cwd=ROOT,
        )
        return done.stdout


Judge = Callable[[Run], None]
JUDGES: dict[str, tuple[Judge, tuple[pytest.MarkDecorator, ...]]] = {}
"""By the pattern of the case's files."""


def case(pattern: str, *marks: pytest.MarkDecorator) -> Callable[[Judge], Judge]:
    def add(judge: Judge) -> Judge:
        JUDGES[pattern] = judge, marks
        return judge

    return add


def wrong_yet(what: str) -> pytest.MarkDecorator:
    """A mark for a case whose outcome is still wrong; once it is right, the test fails until the mark is removed."""
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=what)


# ---- Pasted `show runtime`


def pasted(run: Run, offered: str, line: str) -> str:
    words = ("--hz", "2.2e9", "--offered", offered, "--size", 64, "--line", line)
    return run.wirespeed("explain", "--show-run", run.files[0], *words)


@case("public/01-*")
def drops_by_the_router(run: Run) -> None:
    said = pasted(run, "1mpps", "10G")
    assert "the DUT itself dropped 500 kpps (ip4-drop)" in said.splitlines()[0]
    assert re.search(r"^  not +nic:", said, re.MULTILINE)
    assert re.search(r"^  next +`show errors`", said, re.MULTILINE)


@case("public/02-*")
def next_to_nothing_arrived(run: Run) -> None:
    assert "almost nothing of the load reached the DUT: 58 packets" in pasted(run, "1mpps", "1G").splitlines()[0]


@case("public/03-*")
def input_without_ethernet_input(run: Run) -> None:
    said = pasted(run, "8mpps", "10G")
    assert "0.00214 % of its polls found nothing" in said
    assert "one core can do 3.44 Mpps: 2.2 GHz by 639 cycles" in said


@case("public/04-*")
def names_cut_at_30_characters(run: Run) -> None:
    said = pasted(run, "8mpps", "100G")
    assert "output 10.3, tx 53.6, " in said
    assert "512 packets per call, full vectors of 256 from 2 queues" in said


# ---- Lines and files of a router


@contextmanager
def router() -> Iterator[Console]:
    """The command line of a router whose data plane and Linux are simulated."""
    core = FakeRouterCore()
    core.stats[0] = [NodeStats("dpdk-input", True, 1, 1, 0, 1)]
    core.lcp.linux[""], core.lcp.linux["dataplane"] = FakeLinuxHost(), FakeLinuxHost("dataplane")
    console = Console(core)
    try:
        yield console
    finally:
        console.close()
        core.close()


@case("public/05-*")
def lines_of_vpps_troubleshooting_page(run: Run) -> None:
    text = run.files[0].read_text()
    lines = re.findall(r'"([a-z][^"]*)"', text[: text.index("do\n")])
    assert len(lines) == 20
    with router() as console:
        for line in lines:
            list(console.run(line))


@case("public/06-*")
def start_of_a_file_for_linux_cp(run: Run) -> None:
    with router() as console:
        assert not list(console.run(f"exec {run.files[1]}"))
        shown = list(console.run("show lcp"))
    assert shown[:3] == ["lcp default netns 'dataplane'", "lcp lcp-auto-subint on", "lcp lcp-sync on"]


@case("public/08-*")
def pair_of_two_tags(run: Run) -> None:
    with router() as console, pytest.raises(WirespeedError) as refused:
        list(console.run(f"exec {run.files[1]}"))
    assert "needs a sub-interface with tag 801 alone in a pair first: create sub-interfaces e0 801" in str(
        refused.value
    )


@case("public/11-*")
def messages_of_older_clients(run: Run) -> None:
    api = run.directory / "api.sock"
    with RouterProcess(run.directory / "router.sock", api):
        said = run.script(api)
    assert said.count("ok ") == 16 and "MISSING" not in said, said


@case("public/12-*")
def sections_of_a_stock_startup_file(run: Run) -> None:
    read = make_startup(read_text(run.files[0].read_text(), "vpp.conf", FILE), "vpp.conf")
    assert read.notice == "vpp.conf: no meaning here, left out: unix nodaemon, l3fib"


@case("public/13-*")
def a_log_without_its_folder(run: Run) -> None:
    text = run.files[0].read_text().replace("/var/log/vpp", f"{run.directory}/none")
    read = make_startup(read_text(text, "vpp.conf", FILE), "vpp.conf")
    assert read.log is not None
    with Log(read.log) as log:
        log.say("ready")
    said = run.capsys.readouterr()
    assert said.out == "ready\n"
    assert said.err.startswith(f"wirespeed: log {read.log} cannot be written: ")


# ---- Modules and NICs


@case("public/10-*")
def dump_of_a_module_with_offsets(run: Run) -> None:
    assert "module ACME OPTICS AO-10G-SR" in run.wirespeed("host", "show", "--ethtool-m", run.files[0])


@case("public/14-*")
def counters_of_four_drivers(run: Run) -> None:
    found = {one.load.name: explain(one).cause for one in read_evidence(run.files[0])}
    assert found == dict.fromkeys(("64b bnxt", "64b vmxnet3", "64b sfc", "64b igb"), "rx-overrun")


# ---- T-Rex's console and files


@contextmanager
def trex_console() -> Iterator[tuple[ConsoleServer, Driver]]:
    with ConsoleServer(follows_clock=True) as server:
        console = Driver(server.address)
        yield server, console
        console.close()


@case("public/09-*")
def options_of_trex_console(run: Run) -> None:
    with trex_console() as (server, console):
        console("acquire; service")
        for port in (0, 1):  # ARP requires an address, and a neighbour with the tag of the request
            addresses = {"src_addr": f"10.0.0.{1 + port}", "dst_addr": f"10.0.0.{2 - port}"}
            console.session.client.on_ports("set_l3", [port], block=False, **addresses)
        refused = []
        for line in run.lines(0):
            if "--vlan 5" in line:
                console.session.client.on_ports("set_vlan", [1], block=False, vlan=[5])
            refused += [line] if console.code(line) else []
        console.session.leave()
        (run.directory / "batch").write_text("stats\n")
        names = {"/tmp/batch": str(run.directory / "batch"), "4501": str(server.port)}
        for line in run.lines(1):
            given = [names.get(word, word) for word in line.partition("wirespeed console ")[2].split()]
            where = ["-p", str(server.port)] if "-s" in given and "-p" not in given else ["-s", server.address]
            code = main(["console", *(where if "-p" not in given else []), *given])
            # The live view needs a terminal, the only thing that this line lacks here.
            refused += [] if code == (EnvironmentFault.exit_code if given == ["-t"] else 0) else [line]
    assert not refused


def started(run: Run) -> tuple[int, str, list[Any]]:
    """Exit code and output of the case's file, run by the console; and the streams of port 0 afterwards."""
    with trex_console() as (server, console):
        run.capsys.readouterr()
        code = main(["console", "-s", server.address, "start", "-f", str(run.files[0]), "-n", "-p", "0"])
        return code, "".join(run.capsys.readouterr()), list(console.session.client.all_streams(0).get("_", {}).values())


@case("public/15-*")
def yaml_written_by_python_2(run: Run) -> None:
    code, said, streams = started(run)
    assert code == 0, said
    assert [stream["mode"]["type"] for stream in streams] == ["continuous"]


@case("public/17-*")
def words_of_a_refusal(run: Run) -> None:
    code, said, _ = started(run)
    assert code != 0 and "flow statistics need an IPv4 or IPv6 packet; VLAN tags may precede it" in said


@case(
    "public/16-*",
    pytest.mark.long("a generator and two seconds of traffic, which the script sleeps"),
)
def length_of_a_captured_frame(run: Run) -> None:
    from otg_api import serving  # noqa: PLC0415 - needs snappi

    with serving(run.directory / "log", ["ring:a,speed=10G"] * 2) as (_, otg):
        assert "as OTG has it" in run.script(otg)


# ---- Configurations


@case("public/07-*")
def sub_interface_of_a_tunnel(run: Run) -> None:
    assert run.wirespeed("config", "check", run.files[0]).endswith(" is valid\n")


@case("config/af.yaml")
def a_port_of_af_packet(run: Run) -> None:
    assert run.wirespeed("config", "check", run.files[0]).endswith(" is valid\n")


@case("config/bondmtu1500.yaml")
def mtu_of_a_bond(run: Run) -> None:
    plan = run.wirespeed("config", "plan", run.files[0], "--offline")
    assert "set interface mtu packet 1500 BondEthernet0\n" in plan
    assert "set interface mtu 1500 BondEthernet0\n" not in plan


@case("config/tap?.yaml")
def linux_side_of_a_tap(run: Run) -> None:
    changes = [
        run.wirespeed("config", "diff", before, after, "--format", "cli")
        for before, after in zip(run.files, run.files[1:], strict=False)
    ]
    assert "host-mac-addr 02:01:be:ef:ca:fe" in changes[0]
    assert "host-mac-addr 02:01:be:ef:ca:ff" in changes[1]
    assert "host-ns t8" in changes[2]


# ---- Verdicts

BLACKHOLE = ("noroute", "nullroute", "outdown", "memifdown", "unreach")
CAUSES = {
    **dict.fromkeys(("explain/pause1", "explain/aclpermit", "vpp/aclpermit", "vpp/ok"), "unknown"),
    **dict.fromkeys((f"vpp/{name}" for name in BLACKHOLE), "blackhole"),
    **dict.fromkeys(("vpp/vlan", "vpp/wrongmac"), "dropped"),
    "vpp/acl": "firewall",
    "vpp/mtu": "mtu",
    "vpp/noneigh": "no-next-hop",
    "vpp/ttl": "slow-path",
}


@case("explain/**/*.yaml")
def the_cause_that_was_made(run: Run) -> None:
    found = {}
    for file in run.files:
        (one,) = read_evidence(file)
        found[f"{file.parent.name}/{file.stem}"] = explain(one).cause
    assert found == CAUSES


# ---- Attacks


def attack(run: Run, *words: object) -> str:
    """Output of the script, in namespaces of its own."""
    if (reason := isolation.refusal()) is not None:
        pytest.skip(reason)
    (run.directory / "wirespeed-unidir-imix.json").write_text(json.dumps(OURS))
    return run.script(*words, inside=[*isolation.command(), "sh", "-c", 'ip link set lo up; exec "$@"', "sh"])


@case("attacks/01-*", pytest.mark.long("four programs; test_corpus_site.py has the same links and folders"))
def folders_that_the_site_did_not_make(run: Run) -> None:
    said = attack(run)
    assert said.count("held") == 2 and said.count("rc 0") == 2 and "FAILED" not in said, said


@case("attacks/02-*")
def hint_at_a_journal(run: Run) -> None:
    said = [line for line in attack(run).splitlines() if " is now " not in line]
    assert said[0].endswith("x.json.part is the journal of a test that did not end: it holds no measurement")
    assert not any("recover" in line for line in said[:3])  # the last line is the command that does not exist


@case("attacks/03-*")
def deeply_nested_json(run: Run) -> None:
    first, code = attack(run).splitlines()
    assert "x.json is not valid JSON" in first and code == "rc 6"


@case("attacks/04-*", pytest.mark.long("four programs; test_damaged_results.py has the same files"))
def one_bad_result_among_good_ones(run: Run) -> None:
    said = "".join(line for line in attack(run).splitlines(keepends=True) if " is now " not in line)
    assert "report rc 6 " in said and "corpus add rc 6\n1 of 1\n" in said, said


@case("attacks/05-*", pytest.mark.long("a generator and two browsers; the trial `web-pages` has the same attack"))
def a_web_page_of_another_site(run: Run) -> None:
    if shutil.which("chromium") is None:
        pytest.skip("no page was opened in a browser: apt-get install chromium")
    said = attack(run)
    assert "read TypeError: Failed to fetch" in said, said
    assert "frames_tx" not in said and "tx_name" not in said, said


@case("attacks/06-*", pytest.mark.long("2 000 pairs of links and a script that sleeps for five seconds"))
def linux_cp_among_links_by_the_thousand(run: Run) -> None:
    said = attack(run)
    assert "the router has 8\nalive\nrc 0\n" in said, said


@case(
    "attacks/08-*",
    pytest.mark.long("a lab and a load test of six seconds"),
    pytest.mark.alone,
)
def duplicates_that_hide_a_loss(run: Run) -> None:
    said = attack(run)
    told = said.partition("result in ")[0]
    assert re.search(r"lost \((9|10)(\.\d+)? %\).*, [\d,]+ duplicate", told), said
    # On a busy host: "no loss above 0.1 % except in samples that the host disturbed".
    assert not re.search(r"no loss above [\d.]+ %(?! except)", told), said


@case("attacks/09-*", pytest.mark.long("1 000 links and 20 000 routes; test_many_links.py asks for nothing of them"))
def a_command_among_links_and_routes(run: Run) -> None:
    said = attack(run)
    assert "a load test without its generator ends after" in said, said


# ---- The cases


def chosen() -> list[Any]:
    if not CASES.is_dir():
        gone = pytest.mark.skip(reason="../shared/cases does not stand beside the project: its cases were NOT run")
        return [pytest.param("", marks=gone, id="none")]
    return [pytest.param(pattern, marks=marks, id=judge.__name__) for pattern, (judge, marks) in JUDGES.items()]


@pytest.mark.parametrize("pattern", chosen())
def test_a_case_has_its_right_outcome(
    pattern: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = sorted(CASES.glob(pattern))
    assert files, f"there is no case {pattern} any longer"
    with tempfile.TemporaryDirectory(
        prefix="case-"
    ) as directory:  # pytest's are too long for the sockets of labs in them
        monkeypatch.chdir(directory)
        JUDGES[pattern][0](Run(files, Path(directory), capsys))
        monkeypatch.chdir(ROOT)


if CASES.is_dir():

    def test_each_case_is_judged_once() -> None:
        judged = [file for pattern in JUDGES for file in CASES.glob(pattern)]
        there = [file for file in CASES.rglob("*") if file.is_file() and file.name not in ("README.md", "lib.sh")]
        assert sorted(judged) == sorted(there)
