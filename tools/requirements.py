#!/usr/bin/env python3
"""Print the requirements of pyproject.toml and of the named extras, one per line: requirements.py [EXTRA... | all]."""

import sys
import tomllib
from itertools import chain
from pathlib import Path

project = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
named = extras if sys.argv[1:] == ["all"] else sys.argv[1:]
print("\n".join(chain(project["dependencies"], *(extras[name] for name in named))))
