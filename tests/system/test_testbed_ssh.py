"""A testbed whose device is reached over SSH: prepared from its file, checked, loaded, restored."""

import pytest
from sandbox import needs, sandbox
from ssh_dut import HOST, SshDut

from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.result import Result

pytestmark = needs("ethtool", "nft", "sshd", "ssh-keygen", "sudo")

BENCH = f"""\
tester: {{ports: ["af_packet:g0", "af_packet:g1"], hugepages: never}}
links:
  - {{port: 0, interface: e0, speed: 1G}}
  - {{port: 1, interface: e1, speed: 1G}}
dut: {{kind: linux, reach: "ssh://runner@{HOST}"}}
description: {{dut: Behind an sshd}}
"""


@pytest.fixture
def device(tmp_path):
    with sandbox(tmp_path) as box:
        yield SshDut(box)


@pytest.mark.long("a whole bench over SSH; test_testbed.py has each of its parts")
def test_a_bench_from_its_file_to_a_result(device):
    file, output = device.directory / "bench.yaml", device.directory / "result.json"
    file.write_text(BENCH)
    before = device.state()
    code, said = device.wirespeed("dut", "prepare", "--testbed", str(file))
    assert code == 0, said
    code, said = device.wirespeed("testbed", "check", str(file))
    assert code == 0, said
    lines = said.splitlines()
    assert all(line.startswith("ok ") for line in lines), said
    assert [line.split(None, 2)[1] for line in lines][-2:] == ["0>1", "1>0"]
    load = ("-p", "bench", "-wd", "0.5", "-rd", "0", "-hd", "4", "-rt", "2kpps", "-q", "-o", str(output))
    code, said = device.wirespeed("loadtest", "--testbed", str(file), *load)
    assert code == 0, said
    result = read_as(Result, output)
    assert result.dut.description == {"dut": "Behind an sshd"}
    assert any(sample.dut.get("cpus") for sample in result.samples), [sample.dut for sample in result.samples]
    assert [channel.balance.test_frames > 0 for channel in result.outcome.channels.values()] == [True, True]
    code, said = device.wirespeed("dut", "restore", "--testbed", str(file))
    assert code == 0, said
    assert device.state() == before
