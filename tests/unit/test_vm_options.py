"""`--lab vm` options, and kinds of disk images."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.dut.setup import FilterOptions
from wirespeed.errors import FileFault, UsageError
from wirespeed.lab.chosen import parse_lab
from wirespeed.lab.vm_options import VmOptions, parse_vm
from wirespeed.vm.image import image_format


def test_without_options_it_is_a_debian_of_ours() -> None:
    assert parse_vm("vm") == VmOptions()
    assert parse_vm("vm").image is None and parse_vm("vm").memory_mb == 512


def test_an_image_has_more_memory_and_what_is_given() -> None:
    given = parse_vm("vm:/tmp/r.qcow2,cpus=2,kind=vpp,user=vyos,key=/k,ssh=2222,boot=90,speed=1G")
    assert given == VmOptions(Path("/tmp/r.qcow2"), 1024, 2, "vpp", "vyos", "/k", 2222, 90, "1G")
    assert parse_vm("vm:r.img,memory=2G").memory_mb == 2048


def test_a_filter_is_that_of_other_labs() -> None:
    given = FilterOptions("nat", states=2_000_000, buckets=1_000_000, timeout_s=300)
    assert parse_vm("vm,filter=nat,states=2000000,buckets=1000000,timeout=300").filter == given
    assert parse_lab("linux,filter=nat,states=2000000,buckets=1000000,timeout=300").filter == given
    assert parse_lab("linux:af_packet,filter=forward").filter == FilterOptions("forward")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("linux,filter=fire", "filter=fire is not known; give one of nat, nat66, stateful, forward"),
        ("linux,states=9", "states= is of a filter; give filter=nat|nat66|stateful|forward too"),
        ("linux,filter=nat,timeout=0", "timeout is a number from 1 to 86400, not '0'"),
        ("embedded,filter=nat", "filter= is for the filter of Linux; give --lab linux,filter=nat or vm"),
        ("veth,filter=nat", "filter= is for the filter of Linux"),
        (
            "linux,colour=red",
            "unknown option 'colour'; a lab takes mtu=, as in linux,mtu=9000; this one also filter=, st",
        ),
    ],
)
def test_a_filter_of_another_lab_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(UsageError) as told:
        parse_lab(text)
    assert message in str(told.value) and "\n" not in str(told.value)


def test_words_for_qemu_are_all_that_follows() -> None:
    assert parse_vm("vm,cpus=2,qemu=-device e1000e,netdev=x -netdev 'user,id=x'").qemu == (
        "-device",
        "e1000e,netdev=x",
        "-netdev",
        "user,id=x",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vm,memory=2", "memory=2 is not a size; give 64M or more, such as 512M or 2G"),
        ("vm,cpus=0", "cpus is a number from 1 to 64, not '0'"),
        ("vm,colour=red", "'colour=red' is not one of memory=…, cpus=…"),
        ("vm,cpus=1,cpus=2", "'cpus=2' is not one of"),
        ("vm,kind=freebsd", "kind=freebsd needs vm:IMAGE"),
        ("vm:a.img,kind=dos", "kind=dos is not known; give linux, freebsd"),
        ("vm,speed=fast", "fast"),
        ("vm:a.img,kind=none,filter=nat", "kind=none is not prepared; filter=nat needs another kind"),
        ("vm,filter=fire", "filter=fire is not known; give one of nat, nat66, stateful, forward"),
        ("linux", "--lab linux is not a virtual machine; give vm[:IMAGE]"),
        ("vm,qemu=-name 'a", "No closing quotation"),
    ],
)
def test_a_wrong_word_is_named(text: str, message: str) -> None:
    with pytest.raises(UsageError) as told:
        parse_vm(text)
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"QFI\xfb" + bytes(600), "qcow2"),
        (b"KDMV" + bytes(600), "vmdk"),
        (b"<<< Oracle VM VirtualBox Disk Image >>>\n".ljust(64, b"\0") + b"\x7f\x10\xda\xbe", "vdi"),
        (bytes(510) + b"\x55\xaa", "raw"),
    ],
)
def test_an_image_is_known_by_its_first_bytes(tmp_path: Path, content: bytes, name: str) -> None:
    (tmp_path / "disk").write_bytes(content)
    assert image_format(tmp_path / "disk") == name


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\x1f\x8b" + bytes(600), "decompress it with gzip -d"), (b"", "has 0 bytes, less than a sector")],
)
def test_what_does_not_boot_as_it_is_is_told(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "disk").write_bytes(content)
    with pytest.raises(FileFault) as told:
        image_format(tmp_path / "disk")
    assert message in str(told.value)
    with pytest.raises(FileFault):
        image_format(tmp_path / "none")
    with pytest.raises(FileFault):
        image_format(tmp_path)
