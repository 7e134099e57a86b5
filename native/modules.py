# SPDX-License-Identifier: GPL-3.0-or-later
"""All kernels as one LLVM module, with an entry point for each kernel, and the table that describes them.

This file depends on internals of numba: the layout of arguments, the names of compiled functions, and the module that
numba keeps of each function. requirements/dev.txt pins the version of numba for which it was written, and the tests
compare the results of the libraries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba.core import types

from limberjack.core.compilation import jit

SLOT = ir.IntType(64)
"""Type of a slot, of which blocks of arguments and results consist."""

STATUS = ir.IntType(32)
"""Type of the status that an entry point returns."""

BYTE = ir.IntType(8)
"""Type of a byte."""

POINTER = BYTE.as_pointer()
"""Type of the address of a block of slots."""


@dataclass
class Kernel:
    """A compiled kernel.

    Attributes:
        result: numba's result of compilation, for the one set of argument types with which the kernel is called.
        arguments: those of one call.
        is_called_by_kernels: whether kernels call it through a pointer.
    """

    name: str
    result: Any
    arguments: tuple
    is_called_by_kernels: bool

    @property
    def symbol(self) -> str:
        return f"lj_{self.name.replace('.', '_')}"

    @property
    def native(self) -> str:
        """The name that numba gives to it."""
        return self.result.fndesc.llvm_func_name

    @property
    def shown(self) -> str:
        """The name under which kernels with a pointer call it."""
        return f"{self.symbol}_native"


def kernels_called(call_all: Any) -> list[Kernel]:
    """Return all kernels, in the order of their names. They are compiled by calling them.

    Raises:
        RuntimeError: if a kernel is not called, or is called with several sets of argument types, which a library could
            not distinguish.
    """
    calls, pointed = _calls_noted(call_all)
    found = []
    for name in sorted(item.name for item in jit.KERNELS):
        if name not in calls:
            raise RuntimeError(f"kernel {name} is never called; let native/exercise.py call it")
        item, arguments = calls[name]
        results = list(item.compiled.overloads.values())
        if len(results) != 1:
            raise RuntimeError(f"kernel {name} is compiled for {len(results)} sets of argument types")
        found.append(Kernel(name, results[0], arguments, name in pointed))
    return found


def _calls_noted(call_all: Any) -> tuple[dict[str, tuple[jit.kernel, tuple]], set[str]]:
    """Return the first call of each kernel, and the names of the kernels that have pointers."""
    calls: dict[str, tuple[jit.kernel, tuple]] = {}
    pointed: set[str] = set()
    bind, init = jit.kernel.bind, jit.Pointer.__init__

    def noting_bind(item: jit.kernel, arguments: tuple) -> Any:
        calls[item.name] = item, arguments
        return bind(item, arguments)

    def noting_init(pointer: jit.Pointer, function: jit.kernel, *examples: Any, gives: Any = None) -> None:
        pointed.add(function.name)
        init(pointer, function, *examples, gives=gives)

    jit.kernel.bind, jit.Pointer.__init__ = noting_bind, noting_init
    try:
        call_all()
    finally:
        jit.kernel.bind, jit.Pointer.__init__ = bind, init
    return calls, pointed


def joined(kernels: list[Kernel]) -> binding.ModuleRef:
    """Return one module with all kernels, which exports the entry points and the kernels that have pointers."""
    whole = binding.parse_assembly(str(_ways_in(kernels)))
    for kernel in kernels:
        part = binding.parse_bitcode(kernel.result.library._final_module.as_bitcode())
        for defined in _defined(part):  # the same function may come with several kernels
            defined.linkage = "linkonce_odr"
        whole.link_in(part)
    pointed = {kernel.native: kernel.shown for kernel in kernels if kernel.is_called_by_kernels}
    shown = {kernel.symbol for kernel in kernels} | set(pointed)
    for defined in _defined(whole):
        defined.linkage = "external" if defined.name in shown else "internal"
        if defined.name in pointed:
            defined.name = pointed[defined.name]
    return whole


def _defined(module: binding.ModuleRef) -> Iterator[Any]:
    yield from (function for function in module.functions if not function.is_declaration)
    yield from (variable for variable in module.global_variables if not variable.is_declaration)


def _ways_in(kernels: list[Kernel]) -> ir.Module:
    """Return a module with an entry point for each kernel.

    Its arguments are the address of the result, and for each argument of the kernel a number or a block of slots.
    """
    module = ir.Module("limberjack")
    first = kernels[0].result.library._final_module
    module.triple, module.data_layout = first.triple, str(first.data_layout)
    for kernel in kernels:
        _write_way_in(module, kernel)
    return module


def _write_way_in(module: ir.Module, kernel: Kernel) -> None:
    described, context = kernel.result.fndesc, kernel.result.target_context
    native_type = context.call_conv.get_function_type(described.restype, described.argtypes)
    native = ir.Function(module, native_type, kernel.native)
    taken = [_passed_as(kind) for kind in described.argtypes]
    own = ir.Function(module, ir.FunctionType(STATUS, [POINTER, *taken]), kernel.symbol)
    builder = ir.IRBuilder(own.append_basic_block())
    result, exception = builder.alloca(native_type.args[0].pointee), builder.alloca(native_type.args[1].pointee)
    passed, wanted = [result, exception], iter(native_type.args[2:])
    for kind, given in zip(described.argtypes, own.args[1:], strict=True):
        if given.type == POINTER:
            passed += [_load(builder, given, n, next(wanted)) for n in range(_slots(context, kind))]
        else:
            want = next(wanted)
            passed.append(given if given.type == want else builder.trunc(given, want))
    status = builder.call(native, passed)
    if described.restype is not types.none:
        room = builder.bitcast(own.args[0], SLOT.as_pointer())
        for n, leaf in enumerate(_leaves(builder, builder.load(result))):
            place = builder.gep(room, [ir.Constant(SLOT, n)])
            builder.store(leaf, builder.bitcast(place, leaf.type.as_pointer()))
    builder.ret(status)


def _passed_as(kind: types.Type) -> ir.Type:
    if isinstance(kind, types.Float):
        return ir.DoubleType()
    return SLOT if isinstance(kind, types.Integer | types.Boolean) else POINTER


def _slots(context: Any, kind: types.Type) -> int:
    """Return the number of slots that an argument takes."""
    return len(context.get_arg_packer([kind]).argument_types)


def _load(builder: ir.IRBuilder, block: ir.Value, number: int, wanted: ir.Type) -> ir.Value:
    place = builder.gep(builder.bitcast(block, SLOT.as_pointer()), [ir.Constant(SLOT, number)])
    return builder.load(builder.bitcast(place, wanted.as_pointer()))


def _leaves(builder: ir.IRBuilder, value: ir.Value) -> Iterator[ir.Value]:
    """Yield the numbers that a result consists of, each widened to a slot."""
    if isinstance(value.type, ir.LiteralStructType | ir.ArrayType):
        for n in range(len(value.type)):
            yield from _leaves(builder, builder.extract_value(value, n))
    elif isinstance(value.type, ir.IntType) and value.type.width < SLOT.width:
        yield builder.zext(value, SLOT)
    else:
        yield value


@dataclass
class Types:
    """The argument types of kernels in the table. Each type occurs once, and a tuple comes after its parts."""

    entries: list[dict] = field(default_factory=list)

    def number_of(self, kind: types.Type, value: Any) -> int:
        entry = self._entry(kind, value)
        if entry not in self.entries:
            self.entries.append(entry)
        return self.entries.index(entry)

    def _entry(self, kind: types.Type, value: Any) -> dict:
        if isinstance(kind, types.Array):
            layout = layout_of(value.dtype)
            words = f"an array of {value.ndim} dimension(s) of {value.dtype}"
            return {"kind": "array", "words": words, "layout": layout, "dimensions": value.ndim}
        if isinstance(kind, types.BaseTuple):
            parts = [self.number_of(part, each) for part, each in zip(kind, value, strict=True)]
            fields = list(getattr(value, "_fields", ()))
            return {"kind": "tuple", "words": f"{type(value).__name__} of {fields}", "fields": fields, "parts": parts}
        if isinstance(kind, types.FunctionType):
            return {"kind": "function", "words": "a kernel"}
        if isinstance(kind, types.Float) and kind.bitwidth == SLOT.width:
            return {"kind": "float", "words": "a number"}
        if isinstance(kind, types.Boolean) or (isinstance(kind, types.Integer) and kind.bitwidth == SLOT.width):
            return {"kind": "int", "words": "a whole number"}
        raise TypeError(f"a library cannot take {kind}")


def layout_of(dtype: np.dtype) -> Any:
    """Return the name of a plain type, or the names, types, shapes and offsets of a record's fields."""
    if not dtype.names:
        return dtype.str
    fields = [dtype.fields[name] for name in dtype.names]
    return {
        "names": list(dtype.names),
        "formats": [[layout_of(each.base), list(each.shape)] for each, *_ in fields],
        "offsets": [place for _, place, *_ in fields],
        "itemsize": dtype.itemsize,
    }


def gives(kind: types.Type) -> Any:
    """Return the type of a result as the table has it: see `_result` in core/compilation/library.py."""
    if isinstance(kind, types.BaseTuple):
        return [gives(part) for part in kind]
    kind = types.unliteral(kind)
    letters = {types.none: "none", types.float64: "d", types.int64: "q", types.boolean: "?"}
    return letters[kind]


def entry_of(kernel: Kernel, taken: Types) -> dict:
    """Return the entry of a kernel in the table."""
    described = kernel.result.fndesc
    takes = [taken.number_of(kind, value) for kind, value in zip(described.argtypes, kernel.arguments, strict=True)]
    entry = {"symbol": kernel.symbol, "takes": takes, "gives": gives(described.restype)}
    return entry | ({"native": kernel.shown} if kernel.is_called_by_kernels else {})
