# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion at other times, against motions with closed forms."""

import dataclasses
import math

import numpy as np
import pytest

from limberjack.core.trajectory.resampling import resampled
from limberjack.core.trajectory.trajectory import Trajectory

AXIS = np.array([2.0, -1.0, 2.0]) / 3.0
FRAMES = np.array([0.0, 0.1, 0.25, 0.4, 0.5, 0.7, 0.85, 1.0])
BETWEEN = np.linspace(0.0, 1.0, 173)


def rotations(times: np.ndarray, rate: float) -> np.ndarray:
    """Quaternions that turn about AXIS at a constant rate [rad/s]."""
    half = 0.5 * rate * times[:, None]
    return np.hstack([np.cos(half), np.sin(half) * AXIS])


def motion(times, q, qd=None, q_names=None, turns=None) -> Trajectory:
    """One link that slides as the first coordinate goes, with that as its energies too."""
    q = np.asarray(q, dtype=float).reshape(len(times), -1)
    qd = np.zeros((len(times), 0)) if qd is None else np.asarray(qd, dtype=float).reshape(len(times), -1)
    X_WL = np.zeros((len(times), 1, 7))
    X_WL[:, 0, 0] = q[:, 0]
    X_WL[:, 0, 3:] = rotations(times, 0.0) if turns is None else turns
    names = q_names or tuple((f"j{i}", "rad") for i in range(q.shape[1]))
    return Trajectory(
        np.asarray(times, dtype=float),
        ("a",),
        X_WL,
        names,
        q,
        tuple((f"j{i}", "rad/s") for i in range(qd.shape[1])),
        qd,
        *(q[:, 0].copy() for _ in range(4)),
        efforts=qd.copy(),
        wrench_names=("j0",),
        wrenches=np.repeat(q[:, :1], 6, axis=1).reshape(-1, 1, 6),
        loop_error=q[:, 0].copy(),
    )


def cubic(t):
    return 1.0 - 2.0 * t + 3.0 * t**2 - 4.0 * t**3


def cubic_rate(t):
    return -2.0 + 6.0 * t - 12.0 * t**2


def test_a_cubic_is_exact_by_its_rates():
    """Guards the use of rates: a cubic with them comes back everywhere, at steps of any size."""
    found = resampled(motion(FRAMES, cubic(FRAMES), cubic_rate(FRAMES)), BETWEEN)
    assert found.q[:, 0] == pytest.approx(cubic(BETWEEN), abs=1e-13)


def test_a_parabola_is_exact_without_rates():
    """Guards the tangents, also at both ends: of poses, energies, gaps, wrenches and of the rates themselves."""

    def parabola(t):
        return 1.0 - t + 3.0 * t**2

    found = resampled(motion(FRAMES, parabola(FRAMES), cubic_rate(FRAMES)), BETWEEN)
    for values in (found.X_WL[:, 0, 0], found.kinetic, found.supplied, found.loop_error, found.wrenches[:, 0, 4]):
        assert values == pytest.approx(parabola(BETWEEN), abs=1e-13)
    assert found.qd[:, 0] == pytest.approx(cubic_rate(BETWEEN), abs=1e-13)
    assert found.efforts[:, 0] == pytest.approx(cubic_rate(BETWEEN), abs=1e-13)


def error_of_sine(count: int, with_rates: bool) -> float:
    times = np.linspace(0.0, 2.0, count + 1)
    wanted = np.linspace(0.0, 2.0, 1001)
    rates = 3.0 * np.cos(3.0 * times) if with_rates else None
    return np.abs(resampled(motion(times, np.sin(3.0 * times), rates), wanted).q[:, 0] - np.sin(3.0 * wanted)).max()


def test_a_sine_by_order():
    """Guards the order: with rates the error falls as the fourth power of the step, without as the third."""
    assert error_of_sine(20, True) < 1.01 * (3.0 * 0.1) ** 4 / 384.0
    assert math.log2(error_of_sine(20, True) / error_of_sine(40, True)) == pytest.approx(4.0, abs=0.1)
    assert math.log2(error_of_sine(40, False) / error_of_sine(80, False)) > 2.8


def test_a_rotation_at_a_constant_rate():
    """Guards quaternions, in poses and among coordinates, whose signs flip at random as a solver's may."""
    times = np.linspace(0.0, 2.0, 41)
    signs = np.where(np.random.default_rng(1).random(41) < 0.5, -1.0, 1.0)[:, None]
    turns = rotations(times, 7.0) * signs
    names = tuple((f"b.{part}", "") for part in ("qz", "qw", "qy", "qx"))
    told = motion(times, turns[:, [3, 0, 2, 1]], q_names=names, turns=turns)
    wanted = np.linspace(0.0, 2.0, 501)
    found = resampled(told, wanted)
    for quaternions in (found.X_WL[:, 0, 3:], found.q[:, [1, 3, 2, 0]]):
        assert np.linalg.norm(quaternions, axis=1) == pytest.approx(1.0, abs=1e-12)
        cosines = np.abs(np.einsum("fi,fi->f", quaternions, rotations(wanted, 7.0)))
        assert 2.0 * np.arccos(np.minimum(cosines, 1.0)).max() < 1e-3


def test_frames_are_exact():
    """Guards frames to the last bit, each alone and all together, quaternions of any sign among them."""
    random = np.random.default_rng(2)
    turns = random.normal(size=(len(FRAMES), 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    told = motion(FRAMES, random.normal(size=(len(FRAMES), 3)), random.normal(size=(len(FRAMES), 3)), turns=turns)
    told.q[2], told.kinetic[3] = -0.0, np.inf  # as a run that diverges has it
    among = np.unique(np.concatenate([FRAMES, BETWEEN]))
    at = np.searchsorted(among, FRAMES)
    with np.errstate(invalid="ignore"):
        both = (resampled(told, FRAMES), slice(None)), (resampled(told, among), at)
    for found, rows in both:
        for name in ("times", "X_WL", "q", "qd", "kinetic", "supplied", "efforts", "wrenches"):
            assert getattr(found, name)[rows].tobytes() == getattr(told, name).tobytes(), name


def test_before_and_after_it_stands():
    """Guards times outside: the first and the last pose, and rates of 0."""
    told = motion(FRAMES, cubic(FRAMES), cubic_rate(FRAMES))
    found = resampled(told, [-1.0, 0.0, 1.0, 5.0])
    assert found.q[:, 0].tolist() == [cubic(0.0)] * 2 + [cubic(1.0)] * 2
    assert found.qd[:, 0].tolist() == [0.0, cubic_rate(0.0), cubic_rate(1.0), 0.0]
    assert np.array_equal(found.X_WL[[0, 3]], told.X_WL[[0, -1]])


def test_one_frame_and_two():
    """Guards the shortest motions: a pose that is held, and a straight line."""
    one = resampled(motion(np.array([0.5]), [3.0], [7.0]), [0.0, 0.5, 1.0])
    assert one.q[:, 0].tolist() == [3.0, 3.0, 3.0]
    assert one.qd[:, 0].tolist() == [0.0, 7.0, 0.0]
    two = resampled(motion(np.array([0.0, 2.0]), [1.0, 2.0]), [0.0, 0.5, 2.0])
    assert two.q[:, 0] == pytest.approx([1.0, 1.25, 2.0])


def test_what_does_not_act_stays_unknown():
    """Guards nan: between two frames a coordinate is nan only if it is so in one of them, and its curve ends there."""
    values = FRAMES**2
    values[[3, 6]] = np.nan  # what is left of frames 7 stands alone, and 4 and 5 are but two
    found = resampled(motion(FRAMES, values), BETWEEN).q[:, 0]
    is_unknown = ((BETWEEN > FRAMES[2]) & (BETWEEN < FRAMES[4])) | ((BETWEEN > FRAMES[5]) & (BETWEEN < FRAMES[7]))
    is_unknown &= ~np.isin(BETWEEN, FRAMES[[4, 5]])
    assert np.array_equal(np.isnan(found), is_unknown)
    early, late = BETWEEN <= FRAMES[2], (BETWEEN >= FRAMES[4]) & (BETWEEN <= FRAMES[5])
    assert found[early] == pytest.approx(BETWEEN[early] ** 2, abs=1e-14)
    assert found[late] == pytest.approx(np.interp(BETWEEN[late], FRAMES[4:6], FRAMES[4:6] ** 2), abs=1e-14)


def test_a_rate_that_is_unknown_is_found():
    """Guards coordinates whose rates are nan in some frames: the curve goes on by differences."""
    rates = 2.0 * FRAMES
    rates[2:4] = np.nan
    assert resampled(motion(FRAMES, FRAMES**2, rates), BETWEEN).q[:, 0] == pytest.approx(BETWEEN**2, abs=1e-14)


def test_joint_curves_without_links():
    """Guards what a log gives: no links, no rates, no forces."""
    told = motion(FRAMES, FRAMES**2)
    bare = dataclasses.replace(told, link_names=(), X_WL=told.X_WL[:, :0], efforts=None, wrench_names=(), wrenches=None)
    found = resampled(bare, BETWEEN)
    assert found.X_WL.shape == (len(BETWEEN), 0, 7)
    assert found.efforts is None
    assert found.q[:, 0] == pytest.approx(BETWEEN**2, abs=1e-14)


@pytest.mark.parametrize("times", [[1.0, 1.0], [0.0, math.nan], [[0.0, 1.0]]])
def test_times_must_ascend(times):
    """Guards against times that no trajectory may have."""
    with pytest.raises(ValueError, match="ascending"):
        resampled(motion(FRAMES, FRAMES), times)
