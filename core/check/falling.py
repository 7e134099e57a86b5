# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes and warnings on links that fall because nothing holds them.

They are not part of `check_definition`, since that is no error of a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..model import Model
from ..model.compiling.collision_filter import landing_links
from ..model.naming import way_to_hold
from ..model.soundness.issue import Issue, note, warning
from ..model.text import quoted

MOST_TOLD = 3
"""Largest number of single bodies that are named in issues of their own."""

CODE = "falls-freely"
"""Code of the issue. The doctor uses the same one for a run."""


def falling(model: Model, led: Iterable[str] = ()) -> Iterator[Issue]:
    """Yield a warning for each machine that falls as a whole, and a note on single bodies that fall.

    A machine is meant to stand somewhere in most cases; a single body may be dropped or thrown. Three kinds are not
    reported: those with a force or an initial velocity, which are meant to fly; those without gravity or mass; and
    those that a floor may catch.

    Args:
        led: names of links that something else moves.
    """
    acting = model.acting_at(0.0)
    if not any(acting.gravity):
        return
    tree, landing, known = acting.tree(), landing_links(acting), {link.name: link for link in acting.links}
    moving = {branch.outer for branch in tree.branches if branch.joint.nv}
    single = []
    for root in tree.loose(led):
        names = tree.hanging[root]
        if not landing.isdisjoint(names):
            continue
        links = [known[name] for name in names]
        if any(any((*link.force, *link.torque, *link.velocity, *link.angular_velocity)) for link in links):
            continue
        if not any(link.gravity and link.mass for link in links):
            continue
        if not moving.isdisjoint(names):
            yield warning(CODE, f"link '{root}'", machine_in_words(root))
        else:
            single.append(root)
    yield from _bodies(single)


def machine_in_words(root: str) -> str:
    """Return the message that all of a machine falls, and how to hold it by its root."""
    return f"nothing holds it, nor what hangs on it, so all of it falls; {way_to_hold(root)}, or switch gravity off"


def _bodies(names: list[str]) -> Iterator[Issue]:
    what_to_do = "that is right for what is dropped or thrown; else join {} to something, or hold {} in the world"
    if len(names) > MOST_TOLD:
        more = len(names) - MOST_TOLD
        message = f"nothing holds {quoted(names[:MOST_TOLD])} and {more} more links, so they fall; "
        yield note(CODE, "model", message + what_to_do.format("them", "them"))
        return
    for name in names:
        yield note(CODE, f"link '{name}'", "nothing holds it, so it falls; " + what_to_do.format("it", "it"))
