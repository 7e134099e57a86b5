# SPDX-License-Identifier: GPL-3.0-or-later
"""The spanning tree of a model's joints: which joints carry links, which close loops, and what floats."""

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
    """A joint of the tree; `backward` where it is its parent link that it carries."""

    joint: Joint
    backward: bool = False

    @property
    def inner(self) -> str:
        """The link nearer to the root."""
        return self.joint.child if self.backward else self.joint.parent

    @property
    def outer(self) -> str:
        """The link that it carries."""
        return self.joint.parent if self.backward else self.joint.child


@dataclass(frozen=True)
class Tree:
    """How a model's joints hang together.

    Attributes:
        branches: the joints that carry links, parents first, depth first.
        loops: the joints left over, each of which closes a loop.
        roots: the links that no joint leads to from the world; each floats.
    """

    branches: tuple[Branch, ...]
    loops: tuple[Joint, ...]
    roots: tuple[str, ...]

    @cached_property
    def above(self) -> dict[str, Branch]:
        """The branch that carries each link, by the link's name."""
        return {branch.outer: branch for branch in self.branches}

    @cached_property
    def hanging(self) -> dict[str, list[str]]:
        """For each root, the links that hang on it, parents first, itself too; likewise for the world."""
        found, root = {name: [name] for name in self.roots} | {WORLD: []}, {name: name for name in (WORLD, *self.roots)}
        for branch in self.branches:
            root[branch.outer] = root[branch.inner]
            found[root[branch.outer]].append(branch.outer)
        return found

    def path(self, link: str) -> list[Branch]:
        """From the root outward to `link`."""
        path = []
        while link in self.above:
            path.append(self.above[link])
            link = self.above[link].inner
        return path[::-1]

    def root_of(self, link: str) -> str:
        """The world, or the floating link, that `link` hangs on."""
        path = self.path(link)
        return path[0].inner if path else link

    def around(self, loop: Joint) -> list[Branch]:
        """The branches that `loop` closes into a ring: those that lead to one of its ends only."""
        one, other = self.path(loop.parent), self.path(loop.child)
        shared = sum(a is b for a, b in zip(one, other, strict=False))
        return one[shared:] + other[shared:]

    def loose(self, held: Iterable[str] = ()) -> list[str]:
        """The roots that fall: loop joints may hold others after all, in the world or by links that are `held`."""
        bonds = [
            (self.root_of(joint.parent), self.root_of(joint.child))
            for joint in self.loops
            if not joint.kind.holds_nothing
        ]
        firm = {WORLD} | {self.root_of(name) for name in held}
        for _ in bonds:  # as often as a chain of them can be long
            firm |= {end for bond in bonds if firm & set(bond) for end in bond}
        return [root for root in self.roots if root not in firm]

    def links_from(self, link: str) -> list[str]:
        """`link` and all that it carries, parents first."""
        found = {link: None}
        for branch in self.branches:
            if branch.inner in found:
                found[branch.outer] = None
        return list(found)


def spanning_tree(links: Iterable[Link], joints: Iterable[Joint]) -> Tree:
    """The shallowest tree, joints in their order; the same for the same model.

    A joint is walked from parent to child, or backward; only a chart never is, as its coordinates belong to the child.
    A free chart holds nothing, so it serves where nothing else leads.

    Raises:
        ModelError: a joint's end is no link, or its two ends are one.
    """
    search = _Search([link.name for link in links], list(joints))
    return search.run()


def pieces(links: Sequence[str], joints: Iterable[Joint]) -> dict[str, str]:
    """For each link, the first of those that the joints hold together with it, the world apart."""
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
    def __init__(self, links: list[str], joints: list[Joint]):
        self.links, self.joints = links, joints
        self.touching: dict[str, list[Joint]] = {name: [] for name in (WORLD, *links)}
        for joint in joints:
            self._require_ends(joint)
            if not joint.closes_loop:
                self.touching[joint.parent].append(joint)
                self.touching[joint.child].append(joint)
        self.above: dict[str, Branch | None] = {}

    def _require_ends(self, joint: Joint) -> None:
        for end in (joint.parent, joint.child):
            if end not in self.touching:
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
        """Breadth first over all that hangs together with `root`; free charts wait until nothing else leads on."""
        self.above[root] = None
        ways: deque[Branch] = deque()
        free: deque[Branch] = deque()
        here: str | None = root
        while here is not None:
            for joint in self.touching[here]:
                branch = Branch(joint, backward=joint.child == here)
                if not (joint.kind.chart and branch.backward):
                    (free if joint.kind.code == FREE else ways).append(branch)
            here = self._next(ways) or self._next(free)

    def _rank_as_root(self) -> Callable[[str], tuple[bool, bool]]:
        """First a link that no chart leads to, as no way leads back through it; then one that is no joint's child."""
        holding = [joint for joint in self.joints if not joint.closes_loop]
        part = pieces(self.links, (joint for joint in holding if not joint.kind.chart))
        led_to = {
            part[joint.child]
            for joint in holding
            if joint.kind.chart and WORLD not in (joint.parent, joint.child) and part[joint.parent] != part[joint.child]
        }
        carried = {joint.child for joint in holding}
        return lambda name: (part[name] in led_to, name in carried)

    def _next(self, ways: deque[Branch]) -> str | None:
        """The next link to go on from, now that it has a branch above it; None when all ways have been gone."""
        while ways:
            branch = ways.popleft()
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
