# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that fills up while a motion is written: one error that names the file, nothing left, nothing beside it."""

import errno
import gc
import sys
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.model import Link, Model
from limberjack.core.simulation import Simulation


class Full:
    """A file that takes so many bytes."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *told):
        self.file.close()

    def write(self, data):
        self.room -= len(data)
        if self.room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.file.write(data)


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".json"])
def test_a_full_disk_is_one_error(tmp_path, monkeypatch, suffix):
    """Guards against the traceback of a zip file that tries again, and against an error that names no file."""

    motion = Simulation(Model("m", [Link("a")]), np.linspace(0.0, 1.0, 50)).run()
    target = tmp_path / f"o{suffix}"
    opened, unraisable = Path.open, []
    monkeypatch.setattr(Path, "open", lambda self, *told, **more: Full(opened(self, *told, **more), 300))
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    with pytest.raises(OSError, match="No space left") as found:
        motion.save(target)
    assert found.value.filename == str(target)
    del found
    gc.collect()
    assert unraisable == []
    assert list(tmp_path.iterdir()) == []
