"""What touched at each frame, a line for each pair of solids, and what sums of that tell of a whole run.

It is kept of every run, since what went wrong is asked for afterwards. So it is small: where solids touch in four
corners, one line has all four.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..model.text import counted, in_metres, timed
from ..trajectory.trajectory import Trajectory
from .contact_setup import Impact
from .ground import Ground

TOUCH = np.dtype(
    [
        ("frame", np.int64),
        ("first", np.int64),  # solids
        ("second", np.int64),
        ("depth", np.float64),  # of the deepest point; below 0 where they do not quite touch [m]
        ("slip", np.float64),  # of the second's surface against the first's, belts included, the points' mean [m/s]
        ("load", np.float64),  # along the normals, of all points [N]
        ("press", np.float64, 3),  # that on the second, in world axes [N]
        ("drag", np.float64, 3),  # friction on the second [N]
        ("lost", np.float64),  # to friction [W]
    ]
)

PAIR = np.dtype(
    [
        ("first", np.int64),
        ("second", np.int64),
        ("begun", np.int64),  # the first and the last frame in which they touch
        ("ended", np.int64),
        ("depth", np.float64),  # the largest [m]
        ("deepest", np.int64),  # the frame of that
        ("slid", np.float64),  # [m]
    ]
)


OVERLAPPING = 0.01
"""Part of the smaller solid's size from which on rigid ones overlap; crowds let them, by less."""

ROUNDING = 1e-9
"""Metres by which depths differ and are one."""

WORTH_TELLING = 1e-6, 1e-9
"""Metres and joules, to people."""

POINT_FIELDS = ("first", "second", "normal", "place", "gap", "load", "force", "torque")
"""Of a POINT, what is kept."""

MANY = 4096
"""Points that are kept as they are, before lines are made of them: of many at once, as numpy likes it."""


class TouchLog:
    """Keeps what touches, frame by frame.

    Args:
        ground: all that may touch, of which solids and surfaces are read.
    """

    def __init__(self, ground: Ground):
        self._ground = ground
        self._lines: list[np.ndarray] = []
        self._waiting: list[tuple[int, dict[str, np.ndarray], np.ndarray]] = []
        self._count = 0

    def add(self, points: np.ndarray, bodies: np.ndarray, frame: int) -> None:
        """Keep a frame. points: POINT records. bodies: BODY_WORK records, placed and moved."""
        if not len(points):
            return
        kept = {name: points[name].copy() for name in POINT_FIELDS}
        moving = np.concatenate([bodies[name] for name in ("velocity", "origin", "rotation")], axis=1)
        self._waiting.append((frame, kept, moving))
        self._count += len(points)
        if self._count > MANY:
            self._make_lines()

    @property
    def lines(self) -> np.ndarray:
        """TOUCH records, frame by frame, in the order of pairs."""
        self._make_lines()
        if len(self._lines) != 1:
            self._lines = [np.concatenate([np.zeros(0, TOUCH), *self._lines])]
        return self._lines[0]

    def rewind(self, frames: int) -> None:
        """Forget all from a frame's number on."""
        lines = self.lines
        self._lines = [lines[lines["frame"] < frames]]

    def _make_lines(self) -> None:
        if not self._waiting:
            return
        frames = np.concatenate([np.full(len(kept["load"]), frame) for frame, kept, _ in self._waiting])
        parts = np.concatenate([np.full(len(kept["load"]), n) for n, (_, kept, _) in enumerate(self._waiting)])
        points = {name: np.concatenate([kept[name] for _, kept, _ in self._waiting]) for name in POINT_FIELDS}
        bodies = np.array([moving for *_, moving in self._waiting])
        pushes = points["load"] > 0.0
        points = {name: values[pushes] for name, values in points.items()} | {"part": parts[pushes]}
        self._lines.append(_lines_of(points, frames[pushes], bodies, self._ground))
        self._waiting, self._count = [], 0


def _lines_of(points: dict[str, np.ndarray], frames: np.ndarray, bodies: np.ndarray, ground: Ground) -> np.ndarray:
    """TOUCH records of the points of several frames.

    Args:
        points: `POINT_FIELDS`, and which part of `bodies` has theirs. frames: their frames.
        bodies: of each part, each body's velocity, origin and axes, shape (parts, bodies, 18).
    """
    count = len(ground.solids)
    velocity, spin = _relative(points, bodies, ground)
    normal, load = points["normal"], points["load"]
    across = velocity - normal * np.einsum("pi,pi->p", normal, velocity)[:, None]
    codes = (frames * count + points["first"]) * count + points["second"]
    codes, which, counts = np.unique(codes, return_inverse=True, return_counts=True)
    found = np.zeros(len(codes), TOUCH)
    found["frame"], found["first"], found["second"] = codes // count**2, codes // count % count, codes % count
    found["depth"] = -np.inf
    np.maximum.at(found["depth"], which, -points["gap"])
    found["slip"] = np.bincount(which, np.linalg.norm(across, axis=1)) / counts
    found["load"] = np.bincount(which, load)
    lost = -np.einsum("pi,pi->p", points["force"], velocity) - np.einsum("pi,pi->p", points["torque"], spin)
    found["lost"] = np.bincount(which, lost)
    for k in range(3):
        found["press"][:, k] = np.bincount(which, load * normal[:, k])
        found["drag"][:, k] = np.bincount(which, points["force"][:, k])
    return found


def _relative(points: dict[str, np.ndarray], bodies: np.ndarray, ground: Ground) -> tuple[np.ndarray, np.ndarray]:
    """How the second's surface moves and turns against the first's, belts included, shapes (P, 3) [m/s, rad/s]."""
    velocity, spin = np.zeros_like(points["place"]), np.zeros_like(points["place"])
    for side, sign in (("second", 1.0), ("first", -1.0)):
        solids = points[side]
        own = bodies[points["part"], ground.solids["body"][solids]]
        turning, sliding, origin, axes = own[:, :3], own[:, 3:6], own[:, 6:9], own[:, 9:].reshape(-1, 3, 3)
        belt = np.einsum("pij,pj->pi", axes, ground.surfaces["belt"][solids])
        velocity += sign * (sliding + np.cross(turning, points["place"] - origin) + belt)
        spin += sign * turning
    return velocity, spin


@dataclass(frozen=True)
class Touches:
    """All that touched in a stage of a motion.

    Attributes:
        lines: TOUCH records, frame by frame. begun: the number of the stage's first frame; lines count from it.
        owners: the names of the links that the solids belong to. times: of the stage's frames [s].
        impacts: all blows.
    """

    lines: np.ndarray
    owners: Sequence[str]
    ground: Ground
    times: np.ndarray
    impacts: Sequence[Impact] = ()

    def names(self, pair: np.void) -> tuple[str, str]:
        """Of the links of a TOUCH or PAIR record."""
        return self.owners[int(pair["first"])], self.owners[int(pair["second"])]

    def lines_of(self, pair: np.void) -> np.ndarray:
        """The lines of a PAIR."""
        return self.lines[(self.lines["first"] == pair["first"]) & (self.lines["second"] == pair["second"])]

    @cached_property
    def pairs(self) -> np.ndarray:
        """PAIR records."""
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
        """The links that overlap as the stage begins, of those that are rigid."""
        lines = self.lines[self.lines["frame"] <= 1]
        reach, stiffness = self.ground.solids["reach"], self.ground.surfaces["stiffness"]
        size = np.minimum(reach[lines["first"]], reach[lines["second"]])
        lines = lines[lines["depth"] > OVERLAPPING * size]
        rigid = np.isinf(stiffness[lines["first"]]) & np.isinf(stiffness[lines["second"]])
        return {frozenset(self.names(line)) for line in lines[rigid]}

    def friction_loss(self) -> np.ndarray:
        """From each frame to the next, by the trapezoidal rule, shape (F - 1,) [J]."""
        power = np.bincount(self.lines["frame"], self.lines["lost"], minlength=len(self.times))[: len(self.times)]
        return 0.5 * (power[1:] + power[:-1]) * np.diff(self.times)


@dataclass
class ContactReport:
    """What touched in a motion, as its frames show it; between them it may have been more.

    Attributes:
        deepest: by how much two links overlapped at most [m]; 0 where none did. deepest_pair: their names.
            deepest_at: when [s].
        overlapping: how many pairs of rigid links overlapped as they first touched, in the first two frames.
        longest_slide: way of one link's surface over another's, summed up [m]. longest_slide_pair: their names.
        friction_loss: energy that friction of what touches took, by the trapezoidal rule over frames [J].
        impact_loss: energy lost from frames to those after them between which something struck, but for that [J]; what
            dampers and friction of joints took meanwhile is in it.
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
        """What a user may wonder at; empty where there is nothing."""
        if not self.overlapping:
            return ""
        pairs = counted(self.overlapping, "pair")
        return f"{pairs} of links overlap as they start, and keep that: limberjack check --overlaps names them"

    def told(self) -> list[str]:
        """Lines for people."""
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

    def take(self, touches: Touches, motion: Trajectory) -> None:
        """Add what a stage of a motion tells, of which these are the frames."""
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
        struck = np.zeros(len(lost), bool)
        times = np.array([impact.time for impact in touches.impacts])
        within = times[(times > motion.times[0]) & (times <= motion.times[-1])]
        struck[np.searchsorted(motion.times, within) - 1] = True
        self.friction_loss += float(friction.sum())
        self.impact_loss += float((lost - friction)[struck].sum())
