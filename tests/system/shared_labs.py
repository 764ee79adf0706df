"""Labs that the tests of one process share: a ring, the embedded lab, the Linux lab.

The first test that needs a lab starts it. After each test the lab is reset and must be as empty as at first; otherwise
it is ended, so that only the test that left something fails. Between tests the lab's processes are stopped (SIGSTOP),
because a generator polls its CPU without traffic too.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from joined_lab import joined_lab

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.lab.linux import LinuxLab
from wirespeed.lab.running import running
from wirespeed.machine.child import Child
from wirespeed.machine.placement import choose_cpus
from wirespeed.machine.ports import free_rpc_port
from wirespeed.router.client import ask

Lab = TypeVar("Lab")
State = dict[str, Any]
"""State that a test may change, by name."""

PATIENCE_S = 60.0
OWNER_TIMEOUT_S = 2.0
"""How long the impatient ring waits for a silent owner."""
_PORTS = (0, 1)
_EMPTYING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("set_rx_feature", {"type": "queue", "enabled": False}),
    ("service", {"enabled": False}),
    ("set_port_attr", {"attr": {"promiscuous": {"enabled": False}}}),
    ("set_vlan", {"vlan": []}),
    ("conf_ipv6", {"enabled": False, "src_ipv6": ""}),
)
_COUNTERS = ("runtime", "errors", "interfaces")
_SETTINGS = ("state", "ip fib", "ip6 fib", "mpls fib", "ip neighbors", "ip6 neighbors", "impairment", "punt policer")


@dataclass(frozen=True)
class RingLab:
    """A generator whose two ports are the ends of one ring."""

    rpc: str
    generator: Child


@contextmanager
def ring_lab(log: Path, *options: str) -> Iterator[RingLab]:
    """A generator on a ring with these options of `wirespeed generator`; `log` keeps what it says."""
    rpc = f"127.0.0.1:{free_rpc_port()}"
    ports = ["--port", "ring:loop,speed=10G"] * 2
    with Child(
        "generator", ["generator", *ports, "--hugepages", "never", "--rpc", rpc, *options], log
    ).start() as child:
        yield RingLab(rpc, child)


@dataclass(frozen=True)
class Kind(Generic[Lab]):
    """How a lab is started, its processes, how it is reset, and the state that must be as before then."""

    start: Callable[[], AbstractContextManager[Lab]]
    pids: Callable[[Lab], Sequence[int]]
    put_back: Callable[[Lab, State], None]
    state: Callable[[Lab], State]


class SharedLab(Generic[Lab]):
    """The process's lab of one kind."""

    def __init__(self, kind: Kind[Lab]) -> None:
        self._kind = kind
        self._stack = ExitStack()
        self._lab: Lab | None = None
        self._bare: State = {}

    @contextmanager
    def lent(self) -> Iterator[Lab]:
        """The lab for one test. AssertionError if it is not empty after the reset."""
        if self._lab is None:
            self._start()
        lab = self._lab
        assert lab is not None
        self._send(signal.SIGCONT)
        try:
            yield lab
            self._kind.put_back(lab, self._bare)
            found = self._kind.state(lab)
            left = {name: (self._bare[name], found[name]) for name in found if found[name] != self._bare[name]}
            assert not left, f"the test did not put its lab back; before and after: {left}"
        except BaseException:
            self.end()
            raise
        self._send(signal.SIGSTOP)

    def end(self) -> None:
        """End the lab, if it runs. The next test that needs one gets a new one."""
        if self._lab is not None:
            self._send(signal.SIGCONT)
            self._lab = None
        self._stack.close()

    def _start(self) -> None:
        self._lab = self._stack.enter_context(self._kind.start())
        self._stack.enter_context(_woken_by_our_end(self._kind.pids(self._lab)))
        self._kind.put_back(self._lab, self._kind.state(self._lab))
        self._bare = self._kind.state(self._lab)

    def _send(self, number: signal.Signals) -> None:
        assert self._lab is not None
        for pid in self._kind.pids(self._lab):
            os.kill(pid, number)


@contextmanager
def _woken_by_our_end(pids: Sequence[int]) -> Iterator[None]:
    """Continue these processes when this one ends, even by SIGKILL: a stopped process does not handle SIGTERM."""
    words = ["sh", "-c", 'read -r _; kill -CONT "$@" 2>/dev/null', "sh", *map(str, pids)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True):
        yield


@contextmanager
def connected(rpc: str, timeout_s: float = PATIENCE_S) -> Iterator[GeneratorClient]:
    with GeneratorClient(rpc, timeout_s=timeout_s) as client:
        client.connect()
        yield client


def _put_back_ports(rpc: str, bare: State) -> None:
    """Reset the ports: no owner, no traffic, no host addresses, no streams or captures, and no service mode."""
    with connected(rpc) as client:
        handlers = [client.call("acquire", port_id=port, user="tests", session_id=1, force=True) for port in _PORTS]
        for capture in client.call("capture", command="status"):
            client.call("capture", command="remove", capture_id=capture["id"])
        for port, handler in zip(_PORTS, handlers, strict=True):
            client.call("stop_traffic", port_id=port, handler=handler, profile_id="*")
            for profile in client.call("get_profile_list", port_id=port):
                client.call("remove_all_streams", port_id=port, handler=handler, profile_id=profile)
            own = bare[f"port {port}"]["attr"]["layer_cfg"]["ether"]["dst"]
            for method, more in (*_EMPTYING, ("set_l2", {"dst_mac": own}), ("release", {})):
                client.call(method, port_id=port, handler=handler, **more)


def _port_state(rpc: str) -> State:
    """Status of the generator's ports without increasing values; it keeps names of empty profiles."""
    with connected(rpc) as client:
        told = [client.call("get_port_status", port_id=port) for port in _PORTS]
    for one in told:
        one.update(max_stream_id=0, profile_count=0)
        one["attr"]["link_losses"] = 0
    return {f"port {port}": one for port, one in zip(_PORTS, told, strict=True)}


def _settings(lab: EmbeddedLab) -> State:
    return {name: _without_ages(ask(lab.control_socket, f"show {name}")) for name in _SETTINGS}


def _without_ages(shown: str) -> str:
    """Without the ages of neighbors, in seconds, at the beginning of lines."""
    return re.sub(r"(?m)^ *(\d+\.\d+)? +", "", shown)


def _put_back_embedded(lab: EmbeddedLab, bare: State) -> None:
    _put_back_ports(lab.rpc, bare)
    for name in _COUNTERS:
        ask(lab.control_socket, f"clear {name}")


def inside(lab: LinuxLab, *words: str) -> str:
    """Run a command in the namespace of the lab's device; returns what it prints."""
    return subprocess.run(
        ["ip", "netns", "exec", lab.netns, *words], check=True, capture_output=True, text=True, timeout=PATIENCE_S
    ).stdout


def _linux_state(lab: LinuxLab) -> State:
    commands = ("ip -br link", "ip -br addr", "ip route", "ip neigh show nud permanent", "nft list ruleset")
    return {**_port_state(lab.rpc), **{command: inside(lab, *command.split()) for command in commands}}


def ring(directory: Path, *options: str) -> SharedLab[RingLab]:
    return SharedLab(
        Kind(
            lambda: ring_lab(directory / "generator.log", *options),
            lambda lab: (lab.generator.pid,),
            lambda lab, bare: _put_back_ports(lab.rpc, bare),
            lambda lab: _port_state(lab.rpc),
        )
    )


def embedded() -> SharedLab[EmbeddedLab]:
    return SharedLab(
        Kind(
            lambda: joined_lab(hugepages="never"),
            lambda lab: (lab.router.pid, lab.generator.pid),
            _put_back_embedded,
            lambda lab: {**_port_state(lab.rpc), **_settings(lab)},
        )
    )


def linux() -> SharedLab[LinuxLab]:
    return SharedLab(
        Kind(
            lambda: running(LinuxLab(choose_cpus())),
            lambda lab: (lab.tester_pid,),
            lambda lab, bare: _put_back_ports(lab.rpc, bare),
            _linux_state,
        )
    )
