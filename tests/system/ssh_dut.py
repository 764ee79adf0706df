"""A Linux router with Debian's sshd, in a network namespace with a link for management and two links for the tester."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.programs import PROGRAM
from harness.waiting import wait_for
from sandbox import Process, Sandbox

from wirespeed.machine.ports import free_rpc_port

HOST = "10.99.0.1"
"""Address of the device; the tester's side, the sandbox itself, has the next one."""
SPEC = f"linux:ssh://root@{HOST}"
MACS = ("02:ee:00:00:01:00", "02:ee:00:00:01:01")
INTERFACES = [f"--interface=e{number},mac={mac}" for number, mac in enumerate(MACS)]

_SSHD = """\
ListenAddress {host}
HostKey {directory}/host_key
AuthorizedKeysFile /run/sshd/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
SetEnv PATH={directory}/bin:/usr/sbin:/usr/bin:/sbin:/bin
"""
_IP = """\
#!/bin/sh
# The real one, but that a command is told to fail, or to hang.
case "$*" in
"$(cat {directory}/hangs)"*)
    after=$(cat {directory}/after)
    [ $after -gt 0 ] && echo $((after-1)) > {directory}/after || {{ touch {directory}/hanging; exec sleep 1000; }} ;;
"$(cat {directory}/fails)"*) echo "RTNETLINK answers: No buffer space available" >&2; exit 2 ;;
esac
exec {real} "$@"
"""


class SshDut:
    """`box` is the tester's side: `run` runs wirespeed there; its home has the key and the known host."""

    def __init__(self, box: Sandbox) -> None:
        self.box = box
        self.directory = box.directory
        self.home = box.directory / "home"
        box.namespace("dut")
        _wire(box, "m0", "mgmt", ("10.99.0.2/30", f"{HOST}/30"))
        for number, mac in enumerate(MACS):
            _wire(box, f"g{number}", f"e{number}", None)
            box.run("ip", "link", "set", f"g{number}", "address", mac)
            box.run("ip", "link", "set", f"e{number}", "address", f"02:fe:00:00:01:0{number}", netns="dut")
        self._keys()
        self._users()
        self._spoilt_ip()
        self.sshd = self.start()
        self.tester: Process | None = None

    def start(self) -> Process:
        (self.directory / "sshd_config").write_text(_SSHD.format(host=HOST, directory=self.directory))
        process = self.box.spawn("/usr/sbin/sshd", "-D", "-e", "-f", str(self.directory / "sshd_config"), netns="dut")
        wait_for(lambda: "Server listening" in process.said(), "sshd")
        return process

    def cut(self) -> None:
        """Stop sshd and cut its connections without notice."""
        self.box.run("sh", "-c", "kill -9 $(ip netns pids dut)")
        self.sshd.popen.wait()

    def _keys(self) -> None:
        ssh = self.home / ".ssh"
        ssh.mkdir(parents=True, mode=0o700)
        for path in (self.directory / "host_key", ssh / "id_ed25519"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
        self.box.run("mkdir", "-p", "/run/sshd")
        self.box.run("mount", "-t", "tmpfs", "-o", "mode=755", "none", "/run/sshd")
        self.box.run("install", "-m", "644", str(ssh / "id_ed25519.pub"), "/run/sshd/authorized_keys")
        host_key = (self.directory / "host_key.pub").read_text()
        (ssh / "known_hosts").write_text(f"{HOST} {host_key}")

    def _users(self) -> None:
        """User walker has no privileges, runner may use sudo; only inside of the sandbox."""
        users = "".join(
            f"{name}:x:{number}:{number}::/:/bin/sh\n" for name, number in (("walker", 4711), ("runner", 4712))
        )
        # The device must not have the start-up files of this machine's root.
        known = re.sub(r"(?m)^(root:.*):[^:]*:([^:]*)$", r"\1:/:\2", Path("/etc/passwd").read_text())
        (self.directory / "passwd").write_text(known + users)
        (self.directory / "sudoers").write_text("root ALL=(ALL) ALL\nrunner ALL=(ALL) NOPASSWD: ALL\n")
        (self.directory / "sudoers").chmod(0o440)
        (self.directory / "shadow").write_text("root:*:1::::::\nwalker:*:1::::::\nrunner:*:1::::::\n")
        for name in ("passwd", "shadow", "sudoers"):
            self.box.run("mount", "--bind", str(self.directory / name), f"/etc/{name}")

    def _spoilt_ip(self) -> None:
        (self.directory / "bin").mkdir()
        program = self.directory / "bin/ip"
        program.write_text(_IP.format(directory=self.directory, real=shutil.which("ip", path="/usr/sbin:/usr/bin")))
        program.chmod(0o755)
        self.spoil()

    def spoil(self, hangs: str = "(nothing)", fails: str = "(nothing)", after: int = 0) -> None:
        """Let the device's `ip` hang or fail at commands that begin with this; with `after`, it hangs after that many
        of them.
        """
        (self.directory / "hangs").write_text(hangs)
        (self.directory / "after").write_text(str(after))
        (self.directory / "fails").write_text(fails)
        (self.directory / "hanging").unlink(missing_ok=True)

    # ---- the program

    @property
    def words(self) -> list[str]:
        return ["env", f"HOME={self.home}", "SSH_AUTH_SOCK=", *PROGRAM]

    def wirespeed(self, *words: str) -> tuple[int, str]:
        """Exit code, and output of both streams; never a traceback."""
        code, said = self.box.try_run(*self.words, *words)
        assert "Traceback" not in said, said
        return code, said

    def dut(self, action: str, *words: str, spec: str = SPEC) -> str:
        code, said = self.wirespeed("dut", action, f"--dut={spec}", *words)
        assert code == 0, said
        return said

    def prepare(self, *words: str) -> str:
        return self.dut("prepare", *INTERFACES, *words)

    def dut_show(self, result: Path, text: str) -> str:
        code, said = self.wirespeed("dut", "show", str(result), text)
        assert code == 0, said
        return said

    # ---- the device

    def on(self, *words: str) -> str:
        return self.box.run(*words, netns="dut")

    def state(self) -> dict[str, str]:
        """All settings of the device that a preparation could change."""
        settings = self.on("sh", "-c", "grep -rH . /proc/sys/net 2>/dev/null | sort")
        return {
            "settings": "\n".join(line for line in settings.splitlines() if not _moves(line)),
            "links": self.on("ip", "-br", "link"),
            "addresses": self.on("sh", "-c", "ip -br addr; ip route; ip -6 route; ip neigh show nud permanent"),
            "offloads": self.on("sh", "-c", "ethtool -k e0; ethtool -k e1"),
            "rules": self.on("nft", "list", "ruleset"),
        }


_MOVING = (
    *("random", "stable_secret", "/core/", "/unix/", "/sctp/"),
    *("/nf_conntrack_count", "/nf_conntrack_max", "/nf_conntrack_buckets", "/nf_conntrack_expect_max"),
)


def _moves(line: str) -> bool:
    """Settings that the kernel changes by itself, or that belong to the whole machine."""
    return any(word in line for word in _MOVING)


def _wire(box: Sandbox, here: str, there: str, addresses: tuple[str, str] | None) -> None:
    box.run("ip", "link", "add", here, "type", "veth", "peer", there, "netns", "dut")
    box.run("sysctl", "-q", "-w", f"net.ipv6.conf.{here}.disable_ipv6=1")
    box.run("ip", "link", "set", here, "up")
    if addresses:
        box.run("ip", "addr", "add", addresses[0], "dev", here)
        box.run("ip", "addr", "add", addresses[1], "dev", there, netns="dut")
        box.run("sysctl", "-q", "-w", f"net.ipv6.conf.{there}.disable_ipv6=1", netns="dut")
        box.run("ip", "link", "set", there, "up", netns="dut")
        wait_for(lambda: " UP " in box.run("ip", "-br", "link", "show", there, netns="dut"), f"the link of {there}")


def generator(dut: SshDut) -> tuple[Process, str]:
    """A ready generator on the tester's links, and its address; one that a failed test left is ended."""
    if dut.tester is not None:
        dut.tester.kill()
    ports = []
    for number in range(len(MACS)):
        ports += [f"--port=af_packet:g{number},speed=1G", f"--dest-mac=02:fe:00:00:01:0{number}"]
    cpu = str(max(os.sched_getaffinity(0)))
    server = f"127.0.0.1:{free_rpc_port()}"
    process = dut.tester = dut.box.spawn(
        *dut.words, "generator", f"--cpu={cpu}", *ports, "--hugepages=never", f"--rpc={server}"
    )
    wait_for(lambda: "ready" in process.said(), "a generator", patience_s=180)
    return process, server


@contextmanager
def put_back(dut: SshDut) -> Iterator[SshDut]:
    """A device that must be unchanged after each test."""
    before = dut.state()
    yield dut
    dut.spoil()
    dut.dut("restore", "--quiet")
    assert dut.state() == before
    assert journals(dut.directory) == []


def journals(directory: Path) -> list[Path]:
    return list((directory / "home/.local/state/wirespeed/dut").glob("*"))
