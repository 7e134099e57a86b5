# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of MJCF's elements: which of their attributes are read, kept as text, or lost.

An attribute is read if it has an effect here. It is kept if it does not change the motion: it stays as text, and is
written back into MJCF. It is lost if it changes the motion in MuJoCo and not here, which `grammar.tell_losses` reports.

Source: the XML reference of MuJoCo 4.0, and its changelog for names of older versions. A test compares the table with
the schema that MuJoCo prints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Fate = Literal["read", "kept", "lost"]
"""The treatment of an element or an attribute by the reader."""


@dataclass(frozen=True)
class Entry:
    """The row of an element. Names are separated by blanks.

    Attributes:
        read, kept, lost: names of its attributes.
        children: keys of the elements that may be in it. A key that ends in "?" may occur once.
        fate: the treatment of the element itself. The reader does not look into elements that are kept or lost.
        dropped: names among its attributes that MuJoCo had once and refuses now.
        is_dropped: whether MuJoCo had the element once and refuses it now. Its content is not described.
    """

    read: str = ""
    kept: str = ""
    lost: str = ""
    children: str = ""
    fate: Fate = "read"
    dropped: str = ""
    is_dropped: bool = False

    @property
    def attributes(self) -> frozenset[str]:
        """Names of all attributes."""
        return frozenset(f"{self.read} {self.kept} {self.lost}".split())


def _kept(attributes: str = "", children: str = "") -> Entry:
    return Entry(kept=attributes, children=children, fate="kept")


def _lost(attributes: str = "", children: str = "", dropped: str = "") -> Entry:
    return Entry(lost=attributes, children=children, fate="lost", dropped=dropped)


_TURN = "quat axisangle xyaxes zaxis euler"
_SOFT = "solref solimp"
_PLUGIN = "plugin instance"
_IN_BODY = "geom attach site camera light plugin composite flexcomp body frame replicate"

_MAIN: dict[str, Entry] = {
    "mujoco": Entry(
        read="model",
        children="compiler option size statistic visual default extension asset worldbody body deformable contact "
        "tendon equality actuator sensor custom keyframe",
    ),
    "include": Entry(read="file"),
    "compiler": Entry(
        read="autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle fitaabb "
        "eulerseq meshdir texturedir assetdir inertiafromgeom inertiagrouprange exactmeshinertia",
        kept="discardvisual usethread fusestatic saveinertial conflict passthrough savecanonical savecompiled "
        "convexhull",
        lost="alignfree",
        children="lengthrange?",
        dropped="exactmeshinertia convexhull",
    ),
    "lengthrange": _kept("mode useexisting uselimit accel maxforce timeconst timestep inttotal interval tolrange"),
    "option": Entry(
        read="gravity wind",
        kept="timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance magnetic "
        "o_margin o_solref o_solimp o_friction integrator cone jacobian solver iterations ls_iterations "
        "noslip_iterations ccd_iterations sdf_iterations sdf_initpoints apirate mpr_tolerance mpr_iterations",
        lost="density viscosity actuatorgroupdisable collision",
        children="flag?",
        dropped="apirate mpr_tolerance mpr_iterations collision",
    ),
    "flag": Entry(
        read="constraint equality frictionloss limit contact spring damper gravity filterparent actuation passive",
        kept="warmstart refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd energy fwdinv "
        "invdiscrete sleep diagexact ipc speculative sensornoise mpr",
        lost="clampctrl override",
        dropped="passive sensornoise mpr",
    ),
    "size": _kept(
        "memory njmax nconmax nstack nuserdata nkey nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon "
        "nuser_actuator nuser_sensor"
    ),
    "statistic": _kept("meaninertia meanmass meansize extent center"),
    "default": Entry(
        read="class",
        children="default mesh? texture? material? joint? geom? site? camera? light? pair? equality@default? "
        "tendon@default? general? motor? position? velocity? intvelocity? orientation? pid? damper? cylinder? muscle? "
        "adhesion? dcmotor?",
    ),
    "equality@default": Entry(read="active", kept=_SOFT),
    "tendon@default": Entry(
        read="actuatorfrcrange actuatorfrclimited",
        kept="group material rgba user width limited solreflimit solimplimit solreffriction solimpfriction",
        lost="range margin armature damping stiffness frictionloss springlength springyield",
    ),
    "extension": Entry(children="plugin@extension", fate="lost"),
    "plugin@extension": _lost("plugin", "instance"),
    "instance": _lost("name", "config"),
    "config": _lost("key value"),
    "plugin": _lost(_PLUGIN, "config"),
    "custom": _kept(children="numeric text tuple"),
    "numeric": _kept("name size data"),
    "text": _kept("name data"),
    "tuple": _kept("name", "element"),
    "element": _kept("objtype objname prm"),
    "keyframe": Entry(children="key"),
    "key": Entry(read="name qpos", kept="time qvel act ctrl mpos mquat plastic"),
}

_VISUAL: dict[str, Entry] = {
    "visual": _kept(children="global? quality? headlight? map? scale? rgba?"),
    "global": _kept(
        "cameraid orthographic fovy ipd azimuth elevation linewidth glow offwidth offheight realtime ellipsoidinertia "
        "bvactive"
    ),
    "quality": _kept("shadowsize offsamples numslices numstacks numquads"),
    "headlight": _kept("ambient diffuse specular active"),
    "map": _kept(
        "stiffness stiffnessrot force torque alpha fogstart fogend znear zfar haze shadowclip shadowscale "
        "actuatortendon"
    ),
    "scale": _kept(
        "forcewidth contactwidth contactheight connect com camera light selectpoint jointlength jointwidth "
        "actuatorlength actuatorwidth framelength framewidth constraint slidercrank frustum"
    ),
    "rgba": _kept(
        "fog haze force inertia joint actuator actuatornegative actuatorpositive com camera light selectpoint connect "
        "contactpoint contactforce contactfriction contacttorque contactgap rangefinder constraint slidercrank "
        "crankbroken frustum bv bvactive"
    ),
}

_ASSETS: dict[str, Entry] = {
    "asset": Entry(children="mesh hfield skin texture material model"),
    "mesh": Entry(
        read="name class content_type file vertex face refpos refquat scale inertia builtin params",
        kept="normal texcoord smoothnormal material maxhullvert",
        children="plugin",
    ),
    "hfield": Entry(read="name content_type file nrow ncol size elevation"),
    "skin": _lost("name file material rgba inflate vertex texcoord face group", "bone"),
    "bone": _lost("body bindpos bindquat vertid vertweight"),
    "texture": Entry(
        read="name class file",
        kept="type colorspace content_type gridsize gridlayout fileright fileleft fileup filedown filefront fileback "
        "builtin rgb1 rgb2 mark markrgb random width height hflip vflip nchannel embed",
    ),
    "material": Entry(
        read="name class texture rgba",
        kept="texrepeat texuniform emission specular shininess reflectance metallic roughness",
        children="layer",
    ),
    "layer": _kept("texture role"),
    "model": Entry(read="name file content_type"),
}

_BODIES: dict[str, Entry] = {
    "worldbody": Entry(children=_IN_BODY),
    "body": Entry(
        read=f"name childclass pos {_TURN} mocap gravcomp",
        kept="sleep simple fuse user",
        children=f"inertial? joint freejoint {_IN_BODY}",
    ),
    "frame": Entry(read=f"name childclass pos {_TURN}", children=f"inertial? joint freejoint {_IN_BODY}"),
    "replicate": Entry(read="count offset euler sep childclass", children=f"inertial? joint {_IN_BODY}"),
    "inertial": Entry(read=f"pos {_TURN} mass diaginertia fullinertia"),
    "joint": Entry(
        read="name class type pos axis springdamper limited actuatorfrclimited actuatorfrcrange solreflimit "
        "solimplimit stiffness range ref springref armature damping frictionloss",
        kept="group user solreffriction solimpfriction",
        lost="margin actuatorgravcomp springyield",
    ),
    "freejoint": Entry(read="name", kept="group", lost="align"),
    "geom": Entry(
        read=f"name class type contype conaffinity condim group priority size material friction mass density "
        f"shellinertia {_SOFT} fromto pos {_TURN} hfield mesh fitscale rgba",
        kept="castshadow user",
        lost="solmix margin gap surfacevel adhesion fluidshape fluidcoef",
        children="plugin",
    ),
    "attach": Entry(read="model body frame prefix"),
    "site": Entry(read=f"name class pos {_TURN} fromto", kept="type group material size mesh rgba user"),
    "camera": _kept(
        f"name class projection fovy ipd resolution output pos {_TURN} mode target focal focalpixel principal "
        "principalpixel sensorsize user"
    ),
    "light": _kept(
        "name class directional type castshadow active pos dir bulbradius intensity range attenuation cutoff softness "
        "exponent ambient diffuse specular mode target texture"
    ),
    "composite": Entry(fate="lost", is_dropped=True),
}

_FLEXES: dict[str, Entry] = {
    "flexcomp": _lost(
        f"name type group dim dof count cellcount spacing radius rigid mass inertiabox scale file mesh point element "
        f"texcoord material rgba flatskin pos {_TURN} origin",
        "edge@flexcomp? elasticity? contact@flex? pin plugin",
    ),
    "edge@flexcomp": _lost(f"equality {_SOFT} stiffness damping"),
    "elasticity": _lost("young poisson damping thickness elastic2d section sectionsize shear yield"),
    "contact@flex": _lost(
        f"contype conaffinity condim priority friction solmix {_SOFT} margin gap selfcollide activelayers passive "
        "internal vertcollide",
        dropped="internal vertcollide",
    ),
    "pin": _lost("id range grid gridrange"),
    "deformable": Entry(children="flex skin"),
    "flex": _lost(
        "name group dim radius material rgba flatskin body vertex element texcoord elemtexcoord node nodecoord "
        "cellcount dof",
        "contact@flex? edge@flex? elasticity?",
    ),
    "edge@flex": _lost("stiffness damping"),
}

_TENDON = (
    "name class group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit solreffriction "
    "solimpfriction frictionloss springlength margin stiffness damping armature springyield user"
)

_CONSTRAINTS: dict[str, Entry] = {
    "contact": Entry(children="pair exclude"),
    "pair": Entry(
        read=f"name class geom1 geom2 condim friction {_SOFT}", kept="solreffriction", lost="gap margin adhesion"
    ),
    "exclude": Entry(read="name body1 body2"),
    "tendon": Entry(children="spatial fixed"),
    "spatial": _lost(f"{_TENDON} width material rgba", "site@spatial geom@spatial pulley"),
    "site@spatial": _lost("site"),
    "geom@spatial": _lost("geom sidesite"),
    "pulley": _lost("divisor"),
    "fixed": Entry(
        read="name class actuatorfrcrange actuatorfrclimited",
        kept="group user limited solreflimit solimplimit solreffriction solimpfriction",
        lost="range margin armature damping stiffness frictionloss springlength springyield",
        children="joint@tendon",
    ),
    "joint@tendon": Entry(read="joint coef"),
    "equality": Entry(
        children="connect weld joint@equality tendon@equality flex@equality flexvert flexstrain distance@equality"
    ),
    "connect": Entry(read="name class active body1 body2 anchor site1 site2", kept=_SOFT),
    "weld": Entry(read="name class active body1 body2 relpose anchor site1 site2", kept=f"{_SOFT} torquescale"),
    "joint@equality": Entry(read="name class active joint1 joint2 polycoef", kept=_SOFT),
    "tendon@equality": Entry(read="name class active tendon1 tendon2 polycoef", kept=_SOFT),
    "flex@equality": _lost(f"name class active {_SOFT} flex"),
    "flexstrain": _lost(f"name class active {_SOFT} flex cell"),
    "flexvert": Entry(fate="lost", is_dropped=True),
    "distance@equality": Entry(fate="lost", is_dropped=True),
}

_ACTUATOR = "name class group nsample interp delay ctrlrange user"
_LIMITS = "ctrllimited forcelimited forcerange"
_DYNAMICS = "lengthrange gear damping armature cranklength"
_TARGETS = "joint jointinparent tendon slidersite cranksite"
_SERVO = "kp kv dampratio inheritrange"
_ACTIVATION = "actlimited actrange"

_DRIVE = f"name class joint tendon gear ctrlrange {_LIMITS}"
_NOT_OF_DRIVES = "armature damping cranklength cranksite slidersite site refsite jointinparent nsample interp delay"
_KEPT_OF_DRIVES = "group user lengthrange"

_ACTUATORS: dict[str, Entry] = {
    "actuator": Entry(
        children="general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor "
        "plugin@actuator"
    ),
    "general": Entry(
        read=f"{_DRIVE} inheritrange gaintype gainprm biastype biasprm",
        kept=f"{_KEPT_OF_DRIVES} actlimited dynprm",
        lost=f"{_NOT_OF_DRIVES} body actrange actdim actearly dyntype input velrange ffrange",
    ),
    "motor": Entry(read=_DRIVE, kept=_KEPT_OF_DRIVES, lost=_NOT_OF_DRIVES),
    "position": Entry(read=f"{_DRIVE} {_SERVO}", kept=_KEPT_OF_DRIVES, lost=f"{_NOT_OF_DRIVES} timeconst"),
    "velocity": Entry(read=f"{_DRIVE} kv", kept=_KEPT_OF_DRIVES, lost=_NOT_OF_DRIVES),
    "intvelocity": _lost(f"{_ACTUATOR} {_LIMITS} {_DYNAMICS} {_TARGETS} site refsite {_SERVO} {_ACTIVATION}"),
    "orientation": _lost(f"{_ACTUATOR} forcelimited forcerange joint site refsite kp kv dampratio input"),
    "pid": _lost(
        f"{_ACTUATOR} {_LIMITS} {_DYNAMICS} {_TARGETS} site refsite {_SERVO} ki imax slewmax input posrange velrange "
        "ffrange"
    ),
    "damper": _lost(f"{_ACTUATOR} forcelimited forcerange {_DYNAMICS} {_TARGETS} site refsite kv"),
    "cylinder": _lost(f"{_ACTUATOR} {_LIMITS} {_DYNAMICS} {_TARGETS} site refsite timeconst area diameter bias"),
    "muscle": _lost(
        f"{_ACTUATOR} {_LIMITS} {_DYNAMICS} {_TARGETS} timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax"
    ),
    "adhesion": _lost(f"{_ACTUATOR} forcelimited forcerange body gain"),
    "dcmotor": _lost(
        f"{_ACTUATOR} ctrllimited {_DYNAMICS} {_TARGETS} site refsite motorconst resistance nominal saturation "
        "inductance cogging controller thermal lugre input"
    ),
    "plugin@actuator": _lost(
        f"{_ACTUATOR} {_LIMITS} {_DYNAMICS} {_TARGETS} site {_PLUGIN} {_ACTIVATION} actdim actearly dyntype dynprm",
        "config",
    ),
}

_SENSOR = "name nsample interp delay interval cutoff noise user"
_OBJECT = "objtype objname"
_PAIR_OF_GEOMS = "geom1 geom2 body1 body2"

_MEASURED: dict[str, str] = {
    "site": "touch accelerometer velocimeter gyro force torque magnetometer",
    "site camera": "camprojection",
    "site camera data": "rangefinder",
    "joint": "jointpos jointvel jointactuatorfrc ballquat ballangvel jointlimitpos jointlimitvel jointlimitfrc",
    "tendon": "tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc",
    "actuator": "actuatorpos actuatorvel actuatorfrc",
    f"{_OBJECT} reftype refname": "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel",
    _OBJECT: "framelinacc frameangacc",
    "body": "subtreecom subtreelinvel subtreeangmom",
    f"site {_OBJECT} enclosed": "insidesite",
    _PAIR_OF_GEOMS: "distance normal fromto",
    f"{_PAIR_OF_GEOMS} subtree1 subtree2 site num data reduce": "contact@sensor",
    "": "e_potential e_kinetic clock",
}
"""Keys of sensors by the attributes that name what they measure."""

_SENSORS: dict[str, Entry] = {
    **{key: _kept(f"{_SENSOR} {measured}") for measured, keys in _MEASURED.items() for key in keys.split()},
    "tactile": _kept("name nsample interp delay interval cutoff user geom mesh"),
    "user@sensor": _kept(f"name {_OBJECT} datatype needstage dim cutoff noise user"),
    "plugin@sensor": _kept(f"name {_PLUGIN} cutoff {_OBJECT} reftype refname user", "config"),
}

ELEMENTS: dict[str, Entry] = {
    **_MAIN,
    **_VISUAL,
    **_ASSETS,
    **_BODIES,
    **_FLEXES,
    **_CONSTRAINTS,
    **_ACTUATORS,
    "sensor": _kept(children=" ".join(_SENSORS)),
    **_SENSORS,
}
"""The entry of each element by its key: its tag, and after "@" what it is in or belongs to, if a tag has several
meanings."""

_NOT_IN_DEFAULTS = (
    "name class content_type file fileright fileleft fileup filedown filefront fileback vertex normal texcoord face "
    "refpos refquat smoothnormal params mesh.builtin mesh.material target light.texture geom1 geom2 body joint tendon "
    "jointinparent site refsite slidersite cranksite lengthrange tausmooth"
)
NOT_IN_DEFAULTS = frozenset(_NOT_IN_DEFAULTS.split())
"""Attributes that elements in <default> do not have; those of one element only as "element.attribute"."""

IDLE: dict[str, str] = {
    "alignfree": "false",
    "align": "auto false",
    "density": "0",
    "viscosity": "0",
    "collision": "all",
    "clampctrl": "enable",
    "override": "disable",
    "margin": "0",
    "gap": "0",
    "solmix": "1",
    "surfacevel": "0",
    "adhesion": "0",
    "fluidshape": "none",
    "actuatorgravcomp": "false",
    "springyield": "0",
    "armature": "0",
    "damping": "0",
    "stiffness": "0",
    "frictionloss": "0",
    "range": "0",
    "springlength": "-1",
    "timeconst": "0",
    "nsample": "0",
    "delay": "0",
    "dyntype": "none",
    "actearly": "false",
    "actdim": "-1",
}
"""Values with which lost attributes have no effect in MuJoCo, so that nothing is lost.

Each is a list of words, or a number that stands for any amount of equal numbers.
"""

READ_NUMBERS: dict[str, int] = {"gear": 1, "stiffness": 1, "damping": 1, "polycoef": 2}
"""Count of an attribute's numbers that are read. If one of the others is not 0, it is lost."""

LOST_VALUES: dict[str, frozenset[str]] = {
    "geom.type": frozenset(("sdf",)),
    "general.gaintype": frozenset(("muscle", "dcmotor", "so3", "pid", "user")),
    "general.biastype": frozenset(("muscle", "dcmotor", "so3", "user")),
}
"""Values of attributes that are read otherwise, as "element.attribute", with which the element is lost."""

LOST_WITH: dict[str, frozenset[str]] = dict.fromkeys(
    ("general", "motor", "position", "velocity"), frozenset(("site", "body", "slidersite", "jointinparent"))
)
"""Attributes with which an element has no effect here at all: what an actuator acts on, if no drive can."""
