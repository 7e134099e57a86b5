# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that kernels are made of are found by what these use, so that no edit leaves stale machine code."""

from pathlib import Path

import pytest

from limberjack.core.compilation.kernel_cache import CORE_FOLDER
from limberjack.core.compilation.kernel_sources import sources

FILES = {
    "a.py": "from .b import FIRST\nfrom .c import helper, word\n\n\n@kernel\ndef f():\n    return FIRST\n",
    "b.py": "from .deep import SECOND as TWO\nfrom .c import told\nFIRST = 2 * TWO\n\n\ndef g():\n    return told\n",
    "c.py": "helper = word = told = 1\n",
    "deep/__init__.py": "from .d import SECOND\n",
    "deep/d.py": "import math\nSECOND = math.pi\n",
    "compilation/compiler.py": "",
    "aside.py": "from .a import f\nWORD = 'a @kernel is compiled'\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_constants_of_constants(folder):
    """Guards a constant that a kernel names, and one that it is made of, through a package that hands it on."""
    assert [*sources(folder)] == ["a.py", "b.py", "compilation/compiler.py", "deep/d.py"]


def test_what_is_computed_by_a_function(folder):
    """Guards tables: the function that makes a constant has a say in it."""
    (folder / "b.py").write_text("from .c import helper\nFIRST = helper(3)\n")
    assert [*sources(folder)] == ["a.py", "b.py", "c.py", "compilation/compiler.py"]


def test_those_of_this_package():
    """Guards two files that were in no list: the integrator's table, and the numbers that steps return."""
    found = sources()
    expected = {"solvers/integration/dop853.py", "solvers/integration/dop853_table.py", "solvers/protocol.py"}
    assert expected | {"joints/parts.py"} <= found.keys()
    assert all(text == Path(CORE_FOLDER, path).read_bytes() for path, text in found.items())
    assert not any(path.startswith(("cli/", "formats/", "check/", "batch/")) for path in found)
