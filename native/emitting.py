# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles an LLVM module to a shared library for each platform, with LLVM and the linker of zig."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from llvmlite import binding

from .platforms import Platform

ZIG = Path(__file__).parents[1] / ".venv-zig" / "bin" / "python"
"""Python of the environment in which zig is installed."""

MESSAGE = r"^(@\.const\.picklebuf\.\S+ = internal constant \{[^}]*\}) .*$"
"""Pattern of a definition that has the address of an exception's message, as numba writes it."""

PICKLED = r"^(@\.const\.pickledata\.\S+ = internal constant) \[\d+ x i8\] .*$"
"""Pattern of pickled data for Python, as numba writes them: exceptions, and functions without an address.

They contain the types of these functions.
"""

DEFINED = r"^(define [^\n]*\) (?:local_unnamed_addr )?)(?=(?:#\d+ )?\{$)"
"""Pattern of the first line of a function's definition, up to its attributes."""

MOST_SAID = 300
"""Largest number of characters of the linker's messages that are shown."""

UNREACHED = (
    "numba_gil_ensure",
    "numba_gil_release",
    "numba_unpickle",
    "PyImport_ImportModule",
    "PyObject_GetAttrString",
    "PyObject_CallFunctionObjArgs",
    "PyLong_AsVoidPtr",
    "Py_DecRef",
)
"""Functions of Python that numba would call for a function without an address.

All kernels have addresses, so a trap replaces each of these functions.
"""

ENTRY = "define i32 @DllMainCRTStartup(ptr %library, i32 %why, ptr %reserved) { ret i32 1 }"
"""Entry point that Windows calls when it loads a library. Nothing has to be initialised; 1 reports success."""

TRAP = "declare void @llvm.trap()"
"""Declaration of LLVM's trap, which ends the process."""

_targets_are_there = False


class LinkError(Exception):
    """The error if there is no library for a platform. The text gives the reason in one line."""


def write_object(module_text: str, platform: Platform, path: Path) -> None:
    """Write the machine code of all reachable functions for a platform to `path`.

    The code is not optimised again, since that could change results.
    """
    machine = _machine(platform)
    text = re.sub(r"^target triple = .*$", f'target triple = "{platform.triple}"', module_text, flags=re.MULTILINE)
    text = re.sub(r"^target datalayout = .*$", f'target datalayout = "{machine.target_data}"', text, flags=re.MULTILINE)
    text = _without_messages(_as_dll(text) if platform.suffix == ".dll" else text)
    if platform.suffix == ".so":  # no exception passes a kernel; other systems need unwind tables
        text = re.sub(DEFINED, r"\1nounwind ", text, flags=re.MULTILINE)
    module = binding.parse_assembly(_with_traps(text))
    module.verify()
    passes = binding.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=0)))
    path.write_bytes(machine.emit_object(module))


def _machine(platform: Platform) -> binding.TargetMachine:
    global _targets_are_there
    if not _targets_are_there:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
        _targets_are_there = True
    target = binding.Target.from_triple(platform.triple)
    return target.create_target_machine(cpu=platform.processor, opt=3, reloc="pic", codemodel="small")


def _without_messages(text: str) -> str:
    """Return a module without the data that numba keeps for Python, which are a third of a library.

    No kernel raises an exception, and the data contain the path of this checkout. Their names, which some libraries
    show, are hashes of the data, so they are replaced by numbers.
    """
    names: dict[str, str] = {}
    empty = re.sub(MESSAGE, r"\1 zeroinitializer", text, flags=re.MULTILINE)
    empty = re.sub(PICKLED, r"\1 [1 x i8] zeroinitializer", empty, flags=re.MULTILINE)
    return re.sub(r"\.const\.picklebuf\.[\w.]+", lambda found: names.setdefault(found[0], f"m{len(names)}"), empty)


def _as_dll(text: str) -> str:
    """Return a module for Windows: with marks on the functions that a library exports, and with its entry point."""
    shown = re.sub(r"^define (?=[^\n]*@lj_)", "define dllexport ", text, flags=re.MULTILINE)
    return f"{shown}\n{ENTRY}\n"


def _with_traps(text: str) -> str:
    for name in UNREACHED:
        text = re.sub(rf"^declare [^\n]*@{name}\([^\n]*$", _trap, text, flags=re.MULTILINE)
    return text if TRAP in text or "@llvm.trap()" not in text else f"{text}\n{TRAP}\n"


def _trap(declaration: re.Match) -> str:
    head = re.sub(r"\)[^)]*$", ")", declaration[0].replace("declare", "define internal", 1))
    return f"{head} noinline {{\n call void @llvm.trap()\n unreachable\n}}"


def link(objects: list[Path], platform: Platform, path: Path) -> None:
    """Link a shared library that needs no other one, and that contains no date, name or path of this build.

    Raises:
        LinkError: if the linker fails.
    """
    command = [ZIG, "-m", "ziglang", "build-lib", "-target", platform.linker, "-dynamic", "-fstrip", "-fcompiler-rt"]
    command += ["-O", "ReleaseFast", f"-femit-bin={path}"]
    command += ["-install_name", f"@rpath/{path.name}"] if platform.suffix == ".dylib" else []
    done = subprocess.run([*command, *objects], capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.splitlines() or [f"the linker ended with code {done.returncode}"]
        why = next((line for line in said if "error" in line), said[0])
        raise LinkError(f"cannot be linked: {why[:MOST_SAID]}")  # names of functions have 20,000 letters
