# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Arrays by what is in them."""
from __future__ import annotations

import os
from typing import Any, Union

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
#: A structured array: fields by name.
Records = npt.NDArray[np.void]
AnyArray = npt.NDArray[Any]

Path = Union[str, "os.PathLike[str]"]
