# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: how far Coal has solids apart, of pairs as `told` of tests/support/contacts.py has them.

Use: collision_coal.py PAIRS.json. Prints a list of [distance, the segment between both in six numbers]; infinity
where it makes no such shape.
"""

import json
import sys

import coal
import numpy as np


def shape_of(solid):
    x, y, z = solid["half"]
    if solid["kind"] == "hull":
        points = coal.StdVec_Vec3s()
        for point in solid["points"]:
            points.append(np.array(point))
        return coal.ConvexBase.convexHull(points, True, "Qt")
    return {
        "plane": lambda: coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0),
        "ball": lambda: coal.Sphere(solid["radius"]),
        "capsule": lambda: coal.Capsule(solid["radius"], 2.0 * z),
        "box": lambda: coal.Box(2.0 * x, 2.0 * y, 2.0 * z),
        "cylinder": lambda: coal.Cylinder(x, 2.0 * z),
        "cone": lambda: coal.Cone(x, 2.0 * z),
        "ellipsoid": lambda: coal.Ellipsoid(x, y, z),
    }[solid["kind"]]()


def is_made(solid):
    """Whether Coal makes it: of points in a plane it makes no hull, and dies."""
    if solid["kind"] != "hull":
        return True
    points = np.array(solid["points"])
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return len(points) > 3 and sizes[2] > 1e-9 * sizes[0]


def main(path):
    with open(path) as file:
        pairs = json.load(file)
    request = coal.DistanceRequest()
    request.gjk_tolerance = request.epa_tolerance = 1e-10
    request.gjk_max_iterations = request.epa_max_iterations = 500
    told = []
    for pair in pairs:
        arguments = []
        if not all(map(is_made, pair)):
            told.append([float("inf")] + [0.0] * 6)
            continue
        for solid in pair:
            place = coal.Transform3s(np.array(solid["rotation"]).reshape(3, 3), np.array(solid["position"]))
            arguments += [shape_of(solid), place]
        result = coal.DistanceResult()
        coal.distance(*arguments, request, result)
        told.append([result.min_distance, *result.getNearestPoint1(), *result.getNearestPoint2()])
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
