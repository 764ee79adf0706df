"""VPP on Linux: startup.conf and a restart for what needs one, then `vppctl`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from wirespeed.dut.kinds import vpp_language, vpp_messages
from wirespeed.dut.kinds.linux_load import parts_of
from wirespeed.dut.kinds.startup_conf import startup_conf
from wirespeed.dut.kinds.vpp_filter import nat_questions, nat_steps
from wirespeed.dut.kinds.vpp_states import VppStates
from wirespeed.dut.plan import Action, DutPlan, DutStage, DutStep, Facts, text_of
from wirespeed.dut.reach.reach import write_command
from wirespeed.dut.setup import DutSetup, check_filter_of
from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.results.dut import DutFacts, DutTelemetry

CLI = "/run/vpp/cli.sock"
STARTUP = "/etc/vpp/startup.conf"
_READ = f"cat {STARTUP}"
_COMES_BACK_S = 60
SHOWN = ("show version", *vpp_language.SHOWN, "show pci", "show cpu")
_SAMPLED = ("show runtime", "clear runtime", "show errors", "show interface", "show cpu")
"""The clocks of `show runtime` have three digits, so that only those of a short time can be read: it is cleared."""


def api_socket(socket: str) -> str:
    """Path of VPP's API socket, next to that of the CLI."""
    return str(PurePosixPath(socket or CLI).with_name("api.sock"))


class VppKind:
    """VPP as a systemd service; `socket` is its CLI socket, if that is not the default."""

    name = "vpp"

    def __init__(self, socket: str = "") -> None:
        self._ctl = f"vppctl -s {shlex.quote(socket)}" if socket else "vppctl"
        self.boot_question = vpp_language.boot_question(socket or CLI)
        self.prefix = f"{self._ctl} "
        self.texts = (*(self.ask(show) for show in SHOWN), _READ, "uname -srvm", "lscpu")
        parts = "; ".join(f"echo '==> {show} <=='; {self.ask(show)}" for show in _SAMPLED)
        self.sample = parts
        self.states = VppStates(self.ask, str(PurePosixPath(socket or CLI).with_name("stats.sock")))

    def ask(self, command: str) -> str:
        return f"{self._ctl} {command}"

    def stages(self, setup: DutSetup) -> Sequence[DutStage]:
        options = setup.options
        check_filter_of(setup, "VPP", ("nat",), ("states", "timeout_s"))
        if options.governor or options.turbo is not None or options.sysctls:
            raise UsageError("governor, turbo and sysctls belong to Linux: prepare them with --dut linux:WAY")
        asked = (*vpp_messages.questions(setup), *vpp_language.questions(self.ask, setup))
        asked += nat_questions(self.ask, setup)
        configure = DutStage(asked, lambda facts: self._configured(facts, setup))
        wanted = (options.workers, options.queues, options.rx_descriptors, options.tx_descriptors)
        if any(value is not None for value in wanted) or options.cpus or options.driver or options.devargs:
            return (DutStage((_READ,), lambda facts: self._startup(facts, setup)), configure)
        return (configure,)

    def _configured(self, facts: Facts, setup: DutSetup) -> DutPlan:
        """By the binary API where somebody speaks it, else by vppctl."""
        nat = tuple(nat_steps(self.ask, facts, setup))
        if vpp_messages.is_there(facts):
            made = vpp_messages.plan(self.ask, facts, setup)
            return replace(made, steps=(*made.steps, *nat))
        made = vpp_language.plan(self.ask, facts, setup, "VPP")
        notes = (*made.notes, f"read by vppctl: {facts[vpp_messages.VERSION].why}")
        return replace(made, steps=(*made.steps, *nat), notes=notes)

    def _startup(self, facts: Facts, setup: DutSetup) -> DutPlan:
        now = text_of(facts, _READ)
        if not now:
            raise EnvironmentFault(
                f"the DUT has no {STARTUP} to edit; create it, or leave out queues, descriptors and workers"
            )
        wanted = startup_conf(now, setup)
        if wanted == now:
            return DutPlan(())
        what = ", ".join(sorted(set(_lines(wanted)) - set(_lines(now)))) or "what is asked for"
        was = ", ".join(sorted(set(_lines(now)) - set(_lines(wanted))))
        back = Action(self._restarted(()), now)
        do = Action(self._restarted(setup.names), wanted)
        patience_s = 3.0 * _COMES_BACK_S
        return DutPlan((DutStep(STARTUP, was, what, do, back, persists=True, must_undo=True, timeout_s=patience_s),))

    def _restarted(self, names: Sequence[str]) -> str:
        """The command that writes the file, restarts VPP and waits until it answers and has its interfaces."""
        shows = [self.ask("show version"), *(self.ask(f"show hardware-interfaces {name}") for name in names)]
        tests = " && ".join(f"{show} 2>/dev/null | grep -q ." for show in shows)
        return (
            f"{write_command(STARTUP)} && systemctl restart vpp || exit 1\n"
            f"n=0; while [ $n -lt {_COMES_BACK_S} ]; do {tests} && exit 0; sleep 1; n=$((n+1)); done\n"
            f"echo 'VPP did not come back with it in {_COMES_BACK_S} s' >&2; exit 1"
        )

    def load(self, samples: Sequence[str], interval_s: float) -> DutTelemetry:
        parts = [parts_of(sample) for sample in samples]
        first, last = parts[0], parts[-1]
        base = re.search(r"Base frequency[ .:]*([\d.]+) GHz", last.get("show cpu", ""))
        return vpp_language.telemetry(
            [part.get("show runtime", "") for part in parts[1:]],
            (first.get("show errors", ""), last.get("show errors", "")),
            (first.get("show interface", ""), last.get("show interface", "")),
            round(float(base[1]) * 1e9) if base else 0,
            interval_s,
        )

    def describe(self, name: str, texts: Mapping[str, str]) -> DutFacts:
        shown = texts.get("show threads", "")
        threads = re.findall(r"(?m)^\s*\d+\s+vpp_wk_\d+\s+(?:workers\s+\d+\s+\S+ \(\d+\)|\d+)\s+(\d+)", shown)
        placed = texts.get("show interface rx-placement", "")
        return DutFacts(
            name=name,
            kind=self.name,
            version=texts.get("show version", "").strip(),
            cpus=tuple(map(int, threads)),
            details={"rx_placement": "; ".join(line.strip() for line in placed.splitlines() if "queue" in line)},
        )


def _lines(text: str) -> list[str]:
    return [line.split("#")[0].strip() for line in text.splitlines() if re.search(r"num-|work|cores|driver|dev ", line)]
