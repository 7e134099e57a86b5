"""A motion, simulated or from a file, written as F-curves."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .baking import Bake, BakeResult
    from .course import Course
    from .demands import links_to_move, suspicions
    from .errors import BakeError
    from .pose_keys import key_joints, key_links
    from .receipt import receipt_of
    from .record import recorded
    from .replay import ReplayRun
    from .restore import bake_of, baked_links, baked_objects, clear_bake, foreign_actions, is_baked
    from .session import BakeRun
    from .settings import BakeSettings, settings_of
    from .staleness import digest_of_inputs, out_of_date
else:
    from ...core.late import late

    __getattr__ = late(
        __name__,
        {
            "baking": "Bake BakeResult",
            "course": "Course",
            "demands": "links_to_move suspicions",
            "errors": "BakeError",
            "pose_keys": "key_joints key_links",
            "receipt": "receipt_of",
            "record": "recorded",
            "replay": "ReplayRun",
            "restore": "bake_of baked_links baked_objects clear_bake foreign_actions is_baked",
            "session": "BakeRun",
            "settings": "BakeSettings settings_of",
            "staleness": "digest_of_inputs out_of_date",
        },
    )
