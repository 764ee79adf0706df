"""Ways to a device as a user names them."""

from __future__ import annotations

import re
from pathlib import Path

from wirespeed.dut.reach.reach import Reach
from wirespeed.errors import UsageError

FORMS = "ssh://user@host[:port], netns:NAME, local or console-log:FILE"
_SSH = re.compile(
    r"ssh://(?:(?P<user>[^@/:\s]+)@)?(?:\[(?P<ip6>[^\]\s]+)\]|(?P<host>[^@/:\s\[\]]+))(?::(?P<port>\d{1,5}))?/?"
)
_NETNS = re.compile(r"netns:(?P<name>[^\s/:]+)")


def parse_reach(text: str) -> Reach:
    """The way that `text` names, not yet tried; UsageError for another, FileFault for a log that cannot be read."""
    if text == "local":
        from wirespeed.dut.reach.local import LocalReach  # noqa: PLC0415 - a command starts fast

        return LocalReach()
    if match := _NETNS.fullmatch(text):
        from wirespeed.dut.reach.local import LocalReach  # noqa: PLC0415

        return LocalReach(match["name"])
    if text.startswith("console-log:") and len(text) > len("console-log:"):
        from wirespeed.dut.reach.console_log import ConsoleLog  # noqa: PLC0415

        return ConsoleLog(Path(text.removeprefix("console-log:")))
    if match := _SSH.fullmatch(text):
        from wirespeed.dut.reach.ssh import SshReach  # noqa: PLC0415

        port = int(match["port"] or 0)
        if not match["port"] or 0 < port < 65536:
            return SshReach(match["ip6"] or match["host"], match["user"] or "", port)
    if re.match(r"ssh://[^@/]*:[^@/]*@", text):
        raise UsageError("a password on a command line is read by every user of this machine: use a key or ssh-agent")
    raise UsageError(f"{text} is not an access method; give {FORMS}")
