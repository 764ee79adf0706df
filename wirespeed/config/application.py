"""A configuration applied to a device from beginning to end: what `wirespeed config apply` does and says."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wirespeed.config.apply import ApplyFailure, check_possible, inverse, run, verify, wait_for_confirmation
from wirespeed.config.device import ConfigDevice
from wirespeed.config.dump import dump_text
from wirespeed.config.journal import ConfigJournal
from wirespeed.config.plan import ConfigPlan, plan
from wirespeed.config.preflight import check_same_router
from wirespeed.config.render import cli_text
from wirespeed.config.schema import Config
from wirespeed.config.state import RouterState
from wirespeed.config.target import target_state
from wirespeed.errors import ConnectionFault, RemoteError, WirespeedError
from wirespeed.pages.words import count


@dataclass(frozen=True)
class Application:
    """`tell` gets each line. `rollback`: a failed step undoes the earlier ones. `confirm_s`: so does any other end
    before a confirmation, for which there are so many seconds."""

    config: Config
    device: ConfigDevice
    journal: Path
    tell: Callable[[str], None]
    rollback: bool = False
    confirm_s: float | None = None

    def run(self) -> int:
        """Returns 0 if the device has the wanted state. UsageError and EnvironmentFault before any change; RemoteError
        if a step failed or the confirmation did not come; ConnectionFault if the connection was lost."""
        before = self.device.read()
        check_same_router(self.config, before)
        target = target_state(self.config)
        made = plan(before, target)
        if not made.steps:
            self.tell("the router is as the configuration says; nothing to do")
            return 0
        check_possible(made, self.device)
        journal = ConfigJournal(self.journal, made, dump_text(before))
        try:
            return self._steps(made, before, target, journal)
        finally:
            journal.close()

    def _steps(self, made: ConfigPlan, before: RouterState, target: RouterState, journal: ConfigJournal) -> int:
        try:
            failure = run(made, self.device, journal) or verify(self.device, target)
            if failure is None:
                return self._applied(made, before, journal)
        except KeyboardInterrupt:
            self._interrupted(before, journal)
            raise
        raise self._failed(failure, made, before, journal)

    def _applied(self, made: ConfigPlan, before: RouterState, journal: ConfigJournal) -> int:
        self.tell(f"applied: {count(len(made.steps), 'step')}, each answered; journal {self.journal}")
        if self.confirm_s is None:
            journal.end("applied")
            return 0
        journal.end("waits")
        self.tell(f"undone in {self.confirm_s:g} s unless confirmed: wirespeed config confirm {self.journal}")
        if wait_for_confirmation(self.confirm_s, journal.is_confirmed):
            journal.end("applied")
            self.tell("confirmed; it stays")
            return 0
        raise RemoteError(f"not confirmed within {self.confirm_s:g} s: {self._undo_all(before, journal)}")

    def _interrupted(self, before: RouterState, journal: ConfigJournal) -> None:
        """Whoever wants to confirm what was done gets nothing that is half done."""
        if self.confirm_s is not None and not journal.is_confirmed():
            print(f"wirespeed: not confirmed: {self._undo_all(before, journal)}", file=sys.stderr, flush=True)
            return
        journal.end("interrupted")
        self.tell(f"interrupted; the next plan finds the rest, {self.journal} what was done")

    def _failed(
        self, failure: ApplyFailure, made: ConfigPlan, before: RouterState, journal: ConfigJournal
    ) -> WirespeedError:
        """The error to raise, after what has to be told and done."""
        journal.end("failed")
        if failure.step is None:
            where = f"after all {len(made.steps)} steps"
        else:
            lines = "; ".join(made.steps[failure.step].operation.cli())
            where = f"step {failure.step + 1} of {len(made.steps)}, {lines!r}"
        if isinstance(failure.error, ConnectionFault):
            return ConnectionFault(
                f"{where}: {failure.error}; the next plan finds the rest, {self.journal} what was done"
            )
        back = inverse(self.device, before)
        if self.rollback or self.confirm_s is not None:
            how = self._undo(back, before, journal)
        elif back.steps:
            self.tell(cli_text(back).rstrip())
            how = f"the {len(back.steps)} steps above lead back (--rollback does them); the next plan finds the rest"
        else:
            how = "nothing was changed"
        return RemoteError(f"{where}: {failure.error}; {how}")

    def _undo(self, back: ConfigPlan, before: RouterState, journal: ConfigJournal) -> str:
        failure = run(back, self.device, journal) or verify(self.device, before)
        if failure is None:
            journal.end("undone")
            return f"all was undone in {count(len(back.steps), 'step')}"
        journal.end("failed to undo")
        return f"undoing it failed too: {failure.error}; {self.journal} has what there was before"

    def _undo_all(self, before: RouterState, journal: ConfigJournal) -> str:
        return self._undo(inverse(self.device, before), before, journal)
