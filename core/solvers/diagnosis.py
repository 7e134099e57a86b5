"""What a diagnosis is, and the words that diagnoses share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnosis:
    """A cause of trouble.

    Attributes:
        code: a short slug, the same for all causes of a kind.
        subject: what it is about, such as "joint 'elbow'".
        message: what was found with its value, why it matters, what to do.
    """

    code: str
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.message}"


def force_unit(unit: str) -> str:
    """Of what moves a coordinate of that unit."""
    return "N m" if unit == "rad" else "N"


def inertia_unit(unit: str) -> str:
    """Of what a coordinate of that unit moves."""
    return "kg m^2" if unit == "rad" else "kg"
