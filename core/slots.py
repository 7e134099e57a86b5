# SPDX-License-Identifier: GPL-3.0-or-later
"""How kernels of a library are given their arguments: as numba lays them out, in slots of 8 bytes.

A number is one slot, a tuple is its parts, and an array is no owner, no parent, the count of its elements, their size,
its address, its shape and its strides.
"""

from __future__ import annotations

import ctypes
import operator
import struct
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np


class Bundled:
    """A base of named tuples that kernels take: it notes where their arrays lie, for as long as the tuple lives."""

    slots: tuple[Any, bytes] | None = None

    def __getstate__(self) -> None:
        """What a copy must not have: its arrays lie elsewhere."""


class UnusualError(Exception):
    """An array that cannot be lent as it is: the kernel runs as Python for once, which takes any."""


class Type:
    """What a kernel takes at some place.

    entry: of the library's table. made: the types before this one. address_of: where a kernel lies, by its name.
    """

    passed_as: Any = ctypes.c_void_p
    argument: Callable[..., Any]
    """What ctypes is given for it."""
    slots: Callable[..., bytes]
    """Its share of a tuple's."""

    def __init__(self, entry: dict, made: list[Type], address_of: Callable):
        self.words = entry["words"]

    def misfit(self, value: Any) -> str:
        """What was found that lies otherwise in memory; empty if nothing does."""
        return ""


class Float(Type):
    passed_as = ctypes.c_double
    argument = float
    slots = struct.Struct("d").pack


class Int(Type):
    """Also what is true or false."""

    passed_as = ctypes.c_int64
    argument = operator.index
    slots = struct.Struct("q").pack


class Array(Type):
    """Contiguous, and changeable. Where one lies that is an argument by itself is noted for as long as it lives."""

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
        except (TypeError, ValueError, BufferError) as error:  # not contiguous, or not to be written to
            raise UnusualError from error
        return self._format.pack(0, 0, value.size, value.itemsize, address, *value.shape, *value.strides)

    def argument(self, value: Any) -> bytes:
        kept = _noted.get(id(value))
        if kept is not None and kept() is value and kept.type is self:
            return kept.slots
        slots = self.slots(value)
        if value.base is None:  # views mostly come and go
            note = _Note(value, _forget)
            note.number, note.type, note.slots = id(value), self, slots
            _noted[note.number] = note
        return slots


NOTHING = ctypes.c_char * 0


class _Note(weakref.ref):
    """Where an array lies, as long as there is one."""

    __slots__ = ("number", "slots", "type")
    number: int
    type: Array
    slots: bytes


_noted: dict[int, _Note] = {}
"""By the arrays' numbers, which Python gives to others once they are gone."""


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
        if isinstance(value, Bundled):
            value.slots = (self, slots)
        return slots

    argument = slots


class Function(Type):
    """A kernel that the kernel calls: no compiled wrapper, no Python object, and where its code lies."""

    def __init__(self, entry: dict, made: list[Type], address_of: Callable):
        super().__init__(entry, made, address_of)
        self._address_of = address_of

    def slots(self, value: Any) -> bytes:
        return struct.pack("3q", 0, 0, self._address_of(value.kernel.name))

    argument = slots


TYPES = {"float": Float, "int": Int, "array": Array, "tuple": Tuple, "function": Function}


def _dtype(entry: Any) -> np.dtype:
    """From the table: a plain type's name, or a record's fields with their types, shapes and places."""
    if isinstance(entry, str):
        return np.dtype(entry)
    fields = [(_dtype(kind), tuple(shape)) if shape else _dtype(kind) for kind, shape in entry["formats"]]
    description: Any = {**entry, "formats": fields}
    return np.dtype(description)
