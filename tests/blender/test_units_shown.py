# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that Blender has no unit for say theirs, which is the axis's."""

from itertools import pairwise

import pytest

from .conftest import joint, link
from .paper import draw

TURNING = {
    ("Spring", "N m/rad"),
    ("Stiffness", "N m/rad"),
    ("Damping", "N m s/rad"),
    ("Friction", "N m"),
    ("Max Force", "N m"),
    ("Rotor Inertia", "kg m²"),
}
SLIDING = {
    ("Spring", "N/m"),
    ("Stiffness", "N/m"),
    ("Damping", "N s/m"),
    ("Friction", "N"),
    ("Max Force", "N"),
    ("Rotor Inertia", "kg"),
}


def units(made):
    """Names of numbers with what is written beside them."""
    written = [text for text in draw(made).labelled if text]
    return {pair for pair in pairwise(written) if pair in TURNING | SLIDING | {("Force", "N m"), ("Force", "N")}}


@pytest.mark.parametrize(("kind", "said"), [("revolute", TURNING), ("prismatic", SLIDING)])
def test_units_follow_the_axis(build, kind, said):
    """A hinge's spring is in N m/rad and a slider's in N/m, and so is each number that has no unit of Blender's."""
    cube = build.cube()
    build.tag(cube)
    made = build.join(cube, type=kind)
    axis = joint(made).axes[0]
    axis.use_lower, axis.drive_mode = True, "position"
    assert units(made) == said
    axis.drive_mode = "force"
    assert ("Force", "N m" if kind == "revolute" else "N") in units(made)


@pytest.mark.parametrize("face", ["lower_angle", "upper_angle", "drive_target_angle", "spring_reference_angle"])
def test_angles_have_tenths_of_a_degree(build, face):
    """A limit that was dragged to 28.6° is not 29° in its field, while its handle and Problems say 28.6°."""
    cube = build.cube()
    build.tag(cube)
    made = joint(build.join(cube, type="revolute"))
    assert made.axes[0].bl_rna.properties[face].precision >= 3
    assert made.coordinates[0].bl_rna.properties["value_angle"].precision >= 3


def test_a_link_says_what_its_inertia_is_in(build):
    """The six numbers of an inertia that is typed are kg m²."""
    cube = build.cube()
    build.tag(cube)
    link(cube).mass_source = "CUSTOM"
    assert "Inertia (kg m²)" in draw(cube).texts
