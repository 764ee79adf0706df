#!/usr/bin/env python3
"""Accuracy of the generator's rate: sent against intended packets, and the gaps between packets.

    bench/pacing.py [--seconds S]

One port sends into net_null, so no link limits it. The first table has sent and late packets as shares of the intended
ones at several rates, and at the highest rate once more while a client reads statistics without a pause. Time is the
generator's own clock. The last line has the gaps between the first few thousand packets of a capture at 1 Mpps, as
multiples of the nominal gap.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import quantiles
from typing import Any

from harness import SPEED, generator
from rich import box
from rich.console import Console
from rich.table import Table

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.machine.placement import choose_cpus
from wirespeed.profiles import load_profile
from wirespeed.units import Rate

RATES_PPS = (1e3, 1e4, 1e5, 1e6, 1e7)
GAP_RATE_PPS = 1e6
GAPS = 4000


def sent_share(client: GeneratorClient, rate_pps: float, seconds: float, pause_s: float) -> tuple[float, float]:
    """Sent and late packets as shares of the intended ones. Statistics are read after each pause of `pause_s`."""
    client.start([0], Rate(rate_pps, "pps"))
    time.sleep(0.3)
    before = client.snapshot([0])
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(pause_s)
        after = client.snapshot([0])
    client.stop([0])
    due = rate_pps * (after.at_s - before.at_s)
    sent = after.ports[0].opackets - before.ports[0].opackets
    late = (after.ports[0].late or 0) - (before.ports[0].late or 0)
    return sent / due, late / due


def gaps_s(client: GeneratorClient) -> list[float]:
    """Times between captured packets, by the moments at which the driver got them."""
    client.start([0], Rate(GAP_RATE_PPS, "pps"))
    capture = client.call("capture", command="start", limit=GAPS, mode="fixed", tx=[0], snaplen=64)["capture_id"]
    time.sleep(1.0)
    client.stop([0])
    times: list[float] = []
    while True:
        fetched: dict[str, Any] = client.call("capture", command="fetch", capture_id=capture, pkt_limit=500, snaplen=64)
        times += [packet["ts"] for packet in fetched["pkts"]]
        if not fetched["pending"]:
            break
    client.call("capture", command="remove", capture_id=capture)
    # Packets that were sent while the capture was full are missing behind the first few thousand.
    return [later - earlier for earlier, later in zip(times, times[1:GAPS], strict=False)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="at each rate")
    options = parser.parse_args()
    table = Table(
        title="sent of asked, 64-byte packets, one flow", title_justify="left", box=box.SIMPLE_HEAD, padding=0
    )
    table.add_column("asked pps")
    for heading in ("sent/asked - 1", "late"):
        table.add_column(heading, justify="right")
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wirespeed-")))
        client = generator(stack, directory, "pacing", choose_cpus().dut, [f"null,speed={SPEED}"])
        client.acquire([0], force=True)
        client.reset([0])
        client.add_streams(0, load_profile("bench", {}, 0, 0))
        for rate_pps, pause_s in [*((rate_pps, options.seconds) for rate_pps in RATES_PPS), (RATES_PPS[-1], 0.0)]:
            sent, late = sent_share(client, rate_pps, options.seconds, pause_s)
            note = "" if pause_s else ", statistics without a pause"
            table.add_row(f"{rate_pps:,.0f}{note}", f"{sent - 1:+.4%}", f"{late:.4%}")
        gaps = sorted(gap * GAP_RATE_PPS for gap in gaps_s(client))
        client.release([0])
    console = Console()
    console.print(table)
    cuts = quantiles(gaps, n=100)
    console.print(
        f"gaps at {GAP_RATE_PPS:,.0f} pps, of nominal: median {cuts[49]:.2f}, p90 {cuts[89]:.2f}, "
        f"p99 {cuts[98]:.2f}, longest {gaps[-1]:.1f} ({len(gaps)} gaps)",
        highlight=False,
    )


if __name__ == "__main__":
    main()
