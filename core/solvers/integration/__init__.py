# SPDX-License-Identifier: GPL-3.0-or-later
"""Time integration of smooth motion: explicit and implicit steps with error control, up to the next event.

It uses `system` and the margins of `joint_events`.
Contact belongs to `hybrid_contact`.
"""
