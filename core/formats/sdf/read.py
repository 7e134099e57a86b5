# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of SDF 1.3 to 1.12: a model or a world becomes a `Model`.

First every frame of the file is collected, including those of nested models. Then links and joints are made, with poses
from these frames. Links and joints of nested models are named `outer::inner`. In a file with one model, or a world
around one, the name of that model is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar, TypeVarTuple

from ...extras import Extra
from ...files.resources import FilesBeside
from ...files.xml import Element, count_in
from ...model import WORLD, Frame, Gearbox, Joint, Link, Model
from ...model.naming import claim
from ...spatial import IDENTITY, Pose, Vec3, compose, inverse, quat_mul, quat_rotate
from ..drake.elements import GEAR_RATIO, ROTOR_INERTIA, read_rotor
from ..findings import NO_LINKS, Findings, Places
from ..source import Source
from ..xml.grammar import check_grammar
from ..xml.kept import Known, extras_of, known, summary
from .drake import DrakeReader
from .families import name_families
from .frames import SEPARATOR, THIS_MODEL, FrameError, Key, PosedFrame, Scope
from .gather import NO_COLONS_SINCE, ORIGINAL_NAME, Gathering, ScopedElement, base_name, text_of, version_of
from .grammar import SDF
from .include import Library, SdfFile
from .joint import GEARBOX, JOINT_KNOWN, closes_loop, read_axes, read_mimic, read_pitch, read_type, state_of
from .light import read_light
from .link import LINK_KNOWN, compute_inertial, read_inertial, read_motion, read_pose
from .shape import read_shapes

Answer = TypeVar("Answer")
Asked = TypeVarTuple("Asked")

AXIS_IN_JOINT_SINCE = (1, 5)
"""Version from which on axes are given in the frame of the joint."""

ROTOR_KNOWN: Known = known(ROTOR_INERTIA, GEAR_RATIO)
"""Drake's elements of a <joint> that are read."""

WORLD_GRAVITY = (0.0, 0.0, -9.8)
"""Gravity of a world that does not define it [m/s^2]."""


def read_sdf(source: Source, findings: Findings, files: FilesBeside) -> tuple[Model, Places]:
    """Return the model in an SDF file, and the elements of its parts."""
    return _Reader(source.root, findings, files).read()


class _Reader:
    def __init__(self, root: Element, findings: Findings, files: FilesBeside):
        self.root = root
        self.file = SdfFile(root, files, (files.path,))
        self.version = version_of(root, findings)
        self.findings = findings
        library = Library()
        library.tally.add(*count_in(root))
        self.gathered = Gathering(root, findings, library)
        self.frames = self.gathered.frames
        self.model = Model()
        self.places: Places = {}
        self.outermost: Key = ()
        self.model_of: dict[str, str] = {}

    def read(self) -> tuple[Model, Places]:
        root, gathered = self.root, self.gathered
        check_grammar(root, SDF, "SDF", self.findings)
        worlds, models = list(root.all("world")), list(root.all("model"))
        self.findings.skip_unknown(root, ("world", "model"))
        self.places["model", self.model.name] = root
        if worlds:
            self._gather_world(worlds[0])
            for other in worlds[1:] + models:
                self.findings.skip(other)
        else:
            self._gather_root_models(models)
        for model, placement in reversed(gathered.placements):  # inner models come before those that contain them
            self._guard(self.frames.place_by, model, placement)
        for frame in (*gathered.places, *(entry.frame for entry in gathered.explicit)):  # unused ones are checked too
            if self._guard(self.frames.body, frame.key) is not None:
                self._pose(frame)
        for link in gathered.links:
            self._make_link(link)
        for joint in gathered.joints:
            self._make_joint(joint)
        DrakeReader(self.model, self.frames, self._name, self.places, self.findings).read(gathered.drakes)
        name_families(self.model, self.model_of)
        for entry in gathered.explicit:
            self._make_frame(entry)
        for light in gathered.lights:
            self._make_light(light)
        for state, scope in gathered.states:
            self._set_state(state, scope)
        self.model.extras = tuple(replace(extra, scope=self._inside(extra.scope)) for extra in gathered.extras)
        self._note_kept()
        self._require_links()
        return self.model, self.places

    def _require_links(self) -> None:
        """Report a model without links.

        It is an error if the file has models, or if an included file was not found. Otherwise it is excused, since a
        world may have lights only.
        """
        issues, at = self.findings.issues, self.places["model", self.model.name]
        if self.model.links or any(issue.is_error for issue in issues):
            return
        subject = f"model '{self.model.name}'"
        if self.root.child("include") or any(element.tag == "model" for element in self.root.walk()):
            self.findings.error(at, "no-links", NO_LINKS, subject)
        elif any(issue.code == "include-not-found" for issue in issues):
            self.findings.error(at, "no-links", "has no links, since what it includes is not found", subject)
        else:
            self.findings.excuse(at, "no-links", "has no links, so nothing moves: add a model", subject)

    # ---- first pass: frames

    def _gather_world(self, world: Element) -> None:
        self.model.name = world.name or self.model.name
        self.places["model", self.model.name] = world
        holder = world if world.child("gravity") else world.child("physics")
        self.model.gravity = self.findings.vector(holder, "gravity", WORLD_GRAVITY)
        models = list(world.all("model"))
        if len(models) == 1 and not any(world.child(tag) for tag in ("include", "joint", "frame")):
            self._name_after(models[0])  # a world around one model only adds gravity
        self.gathered.world(world, self.file, self.version)

    def _gather_root_models(self, models: list[Element]) -> None:
        if len(models) > 1 and self.version >= NO_COLONS_SINCE:
            self.findings.excuse(
                models[1],
                "several-models",
                "a file holds one model since SDF 1.8, and the first is read; put them in a <world>",
            )
            models = models[:1]
        if len(models) == 1:
            self._name_after(models[0])
        for model in models:
            pose = model.child("pose")
            if pose is not None and base_name(model):
                self.findings.error(
                    pose,
                    "root-model-relative",
                    f"the outermost model is posed relative to '{base_name(model)}'; leave relative_to out",
                )
            self.gathered.model(model, Scope((), (), self.file, self.version))

    def _name_after(self, model: Element) -> None:
        self.model.name = model.name or self.model.name
        self.places["model", self.model.name] = model
        self.outermost = (self.model.name,)

    # ---- second pass: links and joints

    def _make_link(self, entry: ScopedElement) -> None:
        link = Link(self._name(entry.frame.key), pose=self._pose(entry.frame))
        read_inertial(entry.element.child("inertial"), link, self.findings)
        read_motion(entry.element, link, self.findings)
        X_LW = inverse(link.pose)

        def shape_pose(shape: Element) -> Pose:
            base = base_name(shape)
            own = read_pose(shape.child("pose"), self.findings)
            if not base:
                return own
            return compose(X_LW, self._pose(PosedFrame(entry.frame.key, shape, own, entry.scope.resolve(base))))

        files = entry.scope.file.files
        link.visuals = read_shapes(entry.element, "visual", shape_pose, self.findings, files)
        link.collisions = read_shapes(entry.element, "collision", shape_pose, self.findings, files)
        compute_inertial(entry.element, link, self.findings)
        names: set[str] = set()
        for element in entry.element.all("light"):
            light = read_light(element, self.findings)
            name = claim(element.attributes.get(ORIGINAL_NAME, light.name) or "light", names)
            light.name, light.link, light.pose = f"{link.name}{SEPARATOR}{name}", link.name, shape_pose(element)
            self.model.lights.append(light)
        selves = entry.element.child("self_collide")
        link.self_collide = entry.scope.self_collide
        if selves is not None:
            link.self_collide = self.findings.flag(selves.text, selves, link.self_collide)
        link.extras = extras_of(entry.element, LINK_KNOWN, "SDF")
        self.model.links.append(link)
        self.model_of[link.name] = SEPARATOR.join(entry.scope.key)
        self.places["link", link.name] = entry.element
        kinematic = entry.element.child("kinematic")
        if entry.scope.static:
            name = self._name(entry.scope.key) or self.model.name
            self._hold(link, entry, "static", f"model '{name}' is static: its links are fixed to the world")
        elif kinematic is not None and self.findings.flag(kinematic.text, kinematic):
            self._hold(link, entry, "kinematic", f"link '{link.name}' is kinematic: it is fixed to the world")

    def _hold(self, link: Link, entry: ScopedElement, why: str, note: str) -> None:
        """Add a fixed joint from the world to a link that no force moves, and a note."""
        holder = f"{link.name}_{why}"
        self.model.joints.append(Joint(holder, "fixed", WORLD, link.name, X_PJ=link.pose))
        self.places["joint", holder] = entry.element
        self.findings.note(note)

    def _make_joint(self, entry: ScopedElement) -> None:
        element = entry.element
        parent, child = self._end(entry, "parent"), self._end(entry, "child")
        if entry.scope.static:
            self.findings.note(f"{element.subject} is in a static model, where it means nothing (line {element.line})")
            return
        kind = read_type(element, self.findings)
        if kind is None or parent is None or child is None:
            return
        if parent == child and self._is_of_inner_model(entry):
            link = self._name(child) if child else WORLD
            message = f"joins '{link}' with itself, by two of its frames, and is left out; name two links"
            self.findings.excuse(element, "joins-itself", message)
            return
        self.places["joint", self._name(entry.frame.key)] = element
        if kind == GEARBOX:
            self._make_gearbox(entry, parent, child)
            return
        X_WJ = self._pose(entry.frame)
        joint = Joint(
            self._name(entry.frame.key),
            kind.name,
            parent=self._name(parent) if parent else WORLD,
            child=self._name(child) if child else WORLD,
            X_PJ=compose(inverse(self._pose_of(parent)), X_WJ),
            X_CJ=compose(inverse(self._pose_of(child)), X_WJ),
            axes=read_axes(element, kind, lambda at, xyz: self._turned_into(entry, X_WJ, at, xyz), self.findings),
            pitch=read_pitch(element, entry.scope.version, self.findings) if kind.threaded else 0.0,
            mimic=read_mimic(element, kind, lambda name: self._name(entry.scope.resolve(name)), self.findings),
            closes_loop=closes_loop(element, self.findings),
        )
        has_rotor = read_rotor(element, joint, self.findings)
        joint.extras = extras_of(element, {**JOINT_KNOWN, **ROTOR_KNOWN} if has_rotor else JOINT_KNOWN, "SDF")
        self.model.joints.append(joint)

    def _make_gearbox(self, entry: ScopedElement, parent: Key, child: Key) -> None:
        """Add a gearbox: a ratio of two hinges of its reference link.

        Its own frame only defines the directions of its axes.
        """
        element = entry.element
        reference: Key | None = parent
        if element.child("gearbox_reference_body") is not None:
            reference = self._end(entry, "gearbox_reference_body")
        if reference is None:
            return
        X_WR, X_WJ = self._pose_of(reference), self._pose(entry.frame)
        along = []
        for tag in ("axis", "axis2"):
            at = element.child(tag)
            xyz = self.findings.vector(at, "xyz", (0.0, 0.0, 1.0))
            along.append(self._turned_into(entry, X_WR, at, xyz, own=X_WJ) if at else xyz)
        gearbox = Gearbox(
            self._name(entry.frame.key),
            self._name(parent) if parent else WORLD,
            self._name(child) if child else WORLD,
            self._name(reference) if reference else WORLD,
            ratio=self.findings.number(element, "gearbox_ratio", 1.0),
            axis=along[0],
            axis2=along[1],
            X_CJ=compose(inverse(self._pose_of(child)), X_WJ),
            extras=extras_of(element, JOINT_KNOWN, "SDF"),
        )
        self.model.couplings.append(gearbox)

    def _is_of_inner_model(self, joint: ScopedElement) -> bool:
        """Return whether a joint is in a nested model and names two frames.

        There, libsdformat does not notice that both belong to one link; everywhere else it refuses such a joint.
        """
        parent, child = (text_of(joint.element, tag) for tag in ("parent", "child"))
        return len(joint.scope.key) > 1 and parent != child

    def _end(self, joint: ScopedElement, tag: str) -> Key | None:
        """Return the key of the link of the frame that the joint names; None after an error was reported."""
        reference = text_of(joint.element, tag)
        if not reference:
            self.findings.error(joint.element, f"no-{tag}", f"has no <{tag}>; name a link or frame")
            return None
        key = joint.scope.resolve(reference)
        if key not in self.frames:
            self.findings.error(
                joint.element, f"unknown-{tag}", f"{tag} '{reference}' is not there; name a link or frame of its model"
            )
            return None
        return self._guard(self.frames.body, key)

    def _turned_into(self, entry: ScopedElement, X_WJ: Pose, axis: Element, v: Vec3, own: Pose | None = None) -> Vec3:
        """Return the vector of an axis in the axes of J. `own` is the joint's frame, if it differs from J."""
        basis = self._axis_basis(axis, entry.scope)
        if basis is None and own is None:
            return v
        X_WF = self._pose(basis) if basis else own or X_WJ
        return quat_rotate(quat_mul(inverse(X_WJ)[3:], X_WF[3:]), v)

    def _axis_basis(self, axis: Element, scope: Scope) -> PosedFrame | None:
        """Return the frame in whose axes an axis is given; None for the joint's own frame."""
        xyz = axis.child("xyz")
        named = xyz.attributes.get("expressed_in", "").strip() if xyz else ""
        if not named:
            switch = axis.child("use_parent_model_frame")
            in_model = scope.version < AXIS_IN_JOINT_SINCE
            if switch is not None:
                in_model = self.findings.flag(switch.text, switch, in_model)
            named = THIS_MODEL if in_model else ""
        return PosedFrame(scope.key, xyz or axis, relative_to=scope.resolve(named)) if named else None

    # ---- frames, lights and initial positions

    def _make_frame(self, entry: ScopedElement) -> None:
        link = self._guard(self.frames.body, entry.frame.key)
        if link is not None:
            pose = compose(inverse(self._pose_of(link)), self._pose(entry.frame))
            self.model.frames.append(Frame(self._name(entry.frame.key), self._name(link) if link else WORLD, pose))

    def _make_light(self, entry: ScopedElement) -> None:
        light = read_light(entry.element, self.findings)
        light.name, light.pose = self._name(entry.frame.key), self._pose(entry.frame)
        self.model.lights.append(light)

    def _set_state(self, state: Element, scope: Scope) -> None:
        """Set the initial positions of joints from a <model_state> (SDF 1.12)."""
        joints = {joint.name: joint for joint in self.model.joints}
        for inner in state.all("model_state"):
            self._set_state(inner, replace(scope, key=(*scope.key, inner.name)))
        for element in state.all("joint_state"):
            joint = joints.get(self._name(scope.resolve(element.name)))
            if joint is None:
                self.findings.warning(element, "unknown-joint", f"there is no joint '{element.name}'; name one")
            else:
                joint.home = state_of(element, joint, self.findings)

    def _note_kept(self) -> None:
        model = self.model
        shapes = [shape for link in model.links for shape in link.shapes]
        owners = (model, *model.links, *model.joints, *shapes)
        kept: list[Extra] = [extra for owner in owners for extra in owner.extras]
        if kept:
            self.findings.note(f"kept as text, which an SDF export brings back: {summary(kept)}")

    # ---- names and poses

    def _name(self, key: Key) -> str:
        return self.frames.name(key, self.outermost)

    def _inside(self, scope: str) -> str:
        """Return the name of a nested model, without that of the outermost."""
        return self._name(tuple(scope.split(SEPARATOR))) if scope else ""

    def _pose(self, frame: PosedFrame) -> Pose:
        return self._guard(self.frames.pose, frame) or IDENTITY

    def _pose_of(self, key: Key) -> Pose:
        return self._guard(self.frames.pose_of, key) or IDENTITY

    def _guard(self, question: Callable[[*Asked], Answer], *asked: *Asked) -> Answer | None:
        """Return the result of a function of frames, or None after its error was reported."""
        try:
            return question(*asked)
        except FrameError as error:
            self.findings.error(error.at, error.code, error.message)
            return None
