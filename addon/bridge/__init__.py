"""The one place where a Blender scene and a core `Model` are translated into each other."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .collisions import fitted_shape, put_collision, seen_mesh
    from .dials import Dial, JointView, crossed, view_joint
    from .driving import Tuning, drive_to_pose
    from .fields import AXIS_FIELDS, INERTIAL_FIELDS, JOINT_FIELDS, LINK_FIELDS, MIMIC_FIELDS, write_fields
    from .frames import empty_frame, frames_at_empty, has_left_its_frame, store_frames, stored_frames
    from .joining import frame_along, join_here, new_joint, pointed_direction, put_joint
    from .keyed_joints import follow_keys
    from .live import poses_now, put_links
    from .mass import is_weighed, weigh
    from .mirroring import is_in_the_middle, mirror
    from .motion import fcurves_of, is_animated, is_previewed
    from .moving import move_model
    from .named_poses import apply_pose, kept_values, middle_of_limits, scene_pose, store_pose
    from .numbers import (
        format_pose,
        frame_range,
        frame_rate,
        length_in_words,
        parse_pose,
        scaled_pose,
        unit_length,
        units_of,
    )
    from .parts import SOLID, Surroundings, parts_of, surroundings_of
    from .picking import Hit, Surfaces, as_drawn, hit_along, hit_of, hit_under
    from .poses import drawn_pose, live_pose, matrix_of_pose, to_array, world_scale
    from .posing import Posing, pieces_of
    from .posing_cache import posing_of
    from .problems import Problem
    from .pulling import Pull
    from .rays import Ray, ray_under, value_under
    from .read import SceneReading, read_scene, scan_scene
    from .read_joints import read_joint
    from .remedies import apply_remedy, obstacle_to, remedy_label
    from .rig import Rig, forget_rigs, forget_weights, last_rig, show_rig, weigh_once
    from .rigging import aim_axis, move_zero, set_home, set_limits
    from .settings import store_setting
    from .settling import settle_frames, settle_joint
    from .shifting import shift_kept
    from .snapshot import Snapshot
    from .store import store_rest_poses, store_weight, store_weights
    from .write import store_joint, write_scene
else:
    from ...core.late import late

    __getattr__ = late(
        __name__,
        {
            "collisions": "fitted_shape put_collision seen_mesh",
            "dials": "Dial JointView crossed view_joint",
            "driving": "Tuning drive_to_pose",
            "fields": "AXIS_FIELDS INERTIAL_FIELDS JOINT_FIELDS LINK_FIELDS MIMIC_FIELDS write_fields",
            "frames": "empty_frame frames_at_empty has_left_its_frame store_frames stored_frames",
            "joining": "frame_along join_here new_joint pointed_direction put_joint",
            "keyed_joints": "follow_keys",
            "live": "poses_now put_links",
            "mass": "is_weighed weigh",
            "mirroring": "is_in_the_middle mirror",
            "motion": "fcurves_of is_animated is_previewed",
            "moving": "move_model",
            "named_poses": "apply_pose kept_values middle_of_limits scene_pose store_pose",
            "numbers": "format_pose frame_range frame_rate length_in_words parse_pose scaled_pose unit_length units_of",
            "parts": "SOLID Surroundings parts_of surroundings_of",
            "picking": "Hit Surfaces as_drawn hit_along hit_of hit_under",
            "poses": "drawn_pose live_pose matrix_of_pose to_array world_scale",
            "posing": "Posing pieces_of",
            "posing_cache": "posing_of",
            "problems": "Problem",
            "pulling": "Pull",
            "rays": "Ray ray_under value_under",
            "read": "SceneReading read_scene scan_scene",
            "read_joints": "read_joint",
            "remedies": "apply_remedy obstacle_to remedy_label",
            "rig": "Rig forget_rigs forget_weights last_rig show_rig weigh_once",
            "rigging": "aim_axis move_zero set_home set_limits",
            "settings": "store_setting",
            "settling": "settle_frames settle_joint",
            "shifting": "shift_kept",
            "snapshot": "Snapshot",
            "store": "store_rest_poses store_weight store_weights",
            "write": "store_joint write_scene",
        },
    )
