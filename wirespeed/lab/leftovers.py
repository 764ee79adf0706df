"""Remains of killed labs on this machine, found by name (wirespeed/owned.py), and their removal.

A lab's directory is removed when the next lab makes its own. This module removes the network namespaces `wsPID-START`
of the Linux lab and this side's ends of its veth pairs, `wsPIDg0` and so on: names of interfaces have at most 15
letters. Further labs of a process have a number: `wsPID-START-2`, `wsPIDn2g0`."""

from __future__ import annotations

import itertools
import os
import re
from contextlib import suppress
from pathlib import Path

from wirespeed.owned import is_ownerless, is_running, owner

NAMESPACES = Path("/run/netns")
_INTERFACES = Path("/sys/class/net")
_NAMESPACE = re.compile(r"ws(\d+-\d+)(?:-try|-\d+)?")
_END = re.compile(r"ws(\d+)(?:n\d+)?[gd][01]")


_LABS = itertools.count(1)


def lab_names() -> tuple[str, str]:
    """The namespace of a further lab of this process, and the beginning of its interfaces' names."""
    number = next(_LABS)
    if number == 1:
        return f"ws{owner()}", f"ws{os.getpid()}"
    return f"ws{owner()}-{number}", f"ws{os.getpid()}n{number}"


def sweep_namespaces() -> None:
    """Remove namespaces and veth pairs of labs that have ended; those of living ones stay. Needs root to find any.

    What the kernel refuses stays for the next start.
    """
    left = [path.name for path in _entries(NAMESPACES) if _is_left(path)]
    if left:
        from pyroute2 import netns  # noqa: PLC0415 - a slow import, needed only now

        for name in left:
            with suppress(OSError):
                netns.remove(name)
    # Most pairs go with the end that is in the namespace; what is here was made by a lab that died before that.
    kept = [path.name for path in _entries(NAMESPACES)]
    ends = [(path.name, match[1]) for path in _entries(_INTERFACES) if (match := _END.fullmatch(path.name))]
    _remove_links([name for name, pid in ends if not _is_used(pid, kept)])


def _entries(directory: Path) -> list[Path]:
    try:
        return list(directory.iterdir())
    except OSError:
        return []


def _is_left(path: Path) -> bool:
    match = _NAMESPACE.fullmatch(path.name)
    return match is not None and is_ownerless(path, match[1])


def _is_used(pid: str, namespaces: list[str]) -> bool:
    return is_running(int(pid)) or any(name.startswith(f"ws{pid}-") for name in namespaces)


def _remove_links(names: list[str]) -> None:
    if not names:
        return
    from pyroute2 import IPRoute, NetlinkError  # noqa: PLC0415 - as above

    with IPRoute() as host:
        for name in names:
            for link in host.link_lookup(ifname=name):
                with suppress(NetlinkError):  # its other end may have gone with it
                    host.link("del", index=link)
