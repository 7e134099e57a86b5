# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints between two links that move as they are animated: the animation leads, whatever the joint allows."""

import numpy as np
import pytest

from .baked import bake
from .conftest import joint, link
from .rigs import chain, hang_up, tag

TOLD = (
    "joint 'Rig:b1' is taken to 1.2 rad (68.75°) by the animation at frame 24, beyond its limits of -0.1 to 0.1 rad "
    "(-5.73° to 5.73°): it moves as animated"
)


@pytest.fixture
def bones(scene):
    """Three bones. The first two are Kinematic, and the second one turns about its x axis."""
    bones = tag(chain(3))
    hang_up(bones[0])
    for bone in bones[:2]:
        link(bone).motion = "KINEMATIC"
    bones[1].rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (24, 1.2)):
        bones[1].rotation_euler = (angle, 0.0, 0.0)
        bones[1].keyframe_insert("rotation_euler", frame=frame)
    scene.frame_end = 24
    return bones


def of_hinge(bone, xyz):
    joint(bone).type = "revolute"
    axis = joint(bone).axes[0]
    axis.xyz, axis.use_lower, axis.use_upper, axis.lower, axis.upper = xyz, True, True, -0.1, 0.1


def swing(scene, **changes):
    run = bake(scene, overwrite=True, **changes)
    return run.trajectory.link("Rig:b2"), run.notes


@pytest.mark.parametrize("onto", ["LINKS", "JOINTS", "BOTH"])
@pytest.mark.parametrize(
    ("xyz", "told"), [((1.0, 0.0, 0.0), [TOLD]), ((0.0, 0.0, 1.0), [])], ids=["beyond its limits", "about another axis"]
)
def test_the_animation_leads(scene, bones, xyz, told, onto):
    """Guards characters that are partly simulated: a joint between animated bones stops no bake, and limits are told.

    What hangs on them moves as if there were no such joint.
    """
    joint(bones[1]).is_joint = False
    expected, _ = swing(scene)
    joint(bones[1]).is_joint = True
    of_hinge(bones[1], xyz)
    found, notes = swing(scene, onto=onto)
    assert np.ptp(expected[:, 2]) > 0.1
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)
    assert [note for note in notes if "animation" in note] == told


def test_limits_that_the_animation_keeps_are_not_told(scene, bones):
    """Guards against notes about animation within the limits, up to rounding."""
    of_hinge(bones[1], (1.0, 0.0, 0.0))
    joint(bones[1]).axes[0].lower, joint(bones[1]).axes[0].upper = 0.0, 1.2
    assert swing(scene)[1] == []


def test_a_cone_that_the_animation_leaves_is_told(scene, bones):
    """Guards ball joints, whose cone and twist are limited."""
    cone = joint(bones[1]).axes[3]
    cone.xyz, cone.use_upper, cone.upper = (0.0, 1.0, 0.0), True, 0.5
    (note,) = swing(scene)[1]
    assert "is taken to 1.2 rad (68.75°) by the animation at frame 24, beyond its limits of at most 0.5 rad" in note
