"""What a user may not expect of a run is told, and nothing else is."""

from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compile import compile_model
from limberjack.core.solvers.remarks import remarks


def remarks_on(model):
    return remarks(compile_model(model, split_loops=True))


def test_what_acts_is_no_remark():
    """Guards against noise: a joint that holds its link in the world, with all that an axis can have."""
    axis = Axis(lower=-1.0, friction=1.0, velocity=2.0, drive_mode="force", drive_target=3.0)
    assert remarks_on(Model("m", [Link("a")], [Joint("j", "revolute", WORLD, "a", axes=[axis])])) == []


def test_what_a_marked_joint_holds_does_not_float():
    """Guards against a false alarm: a joint that is marked for nothing holds its link all the same."""
    model = Model("m", [Link("a"), Link("b"), Link("c")])
    model.joints = [Joint("one", "revolute", WORLD, "a"), Joint("two", "revolute", "a", "b")]
    for joint in model.joints:
        joint.closes_loop = True
    assert remarks_on(model) == ["link 'c' is not joined to the world: it floats, and falls"]


def test_what_is_led_does_not_float():
    """Guards against a false alarm: a link whose motion is prescribed holds what hangs on it."""
    model = Model("m", [Link("hand"), Link("bar"), Link("c")], [Joint("hinge", "revolute", "hand", "bar")])
    found = remarks(compile_model(model, split_loops=True), led=["bar"])
    assert found == ["link 'c' is not joined to the world: it floats, and falls"]
