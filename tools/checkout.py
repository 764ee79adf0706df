"""Install this checkout into the venv that runs this: its folder on the path, the program `wirespeed`, and the entry
points of its plugins.

Programs build nothing when they start, so users who may only read the checkout can run them, too.
"""

import sys
import sysconfig
import tomllib
from pathlib import Path

# A `#!` line cannot contain a path with a space, so sh starts the interpreter. For Python, the sh command is a string.
PROGRAM = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
'''
import sys

from wirespeed.cli.main import main

sys.exit(main())
"""

root = Path(__file__).resolve().parent.parent
packages = Path(sysconfig.get_path("purelib"))
(packages / "wirespeed.pth").write_text(f"{root}\n")
described = packages / "wirespeed-0.dist-info"
described.mkdir(exist_ok=True)
(described / "METADATA").write_text("Metadata-Version: 2.1\nName: wirespeed\nVersion: 0\n")
groups = tomllib.loads((root / "pyproject.toml").read_text())["project"]["entry-points"]
lines = [line for group, names in groups.items() for line in (f"[{group}]", *map(" = ".join, names.items()))]
(described / "entry_points.txt").write_text("\n".join(lines) + "\n")
python = Path(sys.prefix, "bin", "python")
program = Path(sys.prefix, "bin", "wirespeed")
program.write_text(PROGRAM.format(python="".join(f"\\{sign}" if sign in '\\"$`' else sign for sign in str(python))))
program.chmod(program.stat().st_mode | 0o111)
