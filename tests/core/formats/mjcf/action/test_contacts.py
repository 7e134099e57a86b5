# SPDX-License-Identifier: GPL-3.0-or-later
"""Guards which links and geoms collide."""

import pytest

from limberjack.core.model import ContactPair
from support.mjcf_texts import errors_of, issues_of, model_of

BODIES = """<geom name="floor" type="plane" size="1 1 1"/>
<body name="a"><freejoint/><geom name="g" size="0.1" contype="0" conaffinity="0"/><geom name="h" size="0.1"/></body>
<body name="b" pos="1 0 0"><freejoint/><geom name="k" size="0.1" contype="0" conaffinity="0"/></body>"""


def contact(content, rest=""):
    return model_of(BODIES, f"{rest}<contact>{content}</contact>")


def collide(model, first, second):
    """Return whether the masks of two shapes let them collide, by MuJoCo's rule."""
    shapes = {shape.name: shape for link in model.links for shape in link.collisions}
    one, other = shapes.get(first), shapes.get(second)
    return bool(one and other and (one.layers & other.meets or other.layers & one.meets))


def test_exclude():
    """Two bodies that are excluded do not collide."""
    assert contact('<exclude body1="a" body2="b"/>').contact_pairs == [ContactPair("a", "b", False)]


def test_a_pair_collides_whatever_its_masks():
    """A pair of geoms without masks gets a layer of its own: they collide with each other and with nothing else."""
    model = contact('<pair geom1="g" geom2="k"/>')
    assert collide(model, "g", "k")
    assert not collide(model, "g", "floor")
    assert not collide(model, "k", "h")
    assert ContactPair("a", "b", True) in model.contact_pairs


def test_pairs_have_layers_of_their_own():
    """Guards two pairs, which must not collide crosswise."""
    model = contact('<pair geom1="g" geom2="k"/><pair geom1="h" geom2="k"/>')
    assert collide(model, "g", "k")
    assert collide(model, "h", "k")
    assert not collide(model, "g", "floor")


def test_a_pair_that_collides_anyway():
    """Nothing changes."""
    assert contact('<pair geom1="h" geom2="floor"/>').contact_pairs == []


def test_contacts_that_are_off():
    """The flag takes all collisions away."""
    model = contact('<exclude body1="a" body2="b"/>', '<option><flag contact="disable"/></option>')
    assert all(not link.collisions for link in model.links)


def test_too_many_pairs():
    """32 layers are all there are; what is left out is told."""
    geoms = "".join(f'<geom name="g{i}" size="0.1" contype="0" conaffinity="0"/>' for i in range(40))
    bodies = f'<body><freejoint/>{geoms}</body><body pos="1 0 0"><freejoint/><geom name="k" size="0.1"/></body>'
    pairs = "".join(f'<pair geom1="g{i}" geom2="k"/>' for i in range(40))
    assert ("warning", "no-layer") in issues_of(bodies, f"<contact>{pairs}</contact>")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('<exclude body1="a" body2="z"/>', "unknown-body"),
        ('<exclude body1="a"/>', "unknown-body"),
        ('<pair geom1="g" geom2="z"/>', "unknown-geom"),
        ('<pair geom2="g"/>', "unknown-geom"),
    ],
)
def test_wrong_contacts(content, code):
    """Guards refusals: each text gives exactly one error."""
    assert errors_of(BODIES, f"<contact>{content}</contact>") == [code]


def test_a_body_does_not_collide_with_its_parent():
    """MuJoCo filters a body and its parent, unless the parent is the world or filterparent is off."""
    bodies = """<body name="a"><freejoint/><geom size="0.1"/><body name="b"><joint/><geom size="0.1"/></body></body>"""
    assert ContactPair("a", "b", True) not in model_of(bodies).contact_pairs
    free = model_of(bodies, '<option><flag filterparent="disable"/></option>')
    assert ContactPair("a", "b", True) in free.contact_pairs
