"""How `make kernels` is asked, and what must not be in what it makes."""

import pytest

from native.build import platforms_asked_for  # of the checkout, beside the package
from native.emitting import _without_messages
from native.platforms import PLATFORMS


def test_all_platforms_are_compiled_for_where_none_is_named(capsys):
    """Guards `make kernels` alone, and with names; a name that is none is refused with those that there are."""
    assert platforms_asked_for([]) == list(PLATFORMS)
    assert platforms_asked_for(["macos-arm64", "linux-x64"]) == ["macos-arm64", "linux-x64"]
    with pytest.raises(SystemExit):
        platforms_asked_for(["amiga"])
    assert "linux-x64" in capsys.readouterr().err


MODULE = """@.const.pickledata.{name} = internal constant [9 x i8] c"{said}"
@.const.picklebuf.{name} = internal constant {{ ptr, i32 }} {{ ptr @.const.pickledata.{name}, i32 {size} }}
store ptr @.const.picklebuf.{name}, ptr %excinfo, align 8
"""


def test_libraries_know_nothing_of_the_checkout():
    """Guards that two builds give equal bytes: what an exception would say has the path of its file in it."""
    texts = [
        MODULE.format(name=name, said=said, size=len(said))
        for name, said in (("a767Ne.3", "in /home/one"), ("N0b1", "in /tmp/two/of/another"))
    ]
    ends = [_without_messages(text).partition("\n")[2] for text in texts]  # nothing leads to the first line any more
    assert ends[0] == ends[1]
    assert "zeroinitializer" in ends[0]
    assert "pickle" not in ends[0]
