"""Full tables on a Linux router with a real sshd, through `ip` and BIRD, and loads to destinations in them."""

import re

import pytest
from harness.waiting import wait_for
from sandbox import needs, sandbox
from ssh_dut import MACS, SPEC, SshDut, generator, put_back

from wirespeed.dut.tables import ip4_table, ip6_table
from wirespeed.measurement.file import read_file

pytestmark = needs("ethtool", "nft", "sshd", "ssh-keygen", "sudo", "bird")

INTERFACES = [
    f"--interface=e{at},mac={mac},address=100.64.{at + 1}.1/30,tester=100.64.{at + 1}.2,"
    f"address=2001:db8:{at + 1}::1/64,tester=2001:db8:{at + 1}::2"
    for at, mac in enumerate(MACS)
]
ROUTES = [
    f"--route={prefix}={via}"
    for prefix, via in (
        ("16.0.0.0/8", "100.64.1.2"),
        ("48.0.0.0/8", "100.64.2.2"),
        ("2001:2::/49", "2001:db8:1::2"),
        ("2001:2:0:8000::/49", "2001:db8:2::2"),
    )
]


@pytest.fixture(scope="module")
def device(tmp_path_factory):
    with sandbox(tmp_path_factory.mktemp("dut")) as box:
        yield SshDut(box)


@pytest.fixture
def dut(device):
    with put_back(device):
        yield device
    assert device.on("sh", "-c", "ls -d /run/wirespeed-bird-$(stat -Lc %i /proc/self/ns/net) 2>/dev/null || true") == ""


def table_of(dut: SshDut, ip4: int, ip6: int) -> str:
    file = dut.directory / "table"
    file.write_text("\n".join(ip4_table(ip4) + ip6_table(ip6)))
    return str(file)


def prepare(dut: SshDut, *words: str) -> str:
    return dut.dut("prepare", *INTERFACES, *ROUTES, *words)


def counts(dut: SshDut, protocol: str) -> tuple[int, ...]:
    return tuple(len(dut.on("ip", "-o", of, "route", "show", "proto", protocol).splitlines()) for of in ("-4", "-6"))


@pytest.mark.parametrize(
    ("by", "protocol", "ip4", "ip6"),
    [
        pytest.param((), "185", 900, 100, marks=pytest.mark.long("the table by `ip` in place of BIRD")),
        pytest.param(("--routes-by=bird",), "bird", 900, 100, marks=pytest.mark.long("a start of BIRD over SSH")),
        pytest.param((), "185", 9_000, 1_000, marks=pytest.mark.long("ten thousand routes by `ip`, over SSH")),
        pytest.param(
            ("--routes-by=bird",), "bird", 90_000, 10_000, marks=pytest.mark.long("a full table by BIRD, over SSH")
        ),
    ],
)
def test_loads_drawn_from_a_table_pass(dut, by, protocol, ip4, ip6):
    table = table_of(dut, ip4, ip6)
    prepare(dut, f"--routes={table}", *by)
    assert counts(dut, protocol) == (ip4, ip6)
    assert prepare(dut, f"--routes={table}", *by).splitlines()[-1].startswith("nothing to do")
    process, server = generator(dut)
    for family, nowhere in (("4", "IpExtInNoRoutes"), ("6", "Ip6InNoRoutes")):
        result = dut.directory / f"table{family}.json"
        load = ["-p", "bench", "-t", f"prefixes={table},vm=var1,size=128,ip={family}", "-wd", "0.2", "-rd", "0"]
        load += ["-hd", "0.8"]
        words = [*load, "-rt", "3kpps", "-s", server, "-o", str(result), f"--dut={SPEC},every=0.5"]
        code, said = dut.wirespeed("loadtest", *words)
        assert code == 0, said
        test = read_file(result)
        balances = [one.balance for one in test.outcome.channels.values()]
        # A kernel whose CPU is preempted may lose some; without the table all would be lost.
        assert all(one.test_frames > 1000 and one.loss_ratio < 0.05 for one in balances), balances
        texts = test.dut.texts
        assert count(texts["nstat -az"], nowhere) == count(texts["before: nstat -az"], nowhere)
    assert process.end() == 0


def count(text: str, name: str) -> int:
    return int(re.search(rf"(?m)^{name} +(\d+)", text)[1])


def test_a_bird_of_the_device_itself_is_left_alone(dut):
    dut.on("ip", "route", "add", "blackhole", "192.0.2.0/24", "proto", "bird")
    code, said = dut.wirespeed(
        "dut", "prepare", f"--dut={SPEC}", *INTERFACES, *ROUTES, "--routes=internet:100", "--routes-by=bird"
    )
    assert (
        code == 3
        and "the DUT has 1 routes from BIRD, which the test's routes would remove; stop that BIRD first" in said
    )
    dut.on("ip", "route", "del", "192.0.2.0/24")


@pytest.mark.long("a second start of BIRD over SSH")
def test_a_bird_goes_with_a_preparing_that_is_killed_while_it_loads(dut):
    """Its count hangs: the routes exist, but the step was never reported as done."""
    dut.spoil(hangs="-o -4 route show proto bird", after=1)
    running = dut.box.spawn(
        *dut.words, "dut", "prepare", f"--dut={SPEC}", *INTERFACES, *ROUTES, "--routes=internet:100", "--routes-by=bird"
    )
    wait_for((dut.directory / "hanging").exists, "the step that hangs")
    wait_for(lambda: counts(dut, "bird") == (100, 0), "BIRD")
    running.kill()
    dut.spoil()
    assert "table by BIRD: restored" in dut.dut("restore")
    assert counts(dut, "bird") == (0, 0)
