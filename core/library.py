"""Kernels that were compiled ahead of time: one shared library, called by ctypes, without numba and without LLVM.

Beside the library lies a table, kernels.json, of what it was made from, what each kernel takes, and how it lies in
memory. All of that is compared before the first call, so that a library of other sources, of another machine, or one
that was cut short is passed over; a wrong layout would end the process.
"""

from __future__ import annotations

import _ctypes
import ctypes
import hashlib
import json
import platform
import struct
import sys
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .files.regular import read_regular
from .kernel_cache import CORE_FOLDER
from .slots import TYPES, Type, UnusualError

TABLE = "kernels.json"
VERSION = 1
"""Of the table and of how kernels are called."""

PACKAGE = "limberjack_kernels"
"""What brings the library along in Blender: a wheel with this name."""

SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}
MACHINES = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}


_close = _ctypes.FreeLibrary if sys.platform == "win32" else _ctypes.dlclose


class MisfitError(Exception):
    """The library is none for these sources or this machine; the text says why."""


def this_platform() -> str:
    """As Blender's manifests name it."""
    machine = platform.machine().lower()
    return f"{SYSTEMS.get(sys.platform, sys.platform)}-{MACHINES.get(machine, machine)}"


def sources_digest(files: list[str]) -> str:
    """Of files of core: whether a library was made from these very texts. Raises OSError where one is missing."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path}\n".encode() + (CORE_FOLDER / path).read_bytes())
    return digest.hexdigest()


def opened() -> Library | None:
    """The library of this installation, or None where there is none.

    Raises:
        MisfitError: there is one that cannot be used.
    """
    folder = next((folder for folder in _folders() if (folder / TABLE).is_file()), None)
    return Library(folder) if folder else None


def _folders() -> list[Path]:
    spec = find_spec(PACKAGE)
    return [CORE_FOLDER / "kernels", *map(Path, (spec and spec.submodule_search_locations) or ())]


class Library:
    """Raises `MisfitError` where the table or the file is not as it should be.

    folder: with the table and the library.
    """

    def __init__(self, folder: Path):
        try:
            table = json.loads(read_regular(folder / TABLE))
            if table["version"] != VERSION or table["platform"] != this_platform():
                raise MisfitError(
                    f"{folder}: made for {table['platform']}, version {table['version']}, and this is "
                    f"{this_platform()}, version {VERSION}"
                )
            if sources_digest(table["sources"]) != table["sources_sha256"]:
                raise MisfitError(f"{folder}: made from other sources than these")
            path = folder / table["library"]
            if hashlib.sha256(read_regular(path)).hexdigest() != table["library_sha256"]:
                raise MisfitError(f"{path}: damaged, or not the one that {TABLE} tells of")
            self._functions = ctypes.PyDLL(str(path))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise MisfitError(f"{folder}: cannot be read ({error})") from error
        self.folder, self.path = folder, path
        self._table = table

    def close(self) -> None:
        """Let go of the file. Whatever calls into it from then on ends the process."""
        _close(self._functions._handle)

    @cached_property
    def _types(self) -> list[Type]:
        """What kernels take, each told once; tuples come after their parts."""
        made: list[Type] = []
        for entry in self._table["types"]:
            made.append(TYPES[entry["kind"]](entry, made, self.address))
        return made

    def __contains__(self, name: str) -> bool:
        return name in self._table["kernels"]

    def function(self, name: str, python: Callable, arguments: tuple) -> Callable:
        """What calls a kernel of the library.

        Args:
            python: the kernel as it was written, for arrays that cannot be lent as they are.
            arguments: of a call.

        Raises:
            MisfitError: its arguments lie otherwise than it takes them.
        """
        entry, types = self._table["kernels"][name], self.types_of(name)
        for kind, value in zip(types, arguments, strict=True):
            if found := kind.misfit(value):
                raise MisfitError(f"{self.folder}: kernel '{name}' takes {kind.words}, not {found}")
        return _call(name, python, getattr(self._functions, entry["symbol"]), types, entry["gives"])

    def types_of(self, name: str) -> list[Type]:
        """What a kernel takes."""
        return [self._types[number] for number in self._table["kernels"][name]["takes"]]

    def address(self, name: str) -> int:
        """Where a kernel lies that others call."""
        symbol = getattr(self._functions, self._table["kernels"][name]["native"])
        return ctypes.cast(symbol, ctypes.c_void_p).value or 0


def _call(name: str, python: Callable, symbol: Any, types: list[Type], gives: Any) -> Callable:
    """What calls a kernel, whose first argument is where its result goes."""
    arguments_of = [kind.argument for kind in types]
    symbol.restype, symbol.argtypes = ctypes.c_int32, [ctypes.c_void_p, *(kind.passed_as for kind in types)]
    Room, read = _result(gives)

    def call(*arguments: Any) -> Any:
        room = Room()  # its own for each call: another thread may call the same kernel before this one is read
        try:
            passed = [lent(value) for lent, value in zip(arguments_of, arguments, strict=True)]
        except UnusualError:
            return python(*arguments)
        if status := symbol(room, *passed):
            raise RuntimeError(f"kernel '{name}' ended with status {status}")
        return read(room)

    return call


def _result(gives: Any) -> tuple[Callable, Callable]:
    """(what makes room for a result, what reads it). gives: a letter of `struct`, '?' for truth, or a list of such."""
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
