# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor names what was planted, first or second, and is silent about what is healthy."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from limberjack.core import cli
from limberjack.core.diagnosis import diagnose
from limberjack.core.formats import read
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.editing.editing import fix_base, replace_joint
from limberjack.core.simulation import Controls, Forces, Simulation, SimulationError
from support.mechanisms import bricard, four_bar, stewart
from support.models import chain, random_graph, random_tree

RIGID = math.inf
MOST_WORK = 60_000
"""Steps after which a run that takes for ever is stopped, as a user would, and the doctor asked."""


def rod(name, mass=1.0, length=1.0):
    inertia = mass * length**2 / 12
    return Link(name, mass, (0.0, 0.0, -length / 2), (inertia, 0.0, 0.0, inertia, 0.0, 1e-3 * inertia))


def arm(mass=1.0, forearm=0.6, **elbow):
    """Two rods that hang down; the fields are those of the lower one's axis."""
    shoulder, axis = Axis(xyz=(0.0, 1.0, 0.0)), Axis(xyz=(0.0, 1.0, 0.0), **elbow)
    at = (0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0)
    joints = [
        Joint("shoulder", "revolute", WORLD, "upper", axes=[shoulder]),
        Joint("elbow", "revolute", "upper", "lower", at, axes=[axis]),
    ]
    return Model(links=[rod("upper", mass), rod("lower", forearm)], joints=joints)


def pendulum(mass=1.0, **fields):
    axis = Axis(xyz=(0.0, 1.0, 0.0), **fields)
    return Model(links=[rod("bob", mass)], joints=[Joint("pin", "revolute", WORLD, "bob", axes=[axis])])


def pointlike():
    """A link that turns about its own centre of mass, and resists that by next to nothing."""
    model = arm(damping=0.1)
    model.links[1].com, model.links[1].inertia = (0.0, 0.0, 0.0), (1e-20, 0.0, 0.0, 1e-20, 0.0, 1e-20)
    return model


def heavy_tip():
    """A chain whose last link weighs 1e10 times as much as the others."""
    model = chain(3)
    for link in model.links[:2]:
        link.mass, link.inertia = 1e-10, tuple(1e-10 * number for number in link.inertia)
    return model


def hip():
    """A ball whose twist is to be above 1 rad and below 0.5."""
    axes = [*(Axis() for _ in range(4)), Axis(lower=1.0, upper=0.5)]
    return Model(links=[rod("leg")], joints=[Joint("hip", "ball", WORLD, "leg", axes=axes)])


def raised(**fields):
    """A ball whose home is a turn by half a radian."""
    axes = [*(Axis() for _ in range(3)), Axis(xyz=(0.0, 0.0, 1.0), **fields), Axis()]
    home = (math.cos(0.25), math.sin(0.25), 0.0, 0.0)
    return Model(links=[rod("leg")], joints=[Joint("hip", "ball", WORLD, "leg", axes=axes, home=home)])


def beginning(value, **fields):
    """A pendulum whose joint says itself where it starts."""
    model = pendulum(**fields)
    model.joints[0].home = (value,)
    return model


def blown_about():
    """A pendulum that the air drives on."""
    model = pendulum()
    model.links[0].angular_damping = -2.0
    return model


def wrist(gravity=-9.81):
    """A rod on three hinges, which line up at 90 degrees."""
    return Model(links=[rod("hand")], joints=[Joint("wrist", "euler_zyx", WORLD, "hand")], gravity=(0.0, 0.0, gravity))


def loose_robot(**more):
    """An arm on a base that nothing holds."""
    model = arm()
    model.links.append(Link("base"))
    model.joints[0].parent = "base"
    for name, value in more.items():
        setattr(model, name, value)
    return model


def loose_and_pushed():
    model = loose_robot()
    model.links[-1].force = (0.0, 0.0, 30.0)
    return model


def loose_in_part():
    """With another robot, which stands."""
    model = loose_robot()
    model.links.append(rod("post"))
    model.joints.append(Joint("ground", "revolute", WORLD, "post"))
    return model


def let_go():
    model = loose_robot()
    model.joints.append(Joint("clamp", "fixed", WORLD, "base", released_at=0.5))
    return model


def linkage():
    model = four_bar()
    model.gravity = (0.0, -9.81, 0.0)
    return model


def lead(*joints, rate=3.0):
    return {"controls": Controls(joints={name: lambda time: rate * time for name in joints})}


def guide(link):
    return {"controls": Controls(links={link: lambda time: (0.0, 0.0, -1.0 - 2.0 * time, 1.0, 0.0, 0.0, 0.0)})}


def swing(link):
    """About the world's y axis."""

    def pose(time):
        return (0.0, 0.0, 0.0, math.cos(time), 0.0, math.sin(time), 0.0)

    return {"controls": Controls(links={link: pose})}


def push(force):
    return {"controls": Controls(forces=lambda moment: Forces(joints={"elbow": force}))}


def starting(joint, q=None, qd=None):
    return {"initial": {"q": {joint: q} if q is not None else {}, "qd": {joint: qd} if qd is not None else {}}}


def explicitly(joint, q):
    """A start that only implicit steps would get away from."""
    return starting(joint, q) | {"solver": "explicit"}


def position(target, **fields):
    return {"drive_mode": "position", "drive_target": target} | fields


def velocity(target, **fields):
    return {"drive_mode": "velocity", "drive_target": target} | fields


STIFF = {"drive_stiffness": 1e6, "drive_damping": 1.0}
NARROW = {"lower": -1e-5, "upper": 1e-5, "dissipation": 0.0, "stiffness": 9e7}

DRAFT = {"accuracy": "draft", "frames": 241}
COARSE = DRAFT | {"solver": "implicit"}

PLANTED = [
    (
        "a stiff drive on a light link, by explicit steps",
        arm(forearm=1e-6, **position(0.5, **STIFF)),
        {"solver": "explicit"},
        "light-link-stiff-drive",
        "elbow",
    ),
    (
        "a stiff spring",
        arm(forearm=1e-4, spring_stiffness=1e9),
        starting("elbow", 0.5),
        "light-link-stiff-drive",
        "elbow",
    ),
    ("a damper of tons", pendulum(1e-6, damping=1e9), starting("pin", qd=1.0), "light-link-stiff-drive", "pin"),
    ("a heavy tip", heavy_tip(), {}, "mass-ratio", "joint2"),
    ("no inertia about the axis", pointlike(), explicitly("shoulder", 1.0), "massless-or-singular", "lower"),
    ("limits crossed", pendulum(lower=0.2, upper=-0.2), starting("pin", 0.5), "crossed-limits", "pin"),
    ("rigid limits crossed", pendulum(lower=0.2, upper=-0.2, stiffness=RIGID), {}, "crossed-limits", "pin"),
    ("a twist crossed", hip(), {}, "crossed-limits", "hip"),
    ("beyond a stop", pendulum(lower=-0.2, upper=0.2), starting("pin", 0.5), "overlapping-start", "pin"),
    ("beyond a rigid stop", pendulum(upper=0.2, stiffness=RIGID), starting("pin", 0.5), "overlapping-start", "pin"),
    ("degrees for radians", arm(), starting("elbow", qd=36000.0), "fast-start", "elbow"),
    ("negative damping", pendulum(damping=-2e4), starting("pin", qd=1.0), "energy-from-nowhere", "pin"),
    ("a little negative damping", pendulum(damping=-1.0), starting("pin", 0.5), "energy-from-nowhere", "pin"),
    ("led twice", linkage(), lead("crank_pivot", "rocker_pin"), "contradictory-motion", "rocker_pin"),
    ("led too far", linkage(), lead("rocker_pivot"), "contradictory-motion", "rocker_pivot"),
    ("guided out of reach", arm(), guide("lower"), "contradictory-motion", "lower"),
    ("too weak to lift", pendulum(**position(1.5, drive_stiffness=1e3, effort=1.0)), {}, "effort-too-small", "pin"),
    ("too weak to turn", pendulum(**velocity(3.0, drive_damping=1e2, effort=1.0)), {}, "effort-too-small", "pin"),
    ("no stiffness", pendulum(**position(1.5)), {}, "idle-drive", "pin"),
    ("no damping", pendulum(**velocity(1.5)), {}, "idle-drive", "pin"),
    ("no effort", pendulum(**position(1.5, drive_stiffness=10.0, effort=0.0)), {}, "idle-drive", "pin"),
    ("rusted", pendulum(friction=30.0, drive_mode="force", drive_target=20.0), {}, "friction-too-large", "pin"),
    ("led through limits", arm(lower=-1.0, upper=1.0), lead("elbow"), "prescribed-guards", "elbow"),
    ("led and driven", arm(**position(1.0, drive_stiffness=5.0)), lead("elbow"), "prescribed-guards", "elbow"),
    ("a coarse solver", arm(), starting("elbow", qd=100.0) | COARSE, "energy-lost", "model"),
    (
        "a stiff spring at draft",
        arm(spring_stiffness=3e5),
        starting("elbow", 0.3) | DRAFT,
        "energy-from-nowhere",
        "model",
    ),
    ("a slit", pendulum(**NARROW), starting("pin", 0.0, 10.0), "crowded-events", "pin"),
    ("home beyond a cone", raised(upper=0.2), {}, "home-outside-limits", "hip"),
    ("a start beyond a cone", raised(upper=0.7), starting("hip", [0.0, 1.0, 0.0, 0.0]), "overlapping-start", "hip"),
    ("home beyond a stop", beginning(0.5, upper=0.2, stiffness=1e4), {}, "home-outside-limits", "pin"),
    ("a negative drag", blown_about(), starting("pin", 0.5), "energy-from-nowhere", "bob"),
    ("an absurd push", arm(), push(1e40), "step-at-floor", "lower"),
    ("a start in gimbal lock", wrist(), starting("wrist", [0.2, 0.5 * math.pi, 0.1]), "gimbal-lock", "wrist"),
    ("a way into gimbal lock", wrist(0.0), starting("wrist", [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]), "gimbal-lock", "wrist"),
    ("a robot whose base is loose", loose_robot(), {}, "falls-freely", "base"),
]


REMEDIES = {
    "a stiff drive on a light link, by explicit steps": {"drive_stiffness": 0.33, "drive_damping": 3.3e-4},
    "a stiff spring": {"spring_stiffness": 33.0},
    "a damper of tons": {"damping": 3.3e-4},
    "limits crossed": {"lower": -0.2, "upper": 0.2},
    "rigid limits crossed": {"lower": -0.2, "upper": 0.2},
    "a twist crossed": {"lower": 0.5, "upper": 1.0},
    "home beyond a stop": {"home": 0.2},
    "negative damping": {"damping": 0.0},
    "a little negative damping": {"damping": 0.0},
    "a negative drag": {"angular_damping": 0.0},
    "too weak to lift": {"effort": 7.3},  # one and a half times the weight, half a metre away
    "too weak to turn": {"effort": 7.3},
    "no stiffness": {"drive_mode": "off"},
    "no damping": {"drive_mode": "off"},
    "no effort": {"drive_mode": "off"},
    "rusted": {"friction": 10.0},
    "a coarse solver": {"accuracy": "good"},
    "a stiff spring at draft": {"accuracy": "good"},
    "a robot whose base is loose": {"static": True},
}
"""What mends those that were planted; the others have no change that is safe."""

MENDED = {name: (*rest, REMEDIES[name]) for name, *rest in PLANTED if name in REMEDIES}
UNMENDED = {name: rest for name, *rest in PLANTED if name not in REMEDIES}


def run_as_a_user(model, frames=49, **settings):
    """The run as far as a patient person lets it go, and its error where there is one."""
    run = Simulation(model, np.arange(frames) / 24, **settings)
    try:
        for _ in run:
            if run.report.steps > MOST_WORK:
                break
    except SimulationError as error:
        return run, error
    return run, None


@pytest.mark.parametrize(
    ("model", "settings", "code", "subject"), [row[1:] for row in PLANTED], ids=[p[0] for p in PLANTED]
)
def test_a_planted_fault_is_named(model, settings, code, subject):
    """Guards every rule: the cause that was planted comes first or second, with its joint or link, and a number."""
    run, error = run_as_a_user(model, **settings)
    found = diagnose(run)
    assert any(each.code == code and each.subject.endswith(f" '{subject}'") for each in found[:2]), found
    assert all(len(each.message) > 40 and "\n" not in each.message for each in found)
    if error:
        assert error.diagnoses == found
        assert found[0].message in str(error)


def mended(model, settings, remedy):
    """The model and settings of a run, changed as a remedy says."""
    model, changes = model.copy(), dict(remedy.changes)
    if remedy.kind == "run":
        return model, settings | changes
    joint = model.joint(remedy.name) if remedy.kind == "joint" else None
    if "static" in changes:
        fix_base(model, remedy.name)
        return model, settings
    target = joint.axes[remedy.axis] if joint else model.link(remedy.name)
    if joint and "home" in changes:
        joint.home = (changes.pop("home"),)
    for name, value in changes.items():
        assert name in vars(target), name
        setattr(target, name, value)
    return model, settings


def found_in(run, code, subject):
    return [each for each in diagnose(run) if each.code == code and each.name == subject]


@pytest.mark.parametrize(("model", "settings", "code", "subject", "changes"), MENDED.values(), ids=MENDED)
def test_a_remedy_takes_its_cause_away(model, settings, code, subject, changes):
    """Guards the buttons: a run with what a remedy says changed, and nothing else, has the diagnosis no more."""
    run, _ = run_as_a_user(model, **settings)
    (found, *_) = found_in(run, code, subject)
    assert found.remedy is not None
    assert dict(found.remedy.changes) == changes
    assert found.remedy.name in ("", subject)
    healed, changed = mended(model, settings, found.remedy)
    run, _ = run_as_a_user(healed, **changed)
    assert not found_in(run, code, subject)


@pytest.mark.parametrize(("model", "settings", "code", "subject"), UNMENDED.values(), ids=UNMENDED)
def test_where_no_one_change_is_safe_there_is_no_remedy(model, settings, code, subject):
    """Guards against buttons that change what the user has chosen on purpose, or that would not help."""
    run, _ = run_as_a_user(model, **settings)
    assert [each.remedy for each in found_in(run, code, subject)][:1] == [None]


def driven(**more):
    """What a robot has, with room for all of it: limits, friction, the largest speed, a drive that is strong enough."""
    axis = {"lower": -2.0, "upper": 2.0, "friction": 0.1, "velocity": 20.0, "effort": 50.0, "damping": 0.5}
    return arm(**axis | position(1.0, drive_stiffness=100.0, drive_damping=10.0) | more)


HEALTHY = [
    ("chain", chain(10), {}),
    ("a heavy crane's light hook", arm(mass=1e3, forearm=1e-2), {}),
    ("tree", random_tree(1, 16), {"frames": 25}),
    ("graph", random_graph(4, loops=1), {"frames": 13}),
    ("linkage", linkage(), {}),
    ("bricard", bricard(), {}),
    ("stewart", stewart("universal"), {}),
    ("led", linkage(), lead("crank_pivot")),
    ("guided", arm(), swing("upper")),
    ("a drive with limits", driven(), {}),
    ("a drive led within its limits", driven(drive_mode="off"), lead("elbow", rate=0.5)),
    ("a gripper that presses", driven(drive_target=3.0, upper=0.5), {}),
    ("a slow but strong drive", driven(**velocity(0.2, effort=10.0)), {}),
    ("a brake", pendulum(friction=30.0), starting("pin", 1.0)),
    ("a falling arm that hits its stops", driven(drive_mode="off", friction=0.0), starting("shoulder", 1.5)),
    ("a bouncing arm", driven(drive_mode="off", stiffness=RIGID, restitution=0.8), starting("shoulder", 1.5)),
    ("a light link at its stop", arm(forearm=1e-6, lower=-0.1, upper=0.1), starting("shoulder", 1.0)),
    ("a stiff spring", pendulum(spring_stiffness=1e9, damping=1e6), {}),
    ("a satellite", loose_robot(gravity=(0.0, 0.0, 0.0)), {}),
    ("a body that falls", Model(links=[rod("bar")]), {}),
    ("an arm that is thrown", loose_robot(), starting("base", qd=[1.0, 0.0, 5.0, 0.0, 0.0, 0.0])),
    ("a drone", loose_and_pushed(), {}),
    ("an arm that falls beside one that stands", loose_in_part(), {}),
    ("an arm that is let go", let_go(), {}),
    (
        "a hand that leads",
        loose_robot(),
        {"controls": Controls(links={"base": lambda time: (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)})},
    ),
    ("a stiff drive", pendulum(**position(0.0, drive_stiffness=1e6, drive_damping=1e4)), {}),
]


@pytest.mark.parametrize(("model", "settings"), [row[1:] for row in HEALTHY], ids=[row[0] for row in HEALTHY])
def test_a_healthy_model_is_left_alone(model, settings):
    """Guards against false alarms, which a user soon learns to overlook."""
    run, error = run_as_a_user(model, **settings)
    assert error is None
    assert diagnose(run) == []


@pytest.mark.parametrize("name", ["crane", "double_pendulum", "ragdoll"])
@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_sample_scenes_are_healthy(name, accuracy):
    """Guards the first thing that a user sees."""
    model = read(Path(__file__).parents[3] / "sample_scenes" / f"{name}.sdf").model
    assert diagnose(run_as_a_user(model, frames=121, accuracy=accuracy)[0]) == []


SDF = """<sdf version="1.9"><model name="m"><link name="bob"><inertial><pose>0 0 -1 0 0 0</pose></inertial></link>
<joint name="pin" type="revolute"><parent>world</parent><child>bob</child><axis><xyz>0 1 0</xyz>{}</axis></joint>
</model></sdf>"""
FEEDING = "<dynamics><damping>-1e6</damping></dynamics>"


def simulate(tmp_path, axis, speed, *more):
    model, state = tmp_path / "m.sdf", tmp_path / "state.json"
    model.write_text(SDF.format(axis))
    state.write_text(json.dumps({"qd": {"pin": speed}}))
    return model, cli.main(["simulate", str(model), "--duration", "0.5", "--initial", str(state), *more])


def test_the_command_line_tells_a_line_each(tmp_path, capsys):
    """Guards `FILE: doctor: subject: sentence` on stderr, for runs that go through and runs that do not."""
    model, code = simulate(tmp_path, "<limit><effort>0</effort></limit>", 2e3)
    lines = [line for line in capsys.readouterr().err.splitlines() if ": doctor: " in line]
    assert code == cli.DONE
    assert len(lines) == 1
    assert lines[0].startswith(f"{model}: doctor: joint 'pin': it starts with 2000 rad/s")
    model, code = simulate(tmp_path, FEEDING, 1.0)
    told = capsys.readouterr().err.splitlines()
    assert code == cli.SIMULATION_FAILED
    assert any(line.startswith(f"{model}: doctor: joint 'pin': damping of its axis is -1e+06") for line in told)
    assert "link 'bob': the motion cannot be followed past" in told[-1]
    assert "joint 'pin': damping" in told[-1]


def test_json_has_them_as_objects(tmp_path, capsys):
    """Guards scripts: code, subject and message, in a failed run as well, and an empty list in a healthy one."""
    for axis, speed, code in (("", 2e3, "fast-start"), (FEEDING, 1.0, "energy-from-nowhere")):
        simulate(tmp_path, axis, speed, "--json")
        first = json.loads(capsys.readouterr().out)["diagnoses"][0]
        assert set(first) == {"code", "subject", "message", "remedy"}
        assert (first["code"], first["subject"]) == (code, "joint 'pin'")
    simulate(tmp_path, "", 1.0, "--json")
    assert json.loads(capsys.readouterr().out)["diagnoses"] == []


def test_a_frame_that_is_fixed_to_a_heavy_link_is_no_light_one():
    """Guards robots with frames for tools: of what is fixed together, the sum of the masses counts."""
    model = heavy_tip()
    known = [found.subject for found in diagnose(run_as_a_user(model)[0]) if found.code == "mass-ratio"]
    for name in [link.name for link in model.links]:
        model.links.append(Link(f"{name}_frame", 1e-9, inertia=(1e-12, 0.0, 0.0, 1e-12, 0.0, 1e-12)))
        model.joints.append(Joint(f"{name}_mount", "fixed", name, f"{name}_frame"))
    run, _ = run_as_a_user(model)
    assert [found.subject for found in diagnose(run) if found.code == "mass-ratio"] == known != []


def test_a_ball_in_the_place_of_a_gimbal_never_locks():
    """Guards the advice: the same start, with the joint that the words propose, is followed."""
    model = wrist()
    run, _ = run_as_a_user(model, **starting("wrist", [0.2, 0.5 * math.pi, 0.1]))
    (found,) = found_in(run, "gimbal-lock", "wrist")
    assert "with y at 1.571 rad (90°), its axes z and x share a line" in found.message
    assert "make it a ball joint" in found.message
    replace_joint(model, "wrist", "ball")
    turned = (math.cos(0.25 * math.pi), 0.0, math.sin(0.25 * math.pi), 0.0)
    run, error = run_as_a_user(model, **starting("wrist", turned))
    assert error is None
    assert diagnose(run) == []


def test_that_it_falls_is_told_first_and_blames_no_failure():
    """Guards the order: before all else of a run that goes through, after the cause of one that does not."""
    weak = loose_robot()
    weak.joints[1].axes[0] = Axis(xyz=(0.0, 1.0, 0.0), **position(1.5))
    run, _ = run_as_a_user(weak)
    assert [found.code for found in diagnose(run)] == ["falls-freely", "idle-drive"]
    assert run.report.notes == [], "the same is not said twice"
    assert "--fix-base base" in diagnose(run)[0].message
    weak.joints[1].axes[0] = Axis(xyz=(0.0, 1.0, 0.0), damping=-1e6)
    run, error = run_as_a_user(weak, **starting("elbow", qd=1.0))
    codes = [found.code for found in diagnose(run)]
    assert (codes[0], codes[-1]) == ("energy-from-nowhere", "falls-freely")
    assert "falls freely" not in str(error)


def test_angles_are_told_as_files_and_as_panels_have_them():
    """Guards the one rule of units: radians and degrees of angles and their rates, metres alone of lengths."""
    for model, settings, told in (
        (
            pendulum(lower=0.2, upper=-0.2),
            {},
            "lower limit 0.2 rad (11.46°) is above its upper limit -0.2 rad (-11.46°)",
        ),
        (
            pendulum(upper=0.2),
            starting("pin", 0.5),
            "starts at 0.5 rad (28.65°), beyond its upper limit 0.2 rad (11.46°)",
        ),
        (pendulum(**velocity(3.0, drive_damping=1e2, effort=1.0)), {}, "instead of 3 rad/s (172°/s)"),
        (
            arm(lower=-1.0, upper=1.0),
            lead("elbow"),
            "its limits -1 to 1 rad (-57.3° to 57.3°), as it goes from ",
        ),
        (arm(), starting("elbow", qd=36000.0), "starts with 36000 rad/s (2060000°/s)"),
    ):
        assert told in diagnose(run_as_a_user(model, **settings)[0])[0].message
    model = pendulum(upper=0.2)
    model.joints[0].type = "prismatic"
    (found, *_) = diagnose(run_as_a_user(model, **starting("pin", 0.5))[0])
    assert "starts at 0.5 m, beyond its upper limit 0.2 m:" in found.message


def test_absurd_rates_are_told_in_words():
    """Guards digits that say nothing: a speed and a rate beyond a million are words, without turns a second beside."""
    (racing, *_) = diagnose(run_as_a_user(arm(), **starting("elbow", qd=3.24e16))[0])
    assert "starts with more than a million rad/s" in racing.message
    assert "turns a second" not in racing.message
    (damped, *_) = diagnose(run_as_a_user(pendulum(1e-6, damping=1e9), **starting("pin", qd=1.0))[0])
    assert "takes place at more than a million rad/s" in damped.message


def test_frames_are_called_as_the_user_calls_them():
    """Guards messages of a failed run: the frame that stands in Blender's timeline, and a time of few digits."""
    times = np.arange(20) / 24.0
    told = []
    for numbers in (None, 101.0 + np.arange(20)):
        run = Simulation(pendulum(damping=-1e6), times, initial={"qd": {"pin": 1.0}}, numbers=numbers)
        with pytest.raises(SimulationError) as failure:
            run.run()
        told.append((str(failure.value), run.frames_done))
    (plain, frame), (numbered, _) = told
    assert f", frame {frame}: " in plain
    assert f", frame {101 + frame}: " in numbered
    assert re.search(r"past [0-9.]{1,5} m?s, frame", plain), plain


def test_a_speed_beyond_all_numbers_is_told_in_words():
    """Guards against 'moved at nan': what has become no number is said to be none, with the instant."""
    run = Simulation(arm(), np.arange(5) / 24.0, **push(1e308))
    with pytest.raises(SimulationError, match="is no number any more at") as failure:
        run.run()
    assert "nan" not in str(failure.value)
