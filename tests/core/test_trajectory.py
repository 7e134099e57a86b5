"""Trajectory files."""

import dataclasses

import numpy as np
import pytest

from limberjack.core.solvers import Simulation
from limberjack.core.trajectory import Trajectory
from support.models import random_tree


@pytest.fixture(scope="module")
def motion():
    return Simulation(random_tree(2, 8), np.arange(5) / 24).run()


def test_npz_gives_everything_back(motion, tmp_path):
    """Guards save and load: every array to the last bit, every name and unit."""
    motion.save(tmp_path / "m.npz")
    again = Trajectory.load(tmp_path / "m.npz")
    for item in dataclasses.fields(Trajectory):
        before, after = getattr(motion, item.name), getattr(again, item.name)
        if isinstance(before, np.ndarray):
            assert before.tobytes() == after.tobytes()
        else:
            assert before == after


def test_csv_numbers_are_exact(motion, tmp_path):
    """Guards the .csv: numbers round-trip, one column a coordinate."""
    motion.save(tmp_path / "m.csv")
    table = np.loadtxt(tmp_path / "m.csv", delimiter=",", skiprows=1)
    nq, nv = motion.q.shape[1], motion.qd.shape[1]
    assert np.array_equal(table[:, 1 : 1 + nq], motion.q)
    assert np.array_equal(table[:, 1 + nq : 1 + nq + nv], motion.qd)
    assert np.array_equal(table[:, 1 + nq + nv : -4].reshape(motion.X_WL.shape), motion.X_WL)


def test_a_failed_save_leaves_nothing(motion, tmp_path):
    """Guards files that are whole or absent: an unknown suffix, and a folder that is not there."""
    with pytest.raises(ValueError, match=r"saved as \.npz or \.csv"):
        motion.save(tmp_path / "m.txt")
    with pytest.raises(OSError, match="nowhere"):
        motion.save(tmp_path / "nowhere" / "m.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_save_that_breaks_off_leaves_nothing(motion, tmp_path, monkeypatch):
    """Guards against half a file: the old one stays, and no partial one lies beside it."""
    path = tmp_path / "m.npz"
    path.write_text("old")

    def full_disk(file, **arrays):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full_disk)
    with pytest.raises(OSError, match="No space"):
        motion.save(path)
    assert [item.name for item in tmp_path.iterdir()] == ["m.npz"]
    assert path.read_text() == "old"


def test_files_are_as_open_as_others(motion, tmp_path):
    """Guards pipelines where another user reads the result: the umask decides, as for any file."""
    motion.save(tmp_path / "m.csv")
    (tmp_path / "other").touch()
    assert (tmp_path / "m.csv").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_strange_npz_is_explained(tmp_path):
    """Guards load against files of other programs."""
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(ValueError, match="not a trajectory"):
        Trajectory.load(tmp_path / "other.npz")
