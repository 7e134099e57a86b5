# SPDX-License-Identifier: GPL-3.0-or-later
"""A model that we read from MJCF beside what MuJoCo makes of the same file (tests/judges/mujoco_terms.py)."""

import json
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from limberjack.core.dynamics import gravity_forces, velocity_forces
from limberjack.core.dynamics.equations import tree_mass_matrix
from limberjack.core.kinematics import forward_kinematics
from limberjack.core.model import Joint, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import compose, inverse
from support.judges import PYTHON

SCRIPT = Path(__file__).parents[1] / "judges" / "mujoco_terms.py"
FRAME = 0.1
"""Time between frames of motions [s]."""
SCENERY = "worldbody"
"""The link of the world's geoms, which MuJoCo has as its body 0."""


def mujocos(paths: list[Path], folder: Path, states: int = 3, seed: int = 0, frames: int = 0) -> list[dict]:
    """Return MuJoCo's terms of each file. frames: of the motion that begins in each state, 0.1 s apart."""
    out = folder / "terms.json"
    command = [PYTHON, SCRIPT, out, str(states), str(seed), str(frames), *paths]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-600:]
    return json.loads(out.read_text())


def mujocos_run(seconds: float, *paths: Path) -> list[dict]:
    """Return what MuJoCo has of each file after some time, as tests/judges/mujoco_run.py says."""
    command = [PYTHON, SCRIPT.with_name("mujoco_run.py"), str(seconds), *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-600:]
    return json.loads(done.stdout)


@dataclass
class Place:
    """The place of a joint of MuJoCo's in our model: joint or floating link, number of its column, and its kind."""

    name: str
    number: int
    kind: str


def links_of(model: Model) -> list[str]:
    """The links that are bodies of the file, in its order: without the world's and those between stacked joints."""
    between = {joint.parent for joint in model.joints if joint.name == f"{joint.child}_joint"}
    massless = {link.name for link in model.links if not link.mass and not link.visuals and not link.collisions}
    inner = {name for name in between & massless if name.rpartition("_")[2].isdecimal()}
    return [link.name for link in model.links if link.name != SCENERY and link.name not in inner]


def places_of(model: Model) -> list[Place]:
    """Our places of MuJoCo's joints, in its order."""
    above: dict[str, list[Joint]] = {}
    for joint in model.joints:
        above.setdefault(joint.child, []).append(joint)
    found = []
    for link in model.links:
        for joint in above.get(link.name, ()):
            if joint.type in ("ball", "free"):
                found.append(Place(joint.name, 0, joint.type))
            elif joint.type != "fixed":
                kinds = ["slide" if column.slide else "hinge" for column in joint.columns]
                found += [Place(joint.name, number, kind) for number, kind in enumerate(kinds)]
        if link.name not in above:
            found.append(Place(link.name, 0, "free"))
    return found


class Beside:
    """Our model, without what equality constraints add, beside MuJoCo's."""

    def __init__(self, model: Model, theirs: dict, has_key: bool = False):
        """has_key: whether the initial pose is that of a key, not MuJoCo's own."""
        self.has_key = has_key
        links = links_of(model)
        floating = {links[joint["body"]] for joint in theirs["joints"] if joint["type"] == "free"}
        first: dict[str, Joint] = {}
        for joint in model.joints:
            if not joint.closes_loop and (joint.child not in floating or joint.type == "free"):
                first.setdefault(joint.child, replace(joint, mimic=None))
        held = list(first.values())
        self.model, self.theirs = replace(model, joints=held, couplings=[], contact_pairs=[]), theirs
        for name, body in zip(links, theirs["bodies"], strict=False):
            if not body["is_weighed"]:
                link = self.model.link(name)
                link.mass, link.com, link.inertia = body["mass"], tuple(body["com"]), tuple(body["inertia"])
        self.places, self.links = places_of(self.model), links

    def differences(self, tolerance: float = 1e-9) -> list[str]:
        """Return one line for each difference, with the first numbers."""
        kinds = [joint["type"] for joint in self.theirs["joints"]]
        if kinds != [place.kind for place in self.places]:
            return [f"joints: {[place.kind for place in self.places]} in place of {kinds}"]
        if len(self.links) != len(self.theirs["bodies"]):
            return [f"{len(self.links)} bodies in place of {len(self.theirs['bodies'])}"]
        found = [*self._bodies(tolerance), *self._axes(tolerance)]
        if self.theirs["joints"] or self.theirs["bodies"]:
            found += self._states(tolerance)
        return found

    def _bodies(self, tolerance):
        for name, body in zip(self.links, self.theirs["bodies"], strict=True):
            link = self.model.link(name)
            if body["name"] not in ("", name):
                yield f"body '{body['name']}' is '{name}'"
            size = max(map(abs, body["com"]), default=0.0) + 1e-3
            yield from _unlike(f"mass of '{name}'", link.mass, body["mass"], tolerance * max(body["mass"], 1e-3))
            if body["mass"]:
                yield from _unlike(f"com of '{name}'", link.com, body["com"], tolerance * size)
            largest = max(map(abs, body["inertia"]))
            yield from _unlike(f"inertia of '{name}'", link.inertia, body["inertia"], tolerance * max(largest, 1e-9))

    def _axes(self, tolerance):
        for place, theirs in zip(self.places, self.theirs["joints"], strict=True):
            if place.kind not in ("hinge", "slide"):
                continue
            joint = self.model.joint(place.name)
            axis = joint.axes[place.number]
            limits = theirs["range"] or (-np.inf, np.inf)
            what = f"of joint '{theirs['name'] or place.name}'"
            yield from _unlike(f"limits {what}", joint.range_of(place.number), limits, tolerance)
            names = ["damping", "friction", "armature", "stiffness"]
            ours = [axis.damping, axis.friction, axis.armature, axis.spring_stiffness]
            if not self.has_key:
                names, ours = [*names, "home"], [*ours, joint.home[place.number]]
            expected = [theirs[name] for name in names]
            yield from _unlike(f"values {what}", ours, expected, tolerance)
            if theirs["stiffness"]:
                yield from _unlike(f"spring {what}", axis.spring_reference, theirs["rest"], tolerance)

    def _states(self, tolerance):
        compiled = compile_model(self.model)
        for state in self.theirs["states"]:
            q, qd, T, rate = self._mapped(compiled, state)
            poses = dict(zip(compiled.link_names, forward_kinematics(compiled, q)[0], strict=True))
            for name, theirs in zip(self.links, state["poses"], strict=True):
                ours = np.array(poses[name])
                expected = np.array(theirs)
                if ours[3:] @ expected[3:] < 0.0:
                    expected[3:] *= -1.0
                yield from _unlike(f"pose of '{name}'", ours, expected, tolerance)
            if not compiled.nv:
                return
            M = np.array(state["M"])
            expected = T.T @ M @ T
            yield from _unlike(
                "M(q)", tree_mass_matrix(compiled, q), expected, tolerance * (np.abs(expected).max() + 1e-6)
            )
            if any(body["gravcomp"] for body in self.theirs["bodies"]):
                continue
            bias = T.T @ (np.array(state["bias"]) + M @ rate)
            ours = gravity_forces(compiled, q) + velocity_forces(compiled, q, qd)
            yield from _unlike("bias forces", ours, bias, tolerance * (np.abs(bias).max() + 1e-3))

    def motion_apart(self) -> float:
        """Largest distance between a body of ours and MuJoCo's in the frames of the motion [m].

        Nothing acts but gravity, springs and dampers.
        """
        model = replace(self.model, links=[replace(link, collisions=[]) for link in self.model.links])
        model.joints = [replace(joint, axes=[_passive(axis) for axis in joint.axes]) for joint in model.joints]
        compiled, apart = compile_model(model), 0.0
        for state in self.theirs["states"]:
            q, qd, *_ = self._mapped(compiled, state)
            initial = {
                "q": {name: q[span.q].tolist() for name, span in compiled.spans.items()},
                "qd": {name: qd[span.v].tolist() for name, span in compiled.spans.items()},
            }
            times = FRAME * np.arange(len(state["motion"]) + 1)
            trajectory = Simulation(model, times, initial=initial).run()
            for number, name in enumerate(self.links):
                theirs = np.array([poses[number] for poses in state["motion"]])
                apart = max(apart, np.abs(trajectory.link(name)[1:, :3] - theirs[:, :3]).max())
        return float(apart)

    def _mapped(self, compiled, state):
        """Our q and qd; the matrix T of MuJoCo's velocities by ours, and its rate times our velocities.

        MuJoCo takes the linear velocity of a free body in world axes; we take it in the body's own.
        """
        q, qd = np.zeros(compiled.nq), np.zeros(compiled.nv)
        qpos, qvel = np.array(state["qpos"]), np.array(state["qvel"])
        T, rate = np.zeros((len(qvel), compiled.nv)), np.zeros(len(qvel))
        for place, theirs in zip(self.places, self.theirs["joints"], strict=True):
            span = compiled.spans[place.name]
            at_q, at_v = theirs["q"], theirs["v"]
            if place.kind == "free":
                drawn = self.model.link(span.joint.child).pose  # from which we count
                q[span.q] = compose(inverse(drawn), tuple(qpos[at_q : at_q + 7]))
                R, omega = _matrix(qpos[at_q + 3 : at_q + 7]), qvel[at_v + 3 : at_v + 6]
                linear = R.T @ qvel[at_v : at_v + 3]
                qd[span.v] = [*linear, *omega]
                start = span.v.start
                T[at_v : at_v + 3, start : start + 3] = R
                T[at_v + 3 : at_v + 6, start + 3 : start + 6] = np.eye(3)
                rate[at_v : at_v + 3] = R @ np.cross(omega, linear)
            elif place.kind == "ball":
                q[span.q], qd[span.v] = qpos[at_q : at_q + 4], qvel[at_v : at_v + 3]
                T[at_v : at_v + 3, span.v] = np.eye(3)
            else:
                q[span.q.start + place.number], qd[span.v.start + place.number] = qpos[at_q], qvel[at_v]
                T[at_v, span.v.start + place.number] = 1.0
        return q, qd, T, rate


def _passive(axis):
    """An axis without limits, friction and drive."""
    free = {"lower": -np.inf, "upper": np.inf, "friction": 0.0, "drive_mode": "off", "effort": np.inf}
    return replace(axis, **free)


def _matrix(quat):
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _unlike(what, ours, theirs, tolerance):
    ours, theirs = np.atleast_1d(np.asarray(ours, float)), np.atleast_1d(np.asarray(theirs, float))
    with np.errstate(invalid="ignore"):
        apart = np.abs(ours - theirs)
    apart[ours == theirs] = 0.0
    if ours.shape != theirs.shape or not (apart <= tolerance).all():
        yield f"{what}: {ours.ravel()[:6]} in place of {theirs.ravel()[:6]}, off by {np.nanmax(apart):.2g}"
