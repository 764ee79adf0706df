"""An isolated environment for one trial, so that everything in it was made by the trial.

It has network, mounts and process numbers of its own, an empty /run and /dev/shm, and its temporary files below /run.
The kernel ends all processes in it together with its first process.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path("/run/trial")
"""The trial's own files: they do not count as left behind."""

_HUGEPAGE_FILES = ("rtemap_", "wirespeed")


def command() -> list[str]:
    """Prefix of a command that runs in an environment of its own."""
    words = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    return words if os.geteuid() == 0 else [*words, "--map-root-user"]


def refusal() -> str | None:
    """The reason why this machine cannot isolate; None if it can."""
    for tool in ("unshare", "ip", "mount"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed (tools/setup.sh test)"
    tried = subprocess.run(
        [*command(), "sh", "-c", "mount -t tmpfs none /dev/shm && ip link set lo up"],
        capture_output=True,
        text=True,
        check=False,
    )
    reason = tried.stderr.strip().splitlines() or ["unshare was refused"]
    return f"no namespaces can be made here: {reason[-1]}; run as root" if tried.returncode else None


def settle() -> None:
    """Set up the environment from inside, and continue in a child process: the first process must reap orphans."""
    child = os.fork()
    if child:
        while True:
            pid, status = os.wait()
            if pid == child:
                os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    for point, options in (("/run", ["size=512m"]), ("/dev/shm", ["size=512m"])):
        subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "trial", point], check=True)
    for point, options in _hugepage_mounts():  # without the files of other programs
        subprocess.run(["mount", "-t", "hugetlbfs", "-o", options, "trial", point], check=os.geteuid() == 0)
    subprocess.run(["mount", "-t", "sysfs", "sysfs", "/sys"], check=True)  # the interfaces of this network namespace
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    # Histories and caches are permanent, and so are the directories of DPDK and libxdp.
    places = {"TMPDIR": Path("/run/tmp"), "HOME": ROOT / "home", "XDG_RUNTIME_DIR": Path("/run/user")}
    for path in (ROOT, *places.values(), Path("/run/dpdk/rte"), Path("/run/xdp"), Path("/run/user/dpdk/rte")):
        path.mkdir(parents=True, mode=0o700)
    os.environ.update({name: str(path) for name, path in places.items()})


def present() -> frozenset[str]:
    """Processes, network namespaces, links, listening and abstract sockets, and files in memory, one line each."""
    return frozenset([*_processes(), *_network(), *_files()])


def _processes() -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) in (1, os.getpid()):
            continue
        try:
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        if state not in "ZX":
            found.append(f"process {entry.name}: {words[:120]}")
    return found


def _network() -> list[str]:
    found = [f"link {one.name}" for one in Path("/sys/class/net").iterdir() if one.name != "lo"]
    spaces = Path("/run/netns")
    found += [f"namespace {one.name}" for one in spaces.iterdir()] if spaces.is_dir() else []
    for line in Path("/proc/net/unix").read_text().splitlines()[1:]:
        name = line.split(maxsplit=7)[7:]
        if name and name[0].startswith("@"):
            found.append(f"socket {name[0]}")
    for family in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{family}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A":  # listening
                found.append(f"socket on TCP port {int(words[1].rpartition(':')[2], 16)}")
    return found


def _files() -> list[str]:
    found = []
    for root in (Path("/run"), Path("/dev/shm")):
        for directory, names, files in os.walk(root):
            here = Path(directory)
            if here == Path("/run"):
                names[:] = [name for name in names if name not in (ROOT.name, "netns")]
            if here.parent == Path("/run") and here.name in ("tmp", "user"):
                pass  # these belong to wirespeed; their contents do not
            elif here != root:
                found.append(f"directory {here}")
            found += [f"file {here / name}" for name in files]
    for point, _ in _hugepage_mounts():
        if os.access(point, os.R_OK):
            found += [f"hugepages {one}" for one in Path(point).iterdir() if one.name.startswith(_HUGEPAGE_FILES)]
    return found


def _hugepage_mounts() -> list[tuple[str, str]]:
    """Mounts of hugepages as files, and their options."""
    rows = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
    return [(point, options) for _, point, kind, options, *_ in rows if kind == "hugetlbfs"]
