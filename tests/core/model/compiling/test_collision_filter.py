# SPDX-License-Identifier: GPL-3.0-or-later
"""Which links may meet."""

import random
import time

import numpy as np
import pytest

from limberjack.core.geometry import Box, Shape
from limberjack.core.model import WORLD, ContactPair, Joint, Link, Model, ModelError
from limberjack.core.model.compiling.collision_filter import collision_filter_of
from limberjack.core.model.editing.editing import rename_joint, rename_link
from limberjack.core.model.editing.grafting import graft, re_root, remove_link


def model_of(text, *joints, **families):
    """Links by letter, and joints such as "h:ab", a hinge, or "f:wa", fixed to the world."""
    kinds = {"h": "revolute", "f": "fixed", "o": "free", "d": "distance"}
    links = [Link(name, family=families.get(name, "")) for name in text]
    ends = [(kinds[joint[0]], *(WORLD if end == "w" else end for end in joint[2:])) for joint in joints]
    return Model(links=links, joints=[Joint(f"j{i}", *end) for i, end in enumerate(ends)])


def meeting_pairs(model):
    """The pairs that may meet, as "ab"."""
    collision_filter, names = collision_filter_of(model), [link.name for link in model.links]
    found = set()
    for i in range(len(names)):
        for j in range(len(names)):
            assert collision_filter.may_meet(i, j) == collision_filter.may_meet(j, i)
            if i < j and collision_filter.may_meet(i, j):
                found.add(names[i] + names[j])
    return found


def test_loose_links_meet_and_a_link_does_not_meet_itself():
    model = model_of("abc")
    assert meeting_pairs(model) == {"ab", "ac", "bc"}
    assert not collision_filter_of(model).may_meet(1, 1)


def test_a_machine_does_not_meet_itself_but_other_machines():
    """Guards the family of what joints connect, and that the world connects nothing."""
    assert meeting_pairs(model_of("abcd", "f:wa", "h:ab", "h:bc", "f:wd")) == {"bd", "cd"}


def test_self_collide_of_either_frees_all_but_neighbours():
    """Guards SDF's rule, two links of a chain of four, and its exception for links that a joint joins."""
    model = model_of("abcd", "h:ab", "h:bc", "h:cd")
    model.links[0].self_collide = True
    assert meeting_pairs(model) == {"ac", "ad"}


def test_neighbours_reach_through_welds_and_not_through_the_world():
    """Guards a gripper whose finger hangs on a plate that is welded to the wrist, and an arm that meets the floor on
    which its pedestal stands."""
    model = model_of("abcd", "f:ab", "h:bc", "f:cd")
    for link in model.links:
        link.self_collide = True
    assert meeting_pairs(model) == set()
    arm = model_of("pfax", "f:wp", "f:wf", "h:pa", "h:ax")
    assert meeting_pairs(arm) == {"fa", "fx"}


def test_what_stands_still_for_good_is_one_group():
    """Guards floors and walls against each other, also those that are fixed to something fixed; a group of links that
    is welded together and moves is one, too."""
    model = model_of("abcde", "f:wa", "f:wb", "f:bc", "f:de")
    assert meeting_pairs(model) == {"ad", "ae", "bd", "be", "cd", "ce"}


def test_joints_that_are_off_or_hold_nothing_join_nothing():
    model = model_of("abc", "h:ab", "o:bc", "o:wa")
    assert meeting_pairs(model) == {"ac", "bc"}
    model.joints[0].enabled = False
    assert meeting_pairs(model) == {"ab", "ac", "bc"}


def test_a_joint_that_has_let_go_parts_its_links():
    """Guards `acting_at`: links tied by a rope are neighbours until it is cut, and then meet."""
    model = model_of("ab", "d:ab")
    model.joints[0].released_at = 1.0
    assert meeting_pairs(model) == set()
    assert meeting_pairs(model.acting_at(2.0)) == {"ab"}


def test_named_families_hold_without_joints():
    """Guards a model of loose parts, and that a name stands apart from what joints connect."""
    assert meeting_pairs(model_of("abc", a="kit", b="kit")) == {"ac", "bc"}
    assert meeting_pairs(model_of("abc", "h:ab", "h:bc", a="kit", b="kit")) == {"ac"}


def test_contact_pairs_come_first_and_the_later_one_counts():
    """Guards pairs over joints and families, both ways, in either order of names; not over welds."""
    model = model_of("abcd", "h:ab", "f:bc")
    model.contact_pairs = [ContactPair("b", "a", True), ContactPair("a", "d", False), ContactPair("b", "c", True)]
    assert meeting_pairs(model) == {"ab", "bd", "cd"}
    model.contact_pairs.append(ContactPair("a", "b", False))
    assert meeting_pairs(model) == {"bd", "cd"}


@pytest.mark.parametrize(
    ("pair", "words"), [(("a", "x"), "there is no link 'x'; there are: a, b"), (("a", "a"), "twice")]
)
def test_pairs_of_no_links_are_refused(pair, words):
    model = model_of("ab")
    model.contact_pairs = [ContactPair(*pair, True)]
    with pytest.raises(ModelError, match=words):
        collision_filter_of(model)


def test_names_that_are_there_twice_break_nothing():
    """Guards readers, which ask this of files whose names are yet to be checked."""
    collision_filter = collision_filter_of(model_of("aab", "h:ab", "f:wa"))
    assert len(collision_filter.groups) == len(collision_filter.parts) == len(collision_filter.families) == 3
    assert isinstance(collision_filter.may_meet(0, 2), bool)


def slowly(model):
    """The rule as it is said, by search, for pairs of names."""
    adjacent = {link.name: set() for link in model.links} | {WORLD: set()}
    welds = {name: set() for name in adjacent}
    for joint in model.joints:
        adjacent[joint.parent].add(joint.child)
        adjacent[joint.child].add(joint.parent)
        if joint.type == "fixed":
            welds[joint.parent].add(joint.child)
            welds[joint.child].add(joint.parent)

    def reach(name, ways, through_world):
        found, ahead = {name}, [name]
        while ahead:
            at = ahead.pop()
            new = (ways[at] - found) if through_world or at != WORLD else set()
            found |= new
            ahead += new
        return found

    def may(a, b):
        if b.name in reach(a.name, welds, True):
            return False
        near, far = (reach(link.name, welds, False) - {WORLD} for link in (a, b))
        if any(adjacent[name] & far for name in near):
            return False
        same = b.family == a.family and (bool(a.family) or b.name in reach(a.name, adjacent, False))
        return not same or a.self_collide or b.self_collide

    return {(a.name, b.name) for a in model.links for b in model.links if a is not b and may(a, b)}


@pytest.mark.parametrize("seed", range(60))
def test_random_models_obey_the_rule(seed):
    """Guards all of it at once against a search over links."""
    draw = random.Random(seed)
    names = [f"l{i}" for i in range(8)]
    links = [Link(name, self_collide=draw.random() < 0.2, family=draw.choice(["", "", "x", "y"])) for name in names]
    joints = []
    for i in range(draw.randint(0, 9)):
        parent, child = draw.choice([WORLD, *names]), draw.choice(names)
        if parent != child:
            joints.append(Joint(f"j{i}", draw.choice(["fixed", "revolute"]), parent, child))
    model = Model(links=links, joints=joints)
    collision_filter = collision_filter_of(model)
    found = {(a, b) for i, a in enumerate(names) for j, b in enumerate(names) if collision_filter.may_meet(i, j)}
    assert found == slowly(model)


def test_ten_thousand_links_take_no_table_of_pairs():
    """Guards memory and time: arrays as long as the model, of the numbers that kernels read."""
    links = [Link(f"l{i}") for i in range(10_000)]
    joints = [Joint(f"j{i}", "revolute", f"l{i}", f"l{i + 1}") for i in range(0, 9_998) if i % 100]
    began = time.process_time()  # which does not depend on what else the machine does
    collision_filter = collision_filter_of(Model(links=links, joints=joints))
    assert time.process_time() - began < 25.0
    for array in vars(collision_filter).values():
        assert array.dtype == np.int64
        assert array.ndim == 1
        assert len(array) <= 10_000
    assert collision_filter.may_meet(100, 9_999)
    assert not collision_filter.may_meet(101, 102)
    assert not collision_filter.may_meet(101, 150)


# ---- what follows when a model is edited


def test_pairs_follow_a_link_that_is_renamed():
    model = model_of("abc", "h:ab")
    model.contact_pairs = [ContactPair("a", "b", True)]
    rename_link(model, "a", "z")
    rename_joint(model, "j0", "knee")
    assert model.contact_pairs == [ContactPair("z", "b", True)]


def test_a_subtree_takes_its_pairs_along_and_back():
    """Guards cutting and grafting: pairs within go along, pairs across are gone, names and families get the prefix."""
    model = model_of("abcd", "f:wa", "h:ab", "h:bc", "h:cd", c="hand", d="hand")
    model.contact_pairs = [ContactPair("c", "d", True), ContactPair("a", "d", False), ContactPair("a", "b", False)]
    piece = remove_link(model, "c")
    assert piece.contact_pairs == [ContactPair("c", "d", True)]
    assert model.contact_pairs == [ContactPair("a", "b", False)]
    graft(model, piece, "b", prefix="left_")
    graft(model, piece, "a", prefix="right_")
    assert [link.family for link in model.links] == ["", "", "left_hand", "left_hand", "right_hand", "right_hand"]
    assert [(pair.a, pair.b) for pair in model.contact_pairs[1:]] == [("left_c", "left_d"), ("right_c", "right_d")]
    assert collision_filter_of(model).may_meet(2, 3)
    re_root(model, "b")
    assert len(model.contact_pairs) == 3


def test_a_base_that_is_left_out_hands_its_pairs_on():
    """Guards grafting without a base: its pairs are those of what the subtree hangs on then, or gone if that is the
    world; and a pair of what is nowhere is refused."""
    arm = model_of("ab", "h:ab")
    arm.contact_pairs = [ContactPair("a", "b", True)]
    on_link, on_world = model_of("p"), model_of("p")
    graft(on_link, arm, "p", with_base=False)
    assert on_link.contact_pairs == [ContactPair("p", "b", True)]
    graft(on_world, arm, WORLD, with_base=False)
    assert on_world.contact_pairs == []
    arm.contact_pairs.append(ContactPair("b", "nobody", True))
    with pytest.raises(ModelError, match="the contact pair 'b', 'nobody' names 'nobody', which would be nowhere"):
        graft(model_of("p"), arm, "p")


def test_old_digests_stay():
    """Guards bakes of 0.1.0: this one was made before contact had any words, and what is said counts."""
    shape = Shape("c", Box((1.0, 1.0, 1.0)))
    model = Model(links=[Link("a", collisions=[shape]), Link("b")], joints=[Joint("h", "revolute", "a", "b")])
    assert model.digest() == "2f6b53886e43769b722293a40bbf99a4011323f2a833bc4722a96f917a377424"
    seen = {model.digest()}
    for owner, name, value in (
        (shape, "layers", 1),
        (shape, "meets", 1),
        (model.links[0], "self_collide", True),
        (model.links[0], "family", "x"),
        (model, "contact_pairs", [ContactPair("a", "b", True)]),
    ):
        setattr(owner, name, value)
        assert model.digest() not in seen
        seen.add(model.digest())
