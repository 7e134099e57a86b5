"""Give links shapes that collide."""

import bpy
from bpy.props import EnumProperty

from ...core.model import ModelError
from .. import bridge, ids
from ..props import carrier_of, is_link
from .report import fail, in_object_mode, succeed


class LIMBERJACK_OT_collision_add(bpy.types.Operator):
    """Give each selected link a shape that collides, in the place of one made so before. It is written to files"""

    bl_idname = ids.OP_COLLISION_ADD
    bl_label = "Add Collision Shape"
    bl_options = {"REGISTER", "UNDO"}

    type: EnumProperty(
        name="Type",
        description="Which shape encloses the link",
        items=(
            ("BOX", "Box", "Along the link's axes", 0),
            ("SPHERE", "Sphere", "The smallest around the link", 1),
            ("CAPSULE", "Capsule", "A cylinder with round ends, along the direction that suits the link best", 2),
            ("CYLINDER", "Cylinder", "Along the direction that suits the link best", 3),
            ("HULL", "Convex Hull", "As a cloth pulled tight around the link", 4),
            ("MESH", "Mesh", "All that is seen of the link, as one mesh", 5),
            ("OWN", "Selected Objects", "The selected objects themselves, which only collide from now on", 6),
        ),
    )

    @classmethod
    def poll(cls, context):
        if not any(carrier_of(obj) for obj in context.selected_objects):
            cls.poll_message_set("Select links, or objects that are parented to links")
            return False
        return in_object_mode(cls, context)

    def execute(self, context):
        if self.type == "OWN":
            return self._take_selected(context)
        links = list(dict.fromkeys(link for obj in context.selected_objects if (link := carrier_of(obj))))
        around = bridge.parts.surroundings_of(context.scene, context.evaluated_depsgraph_get())
        try:  # all of them before any is made
            fitted = {link: bridge.collisions.fitted_shape(link, self.type, around) for link in links}
        except ModelError as error:
            return fail(self, context, error)
        made = [bridge.collisions.put_collision(link, self.type, shape, around).name for link, shape in fitted.items()]
        return succeed(self, context, f"{', '.join(made[:3])}{' and more' if len(made) > 3 else ''}: made")

    def _take_selected(self, context):
        shapes = [obj for obj in context.selected_objects if carrier_of(obj) and not is_link(obj)]
        if not shapes:
            return fail(self, context, "Select objects that are parented to a link: they become what collides of it")
        for obj in shapes:
            getattr(obj, ids.LINK).role = "COLLISION"
        return succeed(self, context, f"{len(shapes)} objects only collide now, and weigh nothing")


CLASSES = (LIMBERJACK_OT_collision_add,)
