# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Between cffi and NumPy: errors, text, arrays that lie in the library's memory."""
from __future__ import annotations

from typing import Any, ClassVar, Optional, TypeVar

import numpy as np

from . import _errors
from ._surefoot import ffi, lib
from ._types import AnyArray, Records

__all__ = ["ffi", "lib", "check", "text", "error_slot", "view", "record_type", "records", "Values"]


def text(pointer: Any) -> str:
    """A C string. Files may hold any bytes: those that are no UTF-8 become U+FFFD."""
    return str(ffi.string(pointer), "utf-8", "replace") if pointer != ffi.NULL else ""


def error_slot() -> Any:
    return ffi.new("sft_error*")


_KINDS = {
    lib.SFT_ERR_ARG: _errors.OptionError,
    lib.SFT_ERR_DEF: _errors.OptionError,
    lib.SFT_ERR_MEMORY: _errors.OutOfMemoryError,
    lib.SFT_ERR_IO: _errors.FileError,
}


def check(result: int, error: Any = None, *, path: Optional[str] = None, doing: str = "",
          kind: Optional[type] = None) -> None:
    """Raises what a result says; `kind` where it is about a file's content."""
    if result == lib.SFT_OK:
        return
    chosen = _KINDS.get(result) or kind or _errors.ReadError
    message = text(error.message) if error is not None else ""
    if not message:
        message = (f"{doing}: " if doing else "") + text(lib.sft_result_string(result))
    known = error is not None and text(error.message) != ""
    raise chosen(message, path=path, line=(error.line or None) if known else None,
                 byte=(error.byte or None) if known else None, joint=(text(error.joint) or None) if known else None)


class _Memory:
    """What NumPy keeps as the base of an array: it keeps the owner of the memory alive."""

    def __init__(self, owner: Any, pointer: Any, shape: tuple[int, ...], dtype: "np.dtype[Any]", writable: bool) -> None:
        self.owner = owner
        address = int(ffi.cast("uintptr_t", pointer))
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": dtype.str, "data": (address, not writable)}


def view(owner: Any, pointer: Any, shape: tuple[int, ...], dtype: Any = np.float64, *,
         writable: bool = False) -> AnyArray:
    """An array over the library's memory, no copy. It keeps `owner` alive; read-only unless said otherwise."""
    kind = np.dtype(dtype)
    if pointer == ffi.NULL or 0 in shape:
        made: AnyArray = np.empty(shape, kind)
        made.flags.writeable = writable
        return made
    return np.asarray(_Memory(owner, pointer, shape, kind, writable))


def _field_type(kind: Any) -> "np.dtype[Any]":
    if kind.kind == "array":
        inner = kind.item
        if inner.cname == "char":
            return np.dtype(f"S{kind.length}")
        return np.dtype((_field_type(inner), (kind.length,)))
    if kind.kind == "struct":
        return record_type(kind)
    if kind.kind == "enum":
        return np.dtype(np.int32)
    if kind.kind == "pointer":
        return np.dtype(np.uintp)
    names = {"double": "f8", "float": "f4", "_Bool": "?", "int32_t": "i4", "uint32_t": "u4", "uint8_t": "u1",
             "size_t": "u8", "uint64_t": "u8", "int": "i4", "unsigned int": "u4"}
    return np.dtype(names[kind.cname])


def record_type(kind: Any) -> "np.dtype[Any]":
    """The NumPy type of a C struct, field by field as the compiler laid it out. Three or four doubles that are a vector
    or quaternion become an array of them."""
    kind = ffi.typeof(kind) if isinstance(kind, str) else kind
    width = {"sft_v3d": 3, "sft_quatd": 4}.get(kind.cname.removeprefix("struct "))
    if width is not None:
        return np.dtype((np.float64, (width,)))
    fields = [(name, field) for name, field in kind.fields if field.type.kind not in ("pointer", "function")]
    return np.dtype({"names": [name for name, _ in fields], "formats": [_field_type(f.type) for _, f in fields],
                     "offsets": [f.offset for _, f in fields], "itemsize": ffi.sizeof(kind)})


def records(pointer: Any, count: int, kind: str) -> Records:
    """A copy of `count` C structs as a structured array, read-only."""
    dtype = record_type(kind)
    if count == 0:
        out: Records = np.empty(0, dtype)
    else:
        out = np.frombuffer(bytes(ffi.buffer(pointer, count * dtype.itemsize)), dtype)
    out.flags.writeable = False
    return out


def plain(value: Any) -> Any:
    """A field of a structured array as a Python value."""
    if isinstance(value, bytes):
        return value.split(b"\0", 1)[0].decode("utf-8", "replace")
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.void):
        return {name: plain(value[name]) for name in value.dtype.names or ()}
    return value.item() if isinstance(value, np.generic) else value


_V = TypeVar("_V", bound="Values")


class Values:
    """Named numbers of one C struct, read-only: `x.name`, `x["name"]`, `x.as_dict()`. Names and units are those of the
    public header; texts are str, vectors float64 arrays of three, quaternions of four (xyzw)."""

    #: The C struct.
    KIND: ClassVar[str]
    _record: np.void

    def __init__(self, record: np.void) -> None:
        self._record = record

    @classmethod
    def of(cls: type[_V], pointer: Any) -> _V:
        return cls(records(pointer, 1, cls.KIND)[0])

    def __getitem__(self, name: str) -> Any:
        value = self._record[name]
        if isinstance(value, np.void):
            inner = dict(ffi.typeof(self.KIND).fields)[name].type.cname.removeprefix("struct ")
            return next(kind for kind in Values.__subclasses__() if kind.KIND == inner)(value)
        return value if isinstance(value, np.ndarray) else plain(value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in (self._record.dtype.names or ()):
            raise AttributeError(f"no figure is called {name!r}; there are {', '.join(self._record.dtype.names or ())}")
        return self[name]

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) | set(self._record.dtype.names or ()))

    def as_dict(self) -> dict[str, Any]:
        """All of them as plain Python values, for JSON and data frames."""
        made: dict[str, Any] = plain(self._record)
        return made

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.as_dict().items())})"
