"""Default capacity of a router: the Internet's tables of both families, with memory allocated on demand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.cpus import ALL_CPUS
from harness.programs import started, wirespeed
from router_run import INTERFACES, RouterProcess, router, worker_cpu

from wirespeed._native.runtime import pool_buffers, router_held_buffers
from wirespeed.errors import WirespeedError
from wirespeed.model import parse_port_spec

PORTS = ["e0=ring:a", "e1=ring:b"]
CONFIG = INTERFACES + "set interface ip address e1 10.0.1.1/24\nset interface ip address e1 2001:db8:1::1/64\n"
IP4_ROUTES, IP6_ROUTES = 1_000_000, 250_000


def resident_mb(process: RouterProcess) -> int:
    status = Path(f"/proc/{process.process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) // 1024


@contextmanager
def default_router(directory: Path, *options: str) -> Iterator[RouterProcess]:
    """Like `router`, without options for tables; without hugepages, so that all memory is resident memory."""
    (directory / "start.conf").write_text(CONFIG)
    socket = directory / "router.sock"
    words = wirespeed("router", "--cpu", worker_cpu(), "--socket", socket)
    words += [word for port in PORTS for word in ("--interface", port)]
    words += ["--exec", str(directory / "start.conf"), "--hugepages", "never", *options]
    with started(words) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            ready = any(line.startswith("ready") for line in process.stdout)
            assert ready, process.stderr.read()
            yield RouterProcess(process, socket)
        finally:
            process.terminate()
            process.communicate()


def test_the_internet_fits_without_an_option_and_takes_memory_as_it_comes(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.mkdir()
    large.mkdir()
    with default_router(small, "--max-routes", "1000", "--max-ip6-routes", "1000") as running:
        least = resident_mb(running)
    with default_router(large) as running:
        assert resident_mb(running) <= least + 16
        running.ask(f"ip route add 16.0.0.0/24 count {IP4_ROUTES} via 10.0.1.2 e1")
        running.ask(f"ip route add 2a00::/48 count {IP6_ROUTES} via 2001:db8:1::2 e1")
        assert resident_mb(running) > least + 64
        shown = running.ask("show ip fib summary") + running.ask("show ip6 fib summary")
        counts = [int(count) for count in re.findall(r"^\s*(?:24|48)\s+(\d+)", shown, re.MULTILINE)]
        assert counts == [IP4_ROUTES + 1, IP6_ROUTES]
        # A further table, for a customer or a peering, has the same capacity.
        running.ask("ip table add 7")
        running.ask("ip route add 16.0.0.0/24 table 7 count 100000 via 10.0.1.2 e1")


def test_a_full_table_names_itself_and_the_option(tmp_path: Path) -> None:
    full = pytest.raises(WirespeedError, match=r"IPv4 table 7 is full at 20000 routes; .* larger --max-routes")
    with router(tmp_path, PORTS, CONFIG + "ip table add 7\n") as running, full:
        running.ask("ip route add 16.0.0.0/24 table 7 count 20001 via 10.0.1.2 e1")


@pytest.mark.parametrize("workers", [1, 2])
def test_the_pool_holds_what_waits_between_workers(tmp_path: Path, workers: int) -> None:
    held = router_held_buffers(workers)
    # Copies and fragments of each worker; and packets handed over by other workers, if there are any.
    assert held >= workers * (2048 + (4096 if workers > 1 else 0))
    specs = [parse_port_spec(port.partition("=")[2]) for port in PORTS]
    cpus = str(worker_cpu()) if workers == 1 else ",".join(map(str, sorted(ALL_CPUS)[:workers]))
    with router(tmp_path, PORTS, "", "--cpu", cpus) as running:
        total = int(running.ask("show buffers").splitlines()[1].split()[5])
    assert total == pool_buffers(specs, workers) + held
