# SPDX-License-Identifier: GPL-3.0-or-later
"""MJCF files made element by element, with the names and numbers of `fuzz_grammar`."""

from __future__ import annotations

import random

from .fuzz_grammar import _element, _Grammar

FILES = (
    "other.xml",
    "broken.xml",
    "cycle.xml",
    "in.mjcf",
    "folder/model.xml",
    "../x.xml",
    "/etc/passwd",
    "none.xml",
    "",
)
CLASSES = ("main", "p", "q")
GEOMS = ("sphere", "capsule", "cylinder", "ellipsoid", "box", "plane", "mesh", "hfield")


def random_mjcf(rng: random.Random) -> str:
    """A file that is mostly of MuJoCo's grammar."""
    return _Mjcf(rng).file()


class _Mjcf(_Grammar):
    """Makes the elements of a file. It remembers their names, for others to refer to."""

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.names: dict[str, list[str]] = {tag: [] for tag in ("body", "joint", "geom", "site", "tendon")}
        self.left = 25

    def file(self) -> str:
        bodies = "".join(self.body(0) for _ in range(self.rng.randrange(1, 4)))
        sections = [
            _element(
                "compiler", **self.given(angle=self.choose("radian", "degree"), eulerseq=self.choose("xyz", "ZYX"))
            ),
            _element("option", **self.given(gravity=self.numbers(3))),
            self.defaults(),
            self.assets(),
            _element("worldbody", self.geom(), bodies),
            *self.some(self.tendons, self.equalities, self.contacts, self.actuators, self.keys, self.include),
        ]
        if self.slips():
            self.rng.shuffle(sections)
        return _element("mujoco", *sections, model=self.name("m"))

    def given(self, **attributes: str | None) -> dict[str, str | None]:
        """Some of the attributes."""
        return {name: value for name, value in attributes.items() if value is not None and self.rng.random() < 0.4}

    def named(self, tag: str) -> str | None:
        """A new name, which others may refer to."""
        name = self.name(f"{tag}{len(self.names[tag])}")
        self.names[tag].append(name or "")
        return name

    def some_name(self, tag: str) -> str:
        return self.reference(*self.names[tag])

    def pose(self) -> dict[str, str | None]:
        turn = self.rng.choice((("quat", 4), ("euler", 3), ("axisangle", 4), ("xyaxes", 6), ("zaxis", 3)))
        return self.given(pos=self.numbers(3), **{turn[0]: self.numbers(turn[1])})

    def defaults(self) -> str:
        def one(*inside: str, **attributes: str | None) -> str:
            made = [
                _element("joint", **self.given(damping=self.number(), range=self.numbers(2))),
                _element("geom", **self.given(size=self.numbers(3), friction=self.numbers(2), quat=self.numbers(4))),
                _element("position", **self.given(kp=self.number(), dampratio=self.number())),
            ]
            return _element("default", *made, *inside, **attributes)

        return one(one(one(**{"class": self.name("q")}), **{"class": self.name("p")}))

    def assets(self) -> str:
        corners = "0 0 0 1 0 0 0 1 0 0 0 1" if not self.slips() else self.numbers(12)
        mesh = _element(
            "mesh",
            name="m",
            vertex=corners,
            **self.given(
                scale=self.numbers(3), refpos=self.numbers(3), refquat=self.numbers(4), face="0 2 1 0 1 3 0 3 2"
            ),
            **self.given(inertia=self.choose("exact", "convex", "shell", "legacy")),
        )
        model = _element("model", name="other", file=self.choose("other.xml", wrong=FILES))
        return _element("asset", mesh, *([model] if self.rng.random() < 0.3 else []))

    def body(self, depth: int) -> str:
        self.left -= 1
        if self.left < 0:
            return ""
        inside = [self.joint() for _ in range(self.rng.choice((0, 1, 1, 2, 3)))]
        inside += [self.geom() for _ in range(self.rng.randrange(3))]
        inside += self.some(self.inertial, self.site, lambda: self.attach(), chance=0.3)
        if depth < 4:
            inside += [self.body(depth + 1) for _ in range(self.rng.randrange(3))]
        attributes = self.pose() | self.given(childclass=self.choose(*CLASSES), gravcomp=self.number())
        made = _element("body", *inside, name=self.named("body"), **attributes)
        around = self.rng.random()
        if around < 0.1:
            return _element("frame", made, **self.pose())
        if around < 0.2:
            count = self.choose("2", "3", wrong=("0", "-1", "1e9", "300", "x"))
            return _element("replicate", made, count=count, **self.given(offset=self.numbers(3), euler=self.numbers(3)))
        return made

    def attach(self) -> str:
        model = self.given(model=self.choose("other"))
        return _element("attach", prefix=self.choose("p", ""), body=self.some_name("body"), **model)

    def joint(self) -> str:
        if self.rng.random() < 0.1:
            return _element("freejoint", **self.given(name=self.named("joint")))
        values = self.given(
            range=self.numbers(2),
            ref=self.number(),
            damping=self.number(),
            stiffness=self.number(),
            springref=self.number(),
            springdamper=self.numbers(2),
            armature=self.number(),
            frictionloss=self.number(),
            limited=self.choose("true", "false", "auto"),
            actuatorfrcrange=self.numbers(2),
            pos=self.numbers(3),
        )
        kind = self.choose("hinge", "hinge", "slide", "ball", wrong=("free", "x", ""))
        axis = self.choose("1 0 0", "0 1 0", "0 0.5 1", wrong=("0 0 0", self.numbers(3)))
        values |= self.given(**{"class": self.choose(*CLASSES)})
        return _element("joint", name=self.named("joint"), type=kind, axis=axis, **values)

    def geom(self) -> str:
        values = self.pose() | self.given(
            mass=self.positive(),
            density=self.positive(),
            fromto=self.numbers(6),
            contype=self.number(),
            conaffinity=self.number(),
            condim=self.choose("1", "3", "4", "6"),
            friction=self.numbers(3),
            solref=self.numbers(2),
            solimp=self.numbers(5),
            group=self.number(),
            mesh=self.choose("m"),
            rgba=self.numbers(4),
            shellinertia=self.choose("true", "false"),
            fitscale=self.positive(),
        )
        size = self.choose("0.1 0.2 0.3", "1 1 1", wrong=(self.numbers(3), None))
        return _element("geom", name=self.named("geom"), type=self.choose(*GEOMS), size=size, **values)

    def site(self) -> str:
        return _element("site", name=self.named("site"), **self.pose(), **self.given(fromto=self.numbers(6)))

    def inertial(self) -> str:
        tensor = self.rng.choice(({"diaginertia": self.numbers(3)}, {"fullinertia": self.numbers(6)}))
        return _element("inertial", mass=self.positive(), **self.pose(), **tensor)

    def tendons(self) -> str:
        terms = [_element("joint", joint=self.some_name("joint"), coef=self.number()) for _ in range(2)]
        return _element("tendon", _element("fixed", *terms, name=self.named("tendon")))

    def equalities(self) -> str:
        kind = self.rng.choice(("body", "site"))
        ends = {f"{kind}1": self.some_name(kind), f"{kind}2": self.some_name(kind)}
        joints = {"joint1": self.some_name("joint"), "joint2": self.some_name("joint")}
        return _element(
            "equality",
            _element("connect", **ends, **self.given(anchor=self.numbers(3))),
            _element("weld", **ends, **self.given(relpose=self.numbers(7), torquescale=self.number())),
            _element("joint", **joints, **self.given(polycoef=self.numbers(5), active=self.choose("true", "false"))),
        )

    def contacts(self) -> str:
        bodies = {"body1": self.some_name("body"), "body2": self.some_name("body")}
        geoms = {"geom1": self.some_name("geom"), "geom2": self.some_name("geom")}
        return _element("contact", _element("exclude", **bodies), _element("pair", **geoms))

    def actuators(self) -> str:
        made = []
        for tag in ("motor", "position", "velocity", "general"):
            kind = self.rng.choice(("joint", "joint", "tendon", "site"))
            values = self.given(
                gear=self.numbers(1),
                kp=self.positive(),
                kv=self.positive(),
                dampratio=self.positive(),
                ctrlrange=self.numbers(2),
                forcerange=self.numbers(2),
                biastype=self.choose("affine", "none"),
                gainprm=self.numbers(1),
                biasprm=self.numbers(3),
            )
            made.append(_element(tag, **{kind: self.some_name(kind)}, **values))
        return _element("actuator", *made)

    def keys(self) -> str:
        count = self.rng.randrange(12)
        return _element("keyframe", _element("key", name="home", qpos=self.numbers(count), ctrl=self.numbers(4)))

    def include(self) -> str:
        return _element("include", file=self.choose("other.xml", wrong=FILES))
