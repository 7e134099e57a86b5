# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of a simulation: its settings and preview, problems, graphs and IK drag."""
