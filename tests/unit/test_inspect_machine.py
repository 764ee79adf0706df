"""CPU, memory, board, disks and accelerators, from recorded trees and texts of other machines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.inspect.board import board_of, dimms_text, disks_of
from wirespeed.inspect.cpu import Cache, cpu_of
from wirespeed.inspect.facts import facts_of
from wirespeed.inspect.marks import marks_of
from wirespeed.inspect.tables import machine_part
from wirespeed.inspect.transcript import TranscriptSection

CPU = "/sys/devices/system/cpu"


def answers(**texts: str) -> dict[str, TranscriptSection]:
    return {name: TranscriptSection(text) for name, text in texts.items()}


def of_memory(**texts: str) -> list[str]:
    return [mark.text for mark in marks_of(facts_of("it", answers(**texts))) if mark.subject == "memory"]


def dimm(locator: str, *, size: str = "16 GB", rated: str = "2933 MT/s", now: str = "2933 MT/s", bank: str = "") -> str:
    return (
        "Handle 0x0010, DMI type 17, 92 bytes\nMemory Device\n"
        f"\tSize: {size}\n\tLocator: {locator}\n\tBank Locator: {bank or 'Not Specified'}\n\tType: LPDDR4\n"
        f"\tSpeed: {rated}\n\tManufacturer: Micron\n\tConfigured Memory Speed: {now}\n\n"
    )


BOARD = (
    "# dmidecode 3.4\n\nHandle 0x0000, DMI type 0, 26 bytes\nBIOS Information\n\tVersion: 5.19\n"
    "\tRelease Date: 08/01/2022\n\n"
    "Handle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: GoWin\n\tProduct Name: R86S Pro\n\n"
)


# ---- memory


def test_two_channels_are_as_they_should_be():
    text = BOARD + dimm("Controller0-ChannelA-DIMM0") + dimm("Controller0-ChannelB-DIMM0")
    board = board_of(answers(dmidecode=text))
    assert (board.maker, board.product, board.firmware, board.firmware_date) == (
        "GoWin",
        "R86S Pro",
        "5.19",
        "08/01/2022",
    )
    assert dimms_text(board.dimms) == "2 x 16 GiB LPDDR4 at 2933 MT/s"
    assert (board.channels, board.slots) == (2, 2)
    assert of_memory(dmidecode=text) == []


def test_both_modules_on_one_channel_are_marked():
    text = BOARD + dimm("DIMM 0", bank="P0 CHANNEL A") + dimm("DIMM 1", bank="P0 CHANNEL A")
    assert of_memory(dmidecode=text) == ["all 2 modules are on one channel: half the bandwidth and more latency"]


def test_channels_that_are_not_named_are_not_guessed():
    text = BOARD + dimm("SODIMM 1") + dimm("SODIMM 2") + dimm("SODIMM 3", size="No Module Installed")
    board = board_of(answers(dmidecode=text))
    assert board.channels is None
    assert (len(board.dimms), board.slots) == (2, 3)
    assert of_memory(dmidecode=text) == []


def test_memory_below_its_speed_is_marked():
    text = BOARD + dimm("DIMM_A1", rated="3200 MT/s", now="2400 MT/s")
    assert of_memory(dmidecode=text) == ["DIMM_A1 runs at 2400 MT/s and could at 3200"]
    old = BOARD + dimm("DIMM_A1", rated="1600 MHz", now="Unknown")
    assert board_of(answers(dmidecode=old)).dimms[0].rated_mts == 1600
    assert of_memory(dmidecode=old) == []


def test_what_everybody_may_read_stands_in_for_dmidecode():
    dmi = "/sys/class/dmi/id/sys_vendor = PC Engines\n/sys/class/dmi/id/product_name = apu6\n"
    found = answers(dmi=dmi, meminfo="MemTotal:  4037116 kB\n") | {
        "dmidecode": TranscriptSection("/sys/firmware/dmi/tables/smbios_entry_point: Permission denied\n", 1)
    }
    board = board_of(found)
    assert (board.maker, board.product, board.memory_bytes) == ("PC Engines", "apu6", 4037116 << 10)
    assert any("dmidecode needs root" in line for line in facts_of("it", found).missing)


# ---- processors


def n6005() -> str:
    """Four cores without SMT, pairs without a shared cache, one L3; as its kernel shows it."""
    lines = [
        f"{CPU}/online = 0-3",
        f"{CPU}/isolated = 2-3",
        f"{CPU}/smt/active = 0",
        f"{CPU}/intel_pstate/no_turbo = 1",
    ]
    for cpu in range(4):
        at = f"{CPU}/cpu{cpu}"
        lines += [
            f"{at}/topology/core_id = {cpu}",
            f"{at}/topology/physical_package_id = 0",
            f"{at}/topology/thread_siblings_list = {cpu}",
            *(f"{at}/cache/index0/{name} = {value}" for name, value in _cache(1, "Data", "32K", str(cpu))),
            *(f"{at}/cache/index1/{name} = {value}" for name, value in _cache(1, "Instruction", "32K", str(cpu))),
            *(f"{at}/cache/index2/{name} = {value}" for name, value in _cache(2, "Unified", "1536K", "0-3")),
            *(f"{at}/cache/index3/{name} = {value}" for name, value in _cache(3, "Unified", "4096K", "0-3")),
            f"{at}/cpufreq/base_frequency = 2000000",
            f"{at}/cpufreq/cpuinfo_max_freq = 3300000",
            f"{at}/cpufreq/scaling_cur_freq = {2_000_000 + cpu}",
            f"{at}/cpufreq/scaling_governor = powersave",
        ]
    return "\n".join(lines) + "\n"


def _cache(level: int, kind: str, size: str, shared: str) -> list[tuple[str, str]]:
    return [("level", str(level)), ("type", kind), ("size", size), ("shared_cpu_list", shared)]


CPUINFO = (
    "processor\t: 0\nmodel name\t: Intel(R) Pentium(R) Silver N6005 @ 2.00GHz\nmicrocode\t: 0x24000024\n"
    "cpu MHz\t\t: 1996.800\nflags\t\t: fpu aes constant_tsc nonstop_tsc pdpe1gb\n\n"
    "cpu MHz\t\t: 1996.800\ncpu MHz\t\t: 800.000\n"
)


def test_the_article_s_processor():
    cpu = cpu_of(answers(cpuinfo=CPUINFO, cpus=n6005()))
    assert cpu.model == "Intel(R) Pentium(R) Silver N6005 @ 2.00GHz"
    assert (cpu.cores, cpu.sockets, cpu.smt, cpu.microcode, cpu.hypervisor) == (4, 1, False, "0x24000024", "")
    assert cpu.caches == (
        Cache("L1d", 32, 4, 1),
        Cache("L1i", 32, 4, 1),
        Cache("L2", 1536, 1, 4),
        Cache("L3", 4096, 1, 4),
    )
    assert (cpu.base_mhz, cpu.max_mhz, cpu.boost, cpu.governor) == (2000, 3300, False, "powersave")
    assert [place.cpu for place in cpu.places if place.is_isolated] == [2, 3]
    assert cpu.flags == ("aes", "pdpe1gb", "constant_tsc", "nonstop_tsc")


def test_without_frequency_files_cpuinfo_says_how_fast():
    assert cpu_of(answers(cpuinfo=CPUINFO)).now_mhz == (1996.8, 800.0)


@pytest.mark.parametrize(
    ("file", "boost"),
    [
        ("intel_pstate/no_turbo = 0", True),
        ("intel_pstate/no_turbo = 1", False),
        ("cpufreq/boost = 1", True),
        ("x = 1", None),
    ],
)
def test_two_drivers_say_boost_in_opposite_words(file, boost):
    assert cpu_of(answers(cpus=f"{CPU}/{file}\n")).boost is boost


def test_lscpu_alone_tells_sockets_and_threads():
    lscpu = (
        "CPU(s):              16\nOn-line CPU(s) list: 0-15\nModel name: X\nThread(s) per core: 2\n"
        "Core(s) per socket: 4\n"
        "Socket(s): 2\nNUMA node0 CPU(s): 0-3,8-11\nNUMA node1 CPU(s): 4-7,12-15\nCPU max MHz: 3300,0000\n"
        "L2 cache: 2 MiB (8 instances)\n"
    )
    cpu = cpu_of(answers(lscpu=lscpu))
    assert (cpu.online, cpu.cores, cpu.sockets, cpu.nodes, cpu.smt) == (16, 8, 2, (0, 1), True)
    assert cpu.places[1].siblings == (1, 9)
    assert cpu.max_mhz == 3300, "another locale's comma"
    assert cpu.caches == (Cache("L2", 256, 8, 2),)


# ---- the rest


def test_disks_and_what_are_none():
    block = (
        "/sys/block/nvme0n1/size = 1953525168\n/sys/block/nvme0n1/queue/rotational = 0\n"
        "/sys/block/nvme0n1/device/model = Samsung SSD 980 PRO 1TB\n"
        "/sys/block/loop0/size = 8\n/sys/block/sdb/size = 0\n"
        "/sys/block/sda/size = 100\n/sys/block/sda/queue/rotational = 1\n"
    )
    disks = disks_of(answers(block=block))
    assert [(disk.name, disk.rotates) for disk in disks] == [("nvme0n1", False), ("sda", True)]
    assert disks[0].model == "Samsung SSD 980 PRO 1TB"


def test_an_accelerator_is_listed():
    lspci = "0000:01:00.0 Co-processor [0b40]: Intel Corporation Atom C3000 QuickAssist [8086:19e2] (rev 11)\n"
    part = machine_part(facts_of("it", answers(lspci=lspci)))
    assert ("accelerator", "0000:01:00.0 Intel Corporation Atom C3000 QuickAssist") in part.rows


def test_nothing_known_is_nothing_said():
    part = machine_part(facts_of("it", {}))
    assert part.rows == ()


@given(st.text(alphabet="Handle 0x1,DMItyp\n\t:BMory eviSzLcato6G/s"), st.text(alphabet=f"{CPU}/cpu0123 =-,\n"))
def test_no_text_breaks_the_parsers(dmidecode, tree):
    facts_of("it", answers(dmidecode=dmidecode, lscpu=dmidecode, cpus=tree, block=tree, cpuinfo=dmidecode))
