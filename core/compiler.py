# SPDX-License-Identifier: GPL-3.0-or-later
"""The one file that knows numba: kernels compiled when they are first called, and kept in a cache.

Compiled code makes no arrays: it writes to those that it is given, which the caller keeps alive meanwhile.
"""

from __future__ import annotations

import functools
import gc
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .kernel_cache import cache_folder, is_writable

OPTIONS = {"error_model": "numpy"}

WRAPPER = "_ZN7cpython"
"""How the names begin of what numba lets Python call."""

PROCESSORS = {"x86_64": "x86-64-v2", "AMD64": "x86-64-v2"}
"""What machine code is made for, by what Python calls the machine; others get what all of their kind can do.

A bake must not depend on the processor. All that runs Blender has what this asks for; what newer ones add, fused
multiplication and addition, rounds otherwise.
"""


@functools.cache
def is_importable() -> bool:
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


def is_installed() -> bool:
    """As `is_importable`, as far as can be told without the second that importing it takes."""
    return find_spec("numba") is not None


@functools.cache
def options() -> dict[str, Any]:
    """What numba is asked for.

    Where arrays are only lent there is nothing to count, and counting, by locked instructions for each function that
    sees an array, took a third of the time of forward dynamics. The option is private: a numba without it counts.
    """
    with suppress(ImportError):
        from numba.core.options import DefaultOptions

        if hasattr(DefaultOptions, "_nrt"):
            return OPTIONS | {"_nrt": False}
    return OPTIONS


def offer(arithmetic: list[tuple[Callable, bool]]) -> None:
    """Tell numba of functions that kernels may call, and whether inlined. They are taken off the list."""
    from numba.extending import register_jitable

    while arithmetic:
        function, inlined = arithmetic.pop()
        register_jitable(forceinline=inlined, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options())(function)


def dispatcher_of(function: Callable) -> Any:
    """What compiles `function` when it is first called. `offer` what it calls before."""
    import numba

    settings = _settings()
    before = settings["CACHE_DIR"]  # other users of numba in this process keep their own folder
    try:
        settings["CACHE_DIR"] = str(cache_folder())
        # Without a file and a folder it would cache beside the sources, and not notice that they change.
        caches = Path(function.__code__.co_filename).is_file() and is_writable()
        dispatcher: Any = numba.njit(cache=caches, **options())(function)
    finally:
        settings["CACHE_DIR"] = before
    dispatcher.compile = without_garbage_collection()(thriftily()(dispatcher.compile))
    return dispatcher


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Switch Python's cyclic garbage collector off, which takes a sixth of numba's time to compile and frees little."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@functools.cache
def _settings() -> dict[str, Any]:
    """numba's own, whose names come about at run time, with the processor chosen."""
    from numba.core import config

    settings = config.__dict__
    settings["CPU_NAME"] = PROCESSORS.get(platform.machine(), "generic")
    settings["CPU_FEATURES"] = ""
    return settings


@contextmanager
def thriftily() -> Iterator[None]:
    """Meanwhile numba optimises, and makes machine code of, what is called from Python, and nothing else.

    It would do so for each of some 400 functions, which all end up in the 24 that are called. This leans on numba's
    inside: one that looks otherwise compiles as it always does, to the same bits.
    """
    from numba.core import registry

    target: Any = registry.cpu_target
    codegen = target.target_context.codegen()
    library, set_env = getattr(codegen, "_library_class", None), getattr(codegen, "set_env", None)
    if not set_env or not {"_finalize_final_module", "_optimize_final_module", "get_pointer_to_function"} <= set(
        dir(library)
    ):
        yield
        return
    thrifty = _thrifty(library)
    codegen._library_class = thrifty
    codegen.set_env = lambda name, env: thrifty.is_emitted and set_env(name, env)
    try:
        yield
    finally:
        codegen._library_class = library
        del codegen.set_env


@functools.cache
def _thrifty(library: Any) -> Any:
    """A kind of numba's code library that waits until somebody asks where a function lies that Python may call."""

    class Thrifty(library):
        is_emitted = True
        """Of the last that was asked: where there is no machine code, there is no place for what it would need."""
        _waits = False

        def _optimize_final_module(self) -> None:
            if self._is_called_from_python():
                super()._optimize_final_module()

        def _finalize_final_module(self) -> None:
            if self._object_caching_enabled and self._compiled_object:  # it comes from the cache
                super()._finalize_final_module()
                return
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = self._waits = True

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            Thrifty.is_emitted = not self._waits or self._is_called_from_python()
            if not Thrifty.is_emitted:
                return 0
            if self._waits:
                self._waits = False
                super()._finalize_final_module()
            return super().get_pointer_to_function(name)

        def _is_called_from_python(self) -> bool:
            functions = self._final_module.functions
            return any(each.name.startswith(WRAPPER) and not each.is_declaration for each in functions)

    return Thrifty


def type_of_function(examples: tuple, gives: Any) -> Any:
    """numba's type of a function that is called with such arguments, and gives such a result."""
    import numba

    return numba.types.FunctionType(numba.typeof(gives)(*map(numba.typeof, examples)))


def compile_for(dispatcher: Any, arguments: tuple) -> Any:
    """What numba knows of its machine code, which stays as long as the dispatcher."""
    import numba

    signature = tuple(map(numba.typeof, arguments))
    dispatcher.compile(signature)
    return dispatcher.overloads[signature]


def address_of(dispatcher: Any, examples: tuple) -> int:
    """Where the machine code lies for arguments as the examples are; compiled, if it is not yet."""
    result = compile_for(dispatcher, examples)
    return result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)


def register_pointers(pointer_type: type) -> None:
    """Have numba take objects of such a type, with a `type_for_numba`, for functions.

    It is known once: finding it anew took most of a kernel's call.
    """
    from numba.extending import typeof_impl

    typeof_impl.register(pointer_type)(lambda value, _context: value.type_for_numba)
