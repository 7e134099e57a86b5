# SPDX-License-Identifier: GPL-3.0-or-later
"""Move a whole model in the world."""

from ....core.model import WORLD, Model
from ....core.spatial import Pose, Vec3, compose


def move_model(model: Model, by: Vec3) -> None:
    """Translate everything in the model that is placed in the world [m]."""
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
