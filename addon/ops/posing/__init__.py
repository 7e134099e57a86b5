# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for poses: sliders and handles, stored poses, pins, IK drags and keys."""
