# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for joints: making them, and their axes, limits, drives and presets."""
