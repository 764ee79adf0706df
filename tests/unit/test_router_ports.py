"""Errors about ports and hugepages before DPDK is called."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from wirespeed._native.port_checks import check_ports, claim_socket
from wirespeed._native.runtime import hugepages_refusal
from wirespeed.errors import EnvironmentFault, FileFault, UsageError
from wirespeed.model import parse_port_spec


def listen(path: Path) -> socket.socket:
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind(str(path))
    server.listen(1)
    return server


def test_a_live_memif_socket_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "e0.sock"
    with listen(path), pytest.raises(EnvironmentFault, match="in use"):
        check_ports([parse_port_spec(f"memif:{path},role=server")])
    assert path.exists()


def test_both_ends_of_a_memif_are_refused(tmp_path: Path) -> None:
    ends = [parse_port_spec(f"memif:{tmp_path}/e0.sock,{options}") for options in ("role=server", "id=0")]
    with pytest.raises(UsageError, match="two ends of one memif, which is for two processes; wire .* with ring:NAME"):
        check_ports(ends)
    check_ports([ends[0], parse_port_spec(f"memif:{tmp_path}/e0.sock,role=server,id=1")])


def test_a_stale_memif_socket_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "e0.sock"
    listen(path).close()
    check_ports([parse_port_spec(f"memif:{path},role=server")])
    assert not path.exists()


def test_a_client_leaves_the_servers_socket_alone(tmp_path: Path) -> None:
    path = tmp_path / "e0.sock"
    listen(path).close()
    check_ports([parse_port_spec(f"memif:{path},role=client")])
    assert path.exists()


def test_two_memif_ports_may_share_one_server_socket(tmp_path: Path) -> None:
    path = tmp_path / "lab.sock"
    check_ports([parse_port_spec(f"memif:{path},role=server,id={ident}") for ident in (0, 1)])


def test_a_file_in_place_of_the_socket_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("kept")
    with pytest.raises(EnvironmentFault, match="not a socket"):
        claim_socket(path, socket.SOCK_SEQPACKET, "port")
    assert path.read_text() == "kept"


@pytest.mark.parametrize("kind", ["af_packet", "af_xdp"])
def test_a_missing_interface_names_those_there_are(kind: str) -> None:
    with pytest.raises(EnvironmentFault, match=r"no network interface nope0; there are .*\blo\b"):
        check_ports([parse_port_spec(f"{kind}:nope0")])


def test_a_tap_name_that_the_kernel_would_cut_is_refused() -> None:
    with pytest.raises(UsageError, match="at most 15 bytes"):
        check_ports([parse_port_spec("tap:a-name-that-is-too-long")])


def test_a_missing_pcap_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFault, match=r"in\.pcap cannot be read"):
        check_ports([parse_port_spec(f"pcap:{tmp_path}/in.pcap")])


def test_a_missing_pci_device_is_named() -> None:
    with pytest.raises(EnvironmentFault, match="no PCI device ffff:ff"):
        check_ports([parse_port_spec("pci:ffff:ff:1f.7")])


def make_pool(root: Path, size_kb: int, free: int, total: int) -> None:
    pool = root / f"hugepages-{size_kb}kB"
    pool.mkdir()
    (pool / "free_hugepages").write_text(f"{free}\n")
    (pool / "nr_hugepages").write_text(f"{total}\n")


def test_too_few_hugepages_name_need_and_free_and_the_remedy(tmp_path: Path) -> None:
    make_pool(tmp_path, 2048, free=10, total=30)
    refusal = hugepages_refusal(256, tmp_path)
    assert refusal is not None
    assert "256 MB of hugepages are needed and 20 MB are free" in refusal
    assert "echo $(($(cat $f) + 118)) > $f" in refusal


def test_hints_of_two_programs_make_room_for_both(tmp_path: Path) -> None:
    """Each names its own missing hugepages, whichever is started first."""
    make_pool(tmp_path, 2048, free=0, total=3)
    pool = tmp_path / "hugepages-2048kB" / "nr_hugepages"
    for memory_mb in (168, 130):
        command = (hugepages_refusal(memory_mb, tmp_path) or "").partition("as root: ")[2]
        subprocess.run(["sh", "-ec", command.replace("/sys/kernel/mm/hugepages", str(tmp_path))], check=True)
    assert int(pool.read_text()) == 3 + 84 + 65


def test_hugepages_that_are_counted_but_cannot_be_mapped_are_no_hugepages(tmp_path: Path) -> None:
    # No kernel has pages of 3 MB, so mapping one fails whatever its count is.
    make_pool(tmp_path, 3072, free=1000, total=1000)
    assert "may not map" in (hugepages_refusal(256, tmp_path) or "")


def test_a_machine_without_hugepage_support_has_none(tmp_path: Path) -> None:
    assert "0 MB are free" in (hugepages_refusal(1, tmp_path) or "")


def test_a_directory_without_permission_is_named() -> None:
    """Root may write to every directory, so a child process gives up root first."""
    program = """
import os, socket
from pathlib import Path
from wirespeed._native.port_checks import claim_socket
if os.geteuid() == 0:
    os.setresuid(65534, 65534, 65534)
claim_socket(Path("/proc/e0.sock"), socket.SOCK_SEQPACKET, "port p0")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("EnvironmentFault: port p0: directory /proc may not be written\n"), done.stderr
