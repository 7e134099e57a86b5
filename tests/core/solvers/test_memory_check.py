# SPDX-License-Identifier: GPL-3.0-or-later
"""Memories of files: a number that a solver cannot have is found before a kernel uses it as an index."""

from pathlib import Path

import numpy as np
import pytest
from numpy.lib.recfunctions import repack_fields

from limberjack.core.formats import read
from limberjack.core.model import StateError
from limberjack.core.simulation import Simulation
from limberjack.core.solvers.memory_check import LATER_FIELDS

SAMPLE = Path(__file__).parents[3] / "sample_scenes" / "tumble.sdf"

WRONG = [
    ("y", "", np.nan, "a position or velocity is not finite|no number"),
    ("stepping", "trust", -1, "'trust' of it is not between 0 and"),
    ("stepping", "stretch", 1e17, "'stretch' is 1e\\+17 s"),
    ("counts", "", -1, "'counts' of it is not between 0 and"),
    ("before", "first", 10**6, "'first' of it is not between 0 and"),
    ("before", "law", -3, "'law' of it is not between -2 and"),
    ("before", "load", np.nan, "'before' holds what is no number"),
    ("crowd_counts", "", 10**6, "contacts, and counts others"),
    ("count", "", 10**6, "points, and counts others"),
    ("asleep", "", 10**6, "'asleep' of it is not between 0 and"),
    ("parting", "", 3, "'parting' of it is not between 0 and 2"),
]


@pytest.fixture(scope="module")
def solver():
    """Return a solver that has taken convex steps, and knows contacts."""
    run = Simulation(read(SAMPLE).model, np.arange(25) / 24.0, accuracy="draft")
    run.prefer_time_stepping()
    run.run()
    return run._stage.solver


def test_its_own_memory_is_accepted(solver):
    """Guards what nobody has changed."""
    memory = solver.snapshot()
    assert len(memory["before"]) > 0
    assert solver.validate_memory([*memory.values()]).keys() == memory.keys()


def test_contacts_are_saved_under_the_names_that_files_have(solver):
    """Guards existing files: the code has renamed fields of contacts, and saved states keep the former names."""
    saved = solver.snapshot()["before"]
    assert saved.dtype.names[:7] == ("first", "second", "name", "place", "normal", "gap", "stiffness")
    assert saved.dtype.names[7:] == (
        "spring_gap",
        "slips",
        "struck",
        "strain",
        "twist",
        "law",
        "load",
        "force",
        "torque",
    )
    contacts = solver._convex_step.previous_contacts[: len(saved)]
    assert np.abs(saved["strain"]).max() > 0.0
    for name, own in (("strain", "slip_strain"), ("slips", "is_slipping"), ("law", "constraint"), ("load", "load")):
        assert (saved[name] == contacts[own]).all()


def test_fields_that_were_added_since_are_filled_in(solver):
    """Guards files of earlier versions: what they lack begins as another field, or as 0."""
    memory = solver.snapshot()
    assert len(memory["points"]) > 0
    assert len(memory["before"]) > 0
    found = solver.validate_memory([without_later_fields(array) for array in memory.values()])
    for name, array in memory.items():
        for field in array.dtype.names or ():
            source = LATER_FIELDS.get(field, field)
            assert (found[name][field] == (array[source] if source else 0.0)).all()


def without_later_fields(array: np.ndarray) -> np.ndarray:
    """Return the records as a file of an earlier version has them."""
    kept = [name for name in array.dtype.names or () if name not in LATER_FIELDS]
    return repack_fields(array[kept], align=True) if kept else array


@pytest.mark.parametrize(("array", "field", "value", "says"), WRONG, ids=[f"{row[0]} {row[1]}" for row in WRONG])
def test_a_wrong_number_is_refused(solver, array, field, value, says):
    """Guards each kind of check, by one value throughout one array."""
    memory = solver.snapshot()
    numbers = memory[array][field] if field else memory[array]
    numbers[...] = value
    with pytest.raises(StateError, match=says):
        solver.validate_memory([*memory.values()])


@pytest.mark.parametrize("change", [np.float32, np.int64])
def test_another_type_or_shape_is_refused(solver, change):
    """Guards arrays that kernels would read beyond their ends."""
    memory = solver.snapshot()
    with pytest.raises(StateError, match="another type"):
        solver.validate_memory([*(memory | {"felt": memory["felt"].astype(change)}).values()])
    with pytest.raises(StateError, match="the shape"):
        solver.validate_memory([*(memory | {"felt": memory["felt"][:-1]}).values()])
    with pytest.raises(StateError, match="arrays, and not"):
        solver.validate_memory([*memory.values()][1:])
