# SPDX-License-Identifier: GPL-3.0-or-later
"""What tells a user whether the installation is right must itself be right."""

import math

import numpy as np
import pytest

from limberjack.core import cli, self_check
from limberjack.core.compilation import jit, kernel_cache
from limberjack.core.self_check import MOST_OFF, pendulum, quarters
from limberjack.core.simulation import Simulation


def test_the_closed_form():
    """The quarter period by another way, the elliptic integral by a trapezoidal rule, which is exact for what is
    periodic; and Gauss's constant, which he gave to eleven digits."""
    k, phi = math.sin(self_check.START / 2.0), np.arange(64) * math.pi / 64
    quarter = math.pi / 2.0 * np.mean(1.0 / np.sqrt(1.0 - (k * np.sin(phi)) ** 2)) / math.sqrt(9.81)
    times, angles = quarters(2)
    assert np.allclose(np.diff(times), quarter, rtol=1e-14)
    assert angles.tolist() == [2.0, 0.0, -2.0, 0.0, 2.0, 0.0, -2.0, 0.0, 2.0]
    assert 1.0 / self_check._mean(1.0, math.sqrt(2.0)) == pytest.approx(0.83462684167, abs=5e-12)


def test_a_right_solver_passes():
    """The report says so, and all that a report of a bug needs: versions, error, pace."""
    found = self_check.self_check(host={"Blender": "9.9"})
    assert found.is_right
    assert found.off_by < MOST_OFF / 100.0
    text = "\n".join(found.lines)
    for part in ("The solver is right", "Blender 9.9", f"numpy {np.__version__}", "of the pendulum in a second"):
        assert part in text
    assert ("Cache: " in text) == (jit.way() is jit.Way.NUMBA)


def test_a_cache_that_is_not_used_is_told(monkeypatch, tmp_path):
    """Guards reports of bugs: who waits for the compiler each time reads why."""
    monkeypatch.setattr(jit, "library", lambda: None)
    monkeypatch.setattr(jit, "is_compiled", lambda: True)
    monkeypatch.setattr(kernel_cache, "_root", tmp_path)
    tmp_path.chmod(0o777)
    assert self_check.kernel_lines() == [
        f"Cache: none, because {tmp_path} cannot be used; each process compiles the solver anew"
    ]


def test_a_wrong_solver_is_found(monkeypatch, capsys):
    """Gravity that is off by a millionth of itself is too much; the command then ends with 3."""

    def heavier():
        model = pendulum()
        model.gravity = (0.0, 0.0, -9.81 * (1.0 + 1e-6))
        return model

    assert cli.main(["selfcheck"]) == 0
    assert "The solver is right" in capsys.readouterr().out
    monkeypatch.setattr(self_check, "pendulum", heavier)
    assert cli.main(["selfcheck"]) == 3
    assert "The solver is WRONG" in capsys.readouterr().out


def test_accuracy_is_what_it_measures():
    """The error follows the accuracy that is asked for, so that it is the solver's and not the closed form's."""
    times, angles = quarters(3)
    off = {name: abs(Simulation(pendulum(), times, name).run().q[:, 0] - angles).max() for name in ("draft", "exact")}
    assert off["exact"] < 1e-3 * off["draft"]
