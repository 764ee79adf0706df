"""`wirespeed campaign worker`: this machine's bench as a node of a Ray cluster, until it is told to end."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from wirespeed.bound_child import bound_to_parent
from wirespeed.campaign.benches import TestbedPlace
from wirespeed.campaign.cluster_address import check_cluster
from wirespeed.campaign.ray_task import BENCH_VARIABLE, resource
from wirespeed.errors import ConnectionFault, EnvironmentFault

STORE_BYTES = 96 << 20
"""Memory for results in transit, a few MB each; Ray's default is a third of the memory."""
PORT = 6379


def serve(
    place: TestbedPlace | None, join: str, listen: str, port: int, say: Callable[[str], None], stop: threading.Event
) -> None:
    """Serve the bench of `place` in the cluster at `join`, or in a new one whose head is at `listen`:`port`, until
    `stop`. EnvironmentFault without Ray, ConnectionFault when the cluster does not answer or goes away."""
    if find_spec("ray") is None:
        raise EnvironmentFault("a campaign worker needs Ray, which is not installed: pip install 'wirespeed[ray]'")
    if join:
        check_cluster(join)
    with _interpreter() as python:
        _serve([python, *_ray_arguments(place, join, listen, port)], place, join or f"{listen}:{port}", say, stop)


def _serve(
    command: list[str], place: TestbedPlace | None, cluster: str, say: Callable[[str], None], stop: threading.Event
) -> None:
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env={**os.environ, **_environment(place)},
        preexec_fn=bound_to_parent(os.sched_getaffinity(0), signal.SIGTERM),  # noqa: PLW1509
    )
    said: list[str] = []
    reader = threading.Thread(target=lambda: said.extend(process.stdout or ()), daemon=True)
    reader.start()
    try:
        told = False
        while process.poll() is None and not stop.is_set():
            if not told and any("--block" in line for line in said):
                told = True
                what = f"testbed {place.name}" if place else "no testbed"
                say(f"ready: {what} in the cluster at {cluster}; Ctrl-C ends it")
            time.sleep(0.1)
        if process.poll() is not None and not stop.is_set():
            reader.join(1.0)
            raise ConnectionFault(f"Ray ended: {_reason(said)}; is there a cluster at {cluster}?")
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(20.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def _interpreter() -> Iterator[str]:
    """A path of this interpreter that a shell reads as one word: Ray gives it to one without quotes."""
    if shlex.quote(sys.executable) == sys.executable:
        yield sys.executable
        return
    with TemporaryDirectory(prefix="wirespeed-ray-") as folder:
        venv = Path(folder) / "venv"
        venv.symlink_to(sys.prefix)
        yield str(venv / Path(sys.executable).relative_to(sys.prefix))


def _ray_arguments(place: TestbedPlace | None, join: str, listen: str, port: int) -> list[str]:
    """`ray start` of a small node that listens on one address, without a dashboard: arguments of the interpreter."""
    command = ["-m", "ray.scripts.scripts", "start", "--block", f"--node-ip-address={listen}"]
    command += [f"--address={join}"] if join else ["--head", f"--port={port}", "--include-dashboard=false"]
    resources = {resource(place.name): 1} if place else {}
    command += ["--num-cpus=1", "--num-gpus=0", f"--object-store-memory={STORE_BYTES}", "--disable-usage-stats"]
    return [*command, f"--resources={json.dumps(resources)}"]


def _environment(place: TestbedPlace | None) -> dict[str, str]:
    bench = {BENCH_VARIABLE: json.dumps(place.to_json())} if place else {}
    # Ray says what it thinks of the future in the middle of our lines.
    return {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", **bench}


def _reason(said: list[str]) -> str:
    lines = [line.strip() for line in said if line.strip()]
    return lines[-1][:200] if lines else "it said nothing"
