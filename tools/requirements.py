#!/usr/bin/env python3
"""Print what pyproject.toml asks for, every extra and the development tools included, one requirement a line."""

import tomllib
from itertools import chain
from pathlib import Path

project = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text())["project"]
print("\n".join(chain(project["dependencies"], *project["optional-dependencies"].values())))
