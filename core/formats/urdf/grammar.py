# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of URDF's elements that this reader looks into.

Source: urdfdom's xsd/urdf.xsd and the pages of http://wiki.ros.org/urdf/XML, with URDF 1.1's quat_xyzw and capsule and
URDF 1.2's limits of acceleration. Elements of Bullet, Drake and MuJoCo are allowed, as they document them. Elements
whose content is kept as text, such as <gazebo> and <transmission>, are not described.
"""

from __future__ import annotations

from ..xml.grammar import Rule, rule

ORIGIN = rule(attributes="xyz rpy quat_xyzw")
NAMED_LINK = Rule(frozenset(("link",)), text_stands_for="link")
"""Rule of <parent> and <child>. The text names the link if the attribute is missing."""

INERTIAL = rule(
    once={
        "origin": ORIGIN,
        "mass": Rule(frozenset(("value",)), text_stands_for="value"),
        "inertia": rule(attributes="ixx ixy ixz iyy iyz izz"),
    }
)
SHAPES = {
    "box": rule(attributes="size"),
    "sphere": rule(attributes="radius"),
    "cylinder": rule(attributes="radius length"),
    "capsule": rule(attributes="radius length"),
    "mesh": rule(attributes="filename scale"),
    "plane": None,  # plane and cdf are elements of Bullet
    "cdf": None,
}
GEOMETRY = rule(once=SHAPES, choice=" ".join(SHAPES))
MATERIAL = rule(attributes="name", once={"color": rule(attributes="rgba"), "texture": rule(attributes="filename")})
VISUAL = rule(attributes="name", once={"origin": ORIGIN, "geometry": GEOMETRY, "material": MATERIAL})
COLLISION = rule(
    attributes="name concave group mask",  # the last three belong to Bullet
    once={"origin": ORIGIN, "geometry": GEOMETRY, "material": MATERIAL},  # colour with which the collision is drawn
    kept="verbose",
)
LINK = rule(
    attributes="name type concave",
    once={"inertial": INERTIAL},
    many={"visual": VISUAL, "collision": COLLISION},
    kept="contact",  # Bullet's friction and stiffness
)
JOINT = rule(
    attributes="name type",
    once={
        "origin": ORIGIN,
        "parent": NAMED_LINK,
        "child": NAMED_LINK,
        "axis": rule(attributes="xyz"),
        "calibration": rule(attributes="reference_position rising falling"),
        "dynamics": rule(attributes="damping friction"),
        "limit": rule(attributes="lower upper effort velocity acceleration deceleration jerk"),
        "safety_controller": rule(attributes="soft_lower_limit soft_upper_limit k_position k_velocity"),
        "mimic": rule(attributes="joint multiplier offset"),
    },
)
ROBOT = rule(
    attributes="name version",
    many={
        "link": LINK,
        "joint": JOINT,
        "drake:joint": JOINT,
        "material": MATERIAL,
        "frame": rule(attributes="name link xyz rpy quat_xyzw"),  # Drake's
    },
    kept="transmission gazebo sensor mujoco",
    prose=True,
)
