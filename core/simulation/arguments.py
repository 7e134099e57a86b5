# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the arguments of a simulation."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ..check import sizes
from ..controls.controls import Controls
from ..kinematics.violations import require_split
from ..model import Model, ModelError
from ..model.compiling.compiled import CompiledModel
from ..model.model import require_model
from ..model.soundness import require_sound
from ..trajectory.touches import TABLES


def require_simulable(model: object) -> Model:
    """Check that a simulation of the model can begin, and return it, or the source of a compiled one.

    Raises:
        TypeError: if `model` is not a model. ModelError: if it is not sound, or a collision shape has an impossible
            size; the error lists everything that is wrong. StateError: if it was compiled without `split_loops`, and
            has loops.
    """
    if isinstance(model, CompiledModel):
        require_split(model, "a simulation")
        model.require_simulable()
        source = model.source
    else:
        require_sound(source := require_model(model))
    issues = [issue for finding in sizes.FINDINGS for issue in finding(source)]
    if issues:
        raise ModelError("; ".join(f"{issue.subject}: {issue.message}" for issue in issues))
    return source


def required_controls(controls: object) -> Controls:
    """Return the controls, or empty ones for None. Raises `TypeError` for anything else."""
    if controls is None or isinstance(controls, Controls):
        return controls or Controls()
    raise TypeError(
        f"controls takes Controls, found {controls!r}; write Controls(joints={{'hip': lambda time: 0.5 * time}})"
    )


def required_times(times: object) -> np.ndarray:
    """Return the times of the frames [s], shape (F,).

    Raises:
        TypeError: if they are not a list. ValueError: if they are not ascending.
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


def required_numbers(numbers: object, frames: int) -> np.ndarray:
    """Return the numbers of so many frames, shape (F,); None counts from 0.

    Raises:
        ValueError: if there are not as many.
    """
    found = np.arange(frames) if numbers is None else np.asarray(numbers)
    if found.shape != (frames,):
        raise ValueError(f"numbers are those of {frames} frames, found shape {found.shape}")
    return found


def require_known(what: str, given: Sequence[str], known: Collection[str]) -> None:
    """Raise `ValueError` if a name is not known. what: name of the argument."""
    for name in given:
        if name not in known:
            raise ValueError(f"{what} '{name}' is not known; allowed are {', '.join(known)}")


def require_contact(record: Sequence[str], contact: bool, solver: str, touching: Sequence[str]) -> None:
    """Raise `ValueError` if contacts are to be recorded without contact. touching: the solvers that have contact."""
    asked = [name for name in record if name in TABLES]
    if asked and not contact:
        raise ValueError(f"record '{asked[0]}' needs contact, which is off; leave out contact=False")
    if asked and solver not in touching:
        raise ValueError(f"record '{asked[0]}' needs contact, which solver '{solver}' has none of; take {touching[0]}")
