#!/usr/bin/env python3
"""Draw docs/pictures/console-tui.svg: the console's live view while traffic runs through the demo's lab.

    tools/console-picture.py

A generator and a router on this machine run for about 20 seconds, connected by two memifs. The picture includes no
font: a viewer draws it in its own monospace font.
"""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

from wirespeed.console.screen import TerminalScreen
from wirespeed.console.session import Session
from wirespeed.console.tui.app import ConsoleApp
from wirespeed.console.tui.command_line import CommandLine
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.machine.placement import choose_cpus

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "console-tui.svg"
SIZE = (96, 26)
COMMAND = "start -f stl/imix.py -m 20kpps"
SECONDS_OF_TRAFFIC = 15
_FONT_FACES = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def main() -> None:
    cpus = choose_cpus()
    os.sched_setaffinity(0, cpus.control)
    lab = EmbeddedLab(cpus)
    try:
        lab.start()
        session = Session(lab.rpc, TerminalScreen(quiet=True))
        session.connect()
        session.client.take(session.ports)
        try:
            drawn = asyncio.run(_drawn(session))
        finally:
            session.leave()
    finally:
        lab.stop()
    PICTURE.write_text(_FONT_FACES.sub("", drawn), encoding="utf-8")


async def _drawn(session: Session) -> str:
    """The view as SVG, some seconds after the start of traffic."""
    app = ConsoleApp(session)
    async with app.run_test(size=SIZE) as pilot:
        app.query_one(CommandLine).value = COMMAND
        await pilot.press("enter")
        await pilot.pause(SECONDS_OF_TRAFFIC)
        return app.export_screenshot(title="wirespeed console tui")


if __name__ == "__main__":
    main()
