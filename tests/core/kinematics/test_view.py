# SPDX-License-Identifier: GPL-3.0-or-later
"""Several articulations at once, against each of them by itself."""

import numpy as np
import pytest

from limberjack.core.kinematics import ArticulationView, articulations, link_poses
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, ModelError
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.model.editing.editing import rename_joint, rename_link, replace_joint
from limberjack.core.spatial import compose, inverse, quat_rotate
from support.models import dump, random_pose


def herd(count=3, floating=False):
    """Robots of one make, each a base, a hinged arm and a ball-jointed hand, and a lone stone."""
    rng = np.random.default_rng(5)
    model = Model("herd")
    for i in range(count):
        pose = random_pose(rng, reach=2.0)
        hand = (0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        arm = compose(pose, hand)
        model.links += [
            Link(f"robot{i}::base", pose=pose),
            Link(f"robot{i}::arm", pose=arm),
            Link(f"robot{i}::hand", pose=compose(arm, hand)),
        ]
        if not floating:
            model.joints.append(Joint(f"robot{i}::weld", "fixed", WORLD, f"robot{i}::base", X_PJ=pose))
        axes = [Axis(lower=-1.0, upper=1.0 + i)]
        model.joints += [
            Joint(f"robot{i}::elbow", "revolute", f"robot{i}::base", f"robot{i}::arm", hand, axes=axes),
            Joint(f"robot{i}::wrist", "ball", f"robot{i}::arm", f"robot{i}::hand", hand),
        ]
    model.links.append(Link("stone", pose=(0.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0)))
    return model


def test_articulations_are_what_hangs_together():
    """Guards names and members: the root names it, and the world joins nothing."""
    found = articulations(compile_model(herd(2)))
    assert {entry.name for entry in found} == {"robot0::base", "robot1::base", "stone"}
    robot = next(entry for entry in found if entry.name == "robot1::base")
    assert robot.links == ("robot1::base", "robot1::arm", "robot1::hand")
    assert robot.joints == ("robot1::elbow", "robot1::wrist")


@pytest.mark.parametrize("floating", [False, True])
def test_positions_are_read_and_written_by_name(floating):
    """Guards the rows: what is written for one robot moves its links and no other's."""
    model = herd(3, floating)
    view = ArticulationView(model, "robot*", include=["revolute"])
    q = view.compiled.q_home.copy()
    assert (view.count, view.dofs, view.q(q).shape) == (3, 1, (3, 1))
    view.set_q(q, [[0.1], [0.2], [0.3]])
    values = view.compiled.q_by_joint(q)
    assert [values[f"robot{i}::elbow"] for i in range(3)] == [[0.1], [0.2], [0.3]]
    qd = np.zeros(view.compiled.nv)
    view.set_qd(qd, 0.5)
    assert view.qd(qd).tolist() == [[0.5]] * 3
    assert np.count_nonzero(qd) == 3
    poses = link_poses(model, {f"robot{i}::elbow": 0.1 * (i + 1) for i in range(3)})
    for i in range(3):
        for j, part in enumerate(("base", "arm", "hand")):
            assert view.link_poses(q)[i, j] == pytest.approx(np.array(poses[f"robot{i}::{part}"]), abs=1e-12)


@pytest.mark.parametrize("floating", [False, True])
def test_roots_move_and_all_else_with_them(floating):
    """Guards fixed bases, which have no coordinates to move by, as well as floating ones."""
    model = herd(3, floating)
    view = ArticulationView(model, "robot*")
    q = view.compiled.q_home.copy()
    elbows = ArticulationView(model, "robot*", include=["revolute"])
    elbows.set_q(q, 0.4)
    before, joints = view.link_poses(q), elbows.q(q)
    goal = view.root_poses(q) + np.array([0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    view.set_root_poses(q, goal)
    assert view.root_poses(q) == pytest.approx(goal, abs=1e-12)
    assert view.link_poses(q) - before == pytest.approx(
        np.broadcast_to(np.array([0.2, 0, 0, 0, 0, 0, 0]), before.shape), abs=1e-12
    )
    assert elbows.q(q) == pytest.approx(joints)
    turned = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    view.set_root_poses(q, turned)
    here = view.link_poses(q)
    assert np.abs(here[:, 0] @ turned) == pytest.approx(np.ones(3), abs=1e-12)
    assert here[:, 0, :3] == pytest.approx(np.zeros((3, 3)), abs=1e-12)
    assert here[0, 1, :3] == pytest.approx(quat_rotate(turned[3:], (0.5, 0.0, 0.0)), abs=1e-12)


def test_limits_and_targets_are_the_models():
    """Guards that what a view writes is the model's own, and that a ball has no limits on a dof."""
    model = herd(2)
    view = ArticulationView(model, "robot*", exclude=["free"])
    lower, upper = view.limits()
    assert lower.shape == (2, 4)
    assert upper[:, 0].tolist() == [1.0, 2.0]
    assert np.isinf(upper[:, 1:]).all()
    upper[:, 0] = 0.7
    view.set_limits(lower, upper)
    assert [model.joint(f"robot{i}::elbow").axes[0].upper for i in range(2)] == [0.7, 0.7]
    view.set_targets(np.array([0.1, 0.2, 0.3, 0.4]))
    assert view.targets() == pytest.approx(np.tile([0.1, 0.2, 0.3, 0.4], (2, 1)))
    assert model.joint("robot1::wrist").axes[2].drive_target == 0.4
    with pytest.raises(ModelError, match=r"'robot0::base': dof 1 has no upper; give inf, found 1"):
        view.set_limits(lower, np.ones(4))
    assert model.joint("robot0::elbow").axes[0].upper == 0.7


@pytest.mark.parametrize("joint_type", ["revolute", "fixed"])
def test_a_base_with_the_world_as_child_moves(joint_type):
    """Guards joints that point at the world, whose frame there is X_CJ."""
    rng = np.random.default_rng(2)
    model = Model(links=[Link("a")], joints=[Joint("j", joint_type, "a", WORLD, random_pose(rng), random_pose(rng))])
    model.link("a").pose = link_poses(model)["a"]
    view = ArticulationView(model)
    q = np.full(view.compiled.nq, 0.3)
    goal = random_pose(rng)
    view.set_root_poses(q, goal)
    X_goal_root = compose(inverse(goal), tuple(view.root_poses(q)[0].tolist()))
    assert np.abs(X_goal_root) == pytest.approx(np.array([0.0, 0, 0, 1, 0, 0, 0]), abs=1e-12)
    assert q.tolist() == [0.3] * len(q)
    assert link_poses(model)["a"] == pytest.approx(model.link("a").pose)


@pytest.mark.parametrize("is_explicit", [False, True])
@pytest.mark.parametrize("world_is_parent", [False, True])
def test_a_loop_of_a_floating_root_goes_along(is_explicit, world_is_parent):
    """Guards the frame in the world of a marked joint: where it met the link before, it meets it after."""
    rng = np.random.default_rng(6)
    pose, X_LJ, arm = random_pose(rng), random_pose(rng), random_pose(rng)
    model = Model(links=[Link("root", pose=pose), Link("arm", pose=compose(pose, arm))])
    model.joints = [Joint("elbow", "revolute", "root", "arm", arm)]
    if is_explicit:
        model.joints.append(Joint("float", "free", WORLD, "root", pose))
    X_WJ = compose(compose(pose, arm), X_LJ)
    ends = (WORLD, "arm", X_WJ, X_LJ) if world_is_parent else ("arm", WORLD, X_LJ, X_WJ)
    model.joints.append(Joint("rope", "distance", *ends, closes_loop=True))
    view = ArticulationView(model)
    assert view.names == ("root",)
    q = view.compiled.q_home.copy()

    def apart():
        rope = model.joint("rope")
        frames = (rope.X_PJ, rope.X_CJ) if world_is_parent else (rope.X_CJ, rope.X_PJ)
        return compose(inverse(frames[0]), compose(tuple(view.link_poses(q)[0, 1].tolist()), frames[1]))

    for _ in range(2):
        view.set_root_poses(q, random_pose(rng))
        assert np.abs(apart()) == pytest.approx(np.array([0.0, 0, 0, 1, 0, 0, 0]), abs=1e-12)
    assert model.link("root").pose == pose


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        (-0.5, -0.6, "'robot0::base': dof 0 takes a lower limit that is at most the upper one, found -0.5 and -0.6"),
        (-0.5, np.nan, "'robot0::base': dof 0 takes a number as upper, found nan"),
        (np.nan, 0.5, "'robot0::base': dof 0 takes a number as lower, found nan"),
        ([[-0.5], [0.6]], [[0.5], [0.5]], "'robot1::base': dof 0 takes a lower limit .* found 0.6 and 0.5"),
    ],
)
def test_limits_are_written_all_or_none(lower, upper, words):
    """Guards against half of the limits, and limits that are none."""
    model = herd(2)
    view = ArticulationView(model, "robot*", include=["revolute"])
    before, compiled = dump(model), view.compiled
    with pytest.raises(ModelError, match=words):
        view.set_limits(lower, upper)
    assert dump(model) == before
    assert view.compiled is compiled


def test_a_refused_upper_limit_leaves_the_lower():
    """Guards the order: nothing is written before all has been looked at."""
    model = herd(2)
    view = ArticulationView(model, "robot*")
    lower, upper = view.limits()
    lower[:, 0], upper[1, 2] = -0.25, 3.0
    before = dump(model)
    with pytest.raises(ModelError, match="'robot1::base': dof 2 has no upper"):
        view.set_limits(lower, upper)
    assert dump(model) == before


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda m: rename_joint(m, "robot1::elbow", "knee"), "joint 'robot1::elbow'"),
        (lambda m: replace_joint(m, "robot1::elbow", "prismatic"), "joint 'robot1::elbow'"),
        (lambda m: rename_link(m, "robot0::hand", "paw"), "link 'robot0::hand'"),
        (lambda m: rename_link(m, "robot0::base", "foot"), "link 'robot0::base'"),
    ],
)
@pytest.mark.parametrize("floating", [False, True])
def test_writing_to_a_model_with_other_names_is_refused(change, what, floating):
    """Guards views that have outlived the names they were made with: they say so, and write nothing."""
    model = herd(2, floating)
    view = ArticulationView(model, "robot*", include=["revolute"])
    q = view.compiled.q_home.copy()
    change(model)
    before, q_before = dump(model), q.copy()
    for write in (
        lambda: view.set_limits(-0.1, 0.1),
        lambda: view.set_targets(0.1),
        lambda: view.set_root_poses(q, (0, 0, 0, 1, 0, 0, 0)),
    ):
        with pytest.raises(ModelError, match=f"{what} is not in the model any more .* make a new view"):
            write()
        assert dump(model) == before
        assert q.tolist() == q_before.tolist()


def test_what_does_not_fit_is_told():
    """Guards the words for a pattern without a match, and for a mixed herd."""
    with pytest.raises(ModelError, match="no articulation is named like 'dog\\*'; there are: robot0::base"):
        ArticulationView(herd(1), "dog*")
    with pytest.raises(ModelError, match="'robot0::base' and 'stone' differ"):
        ArticulationView(herd(1), "*")
