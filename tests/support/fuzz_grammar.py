# SPDX-License-Identifier: GPL-3.0-or-later
"""Model files made element by element, with names that collide, numbers that are none, references into nothing."""

from __future__ import annotations

import random

NAMES = (
    *("a", "b", "c", "d", "e", "m", "world", "__model__", "__x__", "a::b", "m::a", "::", "a::", "", " a ", "é"),
    "a\nb",
)
REFERENCES = (*NAMES, "__root__", "m::a::b", "parent", "child", "no such", "a::__model__")
NUMBERS = (
    *("0", "1", "-1", "2.5", "-0.0", "1e-3", "0.1", "3.14159265358979", "+1", ".5", "1.", "1e16", "-1e16"),
    *("nan", "inf", "-inf", "1e400", "-1e400", "1e-400", "1e308", "1_000", "0x10", "one", "", " ", "--1", "1,5", "1 2"),
    *("9" * 400, "0." + "1" * 400, "1" * 5000, "\u0663", "\uff11", "true", "${x}", "1e", "infinity", "NaN"),
)
USUAL_NUMBERS = NUMBERS[:11]
URIS = (
    *("in.sdf", "in.urdf", "other.sdf", "broken.sdf", "folder", "../in.sdf", "model://other", "/etc/passwd"),
    *("none.sdf", "http://x/y", "", "x" * 300, "file://in.sdf", "package://a/b.stl", "folder/cycle.sdf"),
)
SDF_JOINTS = ("revolute", "prismatic", "fixed", "ball", "universal", "revolute2", "screw", "continuous", "gearbox", "x")
URDF_JOINTS = ("revolute", "prismatic", "fixed", "continuous", "floating", "planar", "ball", "spherical", "x", "")
VERSIONS = ("1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12")
ODD_VERSIONS = (*VERSIONS, "1.13", "2.0", "x", "", "1", "1.9.1", "1.-9")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\n", "&#10;")


def _element(tag: str, *inside: str, **attributes: str | None) -> str:
    given = "".join(f' {name}="{_escaped(value)}"' for name, value in attributes.items() if value is not None)
    return f"<{tag}{given}>{''.join(inside)}</{tag}>" if inside else f"<{tag}{given}/>"


class _Grammar:
    """Elements that both formats have in common. `sloppy`: how often something is wrong."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.sloppy = rng.choice((0.0, 0.02, 0.1, 0.5))

    def slips(self) -> bool:
        return self.rng.random() < self.sloppy

    def choose(self, *good: str | None, wrong: tuple = ("x",)) -> str | None:
        """One of the good, or something wrong."""
        return self.rng.choice(wrong if self.slips() else good)

    def name(self, good: str) -> str | None:
        return self.rng.choice((*NAMES, None)) if self.slips() else good

    def reference(self, *good: str) -> str:
        return self.rng.choice(REFERENCES) if self.slips() or not good else self.rng.choice(good)

    def number(self) -> str:
        return self.rng.choice(NUMBERS if self.slips() else USUAL_NUMBERS)

    def positive(self) -> str:
        return self.number() if self.slips() else self.rng.choice(("1", "2.5", "1e-3"))

    def numbers(self, count: int) -> str:
        count = self.rng.choice((0, 1, count - 1, count + 1, 40)) if self.slips() else count
        return " ".join(self.number() for _ in range(count))

    def some(self, *makers, chance: float = 0.4) -> list[str]:
        """What some of the makers make; now and then twice, and in any order."""
        found = [make() for make in makers if self.rng.random() < chance]
        if found and self.slips():
            found.append(self.rng.choice(found))
            self.rng.shuffle(found)
        return found

    def text(self, tag: str, value: str, **attributes: str | None) -> str:
        if self.slips():
            value = self.rng.choice(("", " ", "<x/>", "&lt;", "<!-- -- -->", "<![CDATA[1]]>", self.number()))
            return f"<{tag}>{value}</{tag}>"
        return _element(tag, _escaped(value), **attributes)


class _Sdf(_Grammar):
    def pose(self) -> str:
        relative = self.choose(None, None, None, "__model__", "", wrong=("a", "b", *REFERENCES))
        kind = self.choose(None, None, None, "euler_rpy", "quat_xyzw")
        values = self.numbers(3) + " 0 0 0.6 0.8" if kind == "quat_xyzw" else self.numbers(6)
        degrees = self.choose(None, None, "true")
        return self.text("pose", values, relative_to=relative, rotation_format=kind, degrees=degrees)

    def inertial(self) -> str:
        moments = [self.text(tag, "1") for tag in ("ixx", "iyy", "izz")]
        moments += self.some(
            *(lambda tag=tag: self.text(tag, self.number()) for tag in ("ixy", "ixz", "iyz")), chance=0.1
        )
        parts = [self.text("mass", self.positive()), _element("inertia", *moments)]
        auto = "true" if self.rng.random() < 0.1 else None
        density = [self.text("density", self.positive())] if auto else []
        return _element("inertial", *self.some(self.pose), *parts, *density, auto=auto)

    def shape(self, tag: str, name: str) -> str:
        solids = {
            "box": ("size", 3),
            "sphere": ("radius", 1),
            "cylinder": ("length", 1),
            "capsule": ("radius", 1),
            "ellipsoid": ("radii", 3),
            "plane": ("normal", 3),
            "cone": ("radius", 1),
        }
        kind = self.choose(*solids, "mesh", "polyline", "image", "heightmap", "empty")
        if kind in solids:
            inner, count = solids[kind]
            parts = [self.text(inner, " ".join(self.positive() for _ in range(count)))]
            parts += self.some(
                lambda: self.text("radius", self.positive()), lambda: self.text("length", self.positive())
            )
            parts += self.some(lambda: self.text("size", self.numbers(2)))
        elif kind == "polyline":
            points = (self.text("point", self.numbers(2)) for _ in range(4))
            parts = [*points, self.text("height", self.positive())]
        else:
            scale = self.some(lambda: self.text("scale", self.numbers(3)))
            parts = [self.text("uri", self.rng.choice(URIS)), *scale]
        material = _element("material", self.text("diffuse", self.numbers(4)), self.text("ambient", self.numbers(4)))
        extra = self.some(self.pose, lambda: material, lambda: self.text("transparency", self.number()))
        return _element(tag, _element("geometry", _element(kind, *parts)), *extra, name=self.name(name))

    def light(self) -> str:
        kind = self.choose("point", "spot", "directional")
        spot = _element("spot", *(self.text(t, self.number()) for t in ("inner_angle", "outer_angle", "falloff")))
        fade = _element("attenuation", self.text("range", self.number()), self.text("linear", self.number()))
        extra = (lambda: spot, lambda: fade, lambda: self.text("direction", self.numbers(3)), self.pose)
        return _element("light", *self.some(*extra), name=self.name("l"), type=kind)

    def link(self, name: str) -> str:
        parts = self.some(self.pose, self.inertial, lambda: self.text("gravity", self.choose("true", "0")))
        for tag in ("visual", "collision"):
            parts += [self.shape(tag, f"{tag}{i}") for i in range(self.rng.choice((0, 0, 1, 2)))]
        decay = _element("velocity_decay", self.text("linear", self.number()), self.text("angular", self.number()))
        sensor = _element("sensor", self.pose(), name="s", type=self.rng.choice(("imu", "camera", "x")))
        parts += self.some(lambda: decay, lambda: sensor, self.light, lambda: self.frame("f"), chance=0.1)
        return _element("link", *parts, name=self.name(name))

    def frame(self, name: str) -> str:
        attached = self.choose(None, None, "a", wrong=REFERENCES)
        return _element("frame", *self.some(self.pose), name=self.name(name), attached_to=attached)

    def axis(self, tag: str) -> str:
        limits = [self.text("lower", self.choose("-1", "-inf", "-1e16", "0.5", wrong=NUMBERS))]
        limits += [self.text(n, self.positive()) for n in ("upper", "effort", "velocity", "stiffness", "dissipation")]
        dynamics = [
            self.text(n, self.positive()) for n in ("damping", "friction", "spring_reference", "spring_stiffness")
        ]
        expressed = self.choose(None, None, "__model__", wrong=("a", *REFERENCES))
        xyz = self.choose("1 0 0", "0.6 0 0.8", "1 2 3", wrong=(self.numbers(3), "0 0 0"))
        xyz = "0 1 0" if tag == "axis2" and not self.slips() else xyz
        mimic = _element(
            "mimic",
            *(self.text(n, self.number()) for n in ("multiplier", "offset", "reference")),
            joint=self.reference("i", "j", "k"),
            axis=self.choose(None, "axis", wrong=("axis2", "x")),
        )
        extra = self.some(
            lambda: _element("limit", *self.some(*(lambda n=n: n for n in limits))),
            lambda: _element("dynamics", *self.some(*(lambda n=n: n for n in dynamics))),
        )
        extra += self.some(
            lambda: mimic, lambda: self.text("use_parent_model_frame", self.choose("1", "false")), chance=0.15
        )
        return _element(tag, self.text("xyz", xyz, expressed_in=expressed), *extra)

    def joint(self, name: str, links: list[str]) -> str:
        kind = self.rng.choice(SDF_JOINTS[:8] if not self.slips() else SDF_JOINTS)
        at = self.rng.randrange(len(links)) if links else 0
        ends = [self.text("parent", self.reference(*links[:at], "world"))]
        ends += [self.text("child", self.reference(*links[at : at + 1]))]
        parts = ([] if self.slips() else ends) + [self.axis("axis")] * (not self.slips())
        parts += [self.axis("axis2")] * (kind in ("universal", "revolute2", "gearbox") or self.slips())
        pitch = self.rng.choice(("thread_pitch", "screw_thread_pitch"))
        parts += self.some(
            self.pose,
            lambda: self.text(pitch, self.number()),
            lambda: self.text("gearbox_ratio", self.number()),
            lambda: self.text("gearbox_reference_body", self.reference(*links)),
            chance=0.3,
        )
        return _element("joint", *parts, name=self.name(name), type=kind if not self.slips() else None)

    def include(self) -> str:
        extra = self.some(
            lambda: self.text("name", self.name("n") or ""),
            self.pose,
            lambda: self.text("static", self.choose("true", "false")),
            lambda: self.text("placement_frame", self.reference("a", "b")),
            chance=0.2,
        )
        uri = self.choose("other.sdf", "folder", "model://folder", wrong=URIS)
        return _element("include", self.text("uri", uri), *extra, merge=self.choose(None, None, "true"))

    def model(self, name: str, depth: int) -> str:
        links = list("abcd")[: self.choose(1, 2, 3, 4, wrong=(0,))]
        parts = [self.link(link) for link in links]
        parts += [self.joint(joint, links) for joint in "ijk"[: self.rng.randrange(4)]]
        parts += self.some(
            self.pose,
            lambda: self.frame("f"),
            lambda: self.frame("g"),
            lambda: self.text("static", self.choose("true", "false")),
            self.include,
            lambda: _element("plugin", "<x><y/></x>", name="p", filename="q"),
            chance=0.2,
        )
        if depth < self.rng.choice((0, 1, 2, 5)):
            parts += [self.model(inner, depth + 1) for inner in "mn"[: self.rng.randrange(3)]]
        canonical = self.choose(None, None, None, self.reference(*links), wrong=REFERENCES) if links else None
        placement = self.choose(None, None, None, *links, wrong=REFERENCES)
        return _element("model", *parts, name=self.name(name), canonical_link=canonical, placement_frame=placement)

    def world(self) -> str:
        parts = [self.model(name, 1) for name in "mno"[: self.rng.randrange(4)]]
        parts += self.some(
            self.include,
            lambda: self.frame("f"),
            lambda: self.text("gravity", self.numbers(3)),
            self.light,
            lambda: self.joint("j", ["m::a", "m", "n::a"]) if self.slips() else "",
            lambda: _element("physics", self.text("gravity", self.numbers(3)), name="p", type="ode"),
        )
        return _element("world", *parts, name=self.name("default"))


def random_sdf(rng: random.Random) -> str:
    """An SDF file, more or less."""
    made = _Sdf(rng)
    parts = [made.world() if rng.random() < 0.3 else made.model("m", 0) for _ in range(made.choose(1, wrong=(0, 2)))]
    version = made.choose(*VERSIONS, wrong=ODD_VERSIONS)
    return _element("sdf" if rng.random() < 0.99 else "gazebo", *parts, version=version)


class _Urdf(_Grammar):
    def origin(self) -> str:
        return _element("origin", xyz=self.numbers(3), rpy=self.rng.choice((None, self.numbers(3))))

    def value(self, tag: str, **numbers: str) -> str:
        return _element(tag, **{name: value for name, value in numbers.items() if not self.slips()})

    def inertial(self) -> str:
        moments = dict.fromkeys(("ixx", "iyy", "izz"), "1") | {
            n: self.number() for n in ("ixy", "ixz", "iyz") if self.slips()
        }
        mass = self.value("mass", value=self.positive())
        return _element("inertial", *self.some(self.origin), mass, self.value("inertia", **moments))

    def shape(self, tag: str) -> str:
        solid = self.rng.choice(
            (
                self.value("box", size=" ".join(self.positive() for _ in range(3))),
                self.value("sphere", radius=self.positive()),
                self.value("cylinder", radius=self.positive(), length=self.positive()),
                self.value("capsule", radius=self.positive(), length=self.positive()),
                self.value("mesh", filename=self.rng.choice(URIS), scale=self.numbers(3)),
                "<x/>",
                "",
            )
        )
        named = _element("material", name=self.reference("red", "blue"))
        filled = _element("material", _element("color", rgba=self.numbers(4)), name="red")
        return _element(
            tag,
            _element("geometry", solid),
            *self.some(self.origin, lambda: self.rng.choice((named, filled))),
            name=self.rng.choice((None, "v", self.name("v"))),
        )

    def link(self, name: str) -> str:
        parts = self.some(self.inertial, chance=0.8)
        for tag in ("visual", "collision"):
            parts += [self.shape(tag) for _ in range(self.rng.choice((0, 0, 1, 2)))]
        return _element("link", *parts, name=self.name(name))

    def joint(self, name: str, parent: str, child: str) -> str:
        kind = self.choose(*URDF_JOINTS[:5], wrong=URDF_JOINTS)
        parts = [_element("parent", link=self.reference(parent)), _element("child", link=self.reference(child))]
        parts = [] if self.slips() else parts
        limit = {"lower": self.choose("-1", "0", "-inf", wrong=NUMBERS)}
        limit |= {n: self.positive() for n in ("upper", "effort", "velocity")}
        mimic = {"multiplier": self.number(), "offset": self.number()}
        soft = {n: self.number() for n in ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity")}
        parts += [] if self.slips() else [self.value("limit", **limit)]
        parts += self.some(
            self.origin,
            lambda: _element("axis", xyz=self.choose("1 0 0", "0 1 0", "1 2 3", wrong=(self.numbers(3), "0 0 0"))),
            lambda: self.value("dynamics", damping=self.positive(), friction=self.positive()),
            chance=0.7,
        )
        parts += self.some(
            lambda: self.value("mimic", joint=self.reference("i", "j"), **mimic),
            lambda: self.value("safety_controller", **soft),
            lambda: self.value("calibration", rising=self.number()),
            chance=0.2,
        )
        return _element("joint", *parts, name=self.name(name), type=kind if not self.slips() else None)

    def extra(self) -> str:
        transmission = _element(
            "transmission",
            "<type>x</type>",
            _element("joint", name=self.reference("i")),
            _element("actuator", name="q"),
        )
        gazebo = _element("gazebo", self.text("mu1", self.number()), reference=self.reference("a", "i"))
        loop = _element(
            "drake:loop_joint",
            _element("parent", link=self.reference("a"), body="a"),
            _element("child", link=self.reference("b"), body="b"),
            name="l",
            type="revolute",
        )
        material = _element("material", _element("color", rgba=self.numbers(4)), name=self.name("red"))
        return self.rng.choice((transmission, gazebo, material, loop, "<x/>", "text"))


def random_urdf(rng: random.Random) -> str:
    """A URDF file, more or less."""
    made = _Urdf(rng)
    links = list("abcde")[: rng.randrange(1, 6)]
    parts = [made.link(link) for link in links]
    for name, i in zip("ijklm", range(1, len(links)), strict=False):
        parts.append(made.joint(name, rng.choice(links[:i]), links[i]))
    parts += [made.joint("z", *rng.choices(links, k=2))] * made.slips()
    parts += made.some(made.extra, made.extra)
    if made.slips():
        rng.shuffle(parts)
    return _element("robot", *parts, name=made.name("m"))
