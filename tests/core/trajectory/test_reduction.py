# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys within an error."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import BPoly

from limberjack.core.trajectory.reduction import reduced

ROUNDING = 1e-13


def largest(values):
    """The error of a sample: what its channels are off by, at most."""
    return lambda first, fitted: np.abs(fitted - values[first : first + len(fitted)]).max(axis=1)


def curves_of(keys, frames):
    """SciPy's value of the Bézier curves at the samples, each from its left; of one key, its own."""
    if len(keys) == 1:
        return np.repeat(keys.values, len(frames), axis=0)
    controls = [keys.values[:-1], keys.right[:-1], keys.left[1:], keys.values[1:]]
    return BPoly(np.stack(controls), frames[keys.at])(frames)


def smooth(rng, t, channels):
    rates, phases = rng.uniform(0.01, 0.5, channels), rng.uniform(0.0, math.tau, channels)
    return np.sin(t[:, None] * rates + phases) * rng.uniform(0.0, 10.0, channels)


def noisy(rng, t, channels):
    return smooth(rng, t, channels) + 0.1 * rng.normal(size=(len(t), channels))


def stepped(rng, t, channels):
    return rng.integers(0, 3, (len(t) // 7 + 1, channels)).repeat(7, axis=0)[: len(t)].astype(float)


def bouncing(rng, t, channels):
    return np.abs(smooth(rng, t, channels))


def mixed(rng, t, channels):
    parts = np.hstack([kind(rng, t, channels) for kind in (smooth, noisy, stepped, bouncing)])
    return parts[:, rng.permutation(4 * channels)]


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([smooth, noisy, stepped, bouncing, mixed]),
    st.integers(1, 120),
    st.integers(1, 7),
    st.booleans(),
    st.sampled_from([0.0, 1e-9, 1e-4, 1e-2, 0.3, 5.0]),
    st.sampled_from([1.0, 1e-12, 1e9, 1e300]),
)
def test_every_sample_is_within_the_tolerance(seed, kind, count, channels, is_even, tolerance, size):
    """Guards the promise, for all kinds of motion, even frames or not: no sample is off by more, and no key at all."""
    rng = np.random.default_rng(seed)
    frames = np.arange(count) - 20.0 if is_even else np.cumsum(rng.exponential(1.0, count) + 1e-6)
    values, tolerance = size * kind(rng, frames + 20.0, channels), size * tolerance
    keys = reduced(frames, values, largest(values), tolerance)
    assert np.abs(curves_of(keys, frames) - values).max() <= tolerance + ROUNDING * np.abs(values).max()
    assert np.array_equal(keys.values, values[keys.at])
    assert keys.at[0] == 0
    assert len(keys) == 1 or keys.at[-1] == count - 1
    assert np.all(np.diff(keys.at) > 0)


@pytest.mark.parametrize("period", [25.0, 50.0, 100.0, 250.0])
def test_a_sine_needs_about_as_many_keys_as_theory_says(period):
    """Guards the search for length and the fit: between Hermite's bound and the best that any cubics could do.

    A cubic that meets a function's values and slopes at both ends is off by h⁴/384 max|f⁗| at most; the best one
    through both ends is off by what a stretched Chebyshev polynomial is, (h/2)⁴/(4! 8 cos⁴(π/8)) |f⁗|.
    """
    frames, tolerance, rate = np.arange(250.0), 1e-4, math.tau / period
    values = np.sin(rate * frames)[:, None]
    segments = len(reduced(frames, values, largest(values), tolerance)) - 1
    fourth = rate**4 * np.abs(np.sin(rate * np.linspace(0.0, frames[-1], 10_000)))
    most = math.ceil(frames[-1] / math.floor((384.0 * tolerance / fourth.max()) ** 0.25))
    best_off = fourth / (2**4 * 24 * 8 * math.cos(math.pi / 8) ** 4)
    least = frames[-1] * np.mean((best_off / tolerance) ** 0.25)
    assert 0.95 * least <= segments <= most


def parabolas(t, impact):
    """Of one ball that falls and, at its impact, bounces, and one that nothing meets."""
    since = t - impact
    falls = 3.0 - 0.001 * (t**2 - impact**2)
    bounced = np.where(since > 0.0, 3.0 + 0.1 * since - 0.001 * since**2, falls)
    return np.stack([bounced, 0.002 * t**2 - t], axis=1)


def test_an_impact_is_a_key_with_a_break():
    """Guards velocity jumps: parabolas are cubics, so three keys hold both, and slopes differ at the middle one."""
    frames = np.arange(101.0)
    values = parabolas(frames, 40.0)
    keys = reduced(frames, values, largest(values), 1e-9)
    assert keys.at.tolist() == [0, 40, 100]
    before = (keys.values[1] - keys.left[1]) / (40.0 / 3.0)
    after = (keys.right[1] - keys.values[1]) / (60.0 / 3.0)
    assert before == pytest.approx([-0.08, 0.004 * 40.0 - 1.0])
    assert after == pytest.approx([0.1, 0.004 * 40.0 - 1.0])


def test_keys_do_not_crowd_around_an_impact_between_frames():
    """Guards against many keys at a jump that no sample meets: the last before it, and one more."""
    frames = np.arange(101.0)
    values = parabolas(frames, 40.4)
    at = reduced(frames, values, largest(values), 1e-9).at
    assert len(at) == 4
    assert at[1] == 40


@pytest.mark.parametrize("spread", [0.0, 0.9e-3])
def test_what_does_not_move_has_one_key(spread):
    """Guards against keys on links that rest, or all but rest."""
    frames = np.arange(250.0)
    values = 0.1 + spread * np.sin(frames)[:, None] * [1.0, 0.0, -1.0]
    keys = reduced(frames, values, largest(values), 1e-3)
    assert keys.at.tolist() == [0]
    assert np.array_equal(keys.values, values[:1])


def test_rest_costs_no_keys_at_no_tolerance():
    """Guards rest within a motion: values that are no round numbers must come back to the bit, by one segment each."""
    values = np.array([0.1] * 100 + [0.3] * 100)[:, None]
    at = reduced(np.arange(200.0), values, largest(values), 0.0).at
    assert len(at) == 4
    assert at[1] == 99


@pytest.mark.parametrize("count", [1, 2])
def test_the_shortest_motions(count):
    """Guards one sample, which is one key, and two, which are a straight line."""
    frames, values = np.arange(3.0, 3.0 + count), np.array([[1.0, 2.0], [4.0, -1.0]])[:count]
    keys = reduced(frames, values, largest(values), 0.0)
    assert keys.at.tolist() == list(range(count))
    assert keys.left.tolist() == [[1.0, 2.0], [3.0, 0.0]][:count]
    assert keys.right.tolist() == [[1.0, 2.0] if count == 1 else [2.0, 1.0], [4.0, -1.0]][:count]


def test_samples_that_nearly_coincide_throw_no_curve_out():
    """Guards the curve between samples: a quiver in a millionth of a frame must not become a handle far away."""
    frames = np.array([0.0, 1e-6, 1.0, 1.0 + 1e-6, 2.0, 3.0])
    values = np.array([0.0, 1.0, 0.0, 1.0, 0.0, 0.0])[:, None]
    keys = reduced(frames, values, largest(values), 1e-3)
    assert max(np.abs(keys.left).max(), np.abs(keys.right).max()) < 10.0


def test_the_error_is_asked_in_the_callers_own_measure():
    """Guards the callback: it may weigh samples as it likes, and where it finds no number nothing fits."""
    frames = np.arange(60.0)
    values = np.sin(0.2 * frames)[:, None]

    def only_late(first, fitted):
        late = np.arange(first, first + len(fitted)) >= 30
        return np.where(late, largest(values)(first, fitted), 0.0)

    late = reduced(frames, values, only_late, 0.0)
    assert late.at[1] >= 30
    assert curves_of(late, frames)[30:] == pytest.approx(values[30:], abs=ROUNDING)
    nowhere = reduced(frames, values, lambda first, fitted: np.full(len(fitted), math.nan), 1e9).at
    assert np.array_equal(nowhere, np.arange(60))


def test_the_same_each_time():
    """Guards pipelines: the same samples give the same bytes."""
    rng = np.random.default_rng(5)
    frames, values = np.arange(200.0), mixed(rng, np.arange(200.0), 3)
    once, again = (reduced(frames, values.copy(), largest(values), 1e-2) for _ in range(2))
    for name in ("at", "values", "left", "right"):
        assert getattr(once, name).tobytes() == getattr(again, name).tobytes()


@pytest.mark.parametrize(
    ("frames", "values", "tolerance", "words"),
    [
        ([0.0, 1.0], [[0.0, 1.0], [2.0, math.nan]], 1.0, "channel 1 is nan at frame 1"),
        ([0.0, 1.0], [[math.inf], [2.0]], 1.0, "channel 0 is inf at frame 0"),
        ([0.0, math.inf], [[1.0], [2.0]], 1.0, r"frames\[1\] is no finite number"),
        ([0.0, 2.0, 2.0], [[1.0], [2.0], [3.0]], 1.0, r"frames\[2\] is 2, after 2"),
        ([], np.empty((0, 3)), 1.0, r"values of shape \(0, 3\)"),
        ([0.0, 1.0], [1.0, 2.0], 1.0, r"values of shape \(2,\)"),
        ([0.0, 1.0], [[1.0]], 1.0, r"values of shape \(1, 1\)"),
        ([0.0, 1.0], [[1.0], [2.0]], -1.0, "tolerance is -1"),
        ([0.0, 1.0], [[1.0], [2.0]], math.nan, "tolerance is nan"),
    ],
)
def test_what_is_no_motion_is_refused(frames, values, tolerance, words):
    """Guards against keys that are no numbers, and says what was wrong and where."""
    with pytest.raises(ValueError, match=words):
        reduced(np.array(frames), np.array(values), lambda first, fitted: np.zeros(len(fitted)), tolerance)
