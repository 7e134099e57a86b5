# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion as arrays: in and out of files, at other times, for a model, and from what was seen of one."""

SUFFIXES = (".npz", ".csv", ".json")
"""Of the files."""
