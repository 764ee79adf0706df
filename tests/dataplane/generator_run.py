"""`wirespeed generator` as a process, up to the line that says that it serves."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from harness.programs import started, wirespeed

from wirespeed.machine.ports import free_rpc_port


@dataclass(frozen=True)
class GeneratorRun:
    """`lines` is its output until it served, or all of it if it ended before."""

    process: subprocess.Popen[str]
    address: str
    lines: list[str]

    @property
    def serves(self) -> bool:
        return bool(self.lines) and self.lines[-1].startswith("ready")


def start_generator(*arguments: str) -> GeneratorRun:
    address = f"127.0.0.1:{free_rpc_port()}"
    command = wirespeed("generator", "--hugepages", "never", "--rpc", address, *arguments)
    process = started(command)
    run = GeneratorRun(process, address, [])
    assert process.stdout is not None
    for line in process.stdout:
        run.lines.append(line.strip())
        if run.serves:
            break
    return run
