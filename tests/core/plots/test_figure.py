# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures: whole, alike from run to run, and showing what the panels hold."""

import xml.etree.ElementTree as ET

import matplotlib
import numpy as np
import pytest

from limberjack.core.formats import UnwritableError
from limberjack.core.plots import Curve, Panel
from limberjack.core.plots.colors import palette_of, tinted
from limberjack.core.plots.figure import MOST_NAMES, figure_of, save_figure

TIMES = np.linspace(0.0, 1.0, 11)


def panel(quantity="values", names=("a",), **limits):
    curves = (Curve(name, name.partition(".")[0], TIMES * (1.0 + i), **limits) for i, name in enumerate(names))
    return Panel(quantity, "m", TIMES, tuple(curves))


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_same_panels_give_the_same_bytes(tmp_path, suffix):
    """Guards pipelines that compare files, and users' own matplotlib settings, which neither matter nor change."""
    save_figure([panel()], tmp_path / f"one{suffix}")
    with matplotlib.rc_context({"lines.linewidth": 9.0, "font.size": 30.0}):
        save_figure([panel()], tmp_path / f"other{suffix}")
        assert matplotlib.rcParams["font.size"] == 30.0
    assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"other{suffix}").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"one{suffix}", f"other{suffix}"]


def test_an_svg_is_one(tmp_path):
    """Guards the format that its suffix says, in capitals too."""
    save_figure([panel()], tmp_path / "m.SVG")
    assert ET.parse(tmp_path / "m.SVG").getroot().tag.endswith("svg")


def test_curves_limits_and_spans_are_drawn():
    """Guards the drawing: a line a curve, a dashed one a limit in view, a band while it is at one."""
    (axes,) = figure_of([panel(upper=0.75, lower=-50.0)]).axes
    lines = [line.get_ydata() for line in axes.get_lines()]
    assert any(np.array_equal(line, TIMES) for line in lines)
    dashed = [line for line in axes.get_lines() if line.get_linestyle() == "--"]
    assert [set(line.get_ydata()) for line in dashed] == [{0.75}]
    (band,) = axes.patches
    assert band.get_extents().transformed(axes.transData.inverted()).x0 == pytest.approx(0.75)
    assert axes.get_title(loc="left") == "Joint values [m]"


def test_a_joint_has_its_colour_everywhere():
    """Guards reading across panels: one hue a joint, tints for its components, none twice."""
    panels = [panel(names=("a", "b.rx", "b.ry")), panel("velocities", ("b.wx", "a"))]
    palette = palette_of(panels)
    one, other = (tinted(found.curves, palette) for found in panels)
    assert (one[0], one[1]) == (other[1], other[0])
    assert len(set(one)) == 3
    many = palette_of([panel(names=[f"j{i}" for i in range(40)])])
    assert len(set(many.values())) == 40


def test_long_legends_are_cut():
    """Guards hundreds of joints: names that would not fit are counted."""
    (axes,) = figure_of([panel(names=[f"j{i}" for i in range(100)])]).axes
    told = [text.get_text() for text in axes.get_legend().get_texts()]
    assert len(told) == MOST_NAMES
    assert told[-1] == f"and {101 - MOST_NAMES} more"


def test_nothing_is_left_of_what_cannot_be_written(tmp_path):
    """Guards files that are whole or absent."""
    with pytest.raises(UnwritableError):
        save_figure([panel()], tmp_path / "nowhere" / "m.png")
    with pytest.raises(ValueError, match=r"saved as \.png or \.svg"):
        save_figure([panel()], tmp_path / "m.pdf")
    with pytest.raises(ValueError, match="nothing to draw"):
        save_figure([], tmp_path / "m.png")
    assert list(tmp_path.iterdir()) == []


def test_names_are_written_as_they_are(tmp_path):
    """Guards joints named as nobody should: what would be markup is text, and none is left out."""
    save_figure([panel(names=("_arm", "$a_{$", "elbow"))], tmp_path / "names.svg")
    legend = figure_of([panel(names=("_arm", "$a_{$"))]).axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["_arm", r"\$a_{\$"]
