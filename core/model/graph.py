# SPDX-License-Identifier: GPL-3.0-or-later
"""The spanning tree of a model's joints.

Some joints carry links, other joints close loops, and links without a joint to the world float.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..joints import FREE
from .elements import WORLD, Joint, Link
from .errors import ModelError


@dataclass(frozen=True)
class Branch:
    """A joint of the spanning tree. It is `backward` if the tree passes it from child to parent."""

    joint: Joint
    backward: bool = False

    @property
    def inner(self) -> str:
        """The link nearer to the root."""
        return self.joint.child if self.backward else self.joint.parent

    @property
    def outer(self) -> str:
        """The link that the joint carries."""
        return self.joint.parent if self.backward else self.joint.child


@dataclass(frozen=True)
class Tree:
    """The spanning tree of a model.

    Attributes:
        branches: the joints that carry links, parents first, depth first.
        loops: the other joints, each of which closes a loop.
        roots: the links that float, because no joint leads to them from the world.
    """

    branches: tuple[Branch, ...]
    loops: tuple[Joint, ...]
    roots: tuple[str, ...]

    @cached_property
    def above(self) -> dict[str, Branch]:
        """The branch that carries each link, by the name of the link."""
        return {branch.outer: branch for branch in self.branches}

    @cached_property
    def hanging(self) -> dict[str, list[str]]:
        """The links that each root carries, parents first, with the root itself; and those that the world carries."""
        found, root = {name: [name] for name in self.roots} | {WORLD: []}, {name: name for name in (WORLD, *self.roots)}
        for branch in self.branches:
            root[branch.outer] = root[branch.inner]
            found[root[branch.outer]].append(branch.outer)
        return found

    def path(self, link: str) -> list[Branch]:
        """Return the branches from the root to `link`, in this order."""
        path = []
        while link in self.above:
            path.append(self.above[link])
            link = self.above[link].inner
        return path[::-1]

    def root_of(self, link: str) -> str:
        """Return the root that carries `link`: "world", or the name of a floating link."""
        path = self.path(link)
        return path[0].inner if path else link

    def around(self, loop: Joint) -> list[Branch]:
        """Return the branches of the cycle that `loop` closes.

        These are the branches on the path to one of its ends, but not to both.
        """
        one, other = self.path(loop.parent), self.path(loop.child)
        shared = sum(a is b for a, b in zip(one, other, strict=False))
        return one[shared:] + other[shared:]

    def loose(self, fixed: Iterable[str] = ()) -> list[str]:
        """Return the roots that no joint connects to the world, not even a loop joint or a chain of these.

        `fixed` names links that count as part of the world.
        """
        connections = [
            (self.root_of(joint.parent), self.root_of(joint.child)) for joint in self.loops if not joint.kind.is_free
        ]
        grounded = {WORLD} | {self.root_of(name) for name in fixed}
        # No chain is longer than the number of connections.
        for _ in connections:
            grounded |= {end for connection in connections if grounded & set(connection) for end in connection}
        return [root for root in self.roots if root not in grounded]

    def links_from(self, link: str) -> list[str]:
        """Return the names of `link` and of all links that it carries, parents first."""
        found = {link: None}
        for branch in self.branches:
            if branch.inner in found:
                found[branch.outer] = None
        return list(found)


def spanning_tree(links: Iterable[Link], joints: Iterable[Joint]) -> Tree:
    """Return the spanning tree of least depth. Equal models give equal trees, with joints in the order of the model.

    A joint may be passed from parent to child, or backward. A joint with a chart is never passed backward, because its
    coordinates belong to the child. A free joint without forces does not hold its child, so it is used only where no
    other joint leads.

    Raises:
        ModelError: if the end of a joint is not a link, or if its two ends are one link.
    """
    search = _Search([link.name for link in links], list(joints))
    return search.run()


def connected_components(links: Sequence[str], joints: Iterable[Joint]) -> dict[str, str]:
    """Return {link: first link of its connected component}, for components that `joints` connect.

    Joints to the world are left out. The first link of a component is the first one in the order of `links`.
    """
    above = {name: name for name in links}
    order = {name: number for number, name in enumerate(links)}

    def first(name: str) -> str:
        while above[name] != name:
            above[name] = name = above[above[name]]
        return name

    for joint in joints:
        if WORLD not in (joint.parent, joint.child):
            one, other = sorted((first(joint.parent), first(joint.child)), key=order.__getitem__)
            above[other] = one
    return {name: first(name) for name in links}


class _Search:
    """Breadth-first search for the spanning tree.

    `above` maps each link that was reached to its branch; None for a root.
    """

    def __init__(self, links: list[str], joints: list[Joint]):
        self.links, self.joints = links, joints
        self.joints_of_link: dict[str, list[Joint]] = {name: [] for name in (WORLD, *links)}
        for joint in joints:
            self._require_ends(joint)
            if not joint.closes_loop:
                self.joints_of_link[joint.parent].append(joint)
                self.joints_of_link[joint.child].append(joint)
        self.above: dict[str, Branch | None] = {}

    def _require_ends(self, joint: Joint) -> None:
        for end in (joint.parent, joint.child):
            if end not in self.joints_of_link:
                raise ModelError(f"joint '{joint.name}': there is no link '{end}'; name a link of the model")
        if joint.parent == joint.child:
            raise ModelError(f"joint '{joint.name}' joins '{joint.child}' with itself; name two links")

    def run(self) -> Tree:
        self._reach(WORLD)
        roots = []
        for name in sorted(self.links, key=self._rank_as_root()):
            if name not in self.above:
                roots.append(name)
                self._reach(name)
        found = set(roots)
        roots = [name for name in self.links if name in found]
        branches = self._depth_first([WORLD, *roots])
        used = {id(branch.joint) for branch in branches}
        loops = tuple(joint for joint in self.joints if id(joint) not in used)
        return Tree(tuple(branches), loops, tuple(roots))

    def _reach(self, root: str) -> None:
        """Find branches to all links that are connected with `root`, breadth first.

        A free joint is used only if no other joint leads to a new link.
        """
        self.above[root] = None
        pending: deque[Branch] = deque()
        free: deque[Branch] = deque()
        here: str | None = root
        while here is not None:
            for joint in self.joints_of_link[here]:
                branch = Branch(joint, backward=joint.child == here)
                if not (joint.kind.chart and branch.backward):
                    (free if joint.kind.code == FREE else pending).append(branch)
            here = self._next(pending) or self._next(free)

    def _rank_as_root(self) -> Callable[[str], tuple[bool, bool]]:
        """Return the sort key of a link as a root of a floating component.

        The tree never passes a joint with a chart from child to parent. So a link comes later if its component, without
        these joints, has the child of such a joint from another component. Among the others, a link that is the child
        of no joint comes first.
        """
        holding = [joint for joint in self.joints if not joint.closes_loop]
        part = connected_components(self.links, (joint for joint in holding if not joint.kind.chart))
        behind_charts = {
            part[joint.child]
            for joint in holding
            if joint.kind.chart and WORLD not in (joint.parent, joint.child) and part[joint.parent] != part[joint.child]
        }
        carried = {joint.child for joint in holding}
        return lambda name: (part[name] in behind_charts, name in carried)

    def _next(self, pending: deque[Branch]) -> str | None:
        """Write the next branch that leads to a new link to `above`, and return that link; None if there is none."""
        while pending:
            branch = pending.popleft()
            if branch.outer not in self.above:
                self.above[branch.outer] = branch
                return branch.outer
        return None

    def _depth_first(self, roots: list[str]) -> list[Branch]:
        order = {id(joint): number for number, joint in enumerate(self.joints)}
        outward: dict[str, list[Branch]] = {}
        for branch in self.above.values():
            if branch:
                outward.setdefault(branch.inner, []).append(branch)
        for branches in outward.values():
            branches.sort(key=lambda branch: order[id(branch.joint)])
        found: list[Branch] = []
        stack = [branch for root in reversed(roots) for branch in reversed(outward.get(root, []))]
        while stack:
            branch = stack.pop()
            found.append(branch)
            stack.extend(reversed(outward.get(branch.outer, [])))
        return found
