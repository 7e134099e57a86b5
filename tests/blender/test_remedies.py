# SPDX-License-Identifier: GPL-3.0-or-later
"""What the doctor said of a simulation: kept, shown with a button for what can be mended, and mended."""

import contextlib
import math

import bpy
import pytest

from limberjack.addon import watch
from limberjack.addon.bridge.findings.stored_findings import obstacle_to, remedy_label, store_findings
from limberjack.addon.bridge.rig import last_rig
from limberjack.core.diagnosis import Diagnosis, Remedy

from .conftest import joint, link
from .paper import draw_all


def findings():
    return bpy.context.scene.limberjack.findings


def codes():
    return [finding.code for finding in findings()]


def labels():
    """Of the buttons that are shown."""
    scene = bpy.context.scene
    return [remedy_label(finding, scene) for finding in findings() if not obstacle_to(finding, scene)]


def advise(remedy, subject="joint 'bar0_joint'"):
    """As if a simulation had ended with this advice."""
    store_findings(bpy.context.scene, [Diagnosis("code", subject, "it is not right", remedy)])


def of_axis(**changes):
    return Remedy("joint", tuple(changes.items()), "bar0_joint", 0)


def simulate():
    """As far as it goes, with a step of undo."""
    with contextlib.suppress(RuntimeError):
        bpy.ops.limberjack.simulate("EXEC_DEFAULT", True, overwrite=True)


def apply(number=0):
    return bpy.ops.limberjack.remedy_apply("EXEC_DEFAULT", True, number=number)  # True: with an undo step


def weak_drive(axis, size):
    """Against the weight of 2 kg, at half a unit's distance where it turns."""
    sign = -1.0 if axis.id_data.limberjack_joint.type == "revolute" else 1.0
    axis.drive_mode, axis.drive_stiffness, axis.drive_target = "position", 1e5 * size**2, 1.5 * sign
    axis.use_effort, axis.effort = True, 1.0 * size


def idle_drive(axis, _size):
    axis.drive_mode = "position"


def rusty_drive(axis, _size):
    axis.drive_mode, axis.drive_target, axis.friction = "force", 1e4, 1e5


def crossed_limits(axis, _size):
    axis.use_lower = axis.use_upper = True
    axis.lower, axis.upper = 0.25, -0.25


def start_beyond(axis, _size):
    axis.use_upper, axis.upper, axis.use_stiffness = True, 0.25, False
    axis.id_data.limberjack_joint.use_home = True
    axis.id_data.limberjack_joint.coordinates[0].home = 0.5


@pytest.mark.parametrize("scale", [1.0, 0.01], ids=["metres", "centimetres"])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (weak_drive, "effort-too-small"),
        (idle_drive, "idle-drive"),
        (rusty_drive, "friction-too-large"),
        (crossed_limits, "crossed-limits"),
        (start_beyond, "home-outside-limits"),
    ],
)
def test_a_button_mends_what_a_simulation_found(scene, build, kind, scale, spoil, code):
    """Guards the whole way from the doctor to the joint's properties and back, whatever the scene's units: the remedy
    is offered, one press takes the finding off the list, and the next simulation does not find it again."""
    scene.unit_settings.scale_length = scale
    scene.gravity.z = -9.81 / scale
    bars, empties = build.pendulum(1)
    link(bars[0]).mass_source, link(bars[0]).mass = "MASS", 2.0
    joint(empties[0]).type = kind
    joint(empties[0]).axes[0].xyz = (0.0, 1.0, 0.0) if kind == "revolute" else (0.0, 0.0, 1.0)
    spoil(joint(empties[0]).axes[0], scale if kind == "revolute" else 1.0)
    simulate()
    assert code in codes()
    number = codes().index(code)
    assert findings()[number].culprit == empties[0]
    apply(number)
    assert code not in codes()
    simulate()
    assert code not in codes()


def test_numbers_are_in_the_scenes_units(scene, build):
    """Guards lengths, angles and forces: core's are metres, radians and newtons, the button's are the scene's, and the
    joint's property holds Blender units."""
    scene.unit_settings.scale_length, scene.unit_settings.length_unit = 0.01, "CENTIMETERS"
    _, empties = build.pendulum(1)
    settings = joint(empties[0])
    advise(of_axis(home=math.radians(30.0)))
    assert labels() == ["Start at 30°"]
    apply()
    assert settings.coordinates[0].home == pytest.approx(math.radians(30.0))
    advise(of_axis(effort=350.0))
    assert labels() == ["Set Effort to 350 N m"]
    settings.type = "prismatic"
    advise(of_axis(home=0.12))
    assert labels() == ["Start at 12 cm"]
    apply()
    assert settings.coordinates[0].home == pytest.approx(12.0)
    advise(of_axis(lower=-0.2, upper=0.3))
    assert labels() == ["Swap Limits"]
    apply()
    axis = settings.axes[0]
    assert axis.use_lower
    assert axis.use_upper
    assert (axis.lower, axis.upper) == pytest.approx((-20.0, 30.0))
    advise(of_axis(effort=350.0))
    assert labels() == ["Set Effort to 350 N"]
    apply()
    assert (axis.use_effort, axis.effort) == (True, 350.0)
    advise(of_axis(drive_stiffness=12.0, drive_damping=0.5))
    assert labels() == ["Set Drive Stiffness to 12 N/m and Drive Damping to 0.5 N s/m"]
    apply()
    assert (axis.drive_stiffness, axis.drive_damping) == (12.0, 0.5)


def test_numbers_are_those_of_the_whole_strength(scene, build):
    """Guards drives at a part of their strength: core knows what is left of it, and the panel has the whole."""
    _, joints = build.pendulum(1)
    settings = joint(joints[0])
    settings.axes[0].drive_mode, settings.axes[0].use_effort = "position", True
    settings.drive_strength = 0.2
    advise(of_axis(effort=60.0))
    assert labels() == ["Set Effort to 300 N m"]
    apply()
    assert settings.axes[0].effort == pytest.approx(300.0)


def test_links_and_runs_have_remedies_too(scene, build):
    """Guards what is no joint's: a link's damping, and how exact the next simulation is."""
    bars, _ = build.pendulum(1)
    link(bars[0]).angular_damping = 3.0
    advise(Remedy("link", (("angular_damping", 0.0),), "bar0"), "link 'bar0'")
    assert labels() == ["Set Angular Damping to 0"]
    apply()
    assert link(bars[0]).angular_damping == 0.0
    advise(Remedy("run", (("accuracy", "exact"),)), "model 'bar0'")
    assert findings()[0].culprit is None, "a model is no object, even where one has its name"
    assert labels() == ["Choose Accuracy Exact"]
    apply()
    assert scene.limberjack.accuracy == "exact"


def test_an_undone_remedy_is_offered_again(scene, build):
    """Guards one step of undo: the value and the finding are both back."""
    _, empties = build.pendulum(1)
    joint(empties[0]).axes[0].drive_mode = "position"
    bpy.ops.ed.undo_push(message="Made")
    simulate()
    assert codes() == ["idle-drive"]
    apply()
    assert not codes()
    bpy.ops.ed.undo()
    assert joint(bpy.data.objects["bar0_joint"]).axes[0].drive_mode == "position"
    assert codes() == ["idle-drive"]
    assert findings()[0].culprit == bpy.data.objects["bar0_joint"]


def test_a_failed_run_leaves_its_findings(scene, build):
    """Guards what is most in need of advice: no bake, but findings, which an undone remedy does not take along."""
    _, empties = build.pendulum(1)
    crossed_limits(joint(empties[0]).axes[0], 1.0)
    joint(empties[0]).axes[0].stiffness = 1e7
    bpy.ops.ed.undo_push(message="Made")
    with pytest.raises(RuntimeError, match="is above its upper limit"):
        bpy.ops.limberjack.simulate("EXEC_DEFAULT", True)
    assert not bpy.data.actions
    before = codes()
    assert before[0] == "crossed-limits"
    assert findings()[0].culprit == empties[0]
    apply()
    assert codes() == before[1:]
    bpy.ops.ed.undo()
    assert codes() == before
    axis = joint(bpy.data.objects["bar0_joint"]).axes[0]
    assert (axis.lower, axis.upper) == (0.25, -0.25)


def test_findings_are_saved_with_the_scene(scene, build, tmp_path):
    """Guards who opens the file the next day: what was said, of whom, and the button."""
    build.pendulum(1)
    advise(of_axis(friction=0.1))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    assert [(finding.code, finding.culprit.name) for finding in findings()] == [("code", "bar0_joint")]
    apply()
    assert joint(bpy.data.objects["bar0_joint"]).axes[0].friction == pytest.approx(0.1)


def test_the_panel_shows_findings_below_problems(scene, build):
    """Guards the heading, the sentence, and that the button is gone where there is nothing to press it for."""
    _, empties = build.pendulum(1)
    empties[0].name = "renamed"
    assert "Last Simulation" not in draw_all(empties[0])
    advise(of_axis(effort=20.0), "joint 'renamed'")
    assert "Last Simulation it is not right" in draw_all(empties[0])
    empties[0].name = "once more"
    assert labels() == ["Set Effort to 20 N m"]
    joint(empties[0]).type = "ball"
    assert labels() == []
    draw_all(empties[0])
    with pytest.raises(RuntimeError, match="another type now"):
        apply()
    joint(empties[0]).is_joint = False
    with pytest.raises(RuntimeError, match="'once more' is no joint any more"):
        apply()


def test_what_was_deleted_has_no_button(scene, build):
    """Guards buttons that are pressed too late: a clear word, and the panel is drawn."""
    bars, empties = build.pendulum(1)
    advise(of_axis(effort=20.0))
    build.select(empties[0])
    bpy.ops.object.delete()
    assert labels() == []
    draw_all(bars[0])
    with pytest.raises(RuntimeError, match="'bar0_joint' is no longer in the scene"):
        apply()
    with pytest.raises(RuntimeError, match="has 1 finding: simulate again"):
        apply(7)
    advise(None)
    with pytest.raises(RuntimeError, match="There is no button for this"):
        apply()


def test_a_model_that_falls_as_a_whole_says_so_first(scene, build):
    """Guards robots whose base is loose: the first finding names the base, one press holds it, and it is gone."""
    bars, empties = build.pendulum(2)
    joint(empties[0]).enabled = False
    simulate()
    assert "falls-freely" not in codes(), "a joint that does not act is there on purpose"
    bpy.data.objects.remove(empties[0])
    joint(empties[1]).axes[0].drive_mode = "position"
    simulate()
    assert codes() == ["falls-freely", "idle-drive"]
    assert findings()[0].culprit == bars[0]
    assert labels()[0] == "Fix Base"
    apply()
    assert link(bars[0]).motion == "STATIC"
    simulate()
    assert codes() == ["idle-drive"]


def come_to_rest():
    """What the window does a moment after each change."""
    bpy.context.view_layer.update()
    watch.note_change(bpy.context.scene.objects)
    watch._read_scenes()


@pytest.mark.parametrize(
    "mend",
    [
        lambda bar, empty: setattr(joint(empty).axes[0], "drive_mode", "off"),
        lambda bar, empty: setattr(joint(empty).axes[0], "drive_stiffness", 10.0),
        lambda bar, empty: setattr(joint(empty), "enabled", False),
        lambda bar, empty: setattr(link(bar), "density", 500.0),
        lambda bar, empty: setattr(empty, "location", (0.1, 0.0, 2.0)),
        lambda bar, empty: bpy.data.objects.remove(empty),
    ],
    ids=["typed", "other field", "switched off", "of its link", "moved", "deleted"],
)
def test_what_is_mended_by_hand_is_told_no_more(scene, build, mend):
    """Guards Problems against what was true once: a change to what a finding is about takes it off the list."""
    (bar,), (empty,) = build.pendulum(1)
    idle_drive(joint(empty).axes[0], 1.0)
    simulate()
    come_to_rest()
    assert codes() == ["idle-drive"]
    mend(bar, empty)
    come_to_rest()
    assert codes() == []


def test_what_is_not_mended_stays(scene, build):
    """Guards findings against changes elsewhere, other frames, and a new name."""
    _, empties = build.pendulum(2)
    idle_drive(joint(empties[0]).axes[0], 1.0)
    simulate()
    come_to_rest()
    cube = build.cube("bystander", (0.0, 9.0, 0.0))
    come_to_rest()
    cube.location.x = 3.0
    scene.frame_set(17)
    empties[0].name = "shoulder"
    joint(empties[1]).axes[0].damping = 2.0
    come_to_rest()
    assert codes() == ["idle-drive"]


def test_accuracy_is_a_way_to_mend(scene, build):
    """Guards findings about a run: another accuracy, chosen in the panel, takes them off the list."""
    build.pendulum(1)
    advise(Remedy("run", (("accuracy", "exact"),)), "model 'Scene'")
    come_to_rest()
    assert codes() == ["code"]
    scene.limberjack.accuracy = "exact"
    come_to_rest()
    assert codes() == []


@pytest.mark.parametrize(
    ("spoil", "words"),
    [(crossed_limits, "upper limit"), (idle_drive, "does nothing"), (start_beyond, "limits")],
    ids=["limits", "drive", "start"],
)
def test_one_cause_is_told_once(scene, build, spoil, words):
    """Guards the panel, and what a bake reports, against two sentences about one thing: the check of the model finds
    it, and so does the doctor."""
    _, empties = build.pendulum(1)
    spoil(joint(empties[0]).axes[0], 1.0)
    simulate()
    come_to_rest()
    settings = scene.limberjack
    findings_told = [finding.message for finding in settings.findings]
    assert len(findings_told) == 1
    assert not [note for note in settings.last_notes.splitlines() if words in note]
    drawn = draw_all(empties[0])
    problems = [problem for problem in last_rig(scene).problems if words in problem.message]
    assert len(problems) == 1
    assert (problems[0].text in drawn) != (findings_told[0] in drawn)
    bpy.ops.limberjack.problem_mend(name=empties[0].name, code=problems[0].code)
    come_to_rest()
    assert not [problem for problem in last_rig(scene).problems if words in problem.message]
    assert codes() == []
