"""Several articulations at once, against each of them by itself."""

import numpy as np
import pytest

from limberjack.core.kinematics import ArticulationView, articulations, link_poses
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, ModelError, compile_model
from limberjack.core.spatial import compose, quat_rotate
from support.models import random_pose


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


def test_what_does_not_fit_is_told():
    """Guards the words for a pattern without a match, and for a mixed herd."""
    with pytest.raises(ModelError, match="no articulation is named like 'dog\\*'; there are: robot0::base"):
        ArticulationView(herd(1), "dog*")
    with pytest.raises(ModelError, match="'robot0::base' and 'stone' differ"):
        ArticulationView(herd(1), "*")
