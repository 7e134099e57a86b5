# SPDX-License-Identifier: GPL-3.0-or-later
"""Read from the name of a bone which part of a body it is, and on which side.

It knows the names of Rigify, Mixamo, Unreal, MakeHuman, VRM, 3ds Max (Biped), Valve, Daz and MMD, and names like them.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import NamedTuple

LEFT, RIGHT, MIDDLE = 1, -1, 0
"""Sides, as signs of the coordinate that grows to the left of the body."""


class BoneName(NamedTuple):
    """The part and the side that the name of a bone tells.

    Attributes:
        part: a name in `body_parts.PARTS`, or "arm" or "leg" if the bones around must tell which part it is; empty if
            the name tells nothing.
        side: LEFT, RIGHT or MIDDLE.
    """

    part: str
    side: int


_WORDS = (
    ("twist", "twist thightwist upperarmtwist forearmtwist roll corrective 捩 捩り"),
    ("helper", "ik pole target ctrl control root master helper nub end socket weapon prop heel breast skirt hair sec"),
    ("helper", "pectoral 髪 胸 先 ダミー"),
    (
        "face",
        "jaw eye eyes brow lip lips cheek nose tongue teeth chin temple forehead lid ear face 目 両目 眉 舌 顎 歯",
    ),
    (
        "finger",
        "thumb index middle mid ring pinky little finger fingers palm metacarpal 親指 人指 人差指 中指 薬指 小指",
    ),
    ("forearm", "forearm lowerarm elbow ひじ 肘"),
    ("upper_arm", "upperarm shldr humerus"),
    ("hand", "hand wrist 手首"),
    ("clavicle", "clavicle collar collarbone shoulder 肩"),
    ("thigh", "thigh upperleg upleg femur 足"),
    ("shin", "shin calf lowerleg knee ひざ 膝"),
    ("toes", "toe toes toebase ball つま先 足先"),
    ("foot", "foot ankle 足首"),
    ("neck", "neck 首"),
    ("head", "head skull 頭"),
    ("hips", "hips hip pelvis 下半身 腰"),
    ("spine", "spine chest upperchest torso abdomen waist stomach ribcage 上半身"),
    ("tail", "tail しっぽ"),
    ("arm", "arm 腕"),
    ("leg", "leg"),
)
"""Words by part. The first row that has a word of the name decides."""

_FINGERS_BELOW_HANDS = frozenset({"index", "middle", "mid", "ring", "little"})
"""Words that name fingers below a hand, and that say something else anywhere else, as in spine_middle."""

_PART_OF_WORD = {word: part for part, words in _WORDS for word in words.split()}

_RANK = {part: rank for rank, (part, _) in enumerate(_WORDS)}

_JOINED = {
    ("upper", "arm"): "upperarm",
    ("fore", "arm"): "forearm",
    ("lower", "arm"): "lowerarm",
    ("up", "leg"): "upleg",
    ("upper", "leg"): "upperleg",
    ("lower", "leg"): "lowerleg",
    ("upper", "chest"): "upperchest",
    ("toe", "base"): "toebase",
    ("collar", "bone"): "collarbone",
}
"""Two words of a name that are written as one in others."""

_SIDE_OF_WORD = {"l": LEFT, "left": LEFT, "左": LEFT, "r": RIGHT, "right": RIGHT, "右": RIGHT}

_OTHER_SIDE = {"l": "r", "L": "R", "left": "right", "Left": "Right", "LEFT": "RIGHT", "左": "右"}
_OTHER_SIDE |= {right: left for left, right in _OTHER_SIDE.items()}
"""Words for a side with the word for the other side."""

_PREFIXES = {"def", "org", "mch", "mixamorig", "bip", "bip01", "j", "valvebiped", "cc", "base", "c", "tweak"}
"""First words of names that tell the kind of rig and no part of a body."""

_BREAKS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])|[^0-9A-Za-z\u3000-\u9fff]+")
"""Places at which a name is divided into words: changes of case, digits, and other characters."""

_JAPANESE = re.compile(r"[\u3000-\u9fff]")


def read_bone_name(name: str, is_below_hand: bool = True) -> BoneName:
    """Return what the name of a bone tells of its place in a body.

    Args:
        is_below_hand: whether the bone hangs on a hand. Otherwise words such as middle do not name fingers.
    """
    words = _words_of(name)
    side = next((_SIDE_OF_WORD[word] for word in words if word in _SIDE_OF_WORD), MIDDLE)
    if not is_below_hand:
        words = [word for word in words if word not in _FINGERS_BELOW_HANDS]
    parts = [_PART_OF_WORD[word] for word in words if word in _PART_OF_WORD]
    return BoneName(min(parts, key=_RANK.__getitem__, default=""), side)


def name_of_other_side(name: str) -> str:
    """Return the name of the bone on the other side of the body; the same name if it tells no side.

    The words for sides are those that `read_bone_name` knows, wherever they are in the name.
    """
    ends = [0, *(place for found in _BREAKS.finditer(name) for place in found.span()), len(name)]
    for start, end in pairwise(ends):
        word = name[start:end]
        side = next((each for each in word if each in "左右"), word)
        if side in _OTHER_SIDE:
            return name[:start] + word.replace(side, _OTHER_SIDE[side], 1) + name[end:]
    return name


def _words_of(name: str) -> list[str]:
    """Return the words of a name in lower case, without those that tell the kind of rig."""
    plain = unicodedata.normalize("NFKC", name)
    words = [word.lower() for word in _BREAKS.split(plain) if word]
    words = [piece for word in words for piece in (_japanese_words(word) if _JAPANESE.search(word) else [word])]
    while words and (words[0] in _PREFIXES or words[0].isdigit()):
        words.pop(0)
    joined: list[str] = []
    for word in words:
        if joined and (joined[-1], word) in _JOINED:
            joined[-1] = _JOINED[joined[-1], word]
        else:
            joined.append(word)
    return joined


def _japanese_words(text: str) -> list[str]:
    """Return the longest known words at the beginning of a Japanese name, one after the other."""
    known = [*_SIDE_OF_WORD, *_PART_OF_WORD]
    found = []
    while text:
        word = max((each for each in known if text.startswith(each)), key=len, default="")
        if word:
            found.append(word)
        text = text[len(word) or 1 :]
    return found
