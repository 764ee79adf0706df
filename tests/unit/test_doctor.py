"""`wirespeed host check`: each check with answers of machines, fixes and their reversal, and the command."""

import json
from dataclasses import replace

import pytest

from wirespeed.cli.main import main
from wirespeed.doctor.examination import as_text, findings_in, is_suitable, verdict
from wirespeed.doctor.finding import HostPurpose, HostStep
from wirespeed.doctor.fixing import apply, read_record, steps_of, undo
from wirespeed.doctor.questions import QUESTIONS
from wirespeed.errors import EnvironmentFault, FileFault
from wirespeed.inspect.transcript import Here, TranscriptSection, ask

NIC, OTHER, MANAGEMENT = "0000:01:00.0", "0000:02:00.0", "0000:03:00.0"
HUGE = "/sys/kernel/mm/hugepages/hugepages-2048kB"
CPU = "/sys/devices/system/cpu"
DEVICES = "/sys/bus/pci/devices"
WANTED = HostPurpose(cpus=(2, 3), nics=(NIC, OTHER))


def device(address: str, driver: str, ids: str = "0x8086:0x10d3", interface: str = "") -> str:
    vendor, _, number = ids.partition(":")
    lines = [
        f"{DEVICES}/{address} = /sys/devices/pci0000:00/{address}",
        f"{DEVICES}/{address}/class = 0x020000",
        f"{DEVICES}/{address}/vendor = {vendor}",
        f"{DEVICES}/{address}/device = {number}",
        *([f"{DEVICES}/{address}/driver = /sys/bus/pci/drivers/{driver}"] if driver else []),
        *([f"{DEVICES}/{address}/net/{interface}"] if interface else []),
    ]
    return "\n".join(lines) + "\n"


GOOD = {
    "uid": "0\n",
    "cmdline": "quiet intel_iommu=on iommu=pt isolcpus=2,3\n",
    "cpuinfo": "vendor_id : GenuineIntel\nmodel name : X\nflags : constant_tsc nonstop_tsc\n",
    "cpus": f"{CPU}/online = 0-3\n{CPU}/isolated = 2-3\n"
    + "".join(
        f"{CPU}/cpu{cpu}/topology/core_id = {cpu}\n{CPU}/cpu{cpu}/topology/thread_siblings_list = {cpu}\n"
        f"{CPU}/cpu{cpu}/cpufreq/scaling_governor = performance\n"
        for cpu in range(4)
    ),
    "pci": device(NIC, "vfio-pci") + device(OTHER, "vfio-pci") + device(MANAGEMENT, "igb", interface="eth0"),
    "meminfo": "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\n",
    "hugepages": f"{HUGE}/nr_hugepages = 512\n{HUGE}/free_hugepages = 512\n",
    "iommu": "0\n1\n2\n",
    "modules": "/sys/module/vfio_pci\nmodprobe\n",
    "addresses": "1: lo    inet 127.0.0.1/8 scope host lo\n4: eth0    inet 192.0.2.1/24 scope global eth0\n",
    "links": "4: eth0: <BROADCAST,UP> mtu 1500\n",
    "routes": "default via 192.0.2.254 dev eth0\n",
    "memlock": "65536\n",
    "dpdk": "librte_eal.so\n",
    "programs": "",
    "listening": "  sl  local_address\n   0: 0100007F:0016 00000000:0000 0A 0\n",
    "netns": "",
    "folders": "",
    "ends": "",
    "running": "1\n200\n",
    "clock": "/sys/devices/system/clocksource/clocksource0/current_clocksource = tsc\n"
    "/sys/devices/system/clocksource/clocksource0/available_clocksource = tsc hpet\n",
    "steal": "cpu  100 0 100 800 0 0 0 0 0 0\ncpu  110 0 110 980 0 0 0 0 0 0\n",
    "threads": "0 90.0 10 cc1\n2 0.0 11 kworker/2\n3 99.0 12 wirespeed\n",
    "slice": "3000000\n",
}
"""Answers of a machine without faults."""


def found(wanted: HostPurpose = WANTED, **changed: str) -> dict[str, list]:
    """Findings by check, of the good machine with some answers changed."""
    answers = {name: TranscriptSection(text) for name, text in {**GOOD, **changed}.items()}
    by_check: dict[str, list] = {}
    for one in findings_in(answers, wanted):
        by_check.setdefault(one.check, []).append(one)
    return by_check


def only(check: str, wanted: HostPurpose = WANTED, **changed: str):
    """The only finding that is not ok."""
    wrong = [one for several in found(wanted, **changed).values() for one in several if one.grade != "ok"]
    assert [one.check for one in wrong] == [check], wrong
    return wrong[0]


def test_a_machine_that_lacks_nothing_is_suitable():
    findings = [one for several in found().values() for one in several]
    assert {one.grade for one in findings} == {"ok"}
    assert is_suitable(findings)
    assert verdict(findings) == "A test here would give valid results."


def test_hugepages_are_made_and_given_back():
    finding = only("hugepages", hugepages=f"{HUGE}/nr_hugepages = 40\n{HUGE}/free_hugepages = 10\n")
    assert (finding.grade, finding.is_) == ("blocks", "10 of 2 MB free")
    (step,) = finding.steps
    assert f"echo 286 >{HUGE}/nr_hugepages" in step.do, "40 there are, and 246 of 2 MB more make 512 MB free"
    assert step.undo == f"echo 40 >{HUGE}/nr_hugepages"
    assert found(HostPurpose(WANTED.cpus), hugepages=f"{HUGE}/nr_hugepages = 0\n")["hugepages"][0].grade == "costs"


def test_memory_that_is_short_is_not_taken():
    finding = only("hugepages", hugepages=f"{HUGE}/nr_hugepages = 0\n", meminfo="MemAvailable: 700000 kB\n")
    assert finding.steps == ()
    assert "only 684 MB of memory are free" in finding.is_


def test_no_hugepages_at_all_is_not_known():
    assert only("hugepages", hugepages="").grade == "unknown"


def test_an_iommu_that_is_off_blocks_vfio_and_nothing_else():
    finding = only("iommu", iommu="")
    assert finding.grade == "blocks" and finding.steps == ()
    assert any("intel_iommu=on iommu=pt" in line for line in finding.fix)
    mellanox = device(NIC, "mlx5_core", "0x15b3:0x1017")
    assert found(HostPurpose(nics=(NIC,)), iommu="", pci=mellanox)["iommu"][0].grade == "note"
    amd = only("iommu", iommu="", cpuinfo=GOOD["cpuinfo"] + "vendor_id : AuthenticAMD\n")
    assert not any("intel" in line for line in amd.fix)


def test_an_iommu_that_translates_for_the_kernel_costs():
    assert only("iommu", cmdline="intel_iommu=on\n").grade == "costs"


def test_vfio_is_loaded_where_there_is_one():
    finding = only("vfio", modules="modprobe\n")
    assert finding.steps == (HostStep("modprobe vfio-pci", "modprobe -r vfio-pci"),)
    assert only("vfio", modules="").steps == ()


def test_a_nic_of_the_kernel_is_bound_and_given_back():
    pci = device(NIC, "e1000e", interface="eth1") + device(OTHER, "vfio-pci")
    finding = only("drivers", pci=pci)
    assert (finding.grade, finding.is_) == ("blocks", f"{NIC} is held by e1000e")
    (step,) = finding.steps
    assert f"echo vfio-pci >{DEVICES}/{NIC}/driver_override" in step.do
    assert step.undo.endswith(f"echo >{DEVICES}/{NIC}/driver_override; echo {NIC} >/sys/bus/pci/drivers_probe")


@pytest.mark.parametrize(
    ("changed", "use"),
    [
        ({}, "eth0 has the address 192.0.2.1/24"),
        ({"addresses": ""}, "the default route goes through eth0"),
        ({"addresses": "", "routes": "", "links": "4: eth0: <UP> mtu 1500 master br0\n"}, "eth0 belongs to br0"),
    ],
)
def test_a_nic_that_is_in_use_is_never_taken(changed, use):
    finding = only("drivers", replace(WANTED, nics=(NIC, MANAGEMENT)), **changed)
    assert use in finding.is_
    assert finding.steps == ()
    assert finding.fix


def test_a_nic_with_nothing_but_a_link_local_address_is_free():
    addresses = "4: eth0    inet6 fe80::1/64 scope link\n"
    assert only("drivers", replace(WANTED, nics=(MANAGEMENT,)), addresses=addresses, routes="").steps


def test_a_virtio_nic_s_interface_is_found_below_its_device():
    pci = device(NIC, "virtio-pci", "0x1af4:0x1041") + f"{DEVICES}/{NIC}/virtio1/net/eth0\n"
    assert only("drivers", HostPurpose(WANTED.cpus, (NIC,)), pci=pci).steps == ()


def test_mellanox_keeps_its_driver():
    pci = device(NIC, "mlx5_core", "0x15b3:0x1017")
    assert [one.grade for one in found(HostPurpose(WANTED.cpus, (NIC,)), pci=pci)["drivers"]] == ["ok"]
    away = only("drivers", HostPurpose(WANTED.cpus, (NIC,)), pci=device(NIC, "vfio-pci", "0x15b3:0x1017"))
    assert away.grade == "blocks" and "echo mlx5_core >" in away.steps[0].do


@pytest.mark.parametrize(("size", "well"), [("-1", True), ("-7", True), ("-10", False), ("10", False), (None, False)])
def test_a_connectx_3_wants_its_steering(size, well):
    path = "/sys/module/mlx4_core/parameters/log_num_mgm_entry_size"
    modules = GOOD["modules"] + (f"{path} = {size}\n" if size else "")
    nics = found(HostPurpose(WANTED.cpus, (NIC,)), pci=device(NIC, "mlx4_core", "0x15b3:0x1003"), modules=modules)[
        "drivers"
    ]
    assert [one.grade for one in nics] == (["ok"] if well else ["ok", "blocks"])
    assert well or any("log_num_mgm_entry_size=-1" in line for line in nics[1].fix)


def test_a_nic_that_is_not_there():
    assert "0000:09:00.0 is not a PCI device here" in only("drivers", HostPurpose(WANTED.cpus, ("0000:09:00.0",))).is_


def test_cpus_that_are_not_isolated_or_not_there():
    finding = only("isolation", HostPurpose((1, 2), WANTED.nics))
    assert finding.grade == "costs" and "isolcpus=1 nohz_full=1 rcu_nocbs=1" in finding.fix[0]
    assert only("isolation", HostPurpose((7,), WANTED.nics)).grade == "blocks"


def test_a_governor_is_set_and_given_back():
    path = f"{CPU}/cpu3/cpufreq/scaling_governor"
    cpus = GOOD["cpus"].replace(f"{path} = performance", f"{path} = schedutil")
    finding = only("governor", cpus=cpus)
    assert finding.steps == (HostStep(f"echo performance >{path}", f"echo schedutil >{path}"),)
    assert finding.grade == "spoils"
    assert found(HostPurpose((2,), WANTED.nics), cpus=cpus)["governor"][0].grade == "ok", "CPU 3 has no worker"


def siblings(*pairs: str) -> str:
    text = GOOD["cpus"]
    for pair in pairs:
        for cpu in pair.split(","):
            path = f"{CPU}/cpu{cpu}/topology/thread_siblings_list"
            text = text.replace(f"{path} = {cpu}\n", f"{path} = {pair}\n")
    return text


def test_two_workers_on_one_core():
    finding = only("smt", cpus=siblings("2,3"))
    assert (finding.grade, finding.is_) == ("spoils", "workers 2 and 3 share a core")
    beside = only("smt", HostPurpose((2,), WANTED.nics), cpus=siblings("2,3"))
    assert beside.grade == "costs" and beside.steps == (), "switching a CPU off is for the user to do"


def test_neighbours_are_named_and_ours_are_none():
    finding = only("neighbours", threads="2 40.5 77 cc1\n3 99 12 ws_wk_0\n0 99 13 make\n")
    assert finding.grade == "spoils" and finding.is_ == "cc1 (77, 40 %) on 2"
    assert "for 3 ms at a time" in finding.why
    everywhere = only("isolation", HostPurpose((), WANTED.nics), threads="0 2 77 cc1\n")
    assert everywhere.grade == "note"
    findings = found(HostPurpose((), WANTED.nics), threads="0 40.5 77 cc1\n")["neighbours"]
    assert [(one.grade, one.is_) for one in findings] == [("note", "cc1 (77, 40 %) on 0")]


@pytest.mark.parametrize(
    ("clock", "grade"),
    [("hpet", "spoils"), ("acpi_pm", "spoils"), ("kvm-clock", "ok"), ("", "unknown")],
)
def test_a_clock_that_is_a_device(clock, grade):
    text = GOOD["clock"].replace("current_clocksource = tsc", f"current_clocksource = {clock}")
    assert found(clock=text)["clock"][0].grade == grade


def test_a_counter_that_follows_the_frequency():
    assert only("clock", cpuinfo="flags : tsc constant_tsc\n").grade == "costs"


@pytest.mark.parametrize(
    ("after", "grade"),
    [
        ("cpu  110 0 110 970 0 0 0 10 0 0", "spoils"),
        ("cpu  110 0 110 979 0 0 0 1 0 0", "ok"),
        ("cpu  110 0 110", "unknown"),
        ("cpu  100 0 100 800 0 0 0 0 0 0", "ok"),
    ],
)
def test_what_the_hypervisor_takes(after, grade):
    text = GOOD["steal"].splitlines()[0] + f"\n{after}\n"
    assert found(steal=text)["steal"][0].grade == grade


def test_memory_that_may_not_be_locked():
    finding = only("memlock", uid="1000\n", memlock="8192\n")
    assert finding.grade == "blocks" and "limits.d" in finding.fix[0]
    assert found(uid="1000\n", memlock="unlimited\n")["memlock"][0].grade == "ok"


def test_packages_that_are_missing():
    answers = {name: TranscriptSection(text) for name, text in GOOD.items()} | {"dpdk": TranscriptSection("", 1)}
    (dpdk,) = [one for one in findings_in(answers, WANTED) if one.check == "packages"]
    assert (dpdk.grade, dpdk.fix) == ("blocks", ("apt-get install libdpdk-dev",))
    assert only("packages", programs="lspci\n").fix == ("apt-get install pciutils",)


def test_ports_that_are_taken():
    listening = GOOD["listening"] + "   1: 00000000:1195 00000000:0000 0A 0\n   2: 0100007F:1194 0100007F:9999 01 0\n"
    assert only("ports", listening=listening).is_ == "TCP 4501 is taken"


def test_leftovers_are_of_those_that_are_gone():
    finding = only(
        "leftovers",
        netns="ws300-5\nws200-5\nmine\n",
        ends="/sys/class/net/ws300g0\n/sys/class/net/ws200g0\n",
        folders="/tmp/wirespeed-lab-300-5-abc\n/tmp/wirespeed-lab-200-5-abc\n/tmp/wirespeed-notes\n",
    )
    commands = [step.do for step in finding.steps]
    folder = "/tmp/wirespeed-lab-300-5-abc"
    assert commands == [
        "flock -n /run/netns/ws300-5 ip netns delete ws300-5",
        "ip link delete ws300g0",
        f"[ -O {folder} ] && [ ! -L {folder} ] && flock -n {folder} rm -rf {folder}",
    ]


def test_a_machine_that_answers_nothing_breaks_no_check():
    findings = findings_in({}, WANTED)
    assert not is_suitable(findings)
    assert all("\n" not in line for line in as_text(findings))


def test_every_question_has_an_answer_here():
    answers = ask(Here(), QUESTIONS)
    assert answers.keys() == QUESTIONS.keys()
    assert findings_in(answers, HostPurpose())


# ---- fixes


class Root(Here):
    """This machine as root has it, whoever runs the test."""

    def run(self, command: str) -> str:
        return "0\n" if command == "id -u" else super().run(command)


@pytest.fixture
def setting(tmp_path):
    path = tmp_path / "setting"
    path.write_text("old\n")
    return path


def test_what_was_mended_is_put_back_the_last_first(setting, tmp_path):
    record, said = tmp_path / "run" / "record.json", []
    steps = [HostStep(f"echo {new} >>{setting}", f"echo back-{new} >>{setting}") for new in ("one", "two")]
    assert all(
        one.went_well for one in apply(Root(), [*steps, HostStep(f"echo kept >>{setting}")], record, said.append)
    )
    assert read_record(record) == steps, "what needs no putting back is not recorded"
    assert all(one.went_well for one in undo(Root(), record, said.append))
    assert setting.read_text().split() == ["old", "one", "two", "kept", "back-two", "back-one"]
    assert said == [step.do for step in steps] + [f"echo kept >>{setting}"] + [step.undo for step in reversed(steps)]
    assert not record.exists()


def test_a_step_is_recorded_before_it_is_done(setting, tmp_path):
    record = tmp_path / "record.json"

    class Killed(Root):
        def run(self, command: str) -> str:
            if "echo new" in command:
                raise KeyboardInterrupt
            return super().run(command)

    with pytest.raises(KeyboardInterrupt):
        apply(Killed(), [HostStep(f"echo new >{setting}", f"echo old >{setting}")], record, lambda line: None)
    assert len(read_record(record)) == 1


def test_what_cannot_be_put_back_stays_in_the_record(setting, tmp_path):
    record = tmp_path / "record.json"
    steps = [HostStep("true", "exit 4"), HostStep("true", f"echo back >{setting}")]
    apply(Root(), steps, record, lambda line: None)
    done = undo(Root(), record, lambda line: None)
    assert [one.went_well for one in done] == [True, False]
    assert read_record(record) == [steps[0]]


def test_mending_again_keeps_what_is_to_be_put_back(setting, tmp_path):
    record = tmp_path / "record.json"
    for number in range(2):
        apply(Root(), [HostStep("true", f"echo {number}")], record, lambda line: None)
    assert [step.undo for step in read_record(record)] == ["echo 0", "echo 1"]


def test_only_root_mends(tmp_path):
    class Nobody(Here):
        def run(self, command: str) -> str:
            return "1000\n"

    with pytest.raises(EnvironmentFault, match="only root may change settings of this machine; run this with sudo"):
        apply(Nobody(), [HostStep("true")], tmp_path / "record", print)


@pytest.mark.parametrize("text", ["", "{}", '[{"do": 1}]', "\xff"])
def test_a_record_that_is_none(tmp_path, text):
    (tmp_path / "record").write_text(text)
    with pytest.raises(FileFault, match="is not a record of changes; restore the settings manually"):
        read_record(tmp_path / "record")


# ---- the command


def test_the_exit_code_says_whether_a_test_would_be_valid(capsys):
    code = main(["host", "check", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert code == (0 if document["suitable"] else 3)
    assert {one["check"] for one in document["findings"]} >= {"hugepages", "iommu", "clock", "steal", "leftovers"}
    (neighbours,) = [one for one in document["findings"] if one["check"] == "neighbours"]
    assert "ps (" not in neighbours["is"], "the check does not name itself"


def test_each_finding_is_explained(capsys):
    assert main(["host", "check", "--nic", "0000:99:00.0"]) == 3
    lines = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("blocks  drivers"))
    assert "0000:99:00.0 is not a PCI device here" in lines[at]
    assert lines[at + 1].strip() == "test ports are named by their address"
    assert lines[at + 2].strip() == "$ lspci -D"
    assert lines[-1].startswith("Tests cannot run with these settings until this is fixed: ")


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (
            ["check", "--record", "x"],
            2,
            "host check takes no --record, which is an option of host fix and host restore",
        ),
        (["fix", "--nic", "eth0"], 2, "eth0 is not a PCI address; give one such as 0000:05:00.0"),
        (["check", "--cpu", "a"], 2, "--cpu a cannot be read"),
        (["restore", "--record", "absent"], 6, "there is no record absent: nothing was changed"),
    ],
)
def test_each_way_to_get_it_wrong_is_one_line(words, code, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("wirespeed.doctor.fixing.check_root", lambda machine: None)
    assert main(["host", *words]) == code
    said = capsys.readouterr()
    assert sentence in said.err and said.err.count("\n") == 1


def test_steps_are_those_of_all_findings():
    lacking = found(modules="modprobe\n", hugepages=f"{HUGE}/nr_hugepages = 0\n")
    findings = [one for several in lacking.values() for one in several]
    assert [step.do.split()[0] for step in steps_of(findings)] == ["for", "modprobe"]


def test_folders_of_others_and_links_are_left(tmp_path):
    """--fix deletes a folder that a lab left, but not one that only has such a name."""
    left, link = tmp_path / "wirespeed-lab-300-5-a", tmp_path / "wirespeed-lab-300-5-b"
    left.mkdir()
    (tmp_path / "kept").mkdir()
    link.symlink_to(tmp_path / "kept")
    finding = only("leftovers", folders=f"{left}\n{link}\n")
    done = apply(Root(), finding.steps, tmp_path / "record", lambda line: None)
    assert [one.went_well for one in done] == [True, False]
    assert not left.exists() and link.is_symlink() and (tmp_path / "kept").is_dir()
