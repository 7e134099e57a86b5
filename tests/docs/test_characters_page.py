# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide to characters has the numbers of the code."""

import re

from limberjack.core.characters.body_parts import MASS_SHARES, PARTS, Hinge
from limberjack.core.characters.muscles import RELAXED
from limberjack.core.geometry.densities import SUBSTANCES
from support.pages import ROOT, text_of

PAGE = text_of(ROOT / "docs" / "characters.md")


def numbers(text):
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def test_ranges_and_shares():
    """Guards the table of the parts of a body: each row has the share of the weight and the range in the code."""
    rows = {
        title: cells for title, *cells in re.findall(r"^\| ([A-Z][\w ]+) \| ([^|]*) \| ([^|]*°[^|]*) \|$", PAGE, re.M)
    }
    titles = {part.title: part for part in PARTS.values()}
    told = {"Head", "Spine", "Shoulder", "Upper Arm", "Forearm", "Hand", "Thigh", "Shin", "Foot"}
    assert set(rows) == told
    for title, (share, joint) in rows.items():
        part = titles[title]
        expected = (
            [part.joint.low, part.joint.high] if isinstance(part.joint, Hinge) else [part.joint.cone, part.joint.twist]
        )
        assert numbers(joint) == expected, title
        assert numbers(share) in ([MASS_SHARES[part.group]], []), title
        assert "together" in joint or not getattr(part.joint, "is_shared", False), title


def test_numbers_in_the_text():
    """Guards what the page says of creatures, of the default stiffness and of the density of a body."""
    limb, tail = PARTS["limb"].joint, PARTS["tail"].joint
    flat = " ".join(PAGE.split())
    assert (
        f"a cone of {limb.cone:g} degrees and a twist of {limb.twist:g}, in tails of {tail.cone:g} and {tail.twist:g}"
        in flat
    )
    assert f"The default, {RELAXED:g}," in flat
    density = next(substance.density for substance in SUBSTANCES if substance.name == "body")
    assert f"{density:g} kg/m³" in flat
