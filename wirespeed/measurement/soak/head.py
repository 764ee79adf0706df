"""Start of a soak: the streams of its ports, and the head of its result."""

from __future__ import annotations

from wirespeed.dut.dut import Dut
from wirespeed.errors import UsageError
from wirespeed.measurement.head import head_of
from wirespeed.measurement.soak.plan import SoakPlan
from wirespeed.measurement.soak.result import SoakResult, SoakVerdict
from wirespeed.profiles import load_profiles
from wirespeed.trial.load import TrialLoad, load_of
from wirespeed.trial.rates import narrowest_pps
from wirespeed.trial.trial import Trial


def load_for(plan: SoakPlan) -> TrialLoad:
    """The streams of each port. UsageError for streams that cannot be used."""
    streams = load_profiles(plan.profile, plan.tunables, plan.senders)
    try:
        return load_of(streams, latency_pps=plan.latency_pps, signature=plan.signature)
    except UsageError as error:
        if plan.latency_pps is None:
            raise
        raise UsageError(str(error).replace("leave --latency out", "give --latency none")) from None


def soak_head(plan: SoakPlan, trial: Trial, dut: Dut | None) -> SoakResult:
    """The result before its first second. UsageError when the load means nothing on a port."""
    frames = {port: one.mix.mean_frame_bytes for port, one in trial.load.ports.items()}
    return SoakResult(
        **head_of(plan, trial.tester, trial.facts, dut, trial.notes, "milliseconds"),
        load=plan.load,
        load_pps=narrowest_pps("--load", plan.load, trial.facts, frames),
        intended_s=plan.duration_s,
        verdict=SoakVerdict(plan.target_ratio, plan.confidence),
        frame_bytes=frames,
    )
