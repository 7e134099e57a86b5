# SPDX-License-Identifier: GPL-3.0-or-later
"""The layout of the arguments of a library's kernels: that of numba, in slots of 8 bytes.

A number is one slot, and a tuple consists of its parts. An array consists of no owner, no parent, the number of its
elements, their size, its address, its shape and its strides.
"""

from __future__ import annotations

import ctypes
import operator
import struct
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np


class KernelTuple:
    """A base of named tuples that kernels take. An object keeps the addresses of its arrays as long as it lives."""

    slots: tuple[Any, bytes] | None = None

    def __getstate__(self) -> None:
        """Return no state: a copy must not have the addresses, since its arrays are elsewhere."""


class UnusualError(Exception):
    """The error if an array cannot be passed as it is. The kernel then runs as Python, which takes any array."""


class Type:
    """The type of an argument of a kernel, or of a part of it.

    Args:
        entry: description in the library's table.
        made: the types before this one.
        address_of: function that returns the address of a kernel by its name.
    """

    passed_as: Any = ctypes.c_void_p
    argument: Callable[..., Any]
    """Returns the value that ctypes passes for an argument."""
    slots: Callable[..., bytes]
    """Returns the slots of a value that is part of a tuple."""

    def __init__(self, entry: dict, made: list[Type], address_of: Callable):
        self.words = entry["words"]

    def misfit(self, value: Any) -> str:
        """Return a description of a value that has another layout in memory, or "" if it fits."""
        return ""


class Float(Type):
    passed_as = ctypes.c_double
    argument = float
    slots = struct.Struct("d").pack


class Int(Type):
    """An integer or a truth value."""

    passed_as = ctypes.c_int64
    argument = operator.index
    slots = struct.Struct("q").pack


class Array(Type):
    """A contiguous, writable array.

    The slots of an array that is an argument by itself are kept as long as the array lives.
    """

    def __init__(self, entry: dict, made: list[Type], address_of: Callable):
        super().__init__(entry, made, address_of)
        self._layout, self._dimensions = _dtype(entry["layout"]), entry["dimensions"]
        self._format = struct.Struct(f"{5 + 2 * self._dimensions}q")

    def misfit(self, value: Any) -> str:
        if self._layout.names and value.dtype != self._layout:
            return f"{value.dtype}"
        return ""

    def slots(self, value: Any) -> bytes:
        if value.ndim != self._dimensions or value.dtype != self._layout:
            raise UnusualError
        try:
            address = ctypes.addressof(NOTHING.from_buffer(value))
        except (TypeError, ValueError, BufferError) as error:  # not contiguous, or not writable
            raise UnusualError from error
        return self._format.pack(0, 0, value.size, value.itemsize, address, *value.shape, *value.strides)

    def argument(self, value: Any) -> bytes:
        kept = _noted.get(id(value))
        if kept is not None and kept() is value and kept.type is self:
            return kept.slots
        slots = self.slots(value)
        if value.base is None:  # most views are short-lived
            note = _Note(value, _forget)
            note.number, note.type, note.slots = id(value), self, slots
            _noted[note.number] = note
        return slots


NOTHING = ctypes.c_char * 0
"""Type of no bytes, by which ctypes finds the address of an array."""


class _Note(weakref.ref):
    """A weak reference to an array, with the array's slots."""

    __slots__ = ("number", "slots", "type")
    number: int
    type: Array
    slots: bytes


_noted: dict[int, _Note] = {}
"""Notes by the identities of arrays, which Python uses again after an array has been deleted."""


def _forget(note: Any) -> None:
    _noted.pop(note.number, None)


class Tuple(Type):
    def __init__(self, entry: dict, made: list[Type], address_of: Callable):
        super().__init__(entry, made, address_of)
        self._fields = tuple(entry["fields"])
        self.parts = [made[number] for number in entry["parts"]]

    def misfit(self, value: Any) -> str:
        fields = getattr(value, "_fields", ())
        if fields != self._fields or len(value) != len(self.parts):
            return f"a tuple of {', '.join(fields) or len(value)}"
        return next(filter(None, (part.misfit(each) for part, each in zip(self.parts, value, strict=True))), "")

    def slots(self, value: Any) -> bytes:
        kept = getattr(value, "slots", None)
        if kept is not None and kept[0] is self:
            return kept[1]
        if len(value) != len(self.parts):
            raise UnusualError
        slots = b"".join([part.slots(each) for part, each in zip(self.parts, value, strict=True)])
        if isinstance(value, KernelTuple):
            value.slots = (self, slots)
        return slots

    argument = slots


class Function(Type):
    """A kernel that another kernel calls: no compiled wrapper, no Python object, and the address of its code."""

    def __init__(self, entry: dict, made: list[Type], address_of: Callable):
        super().__init__(entry, made, address_of)
        self._address_of = address_of

    def slots(self, value: Any) -> bytes:
        return struct.pack("3q", 0, 0, self._address_of(value.kernel.name))

    argument = slots


TYPES = {"float": Float, "int": Int, "array": Array, "tuple": Tuple, "function": Function}
"""Types by their names in the library's table."""


def _dtype(entry: Any) -> np.dtype:
    """Return the dtype that an entry of the table describes.

    The entry is the name of a plain type, or the fields of a record with their types, shapes and offsets.
    """
    if isinstance(entry, str):
        return np.dtype(entry)
    fields = [(_dtype(kind), tuple(shape)) if shape else _dtype(kind) for kind, shape in entry["formats"]]
    description: Any = {**entry, "formats": fields}
    return np.dtype(description)
