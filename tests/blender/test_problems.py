# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a scene's model: found, laid at somebody's door, and mended by a button."""

import bpy
import pytest

from limberjack.addon.bridge.findings.problems import find_problems
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.bridge.scene.read import scan_scene
from limberjack.addon.ops.simulation.repairs import REPAIRS

from .conftest import joint, link
from .paper import draw_all


def found(scene):
    """The problems as (code, name), notes apart."""
    return [(item.code, item.name) for item in show_rig(scene).problems if item.severity != "note"]


def mend(code, name, label=""):
    bpy.ops.limberjack.problem_mend(name=name, code=code, label=label)
    bpy.context.view_layer.update()


def no_child(bars, joints):
    joint(joints[1]).child = None


def lost_parent(bars, joints):
    bpy.data.objects.remove(joints[0])
    bpy.data.objects.remove(bars[0])


def no_frames(bars, joints):
    joint(joints[1]).parent = None


def untagged(bars, joints):
    link(bars[1]).is_link = False


def no_leader(bars, joints):
    joint(joints[1]).use_mimic = True


def zero_axis(bars, joints):
    joint(joints[1]).axes[0].xyz = (0.0, 0.0, 0.0)


def crossed(bars, joints):
    axis = joint(joints[1]).axes[0]
    axis.use_lower = axis.use_upper = True
    axis.lower, axis.upper = 1.0, -1.0


def home_outside(bars, joints):
    axis = joint(joints[1]).axes[0]
    axis.use_upper, axis.upper = True, 0.5
    joint(joints[1]).use_home = True
    joint(joints[1]).coordinates[0].home = 1.0


def spring_outside(bars, joints):
    axis = joint(joints[1]).axes[0]
    axis.use_upper, axis.upper = True, 0.5
    axis.spring_stiffness, axis.spring_reference = 1.0, 1.0


def massless(bars, joints):
    link(bars[1]).mass_source, link(bars[1]).mass = "CUSTOM", 0.0


def left(bars, joints):
    bars[1].location.z += 0.3
    bpy.context.view_layer.update()


def deleted_child(bars, joints):
    bpy.ops.object.select_all(action="DESELECT")
    bars[1].select_set(True)
    bpy.ops.object.delete()


def deleted_parent(bars, joints):
    bpy.ops.object.select_all(action="DESELECT")
    for obj in (bars[0], joints[0]):
        obj.select_set(True)
    bpy.ops.object.delete()


@pytest.mark.parametrize(
    ("damage", "code", "culprit"),
    [
        (no_child, "no-child", "bar1_joint"),
        (lost_parent, "lost-parent", "bar1_joint"),
        (deleted_child, "no-child", "bar1_joint"),
        (deleted_parent, "lost-parent", "bar1_joint"),
        (no_frames, "no-frames", "bar1_joint"),
        (untagged, "no-link", "bar1_joint"),
        (no_leader, "no-leader", "bar1_joint"),
        (zero_axis, "zero-axis", "bar1_joint"),
        (crossed, "crossed-limits", "bar1_joint"),
        (home_outside, "home-outside-limits", "bar1_joint"),
        (spring_outside, "spring-outside-limits", "bar1_joint"),
        (massless, "massless", "bar1"),
        (left, "link-left", "bar1_joint"),
    ],
)
def test_each_is_found_and_mended(scene, build, damage, code, culprit):
    """Whatever has a button: the problem names its culprit, a click selects it, each button mends it, and no other is
    there."""
    bars, joints = build.pendulum(2)
    assert not found(scene)
    for number in range(len(REPAIRS[code])):
        if number:
            scene = again(build)
            bars, joints = list(scene.objects)[:2], [bpy.data.objects["bar0_joint"], bpy.data.objects["bar1_joint"]]
        damage(bars, joints)
        assert (code, culprit) in found(scene)
        bpy.ops.limberjack.problem_select(name=culprit)
        assert bpy.context.object.name == culprit
        mend(code, culprit, REPAIRS[code][number].label)
        assert not [problem for problem in found(scene) if problem[0] == code]
        if len(scene.objects) == 4:
            bpy.ops.limberjack.simulate()


def again(build):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    build.pendulum(2)
    return bpy.context.scene


def test_one_faulty_joint_hides_no_other_problem(scene, build):
    """What cannot be read is told beside everything else, and does not end the search."""
    bars, joints = build.pendulum(3)
    joint(joints[0]).axes[0].xyz = (0.0, 0.0, 0.0)
    crossed(bars, joints)
    massless(bars[1:], joints)
    assert {("zero-axis", "bar0_joint"), ("crossed-limits", "bar1_joint"), ("massless", "bar2")} <= set(found(scene))


def test_what_is_switched_off_has_left_nothing(scene, build):
    """A joint that does not act holds no link, so none can have left it."""
    bars, joints = build.pendulum(2)
    left(bars, joints)
    joint(joints[1]).enabled = False
    assert not [item for item in found(scene) if item[0] == "link-left"]


def test_a_joint_whose_parent_is_lost_stays_where_it_is(scene, build):
    """Join to World hangs it where it was, by what its child knows."""
    bars, joints = build.pendulum(2)
    place = joints[1].matrix_world.translation.copy()
    lost_parent(bars, joints)
    mend("lost-parent", "bar1_joint")
    assert (bpy.data.objects["bar1_joint"].matrix_world.translation - place).length < 1e-6


def test_weighing_what_has_no_mesh_changes_nothing(scene, build):
    """The button says what is missing, and makes no error of a warning."""
    hub = bpy.data.objects.new("hub", None)
    scene.collection.objects.link(hub)
    bpy.context.view_layer.update()
    build.tag(hub)
    build.join(hub)
    link(hub).mass = 0.0
    with pytest.raises(RuntimeError, match="has no mesh to weigh"):
        bpy.ops.limberjack.problem_mend(name="hub", code="massless")
    assert link(hub).mass_source == "CUSTOM"


def test_an_unknown_remedy_and_a_lost_object(build):
    """A button that is pressed too late says so."""
    build.pendulum(1)
    with pytest.raises(RuntimeError, match="'nobody' is no longer in the scene"):
        bpy.ops.limberjack.problem_mend(name="nobody", code="no-child")
    with pytest.raises(RuntimeError, match="'nobody' is no longer in the scene"):
        bpy.ops.limberjack.problem_select(name="nobody")
    with pytest.raises(RuntimeError, match="no button for 'mobility'"):
        bpy.ops.limberjack.problem_mend(name="bar0", code="mobility")


def test_weights_follow_the_mesh(scene, build):
    """A weight that is known is not found again, and never outlives the mesh, the density or the scale it is of."""
    bars, _ = build.pendulum(1)

    def mass():
        return show_rig(scene).model.links[0].mass

    forget_rigs()
    first = mass()
    assert mass() == first
    bars[0].scale.z *= 2.0
    bpy.context.view_layer.update()
    assert mass() == pytest.approx(2.0 * first)
    link(bars[0]).density *= 3.0
    assert mass() == pytest.approx(6.0 * first)
    for vertex in bars[0].data.vertices:
        vertex.co.x *= 0.5
    bars[0].data.update()
    bpy.context.view_layer.update()
    assert mass() == pytest.approx(3.0 * first)


def test_simulation_says_that_a_link_goes_back(scene, build):
    """Who has moved a link away from its joint learns why it jumps."""
    bars, joints = build.pendulum(2)
    left(bars, joints)
    assert [item.code for item in find_problems(scene, scan_scene(scene), [])] == ["link-left"]
    bpy.ops.limberjack.simulate()
    assert "was moved" in scene.limberjack.last_notes


def test_what_play_says_stands_once(scene, build, monkeypatch):
    """While Play is on, its panel says that nothing holds a machine: the same below it would be read as a second."""
    bars, joints = build.pendulum()
    bpy.data.objects.remove(joints[0])
    show_rig(scene)
    assert draw_all(bars[0]).count("nothing holds it") == 1
    monkeypatch.setattr("limberjack.addon.panels.simulation.problems.current", object)
    assert draw_all(bars[0]).count("nothing holds it") == 1
