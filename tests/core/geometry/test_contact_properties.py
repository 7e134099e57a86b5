# SPDX-License-Identifier: GPL-3.0-or-later
"""How surfaces combine, and what common materials make of each other."""

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limberjack.core.geometry import Box, Shape, Surface
from limberjack.core.geometry.contact_properties import RIGID, combine_surfaces
from limberjack.core.geometry.densities import SUBSTANCES

BY_NAME = {substance.name: Surface(substance.friction, restitution=substance.restitution) for substance in SUBSTANCES}
HANDBOOK = {
    ("steel", "ice"): (0.02, 0.05),
    ("steel", "steel"): (0.42, 0.8),
    ("wood", "wood"): (0.25, 0.5),
    ("hardwood", "hardwood"): (0.32, 0.62),
    ("rubber", "concrete"): (0.6, 0.85),
    ("aluminium", "steel"): (0.45, 0.61),
    ("brass", "steel"): (0.35, 0.51),
    ("glass", "glass"): (0.4, 1.0),
    ("abs", "steel"): (0.25, 0.45),
    ("body", "steel"): (0.3, 0.7),
}
"""Coefficients of dry friction as tables have them: Marks' section 3.2, CRC Handbook, Derler and Gerhardt (2012)."""


def surfaces():
    positive = st.floats(1e-3, 1e6)
    stiffness = st.one_of(st.floats(1e2, 1e9), st.just(math.inf), st.just(1e12))
    return st.builds(
        Surface, positive, st.none() | positive, st.floats(0.0, 1.0), stiffness, positive, positive, positive
    )


@given(surfaces(), surfaces())
def test_the_order_is_no_matter(a, b):
    """Guards symmetry to the last bit: a contact is found from either side."""
    assert combine_surfaces(a, b) == combine_surfaces(b, a)


@pytest.mark.parametrize(("kA", "kB"), [(1e4, 4e4), (1e9, 1e3), (5e5, 5e5)])
def test_soft_sides_are_springs_in_series(kA, kB):
    """Guards the pair's law against two springs of the law f = k x (1 + d x') each, pressed by one force as a whole.

    Each side takes x kB / (kA + kB) or x kA / (kA + kB) of the depth and of its rate, so that their forces are alike
    but for the dissipation, of which the pair has the mean weighted by depths.
    """
    a, b = Surface(stiffness=kA, dissipation=0.3), Surface(stiffness=kB, dissipation=0.1)
    joined = combine_surfaces(a, b)
    x, rate = 1e-3, 0.2
    xA, xB = x * kB / (kA + kB), x * kA / (kA + kB)
    assert joined.stiffness * x == pytest.approx(kA * xA) == pytest.approx(kB * xB)
    power = sum(k * s * (s * rate / x) * d * rate for k, s, d in ((kA, xA, 0.3), (kB, xB, 0.1)))
    assert joined.stiffness * x * joined.dissipation * rate * rate == pytest.approx(power)


@pytest.mark.parametrize("rigid", [math.inf, 1e12, RIGID])
def test_beside_a_rigid_side_the_other_alone_gives_way(rigid):
    """Guards the limits of the rule, where kA kB / (kA + kB) is no number."""
    hard, soft = Surface(stiffness=rigid, dissipation=5.0), Surface(stiffness=2e5, dissipation=0.3)
    for joined in (combine_surfaces(hard, soft), combine_surfaces(soft, hard)):
        assert (joined.stiffness, joined.dissipation) == (2e5, 0.3)
    both = combine_surfaces(hard, Surface(dissipation=1.0))
    assert (both.stiffness, both.dissipation) == (math.inf, 3.0)


def test_a_finite_limit_comes_near_the_infinite_one():
    """Guards that nothing jumps where a stiffness grows toward rigid."""
    soft = Surface(stiffness=1e3, dissipation=0.3)
    near = combine_surfaces(Surface(stiffness=0.999 * RIGID, dissipation=5.0), soft)
    assert (near.stiffness, near.dissipation) == pytest.approx((1e3, 0.3), rel=1e-5)


def test_what_is_slippery_is_so_on_all_and_what_bounces_bounces_off_all():
    """Guards the smaller friction and the larger of the rest; a shape that says nothing has the default."""
    ice, ball = Surface(0.03, 0.05, 0.1, rolling_friction=1e-3), Surface(0.8, restitution=0.9, spinning_friction=2e-3)
    joined = combine_surfaces(ice, ball)
    assert (joined.friction, joined.static_friction, joined.restitution) == (0.03, 0.05, 0.9)
    assert (joined.rolling_friction, joined.spinning_friction) == (1e-3, 2e-3)
    assert combine_surfaces(None, ball) == combine_surfaces(ball, Surface())
    assert combine_surfaces(None, None) == Surface()
    assert Surface().friction == 1.0


def test_static_friction_is_of_the_pair_only_where_it_is_more():
    """Guards None, and what is said of static friction below the sliding one."""
    assert combine_surfaces(Surface(0.5, 0.7), Surface(0.4)).static_friction is None
    assert combine_surfaces(Surface(0.5, 0.7), Surface(0.6)).static_friction == 0.6
    assert Surface(0.5, 0.3).holding_friction == 0.5


@pytest.mark.parametrize("pair", HANDBOOK, ids="-".join)
def test_pairs_of_materials_slide_as_in_handbooks(pair):
    """Guards the numbers of materials against tables of pairs."""
    least, most = HANDBOOK[pair]
    assert least <= combine_surfaces(*(BY_NAME[name] for name in pair)).friction <= most


def test_no_material_is_out_of_bounds():
    """Guards the table: what can be a surface at all, and that rubber has the best grip."""
    for surface in BY_NAME.values():
        assert 0.0 < surface.friction <= BY_NAME["rubber"].friction
        assert 0.0 <= surface.restitution < 1.0


def test_layers_meet_as_gazebos_masks_do():
    """Guards the rule of SDF's description of category_bitmask, over all masks of two bits."""
    for a, b, c, d in product(range(4), repeat=4):
        one = Shape("one", Box((1.0, 1.0, 1.0)), layers=a, meets=b)
        other = Shape("other", Box((1.0, 1.0, 1.0)), layers=c, meets=d)
        assert one.may_meet(other) == other.may_meet(one) == (((a & d) | (c & b)) != 0)
    assert Shape("one", None).may_meet(Shape("other", None))
