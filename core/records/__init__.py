# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of a motion: the frames of its trajectory, its contacts and impacts, and the report of its cost and errors.

It uses the solvers' observations and logs.
Explanations of what is wrong with a run belong to `diagnosis`.
"""
