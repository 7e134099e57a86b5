# SPDX-License-Identifier: GPL-3.0-or-later
"""MJCF with contact and constraints, here and in MuJoCo."""

from pathlib import Path

import numpy as np
import pytest

from limberjack.core.formats import read
from limberjack.core.simulation import Simulation
from support.judges import PYTHON, needs
from support.mjcf import mujocos_run

pytestmark = needs(PYTHON)


def last_positions(model, seconds: float) -> dict[str, np.ndarray]:
    """Return the positions of our links after some time [m]."""
    trajectory = Simulation(model, np.linspace(0.0, seconds, round(20 * seconds) + 1)).run()
    return {link.name: trajectory.link(link.name)[-1, :3] for link in model.links}


def test_constraints_of_tendons(tmp_path):
    """Guards tendons that are coupled: arms on four hinges swing as in MuJoCo, which keeps equations almost exactly."""
    arms = "".join(
        f'<body name="b{i}" pos="{i} 0 0"><joint name="j{i}" axis="0 1 0" ref="{5 * i}" damping="0.05"/>'
        f'<geom type="capsule" size="0.05" fromto="0 0 0 {0.3 + 0.1 * i} 0 0.05" contype="0"/></body>'
        for i in range(5)
    )
    path = tmp_path / "m.xml"
    path.write_text(
        f"""<mujoco><option timestep="0.0002" integrator="implicitfast"/><worldbody>{arms}</worldbody><tendon>
        <fixed name="t"><joint joint="j0" coef="0.5"/><joint joint="j1" coef="-2"/><joint joint="j2" coef="1"/></fixed>
        <fixed name="u"><joint joint="j3" coef="1"/><joint joint="j4" coef="0.7"/></fixed></tendon><equality>
        <tendon tendon1="t" tendon2="u" polycoef="0 0.8" solimp="0.9999 0.9999 0.001" solref="0.0004 1"/>
        <tendon tendon1="u" solimp="0.9999 0.9999 0.001" solref="0.0004 1"/></equality></mujoco>"""
    )
    (theirs,) = mujocos_run(1.0, path)
    model = read(path).model
    assert (len(model.couplings), model.joint("j3").mimic.leader) == (1, "j4")
    motion = Simulation(model, np.linspace(0.0, 1.0, 21)).run()
    ours = {name: float(motion.q[-1, number]) for number, (name, _) in enumerate(motion.q_names)}
    assert max(map(abs, ours.values())) > 0.5
    assert ours == pytest.approx(theirs["joints"], abs=2e-3)


BALLS = [(-1.4, 0.3), (-0.7, -0.6), (0.1, 0.05), (0.9, 0.7), (1.55, -0.75), (0.45, -0.2)]
"""Points over the terrain, none of which is over an edge of its triangles [m]."""


def hills(kind: str, folder: Path) -> str:
    """Return an <hfield> of 9 x 13 points."""
    x, y = np.meshgrid(np.linspace(-2.0, 2.0, 13), np.linspace(1.0, -1.0, 9))
    heights = np.float32(0.3 * np.sin(2.0 * x) + 0.2 * np.cos(3.0 * y + x))
    size = 'name="h" size="2 1 0.4 0.1"'
    if kind == "text":
        elevation = " ".join(map(repr, heights.ravel().tolist()))
        return f'<hfield {size} nrow="9" ncol="13" elevation="{elevation}"/>'
    if kind == "binary":
        header = np.array([9, 13], "<i4").tobytes()
        (folder / "h.bin").write_bytes(header + heights[::-1].astype("<f4").tobytes())
        return f'<hfield {size} file="h.bin"/>'
    import png  # late: only one case needs it

    grey = np.round(100.0 + 200.0 * heights).astype(int)
    with (folder / "h.png").open("wb") as file:
        png.Writer(13, 9, greyscale=True).write(file, grey.tolist())
    return f'<hfield {size} file="h.png"/>'


@pytest.mark.parametrize("kind", ["text", "binary", "png"])
def test_balls_on_a_height_field(tmp_path, kind):
    """Guards where the triangles of terrain are: balls on slides come to rest at MuJoCo's heights within 1 mm."""
    bodies = "".join(
        f'<body name="b{i}" pos="{x} {y} 0.8"><joint type="slide" axis="0 0 1" damping="0.5"/>'
        '<geom size="0.02" condim="1"/></body>'
        for i, (x, y) in enumerate(BALLS)
    )
    path = tmp_path / "m.xml"
    path.write_text(
        f"<mujoco><asset>{hills(kind, tmp_path)}</asset><worldbody>"
        f'<geom type="hfield" hfield="h" pos="0 0 0.1"/>{bodies}</worldbody></mujoco>'
    )
    (theirs,) = mujocos_run(5.0, path)
    ours = last_positions(read(path).model, 5.0)
    for name, expected in theirs["positions"].items():
        assert ours[name] == pytest.approx(expected, abs=1e-3), name
    heights = [position[2] for position in theirs["positions"].values()]
    assert max(heights) - min(heights) > 0.1
