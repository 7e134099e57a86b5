# SPDX-License-Identifier: GPL-3.0-or-later
"""Every link is where the trajectory has it, however it is parented, scaled, turned, timed and keyed."""

import math
from itertools import pairwise, product

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bake.keys.rotations import continuous_quaternions
from limberjack.addon.bake.receipts.receipt import receipt_of
from limberjack.addon.bake.receipts.restore import bake_of
from limberjack.addon.bake.settings import Tolerance
from support.cases import some

from .baked import bake, errors, matrices_at, thrown, turning_holder, turns_of, turns_of_poses, weigh

EXACT = 1e-5
SINGLE = 1e-6
"""Allowed beyond a tolerance for what lies between the curves, which keep it, and a matrix: single precision."""

KEPT = Tolerance(1e-4, math.radians(0.05))
RATES = {"24": (24, 1.0), "25": (25, 1.0), "29.97": (30, 1.001), "60": (60, 1.0)}
MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "QUATERNION with a delta")
UNSCALED = {f"bar{number}": (1.0, 1.0, 1.0) for number in range(3)}


def scale_bars(bars, factors):
    for bar in bars:
        bar.scale = factors[bar.name]
    bpy.context.view_layer.update()


def hang(scene, bars, scale):
    """Parent the first bar to an animated, turned holder, and the others each to the bar before it."""
    bars[0].parent = turning_holder(scene, scale=scale)
    bpy.context.view_layer.update()
    for above, bar in pairwise(bars):
        bar.parent = above
        bar.matrix_parent_inverse = above.matrix_world.inverted() @ Matrix.Translation((0.1, 0.2, -0.3))
    bpy.context.view_layer.update()


def arrange(scene, build, mode, is_parented, is_scaled):
    """Three thrown bars, how they are thrown, and the factors by which they lie larger in the world."""
    bars, throw = thrown(build)
    factors = UNSCALED
    if is_scaled:
        small = (1.0,) * 3 if is_parented else (0.01,) * 3
        factors = {"bar0": small, "bar1": (0.5, 2.0, 0.1), "bar2": (-1.0, 0.3, 0.3)}
    scale_bars(bars, factors)
    if is_parented:
        hang(scene, bars, 0.01 if is_scaled else 1.0)
    for bar in bars:
        bar.rotation_mode = mode.split()[0]
        if mode.endswith("delta"):
            bar.delta_location = (0.3, 0.2, 0.1)
            bar.delta_rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    build.tag(*bars)
    return throw, factors | ({"bar0": (0.01,) * 3} if is_scaled else {})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("is_parented", some([True, False], [True]), ids=["parented", "free"])
@pytest.mark.parametrize("is_scaled", some([True, False], [True]), ids=["scaled", "unscaled"])
def test_every_link_is_where_the_trajectory_has_it(scene, build, is_parented, is_scaled, mode):
    """Guards the product of parents, scales, rotation modes, frame rates and reduction, at every frame.

    Blender has eight rotation modes; the ninth is a quaternion on top of delta transforms.
    """
    throw, factors = arrange(scene, build, mode, is_parented, is_scaled)
    for rate, tolerance in product(RATES, (None, KEPT)):
        scene.render.fps, scene.render.fps_base = RATES[rate]
        run = bake(scene, initial=throw, tolerance=tolerance)
        way, turned, resized = errors(scene, run, factors)
        most = (tolerance.distance + SINGLE, tolerance.angle + SINGLE) if tolerance else (EXACT, EXACT)
        assert way <= most[0], (rate, tolerance)
        assert turned <= most[1], (rate, tolerance)
        assert resized <= EXACT, (rate, tolerance)
        bpy.ops.limberjack.bake_clear()


def test_blender_has_no_other_rotation_mode():
    """Guards the list above against a Blender with more."""
    known = bpy.types.Object.bl_rna.properties["rotation_mode"].enum_items.keys()
    assert set(known) == {mode.split()[0] for mode in MODES}


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "ZXY"])
@pytest.mark.parametrize(("distance", "degrees"), [(1e-5, 0.005), (1e-4, 0.05), (1e-2, 2.0)])
@pytest.mark.parametrize("is_parented", [False, True], ids=["free", "parented"])
def test_the_receipt_tells_what_is_seen(scene, build, mode, distance, degrees, is_parented):
    """Guards the stated error at several tolerances: what the receipt says is what Blender shows, and no more."""
    scene.frame_end = 60
    throw, factors = arrange(scene, build, mode, is_parented, True)
    asked = Tolerance(distance, math.radians(degrees))
    run = bake(scene, initial=throw, tolerance=asked)
    receipt = receipt_of(bake_of(scene))
    way, turned, _ = errors(scene, run, factors)
    assert (receipt.distance, receipt.angle) == (asked.distance, asked.angle)
    assert (receipt.off_by, receipt.turned_by) == pytest.approx((way, turned), abs=SINGLE)
    assert receipt.off_by <= asked.distance
    assert receipt.turned_by <= asked.angle
    assert (
        receipt.written < receipt.possible == 60 * len(run.trajectory.link_names) * (3 + (3 if len(mode) == 3 else 4))
    )


@pytest.mark.parametrize("tolerance", [None, KEPT], ids=["every", "reduced"])
def test_between_the_frames(scene, build, tolerance):
    """Guards a step of half a frame: evaluated there too, as motion blur does, all is as simulated."""
    throw, factors = arrange(scene, build, "XYZ", True, True)
    run = bake(scene, initial=throw, step=0.5, tolerance=tolerance)
    assert run.frames.tolist() == np.arange(1.0, 24.25, 0.5).tolist()
    way, turned, _ = errors(scene, run, factors)
    assert way <= (tolerance.distance + SINGLE if tolerance else EXACT)
    assert turned <= (tolerance.angle + SINGLE if tolerance else EXACT)


def test_a_step_that_does_not_end_at_the_last_frame(scene, build):
    """Guards the last frame, which has a key in any case, and the poses: those of a key on every frame."""
    throw, factors = arrange(scene, build, "QUATERNION", True, False)
    every = bake(scene, initial=throw)
    bpy.ops.limberjack.bake_clear()
    run = bake(scene, initial=throw, step=7)
    assert run.frames.tolist() == [1, 8, 15, 22, 24]
    assert max(errors(scene, run, factors)) <= EXACT
    apart = np.abs(run.trajectory.X_WL - every.trajectory.X_WL[run.frames - 1])
    assert apart.max() < 1e-6


@pytest.mark.parametrize(("first", "last"), [(-40, -17), (-5, 18), (100, 123), (-8, -8)])
def test_frames_that_the_scene_does_not_show(scene, build, first, last):
    """Guards ranges below zero and beyond the scene's own, down to a single frame: the same motion, elsewhere."""
    throw, factors = arrange(scene, build, "AXIS_ANGLE", False, True)
    run = bake(scene, initial=throw, first=first, last=last)
    assert (run.frames[0], run.frames[-1], len(run.frames)) == (first, last, last - first + 1)
    assert max(errors(scene, run, factors)) <= EXACT
    assert (scene.frame_start, scene.frame_end) == (1, 24)
    expected = bake(scene, initial=throw).trajectory.X_WL[: len(run.frames)]
    assert np.array_equal(run.trajectory.X_WL, expected)


@pytest.mark.parametrize("distance", [1e-5, 1e-4, 1e-2])
def test_reduction_in_centimetres(scene, build, distance):
    """Guards tolerances in metres where a Blender unit is a centimetre, set by a caller or in the panel's own unit."""
    scene.unit_settings.scale_length = 0.01
    bars = [build.cube(f"bar{i}", (100.0 * i, 0.0, 200.0), 1.0, scale=(100.0, 10.0, 10.0)) for i in range(3)]
    build.tag(*bars)
    weigh(*bars)
    empties = [build.join(bar, above, type="ball") for bar, above in zip(bars, (None, *bars), strict=False)]
    panel = scene.limberjack.bake
    panel.reduces, panel.distance, panel.angle = True, distance / 0.01, math.radians(1.0)
    run = bake(scene, initial={"qd": {empty.name: [2.0, 4.0, -6.0] for empty in empties}})
    receipt = receipt_of(bake_of(scene))
    way, turned, _ = errors(scene, run, {bar.name: tuple(bar.scale) for bar in bars}, unit=0.01)
    assert receipt.distance == pytest.approx(distance, rel=1e-6)
    assert way <= distance + SINGLE
    assert receipt.off_by == pytest.approx(way, abs=SINGLE)
    assert receipt.turned_by == pytest.approx(turned, abs=SINGLE)
    assert np.ptp(run.trajectory.X_WL[:, :, :3], axis=0).max() > 0.5


@pytest.mark.parametrize("parent_scale", [(1.0, 3.0, 1.0), (-1.0, 1.0, 2.0)])
@pytest.mark.parametrize("onto", ["LINKS", "BOTH"])
def test_a_sheared_parent_is_answered_in_words(scene, build, parent_scale, onto):
    """Guards what no location, rotation and scale can meet: both are named, and nothing is written or changed."""
    bars, throw = thrown(build)
    holder = turning_holder(scene)
    holder.scale = parent_scale
    bars[1].parent = holder
    bpy.context.view_layer.update()
    before = matrices_at(scene, bars, [1, 24])
    with pytest.raises(BakeError, match=r"link 'bar1': its parent 'holder' is scaled unevenly .* apply the parent's"):
        bake(scene, initial=throw, onto=onto)
    assert not [action for action in bpy.data.actions if action.name.endswith("Limberjack Bake")]
    assert np.array_equal(matrices_at(scene, bars, [1, 24]), before)


def test_double_precision_is_kept_far_from_the_origin(scene, build):
    """Guards turns where places are large: 100 m out, single precision costs the place 1e-5 m and the turn nothing."""
    bars, throw = thrown(build)
    for bar in bars:
        bar.location.x += 100.0
    bpy.context.view_layer.update()
    build.tag(*bars)
    run = bake(scene, initial=throw)
    names = run.trajectory.link_names
    seen = matrices_at(scene, [run.reading.objects[name] for name in names], run.frames)
    for number, name in enumerate(names):
        turns = turns_of(seen[:, number], np.array(run.reading.objects[name].scale))
        apart = turns_of_poses(run.trajectory.X_WL[:, number]).inv() * turns
        assert apart.magnitude().max() <= EXACT
        assert np.abs(seen[:, number, :3, 3] - run.trajectory.X_WL[:, number, :3]).max() <= EXACT


def test_quaternions_never_jump_to_their_negatives():
    """Guards what Blender shows between keys: of q and -q, which are one rotation, the nearer to the one before."""
    turns = np.linspace(0.0, 4.0 * math.pi, 60)
    given = np.stack([np.cos(0.5 * turns), np.sin(0.5 * turns), 0.0 * turns, 0.0 * turns], axis=1)
    given[::2] *= -1.0
    found = continuous_quaternions(given, given[0])
    assert (np.einsum("fi,fi->f", found[1:], found[:-1]) > 0.9).all()
    assert np.abs(np.abs(found) - np.abs(given)).max() == 0.0
