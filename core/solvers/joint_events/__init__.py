# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of joints: stops, dry friction, and limits of speed and effort.

`margins` finds events, `modes` decides the modes after an event, and `impacts` changes velocities.
It uses `system`. Contact between links belongs to `hybrid_contact`.
"""
