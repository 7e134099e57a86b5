"""What is worked out from a scene and kept with it: weights that the panel shows, and the poses as drawn."""

from .. import ids
from .motion import is_animated
from .numbers import format_pose, scaled_pose, unit_length
from .poses import drawn_pose
from .read import SceneReading


def store_weights(reading: SceneReading) -> None:
    """Let the panel show the masses that were found."""
    for name, obj in reading.objects.items():
        settings = getattr(obj, ids.LINK)
        weight = reading.weights.get(name)
        settings.volume = weight.volume if weight else 0.0
        settings.mass_shown = weight.mass if weight else settings.mass
        settings.mass_note = "; ".join(weight.notes) if weight else ""


def store_rest_poses(reading: SceneReading, scene) -> None:
    """Keep where the model was drawn, before an animation moves its objects."""
    carried = {joint.child for joint in reading.model.joints}
    unit = unit_length(scene)
    for name, obj in reading.objects.items():
        if name in carried and not is_animated(obj):
            pose = scaled_pose(reading.model.link(name).pose, 1.0 / unit)
        else:
            pose = drawn_pose(obj)
        getattr(obj, ids.LINK).rest_pose = format_pose(pose)
