# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole model, put elsewhere in the world."""

from ...core.model import WORLD, Model
from ...core.spatial import Pose, Vec3, compose


def move_model(model: Model, by: Vec3) -> None:
    """Shift all that the model has in the world [m]."""
    shift: Pose = (*by, 1.0, 0.0, 0.0, 0.0)
    for link in model.links:
        link.pose = compose(shift, link.pose)
    for joint in model.joints:
        if joint.parent == WORLD:
            joint.X_PJ = compose(shift, joint.X_PJ)
        if joint.child == WORLD:
            joint.X_CJ = compose(shift, joint.X_CJ)
    for item in (*model.frames, *model.lights):
        if item.link == WORLD:
            item.pose = compose(shift, item.pose)
