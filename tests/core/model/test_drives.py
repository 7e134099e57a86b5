# SPDX-License-Identifier: GPL-3.0-or-later
"""What drives do: one table, from which the engine, checks, the doctor, formats and the panel have it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.check import check_model
from limberjack.core.diagnosis import diagnose
from limberjack.core.formats.substitutes import scaled_axis
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.model.drives import DRIVES, Aim, DriveLaw, DriveMode
from limberjack.core.model.editing.zeroing import zero_at_home
from limberjack.core.simulation import Controls, Schedule, Simulation

TIMES = np.linspace(0.0, 1.0, 25)
STILL = (0.0, 0.0, 0.0)


def wheel(gravity=STILL, com=(0.0, 0.0, 0.0), **axis) -> Model:
    """A link of 1 kg m^2 about the x axis of the world."""
    link = Link("wheel", 1.0, com, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    joint = Joint("axle", "revolute", WORLD, "wheel", axes=[Axis((1.0, 0.0, 0.0), **axis)])
    return Model("m", [link], [joint], gravity=gravity)


def codes(model) -> set[str]:
    return {issue.code for issue in check_model(model)}


def test_the_law_of_each_mode():
    """Guards the table: what each mode takes of an axis, and into which term of the force."""
    axis = Axis(drive_stiffness=2.0, drive_damping=3.0, drive_target=5.0)
    assert {name: drive.law(axis) for name, drive in DRIVES.items()} == {
        "off": DriveLaw(),
        "position": DriveLaw(stiffness=2.0, damping=3.0, target=5.0),
        "velocity": DriveLaw(damping=3.0, rate=5.0),
        "force": DriveLaw(push=5.0),
    }


def test_a_position_drive_with_damping_alone_brakes_and_nobody_calls_it_idle():
    """Guards engine, check and doctor against each other: they disagreed on a drive that has no stiffness."""
    model = wheel(drive_mode="position", drive_damping=0.5)
    run = Simulation(model, TIMES, initial={"qd": {"axle": 2.0}})
    assert run.run().qd[:, 0] == pytest.approx(2.0 * np.exp(-0.5 * TIMES), rel=1e-5)
    assert diagnose(run) == []
    assert "idle-drive" not in codes(model)


@pytest.mark.parametrize("mode", [name for name in DRIVES if name != "off"])
def test_an_effort_of_nothing_is_no_drive(mode):
    """Guards guards: it compiles to none, moves nothing, takes no step more, and is told by check and doctor."""
    swing = {"gravity": (0.0, 0.0, -9.81), "com": (0.0, 0.4, -0.3)}
    drive = {"drive_mode": mode, "drive_stiffness": 1e4, "drive_damping": 100.0, "drive_target": 1.0}
    driven, free = wheel(**swing, **drive, effort=0.0), wheel(**swing)
    assert len(compile_model(driven).arrays.set_valued_forces) == 0
    one, other = Simulation(driven, TIMES), Simulation(free, TIMES)
    assert np.array_equal(one.run().q, other.run().q)
    assert one.report.steps == other.report.steps
    assert [finding.code for finding in diagnose(one)] == ["idle-drive"]
    assert "idle-drive" in codes(driven)


def test_an_effort_that_grows_from_nothing_drives():
    """Guards keys on *Max Force* and *Strength*: what is no drive at first becomes one."""
    model = wheel(drive_mode="velocity", drive_damping=1e6, drive_target=100.0, effort=0.0)
    schedule = Schedule(axes={("axle", 0): {"effort": lambda time: max(0.0, 6.0 * (time - 0.5))}})
    motion = Simulation(model, TIMES, "exact", controls=Controls(schedule=schedule)).run()
    late = np.maximum(TIMES - 0.5, 0.0)
    assert motion.qd[:, 0] == pytest.approx(3.0 * late**2, abs=2e-3)  # of whole frames: effort goes straight between
    assert np.abs(motion.qd[TIMES <= 0.5, 0]).max() < 1e-12


@pytest.mark.parametrize("mode", DRIVES)
def test_a_target_is_what_its_aim_says(mode):
    """Guards what is done with targets: places go with the zero, places and speeds with the coordinate's size."""
    aim = DRIVES[mode].aim
    model = wheel(drive_mode=mode, drive_target=0.5, drive_stiffness=1.0, drive_damping=1.0)
    model.joints[0].home = (0.2,)
    zeroed = zero_at_home(model)[0].joints[0].axes[0]
    assert zeroed.drive_target == pytest.approx(0.3 if aim is Aim.PLACE else 0.5)
    scaled = scaled_axis(replace(model.joints[0].axes[0], slide=0.1), 4.0)
    assert scaled.drive_target == (0.125 if aim is Aim.FORCE else 2.0)


def test_a_new_mode_is_one_entry(monkeypatch):
    """Guards "one table": a brake, which damps and aims at nothing, acts, is checked and can be scheduled at once."""
    brake = DriveMode("brake", "Brake", "Slow the joint down", ("drive_damping",), Aim.SPEED)
    monkeypatch.setitem(DRIVES, "brake", brake)
    model = wheel(drive_mode="brake", drive_damping=1.0)
    spin = {"qd": {"axle": 1.0}}
    assert Simulation(model, TIMES, initial=spin).run().qd[-1, 0] == pytest.approx(math.exp(-1.0), rel=1e-5)
    schedule = Schedule(axes={("axle", 0): {"drive_damping": lambda _: 2.0}})
    motion = Simulation(model, TIMES, initial=spin, controls=Controls(schedule=schedule)).run()
    assert motion.qd[-1, 0] == pytest.approx(math.exp(-2.0), rel=1e-5)
    assert "idle-drive" in codes(wheel(drive_mode="brake"))
    assert "idle-drive" not in codes(model)
