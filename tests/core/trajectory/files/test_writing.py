# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories to files."""

import csv
import dataclasses

import numpy as np
import pytest

from limberjack.core.simulation import Simulation
from limberjack.core.trajectory.files.reading import read_trajectory
from limberjack.core.trajectory.trajectory import Trajectory
from support.models import random_tree


@pytest.fixture(scope="module")
def motion():
    return Simulation(random_tree(2, 9), np.arange(5) / 24).run()


def test_npz_gives_everything_back(motion, tmp_path):
    """Guards save and load: every array to the last bit, every name and unit."""
    motion.save(tmp_path / "m.npz")
    again = read_trajectory(tmp_path / "m.npz")
    for item in dataclasses.fields(Trajectory):
        if item.name == "joints":  # which files do not have
            continue
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
    assert np.array_equal(table[:, 1 + nq + nv : -5].reshape(motion.X_WL.shape), motion.X_WL)
    assert np.array_equal(table[:, -1], motion.loop_error)


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


def test_unknown_energies_have_no_columns(motion, tmp_path):
    """Guards against columns of nan, where nobody has worked energies out."""
    nothing = np.full(len(motion), np.nan)
    told = dataclasses.replace(motion, kinetic=nothing, potential=nothing, dissipated=nothing, supplied=nothing)
    told.save(tmp_path / "m.csv")
    assert not {"kinetic [J]", "supplied [J]"} & set(heading(tmp_path / "m.csv"))
    assert np.isnan(read_trajectory(tmp_path / "m.csv").kinetic).all()


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_files_without_a_loop_error_are_read(motion, tmp_path, suffix):
    """Guards files of earlier versions: what they do not know of is unknown, and the rest is there."""
    path = tmp_path / f"m{suffix}"
    dataclasses.replace(motion, loop_error=None).save(path)
    again = read_trajectory(path)
    assert again.loop_error is None
    assert np.array_equal(again.q, motion.q)


def test_joint_curves_alone(motion, tmp_path):
    """Guards `only_joints`: a column a coordinate, readable again even where its name looks like something else."""
    motion.save(tmp_path / "m.csv", only_joints=True)
    assert len(heading(tmp_path / "m.csv")) == 1 + motion.q.shape[1]
    assert {"time [s]", "joint1 [rad]", "q joint8.x [m]"} <= set(heading(tmp_path / "m.csv"))
    back = read_trajectory(tmp_path / "m.csv")
    assert back.q_names == motion.q_names
    assert back.q.tobytes() == motion.q.tobytes()
    assert back.link_names == ()
    assert back.qd.shape == (len(motion), 0)


def test_an_npz_holds_all(motion, tmp_path):
    """Guards against an .npz that would lack arrays which its readers need."""
    with pytest.raises(ValueError, match="always holds all"):
        motion.save(tmp_path / "m.npz", only_joints=True)
    assert list(tmp_path.iterdir()) == []


def heading(path) -> list[str]:
    with path.open(newline="", encoding="utf-8") as file:
        return next(csv.reader(file))
