# SPDX-License-Identifier: GPL-3.0-or-later
"""What a diagnosis is, what mends it, and the words that diagnoses share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Remedy:
    """A change that takes a cause of trouble away, and that nobody who makes it regrets.

    Attributes:
        kind: what is changed.
        changes: names and new values, in SI units and radians: fields of core's `Axis`, or "home" for where its
            coordinate starts; fields of `Link`, or "static", True to hold it in the world as `fix_base` does; of a run,
            what `Simulation` takes.
        name: of the joint or link; empty for a run.
        axis: number of the joint's axis.
    """

    kind: Literal["joint", "link", "run"]
    changes: tuple[tuple[str, float | str | bool], ...]
    name: str = ""
    axis: int = 0


@dataclass(frozen=True)
class Diagnosis:
    """A cause of trouble.

    Attributes:
        code: a short slug, the same for all causes of a kind.
        subject: what it is about, such as "joint 'elbow'".
        message: what was found with its value, why it matters, what to do.
        remedy: of that, what can be done at once; None where there is no one way, or no number that is sure to do.
    """

    code: str
    subject: str
    message: str
    remedy: Remedy | None = None

    @property
    def name(self) -> str:
        """Of what it is about, as `subject` has it."""
        return self.subject.partition(" '")[2].removesuffix("'")

    def __str__(self) -> str:
        return f"{self.subject}: {self.message}"


def force_unit(unit: str) -> str:
    """Of what moves a coordinate of that unit."""
    return "N m" if unit == "rad" else "N"


def inertia_unit(unit: str) -> str:
    """Of what a coordinate of that unit moves."""
    return "kg m^2" if unit == "rad" else "kg"


def in_short(value: float) -> float:
    """With the two digits that a person would choose."""
    return float(f"{value:.2g}")
