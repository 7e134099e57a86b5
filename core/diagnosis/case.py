# SPDX-License-Identifier: GPL-3.0-or-later
"""A run as the rules of the doctor see it: inertias, forces, frequencies, and whether it is in trouble."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from ..dynamics.set_valued_forces import drive_force, force_law_coordinate
from ..joints import SCREWS
from ..joints.limited_quantities import CONE, DISTANCE, TWIST
from ..model import Joint, Link
from ..model.compiling.colliders import bodies_led
from ..model.compiling.compiled import ON_DOF, ON_QUANTITY, coordinate_names
from ..records.report import energy_at_stake
from ..simulation.run_facts import RunFacts
from ..solvers.system import ENERGY_TOTALS, System, free_rates, make_system
from .contact_facts import ContactFacts, contact_facts
from .diagnosis import Remedy

SLOW = 2e4
"""Attempted steps per second of motion beyond which a run is slow, because of motion that frames cannot show [1/s].

The stiffest healthy model among the solvers' tests takes 1.6e4, by explicit steps alone.
"""

SETTLED_IN = 0.1
"""Shortest time by which the number of steps is divided [s], since stiff models begin with short steps."""

MUCH_DRIFT = 0.01
"""Relative energy drift beyond which a motion looks wrong."""

MUCH_WITH_CONTACT = {"draft": 0.05, "good": 0.02, "exact": 0.01}
"""Relative energy drift beyond which a motion with contact looks wrong, by accuracy.

Convex steps of 8 ms at draft may well be off by some percent.
"""

UNSEEN = 1e-9
"""Ratio of energy drift to energy at stake up to which a drift is numerical error, however little energy moves."""

UNSEEN_WITH_CONTACT = 1e-6
"""The same with contact.

While a heap settles, its links sink by this part of the model's size, which is invisible, in steps of first order.
"""

FEW = 8
"""Number of frames below which it is uncertain how much energy moves between them."""

OPEN = 1e-6
"""Gap beyond which a loop counts as open [m or rad]."""

QUANTITIES = {DISTANCE: ("distance", "m"), CONE: ("cone angle", "rad"), TWIST: ("twist", "rad")}
"""Name and unit of a limited quantity in messages, by its code."""


@dataclass(frozen=True)
class LimitedAxis:
    """A set-valued force with the names that messages use for it.

    Attributes:
        number: of the set-valued force.
        axis: number of the joint's axis whose fields describe the set-valued force.
        part: the coordinate of the joint, or the limited quantity that it limits; empty if the joint has only one.
        unit: "rad" or "m". value: its coordinate or limited quantity at the start, in that unit.
    """

    number: int
    joint: Joint
    axis: int
    part: str
    unit: str
    value: float

    @property
    def on_part(self) -> str:
        return f"on its {self.part}, " if self.part else ""

    @property
    def subject(self) -> str:
        return f"joint '{self.joint.name}'"

    def with_axis(self, **changes: float | str) -> Remedy:
        """Return the remedy that sets fields of its axis to other values."""
        return Remedy("joint", tuple(changes.items()), self.joint.name, self.axis)


@dataclass(frozen=True)
class Case(RunFacts):
    """The facts about a run, and what follows from them."""

    @classmethod
    def of(cls, facts: RunFacts) -> Case:
        return cls(**{field.name: getattr(facts, field.name) for field in fields(RunFacts)})

    def frame_at(self, time: float) -> str:
        """Return the number, for messages, of the frame at a time [s], or of the first one after it."""
        return f"{self.numbers[min(np.searchsorted(self.times, time), len(self.numbers) - 1)]:g}"

    def is_prescribed(self, joint: Joint) -> bool:
        return joint.name in self.controls.joints

    def is_scheduled(self, joint: Joint) -> bool:
        """Return whether fields of its axes change in time, so that their present values say little about others."""
        return any(name == joint.name for name, _ in self.controls.schedule.axes)

    @cached_property
    def touching(self) -> ContactFacts | None:
        """Return the facts about collision shapes; None if contact is off, or no link has such a shape."""
        return contact_facts(self)

    @property
    def contacts(self) -> ContactFacts | None:
        """Return `touching`; None also if no two links can touch, since then no rule needs convex hulls."""
        return self.touching if self.touches else None

    @cached_property
    def immovable(self) -> frozenset[str]:
        """The links that no force moves: fixed in the world, or with prescribed motion. Their masses change nothing."""
        compiled = self.compiled
        bodies = bodies_led(compiled, self.controls.joints, self.controls.links)
        return frozenset(
            name for name, body in zip(compiled.link_names, compiled.link_body, strict=True) if int(body) in bodies
        )

    @cached_property
    def groups(self) -> dict[str, list[Link]]:
        """For each link, by its name, the links that are fixed to each other and to it, itself included."""
        model = self.compiled.model
        parts = model.rigid_parts()
        found: dict[str, list[Link]] = {}
        for link in model.links:
            found.setdefault(parts[link.name], []).append(link)
        return {name: found[part] for name, part in parts.items()}

    def mass_of_group(self, link: str) -> float:
        """Return the mass of a link with all links that are fixed to it [kg]."""
        return sum(each.mass for each in self.groups[link])

    @property
    def is_bound(self) -> bool:
        """Whether loops or couplings make a joint's position and load depend on other joints."""
        return bool(self.compiled.welds or self.compiled.model.equations())

    @property
    def seconds(self) -> float:
        """The time since the start of the stage [s]."""
        return self.seen.state.time - self.start.time

    @property
    def is_slow(self) -> bool:
        return self.report.steps + self.report.rejected > SLOW * max(self.seconds, SETTLED_IN)

    @property
    def has_drifted(self) -> bool:
        touches = self.touches is not None
        is_much = self.report.relative_drift > (MUCH_WITH_CONTACT[self.accuracy] if touches else MUCH_DRIFT)
        unseen = (UNSEEN_WITH_CONTACT if touches else UNSEEN) * energy_at_stake(self.compiled)
        is_seen = self.report.energy_drift > unseen
        return len(self.trajectory) >= FEW and is_much and is_seen

    @property
    def in_trouble(self) -> bool:
        """Whether anything went wrong that needs an explanation. Many possible causes do no harm in a healthy run."""
        return self.failed or self.is_slow or self.has_drifted or self.report.loop_error > OPEN

    @cached_property
    def names(self) -> list[tuple[str, str]]:
        """Name and unit of each velocity coordinate; the unit is that of the position coordinate."""
        found = coordinate_names(self.compiled, velocities=True)
        return [(name, unit.removesuffix("/s")) for name, unit in found]

    @cached_property
    def joint_of_dof(self) -> list[Joint]:
        return [joint for joint, _ in self._places]

    @cached_property
    def axis_of_dof(self) -> list[int]:
        """The number of the axis whose fields describe what acts on each velocity coordinate; 0 if there is none."""
        numbers = [joint.kind.spring_axes or [column.axis for column in joint.columns] for joint, _ in self._places]
        return [axes[place] if axes else 0 for axes, (_, place) in zip(numbers, self._places, strict=True)]

    @cached_property
    def _places(self) -> list[tuple[Joint, int]]:
        """The joint of each velocity coordinate, and its index among the joint's velocities."""
        found = {}
        for span in self.compiled.spans.values():
            found |= {span.v_at(place): (span.joint, place) for place in range(span.joint.nv)}
        return [found[dof] for dof in range(self.compiled.nv)]

    @cached_property
    def limited(self) -> list[LimitedAxis]:
        return list(self._limited_axes())

    def _limited_axes(self) -> Iterator[LimitedAxis]:
        for number, (force_law, joint) in enumerate(
            zip(self.compiled.arrays.set_valued_forces, self.compiled.force_joints, strict=True)
        ):
            if force_law.kind == ON_QUANTITY:
                name, unit = QUANTITIES[force_law.code]
                axis = next(row.axis for row in joint.kind.limited_quantities if row.code == force_law.code)
            else:
                (name, unit), axis = self.names[force_law.v], self.axis_of_dof[force_law.v]
            part = name.removeprefix(joint.name).removeprefix(".")
            value = float(force_law_coordinate(self.compiled.arrays, force_law, self.start.q))
            yield LimitedAxis(number, joint, axis, part, unit, value)

    def drives(self) -> Iterator[tuple[LimitedAxis, np.recarray]]:
        """Yield the axes on which a drive acts, with their forces, if the joint is neither prescribed nor scheduled."""
        for limited in self.limited:
            force_law = self.compiled.arrays.set_valued_forces[limited.number]
            driven = force_law.drive_stiffness or force_law.drive_damping or force_law.drive_push
            is_led = self.is_prescribed(limited.joint) or self.is_scheduled(limited.joint)
            if force_law.kind == ON_DOF and driven and not is_led:
                yield limited, force_law

    @cached_property
    def inertias(self) -> np.ndarray:
        """The inertia of each dof at the start, shape (nv,) [kg m^2 or kg], if the bodies that it carries are free.

        For a ball or free joint, it is the inertia of its body alone, which is a lower bound.
        """
        system = self._at(self.start.q, np.zeros(self.compiled.nv))
        with np.errstate(divide="ignore"):
            found = 1.0 / system.work.dofs.D_inv
        for body in self.compiled.arrays.bodies:
            if body.kind != SCREWS and body.v_end > body.v:
                xx, _, _, yy, _, zz = body.inertia
                found[body.v_end - 3 : body.v_end] = min(xx, yy, zz)
                found[body.v : body.v_end - 3] = body.mass
        return found

    def holding_force(self, dof: int, q: np.ndarray) -> float:
        """Return the force that keeps a dof at rest while all other dofs are locked too [N m or N]."""
        return -float(self._at(q, np.zeros(self.compiled.nv), immovable=1).work.dofs.locking_force[dof])

    def _at(self, q: np.ndarray, qd: np.ndarray, immovable: int = 0) -> System:
        system = make_system(self.compiled, self.constraints)
        system.work.force_states.is_disabled = 1
        system.work.dofs.is_locked = immovable
        y = np.concatenate([q, qd, np.zeros(ENERGY_TOTALS)])
        with np.errstate(all="ignore"):
            free_rates(system, 0.0, y, 0.0, np.zeros_like(y))
        return system

    @property
    def energy_balance(self) -> np.ndarray:
        """The energy at each frame minus that at the start and the energy supplied since, shape (F,) [J].

        Dissipated energy counts as part of the energy.
        """
        done = self.trajectory
        total = done.kinetic + done.potential + done.dissipated - done.supplied
        return total - total[:1]

    def asked(self, force_law: np.recarray) -> np.ndarray:
        """Return the force that the law of a drive demands, without its effort limit, shape (F,) [N m or N]."""
        done = self.trajectory
        return np.array([drive_force(force_law, q, qd) for q, qd in zip(done.q, done.qd, strict=True)])
