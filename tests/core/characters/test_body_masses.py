# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of the parts of a body."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limberjack.core.characters.anatomy import Place, anatomy_of
from limberjack.core.characters.body_masses import masses_of
from support.skeletons import body

DE_LEVA = {
    "head": (6.94, 6.68),
    "trunk": (43.46, 42.57),
    "upper_arm": (2.71, 2.55),
    "forearm": (1.62, 1.38),
    "hand": (0.61, 0.56),
    "thigh": (14.16, 14.78),
    "shin": (4.33, 4.81),
    "foot": (1.37, 1.29),
}
"""Table 4 of de Leva (1996): mass of each segment of men and women [percent of the body]."""

TRUNK = ("hips", "spine", "chest", "clavicle.L", "clavicle.R")


def places_of():
    return {name: place for name, place in anatomy_of(body(), (0.0, 0.0, 1.0)).places.items() if not place.merges}


def test_a_body_has_the_shares_of_de_leva():
    """Guards the table of parts: a body of 100 kg has the mean masses of women and men, whatever the volumes."""
    places = places_of()
    random = np.random.default_rng(1)
    volumes = {name: random.uniform(0.1, 5.0) for name in places}
    found = masses_of(places, volumes, 100.0, True)
    groups = {part: [f"{part}.L"] for part in DE_LEVA} | {"trunk": TRUNK, "head": ["neck", "head"]}
    for part, names in groups.items():
        assert sum(found[name] for name in names) == pytest.approx(np.mean(DE_LEVA[part]), abs=0.03), part
    assert sum(found.values()) == pytest.approx(100.0)


def test_parts_of_one_group_share_by_volume():
    """Guards spines and necks: the trunk's mass is divided in proportion to the volumes, and both arms are alike."""
    places = places_of()
    volumes = dict.fromkeys(places, 1.0) | {"chest": 3.0, "head": 4.0, "thigh.L": 7.0}
    found = masses_of(places, volumes, 70.0, True)
    assert found["chest"] == pytest.approx(3.0 * found["spine"])
    assert found["head"] == pytest.approx(4.0 * found["neck"])
    assert found["thigh.L"] == pytest.approx(found["thigh.R"])


def test_by_volume():
    """Guards creatures: all parts have one density."""
    places = {"trunk": Place("limb", 0), "leg": Place("limb", 0), "tail": Place("tail", 0)}
    assert masses_of(places, {"trunk": 6.0, "leg": 3.0, "tail": 1.0}, 20.0, False) == pytest.approx(
        {"trunk": 12.0, "leg": 6.0, "tail": 2.0}
    )


def test_what_no_table_has_weighs_by_volume():
    """Guards tails and wings of human bodies: a tail of a tenth of the volume has a tenth of what a body weighs."""
    places = places_of() | {"tail": Place("tail", 0)}
    volumes = dict.fromkeys(places, 1.0) | {"tail": (len(places) - 1) / 9.0}
    found = masses_of(places, volumes, 50.0, True)
    body_alone = sum(found.values()) - found["tail"]
    assert found["tail"] / body_alone == pytest.approx(0.1, rel=1e-3)
    assert sum(found.values()) == pytest.approx(50.0)


@given(st.data(), st.floats(0.01, 1e4), st.booleans())
def test_masses_add_up(data, total, by_part):
    """Guards bodies of any parts and volumes: masses are positive and add up to the whole."""
    everything = places_of()
    names = data.draw(st.lists(st.sampled_from([*everything]), min_size=1, unique=True))
    volumes = {name: data.draw(st.floats(1e-6, 1e3)) for name in names}
    found = masses_of({name: everything[name] for name in names}, volumes, total, by_part)
    assert [*found] == names
    assert min(found.values()) > 0.0
    assert sum(found.values()) == pytest.approx(total)


def test_without_volumes():
    """Guards shapes without a volume: of a group, all parts weigh alike; if there is no volume at all, it is told."""
    places = places_of()
    volumes = dict.fromkeys(places, 0.0) | {"head": 1.0}
    found = masses_of(places, volumes, 100.0, True)
    assert found["spine"] == pytest.approx(found["clavicle.L"])
    assert found["neck"] == 0.0
    with pytest.raises(ValueError, match="a body needs shapes to weigh"):
        masses_of(places, dict.fromkeys(places, 0.0), 100.0, True)
