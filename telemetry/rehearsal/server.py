"""A temporary Prometheus (Debian's), with its own directory and a free port."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.bound_child import bound_to_parent
from wirespeed.errors import EnvironmentFault
from wirespeed.machine.ports import free_rpc_port

_STARTS_WITHIN_S = 60.0
_ANSWERS_WITHIN_S = 30.0


@dataclass(frozen=True)
class Series:
    """A time series; `points` are (seconds since 1970, value)."""

    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]

    @property
    def values(self) -> list[float]:
        return [value for _, value in self.points]

    @property
    def last(self) -> float:
        return self.points[-1][1]


class Prometheus:
    """A client of Prometheus's HTTP API at `url`. ValueError, with the server's error text, for refused requests."""

    def __init__(self, url: str) -> None:
        self.url = url

    def query(self, expr: str, at_s: float | None = None) -> list[Series]:
        """Values at one time; default: now."""
        asked: dict[str, object] = {"query": expr} | ({} if at_s is None else {"time": at_s})
        found = self._ask("query", asked)
        if found["resultType"] == "scalar":
            return [_series({}, [found["result"]])]
        return [_series(each["metric"], [each["value"]]) for each in found["result"]]

    def query_range(self, expr: str, start_s: float, end_s: float, step_s: float) -> list[Series]:
        asked = {"query": expr, "start": start_s, "end": end_s, "step": step_s}
        return [_series(each["metric"], each["values"]) for each in self._ask("query_range", asked)["result"]]

    def label_values(self, of: str, label: str) -> list[str]:
        """Result of Grafana's `label_values(of, label)`."""
        return sorted(self._ask(f"label/{label}/values", {"match[]": of}))

    def ask(self, what: str) -> Any:
        """Data of the answer to a request for `targets`, `rules` or `alerts`."""
        return self._ask(what, {})

    def _ask(self, what: str, asked: Mapping[str, object]) -> Any:
        url = f"{self.url}/api/v1/{what}?{urllib.parse.urlencode(asked)}"
        try:
            with urllib.request.urlopen(url, timeout=_ANSWERS_WITHIN_S) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as refused:
            with refused:
                raise ValueError(f"{json.load(refused).get('error')}: {asked}") from None


@contextmanager
def prometheus(config: str, rules: Sequence[Path] = ()) -> Iterator[Prometheus]:
    """A running Prometheus with `config`, which names rule files as `rules/NAME`; `rules` are copied there."""
    with tempfile.TemporaryDirectory(prefix="wirespeed-prometheus-") as name:
        directory = Path(name)
        (directory / "rules").mkdir()
        for rule in rules:
            (directory / "rules" / rule.name).write_text(rule.read_text())
        (directory / "prometheus.yml").write_text(config)
        url = f"http://127.0.0.1:{free_rpc_port()}"
        log = directory / "log"
        command = ["prometheus", f"--config.file={directory}/prometheus.yml", f"--storage.tsdb.path={directory}/data"]
        command += [f"--web.listen-address={url.removeprefix('http://')}", "--log.level=warn"]
        with log.open("wb") as errors:
            server = subprocess.Popen(
                command,
                stdout=errors,
                stderr=errors,
                start_new_session=True,
                preexec_fn=bound_to_parent(os.sched_getaffinity(0), signal.SIGTERM),  # noqa: PLW1509 - as in machine.child
            )
        try:
            _wait_ready(url, server, log)
            yield Prometheus(url)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


def _wait_ready(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _STARTS_WITHIN_S
    while True:
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=_ANSWERS_WITHIN_S):
                return
        except OSError as unready:
            if server.poll() is not None or time.monotonic() > deadline:
                said = log.read_text(errors="replace").strip().splitlines()
                why = said[-1] if said else "it says nothing"
                raise EnvironmentFault(f"Prometheus did not become ready: {why}") from unready
            time.sleep(0.05)


def _series(labels: Mapping[str, str], points: Sequence[Sequence[Any]]) -> Series:
    return Series(labels, tuple((float(at), float(value)) for at, value in points))
