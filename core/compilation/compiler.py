# SPDX-License-Identifier: GPL-3.0-or-later
"""The only file that depends on numba: it compiles kernels at their first call, and keeps them in a cache.

Compiled code makes no arrays. It writes to those that it is given, which the caller keeps alive meanwhile.
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
"""Options of numba for all kernels. Division by 0 gives infinity or NaN, as in NumPy."""

WRAPPER = "_ZN7cpython"
"""Beginning of the names of functions that numba lets Python call."""

PROCESSORS = {"x86_64": "x86-64-v2", "AMD64": "x86-64-v2"}
"""Processor for which machine code is made, by Python's name of the machine. Others get code for all of their kind.

A bake must not depend on the processor. All machines that run Blender have these instructions. Newer instructions,
fused multiplication and addition, round differently.
"""


@functools.cache
def is_importable() -> bool:
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


def is_installed() -> bool:
    """Return whether numba is installed, without the second that `is_importable` takes to import it."""
    return find_spec("numba") is not None


@functools.cache
def options() -> dict[str, Any]:
    """Return the options of numba's compiler.

    Reference counting is switched off, since arrays are only lent. It needs locked instructions in each function that
    takes an array, which took a third of the time of forward dynamics. The option is private: a numba without it
    counts.
    """
    with suppress(ImportError):
        from numba.core.options import DefaultOptions

        if hasattr(DefaultOptions, "_nrt"):
            return OPTIONS | {"_nrt": False}
    return OPTIONS


def offer(arithmetic: list[tuple[Callable, bool]]) -> None:
    """Register with numba the functions that kernels may call, and whether they are inlined.

    They are removed from the list.
    """
    from numba.extending import register_jitable

    while arithmetic:
        function, inlined = arithmetic.pop()
        register_jitable(forceinline=inlined, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options())(function)


def dispatcher_of(function: Callable) -> Any:
    """Return an object that compiles `function` at its first call. `offer` must be called before for what it calls."""
    import numba

    settings = _settings()
    before = settings["CACHE_DIR"]  # other users of numba in this process keep their own folder
    try:
        settings["CACHE_DIR"] = str(cache_folder())
        # Without a file and a folder, it would cache beside the sources and not notice their changes.
        caches = Path(function.__code__.co_filename).is_file() and is_writable()
        dispatcher: Any = numba.njit(cache=caches, **options())(function)
    finally:
        settings["CACHE_DIR"] = before
    dispatcher.compile = without_garbage_collection()(thriftily()(dispatcher.compile))
    return dispatcher


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Switch Python's cyclic garbage collector off in the block.

    It takes a sixth of the time that numba needs to compile, and frees little.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@functools.cache
def _settings() -> dict[str, Any]:
    """Return numba's settings, whose names exist at run time only, after choosing the processor."""
    from numba.core import config

    settings = config.__dict__
    settings["CPU_NAME"] = PROCESSORS.get(platform.machine(), "generic")
    settings["CPU_FEATURES"] = ""
    return settings


@contextmanager
def thriftily() -> Iterator[None]:
    """Make numba optimise and emit machine code only for functions that Python calls, in the block.

    Otherwise it would do so for each of some 400 functions, all of which are part of the 24 that are called. This
    depends on internals of numba. A numba with other internals compiles as usual, to the same bits.
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
    """Return a subclass of numba's code library that emits machine code late.

    It does so only when the address of a function that Python may call is requested.
    """

    class Thrifty(library):
        is_emitted = True
        """Whether the last requested function has machine code. Without it, there is no place for its environment."""
        _waits = False

        def _optimize_final_module(self) -> None:
            if self._is_called_from_python():
                super()._optimize_final_module()

        def _finalize_final_module(self) -> None:
            if self._object_caching_enabled and self._compiled_object:  # loaded from the cache
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
    """Return numba's type of a function.

    Args:
        examples: arguments of the types that it takes.
        gives: a result of the type that it returns.
    """
    import numba

    return numba.types.FunctionType(numba.typeof(gives)(*map(numba.typeof, examples)))


def compile_for(dispatcher: Any, arguments: tuple) -> Any:
    """Compile a dispatcher for arguments of these types. Return numba's result, which the dispatcher keeps."""
    import numba

    signature = tuple(map(numba.typeof, arguments))
    dispatcher.compile(signature)
    return dispatcher.overloads[signature]


def address_of(dispatcher: Any, examples: tuple) -> int:
    """Return the address of the machine code for arguments of the types of `examples`, compiled if necessary."""
    result = compile_for(dispatcher, examples)
    return result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)


def register_pointers(pointer_type: type) -> None:
    """Make numba treat objects of a type that has `type_for_numba` as functions.

    Their type is computed once: computing it at each call took most of the time of the call.
    """
    from numba.extending import typeof_impl

    typeof_impl.register(pointer_type)(lambda value, _context: value.type_for_numba)
