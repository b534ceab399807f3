# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Arguments by their kind: what was given, what is wanted, and how to get from the one to the other."""
from __future__ import annotations

import numbers
import os
from typing import Any, Sequence

import numpy as np

from . import _errors

__all__ = ["choice", "flag", "kind", "number", "three", "wrong"]


def kind(value: Any) -> str:
    """A value's kind for a message; short values themselves."""
    if value is None or isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= 40):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def wrong(name: str, wanted: str, given: Any, remedy: str = "") -> TypeError:
    return TypeError(f"{name} wants {wanted}, not {kind(given)}{'; ' + remedy if remedy else ''}")


def is_file(value: Any) -> bool:
    return isinstance(value, (str, bytes, bytearray, memoryview, os.PathLike))


def flag(name: str, value: Any) -> bool:
    """True or False, NumPy's too, and 0 or 1; a text would count as True whatever it says."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise wrong(name, "True or False", value)


def number(name: str, value: Any, low: float, high: float) -> float:
    """A real number within bounds."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.number)):
        raise wrong(name, f"a number from {low:g} to {high:g}", value)
    made = float(value)
    if not low <= made <= high:
        raise _errors.OptionError(f"{name} wants a number from {low:g} to {high:g}, not {value!r}")
    return made


def three(name: str, value: Any) -> tuple[float, float, float]:
    """Three finite numbers."""
    try:
        made = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise wrong(name, "three numbers", value) from None
    if made.shape != (3,) or not np.isfinite(made).all():
        raise _errors.OptionError(f"{name} wants three finite numbers, not {value!r}")
    return float(made[0]), float(made[1]), float(made[2])


def choice(name: str, value: Any, known: "dict[str, Any]") -> Any:
    """What a word stands for."""
    if not isinstance(value, str):
        raise wrong(name, f"one of {', '.join(known)}", value)
    if value not in known:
        raise _errors.OptionError(f"{name} wants {', '.join(known)}, not {value!r}")
    return known[value]


def listed(name: str, value: Any, of: type, what: str) -> "Sequence[Any]":
    """A list, or another sequence, of one kind."""
    if isinstance(value, of) or not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise wrong(name, f"a list of {what}", value)
    for i, item in enumerate(value):
        if not isinstance(item, of):
            raise wrong(f"{name}[{i}]", what, item)
    return value


