# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the whole model over the 3D view: joints, the links that they join, and centres of mass.

Lines are computed in the joints' own frames when the scene was read again. They are moved to the joints when something
has moved, and otherwise only drawn. Joints that look different in each position, such as springs between two points,
are computed whenever their links have moved relative to each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Matrix

from ...core.joints import BALL
from ...core.model import ModelError
from .. import bridge, watch
from ..bridge.values.numbers import scaled_pose
from ..nodes import Node, display_size, has_own_shape, is_visible, joins_itself, model_name, origin_of, world_matrix
from ..nodes.naming import node_named
from ..props.chosen import meant_active_node
from ..props.members import joints_in, links_in
from ..props.settings import joint_settings, link_settings
from .joint_glyphs import ball, dashed, glyph, limits
from .lines import Lines
from .outlines import outline_of

if TYPE_CHECKING:
    from ...core.model import Joint, Link, Model

CROSS = 0.15
"""Half the size of the mark of a centre of mass, relative to the link's inertia box."""

PIN_SIZE = 0.3
"""Half the size of the mark of a pinned link, relative to the scene's joints."""


class Layout:
    """A rig's lines, each in the frame of the object that it belongs to.

    Attributes:
        names: of the objects. owners: which of them each segment belongs to, shape (n,). points: shape (n, 2, 3).
        colors: the preference that names each segment's colour, as a number, shape (n,).
    """

    def __init__(self):
        self.names: list[str] = []
        self._parts: list[np.ndarray] = []
        self._owners: list[np.ndarray] = []
        self._colors: list[np.ndarray] = []

    def add(self, name: str, points: np.ndarray, color: int) -> None:
        if not self.names or self.names[-1] != name:
            self.names.append(name)
        self._parts.append(points)
        self._owners.append(np.full(len(points), len(self.names) - 1))
        self._colors.append(np.full(len(points), color))

    def close(self) -> Layout:
        self.points = np.concatenate([np.zeros((0, 2, 3)), *self._parts])
        self.owners = np.concatenate([np.zeros(0, dtype=np.int64), *self._owners])
        self.colors = np.concatenate([np.zeros(0, dtype=np.int64), *self._colors])
        return self

    def placed(self, frames: np.ndarray) -> np.ndarray:
        """Return the points in world axes, shape (n, 2, 3).

        Args:
            frames: of each object, shape (m, 4, 4); NaN for hidden ones.
        """
        each = frames[self.owners]
        return np.einsum("nij,nkj->nki", each[:, :3, :3], self.points) + each[:, None, :3, 3]


PALETTE = ("joint_color", "limit_color", "line_color", "loop_color", "mass_color", "problem_color", "pin_color")
JOINT, LIMIT, LINE, LOOP, MASS, PROBLEM, PIN = range(len(PALETTE))


def shown_joints(rig: bridge.rig.Rig, scene: bpy.types.Scene, style) -> list[Joint]:
    """Return the joints that are drawn.

    Those of ragdolls are left out if body parts are drawn as shapes, since their glyphs would hide the character. The
    active one is drawn by `active`. One with a problem is not left out.
    """
    if not style.show_ragdolls:
        return rig.model.joints
    nodes = {joint.name: node_named(scene, joint.name) for joint in rig.model.joints}
    return [
        joint
        for joint in rig.model.joints
        if (node := nodes[joint.name]) is None or not link_settings(node).body_part or joint.name in rig.troubled
    ]


def changes_shape(joint: Joint) -> bool:
    """Return whether a joint's lines change in its own frame when it moves. Those of a ball without limits do not."""
    if not joint.kind.chart:
        return joint.axis_count > 1
    limited = [row.axis for row in joint.kind.limited_quantities]
    if joint.kind.code != BALL:
        return bool(limited)
    return any(math.isfinite(end) for number in limited for end in joint.range_of(number))


JointLines = list[tuple[np.ndarray, int]]
"""Segments in a joint's own frame, shape (n, 2, 3), and the index of their colour in the palette."""

LineCache = dict[str, tuple[tuple[float, ...], JointLines]]
"""For each joint, the relative pose of its links and the lines that were computed for it, by name."""


def joint_layout(
    rig: bridge.rig.Rig, scene: bpy.types.Scene, style, joints: Iterable[Joint], cached: LineCache | None = None
) -> Layout:
    """Return the glyphs and limits of joints at their present values.

    Args:
        cached: lines that were computed before; they are used again if the links have not moved relative to each other.
    """
    layout, cached = Layout(), {} if cached is None else cached
    with bridge.posing.link_poses.keeping_scales():
        for joint in joints:
            obj = node_named(scene, joint.name)
            if obj is None:
                continue
            relative_pose = _relative_pose(obj)
            if joint.name not in cached or cached[joint.name][0] != relative_pose:
                try:
                    cached[joint.name] = relative_pose, _lines_of_joint(rig, obj, scene, style, joint)
                except ModelError:
                    continue  # it has changed, and the scene will be read again
            for points, color in cached[joint.name][1]:
                layout.add(joint.name, points, color)
    return layout.close()


def _relative_pose(obj: Node) -> tuple[float, ...]:
    """Return the pose of the child in the parent as a rounded matrix, so that rounding errors do not matter."""
    settings = joint_settings(obj)
    X_WP, X_WC = (
        Matrix(world_matrix(link).tolist()) if link else Matrix()
        for link in (settings.parent_node, settings.child_node)
    )
    return tuple(round(number, 5) for row in X_WP.inverted_safe() @ X_WC for number in row)


def _lines_of_joint(rig: bridge.rig.Rig, obj: Node, scene: bpy.types.Scene, style, joint: Joint) -> JointLines:
    """Return the lines of a joint. Raise `ModelError` if it cannot be drawn."""
    view = bridge.joints.axis_views.view_joint(obj, scene, joint)
    radius = display_size(obj) * style.size
    home = np.linalg.inv(bridge.posing.link_poses.matrix_of_pose(view.X_WJ))
    is_troubled = style.show_problems and joint.name in rig.troubled
    color = PROBLEM if is_troubled else LOOP if joint.name in rig.loops else JOINT
    found: JointLines = []
    if style.show_joints:
        found.append((_moved(glyph(view, radius), home), color))
    if style.show_limits:
        found.append((_moved(limits(view, radius), home), PROBLEM if is_troubled else LIMIT))
    return found


def mass_layout(model: Model, unit: float, size: float) -> Layout:
    """Return for every link a cross at its centre of mass, and the edges of a homogeneous box with its inertia."""
    layout = Layout()
    for link in model.links:
        layout.add(link.name, _box(link, size) / unit, MASS)
    return layout.close()


def capsule_layout(rig: bridge.rig.Rig, scene: bpy.types.Scene, style) -> Layout:
    """Return the outlines of the shapes with which bones collide, but for those that are drawn as shapes."""
    layout = Layout()
    for link in rig.model.links:
        node = node_named(scene, link.name)
        if node is None or has_own_shape(node) or (style.show_ragdolls and link_settings(node).body_part):
            continue
        shapes = bridge.links.bone_shapes
        if any(shape.name == shapes.collision_name(node) for shape in link.collisions):
            own = shapes.shape_of(node, rig.unit)
            assert own is not None  # it is a bone
            layout.add(link.name, outline_of(own) / rig.unit, LINE)
    return layout.close()


def pin_layout(rig: bridge.rig.Rig, scene: bpy.types.Scene, size: float) -> Layout:
    """Return for every pinned link a cross at its origin.

    It is in a ball if the position is pinned, and in a box if position and rotation are.
    """
    layout = Layout()
    joints = [obj for joint in rig.model.joints if (obj := node_named(scene, joint.name))]
    half = PIN_SIZE * size * float(np.median([display_size(obj) for obj in joints] or [1.0]))
    for link in rig.model.links:
        obj = node_named(scene, link.name)
        pin = link_settings(obj).pin if obj else "NONE"
        if pin != "NONE":
            around = ball(half) if pin == "PLACE" else _edges(np.full(3, half))
            layout.add(link.name, np.concatenate([_cross(half), around]), PIN)
    return layout.close()


def _box(link: Link, size: float) -> np.ndarray:
    """Return the edges of a link's inertia box and a cross, in the link's frame [m]."""
    xx, xy, xz, yy, yz, zz = link.inertia
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    squares = 6.0 * (moments.sum() - 2.0 * moments) / max(link.mass, 1e-12)
    half = 0.5 * np.sqrt(np.maximum(squares, 0.0))
    cross = _cross(CROSS * size * max(float(half.max()), 1e-6))
    return np.concatenate([_edges(half), cross]) @ axes.T + np.array(link.com)


def _edges(half: np.ndarray) -> np.ndarray:
    """Return the edges of a box about the origin, shape (12, 2, 3).

    Args:
        half: half of its sizes, shape (3,).
    """
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
    pairs = [(i, j) for i in range(8) for j in range(i) if np.abs(signs[i] - signs[j]).sum() == 2.0]
    return (signs * half)[np.array(pairs)]


def _cross(half: float) -> np.ndarray:
    """Return a cross along the axes through the origin, shape (3, 2, 3)."""
    return half * np.stack([-np.eye(3), np.eye(3)], axis=1)


def _moved(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return points @ matrix[:3, :3].T + matrix[:3, 3]


class _Drawing:
    """The lines that are drawn of a scene, and the keys of the state that they were made from."""

    def __init__(self):
        self.layout_key: tuple = ()
        self.placement_key: tuple = ()
        self.shown: list[Joint] = []
        self.joints = self.changing = self.masses = self.capsules = self.pins = Layout().close()
        self.shapes: LineCache = {}
        self.lines: list[Lines] = []


_drawings: dict[int, _Drawing] = {}
"""The drawings, by session uid of the scene; windows may show several scenes."""


def forget() -> None:
    _drawings.clear()


def draw(context, style) -> None:
    rig = bridge.rig.last_rig(context.scene)
    if rig is None:
        return
    for lines in up_to_date(rig, context, style).lines:
        lines.draw(style.width)


def up_to_date(rig: bridge.rig.Rig, context, style) -> _Drawing:
    """Return the scene's lines. They are made again if something that they depend on has changed."""
    drawing = _drawings.setdefault(context.scene.session_uid, _Drawing())
    scene, active = context.scene, meant_active_node(context)
    settings = [getattr(style, key) for key in _STYLE_KEYS]
    wanted = (rig.version, *(value if isinstance(value, bool | float) else tuple(value) for value in settings))
    if wanted != drawing.layout_key:
        drawing.shown = shown_joints(rig, scene, style)
        rigid = [joint for joint in drawing.shown if not changes_shape(joint)]
        drawing.joints = joint_layout(rig, scene, style, rigid)
        drawing.masses = mass_layout(rig.model, rig.unit, style.size) if style.show_masses else Layout().close()
        drawing.capsules = capsule_layout(rig, scene, style) if style.show_capsules else Layout().close()
        drawing.pins = pin_layout(rig, scene, style.size) if style.show_pins else Layout().close()
        drawing.layout_key, drawing.placement_key, drawing.shapes = wanted, (), {}
    placed = (watch.moves, model_name(active) if active else "", wanted)
    if placed != drawing.placement_key:
        drawing.changing = joint_layout(rig, scene, style, filter(changes_shape, drawing.shown), drawing.shapes)
        drawing.lines = _place(drawing, rig, scene, style, active)
        drawing.placement_key = placed
    return drawing


_SWITCHES = (
    *("show_joints", "show_limits", "show_lines", "show_masses", "show_capsules", "show_pins", "show_problems"),
    "show_ragdolls",
)
_STYLE_KEYS = (*PALETTE, *_SWITCHES, "size")
"""Preferences on which the lines depend."""


def _place(drawing: _Drawing, rig: bridge.rig.Rig, scene, style, active: Node | None) -> list[Lines]:
    """Return the lines in world axes. The active joint has only the lines to its links, since `active` draws it."""
    colors = np.array([tuple(getattr(style, name)) for name in PALETTE])
    ours = {model_name(obj): obj for obj in (*links_in(scene), *joints_in(scene))}  # a bone is both
    seen = {name: obj for name, obj in ours.items() if is_visible(obj)}
    others = {name: obj for name, obj in seen.items() if obj != active}
    found = []
    joints = {joint.name: joint for joint in rig.model.joints}
    for layout in (drawing.joints, drawing.changing):
        placed = _frames(layout.names, others, lambda obj: _joint_frame(obj, joints, ours, rig.unit))
        found.append((layout.placed(placed), colors[layout.colors]))
    with bridge.posing.link_poses.keeping_scales():
        for layout in (drawing.masses, drawing.capsules, drawing.pins):
            found.append((layout.placed(_frames(layout.names, seen, _frame)), colors[layout.colors]))
    if style.show_lines:
        found += _link_lines(rig, drawing.shown, seen, colors)
    points, shades = (np.concatenate(parts) for parts in zip(*found, strict=True))
    shown = ~np.isnan(points).any(axis=(1, 2))
    return [Lines(points[shown], shades[shown])]


def _frames(names: Iterable[str], seen: dict[str, Node], frame_of) -> np.ndarray:
    nowhere = np.full((4, 4), np.nan)
    frames = [frame_of(seen[name]) if name in seen else nowhere for name in names]
    return np.array(frames).reshape(-1, 4, 4)


def _joint_frame(obj: Node, joints: Mapping[str, Joint], links: Mapping[str, Node], unit: float) -> np.ndarray:
    """Return the parent-side frame of a joint in the world, shape (4, 4), with its origin in Blender units.

    It is the place of its Empty. That of a bone is computed from the place of its parent link.

    Args:
        joints: those of the model, by name. links: those of the scene, by name. unit: length of a Blender unit [m].
    """
    if not joins_itself(obj):
        return _matrix(obj)
    joint = joints[model_name(obj)]
    frame = bridge.posing.link_poses.matrix_of_pose(scaled_pose(joint.X_PJ, 1.0 / unit))
    parent = links.get(joint.parent)  # not read from the scene, where it takes a search through the bones above
    return _matrix(parent) @ frame if parent else frame


def _matrix(obj: Node) -> np.ndarray:
    """Return the matrix of a node without its scale, shape (4, 4)."""
    matrix = world_matrix(obj)
    matrix[:3, :3] /= np.linalg.norm(matrix[:3, :3], axis=0)
    return matrix


def _frame(link: Node) -> np.ndarray:
    """Return the matrix of a link without its scale [Blender units], shape (4, 4); NaN if it has none."""
    try:
        return bridge.posing.link_poses.matrix_of_pose(bridge.posing.link_poses.live_pose(link))
    except ModelError:
        return np.full((4, 4), np.nan)


def _link_lines(
    rig: bridge.rig.Rig, joints: Iterable[Joint], seen: dict[str, Node], colors: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return lines from each joint to its links, and a dashed line to the joint that it follows.

    The lines of joints that close loops are dashed.
    """
    from ...core.model import WORLD

    plain, loop, follows = [], [], []
    for joint in joints:
        if joint.name not in seen:
            continue
        here = origin_of(seen[joint.name])
        ends = [origin_of(seen[end]) for end in (joint.parent, joint.child) if end != WORLD and end in seen]
        (loop if joint.name in rig.loops else plain).extend((here[:], end[:]) for end in ends)
        if joint.mimic and joint.mimic.leader in seen:
            follows.append((here[:], origin_of(seen[joint.mimic.leader])[:]))
    lines = [
        (np.array(pairs).reshape(-1, 2, 3), color) for pairs, color in ((plain, LINE), (loop, LOOP), (follows, LIMIT))
    ]
    segments = [
        (lines[0][0], LINE),
        *((dashed(pairs[:, 0], pairs[:, 1]), color) for pairs, color in lines[1:]),
    ]
    return [(points, np.broadcast_to(colors[color], (len(points), 4))) for points, color in segments]
