# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of a callback, held from one frame to the next, also if joints change in between."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

import numpy as np

from ..kinematics import tree_kinematics
from ..model import Model
from ..model.compiling.compiled import CompiledModel, numbers_of
from .controls import Controls, Forces, FrameState
from .schedule import Schedule


@dataclass(frozen=True)
class HeldForces:
    """The forces that a callback has returned. They act until the next call (zero-order hold).

    Attributes:
        forces: of the last call; none before the first one.
        frame: the frame number that the last call was given; -1 before the first one.
        compiled: the model that the last call was given; None before the first one.
        is_restored: whether the simulation went back to this call. The callback may have seen another layout since.
    """

    forces: Forces = field(default_factory=Forces)
    frame: int = -1
    compiled: CompiledModel | None = None
    is_restored: bool = False

    def renewed(
        self, controls: Controls, frame: int, time: float, compiled: CompiledModel, q: np.ndarray, qd: np.ndarray
    ) -> HeldForces:
        """Call the callback, and return its forces.

        Args:
            frame: number of the next frame. time: now [s].
            compiled: the model of the present stage. q: shape (nq,). qd: shape (nv,).

        Raises:
            StateError: if the callback returns something else than `Forces`.
        """
        X_WL, V_WL = tree_kinematics(compiled, q, qd)
        is_new_layout = self.is_restored or self.compiled is None or not _have_same_layout(self.compiled, compiled)
        now = FrameState(frame, time, q, qd, X_WL, V_WL, compiled, is_new_layout)
        forces = copy.deepcopy(controls.forces_at(now))  # the callback may use its lists again
        return HeldForces(forces, frame, compiled)

    def acting_on(self, compiled: CompiledModel, joints: Set[str]) -> Forces:
        """Return the forces that act on the model of the present stage, which may have begun after the last call.

        A force stays with its joint. It ends with the joint, also if the free joint of a link then has the same name.
        Forces on links stay as they are.

        Args:
            joints: the result of `joints_that_move`. A force on one of these that does not act at present is left out,
                as prescribed motion is.
        """
        named = _joint_names(compiled)
        named_before = _joint_names(self.compiled or compiled)
        kept = {
            name: force
            for name, force in self.forces.joints.items()
            if (name in compiled.spans or name not in joints) and (name in named) == (name in named_before)
        }
        return Forces(kept, self.forces.links)

    def as_plain_data(self, compiled: CompiledModel, joints: Set[str]) -> dict[str, dict[str, list[float]]]:
        """Return the fields of `acting_on` as lists of numbers by name, for a saved state."""
        acting = self.acting_on(compiled, joints)
        return {
            part: {name: numbers_of(numbers).tolist() for name, numbers in forces.items()}
            for part, forces in (("joints", acting.joints), ("links", acting.links))
        }


def joints_that_move(model: Model, schedule: Schedule, stages: Iterable[CompiledModel]) -> frozenset[str]:
    """Return the names of the joints that move at some time, among them the free joints of links that float.

    Joints that broke before a simulation began are included, so that a callback may go on naming them.
    """
    own = {joint.name for joint in model.joints if joint.nv and (joint.enabled or joint.name in schedule.enabled)}
    return frozenset(own.union(*(compiled.spans for compiled in stages)))


def _joint_names(compiled: CompiledModel) -> set[str]:
    """Return the names of the joints without the implicit free joints of links that float."""
    return {joint.name for joint in compiled.model.joints}


def _have_same_layout(one: CompiledModel, other: CompiledModel) -> bool:
    """Return whether q and qd of two models have the same layout."""
    return one is other or _layout(one) == _layout(other)


def _layout(compiled: CompiledModel) -> list[tuple]:
    """Return the name, the type and the slices of q and qd of each joint."""
    return [(name, span.joint.type, span.q, span.v) for name, span in compiled.spans.items()]
