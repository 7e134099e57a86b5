# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys on connected bones, which have no location: the error of each bone moves all that hang on it."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bake.receipts.receipt import receipt_of
from limberjack.addon.bake.settings import Tolerance
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.nodes.animation import action_of

from .baked import bake, show
from .bone_rig import errors
from .conftest import joint
from .rigs import armature, chain, tag

ANGLE = 0.1
"""Tolerance of angles [rad]. On a bone of half a metre, it allows far more than the tolerances of distances do."""


def row(_scene):
    """Ten connected bones."""
    rig = chain(10, tail=(0.4, 0.3, 0.0))
    return rig, tag(rig)


def with_gaps(_scene):
    """Connected bones of which every third one is a link."""
    rig = chain(10, tail=(0.4, 0.3, 0.0))
    return rig, tag(rig, "b0", "b3", "b6", "b9")


def branches(_scene):
    """A spine with a long arm, a short one, and a bone that is not connected, with more bones on it."""
    bones = [("b0", (0.0, 0.0, 2.0), (0.5, 0.0, 2.0), ""), ("b1", (0.5, 0.0, 2.0), (1.0, 0.0, 2.0), "b0")]
    bones += [(f"l{i}", (1.0, 0.3 * i, 2.0), (1.0, 0.3 * (i + 1), 2.0), f"l{i - 1}" if i else "b1") for i in range(5)]
    bones += [("r0", (1.0, 0.0, 2.0), (1.0, -0.4, 2.2), "b1")]
    bones += [("f0", (1.2, 0.0, 2.1), (1.5, 0.1, 2.2), "b1"), ("f1", (1.5, 0.1, 2.2), (1.9, 0.1, 2.2), "f0")]
    rig = armature(bones)
    return rig, tag(rig)


def scaled(scene):
    """Bones of an armature with a scale, in a scene whose unit is not a metre, and which is animated."""
    scene.unit_settings.scale_length = 0.5
    rig, links = row(scene)
    rig.scale, rig.rotation_euler = (3.0, 3.0, 3.0), (0.3, -0.2, 0.5)
    for frame, x in ((1, 0.0), (24, 1.0)):
        rig.location.x = x
        rig.keyframe_insert("location", index=0, frame=frame)
    scene.frame_set(1)
    return rig, links


CASES = (row, with_gaps, branches, scaled)


def farthest(scene, run, rig):
    """The greatest distance of a link from the trajectory at the frames of the bake [m]."""
    unit, seen = scene.unit_settings.scale_length, []
    for frame in run.frames.tolist():
        show(scene, frame)
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        bones = [shown.pose.bones[name.split(":")[1]] for name in run.trajectory.link_names]
        seen.append([np.array(shown.matrix_world @ bone.matrix)[:3, 3] * unit for bone in bones])
    return np.linalg.norm(np.array(seen) - run.trajectory.X_WL[:, :, :3], axis=2).max()


@pytest.mark.parametrize("distance", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("case", CASES)
def test_chains_of_connected_bones_stay_within_the_tolerance(scene, case, distance):
    """Guards connected bones: none is refused or too far away, however many hang on each other, and keys are fewer."""
    rig, links = case(scene)
    joint(links[0]).to_world = True
    bpy.context.view_layer.update()
    run = SimulationBake(scene, tolerance=Tolerance(distance, ANGLE), overwrite=True)
    notes = run.run().notes
    rounding = 1e-6 * scene.unit_settings.scale_length * rig.scale.x
    assert farthest(scene, run, rig) <= distance + 10.0 * rounding
    receipt = receipt_of(action_of(rig))
    assert receipt.off_by <= distance
    assert receipt.turned_by <= ANGLE
    assert receipt.written < 0.6 * receipt.possible
    assert "with a key on every frame already" not in " ".join(notes)


def test_a_tolerance_that_nothing_can_meet_gives_all_keys(scene):
    """Guards tolerances below the digits of Blender's keys: a key at every frame and a note, and no error."""
    _, links = row(scene)
    joint(links[0]).to_world = True
    run = SimulationBake(scene, tolerance=Tolerance(1e-9, 1e-9))
    notes = run.run().notes
    way, turned = errors(scene, run, 1.0)
    assert max(way, turned) < 1e-5
    assert "with a key on every frame already" in " ".join(notes)


def test_a_motion_that_parts_connected_bones_is_refused_with_any_tolerance(scene):
    """Guards against a motion that no keys can show: a tolerance of a metre does not hide it."""
    rig, links = with_gaps(scene)
    rig.data.bones["b4"].use_inherit_rotation = False
    joint(links[0]).to_world = True
    bpy.context.view_layer.update()
    with pytest.raises(BakeError, match="away from the bone to which it is connected"):
        bake(scene, tolerance=Tolerance(1.0, 1.0))
