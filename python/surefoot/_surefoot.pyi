# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
# What the headers declare has no hints of its own.
from typing import Any

ffi: Any
lib: Any
