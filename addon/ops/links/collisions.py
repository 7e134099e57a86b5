# SPDX-License-Identifier: GPL-3.0-or-later
"""Make collision shapes of links."""

import time

import bpy
from bpy.props import EnumProperty

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...nodes.naming import node_named
from ...props import carrier_of, is_link
from ...props.settings import link_settings
from ..report import fail, in_object_mode, nothing_runs, succeed
from ..waiting import WaitsForSolver

MOST_NAMED = 3
"""Number of links that a message names."""


class LIMBERJACK_OT_collision_add(WaitsForSolver, bpy.types.Operator):
    """Give each selected link a collision shape, replacing one made this way before. Exports include it"""

    bl_idname = ids.OP_COLLISION_ADD
    bl_label = "Add Collision Shape"
    bl_options = {"REGISTER", "UNDO"}
    tick = 0.05
    needs_solver = False

    type: EnumProperty(
        name="Type",
        description="Which shape encloses the link",
        items=(
            (
                "AUTO",
                "Automatic",
                "A box, sphere, capsule, cylinder or cone that fits within 1 % or through all corners of the mesh, "
                "else a convex hull or convex pieces",
                7,
            ),
            ("BOX", "Box", "Along the link's axes", 0),
            ("SPHERE", "Sphere", "The smallest around the link", 1),
            ("CAPSULE", "Capsule", "A cylinder with round ends, along the direction that suits the link best", 2),
            ("CYLINDER", "Cylinder", "Along the direction that suits the link best", 3),
            ("HULL", "Convex Hull", "The convex hull: like cloth pulled tight around the link", 4),
            ("PIECES", "Convex Pieces", "Several hulls, for hollow and bent meshes; may take a minute", 8),
            ("MESH", "Mesh", "All visible meshes of the link, joined into one", 5),
            (
                "OWN",
                "Selected Objects",
                "The selected objects themselves become collision shapes, and are no longer visual ones",
                6,
            ),
        ),
        default="AUTO",
    )

    _search = None

    @classmethod
    def poll(cls, context):
        if not any(carrier_of(obj) for obj in context.selected_objects):
            cls.poll_message_set("Select links, or objects that are parented to links")
            return False
        return in_object_mode(cls, context) and nothing_runs(cls, context)

    def invoke(self, context, event):
        if bpy.app.background or context.window is None or self.type == "OWN":
            return self.execute(context)
        self._search = self._search_fits(context)
        outcome = self._work(context)
        return self.wait(context) if outcome == {"RUNNING_MODAL"} else outcome

    def execute(self, context):
        if self.type == "OWN":
            return self._use_selected_objects(context)
        self._search = self._search_fits(context)
        while (outcome := self._work(context)) == {"RUNNING_MODAL"}:
            time.sleep(self.tick)
        return outcome

    def modal(self, context, event):
        if event.type == "ESC":
            self.leave(context)
            self.report({"INFO"}, "Cancelled: the shapes are as they were")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if event.type == "MOUSEMOVE" else {"RUNNING_MODAL"}
        outcome = None
        try:
            outcome = self._work(context)
        finally:  # do not leave the window locked after a bug
            if outcome != {"RUNNING_MODAL"}:
                self.leave(context)
        return outcome

    def cancel(self, context):
        self.leave(context)

    def compile(self, context):
        super().compile(context)
        context.window_manager.progress_begin(0.0, 1.0)

    def leave(self, context):
        if self._timer:
            context.window_manager.progress_end()
        if self._search:
            self._search.close()  # ends the process of the search
        self._search = None
        super().leave(context)

    def _search_fits(self, context):
        """Yield progress messages, and return the fits by link name.

        All fits are found before any shape is made.
        """
        links = list(dict.fromkeys(link for obj in context.selected_objects if (link := carrier_of(obj))))
        evaluated_scene = bridge.links.parts.evaluated_scene_of(context.scene, context.evaluated_depsgraph_get())
        meshes = [bridge.links.collisions.link_mesh_of(link, evaluated_scene) for link in links]
        del links, evaluated_scene  # references may be invalid when this continues
        fits = {}
        for mesh in meshes:
            fits[mesh.name] = yield from bridge.links.collision_fitting.search(mesh, self.type)
        return fits

    def _work(self, context):
        try:
            progress = next(self._search)
        except StopIteration as done:
            return self._apply_fits(context, done.value)
        except ModelError as error:
            return fail(self, context, error)
        if self._timer:
            self.show_progress(context, 0.0, progress)
        return {"RUNNING_MODAL"}

    def _apply_fits(self, context, fits):
        evaluated_scene = bridge.links.parts.evaluated_scene_of(context.scene, context.evaluated_depsgraph_get())
        for name, fit in fits.items():
            link = node_named(context.scene, name)
            if link and fit.shapes:
                bridge.links.collisions.put_collisions(link, fit, evaluated_scene)
        lines = [f"{name}: {fit.description}" for name, fit in fits.items()]
        more = f" and {len(lines) - MOST_NAMED} more" if len(lines) > MOST_NAMED else ""
        return succeed(
            self, context, f"{'; '.join(lines[:MOST_NAMED])}{more}", [fit.note for fit in fits.values() if fit.note]
        )

    def _use_selected_objects(self, context):
        shapes = [obj for obj in context.selected_objects if carrier_of(obj) and not is_link(obj)]
        if not shapes:
            return fail(self, context, "Select objects that are parented to a link: they become what collides of it")
        for obj in shapes:
            link_settings(obj).role = "COLLISION"
        return succeed(self, context, f"{counted(shapes, 'object')} kept for collisions alone, without weight")


CLASSES = (LIMBERJACK_OT_collision_add,)
