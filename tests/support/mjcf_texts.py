# SPDX-License-Identifier: GPL-3.0-or-later
"""Small MJCF files as text, and what the reader makes of them."""

from pathlib import Path

import numpy as np

from limberjack.core.formats import Reading, read
from limberjack.core.kinematics import forward_kinematics
from limberjack.core.model import Model
from limberjack.core.model.compiling.compile import compile_model

MASS = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
"""The mass of a body of which it does not matter."""


def reading_of(text: str, strict: bool = False) -> Reading:
    """Return the reading of a whole file."""
    return read(Path("m.xml"), data=text.encode(), strict=strict)


def model_of(bodies: str, rest: str = "") -> Model:
    """The model with these bodies in the world. rest: the other sections."""
    reading = reading_of(f"<mujoco>{rest}<worldbody>{bodies}</worldbody></mujoco>")
    assert reading.ok, reading.issues
    return reading.model


def issues_of(bodies: str, rest: str = "", strict: bool = False) -> list[tuple[str, str]]:
    """(severity, code) of all issues."""
    reading = reading_of(f"<mujoco>{rest}<worldbody>{bodies}</worldbody></mujoco>", strict)
    return [(issue.severity, issue.code) for issue in reading.issues]


def errors_of(bodies: str, rest: str = "", strict: bool = False) -> list[str]:
    """Codes of the errors."""
    return [code for severity, code in issues_of(bodies, rest, strict) if severity == "error"]


def body(content: str, attributes: str = "") -> str:
    """A body with a name and a mass."""
    return f'<body name="b" {attributes}>{MASS}{content}</body>'


def poses_of(model: Model, q: dict[str, object]) -> dict[str, np.ndarray]:
    """Poses X_WL of all links at joint coordinates [rad or m]; joints that are not given are at home."""
    compiled = compile_model(model)
    values = np.array(compiled.q_home)
    for name, value in q.items():
        values[compiled.spans[name].q] = value
    return dict(zip(compiled.link_names, map(np.array, forward_kinematics(compiled, values)[0]), strict=True))
