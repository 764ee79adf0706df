"""Linux's control plane among thousands of links: the router has exactly Linux's addresses of the paired link."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from trials import sanitized
from trials.started import Started, router
from trials.trial import Fault, Ground, trial, until
from wirespeed.router.client import ask

LINK = "lcpe0"


@trial("many-links", "linux-cp among 4 000 links that come and go, with sanitizers: no address is misread")
def many_links(ground: Ground) -> None:
    pairs = ground.times(2000, 1200)
    core = "" if ground.short and not ground.sanitizer else sanitized.built_core()
    batch(ground, (f"link add v{number} type veth peer name w{number}" for number in range(pairs)))
    with router(ground.directory, "e0=ring:a", "e1=ring:a", core=core) as (made, path):
        ask(path, f"lcp create e0 host-if {LINK}")
        for turn in range(ground.times(20, 2)):
            first = turn * 8
            wanted = {f"10.{9 + number // 250}.{number % 250}.1/24" for number in range(first, first + 8)}
            batch(ground, (f"address add {one} dev {LINK}" for one in sorted(wanted)))
            batch(ground, link_changes(ground, pairs))
            if (told := are_told(made, path, wanted)) is not None:
                raise Fault(f"turn {turn}: Linux has {sorted(wanted)}; {told}")
            batch(ground, (f"address del {one} dev {LINK}" for one in sorted(wanted)))
    if made.process.returncode:
        ground.fault(f"the router ended with {made.process.returncode}: {made.said[-2000:]}")
    ground.figures["links"] = str(2 * pairs)
    ground.figures["build"] = "with sanitizers" if core else "usual"


def are_told(made: Started, path: Path, wanted: set[str]) -> str | None:
    """Wait until the router has the wanted addresses. Returns None, or the fault: other addresses, or an early end."""
    if until(lambda: made.process.poll() is not None or addresses(path) == wanted):
        code = made.process.poll()
        return None if code is None else f"the router ended with {code}: {made.said[-2000:]}"
    return f"the router has {sorted(addresses(path))}"


def link_changes(ground: Ground, pairs: int) -> Iterator[str]:
    """A tenth of the pairs is deleted and made again, or gets an address."""
    for number in ground.random.sample(range(pairs), pairs // 10):
        yield f"link del v{number}"
        yield f"link add v{number} type veth peer name w{number}"
        yield f"address add 172.16.{number // 256}.{number % 256}/32 dev w{number}"


def addresses(path: Path) -> set[str]:
    shown = ask(path, "show interface address e0").split()
    return {word for word in shown if word.startswith("10.")}


def batch(ground: Ground, lines: Iterator[str]) -> None:
    file = ground.directory / "batch"
    file.write_text("".join(f"{line}\n" for line in lines))
    subprocess.run(["ip", "-batch", str(file)], check=True)
