# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks what is compiled, and chooses how it runs: compiled ahead of time, when first called, or not at all.

What is marked `jitable` or `subroutine` stays an ordinary Python function, and so does `kernel.python`; but calling a
`kernel` runs machine code where there is any: that of a library made by `make kernels` (library.py), or else what numba
makes of the kernel and all that it reaches (compiler.py). So importing the package costs nothing, the same code runs
undecorated, and a debugger can step through any of it. All three ways give the same bits.
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
"""What numba has not yet been told of."""

KERNELS: list[kernel] = []
"""All, as modules that have some are imported."""
_passed_over: list[str] = []
"""Why the library is not used after all, where it was found not to fit."""


def jitable(function: Function) -> Function:
    """Let kernels call `function` inlined. Python callers see it unchanged."""
    _arithmetic.append((function, True))
    return function


def subroutine(function: Function) -> Function:
    """As `jitable`, but called and not inlined: for what is long and called from several places."""
    _arithmetic.append((function, False))
    return function


class Way(Enum):
    """How kernels run. The values are those of LIMBERJACK_KERNELS, which asks for one instead of the first there is."""

    LIBRARY = "library"
    NUMBA = "numba"
    PYTHON = "python"


class kernel:
    """A loop over bodies, to be run as machine code. `kernel.python` is the function as it was written.

    Attributes:
        name: its module's below core, and its own.
        compiled: what a call runs; None before the first one.
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
        """Choose what a call runs, by the arguments of the first one."""
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
        """Have numba compile it for such arguments, into its cache, and call nothing."""
        compiler.compile_for(self._dispatcher(), arguments)

    def _dispatcher(self) -> Any:
        _register_pointers()
        compiler.offer(_arithmetic)
        return compiler.dispatcher_of(self.python)

    @contextmanager
    def standing_in(self, run: Callable) -> Iterator[None]:
        """Meanwhile a call runs something else."""
        before, self.compiled = self.compiled, run
        try:
            yield
        finally:
            self.compiled = before


class Pointer:
    """A kernel for other kernels to call, without being compiled together with it each time.

    Args:
        examples: arguments of the types that it will be called with.
        gives: a result of the type that it gives.
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
        """By numba, before a kernel that calls it does."""
        self.__wrapper_address__()

    @functools.cached_property
    def _address(self) -> int:
        if self.kernel.compiled is None:
            self.kernel.bind(self._examples)
        return compiler.address_of(self.kernel.compiled, self._examples)

    def __wrapper_address__(self) -> int:  # which numba asks for
        return self._address


@functools.cache
def _register_pointers() -> None:
    compiler.register_pointers(Pointer)


@functools.cache
def way() -> Way:
    """How kernels run in this process."""
    return Way.LIBRARY if library() else _way_without_library()


def _way_without_library() -> Way:
    return Way.NUMBA if _asked() is not Way.PYTHON and compiler.is_importable() else Way.PYTHON


@functools.cache
def library() -> Library | None:
    """What was compiled ahead of time, if it is there and fits; where it does not fit, that is told once."""
    if _passed_over or _asked() not in (None, Way.LIBRARY):
        return None
    try:
        return opened()
    except MisfitError as misfit:
        _tell(misfit)
        return None


def _pass_over(misfit: MisfitError) -> None:
    """Go on without the library, though it was opened: what has run stays right, and what runs next is bound anew."""
    _passed_over.append(str(misfit))
    _unbind()
    _tell(misfit)


def _unbind() -> None:
    for cached in (library, way):
        cached.cache_clear()
    for each in KERNELS:
        each.compiled = None


def release() -> None:
    """Let go of the library, whose file Windows neither removes nor overwrites while it is open.

    Who calls a kernel later opens it again, so a simulation may go on. It stays open where somebody is at a call just
    now, in another thread or further up in this one: all that calls into it lies in two files, in which nobody else is
    found once no kernel is bound to it any more.
    """
    found = library() if library.cache_info().currsize else None
    if not found:
        return
    _unbind()
    if not _is_any_called():
        found.close()


def _is_any_called() -> bool:
    import traceback  # it and logging take four milliseconds of Blender's start, and are seldom needed

    files = {kernel.__call__.__code__.co_filename, Library.function.__code__.co_filename}
    frames = {**sys._current_frames(), threading.get_ident(): sys._getframe(2)}  # above the one who lets go
    return any(frame.f_code.co_filename in files for top in frames.values() for frame, _ in traceback.walk_stack(top))


def _tell(misfit: MisfitError) -> None:
    instead = "numba compiles them" if compiler.is_installed() else "they run uncompiled, which takes far longer"
    _warn("%s: kernels that were compiled ahead are not used, and %s", misfit, instead)


def _warn(message: str, *told: object) -> None:
    import logging

    logging.getLogger("limberjack").warning(message, *told)


@functools.cache
def _asked() -> Way | None:
    asked = os.environ.get("LIMBERJACK_KERNELS", "")
    if asked and asked not in {each.value for each in Way}:
        _warn("LIMBERJACK_KERNELS is '%s'; it may be library, numba or python, and is passed over", asked)
        return None
    return Way(asked) if asked else None


def is_compiled() -> bool:
    """Whether kernels run as machine code in this process."""
    return way() is not Way.PYTHON


def why_uncompiled() -> str:
    """What keeps kernels from being compiled; empty where nothing does. It takes no second, as importing numba does."""
    if _asked() is Way.PYTHON:
        return "LIMBERJACK_KERNELS is python"
    if library() or compiler.is_installed():
        return ""
    return "there is no library for this machine, and numba is not installed"


def is_ready(what: str) -> bool:
    """Whether all that `what` stands for, a name in the cache, runs at once, with no compilation to wait for."""
    return way() is not Way.NUMBA or kernel_cache.is_filled(what)
