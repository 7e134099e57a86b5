# SPDX-License-Identifier: GPL-3.0-or-later
"""Decorators for functions that are compiled, and the choice how they run.

They run compiled in advance, compiled at their first call, or not compiled. A function marked `jitable` or `subroutine`
stays an ordinary Python function, and so does `kernel.python`. A call of a `kernel` runs machine code if there is any:
that of a library made by `make kernels` (library.py), or else numba's (compiler.py). So importing the package costs no
time, the same code runs undecorated, and a debugger can step through it. All three ways give the same bits.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any, TypeVar

from . import compiler, kernel_cache
from .kernel_table import MisfitError
from .library import Library, opened

Function = TypeVar("Function", bound=Callable)

_arithmetic: list[tuple[Callable, bool]] = []
"""Functions that are not registered with numba yet, and whether they are inlined."""

KERNELS: list[kernel] = []
"""All kernels of the modules that were imported."""
_passed_over: list[str] = []
"""Reasons why the library is not used although it was opened."""


def jitable(function: Function) -> Function:
    """Mark a function that kernels may call, inlined. Return it unchanged for callers in Python."""
    _arithmetic.append((function, True))
    return function


def subroutine(function: Function) -> Function:
    """Mark a function that kernels may call without inlining it, for long functions with several callers."""
    _arithmetic.append((function, False))
    return function


class Way(Enum):
    """The way in which kernels run.

    The values are those of LIMBERJACK_KERNELS, which chooses one way instead of the first available.
    """

    LIBRARY = "library"
    NUMBA = "numba"
    PYTHON = "python"


class kernel:
    """A function that runs as machine code. `kernel.python` is the function as it was written.

    Attributes:
        name: name of its module below core, and its own.
        compiled: the function that a call runs; None before the first call.
    """

    def __init__(self, function: Callable):
        functools.update_wrapper(self, function)
        self.python = function
        self.name = f"{function.__module__.rpartition('.core.')[2]}.{function.__name__}"
        self.compiled: Any = None
        KERNELS.append(self)

    def __call__(self, *arguments: Any) -> Any:
        run = self.compiled
        if run is None:
            run = self.bind(arguments)
        return run(*arguments)

    def bind(self, arguments: tuple) -> Callable:
        """Choose the function that calls run, by the arguments of the first call, and return it."""
        found = library()
        if found and self.name in found:
            try:
                self.compiled = found.function(self.name, self.python, arguments)
                return self.compiled
            except MisfitError as misfit:
                _pass_over(misfit)
        if _way_without_library() is Way.NUMBA:
            self.compiled = self._dispatcher()
        else:
            self.compiled = self.python
        return self.compiled

    def compile_for(self, arguments: tuple) -> None:
        """Compile the kernel with numba for such arguments, into its cache, without calling it."""
        compiler.compile_for(self._dispatcher(), arguments)

    def _dispatcher(self) -> Any:
        _register_pointers()
        compiler.offer(_arithmetic)
        return compiler.dispatcher_of(self.python)

    @contextmanager
    def standing_in(self, run: Callable) -> Iterator[None]:
        """Let calls run another function in the block."""
        before, self.compiled = self.compiled, run
        try:
            yield
        finally:
            self.compiled = before


class Pointer:
    """A kernel that other kernels call without being compiled together with it.

    Args:
        function: the kernel.
        examples: arguments of the types that it will be called with.
        gives: a result of the type that it returns.
    """

    def __init__(self, function: kernel, *examples: Any, gives: Any = None):
        self.kernel, self._examples, self._gives = function, examples, gives
        if function.compiled is None:
            function.bind(examples)

    def __call__(self, *arguments: Any) -> Any:
        return self.kernel.python(*arguments)

    @functools.cached_property
    def type_for_numba(self) -> Any:
        return compiler.type_of_function(self._examples, self._gives)

    def compile(self) -> None:
        """Compile the kernel with numba, before a kernel that calls it is compiled."""
        self.__wrapper_address__()

    @functools.cached_property
    def _address(self) -> int:
        if self.kernel.compiled is None:
            self.kernel.bind(self._examples)
        return compiler.address_of(self.kernel.compiled, self._examples)

    def __wrapper_address__(self) -> int:  # numba calls it
        return self._address


@functools.cache
def _register_pointers() -> None:
    compiler.register_pointers(Pointer)


@functools.cache
def way() -> Way:
    """Return how kernels run in this process."""
    return Way.LIBRARY if library() else _way_without_library()


def _way_without_library() -> Way:
    return Way.NUMBA if _asked() is not Way.PYTHON and compiler.is_importable() else Way.PYTHON


@functools.cache
def library() -> Library | None:
    """Return the library that was compiled in advance, or None. If it does not fit, a warning is logged once."""
    if _passed_over or _asked() not in (None, Way.LIBRARY):
        return None
    try:
        return opened()
    except MisfitError as misfit:
        _tell(misfit)
        return None


def _pass_over(misfit: MisfitError) -> None:
    """Continue without the library although it was opened. Kernels are bound again; earlier results stay right."""
    _passed_over.append(str(misfit))
    _unbind()
    _tell(misfit)


def _unbind() -> None:
    for cached in (library, way):
        cached.cache_clear()
    for each in KERNELS:
        each.compiled = None


def release() -> None:
    """Close the library, whose file Windows neither removes nor overwrites while it is open.

    A later call of a kernel opens it again, so a simulation may continue. The library stays open if a call is running,
    in another thread or further up in this one. All calls of it are in two files, and no call begins there once no
    kernel is bound to it.
    """
    found = library() if library.cache_info().currsize else None
    if not found:
        return
    _unbind()
    if not _is_any_called():
        found.close()


def _is_any_called() -> bool:
    import traceback  # it and logging take 4 ms of Blender's start and are seldom needed

    files = {kernel.__call__.__code__.co_filename, Library.function.__code__.co_filename}
    frames = {**sys._current_frames(), threading.get_ident(): sys._getframe(2)}  # from the caller of `release` on
    return any(frame.f_code.co_filename in files for top in frames.values() for frame, _ in traceback.walk_stack(top))


def _tell(misfit: MisfitError) -> None:
    instead = "numba compiles them" if compiler.is_installed() else "they run uncompiled, which takes far longer"
    _warn("%s: kernels that were compiled ahead are not used, and %s", misfit, instead)


def _warn(message: str, *values: object) -> None:
    import logging

    logging.getLogger("limberjack").warning(message, *values)


@functools.cache
def _asked() -> Way | None:
    asked = os.environ.get("LIMBERJACK_KERNELS", "")
    if asked and asked not in {each.value for each in Way}:
        _warn("LIMBERJACK_KERNELS is '%s'; it may be library, numba or python, and is passed over", asked)
        return None
    return Way(asked) if asked else None


def is_compiled() -> bool:
    """Return whether kernels run as machine code in this process."""
    return way() is not Way.PYTHON


def why_uncompiled() -> str:
    """Return what prevents the compilation of kernels, or "". It does not import numba, which takes a second."""
    if _asked() is Way.PYTHON:
        return "LIMBERJACK_KERNELS is python"
    if library() or compiler.is_installed():
        return ""
    return "there is no library for this machine, and numba is not installed"


def is_ready(what: str) -> bool:
    """Return whether all kernels that `what` stands for, a name in the cache, run without waiting for compilation."""
    return way() is not Way.NUMBA or kernel_cache.is_filled(what)
