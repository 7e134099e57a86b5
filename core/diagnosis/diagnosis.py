# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagnoses, their remedies, and the words that several rules of the doctor share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Remedy:
    """A change that removes a cause of trouble, and that a user can make without harm.

    Attributes:
        kind: what is changed.
        changes: names and new values, in SI units and radians: fields of core's `Axis`, or "home" for the initial
            coordinate; fields of `Link`, or "static", True to fix it to the world as `fix_base` does; for a run,
            arguments of `Simulation`.
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
        subject: the subject of the message, such as "joint 'elbow'".
        message: the cause with its value, its effect, and advice.
        remedy: the part of the advice that can be applied at once; None if there are several ways, or no value is
            certain to help.
    """

    code: str
    subject: str
    message: str
    remedy: Remedy | None = None

    @property
    def name(self) -> str:
        """The name of the link, joint or model in `subject`."""
        return self.subject.partition(" '")[2].removesuffix("'")

    def __str__(self) -> str:
        return f"{self.subject}: {self.message}"


def force_unit(unit: str) -> str:
    """Return the unit of the force on a coordinate with this unit."""
    return "N m" if unit == "rad" else "N"


def inertia_unit(unit: str) -> str:
    """Return the unit of the inertia of a coordinate with this unit."""
    return "kg m^2" if unit == "rad" else "kg"


def in_short(value: float) -> float:
    """Return a value rounded to two digits, as a person would choose it."""
    return float(f"{value:.2g}")
