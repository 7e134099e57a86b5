# SPDX-License-Identifier: GPL-3.0-or-later
"""An artist's first bounce: from the default cube of a new scene to a baked bounce, by the mouse alone, counted."""

import bpy
import harness
import properties
from harness import Steps, drag, press, screenshot, until
from test_newcomer import Counted

from support.plan import walk

MOST = 6
"""Actions, from Blender's new scene to a cube that is baked as it bounces."""

BOUNCE = 'bpy.data.scenes["Scene"].limberjack.ground_bounce'


def drag_number(name: str, pixels: int, across: float) -> Steps:
    """Press the mouse on a number of the Properties editor, move it to the right and release it."""
    x, y = yield from properties.find_button(name, across)
    yield from drag((x, y), (x + pixels, y), steps=10)


def heights(cube: bpy.types.Object) -> list[float]:
    """Heights of the cube's middle over the frames of the scene [m]."""
    scene, found = bpy.context.scene, []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        found.append(cube.matrix_world.translation.z)
    return found


@walk
def test_default_cube_to_a_baked_bounce():
    """Six actions in the Properties editor, which a new scene shows: lift, Physics, tag, ground, bounce, bake."""
    cube, scene = bpy.data.objects["Cube"], bpy.context.scene
    scene.frame_end = 60
    act = Counted()
    lift = drag_number('bpy.data.objects["Cube"].location[2]', 300, across=0.5)
    yield from act("drag Location Z", lift)
    height = cube.location.z
    assert height > 2.0, f"the drag has lifted the cube to {height} m only"
    yield from act("the tab Physics", properties.click_tab("PHYSICS"))
    yield from screenshot("bounce_physics_tab")
    yield from act("Tag as Links", properties.click_button("limberjack.link_tag", across=0.25))
    assert harness.links() == ["Cube"], harness.links()
    yield from act("Ground", properties.click_button("limberjack.ground"))
    assert scene.limberjack.ground
    assert scene.limberjack.contact
    yield from act("drag Bounciness", drag_number(BOUNCE, 80, across=0.6))
    bounce = scene.limberjack.ground_bounce
    assert 0.3 < bounce < 0.95, f"the drag has given the ground a bounciness of {bounce}"
    yield from screenshot("bounce_before_bake")
    yield from act("Simulate and Bake", properties.click_button("limberjack.simulate", across=0.7))
    yield from harness.simulated()
    print("BOUNCE", len(act.done), act.done, flush=True)
    path = heights(cube)
    landed = next(number for number in range(1, len(path)) if path[number] > path[number - 1] and number > 1)
    assert min(path) > 1.0 - 1e-4, "the cube sinks into the ground"
    wanted = 1.0 + bounce**2 * (height - 1.0)
    assert abs(max(path[landed:]) - wanted) < 0.02 * wanted, (max(path[landed:]), wanted)
    yield from screenshot("bounce_baked")
    assert len(act.done) <= MOST, act.done

    yield from harness.over_viewport()
    for _ in range(3):  # the bake, the bounciness, the ground
        yield from press("Z", ctrl=True)
    yield from until(lambda: not bpy.context.scene.limberjack.ground, "undo takes the ground back")
