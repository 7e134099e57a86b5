"""Checks of the arguments of a simulation."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ..check import joints, links, shapes, sizes, structure
from ..model import Model, ModelError
from ..trajectory.touches import TABLES

SIMULATED = (
    structure.repeated_names,
    structure.gravity_not_finite,
    links.bad_mass,
    links.numbers_of_links,
    joints.numbers_of_joints,
    *sizes.FINDINGS,
)
"""Findings of `check_definition` about what no solver can begin with."""


def require_sound(model: Model) -> None:
    """Raise ModelError if a model cannot be simulated at all, with all that is wrong.

    That is what has no numbers or too few, two links of one name, negative masses and impossible sizes.
    """
    issues = [issue for finding in shapes.FINDINGS for issue in finding(model)]
    issues = issues or [issue for finding in SIMULATED for issue in finding(model)]
    if issues:
        raise ModelError("; ".join(f"{issue.subject}: {issue.message}" for issue in issues))


def required_times(times: object) -> np.ndarray:
    """Return the times of frames [s], shape (F,).

    Raises:
        TypeError: they are no list. ValueError: they do not ascend.
    """
    if isinstance(times, str):
        raise TypeError(f"times takes a list of seconds, found '{times}'")
    if np.ndim(times) == 0:  # type: ignore[arg-type]
        raise TypeError(
            f"times takes the seconds of all frames, as a list that ascends, found {times!r}; for a duration, "
            "limberjack.simulate(model, duration=5.0)"
        )
    try:
        found = np.ascontiguousarray(times, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"times takes a list of seconds, found {times!r}") from None
    if found.ndim != 1 or not len(found) or not np.all(np.diff(found) > 0.0):
        raise ValueError("times must be a list of at least one ascending number of seconds")
    return found


def require_known(what: str, given: Sequence[str], known: Collection[str]) -> None:
    """Raise ValueError if a name is not known. what: the argument's name."""
    for name in given:
        if name not in known:
            raise ValueError(f"{what} '{name}' is not known; allowed are {', '.join(known)}")


def require_contact(record: Sequence[str], contact: bool, solver: str, touching: Sequence[str]) -> None:
    """Raise ValueError if contacts are to be recorded without contact. touching: the solvers that have contact."""
    asked = [name for name in record if name in TABLES]
    if asked and not contact:
        raise ValueError(f"record '{asked[0]}' needs contact, which is off; leave out contact=False")
    if asked and solver not in touching:
        raise ValueError(f"record '{asked[0]}' needs contact, which solver '{solver}' has none of; take {touching[0]}")
