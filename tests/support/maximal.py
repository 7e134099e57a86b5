# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamics in maximal coordinates: every link has six velocities, and every joint six unknown reactions.

One linear system holds Newton and Euler's equations of each link, the joints' kinematics, and what a joint's reaction
does along its own motion; nothing in it knows of trees, bodies or recursions. Twists are in each link's own axes at its
origin, linear first.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), sections 3.5 and 8.3; Lynch and Park, Modern Robotics
(2017), section 8.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limberjack.core.model import WORLD, Joint, Link
from limberjack.core.model.compiling.compiled import CompiledModel

from .exponentials import adjoint, bracket, inverse_of, matrix_of, pose_at, skew, subspace_at, subspace_rate


@dataclass
class Hinged:
    """A joint at a state: how the twist of its child follows from its parent's, V_C = carry V_P + S qd.

    Attributes:
        at: where its velocities lie in qd.
        S, drift: shape (6, nv) and (6,), in the child link's axes at its origin.
        X_PC: shape (4, 4). from_joint: takes a twist from the child-side joint frame to the child link's, shape (6, 6).
    """

    joint: Joint
    at: slice
    S: np.ndarray
    drift: np.ndarray
    X_PC: np.ndarray
    from_joint: np.ndarray

    @property
    def carry(self) -> np.ndarray:
        return adjoint(inverse_of(self.X_PC))


class Maximal:
    """A compiled model's links and joints at (q, qd); of the compiled model, only the places of coordinates are used.

    Attributes:
        poses: X_WL, shape (4, 4), by link. twists: V_WL in link axes, shape (6,). jacobians: shape (6, nv), likewise.
    """

    def __init__(self, compiled: CompiledModel, q: np.ndarray, qd: np.ndarray):
        self.compiled, self.qd = compiled, np.asarray(qd, dtype=float)
        floats = [span.joint for span in compiled.spans.values() if span.link in compiled.floating]
        loose = {loop.joint.name for loop in compiled.loops}
        joints = [joint for joint in compiled.model.joints if joint.name not in loose]
        self.links = {link.name: link for link in compiled.model.links}
        self.hinges = [self._hinged(joint, np.asarray(q, dtype=float)) for joint in floats + joints]
        self.poses, self.twists = {WORLD: np.eye(4)}, {WORLD: np.zeros(6)}
        self.jacobians = {WORLD: np.zeros((6, compiled.nv))}
        while len(self.poses) <= len(self.links):
            for hinge in self.hinges:
                self._reach(hinge)

    def _hinged(self, joint: Joint, q: np.ndarray) -> Hinged:
        span = self.compiled.spans.get(joint.name)
        at_q, at_v = (span.q, span.v) if span else (slice(0, 0), slice(0, 0))
        own_q, own_qd = q[at_q], self.qd[at_v]
        X_CJ = matrix_of(joint.X_CJ)
        from_joint = adjoint(X_CJ)
        return Hinged(
            joint,
            at_v,
            from_joint @ subspace_at(joint, own_q),
            from_joint @ subspace_rate(joint, own_q, own_qd) @ own_qd,
            matrix_of(joint.X_PJ) @ pose_at(joint, own_q) @ inverse_of(X_CJ),
            from_joint,
        )

    def _reach(self, hinge: Hinged) -> None:
        """Place one end after the other, whichever of them is known."""
        parent, child = hinge.joint.parent, hinge.joint.child
        own = np.zeros((6, self.compiled.nv))
        own[:, hinge.at] = hinge.S
        if parent in self.poses and child not in self.poses:
            self.poses[child] = self.poses[parent] @ hinge.X_PC
            self.jacobians[child] = hinge.carry @ self.jacobians[parent] + own
            self.twists[child] = hinge.carry @ self.twists[parent] + own @ self.qd
        elif child in self.poses and parent not in self.poses:
            back = adjoint(hinge.X_PC)
            self.poses[parent] = self.poses[child] @ inverse_of(hinge.X_PC)
            self.jacobians[parent] = back @ (self.jacobians[child] - own)
            self.twists[parent] = back @ (self.twists[child] - own @ self.qd)

    def accelerations(self, tau: np.ndarray, wrenches: dict | None = None) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """(qdd, what each joint gives to its child link at the child-side joint frame, in its axes, by name)."""
        names, nv = list(self.links), self.compiled.nv
        n, m = 6 * len(names), 6 * len(self.hinges)
        rows = {name: slice(6 * i, 6 * i + 6) for i, name in enumerate(names)}
        A, b = np.zeros((n + nv + m, n + nv + m)), np.zeros(n + nv + m)
        for name, link in self.links.items():
            G, V = spatial_inertia(link), self.twists[name]
            A[rows[name], rows[name]] = G
            b[rows[name]] = bracket(V).T @ G @ V + self._outer_force(link, (wrenches or {}).get(name))
        for i, hinge in enumerate(self.hinges):
            given = slice(n + nv + 6 * i, n + nv + 6 * i + 6)
            along = np.arange(nv)[hinge.at] + n
            reaction = np.linalg.inv(hinge.from_joint).T  # takes a wrench at the joint's frame to the child link's
            parent, child = rows.get(hinge.joint.parent), rows.get(hinge.joint.child)
            b[given] = hinge.drift
            A[given, along] = -hinge.S
            if child:
                A[child, given] = -reaction
                A[given, child] = np.eye(6)
            if parent:
                A[parent, given] = hinge.carry.T @ reaction
                A[given, parent] = -hinge.carry
            moving = hinge.S @ self.qd[hinge.at]
            b[given] -= bracket(moving) @ hinge.carry @ self.twists[hinge.joint.parent]
            A[along, given] = (reaction.T @ hinge.S).T
            A[along, along] = armatures(hinge.joint)
            b[along] = np.asarray(tau)[hinge.at] - rotor_forces(hinge.joint, self.qd[hinge.at])
        solved = np.linalg.solve(A, b)
        given = solved[n + nv :].reshape(-1, 6)
        return solved[n : n + nv], {hinge.joint.name: row for hinge, row in zip(self.hinges, given, strict=True)}

    def _outer_force(self, link: Link, wrench) -> np.ndarray:
        """Weight, and a wrench at the link's origin in world axes, in the link's axes."""
        R = self.poses[link.name][:3, :3]
        weight = link.mass * R.T @ np.array(self.compiled.model.gravity)
        force, torque = (np.zeros(3), np.zeros(3)) if wrench is None else np.split(np.asarray(wrench), 2)
        return np.concatenate([weight + R.T @ force, np.cross(link.com, weight) + R.T @ torque])

    def mass_matrix(self) -> np.ndarray:
        """The links' inertias, reduced to the joints' velocities."""
        moving = [(self.jacobians[name], spatial_inertia(link)) for name, link in self.links.items()]
        M = sum(J.T @ G @ J for J, G in moving)
        for hinge in self.hinges:
            at = np.arange(self.compiled.nv)[hinge.at]
            M[at, at] += armatures(hinge.joint)
        return M

    @property
    def moving(self) -> list[Link]:
        """The links that are not fixed to the world."""
        return [link for name, link in self.links.items() if self.jacobians[name].any()]

    def centre_of_mass(self) -> np.ndarray:
        """Of the links that can move."""
        return sum(link.mass * self._middle(link) for link in self.moving) / sum(link.mass for link in self.moving)

    def momentum(self) -> np.ndarray:
        """(linear, angular about the centre of mass), in world axes, summed over the links' middles."""
        centre, total = self.centre_of_mass(), np.zeros(6)
        for link in self.moving:
            R, V = self.poses[link.name][:3, :3], self.twists[link.name]
            linear = link.mass * R @ (V[:3] + np.cross(V[3:], link.com))
            spin = R @ central_inertia(link) @ V[3:]
            total += np.concatenate([linear, spin + np.cross(self._middle(link) - centre, linear)])
        return total

    def _middle(self, link: Link) -> np.ndarray:
        X = self.poses[link.name]
        return X[:3, 3] + X[:3, :3] @ np.array(link.com)


def central_inertia(link: Link) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = link.inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def spatial_inertia(link: Link) -> np.ndarray:
    """Shape (6, 6), about the link's origin, in its axes."""
    c = skew(link.com)
    G = np.zeros((6, 6))
    G[:3, :3], G[:3, 3:], G[3:, :3] = link.mass * np.eye(3), -link.mass * c, link.mass * c
    G[3:, 3:] = central_inertia(link) - link.mass * c @ c
    return G


def rotor_forces(joint: Joint, qd: np.ndarray) -> np.ndarray:
    """The rate at which a turning child turns the momentum of armatures, which is measured in its axes."""
    if joint.type not in ("ball", "free"):
        return np.zeros(len(qd))
    momentum = (armatures(joint) * qd).reshape(-1, 3)
    return np.cross(qd[-3:], momentum).ravel()


def armatures(joint: Joint) -> np.ndarray:
    if joint.kind.chart:
        law = joint.kind.spring_axes or (None,) * joint.nv
        known = [axis is not None and "armature" in joint.kind.axes[axis].fields for axis in law]
        return np.array([joint.axes[axis].armature if on else 0.0 for axis, on in zip(law, known, strict=True)])
    slots = [joint.kind.slot(column.axis).fields for column in joint.columns]
    fits = ["armature" in fields for fields in slots]
    return np.array([joint.axes[c.axis].armature if fit else 0.0 for c, fit in zip(joint.columns, fits, strict=True)])
