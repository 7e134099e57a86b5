# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories: motions as arrays, their files, resampling, and completion for a model.

They can also be computed from poses of links.
"""

SUFFIXES = (".npz", ".csv", ".json")
"""Suffixes of the files that trajectories are read from and written to."""
