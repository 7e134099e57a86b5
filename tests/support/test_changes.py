# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tests a change affects: near ones first, and also those whose dependency the import graph cannot see."""

import pytest

from support import changes

FILES = [
    "tests/core/solvers/convex_step/test_block_cholesky.py",
    "tests/core/formats/test_sdf_read.py",
    "tests/core/formats/mesh_output/test_obj.py",
    "tests/core/compilation/test_jit.py",
    "tests/blender/test_translations.py",
    "tests/blender/test_cli.py",
    "tests/docs/test_api_page.py",
]


def test_a_test_that_has_changed_comes_before_those_that_import_what_has():
    found = changes.distances(["core/solvers/convex_step/block_cholesky.py", FILES[0]], FILES)
    assert found[FILES[0]] == 0
    found = changes.distances(["core/solvers/convex_step/block_cholesky.py"], FILES)
    assert found[FILES[0]] == 1
    assert found["tests/core/compilation/test_jit.py"] > 1


def test_a_module_that_is_imported_by_a_computed_name_is_near_the_tests_of_its_package():
    """`core/formats/registry.py` imports readers by their names, so no test reaches them in the graph."""
    found = changes.distances(["core/formats/sdf/surface.py"], FILES)
    assert found["tests/core/formats/test_sdf_read.py"] <= changes.MIRRORED
    assert "tests/core/solvers/convex_step/test_block_cholesky.py" not in found


def test_imports_inside_functions_count():
    """`core/demo` verbs and operators import what they need when they are called."""
    imports = changes.read_imports()
    assert "core/compilation/kernel_cache.py" in imports["core/processes/helper.py"]
    assert any(name.startswith("addon/bake/") for name in imports["addon/cli/demo.py"])


@pytest.mark.parametrize(
    ("changed", "near"),
    [
        ("addon/locale/de_DE.json", "tests/blender/test_translations.py"),
        ("sample_scenes/crane.blend", "tests/blender/test_cli.py"),
        ("docs/api.md", "tests/docs/test_api_page.py"),
    ],
)
def test_a_data_file_affects_the_tests_that_name_it(changed, near):
    assert changes.distances([changed], FILES)[near] == 1


def test_a_test_that_starts_processes_depends_on_all_code_but_on_no_page():
    assert changes.distances(["core/check/surfaces.py"], FILES)["tests/blender/test_cli.py"] <= changes.UNSEEN
    assert changes.distances(["requirements/dev.txt"], FILES)["tests/blender/test_cli.py"] == changes.UNSEEN
    assert not changes.distances(["docs/no_such_page.md"], FILES)


def test_only_the_files_of_recent_commits_count_as_changed():
    """Without a branch to compare with, the base lies some hours before HEAD, so a session's commits are one change."""
    assert changes.changed_since("HEAD") == changes.changed_since("HEAD")  # whatever is uncommitted in this checkout
    assert set(changes.changed_since("HEAD")) <= set(changes.changed_since())
