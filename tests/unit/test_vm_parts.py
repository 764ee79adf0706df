"""Parts of the guests of tests/vm, as far as they can be tested without one."""

from __future__ import annotations

import struct
from pathlib import Path

from host_root import HOST_ROOT
from nic_bench import CHECKS, SHORTEST, Outcome, nics_of, table

from wirespeed.vm.initramfs import Boot, depends_on, load_order


def module(needs: str) -> bytes:
    return b"\x7fELF\0license=GPL\0depends=" + needs.encode() + b"\0retpoline=Y\0"


def test_modules_come_after_those_that_they_need(tmp_path: Path) -> None:
    folder = tmp_path / "kernel" / "net"
    folder.mkdir(parents=True)
    for name, needs in (("9p", "netfs,9pnet"), ("9pnet", ""), ("netfs", "fscache"), ("fscache", "")):
        (folder / f"{name}.ko").write_bytes(module(needs))
    assert depends_on(module("netfs,9pnet")) == ["netfs", "9pnet"]
    assert [path.stem for path in load_order(tmp_path, ("9p", "built-in"))] == ["fscache", "netfs", "9pnet", "9p"]


def test_the_initramfs_is_an_archive_of_whole_words(tmp_path: Path) -> None:
    kernel = tmp_path / "unpacked"
    (kernel / "lib/modules/6.1/kernel").mkdir(parents=True)
    (kernel / "bin").mkdir()
    (kernel / "bin/busybox").write_bytes(b"shell")
    (tmp_path / "vmlinux-6.1").touch()
    archive = Boot(tmp_path, kernel, HOST_ROOT).initrd.read_bytes()
    assert len(archive) % 4 == 0
    names, at = [], 0
    while at < len(archive):
        assert archive[at : at + 6] == b"070701"
        size, name_size = (int(archive[at + offset : at + offset + 8], 16) for offset in (54, 94))
        names.append(archive[at + 110 : at + 110 + name_size - 1].decode())
        at += (110 + name_size + 3) // 4 * 4 + (size + 3) // 4 * 4
    assert names == ["bin", "modules", "dev", "dev/console", "bin/busybox", "init", "TRAILER!!!"]


def test_generator_and_router_share_wires() -> None:
    nics = nics_of("igb")
    assert [nic.wire for nic in nics] == [0, 1, 0, 1]
    assert len({nic.mac for nic in nics} | {nic.ident for nic in nics}) == 8
    assert set(SHORTEST) < set(CHECKS)


def test_the_table_has_a_row_a_nic_and_a_column_a_check() -> None:
    outcomes = [
        Outcome("igb", "start", True, "1 Gb/s", 9.0),
        Outcome("igb", "link", False, "still up", 1.0),
        Outcome("virtio", "start", True, "", 9.0),
    ]
    assert table(outcomes) == ["NIC        start   link", "igb        ok      FAILED", "virtio     ok      -"]


def test_packets_have_right_checksums() -> None:
    from inside import solicitation, udp  # noqa: PLC0415

    frame = udp("02:00:00:00:00:01", "10.0.0.2", "10.0.1.2", 60)
    words = struct.unpack("!10H", frame[14:34])
    assert len(frame) == 60 and sum(words) % 0xFFFF == 0
    asked = solicitation("2001:db8::2", "2001:db8::1", "02:00:00:00:00:02")
    assert asked[:6] == bytes.fromhex("3333ff000001")
    pseudo = asked[22:54] + struct.pack("!II", 32, 58) + asked[54:]
    assert sum(struct.unpack(f"!{len(pseudo) // 2}H", pseudo)) % 0xFFFF == 0
