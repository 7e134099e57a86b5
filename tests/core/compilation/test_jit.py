# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiling when first called, and the cache."""

import ast
import importlib
import os
import pkgutil
import subprocess
import sys
from importlib.util import resolve_name
from pathlib import Path

import numpy as np
import pytest

from limberjack import core
from limberjack.core.compilation import compiler, jit, kernel_cache
from limberjack.core.compilation.kernel_sources import COMPILER, sources

MOVED = """
from limberjack.core.kinematics import forward
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
model = compile_model(Model(links=[Link("bob")], joints=[Joint("hinge", "revolute", WORLD, "bob")]))
forward.tree_kinematics(model, model.q_from({}))
assert forward.move_links.compiled.signatures, "nothing was compiled"
"""
"""Runs a kernel that is compiled within seconds, though it calls arithmetic of many modules."""

needs_numba = pytest.mark.skipif(not compiler.is_importable(), reason="numba is not installed")
runs_by_numba = pytest.mark.skipif(jit.way() is not jit.Way.NUMBA, reason="nothing is compiled by numba here")


@jit.jitable
def doubled(x):
    return 2.0 * x


@jit.kernel
def sum_of_doubles(values):
    total = 0.0
    for value in values:
        total += doubled(value)
    return total


def test_arithmetic_and_kernels_stay_python():
    """Guards debugging and the uncompiled way: functions answer as they were written."""
    assert doubled(1.5) == 3.0
    assert sum_of_doubles.python(np.ones(3)) == 6.0
    assert sum_of_doubles(np.ones(3)) == 6.0


@needs_numba
def test_no_kernel_counts_references():
    """Guards the speed of kernels: forward dynamics took 1.5 times as long while its loops counted."""
    sum_of_doubles(np.ones(3))
    for code in sum_of_doubles.compiled.inspect_asm().values():
        assert "NRT_" not in code


@needs_numba
@pytest.mark.slow
def test_arithmetic_may_come_after_the_first_kernel(tmp_path):
    """Guards modules that are imported once something has run: their arithmetic is compiled, too."""
    first = """
import numpy as np
from limberjack.core.compilation import jit
jit.kernel(lambda values: values[0])(np.ones(2))
"""
    environment = {"LIMBERJACK_CACHE": str(tmp_path), "LIMBERJACK_KERNELS": "numba", "PATH": ""}
    command = [sys.executable, "-c", first + MOVED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.rglob("*.nbc"))) == 1


@needs_numba
@pytest.mark.slow
def test_machine_code_is_made_of_what_is_called(tmp_path):
    """Guards developers' time: of the functions of a kernel none is compiled by itself; and others who use numba in the
    same process find it as it was."""
    counted = """
from llvmlite.binding import ExecutionEngine
add, added = ExecutionEngine.add_module, []
ExecutionEngine.add_module = lambda engine, module: added.append(module.name) or add(engine, module)
"""
    afterwards = """
import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target
codegen = cpu_target.target_context.codegen()
assert codegen._library_class is JITCodeLibrary and "set_env" not in vars(codegen)
print(added)
assert numba.njit(lambda x: 2 * x)(3) == 6
"""
    environment = {"LIMBERJACK_CACHE": str(tmp_path), "LIMBERJACK_KERNELS": "numba", "PATH": ""}
    command = [sys.executable, "-c", counted + MOVED + afterwards]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['move_links']\n"  # some fifty otherwise


SWINGS = """
import numpy as np
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
model = Model(links=[Link("bob", com=(0.3, 0.0, -1.0))], joints=[Joint("hinge", "ball", WORLD, "bob")])
print(Simulation(model, np.array([0.0, 0.1])).run().q.tobytes().hex())
"""

FALLS = """
import numpy as np
from limberjack.core.geometry import Box, Plane, Shape, Sphere
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
shapes = [Shape("box", Box((0.2, 0.1, 0.1))), Shape("ball", Sphere(0.1), (0.3, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))]
thing = Link("thing", inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1), collisions=shapes)
floor = Link("floor", collisions=[Shape("floor", Plane())])
placed = Joint("free", "free", WORLD, "thing", X_PJ=(0.0, 0.0, 0.12, 0.98, 0.0, 0.199, 0.0))
simulation = Simulation(Model(links=[thing, floor], joints=[placed, Joint("lies", "fixed", WORLD, "floor")]), [0, 0.1])
print(simulation.run().q.tobytes().hex(), len(simulation.impacts))
"""


@pytest.mark.parametrize("code", [SWINGS, FALLS])
def test_without_numba_the_same_motion(code):
    """Guards LIMBERJACK_KERNELS=python: a simulation runs undecorated, and gives the bits of the compiled one."""
    answers = []
    for way in ({}, {"LIMBERJACK_KERNELS": "python"}):
        environment = os.environ | way
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        answers.append(done.stdout)
    assert answers[0] == answers[1]


@runs_by_numba
def test_after_warming_up_nothing_is_left_to_compile():
    """Guards the first simulation in Blender's window: loops, controls, every solver and record find their kernels."""
    code = """
import gc
import numpy as np
from limberjack.core.compilation import jit
from limberjack.core.model import WORLD, Axis, Joint, Link, Mimic, Model
from limberjack.core.simulation import RECORDS, SOLVERS, Controls, Forces, Simulation, warm_up

def compiled():
    kernels = [item for item in gc.get_objects() if isinstance(item, jit.kernel)]
    return {item.name: len(item.compiled.signatures) for item in kernels if item.compiled}

warm_up()
before = compiled()
times = np.linspace(0.0, 0.1, 4)
rod = [Axis(lower=1.0, upper=1.0)]
model = Model(links=[Link(name, com=(0.1, 0.2, -1.0), linear_damping=0.1) for name in ("a", "b", "c", "d")])
model.joints = [
    Joint("hinge", "revolute", WORLD, "a", axes=[Axis(spring_stiffness=1e6, damping=10.0)]),
    Joint("neck", "ball", "a", "b"),
    Joint("rod", "distance", WORLD, "b", (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0), axes=rod),
    Joint("slide", "prismatic", WORLD, "c", mimic=Mimic("hinge")),
    Joint("lid", "revolute", WORLD, "d"),
]
tree = Model(links=model.links[:1], joints=model.joints[:1])
tip = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
for solver in SOLVERS:
    for each in (model, tree):
        forces = lambda moment: Forces({"hinge": 1.0}, {"a": np.ones(6)})
        record = RECORDS if SOLVERS[solver].has_contact else RECORDS[:2]
        Simulation(each, times, "draft", {"qd": {"hinge": 0.1}}, solver, Controls(forces=forces), record).run()
Simulation(model, times, "draft", controls=Controls({"lid": np.sin}, {"c": lambda time: tip}), record=RECORDS).run()
after = compiled()
print({name: (count, after[name]) for name, count in before.items() if after[name] != count}, set(after) - set(before))
"""
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=False)
    assert done.stdout == "{} set()\n", done.stdout + done.stderr


@needs_numba
@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_no_obstacle():
    """Guards locked-down machines: kernels are compiled for the process alone, and nothing lands beside the sources."""
    code = f"""
from limberjack.core.compilation import kernel_cache
assert not kernel_cache.is_filled("poses")
with kernel_cache.filling("poses"):
    exec({MOVED!r})
assert kernel_cache.is_filled("poses")
"""
    before = set(kernel_cache.CORE_FOLDER.rglob("*.nbi"))
    environment = {"LIMBERJACK_CACHE": "/dev/null/nowhere", "LIMBERJACK_KERNELS": "numba", "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(kernel_cache.CORE_FOLDER.rglob("*.nbi")) == before


@pytest.mark.parametrize("path", ["b.py", COMPILER])
def test_the_cache_follows_the_sources_of_kernels(monkeypatch, tmp_path, path):
    """Guards against stale kernels: an edited source has another folder; numba alone would not notice."""
    monkeypatch.setattr(kernel_cache, "CORE_FOLDER", tmp_path)
    names = []
    for text in ("x = 1", "x = 2", "x = 1"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(f"{text}\n\n\n@kernel\ndef f():\n    return x\n" if path == "b.py" else text)
        names.append(folder_now())
    assert names[0] == names[2] != names[1]


def test_the_cache_outlives_what_kernels_do_not_read(monkeypatch, tmp_path):
    """Guards developers' time: what has no kernel is edited without 70 s of compilation."""
    monkeypatch.setattr(kernel_cache, "CORE_FOLDER", tmp_path)
    before = folder_now()
    (tmp_path / "words.py").write_text("WORD = 'a @kernel is compiled'")
    assert folder_now() == before


def folder_now():
    """The cache's, with nothing remembered."""
    kernel_cache._fingerprint.cache_clear()
    try:
        return kernel_cache.cache_folder()
    finally:
        kernel_cache._fingerprint.cache_clear()


def tree_of(module: str) -> ast.Module:
    return ast.parse(Path(importlib.import_module(module).__file__).read_text(encoding="utf-8"))


def home_of(module: str, name: str) -> str:
    """The module that gives a value its name, which others import from each other."""
    is_package = hasattr(importlib.import_module(module), "__path__")
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.ImportFrom) and node.level and name in {entry.name for entry in node.names}:
            package = module if is_package else module.rpartition(".")[0]
            return home_of(resolve_name("." * node.level + (node.module or ""), package), name)
    return module


def read_by_kernels(module: str) -> set[str]:
    """Names of a module that its kernels and their arithmetic use."""
    marks = {"kernel", "jitable", "subroutine"}
    functions = [node for node in tree_of(module).body if isinstance(node, ast.FunctionDef)]
    marked = [node for node in functions if marks & {getattr(mark, "id", "") for mark in node.decorator_list}]
    names = {
        found.id for node in marked for line in node.body for found in ast.walk(line) if isinstance(found, ast.Name)
    }
    return names & set(vars(importlib.import_module(module)))


def test_all_that_kernels_read_is_among_their_sources():
    """Guards against stale kernels: each function and each constant that kernels name is in a file that is hashed."""
    known = {f"limberjack.core.{path.removesuffix('.py').replace('/', '.')}" for path in sources()}
    read = {home_of(module, name) for module in known for name in read_by_kernels(module)}
    assert {
        "limberjack.core.joints.parts",
        "limberjack.core.model.compiling.compiled",
        "limberjack.core.spatial.types",
    } <= read
    assert read <= known


def test_no_field_is_called_as_numpy_calls_its_own():
    """Guards plain Python, in which `record.sort` is numpy's method, and no field: another motion than compiled."""
    taken = set(dir(np.void)) | set(dir(np.ndarray))
    fields = set()

    def collect(dtype):
        for name in dtype.names or ():
            fields.add(name)
            collect(dtype[name].base)

    for module in pkgutil.walk_packages(core.__path__, "limberjack.core."):
        if module.name.startswith("limberjack.core.prove.programs."):  # other programs' Python runs these
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, np.dtype):
                collect(value)
    assert {"place", "armature"} <= fields
    assert not fields & taken
