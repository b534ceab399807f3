# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Clips and documents into files."""
from __future__ import annotations

import os
import warnings
from typing import Any, Optional, Union

from . import _errors
from ._arguments import choice, flag, wrong
from ._clip import Clip
from ._core import check, error_slot, ffi, lib, text
from ._document import Document, axis_of, metres_of, written
from ._types import Path

__all__ = ["to_bytes", "write"]

_NOT_WRITTEN = (".c3d", ".usd", ".usda", ".usdc", ".usdz", ".dae", ".npz", ".blend", ".fbx")
_FORMATS = {"bvh": lib.SFT_IO_BVH, "gltf": lib.SFT_IO_GLTF, "glb": lib.SFT_IO_GLB}


def _is_gltf(number: int) -> bool:
    return number in (lib.SFT_IO_GLTF, lib.SFT_IO_GLB)


def _check_name(path: str) -> None:
    ending = os.path.splitext(path)[1].lower()
    if ending in _NOT_WRITTEN:
        raise _errors.OptionError(f"{ending} files are not written; give the output a name in .bvh, .glb or .gltf",
                                  path=path)
    # A name with another ending would promise what it does not hold.
    if len(ending) > 1 and lib.sft_io_format_of_name(os.fsencode(path)) == lib.SFT_IO_AUTO:
        raise _errors.OptionError(f"{ending!r} names no format that is written; give the output a name in .bvh, .glb or "
                                  ".gltf, or one without an ending for the format of the input", path=path)


def _check_resources(document: Document, path: str) -> None:
    contents = lib.sft_io_view(document._pointer)
    folder = os.path.dirname(document.path or "")
    for i in range(contents.resource_count):
        resource = os.path.join(folder, text(contents.resources[i]))
        if os.path.exists(resource) and os.path.exists(path) and os.path.samefile(path, resource):
            raise _errors.OptionError(f"would replace {resource}, which {document.path} needs; give it another name",
                                      path=path)


def _document_of(what: Union[Clip, Document]) -> Document:
    if isinstance(what, Document):
        return what
    if not isinstance(what, Clip):
        raise wrong("what is written", "a Clip or a Document", what)
    return what.document


class _Ready:
    """The document that is to be written, in the format that was asked for."""

    def __init__(self, what: Union[Clip, Document], format: int, unit: Union[None, str, float],
                 up: Optional[str]) -> None:
        document = _document_of(what)
        self.pointer = document._pointer
        self.renamed: list[tuple[str, str]] = []
        own = document._format
        self.format = format if format != lib.SFT_IO_AUTO else own
        metres, axis = metres_of(unit), axis_of(up)
        rescaled = self.format == lib.SFT_IO_BVH and (metres > 0.0 or axis >= 0)
        if not rescaled and (self.format == own or (_is_gltf(self.format) and _is_gltf(own))):
            return
        define = ffi.new("sft_io_convert_def*", lib.sft_default_io_convert_def())
        define.format = self.format
        define.unit_metres = metres
        define.up = axis
        define.fps = document._options.fps
        if isinstance(what, Clip):
            define.space = ffi.addressof(what._take.space)
            if self.format == lib.SFT_IO_BVH:
                define.clip = what.index
        elif self.format == lib.SFT_IO_BVH and len(document) > 1:
            raise _errors.OptionError(f"a BVH holds one clip, and {document.name} has {len(document)}: write each clip")
        stem = os.path.splitext(os.path.basename(document.path or ""))[0].encode("utf-8", "surrogateescape")
        name = ffi.new("char[]", stem)
        if 0 < len(stem) < 256:
            define.clip_name = name
        out, told, error = ffi.new("sft_io_document**"), ffi.new("sft_io_converted*"), error_slot()
        check(lib.sft_io_convert(document._pointer, define, ffi.NULL, out, told, error), error, path=document.path,
              doing="converting", kind=_errors.WriteError)
        self.pointer = ffi.gc(out[0], lib.sft_io_destroy)
        for i in range(told.renamed_count):
            self.renamed.append((text(told.renamed[i].before), text(told.renamed[i].after)))

    def warn(self) -> None:
        for before, after in self.renamed:
            warnings.warn(f"{before!r} is called {after!r} there", _errors.SurefootWarning, stacklevel=4)


def write(what: Union[Clip, Document], path: Path, *, embed: bool = False,
          unit: Union[None, str, float] = None, up: Optional[str] = None) -> None:
    """Writes a clip with the document it lies in, or a document, as .bvh, .glb or .gltf by the name's ending.

    In the format it came in nothing changes but what was solved. In another one the clip is converted; from a document
    with several clips BVH takes the clip alone.

    embed     glTF: buffers as data URIs instead of a file beside it
    unit, up  BVH: metres a unit and axis up, as in `load`; None: as it was, else centimetres and Y

    The file is written beside its place and then named: it is there whole or not at all. Raises FileError, WriteError
    (with the joint that the format has no channels for), OptionError.
    """
    name = os.fspath(path)
    _check_name(name)
    document = _document_of(what)
    _check_resources(document, name)
    ready = _Ready(what, lib.sft_io_format_of_name(os.fsencode(name)), unit, up)
    define = ffi.new("sft_io_write_def*", lib.sft_default_io_write_def())
    define.embed = flag("embed", embed)
    error = error_slot()
    check(lib.sft_io_write_file(ready.pointer, define, os.fsencode(name), error), error, path=name, doing="writing",
          kind=_errors.WriteError)
    ready.warn()


def to_bytes(what: Union[Clip, Document], format: Optional[str] = None, *, unit: Union[None, str, float] = None,
             up: Optional[str] = None) -> bytes:
    """As `write`, into memory: "bvh", "glb" or "gltf" (buffers as data URIs); None: the format it came in."""
    number = lib.SFT_IO_AUTO
    if format is not None:
        number = choice("format", format.lower() if isinstance(format, str) else format, _FORMATS)
    ready = _Ready(what, number, unit, up)
    return written(ready.pointer, ready.format, None)
