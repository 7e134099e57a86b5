# SPDX-License-Identifier: GPL-3.0-or-later
"""Skinned characters as UsdSkel: pxr's own skinning has the points where closed forms have them."""

from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.characters.skins import Character, Skeleton, Skin, influences
from limberjack.core.formats import read, write
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.trajectory.completion.observation import of_poses
from support.usd_played import complaints, points_by_pxr, skinned_meshes

Usd = pytest.importorskip("pxr.Usd", reason="no pxr: pip install usd-core")

FRAMES = 5

POINTS = np.array([(0.1, 0.5, 0.0), (0.0, 2.0, 0.3), (0.2, 1.0, -0.1), (0.4, 0.2, 0.5), (-0.1, 1.5, 0.2)])
"""Points on the lower bone, on the upper one, on both by halves, on none, and by 0.3 on the upper bone alone."""

LOWER, UPPER = np.array([1.0, 0.0, 0.5, 0.0, 0.0]), np.array([0.0, 1.0, 0.5, 0.0, 0.3])
"""Weights of the bones, by point."""


UNSTRETCHED = np.eye(3)


def moved(angle=0.0, at=(0.0, 0.0, 0.0), scale=1.0):
    """A matrix that scales, turns about x and moves."""
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.eye(4)
    matrix[:3, :3] = scale * np.array([(1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)])
    matrix[:3, 3] = at
    return matrix


def angles(frame):
    """The lower bone's angle, and the upper one's relative to it [rad]."""
    return 0.2 * frame, 0.3 * frame


def elbow(**changes):
    """Two bones along y of length 1, which turn about x, in a space that is scaled by 0.5 and moves along x."""
    bind = np.array([moved(), moved(at=(0.0, 1.0, 0.0))])
    poses = []
    for frame in range(FRAMES):
        a, b = angles(frame)
        poses.append([moved(a), moved(a) @ moved(b, (0.0, 1.0, 0.0))])
    places = np.array([moved(0.0, (0.1 * frame, 0.0, 1.0), 0.5) for frame in range(FRAMES)])
    skeleton = Skeleton("Rig", ("lower", "upper.L"), (-1, 0), bind, np.array(poses), places)
    place = moved(0.4, (0.0, 0.3, -0.2), 2.0)
    own = (POINTS - place[:3, 3]) @ np.linalg.inv(place[:3, :3]).T
    numbers, bones = np.nonzero(np.column_stack([LOWER, UPPER]))
    packed = influences(len(POINTS), numbers, bones, np.column_stack([LOWER, UPPER])[numbers, bones])
    skin = Skin("Body", own, np.array([3, 4]), np.array([0, 1, 2, 1, 2, 3, 4]), place, *packed)
    return Character(replace(skeleton, **changes), (skin,))


def expected(frame, stretch=UNSTRETCHED):
    """The points of the elbow in the world, from the angles alone. stretch: of the upper bone, in its own axes."""
    a, b = angles(frame)

    def turned(points, angle):
        x, y, z = points.T
        return np.column_stack([x, np.cos(angle) * y - np.sin(angle) * z, np.sin(angle) * y + np.cos(angle) * z])

    elbow_at = np.array([0.0, np.cos(a), np.sin(a)])
    lower, upper = turned(POINTS, a), turned((POINTS - (0.0, 1.0, 0.0)) @ stretch.T, a + b) + elbow_at
    rest = 1.0 - LOWER - UPPER
    mean = LOWER[:, None] * lower + UPPER[:, None] * upper + rest[:, None] * POINTS
    return 0.5 * mean + (0.1 * frame, 0.0, 1.0)


def written(path, *characters):
    """Write a model with a motion and characters. Return the losses."""
    model = Model("m", [Link("a", 1.0)], [Joint("j", "revolute", WORLD, "a")])
    poses = np.tile((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (FRAMES, 1, 1))
    motion = of_poses(model, np.arange(FRAMES) / 24.0, poses, ["a"]).trajectory
    return write(model, path, motion=motion, characters=characters)


def test_pxr_has_the_points_where_closed_forms_have_them(tmp_path):
    """Guards transforms, weights, their sums, and points without weights, in each frame."""
    path = tmp_path / "m.usda"
    assert written(path, elbow()) == []
    assert complaints(path) == []
    stage = Usd.Stage.Open(str(path))
    for frame in range(FRAMES):
        found = points_by_pxr(stage, "Body", float(frame))
        np.testing.assert_allclose(found, expected(frame), rtol=0.0, atol=1e-6)


def test_skins_are_where_renderers_bake_them(tmp_path):
    """Guards the transforms of the mesh and of the prims above it, by pxr's bake of skins to points."""
    from pxr import Gf, UsdGeom, UsdSkel

    path = tmp_path / "m.usda"
    written(path, elbow())
    stage = Usd.Stage.Open(str(path))
    mesh = UsdGeom.Mesh(skinned_meshes(stage)["Body"])
    assert UsdSkel.BakeSkinning(stage.Traverse(), Gf.Interval(0.0, FRAMES - 1.0))
    for frame in range(FRAMES):
        place = np.array(UsdGeom.XformCache(frame).GetLocalToWorldTransform(mesh.GetPrim()))
        points = np.array(mesh.GetPointsAttr().Get(frame), dtype=np.float64) @ place[:3, :3] + place[3, :3]
        np.testing.assert_allclose(points, expected(frame), rtol=0.0, atol=1e-6)


def test_constant_scale_and_shear_of_a_bone_are_exact(tmp_path):
    """Guards scales that half floats do not have, shear and a mirror, if they do not change."""
    path = tmp_path / "m.usda"
    stretch = np.array([(1.2348, 0.1, 0.0), (0.0, 0.7, 0.3), (0.0, 0.0, -0.9)])
    poses = elbow().skeleton.poses.copy()
    poses[:, 1, :3, :3] = poses[:, 1, :3, :3] @ stretch
    assert written(path, elbow(poses=poses)) == []
    assert complaints(path) == []
    stage = Usd.Stage.Open(str(path))
    for frame in range(FRAMES):
        found = points_by_pxr(stage, "Body", float(frame))
        np.testing.assert_allclose(found, expected(frame, stretch), rtol=0.0, atol=1e-6)


def test_a_scale_that_has_more_than_three_digits_is_told(tmp_path):
    """Guards the loss by half floats: its size is that of the difference of pxr's points."""
    character = elbow()
    poses = character.skeleton.poses.copy()
    poses[3, 1, :3, :3] *= 1.2348
    (loss,) = written(tmp_path / "m.usda", elbow(poses=poses))
    assert loss.startswith("skin 'Body': up to 0.0002")
    again = tmp_path / "exact.usda"
    poses[3, 1, :3, :3] *= 1.25 / 1.2348
    assert written(again, elbow(poses=poses)) == []


def test_bones_may_have_scale_shear_and_no_size(tmp_path):
    """Guards poses that UsdSkel cannot have: they are told, and the file is sound."""
    poses = elbow().skeleton.poses.copy()
    poses[2, 1, 0, 1] += 0.3
    poses[3, 0, :3, :3] = 0.0
    poses[4, 0, :3, 0] *= -1.0
    losses = written(tmp_path / "m.usda", elbow(poses=poses))
    assert len(losses) == 1
    assert complaints(tmp_path / "m.usda") == []


def test_the_model_comes_back_without_its_skins(tmp_path):
    """Guards our own reader: bodies and joints are those of the model, and the skin is a note."""
    written(tmp_path / "bare.usda")
    written(tmp_path / "dressed.usda", elbow())
    bare, dressed = read(tmp_path / "bare.usda"), read(tmp_path / "dressed.usda")
    assert dressed.model == bare.model
    assert dressed.issues == bare.issues
    assert set(dressed.notes) - set(bare.notes) == {"1 shapes that belong to no body and do not collide are not read"}


def test_names_differ_as_usd_asks(tmp_path):
    """Guards bones of one name for USD, and a bone and a mesh that have the name of their skeleton."""
    character = elbow(bones=("Rig", "Rig"), parents=(-1, -1))
    path = tmp_path / "m.usda"
    written(path, replace(character, skins=(character.skins[0], replace(character.skins[0], name="Skeleton"))))
    assert complaints(path) == []
    stage = Usd.Stage.Open(str(path))
    assert sorted(skinned_meshes(stage)) == ["Body", "Skeleton_2"]


@pytest.mark.parametrize("what", ["poses", "places"])
def test_skeletons_of_other_frames_are_refused(tmp_path, what):
    """Guards the check that a skeleton has the frames of the motion."""
    character = elbow()
    short = replace(character.skeleton, **{what: getattr(character.skeleton, what)[:3]})
    with pytest.raises(ValueError, match=f"'Rig' has 3 {what}, and the motion has 5 frames"):
        written(tmp_path / "m.usda", replace(character, skeleton=short))


def test_influences_are_sorted_by_weight():
    """Guards the arrays of weights: the strongest bone first, for any number of bones at a point."""
    bones, weights = influences(3, np.array([2, 0, 2, 2]), np.array([4, 1, 3, 5]), np.array([0.2, 1.0, 0.5, 0.3]))
    assert bones.tolist() == [[1, 0, 0], [0, 0, 0], [3, 5, 4]]
    assert weights.tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 0.3, 0.2]]
