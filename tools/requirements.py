#!/usr/bin/env python3
"""Print what pyproject.toml asks for, the development tools included, one requirement a line."""

import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text())["project"]
print("\n".join(project["dependencies"] + project["optional-dependencies"]["dev"]))
