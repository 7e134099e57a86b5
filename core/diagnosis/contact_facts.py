# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts about contact that the rules of the doctor read: sizes, weights, surfaces, and links that are fixed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..collision.broad_phase import SOLID_POSE, write_solid_poses
from ..contact.collision_state import make_collision_state
from ..contact.touch_log import TOUCH
from ..geometry import Shape
from ..geometry.contact_properties import Surface, combine_surfaces
from ..kinematics.proximity.distances import place_bodies
from ..kinematics.work import make_work
from ..model import WORLD
from ..model.compiling.colliders import colliders_of, owners_of
from ..model.compiling.collision_filter import joined_links
from ..records.contact_report import Touches
from ..spatial.arrays import norm

if TYPE_CHECKING:
    from .case import Case


@dataclass(frozen=True)
class ContactFacts:
    """The facts about a run with contact.

    Attributes:
        recorded: the contacts; None if no two links can touch.
    """

    run: Case
    recorded: Touches | None

    @cached_property
    def touches(self) -> Touches:
        """The contacts. If no two links can touch, the solids are made here, since most rules do not need them."""
        return self.recorded or _untouched(self.run)

    @property
    def solids(self) -> np.recarray:
        return self.touches.collisions.solids

    @property
    def last(self) -> int:
        """The number of the last frame of this stage."""
        return len(self.run.trajectory) - 1

    @cached_property
    def gravity(self) -> np.ndarray:
        return np.array(self.run.compiled.model.gravity, float)

    @cached_property
    def down(self) -> np.ndarray:
        """The direction of gravity, a unit vector; zeros without gravity."""
        size = float(norm(self.gravity))
        return self.gravity / size if size else np.zeros(3)

    @cached_property
    def standing(self) -> frozenset[str]:
        """The names of the links that are fixed to the world."""
        return self.run.compiled.model.fixed_links()

    @cached_property
    def pieces(self) -> dict[str, str]:
        """For each link, the first of the links that joints connect with it, other than through the world.

        These links are called a piece, or a machine.
        """
        return joined_links(self.run.compiled.model)

    @cached_property
    def loose(self) -> list[str]:
        """The first link of each piece that no joint connects with the world, and whose motion is not prescribed."""
        model = self.run.compiled.model
        fixed = {
            self.pieces[end]
            for joint in model.joints
            if joint.enabled and not joint.kind.is_free and WORLD in (joint.parent, joint.child)
            for end in (joint.parent, joint.child)
            if end != WORLD
        }
        led = {self.pieces[name] for name in self.run.controls.links}
        led |= {self.pieces[joint.child] for joint in model.joints if joint.name in self.run.controls.joints}
        return [first for first in dict.fromkeys(self.pieces.values()) if first not in fixed | led]

    @cached_property
    def masses(self) -> dict[str, float]:
        """The mass of each piece, by its first link [kg]."""
        found = dict.fromkeys(self.pieces.values(), 0.0)
        for link in self.run.compiled.model.links:
            found[self.pieces[link.name]] += link.mass
        return found

    def mass_with(self, link: str) -> float:
        """Return the mass of the piece that a link belongs to [kg]."""
        return self.masses[self.pieces[link]]

    def weight_with(self, link: str) -> float:
        """Return the weight of the piece that a link belongs to [N]."""
        return self.mass_with(link) * float(norm(self.gravity))

    @cached_property
    def stands(self) -> np.ndarray:
        """For each solid, whether its link is fixed to the world."""
        return np.array([owner in self.standing for owner in self.touches.owners])

    @cached_property
    def placed(self) -> np.recarray:
        """The poses of all solids at the start of the stage, as SOLID_POSE records."""
        arrays, collisions = self.run.compiled.arrays, self.touches.collisions
        poses, placed = (
            np.zeros((len(arrays.bodies), 12)),
            np.zeros(len(collisions.solids), SOLID_POSE).view(np.recarray),
        )
        place_bodies(arrays, make_work(arrays), self.run.start.q, poses)
        write_solid_poses(collisions.solids, collisions.store, poses, placed)
        return placed

    def solids_of(self, *links: str) -> np.ndarray:
        """Return the numbers of the solids of some links."""
        return np.flatnonzero([owner in links for owner in self.touches.owners])

    def size(self, *solids: int) -> float:
        """Return the size of the smallest of some solids, about half of its extent [m]."""
        return float(min(self.solids.bounding_radius[list(solids)]))

    def shape(self, solid: int) -> Shape:
        record = self.solids[solid]
        return self.run.compiled.model.links[int(record.owner)].collisions[int(record.number)]

    def surface(self, first: int, second: int) -> Surface:
        """Return the combined surface of two solids."""
        return combine_surfaces(self.shape(first).surface, self.shape(second).surface)

    def moving_first(self, one: str, other: str) -> tuple[str, str]:
        """Return two links in the order in which one that is fixed to the world comes last."""
        return (other, one) if one in self.standing else (one, other)

    def softer(self, first: int, second: int) -> str:
        """Return the link of the solid with the smaller contact stiffness."""
        stiffness = [(self.shape(solid).surface or Surface()).contact_stiffness for solid in (first, second)]
        return self.touches.owners[first if stiffness[0] <= stiffness[1] else second]

    def pushes_on(self, links: Collection[str]) -> dict[str, np.ndarray]:
        """Return the force of each other link on some links, at the last frame, by its name, shape (3,) [N]."""
        found: dict[str, np.ndarray] = {}
        for line in self.touches.lines[self.touches.lines["frame"] == self.last]:
            first, second = self.touches.names(line)
            if (first in links) != (second in links):
                other, sign = (first, 1.0) if second in links else (second, -1.0)
                found[other] = found.get(other, np.zeros(3)) + sign * (line["press"] + line["drag"])
        return found


def contact_facts(run: Case) -> ContactFacts | None:
    """Return the facts about contact, or None if contact is off or no link has a collision shape."""
    if not run.contact or not any(link.collisions for link in run.compiled.model.links):
        return None
    return ContactFacts(run, run.touches)


def _untouched(run: Case) -> Touches:
    """Return the contacts of a model in which no two solids may collide: none."""
    colliders = colliders_of(run.compiled)
    collisions = make_collision_state(run.compiled, colliders)
    return Touches(np.zeros(0, TOUCH), owners_of(run.compiled, colliders.solids), collisions, run.trajectory.times)
