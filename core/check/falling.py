"""Notes and warnings on what falls, since nothing holds it. Apart from `check_model`: it is no flaw of a file."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Model
from ..model.meeting import landing_links
from ..model.soundness.issue import Issue, note, quoted, warning

MOST_TOLD = 3
"""Single bodies that are named one by one."""

CODE = "falls-freely"
"""As the doctor calls it, who tells it of a run."""


def falling(model: Model) -> Iterator[Issue]:
    """A warning for each machine that falls as a whole, and a note on bodies that fall by themselves.

    A machine is meant to stand somewhere, most of the time; a single body may be dropped or thrown. What is pushed by
    a force of its own, or starts with a velocity, is meant to fly, and what gravity does not pull at does not fall. Nor
    is it told of what a floor may be there for.
    """
    acting = model.acting_at(0.0)
    if not any(acting.gravity):
        return
    tree, landing, known = acting.tree(), landing_links(acting), {link.name: link for link in acting.links}
    moving = {branch.outer for branch in tree.branches if branch.joint.nv}
    single = []
    for root in tree.loose():
        names = tree.hanging[root]
        if not landing.isdisjoint(names):
            continue
        links = [known[name] for name in names]
        if any(any((*link.force, *link.torque, *link.velocity, *link.angular_velocity)) for link in links):
            continue
        if not any(link.gravity and link.mass for link in links):
            continue
        if not moving.isdisjoint(names):
            message = (
                "nothing holds it, nor what hangs on it, so all of it falls as soon as it is simulated; hold it in the "
                "world where it stands, or join it to something that is held"
            )
            yield warning(CODE, f"link '{root}'", message)
        else:
            single.append(root)
    yield from _bodies(single)


def _bodies(names: list[str]) -> Iterator[Issue]:
    what_to_do = "that is right for what is dropped or thrown; else join {} to something, or hold {} in the world"
    if len(names) > MOST_TOLD:
        more = len(names) - MOST_TOLD
        message = f"nothing holds {quoted(names[:MOST_TOLD])} and {more} more links, so they fall; "
        yield note(CODE, "model", message + what_to_do.format("them", "them"))
        return
    for name in names:
        yield note(CODE, f"link '{name}'", "nothing holds it, so it falls; " + what_to_do.format("it", "it"))
