# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of triangles by formulas."""

from __future__ import annotations

import math

import numpy as np


def grid(height, count=71, half=6.0):
    """(vertices, triangles) of a surface over a square, triangles counter-clockwise seen from above."""
    x, y = np.meshgrid(np.linspace(-half, half, count), np.linspace(-half, half, count), indexing="ij")
    vertices = np.column_stack([x.ravel(), y.ravel(), height(x, y).ravel()])
    i = np.arange(count * count).reshape(count, count)
    a, b, c, d = (part.ravel() for part in (i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]))
    return vertices, np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def tube(radius, bore, along=240, around=120, arc=math.pi / 2.0):
    """A bent tube's wall, seen from its inside: counter-clockwise from there."""
    u, v = np.linspace(0.0, arc, along), np.linspace(0.0, math.tau, around, endpoint=False)
    u, v = np.meshgrid(u, v, indexing="ij")
    out = radius + bore * np.cos(v)
    vertices = np.stack([out * np.cos(u), out * np.sin(u), bore * np.sin(v)], axis=-1).reshape(-1, 3)
    i = np.arange(along * around).reshape(along, around)
    a, b = i[:-1].ravel(), i[1:].ravel()
    c, d = np.roll(i, -1, axis=1)[1:].ravel(), np.roll(i, -1, axis=1)[:-1].ravel()
    return vertices, np.vstack([np.column_stack([a, c, b]), np.column_stack([a, d, c])])


def sphere_from_inside(radius, up, around):
    """(vertices, triangles) of a sphere, triangles counter-clockwise seen from inside."""
    u, v = np.linspace(0.0, math.pi, up), np.linspace(0.0, math.tau, around, endpoint=False)
    u, v = np.meshgrid(u, v, indexing="ij")
    vertices = radius * np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1)
    vertices[0], vertices[-1] = (0.0, 0.0, radius), (0.0, 0.0, -radius)
    i = np.arange(up * around).reshape(up, around)
    a, b = i[:-1].ravel(), i[1:].ravel()
    c, d = np.roll(i, -1, axis=1)[1:].ravel(), np.roll(i, -1, axis=1)[:-1].ravel()
    return vertices.reshape(-1, 3), np.vstack([np.column_stack([a, c, b]), np.column_stack([a, d, c])])
