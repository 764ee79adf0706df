"""Write the C source of the binding: `build.py HEADER OUTPUT`. Run by meson."""

import sys
from pathlib import Path

import cffi

header, output = Path(sys.argv[1]), Path(sys.argv[2])
declarations = "\n".join(line for line in header.read_text().splitlines() if not line.startswith("#"))
builder = cffi.FFI()
builder.cdef(declarations)
builder.set_source("wirespeed._native._core", '#include "wirespeed.h"')
builder.emit_c_code(str(output))
