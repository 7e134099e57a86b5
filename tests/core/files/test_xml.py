# SPDX-License-Identifier: GPL-3.0-or-later
"""XML as strangers and enemies write it: read with the right lines, or refused in one, soon and in little memory."""

import os
import resource
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limberjack.core.files import xml
from limberjack.core.files.errors import UnreadableError
from limberjack.core.files.xml import parse, parse_file, root_tag
from limberjack.core.files.xml_rules import XmlRules

DATA = Path(__file__).parents[2] / "data"
SMALL = '<sdf>\n<model name="größe"/>\n</sdf>'


def refusal(data: bytes) -> UnreadableError:
    with pytest.raises(UnreadableError) as caught:
        parse(data)
    assert "\n" not in str(caught.value)
    return caught.value


ENCODED = {
    "utf-8": SMALL.encode(),
    "utf-8 with a BOM": b"\xef\xbb\xbf" + SMALL.encode(),
    "utf-8, declared after blanks": b"\n\n <?xml version='1.0' encoding='UTF-8'?>" + SMALL.encode(),
    "utf-8 that calls itself utf-16": b'<?xml version="1.0" encoding="utf-16"?>' + SMALL.encode(),
    "utf-16 with a BOM": SMALL.encode("utf-16"),
    "utf-16 with the other BOM": b"\xfe\xff" + SMALL.encode("utf-16-be"),
    "utf-16 without a BOM": SMALL.encode("utf-16-le"),
    "utf-16, the other, without a BOM": SMALL.encode("utf-16-be"),
    "utf-16 that says so": ('<?xml version="1.0" encoding="UTF-16"?>' + SMALL).encode("utf-16"),
    "utf-16 that calls itself utf-8": ('<?xml version="1.0" encoding="utf-8"?>' + SMALL).encode("utf-16"),
    "latin-1": b'<?xml version="1.0" encoding="ISO-8859-1"?>' + SMALL.encode("latin-1"),
    "windows-1252": b"<?xml version='1.0' encoding='windows-1252' ?>" + SMALL.encode("cp1252"),
    "gb18030": b'<?xml version="1.0" encoding="GB18030"?>' + SMALL.encode("gb18030"),
}


@pytest.mark.parametrize("name", ENCODED)
def test_encodings(name):
    """Whatever a file was saved as is read, with its lines."""
    data = ENCODED[name]
    blanks = len(data) - len(data.lstrip(b"\n"))
    model = parse(data).children[0]
    assert (model.name, model.line) == ("größe", 2 + blanks)


@pytest.mark.parametrize(
    ("data", "line", "word"),
    [
        (b"<a>\n\xe9</a>", 2, "UTF-8"),
        (b'<?xml version="1.0" encoding="us-ascii"?>\n<a>\n\xe9</a>', 3, "ascii"),
        (b'\n<?xml version="1.0" encoding="klingon"?><a/>', 2, "klingon"),
        (b'<?xml version="1.0" encoding="rot13"?><a/>', 1, "rot13"),
        (b'<?xml version="1.0" encoding="punycode"?><a/>', 1, "punycode"),
        (b'<?xml version="1.0" encoding="cp037"?><a/>', 1, "cp037"),
        ("<a>\n\n".encode("utf-16") + b"\x00\xd8</", 3, "utf-16"),
        (b"<a>\n\n<b>\0</b></a>", 3, "not well-formed"),
        (b"<a>\n<!-- never\n ended", 2, "comment"),
        (b"<a>\n<b/><![CDATA[ never\n ended</a>", 2, "CDATA"),
        (b"<a>\n\n<?never ended</a>", 3, "processing instruction"),
        (b"<a/>\n<b/>", 2, "not well-formed"),
        (b"<!-- only -->", 1, "no element"),
        (b"<a>\n&nbsp;</a>", 2, "undefined entity"),
        (b"<a>\n<b x='1' x='2'/></a>", 2, "duplicate attribute"),
    ],
)
def test_what_cannot_be_read_names_its_line(data, line, word):
    """Guards the one line that a person gets."""
    error = refusal(data)
    assert error.line == line
    assert word in error.message


def test_what_simulators_take_is_taken():
    """Processing instructions, prefixes that nothing binds, <?xml in a wrong place, a plain <!DOCTYPE>, CDATA."""
    root = parse(
        b'<!-- <a> -- </a> --><!---->\n<?xml version="1.1"?><?style\n<!-- ?><!DOCTYPE sdf>\n<sdf x:y="&lt;&#10;&amp;">'
        b"\n<drake:joint/><![CDATA[<!--]]>]]&gt;<?end?>\n</sdf>\n<!-- last -->"
    )
    assert (root.line, root.attributes, root.text) == (4, {"x:y": "<\n&"}, "<!--]]>")
    assert [(child.tag, child.line) for child in root.children] == [("drake:joint", 5)]


DEFINITIONS = {
    "bomb": b'<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>\n<x>&b;</x>',
    "parameter bomb": b'<!DOCTYPE x [<!ENTITY % a "aa"><!ENTITY % b "%a;%a;">%b;]><x/>',
    "file": b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
    "foreign definitions": b'<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd"><x/>',
    "public definitions": b'<!DOCTYPE x PUBLIC "-//x" "x.dtd"><x/>',
    "attributes from nowhere": b'<!DOCTYPE x [<!ATTLIST x name CDATA "y">]><x/>',
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definitions_are_refused(name):
    """Guards against bombs, and against files and addresses that a model would make us open."""
    assert "document type definition" in refusal(DEFINITIONS[name]).message


@pytest.mark.parametrize(
    ("limit", "data"),
    [
        (XmlRules().depth, b"<a>" * 151),
        (xml.MAX_ELEMENTS, b"<a>" + b"<b/>" * xml.MAX_ELEMENTS),
        (xml.MAX_ATTRIBUTES, b"<a " + b"".join(b"a%d='' " % i for i in range(1001)) + b"/>"),
        (XmlRules().word, b"<a b='" + b"x" * 65_537 + b"'/>"),
        (XmlRules().word, b"<" + b"x" * 65_537 + b"/>"),
        (XmlRules().word, b"<a " + b"x" * 65_537 + b"=''/>"),
    ],
)
def test_more_than_allowed_is_refused(limit, data):
    """Each limit refuses what is one too many, and says what is allowed."""
    error = refusal(b"\n" + data)
    assert str(limit) in error.message
    assert error.line == 2


def test_as_much_as_allowed_is_taken():
    """The limits themselves are within, and what goes through a deep tree needs no deep stack."""
    deep = parse(b"<a>" * XmlRules().depth + b"</a>" * XmlRules().depth)
    limit = sys.getrecursionlimit()
    assert len(list(deep.walk())) == XmlRules().depth
    assert len(parse(deep.to_xml().encode()).to_xml()) == len(deep.to_xml())
    assert limit > 3 * XmlRules().depth
    assert len(parse(b"<a b='" + b"x" * XmlRules().word + b"'/>").attributes["b"]) == XmlRules().word


def test_too_large_files_are_refused_unread(tmp_path):
    """Guards memory: a file with a hole of 1 TB is told by its first bytes too many."""
    path = tmp_path / "large.sdf"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(UnreadableError, match="256 MB"):
        parse_file(path)


MB = 2**20
SLOW = {
    "unclosed comments": b"<!--" * (10 * MB // 4),
    "unclosed CDATA": b"<a>" + b"<![CDATA[" * MB,
    "unclosed instructions": b"<?" * 5 * MB,
    "comments": b"<a>" + b"<!---->" * (MB // 7) + b"</a>",
    "elements": b"<a>" + b"<b/>" * (MB // 4) + b"</a>",
    "text and elements": b"<a>" + b"x<b/>" * (MB // 5) + b"</a>",
    "nothing closed": b"<a>" * (MB // 3),
    "brackets": b"<" * 10 * MB,
    "a value that never ends": b"<a b='" + b">" * 10 * MB,
    "a value beyond measure": b"<a b='" + b"x" * (xml.MAX_RUN - 99) + b"'/>",
    "a longer one": b"<a b='" + b"x" * 2 * xml.MAX_RUN + b"'/>",
    "text": b"<a>" + b"x" * 10 * MB + b"</a>",
    "lines": b"<a>" + b"\n" * 10 * MB + b"</a>",
    "blanks": b" " * 10 * MB,
    "a long declaration": b"<?xml " + b" " * 10 * MB,
    "references": b"<a>" + b"&#10;" * (MB // 5) + b"</a>",
    "attributes": b"<a " + b"".join(b"a%d='' " % i for i in range(MB // 12)) + b"/>",
    "NULs": bytes(10 * MB),
    "NULs in UTF-16": "<a>".encode("utf-16") + bytes(10 * MB),
}


@pytest.mark.parametrize("name", SLOW)
def test_no_input_takes_long(name):
    """Guards against quadratic time, which would be minutes, and against memory without bound."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert answer_time(SLOW[name]) < 10.0  # about half a second; the machine may be busy
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # KB


def answer_time(data: bytes) -> float:
    """To parse it and walk through it, or to refuse it [s]."""
    begun = time.process_time()
    try:
        root, told = parse(data), ""
    except UnreadableError as error:
        root, told = None, str(error)
    assert len(told) < 300
    assert root is None or all(element.line for element in root.walk())
    return time.process_time() - begun


def test_paths_that_are_no_files(tmp_path):
    """A pipe that keeps silent and a device that never ends are not opened; other paths are answered."""
    pipe = tmp_path / "pipe.sdf"
    os.mkfifo(pipe)
    said = []

    def look(path):
        try:
            parse_file(path)
        except UnreadableError as error:
            said.append(error.message)

    paths = [pipe, Path("/dev/zero"), tmp_path, tmp_path / "x" / "y", tmp_path / ("x" * 5000), tmp_path / "a\0b"]
    thread = threading.Thread(target=lambda: [look(path) for path in paths], daemon=True)
    thread.start()
    thread.join(10.0)
    assert len(said) == len(paths)
    assert ["pipe" in message for message in said] == [True, True, False, False, False, False]


@pytest.mark.parametrize("name", ["frames_1_9.sdf", "tree.urdf"])
def test_a_file_cut_off_anywhere_is_refused(name):
    """Whichever byte a file ends at: one line, with a line number within the file."""
    data = (DATA / name).read_bytes().rstrip()
    for end in range(1, len(data)):
        error = refusal(data[:end])
        assert error.line is not None
        assert 1 <= error.line <= data.count(b"\n", 0, end) + 1


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"))
WORD = st.sampled_from(["a", "b:c", "é", "_"])


@given(st.recursive(st.tuples(WORD, TEXT), lambda inner: st.tuples(WORD, st.dictionaries(WORD, TEXT), inner)))
def test_text_of_an_element_reads_as_itself(tree):
    """to_xml undoes parse, whatever the names and texts are."""

    def element(node):
        if len(node) == 2:
            return xml.Element(node[0], {}, 1, text=node[1].strip())
        return xml.Element(node[0], node[1], 1, children=[element(node[2])])

    made = element(tree)
    again = parse(made.to_xml().encode())
    assert again.to_xml() == made.to_xml()
    assert [(e.tag, e.attributes, e.text) for e in again.walk()] == [(e.tag, e.attributes, e.text) for e in made.walk()]


@pytest.mark.parametrize("text", [b"<a b='1'c=\"2\"/>", b"<a\n b='1'\nc=\"2\"d='3'/>"])
def test_a_missing_blank_is_mended_where_the_rules_allow_it(text):
    """Guards six public MJCF files, which MuJoCo reads; SDF and URDF are refused by their own programs."""
    assert "not well-formed" in refusal(text).message
    root = parse(text, rules=XmlRules(mends_blanks=True))
    assert root.attributes | {"b": "1", "c": "2"} == root.attributes
    assert root.mended_line == (3 if b"\n" in text else 1)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        (b"<mujoco/>", "mujoco"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- <sdf> -->\n<robot name="a">', "robot"),
        (b"  \n<sdf:x/>", "sdf:x"),
        (b"PK\x03\x04", ""),
        ("<a/>".encode("utf-16"), ""),
    ],
)
def test_the_root_is_known_before_the_file_is_read(text, tag):
    """Guards limits and repairs that only one format has."""
    assert root_tag(text) == tag
