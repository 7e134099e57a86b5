# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of Make Ragdoll: a character falls down stairs and a creature off a crate, as bodies do, to rest."""

import math

import bpy
import numpy as np
import pytest

from limberjack.addon.props.ragdoll import ragdoll_bones
from limberjack.addon.props.settings import joint_settings, link_settings
from support.benchmarks import load

from .baked import bake
from .samples import maker, open_sample

HINGE, BALL, OVERLAP = 0.5, 5.0, 1e-3
"""Largest excess of hinges and of balls beyond limits [degrees] and deepest overlap [m] of falls at accuracy good. The
limits of a ball are a little soft: a hand of half a kilogram that lies below the body has been twisted 3.3 degrees too
far."""
STRETCH, MOST_STRETCHED = 0.05, 4.0
"""Change of the total length of the mesh's edges, and the longest edge relative to the size of its cells at rest: a
mesh that has lost a bone has edges that are longer than limbs."""
GAIN = 1e-3
"""Largest rise of the mechanical energy, relative to the energy scale: what muscles have stored and give back."""


@pytest.fixture
def falls(monkeypatch):
    """The benchmark of falls, as a module."""
    monkeypatch.syspath_prepend(str(load("targets").__file__).removesuffix("targets.py"))
    return load("ragdoll_falls")


def rig_of(scene):
    (rig,) = (obj for obj in scene.objects if obj.type == "ARMATURE")
    return rig


def edge_lengths(scene, frames):
    """Lengths of the edges of the character's mesh, as Blender shows it, at frames [m], shape (F, edges)."""
    (body,) = (obj for obj in scene.objects if obj.parent == rig_of(scene))
    ends, found = np.array([edge.vertices for edge in body.data.edges]), []
    for frame in frames:
        scene.frame_set(frame)
        evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
        points = np.array([vertex.co for vertex in evaluated.data.vertices])
        found.append(np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1))
    return np.array(found)


def assert_sound(falls, run):
    """Nothing sinks in, joints have no gaps and end at their limits, and energy only decreases."""
    motion, report = run.trajectory, run.report
    assert run.diagnose() == []
    gap, (hinge, *ball) = falls.measure_joints(run.model, motion)
    assert gap < 1e-9
    assert hinge < HINGE
    assert max(ball) < BALL
    assert report.contact.deepest < OVERLAP
    energy = motion.kinetic + motion.potential
    assert (energy - np.minimum.accumulate(energy)).max() < GAIN * report.energy_scale


def test_a_character_falls_down_stairs(falls):
    """Guards the whole way from a skinned character to its fall: at the bottom it is at rest, in one piece, and its
    mesh has followed."""
    make, scene = maker("stairs"), open_sample("stairs")
    run = bake(scene)
    assert_sound(falls, run)
    path = run.trajectory.X_WL[:, run.trajectory.link_names.index(falls.ROOT), :3]
    assert path[-1, 2] < 0.5 * make.TOP
    assert path[-1, 1] < -0.5 * make.STEPS * make.TREAD
    assert run.trajectory.kinetic[-1] < 0.5 * make.WEIGHT * 0.05**2
    lengths = edge_lengths(scene, run.frames[::10])
    assert lengths.sum(axis=1) == pytest.approx(lengths[0].sum(), rel=STRETCH)
    assert lengths.max() < MOST_STRETCHED * make.CELL


def test_a_creature_falls_off_a_crate(falls):
    """Guards creatures: tail, legs and ears have bodies; the crate tips by itself, and all lies on the floor."""
    make, scene = maker("creature"), open_sample("creature")
    bones = {bone.name: link_settings(bone).body_part for bone in ragdoll_bones(rig_of(scene))}
    assert bones.keys() == {bone.name for bone in make.BONES}
    assert {name for name, part in bones.items() if part == "tail"} == {f"tail.00{number}" for number in range(1, 6)}
    assert {joint_settings(bone).type for bone in ragdoll_bones(rig_of(scene))[1:]} == {"ball"}
    run = bake(scene)
    assert_sound(falls, run)
    motion = run.trajectory
    ends = {name: motion.X_WL[-1, motion.link_names.index(name), :3] for name in ("crate", "Creature:head")}
    assert 0.0 < ends["crate"][2] < 0.6 * max(make.CRATE)  # it lies on one of its sides
    assert 0.0 < ends["Creature:head"][2] < 0.4
    assert motion.kinetic[-1] < 0.5 * make.WEIGHT * 0.05**2


@pytest.mark.parametrize(("accuracy", "count", "overlap"), [("draft", 8, 3e-3), ("good", 3, OVERLAP)])
def test_random_falls(falls, accuracy, count, overlap):
    """Guards limits, gaps, contact, energy and rest of ragdolls thrown onto stairs, measured from the poses of links
    alone; 100 falls are in the benchmark."""
    model = falls.sample_model()
    for seed in range(count):
        fall = falls.simulate(falls.thrown(model, seed), accuracy)
        assert fall.gap < 1e-9, seed
        assert fall.hinge < HINGE, seed
        assert fall.deepest < overlap, seed
        assert fall.gain < GAIN, seed
        assert math.isfinite(fall.rest), seed
