"""Mutated packets through the router at the generator's rate: it keeps running, and every packet is accounted for."""

from __future__ import annotations

import struct
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from trials import sanitized
from trials.corpus import corpus, mutated
from trials.started import Started, connected, generator, open_files
from trials.trial import Fault, Ground, trial, until
from wirespeed.client.generator_client import GeneratorClient
from wirespeed.profiles import load_profile
from wirespeed.router.client import ask
from wirespeed.statseg.segment import StatsSegment
from wirespeed.trial.links import wait_for_links
from wirespeed.units import Rate

_MACS = ("02:fe:00:00:00:00", "02:fe:00:00:00:01")
_HOSTS = ("02:ee:00:00:00:00", "02:ee:00:00:00:01")
# The router of native/fuzz/router_target.c, so that the corpora reach the code for which they were made; e2 and e3 are
# bridged.
LINES = f"""\
set interface state e0 up
set interface state e1 up
set interface ip address e0 10.0.0.1/24
set interface ip address e1 10.0.1.1/24
set interface ip address e0 2001:db8:0:0::1/64
set interface ip address e1 2001:db8:0:1::1/64
ip neighbor e0 10.0.0.2 {_HOSTS[0]}
ip neighbor e1 10.0.1.2 {_HOSTS[1]}
ip neighbor e0 2001:db8:0:0::2 {_HOSTS[0]}
ip neighbor e1 2001:db8:0:1::2 {_HOSTS[1]}
ip route add 48.0.0.0/8 via 10.0.1.2
ip route add 50.0.0.0/8 via 10.0.1.2 via 10.0.0.9 via drop
ip route add 2001:db8:48::/48 via 2001:db8:0:1::2
set interface mtu 576 e1
mpls table add 0
set interface mpls e0 enable
mpls local-label add 16 eos via 10.0.1.2 e1 out-labels 17
mpls local-label add 17 eos via ip4-lookup-in-table 0
"""
_PORT_PPS = 5e6
"""More than the generator can send with so many streams: it sends as fast as it can."""

_SHARES = 4
"""Number of files of mutations; each is one set of streams."""


@trial("packets", "mutated packets through the router: conserved to the packet", limit_s=14_400)
def packets(ground: Ground) -> None:
    wanted = ground.packets or ground.times(20_000_000, 200_000)
    with ExitStack() as undo:
        started, socket = _router(ground, undo)
        wires = [f"memif:{ground.directory}/m{number},role=client,mac={_HOSTS[number]},speed=10G" for number in (0, 1)]
        words = [word for wire in wires for word in ("--port", wire)]
        words += [word for mac in _MACS for word in ("--dest-mac", mac)]
        undo.enter_context(generator(*words, "--hugepages", "never", "--main-cpu", "1", "--cpu", "0"))
        client = undo.enter_context(connected())
        wait_for_links(client)
        client.acquire([0, 1])
        files = open_files(started.process.pid)
        began = time.monotonic()
        sent = _send_all(ground, client, wanted, started)
        duration_s = time.monotonic() - began
        _account(ground, client, socket)
        if open_files(started.process.pid) > files + 2:
            ground.fault(f"the router had {files} open files and has {open_files(started.process.pid)}")
        if "rror" in started.said or started.process.poll() is not None:
            ground.fault(f"the router said: {started.last_words}")
        client.release([0, 1])
    if (code := started.process.returncode) != 0:
        ground.fault(f"the router ended with {code}: {started.last_words}")
    ground.figures["packets"] = f"{sent:,}"
    ground.figures["packets per second"] = f"{sent / duration_s:,.0f}"
    ground.figures["build"] = "with sanitizers" if ground.sanitizer else "usual"


def _router(ground: Ground, undo: ExitStack) -> tuple[Started, Path]:
    socket, start = ground.directory / "r.sock", ground.directory / "r.conf"
    start.write_text(LINES)
    words = ["router", "--socket", str(socket), "--exec", str(start), "--hugepages", "never"]
    words += ["--main-cpu", "0", "--cpu", "1"]
    for number in (0, 1):
        words += ["--interface", f"e{number}=memif:{ground.directory}/m{number},role=server,mac={_MACS[number]}"]
    started = undo.enter_context(Started(words, core=sanitized.built_core() if ground.sanitizer else ""))
    started.must_say("ready")
    return started, socket


def _send_all(ground: Ground, client: GeneratorClient, wanted: int, router: Started) -> int:
    """Send at least that many packets in several sets of mutations, on all ports together; returns the number taken by
    the medium.
    """
    seeds = corpus()
    done = 0
    for share in range(1, _SHARES + 1):
        client.reset([0, 1])
        for port, mac in enumerate(_MACS):
            file = ground.directory / f"{share}-{port}.pcap"
            _write(file, mutated(seeds, ground.times(250, 100), ground.random, bytes.fromhex(mac.replace(":", ""))))
            client.add_streams(port, _side_by_side(load_profile(str(file), {}, port, 0)))
        client.start([0, 1], Rate(1.0, "raw"), force=True)
        goal = wanted * share // _SHARES
        while (done := _sent(client)) < goal:
            if router.process.poll() is not None:
                code = router.process.returncode
                raise Fault(f"the router died after {done:,} packets (code {code}): {router.said[-3000:]}")
            time.sleep(0.2)
        client.stop([0, 1])
        ground.say(f"{done:,} packets sent")
    return done


def _side_by_side(chain: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The packets of a file as separate streams with the same rate. In a chain, streams send one after the other, which
    a generator does slowly.
    """
    mode = {"type": "continuous", "rate": {"type": "pps", "value": _PORT_PPS / len(chain)}}
    alone = {"mode": mode, "isg": 0.0, "self_start": True, "next_stream_id": -1}
    return [{**one, "stream": one["stream"] | alone} for one in chain]


def _sent(client: GeneratorClient) -> int:
    return sum(port.opackets for port in client.snapshot([0, 1]).ports.values())


def _account(ground: Ground, client: GeneratorClient, socket: Path) -> None:
    """Wait until all counters rest, then compare them with each other."""

    def books() -> dict[str, int]:
        ports = client.snapshot([0, 1]).ports.values()
        with StatsSegment(socket.with_suffix(".stats")) as block:
            read = block.read([r"^/sys/(rx|tx|drops|punts|made)$"])
        totals = {name.rpartition("/")[2]: reading.total[0] for name, reading in read.items()}
        received = sum(port.ipackets + (port.rx_missed or 0) for port in ports)
        return {"sent": sum(port.opackets for port in ports), "received": received, **totals}

    def balanced(of: dict[str, int]) -> bool:
        through = of["tx"] + of["drops"] + of["punts"] == of["rx"] + of["made"]
        return of["sent"] == of["rx"] and through and of["received"] == of["tx"]

    # The router's segment is updated once per second; its own neighbour probes continue in the meantime.
    if not until(lambda: balanced(books())):
        ground.fault(f"packets are missing or too many: {books()}; {ask(socket, 'show errors')[:2000]}")
    ground.figures["books"] = ", ".join(f"{name} {value:,}" for name, value in books().items())


def _write(file: Path, frames: list[bytes]) -> None:
    """A packet file of libpcap's first format, Ethernet."""
    with file.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 1))
        for number, frame in enumerate(frames):
            out.write(struct.pack("<IIII", 0, number, len(frame), len(frame)) + frame)
