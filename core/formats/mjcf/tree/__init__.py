# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of an MJCF file: bodies with their poses, joints, shapes and masses, as MuJoCo's compiler defines them.

It uses `geometry`, `mesh_files` and `collision` for shapes and hulls, and nothing of MuJoCo. Whatever acts on the tree
(actuators, constraints, contact, keyframes) does not belong here.
"""
