"""What a soak knows before its first second: what its ports send, and the head of its result."""

from __future__ import annotations

from datetime import UTC, datetime

from wirespeed import __version__
from wirespeed.dut.dut import Dut
from wirespeed.errors import UsageError
from wirespeed.measurement.soak.plan import SoakPlan
from wirespeed.measurement.soak.result import SoakResult, Verdict
from wirespeed.profiles import load_profile
from wirespeed.results.ending import Ending
from wirespeed.trial.load import Load, load_of
from wirespeed.trial.tester import Tester
from wirespeed.trial.trial import Trial


def load_for(plan: SoakPlan) -> Load:
    """What the ports send; UsageError for streams that cannot be used so."""
    streams = {port: load_profile(plan.profile, plan.tunables, port, port % 2) for port in plan.senders}
    try:
        return load_of(streams, latency_pps=plan.latency_pps, verify=plan.verify)
    except UsageError as error:
        if plan.latency_pps is None:
            raise
        raise UsageError(str(error).replace("leave --latency out", "give --latency none")) from None


def head_of(plan: SoakPlan, tester: Tester, trial: Trial, dut: Dut | None) -> SoakResult:
    """The result before its first second. UsageError when the load means nothing on a port."""
    frames = {port: one.mix.mean_frame_bytes for port, one in trial.load.ports.items()}
    loads = []
    for port, length in frames.items():
        speed = trial.facts[port].speed_bps
        if speed is None and plan.load.unit != "pps":
            raise UsageError(
                f"--load {plan.load}: port {port} has no line speed, so that it means nothing; give the generator's "
                "port speed=10G or so, or --line 10G, or packets per second such as 5mpps"
            )
        loads.append(plan.load.pps(length, speed or 0))
    return SoakResult(
        name=plan.name or plan.profile,
        variables=plan.variables(tester.server),
        directions=plan.directions,
        load=plan.load,
        load_pps=min(loads),
        intended_s=plan.duration_s,
        verdict=Verdict(plan.target_ratio, plan.confidence),
        versions={"wirespeed": __version__, "generator": tester.program, **plan.versions},
        lab={"generator": tester.server, **plan.lab},
        dut=plan.dut or (dut.describe().to_json() if dut is not None else {}),
        ports=dict(trial.facts),
        frame_bytes=frames,
        ending=Ending(started=datetime.now(UTC).isoformat(timespec="milliseconds"), notes=trial.notes),
    )
