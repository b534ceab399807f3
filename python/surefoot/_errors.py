# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What can go wrong, with where it went wrong."""
from __future__ import annotations

from typing import Any, Optional

__all__ = ["SurefootError", "ReadError", "WriteError", "FileError", "OptionError", "NoLegsError", "UnalikeError",
           "OutOfMemoryError", "SurefootWarning"]


class SurefootWarning(UserWarning):
    """Something odd about a file that was read all the same."""


class SurefootError(Exception):
    """Any refusal. `str()` of it is what the command prints: path, place, joint, one sentence with the remedy."""

    #: The sentence alone.
    message: str
    #: File it is about; None where there is none.
    path: Optional[str]
    #: Line of a text file, from 1.
    line: Optional[int]
    #: Offset from the start of the file, for GLB and FBX.
    byte: Optional[int]
    #: Joint or node the trouble belongs to.
    joint: Optional[str]

    def __init__(self, message: str, *, path: Optional[str] = None, line: Optional[int] = None,
                 byte: Optional[int] = None, joint: Optional[str] = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.byte = byte
        self.joint = joint

    def __str__(self) -> str:
        joint = f"{self.joint}: " if self.joint else ""
        if self.path is None or self.message.startswith(self.path):
            return joint + self.message
        # The text of a GLB stands in one line, and its container in none.
        if self.byte is not None and (self.line is None or self.line <= 1):
            return f"{self.path}: byte {self.byte}: {joint}{self.message}"
        if self.line is not None:
            return f"{self.path}:{self.line}: {joint}{self.message}"
        return f"{self.path}: {joint}{self.message}"

    def __reduce__(self) -> tuple[Any, ...]:
        # Worker processes hand exceptions back pickled.
        return _rebuild, (type(self), self.message, self.path, self.line, self.byte, self.joint)


def _rebuild(kind: type[SurefootError], message: str, path: Optional[str], line: Optional[int], byte: Optional[int],
             joint: Optional[str]) -> SurefootError:
    return kind(message, path=path, line=line, byte=byte, joint=joint)


class ReadError(SurefootError, ValueError):
    """A file is not what its format says, holds numbers that cannot be, or is beyond a limit."""


class WriteError(SurefootError, ValueError):
    """A result cannot be said in the format that was asked for."""


class FileError(SurefootError, OSError):
    """The operating system refused to open, read, write or rename."""


class OptionError(SurefootError, ValueError):
    """An argument is out of its range, or two do not go together."""


class NoLegsError(SurefootError, ValueError):
    """No legs were found in a clip, and what was asked for needs them."""


class UnalikeError(SurefootError, ValueError):
    """Motion cannot go from the one figure to the other."""


class OutOfMemoryError(SurefootError, MemoryError):
    """Memory ran out in the library."""
