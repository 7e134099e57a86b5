# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: inverse kinematics by damped least squares on Pinocchio, the loop of its own example.

The first line of standard input says what is led, as JSON: `file` (URDF), `links`, `is_turned`, `moves_base`,
`tolerance` [m, rad], `steps`. Each further line is a question: `wanted`, a pose as a matrix for each link, and
`starts`, {joint: coordinates} in Limberjack's conventions, the base under the key "base". Each line of standard output
is `seconds` until one of the starts has led there or none has, and the `q` that it led to, {joint: coordinates} or
null.
"""

import json
import sys
import time

import numpy as np
import pinocchio as pin

DAMPING = 1e-6
BASE = "base"


class Robot:
    def __init__(self, job):
        root = [pin.JointModelFreeFlyer()] if job["moves_base"] else []
        self.job, self.model = job, pin.buildModelFromUrdf(job["file"], *root)
        self.data = self.model.createData()
        self.frames = [self.model.getFrameId(link) for link in job["links"]]
        rows = 6 if job["is_turned"] else 3
        self.error = np.zeros(rows * len(self.frames))
        self.jacobian = np.zeros((len(self.error), self.model.nv))
        self.damping = DAMPING * np.eye(len(self.error))

    def joint(self, name):
        return self.model.joints[1 if name == BASE else self.model.getJointId(name)]

    def positions(self, state):
        q = pin.neutral(self.model)
        for name, own in state.items():
            if name != BASE or self.job["moves_base"]:
                joint = self.joint(name)
                q[joint.idx_q : joint.idx_q + joint.nq] = [*own[:3], *own[4:], own[3]] if joint.nq == 7 else own
        return q

    def state(self, q):
        found = {}
        for name in self.model.names[1:]:
            joint = self.joint(name)
            own = q[joint.idx_q : joint.idx_q + joint.nq].tolist()
            found[BASE if joint.nq == 7 else name] = [*own[:3], own[6], *own[3:6]] if joint.nq == 7 else own
        return found

    def look(self, q, wanted):
        pin.forwardKinematics(self.model, self.data, q)
        for i, frame in enumerate(self.frames):
            stands = pin.updateFramePlacement(self.model, self.data, frame)
            if self.job["is_turned"]:
                self.error[6 * i : 6 * i + 6] = pin.log6(stands.actInv(wanted[i])).vector
            else:
                self.error[3 * i : 3 * i + 3] = stands.translation - wanted[i].translation

    def step(self, q, wanted):
        pin.computeJointJacobians(self.model, self.data, q)
        for i, frame in enumerate(self.frames):
            if self.job["is_turned"]:
                own = pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL)
                off = wanted[i].actInv(self.data.oMf[frame])
                self.jacobian[6 * i : 6 * i + 6] = -pin.Jlog6(off) @ own
            else:
                own = pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
                self.jacobian[3 * i : 3 * i + 3] = own[:3]
        J = self.jacobian
        v = -J.T @ np.linalg.solve(J @ J.T + self.damping, self.error)
        q = pin.integrate(self.model, q, v)
        return np.clip(q, self.model.lowerPositionLimit, self.model.upperPositionLimit)

    def reach(self, q, wanted):
        """Where the targets are met, from one start, or None."""
        for _ in range(self.job["steps"]):
            self.look(q, wanted)
            if np.abs(self.error).max() <= self.job["tolerance"]:
                return q
            q = self.step(q, wanted)
        return None


def answer(robot, question):
    wanted = [pin.SE3(np.array(X)) for X in question["wanted"]]
    starts = [robot.positions(state) for state in question["starts"]]
    begun = time.perf_counter()
    found = next((q for q in (robot.reach(q, wanted) for q in starts) if q is not None), None)
    seconds = time.perf_counter() - begun
    return {"seconds": seconds, "q": None if found is None else robot.state(found)}


def main():
    robot = Robot(json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        print(json.dumps(answer(robot, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
