# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits as arrays, against what the axes have."""

from math import inf

import limberjack as lj


def test_limits_have_the_layout_of_q_and_qd():
    """Guards places and kinds: a base that floats, a pin in a slot, a locked axis, a joint from child to parent.

    The tree passes the last joint from its child, so its coordinates are in the reversed order.
    """
    slide = lj.Axis((1.0, 0.0, 0.0), -0.5, 0.25, slide=1.0, turn=0.0, effort=7.0, velocity=2.0)
    turn = lj.Axis((0.0, 0.0, 1.0), -1.0, 3.0, effort=5.0, velocity=0.0)  # 0 is no limit, as in URDF files
    stuck = lj.Axis((0.0, 1.0, 0.0), -9.0, 9.0, locked=True)
    model = lj.Model("machine", [lj.Link("base"), lj.Link("pin"), lj.Link("back")])
    model.joints = [
        lj.Joint("slot", "custom", "base", "pin", axes=[slide, stuck, turn]),
        lj.Joint("reversed", "custom", "back", "base", axes=[slide, turn]),
    ]
    compiled = lj.compile_model(model)
    limits = lj.joint_limits(compiled)
    for name in ("slot", "reversed"):
        span = compiled.spans[name]
        assert limits.lower[span.q].tolist() == [-0.5, -1.0]
        assert limits.upper[span.q].tolist() == [0.25, 3.0]
        assert limits.velocity[span.v].tolist() == [2.0, inf]
        assert limits.effort[span.v].tolist() == [7.0, 5.0]
    base = compiled.spans[compiled.floating[0]]
    assert limits.lower[base.q].tolist() == [-inf] * 7
    assert limits.effort[base.v].tolist() == [inf] * 6
    assert limits.lower.shape == limits.upper.shape == (compiled.nq,)
    assert limits.velocity.shape == limits.effort.shape == (compiled.nv,)


def test_limits_are_those_within_which_configurations_are_drawn():
    """Guards agreement with is_within_limits: at a limit is within, a little beyond is not."""
    model = lj.Model("arm", [lj.Link("arm")])
    axis = lj.Axis((0.0, 1.0, 0.0), lower=-0.3, upper=0.7)
    model.joints = [lj.Joint("hinge", "revolute", "world", "arm", axes=[axis])]
    limits = lj.joint_limits(model)
    lower, upper = limits.lower, limits.upper
    assert lj.is_within_limits(model, lower)
    assert lj.is_within_limits(model, upper)
    assert not lj.is_within_limits(model, lower - 1e-3)
    assert not lj.is_within_limits(model, upper + 1e-3)
