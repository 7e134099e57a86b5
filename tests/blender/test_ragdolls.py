# SPDX-License-Identifier: GPL-3.0-or-later
"""Make Ragdoll and Remove Ragdoll: which bones become parts, with which parents, shapes, masses, limits and pairs."""

import bpy
import pytest

from limberjack.addon.props.ragdoll import ragdoll_bones

from .characters import BODY, character, choose
from .conftest import joint, link
from .humanoids import HUMANOIDS
from .ragdolls import make, names_of, parents_in, remove, stored, told
from .rigs import armature, tag

PARTS = ("hips", "chest", "head", "thigh", "shin", "arm", "hand")
"""Bones of the character that become parts: all but those of its finger."""


@pytest.fixture
def figure(scene):
    return character()


@pytest.fixture(params=HUMANOIDS)
def kind(request):
    return HUMANOIDS[request.param]


# ---- which bones


def test_parts_and_parents_of_a_character(scene, figure):
    """Guards the tree: each part hangs on the bone above it, the hips on nothing, and fingers belong to the hand."""
    rig, _ = figure
    make(rig)
    assert sorted(names_of(rig)) == sorted(PARTS)
    above = {name: parent for name, _, _, parent in BODY}
    assert parents_in(scene) == {name: above[name] for name in PARTS if above[name]}
    assert told() == "2 bones follow the bones above them: 2 × finger"


def test_parts_and_parents_of_each_kind_of_rig(scene, kind):
    """Guards names, helpers and halves of limbs of each maker: the parts are those of the body, without toes and
    halves, at most 20, and hang on each other as the body's do."""
    rig, _ = kind.build()
    make(rig)
    names = names_of(rig)
    halves = {name.format(side) for name in kind.halves.values() for side in kind.sides}
    toes = {kind.names["toes"].format(side) for side in kind.sides}
    tree = {name: above for name, (above, *_) in kind.parts().items() if name not in halves | toes}
    whole = {
        half.format(side): kind.names[part].format(side) for part, half in kind.halves.items() for side in kind.sides
    }
    assert set(names) == set(tree)
    assert len(names) <= 20
    assert parents_in(scene) == {name: whole.get(above, above) for name, above in tree.items() if above}
    assert link(rig.pose.bones[kind.names["shin"].format(kind.sides[0])]).body_part == "shin"


def test_an_upper_body_beside_the_hips_hangs_on_them(scene):
    """Guards rigs as MMD's, whose trunk and legs are siblings on a bone of the whole: they are one body."""
    rows = [
        ("センター", (0, 0, 0.8), (0, 0, 1.0), ""),
        ("下半身", (0, 0, 1.0), (0, 0, 0.85), "センター"),
        ("上半身", (0, 0, 1.0), (0, 0, 1.3), "センター"),
        ("頭", (0, 0, 1.4), (0, 0, 1.7), "上半身"),
    ]
    for side, sign in (("L", 1.0), ("R", -1.0)):
        rows += [
            (f"足.{side}", (sign * 0.1, 0, 0.9), (sign * 0.1, 0, 0.5), "下半身"),
            (f"ひざ.{side}", (sign * 0.1, 0, 0.5), (sign * 0.1, 0, 0.1), f"足.{side}"),
        ]
    rig = armature(rows)
    make(rig)
    assert parents_in(scene) == {
        "上半身": "下半身",
        "頭": "上半身",
        **{f"足.{side}": "下半身" for side in "LR"},
        **{f"ひざ.{side}": f"足.{side}" for side in "LR"},
    }
    assert len(names_of(rig)) == 7


def test_bones_that_are_links_already_stay_as_they_are(scene, figure):
    """Guards bones that the user has set up: they keep their mass and joint, other parts hang on them, and it is told.
    If none is left, it is refused."""
    rig, _ = figure
    tag(rig, "chest")
    chest = rig.pose.bones["chest"]
    link(chest).mass_source, link(chest).mass = "MASS", 3.0
    joint(chest).type = "revolute"
    before = stored(rig)
    make(rig, weight=50.0)
    after = stored(rig)
    assert {key: value for key, value in after.items() if key[0] == "chest"} == {
        key: value for key, value in before.items() if key[0] == "chest"
    }
    assert sorted(names_of(rig)) == sorted(set(PARTS) - {"chest"})
    assert sum(link(bone).mass for bone in ragdoll_bones(rig)) == pytest.approx(50.0)
    assert parents_in(scene)["head"] == "chest"
    assert joint(rig.pose.bones["head"]).axes[3].upper < 3.0, "the head has no limits"
    assert "'Rig:chest': links already, so left as they are" in told()
    remove(rig)
    tag(rig)
    choose(rig)
    with pytest.raises(RuntimeError, match="the bones of armature 'Rig' are links already: untag them first"):
        bpy.ops.limberjack.make_ragdoll()
