# SPDX-License-Identifier: GPL-3.0-or-later
"""What `read` adds to a model on request: masses of links that have none, and joints that hold the base."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..check import Issue
from ..model import Link, Model, ModelError
from ..model.editing.editing import fix_base
from ..model.editing.weighing import weighed_link


def weigh_missing(model: Model, density: float, without_mass: Iterable[str]) -> Iterator[Issue]:
    """Give each link without mass and inertia those of its collisions, or else of its visuals, at a density [kg/m^3].

    Args:
        without_mass: names of links that have the default mass of the format, since the file gives them none.

    Yields:
        Warnings: that every link has a mass, what was assumed about meshes, and which links have shapes but no known
        volume. `check_definition` reports links that move without mass.
    """
    without_mass = set(without_mass)
    missing = [link for link in model.links if link.name in without_mass or not (link.mass or any(link.inertia))]
    if not missing:
        message = "the file gives every link a mass, so the density changes nothing; for one link, set its density"
        yield Issue("warning", "has-masses", f"model '{model.name}'", message)
    for link in missing:
        yield from _weigh(link, density)


def _weigh(link: Link, density: float) -> Iterator[Issue]:
    subject = f"link '{link.name}'"
    found, notes = weighed_link(link, density)
    for note in notes:
        yield Issue("warning", "weighed-as", subject, note)
    if found is not None:
        link.mass, link.com, link.inertia = found.mass, found.com, found.inertia
    elif link.shapes or link.mass:
        message = f"it has no shape whose volume is known, so its mass stays {link.mass:g} kg: give it a mass"
        yield Issue("warning", "not-weighed", subject, message)


def hold_bases(model: Model, base: bool | str | Iterable[str]) -> None:
    """Fix links to the world where they are drawn.

    Args:
        base: names of links; True for the one that floats, or for none if the world holds all links.

    Raises:
        ModelError: there is no such link, it does not float, or True is given and several links float.
    """
    roots = model.tree().roots
    if base is True and len(roots) > 1:
        raise ModelError(
            f"model '{model.name}': {len(roots)} links float: {', '.join(roots)}; name those to fix, as in "
            f"fix_base=['{roots[0]}']"
        )
    names = roots if base is True else [base] if isinstance(base, str) else base or ()
    for name in list(names):
        fix_base(model, name)
