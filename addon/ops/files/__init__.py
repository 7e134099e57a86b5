# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for files: import, export, trajectories and samples."""
