"""BIRD and FRR in namespaces of a sandbox, each with its own configuration, independent of the machine's services."""

from __future__ import annotations

from collections.abc import Iterable

from harness.waiting import wait_for
from sandbox import Process, Sandbox


class Bird:
    """One BIRD; `config` follows router id and device protocol."""

    def __init__(self, box: Sandbox, netns: str, router_id: str, config: str) -> None:
        self._box, self._netns = box, netns
        self._directory = box.directory / f"bird-{netns}"
        self._directory.mkdir(exist_ok=True)
        self._socket = str(self._directory / "ctl")
        text = f"router id {router_id};\nprotocol device {{ scan time 2; }}\n{config}"
        (self._directory / "bird.conf").write_text(text)
        self.process = self.start()

    def start(self) -> Process:
        self.process = self._box.spawn(
            "bird", "-f", "-c", str(self._directory / "bird.conf"), "-s", self._socket, netns=self._netns
        )
        wait_for(lambda: self._box.try_run("birdc", "-s", self._socket, "show", "status")[0] == 0, "BIRD")
        return self.process

    def ask(self, *words: str) -> str:
        return self._box.run("birdc", "-s", self._socket, *words)

    def is_established(self, protocol: str) -> bool:
        return "Established" in self.ask("show", "protocols", protocol)


class Frr:
    """Zebra and one or more daemons of FRR, all with the same configuration. They run as the package's user, in a
    directory that only the sandbox has.
    """

    def __init__(self, box: Sandbox, netns: str, daemons: Iterable[str], config: str) -> None:
        self._box, self._netns = box, netns
        self._directory = f"/mnt/frr-{netns}"
        box.run("mount", "-t", "tmpfs", "none", "/mnt")
        box.run("mkdir", self._directory)
        box.run("tee", f"{self._directory}/frr.conf", text=config)
        box.run("chown", "-R", "frr:frr", self._directory)
        self._names = ("zebra", *daemons)
        self.processes: dict[str, Process] = {}
        self.start()

    def start(self) -> None:
        for name in self._names:
            if name not in self.processes or self.processes[name].popen.poll() is not None:
                self.processes[name] = self._spawn(name)

    def _spawn(self, name: str) -> Process:
        directory = self._directory
        words = [f"/usr/lib/frr/{name}", "-f", f"{directory}/frr.conf", "-i", f"{directory}/{name}.pid"]
        words += ["-z", f"{directory}/zserv.api", "--vty_socket", directory, "-P", "0", "--log", "stdout"]
        if name == "zebra":
            words += ["-K", "60"]  # time for which old routes are kept after a restart
        process = self._box.spawn(*words, netns=self._netns)
        wait_for(lambda: self._box.try_run(*self._vtysh(name, "show version"))[0] == 0, name)
        return process

    def _vtysh(self, daemon: str, command: str) -> list[str]:
        return ["vtysh", "--vty_socket", self._directory, "-d", daemon, "-c", command]

    def ask(self, daemon: str, command: str) -> str:
        return self._box.run(*self._vtysh(daemon, command))


def static_routes(count: int, first: int = 20) -> str:
    """`count` blackhole routes of /24 for BIRD, from `first`.0.0.0 on."""
    lines = (f"route {first + (n >> 16)}.{n >> 8 & 255}.{n & 255}.0/24 blackhole;" for n in range(count))
    return "protocol static many { ipv4;\n" + "\n".join(lines) + "\n}\n"
