# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of verbs as tables: what they become, against the command line's own reading of it."""

import pytest

from limberjack.core.batch import BatchError
from support.batches import OPTIONS


def read(verb, table, swept=None):
    """What the verb would be told."""
    file = ["in.sdf", "out.sdf"] if verb == "convert" else ["in.sdf"]
    return OPTIONS.parse([verb, *file, *OPTIONS.arguments(verb, table, swept or {})])


def test_only_what_makes_results_is_a_verb_of_jobs():
    """Guards a core without Blender: `bake` is none of its verbs, and nor is `batch`, which would call itself."""
    assert OPTIONS.verbs == ("simulate", "convert")


def test_tables_mean_what_the_options_mean():
    """Guards numbers, words, lists, repeated options, true and false, and names with _ and -."""
    told = read("simulate", {"duration": 2, "fps": 30.0, "record": ["efforts", "wrenches"], "path": ["a", "b"]})
    assert (told.duration, told.fps, told.record) == (2.0, 30.0, ["efforts", "wrenches"])
    assert [str(path) for path in told.search] == ["a", "b"]
    assert read("simulate", {"duration": 1, "record": "efforts,wrenches"}).record == ["efforts", "wrenches"]
    assert read("simulate", {"duration": 1, "record": "efforts", "path": "a b"}).record == ["efforts"]
    assert read("convert", {"sdf_version": "1.9", "world": True, "folders": False}).sdf_version == "1.9"
    assert read("convert", {"sdf-version": "1.9"}).sdf_version == "1.9"
    assert read("convert", {"world": True}).world
    assert not read("convert", {"world": False}).world


def test_what_is_swept_is_the_last_word():
    """Guards sweeps over options, whose values are text."""
    told = read("simulate", {"duration": 1, "accuracy": "good"}, {"accuracy": "exact", "fps": "50"})
    assert (told.accuracy, told.fps) == ("exact", 50.0)
    assert read("convert", {}, {"world": "true"}).world
    assert not read("convert", {"world": True}, {"world": "false"}).world


@pytest.mark.parametrize(
    ("verb", "table", "words"),
    [
        ("simulate", {}, "[simulate]: the following arguments are required: --duration"),
        ("simulate", {"duration": "long"}, "argument --duration: long is not a number above 0"),
        ("simulate", {"duration": -1}, "-1 is not a number above 0"),
        ("simulate", {"duration": True}, "true is not a number above 0"),
        ("simulate", {"duration": 10**400}, "is not a number above 0"),
        ("simulate", {"duration": [1, 2]}, "[simulate] duration: takes one value, found [1, 2]; to sweep it"),
        ("simulate", {"duration": []}, "[simulate] duration: found []; give a value, or leave it out"),
        ("simulate", {"duration": ""}, "[simulate] duration: found ''"),
        ("simulate", {"duration": {}}, "[simulate] duration: found {}, where a number"),
        ("simulate", {"duration": 1, "accuracy": "perfect"}, "invalid choice: 'perfect'"),
        ("simulate", {"duration": 1, "acc": "good"}, "[simulate]: `simulate` has no option 'acc'; it has: "),
        ("simulate", {"duration": 1, "output": "x.npz"}, "has no option 'output'"),
        ("simulate", {"duration": 1, "set": "a.b=1"}, "has no option 'set'"),
        ("simulate", {"duration": 1, "json": False}, "has no option 'json'"),
        ("simulate", {"duration": 1, "help": True}, "has no option 'help'"),
        ("simulate", {"duration": 1, "record": ["torques"]}, "invalid choice: 'torques'"),
        ("convert", {"world": 1}, "[convert] world: write true or false, found 1"),
        ("convert", {"world": "yes"}, "write true or false, found 'yes'"),
        ("convert", {"world": [True]}, "write true or false, found [True]"),
        ("bake", {}, "this needs the verb 'bake', which comes with Blender"),
    ],
)
def test_a_bad_option(verb, table, words):
    """Guards one error that names the table and the option, what was found and what is allowed."""
    with pytest.raises(BatchError) as caught:
        read(verb, table)
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
