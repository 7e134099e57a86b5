# SPDX-License-Identifier: GPL-3.0-or-later
"""USD in Blender: a stage becomes a scene, and a baked scene a stage that pxr plays alone."""

import bpy
import pytest

from limberjack.addon import ids

pxr = pytest.importorskip("pxr", reason="no pxr: pip install usd-core")

STAGE = """#usda 1.0
( metersPerUnit = 0.01
  upAxis = "Y" )
def Xform "arm" {
    def Cube "rod" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"] ) {
        double size = 1
        double3 xformOp:translate = (50, 200, 0)
        double3 xformOp:scale = (100, 10, 10)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
        float physics:mass = 2
    }
    def PhysicsRevoluteJoint "hinge" {
        rel physics:body1 = </arm/rod>
        uniform token physics:axis = "Z"
        point3f physics:localPos0 = (0, 200, 0)
        point3f physics:localPos1 = (-0.5, 0, 0)
        float physics:lowerLimit = -90
        float physics:upperLimit = 90
    }
}
"""


def test_a_stage_in_centimetres_with_y_up_becomes_a_scene(scene, tmp_path):
    """Guards the import: place, size and mass of a link, and axis and limits of its joint, in metres and Z up."""
    path = tmp_path / "arm.usda"
    path.write_text(STAGE)
    assert bpy.ops.limberjack.import_model(filepath=str(path)) == {"FINISHED"}
    bpy.context.view_layer.update()
    rod, hinge = bpy.data.objects["rod"], bpy.data.objects["hinge"]
    assert tuple(rod.matrix_world.translation) == pytest.approx((0.5, 0.0, 2.0), abs=1e-6)
    assert tuple(hinge.matrix_world.translation) == pytest.approx((0.0, 0.0, 2.0), abs=1e-6)
    settings = getattr(hinge, ids.JOINT)
    assert settings.type == "revolute"
    assert (settings.axes[0].lower, settings.axes[0].upper) == pytest.approx((-1.5708, 1.5708), abs=1e-4)
    assert getattr(rod, ids.LINK).mass == pytest.approx(2.0)


def test_pxr_plays_a_baked_scene(scene, build, tmp_path):
    """Guards the option Motion of the export: links are where Blender shows them, in each frame."""
    from pxr import Usd, UsdGeom

    bars, _ = build.pendulum()
    scene.frame_start, scene.frame_end = 1, 12
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    path = tmp_path / "played.usda"
    assert bpy.ops.limberjack.export_usda(filepath=str(path), motion=True) == {"FINISHED"}
    stage = Usd.Stage.Open(str(path))
    prims = {prim.GetName(): prim for prim in stage.Traverse() if "PhysicsRigidBodyAPI" in prim.GetAppliedSchemas()}
    for frame in range(1, 13):
        scene.frame_set(frame)
        cache = UsdGeom.XformCache(frame - 1)
        for bar in bars:
            shown = tuple(cache.GetLocalToWorldTransform(prims[bar.name]).ExtractTranslation())
            assert shown == pytest.approx(tuple(bar.matrix_world.translation), abs=1e-5)
    assert stage.GetEndTimeCode() == 11.0
