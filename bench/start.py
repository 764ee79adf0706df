"""CPU seconds of router and generator from start to ready, and from start to end.

python -m bench.start [--rounds N]

In each round a program on two memifs is started twice. When it is ready, the first one is killed, and the second one is
ended by SIGTERM. Medians of the CPU time of all threads are printed.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from wirespeed.machine.ports import free_rpc_port

_HOW = {"ready": signal.SIGKILL, "end": signal.SIGTERM}


def _command(program: str, folder: Path) -> list[str]:
    ports = [f"memif:{folder}/{at}.sock,role=server" for at in range(2)]
    if program == "router":
        own = ["--socket", f"{folder}/router.sock", *(f"--interface=e{at}={port}" for at, port in enumerate(ports))]
    else:
        own = ["--rpc", f"127.0.0.1:{free_rpc_port()}", *(f"--port={port}" for port in ports)]
    return [sys.executable, "-m", "wirespeed", program, "--hugepages", "never", *own]


def _used_s(program: str, how: signal.Signals) -> float:
    """CPU seconds of a program that got signal `how` when it was ready."""
    with tempfile.TemporaryDirectory(prefix="wirespeed-") as name:
        command = _command(program, Path(name))
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert process.stdout is not None
        with process.stdout as said:
            lines = []
            for line in said:
                lines.append(line)
                if line.startswith("ready"):
                    break
            else:
                sys.exit("".join(lines))
            os.kill(process.pid, how)
            said.read()
        _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    for program in ("router", "generator"):
        used = {until: [_used_s(program, how) for _ in range(rounds)] for until, how in _HOW.items()}
        ready_s, whole_s = (median(seconds) for seconds in used.values())
        print(f"{program:<10} until ready {ready_s:.2f} s, with the end {whole_s:.2f} s of CPU")


if __name__ == "__main__":
    main()
