# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that MuJoCo takes: above 0 for what moves, and physical to its last digit."""

from xml.etree import ElementTree

import numpy as np
import pytest

from limberjack.core.formats import read, write
from limberjack.core.formats.mjcf.output.inertias import strictly_physical
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.model.editing.mending import principal_axes
from support.mjcf_bodies import rotation

SOLID = (0.01, 0.0, 0.0, 0.02, 0.0, 0.025)


def matrix(inertia):
    xx, xy, xz, yy, yz, zz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def chain(*links: Link, fixed: tuple[str, ...] = ()) -> Model:
    """Links in series from the world on, by hinges; those named in `fixed` do not turn."""
    model, parent = Model("m", list(links)), WORLD
    for link in links:
        kind = "fixed" if link.name in fixed else "continuous"
        model.joints.append(Joint(f"{link.name}_joint", kind, parent, link.name))
        parent = link.name
    return model


def inertials(model: Model, folder):
    """The <inertial> of each body that has one, and the losses."""
    losses = write(model, folder / "m.xml")
    root = ElementTree.parse(folder / "m.xml").getroot()
    found = {body.get("name"): body.find("inertial") for body in root.iter("body")}
    return {name: element for name, element in found.items() if element is not None}, losses


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [1.0, 1e-9, 1e-14, 1e-20])
def test_inertias_come_back_at_any_size(size, seed, tmp_path):
    """Guards tiny inertias, which MuJoCo refuses as a matrix and takes as principal moments with axes."""
    rng = np.random.default_rng(seed)
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    full = R @ np.diag([0.7, 0.9, 1.1]) @ R.T * size
    tiny = Link("tiny", 0.1, (0.1, 0.2, 0.3), tuple(full[np.triu_indices(3)]))
    model = chain(Link("heavy", 1.0, inertia=SOLID), tiny, fixed=("tiny",))
    _, losses = inertials(model, tmp_path)
    again = read(tmp_path / "m.xml").model.link("tiny")
    assert np.abs(matrix(again.inertia) - full).max() < 1e-12 * size
    assert (again.mass, again.com) == (tiny.mass, tiny.com)
    assert losses == []


def test_points_have_mass_and_no_moments(tmp_path):
    """Guards links with mass and inertia 0 on a body that has both."""
    point = Link("point", 0.5, inertia=(0.0,) * 6)
    found, losses = inertials(chain(Link("heavy", 1.0, inertia=SOLID), point, fixed=("point",)), tmp_path)
    assert found["point"].get("diaginertia") == "0 0 0"
    assert losses == []


def test_what_moves_without_mass_gets_the_least(tmp_path):
    """Guards the end of an arm without mass; links without mass that are fixed to it stay as they are."""
    ends = [Link(name, 0.0, inertia=(0.0,) * 6) for name in ("end", "tip", "other tip")]
    model = chain(Link("heavy", 1.0, inertia=SOLID), *ends, fixed=("tip", "other tip"))
    model.joints[-1].parent = "end"
    found, losses = inertials(model, tmp_path)
    assert set(found) == {"heavy", "end"}
    assert (found["end"].get("mass"), found["end"].get("fullinertia")) == ("1e-09", "1e-12 1e-12 1e-12 0 0 0")
    words = "1e-09 kg and principal moments from 1e-12 kg m^2 on in MJCF, since MuJoCo moves no body without"
    assert losses == [f"link 'end' has {words}"]


def test_points_that_move_get_the_least_moments(tmp_path):
    """Guards a pendulum of one point, of which MuJoCo wants three moments."""
    found, losses = inertials(chain(Link("bob", 0.5, (0.0, 0.0, -1.0), (0.0,) * 6)), tmp_path)
    assert (found["bob"].get("mass"), found["bob"].get("fullinertia")) == ("0.5", "1e-12 1e-12 1e-12 0 0 0")
    assert len(losses) == 1


def test_what_stands_still_needs_no_mass(tmp_path):
    """Guards links of the world without mass."""
    found, losses = inertials(chain(Link("wall", 0.0, inertia=(0.0,) * 6), fixed=("wall",)), tmp_path)
    assert (found, losses) == ({}, [])


def test_flat_inertias_keep_the_triangle_inequality():
    """Guards flat bodies: A + B = C becomes an inequality that rounding in MuJoCo cannot turn around."""
    flat = (1.0, 0.0, 0.0, 2.0, 0.0, 3.0)
    small, middle, large = np.linalg.eigvalsh(matrix(strictly_physical(flat)))
    assert 0.0 < small + middle - large < 1e-9
    assert strictly_physical(SOLID) == SOLID


@pytest.mark.parametrize("seed", range(5))
def test_principal_axes(seed):
    """Guards R diag(moments) R^T = I with a rotation R, whichever way the eigenvectors come."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 3))
    full = root @ root.T
    moments, quat = principal_axes(tuple(full[np.triu_indices(3)]))
    R = rotation(quat)
    assert full == pytest.approx(R @ np.diag(moments) @ R.T)
    assert moments == pytest.approx(np.linalg.eigvalsh(full))
