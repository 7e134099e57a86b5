"""The one place where a Blender scene and a core `Model` are translated into each other."""

from .fields import AXIS_FIELDS, INERTIAL_FIELDS, JOINT_FIELDS, LINK_FIELDS, MIMIC_FIELDS, write_fields
from .frames import frames_at_empty, has_left_its_frame, store_frames
from .joining import frame_along, join_here, new_joint, pointed_direction, put_joint
from .mirroring import is_in_the_middle, mirror
from .motion import fcurves_of, is_animated
from .moving import move_model
from .numbers import format_pose, frame_range, frame_rate, scaled_pose, unit_length
from .picking import Hit, Surfaces, as_drawn, hit_of, hit_under
from .poses import drawn_pose, live_pose, world_scale
from .read import SceneReading, read_scene, scan_scene
from .read_joints import read_joint
from .settings import store_setting
from .store import store_rest_poses, store_weight, store_weights
from .write import store_joint, write_scene

__all__ = [
    "AXIS_FIELDS",
    "INERTIAL_FIELDS",
    "JOINT_FIELDS",
    "LINK_FIELDS",
    "MIMIC_FIELDS",
    "Hit",
    "SceneReading",
    "Surfaces",
    "as_drawn",
    "drawn_pose",
    "fcurves_of",
    "format_pose",
    "frame_along",
    "frame_range",
    "frame_rate",
    "frames_at_empty",
    "has_left_its_frame",
    "hit_of",
    "hit_under",
    "is_animated",
    "is_in_the_middle",
    "join_here",
    "live_pose",
    "mirror",
    "move_model",
    "new_joint",
    "pointed_direction",
    "put_joint",
    "read_joint",
    "read_scene",
    "scaled_pose",
    "scan_scene",
    "store_frames",
    "store_joint",
    "store_rest_poses",
    "store_setting",
    "store_weight",
    "store_weights",
    "unit_length",
    "world_scale",
    "write_fields",
    "write_scene",
]
