# SPDX-License-Identifier: GPL-3.0-or-later
"""`import limberjack as lj`: what dir, help, completion and a star import find, and that the import itself is light."""

import pydoc
import re
import subprocess
import sys

import pytest

import limberjack


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_dir_and_star_import_find_the_public_names():
    """Guards completion, which asks dir, and `from limberjack import *`, in a new process as a newcomer has it."""
    told = run(
        "import limberjack as lj; print(*dir(lj)); from limberjack import *; print(Model, simulate, 'Model' in dir())"
    )
    names, after = told.splitlines()
    assert {*limberjack.__all__, "__doc__"} <= {*names.split()}
    assert after.endswith("True")
    assert {"read", "write", "Model", "Link", "Joint", "Simulation", "simulate", "forward_dynamics"} <= {
        *limberjack.__all__
    }


def test_the_import_itself_is_light():
    """Guards Blender's start: nothing of ours and no numpy comes along until a name is used; nor for Blender's own."""
    told = run(
        "import sys, limberjack\n"
        "for name in ('bl_info', '__addon_enabled__', '_private'): assert not hasattr(limberjack, name)\n"
        "print([name for name in sys.modules if name.startswith('limberjack.') or name == 'numpy'])"
    )
    assert told.strip() == "[]"


def test_help_begins_with_what_to_do():
    """Guards help(limberjack): examples first, then each public class and function."""
    told = pydoc.plain(pydoc.render_doc(limberjack))
    assert told.index("import limberjack as lj") < 500
    for name in ("class Model", r"simulate\(\s*model", r"random_configuration\(", "class ArticulationView"):
        assert re.search(name, told), name
    assert re.search(r"forward_dynamics\(\s*model", pydoc.plain(pydoc.render_doc(limberjack.forward_dynamics)))


def test_a_name_that_is_not_there_is_answered():
    """Guards typing: what is near is proposed."""
    with pytest.raises(AttributeError, match=r"no attribute 'simualte'; did you mean 'simulate'\?"):
        limberjack.simualte  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'zzz'; docs/api\.md lists what there is"):
        limberjack.zzz  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Modell'"):
        exec("from limberjack import Modell")


def test_all_names_are_public_names_of_the_door():
    """Guards the list: each is there, and none is a module."""
    for name in limberjack.__all__:
        assert not isinstance(getattr(limberjack, name), type(sys)), name
