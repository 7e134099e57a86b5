# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes with everything that exporters have stumbled over, and readers of what is written that are not ours."""

import io
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import bpy
import numpy as np
import trimesh

from limberjack.addon.bridge.scene.read import scan_scene


def evaluated_boxes(scene):
    """Lowest and highest corner [m] of all that Blender shows, by the name it is to leave under."""
    unit = scene.unit_settings.scale_length
    depsgraph = bpy.context.evaluated_depsgraph_get()
    boxes = {}
    for found in depsgraph.object_instances:
        if found.object.type not in ("MESH", "CURVE", "FONT", "SURFACE"):
            continue
        if found.is_instance and found.object.original == found.parent.original:
            continue  # the mesh of a curve or text, which is that object's own too
        mesh = found.object.to_mesh()
        points = np.array([found.matrix_world @ vertex.co for vertex in mesh.vertices]).reshape(-1, 3) * unit
        own = found.object.original.name
        name = f"{found.parent.original.name}_{own}" if found.is_instance else own
        found.object.to_mesh_clear()
        if len(points):
            boxes[name] = points.min(axis=0), points.max(axis=0)
    return boxes


def matrix_of(element):
    """The <pose> of an element of an SDF file, shape (4, 4)."""
    pose = element.find("pose")
    x, y, z, roll, pitch, yaw = map(float, pose.text.split()) if pose is not None else [0.0] * 6
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(angle), math.sin(angle)) for angle in (roll, pitch, yaw))
    turn_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    turn_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    turn_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn_z @ turn_y @ turn_x, (x, y, z)
    return matrix


def file_of(uri, path):
    """Where a uri of an SDF file leads that lies beside what it names."""
    return path.parent / uri.removeprefix(f"model://{path.parent.name}/")


def bare(path):
    """An OBJ file without looks, for which trimesh needs an imaging library."""
    text = path.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith(("v ", "f "))]
    return io.StringIO(re.sub(r"/\d+", "", "\n".join(lines)))


def written_boxes(path: Path, tag="visual"):
    """Lowest and highest corner [m] of each mesh in a written SDF file, as another library reads them."""
    boxes = {}
    root = ET.parse(path).getroot()
    for model in root.iter("model"):
        for body in model.findall("link"):
            X_WL = matrix_of(model) @ matrix_of(body)
            for visual in body.findall(tag):
                mesh = visual.find("geometry/mesh")
                if mesh is None:
                    continue
                there = bare(file_of(mesh.findtext("uri"), path))
                shape = trimesh.load(there, file_type="obj", process=False, force="mesh")
                scale = np.array(mesh.findtext("scale", "1 1 1").split(), dtype=float)
                points = (shape.vertices * scale) @ (X_WL @ matrix_of(visual))[:3, :3].T
                points = points + (X_WL @ matrix_of(visual))[:3, 3]
                boxes[visual.get("name")] = points.min(axis=0), points.max(axis=0)
    return boxes


def require_same_boxes(found, expected, tolerance=1e-6):
    assert set(found) == set(expected)
    for name, (low, high) in expected.items():
        assert np.abs(np.subtract(found[name], (low, high))).max() < tolerance, (name, found[name], (low, high))


def legal(boxes):
    """SDF allows no `::` in a name."""
    return {name.replace("::", "__"): box for name, box in boxes.items()}


def lopsided(name="lump"):
    """A closed mesh that looks alike from no two sides."""
    mesh = bpy.data.meshes.new(name)
    points = [(0.1, 0.2, -0.3), (1.3, 0.1, 0.0), (0.2, 1.7, 0.1), (0.0, 0.3, 2.1)]
    mesh.from_pydata(points, [], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    return mesh


def put(name, data, parent=None, collection=None, **settings):
    obj = bpy.data.objects.new(name, data)
    (collection or bpy.context.scene.collection).objects.link(obj)
    obj.parent = parent
    for key, value in settings.items():
        setattr(obj, key, value)
    return obj


def material(name, color):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = color
    return made, shader


def difficult(scene, build, unit=1.0):
    """A machine on a floor with parents, turns, uneven and negative scales, instances, an open and an empty mesh."""
    scene.unit_settings.scale_length = unit
    base = put("base ü", lopsided(), location=(1.0, 2.0, 3.0), rotation_euler=(0.3, -0.4, 0.5), scale=(1.0, 2.0, 0.5))
    child = put("arm.001", base.data, base, location=(0.4, 0.1, 0.2), scale=(-1.0, 1.0, 3.0))
    put("arm.002", base.data, child, location=(0.0, 0.2, 1.0), scale=(0.7, -0.6, 0.5))
    turned = put("sheared", lopsided("own"), base, rotation_euler=(0.0, 0.7, 0.2), scale=(1.0, 1.0, -2.0))
    turned.modifiers.new("thick", "SOLIDIFY").thickness = 0.1
    sheet = bpy.data.meshes.new("sheet")
    sheet.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0.2), (0, 1, 0)], [], [(0, 1, 2, 3)])
    put("an open mesh", sheet, base, location=(0.0, 0.0, 2.0))
    put("empty", bpy.data.meshes.new("nothing"), base)
    put("テスト::b", lopsided("unicode"), base, location=(3.0, 0.0, 0.0)).data.materials.append(None)
    text = bpy.data.curves.new("label", "FONT")
    text.body, text.extrude = "Lj", 0.05
    put("label", text, base, rotation_euler=(1.0, 0.0, 0.0))
    kit = bpy.data.collections.new("kit")
    put("bolt", lopsided("bolt"), None, kit, location=(0.5, 0.0, 0.0), scale=(0.1, 0.1, -0.2))
    put("nut", lopsided("nut"), None, kit, rotation_euler=(0.0, 0.0, 1.0), scale=(0.2, 0.2, 0.2))
    kit.instance_offset = (0.1, 0.2, 0.3)
    for number in range(2):
        holder = put(f"kit{number}", None, base, location=(number, 1.0, 1.0), scale=(1.0, 1.5, 1.0))
        holder.instance_type, holder.instance_collection = "COLLECTION", kit
    put("floor", lopsided("floor"), scale=(5.0, 5.0, -0.1), rotation_euler=(0.0, 0.1, 0.0))
    bpy.context.view_layer.update()
    build.tag(base)
    return base


def whole(scene, **options):
    """The scene's reading with everything."""
    return scan_scene(scene, with_shapes=True, with_surroundings=True, **options)


def visual(model, name):
    """The visual of that name, on whatever link."""
    return next(shape for item in model.links for shape in item.visuals if shape.name == name)
