# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/features.md against the joint types that it is written from."""

from support.documents import DOCS, load

make_features = load("make_features")


def test_the_page_is_up_to_date():
    """Guards the page: who adds a type or a field runs `make docs`."""
    assert (DOCS / "features.md").read_text(encoding="utf-8") == make_features.page()


def test_every_field_of_every_slot_has_its_column():
    """Guards against a field that a type takes and no column tells of."""
    told = {name for feature in make_features.FEATURES for name in feature.asks}
    parts_of_others = {"xyz", "turn", "slide", "point", "lower", "dissipation", "restitution", "spring_reference"}
    parts_of_others |= {"drive_stiffness", "drive_damping", "drive_target"}
    taken = {name for kind in make_features.JOINT_TYPES.values() for slot in kind.axes for name in slot.fields}
    assert taken <= told | parts_of_others
