# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves of bones with modifiers: outside of a bake's frames they play as before it, and Clear Bake restores them."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.receipts.receipt import is_edited
from limberjack.addon.nodes.animation import action_of, fcurves_of

from .baked import bake
from .bone_rig import armature, assert_exact, key_others, pose_of, tag
from .test_bone_files import everything, values_of
from .test_muted_constraints import FIRST, LAST, goal, partly_turned

WHOLE = (-200, 1, 5, 9, 10, LAST + 1, LAST + 2, 37, 60, 250)
"""Frames outside of the bake, also far from the keys of the user."""

BETWEEN = (-33.25, 5.5, LAST + 1.5, 77.75)
"""Moments outside of the bake and between two frames."""


def add(curve, kind, **settings):
    made = curve.modifiers.new(kind)
    for name, value in settings.items():
        setattr(made, name, value)
    return made


def cycled(curve):
    add(curve, "CYCLES", mode_before="REPEAT", mode_after="REPEAT_OFFSET")


def mirrored(curve):
    add(curve, "CYCLES", mode_before="NONE", mode_after="MIRROR", cycles_after=2)


def noisy(curve):
    add(curve, "NOISE", scale=3.0, strength=0.6, phase=0.3, use_influence=True, influence=0.7)


def generated(curve):
    add(curve, "GENERATOR", use_additive=True, coefficients=(0.1, 0.004))


def without_keys(curve):
    """A curve that is a function of time only."""
    curve.keyframe_points.clear()
    add(curve, "FNGENERATOR", function_type="SIN", amplitude=0.4, phase_multiplier=0.2)


def enveloped(curve):
    made = add(curve, "ENVELOPE", reference_value=0.1, default_min=-0.5, default_max=0.5)
    for frame in (2.0, 20.0, 44.0):
        made.control_points.add(frame)
    made.control_points.foreach_set("min", [-0.3, -0.9, -0.2])
    made.control_points.foreach_set("max", [0.4, 0.2, 0.7])


def limited(curve):
    add(curve, "LIMITS", use_max_y=True, max_y=0.25, use_min_y=True, min_y=-0.1)


def limited_in_time(curve):
    add(curve, "LIMITS", use_max_x=True, max_x=25.0, use_min_x=True, min_x=7.0)


def stepped(curve):
    add(curve, "STEPPED", frame_step=4.0, frame_offset=1.0)


def in_a_range(curve):
    """Noise that comes in before the bake and goes out after it."""
    add(curve, "NOISE", scale=3.0, use_restricted_range=True, frame_start=2, frame_end=60, blend_in=5, blend_out=20)


def coming_in_during_the_bake(curve):
    add(curve, "NOISE", scale=3.0, use_restricted_range=True, frame_start=4, frame_end=50, blend_in=30, blend_out=3)


def coming_in_before_it_and_during_it(curve):
    add(curve, "NOISE", scale=3.0, use_restricted_range=True, frame_start=4, frame_end=50, blend_in=15, blend_out=3)


def blending_during_the_bake(curve):
    add(curve, "NOISE", scale=3.0, use_restricted_range=True, frame_start=15, frame_end=50, blend_in=9, blend_out=0)


def going_out_before_it(curve):
    add(curve, "NOISE", scale=3.0, use_restricted_range=True, frame_start=2, frame_end=8, blend_in=1, blend_out=4)


def several(curve):
    cycled(curve)
    noisy(curve)


def off(curve):
    """A modifier and a curve that have no effect."""
    noisy(curve)
    curve.modifiers[0].mute = True


def muted(curve):
    curve.mute = True


def straight_on(curve):
    curve.extrapolation = "LINEAR"
    for point in curve.keyframe_points:
        point.interpolation = "LINEAR"
    curve.keyframe_points.remove(curve.keyframe_points[-1])


def bent_on(curve):
    """Keys that end within the bake, and whose last handles say how the curve goes on."""
    curve.extrapolation = "LINEAR"
    curve.keyframe_points.remove(curve.keyframe_points[-1])


BY_VALUE = (
    noisy,
    generated,
    without_keys,
    enveloped,
    limited,
    in_a_range,
    blending_during_the_bake,
    going_out_before_it,
    off,
    muted,
    straight_on,
    bent_on,
)
"""Cases that are exact at every moment."""

BY_TIME = (
    cycled,
    mirrored,
    limited_in_time,
    stepped,
    coming_in_before_it_and_during_it,
    coming_in_during_the_bake,
    several,
)
"""Cases that are sampled at every frame."""


@pytest.fixture(params=(*BY_VALUE, *BY_TIME), ids=lambda case: case.__name__)
def case(request):
    return request.param


@pytest.fixture
def rig(scene, case):
    """An armature whose bones are links, with a constraint, and with keys of the user that modifiers change."""
    rig = armature(scene)
    key_others(rig)
    for frame, turn in ((1, 0.0), (20, 0.8), (40, -0.5)):
        rig.pose.bones["lower"].rotation_quaternion = (1.0, 0.2 * turn, 0.1, turn)
        rig.pose.bones["lower"].keyframe_insert("rotation_quaternion", frame=frame)
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.frame_set(FIRST)
    tag(rig)
    partly_turned(rig, goal(scene))
    for bone in ("upper", "lower"):
        for curve in fcurves_of(rig.pose.bones[bone], ("rotation_quaternion",)):
            if curve.array_index in (1, 3):
                case(curve)
    scene.frame_set(FIRST)
    return rig


def curves_of(rig):
    """Every number of the armature's F-curves, keys and modifiers."""
    return [
        (values_of(curve), *(values_of(each) for each in (*curve.keyframe_points, *curve.modifiers)))
        for curve in fcurves_of(rig)
    ]


def shown_at(scene, rig, frames):
    return np.array([[pose_of(scene, rig, name, frame) for name in ("upper", "lower")] for frame in frames])


def test_curves_play_as_before_outside_of_the_bake(scene, rig, case):
    """Guards cycles, noise and other modifiers of bones: Blender shows the same as before the bake, where it is not."""
    frames = (*WHOLE, *BETWEEN) if case in BY_VALUE else WHOLE
    before = shown_at(scene, rig, frames)
    scene.frame_set(FIRST)
    run = bake(scene, overwrite=True)
    np.testing.assert_allclose(shown_at(scene, rig, frames), before, rtol=0.0, atol=5e-6)
    assert_exact(scene, run)
    assert not is_edited(action_of(rig))


def test_clear_bake_restores_modifiers(scene, rig):
    """Guards Clear Bake: every curve, modifier and value is that of before, also after a second bake."""
    before, curves = everything(scene), curves_of(rig)
    for _ in range(2):
        bake(scene, overwrite=True)
        scene.frame_set(FIRST + 5)
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    scene.frame_set(FIRST)
    assert everything(scene) == before
    assert curves_of(rig) == curves
