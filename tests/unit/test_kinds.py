"""The kinds of measurement: no code outside of their folders depends on the class of a result."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import wirespeed
from wirespeed.campaign.tests import CampaignTest
from wirespeed.measurement.option import settings
from wirespeed.measurement.registry import about_of, class_of, kinds, options_of, report_of
from wirespeed.measurement.reported import ReportedKind

ROOT = Path(wirespeed.__file__).parent
GOLDEN = Path(__file__).parents[1] / "golden" / "report"
RESULTS = "|".join(class_of(kind).__name__ for kind in kinds())
CHOICE = re.compile(rf"(isinstance\([^\n]*|case )\b({RESULTS})\b")


def test_nothing_outside_the_kinds_chooses_by_the_class_of_a_result() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if not path.is_relative_to(ROOT / "measurement") and CHOICE.search(path.read_text())
    }
    assert not found


def test_each_kind_has_its_folder_and_its_class_of_results() -> None:
    for kind in kinds():
        assert (ROOT / "measurement" / kind / "verdict.py").is_file()
        assert options_of(kind).__name__.lower().startswith(kind)
        assert class_of(kind).kind == kind
        assert class_of(kind).schema.startswith(f"wirespeed-{kind}/")
        assert isinstance(report_of(kind), ReportedKind)
    assert len({about_of(kind).order for kind in kinds()}) == len(kinds())


def test_no_kind_is_made_of_another() -> None:
    """Code that several kinds share is outside their folders, so that each folder can be left out. A function may
    import a kind that the user named."""
    found = [
        f"{path.name} of {kind}: {node.module}"
        for kind in kinds()
        for path in (ROOT / "measurement" / kind).glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ImportFrom)
        for other in kinds()
        if other != kind and f"{node.module}.".startswith(f"wirespeed.measurement.{other}.")
    ]
    assert not found


def test_no_setting_of_a_campaign_stands_for_two_things() -> None:
    """A setting of a kind must not replace one of the campaign itself."""
    own = set(CampaignTest.model_fields) - {"directions"}
    for kind in kinds():
        assert not own & {one.option.setting for one in settings(options_of(kind))}


USED = """
import sys
from wirespeed.cli.main import main
file, page = sys.argv[1:]
lines = ["--help"], ["search", "--help"], ["report", file, "-o", page], ["explain", file]
sys.exit(max(main(line) for line in lines))
"""


def test_all_else_works_without_the_folder_of_a_kind(tmp_path: Path) -> None:
    """`burst` represents all kinds, since no other kind depends on it."""
    for folder, left_out in ((ROOT, "measurement"), (ROOT / "measurement", "burst")):
        place = tmp_path / "wirespeed" / folder.relative_to(ROOT)
        place.mkdir()
        for path in folder.iterdir():
            if path.name not in (left_out, "__pycache__"):
                (place / path.name).symlink_to(path)
    done = subprocess.run(
        # Without site, which finds the package of the checkout before all others.
        [sys.executable, "-S", "-c", USED, GOLDEN / "wirespeed.json", tmp_path / "page.html"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{tmp_path}:{sysconfig.get_path('platlib')}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "soak" in done.stdout and "burst" not in done.stdout
    assert (tmp_path / "page.html").stat().st_size
