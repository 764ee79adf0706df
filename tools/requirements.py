#!/usr/bin/env python3
"""`requirements.py [EXTRA... | all]`: what pyproject.toml asks for, one requirement a line, with the extras named."""

import sys
import tomllib
from itertools import chain
from pathlib import Path

project = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
named = extras if sys.argv[1:] == ["all"] else sys.argv[1:]
print("\n".join(chain(project["dependencies"], *(extras[name] for name in named))))
