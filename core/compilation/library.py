# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels that were compiled in advance: one shared library, called by ctypes, without numba and without LLVM.

kernel_table.py checks the library's table and its content before any of its code is executed. The types of a kernel's
arguments are compared before its first call, since a wrong layout in memory would end the process.
"""

from __future__ import annotations

import _ctypes
import ctypes
import os
import struct
import sys
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .abi import TYPES, Type, UnusualError
from .kernel_cache import CORE_FOLDER
from .kernel_table import TABLE, MisfitError, library_path, read_table

PACKAGE = "limberjack_kernels"
"""Name of the wheel that contains the library in Blender."""

INSTALLED = {"site-packages", "dist-packages"}
"""Names of the folders that installers put packages into; Debian's installer uses the latter."""

_close = _ctypes.FreeLibrary if sys.platform == "win32" else _ctypes.dlclose
"""Function of the system that closes a library."""


def opened() -> Library | None:
    """Open and return the library of this installation, or return None if there is none.

    Raises:
        MisfitError: if there is one that cannot be used.
    """
    for folder in _folders():
        if os.path.lexists(folder / TABLE):  # also if it is no file, so that the reason is reported
            return Library(folder)
    return None


def _folders() -> list[Path]:
    """Return the folders that may have a library: one in this package, and those of `PACKAGE`.

    Raises:
        MisfitError: if `PACKAGE` has a library and is not installed. Python also finds packages in its working folder,
            which may be a stranger's.
    """
    spec = find_spec(PACKAGE)
    found = [Path(place) for place in (spec and spec.submodule_search_locations) or ()]
    for folder in found:
        if not _is_installed(folder) and os.path.lexists(folder / TABLE):
            raise MisfitError(
                f"{folder}: this library lies outside of Limberjack and of installed packages; install it with pip, or "
                "take the folder off Python's search path"
            )
    return [CORE_FOLDER / "kernels", *found]


def _is_installed(folder: Path) -> bool:
    """Return whether a package lies beside Limberjack, or where an installer puts packages."""
    place = folder.resolve().parent
    beside = CORE_FOLDER.resolve().parents[1]
    return place == beside or (place.name in INSTALLED and place != Path.cwd())


class Library:
    """An opened library.

    Attributes:
        folder: folder of the table.
        path: file of the library.
    """

    def __init__(self, folder: Path):
        """Check the library that a folder's table describes, and open it.

        Raises:
            MisfitError: if it is damaged, or of other sources, another platform or another format.
        """
        self.folder = folder
        self._table = read_table(folder)
        self.path = library_path(folder, self._table)
        try:
            self._functions = ctypes.PyDLL(str(self.path))
        except OSError as error:
            raise MisfitError(f"{self.path}: this system cannot load it ({error})") from error

    def close(self) -> None:
        """Close the file. Any later call into it ends the process."""
        _close(self._functions._handle)

    @cached_property
    def _types(self) -> list[Type]:
        """The types of all arguments, each once. Tuples come after their parts."""
        made: list[Type] = []
        for entry in self._table["types"]:
            made.append(TYPES[entry["kind"]](entry, made, self.address))
        return made

    def __contains__(self, name: str) -> bool:
        return name in self._table["kernels"]

    def function(self, name: str, python: Callable, arguments: tuple) -> Callable:
        """Return a function that calls a kernel of the library.

        Args:
            name: of the kernel.
            python: the kernel as it was written, for arrays that cannot be passed as they are.
            arguments: arguments of a call.

        Raises:
            MisfitError: if the arguments have another layout in memory than the kernel takes.
        """
        entry, types = self._table["kernels"][name], self.types_of(name)
        for kind, value in zip(types, arguments, strict=True):
            if found := kind.misfit(value):
                raise MisfitError(f"{self.folder}: kernel '{name}' takes {kind.words}, not {found}")
        return _call(name, python, getattr(self._functions, entry["symbol"]), types, entry["gives"])

    def types_of(self, name: str) -> list[Type]:
        """Return the types of a kernel's arguments."""
        return [self._types[number] for number in self._table["kernels"][name]["takes"]]

    def address(self, name: str) -> int:
        """Return the address of a kernel that other kernels call."""
        symbol = getattr(self._functions, self._table["kernels"][name]["native"])
        return ctypes.cast(symbol, ctypes.c_void_p).value or 0


def _call(name: str, python: Callable, symbol: Any, types: list[Type], gives: Any) -> Callable:
    """Return a function that calls a kernel. The first argument of the machine code is the place of the result."""
    arguments_of = [kind.argument for kind in types]
    symbol.restype, symbol.argtypes = ctypes.c_int32, [ctypes.c_void_p, *(kind.passed_as for kind in types)]
    Room, read = _result(gives)

    def call(*arguments: Any) -> Any:
        room = Room()  # each call has its own, since another thread may call the same kernel meanwhile
        try:
            passed = [lent(value) for lent, value in zip(arguments_of, arguments, strict=True)]
        except UnusualError:
            return python(*arguments)
        if status := symbol(room, *passed):
            raise RuntimeError(f"kernel '{name}' ended with status {status}")
        return read(room)

    return call


def _result(gives: Any) -> tuple[Callable, Callable]:
    """Return a function that makes room for a result, and one that reads it.

    Args:
        gives: a letter of `struct`, '?' for a truth value, a list of such, or "none".
    """
    if gives == "none":
        return (lambda: None), (lambda room: None)
    letters = "".join(_leaves(gives))
    form = struct.Struct(letters.replace("?", "q"))
    room_type = ctypes.c_int64 * len(letters)
    if len(letters) == 1 and gives == letters:
        convert = bool if gives == "?" else (lambda value: value)
        return room_type, lambda room: convert(form.unpack(room)[0])
    return room_type, lambda room: _nested(gives, iter(form.unpack(room)))


def _leaves(gives: Any) -> list[str]:
    return [gives] if isinstance(gives, str) else [leaf for part in gives for leaf in _leaves(part)]


def _nested(gives: Any, values: Any) -> Any:
    if isinstance(gives, str):
        value = next(values)
        return bool(value) if gives == "?" else value
    return tuple(_nested(part, values) for part in gives)
