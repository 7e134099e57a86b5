# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters of other makers, as links of one tree, and their bakes, whatever their bones are called."""

import numpy as np
import pytest

from limberjack.addon.bridge.scene.read import read_scene

from .baked import bake
from .bone_rig import assert_exact, curves_of
from .conftest import joint
from .humanoids import HEIGHT, HUMANOIDS
from .rigs import hang_up, tag

DAMPING = 0.05
"""Damping of joints [N m s/rad]. Without it, limbs whirl, and the last digits of the computation grow a billion times
in a second."""


@pytest.fixture(params=HUMANOIDS)
def kind(request):
    return HUMANOIDS[request.param]


def character(scene, kind):
    """A character that hangs by its hips and sinks down, with the names of its links. Its limbs do not collide."""
    rig, names = kind.build()
    tag(rig, *names)
    hang_up(rig.pose.bones[names[0]])
    for name in names:
        for axis in joint(rig.pose.bones[name]).axes:
            axis.damping = DAMPING
    scene.limberjack.contact = False
    return rig, names


def test_all_parts_of_a_body_are_one_tree(scene, kind):
    """Guards the hierarchy of each kind of rig: every tagged bone has the parent that its maker gave it."""
    _, names = character(scene, kind)
    joints = read_scene(scene).joints
    parents = {item.child: item.parent for item in joints}
    expected = {f"Rig:{name}": f"Rig:{above}" if above else "world" for name, (above, *_) in kind.parts().items()}
    assert (parents, len(joints)) == (expected, len(names))


def test_a_body_moves_as_simulated(scene, kind):
    """Guards bakes of a whole body in its units, axes and directions of bones; helpers get no keys."""
    rig, names = character(scene, kind)
    run = bake(scene)
    assert len(run.frames) == 24
    assert set(run.trajectory.link_names) == {f"Rig:{name}" for name in names}
    assert_exact(scene, run, HEIGHT)
    assert {path.split('"')[1] for path, _ in curves_of(rig)} == set(names)


def test_the_motion_does_not_depend_on_names(scene, kind):
    """Guards rigs whose bones are renamed, such that their order by name is another one: they move as before."""
    rig, names = character(scene, kind)
    first = bake(scene).trajectory
    renamed = {name: f"bone {len(names) - number:02d}" for number, name in enumerate(names)}
    for name, other in renamed.items():
        rig.pose.bones[name].name = other
    second = bake(scene).trajectory
    assert sorted(second.link_names) == sorted(f"Rig:{name}" for name in renamed.values())
    order = [second.link_names.index(f"Rig:{renamed[name.partition(':')[2]]}") for name in first.link_names]
    assert order != sorted(order)
    moved = np.ptp(first.X_WL[:, :, :3], axis=0).max()
    assert moved > 0.2 * HEIGHT
    np.testing.assert_allclose(second.X_WL[:, order], first.X_WL, rtol=0.0, atol=1e-9)
