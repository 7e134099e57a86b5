# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygon meshes with holes, shafts and round things in them, whose true geometry is known; as (vertices, faces)."""

import math

import numpy as np


def flat_arrays(faces):
    """Corners and starts of polygons."""
    counts = [len(face) for face in faces]
    return np.array([vertex for face in faces for vertex in face]), np.cumsum([0, *counts[:-1]])


def shaft(segments, radius=1.0, length=2.0, rings=1, caps="ngon", triangles=False, taper=0.0):
    """A cylinder along z about the origin, split into `rings` along it. caps: ngon, fan or none."""
    angles = np.arange(segments) * math.tau / segments
    heights = np.linspace(-length / 2, length / 2, rings + 1)
    vertices = [
        ((radius - taper * z) * math.cos(angle), (radius - taper * z) * math.sin(angle), z)
        for z in heights
        for angle in angles
    ]
    faces = []
    for row in range(rings):
        low = row * segments
        for i in range(segments):
            j = (i + 1) % segments
            quad = (low + i, low + j, low + segments + j, low + segments + i)
            faces += [(quad[0], quad[1], quad[2]), (quad[0], quad[2], quad[3])] if triangles else [quad]
    top = rings * segments
    if caps == "ngon":
        faces += [tuple(reversed(range(segments))), tuple(range(top, top + segments))]
    elif caps == "fan":
        south, north = len(vertices), len(vertices) + 1
        vertices += [(0.0, 0.0, heights[0]), (0.0, 0.0, heights[-1])]
        for i in range(segments):
            j = (i + 1) % segments
            faces += [(j, i, south), (top + i, top + j, north)]
    return np.array(vertices, dtype=float), faces


def turned(profile, segments):
    """A surface of revolution about z, from radii and heights."""
    angles = np.arange(segments) * math.tau / segments
    vertices = [(radius * math.cos(angle), radius * math.sin(angle), z) for radius, z in profile for angle in angles]
    faces = [
        (low + i, low + (i + 1) % segments, low + segments + (i + 1) % segments, low + segments + i)
        for low in range(0, (len(profile) - 1) * segments, segments)
        for i in range(segments)
    ]
    return np.array(vertices), faces


def cone(segments, angle, top=0.0, radius=1.0):
    """The side of a cone and its flat ends, along z from 0 on; pointed, or cut off where its radius is `top`.

    angle: between its side and its axis [rad].
    """
    height = (radius - top) / math.tan(angle)
    vertices, faces = turned([(radius, 0.0), (top, height)] if top else [(radius, 0.0)], segments)
    ends = [tuple(reversed(range(segments)))]
    if top:
        return vertices, [*faces, *ends, tuple(range(segments, 2 * segments))]
    sides = [(i, (i + 1) % segments, segments) for i in range(segments)]
    return np.vstack([vertices, [(0.0, 0.0, height)]]), sides + ends


def plate_with_hole(segments, radius=1.0, thickness=0.5, width=4.0, rings=1):
    """A square plate about the origin with a round hole along z; its flat faces are cut radially into polygons."""
    (inner, walls), count = shaft(segments, radius, thickness, rings, "none"), segments
    faces = [tuple(reversed(face)) for face in walls]
    vertices = inner.tolist()
    corners = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    low = len(vertices)
    for z in (-thickness / 2, thickness / 2):
        vertices += [(width / 2 * x, width / 2 * y, z) for x, y in corners]
    for level, top in ((low, False), (low + 4, True)):
        ring = [rings * count * top + i for i in range(count)]
        begin = [math.ceil((0.25 + side / 2) * count / 2 - 1e-9) for side in range(5)]
        for side in range(4):
            arc = [ring[i % count] for i in range(begin[side], begin[side + 1] + 1)]
            face = (level + side, level + (side + 1) % 4, *reversed(arc))
            faces.append(face if top else tuple(reversed(face)))
    for side in range(4):
        nxt = (side + 1) % 4
        faces.append((low + nxt, low + side, low + 4 + side, low + 4 + nxt))
    return np.array(vertices), faces


def prism(outline, height=1.0):
    """An outline in the plane, counter-clockwise, carried up along z."""
    count = len(outline)
    vertices = [(x, y, z) for z in (0.0, height) for x, y in outline]
    faces = [(i, (i + 1) % count, count + (i + 1) % count, count + i) for i in range(count)]
    faces += [tuple(reversed(range(count))), tuple(range(count, 2 * count))]
    return np.array(vertices, dtype=float), faces


def arc(segments, start, stop, radius=1.0, centre=(0.0, 0.0)):
    angles = np.linspace(start, stop, segments + 1)
    return [(centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles]


def torus(major=1.0, minor=0.25, around=48, across=12):
    vertices, faces = [], []
    for i in range(around):
        for j in range(across):
            u, v = i * math.tau / around, j * math.tau / across
            reach = major + minor * math.cos(v)
            vertices.append((reach * math.cos(u), reach * math.sin(u), minor * math.sin(v)))
            k, l = (i + 1) % around, (j + 1) % across
            faces.append((i * across + j, k * across + j, k * across + l, i * across + l))
    return np.array(vertices), faces


def sphere(segments=32, rings=16, triangles=False):
    """As Blender makes them, with a pole at each end."""
    vertices = [
        (math.sin(t) * math.cos(p), math.sin(t) * math.sin(p), -math.cos(t))
        for t in np.arange(1, rings) * math.pi / rings
        for p in np.arange(segments) * math.tau / segments
    ]
    south, north = len(vertices), len(vertices) + 1
    vertices += [(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)]
    faces = []
    for i in range(segments):
        j = (i + 1) % segments
        faces += [(j, i, south), ((rings - 2) * segments + i, (rings - 2) * segments + j, north)]
        for low in range(0, (rings - 2) * segments, segments):
            quad = (low + i, low + j, low + segments + j, low + segments + i)
            faces += [quad[:3], (quad[0], quad[2], quad[3])] if triangles else [quad]
    return np.array(vertices), faces


def blob(segments=48, rings=24):
    """A sphere with waves on it, as a head has."""
    vertices, faces = sphere(segments, rings)
    x, y, z = vertices.T
    swell = 1.0 + 0.25 * np.sin(3 * x + 1) * np.cos(2 * y) + 0.2 * np.sin(4 * z + x) + 0.1 * np.cos(5 * y - 2 * z)
    return vertices * swell[:, None], faces
