# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of a model in a pose: its shapes, and lines between the origins of links and their joints."""

from __future__ import annotations

import io
import json
import math
import sys
import tempfile
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..formats import write
from ..formats.files import write_together
from ..geometry import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Sphere
from ..geometry.primitives.facets import as_mesh
from ..kinematics import closed_state, dependence_clauses, forward_kinematics
from ..model import WORLD
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, Values
from ..processes import spawning
from ..spatial import IDENTITY, Pose, compose, quat_of_z, quat_to_mat

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDES = 24
"""Number of sides of round shapes."""

SUFFIXES = (".png", ".svg", ".pdf")
"""Suffixes of pictures."""
BLEND = ".blend"
"""Suffix of a scene."""
VIEW = (25.0, -55.0)
"""Direction of view: elevation above the ground, and azimuth about the z axis [degrees]."""

SKIN, EDGE, BONE = "#9db4c8", "#5d7488", "#c0562f"


def show(model: AnyModel, q: Values = None, path: str | Path | None = None) -> Figure:
    """Draw a model and return the figure. Notebooks display it.

    Args:
        model: a model or a compiled model.
        q: shape (nq,), or {joint: number or list}. Joints that are left out are at home, or where loops move them.
        path: file to write, if any: .png, .svg or .pdf; or .blend, for which Blender saves a scene of the
            model in this pose, as `write` gives it in SDF, with the settings of the add-on.

    Raises:
        ImportError: if matplotlib is not installed, or Blender's module for a .blend. StateError: if q does not fit the
            model. ValueError: if the suffix is another one. UnwritableError: if the file cannot be written.
    """
    compiled = compiled_of(model)
    suffix = Path(path).suffix.lower() if path is not None else ".png"
    if suffix not in (*SUFFIXES, BLEND):
        raise ValueError(f"{path}: a picture is saved as {', '.join(SUFFIXES)} or {BLEND}, not '{suffix}'")
    if (q is None or isinstance(q, Mapping)) and dependence_clauses(compiled):
        at, _ = closed_state(compiled, q)
    else:
        at = compiled.positions(q)
    figure = _figure_of(compiled, at)
    if path is not None and suffix == BLEND:
        _save_blend(compiled, at, Path(path))
    elif path is not None:
        drawn = io.BytesIO()
        figure.savefig(drawn, format=suffix[1:], dpi=160)
        write_together(Path(path), {Path(path).name: drawn.getvalue()})
    return figure


def _save_blend(compiled: CompiledModel, q: np.ndarray, path: Path) -> None:
    """Write a .blend by the command line in a process of its own, since core does not know Blender."""
    with tempfile.TemporaryDirectory() as folder:
        model, state = Path(folder) / "model.sdf", Path(folder) / "state.json"
        write(compiled.model, model)
        state.write_text(json.dumps({"q": compiled.q_by_joint(q)}), encoding="utf-8")
        package = __name__.rpartition(".core.")[0]
        asked = [model, "--output", path.resolve(), "--initial", state, "--frames", "1", "1", "--no-contact"]
        done = spawning.run([sys.executable, "-m", package, "bake", *map(str, asked)])
        if done.returncode:
            kind = ImportError if "bpy" in done.stderr else ValueError
            raise kind(f"{path} was not written: {done.stderr.strip() or done.stdout.strip()}")


def _figure_of(compiled: CompiledModel, q: np.ndarray) -> Figure:
    try:
        from matplotlib.figure import Figure
        from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
    except ImportError as error:
        raise ImportError("show draws with matplotlib: pip install limberjack[plots]") from error
    X_WL, _ = forward_kinematics(compiled, q)
    poses: dict[str, Pose] = dict(zip(compiled.link_names, map(tuple, X_WL.tolist()), strict=True))
    faces = [placed(face, compose(poses[name], pose)) for name, pose, face in _faces(compiled)]
    bones = [np.array(line) for line in _bones(compiled, poses | {WORLD: IDENTITY})]
    figure = Figure((7.0, 6.0), layout="constrained", facecolor="white")
    axes = figure.add_subplot(projection="3d")
    if faces:
        axes.add_collection3d(Poly3DCollection(faces, facecolor=SKIN, edgecolor=EDGE, linewidth=0.2, alpha=0.85))
    axes.add_collection3d(Line3DCollection(bones, colors=BONE, linewidths=2.0))
    points = np.vstack([*faces, *bones, X_WL[:, :3]])
    middle, reach = 0.5 * (points.min(axis=0) + points.max(axis=0)), 0.5 * max(np.ptp(points, axis=0).max(), 1e-3)
    for at, set_limits in enumerate((axes.set_xlim, axes.set_ylim, axes.set_zlim)):
        set_limits(middle[at] - reach, middle[at] + reach)
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]", title=compiled.model.name)
    axes.set_box_aspect((1, 1, 1))
    axes.view_init(*VIEW)
    return figure


def _faces(compiled: CompiledModel) -> Iterator[tuple[str, Pose, np.ndarray]]:
    """Yield each face: name of the link, pose of the shape in the link, corners in the shape's frame."""
    for link in compiled.model.links:
        for shape in link.visuals or link.collisions:
            for face in faces_of(shape.geometry):
                yield link.name, shape.pose, face


def _bones(compiled: CompiledModel, poses: dict[str, Pose]) -> Iterator[list]:
    """Yield lines from the origin of each link to its joints."""
    for joint in compiled.model.joints:
        for link, X_LJ in ((joint.parent, joint.X_PJ), (joint.child, joint.X_CJ)):
            if link != WORLD:
                yield [poses[link][:3], compose(poses[link], X_LJ)[:3]]


def placed(corners: np.ndarray, X: Pose) -> np.ndarray:
    """Return points, shape (n, 3), in the frame in which the pose X is given [m]."""
    return corners @ np.array(quat_to_mat(X[3:])).reshape(3, 3).T + np.array(X[:3])


def faces_of(geometry: Geometry | None) -> list[np.ndarray]:
    """Return the faces of a shape, each of shape (corners, 3) [m]. A mesh whose file was not read has none."""
    match geometry:
        case Box(size):
            half = 0.5 * np.array(size)
            return [half * _side(axis, sign) for axis in range(3) for sign in (-1.0, 1.0)]
        case Sphere(radius):
            return faces_of(Ellipsoid((radius, radius, radius)))
        case Cylinder(radius, length):
            return _turned([(0.0, -length / 2), (radius, -length / 2), (radius, length / 2), (0.0, length / 2)])
        case Capsule(radius, length):
            arc = np.linspace(0.0, math.pi / 2, SIDES // 4 + 1)
            upper = [(radius * math.cos(a), length / 2 + radius * math.sin(a)) for a in arc]
            return _turned([(r, -z) for r, z in reversed(upper)] + upper)
        case Plane(normal, size):
            side = 0.5 * np.array([*size, 0.0]) * _side(2, 0.0)
            return [side @ np.reshape(quat_to_mat(quat_of_z(normal)), (3, 3)).T]
        case Mesh(vertices=vertices) if vertices is not None:
            points = np.asarray(vertices) * np.array(geometry.scale)
            return [points[list(face)] for face in geometry.faces]
        case Mesh() | None:
            return []
    mesh = as_mesh(geometry)  # type: ignore[arg-type]
    return faces_of(mesh) if mesh else []


def _side(axis: int, sign: float) -> np.ndarray:
    """Return the corners of a side of the cube from -1 to 1."""
    corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    return np.insert(corners, axis, sign, axis=1)


def _turned(profile: list[tuple[float, float]]) -> list[np.ndarray]:
    """Return the faces of the surface that an outline, (radius, z), forms when it rotates about z."""
    angles = np.linspace(0.0, 2.0 * math.pi, SIDES + 1)
    rings = [np.stack([r * np.cos(angles), r * np.sin(angles), np.full(SIDES + 1, z)], axis=1) for r, z in profile]
    return [np.array([low[i], low[i + 1], high[i + 1], high[i]]) for low, high in pairwise(rings) for i in range(SIDES)]
