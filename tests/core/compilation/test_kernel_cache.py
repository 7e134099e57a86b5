# SPDX-License-Identifier: GPL-3.0-or-later
"""The cache of numba's kernels is not used if another user can have written to it: its files are executed."""

import logging
import os
import subprocess
import sys

import pytest

from limberjack.core.compilation import compiler, kernel_cache
from limberjack.core.processes import helper

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows does not tell Python who may write to a folder"
)

needs_numba = pytest.mark.skipif(not compiler.is_importable(), reason="numba is not installed")


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A folder for caches, to which every user can write."""
    monkeypatch.setattr(kernel_cache, "_root", tmp_path / "shared")
    monkeypatch.setattr(kernel_cache, "_filled", set())
    kernel_cache.is_writable()
    (tmp_path / "shared").chmod(0o777)
    kernel_cache._why_untrusted.cache_clear()
    return tmp_path / "shared"


def test_a_shared_folder_is_told_once(root, caplog):
    """Guards against others' kernels: none are read, kept, taken for complete or handed over by a child, and one line
    says which folder, why, and what to do."""
    (kernel_cache.cache_folder() / "solver").touch()
    with caplog.at_level(logging.WARNING):
        assert not kernel_cache.is_writable()
        assert not kernel_cache.is_filled("solver")
        assert not helper.can_start()
        with kernel_cache.filling("poses"):
            pass
    assert not (kernel_cache.cache_folder() / "poses").exists()
    (record,) = caplog.records
    assert record.getMessage() == (
        f"{root}: no compiled kernels are read or kept here, because every user can write to '{root}'; let "
        "LIMBERJACK_CACHE name a folder that only you can write to"
    )


def test_nothing_is_made_in_a_shared_folder(tmp_path, monkeypatch):
    """Guards others' folders: one that is not used is left as it was found."""
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    monkeypatch.setattr(kernel_cache, "_root", tmp_path / "shared")
    assert not kernel_cache.is_writable()
    assert list((tmp_path / "shared").iterdir()) == []


def test_a_link_is_followed_once(tmp_path, monkeypatch):
    """Guards against a link that leads elsewhere after the check: the path that is used has none."""
    (tmp_path / "kernels").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "kernels")
    monkeypatch.setattr(kernel_cache, "_root", tmp_path / "link")
    assert kernel_cache.cache_folder().parent == tmp_path / "kernels"
    assert kernel_cache.is_writable()


def first(values):
    return values[0]


@needs_numba
def test_numba_is_given_no_shared_folder(root, monkeypatch):
    """Guards the place where numba gets its folder: it would read its files there as soon as a kernel is called."""
    from numba.core.caching import FunctionCache, NullCache

    assert isinstance(compiler.dispatcher_of(first)._cache, NullCache)
    monkeypatch.setattr(kernel_cache, "_root", root.parent / "own")
    assert isinstance(compiler.dispatcher_of(first)._cache, FunctionCache)


PROGRAM = """
import numpy as np
from limberjack.core.compilation import jit

@jit.kernel
def first(values):
    return values[0]

assert first(np.ones(2)) == 1.0
print(sum(first.compiled.stats.cache_hits.values()))
"""


class Executed:
    """Its pickle makes a file when it is read."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@needs_numba
@pytest.mark.slow
def test_a_planted_file_is_not_executed(tmp_path):
    """Guards against what this is for: another user's file in a shared cache runs code in one's own process."""
    import pickle

    program, root, trace = tmp_path / "program.py", tmp_path / "cache", tmp_path / "trace"
    program.write_text(PROGRAM)

    def run():
        environment = os.environ | {"LIMBERJACK_KERNELS": "numba", "LIMBERJACK_CACHE": str(root)}
        return subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True)

    assert run().stdout == "0\n"
    assert run().stdout == "1\n"  # from the cache
    (index,) = root.rglob("*.nbi")
    index.write_bytes(pickle.dumps(Executed(trace)))
    root.chmod(0o777)
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    done = run()
    assert (done.returncode, done.stdout) == (0, "0\n")
    assert len(done.stderr.splitlines()) == 1
    assert not trace.exists()
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before
