# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""The compiled module: every declaration comes from the public headers (declarations.py), so that none can drift."""
import os
import pathlib
import sys

from cffi import FFI

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
INCLUDE = HERE.parent / "include"
sys.path.insert(0, str(HERE))

from declarations import declarations, source_text  # noqa: E402

ffi = FFI()
# What the library gives to be released comes from malloc.
ffi.cdef(declarations(INCLUDE, os.environ.get("CC", "cc")) + "\nvoid free(void*);\n")
ffi.set_source("surefoot._surefoot", source_text() + "#include <stdlib.h>\n", include_dirs=[str(INCLUDE)],
               libraries=["m"], extra_compile_args=["-std=c17"])
