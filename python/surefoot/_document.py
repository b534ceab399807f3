# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Motion files: what they hold, and copies of them that clips are put into."""
from __future__ import annotations

import operator
import os
import shutil
import subprocess
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Union

from . import _errors
from ._arguments import choice, is_file, number, wrong
from ._core import check, error_slot, ffi, lib, text

if TYPE_CHECKING:
    from ._clip import Clip

__all__ = ["ClipInfo", "Document", "load"]

PathOrBytes = Union[str, "os.PathLike[str]", bytes]

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "in": 0.0254, "foot": 0.3048, "ft": 0.3048,
         "cmu": 0.0254 / 0.45}
AXES = {"X": 0, "Y": 1, "Z": 2, "-X": 3, "-Y": 4, "-Z": 5}
AXIS_NAMES = {number: name for name, number in AXES.items()}
_HEAD_SIZE = 4096
_OTHERS = (".c3d", ".dae", ".usd", ".usda", ".usdc", ".usdz", ".npz", ".blend")


def metres_of(unit: Union[None, str, float], name: str = "unit") -> float:
    """Metres of a unit by name or number; 0 where it is to be found."""
    if unit is None:
        return 0.0
    if isinstance(unit, str):
        if unit not in UNITS:
            raise _errors.OptionError(f"{name} wants metres as a number or one of {', '.join(UNITS)}, not {unit!r}")
        return UNITS[unit]
    return number(f"{name} in metres", unit, 1e-6, 1e6)


def axis_of(up: Optional[str], name: str = "up") -> int:
    """Number of an axis by name; -1 where it is to be found."""
    if up is None:
        return -1
    if not isinstance(up, str):
        raise wrong(name, "X, Y, Z, -X, -Y or -Z", up)
    if up.upper() not in AXES:
        raise _errors.OptionError(f"{name} wants X, Y, Z, -X, -Y or -Z, not {up!r}")
    return AXES[up.upper()]


@dataclass(frozen=True)
class ClipInfo:
    """One clip of a file, as it is listed; times in seconds of the file."""

    index: int
    name: str
    frame_count: int
    frame_time: float
    start: float
    #: Frames are keys of the file; False: its keys are uneven, and frames are sampled.
    stored: bool
    #: BVH: columns; glTF: channels that move joints.
    channel_count: int
    #: Channels that pass through untouched.
    other_count: int
    #: Why it cannot be read; None: it can.
    problem: Optional[str]


@dataclass(frozen=True)
class _Options:
    unit: float
    up: int
    fps: float
    positions: int


def _refuse_other_formats(path: str) -> None:
    ending = os.path.splitext(path)[1].lower()
    if ending in _OTHERS:
        raise _errors.ReadError(f"{ending} files are not read; export the clip as BVH, glTF, GLB or FBX", path=path)


def _fbx_to_glb(path: str) -> bytes:
    """By the command, which keeps the FBX reader in a process under limits of memory, time and output."""
    command = os.environ.get("SUREFOOT") or shutil.which("surefoot")
    if command is None:
        raise _errors.ReadError(
            "FBX is read by the command surefoot, which is not on PATH: install it, name it in the environment as "
            "SUREFOOT, or export the clip as GLB or BVH", path=path)
    try:
        done = subprocess.run([command, "convert", path, "-o", "-"], stdin=subprocess.DEVNULL, capture_output=True)
    except OSError as error:
        raise _errors.FileError(f"{command}: cannot be started: {error.strerror}", path=path) from error
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    message = said[-1].removeprefix("surefoot: ") if said else f"{command} failed with code {done.returncode}"
    raise _errors.ReadError(message.removeprefix(f"{path}: "), path=path)


def written(pointer: Any, format: int, path: Optional[str]) -> bytes:
    """A document of the library as bytes."""
    out, size, error = ffi.new("void**"), ffi.new("size_t*"), error_slot()
    check(lib.sft_io_write(pointer, format, ffi.NULL, out, size, error), error, path=path, doing="writing",
          kind=_errors.WriteError)
    made = bytes(ffi.buffer(out[0], size[0]))
    lib.free(out[0])
    return made


class _Source:
    """Where a document came from, so that it can be read again: bytes, or for a .gltf in several files its path."""

    def __init__(self, data: Optional[bytes], path: Optional[str], positions: int, sniffed: int) -> None:
        self.data = data
        self.path = path
        self.positions = positions
        self.sniffed = sniffed
        self._buffer = ffi.from_buffer(data) if data is not None else None

    def read(self) -> Any:
        define = lib.sft_default_io_read_def()
        define.positions = self.positions
        out = ffi.new("sft_io_document**")
        error = error_slot()
        given = ffi.new("sft_io_read_def*", define)
        if self._buffer is None:
            assert self.path is not None
            result = lib.sft_io_read_file(given, os.fsencode(self.path), ffi.NULL, out, error)
        else:
            given.keep_bytes = True
            # Bytes that say nothing: the name knows whose reader's complaint will help.
            if self.sniffed == lib.SFT_IO_AUTO and self.path is not None:
                named = lib.sft_io_format_of_name(os.fsencode(self.path))
                given.format = named if named != lib.SFT_IO_FBX else lib.SFT_IO_AUTO
            result = lib.sft_io_read(given, self._buffer, len(self._buffer), ffi.NULL, out, error)
        check(result, error, path=self.path, doing="reading")
        # The bytes live as long as the document, whoever else holds it.
        return ffi.gc(out[0], lambda pointer, _=self: lib.sft_io_destroy(pointer))


def _open_source(source: PathOrBytes, positions: int) -> _Source:
    if isinstance(source, (bytes, bytearray, memoryview)):
        given = bytes(source)
        sniffed = lib.sft_io_sniff(ffi.from_buffer(given), len(given))
        if sniffed == lib.SFT_IO_FBX:
            raise _errors.ReadError("FBX is read from files only; write the bytes to one, or give GLB or BVH")
        return _Source(given, None, positions, sniffed)
    path = os.fspath(source)
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD_SIZE)
            sniffed = lib.sft_io_sniff(ffi.from_buffer(head), len(head))
            if sniffed == lib.SFT_IO_AUTO:
                _refuse_other_formats(path)
            data: Optional[bytes] = None if sniffed in (lib.SFT_IO_GLTF, lib.SFT_IO_FBX) else head + file.read()
    except OSError as error:
        raise _errors.FileError(f"cannot read: {error.strerror}", path=path) from error
    if sniffed == lib.SFT_IO_FBX:
        data = _fbx_to_glb(path)
    return _Source(data, path, positions, sniffed)


class Document:
    """A motion file with all it holds. It never changes: what a solver did goes into a copy of it.

    Made by `load`; safe to share between threads.
    """

    #: Where it was read from; None: from bytes.
    path: Optional[str]
    #: "BVH", "glTF" or "GLB".
    format: str
    #: What it was before conversion: "FBX" where it came from one, else `format`.
    source_format: str
    #: All clips of the file, in its order.
    clips: tuple[ClipInfo, ...]
    #: What was odd about it, with lines where there are any.
    warnings: tuple[str, ...]
    #: Frames a second at which clips of uneven keys are sampled.
    frame_rate: float
    #: File whose skeleton and proportions its clips go onto.
    character: Optional["Document"]

    def __init__(self, source: _Source, options: _Options, character: Optional["Document"] = None,
                 steps: tuple[Callable[[Any], None], ...] = ()) -> None:
        self._source = source
        self._options = options
        self._steps = steps
        self.path = source.path
        self.character = character
        self._pointer = source.read()
        for step in steps:
            step(self._pointer)
        contents = lib.sft_io_view(self._pointer)
        self._format = contents.format
        self.format = text(lib.sft_io_format_name(contents.format))
        self.source_format = text(lib.sft_io_format_name(contents.source))
        self.frame_rate = contents.frame_rate
        self.clips = tuple(self._describe(i, contents.clips[i]) for i in range(contents.clip_count))
        listed = (contents.warnings[i] for i in range(contents.warning_count))
        self._warned = tuple((w.line, text(w.message)) for w in listed)
        self.warnings = tuple(f"{line}: {message}" if line else message for line, message in self._warned)

    @staticmethod
    def _describe(index: int, c: Any) -> ClipInfo:
        return ClipInfo(index, text(c.name), c.frame_count, c.frame_time, c.start, bool(c.stored), c.channel_count,
                        c.other_count, text(c.problem) or None)

    @property
    def name(self) -> str:
        """Of the file, for people."""
        return os.path.basename(self.path) if self.path is not None else "bytes"

    def __repr__(self) -> str:
        return f"<Document {self.name!r} {self.format} of {len(self.clips)} clip{'s' if len(self.clips) != 1 else ''}>"

    def __len__(self) -> int:
        """Number of clips."""
        return len(self.clips)

    def __iter__(self) -> Iterator["Clip"]:
        """Every clip that can be worked on."""
        return (self.clip(info.index) for info in self.clips if self._trouble(info) is None)

    def _trouble(self, info: ClipInfo) -> Optional[str]:
        if info.problem is not None:
            return info.problem
        # A BVH without channels is a skeleton that stands still.
        return "it moves no joint" if info.channel_count == 0 and self._format != lib.SFT_IO_BVH else None

    def _list(self) -> str:
        return ", ".join(f"{c.index} {c.name or 'without a name'}" for c in self.clips[:24]) or "none"

    def _choose(self, which: Union[None, str, int]) -> int:
        if which is not None:
            if not isinstance(which, str) and not hasattr(which, "__index__"):
                raise wrong("clip", "a name or a number", which)
            index = (lib.sft_io_find_clip(self._pointer, which.encode("utf-8", "surrogateescape"))
                     if isinstance(which, str) else operator.index(which))
            if not 0 <= index < len(self.clips):
                raise _errors.OptionError(f"holds no clip {which!r}; it has {self._list()}", path=self.path)
            trouble = self._trouble(self.clips[index])
            if trouble is not None:
                raise _errors.ReadError(f"clip {self.clips[index].name or index}: {trouble}", path=self.path)
            return int(index)
        fit = [c.index for c in self.clips if self._trouble(c) is None]
        if len(fit) > 1:
            raise _errors.OptionError(f"holds {len(fit)} clips; name one by clip=, or take all by `for clip in "
                                      f"surefoot.load(...)`: {self._list()}", path=self.path)
        if not fit:
            why = next((c.problem for c in self.clips if c.problem), "it holds no clip that moves a joint")
            raise _errors.ReadError(f"none of its clips can be read: {why}", path=self.path)
        return fit[0]

    def clip(self, which: Union[None, str, int] = None) -> "Clip":
        """The clip of that name or number; without one the only clip of the file."""
        from ._clip import Clip
        return Clip(self, self._choose(which))

    def rest(self) -> "Clip":
        """One frame of the rest pose."""
        from ._clip import Clip
        return Clip(self, -1)

    def _copy(self, *steps: Callable[[Any], None]) -> "Document":
        """Read again, with what `steps` put into it."""
        # A result is worked on as its file would be: a GLB keeps key data that is no longer used once it is in a file.
        # A .gltf in several files has no such bytes; what was put into it is put again.
        if self._steps and self._format != lib.SFT_IO_GLTF:
            source = _Source(self._bytes(), self.path, self._source.positions, self._format)
            return Document(source, self._options, self.character, steps)
        return Document(self._source, self._options, self.character, self._steps + steps)

    def _bytes(self) -> bytes:
        return written(self._pointer, lib.SFT_IO_AUTO, self.path)

    # It never changes, so a copy would only be the same again.

    def __copy__(self) -> "Document":
        return self

    def __deepcopy__(self, _: Any) -> "Document":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes: the file's bytes, or of a .gltf in several files its path."""
        source = self._source
        if self._steps and self._format == lib.SFT_IO_GLTF:
            raise TypeError(f"{self.name}: what was made of a .gltf in several files does not pickle, since these are "
                            "not part of it; read it as GLB, or write it and hand over the path")
        if self._steps:
            return _restore, (self._bytes(), self.path, source.positions, self._format, self._options, self.character)
        return _restore, (source.data, source.path, source.positions, source.sniffed, self._options, self.character)

    def _bind(self, document: Any, index: int) -> tuple[Any, int]:
        """The document that a clip is taken from and its number there: itself, or a copy of its character."""
        if self.character is None or index < 0:
            return document, index
        stage = self.character._copy()._pointer
        define = lib.sft_default_gltf_clip_def()
        define.fps = self._options.fps or self.frame_rate
        bound = ffi.new("sft_gltf_bound*")
        error = error_slot()
        result = lib.sft_io_bind(stage, document, index, ffi.new("sft_gltf_clip_def*", define), bound, error)
        check(result, error, path=self.path, doing="binding")
        return stage, bound.animation


def _restore(data: Optional[bytes], path: Optional[str], positions: int, sniffed: int, options: _Options,
             character: Optional[Document]) -> Document:
    return Document(_Source(data, path, positions, sniffed), options, character)


def load(source: PathOrBytes, *, unit: Union[None, str, float] = None, up: Optional[str] = None,
         fps: Optional[float] = None, positions: str = "auto",
         character: Union[None, PathOrBytes, Document] = None) -> Document:
    """Reads a motion file: BVH, GLB or glTF by path or as bytes, FBX by path (through the command surefoot).

    unit       metres a file unit, or "m", "dm", "cm", "mm", "inch", "foot", "cmu"; None: found from the figure
    up         axis that points up in the file: "X" to "-Z"; None: found
    fps        frames a second where the keys of a glTF or FBX clip are not evenly spaced; None: the file's own, else 60
    positions  BVH: what position channels of inner joints mean: "replace" (the translation), "add" (to OFFSET), "auto"
    character  the clips' nodes are found by name in this file, whose skeleton counts; for clips in a file of their own

    Raises ReadError (with line or byte), FileError, OptionError. What is odd is in `warnings`, and warned of.
    """
    kinds = {"auto": lib.SFT_BVH_POSITIONS_AUTO, "replace": lib.SFT_BVH_POSITIONS_REPLACE,
             "add": lib.SFT_BVH_POSITIONS_ADD}
    if not is_file(source):
        raise wrong("source", "a path or a file's bytes", source)
    options = _Options(metres_of(unit), axis_of(up), number("fps", fps, 0.1, 10000.0) if fps is not None else 0.0,
                       choice("positions", positions, kinds))
    if character is not None and not isinstance(character, Document):
        character = load(character)
    document = Document(_open_source(source, options.positions), options, character)
    for warning in document.warnings:
        warnings.warn(f"{document.name}: {warning}", _errors.SurefootWarning, stacklevel=2)
    return document
