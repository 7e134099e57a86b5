# SPDX-License-Identifier: GPL-3.0-or-later
"""Model files that nobody would write, by seed, and what a reader and the writers owe to each of them.

Half of the files are made element by element by a rough grammar, with names that collide, numbers that are none and
references into nothing; the others are the files of tests/data with bytes changed, moved and left out.
"""

from __future__ import annotations

import json
import random
import re
import resource
import time
from pathlib import Path

from limberjack.core.cli import describe
from limberjack.core.formats import UnreadableError, UnwritableError, read, write

from .fuzz_grammar import NAMES, NUMBERS, REFERENCES, random_sdf, random_urdf
from .fuzz_mjcf import random_mjcf

DATA = Path(__file__).parents[1] / "data"
FORMATS_FUZZED = ("sdf", "urdf", "mjcf")
GRAMMARS = {"sdf": random_sdf, "urdf": random_urdf, "mjcf": random_mjcf}
SECONDS = 5.0
MEGABYTES = 500

BESIDE = {
    "other.sdf": '<sdf version="1.9"><model name="m"><link name="a"/><frame name="b" attached_to="a"/></model></sdf>',
    "broken.sdf": '<sdf version="1.9"><model name="m"><link name="a">',
    "folder/model.config": '<model><name>m</name><sdf version="1.9">model.sdf</sdf></model>',
    "folder/model.sdf": '<sdf version="1.9"><model name="m"><include><uri>../other.sdf</uri></include></model></sdf>',
    "folder/cycle.sdf": '<sdf version="1.9"><model name="m"><include><uri>cycle.sdf</uri></include></model></sdf>',
    "other.xml": '<mujoco><worldbody><body name="body1"><geom size="1"/><joint name="x"/></body></worldbody></mujoco>',
    "broken.xml": '<mujoco><worldbody><body name="body1">',
    "cycle.xml": '<mujoco><include file="cycle.xml"/></mujoco>',
    "folder/model.xml": '<mujoco><asset><model file="in.mjcf"/></asset><include file="../other.xml"/></mujoco>',
}
"""What lies beside each file, for it to include."""


def lay_out(folder: Path) -> None:
    """Put into a folder what inputs may include."""
    for name, text in BESIDE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def make(kind: str, seed: int) -> bytes:
    """The input of a format and a seed."""
    rng = random.Random(f"{kind} {seed}")
    if rng.random() < 0.5:
        data = GRAMMARS[kind](rng).encode()
        return _mutated(rng, data) if rng.random() < 0.1 else data
    return _mutated(rng, rng.choice([path.read_bytes() for path in sorted(DATA.glob(f"*.{kind}"))]))


def check(data: bytes, kind: str, folder: Path) -> None:
    """Read an input, describe and write what came of it. Raises AssertionError, and whatever else is wrong."""
    path = folder / f"in.{kind}"
    path.write_bytes(data)
    begun, held = time.process_time(), _megabytes()
    try:
        reading = read(path)
    except UnreadableError as error:
        _assert_line(str(error.message))
        reading = None
    assert time.process_time() - begun < SECONDS, f"took {time.process_time() - begun:.1f} s to read"
    assert _megabytes() - held < MEGABYTES, f"took {_megabytes() - held:.0f} MB to read"
    if reading is None:
        return
    for issue in reading.issues:
        _assert_line(issue.format(path))
    for note in reading.notes:
        _assert_line(note)
    if reading.ok:
        json.dumps(describe(reading.model), allow_nan=False)
        _write_all(reading.model, folder)


def _write_all(model, folder: Path) -> None:
    targets = [("out.sdf", {"sdf_version": version}) for version in ("1.9", "1.12")]
    targets += [("out.urdf", {}), ("out.xml", {})]
    for name, options in targets:
        try:
            losses = write(model, folder / name, **options)
        except UnwritableError as error:
            _assert_line(error.message)
            continue
        for loss in losses:
            _assert_line(loss)
        again = read(folder / name)
        assert again.ok, f"what was written has errors: {[i.message for i in again.issues if i.is_error][:2]}"
        if name != "out.xml":  # MJCF has no links without mass between two joints
            assert len(again.model.links) == len(model.links), "links were lost in what was written"


def _assert_line(text: str) -> None:
    assert not {"\n", "\r"} & set(text), f"is no single line: {text[:200]!r}"
    assert len(text) < 5000, f"is no line that anyone reads: {text[:200]!r}, {len(text)} characters"


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


# ---- bytes


def _mutated(rng: random.Random, data: bytes) -> bytes:
    words = [rng.choice((*NAMES, *NUMBERS, *REFERENCES)).encode() for _ in range(4)]
    tags = re.findall(rb"<[^>]*>", data)
    kinds = rng.choice(((4,), (5,), (4, 4, 5), range(7)))  # most others are no XML any more
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        at, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        end = min(end, at + rng.choice((0, 1, 4, 20, 200)))
        match rng.choice(kinds):
            case 0:
                new = rng.randbytes(rng.randrange(4))
            case 1:
                new = rng.choice(words)
            case 2:
                start = rng.randrange(len(data) + 1)
                new = data[start : start + rng.choice((5, 50, 500))]
            case 3:
                new = rng.choice(tags or [b"<a/>"])
            case 4:  # a value becomes another one
                found = [*re.finditer(rb"(?<==[\"'])[^\"'<>]*(?=[\"'])|(?<=>)[^<>]*[^<>\s][^<>]*(?=<)", data)]
                if found:
                    at, end = rng.choice(found).span()
                new = rng.choice(words)
            case 5:  # an element goes
                start = len(data) // 20 + rng.randrange(len(data) + 1)  # behind the root
                found = re.compile(rb"<(\w+)[^>]*?(?:/>|>.*?</\1>)", re.DOTALL).search(data, start)
                at, end = found.span() if found else (at, at)
                new = b""
            case _:
                new = data[at:end] * rng.choice((0, 2, 3))
        data = data[:at] + new + data[end:]
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.05 else data
