# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels compiled ahead of time: the same bits, and nothing that does not fit is ever called."""

import copy
import gc
import importlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.compilation import abi, compiler, jit, kernel_table, library
from limberjack.core.compilation.kernel_cache import CORE_FOLDER
from limberjack.core.compilation.kernel_sources import sources
from limberjack.core.compilation.kernel_table import TABLE, table_text
from limberjack.core.dynamics import mass_matrix, mechanical_energy
from limberjack.core.kinematics import make_work
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model

MADE = CORE_FOLDER / "kernels"
ROOT = CORE_FOLDER.parent

needs_library = pytest.mark.skipif(
    jit.way() is not jit.Way.LIBRARY, reason="kernels run otherwise here: `make kernels` makes a library of them"
)
pytestmark = needs_library


@pytest.fixture
def folder(tmp_path):
    """A copy of the library and its table, to be spoilt."""
    return Path(shutil.copytree(MADE, tmp_path / "kernels"))


@pytest.fixture
def compiled():
    joint = Joint("hinge", "revolute", WORLD, "bob")
    return compile_model(Model(links=[Link("bob", com=(0.0, 0.0, -1.0))], joints=[joint]))


def cut_short(folder):
    (path,) = folder.glob("kernels-*")
    short = path.read_bytes()[:-1000]
    path.unlink()  # who has opened it keeps it whole
    path.write_bytes(short)


RUN = """
import sys
from pathlib import Path
sys.modules["numba"] = None  # which would take a minute to compile
from limberjack.core.compilation import library
library._folders = lambda: [Path({folder!r})]
import numpy as np
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.compilation import jit
model = Model(links=[Link("bob", com=(0.3, 0.0, -1.0))], joints=[Joint("hinge", "ball", WORLD, "bob")])
print(Simulation(model, np.array([0.0, 0.1])).run().q[-1].tobytes().hex(), jit.way().value)
"""


RELEASED = """
import threading
from pathlib import Path
import numpy as np
from limberjack.core.compilation import jit
from limberjack.core.dynamics import mechanical_energy
from limberjack.core.kinematics import make_work
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.simulation import Simulation

path = str(jit.library().path)
model = Model(links=[Link("bob", com=(0.3, 0.0, -1.0))], joints=[Joint("hinge", "revolute", WORLD, "bob")])

def is_open():
    return path in Path("/proc/self/maps").read_text()
"""

GONE_ON_WITH = """
def simulation():
    return Simulation(model, np.array([0.0, 0.1, 0.2]))
expected = simulation().run().q
begun = simulation()
steps = iter(begun)
next(steps)
jit.release()
assert not is_open(), "the file is still open"
list(steps)
assert is_open(), "what goes on has no library"
assert begun.trajectory.q.tobytes() == expected.tobytes()
"""
"""In the middle of a simulation."""

IN_USE = """
arrays, q = compile_model(model).arrays, np.array([0.7])
expected = mechanical_energy(arrays, make_work(arrays), q, q)
reached, released, found = threading.Event(), threading.Event(), []

class Slow(type(make_work(arrays))):
    slots = property(lambda self: (reached.set(), released.wait(60), None)[-1], lambda self, value: None)

def call():
    found.append(mechanical_energy(arrays, Slow(*make_work(arrays)), q, q))

thread = threading.Thread(target=call)
thread.start()
assert reached.wait(60)
jit.release()
assert is_open(), "the file is closed before it is called into"
released.set()
thread.join()
assert found == [expected]
"""
"""By a thread whose call has begun, and which has yet to come to the machine code."""


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux tells which files a process has open so")
@pytest.mark.parametrize("then", [GONE_ON_WITH, IN_USE], ids=["gone on with", "in use"])
def test_the_library_is_let_go_of(then):
    """Guards upgrades on Windows, which replaces no file that is open, and against crashes: what is called meanwhile is
    there, and what goes on afterwards opens it again and gives the same motion."""
    done = subprocess.run([sys.executable, "-c", RELEASED + then], env=os.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def run(folder, **settings):
    """(the last coordinates, the way they were computed, what was said) of a new process without numba."""
    command = [sys.executable, "-c", RUN.format(folder=str(folder))]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return *done.stdout.split(), done.stderr


def moved_field(folder):
    """Two fields of the record that `advance` keeps its state in have changed places."""
    table = json.loads((folder / TABLE).read_text())
    layout = next(each["layout"] for each in table["types"] if "rejected" in str(each.get("layout")))
    offsets = layout["offsets"]
    offsets[2], offsets[3] = offsets[3], offsets[2]
    (folder / TABLE).write_text(table_text(table))


def test_a_moved_field_is_found_before_the_first_call(folder):
    """Guards against a library whose records lie otherwise: one line, and the same motion by the next way there is."""
    right, way, said = run(folder)
    assert (way, said) == ("library", "")
    moved_field(folder)
    found, way, said = run(folder)
    assert (found, way) == (right, "python")
    (line,) = said.splitlines()
    assert "solvers.integration.adaptive_steps.advance" in line
    assert "uncompiled" in line


POINTED = """
from limberjack.core.compilation import jit

@jit.kernel
def twice(x):
    return 2.0 * x

@jit.kernel
def call(function, x):
    return function(x)

assert jit.way() is jit.Way.LIBRARY
pointer = jit.Pointer(twice, 1.0, gives=1.0)
jit._pass_over(jit.MisfitError("it does not fit"))
assert call(pointer, 3.0) == 6.0
assert jit.way() is jit.Way.NUMBA
"""


@pytest.mark.skipif(not compiler.is_importable(), reason="numba is not installed")
def test_numba_takes_over_what_the_library_began():
    """Guards a library that is passed over in the middle: numba knows what was made for its kernels to call."""
    done = subprocess.run([sys.executable, "-c", POINTED], env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_damaged_library_is_passed_over(folder):
    """Guards half-written files: one line, and the same motion."""
    right, *_ = run(folder)
    cut_short(folder)
    found, way, said = run(folder)
    assert (found, way, len(said.splitlines())) == (right, "python", 1)


def test_a_library_in_the_working_folder_is_refused(folder, tmp_path):
    """Guards who works among a stranger's files: Python takes a folder there for a package, whose code would run."""
    planted = folder.rename(tmp_path / "limberjack_kernels")
    command = [sys.executable, "-c", "from limberjack.core.compilation import jit; print(jit.library())"]
    done = subprocess.run(command, env=os.environ, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{planted}: this library lies outside of Limberjack and of installed packages")


@pytest.mark.parametrize("place", ["site-packages", "dist-packages"])
def test_an_installed_package_of_kernels_is_used(folder, tmp_path, monkeypatch, place):
    """Guards Blender's zips, whose wheel of kernels is installed where Blender keeps all wheels."""
    (tmp_path / place).mkdir()
    installed = folder.rename(tmp_path / place / "limberjack_kernels")
    monkeypatch.syspath_prepend(tmp_path / place)
    assert installed in library._folders()


def test_a_farm_needs_no_cache(folder, tmp_path):
    """Guards what docs/batches.md says of farms: where the wheel's library is installed, a process works without numba,
    and asks for no cache."""
    assert run(folder, LIMBERJACK_CACHE=str(tmp_path / "cache"))[1:] == ("library", "")
    assert not (tmp_path / "cache").exists()


def test_a_read_only_folder_will_do(folder):
    """Guards studio installations: nothing is written beside the library."""
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = sorted(path.name for path in folder.iterdir())
    assert run(folder)[1:] == ("library", "")
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("lent", [lambda q: np.stack([q, q], axis=1)[:, 0], lambda q: frozen(q)])
def test_arrays_that_cannot_be_lent(compiled, lent):
    """Guards columns of tables and arrays that must not be written to: the answer is the same, and no crash."""
    q = np.array([0.7])
    work = make_work(compiled.arrays)
    expected = mechanical_energy(compiled.arrays, work, q, np.ones(1))
    assert mechanical_energy(compiled.arrays, work, lent(q), np.ones(1)) == expected
    assert mass_matrix(compiled, lent(q)).tobytes() == mass_matrix(compiled, q).tobytes()


def frozen(q):
    found = q.copy()
    found.flags.writeable = False
    return found


def test_nothing_is_kept_alive(compiled):
    """Guards memory: what the caller drops goes, with all that was noted of it."""
    gc.collect()
    noted = len(abi._noted)
    work, q = make_work(compiled.arrays), np.array([0.7])
    mechanical_energy(compiled.arrays, work, q, np.ones(1))
    left = [weakref.ref(each) for each in (work.bodies, work.zeros, q)]
    assert len(abi._noted) == noted + 1
    del work, q
    assert [each() for each in left] == [None, None, None]
    assert len(abi._noted) == noted


def test_a_copy_does_not_take_over_where_arrays_lie(compiled):
    """Guards copied and pickled records: theirs are other arrays, which a call must find."""
    work = make_work(compiled.arrays)
    mechanical_energy(compiled.arrays, work, np.zeros(1), np.zeros(1))
    for copied in (copy.deepcopy(work), pickle.loads(pickle.dumps(work)), work._replace(zeros=np.zeros(1))):
        assert copied.slots is None
    assert copy.deepcopy(work).bodies.ctypes.data != work.bodies.ctypes.data


def test_results_of_threads_do_not_mix(compiled):
    """Guards re-entrance: each call has room of its own for its result."""
    wrong = []

    def ask(angle):
        work, q, qd = make_work(compiled.arrays), np.array([angle]), np.zeros(1)
        expected = mechanical_energy.python(compiled.arrays, work, q, qd)
        wrong.extend(
            found for _ in range(3000) if (found := mechanical_energy(compiled.arrays, work, q, qd)) != expected
        )

    threads = [threading.Thread(target=ask, args=(angle,)) for angle in (0.1, 0.9, 1.7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.slow
def test_the_same_bits_as_numba():
    """Guards bakes: what a checkout computes by numba is what the zips' library computes, in all records."""
    told = []
    for way in ("numba", "library"):
        command = [sys.executable, ROOT / "benchmarks" / "digests.py", "--wild", "20"]
        environment = os.environ | {"LIMBERJACK_KERNELS": way}
        told.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    samples = len(list((ROOT / "sample_scenes").glob("*.sdf")))
    assert len(told[0].splitlines()) == samples + 5 + 20  # mechanisms, wild models
    assert told[0] == told[1]


def test_the_table_knows_all_kernels():
    """Guards new kernels: one that the library lacks would be compiled in the window."""
    for path in sources():
        importlib.import_module(f"limberjack.core.{path.removesuffix('.py').replace('/', '.')}")
    known = set(json.loads((MADE / TABLE).read_text())["kernels"])
    assert known == {item.name for item in jit.KERNELS if item.python.__module__.startswith("limberjack.")}


def test_a_library_is_small():
    """Guards downloads: a library is machine code and its numbers, below 3 MB, and nothing of numba itself."""
    (path,) = MADE.glob("kernels-*")
    content = path.read_bytes()
    assert len(content) < 3_000_000
    assert b"numba.core" not in content


def test_platforms_have_blenders_names():
    """Guards the search for this machine's library: the name is one that zips are built for."""
    from native.platforms import PLATFORMS  # of the checkout, beside the package

    assert kernel_table.this_platform() in PLATFORMS
