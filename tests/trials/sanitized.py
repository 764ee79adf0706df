"""`python -m trials.sanitized CORE.so WORDS…`: wirespeed with another build of its native core.

The sanitizers' library has to be the first in the process: LD_PRELOAD.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import subprocess
import sys
from pathlib import Path

import wirespeed._native
from trials.trial import Skipped
from wirespeed.cli.main import main

BUILD = Path(__file__).resolve().parents[2] / "build-sanitized"


def built_core() -> str:
    """The build that tools/trials.sh has made."""
    found = next((BUILD / "wirespeed" / "_native").glob("_core.*.so"), None)
    if found is None:
        raise Skipped("the build with sanitizers is not there: give --sanitizer")
    return str(found)


def environment() -> dict[str, str]:
    """Environment of such a process. Leaks are not checked, since Python frees little at its end."""
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    return {
        "LD_PRELOAD": library.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1:exitcode=99",
    }


def _run(core: str, words: list[str]) -> int:
    name = "wirespeed._native._core"
    loader = importlib.machinery.ExtensionFileLoader(name, core)
    spec = importlib.util.spec_from_file_location(name, core, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[name] = module
    wirespeed._native._core = module  # type: ignore[attr-defined]
    return main(words)


if __name__ == "__main__":
    sys.exit(_run(sys.argv[1], sys.argv[2:]))
