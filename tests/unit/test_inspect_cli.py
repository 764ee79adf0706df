"""`wirespeed host show` and `optics`: this machine, files of others, modules one by one, and errors."""

import io
import json
import os
from pathlib import Path

import pytest
from harness.namespaces import needs_namespace_names

from wirespeed.cli.main import main
from wirespeed.errors import EnvironmentFault
from wirespeed.inspect.facts import facts_of
from wirespeed.inspect.nic import interface_of
from wirespeed.inspect.optics import go_through, optics_part
from wirespeed.inspect.questions import QUESTIONS
from wirespeed.inspect.sources import answers_of
from wirespeed.inspect.tables import markdown_of
from wirespeed.inspect.transcript import Here, TranscriptSection, ask, parse_transcript, script

HARDWARE = Path(__file__).parent / "data" / "hardware"
GOLDEN = Path(__file__).parents[1] / "golden" / "inspect"
R86S = ("--dmesg", str(HARDWARE / "r86s-dmesg.txt"), "--ports", "05:00=2x10G")
FITLET2 = ("--lspci", str(HARDWARE / "fitlet2-vpp-pci.txt"))
GUEST = tuple(
    word for name in ("lspci", "dmidecode", "lscpu") for word in (f"--{name}", str(HARDWARE / f"guest-{name}.txt"))
)
MODULES = tuple(
    word
    for name in ("sfp-finisar", "sfp-oem-sr", "qsfp-molex")
    for word in ("--ethtool-m", str(HARDWARE / f"{name}.txt"))
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---- this machine


def test_this_machine_is_read_whatever_it_lacks(capsys):
    assert main(["host", "show", "-o", "here.json"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("this machine, ")
    assert "\nMachine\n" in said and "  cpu " in said
    document = json.loads(Path("here.json").read_text())
    assert document["schema"] == "wirespeed-inspect/1"
    assert document["facts"]["cpu"]["online"] >= 1
    assert document["texts"].keys() >= QUESTIONS.keys(), "every question was answered, if only by a refusal"
    main(["host", "show", "--from", "here.json"])
    assert capsys.readouterr().out == said


def test_a_script_tells_each_command_s_text_and_code():
    answers = ask(
        Here(),
        {"good": "printf 'a\\nb'", "bad": "echo x; exit 3", "none": "no-such-program-here", "left": "cd /; read x"},
    )
    assert answers["good"] == TranscriptSection("a\nb\n", 0)
    assert answers["bad"] == TranscriptSection("x\n", 3)
    assert answers["none"].is_missing
    assert answers["left"].code == 1, "nobody types to a question"


def test_a_command_that_never_ends_is_ended_with_what_it_started(here):
    with pytest.raises(EnvironmentFault, match="did not end within 3 s"):
        Here(patience_s=3).run(f"sh -c 'echo $$ >{here}/pid; sleep 1000' | cat")
    number = (here / "pid").read_text().strip()
    assert not Path(f"/proc/{number}/cwd").exists(), "it is gone, or waits for its parent to ask"


def test_an_answer_that_was_cut_off_counts_as_failed():
    cut = script({"a": "true"}) and "==> a\nx\n<== 0\n==> b\ny\n"
    assert parse_transcript(cut) == {"a": TranscriptSection("x\n", 0), "b": TranscriptSection("", 1)}


# ---- others, by files


@pytest.mark.parametrize(
    ("name", "words"), [("r86s", R86S), ("fitlet2", FITLET2), ("guest", GUEST), ("modules", MODULES)]
)
def test_files_of_others_give_the_golden_text(name, words, capsys):
    assert main(["host", "show", *words]) == 0
    _, _, said = capsys.readouterr().out.partition("\n")
    assert said == (GOLDEN / f"{name}.txt").read_text()


def test_interfaces_are_read_from_ethtool():
    printed = (HARDWARE / "guest-ethtool-igb.txt").read_text()
    sections = {}
    for block in printed.split("$ ")[1:]:
        command, _, text = block.partition("\n")
        text, _, code = text.rpartition("rc=")
        sections[" ".join(command.split())] = TranscriptSection(text, int(code.split()[0]))
    eth0 = interface_of("eth0", sections)
    assert (eth0.driver, eth0.firmware, eth0.address) == ("igb", "2.1.0", "0000:01:00.0")
    assert (eth0.has_link, eth0.speed_bps, eth0.most_bps) == (True, 1e9, 1e9)
    assert (eth0.rx_ring, eth0.most_rx_ring, eth0.tx_ring) == (256, 4096, 256)
    assert (eth0.queues, eth0.most_queues) == (2, 8)
    assert "gro" in eth0.offloads and "lro" not in eth0.offloads
    assert eth0.module is None and eth0.module_fault == ""


def test_a_raw_dump_reads_as_the_text_of_it(here, capsys):
    lines = (HARDWARE / "sfp-finisar.txt").read_text().splitlines()[2:]
    (here / "eth9.bin").write_bytes(bytes.fromhex("".join(line.partition(":")[2] for line in lines)))
    assert main(["host", "show", "--ethtool-m", "eth9.bin"]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if "FTLX8571D3BCL" in line)
    assert "eth9" in row and "0.5511 mW / -2.59 dBm" in row


# ---- modules one by one


class Cage:
    """A machine with one cage: `modules` are the modules in it, one per read."""

    name = "the bench"

    def __init__(self, *modules: str) -> None:
        self.modules = list(modules)
        self.packets = 100
        self.probed = 0

    def run(self, command: str) -> str:
        if command.startswith("cat "):
            return f"{self.packets}\n{self.packets - 100}\n"
        if command == "probe":
            self.probed += 1
            self.packets += 5
            return ""
        if command.startswith("test -e"):
            return "yes\n" if "eth9" in command else ""
        module = self.modules.pop(0)
        link = f"==> ethtool eth9\nLink detected: {'yes' if module else 'no'}\n<== 0\n"
        return f"{link}==> ethtool -m eth9\n{module}\n<== 0\n"


def test_modules_are_gone_through_one_by_one(here):
    cage = Cage((HARDWARE / "sfp-finisar.txt").read_text(), "")
    names = iter(["SR one", "none", ""])
    tried = go_through(cage, "eth9", "probe", here, lambda prompt: next(names))
    table = markdown_of(optics_part(tried)).splitlines()
    assert table[2].startswith("| SR one | yes  | 5    | 5        | FINISAR CORP.")
    assert table[3].startswith("| none   | no   | 5    | 5        | ethtool -m says nothing")
    assert cage.probed == 2
    assert "0x0000" in (here / "SR-one.txt").read_text()
    assert not (here / "none.txt").exists()


def test_no_cage_no_modules():
    with pytest.raises(EnvironmentFault, match="there is no interface eth1 on the bench"):
        go_through(Cage(), "eth1", "", None, input)


def test_the_command_asks_on_the_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("mine\n"))
    assert main(["host", "optics", "lo", "--dumps", "dumps"]) == 0
    said = capsys.readouterr()
    assert "Insert module 2 into lo" in said.err
    assert "| mine " in said.out


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, or sudo without a password")
def test_another_machine_is_asked_by_its_way(capsys):
    """For a namespace of this machine, which has the same CPUs; for SSH see tests/system/test_testbed_ssh.py."""
    assert main(["host", "show", "--dut", "local", "--format", "json"]) == 0
    there = json.loads(capsys.readouterr().out)
    assert main(["host", "show", "--format", "json"]) == 0
    here = json.loads(capsys.readouterr().out)
    assert there["machine"] == "local" and here["machine"] == "this machine"
    assert there["texts"].keys() == here["texts"].keys()


# ---- what goes wrong


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--lspci", "absent"], 6, "lspci output absent cannot be read: No such file"),
        (["--lspci", "junk"], 6, "junk holds no device of lspci -vv"),
        (["--dmesg", "junk"], 6, "junk holds no message about available PCIe bandwidth"),
        (["--dmidecode", "junk"], 6, "junk holds no structure of dmidecode"),
        (["--lscpu", "german"], 6, "german holds no model name; run LC_ALL=C lscpu, since lscpu translates"),
        (["--ethtool-m", "short"], 6, "module dump short: it has 50 bytes, the identity of an SFP takes 96"),
        (
            ["--ethtool-m", "decoded"],
            6,
            "module dump decoded: it is decoded, not a hex dump: give the output of `ethtool -m INTERFACE hex on`",
        ),
        (["--from", "junk"], 6, "junk is not valid JSON"),
        (
            ["--from", "other"],
            6,
            "other is not a file of `wirespeed host show -o`: its schema is not wirespeed-inspect/1",
        ),
        (["--from", "junk", "--lspci", "junk"], 2, "give one source"),
        (["--dut", "local", "--lspci", "junk"], 2, "give one source"),
        (["--dut", "telnet://box"], 2, "telnet://box is not an access method; give ssh://user@host"),
        pytest.param(
            ["--dut", "netns:no-such-1"], 3, "there is no network namespace no-such-1", marks=needs_namespace_names
        ),
        (["--ports", "05:00"], 2, "--ports 05:00 cannot be read; give CARD=COUNTxSPEED, such as 05:00=2x10G"),
        (["--ports", "05:00=2x"], 2, "speed '' cannot be read"),
        ([*R86S[:2], "--ports", "06:00=2x10G"], 2, "--ports 06:00: there is no such card; there are 0000:05:00"),
        (["optics", "lo", "--dumps", "junk/x"], 6, "--dumps junk/x cannot be made: Not a directory"),
        (["--cpu", "x"], 2, "--cpu x cannot be read"),
        (["optics", "no-such-cage-0"], 3, "there is no interface no-such-cage-0 on this machine"),
        (["optics", "a b"], 2, "INTERFACE a b is not a name of an interface"),
        (["--probe", "true"], 2, "host show takes no --probe, which is an option of host optics"),
        (["-o", "/no/such/folder/x"], 6, "output /no/such/folder/x cannot be written"),
    ],
)
def test_each_way_to_get_it_wrong_is_one_line(words, code, sentence, here, capsys):
    (here / "junk").write_text("nothing of that\n")
    (here / "german").write_text("Architektur:  x86_64\nModellname:   Intel\n")
    (here / "short").write_bytes(b"\x03\x04" * 25)
    (here / "decoded").write_text("\tIdentifier : 0x03 (SFP)\n\tVendor name : FINISAR\n")
    (here / "other").write_text('{"schema": "wirespeed-loadtest/2"}')
    verb = [] if words[0] in ("optics", "show") else ["show"]
    assert main(["host", *verb, *words]) == code
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


def test_programs_that_are_not_installed_are_named():
    missing = facts_of("it", answers_of(Bare())).missing
    assert any("apt-get install pciutils" in line for line in missing)
    assert any("apt-get install dmidecode" in line for line in missing)
    assert any("apt-get install ethtool" in line for line in missing)


class Bare:
    """A machine with a network card and no program that reads one."""

    name = "bare"

    def run(self, command: str) -> str:
        if "ethtool" in command:
            return "==> ethtool -i eth0\nsh: ethtool: not found\n<== 127\n"
        return (
            "==> lspci\nsh: 1: lspci: not found\n<== 127\n==> dmidecode\nsh: not found\n<== 127\n"
            "==> nets\n/sys/class/net/eth0/device\n<== 0\n"
        )


# ---- in the report


def test_the_report_shows_the_hardware_beside_the_results(here, capsys):
    result = str(GOLDEN.parent / "report" / "wirespeed.json")
    main(["host", "show", *R86S, "-o", "r86s.json"])
    assert main(["report", result, "r86s.json"]) == 0
    page = (here / "index.html").read_text(encoding="utf-8")
    hardware = page.partition('<section id="hardware">')[2].partition("</section>")[0]
    assert "carries about 14 Gb/s of TLPs: two 10G ports at 64b need 37" in hardware
    assert '<th scope="row">0000:05:00</th>' in hardware
    assert "16.000 Gb/s available PCIe bandwidth" in hardware, "the text that it was read from"
    assert 'id="summary"' in page
    assert main(["report", result, "-o", "without.html"]) == 0
    assert 'id="hardware"' not in (here / "without.html").read_text(encoding="utf-8")


def test_an_inspection_that_is_broken_is_told_of(here, capsys):
    (here / "broken.json").write_text('{"schema": "wirespeed-inspect/1", "machine": 1}')
    assert main(["report", "broken.json"]) == 6
    assert "broken.json is not a file of `wirespeed host show -o`: " in capsys.readouterr().err
