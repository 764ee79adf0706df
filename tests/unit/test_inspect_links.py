"""PCIe links from lspci, sysfs, dmesg and VPP, and their capacity compared with the ports' needs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.inspect.budget import carried_gbps, ceiling_pps, coded_gbps, most_pps, need, packet_bytes
from wirespeed.inspect.facts import facts_of
from wirespeed.inspect.marks import marks_of
from wirespeed.inspect.pci import LinkSpeed, merged, parse_dmesg, parse_lspci, parse_sysfs, path_to_root
from wirespeed.inspect.transcript import TranscriptSection, tree

HARDWARE = Path(__file__).parent / "data" / "hardware"
GUEST = (HARDWARE / "guest-lspci.txt").read_text()


# ---- arithmetic, against the tables of the pcie-bench model


@pytest.mark.parametrize(
    ("speed", "lanes", "coded", "small", "large"),
    [
        (2.5, 1, 2.0, 1.86, 1.92),
        (5, 1, 4.0, 3.77, 3.85),
        (5, 4, 16.0, 13.9, 14.4),
        (5, 8, 32.0, 27.6, 28.7),
        (8, 4, 31.51, 28.4, 29.1),
        (8, 8, 63.02, 56.7, 57.9),
        (8, 16, 126.0, 112, 114),
        (16, 16, 252.1, 223, 227),
    ],
)
def test_a_link_carries_what_the_model_says(speed, lanes, coded, small, large):
    link = LinkSpeed(speed, lanes)
    assert coded_gbps(link) == pytest.approx(coded, rel=0.001)
    assert carried_gbps(link, 128) == pytest.approx(small, rel=0.005)
    assert carried_gbps(link, 256) == pytest.approx(large, rel=0.005)


@pytest.mark.parametrize(
    ("ports", "frame", "gbps"),
    [
        ([10e9], 64, 18.5),
        ([10e9] * 2, 64, 37.0),
        ([25e9] * 2, 64, 92),
        ([100e9], 64, 185),
        ([10e9], 1518, 11.6),
        ([10e9] * 2, 1518, 23.1),
        ([25e9] * 2, 1518, 58),
        ([100e9] * 2, 1518, 231),
    ],
)
def test_ports_need_what_the_model_says(ports, frame, gbps):
    assert need(ports, frame, 256).gbps == pytest.approx(gbps, rel=0.01)


def test_bytes_of_one_packet():
    assert packet_bytes(64).up == pytest.approx(155, abs=0.5)
    assert packet_bytes(64).down == pytest.approx(119, abs=0.5)
    assert packet_bytes(1518, 256).up == pytest.approx(1777, abs=1)
    assert packet_bytes(1518, 128).up == pytest.approx(1921, abs=1)


def test_the_ceiling_of_the_article_s_card():
    """Both ports of an X520 on 5 GT/s x4: 13.4, 12.7 and 13.0 Mpps measured; links are up to 10 % below the model."""
    assert 11e6 < most_pps(LinkSpeed(5, 4), 64) < 13.2e6
    assert most_pps(LinkSpeed(5, 4), 1518, 256) == pytest.approx(1.02e6, rel=0.02)


@given(st.sampled_from([2.5, 5.0, 8.0, 16.0, 32.0, 64.0]), st.sampled_from([1, 2, 4, 8, 12, 16, 32]))
def test_every_link_carries_less_than_it_codes(speed, lanes):
    link = LinkSpeed(speed, lanes)
    assert 0.85 * coded_gbps(link) < carried_gbps(link) <= carried_gbps(link, 256) < coded_gbps(link)


# ---- sources of link data


def test_lspci_of_a_guest_with_bridges():
    devices = parse_lspci(GUEST)
    nic = devices["0000:03:00.0"]
    assert (nic.ids, nic.driver, nic.class_code) == ("8086:10d3", "e1000e", "0200")
    assert (nic.now, nic.most, nic.parent) == (LinkSpeed(2.5, 1), LinkSpeed(2.5, 1), "0000:00:03.0")
    port = devices["0000:00:05.0"]
    assert (port.most, port.now) == (LinkSpeed(16, 16), LinkSpeed(2.5, 1))
    assert (port.payload_bytes, port.read_bytes, port.aspm) == (128, 128, "Disabled")
    assert [one.address for one in path_to_root(devices, "0000:05:00.0")] == ["0000:05:00.0", "0000:00:05.0"]
    assert devices["0000:00:12.0"].now is None
    assert sum(device.is_ethernet for device in devices.values()) == 11


def test_lspci_that_may_not_look_says_so():
    plain = "05:00.0 Ethernet controller: Intel Corporation 82599ES (rev 01)\n\tCapabilities: <access denied>\n"
    facts = facts_of("it", {"lspci": TranscriptSection(plain)})
    assert parse_lspci(plain)["0000:05:00.0"].denied
    assert any("with sudo" in line and "1 PCI devices" in line for line in facts.missing)


def test_new_and_old_pciutils_say_downgraded_or_not():
    for status in (
        "Speed 5GT/s, Width x4 (downgraded)",
        "Speed 5GT/s (ok), Width x4 (downgraded)",
        "Speed 5GT/s, Width x4",
    ):
        text = (
            "05:00.0 Ethernet controller [0200]: Intel 82599ES [8086:10fb] (rev 01)\n"
            f"\t\tLnkCap:\tPort #0, Speed 5GT/s, Width x8, ASPM L0s\n\t\tLnkSta:\t{status}, TrErr-\n"
        )
        device = parse_lspci(text)["0000:05:00.0"]
        assert (device.now, device.most) == (LinkSpeed(5, 4), LinkSpeed(5, 8))


def sysfs(address: str, parent: str, **files: str) -> str:
    above = f"/sys/devices/pci0000:00/{parent + '/' if parent else ''}{address}"
    lines = [f"/sys/bus/pci/devices/{address} = {above}"]
    return "\n".join(lines + [f"/sys/bus/pci/devices/{address}/{name} = {value}" for name, value in files.items()])


@pytest.mark.parametrize(
    ("speed", "width", "link"),
    [
        ("5.0 GT/s PCIe", "4", LinkSpeed(5, 4)),
        ("5 GT/s", "4", LinkSpeed(5, 4)),
        ("Unknown", "4", None),
        ("Unknown speed", "255", None),
        ("5.0 GT/s PCIe", "0", None),
        ("", "", None),
    ],
)
def test_sysfs_of_every_kernel(speed, width, link):
    text = sysfs("0000:05:00.0", "0000:00:1c.4", current_link_speed=speed, current_link_width=width, numa_node="-1")
    device = parse_sysfs(text)["0000:05:00.0"]
    assert (device.now, device.parent, device.node) == (link, "0000:00:1c.4", None)


def test_sysfs_and_lspci_add_up():
    text = sysfs(
        *("0000:03:00.0", "0000:00:03.0"),
        **{"class": "0x020000", "driver": "/sys/bus/pci/drivers/vfio-pci", "numa_node": "1"},
    )
    device = merged(parse_sysfs(text), parse_lspci(GUEST))["0000:03:00.0"]
    assert (device.driver, device.node, device.most, device.ids) == ("vfio-pci", 1, LinkSpeed(2.5, 1), "8086:10d3")


def test_a_driver_s_message_over_one_line_or_two():
    said = parse_dmesg((HARDWARE / "r86s-dmesg.txt").read_text())["0000:05:00.0"]
    assert (said.now, said.most, said.at) == (LinkSpeed(5, 4), LinkSpeed(5, 8), "0000:00:1c.4")
    one_line = (
        "[ 1.2] ixgbe 0000:05:00.0: 16.000 Gb/s available PCIe bandwidth, limited by 5.0 GT/s PCIe x4 link "
        "at 0000:00:1c.4 (capable of 32.000 Gb/s with 5.0 GT/s PCIe x8 link)\n"
        "[ 1.3] mlx5_core 0000:01:00.0: 63.008 Gb/s available PCIe bandwidth (8.0 GT/s PCIe x8 link)\n"
    )
    assert parse_dmesg(one_line)["0000:05:00.0"] == said
    assert parse_dmesg(one_line)["0000:01:00.0"].now is None


def test_a_tree_is_its_lines():
    assert tree("/a/b = c = d\nls: cannot access\n/e = \n") == {"/a/b": "c = d", "/e": ""}


@given(st.text(alphabet="0123456789abcdef:. \n\tLnkCapSt#,xGT/sWidthSpeed[]()"))
def test_no_text_breaks_the_parsers(text):
    head = "05:00.0 Ethernet controller [0200]: X [8086:10fb]\n"
    for given_text in (text, head + text):
        parse_lspci(given_text)
        parse_sysfs(given_text)
        parse_dmesg(given_text)


# ---- grades


def marks(text: dict[str, str], workers=(), ports=None) -> list[str]:
    facts = facts_of("it", {name: TranscriptSection(value) for name, value in text.items()}, ports)
    return [f"{mark.subject}: {mark.text}" for mark in marks_of(facts, workers)]


def test_the_article_s_card_is_marked():
    (slot, budget) = marks({"dmesg": (HARDWARE / "r86s-dmesg.txt").read_text()}, ports={"05:00": (10e9, 10e9)})
    assert slot == "0000:05:00: the slot at 0000:00:1c.4 gives 5 GT/s x4 to a card of 5 GT/s x8"
    assert "5 GT/s x4 at 0000:00:1c.4 carries about 14 Gb/s of TLPs: two 10G ports at 64b need 37 " in budget


def two_node_machine(node: int) -> dict[str, str]:
    lspci = (
        "0000:00:01.0 PCI bridge [0604]: Root port [8086:0001]\n\tBus: primary=00, secondary=05, subordinate=05\n"
        "\t\tLnkCap:\tPort #1, Speed 8GT/s, Width x8\n\t\tLnkSta:\tSpeed 8GT/s, Width x8\n"
        "0000:05:00.0 Ethernet controller [0200]: Intel X710 [8086:1572] (rev 01)\n"
        f"\tNUMA node: {node}\n\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x8\n\t\tLnkSta:\tSpeed 8GT/s, Width x8\n"
        "\t\tLnkCtl:\tASPM L1 Enabled; RCB 64 bytes\n"
    )
    cpus = "/sys/devices/system/cpu/online = 0-255\n" + "".join(
        f"/sys/devices/system/cpu/cpu{cpu}/topology/core_id = {cpu % 32}\n"
        f"/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id = {cpu // 32 % 4}\n"
        f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list = {cpu % 128},{cpu % 128 + 128}\n"
        for cpu in range(256)
    )
    nodes = "".join(
        f"/sys/devices/system/node/node{number}/cpulist = {first}-{first + 31},{first + 128}-{first + 159}\n"
        for number, first in enumerate(range(0, 128, 32))
    )
    return {"lspci": lspci, "cpus": cpus + nodes}


def test_four_sockets_and_256_threads():
    facts = facts_of("it", {name: TranscriptSection(value) for name, value in two_node_machine(1).items()})
    assert (facts.cpu.online, facts.cpu.cores, facts.cpu.sockets, facts.cpu.nodes) == (256, 128, 4, (0, 1, 2, 3))
    assert facts.cpu.smt


def test_workers_are_held_against_the_card_and_each_other():
    found = marks(two_node_machine(1), workers=(32, 3, 160))
    assert any("hangs on NUMA node 1, CPU 3 of the workers do not" in mark for mark in found)
    assert "cpu: workers 32 and 160 are threads of one core and slow each other down" in found
    assert any("ASPM is on (L1 Enabled)" in mark for mark in found)
    assert not any("TLPs" in mark for mark in found), "one X710 port fits on 8 GT/s x8"
    assert "cpu: there is no CPU 999 for a worker" in marks(two_node_machine(1), workers=(999,))


def test_a_slot_and_a_sleeping_link_are_told_apart():
    def lspci(slot: str, now: str) -> dict[str, str]:
        return {
            "lspci": "00:01.0 PCI bridge [0604]: Root port [8086:0001]\n\tBus: primary=00, secondary=05, more\n"
            f"\t\tLnkCap:\tPort #1, Speed 8GT/s, Width {slot}\n\t\tLnkSta:\tSpeed {now}\n"
            "05:00.0 Ethernet controller [0200]: Intel X710 [8086:1572] (rev 01)\n"
            f"\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x8\n\t\tLnkSta:\tSpeed {now}\n"
        }

    (narrow,) = marks(lspci("x4", "8GT/s, Width x4"))
    assert narrow == "0000:05:00: the slot at 0000:00:01.0 gives 8 GT/s x4 to a card of 8 GT/s x8"
    asleep = marks(lspci("x8", "2.5GT/s, Width x8"))
    assert asleep[0].startswith("0000:05:00: its link runs at 2.5 GT/s x8 and could at 8 GT/s x8: power saving at idle")
    assert marks(lspci("x8", "8GT/s, Width x8")) == []
    said = "i40e 0000:05:00.0: 63.008 Gb/s available PCIe bandwidth (8.0 GT/s PCIe x8 link)\n"
    assert "power saving" in marks(lspci("x8", "2.5GT/s, Width x8") | {"dmesg": said})[0], "it was wide at the start"


def test_virtual_devices_and_those_on_the_die_have_no_budget():
    found = marks({"lspci": GUEST})
    assert not any("TLPs" in mark for mark in found)


@pytest.mark.parametrize(
    ("link", "frame", "measured_pps"),
    [
        (LinkSpeed(5, 4), 64, 13.4e6),
        (LinkSpeed(5, 4), 64, 12.7e6),
        (LinkSpeed(5, 4), 1514, 1.07e6),
        (LinkSpeed(8, 4), 1514, 2.06e6),
    ],
    ids=["X520 one way", "X520 both ways", "X520 long frames", "ConnectX-5 long frames"],
)
def test_what_was_measured_on_a_full_link_is_within_the_range(link: LinkSpeed, frame: int, measured_pps: float) -> None:
    low, high = ceiling_pps(link, frame)
    assert low <= measured_pps <= high
