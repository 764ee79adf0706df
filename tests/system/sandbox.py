"""An isolated part of this machine with network namespaces of its own, which all disappear with the test.

The processes of a sandbox have their own mounts (so their own names of `ip netns`), network and process numbers. The
kernel ends them when the sandbox's first process ends, and that one when the test process ends in any way.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from harness.programs import wirespeed
from harness.waiting import PATIENCE_S, wait_for

from wirespeed.router.client import ask

_TOOLS = ("ip", "nsenter", "ping", "setpriv", "unshare")

PORTS = ("e0=tap:h1,netns=h1", "e1=tap:h2,netns=h2")
"""A router between the hosts h1 and h2, and its configuration; `PAIRED` adds pairs with Linux."""
UP = "set interface state e0 up\nset interface state e1 up\n"
IP4 = f"{UP}set interface ip address e0 10.1.0.1/24\nset interface ip address e1 10.2.0.1/24\n"
IP6 = f"{UP}set interface ip address e0 2001:db8:1::1/64\nset interface ip address e1 2001:db8:2::1/64\n"
PAIRED = "lcp default netns dataplane\nlcp lcp-sync on\nlcp create e0 host-if e0\nlcp create e1 host-if e1\n"


def needs(*tools: str) -> pytest.MarkDecorator:
    """Skip if the machine lacks these tools or does not allow namespaces."""
    missing = [tool for tool in (*_TOOLS, *tools) if not _program(tool)]
    if missing:
        return pytest.mark.skipif(True, reason=f"not installed: {', '.join(missing)} (tools/setup.sh test)")
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
        return pytest.mark.skipif(True, reason="network namespaces and TAPs need root and /dev/net/tun")
    return pytest.mark.skipif(False, reason="")


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin:/usr/lib/frr")


@dataclass
class Process:
    """A process in the sandbox; `pid` is its number outside. Its output goes to the file `log`."""

    popen: subprocess.Popen[bytes]
    pid: int
    log: Path

    def said(self) -> str:
        return self.log.read_text()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.popen.wait()

    def end(self) -> int:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        return self.popen.wait(timeout=PATIENCE_S)


class Sandbox:
    """Runs commands inside; `directory` is visible from both sides."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        words = ["setpriv", "--pdeathsig", "KILL", "unshare", "-m", "-n", "-p", "-f", "--kill-child", "--mount-proc"]
        self._holder = subprocess.Popen([*words, "sleep", "infinity"])
        self._first = _child(self._holder.pid)
        wait_for(lambda: Path(f"/proc/{self._first}/comm").read_text() == "sleep\n", "the sandbox")
        self._spawned: list[Process] = []
        self.run("mkdir", "-p", "/run/netns")
        self.run("mount", "-t", "tmpfs", "none", "/run/netns")
        self.run("ip", "link", "set", "lo", "up")

    def close(self) -> None:
        """The kernel ends every process inside."""
        self._holder.kill()
        self._holder.wait()
        for process in self._spawned:
            process.popen.wait()

    def _inside(self, words: Sequence[str], netns: str | None) -> list[str]:
        within = ["ip", "netns", "exec", netns] if netns else []
        return ["nsenter", "-t", str(self._first), "-m", "-n", "-p", *within, *words]

    def try_run(self, *words: str, netns: str | None = None, text: str | None = None) -> tuple[int, str]:
        """Exit code, and what was printed on both streams."""
        run = subprocess.run(
            self._inside(words, netns),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            input=text,
            timeout=PATIENCE_S * 3,
            check=False,
        )
        return run.returncode, run.stdout

    def run(self, *words: str, netns: str | None = None, text: str | None = None) -> str:
        code, said = self.try_run(*words, netns=netns, text=text)
        assert code == 0, f"{' '.join(words)}: {said}"
        return said

    def spawn(self, *words: str, netns: str | None = None) -> Process:
        log = self.directory / f"process{len(self._spawned)}.log"
        with log.open("wb") as output:
            popen = subprocess.Popen(
                self._inside(words, netns), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )
        self._spawned.append(Process(popen, _child(popen.pid), log))
        return self._spawned[-1]

    def namespace(self, *names: str) -> None:
        for name in names:
            self.run("ip", "netns", "add", name)
            self.run("ip", "link", "set", "lo", "up", netns=name)

    def host(self, netns: str, interface: str, address: str, gateway: str) -> None:
        """An end station: set up the existing interface with an address and a default route."""
        self.run("ip", "addr", "add", address, "dev", interface, *_no_dad(address), netns=netns)
        self.run("ip", "link", "set", interface, "up", netns=netns)
        self.run("ip", "route", "add", "default", "via", gateway, netns=netns)

    def hosts(self) -> None:
        """h1 and h2, connected to ports of a router, with the addresses of `IP4`, `IP6` or both."""
        for number, name in ((1, "h1"), (2, "h2")):
            self.host(name, name, f"10.{number}.0.2/24", f"10.{number}.0.1")
            self.host(name, name, f"2001:db8:{number}::2/64", f"2001:db8:{number}::1")

    def ping(self, netns: str, target: str, *options: str) -> bool:
        return self.try_run("ping", "-n", "-c", "1", "-W", "1", *options, target, netns=netns)[0] == 0

    def wait_ping(self, netns: str, target: str, *options: str) -> None:
        wait_for(lambda: self.ping(netns, target, *options), f"an answer of {target} to {netns}")

    def hops(self, netns: str, target: str) -> list[str]:
        """Hops of traceroute to the target, which is the last one."""
        family = ["-6"] if ":" in target else []
        said = self.run("traceroute", *family, "-n", "-q", "1", "-w", "3", target, netns=netns)
        return [line.split()[1] for line in said.splitlines()[1:]]

    def transfer(self, client: str, server: str, target: str, *options: str) -> dict[str, Any]:
        """Send by TCP from one namespace to an address in the other; returns iperf3's report of the receiver."""
        listening = self.spawn("iperf3", "-s", "-1", "--forceflush", netns=server)
        wait_for(lambda: "listening" in listening.said(), "iperf3's server")
        said: dict[str, Any] = json.loads(self.run("iperf3", "-c", target, "-J", *options, netns=client))
        return said["end"]


def _no_dad(address: str) -> list[str]:
    return ["nodad"] if ":" in address else []


def _child(pid: int) -> int:
    """The process that `pid` runs for the sandbox; it may appear a moment later."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    return int(wait_for(lambda: children.read_text().split(), f"a child of process {pid}")[0])


@contextmanager
def sandbox(directory: Path) -> Iterator[Sandbox]:
    made = Sandbox(directory)
    try:
        yield made
    finally:
        made.close()


class Router:
    """A `wirespeed router` in a sandbox, which can be killed and started again. Its worker has `cpu`, or the last CPU
    of this process. By default its ports wake it (`rx-mode interrupt`), so that hosts on the same machine get the CPU.
    """

    def __init__(
        self, sandbox: Sandbox, interfaces: Sequence[str], config: str, *options: str, rx_mode: str = "interrupt"
    ) -> None:
        self.sandbox = sandbox
        self.socket = sandbox.directory / "router.sock"
        names = [interface.partition("=")[0] for interface in interfaces]
        modes = "".join(f"set interface rx-mode {name} {rx_mode}\n" for name in names)
        (sandbox.directory / "router.conf").write_text(modes + config)
        cpu = max(os.sched_getaffinity(0))
        self._words = wirespeed("router", "--cpu", cpu, "--socket", self.socket)
        for interface in interfaces:
            self._words += ["--interface", interface]
        self._words += ["--exec", str(sandbox.directory / "router.conf"), *options]
        self.process = self.start()

    def start(self) -> Process:
        self.process = self.sandbox.spawn(*self._words)
        wait_for(self._is_ready, "a router that is ready")
        return self.process

    def _is_ready(self) -> bool:
        said = self.process.said()
        assert self.process.popen.poll() is None, said
        return "\nready" in said

    def ask(self, line: str) -> str:
        return ask(self.socket, line)

    def end(self) -> None:
        code = self.process.end()
        assert code == 0, self.process.said()
        assert "Traceback" not in self.process.said(), self.process.said()


@contextmanager
def unchanged(running: Router) -> Iterator[Router]:
    """For one test of a shared router: errors are counted from 0; AssertionError if its settings have changed."""
    running.ask("clear errors")
    before = _settings(running)
    yield running
    assert _settings(running) == before


def _settings(running: Router) -> tuple[str, list[str]]:
    """Settings, and the number of Linux's routes; neighbors are not included."""
    return running.ask("show state"), re.findall(r"routes \d+", running.ask("show lcp"))


@contextmanager
def router(
    sandbox: Sandbox, interfaces: Sequence[str], config: str, *options: str, rx_mode: str = "interrupt"
) -> Iterator[Router]:
    """A router that must exit with 0."""
    made = Router(sandbox, interfaces, config, *(options or ("--max-routes", "20000")), rx_mode=rx_mode)
    try:
        yield made
    finally:
        made.end()
