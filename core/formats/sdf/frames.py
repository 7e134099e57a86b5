# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of an SDF file: their poses relative to others, and the links to which they are attached.

Semantics: http://sdformat.org/tutorials?tut=pose_frame_semantics, for spec versions 1.4 to 1.12. Two graphs share their
vertices: `relative_to` leads to the world and defines the pose of a frame; `attached_to` leads to the link with which a
frame moves. The key of a frame is the tuple of the names around it, outermost first; the key of the world is empty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...files.xml import Element
from ...model import WORLD
from ...spatial import IDENTITY, Pose, compose, inverse
from .include import SdfFile

Key = tuple[str, ...]
"""The key of a frame: names, outermost first."""

SEPARATOR = "::"
"""Separator of the names of nested models."""

THIS_MODEL = "__model__"
"""Name of the frame of the model that contains a reference."""

MAX_TOLD = 12
"""Largest number of frames of a cycle that a message names."""


class FrameError(Exception):
    """A reference between frames that leads to no frame, or in a cycle.

    Attributes:
        at: the element with the reference. code, message: of the finding.
    """

    def __init__(self, at: Element, code: str, message: str):
        super().__init__(message)
        self.at, self.code, self.message = at, code, message


@dataclass(eq=False)
class PosedFrame:
    """The frame of a link, joint or model, or an explicit frame.

    Attributes:
        key: its names. element: its element in the file; the root element for the world.
        pose: X_RF, where R is the frame `relative_to` [m].
        attached_to: the frame with which it moves; None for a link and for the world, which are bodies.
    """

    key: Key
    element: Element
    pose: Pose = IDENTITY
    relative_to: Key | None = ()
    attached_to: Key | None = None


@dataclass(frozen=True)
class Scope:
    """The inside of a model, or of the world, in which names are resolved.

    Attributes:
        key: key of the model, which begins the keys of its contents.
        base: the frame that `__model__` means: that of the model, or its substitute if the model was merged into
            another.
        file: the file that contains it. version: of that file.
        static: whether its links do not move. self_collide: default of its links.
    """

    key: Key
    base: Key
    file: SdfFile
    version: tuple[int, int]
    static: bool = False
    self_collide: bool = False

    def resolve(self, reference: str) -> Key:
        """Return the key of the frame that `reference` means in this scope."""
        if reference == WORLD:
            return ()
        parts = tuple(part for part in reference.split(SEPARATOR) if part != THIS_MODEL)
        return self.key + parts if parts else self.base


class Frames:
    """All frames of a file. They must all be added before poses and bodies are requested."""

    def __init__(self, root: Element):
        self._frames: dict[Key, PosedFrame] = {(): PosedFrame((), root, relative_to=None)}
        self._world_poses: dict[PosedFrame, Pose] = {self._frames[()]: IDENTITY}
        self._bodies: dict[PosedFrame, Key] = {}
        self._unposed: dict[PosedFrame, FrameError] = {}
        self._unattached: dict[PosedFrame, FrameError] = {}
        self._originals: dict[Key, str] = {}

    def add(self, frame: PosedFrame) -> PosedFrame | None:
        """Add a frame. If another frame has its key, leave that unchanged and return it."""
        known = self._frames.setdefault(frame.key, frame)
        return None if known is frame else known

    def call(self, key: Key, original: str) -> None:
        """Give the last name of a key another form in the model. An empty form is left out of names."""
        self._originals[key] = original

    def name(self, key: Key, outermost: Key = ()) -> str:
        """Return the name of a frame in the model, without the names of the models `outermost`, if they contain it."""
        begin = len(outermost) if key[: len(outermost)] == outermost else 0
        if not self._originals:
            return SEPARATOR.join(key[begin:])
        depths = range(begin + 1, len(key) + 1)
        names = (self._originals.get(key[:depth], key[depth - 1]) for depth in depths)
        return SEPARATOR.join(filter(None, names))

    def __contains__(self, key: Key) -> bool:
        return key in self._frames

    def body(self, key: Key) -> Key:
        """Return the key of the link with which the frame moves; the key of the world if it does not move.

        Raises:
            FrameError: if a reference leads to no frame, or in a cycle.
        """
        chain = self._chain(self._frames[key], "attached to", self._unknown_holder, self._unattached)
        found = self._bodies.get(chain[-1], chain[-1].key)
        self._bodies |= dict.fromkeys(chain, found)
        return found

    def pose(self, frame: PosedFrame) -> Pose:
        """Return X_WF [m].

        Raises:
            FrameError: if a reference leads to no frame, or in a cycle.
        """
        chain = self._chain(frame, "posed relative to", self._unknown_base, self._unposed)
        X_WF = self._world_poses[chain[-1]] if chain[-1] in self._world_poses else chain[-1].pose
        for link in reversed(chain[:-1]):
            X_WF = self._world_poses[link] = compose(X_WF, link.pose)
        return X_WF

    def pose_of(self, key: Key) -> Pose:
        """Return X_WF of the frame with this key [m].

        Raises:
            FrameError: as `pose`.
        """
        return self.pose(self._frames[key])

    def place_by(self, model: PosedFrame, placement: Key) -> None:
        """Change the pose of a model, so that it applies to the frame `placement` in it, not to its origin.

        Raises:
            FrameError: if there is no such frame, or as `pose`.
        """
        if placement not in self._frames:
            raise _unknown(model, "placed by", placement)
        inside = self._chain(self._frames[placement], "posed relative to", lambda f: _base_below(f, model), {})
        X_MP = IDENTITY
        for frame in reversed(inside[:-1]):
            X_MP = compose(X_MP, frame.pose)
        model.pose = compose(model.pose, inverse(X_MP))

    def _unknown_base(self, frame: PosedFrame) -> Key | None:
        return None if frame in self._world_poses else frame.relative_to

    def _unknown_holder(self, frame: PosedFrame) -> Key | None:
        return None if frame in self._bodies else frame.attached_to

    def _chain(
        self,
        frame: PosedFrame,
        verb: str,
        reference: Callable[[PosedFrame], Key | None],
        broken: dict[PosedFrame, FrameError],
    ) -> list[PosedFrame]:
        """Return the frame, the frame that it refers to, and so on to one that refers to none.

        broken: the errors of frames from which this failed before. Frames are added to it, so that long chains are
        followed once.

        Raises:
            FrameError: if a reference leads to no frame, or in a cycle.
        """
        chain = [frame]
        seen = {frame}
        try:
            while (key := reference(chain[-1])) is not None:
                following = self._frames.get(key)
                if chain[-1] in broken:
                    raise broken[chain[-1]]
                if following is None:
                    raise _unknown(chain[-1], verb, key)
                if following in seen:
                    raise _cycle(chain[chain.index(following) :], verb)
                chain.append(following)
                seen.add(following)
        except FrameError as error:
            broken |= dict.fromkeys(chain, error)
            raise
        return chain


def _base_below(frame: PosedFrame, model: PosedFrame) -> Key | None:
    return None if frame is model else frame.relative_to


def _unknown(frame: PosedFrame, verb: str, key: Key) -> FrameError:
    message = f"is {verb} '{SEPARATOR.join(key)}', which is not there; name a link, joint, frame or model in its model"
    return FrameError(frame.element, "unknown-frame", message)


def _cycle(frames: list[PosedFrame], verb: str) -> FrameError:
    first = min(frames, key=lambda frame: (frame.element.line, frame.key))
    at = frames.index(first)
    circle = [*frames[at:], *frames[:at], first]
    names = [SEPARATOR.join(frame.key) for frame in circle]
    if len(names) > MAX_TOLD:
        names[MAX_TOLD - 1 : -1] = ["..."]
    message = f"is {verb} itself in a circle: {' -> '.join(names)}; let one of them refer to its model"
    return FrameError(first.element, "frame-cycle", message)
