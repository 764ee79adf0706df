"""Our router, by its control socket on the device."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping, Sequence

from wirespeed.dut.kinds import vpp_language
from wirespeed.dut.plan import DutStage
from wirespeed.dut.setup import DutSetup, check_filter_of
from wirespeed.errors import UsageError
from wirespeed.results.dut import DutFacts, DutTelemetry

SHOWN = ("show version verbose", *vpp_language.SHOWN, "show cpu")
_SAMPLED = ("show runtime", "clear runtime", "show errors", "show interface")


class WirespeedKind:
    """A router whose control socket is `socket`. What is chosen at its start (workers, queues, descriptors) is not
    chosen here."""

    name = "wirespeed"
    states = None

    def __init__(self, socket: str = "/run/wirespeed/router.sock") -> None:
        self.boot_question = vpp_language.boot_question(socket)
        # This program's interpreter where the device is this machine; else the program that is called so there.
        run = 'if test -x "$0"; then exec "$0" -m wirespeed "$@"; else exec wirespeed "$@"; fi'
        program = f"sh -c {shlex.quote(run)} {shlex.quote(sys.executable)}"
        self._ctl = f"{program} ctl -s {shlex.quote(socket)}"
        self.prefix = f"{self._ctl} "
        self.texts = tuple(self.ask(show) for show in SHOWN)
        # One start of the program for all of them.
        self.sample = f"printf '%s\\n' {' '.join(map(shlex.quote, _SAMPLED))} | {self._ctl}"

    def ask(self, command: str) -> str:
        return f"{self._ctl} {command}"

    def stages(self, setup: DutSetup) -> Sequence[DutStage]:
        check_filter_of(setup, "the wirespeed router")
        options = setup.options
        chosen = (options.queues, options.rx_descriptors, options.tx_descriptors, options.workers)
        if any(value is not None for value in chosen) or options.cpus or options.driver or options.devargs:
            raise UsageError("queues, descriptors, workers and CPUs of a router are chosen at its start (startup.conf)")
        asked = vpp_language.questions(self.ask, setup)
        return (DutStage(asked, lambda facts: vpp_language.plan(self.ask, facts, setup, "the router")),)

    def load(self, samples: Sequence[str], interval_s: float) -> DutTelemetry:
        parts = [_parts(sample) for sample in samples]
        first, last = parts[0], parts[-1]
        runtimes = [part[0] for part in parts[1:]]
        return vpp_language.telemetry(runtimes, (first[1], last[1]), (first[2], last[2]), 0, interval_s)

    def describe(self, name: str, texts: Mapping[str, str]) -> DutFacts:
        version = texts.get("show version verbose", "").strip()
        return DutFacts(name, self.name, version.partition("\n")[0])


def _parts(sample: str) -> tuple[str, str, str]:
    """Outputs for runtime, errors and interfaces, separated by the heads of the latter two."""
    errors = re.search(r"(?m)^ *Count +Node ", sample)
    interfaces = re.search(r"(?m)^ *Name +Idx ", sample)
    end = interfaces.start() if interfaces else len(sample)
    middle = errors.start() if errors and errors.start() < end else end
    return sample[:middle], sample[middle:end], sample[end:]
