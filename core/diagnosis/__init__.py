# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor: it explains why a run failed or looks wrong, and which change helps.

Each file has rules for one subject, which read `RunFacts`.
It uses solvers and records, and changes neither a model nor a motion.
"""
