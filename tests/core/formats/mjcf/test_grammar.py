# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of MJCF's elements, the check of files against it, and lines about what is lost."""

import pytest

from limberjack.core.files.xml import parse
from limberjack.core.formats.findings import Findings
from limberjack.core.formats.mjcf.elements import (
    ELEMENTS,
    IDLE,
    LOST_VALUES,
    LOST_WITH,
    NOT_IN_DEFAULTS,
    READ_NUMBERS,
)
from limberjack.core.formats.mjcf.grammar import child_key, fate_of, rules, tell_losses, walk
from limberjack.core.formats.xml.grammar import check_grammar


def parsed(text):
    return parse(f"<mujoco>\n{text}\n</mujoco>".encode())


def checked(text, strict=False):
    """Messages about names that MJCF does not have."""
    findings = Findings(strict)
    check_grammar(parsed(text), rules(), "MJCF", findings)
    return [issue.message for issue in findings.issues]


def losses(text, strict=False):
    """Notes about losses, and issues."""
    findings = Findings(strict)
    tell_losses(parsed(text), findings)
    return findings.notes, findings.issues


def test_every_attribute_has_one_fate():
    for key, entry in ELEMENTS.items():
        names = f"{entry.read} {entry.kept} {entry.lost}".split()
        assert len(names) == len(set(names)), key
        assert set(entry.dropped.split()) <= set(names), key
        if entry.fate != "read":
            assert not entry.read, f"{key} is {entry.fate}, and so is what it has"


def test_every_element_is_reached_once_by_its_tag():
    """Guards keys of children: each has an entry, and no element has two children with one tag."""
    reached, ahead = {"mujoco", "include"}, ["mujoco"]
    while ahead:
        children = [child.removesuffix("?") for child in ELEMENTS[ahead.pop()].children.split()]
        tags = [child.partition("@")[0] for child in children]
        assert len(tags) == len(set(tags))
        ahead += [child for child in children if child not in reached]
        reached.update(children)
    assert reached == set(ELEMENTS)


def test_other_tables_name_what_elements_have():
    """Guards misspelt names in the tables beside ELEMENTS, which would have no effect."""
    lost = {name for entry in ELEMENTS.values() for name in entry.lost.split()}
    read = {name for entry in ELEMENTS.values() for name in entry.read.split()}
    every = {name for entry in ELEMENTS.values() for name in entry.attributes}
    assert set(IDLE) <= lost
    assert set(READ_NUMBERS) <= read
    for name in (*NOT_IN_DEFAULTS, *LOST_VALUES):
        element, _, attribute = name.rpartition(".")
        assert attribute in (ELEMENTS[element].attributes if element else every), name
    for key, names in LOST_WITH.items():
        assert names - {"body"} <= set(ELEMENTS[key].lost.split()), key


GOOD = """
<compiler angle="radian"><lengthrange mode="all"/></compiler>
<default><default class="a"><default class="b"><geom contype="1"/><tendon width="1" limited="true"/></default></default>
</default>
<worldbody><frame pos="0 0 1"><body name="x"><replicate count="3" sep="-"><body><joint type="ball"/></body></replicate>
<include file="arm.xml"/><composite type="cable"><joint kind="main" damping="1"/></composite></body></frame></worldbody>
<tendon><spatial><site site="a"/><geom geom="g" sidesite="s"/></spatial>
<fixed><joint joint="j" coef="1"/></fixed></tendon>
<equality><joint joint1="j" polycoef="0 1"/></equality>
<sensor><contact geom1="a"/><user dim="1"/></sensor>
<contact><pair geom1="a" geom2="b"/></contact>
"""


def test_names_of_mjcf_are_known_where_they_belong():
    """Guards tags with several meanings, elements in themselves, and content of elements that MuJoCo has dropped."""
    assert checked(GOOD) == []
    assert checked(GOOD.replace("<default>", "<default><include file='d.xml'/>", 1)) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<worldbody><geom frction='1'/></worldbody>", "did you mean friction?"),
        ("<worldbody><gom/></worldbody>", "did you mean geom?"),
        ("<worldbody name='w'/>", "name='w' of <worldbody> means nothing in MJCF"),
        ("<worldbody><site site='a'/></worldbody>", "site='a' of <site>"),
        ("<default><joint name='a'/></default>", "name='a' of <joint>"),
        ("<default><mesh builtin='cone'/></default>", "builtin='cone' of <mesh>"),
        ("<default><texture builtin='flat' file='a'/></default>", "file='a' of <texture>"),
        ("<default><joint/><joint/></default>", "<joint> stands in <default> again"),
        ("<worldbody><body><inertial/><inertial/></body></worldbody>", "<inertial> stands in <body> again"),
        ("<equality><joint coef='1'/></equality>", "coef='1' of <joint>"),
        ("<asset><mesh>cube</mesh></asset>", "the text 'cube' in <mesh>"),
    ],
)
def test_other_names_are_told(text, words):
    (message,) = checked(text)
    assert words in message


LOSSY = """<option density="1.2" viscosity="0" gravity="0 0 -1"><flag override="enable" clampctrl="enable"/></option>
<default><geom margin="0.01"/><muscle scale="1"/><default class="a"><geom margin="0.0"/></default></default>
<worldbody><body name="rope">
<flexcomp name="cloth"><edge damping="1"/></flexcomp>
<flexcomp name="net"/>
<geom name="foot" gap="0.1" margin="0.1" surfacevel="0 0 0" mass="1"/>
<joint name="knee" stiffness="1 0 0.5" damping="2 0" armature="1"/>
<geom name="nut" type="sdf" margin="0.3"><plugin plugin="p"/></geom>
</body></worldbody>
<tendon><fixed name="grip" range="0 0" stiffness="3 1"/><spatial name="wire"><site site="s"/></spatial></tendon>
<equality><tendon tendon1="wire"/><joint joint1="a" polycoef="0 1 0"/><joint joint1="a" polycoef="0 1 0.2"/></equality>
<actuator><motor joint="knee" gear="2 0 0"/><motor joint="knee" gear="2 0 1"/><motor site="s" gear="0 1 0"/>
<general joint="knee" dyntype="none" dynprm="1"/><general joint="knee" dyntype="filter"/>
<general joint="knee" gaintype="muscle" dyntype="muscle"/></actuator>
<sensor><touch site="s" delay="1"/></sensor>
<bodies><muscle/></bodies>"""


def test_losses_are_told_in_one_line_each():
    """Guards counts, first places, and values that lose nothing."""
    notes, issues = losses(LOSSY)
    assert [note.replace(" is not read", "").replace(" found, the first in", "") for note in notes] == [
        "density of <option>: 1 <option>, line 2",
        "override of <flag>: 1 <flag>, line 2",
        "margin of <geom>: 2 <geom>, line 3",
        "<flexcomp>: 2 flexcomp 'cloth', line 5",
        "gap of <geom>: 1 geom 'foot', line 7",
        "stiffness of <joint> beyond its first number: 1 joint 'knee', line 8",
        "<geom> with type=\"sdf\": 1 geom 'nut', line 9",
        "<plugin>: 1 geom 'nut', line 9",
        "stiffness of <fixed>: 1 fixed 'grip', line 11",
        "<spatial>: 1 spatial 'wire', line 11",
        "polycoef of <joint> in <equality> beyond its first 2 numbers: 1 <joint>, line 12",
        "gear of <motor> beyond its first number: 1 <motor>, line 13",
        "<motor> with site: 1 <motor>, line 13",
        "dyntype of <general>: 1 <general>, line 14",
        '<general> with gaintype="muscle": 1 <general>, line 15',
    ]
    assert notes[3] == "<flexcomp> is not read: 2 found, the first in flexcomp 'cloth', line 5"
    assert issues == []


DROPPED = """<compiler convexhull="true" coordinate="local"/><option apirate="100" collision="all"/>
<worldbody><body name="b"><composite type="cable"><geom margin="1"/></composite><composite/></body></worldbody>"""


@pytest.mark.parametrize("strict", [False, True])
def test_names_of_older_versions_are_warnings(strict):
    """Guards files that MuJoCo refuses: they are read, unless the user wants to know what MuJoCo takes."""
    assert checked(DROPPED, strict) == []
    notes, issues = losses(DROPPED, strict)
    assert notes == ["<composite> is not read: 2 found, the first in body 'b', line 3"]
    assert {issue.code for issue in issues} == {"dropped-name"}
    assert {issue.is_error for issue in issues} == {strict}
    assert [issue.message.partition(" belongs")[0] for issue in issues] == [
        "convexhull of <compiler>",
        "apirate of <option>",
        "collision of <option>",
        "<composite>",
    ]
    assert "MuJoCo 4.0 refuses it (2 found)" in issues[-1].message


def test_fates_of_names():
    assert child_key("tendon", "spatial") == "spatial"
    assert child_key("spatial", "site") == "site@spatial"
    assert child_key("body", "site") == "site"
    assert child_key("body", "sites") is None
    assert child_key("body", "include") == "include"
    assert [fate_of("geom", name) for name in ("mass", "user", "margin", "colour")] == ["read", "kept", "lost", None]
    assert [fate_of(key) for key in ("body", "touch", "muscle")] == ["read", "kept", "lost"]


def test_walk_leaves_out_what_is_not_read():
    """Guards the content of elements that are kept, lost or unknown, which has no meaning here."""
    root = parsed(
        "<sensor><touch site='a'/></sensor><other><geom/></other>"
        "<worldbody><body><flexcomp><plugin/></flexcomp><geom/></body></worldbody>"
    )
    assert [key for _, key in walk(root)] == ["mujoco", "sensor", "worldbody", "body", "flexcomp", "geom"]
