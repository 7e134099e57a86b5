# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pose must keep and what it is asked for, as tasks: how large a model is, and what leads where."""

import numpy as np
import pytest

from limberjack.core.kinematics import Target, compile_for_posing
from limberjack.core.kinematics.inverse.task_builder import TaskBuilder, dof_scales_of, floating_dofs
from limberjack.core.model import WORLD, Link, Mimic, Model, ModelError
from limberjack.core.model.compiling.size import size_of
from support.mechanisms import Z, four_bar, join


def arm(reach: float = 1.0) -> Model:
    """Two links on hinges, a finger that slides on the second, and one beside that mimics it."""
    model = Model("arm", [Link("upper"), Link("lower"), Link("left"), Link("right")])
    join(model, "shoulder", "revolute", WORLD, "upper", (0.0, 0.0, 0.0), Z)
    join(model, "elbow", "revolute", "upper", "lower", (reach, 0.0, 0.0), Z)
    join(model, "open", "prismatic", "lower", "left", (2.0 * reach, 0.0, 0.0), Z)
    join(model, "follow", "prismatic", "lower", "right", (2.0 * reach, 0.0, 0.0), Z, mimic=Mimic("open"))
    return model


def led(model: Model, link: str) -> set[str]:
    """Names of the joints that lead a link."""
    compiled = compile_for_posing(model)
    builder = TaskBuilder(compiled)
    builder.add_model_constraints()
    first = len(builder)
    builder.add_target(Target(link, place=(0.0, 0.0, 0.0)))
    dofs = builder.coupled_dofs(first)
    return {name for name, span in compiled.spans.items() if span.v_at(0) in dofs}


def test_only_what_carries_a_link_leads_it():
    """A hand's fingers have no part in where the hand goes, and stay as they are."""
    assert led(arm(), "lower") == {"shoulder", "elbow"}


def test_what_is_coupled_leads_too():
    """A mimic's leader moves its follower's link."""
    assert led(arm(), "right") == {"shoulder", "elbow", "open", "follow"}


def test_all_of_a_loop_leads():
    """Any link of a four-bar takes all of its joints along."""
    assert led(four_bar(), "crank") == {"crank_pivot", "crank_pin", "rocker_pivot", "rocker_pin"}


@pytest.mark.parametrize("reach", [0.01, 1.0, 50.0])
def test_size_and_dof_scales(reach):
    """The size is how far the model reaches, wherever it stands, and what slides is measured by it."""
    model = arm(reach)
    for joint in model.joints[:1]:
        joint.X_PJ = (1000.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    compiled = compile_for_posing(model)
    assert size_of(compiled) == pytest.approx(2.0 * reach)
    assert dof_scales_of(compiled, size_of(compiled)).tolist() == pytest.approx([1.0, 1.0, 2.0 * reach, 2.0 * reach])


def test_a_model_of_no_size():
    """A link that turns in one point counts as a metre large, so that nothing is divided by zero."""
    model = Model(links=[Link("eye")])
    join(model, "pan", "ball", WORLD, "eye", (0.0, 0.0, 0.0))
    assert size_of(compile_for_posing(model)) == 1.0


def test_what_floats():
    """A piece that no joint leads to has six coordinates of its own, and pins and holds know them."""
    model = arm()
    model.joints.pop(0)
    compiled = compile_for_posing(model)
    dofs = floating_dofs(compiled)
    assert sorted(dofs) == sorted(range(*compiled.spans["upper"].v.indices(compiled.nv)))
    assert len(dofs) == 6


def test_an_unknown_link():
    """Guards the message: which link, and which there are."""
    builder = TaskBuilder(compile_for_posing(arm()))
    with pytest.raises(ModelError, match="there is no link 'foot'; there are: upper, lower, left, right"):
        builder.add_target(Target("foot", place=(0.0, 0.0, 0.0)))


def test_a_point_and_a_link_within_a_body():
    """A link that is fixed to another shares its body, and its points are where they are."""
    model = arm()
    model.links.append(Link("hand"))
    join(model, "mount", "fixed", "lower", "hand", (3.0, 0.5, 0.0))
    model.links[-1].pose = (3.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0)
    model.joints[-1].X_CJ = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    compiled = compile_for_posing(model)
    builder = TaskBuilder(compiled)
    builder.add_target(Target("hand", place=(0.0, 0.0, 0.0), point=(0.0, 0.0, 0.25)))
    record = builder.build().records[0]
    assert record.body == compiled.link_body[compiled.link_names.index("lower")]
    assert np.linalg.norm(record.X_body[:3]) == pytest.approx(np.linalg.norm([2.0, 0.5, 0.25]))
