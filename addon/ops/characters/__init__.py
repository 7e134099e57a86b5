# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the armatures of characters as a whole."""
