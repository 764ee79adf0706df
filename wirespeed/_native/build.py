"""Write the C source of a binding: `build.py MODULE DECLARATIONS INCLUDE OUTPUT DEPFILE`. Run by meson.

An `#include` in quotes is read in its place, once, from beside DECLARATIONS. `#ifndef` and its like, and includes of
the system's headers, are not for cffi; a constant is `#define NAME ...`, three dots and all. DEPFILE tells what was
read.
"""

import re
import sys
from pathlib import Path

import cffi

module, declarations, include, output, depfile = sys.argv[1:]
read: list[Path] = []


def declared(path: Path) -> str:
    if path in read:
        return ""
    read.append(path)
    lines = []
    for line in path.read_text().splitlines():
        if quoted := re.fullmatch(r'#include "(.+)"', line):
            lines.append(declared(Path(declarations).parent / quoted[1]))
        elif not line.startswith("#") or line.endswith(" ..."):
            lines.append(line)
    return "\n".join(lines)


builder = cffi.FFI()
builder.cdef(declared(Path(declarations)))
builder.set_source(f"wirespeed._native.{module}", f"#include <{include}>")
builder.emit_c_code(output)
inputs = [str(path).replace(" ", "\\ ") for path in read]
Path(depfile).write_text(f"{output}: {' '.join(inputs)}\n")
