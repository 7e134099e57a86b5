# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about single links."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import WORLD, Model
from ..model.editing.mending import is_physical, principal_moments
from ..model.naming import way_to_hold
from ..model.soundness.essentials import DAMPINGS, bad_mass, numbers_of_links
from ..model.soundness.issue import Issue, all_finite, name_of, warning
from ..model.text import as_text

REMEDY = "compute it anew, or convert with --mend-inertias"


def massless(model: Model) -> Iterator[Issue]:
    """Yield a warning for each link that moves without mass.

    A link that is fixed to the world or to a link with mass is not reported. Of several links that are fixed together,
    only one is reported.
    """
    parts = model.rigid_parts()
    weighs = {parts[link.name] for link in model.links if link.mass != 0.0}
    carried = model.fixed_links() | {joint.child for joint in model.rigid_joints()}
    moved = {joint.child for joint in model.joints}
    for link in model.links:
        if parts[link.name] in weighs or link.name in carried:
            continue
        if link.name in moved:
            message = "mass is 0 kg; only a link that is fixed to another can do without: give it mass"
        else:
            message = f"mass is 0 kg, and nothing holds it: {way_to_hold(link.name)}, or give it mass"
        yield warning("massless", name_of(link), message)


def negative_damping(model: Model) -> Iterator[Issue]:
    for link in model.links:
        for name in DAMPINGS:
            if getattr(link, name) < 0.0:
                yield warning(
                    "negative-damping",
                    name_of(link),
                    f"{name.replace('_', ' ')} is {getattr(link, name):g} 1/s, which feeds it energy; give 0 or more",
                )


def inertia_not_physical(model: Model) -> Iterator[Issue]:
    for link in model.links:
        if not (link.mass > 0.0 and all_finite(link.inertia)) or is_physical(link.inertia):
            continue
        found = principal_moments(link.inertia)
        moments = as_text(found)
        if found[0] <= 0.0:
            yield warning(
                "inertia-not-positive",
                name_of(link),
                f"principal moments are {moments} kg m^2; all three must be above 0: {REMEDY}",
            )
        else:
            yield warning(
                "inertia-not-physical",
                name_of(link),
                f"principal moments are {moments} kg m^2; no body has one above the sum of the others: {REMEDY}",
            )


def idle_velocity(model: Model) -> Iterator[Issue]:
    """Yield a warning for each initial velocity of a link that does not float, since it has no effect."""
    thrown = [link for link in model.links if any(link.velocity) or any(link.angular_velocity)]
    if not thrown:
        return
    tree = model.acting_at(0.0).tree()
    for link in thrown:
        path = [branch for branch in tree.path(link.name) if not branch.joint.kind.is_free]
        if not path:
            continue
        root, carrier = tree.root_of(link.name), path[-1].joint.name
        where = "clear it" if root == WORLD else f"set it on '{root}', which floats with all that hangs on it"
        yield warning(
            "idle-velocity",
            name_of(link),
            f"its initial velocity has no effect, since joint '{carrier}' carries it: {where}",
        )


FINDINGS = (bad_mass, massless, numbers_of_links, negative_damping, inertia_not_physical, idle_velocity)
