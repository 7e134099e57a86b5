# SPDX-License-Identifier: GPL-3.0-or-later
"""From one module to a shared library for each platform: by LLVM, and by the linker that zig brings along."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from llvmlite import binding

from .platforms import Platform

ZIG = Path(__file__).parents[1] / ".venv-zig" / "bin" / "python"
"""Of the environment that has it."""

MESSAGE = r"^(@\.const\.picklebuf\.\S+ = internal constant \{[^}]*\}) .*$"
"""Where numba keeps the place of an exception's message."""

PICKLED = r"^(@\.const\.pickledata\.\S+ = internal constant) \[\d+ x i8\] .*$"
"""Where it keeps what it would tell Python of exceptions, and of functions without an address, with all their types."""

DEFINED = r"^(define [^\n]*\) (?:local_unnamed_addr )?)(?=(?:#\d+ )?\{$)"

MOST_SAID = 300
"""Letters of what the linker says."""

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
"""What numba would ask of Python for a function without an address. All of ours have one: a trap stands for these."""

ENTRY = "define i32 @DllMainCRTStartup(ptr %library, i32 %why, ptr %reserved) { ret i32 1 }"
"""There is nothing to begin with; 1 says that this went well."""

TRAP = "declare void @llvm.trap()"

_targets_are_there = False


class LinkError(Exception):
    """There is no library for a platform; the text says why, in a line."""


def write_object(module_text: str, platform: Platform, path: Path) -> None:
    """Machine code for a platform, of what is reached; nothing is optimised again, which could change results."""
    machine = _machine(platform)
    text = re.sub(r"^target triple = .*$", f'target triple = "{platform.triple}"', module_text, flags=re.MULTILINE)
    text = re.sub(r"^target datalayout = .*$", f'target datalayout = "{machine.target_data}"', text, flags=re.MULTILINE)
    text = _without_messages(_as_dll(text) if platform.suffix == ".dll" else text)
    if platform.suffix == ".so":  # no exception passes through any kernel; elsewhere tables for them are asked for
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
    """Without what Python would be told: no kernel raises an exception, and in them lies the path of this checkout.

    Their names are hashes of that, which some libraries show. All that is a third of a library.
    """
    names: dict[str, str] = {}
    empty = re.sub(MESSAGE, r"\1 zeroinitializer", text, flags=re.MULTILINE)
    empty = re.sub(PICKLED, r"\1 [1 x i8] zeroinitializer", empty, flags=re.MULTILINE)
    return re.sub(r"\.const\.picklebuf\.[\w.]+", lambda found: names.setdefault(found[0], f"m{len(names)}"), empty)


def _as_dll(text: str) -> str:
    """With what Windows asks of a library: a list of what it shows, and what is called as it is loaded."""
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
    """A library that needs no other one, and has no date, name or place of this build in it."""
    command = [ZIG, "-m", "ziglang", "build-lib", "-target", platform.linker, "-dynamic", "-fstrip", "-fcompiler-rt"]
    command += ["-O", "ReleaseFast", f"-femit-bin={path}"]
    command += ["-install_name", f"@rpath/{path.name}"] if platform.suffix == ".dylib" else []
    done = subprocess.run([*command, *objects], capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.splitlines() or [f"the linker ended with code {done.returncode}"]
        why = next((line for line in said if "error" in line), said[0])
        raise LinkError(f"cannot be linked: {why[:MOST_SAID]}")  # names have 20,000 letters
