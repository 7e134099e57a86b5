# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the doctor for faults of contact: overlaps at the start, scales, masses, surfaces, and jams."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from ..kinematics.proximity.distances import Proximity, Separation
from ..kinematics.proximity.sunk import is_open_ground, loose_machines
from ..model.text import in_metres
from ..spatial.arrays import eigh, matmul, norm, outer
from .case import Case
from .contact_facts import ContactFacts
from .diagnosis import Diagnosis, in_short

MOST_TOLD = 3
"""Number of findings of one kind that are reported. More are only counted."""

DEEP = 0.1
"""Overlap of two solids at the start, in sizes of the smaller one, up to which none is reported.

Heaps are drawn no better. The contact report counts smaller overlaps too.
"""

CRUSHING = 10.0
"""Force of a compliant surface at the start, in weights of the lighter piece, above which it is reported."""

SUNK = 0.1
"""Depth of a body at rest in a compliant surface, in sizes of the smaller solid, above which it is reported."""

FIRM = 0.01
"""Depth, in sizes of the smaller solid, at which the proposed stiffness bears the load."""

SETTLED = 0.02
"""Relative change of a depth from frame to frame up to which the body counts as resting."""

SLIPPERY = 0.02
"""Coefficient of friction below which it counts as none. Ice on steel has as much."""

FAR_SLID = 3.0
"""Length of a slide, in sizes of the smaller solid, above which it is reported."""

UNEQUAL = 1e5
"""Ratio of the masses of two pieces in contact above which it is reported."""

LIVELY = 0.99
"""Restitution from which on bounces go on for ever."""

MANY_IMPACTS = 5
"""Number of impacts of a pair of links from which on bounces are reported."""

SCALE = 300.0
"""Ratio of the size of a collision shape to the radius of gyration, or its inverse, above which it is reported.

A wrong unit makes it 1000.
"""

ROUNDING = 1e-12
"""Ratio of an inertia about the centre of mass to that about the origin, up to which it is rounding error."""

WEDGED = -0.7
"""Cosine of the angle between two pushes below which they act against each other."""

STUCK = 1e-3
"""Range of positions, in sizes of the smallest solid of the link, below which a link does not move."""

HARD = 3.0
"""Force of a push, in weights of the piece, above which it may jam."""


def overlapping_solids(run: Case) -> Iterator[Diagnosis]:
    facts = run.contacts
    if facts is None or (run.jumps and run.start.time > 0.0):  # overlaps after a jump are removed by convex steps
        return
    proximity = Proximity(run.compiled.model, run.start.q)
    found = [each for each in proximity.pairs_nearer(0.0) if _is_deep(facts, each)]
    found.sort(key=lambda each: each.gap)
    for each in found[:MOST_TOLD]:
        moving, other = facts.moving_first(each.a, each.b)
        yield Diagnosis("overlapping-start", f"link '{moving}'", _overlap_in_words(facts, each, other, len(found)))


def _is_deep(facts: ContactFacts, found: Separation) -> bool:
    """Return whether an overlap exceeds errors of a drawing, or the depth of rest on a compliant surface.

    Links do not collide if no force moves either of them, as a platform in a wall, or the bones of a character.
    """
    movable = [name for name in (found.a, found.b) if name not in facts.standing | facts.run.immovable]
    if not movable:
        return False
    solids = _solids_named(facts, found)
    surface, depth = facts.surface(*solids), -found.gap
    if depth <= DEEP * facts.size(*solids):
        return False
    if math.isinf(surface.stiffness):
        return True
    return surface.stiffness * depth > CRUSHING * min(map(facts.weight_with, movable))


def _solids_named(facts: ContactFacts, found: Separation) -> tuple[int, int]:
    one, other = (
        next(int(i) for i in facts.solids_of(link) if facts.shape(int(i)).name == shape)
        for link, shape in ((found.a, found.shape_a), (found.b, found.shape_b))
    )
    return one, other


def _overlap_in_words(facts: ContactFacts, found: Separation, other: str, count: int) -> str:
    solids = _solids_named(facts, found)
    surface = facts.surface(*solids)
    if math.isinf(surface.stiffness):
        then = "rigid shapes keep what they overlap by, and only go no deeper"
        loose = {name for links in loose_machines(facts.run.compiled.model, facts.run.immovable) for name in links}
        if is_open_ground(facts.solids)[list(solids)].any() and loose & {found.a, found.b}:
            then = "it is pushed out slowly, and the work that this takes counts as supplied"
    else:
        energy = 0.5 * surface.stiffness * found.gap**2
        then = f"their surfaces throw them apart with {energy:.3g} J"
    more = f"; {count} pairs of links do so" if count > MOST_TOLD else ""
    return (
        f"it starts {in_metres(-found.gap)} deep in link '{other}': {then}; move them apart, make one smaller, turn a "
        f"plane whose normal points the wrong way, or let the two not meet{more}"
    )


def wrong_scale(run: Case) -> Iterator[Diagnosis]:
    """Report collision shapes in a wrong unit, far larger or smaller than the radius of gyration of their fixed group.

    The whole group is compared, since one link of it may have a token mass, or none.
    """
    facts = run.contacts
    if facts is None:
        return
    for group in {links[0].name: links for links in run.groups.values()}.values():
        names = [link.name for link in group]
        solids = facts.solids_of(*names)
        spread = _spread(run, names[0])
        if run.immovable.intersection(names) or not len(solids) or not spread:
            continue
        widest = int(solids[np.argmax(facts.solids.bounding_radius[solids])])
        reach = float(facts.solids.bounding_radius[widest])
        ratio = reach / spread
        if math.isinf(reach) or 1.0 / SCALE < ratio < SCALE:
            continue
        ratio_text = f"{in_short(ratio):g} times as far" if ratio > 1.0 else f"{in_short(1.0 / ratio):g} times less far"
        message = (
            f"its collisions reach {in_metres(reach)} from their middle, {ratio_text} as its mass is spread, "
            f"{in_metres(spread)}: one of them is in another unit; scale its collisions by "
            f"{0.001 if ratio > 1.0 else 1000:g}, or weigh it anew"
        )
        yield Diagnosis("collision-scale", f"link '{facts.touches.owners[widest]}'", message)


def _spread(run: Case, link: str) -> float:
    """Return the largest radius of gyration of a link and the links fixed to it [m]; 0 without mass or inertia."""
    compiled = run.compiled
    body = compiled.arrays.bodies[int(compiled.link_body[compiled.link_names.index(link)])]
    if not body.mass > 0.0:
        return 0.0
    xx, xy, xz, yy, yz, zz = body.inertia
    c = body.moment / body.mass
    about_com = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    about_com -= body.mass * ((c * c).sum() * np.eye(3) - outer(c, c))
    largest = float(eigh(about_com)[0][-1])
    is_rounding = largest <= ROUNDING * float(np.abs(body.inertia).max())
    return 0.0 if is_rounding else math.sqrt(largest / body.mass)


def soft_surface(run: Case) -> Iterator[Diagnosis]:
    """Report solids that rest deep inside a compliant surface."""
    facts = run.contacts
    if facts is None or facts.last < 2:
        return
    sunk = []
    for pair in facts.touches.pairs[facts.touches.pairs["ended"] == facts.last]:
        solids = int(pair["first"]), int(pair["second"])
        size = facts.size(*solids)
        if pair["depth"] > SUNK * size and math.isfinite(facts.surface(*solids).stiffness):
            lines = facts.touches.lines_of(pair)[-2:]
            now = float(lines["depth"][-1])
            if now > SUNK * size and np.ptp(lines["depth"]) < SETTLED * now:
                sunk.append((now / size, now, float(lines["load"][-1]), solids))
    for part, depth, load, solids in sorted(sunk, reverse=True)[:MOST_TOLD]:
        stiffness = facts.surface(*solids).stiffness
        soft = facts.softer(*solids)
        (other,) = {facts.touches.owners[solid] for solid in solids} - {soft}
        message = (
            f"it gives way by {in_metres(depth)} under the {load:.3g} N of link '{other}', {part:.0%} of the size of "
            f"the smaller: the stiffness of the two is {stiffness:.3g} N/m; {in_short(stiffness * part / FIRM):g} N/m "
            f"would give way by {in_metres(FIRM * depth / part)}, and without one it is rigid"
        )
        yield Diagnosis("soft-surface", f"link '{soft}'", message)


def slides_on(run: Case) -> Iterator[Diagnosis]:
    """Report a solid that slides down for want of friction."""
    facts = run.contacts
    if facts is None or not facts.down.any():
        return
    for pair in facts.touches.pairs[facts.touches.pairs["ended"] == facts.last]:
        solids = int(pair["first"]), int(pair["second"])
        friction = facts.surface(*solids).holding_friction
        if friction >= SLIPPERY or pair["slid"] < FAR_SLID * facts.size(*solids):
            continue
        lines = facts.touches.lines_of(pair)
        press = lines["press"].sum(axis=0)
        slope = math.acos(min(1.0, abs(float(matmul(press, facts.down))) / float(norm(press))))
        if lines["slip"][-1] > 1.5 * lines["slip"][0] and math.tan(slope) > friction + SLIPPERY:
            first, second = facts.touches.names(pair)
            message = (
                f"it has slid {in_metres(float(pair['slid']))} over link '{first}' and gets ever faster, at "
                f"{lines['slip'][-1]:.3g} m/s by now: their friction is {friction:g}, the smaller of both surfaces', "
                f"and a slope of {math.degrees(slope):.3g}° takes {math.tan(slope):.2g} to hold; raise it"
            )
            yield Diagnosis("no-friction", f"link '{second}'", message)
            return


def mass_ratio_across(run: Case) -> Iterator[Diagnosis]:
    """Report contacts between pieces whose masses differ by far."""
    facts = run.contacts
    if facts is None:
        return
    found: dict[tuple[str, str], float] = {}
    for pair in facts.touches.pairs:
        names = facts.touches.names(pair)
        if (facts.standing | run.immovable) & set(names):
            continue
        light, heavy = sorted(names, key=facts.mass_with)
        if facts.mass_with(heavy) > UNEQUAL * facts.mass_with(light) > 0.0:
            found[light, heavy] = facts.mass_with(heavy) / facts.mass_with(light)
    for (light, heavy), ratio in sorted(found.items(), key=lambda entry: -entry[1])[:MOST_TOLD]:
        message = (
            f"its {facts.mass_with(light):.3g} kg touch the {facts.mass_with(heavy):.3g} kg of link '{heavy}', "
            f"{ratio:.1g} times as many, which flings it about and which loads it far beyond its own weight; look "
            f"whether both are in kg, and bring them to within {UNEQUAL:g} times"
        )
        yield Diagnosis("mass-ratio", f"link '{light}'", message)


def never_rests(run: Case) -> Iterator[Diagnosis]:
    """Report a link that keeps bouncing because impacts take no energy."""
    facts = run.contacts
    if facts is None or not facts.down.any() or not len(facts.touches.times):
        return
    middle = 0.5 * (facts.touches.times[0] + facts.touches.times[-1])
    counts = Counter((impact.first, impact.second) for impact in facts.touches.impacts)
    later = {(impact.first, impact.second) for impact in facts.touches.impacts if impact.time > middle}
    for (first, second), count in counts.most_common():
        names = {first, second} - facts.standing
        if count < MANY_IMPACTS or (first, second) not in later or len(names) != 1:
            continue
        restitution = _restitution(facts, first, second)
        if restitution >= LIVELY:
            (moving,) = names
            other = second if moving == first else first
            message = (
                f"it has struck link '{other}' {count} times and goes on: the restitution of the two is "
                f"{restitution:g}, the larger of both surfaces', so a blow takes no speed; give both less, 0.5 say"
            )
            yield Diagnosis("never-rests", f"link '{moving}'", message)
            return


def _restitution(facts: ContactFacts, first: str, second: str) -> float:
    """Return the largest restitution of two links' rigid pairs of shapes; 0 if there are none."""
    found = [facts.surface(int(i), int(j)) for i in facts.solids_of(first) for j in facts.solids_of(second)]
    return max((surface.restitution for surface in found if math.isinf(surface.stiffness)), default=0.0)


def jammed(run: Case) -> Iterator[Diagnosis]:
    """Report links that fixed solids press from two sides, and that do not move."""
    facts = run.contacts
    if facts is None or facts.last < 8:
        return
    late = facts.last - facts.last // 4
    lines = facts.touches.lines[facts.touches.lines["frame"] >= late]
    lines = lines[facts.stands[lines["first"]] != facts.stands[lines["second"]]]
    pushes: dict[str, dict[int, np.ndarray]] = {}
    for line in lines:
        names = facts.touches.names(line)
        for side, sign in ((1, 1.0), (0, -1.0)):
            moving, other = names[side], int(line["first" if side else "second"])
            if facts.stands[other]:
                on = pushes.setdefault(moving, {})
                on[other] = on.get(other, np.zeros(3)) + sign * line["press"] / (facts.last - late + 1)
    for moving, on in pushes.items():
        hard = HARD * facts.weight_with(moving)
        strong = [(other, push) for other, push in on.items() if norm(push) > hard]
        for (one, push), (other, against) in itertools.combinations(strong, 2):
            sizes = float(norm(push)), float(norm(against))
            if matmul(push, against) < WEDGED * sizes[0] * sizes[1] and _is_still(facts, moving, late):
                message = (
                    f"it is jammed between links '{facts.touches.owners[one]}' and '{facts.touches.owners[other]}', "
                    f"which push it with {sizes[0]:.3g} N and {sizes[1]:.3g} N against each other, and it no longer "
                    "moves; give it more room, less friction, or a drive that pushes less"
                )
                yield Diagnosis("jammed", f"link '{moving}'", message)
                break


def _is_still(facts: ContactFacts, link: str, since: int) -> bool:
    places = facts.run.trajectory.X_WL[since:, facts.run.trajectory.link_names.index(link), :3]
    return bool(np.ptp(places, axis=0).max() < STUCK * facts.size(*facts.solids_of(link).tolist()))


CONTACT_STARTS: tuple[Callable[[Case], Iterator[Diagnosis]], ...] = (overlapping_solids, wrong_scale)
CONTACT_RULES: tuple[Callable[[Case], Iterator[Diagnosis]], ...] = (
    jammed,
    soft_surface,
    slides_on,
    never_rests,
    mass_ratio_across,
)
