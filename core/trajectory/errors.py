# SPDX-License-Identifier: GPL-3.0-or-later
"""The exception for trajectories that cannot be used."""

from __future__ import annotations


class TrajectoryError(ValueError):
    """A trajectory that cannot be read or does not fit a model.

    The message, one line, says what was found and what to do.
    """
