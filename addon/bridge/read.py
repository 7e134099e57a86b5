"""A scene, read as a `Model`. Whatever frame the scene is at, baked or not, the model is the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from functools import partial

import bpy

from ...core.joints import Unit
from ...core.model import WORLD, Axis, Joint, Link, Mimic, Model, ModelError
from ...core.model.naming import claim
from ...core.spatial import IDENTITY, compose, inverse, norm, quat_normalized, scale
from .. import ids
from ..props import axes_in_use, core_joint, is_joint, is_link
from .fields import INERTIAL_FIELDS, JOINT_FIELDS, LINK_FIELDS, MIMIC_FIELDS, fields_on, read_fields
from .frames import joint_frames, require_both_ends
from .kept import parse_extras
from .mass import Weight, is_weighed, weigh
from .motion import changes_its_size, is_animated
from .numbers import Units, scaled_pose, shortest, shortest_all, unit_length, units_of
from .parts import Surroundings, surroundings_of
from .poses import drawn_pose
from .shapes import MeshFormat, ShapeReader
from .surroundings import STATIC, add_frames, add_lights, add_static_objects

KINEMATIC = "_kinematic"
"""As `STATIC`, for a link that moves as it is animated: what readers call it that find such a link in a file."""


@dataclass
class SceneReading:
    """A model, and what the scene has to do with it.

    Attributes:
        objects: the object of each link, by the link's name.
        weights: what was found for each link that is weighed.
        leads: of each link that moves as it is animated, the joint that holds it where it was drawn in the model.
        remarks: what was left out or changed besides.
        notes: what had to be assumed, for the user.
    """

    model: Model
    objects: dict[str, bpy.types.Object]
    weights: dict[str, Weight] = field(default_factory=dict)
    leads: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def notes(self) -> list[str]:
        weighed = [f"link '{name}': {note}" for name, weight in self.weights.items() for note in weight.notes]
        return list(dict.fromkeys(weighed + self.remarks))


@dataclass(frozen=True)
class Fault:
    """An object that cannot be read, and why. name: the object's."""

    name: str
    message: str


def read_scene(scene: bpy.types.Scene, depsgraph=None, with_shapes: bool = False) -> Model:
    """The scene's links and joints, parents first, by name among equals. with_shapes: with visuals and collisions.

    Raises:
        ModelError: a joint or link cannot be used; the message names the object and says what to do.
    """
    return scan_scene(scene, depsgraph, with_shapes).model


def scan_scene(
    scene: bpy.types.Scene,
    depsgraph=None,
    with_shapes: bool = False,
    first: int | None = None,
    *,
    with_surroundings: bool = False,
    mesh_format: MeshFormat = "OBJ",
    weigh: Callable[[bpy.types.Object, Surroundings], Weight] = weigh,
    faults: list[Fault] | None = None,
) -> SceneReading:
    """As `read_scene`, with the objects and what was found on the way.

    first: the frame from which times are counted, where a simulation starts; the scene's own first where it is None.
    with_surroundings: with lights, and what is seen and belongs to no link, as links fixed to the world.
    mesh_format: "GLTF" to have each mesh as a glTF file too.
    weigh: for a caller that knows weights already.
    faults: given, an object that cannot be read is left out and told there, where else the reading ends with its error.
    """
    around = surroundings_of(scene, depsgraph or depsgraph_of(scene))
    units = units_of(scene, first)
    in_order = sorted(scene.objects, key=lambda obj: obj.name)
    taken: set[str] = set()
    ours = [*filter(is_link, in_order), *filter(is_joint, in_order)]
    named = _each(ours, partial(_with_good_name, taken=taken), faults)
    links, joints = list(filter(is_link, named)), list(filter(is_joint, named))
    settings = getattr(scene, ids.SCENE)
    model = Model(name=settings.model_name or scene.name, gravity=gravity_of(scene))
    model.extras = parse_extras(settings.extras, f"scene '{scene.name}'")
    reading = SceneReading(model, {obj.name: obj for obj in links})
    shapes = ShapeReader(around, mesh_format) if with_shapes else None
    read_link = partial(_link, around=around, units=units, shapes=shapes, reading=reading, weigh=weigh)
    model.links = _each(links, read_link, faults)
    known = {link.name for link in model.links} | {WORLD}
    found = _each(joints, partial(read_joint, units=units, objects=set(in_order)), faults)
    model.joints = [joint for joint in found if {joint.parent, joint.child} <= known]
    _hold(reading)
    _pose_and_order(model)
    add_frames(model, scene, around)
    if with_surroundings:
        reading.remarks += add_static_objects(model, scene, shapes or ShapeReader(around, mesh_format))
        reading.remarks += add_lights(model, scene, around)
    if shapes:
        reading.remarks += shapes.notes + shapes.materials.notes
        reading.remarks += [
            f"link '{name}' moves as it is animated, which files have no words for: there it is fixed to the world"
            for name in reading.leads
        ]
    return reading


def _each(objects: list[bpy.types.Object], read: Callable, faults: list[Fault] | None) -> list:
    found = []
    for obj in objects:
        try:
            found.append(read(obj))
        except ModelError as error:
            if faults is None:
                raise
            faults.append(Fault(obj.name, str(error)))
    return found


def _hold(reading: SceneReading) -> None:
    """Fix the static and kinematic links to the world where they were drawn, unless a joint of the scene does.

    These joints come first, so that they place their links, and what else leads there closes loops.
    """
    model, held = reading.model, []
    taken = {item.name for item in (*model.links, *model.joints)}
    for link in model.links:
        obj = reading.objects[link.name]
        motion = getattr(obj, ids.LINK).motion
        if motion == "FREE":
            continue
        holder = _holder_of(model, link.name)
        if holder is None:
            name = claim(f"{link.name}{STATIC if motion == 'STATIC' else KINEMATIC}", taken)
            holder = Joint(name, "fixed", WORLD, link.name, X_PJ=link.pose)
            held.append(holder)
        if motion == "KINEMATIC" and is_animated(obj):
            reading.leads[link.name] = holder.name
    model.joints = held + model.joints


def _holder_of(model: Model, link: str) -> Joint | None:
    """The joint that fixes a link to the world for good."""
    for joint in model.joints:
        is_held = {joint.parent, joint.child} == {WORLD, link} and joint.type == "fixed"
        if is_held and joint.enabled and joint.released_at == math.inf:
            return joint
    return None


def _pose_and_order(model: Model) -> None:
    """Put links where the joints' frames put them, wherever an animation has left their objects, and parents first.

    At q = 0 the two frames of a joint coincide, whatever its type. What closes a loop, as core sees it, places nothing,
    nor does what is switched off.
    """
    tree = model.acting_at(-math.inf).tree()
    poses = {WORLD: IDENTITY} | {name: model.link(name).pose for name in tree.roots}
    rank = {name: (i, 0) for i, name in enumerate(poses)}
    for branch in tree.branches:
        joint = branch.joint
        inner, outer = (joint.X_CJ, joint.X_PJ) if branch.backward else (joint.X_PJ, joint.X_CJ)
        poses[branch.outer] = compose(compose(poses[branch.inner], inner), inverse(outer))
        root, depth = rank[branch.inner]
        rank[branch.outer] = (root, depth + 1)
    for link in model.links:
        link.pose = poses[link.name]
    order = {name: i for i, name in enumerate(sorted(poses, key=rank.__getitem__))}
    model.links.sort(key=lambda link: order[link.name])
    model.joints.sort(key=lambda joint: max(order[joint.parent], order[joint.child]))


def depsgraph_of(scene: bpy.types.Scene) -> bpy.types.Depsgraph:
    """The scene's dependency graph, evaluated; the scene need not be the one in the window."""
    if bpy.context.scene == scene:
        return bpy.context.evaluated_depsgraph_get()
    layer = scene.view_layers[0]
    layer.update()
    assert layer.depsgraph is not None  # as it is before the first update only
    return layer.depsgraph


def gravity_of(scene: bpy.types.Scene) -> tuple[float, float, float]:
    """In m/s^2: Blender keeps it in the scene's units, as all lengths."""
    return scale(shortest_all(scene.gravity), unit_length(scene)) if scene.use_gravity else (0.0, 0.0, 0.0)


def _with_good_name(obj: bpy.types.Object, taken: set[str]) -> bpy.types.Object:
    if obj.name == WORLD:
        raise ModelError(f"object '{WORLD}' has the name of the world itself: give it another name")
    if is_link(obj) and is_joint(obj):
        raise ModelError(f"object '{obj.name}' is a link and a joint at once: untag the link, or delete the joint")
    if obj.name in taken:
        raise ModelError(f"two objects are named '{obj.name}', one of them in a library: rename one")
    taken.add(obj.name)
    return obj


def _link(
    obj: bpy.types.Object,
    around: Surroundings,
    units: Units,
    shapes: ShapeReader | None,
    reading: SceneReading,
    weigh: Callable[[bpy.types.Object, Surroundings], Weight],
) -> Link:
    _require_constant_size(obj)
    settings = getattr(obj, ids.LINK)
    if is_weighed(obj):
        weight = reading.weights[obj.name] = weigh(obj, around)
        inertial = {"mass": weight.mass, "com": weight.com, "inertia": weight.inertia}
    else:
        inertial = read_fields(INERTIAL_FIELDS, settings, units)
    visuals, collisions = shapes.of_link(obj) if shapes else ([], [])
    pose = scaled_pose(drawn_pose(obj), units.length)
    others = read_fields(LINK_FIELDS, settings, units)
    extras = parse_extras(settings.extras, f"link '{obj.name}'")
    return Link(obj.name, pose=pose, visuals=visuals, collisions=collisions, extras=extras, **inertial, **others)


def _require_constant_size(link: bpy.types.Object) -> None:
    """Nor may what carries the link change its own, since the link would grow with it."""
    obj = link
    while obj is not None:
        if changes_its_size(obj):
            carrier = "" if obj == link else f", and it carries link '{link.name}'"
            what = "link" if obj == link else "object"
            raise ModelError(
                f"{what} '{obj.name}' changes its size in its animation{carrier}: a rigid body cannot; delete the keys "
                "or drivers of its scale"
            )
        obj = obj.parent


def read_joint(obj: bpy.types.Object, units: Units, objects: Container[bpy.types.Object]) -> Joint:
    """objects: those of the scene, and so those that the joint may speak of.

    Raises:
        ModelError: the joint cannot be used as it is.
    """
    settings = getattr(obj, ids.JOINT)
    known = core_joint(settings)
    parent, child = _ends(obj, settings, objects)
    X_PJ, X_CJ = joint_frames(obj)
    return Joint(
        obj.name,
        settings.type,
        parent,
        child,
        X_PJ=scaled_pose(X_PJ, units.length),
        X_CJ=scaled_pose(X_CJ, units.length),
        axes=[_axis(known, number, axis, units) for number, axis in enumerate(axes_in_use(settings))],
        home=_home(known, settings, units.length) if settings.use_home else (),
        mimic=_mimic(obj, settings, units, objects) if settings.use_mimic else None,
        extras=parse_extras(settings.extras, f"joint '{obj.name}'"),
        **read_fields(JOINT_FIELDS, settings, units),
    )


def _ends(obj: bpy.types.Object, settings, objects: Container[bpy.types.Object]) -> tuple[str, str]:
    require_both_ends(obj)
    if settings.child == settings.parent:
        raise ModelError(f"joint '{obj.name}' joins '{settings.child.name}' with itself: choose another parent")
    for end, role in ((settings.parent, "parent"), (settings.child, "child")):
        if end is None:
            continue
        if end not in objects:
            raise ModelError(f"joint '{obj.name}': its {role} '{end.name}' is not in this scene: choose another link")
        if not is_link(end):
            raise ModelError(f"joint '{obj.name}': its {role} '{end.name}' is no link: tag it, or choose another")
    return settings.parent.name if settings.parent else WORLD, settings.child.name


def _axis(known: Joint, number: int, properties, units: Units) -> Axis:
    slot = known.kind.slot(number)
    values = read_fields(fields_on(slot), properties, units, coordinate=known.axis_unit(number))
    if slot.is_pointed:
        length = norm(values["xyz"])
        if not length:
            which = f"axis '{slot.name}'" if slot.name else "axis"
            raise ModelError(f"joint '{known.name}': its {which} is (0, 0, 0): give it a direction")
        values["xyz"] = scale(values["xyz"], 1.0 / length)
    return Axis(**values)


def _home(known: Joint, settings, unit: float) -> tuple[float, ...]:
    units = known.home_units
    if len(settings.coordinates) != len(units):
        raise ModelError(f"joint '{known.name}': its start does not fit its type: set the type again")
    home = [
        shortest(coordinate.home) * (unit if what is Unit.LENGTH else 1.0)
        for coordinate, (_, what) in zip(settings.coordinates, units, strict=True)
    ]
    turn = [i for i, (_, what) in enumerate(units) if what is Unit.NUMBER]
    if turn:
        quaternion = [home[i] for i in turn]
        if not any(quaternion):
            raise ModelError(f"joint '{known.name}': its start has a rotation of all zeros: the first of the four is 1")
        for i, value in zip(turn, quat_normalized(quaternion), strict=True):
            home[i] = value
    return tuple(home)


def _mimic(obj: bpy.types.Object, settings, units: Units, objects: Container[bpy.types.Object]) -> Mimic:
    leader = settings.mimic.leader
    if leader is None or not is_joint(leader) or leader not in objects:
        raise ModelError(
            f"joint '{obj.name}' follows no joint of this scene: choose its leader, or switch Follow Joint off"
        )
    numbers = read_fields(MIMIC_FIELDS, settings.mimic, units)
    for what, joint in (("axis", obj), ("leader_axis", leader)):
        numbers[what] = _axis_number(numbers[what], joint, obj)
    return Mimic(leader.name, **numbers)


def _axis_number(number: int, joint: bpy.types.Object, follower: bpy.types.Object) -> int:
    """Of the axis in `joint` that a mimic speaks of; where there is but one, there is nothing to choose."""
    count = core_joint(getattr(joint, ids.JOINT)).axis_count
    if count > 1 and number >= count:
        raise ModelError(
            f"joint '{follower.name}' follows with axis {number + 1} of '{joint.name}', which has {count}: choose one "
            f"from 1 to {count}"
        )
    return number if count > 1 else 0
