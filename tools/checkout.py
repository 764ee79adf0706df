"""Make this checkout the package of the venv that runs this: its folder on the path, and the program `wirespeed`.

Nothing is built at a start, so who may only read the checkout can run it too.
"""

import sys
import sysconfig
from pathlib import Path

# The kernel ends a `#!` line at a space, so sh finds the interpreter; for Python its line is a string.
PROGRAM = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
'''
import sys

from wirespeed.cli.main import main

sys.exit(main())
"""

root = Path(__file__).resolve().parent.parent
Path(sysconfig.get_path("purelib"), "wirespeed.pth").write_text(f"{root}\n")
python = Path(sys.prefix, "bin", "python")
program = Path(sys.prefix, "bin", "wirespeed")
program.write_text(PROGRAM.format(python="".join(f"\\{sign}" if sign in '\\"$`' else sign for sign in str(python))))
program.chmod(program.stat().st_mode | 0o111)
