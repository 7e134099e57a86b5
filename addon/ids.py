# SPDX-License-Identifier: GPL-3.0-or-later
"""Every bl_idname, and the name of every property that the add-on adds to Blender's own types."""

# Properties on Object, Scene and WindowManager
LINK = "limberjack_link"
JOINT = "limberjack_joint"
BEFORE = "limberjack_before"
SCENE = "limberjack"
STATUS = "limberjack_status"
LIGHT = "limberjack_light"  # property on Light

# Custom property that marks an action as a bake of this add-on, and contains its receipt
BAKE_MARK = "limberjack_bake"

# Custom property that marks a user's action as kept in the file because of a bake
HELD_MARK = "limberjack_held"

# Custom property of a pose bone: the identifier by which joints refer to it
BONE_UID = "limberjack_uid"

# Custom property of a material: the ambient colour of its file
AMBIENT = "limberjack_ambient"

# Operators
OP_LINK_TAG = "limberjack.link_tag"
OP_LINK_UNTAG = "limberjack.link_untag"
OP_LINK_WEIGH = "limberjack.link_weigh"
OP_LINK_BY_HAND = "limberjack.link_mass_by_hand"
OP_COLLISION_ADD = "limberjack.collision_add"
OP_COLLIDER_ADD = "limberjack.collider_add"
OP_BONE_COLLIDERS = "limberjack.bones_as_colliders"
OP_BONE_FIT = "limberjack.bones_fit_to_mesh"
OP_GROUND = "limberjack.ground"
OP_SURFACE = "limberjack.surface_preset"
OP_SURFACE_COPY = "limberjack.surface_copy"
OP_PAIR_ADD = "limberjack.contact_pair_add"
OP_PAIR_REMOVE = "limberjack.contact_pair_remove"
OP_IMPACT_MARKERS = "limberjack.impact_markers"
OP_JOINT_ADD = "limberjack.joint_add"
OP_JOINT_PICK = "limberjack.joint_pick"
OP_JOINT_FRAMES = "limberjack.joint_frames_from_empty"
OP_JOINT_AIM = "limberjack.joint_aim"
OP_JOINT_POSE = "limberjack.joint_pose"
OP_JOINT_LIMITS = "limberjack.joint_limits"
OP_START_HERE = "limberjack.joint_start_here"
OP_ZERO_HERE = "limberjack.joint_zero_here"
OP_POSE_RESET = "limberjack.pose_reset"
OP_POSE_MIDDLE = "limberjack.pose_mid_limits"
OP_POSE_ADD = "limberjack.pose_add"
OP_POSE_UPDATE = "limberjack.pose_update"
OP_POSE_REMOVE = "limberjack.pose_remove"
OP_POSE_APPLY = "limberjack.pose_apply"
OP_POSE_KEY = "limberjack.pose_key"
OP_SETTING_KEY = "limberjack.setting_key"
OP_DRIVE_TO_POSE = "limberjack.drive_to_pose"
OP_LINK_PULL = "limberjack.link_pull"
OP_LINK_PIN = "limberjack.link_pin"
OP_JOINT_HOLD = "limberjack.joint_hold"
OP_RELEASE_ALL = "limberjack.release_all"
OP_EARTH_GRAVITY = "limberjack.earth_gravity"
OP_LIFT = "limberjack.lift_out_of_ground"
OP_PROBLEM_SELECT = "limberjack.problem_select"
OP_PROBLEM_MEND = "limberjack.problem_mend"
OP_BAKE_ALONG = "limberjack.bake_move_along"
OP_REMEDY = "limberjack.remedy_apply"
OP_CHAIN = "limberjack.joint_chain"
OP_HIERARCHY = "limberjack.rig_from_hierarchy"
OP_MIRROR = "limberjack.mirror"
OP_PRESET = "limberjack.joint_preset"
OP_LIMITS_FROM_MOTION = "limberjack.limits_from_motion"
OP_AXIS_ADD = "limberjack.joint_axis_add"
OP_AXIS_REMOVE = "limberjack.joint_axis_remove"
OP_SIMULATE = "limberjack.simulate"
OP_OVERWRITE = "limberjack.simulate_overwriting"
OP_BAKE_KEEP_PARTIAL = "limberjack.bake_keep_partial"
OP_BAKE_CLEAR = "limberjack.bake_clear"
OP_THROW = "limberjack.throw_from_animation"
OP_LET_GO = "limberjack.link_let_go"
OP_PREVIEW = "limberjack.preview"
OP_PREVIEW_PLAY = "limberjack.preview_play"
OP_PREVIEW_STEP = "limberjack.preview_step"
OP_PREVIEW_STOP = "limberjack.preview_stop"
OP_PREVIEW_POSE = "limberjack.preview_keep_pose"
OP_PREVIEW_BAKE = "limberjack.preview_keep_bake"
OP_IMPORT_TRAJECTORY = "limberjack.import_trajectory"
OP_EXPORT_TRAJECTORY = "limberjack.export_trajectory"
OP_SAMPLE_OPEN = "limberjack.sample_open"
OP_SELF_CHECK = "limberjack.self_check"
OP_SELF_CHECK_COPY = "limberjack.self_check_copy"
OP_CACHE_CLEAR = "limberjack.cache_clear"
OP_IMPORT = "limberjack.import_model"

# Tools in the 3D view's toolbar
TOOL_PICK = "limberjack.pick_joint"
TOOL_PULL = "limberjack.pull_links"

# File handler for drag and drop
FILE_HANDLER = "LIMBERJACK_FH_model"

# Blender's keymap to which the add-on adds its key
KEYMAPS = ("Object Mode", "Pose")

# Command for `blender --command`
COMMAND = "limberjack"

# Panels
TAB = "Limberjack"
UL_MODEL = "LIMBERJACK_UL_model"
UL_POSED = "LIMBERJACK_UL_posed"
UL_PAIRS = "LIMBERJACK_UL_pairs"
UL_POSES = "LIMBERJACK_UL_poses"
PT_MODEL = "LIMBERJACK_PT_model"
PT_POSE = "LIMBERJACK_PT_pose"
PT_PULL = "LIMBERJACK_PT_pull"
PT_DRIVES = "LIMBERJACK_PT_drives"
PT_PROBLEMS = "LIMBERJACK_PT_problems"
PT_MAIN = "LIMBERJACK_PT_main"
PT_PHYSICS = "LIMBERJACK_PT_main_physics"
PT_LINK = "LIMBERJACK_PT_link"
PT_LINK_SHAPE = "LIMBERJACK_PT_link_shape"
PT_LINK_SURFACE = "LIMBERJACK_PT_link_surface"
PT_LINK_AIR = "LIMBERJACK_PT_link_air"
PT_LINK_FORCES = "LIMBERJACK_PT_link_forces"
PT_LINK_START = "LIMBERJACK_PT_link_start"
PT_JOINT = "LIMBERJACK_PT_joint"
PT_JOINT_MORE = "LIMBERJACK_PT_joint_more"
PT_AXES = "LIMBERJACK_PT_axes"
PT_HOME = "LIMBERJACK_PT_home"
PT_SIMULATE = "LIMBERJACK_PT_simulate"
PT_WEATHER = "LIMBERJACK_PT_weather"
PT_CONTACT = "LIMBERJACK_PT_contact"
PT_KEYS = "LIMBERJACK_PT_keys"
PT_GRAPH = "LIMBERJACK_PT_graph"
PT_LIGHT = "LIMBERJACK_PT_light"
PT_EXCHANGE = "LIMBERJACK_PT_exchange"

# Menus
MT_OBJECT = "LIMBERJACK_MT_object"
MT_PIE = "LIMBERJACK_MT_pie"
MT_JOINT_ADD = "LIMBERJACK_MT_joint_add"
MT_NEW_PRESETS = "LIMBERJACK_MT_new_presets"
MT_MORE = "LIMBERJACK_MT_more"
MT_COLLIDERS = "LIMBERJACK_MT_colliders"
MT_SURFACES = "LIMBERJACK_MT_surfaces"
MT_COLLISIONS = "LIMBERJACK_MT_collisions"
MT_DRIVE = "LIMBERJACK_MT_drive"
MT_SAMPLES = "LIMBERJACK_MT_samples"
MT_JOINT_PRESETS = "LIMBERJACK_MT_joint_presets"


def export_of(suffix: str) -> str:
    """Return the id of the operator that exports models to files with this suffix, such as ".sdf"."""
    return f"limberjack.export_{suffix[1:]}"
