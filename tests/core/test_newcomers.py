# SPDX-License-Identifier: GPL-3.0-or-later
"""Six scripts as newcomers write them, each from the program that they know, with the mistakes that they make there.

As it stands, each script runs. With one mistake, it ends with one sentence that says what was found and what to do.
"""

import re

import pytest

import limberjack as lj

FROM_MATLAB = """
arm = lj.Model("arm")
axis = lj.Axis((0.0, 1.0, 0.0))
rod = lj.Link("upper", mass=1.0, com=(0.0, 0.0, 0.5), inertia=(0.1, 0, 0, 0.1, 0, 0.01))
lj.add_link(arm, rod, lj.Joint("shoulder", "revolute", "world", "upper", axes=[axis]))
elbow = lj.Joint("elbow", "revolute", "upper", "lower", X_PJ=(0, 0, 1.0, 1, 0, 0, 0), axes=[axis])
lj.add_link(arm, lj.Link("lower", mass=1.0, com=(0.0, 0.0, 0.5)), elbow)
q = lj.random_configuration(arm)
X = lj.transform(arm, q, "lower")
J = lj.jacobian(arm, q, "lower", point=(0.0, 0.0, 1.0))
"""

FROM_PINOCCHIO = """
model = lj.read("arm.urdf").model
robot = lj.compile_model(model)
q, v = robot.q_home, [0.1] * robot.nv
M = lj.mass_matrix(robot, q)
tau = lj.inverse_dynamics(robot, q, v, [0.0] * robot.nv)
a = lj.forward_dynamics(robot, q, v, tau)
"""

FROM_NEWTON = """
model = lj.Model("worlds", gravity=(0.0, 0.0, -9.81))
model.links.append(lj.Link("box", mass=2.0))
model.joints.append(lj.Joint("d6", "d6", "world", "box", axes=[lj.Axis((1, 0, 0), slide=1.0), lj.Axis((0, 0, 1))]))
view = lj.ArticulationView(model)
q, qd = view.worlds(3)
q[:, 0] = 0.5
worlds = lj.simulate_worlds(model, 0.1, q, qd, accuracy="draft")
"""

FROM_DRAKE = """
plant = lj.Model("pendulum")
plant.links.append(lj.Link("bob", mass=1.0, com=(0, 0, -1.0)))
pin = lj.Joint("pin", "revolute", "world", "bob", axes=[lj.Axis((0, 1, 0), damping=0.1)], home=(0.5,))
plant.joints.append(pin)
driven = lj.Controls(joints={"pin": lambda time: 0.5 + 0.1 * time})
motion = lj.simulate(plant, 0.1, controls=driven)
run = lj.Simulation(plant, [0.0, 0.1, 0.2], record=["efforts"])
motion = run.run()
"""

FROM_MUJOCO = """
ball = lj.Link("ball", mass=1.0, pose=(0, 0, 1.0, 1, 0, 0, 0), collisions=[lj.Shape("ball", lj.Sphere(0.1))])
floor = lj.Link("floor", collisions=[lj.Shape("top", lj.Plane())])
scene = lj.Model("scene", links=[ball, floor], joints=[lj.Joint("held", "fixed", "world", "floor")])
motion = lj.simulate(scene, 0.2, frame_rate=60.0)
hand = lj.inverse_kinematics(scene, [lj.Target("ball", place=(0.0, 1.0, 1.0))], moves_base=True)
"""

OF_A_PIPELINE = """
reading = lj.read("arm.urdf")
model = reading.model
issues = lj.check_model(model)
losses = lj.write(model, "arm.sdf", mend_inertias=True)
motion = lj.simulate(model, 0.1)
motion.save("motion.npz")
again = lj.read_trajectory("motion.npz")
"""

SCRIPTS = {
    "MATLAB": FROM_MATLAB,
    "Pinocchio": FROM_PINOCCHIO,
    "Newton": FROM_NEWTON,
    "Drake": FROM_DRAKE,
    "MuJoCo": FROM_MUJOCO,
    "a pipeline": OF_A_PIPELINE,
}

MISTAKES = [
    (
        "MATLAB",
        "lj.Axis((0.0, 1.0, 0.0))",
        '"y"',
        "joint 'shoulder': axes takes a list of Axis, found ['y']; write axes=[",
    ),
    (
        "MATLAB",
        '"upper", "lower", X_PJ',
        '"uper", "lower", X_PJ',
        "joint 'elbow': there is no link 'uper'; there are: world, up",
    ),
    (
        "MATLAB",
        "(0.1, 0, 0, 0.1, 0, 0.01)",
        "(0.1, 0.1, 0.01)",
        "link 'upper': inertia is '0.1 0.1 0.01', 3 numbers; give 6",
    ),
    (
        "MATLAB",
        'transform(arm, q, "lower")',
        'transform(arm, "lower", q)',
        "a frame is asked for by the name of a link or frame, found array(",
    ),
    ("Pinocchio", 'read("arm.urdf").model', 'read("arm.urdf")', "a Model is needed, found Reading; take its .model"),
    ("Pinocchio", "lj.mass_matrix(robot, q)", "lj.mass_matrix(robot, v + v)", "q takes 6 number(s), found shape (12,)"),
    ("Pinocchio", "[0.1] * robot.nv", '[float("nan")] * robot.nv', "qd takes finite numbers, found nan in qd[0]"),
    (
        "Newton",
        "(0.0, 0.0, -9.81)",
        "-9.81",
        "model 'worlds': gravity is -9.81; give 3 numbers: its acceleration along x",
    ),
    (
        "Newton",
        "lj.Axis((0, 0, 1))]",
        "lj.Axis((0, 1, 1))]",
        "joint 'd6' (d6): its axes cannot turn about 0 1 1; in a list",
    ),
    (
        "Newton",
        "lj.ArticulationView(model)",
        'lj.ArticulationView(model, "robot*")',
        "no articulation is named like 'robot*'; there are: box",
    ),
    ("Newton", 'accuracy="draft"', 'accuracy="fast"', "accuracy 'fast' is not known; allowed are draft, good, exact"),
    (
        "Drake",
        "lambda time: 0.5 + 0.1 * time",
        "0.5",
        "joints of Controls takes functions of the time, found 0.5 for 'pin'",
    ),
    (
        "Drake",
        '"revolute", "world"',
        '"pin", "world"',
        "joint 'pin': type 'pin' is not known; did you mean 'revolute'? Allowed are fixed",
    ),
    (
        "Drake",
        "[0.0, 0.1, 0.2], record",
        "0.2, record",
        "times takes the seconds of all frames, as a list that ascends, found",
    ),
    ("Drake", '"efforts"', '"torques"', "record 'torques' is not known; allowed are "),
    (
        "MuJoCo",
        "pose=(0, 0, 1.0, 1, 0, 0, 0)",
        "pose=(0, 0, 1.0)",
        "link 'ball': pose is '0 0 1', 3 numbers; give 7 numbers: x",
    ),
    ("MuJoCo", 'lj.Target("ball", place=', 'lj.Target("ball", position=', "unexpected keyword argument 'position'"),
    (
        "MuJoCo",
        "lj.Sphere(0.1)",
        "lj.Sphere(-0.1)",
        "link 'ball': collision 'ball': its radius is -0.1 m; give 1e-09 m to",
    ),
    ("MuJoCo", "links=[ball, floor]", "links=ball", "the links of a model are a list of Link, found Link(name='ball'"),
    (
        "a pipeline",
        'read("arm.urdf")',
        'read("arm.blend")',
        "a scene of Blender, which Blender alone can open; write it as a model",
    ),
    (
        "a pipeline",
        "mend_inertias",
        "fix_inertias",
        "write() has no option 'fix_inertias'; there are: characters, folders, mend_in",
    ),
    ("a pipeline", "check_model(model)", "check_model(reading)", "a Model is needed, found Reading; take its .model"),
    (
        "a pipeline",
        '"arm.sdf"',
        '"arm.obj"',
        "cannot write '.obj' files; the name must end in one of .sdf, .world, .urdf, .xml, .mjcf",
    ),
    ("a pipeline", 'read_trajectory("motion.npz")', 'read_trajectory("motion.npy")', "motion.npy: "),
]


def run(script, folder, monkeypatch):
    monkeypatch.chdir(folder)
    robot = lj.Model("arm", links=[lj.Link(f"l{k}", com=(0.0, 0.0, 0.1)) for k in range(6)])
    for k in range(6):
        axis = lj.Axis((0.0, float(k % 2), float(1 - k % 2)), lower=-1.0, upper=1.0, effort=100.0, velocity=10.0)
        place = (0.0, 0.0, 0.2 * bool(k), 1.0, 0.0, 0.0, 0.0)
        parent = f"l{k - 1}" if k else "world"
        robot.joints.append(lj.Joint(f"j{k}", "revolute", parent, f"l{k}", place, axes=[axis]))
    lj.write(robot, "arm.urdf")
    exec(script, {"lj": lj})


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_runs(script, tmp_path, monkeypatch):
    """Guards the scripts below: what is wrong with them is the mistake alone."""
    run(script, tmp_path, monkeypatch)


@pytest.mark.parametrize(("script", "right", "wrong", "answer"), MISTAKES, ids=[row[2] for row in MISTAKES])
def test_a_mistake_is_answered(script, right, wrong, answer, tmp_path, monkeypatch):
    """Guards the first hour: one sentence, from our own code, that names what was found."""
    assert SCRIPTS[script].count(right) == 1
    with pytest.raises(
        (TypeError, ValueError, lj.UnreadableError, lj.UnwritableError), match=re.escape(answer)
    ) as caught:
        run(SCRIPTS[script].replace(right, wrong), tmp_path, monkeypatch)
    assert "\n" not in str(caught.value)
