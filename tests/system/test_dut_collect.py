"""A Linux router with a real sshd under load: its data are collected while it forwards, and are part of the result."""

import pytest
from harness.waiting import wait_for
from report_charts import unpacked
from sandbox import needs, sandbox
from ssh_dut import SPEC, SshDut, generator

from wirespeed.dut.kinds.linux_load import SAMPLE, parts_of
from wirespeed.measurement.file import read_file
from wirespeed.results.dut import DutTelemetry

pytestmark = needs("ethtool", "nft", "sshd", "ssh-keygen", "sudo")


@pytest.fixture(scope="module")
def dut(tmp_path_factory):
    # The tester polls a CPU; the device needs another one to be read several times per sample.
    with sandbox(tmp_path_factory.mktemp("dut")) as box:
        yield SshDut(box)


_OF_THIS_DUT = """
    for place in /tmp/wirespeed-collect.*/space; do
        grep -qsxF "$(readlink /proc/$$/ns/pid)" "$place" && echo "$place"
    done
    true
"""
"""Names what collectors left that saw the DUT's processes; DUTs of other tests share /tmp."""


def test_a_load_test_holds_what_the_router_told_meanwhile(dut):
    dut.prepare()
    process, server = generator(dut)
    result = dut.directory / "result.json"
    words = ["--steps=2kpps,5kpps", "-wd", "0.5", "-hd", "2.4", "--interval", "2.4", "-p", "bench"]
    words += ["-s", server, "-o", str(result)]
    code, said = dut.wirespeed("loadtest", *words, f"--dut={SPEC},every=0.3")
    assert code == 0, said
    assert process.end() == 0
    test = read_file(result)
    samples = [one for one in test.samples if one.phase == "step"]
    told = [DutTelemetry.from_json(one.dut) for one in samples]
    assert len(told) == 2 and not any(one.error for one in told)
    # The device is read at other times than the tester: up to 0.3 s later, and on a busy machine more than a second.
    warm = [one for one in test.samples if one.phase == "warm-up"][-1]
    sent = sum(samples[-1].ports[port].opackets - warm.ports[port].opackets for port in (0, 1))
    assert 0.5 * sent < sum(one.in_packets for one in told) < 1.5 * sent
    for one in told:
        assert one.machine is not None
        cpus = one.machine.cpus
        assert sum(cpu.softnet.get("processed", 0) for cpu in cpus) >= one.in_packets > 0
        assert sum(cpu.softirqs.get("NET_RX", 0) for cpu in cpus) > 0
        assert all(0 <= cpu.busy <= 1 for cpu in cpus if cpu.busy is not None)
        assert one.machine.counters["IpForwDatagrams"] > 0
    assert test.dut.kind == "linux" and test.dut.version.startswith("Linux ")
    assert float(test.dut.texts["collector"].split()[0]) > 0
    assert dut.dut_show(result, "cat /proc/net/soft") == test.dut.texts["cat /proc/net/softnet_stat"]
    assert "IpForwDatagrams" in dut.dut_show(result, "nstat -az")
    assert dut.on("sh", "-c", _OF_THIS_DUT) == ""
    dut.dut("restore")


OTHERS = {
    "search": ["--mrr=2x1", "--min=500pps", "--max=3kpps"],
    "soak": ["--load=2kpps", "--duration=4"],
    "rfc2544": ["throughput", "--sizes=1518", "--trial=0.5", "--resolution=50%", "--line=40M"],
}


@pytest.mark.long("a search, a soak and a test of RFC 2544, each collected from over SSH")
def test_searches_soaks_and_rfc_2544_hold_as_much(dut):
    """Collecting begins before the load; texts are from before and after it."""
    dut.prepare()
    process, server = generator(dut)
    told = {}
    for command, words in OTHERS.items():
        result = dut.directory / f"{command}.json"
        code, said = dut.wirespeed(command, *words, "-s", server, "-o", str(result), f"--dut={SPEC},every=0.2")
        assert code == 0, said
        found = read_file(result)
        told[command] = found.total.dut if command == "soak" else found.trials[-1].trial.dut
        texts = found.dut.texts
        assert dut.dut_show(result, "nstat") == texts["nstat -az"] != texts["before: nstat -az"]
        assert float(dut.dut_show(result, "collector").split()[0]) > 0
    assert process.end() == 0
    for command, one in told.items():
        assert one.cpu_percent and sum(one.cpu_percent.values()) == pytest.approx(100), command
        assert not one.error, command
    page = dut.directory / "page.html"
    code, said = dut.wirespeed("report", *(str(dut.directory / f"{one}.json") for one in OTHERS), "-o", str(page))
    assert code == 0, said
    figures = unpacked(page.read_text())["figures"].values()
    panels = [panel["title"] for figure in figures for panel in figure["panels"]]
    assert len([title for title in panels if "of the DUT (%)" in title]) == len(OTHERS)
    dut.dut("restore")


@pytest.mark.long("the time-outs of SSH")
def test_a_box_that_stops_answering_under_load_is_told_of_in_a_result_that_is_whole(dut):
    dut.prepare()
    process, server = generator(dut)
    result = dut.directory / "lost.json"
    words = ["--steps=2kpps", "-wd", "1", "-hd", "4", "-p", "bench", "-s", server, "-o", str(result)]
    running = dut.box.spawn(*dut.words, "loadtest", *words, f"--dut={SPEC},every=0.3")
    wait_for(lambda: "step" in running.said(), "the load", patience_s=180)
    dut.cut()
    assert running.popen.wait(timeout=180) == 0, running.said()
    assert "Traceback" not in running.said()
    assert process.end() == 0
    test = read_file(result)
    assert test.ending.status == "complete"
    assert all("went away" in one.dut["error"] or "cannot be reached" in one.dut["error"] for one in test.samples)
    assert dut.dut_show(result, "error").count("\n") == 1
    dut.sshd = dut.start()
    assert "restored" in dut.dut("restore")


def test_a_device_with_many_interfaces_is_asked_of_those_with_hardware_alone(tmp_path):
    """ethtool is a process per interface: for thousands of virtual ones each sample and each text would
    take seconds.
    """
    with sandbox(tmp_path) as box:
        box.namespace("few", "many")
        for netns, pairs in (("few", 2), ("many", 40)):
            batch = "".join(f"link add v{number} type veth peer name w{number}\n" for number in range(pairs))
            box.run("sh", "-c", f"echo '{batch}' | ip -batch -", netns=netns)
        asked = {netns: box.run("sh", "-c", f"{SAMPLE}; true", netns=netns) for netns in ("few", "many")}
    told = {
        netns: [part for part in parts_of(sample) if part.startswith("ethtool ")] for netns, sample in asked.items()
    }
    assert told == {"few": ["ethtool v0", "ethtool v1", "ethtool w0", "ethtool w1"], "many": []}
    assert "w39:" in parts_of(asked["many"])["/proc/net/dev"]
