"""`Model`, `Link`, `Joint` and `Axis`: what a file, a scene or a script says, in SI units and radians."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from ..geometry import Shape
from ..joints import JOINT_TYPES, JointType
from ..spatial import IDENTITY, Pose, Sym3, Vec3

WORLD = "world"
INF = math.inf


class ModelError(ValueError):
    """A model cannot be used as asked: which object, what was found, what is allowed, what to do."""


class StateError(ModelError):
    """Joint values that do not fit a model."""


@dataclass
class Axis:
    """One axis of a joint. Defaults are SDF 1.9's; units are those of its coordinate, rad or m, written U here.

    Attributes:
        xyz: unit vector in the parent-side joint frame at q = 0.
        lower, upper: position limits [U].
        effort: largest drive force [N m or N]. velocity: largest speed [U/s].
        stiffness, dissipation: of the stops at the limits.
        damping: force per speed. friction: dry friction [N m or N]. armature: inertia of the drive [kg m^2 or kg].
        spring_reference [U], spring_stiffness [N m/rad or N/m]: a spring that pulls to the reference.
    """

    xyz: Vec3 = (0.0, 0.0, 1.0)
    lower: float = -INF
    upper: float = INF
    effort: float = INF
    velocity: float = INF
    stiffness: float = 1e8
    dissipation: float = 1.0
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    spring_reference: float = 0.0
    spring_stiffness: float = 0.0


@dataclass
class Mimic:
    """The follower's coordinate is multiplier * (leader - reference) + offset; it sits on the follower."""

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0
    reference: float = 0.0


@dataclass
class Link:
    """A rigid body.

    Attributes:
        mass [kg]; com: in the link frame [m].
        inertia: (xx, xy, xz, yy, yz, zz) about the com, in the link's axes [kg m^2].
        pose: X_WL in the pose as drawn, q = 0 [m].
        visuals, collisions: shapes in the link frame.
    """

    name: str
    mass: float = 1.0
    com: Vec3 = (0.0, 0.0, 0.0)
    inertia: Sym3 = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    pose: Pose = IDENTITY
    visuals: list[Shape] = field(default_factory=list)
    collisions: list[Shape] = field(default_factory=list)


@dataclass
class Joint:
    """Lets `child` move against `parent` as its type allows. The parent may be "world".

    Attributes:
        X_PJ, X_CJ: the joint's frame in the parent and in the child link; they coincide at q = 0 [m].
        axes: as many as the type has.
        pitch: of a screw [m/turn], right-handed.
        home: coordinates at which a simulation starts, shape (nq,); () becomes the type's own.
        mimic: this joint follows another.
    """

    name: str
    type: str
    parent: str
    child: str
    X_PJ: Pose = IDENTITY
    X_CJ: Pose = IDENTITY
    axes: list[Axis] = field(default_factory=list)
    pitch: float = 0.0
    home: tuple[float, ...] = ()
    mimic: Mimic | None = None

    def __post_init__(self):
        if self.type not in JOINT_TYPES:
            raise ModelError(
                f"joint '{self.name}': type '{self.type}' is not known; allowed are {', '.join(JOINT_TYPES)}"
            )
        missing = self.kind.axis_count - len(self.axes)
        self.axes += [Axis() for _ in range(missing)]
        self.home = self.home or self._neutral_within_limits()

    @property
    def kind(self) -> JointType:
        return JOINT_TYPES[self.type]

    def _neutral_within_limits(self) -> tuple[float, ...]:
        if self.kind.chart or not self.kind.limited:
            return self.kind.home
        axes = [self.axes[column.axis] for column in self.kind.columns]
        return tuple(min(max(0.0, axis.lower), axis.upper) for axis in axes)


@dataclass
class Model:
    """Links and joints, with the gravity [m/s^2, world axes] that acts on them.

    Links and joints of a model in a model are named `outer::inner`.
    """

    name: str = "model"
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    gravity: Vec3 = (0.0, 0.0, -9.81)

    def link(self, name: str) -> Link:
        return _named(self.links, "link", name)

    def joint(self, name: str) -> Joint:
        return _named(self.joints, "joint", name)

    def dump(self) -> str:
        """Everything in the model as text, the same bytes for the same model; mesh points as a digest."""
        return json.dumps(dataclasses.asdict(self), indent=1, default=_digest)


Named = TypeVar("Named", Link, Joint)


def _named(items: list[Named], what: str, name: str) -> Named:
    for item in items:
        if item.name == name:
            return item
    raise ModelError(f"there is no {what} '{name}'; there are: {', '.join(i.name for i in items) or 'none'}")


def _digest(value: object) -> str:
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    raise TypeError(f"cannot dump {type(value).__name__}")
