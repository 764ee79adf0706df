"""Rights, programs and ports that a test needs, and what earlier ones have left."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from wirespeed.doctor.finding import HostFinding, HostPurpose, HostStep, fixable
from wirespeed.inspect.transcript import Transcript, section, text

LEAST_LOCKED_KB = 64 << 10
_LISTEN = "0A"
_MADE_BY = re.compile(r"(?:ws|wirespeed-[a-z]+-)(\d+)-\d+(?:-.*)?")
_END = re.compile(r"ws(\d+)[gd][01]")
_PACKAGES = {"lspci": "pciutils", "dmidecode": "dmidecode", "ethtool": "ethtool"}


def memlock(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """Memory that the NIC writes to has to be locked."""
    limit, is_root = text(answers, "memlock").strip(), text(answers, "uid").strip() == "0"
    if is_root or limit == "unlimited":
        yield HostFinding("memlock", "ok", "unlimited" if limit == "unlimited" else "root is not limited")
    elif limit.isdigit() and int(limit) < LEAST_LOCKED_KB:
        yield HostFinding(
            "memlock",
            "blocks" if wanted.nics else "note",
            f"ulimit -l is {limit} kB",
            "vfio locks all packet memory and is refused more than that",
            ("echo '* - memlock unlimited' >/etc/security/limits.d/wirespeed.conf  # and log in again",),
        )
    else:
        yield HostFinding("memlock", "ok" if limit else "unknown", f"{limit} kB" if limit else "not available")


def packages(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """DPDK, and the programs that `wirespeed host show` asks."""
    if section(answers, "dpdk").code == 0:
        yield HostFinding("packages", "ok", "DPDK's libraries are there")
    else:
        why = "generator and router stand on them"
        yield HostFinding("packages", "blocks", "DPDK's libraries are not there", why, ("apt-get install libdpdk-dev",))
    lacking = [name for name in text(answers, "programs").split() if name in _PACKAGES]
    if lacking:
        install = " ".join(_PACKAGES[name] for name in lacking)
        why = "without them `wirespeed host show` says less; nothing else needs them"
        yield HostFinding("packages", "note", f"no {', no '.join(lacking)}", why, (f"apt-get install {install}",))


def tcp_ports(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """The generator's."""
    taken = set()
    for line in text(answers, "listening").splitlines():
        words = line.split()
        if len(words) > 3 and words[3] == _LISTEN and ":" in words[1]:
            taken.add(int(words[1].rpartition(":")[2], 16))
    held = [str(port) for port in wanted.tcp_ports if port in taken]
    if held:
        yield HostFinding(
            "ports",
            "note",
            f"TCP {', '.join(held)} {'is' if len(held) == 1 else 'are'} taken",
            "a generator runs already, or another program is to give way; a second generator takes --rpc and --publish",
            (f"ss -ltnp '( sport = :{' or sport = :'.join(held)} )'",),
        )
    else:
        yield HostFinding("ports", "ok", f"TCP {', '.join(map(str, wanted.tcp_ports))} are free")


def leftovers(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """Namespaces, veth ends and folders of labs whose process is gone."""
    running = set(text(answers, "running").split())
    spaces = [name for name in text(answers, "netns").split() if _is_dead(name, running)]
    folders = [path for path in text(answers, "folders").split() if _is_dead(path.rpartition("/")[2], running)]
    ends = [path.rpartition("/")[2] for path in text(answers, "ends").split()]
    ends = [name for name in ends if (match := _END.fullmatch(name)) and match[1] not in running]
    left = [*spaces, *ends, *folders]
    if not left:
        yield HostFinding("leftovers", "ok", "none")
        return
    # A lab in another PID namespace holds a lock on what is its own.
    steps = [HostStep(f"flock -n /run/netns/{name} ip netns delete {name}") for name in map(shlex.quote, spaces)]
    steps += [HostStep(f"ip link delete {name}") for name in ends]
    steps += [
        HostStep(f"[ -O {path} ] && [ ! -L {path} ] && flock -n {path} rm -rf {path}")
        for path in map(shlex.quote, folders)
    ]
    why = "labs that were killed have left them; they hold memory, and veth ends carry packets nobody counts"
    yield fixable("leftovers", "note", f"{', '.join(left[:6])}{' …' if len(left) > 6 else ''}", why, steps)


def _is_dead(name: str, running: set[str]) -> bool:
    match = _MADE_BY.fullmatch(name)
    return match is not None and match[1] not in running
