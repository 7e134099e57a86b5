# SPDX-License-Identifier: GPL-3.0-or-later
"""What is raised for a trajectory that cannot be used."""

from __future__ import annotations


class TrajectoryError(ValueError):
    """A trajectory cannot be read, or is of another model: one line that says what was found, and what to do."""
