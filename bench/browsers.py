"""Cost that viewers of the live page add to a load test: late packets without a viewer, and with ten.

python -m bench.browsers [ROUNDS]   a round is one test without viewers and one with them

A viewer is a thread of this program that reads all events of the page, as a browser does. It uses the CPUs of the test,
so its own work adds to the cost.
"""

from __future__ import annotations

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from urllib.parse import urlsplit

BROWSERS = 10
LOAD = ("-p", "bench", "-t", "size=64", "-wd", "1", "-rd", "1", "-hd", "8", "-rt", "2mpps", "--lab", "embedded")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("rounds", nargs="?", type=int, default=4)
    rounds = words.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="wirespeed-bench-browsers-") as folder:
        for number in range(2 * rounds):
            browsers = BROWSERS * (number % 2)
            file = Path(folder) / f"{number}.json"
            events = _run(file, browsers)
            ways = [way["balance"] for way in json.loads(file.read_bytes())["outcome"]["channels"].values()]
            late, asked = (sum(way[what] for way in ways) for what in ("late_packets", "asked_packets"))
            print(f"{browsers:2d} browsers: {late:,} late of {asked:,} packets; {events:,} events read", flush=True)


def _run(file: Path, browsers: int) -> int:
    """Number of events that all viewers together read."""
    command = [sys.executable, "-m", "wirespeed", "loadtest", *LOAD, "-o", str(file), "--web"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    read: list[int] = []
    readers: list[threading.Thread] = []
    for line in process.stderr:
        address = next((word for word in line.split() if word.startswith("http://")), "")
        if address and not readers:
            readers = [threading.Thread(target=_read, args=(address, read)) for _ in range(browsers)]
            for reader in readers:
                reader.start()
    process.wait()
    for reader in readers:
        reader.join()
    return sum(read)


def _read(address: str, read: list[int]) -> None:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    events = 0
    try:
        connection.request("GET", "/events")
        events = sum(line.startswith(b"data:") for line in connection.getresponse())
    except (OSError, http.client.HTTPException):
        pass  # the page ends with the test
    finally:
        read.append(events)
        connection.close()


if __name__ == "__main__":
    main()
