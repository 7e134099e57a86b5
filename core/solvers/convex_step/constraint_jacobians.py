# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of a crowd's laws: which dofs move a row, how fast each of them does, and how easily an impulse does."""

from __future__ import annotations

from ...jit import jitable, subroutine
from ...kinematics.jacobian import motion_of_dof
from ...spatial import add, cross, dot, sub
from ...spatial.storage import get3
from .constraint_potentials import STAYS
from .problem import DOF_COUNT, LAW_COUNT, SLOPE_COUNT

BARRED = 1e-10
"""Share of the ease with which bodies move that counts as none along a law's rows: a slope of 1e-5."""


@subroutine
def list_dofs(model, crowd, one, other):
    """List the dofs that move two bodies against each other. Returns how many.

    Those of the other body come first, each branch from its end inward; what carries both moves neither.
    """
    first, common = crowd.counts[DOF_COUNT], common_body(model, one, other)
    total = first
    for start in (other, one):
        i = start
        while i != common:
            for j in range(model.bodies[i].v, model.bodies[i].v_end):
                if total < crowd.dofs.shape[0]:
                    crowd.dofs[total] = j
                total += 1
            i = model.bodies[i].parent
    return total - first


@jitable
def common_body(model, one, other):
    """The last body that carries both, or the world."""
    while one != other:
        if one > other:
            one = model.bodies[one].parent
        else:
            other = model.bodies[other].parent
    return one


@subroutine
def has_room(crowd, dofs, rows, laws):
    """Whether there is room for so many more."""
    counts = crowd.counts
    return (
        counts[LAW_COUNT] + laws <= crowd.laws.shape[0]
        and counts[DOF_COUNT] + dofs <= crowd.dofs.shape[0]
        and counts[SLOPE_COUNT] + dofs * rows <= crowd.slopes.shape[0]
    )


@subroutine
def begin_law(crowd, kind, rows, first, count):
    """A new law over dofs that are listed; all that it exerts is still 0. Returns its number."""
    k = crowd.counts[LAW_COUNT]
    law = crowd.laws[k]
    law.kind, law.rows, law.first, law.count, law.at = kind, rows, first, count, crowd.counts[SLOPE_COUNT]
    law.stiffness, law.dissipation, law.bound, law.share, law.of = 0.0, 0.0, 0.0, 0.0, -1
    law.rigid, law.gap, law.restitution, law.role, law.turns, law.drives = 0, 0.0, 0.0, STAYS, 0, 0
    law.ease, law.contact, law.guard, law.along, law.row = 0.0, -1, -1, 1.0, -1
    for r in range(2):
        law.force[r], law.given[r], law.velocity[r], law.change[r], law.impulse[r] = 0.0, 0.0, 0.0, 0.0, 0.0
    crowd.counts[LAW_COUNT] += 1
    crowd.counts[SLOPE_COUNT] += rows * count
    return k


@subroutine
def write_slopes(model, work, crowd, k, row, one, other, place, direction, turns):
    """Write how a row's velocity follows from the dofs: of the other body against the one, at a place in the world.

    It is that along a direction or, where it `turns`, about it.
    """
    law, slopes = crowd.laws[k], crowd.slopes
    common, at = common_body(model, one, other), law.at + row * law.count
    for side in range(2):
        i = other if side == 0 else one
        sign = 1.0 if side == 0 else -1.0
        while i != common:
            arm = sub(place, get3(work.bodies[i].origin))
            for j in range(model.bodies[i].v, model.bodies[i].v_end):
                turn, slide = motion_of_dof(model, work, i, j)
                motion = turn if turns else add(slide, cross(turn, arm))
                slopes[at] = sign * dot(direction, motion)
                law.ease += dot(motion, motion) / (law.rows * crowd.tied_weights[j])
                at += 1
            i = model.bodies[i].parent


@subroutine
def give_rest(crowd, k, row, velocity):
    """Say what a row's velocity is at present, so that what does not come from dofs is known, as of belts."""
    law = crowd.laws[k]
    law.given[row] = velocity - row_velocity(crowd, law, row, crowd.v)


@jitable
def row_velocity(crowd, law, row, v):
    """What the dofs' velocities, shape (nv,), make of a row's."""
    total, at = 0.0, law.at + row * law.count
    for n in range(law.count):
        total += crowd.slopes[at + n] * v[crowd.dofs[law.first + n]]
    return total


@subroutine
def ease_of(crowd, k):
    """Return how much velocity an impulse gives a law's rows, roughly [1/kg or 1/(kg m^2)]: the mean of both.

    It is 0 where joints bar the way: then what is left of the slopes is rounding, or the single precision of a scene.
    """
    law, total = crowd.laws[k], 0.0
    for r in range(law.rows):
        at = law.at + r * law.count
        for n in range(law.count):
            slope = crowd.slopes[at + n]
            total += slope * slope / crowd.tied_weights[crowd.dofs[law.first + n]]
    ease = total / law.rows
    return ease if ease > BARRED * law.ease else 0.0
