# SPDX-License-Identifier: GPL-3.0-or-later
"""The groups of a run together include every test, and windows share tests without running one twice."""

from support.groups import GROUPS, group_of
from support.plan import Claims, Plan, order

NAMES = [f"test_file_{number % 7}.test_{number}" for number in range(200)]


def test_groups_cover_every_test_once():
    """Guards the rule that a test that is not a walk is in one group, so groups 0 to 4 miss and repeat nothing."""
    for name in NAMES:
        found = [group for group in range(GROUPS) if Plan(group=group).includes(name, is_walk=False)]
        assert found == [group_of(name)]
    assert {group_of(name) for name in NAMES} == set(range(GROUPS))


def test_the_group_of_a_name_never_changes():
    """Guards the hash: Python's own would give other groups in each process."""
    assert [group_of(f"test_{number}") for number in range(6)] == [4, 2, 0, 2, 1, 1]


def test_walks_are_in_every_group():
    assert all(Plan(group=group).includes("test_file.test_walk", is_walk=True) for group in range(GROUPS))


def test_words_choose_and_exclude():
    """Guards that a word chooses by any part of a name, "-NAME" leaves out that test alone, and both hold for walks."""
    plan = Plan(words=("test_file_1", "-test_file_1.test_1"))
    chosen = [name for name in NAMES if plan.includes(name, is_walk=True)]
    assert chosen == [name for name in NAMES if name.startswith("test_file_1.") and name != "test_file_1.test_1"]


def test_a_budget_postpones_all_but_walks():
    plan = Plan(deadline=0.0)
    assert plan.is_postponed(is_walk=False)
    assert not plan.is_postponed(is_walk=True)
    assert not Plan().is_postponed(is_walk=False)


def test_the_removal_is_last():
    names = ["test_removal.test_removed", "test_a.test_walk", "test_z.test_1", "test_panels.test_2"]
    walks = {"test_removal.test_removed", "test_a.test_walk"}
    ordered = sorted(names, key=lambda name: order(name, name in walks))
    assert ordered == ["test_a.test_walk", "test_panels.test_2", "test_z.test_1", "test_removal.test_removed"]


def test_two_windows_share_all_tests(tmp_path):
    """Guards that each test is claimed by one window, whichever asks first."""
    one, other = Claims(tmp_path / "claims"), Claims(tmp_path / "claims")
    first = [name for name in NAMES[::2] if one.claim(name)]
    second = [name for name in NAMES if other.claim(name)]
    assert (len(first), len(second)) == (100, 100)
    assert not set(first) & set(second)
