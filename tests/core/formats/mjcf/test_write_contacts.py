# SPDX-License-Identifier: GPL-3.0-or-later
"""Guards which geoms of a written file collide, by MuJoCo's rule of masks, and their surfaces."""

from itertools import combinations
from xml.etree import ElementTree

import pytest

from limberjack.core.formats import read, write
from limberjack.core.geometry import Shape, Sphere, Surface
from limberjack.core.model import WORLD, ContactPair, Joint, Link, Model

SOLID = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)


def arms(count: int, links: int = 2) -> Model:
    """Arms of several links that turn, each with a ball, and a ball on the world."""
    model = Model("m")
    for arm in range(count):
        parent = WORLD
        for number in range(links):
            name = f"{arm}.{number}"
            link = Link(name, 1.0, inertia=SOLID)
            link.collisions = [Shape(f"ball {name}", Sphere(0.1))]
            model.links.append(link)
            model.joints.append(Joint(f"j{name}", "revolute", parent, name))
            parent = name
    ground = Link("ground", 0.0)
    ground.collisions = [Shape("ball ground", Sphere(0.1))]
    model.links.append(ground)
    model.joints.append(Joint("held", "fixed", WORLD, "ground"))
    return model


def written(model: Model, folder):
    losses = write(model, folder / "m.xml")
    return ElementTree.parse(folder / "m.xml").getroot(), losses


def colliding(root) -> set[tuple[str, str]]:
    """Pairs of bodies whose geoms collide by masks and <exclude>, also those of a body and its parent."""
    masks = {}
    for body in root.iter("body"):
        for geom in body.findall("geom"):
            masks[body.get("name")] = [int(geom.get(name, "1")) for name in ("contype", "conaffinity")]
    excluded = {frozenset((each.get("body1"), each.get("body2"))) for each in root.findall("contact/exclude")}
    return {
        (a, b)
        for a, b in combinations(sorted(masks), 2)
        if frozenset((a, b)) not in excluded and (masks[a][0] & masks[b][1] or masks[b][0] & masks[a][1])
    }


@pytest.mark.parametrize("count", [1, 2, 31, 33])
def test_families_do_not_collide_with_themselves_and_with_all_others(count, tmp_path):
    """Guards families by layers, and by excluded pairs where there are more families than layers."""
    model = arms(count)
    root, losses = written(model, tmp_path)
    names = [link.name for link in model.links]
    expected = {(a, b) for a, b in combinations(sorted(names), 2) if a.split(".")[0] != b.split(".")[0]}
    assert colliding(root) == expected
    assert losses == []
    assert bool(root.findall("contact/exclude")) == (count > 31)


def test_links_that_collide_within_their_family_do_so(tmp_path):
    """Guards self_collide, which is what MuJoCo does by itself."""
    model = arms(1, links=3)
    for link in model.links:
        link.self_collide = True
    model.contact_pairs = [ContactPair("0.0", "0.2", False)]
    root, losses = written(model, tmp_path)
    assert colliding(root) == {(a, b) for a, b in combinations(["0.0", "0.1", "0.2", "ground"], 2)} - {("0.0", "0.2")}
    assert losses == []


def test_neighbours_that_collide_by_a_pair_do_so(tmp_path):
    """Guards contact pairs that take precedence over joints and families; geoms whose layers do not fit stay apart."""
    model = arms(1, links=3)
    model.contact_pairs = [ContactPair("0.0", "0.1", True)]
    model.link("0.1").collisions.append(Shape("apart", Sphere(0.1), layers=0))
    model.link("0.1").collisions[-1].meets = 0
    root, losses = written(model, tmp_path)
    pairs = [(each.get("geom1"), each.get("geom2")) for each in root.findall("contact/pair")]
    assert (pairs, losses) == ([("ball 0.0", "ball 0.1")], [])


def test_the_world_is_excluded_by_its_name(tmp_path):
    """Guards pairs with the scenery, whose geoms are in the world's body, which has a name of its own in MuJoCo."""
    model = arms(1, links=1)
    model.link("ground").name = model.joints[-1].child = "worldbody"
    model.contact_pairs = [ContactPair("worldbody", "0.0", False)]
    root, _ = written(model, tmp_path)
    (exclude,) = root.findall("contact/exclude")
    assert {exclude.get("body1"), exclude.get("body2")} == {"world", "0.0"}


def test_given_layers_are_masks(tmp_path):
    """Guards the 32 bits of layers; the last one is the sign of MuJoCo's numbers."""
    model = arms(1, links=1)
    shape = model.link("0.0").collisions[0]
    shape.layers, shape.meets = 0x8000_0001, 0x6
    root, _ = written(model, tmp_path)
    geom = root.find(".//geom[@name='ball 0.0']")
    assert (geom.get("contype"), geom.get("conaffinity")) == (str(0x8000_0001 - 2**32), "6")
    again = read(tmp_path / "m.xml").model.link("0.0").collisions[0]
    assert (again.layers, again.meets) == (0x8000_0001, 0x6)


SURFACES = {
    "default": Surface(),
    "slippery": Surface(friction=0.0),
    "rough": Surface(friction=0.3),
    "spinning": Surface(friction=0.7, spinning_friction=0.02),
    "rolling": Surface(friction=0.7, rolling_friction=0.003),
    "rolling without friction": Surface(friction=0.0, rolling_friction=0.003),
    "soft": Surface(friction=0.5, stiffness=2e4, dissipation=0.3),
    "softer": Surface(stiffness=50.0),
    "hard": Surface(stiffness=1e7, dissipation=2.0),
}


@pytest.mark.parametrize("name", SURFACES)
def test_surfaces_come_back(name, tmp_path):
    """Guards frictions, and stiffness and damping in the form of MuJoCo, which depend on the mass and gravity."""
    model = arms(1, links=1)
    model.link("0.0").collisions[0].surface = SURFACES[name]
    model.link("0.0").mass = 2.5
    _, losses = written(model, tmp_path)
    again = read(tmp_path / "m.xml").model.link("0.0").collisions[0].surface
    given = SURFACES[name]
    for field in ("friction", "spinning_friction", "rolling_friction"):
        assert getattr(again, field) == getattr(given, field), field
    if name in ("soft", "softer", "hard"):
        assert again.stiffness == pytest.approx(given.stiffness, rel=1e-6)
        assert again.dissipation == pytest.approx(given.dissipation, rel=1e-6)
    assert losses == []


def test_what_surfaces_lack_in_mjcf_is_told(tmp_path):
    """Guards the losses of surfaces: restitution, static friction, belts, and stiffness of what stands still."""
    model = arms(1, links=1)
    given = Surface(static_friction=1.5, restitution=0.4, velocity=(1.0, 0.0, 0.0), slip_speed=0.01)
    model.link("0.0").collisions[0].surface = given
    model.link("ground").collisions[0].surface = Surface(stiffness=1e4)
    _, losses = written(model, tmp_path)
    subject = "link '0.0': collision 'ball 0.0'"
    words = "its stiffness of 10000 N/m is left out, since it has no weight to sink by in MJCF"
    assert losses == [
        f"{subject}: MJCF has no restitution; 0.4 is left out",
        f"{subject}: MJCF has no slip speed; 0.01 is left out",
        f"{subject}: MJCF has no static friction; 1.5 is lost",
        f"{subject}: the velocity of its surface is left out; the belt stands still",
        f"link 'ground': collision 'ball ground': {words}",
    ]


def test_the_smaller_friction_counts_in_mujoco_too(tmp_path):
    """Guards ice under a rubber foot: of two priorities MuJoCo takes the higher one, and so the smaller friction."""
    model = arms(1, links=4)
    touching = [link for link in model.links if link.collisions]
    for link, friction in zip(touching[:3], (0.2, 1.0, 0.6), strict=True):
        link.collisions[0].surface = Surface(friction=friction)
    root, _ = written(model, tmp_path)
    geoms = [geom for geom in root.iter("geom") if geom.get("contype") != "0"]
    found = {float(geom.get("friction", "1").split()[0]): int(geom.get("priority", "0")) for geom in geoms}
    assert found[1.0] < found[0.6] < found[0.2]
