"""Restitution in a crowd's step: velocities jump at its end where contacts and stops have closed.

The first solution of a step keeps gaps from closing, so it is plastic, and positions follow it. A second solution gives
the velocities with which the next step begins: what has struck parts with what its restitution leaves.

Source: Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988).
"""

from __future__ import annotations

from ..contact.crowd import LAW_COUNT
from ..contact.descent import find_velocities
from ..contact.impacts import MOST_GIVES, less
from ..contact.law_rows import row_velocity
from ..jit import subroutine
from .crowd_memory import note_blows, rate_before

STIFFLY = 1e3
"""Factor on the stiffness of a law that bounces. Without it, the compliance would take more of the speed."""
GAIN = 1e-4
"""Share of the contacts' works by which an impact may add energy, since velocities are found up to a tolerance."""


@subroutine
def bounce(crowd, now, h, pace, weight, impacts):
    """Let what has struck part with what its restitution leaves, and note the impacts. weight [m/s^2]: of gravity."""
    struck = False
    for k in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[k]
        if law.rigid == 0:
            continue
        before, ahead = rate_before(crowd, law), law.gap + h * law.velocity[0]
        back = -law.restitution * before
        if law.impulse[0] > 0.0:
            law.force[0] = 0.0
            if back > weight * h and back * back > 2.0 * weight * pace.resting:
                law.stiffness *= STIFFLY
                law.force[0] = law.stiffness * back
                struck = True
        elif ahead > 0.0:
            law.force[0] = -law.stiffness * ahead / h
    if struck:
        bounce_without_gain(crowd, pace)
    note_blows(crowd, now, h, weight, impacts)


@subroutine
def bounce_without_gain(crowd, pace):
    """Find the velocities after an impact, with less restitution where friction would make contacts add energy.

    See `strike_without_gain`, which does so at events.
    """
    give = 1.0
    for _ in range(MOST_GIVES):
        find_velocities(crowd, pace.tolerance, pace.agreement)
        work, most = work_of_contacts(crowd)
        if work <= GAIN * most:
            return
        part = less(give)
        give *= part
        for k in range(crowd.counts[LAW_COUNT]):
            law = crowd.laws[k]
            if law.rigid and law.force[0] > 0.0:
                law.force[0] *= part


@subroutine
def work_of_contacts(crowd):
    """Return the work of the contacts' impulses, and the sum of its terms' sizes [J]."""
    work, most, mean = 0.0, 0.0, crowd.gradient
    for j in range(mean.shape[0]):
        mean[j] = 0.5 * (crowd.start[j] + crowd.v[j])
    for k in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[k]
        for r in range(law.rows if law.contact >= 0 else 0):
            each = law.impulse[r] * (law.given[r] + row_velocity(crowd, law, r, mean))
            work += each
            most += abs(each)
    return work, most
