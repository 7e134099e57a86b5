# SPDX-License-Identifier: GPL-3.0-or-later
"""Degrees of freedom, against mechanisms whose number is known, and against motions that are there to be seen."""

import numpy as np
import pytest

from limberjack.core.kinematics import mobility
from limberjack.core.model import WORLD, Axis, Coupling, Gearbox, Joint, Link, Mimic, Model
from support.mechanisms import X, Y, Z, bricard, four_bar, join, stewart
from support.models import random_tree


@pytest.mark.parametrize(
    ("model", "by_rank", "by_count", "redundant"),
    [
        (four_bar(), 1, -2, [3]),
        (bricard(), 1, 0, [1]),
        (stewart("universal"), 6, 6, [0] * 5),
        (stewart("ball"), 12, 12, [0] * 5),
    ],
    ids=lambda value: value.name if isinstance(value, Model) else "",
)
def test_known_mechanisms(model, by_rank, by_count, redundant):
    """Guards the count by rank, Gruebler's count, and which loop is redundant by how much."""
    found = mobility(model)
    assert (found.by_rank, found.by_count) == (by_rank, by_count)
    assert [entry.redundant for entry in found.redundancies] == redundant


def test_legs_that_spin_are_named():
    """Guards the six idle freedoms of legs with a ball at either end, and that universal joints have none."""
    legs = {frozenset((f"tube{i}", f"rod{i}")) for i in range(6)}
    assert {frozenset(chain) for chain in mobility(stewart("ball")).spins} == legs
    assert len(mobility(stewart("ball")).spins) == 6
    assert mobility(stewart("universal")).spins == ()
    assert mobility(four_bar()).spins == ()


def test_a_coupler_between_balls_spins():
    """Guards idle freedoms of a single link: the rod of a crank and rocker in space (RSSR) turns about itself."""
    model = Model("rssr", [Link("crank"), Link("rod"), Link("rocker")])
    join(model, "a", "revolute", WORLD, "crank", (0.0, 0.0, 0.0), Z)
    join(model, "b", "ball", "crank", "rod", (0.3, 0.0, 0.1))
    join(model, "c", "ball", "rod", "rocker", (1.0, 0.8, 0.9))
    join(model, "d", "revolute", WORLD, "rocker", (1.2, 0.0, 0.4), Y)
    found = mobility(model)
    assert (found.by_rank, found.spins) == (2, (("rod",),))


def test_trees_have_as_many_freedoms_as_velocities():
    """Guards models without loops, floating ones too."""
    model = random_tree(3, 20)
    assert mobility(model).by_rank == sum(joint.nv for joint in model.joints)
    assert mobility(Model(links=[Link("stone")])).by_rank == 6


def test_a_flat_four_bar_gains_a_freedom():
    """Guards the pose: a parallelogram that lies flat may fold both ways, and q says where to look."""
    model = Model("parallelogram", [Link("a"), Link("b"), Link("c")])
    join(model, "a0", "revolute", WORLD, "a", (0.0, 0.0, 0.0), Z)
    join(model, "ab", "revolute", "a", "b", (1.0, 0.0, 0.0), Z)
    join(model, "bc", "revolute", "b", "c", (3.0, 0.0, 0.0), Z)
    join(model, "c0", "revolute", WORLD, "c", (2.0, 0.0, 0.0), Z)
    assert mobility(model).by_rank == 2
    raised = {"a0": 0.4, "ab": -0.4, "bc": 0.4, "c0": 0.4}
    tree = {name: value for name, value in raised.items() if name not in {loop.joint.name for loop in model.loops()}}
    assert mobility(model, tree).by_rank == 1


def test_couplings_and_stuck_axes_take_freedoms():
    """Guards mimic, gear, gearbox and limits without room: one equation each, and none counted twice."""
    model = Model("train", [Link(name) for name in "abc"])
    for i, name in enumerate("abc"):
        join(model, f"hinge_{name}", "revolute", WORLD, name, (float(i), 0.0, 0.0), Z)
    assert mobility(model).by_rank == 3
    model.joints[1].mimic = Mimic("hinge_a", 2.0)
    assert mobility(model).by_rank == 2
    model.couplings.append(Coupling("mesh", "gear", [("hinge_b", 0), ("hinge_c", 0)], ratio=-3.0))
    assert mobility(model).by_rank == 1
    model.couplings.append(Gearbox("again", "a", "c", WORLD, ratio=6.0))
    assert mobility(model).by_rank == 1
    assert mobility(model).by_count == 0
    model.joints[0].axes[0].lower = model.joints[0].axes[0].upper = 0.2
    assert mobility(model).by_rank == 0


def test_a_rod_takes_a_freedom():
    """Guards a distance that is held: two sliders with a rod between their ends move as one."""
    model = Model("rod", [Link("a"), Link("b")])
    join(model, "along", "prismatic", WORLD, "a", (0.0, 0.0, 0.0), X)
    join(model, "across", "prismatic", WORLD, "b", (0.3, 0.4, 0.0), Y)
    rod = Joint("rod", "distance", "a", "b", X_CJ=(0.3, 0.4, 0.0, 1.0, 0.0, 0.0, 0.0), closes_loop=True)
    rod.axes[0] = Axis(lower=0.5, upper=0.5)
    model.joints.append(rod)
    assert mobility(model).by_rank == 1


def test_a_rope_takes_nothing_and_a_marked_joint_is_a_loop():
    """Guards that a distance joint with slack holds nothing, and that a mark moves the loop and not the count."""
    model = four_bar()
    join(model, "rope", "distance", "crank", "rocker", (1.0, 1.0, 0.0))
    assert mobility(model).by_rank == 1
    model = four_bar()
    model.joints[0].closes_loop = True
    found = mobility(model)
    assert found.by_rank == 1
    assert [entry.loop.joint.name for entry in found.redundancies] == ["crank_pivot"]


@pytest.mark.parametrize("seed", range(3))
def test_the_count_does_not_depend_on_the_tree(seed):
    """Guards loop joints of several columns: whichever joint is marked to close the loop, the freedoms are the same."""
    rng = np.random.default_rng(seed)
    counts = set()
    points = rng.normal(size=(6, 3)).tolist()
    for marked in range(6):
        model = Model("ring", [Link(f"l{i}") for i in range(5)])
        kinds = ("cylindrical", "universal", "screw", "planar", "revolute", "ball")
        for i, kind in enumerate(kinds):
            parent, child = (f"l{i - 1}" if i else WORLD), (f"l{i}" if i < 5 else "l4")
            parent = WORLD if i == 5 else parent
            joint = join(model, f"j{i}", kind, parent, child, tuple(points[i]), X, Y)
            joint.pitch = 0.3
            joint.closes_loop = i == marked
        counts.add(mobility(model).by_rank)
    assert counts == {2 + 2 + 1 + 3 + 1 + 3 - 6}


def test_nothing_that_could_move():
    """Guards models without a velocity: a ring of welds has six constraints too many, and no model none."""
    welds = [Joint(a + b, "fixed", a, b) for a, b in ((WORLD, "a"), ("a", "b"), (WORLD, "b"))]
    found = mobility(Model(links=[Link("a"), Link("b")], joints=welds))
    assert (found.by_rank, [entry.redundant for entry in found.redundancies]) == (0, [6])
    assert mobility(Model()).by_rank == 0


def test_stuck_axes_of_a_loop_count_among_its_constraints():
    """Guards the figures in the message: no loop has more redundant constraints than it has."""
    model = Model(links=[Link("a"), Link("b")])
    model.joints = [Joint(name, "fixed", WORLD, name) for name in "ab"]
    model.joints.append(Joint("l", "revolute", "a", "b", axes=[Axis(lower=0.0, upper=0.0)]))
    (entry,) = mobility(model).redundancies
    assert (entry.constraints, entry.redundant) == (6, 6)


def test_what_slides_along_does_not_spin():
    """Guards the word: a link between two sliders of one direction moves idly, and turns about nothing."""
    model = Model("m", [Link(name) for name in "abc"])
    join(model, "wa", "planar", WORLD, "a", (0.0, 0.0, 0.0))
    join(model, "ab", "prismatic", "a", "b", (0.0, 0.0, 0.0), X)
    join(model, "bc", "prismatic", "b", "c", (1.0, 0.0, 0.0), X)
    join(model, "wc", "revolute", WORLD, "c", (2.0, 0.0, 0.0), Z)
    assert mobility(model).spins == ()


def test_a_link_without_a_path_to_the_world_is_not_lost():
    """Guards loops that float: a four-bar in free fall has its own freedom and six more."""
    model = four_bar()
    model.links.append(Link("frame"))
    model.joints = [
        Joint(j.name, j.type, "frame" if j.parent == WORLD else j.parent, j.child, j.X_PJ, j.X_CJ, j.axes)
        for j in model.joints
    ]
    assert mobility(model).by_rank == 7
