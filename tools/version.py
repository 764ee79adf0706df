#!/usr/bin/env python3
"""Print the version of the package: the one in wirespeed/__init__.py."""

import re
from pathlib import Path

text = (Path(__file__).resolve().parent.parent / "wirespeed" / "__init__.py").read_text()
match = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
assert match, "wirespeed/__init__.py holds no __version__"
print(match[1])
