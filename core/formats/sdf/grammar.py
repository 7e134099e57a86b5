# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of SDF's elements that this reader looks into.

Source: the specification's description files, sdf/1.2 to sdf/1.12 of libsdformat. A name that any version defines is
allowed in all, since libsdformat reads newer names in older files and converts older ones. Elements whose content is
kept as text, such as plugins and sensors, are not described.
"""

from __future__ import annotations

from ..xml.grammar import VALUE, Rule, rule

POSE = Rule(frozenset(("relative_to", "frame", "rotation_format", "degrees")), takes_text=True)
LINK_NAME = Rule(frozenset(("link",)), takes_text=True)
"""Rule of <parent> and <child>, whose attribute names the link in the oldest files."""

FRAME = rule(attributes="name attached_to", once={"pose": POSE})
INERTIAL = rule(
    "mass density",
    "auto",
    {"pose": POSE, "inertia": rule("ixx ixy ixz iyy iyz izz")},
    kept="auto_inertia_params fluid_added_mass frame",
)

SHAPES = {
    "box": rule("size"),
    "sphere": rule("radius"),
    "cylinder": rule("radius length"),
    "capsule": rule("radius length"),
    "cone": rule("radius length"),
    "ellipsoid": rule("radii"),
    "plane": rule("normal size"),
    "mesh": rule("uri scale", "optimization", {"submesh": rule("name center")}, kept="convex_decomposition"),
    "heightmap": None,
    "image": None,
    "empty": None,
}
GEOMETRY = rule(
    once=SHAPES,
    many={"polyline": rule("height", many={"point": VALUE})},
    choice=" ".join((*SHAPES, "polyline")),
)

MATERIAL = rule(
    "render_order lighting ambient diffuse specular shininess emissive double_sided", kept="script shader pbr"
)
FRICTION = rule(
    once={
        "ode": rule("mu mu2 fdir1 slip1 slip2"),
        "bullet": rule("friction friction2 fdir1 rolling_friction"),
        "torsional": rule("coefficient use_patch_radius patch_radius surface_radius", once={"ode": rule("slip")}),
    }
)
CONTACT = rule(
    "collide_without_contact collide_without_contact_bitmask collide_bitmask category_bitmask poissons_ratio "
    "elastic_modulus",
    once={
        "ode": rule("soft_cfm soft_erp kp kd max_vel min_depth"),
        "bullet": rule("soft_cfm soft_erp kp kd split_impulse split_impulse_penetration_threshold"),
    },
)
SURFACE = rule(
    once={"bounce": rule("restitution_coefficient threshold"), "friction": FRICTION, "contact": CONTACT},
    kept="soft_contact",
)
COLLISION = rule(
    "laser_retro max_contacts density",
    "name",
    {"pose": POSE, "geometry": GEOMETRY, "surface": SURFACE},
    kept="auto_inertia_params frame",
)
VISUAL = rule(
    "cast_shadows laser_retro transparency visibility_flags",
    "name",
    {"pose": POSE, "geometry": GEOMETRY, "material": MATERIAL},
    kept="meta plugin frame",
)
LIGHT = rule(
    "cast_shadows light_on visualize intensity diffuse specular direction",
    "name type",
    {
        "pose": POSE,
        "attenuation": rule("range linear constant quadratic"),
        "spot": rule("inner_angle outer_angle falloff"),
    },
    kept="frame",
)
LINK = rule(
    "gravity enable_wind self_collide kinematic must_be_base_link",
    "name",
    {"pose": POSE, "inertial": INERTIAL, "velocity_decay": rule("linear angular")},
    {"collision": COLLISION, "visual": VISUAL, "light": LIGHT},
    kept="sensor projector audio_sink audio_source battery particle_emitter frame",
)

AXIS = rule(
    "use_parent_model_frame initial_position",
    once={
        "xyz": Rule(frozenset(("expressed_in",)), takes_text=True),
        "limit": rule("lower upper effort velocity stiffness dissipation"),
        "dynamics": rule("damping friction spring_reference spring_stiffness"),
        "mimic": rule("multiplier offset reference", "joint axis"),
    },
)
JOINT = rule(
    "gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch",
    "name type",
    {
        "parent": LINK_NAME,
        "child": LINK_NAME,
        "pose": POSE,
        "axis": AXIS,
        "axis2": AXIS,
        "drake:mimic": rule(attributes="joint multiplier offset"),
        "physics": rule("provide_feedback", once={"simbody": rule("must_be_loop_joint")}, kept="ode"),
    },
    kept="sensor frame",
)

_AXIS_STATE = rule(
    "effort",
    once=dict.fromkeys(("position", "velocity", "acceleration"), Rule(frozenset(("degrees",)), takes_text=True)),
)
_IN_STATE: dict[str, Rule | None] = {
    "joint_state": rule(attributes="name", once={"axis_state": _AXIS_STATE, "axis2_state": _AXIS_STATE}, kept="angle"),
    "link_state": None,
    "frame": None,
}
MODEL_STATE = Rule(frozenset(("name",)), {"pose": POSE, "scale": VALUE}, _IN_STATE)
_IN_STATE["model_state"] = MODEL_STATE

INCLUDE = rule(
    "uri name namespace static placement_frame",
    "merge",
    {"pose": POSE, "model_state": MODEL_STATE},
    kept="plugin",
)
_IN_MODEL: dict[str, Rule | None] = {
    "link": LINK,
    "joint": JOINT,
    "frame": FRAME,
    "include": INCLUDE,
    "plugin": None,
    "gripper": None,
}
MODEL = Rule(
    frozenset(("name", "canonical_link", "placement_frame", "namespace")),
    {
        **dict.fromkeys(("static", "self_collide", "allow_auto_disable", "enable_wind"), VALUE),
        "pose": POSE,
        "model_state": MODEL_STATE,
    },
    _IN_MODEL,
    takes_text=True,
)
_IN_MODEL["model"] = MODEL

WORLD = rule(
    "gravity",
    "name",
    many={"model": MODEL, "include": INCLUDE, "joint": JOINT, "frame": FRAME, "light": LIGHT},
    kept=(
        "actor atmosphere audio gui magnetic_field physics plugin population road scene spherical_coordinates state "
        "wind"
    ),
    prose=True,
)
SDF = rule(attributes="version", many={"world": WORLD, "model": MODEL, "light": LIGHT}, kept="actor", prose=True)
