# SPDX-License-Identifier: GPL-3.0-or-later
"""Balls in a row, billiard balls, and what impacts of theirs lead to by momentum and restitution, pair by pair."""

from __future__ import annotations

import numpy as np

from limberjack.core.geometry import Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Model
from support.touching import NO_TURN, solid

RADIUS = 0.05


def balls(places, masses, restitution, order=None, gravity=(0.0, 0.0, 0.0)) -> Model:
    """Return free balls without friction at places [m], shape (n, 3). order: in which links are listed."""
    surface, links, joints = Surface(friction=0.0, restitution=restitution), [], []
    for i in order or range(len(masses)):
        links.append(solid(f"b{i}", Sphere(RADIUS), masses[i], surface))
        joints.append(Joint(f"free b{i}", "free", WORLD, f"b{i}", X_PJ=(*places[i], *NO_TURN)))
    model = Model("balls", links, joints)
    model.gravity = gravity
    return model


def row(count: int, gap: float = 0.0) -> list:
    """Return places of balls along x that touch, or have gaps between them [m]."""
    return [(i * (2.0 * RADIUS + gap), 0.0, 0.0) for i in range(count)]


def after_impacts(speeds, masses, restitution) -> np.ndarray:
    """Return the speeds of balls in a row after all their impacts, each of two neighbours and at a time of its own."""
    v, m = np.array(speeds, float), np.asarray(masses, float)
    for _ in range(100_000):
        closing = v[:-1] - v[1:]
        k = int(np.argmax(closing))
        if closing[k] < 1e-9:
            return v
        impulse = (1.0 + restitution) * closing[k] * m[k] * m[k + 1] / (m[k] + m[k + 1])
        v[k] -= impulse / m[k]
        v[k + 1] += impulse / m[k + 1]
    raise AssertionError("impacts do not end")
