# SPDX-License-Identifier: GPL-3.0-or-later
"""Find out whether a bake is still what the scene would give."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import bpy

from ....core.model import Model, ModelError
from ...bridge.animation.motion_sources import is_animated, may_follow_own_keys
from ...bridge.values.numbers import frame_rate
from ...nodes import Node, model_name
from ...props import ancestors, is_kinematic, is_link
from ...props.members import links_in
from ...props.settings import scene_settings
from ..inputs.initial_states import digest_of_motion
from ..settings import settings_of
from .model_digest import digest_of_model
from .movers import digest_of_movers
from .receipt import DIGEST_VERSION, Receipt, receipt_of
from .restore import bake_of


@dataclass(frozen=True)
class InputDigests:
    """Digests of the inputs of a bake.

    Attributes:
        model: of the model.
        motion: of the animation that it begins with, or that moves animated links.
        carriers: of the objects that carry links.
        movers: of the animation that drives the motion.
    """

    model: str
    motion: str
    carriers: str
    movers: str


def digest_of_inputs(scene: bpy.types.Scene, model: Model, start: str) -> InputDigests:
    """Return the digests of a scene's inputs.

    Drivers and constraints of animated links are not included.

    Args:
        model: of the scene, as it is read. start: as in `BakeSettings`.
    """
    links = links_in(scene)
    carriers = {carrier for link in links for carrier in ancestors(link) if not is_link(carrier)}
    own = [obj for obj in links if may_follow_own_keys(obj)]
    led = links if start == "KEYS" else [obj for obj in links if is_kinematic(obj) or obj in own]
    switched = " ".join(sorted(model_name(obj) for obj in own))  # these may have no curves
    return InputDigests(
        digest_of_model(scene, model),
        digest_of_motion(led) + switched,
        digest_of_motion(carriers) + _places(carriers),
        digest_of_movers(scene),
    )


def _places(carriers: set[Node]) -> str:
    """Return a digest of the transforms of carriers that do not move, since keys of a bake are relative to them."""
    still = sorted((model_name(obj), str([*obj.matrix_basis])) for obj in carriers if not is_animated(obj))
    return hashlib.sha256(str(still).encode()).hexdigest() if still else ""


def out_of_date(scene: bpy.types.Scene, model: Model) -> str:
    """Return why the scene's bake is out of date, as the end of "The bake is out of date: "; empty if it is up to date.

    Args:
        model: of the scene, as it is read.
    """
    action = bake_of(scene)
    receipt = receipt_of(action) if action else None
    if receipt is None:
        return ""
    if changed := _changed_setting(scene, receipt):
        return f"{changed} was changed"
    now = digest_of_inputs(scene, model, receipt.start)
    if now.model != receipt.model:
        changed = "links, joints or gravity were changed"
        return changed if receipt.rounding == DIGEST_VERSION else f"{changed}, or an older version made the bake"
    if now.motion != receipt.motion:
        return "the animation that it begins with was changed"
    if receipt.source == "simulation" and now.movers != receipt.movers:
        return "the animation that drives it was changed"
    return "what carries its links was moved" if now.carriers != receipt.carriers else ""


def same_inputs(receipt: Receipt, now: InputDigests, *, counts_carriers: bool) -> bool:
    """Return whether a bake was made from these inputs. Settings are not compared.

    Args:
        counts_carriers: whether the transforms of carriers must be the same, too.
    """
    same = (now.model, now.motion, now.movers) == (receipt.model, receipt.motion, receipt.movers)
    return same and (not counts_carriers or now.carriers == receipt.carriers)


def _changed_setting(scene: bpy.types.Scene, receipt: Receipt) -> str:
    stored = scene_settings(scene)
    known = {"accuracy": stored.accuracy, "start": stored.bake.start, "onto": stored.bake.onto}
    try:  # an unknown choice of a newer version counts as the bake's own, since it cannot be compared
        now = settings_of(scene, **{name: choice or getattr(receipt, name) for name, choice in known.items()})
    except ModelError:
        return "the frame range"
    tolerance = (now.tolerance.distance, now.tolerance.angle) if now.tolerance else (0.0, 0.0)
    pairs = {
        "the frame rate": (frame_rate(scene), receipt.fps),
        "the step": (now.step, receipt.step),
        "what gets the keys": (now.onto, receipt.onto),
        "the reduction of keys": (tolerance, (receipt.distance, receipt.angle)),
    }
    if receipt.source == "simulation":
        pairs |= {
            "the frame range": ((now.first, now.last), (receipt.first, receipt.asked_frame)),
            "the accuracy": (now.accuracy, receipt.accuracy),
            "what it starts from": (now.start, receipt.start),
            "Contact": (now.contact, receipt.contact),
        }
    return next((name for name, (here, there) in pairs.items() if here != there), "")
