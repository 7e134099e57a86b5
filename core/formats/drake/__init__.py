# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake's own elements in SDF and URDF files: contact surfaces, springs, ball constraints and rotor inertias.

Both formats use it. Their standard elements belong to `sdf` and `urdf`.
"""
