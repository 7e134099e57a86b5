# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories, which are motions as arrays: their files, resampling, completion for a model, and motions from link
poses.
"""

SUFFIXES = (".npz", ".csv", ".json")
"""Suffixes of the files that trajectories are read from and written to."""
