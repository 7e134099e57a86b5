# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds calls of NumPy whose last digits depend on the processor: BLAS, LAPACK, and functions with SIMD variants.

`recording()` replaces the inner loops of ufuncs (`@` is one) by loops that note where they were called and then do the
same, and NumPy's functions that call BLAS themselves by functions that raise.
"""

from __future__ import annotations

import contextlib
import ctypes
import traceback
from collections.abc import Callable, Iterator

import numpy as np

UFUNCS = {
    1: (
        *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"),
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt"),
    ),
    2: ("matmul", "arctan2", "hypot", "power"),
}
"""Functions of one and of two arrays of doubles."""

FUNCTIONS = ("dot", "vdot", "inner", "tensordot", "einsum", "convolve", "correlate", "cov", "corrcoef", "polyfit")
"""Functions that call BLAS, or sum products in loops that have variants."""

DOUBLE = 12
"""NumPy's number of the type float64."""

REPLACE_LOOP = 30
"""Place of PyUFunc_ReplaceLoopBySignature in NumPy's table of functions for C."""

LOOP = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class DependsOnProcessorError(AssertionError):
    """A function was called that may give other last digits on another processor."""


@contextlib.contextmanager
def recording() -> Iterator[list[str]]:
    """Yield a list to which each such call adds the place in the code that made it."""
    calls: list[str] = []
    with contextlib.ExitStack() as stack:
        for inputs, names in UFUNCS.items():
            for name in names:
                stack.enter_context(_replaced_loop(getattr(np, name), inputs + 1, calls))
        for module, names in (
            (np, FUNCTIONS),
            (np.linalg, [name for name in np.linalg.__all__ if name != "LinAlgError"]),
        ):
            for name in names:
                stack.enter_context(_replaced(module, name, _raising(f"{module.__name__}.{name}")))
        yield calls


@contextlib.contextmanager
def _replaced(module: object, name: str, function: Callable) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, function)
    try:
        yield
    finally:
        setattr(module, name, before)


def _raising(name: str) -> Callable:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise DependsOnProcessorError(f"{name} depends on the processor; use core/spatial/arrays.py")

    return refuse


@contextlib.contextmanager
def _replaced_loop(ufunc: np.ufunc, operands: int, calls: list[str]) -> Iterator[None]:
    replace = _replace_function()
    signature = (ctypes.c_int * operands)(*[DOUBLE] * operands)
    old = ctypes.c_void_p()

    def note(arguments: int, counts: int, steps: int, data: int) -> None:
        frame = traceback.extract_stack(limit=4)[-2]
        calls.append(f"{ufunc.__name__} in {frame.filename}:{frame.lineno}: {frame.line}")
        LOOP(old.value)(arguments, counts, steps, data)

    loop = LOOP(note)
    assert replace(ufunc, ctypes.cast(loop, ctypes.c_void_p), signature, ctypes.byref(old)) == 0
    try:
        yield
    finally:
        replace(ufunc, old, signature, None)


def _replace_function() -> Callable:
    core = np._core if hasattr(np, "_core") else np.core
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = ctypes.cast(pointer(core._multiarray_umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    kinds = (ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    return ctypes.PYFUNCTYPE(ctypes.c_int, *kinds)(table[REPLACE_LOOP])
