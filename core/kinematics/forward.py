"""Forward kinematics: where every link is, and how it moves, for given coordinates."""

from __future__ import annotations

import numpy as np

from ..jit import jitable, kernel
from ..model import Model, compile_model
from ..spatial import Pose, add, quat_mul, quat_of_mat, rotate
from .motion import move
from .work import get3, get4, get9, make_work, put3, put4


@kernel
def forward_kinematics(model, work, q, link_body, X_BL, X_WL):
    """Write to `X_WL`, shape (L, 7), the link poses at q, shape (nq,); link_body and X_BL are `CompiledModel`'s."""
    still = np.zeros(model.columns.shape[0])
    for i in range(1, model.bodies.shape[0]):
        move(model, work, i, q, still)
    write_link_poses(work, link_body, X_BL, X_WL)


@jitable
def write_link_poses(work, link_body, X_BL, X_WL):
    """Link poses from body poses that `move` has left in `work`."""
    for i in range(link_body.shape[0]):
        body = work.bodies[link_body[i]]
        R = get9(body.rotation)
        put3(X_WL[i], add(get3(body.origin), rotate(R, get3(X_BL[i]))))
        put4(X_WL[i], quat_mul(quat_of_mat(R), get4(X_BL[i], 3)), 3)


def link_poses(model: Model, q: dict | None = None) -> dict[str, Pose]:
    """The pose X_WL of every link, by name, with the joints at `q`: {joint: number or list}, and at q = 0 elsewhere.

    Runs undecorated, so that a caller who wants it once waits for no compilation.

    Raises:
        ModelError: the joints do not form trees, or `q` does not fit them.
    """
    compiled = compile_model(model)
    drawn = {name: span.joint.q_neutral for name, span in compiled.spans.items()}
    X_WL = np.zeros((len(compiled.link_names), 7))
    forward_kinematics.python(
        compiled.arrays,
        make_work(compiled.arrays),
        compiled.q_from(drawn | (q or {})),
        compiled.link_body,
        compiled.X_BL,
        X_WL,
    )
    return {name: tuple(pose) for name, pose in zip(compiled.link_names, X_WL.tolist(), strict=True)}
