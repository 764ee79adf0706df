"""Directories of killed processes, and those that only look like them."""

import os
import subprocess
import sys
from pathlib import Path

from wirespeed.owned import OwnedDirectory, is_gone, is_ownerless, lock, owner, sweep_directories

_MAKE = """
import os, sys
from pathlib import Path
from wirespeed.owned import OwnedDirectory
made = OwnedDirectory("try", Path(sys.argv[1]))
(made.path / "file").write_text("")
print(made.path, flush=True)
sys.stdin.read()
"""


def maker(parent: Path) -> tuple[subprocess.Popen[str], Path]:
    command = [sys.executable, "-c", _MAKE, str(parent)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_the_next_one_takes_away_what_the_killed_left_and_nothing_of_the_living(tmp_path: Path) -> None:
    (killed, left), (living, kept) = maker(tmp_path), maker(tmp_path)
    foreign = tmp_path / "wirespeed-try-1-1"
    foreign.mkdir()
    with killed, living:
        killed.kill()
        os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)  # nobody has asked for its end yet
        assert (left / "file").exists()
        made = OwnedDirectory("try", tmp_path)
        assert set(tmp_path.iterdir()) == {kept, made.path, foreign}
        made.remove()
        made.remove()
        living.kill()
    sweep_directories("wirespeed-try-", tmp_path)
    assert set(tmp_path.iterdir()) == {foreign}


def test_a_number_that_is_used_again_is_another_process() -> None:
    own = owner()
    assert not is_gone(own)
    assert is_gone(f"{own}0")
    assert is_gone(f"{os.getpid()}-1")
    assert not is_gone("router")
    assert not is_gone("")


def test_what_is_locked_belongs_to_somebody_whatever_its_number_means_here(tmp_path: Path) -> None:
    """For instance by a process in another PID namespace."""
    directory = tmp_path / f"wirespeed-try-{os.getpid()}-1-x"
    directory.mkdir()
    held = lock(directory)
    assert not is_ownerless(directory, f"{os.getpid()}-1")
    os.close(held)
    assert is_ownerless(directory, f"{os.getpid()}-1")


def test_a_link_is_never_followed(tmp_path: Path) -> None:
    """Anyone may create one in /tmp."""
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / "parent").mkdir()
    (tmp_path / "parent" / f"wirespeed-try-{os.getpid()}-1-x").symlink_to(target)
    sweep_directories("wirespeed-try-", tmp_path / "parent")
    assert target.is_dir()
