"""Lines of the command line's fuzzer on the real core: it refuses or executes them, and continues."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_lines import typed
from hypothesis import given, settings
from hypothesis import strategies as st
from router_run import router

from wirespeed.errors import WirespeedError

# These have effects outside of the router: on namespaces, files and other processes.
OUTWARD = ("lcp", "create", "exec", "pcap", "linux", "debug", "?")


@pytest.mark.parametrize("lines", [150, pytest.param(600, marks=pytest.mark.long("hypothesis at full depth"))])
def test_the_core_takes_or_refuses_any_line(tmp_path: Path, lines: int) -> None:
    with router(tmp_path, ["e0=ring:a", "e1=ring:a"], "") as running:

        @settings(max_examples=lines)
        @given(st.randoms().map(typed))
        def run(line: str) -> None:
            if not line.split() or any(word.startswith(line.split(maxsplit=1)[0]) for word in OUTWARD):
                return
            try:
                running.ask(line)
            except WirespeedError as error:
                assert error.exit_code in (2, 3, 6), error
                assert "\n" not in str(error)

        run()
        assert running.ask("show version").startswith("wirespeed")
