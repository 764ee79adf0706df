#!/usr/bin/env python3
"""Write docs/develop/graph.md: the graph of a router with one port, from `show vlib graph`, as a Mermaid diagram.

    tools/graph-picture.py [--check]

`--check` writes nothing; exit code 1 if the page is out of date. Edges to error-drop are left out, since nearly every
node has one. The port is called `interface`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from wirespeed.router.client import ask

PAGE = Path(__file__).resolve().parent.parent / "docs" / "develop" / "graph.md"
HEAD = """\
# The graph

Which node may send packets on to which, on a router with one port and no feature on. Drops are left out: nearly every
node leads to `error-drop`. `tools/graph-picture.py` writes this page; `show vlib graph` on a router prints its own.

"""


def graph_text() -> str:
    """Output of `show vlib graph` of a router that is started for it."""
    with tempfile.TemporaryDirectory(prefix="wirespeed-") as directory:
        socket = Path(directory) / "router.sock"
        command = [sys.executable, "-m", "wirespeed", "router", "--interface", "interface=null"]
        command += ["--socket", str(socket), "--max-routes", "1000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as router:
            assert router.stdout is not None
            try:
                if not any(line.startswith("ready") for line in router.stdout):
                    sys.exit("the router did not start")
                return ask(socket, "show vlib graph")
            finally:
                router.terminate()


def edges(text: str) -> list[tuple[str, str]]:
    """(node, next) in the order of the text, where only the first row of a node has its name."""
    found, node = [], ""
    for line in text.splitlines()[1:]:
        if line[:1].strip():
            node = line.split()[0]
        following = re.search(r"(\S+) \[\d+\]", line)
        if following:
            found.append((node, following[1]))
    return found


def page(text: str) -> str:
    drawn = [(node, following) for node, following in edges(text) if following != "error-drop"]
    lines = [f"    {name_of(node)} --> {name_of(following)}" for node, following in drawn]
    return HEAD + "```mermaid\nflowchart LR\n" + "\n".join(lines) + "\n```\n"


def name_of(node: str) -> str:
    """A node with an identifier that is none of Mermaid's keywords (such as `end`), and its name as label."""
    return f"{node.replace('-', '_')}[{node}]"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")
    options = parser.parse_args()
    made = page(graph_text())
    if not options.check:
        PAGE.write_text(made)
    elif PAGE.read_text() != made:
        print("docs/develop/graph.md is not the graph; tools/graph-picture.py writes it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
