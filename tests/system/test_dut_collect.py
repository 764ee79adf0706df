"""A Linux router behind a real sshd under load: collected from while it forwards, and told of in the result."""

import os

import pytest
from sandbox import needs, sandbox, wait_for
from ssh_dut import MACS, SPEC, SshDut

from wirespeed.results.dut import DutTelemetry
from wirespeed.results.file import read_file

pytestmark = needs("ethtool", "nft", "sshd", "ssh-keygen", "sudo")


@pytest.fixture(scope="module")
def dut(tmp_path_factory):
    with sandbox(tmp_path_factory.mktemp("dut")) as box:
        yield SshDut(box)


def generator(dut: SshDut, server: str):
    ports = []
    for number in range(len(MACS)):
        ports += [f"--port=af_packet:g{number},speed=1G", f"--dest-mac=02:fe:00:00:01:0{number}"]
    cpu = str(max(os.sched_getaffinity(0)))
    process = dut.box.spawn(*dut.words, "generator", f"--cpu={cpu}", *ports, "--hugepages=never", f"--rpc={server}")
    wait_for(lambda: "ready" in process.said(), "a generator")
    return process


def test_a_load_test_holds_what_the_router_told_meanwhile(dut):
    dut.prepare()
    server = "127.0.0.1:4601"
    process = generator(dut, server)
    result = dut.directory / "result.json"
    words = ["--steps=2kpps,5kpps", "-hd", "2", "-p", "bench", "-s", server, "-o", str(result)]
    code, said = dut.wirespeed("loadtest", *words, f"--dut={SPEC},every=0.3")
    assert code == 0, said
    assert process.end() == 0
    test = read_file(result)
    samples = [one for one in test.samples if one.phase == "step"]
    told = [DutTelemetry.from_json(one.dut) for one in samples]
    assert len(told) == 4 and not any(one.error for one in told)
    # Samples of the device are read up to 0.3 s from those of the tester; all of them together, of both interfaces,
    # are no more than was sent, and more than three quarters of it.
    last = test.samples[-1]
    sent = sum(last.ports[port].opackets for port in (0, 1))
    assert 0.6 * sent < sum(one.in_packets for one in told) <= sent + 100
    for one in told:
        assert one.machine is not None
        cpus = one.machine.cpus
        assert sum(cpu.softnet.get("processed", 0) for cpu in cpus) >= one.in_packets > 0
        assert sum(cpu.softirqs.get("NET_RX", 0) for cpu in cpus) > 0
        assert all(0 <= cpu.busy <= 1 for cpu in cpus if cpu.busy is not None)
        assert one.machine.counters["IpForwDatagrams"] > 0
    assert test.dut["kind"] == "linux" and test.dut["version"].startswith("Linux ")
    assert float(test.dut["texts"]["collector"].split()[0]) > 0
    assert dut.dut_show(result, "cat /proc/net/soft") == test.dut["texts"]["cat /proc/net/softnet_stat"]
    assert "IpForwDatagrams" in dut.dut_show(result, "nstat -az")
    assert dut.on("sh", "-c", "ls -d /tmp/wirespeed-collect.* || true") == ""
    dut.dut("restore")
