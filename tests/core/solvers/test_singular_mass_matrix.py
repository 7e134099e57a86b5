# SPDX-License-Identifier: GPL-3.0-or-later
"""What forces do not decide is blamed on what is at fault, by name, and what is said to help helps."""

import math

import numpy as np
import pytest

from limberjack.core.diagnosis import diagnose
from limberjack.core.dynamics import mass_matrix
from limberjack.core.dynamics.singular import motion_without_inertia, singularity_in_words
from limberjack.core.model import WORLD, Axis, Joint, Link, Mimic, Model, ModelError
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.model.editing.editing import fix_base
from limberjack.core.simulation import Simulation, SimulationError

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NOTHING = (0.0,) * 6


def rod(name):
    return Link(name, 1.0, (0.0, 0.0, -0.5), (1 / 12, 0.0, 0.0, 1 / 12, 0.0, 1e-3))


def empty(name):
    return Link(name, 0.0, inertia=NOTHING)


def point(name):
    """Of mass, and on the axis on which it turns."""
    return Link(name, 1.0, inertia=NOTHING)


def hinge(name, parent, child, below=0.0, axis=Y):
    return Joint(name, "revolute", parent, child, (0.0, 0.0, -below, 1.0, 0.0, 0.0, 0.0), axes=[Axis(xyz=axis)])


def in_a_row(*links):
    """Hinges along y, a metre apart but for those that follow what weighs nothing; each named after its link."""
    joints, parent, below = [], WORLD, 0.0
    for link in links:
        joints.append(hinge(f"to_{link.name}", parent, link.name, below))
        parent, below = link.name, 1.0 if link.com[2] else 0.0
    return Model("m", list(links), joints)


def with_fixed_child():
    model = in_a_row(rod("a"), empty("b"), rod("c"))
    model.links.append(empty("flange"))
    model.joints.append(Joint("bolt", "fixed", "b", "flange"))
    return model


def in_a_loop():
    """A ring that a mimic stands for: what would be solved for has no inertia."""
    model = in_a_row(rod("a"), empty("b"), rod("c"))
    model.joints[1].mimic = Mimic("to_a", offset=1.0)
    return model


def on_a_loose_base(base, *hinges):
    arms = [rod(f"arm{number}") for number, _ in enumerate(hinges)]
    joints = [
        hinge(f"to_arm{i}", base.name, arm.name, axis=axis)
        for i, (arm, axis) in enumerate(zip(arms, hinges, strict=True))
    ]
    return Model("m", [base, *arms], joints)


AT_FAULT = {
    "at the end": (in_a_row(rod("a"), empty("b")), "b", "'to_b'", "mass"),
    "in the middle": (in_a_row(rod("a"), empty("b"), rod("c")), "b", "'to_b', 'to_c'", "mass"),
    "with what is fixed to it": (with_fixed_child(), "b", "'to_b', 'to_c'", "mass"),
    "several in a row": (in_a_row(rod("a"), empty("b"), empty("c"), empty("d")), "d", "'to_d'", "mass"),
    "several, then one that weighs": (in_a_row(rod("a"), empty("b"), empty("c"), rod("d")), "b", "'to_b'", "mass"),
    "a point on its axis": (in_a_row(rod("a"), point("b")), "b", "'to_b'", "inertia"),
    "a point in the middle": (in_a_row(rod("a"), point("b"), rod("c")), "b", "'to_b', 'to_c'", "inertia"),
    "while a coupling is closed": (in_a_loop(), "b", "'to_b', 'to_c'", "mass"),
}


@pytest.mark.parametrize(("model", "link", "joints", "lacks"), AT_FAULT.values(), ids=AT_FAULT)
def test_the_link_that_is_at_fault_is_named(model, link, joints, lacks):
    """Guards the blame, which once fell on the parent: the link, what moves it, what it lacks; given that, it runs."""
    with pytest.raises(ModelError) as refusal:
        Simulation(model, [0.0])
    told = str(refusal.value)
    assert told.startswith(f"link '{link}': ")
    assert joints in told
    assert lacks in told
    mended = model.copy()
    for name in [link] if len(model.links) < 4 else [other.name for other in model.links if not other.mass]:
        mended.link(name).mass, mended.link(name).inertia = 0.5, (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)
    assert np.isfinite(Simulation(mended, np.linspace(0.0, 0.1, 3)).run().q).all()


LOOSE = {
    "one arm": on_a_loose_base(empty("base"), Y),
    "two arms": on_a_loose_base(empty("base"), Y, Y),
    "a base that is a point": on_a_loose_base(point("base"), Z),
}


@pytest.mark.parametrize("model", LOOSE.values(), ids=LOOSE)
def test_a_base_that_nothing_holds_and_that_weighs_nothing(model):
    """Guards most robots' files: the words say how to hold the base, and held it runs."""
    with pytest.raises(ModelError, match=r"link 'base': nothing holds it, .* --fix-base base ") as refusal:
        Simulation(model, [0.0])
    assert "Motion Static of 'base' in Blender" in str(refusal.value)
    held = model.copy()
    fix_base(held)
    assert np.isfinite(Simulation(held, np.linspace(0.0, 0.1, 3)).run().q).all()


def test_a_base_alone_that_weighs_nothing():
    """Guards the same words where no link weighs anything at all."""
    with pytest.raises(ModelError, match=r"link 'base': nothing holds it, and neither .* --fix-base base "):
        Simulation(Model("m", [empty("base")]), [0.0])


@pytest.mark.parametrize("model", [row[0] for row in AT_FAULT.values() if row[3] == "inertia"] + [*LOOSE.values()])
def test_what_moves_idly_has_no_energy(model):
    """Guards the motion that all is derived from: v' M v is nothing beside what its coordinates have by themselves."""
    compiled = compile_model(model)
    v = motion_without_inertia(compiled, compiled.q_home)
    M = mass_matrix(compiled, compiled.q_home)
    assert v.any()
    assert abs(v @ M @ v) <= 1e-9 * max(v**2 @ np.diag(M), 1e-12)


TILTED = Link("b", 1.0, (0.1, 0.2, -0.5), (0.3, 0.02, 0.03, 0.4, 0.01, 0.5))


def gimbal(joint_type="euler_zyx"):
    return Model("m", [TILTED], [Joint("wrist", joint_type, WORLD, "b")])


def of_two_joints():
    universal = Joint("u", "universal", WORLD, "between", axes=[Axis(xyz=Z), Axis(xyz=Y)])
    return Model("m", [empty("between"), TILTED], [universal, hinge("h", "between", "b", axis=X)])


@pytest.mark.parametrize(
    ("model", "q", "subject", "middle"),
    [
        (gimbal(), {"wrist": [0.4, 0.5 * math.pi, 0.3]}, "joint 'wrist'", "y at 1.571 rad (90°)"),
        (gimbal("d6"), {"wrist": [0.0] * 3 + [0.4, -0.5 * math.pi, 0.3]}, "joint 'wrist'", "ry at -1.571 rad (-90°)"),
        (of_two_joints(), {"u": [0.4, 0.5 * math.pi], "h": 0.3}, "joint 'u'", "2 at 1.571 rad (90°)"),
    ],
    ids=["euler", "six axes", "two joints"],
)
def test_a_start_in_gimbal_lock_is_called_so(model, q, subject, middle):
    """Guards the words where nothing lacks mass: which joint, at what angle, and what to take instead."""
    compiled = compile_model(model)
    told = singularity_in_words(compiled, compiled.q_from(q))
    assert told.startswith(f"{subject}: gimbal lock at the start: with {middle}")
    assert ("free joint" if "ry" in middle else "ball joint") in told
    assert ("in the place of 'u', 'h'" in told) == (subject == "joint 'u'")


def how_it_ends(joint_type, com):
    """What a start in gimbal lock comes to: why it is refused, what ails it, or nothing."""
    model = gimbal(joint_type)
    model.links[0].com = com
    try:
        run = Simulation(model, np.arange(3) / 24, initial={"q": {"wrist": [0.1, 0.5 * math.pi, 0.2]}})
    except ModelError as refusal:
        return [str(refusal)]
    try:
        for _ in run:
            if run.report.steps > 20_000:
                break
    except SimulationError as failure:
        return [str(found) for found in failure.diagnoses]
    return [str(found) for found in diagnose(run)]


def test_a_start_in_gimbal_lock_is_never_blamed_on_mass():
    """Guards all ways out: rounding decides whether it is refused, cannot be followed, or goes through all the same."""
    rng = np.random.default_rng(0)
    ends = [how_it_ends(kind, tuple(rng.normal(size=3).tolist())) for kind in ("euler_zyx", "euler_yxz") * 3]
    assert any(ends)
    for told in filter(None, ends):
        assert told[0].startswith("joint 'wrist': gimbal lock at ")
        assert not any("give it mass" in line for line in told)


@pytest.mark.parametrize("armature", [0.0, 0.1])
def test_axes_that_are_parallel_are_refused_though_nothing_turns_them(armature):
    """Guards upright axes, about which gravity has no torque: the start looks sound, and the first push would not."""
    upright = [Axis((0.0, 0.0, 1.0), armature=armature), Axis((0.0, 0.0, 1.0), armature=armature)]
    joint = Joint("universal", "universal", WORLD, "arm", axes=upright)
    model = Model(links=[Link("arm", 1.0, (0.3, 0.0, 0.2))], joints=[joint])
    if armature:
        assert Simulation(model, np.arange(5) / 24).run().q == pytest.approx(np.zeros((5, 2)))
        return
    with pytest.raises(ModelError, match="joint 'universal': its axes 0 0 1 and 0 0 1 are parallel; turn one of them"):
        Simulation(model, np.arange(5) / 24)


def test_an_arm_whose_weight_is_carried_is_regular():
    """Guards models without weight, by MuJoCo's gravcomp or by choice: rounding is all that moves them."""
    model = in_a_row(rod("upper"), rod("lower"), rod("hand"))
    for link, mass in zip(model.links, (0.37, 1.13, 0.71), strict=True):
        link.mass, link.gravity = mass, False
    for joint, home in zip(model.joints, (0.3, 1.047, -0.7), strict=True):
        joint.home = (home,)
    motion = Simulation(model, [0.0, 0.1, 0.2]).run()
    assert np.abs(motion.q[-1] - motion.q[0]).max() < 1e-9
