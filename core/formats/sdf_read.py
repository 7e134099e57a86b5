"""SDF 1.4 to 1.12, a model or a world, to a `Model`.

First every frame of the file is gathered, through all models in models; then links and joints are made, each posed
through those frames. Links and joints of inner models are named `outer::inner`; in a file that is one model, or a
world around one, its own name is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, TypeVarTuple

from ..model import WORLD, Joint, Link, Model
from ..spatial import IDENTITY, Pose, Vec3, compose, inverse, quat_mul, quat_rotate
from .findings import Findings
from .resources import FilesBeside
from .sdf_frames import SEPARATOR, THIS_MODEL, Frame, FrameError, Frames, Key, resolve
from .sdf_joint import read_axes, read_mimic, read_pitch, read_type
from .sdf_link import read_inertial, read_motion, read_pose, read_shapes
from .xml import Element

Lines = dict[tuple[str, str], int]
Answer = TypeVar("Answer")
Asked = TypeVarTuple("Asked")

OLDEST_KNOWN, NEWEST_KNOWN = (1, 2), (1, 12)
NO_COLONS_SINCE = (1, 8)
ONE_NAME_SPACE_SINCE = (1, 7)
AXIS_IN_JOINT_SINCE = (1, 5)
WORLD_GRAVITY = (0.0, 0.0, -9.8)

WORLD_TAGS = ("model", "include", "joint", "frame", "gravity")
MODEL_TAGS = ("link", "joint", "frame", "model", "include", "pose", "static")
LINK_TAGS = ("pose", "inertial", "velocity_decay", "gravity", "visual", "collision")


def read_sdf(root: Element, findings: Findings, files: FilesBeside) -> tuple[Model, Lines]:
    """The model in an <sdf> element, and the lines of what is in it."""
    return _Reader(root, findings).read()


def _version(root: Element, findings: Findings) -> tuple[int, int]:
    text = root.attributes.get("version", "").strip()
    try:
        major, minor = map(int, text.split(".")[:2])
    except ValueError:
        findings.warning(root, "no-version", f"version is '{text}'; write version=\"1.9\", as which it is read")
        return 1, 9
    if not OLDEST_KNOWN <= (major, minor) <= NEWEST_KNOWN:
        newest = ".".join(map(str, NEWEST_KNOWN))
        findings.warning(root, "unknown-version", f"version {text} is not known here; read by the rules of {newest}")
    return major, minor


@dataclass
class _Body:
    """A link or a joint on its way into the model. `scope`: the key of its model."""

    element: Element
    scope: Key
    frame: Frame
    static: bool


class _Reader:
    def __init__(self, root: Element, findings: Findings):
        self.root = root
        self.version = _version(root, findings)
        self.findings = findings
        self.frames = Frames(root)
        self.links: list[_Body] = []
        self.joints: list[_Body] = []
        self.placements: list[tuple[Frame, Key]] = []
        self.others: list[Frame] = []
        self.model = Model()
        self.lines: Lines = {}
        self.outermost: Key = ()

    def read(self) -> tuple[Model, Lines]:
        root = self.root
        worlds, models = list(root.all("world")), list(root.all("model"))
        self.findings.skip_unknown(root, ("world", "model"))
        self.lines["model", self.model.name] = root.line
        if worlds:
            self._gather_world(worlds[0])
            for other in worlds[1:] + models:
                self.findings.skip(other)
        else:
            self._gather_root_models(models, root)
        for model, placement in reversed(self.placements):  # inner models before those around them
            self._guard(self.frames.place_by, model, placement)
        for frame in self.others:  # whether or not anything refers to them
            if self._guard(self.frames.body, frame.key) is not None:
                self._pose(frame)
        for link in self.links:
            self._make_link(link)
        for joint in self.joints:
            self._make_joint(joint)
        return self.model, self.lines

    # ---- first pass: frames

    def _gather_world(self, world: Element) -> None:
        self.findings.skip_unknown(world, WORLD_TAGS)
        self.model.name = world.name or self.model.name
        self.lines["model", self.model.name] = world.line
        holder = world if world.child("gravity") else world.child("physics")
        self.model.gravity = self.findings.vector(holder, "gravity", WORLD_GRAVITY)
        models = list(world.all("model"))
        if len(models) == 1 and not any(world.child(tag) for tag in ("include", "joint", "frame")):
            self._name_after(models[0])  # a world around one model is but where its gravity stands
        self._gather_children(world, (), static=False)

    def _gather_root_models(self, models: list[Element], root: Element) -> None:
        if len(models) > 1 and self.version >= NO_COLONS_SINCE:
            self.findings.error(
                models[1], "several-models", "a file holds one model since SDF 1.8; put them in a <world>"
            )
        if len(models) == 1:
            self._name_after(models[0])
        for model in models:
            pose = model.child("pose")
            if pose is not None and _base_name(model):
                self.findings.error(
                    pose,
                    "root-model-relative",
                    f"the outermost model is posed relative to '{_base_name(model)}'; leave relative_to out",
                )
            self._gather_model(model, (), static=False)

    def _name_after(self, model: Element) -> None:
        self.model.name = model.name or self.model.name
        self.lines["model", self.model.name] = model.line
        self.outermost = (self.model.name,)

    def _gather_model(self, element: Element, scope: Key, static: bool) -> None:
        self.findings.skip_unknown(element, MODEL_TAGS)
        told = element.child("static")
        static = static or (told is not None and self.findings.flag(told.text, told))
        frame = self._add_frame(element, scope, default=scope)
        if frame is None:
            return
        self.others.append(frame)
        if placement := element.attributes.get("placement_frame"):
            self.placements.append((frame, resolve(frame.key, placement)))
        self._gather_children(element, frame.key, static)
        frame.attached_to = () if static else self._canonical_link(element, frame.key)

    def _gather_children(self, element: Element, scope: Key, static: bool) -> None:
        """Links before all else: where a joint of an old file shares a link's name, the frame is the link's."""
        for link in element.all("link"):
            self._note_body(self.links, link, scope, static, self._add_frame(link, scope, default=scope))
        for inner in element.all("model"):
            self._gather_model(inner, scope, static)
        for explicit in element.all("frame"):
            attached_to = resolve(scope, explicit.attributes.get("attached_to", "").strip() or THIS_MODEL)
            frame = self._add_frame(explicit, scope, default=attached_to, attached_to=attached_to)
            if frame is not None:
                self.others.append(frame)
        for joint in element.all("joint"):
            child = resolve(scope, _text_of(joint, "child"))
            self._note_body(
                self.joints, joint, scope, static, self._add_frame(joint, scope, default=child, attached_to=child)
            )
        for include in element.all("include"):
            uri = _text_of(include, "uri")
            self.findings.warning(include, "include-skipped", f"'{uri}' is not read in; put its model in this file")
            self.findings.note(f"<include> of '{uri}' is not read in (line {include.line})")

    def _note_body(self, bodies: list[_Body], element: Element, scope: Key, static: bool, frame: Frame | None) -> None:
        if frame is not None:
            bodies.append(_Body(element, scope, frame, static))

    def _canonical_link(self, model: Element, key: Key) -> Key:
        """What moves the model's frame: the link that it names, else its first one, else an inner model's."""
        if named := model.attributes.get("canonical_link"):
            return resolve(key, named)
        candidates = [resolve(key, element.name) for tag in ("link", "model") for element in model.all(tag)]
        return next((candidate for candidate in candidates if candidate in self.frames), ())

    def _add_frame(self, element: Element, scope: Key, *, default: Key, attached_to: Key | None = None) -> Frame | None:
        """Take in an element's frame; None after reporting that its name cannot be used."""
        name = element.name
        if not self._name_is_legal(element, name):
            return None
        base = _base_name(element)
        frame = Frame(
            key=scope + tuple(name.split(SEPARATOR)),
            element=element,
            pose=read_pose(element.child("pose"), self.findings),
            relative_to=resolve(scope, base) if base else default,
            attached_to=attached_to,
        )
        held = self.frames.add(frame)
        if held is None:
            return frame
        message = f"<{held.element.tag}> in line {held.element.line} has this name too; give each its own"
        if self.version < ONE_NAME_SPACE_SINCE and held.element.tag != element.tag:
            self.findings.warning(element, "repeated-name", message)
            return frame
        self.findings.error(element, "repeated-name", message)
        return None

    def _name_is_legal(self, element: Element, name: str) -> bool:
        if not name:
            self.findings.error(element, "no-name", f"<{element.tag}> has no name; give it one")
        elif name == WORLD or (name.startswith("__") and name.endswith("__")):
            self.findings.error(element, "reserved-name", "'world' and names like __this__ are SDF's own; rename it")
        elif SEPARATOR in name and self.version >= NO_COLONS_SINCE:
            self.findings.error(element, "reserved-name", "'::' is not allowed in a name since SDF 1.8; rename it")
        else:
            return True
        return False

    # ---- second pass: links and joints

    def _make_link(self, body: _Body) -> None:
        self.findings.skip_unknown(body.element, LINK_TAGS)
        link = Link(self._name(body.frame.key), pose=self._pose(body.frame))
        read_inertial(body.element.child("inertial"), link, self.findings)
        read_motion(body.element, link, self.findings)
        X_LW = inverse(link.pose)

        def shape_pose(shape: Element) -> Pose:
            base = _base_name(shape)
            own = read_pose(shape.child("pose"), self.findings)
            if not base:
                return own
            return compose(X_LW, self._pose(Frame(body.frame.key, shape, own, resolve(body.scope, base))))

        link.visuals = read_shapes(body.element, "visual", shape_pose, self.findings)
        link.collisions = read_shapes(body.element, "collision", shape_pose, self.findings)
        self.model.links.append(link)
        self.lines["link", link.name] = body.element.line
        if body.static:
            self._hold(link, body)

    def _hold(self, link: Link, body: _Body) -> None:
        """A link of a static model stays where it is."""
        holder = f"{link.name}_static"
        self.model.joints.append(Joint(holder, "fixed", WORLD, link.name, X_PJ=link.pose))
        self.lines["joint", holder] = body.element.line
        self.findings.note(
            f"model '{self._name(body.scope) or body.scope[-1]}' is static: its links are fixed to the world"
        )

    def _make_joint(self, body: _Body) -> None:
        element = body.element
        parent, child = self._end(body, "parent"), self._end(body, "child")
        if body.static:
            self.findings.note(f"{element.subject} is in a static model, where it means nothing (line {element.line})")
            return
        kind = read_type(element, self.findings)
        if kind is None or parent is None or child is None:
            return
        X_WJ = self._pose(body.frame)

        def in_joint_frame(axis: Element, xyz: Vec3) -> Vec3:
            basis = self._axis_basis(axis, body.scope)
            return xyz if basis is None else _turned_into(X_WJ, self._pose(basis), xyz)

        joint = Joint(
            self._name(body.frame.key),
            kind.name,
            parent=self._name(parent) if parent else WORLD,
            child=self._name(child) if child else WORLD,
            X_PJ=compose(inverse(self._pose_of(parent)), X_WJ),
            X_CJ=compose(inverse(self._pose_of(child)), X_WJ),
            axes=read_axes(element, kind, in_joint_frame, self.findings),
            pitch=read_pitch(element, self.version, self.findings) if kind.threaded else 0.0,
            mimic=read_mimic(element, kind, lambda name: self._name(resolve(body.scope, name)), self.findings),
        )
        self.model.joints.append(joint)
        self.lines["joint", joint.name] = element.line

    def _end(self, joint: _Body, tag: str) -> Key | None:
        """The link that the joint's parent or child frame moves with; None after reporting that there is none."""
        reference = _text_of(joint.element, tag)
        if not reference:
            self.findings.error(joint.element, f"no-{tag}", f"has no <{tag}>; name a link or frame")
            return None
        key = resolve(joint.scope, reference)
        if key not in self.frames:
            self.findings.error(
                joint.element, f"unknown-{tag}", f"{tag} '{reference}' is not there; name a link or frame of its model"
            )
            return None
        return self._guard(self.frames.body, key)

    def _axis_basis(self, axis: Element, scope: Key) -> Frame | None:
        """The frame whose axes an axis is given in; None for the joint's own."""
        xyz = axis.child("xyz")
        named = xyz.attributes.get("expressed_in", "").strip() if xyz else ""
        if not named:
            told = axis.child("use_parent_model_frame")
            in_model = self.version < AXIS_IN_JOINT_SINCE
            if told is not None:
                in_model = self.findings.flag(told.text, told, in_model)
            named = THIS_MODEL if in_model else ""
        return Frame(scope, xyz or axis, relative_to=resolve(scope, named)) if named else None

    # ---- names and poses

    def _name(self, key: Key) -> str:
        return SEPARATOR.join(key[len(self.outermost) :])

    def _pose(self, frame: Frame) -> Pose:
        return self._guard(self.frames.pose, frame) or IDENTITY

    def _pose_of(self, key: Key) -> Pose:
        return self._guard(self.frames.pose_of, key) or IDENTITY

    def _guard(self, question: Callable[[*Asked], Answer], *asked: *Asked) -> Answer | None:
        """The frames' answer, or None after reporting why they have none."""
        try:
            return question(*asked)
        except FrameError as error:
            self.findings.error(error.at, error.code, error.message)
            return None


def _text_of(element: Element, tag: str) -> str:
    """The text of a child element; the oldest files say it in an attribute `link`."""
    found = element.child(tag)
    return "" if found is None else found.text or found.attributes.get("link", "").strip()


def _base_name(element: Element) -> str:
    """What the element's pose is relative to, by its own word; `frame` is how 1.5 and 1.6 said it."""
    pose = element.child("pose")
    given = pose.attributes if pose else {}
    return (given.get("relative_to") or given.get("frame") or "").strip()


def _turned_into(X_WJ: Pose, X_WF: Pose, v: Vec3) -> Vec3:
    """A vector in the axes of F, in those of J."""
    return quat_rotate(quat_mul(inverse(X_WJ)[3:], X_WF[3:]), v)
