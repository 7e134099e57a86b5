# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack ragdoll`: make a ragdoll of an armature in a .blend file, and save it as another .blend file."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.characters.choices import AUTO, BY_BODY, LIMITS, PRESETS, SHAPES, Choice
from ...core.characters.muscles import RELAXED
from ...core.cli.framework import OPEN_SCENE, Verb
from ...core.cli.result import CommandResult, UsageError, say
from ...core.cli.simulate import positive, require_writable
from .blend import save_open_file
from .bpy_session import open_scene, require_blender
from .opening import open_as_scene

if TYPE_CHECKING:
    import bpy

    from ..ops.characters.making import MadeRagdoll, RagdollOptions

MOST_NAMED = 8
"""Number of names that an error lists. Rigs have up to a thousand bones."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="SCENE", type=Path, help="a .blend file with a character")
    parser.add_argument("--armature", metavar="NAME", required=True, help="the armature object of the character")
    parser.add_argument(
        "--bones", metavar="A,B,…", help="bones that become rigid bodies; left out, all that a body needs"
    )
    parser.add_argument(
        "--preset",
        choices=_words(PRESETS),
        default=AUTO.lower(),
        help="ranges of joints and shares of the weight (default auto)",
    )
    parser.add_argument(
        "--weight", metavar="KG", type=positive, help="mass of the whole body; left out, that of its volume"
    )
    parser.add_argument(
        "--stiffness",
        metavar="PART",
        type=_part_of_one,
        default=RELAXED,
        help=f"how firmly joints keep the pose, from 0 (limp) to 1 (default {RELAXED:g})",
    )
    parser.add_argument(
        "--limits",
        choices=_words(LIMITS),
        default=BY_BODY.lower(),
        help="of joints: of a body, the rig's, or of its animation",
    )
    parser.add_argument(
        "--shapes",
        choices=_words(SHAPES),
        default=AUTO.lower(),
        help="what the parts collide as (default auto: boxes for hands and feet, capsules for others)",
    )
    parser.add_argument("--no-self-collision", action="store_true", help="let limbs pass through each other")
    parser.add_argument("--fingers", action="store_true", help="fingers and toes become rigid bodies, too")
    parser.add_argument("-o", "--output", metavar="OUT", type=Path, required=True, help="the .blend file to write")
    parser.add_argument("--json", action="store_true", help="what was made as one JSON object")


def _words(choices: Collection[Choice]) -> list[str]:
    """Return the values of an option on the command line."""
    return [choice.name.lower() for choice in choices]


def _part_of_one(text: str) -> float:
    """Return an argument as a number from 0 to 1. Raise `ArgumentTypeError` if it is not one."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return value


def _run(arguments: argparse.Namespace) -> CommandResult:
    source, output = arguments.file, arguments.output
    require_writable(output, (".blend",))
    if source != OPEN_SCENE and source.suffix.lower() != ".blend":
        raise UsageError(f"{source}: only a .blend file has armatures, found '{source.suffix}'")
    require_blender()
    from ..ops.characters.making import make_ragdoll

    open_as_scene(source, [], [], None)
    armature = _armature(arguments.armature, source)
    import bpy

    made = make_ragdoll(bpy.context, armature, _options(arguments, armature))
    save_open_file(output)
    notes = [*made.notes, *made.details]
    say(*(f"{source}: note: {note}" for note in notes))
    facts = _described(made) | {"output": str(output), "armature": armature.name, "notes": notes}
    return CommandResult(facts, [f"{output}: {made.summary}"])


def _armature(name: str, source: Path) -> bpy.types.Object:
    """Return the armature of a name. Raise `UsageError` if the open scene has none."""
    found = {obj.name: obj for obj in open_scene().objects if obj.type == "ARMATURE"}
    if name not in found:
        there = f"there are: {_listed(found)}" if found else "there are no armatures"
        raise UsageError(f"{source}: no armature '{name}'; {there}")
    return found[name]


def _options(arguments: argparse.Namespace, armature: bpy.types.Object) -> RagdollOptions:
    from ..ops.characters.making import RagdollOptions

    bones = None
    if arguments.bones is not None:
        bones = {word.strip() for word in arguments.bones.split(",")}
        _require_bones(sorted(bones), armature)
    return RagdollOptions(
        preset=arguments.preset.upper(),
        weight=arguments.weight or 0.0,
        stiffness=arguments.stiffness,
        self_collision=not arguments.no_self_collision,
        fingers=arguments.fingers,
        limits=arguments.limits.upper(),
        shapes=arguments.shapes.upper(),
        bones=bones,
    )


def _require_bones(names: Collection[str], armature: bpy.types.Object) -> None:
    """Raise `UsageError` if an armature does not have bones of all these names."""
    from ..nodes import armature_bones

    known = [bone.name for bone in armature_bones(armature)]
    missing = [name for name in names if name not in known]
    if not missing:
        return
    near = list(dict.fromkeys(match for name in missing for match in get_close_matches(name, known, 1)))
    hint = f"did you mean {_listed(near)}?" if near else f"there are: {_listed(known)}"
    raise UsageError(f"--bones: armature '{armature.name}' has no bone {_listed(missing)}; {hint}")


def _listed(names: Collection[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in [*names][:MOST_NAMED])
    return shown + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")


def _described(made: MadeRagdoll) -> dict:
    from ..props.settings import link_settings

    parts = [
        {
            "bone": name,
            "part": part.place.part,
            "parent": part.above,
            "mass": link_settings(part.bone).mass,
            "shape": part.shape.lower(),
        }
        for name, part in made.plan.new_parts.items()
    ]
    return {"bones": parts, "mass": made.mass, "human": made.plan.anatomy.is_humanoid, "merged": made.plan.merged}


RAGDOLL = Verb("ragdoll", "make a ragdoll of a character in a scene", _add_arguments, _run)
