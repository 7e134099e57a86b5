# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of MJCF's elements against the schema that MuJoCo prints."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from limberjack.core.formats.mjcf.elements import ELEMENTS
from limberjack.core.formats.mjcf.grammar import child_key, rules
from support.judges import PYTHON, needs

pytestmark = needs(PYTHON)
COMPILE = Path(__file__).with_name("mjcf_compile.py")

NOT_PRINTED = {"include", "worldbody", "frame", "replicate"}
"""Elements that MuJoCo reads, but its schema leaves out: it treats three of them as bodies."""


def printed_schema():
    """The path of tags of each element of the schema, its attributes, and whether it may occur once."""
    command = [PYTHON, "-c", "import mujoco; print(mujoco.mj_printSchema(False, False))"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    path, elements = [], []
    for line in text.splitlines():
        if found := re.match(r"( *)(\S+) \((.)\)\s*(.*)", line):
            del path[len(found[1]) // 3 :]
            path.append(found[2].replace("(world)body", "body"))
            elements.append((tuple(path), found[4].split(), found[3] == "?"))
        else:
            elements[-1][1].extend(line.split())
    return elements


@pytest.fixture(scope="module")
def schema():
    return printed_schema()


def key_and_rule(path):
    key, rule, in_parent = "mujoco", rules(), None
    for tag in path[1:]:
        if key == "mujoco" and tag == "body":  # the schema's place of bodies in the world
            key, rule = "worldbody", rule.of("worldbody")
        key = child_key(key, tag)
        assert key is not None, f"{'/'.join(path)} is not in the table"
        in_parent, rule = rule, rule.of(tag)
        assert rule is not None, f"{'/'.join(path)} has no rule"
    return key, rule, in_parent


def test_the_table_has_every_name_of_the_schema_and_no_other(schema):
    """Guards all elements and attributes, also in defaults. Names that MuJoCo has dropped are marked."""
    seen = set()
    for path, attributes, is_unique in schema:
        key, rule, in_parent = key_and_rule(path)
        seen.add(key)
        expected = set(attributes)
        dropped = set(ELEMENTS[key].dropped.split())
        assert not expected & dropped, f"{'/'.join(path)}: MuJoCo has not dropped {expected & dropped}"
        assert rule.attributes - dropped == expected, "/".join(path)
        if in_parent is not None:
            assert (path[-1] in in_parent.once) == is_unique, f"how often may {'/'.join(path)} occur?"
    dropped = {key for key, entry in ELEMENTS.items() if entry.is_dropped}
    assert set(ELEMENTS) - seen == NOT_PRINTED | dropped
    assert len(schema) > 150


def places(key):
    """A document with an element, for each parent that it may have."""
    tag = key.partition("@")[0]
    parents = {
        "compiler": "<mujoco>{}</mujoco>",
        "option": "<mujoco>{}</mujoco>",
        "flag": "<mujoco><option>{}</option></mujoco>",
        "composite": "<mujoco><worldbody><body>{}</body></worldbody></mujoco>",
        "contact": "<mujoco><worldbody><flexcomp name='f'>{}</flexcomp></worldbody></mujoco>",
        "flexvert": "<mujoco><equality>{}</equality></mujoco>",
        "distance": "<mujoco><equality>{}</equality></mujoco>",
    }
    return tag, parents[tag]


def test_dropped_names_are_refused(tmp_path):
    """Guards the word "refuses" in messages about names of older versions."""
    texts, names = [], []
    for key, entry in ELEMENTS.items():
        for attribute in ["", *entry.dropped.split()] if entry.is_dropped else entry.dropped.split():
            tag, document = places(key)
            texts.append(document.format(f"<{tag} {attribute}='true'/>" if attribute else f"<{tag}/>"))
            names.append(attribute or tag)
    (tmp_path / "texts.json").write_text(json.dumps(texts))
    command = [PYTHON, COMPILE, tmp_path / "texts.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    for name, reading in zip(names, json.loads(done.stdout), strict=True):
        assert re.search("unrecognized (attribute|element)", reading.get("error", "")), name
