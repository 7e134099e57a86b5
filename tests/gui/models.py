# SPDX-License-Identifier: GPL-3.0-or-later
"""Model files that the tests drop into Blender's window."""

import tempfile
from pathlib import Path

ARM = ("base", "upper", "fore", "hand")
"""The links of either file, all of them."""

WEDGE = """\
o wedge
v 0 0 0
v 0.2 0 0
v 0 0.2 0
v 0 0 0.4
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""

URDF = """\
<robot name="urdf_arm" version="1.1">
  <link name="world"/>
  <link name="base">
    <inertial><mass value="5"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <visual name="block"><origin xyz="0 0 0.1"/><geometry><box size="0.6 0.4 0.2"/></geometry>
      <material name="blue"><color rgba="0.1 0.3 0.8 1"/></material></visual>
    <collision name="block_hull"><origin xyz="0 0 0.1"/><geometry><box size="0.7 0.5 0.2"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.4"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial>
    <visual name="rod"><origin xyz="0 0 0.4"/><geometry><cylinder radius="0.08" length="0.8"/></geometry>
      <material name="orange"><color rgba="0.9 0.4 0.1 1"/></material></visual>
    <collision name="rod_hull"><origin xyz="0 0 0.4"/>
      <geometry><cylinder radius="0.12" length="0.9"/></geometry></collision>
  </link>
  <link name="fore">
    <inertial><origin xyz="0 0 0.3"/><mass value="1"/>
      <inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.01"/></inertial>
    <visual name="pill"><origin xyz="0 0 0.3"/><geometry><capsule radius="0.06" length="0.6"/></geometry></visual>
  </link>
  <link name="hand">
    <inertial><mass value="0.3"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
    <visual name="wedge"><geometry><mesh filename="wedge.obj"/></geometry></visual>
  </link>
  <joint name="stand" type="fixed"><parent link="world"/><child link="base"/></joint>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.2"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-1.0471975511965976" upper="1.5707963267948966" effort="40" velocity="2"/></joint>
  <joint name="elbow" type="continuous"><origin xyz="0 0 0.8" rpy="0 1.2 0"/><parent link="upper"/><child link="fore"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="reach" type="prismatic"><origin xyz="0 0 0.66"/><parent link="fore"/><child link="hand"/>
    <axis xyz="0 0 1"/><limit lower="0" upper="0.25" effort="10" velocity="1"/></joint>
</robot>
"""

_INERTIAL = "<inertial><mass>{}</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>"

SDF = f"""\
<sdf version="1.9"><world name="yard">
  <light name="lamp" type="point"><pose>1 -1 3 0 0 0</pose><diffuse>1 0.9 0.8 1</diffuse>
    <attenuation><range>20</range><linear>0.1</linear></attenuation></light>
  <model name="sdf_arm"><pose>0 2 0 0 0 0</pose>
    <link name="base">{_INERTIAL.format(5)}
      <visual name="block"><pose>0 0 0.1 0 0 0</pose><geometry><box><size>0.6 0.4 0.2</size></box></geometry></visual>
      <collision name="block_hull"><pose>0 0 0.1 0 0 0</pose>
        <geometry><box><size>0.7 0.5 0.2</size></box></geometry></collision></link>
    <link name="upper"><pose>0 0 0.2 0 0 0</pose>{_INERTIAL.format(2)}
      <visual name="rod"><pose>0 0 0.4 0 0 0</pose>
        <geometry><cylinder><radius>0.08</radius><length>0.8</length></cylinder></geometry></visual></link>
    <link name="fore"><pose>0 0 1 0 1.2 0</pose>{_INERTIAL.format(1)}
      <visual name="pill"><pose>0 0 0.3 0 0 0</pose>
        <geometry><capsule><radius>0.06</radius><length>0.6</length></capsule></geometry></visual></link>
    <link name="hand"><pose relative_to="fore">0 0 0.66 0 0 0</pose>{_INERTIAL.format(0.3)}
      <visual name="wedge"><geometry><mesh><uri>wedge.obj</uri></mesh></geometry></visual></link>
    <joint name="stand" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child>
      <axis><xyz>0 1 0</xyz><limit><lower>-1.0471975511965976</lower><upper>1.5707963267948966</upper></limit></axis>
    </joint>
    <joint name="elbow" type="ball"><parent>upper</parent><child>fore</child></joint>
    <joint name="reach" type="prismatic"><parent>fore</parent><child>hand</child>
      <axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>0.25</upper></limit></axis></joint>
  </model>
</world></sdf>
"""


STL = """\
solid floor
facet normal 0 0 1
outer loop
vertex -3 -3 0
vertex 3 -3 0
vertex 3 3 0
endloop
endfacet
facet normal 0 0 1
outer loop
vertex -3 -3 0
vertex 3 3 0
vertex -3 3 0
endloop
endfacet
endsolid floor
"""

COLLADA = """\
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries><geometry id="corner"><mesh>
    <source id="places"><float_array id="numbers" count="12">0 0 0 0.3 0 0 0 0.3 0 0 0 0.3</float_array>
      <technique_common><accessor source="#numbers" count="4" stride="3"><param name="X" type="float"/>
        <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="points"><input semantic="POSITION" source="#places"/></vertices>
    <triangles count="4"><input semantic="VERTEX" source="#points" offset="0"/>
      <p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="scene"><node><instance_geometry url="#corner"/></node></visual_scene>
  </library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
"""

_MESH = "<{0} name='{1}_{0}'><geometry><mesh><uri>{2}</uri></mesh></geometry></{0}>"


def _yard() -> str:
    """A world in which two bodies of meshes lie 0.3 m above a floor that is a mesh, too."""
    models = (("floor", "floor.stl", "0 0 0"), ("wedge", "wedge.obj", "-1 0 0.3"), ("corner", "corner.dae", "1 0 0.3"))
    text = ""
    for name, file, place in models:
        shapes = _MESH.format("collision", name, file) + _MESH.format("visual", name, file)
        static = f"<static>{str(name == 'floor').lower()}</static>"
        body = f"<link name='body'>{_INERTIAL.format(1)}{shapes}</link>"
        text += f"<model name='{name}'>{static}<pose>{place} 0 0 0</pose>{body}</model>"
    return f"<sdf version='1.9'><world name='yard'>{text}</world></sdf>"


def folder_of_meshes() -> Path:
    """Return a new folder with a world, yard.sdf, whose bodies are seen and collide as meshes: STL, OBJ, COLLADA."""
    folder = Path(tempfile.mkdtemp(prefix="meshes_"))
    for name, text in (("yard.sdf", _yard()), ("floor.stl", STL), ("wedge.obj", WEDGE), ("corner.dae", COLLADA)):
        (folder / name).write_text(text)
    return folder


MJCF = """\
<mujoco model="playground">
  <default><joint damping="0.2"/><default class="red"><geom rgba="0.8 0.2 0.1 1"/></default></default>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 0.1" rgba="0.4 0.5 0.4 1"/>
    <body name="base" pos="-1 0 0">
      <geom type="cylinder" size="0.2 0.05" pos="0 0 0.05"/>
      <body name="arm" pos="0 0 0.1">
        <joint name="shoulder" axis="0 1 0" range="-120 120"/>
        <geom class="red" type="capsule" size="0.05" fromto="0 0 0 0 0 0.8"/>
        <body name="hand" pos="0 0 0.8">
          <joint name="elbow" axis="0 1 0" range="-120 120"/>
          <geom type="capsule" size="0.04" fromto="0 0 0 0 0 0.5"/>
        </body>
      </body>
    </body>
    <body name="box" pos="1 0 1"><freejoint/><geom class="red" type="box" size="0.2 0.2 0.2"/></body>
  </worldbody>
  <actuator>
    <position name="shoulder" joint="shoulder" kp="200" kv="20"/>
    <position name="elbow" joint="elbow" kp="100" kv="10"/>
  </actuator>
  <keyframe><key name="home" qpos="0.6 -0.9 1 0 1 1 0 0 0" ctrl="0.6 -0.9"/></keyframe>
</mujoco>
"""


def folder_of_models() -> Path:
    """A new folder with an arm as URDF and as SDF, each of a box, a cylinder, a capsule and a mesh from a file, and
    with an arm and a box of MuJoCo."""
    folder = Path(tempfile.mkdtemp(prefix="models_"))
    for name, text in (("arm.urdf", URDF), ("arm.sdf", SDF), ("wedge.obj", WEDGE), ("playground.xml", MJCF)):
        (folder / name).write_text(text)
    return folder
