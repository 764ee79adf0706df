"""show_version, show_threads, show_vpe_system_time, cli_inband: what runs here, and its command line."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from wirespeed import __version__
from wirespeed.errors import WirespeedError
from wirespeed.router.api.client import Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.pause import Pause
from wirespeed.vpp_api.codec import Values

_MOST_REPLY_CHARACTERS = 16 << 20
_TURN_LINES = 256


@handler("show_version")
def show_version(client: Client, request: Values) -> Answer:
    return {"program": "wirespeed", "version": f"v{__version__}"}


@handler("show_threads")
def show_threads(client: Client, request: Values) -> Answer:
    rows = [{"name": "ws_main", "pid": os.getpid(), **_place(_last_cpu())}]
    for number in range(client.core.worker_count()):
        worker = client.core.worker(number)
        row = {"id": number + 1, "name": worker.name, "type": "workers", "pid": worker.thread_id}
        rows.append({**row, **_place(worker.cpu)})
    return {"thread_data": rows}


def _place(cpu: int) -> dict[str, int]:
    """The CPU, its core and its NUMA node; what Linux does not tell is 0."""
    directory = Path(f"/sys/devices/system/cpu/cpu{cpu}")
    core = 0
    with contextlib.suppress(OSError, ValueError):
        core = max(0, int((directory / "topology/core_id").read_text()))
    nodes = (int(path.name.removeprefix("node")) for path in directory.glob("node[0-9]*"))
    return {"cpu_id": cpu, "core": core, "cpu_socket": next(nodes, 0)}


def _last_cpu() -> int:
    """The CPU that the main thread last ran on."""
    return int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[36])


@handler("show_vpe_system_time")
def show_time(client: Client, request: Values) -> Answer:
    return {"vpe_system_time": time.time()}


@handler("cli")
def cli(client: Client, request: Values) -> Answer:
    """The line lies in shared memory, which a client by socket has none of."""
    raise Refusal(Retval.UNIMPLEMENTED)


@change("cli_inband")
def cli_inband(client: Client, request: Values) -> Answer:
    return _run(client, request.cmd)


def _run(client: Client, text: str) -> Generator[float | None, None, dict[str, Any]]:
    """The text that the lines of a command answer with; that of an error is its end. Long ones are cut, for they go
    out in one piece."""
    said: list[str] = []
    size = 0
    try:
        for number, line in enumerate(_lines(client, text), 1):
            if isinstance(line, Pause):
                yield line.seconds
                continue
            said.append(line)
            size += len(line) + 1
            if size > _MOST_REPLY_CHARACTERS:
                said.append(f"… and more; cli_inband answers with {_MOST_REPLY_CHARACTERS >> 20} MB, ctl with all")
                break
            if number % _TURN_LINES == 0:
                yield None
    except WirespeedError as error:
        return _reply([*said, str(error)], Retval.UNSPECIFIED)
    return _reply(said, 0)


def _reply(lines: list[str], retval: int) -> dict[str, Any]:
    return {"retval": retval, "reply": "".join(f"{line}\n" for line in lines)}


def _lines(client: Client, text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from client.console.run_from(Path("/"), line)
