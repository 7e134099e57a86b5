# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that simulate, play and bake, and those that repair what a simulation found."""
