"""The router is stopped under a running load test and started again: the test fails with the reason, or continues."""

from __future__ import annotations

import signal
import time
from contextlib import ExitStack
from pathlib import Path

from trials.started import RPC, Started, generator, router
from trials.trial import Fault, Ground, trial
from wirespeed.errors import WirespeedError
from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.result import Result

_LINES = """\
set interface state e0 up
set interface state e1 up
set interface l2 xconnect e0 e1
set interface l2 xconnect e1 e0
"""


def _faces(directory: Path) -> list[str]:
    return [f"e{number}=memif:{directory}/m{number},role=server,speed=10G" for number in range(2)]


def _loadtest(file: Path, *words: str) -> list[str]:
    said = ["loadtest", "-s", RPC, "-p", "bench", "-t", "size=64", "-wm", "5kpps", "-rt", "5kpps", "-o", str(file)]
    return [*said, "-wd", "1", "-rd", "0", "-hd", "8", "--interval", "0.2", "--force", *words]


def _one(ground: Ground, directory: Path, ride: bool, number: signal.Signals) -> None:
    file = directory / "x.json"
    file.unlink(missing_ok=True)
    with ExitStack() as undo:
        first, _ = undo.enter_context(router(directory, *_faces(directory), lines=_LINES))
        wires = [f"memif:{directory}/m{number},role=client,speed=10G" for number in range(2)]
        words = [word for wire in wires for word in ("--port", wire)]
        undo.enter_context(generator(*words, "--hugepages", "never"))
        test = undo.enter_context(Started(_loadtest(file, *(["--ignore-link-down"] if ride else []))))
        test.must_say(" left")
        time.sleep(ground.random.uniform(0.0, 2.0))
        first.end(number)
        time.sleep(ground.random.uniform(0.3, 1.5))
        undo.enter_context(router(directory, *_faces(directory), lines=_LINES))
        code = test.process.wait(120)
        test.forget()
    try:
        result = read_as(Result, file)
    except WirespeedError as error:
        raise Fault(f"code {code}, and {error}: {test.last_words}") from None
    down = [sample.links_down for sample in result.samples]
    if ride:
        if code or not any(down) or down[-1]:
            raise Fault(f"told to ride it out, it ended with {code}, links down in {down}: {test.last_words}")
        if not all(one.rx_pps > 0 for one in result.samples[-1].ports.values()):
            raise Fault("nothing came through the router that was started again")
    elif code != 4 or "lost its link" not in test.said:
        raise Fault(f"it ended with {code}, and said: {test.last_words}")


@trial("router-restarts", "the router ended and started again under a load test, which fails or rides it out")
def restarts(ground: Ground) -> None:
    rounds = ground.times(8, 1)
    for turn in range(rounds):
        for ride in (False, True):
            number = ground.random.choice((signal.SIGKILL, signal.SIGTERM))
            try:
                _one(ground, ground.new_directory(f"{turn}{'r' if ride else 'f'}"), ride, number)
            except Fault as fault:
                ground.fault(f"{number.name}, {'--ignore-link-down' if ride else 'as it is'}: {fault}")
    ground.figures["restarts"] = f"{2 * rounds}"
