# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact report of a motion: largest overlap, longest slide and energy losses, computed from TOUCH records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..contact.collision_state import CollisionState
from ..model.text import counted, in_metres, timed
from ..trajectory.trajectory import Trajectory
from .named_contacts import Impact

PAIR = np.dtype(
    [
        ("first", np.int64),  # numbers of the two solids
        ("second", np.int64),
        ("begun", np.int64),  # number of the first frame in which they touch
        ("ended", np.int64),  # number of the last one
        ("depth", np.float64),  # largest depth [m]
        ("deepest", np.int64),  # number of the first frame with that depth
        ("slid", np.float64),  # length of the slide [m]
    ]
)


OVERLAPPING = 0.01
"""Depth, in sizes of the smaller solid, above which rigid solids count as overlapping.

Convex steps allow smaller depths.
"""

ROUNDING = 1e-9
"""Difference of depths up to which they count as equal [m]."""

WORTH_TELLING = 1e-6, 1e-9
"""The smallest length [m] and the smallest energy [J] that the lines for users contain."""


@dataclass(frozen=True)
class Touches:
    """The contacts of a stage of a motion.

    Attributes:
        lines: TOUCH records, frame by frame. Their frames are counted from the stage's first one.
        owners: for each solid, the name of its link. times: of the stage's frames [s].
        impacts: all impacts of the stage.
    """

    lines: np.ndarray
    owners: Sequence[str]
    collisions: CollisionState
    times: np.ndarray
    impacts: Sequence[Impact] = ()

    def names(self, pair: np.void) -> tuple[str, str]:
        """Return the names of the two links of a TOUCH or PAIR record."""
        return self.owners[int(pair["first"])], self.owners[int(pair["second"])]

    def lines_of(self, pair: np.void) -> np.ndarray:
        """Return the TOUCH records of a PAIR record."""
        return self.lines[(self.lines["first"] == pair["first"]) & (self.lines["second"] == pair["second"])]

    @cached_property
    def pairs(self) -> np.ndarray:
        """One PAIR record for each pair of solids that touched."""
        lines = self.lines
        if not len(lines):
            return np.zeros(0, PAIR)
        codes, which = np.unique(lines["first"] * len(self.owners) + lines["second"], return_inverse=True)
        order = np.lexsort((lines["frame"], which))
        lines, which = lines[order], which[order]
        begins = np.flatnonzero(np.diff(which, prepend=-1))
        ends = np.append(begins[1:], len(lines)) - 1
        found = np.zeros(len(codes), PAIR)
        for name in ("first", "second"):
            found[name] = lines[name][begins]
        found["begun"], found["ended"] = lines["frame"][begins], lines["frame"][ends]
        found["depth"] = np.maximum.reduceat(lines["depth"], begins)
        deepest = np.flatnonzero(lines["depth"] >= found["depth"][which] - ROUNDING)
        found["deepest"][which[deepest[::-1]]] = lines["frame"][deepest[::-1]]
        goes_on = (np.diff(which) == 0) & (np.diff(lines["frame"]) == 1)
        frame = lines["frame"][:-1][goes_on]
        way = 0.5 * (lines["slip"][1:] + lines["slip"][:-1])[goes_on] * (self.times[frame + 1] - self.times[frame])
        found["slid"] = np.bincount(which[:-1][goes_on], way, minlength=len(codes))
        return found

    @property
    def overlapping(self) -> set[frozenset[str]]:
        """The pairs of links with rigid surfaces that overlap in the first two frames of the stage."""
        lines = self.lines[self.lines["frame"] <= 1]
        reach, stiffness = self.collisions.solids["bounding_radius"], self.collisions.surfaces["stiffness"]
        size = np.minimum(reach[lines["first"]], reach[lines["second"]])
        lines = lines[lines["depth"] > OVERLAPPING * size]
        rigid = np.isinf(stiffness[lines["first"]]) & np.isinf(stiffness[lines["second"]])
        return {frozenset(self.names(line)) for line in lines[rigid]}

    def friction_loss(self) -> np.ndarray:
        """Return the energy that friction removes between frames, by the trapezoidal rule, shape (F - 1,) [J]."""
        power = np.bincount(self.lines["frame"], self.lines["lost"], minlength=len(self.times))[: len(self.times)]
        return 0.5 * (power[1:] + power[:-1]) * np.diff(self.times)


@dataclass
class ContactReport:
    """A report about the contacts of a motion at its frames. Values between frames may have been larger.

    Attributes:
        deepest: the largest overlap of two links [m]; 0 if there was none. deepest_pair: their names.
            deepest_at: its time [s].
        overlapping: number of pairs of rigid links that overlapped in the first two frames of a stage.
        longest_slide: the longest path of one surface along another [m]. longest_slide_pair: the names of the two
            links.
        friction_loss: energy that friction in contacts removed, by the trapezoidal rule over frames [J].
        impact_loss: energy that was lost between frames with impacts between them, without friction_loss [J]. It
            includes the loss to dampers and friction of joints in these intervals.
    """

    deepest: float = 0.0
    deepest_pair: tuple[str, str] | None = None
    deepest_at: float = 0.0
    overlapping: int = 0
    longest_slide: float = 0.0
    longest_slide_pair: tuple[str, str] | None = None
    friction_loss: float = 0.0
    impact_loss: float = 0.0

    def note(self) -> str:
        """Return a note for users about overlaps at the start; empty if there are none."""
        if not self.overlapping:
            return ""
        pairs = counted(self.overlapping, "pair")
        return f"{pairs} of links overlap as they start: limberjack check --overlaps names them"

    def lines(self) -> list[str]:
        """Return the lines of the report for users."""
        lines, (way, energy) = [], WORTH_TELLING
        if self.deepest_pair and self.deepest > way:
            between, deepest = "links '{}' and '{}'".format(*self.deepest_pair), in_metres(self.deepest)
            lines.append(f"overlap       {deepest} at most, of {between} at {timed(self.deepest_at)}")
        if self.longest_slide_pair and self.longest_slide > way:
            between = "links '{}' and '{}'".format(*self.longest_slide_pair)
            lines.append(f"slide         {in_metres(self.longest_slide)} at most, of {between}")
        if max(self.friction_loss, self.impact_loss) > energy:
            lines.append(f"contact took  {self.friction_loss:.3g} J by friction, {self.impact_loss:.3g} J by impacts")
        return lines

    def add_stage(self, touches: Touches, motion: Trajectory) -> None:
        """Add the contacts of a stage of a motion, whose frames are `motion`."""
        if len(touches.pairs):
            pair = touches.pairs[np.argmax(touches.pairs["depth"])]
            if pair["depth"] > self.deepest:
                self.deepest, self.deepest_pair = float(pair["depth"]), touches.names(pair)
                self.deepest_at = float(touches.times[pair["deepest"]])
            self.overlapping += len(touches.overlapping)
            pair = touches.pairs[np.argmax(touches.pairs["slid"])]
            if pair["slid"] > self.longest_slide:
                self.longest_slide, self.longest_slide_pair = float(pair["slid"]), touches.names(pair)
        if len(motion) < 2:
            return
        lost = np.maximum(np.diff(motion.dissipated), 0.0)
        friction = np.clip(touches.friction_loss(), 0.0, lost)
        has_impact = np.zeros(len(lost), bool)
        times = np.array([impact.time for impact in touches.impacts])
        within = times[(times > motion.times[0]) & (times <= motion.times[-1])]
        has_impact[np.searchsorted(motion.times, within) - 1] = True
        self.friction_loss += float(friction.sum())
        self.impact_loss += float((lost - friction)[has_impact].sum())
