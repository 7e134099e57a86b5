# SPDX-License-Identifier: GPL-3.0-or-later
"""JOBS.toml: the jobs that come of it, and what it is told where it means nothing. No work is done here."""

import json
import sys
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from limberjack.core.batch import BatchError, read_jobs
from support.batches import OPTIONS, contents, jobs_in

HEAD = 'files = "arm.sdf"\noutputs = "{name}.npz"\n'
DURATION = "[simulate]\nduration = 0.2\n"
MOST_MEMORY = 200e6


def refusal(folder, text):
    """The one line that a JOBS.toml is refused with; nothing is written beside it."""
    jobs_in(folder, HEAD + DURATION)
    (folder / "t.csv").write_text("elbow.damping\n1\n")
    before = set(contents(folder))
    with pytest.raises(BatchError) as caught:
        jobs_in(folder, text)
    told = str(caught.value)
    assert told.startswith(f"{folder / 'jobs.toml'}: ")
    assert len(told.splitlines()) == 1
    assert set(contents(folder)) == before
    return told


def test_the_least_that_a_batch_can_be(tmp_path):
    """Guards one file, one output: a single job of one command, with paths as they are written."""
    (job,) = jobs_in(tmp_path, HEAD + DURATION).jobs
    assert (job.name, job.file, job.parameters, job.outputs) == ("arm_0001", "arm.sdf", {}, ("arm_0001.npz",))
    assert job.commands == (("simulate", "arm.sdf", "-o", "arm_0001.npz", "--json", "--duration=0.2"),)


def test_order_of_the_jobs(tmp_path):
    """Guards file by file, the table's rows outermost, the grid, then the random ones, and numbers from 1."""
    (tmp_path / "b.sdf").write_bytes(b"")
    text = f"""files = ["b.sdf", "arm.sdf"]\noutputs = "{{name}}.npz"\n{DURATION}
        [[table]]\n"elbow.damping" = 1\n[[table]]\n"elbow.damping" = 2
        [grid]\naccuracy = ["draft", "exact"]
        [random]\ncount = 2\n"upper.mass" = {{ uniform = [1, 2] }}"""
    jobs = jobs_in(tmp_path, text).jobs
    assert [(job.file, job.parameters["elbow.damping"], job.parameters["accuracy"]) for job in jobs] == [
        (file, damping, accuracy)
        for file in ("b.sdf", "arm.sdf")
        for damping in ("1", "2")
        for accuracy in ("draft", "exact")
        for _ in range(2)
    ]
    assert [job.name for job in jobs[:9:8]] == ["b_0001", "arm_0009"]
    assert len({job.parameters["upper.mass"] for job in jobs}) == 2
    (command,) = jobs[0].commands
    assert "--accuracy=draft" in command
    assert "--set=elbow.damping=1" in command


def test_patterns_of_files(tmp_path):
    """Guards * and **: sorted, each file once, also beside files named."""
    for name in ("x/b.sdf", "x/a.sdf", "y/z/c.sdf"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    jobs = jobs_in(tmp_path, f'files = ["x/b.sdf", "**/[ac].sdf"]\noutputs = "{{name}}.npz"\n{DURATION}').jobs
    assert [job.file for job in jobs] == ["x/b.sdf", "x/a.sdf", "y/z/c.sdf"]


def test_patterns_may_lead_upwards_and_names_be_absolute(tmp_path):
    """Guards batches beside their models, and results on another disk."""
    jobs_in(tmp_path / "models", HEAD + DURATION)
    away = tmp_path / "away"
    text = f'files = "../models/*.sdf"\noutputs = "{away}/{{name}}.npz"\n{DURATION}'
    (job,) = jobs_in(tmp_path / "work", text).jobs
    assert (job.file, job.outputs) == ("../models/arm.sdf", (f"{away}/arm_0001.npz",))
    (other,) = jobs_in(tmp_path / "work", f'files = "{tmp_path}/models/arm.sdf"\noutputs = "o.npz"\n{DURATION}').jobs
    assert other.file == f"{tmp_path}/models/arm.sdf"


def test_names_and_outputs_from_placeholders(tmp_path):
    """Guards {file}, {number}, {name}, what is swept and what is set, with long numbers cut and signs made safe."""
    text = f"""files = "arm.sdf"\nname = "{{file}}-{{elbow.damping}}-{{world.wind}}-{{elbow.enabled}}"
        outputs = ["o/{{number}}/{{name}}.npz", "{{shoulder.damping}}.sdf"]\n{DURATION}
        [set]\n"shoulder.damping" = 0.1234567890123\n"elbow.enabled" = true
        [[table]]\n"elbow.damping" = 1\n"world.wind" = "1/2:3"\n"""
    (job,) = jobs_in(tmp_path, text).jobs
    assert job.name == "arm-1-1_2_3-true"
    assert job.outputs == ("o/0001/arm-1-1_2_3-true.npz", "0.123457.sdf")
    simulate, convert = job.commands
    assert simulate[0] == "simulate"
    assert convert[:3] == ("convert", "arm.sdf", "0.123457.sdf")
    assert "--set=shoulder.damping=0.1234567890123" in simulate
    assert "--set=shoulder.damping=0.1234567890123" in convert


REFUSED = {
    "no key is known": ("fiels = 1", "no key 'fiels' is known; there are: files, outputs, name, limit, table"),
    "a key of two lines": ('"a\\nb" = 1', "no key 'a b' is known"),
    "a verb's option outside": ("duration = 1", "no key 'duration' is known"),
    "no files": ('outputs = "x.npz"', 'files: it is missing; write files = "…", or a list of such'),
    "no outputs": ('files = "arm.sdf"', "outputs: it is missing"),
    "files of numbers": ('files = [1]\noutputs = "x.npz"', "files: found [1]"),
    "no file of that name": ('files = "leg.sdf"\noutputs = "x.npz"', "files: there is no file 'leg.sdf' in "),
    "a name beyond all": (f'files = "{"x" * 5000}"\noutputs = "x.npz"', "files: there is no file"),
    "nothing found": ('files = "*.urdf"\noutputs = "x.npz"', "files: nothing is found for '*.urdf'"),
    "a pattern from the root": ('files = "/*.sdf"\noutputs = "x.npz"', "is no pattern: it must be relative"),
    "half a pattern": ('files = "a**.sdf/x"\noutputs = "x.npz"', "files: "),
    "a folder": ('files = "."\noutputs = "x.npz"', "files: there is no file '.'"),
    "a name that is a list": (HEAD + "name = []" + "\n" + DURATION, "name: found []"),
    "two names": (HEAD + 'name = ["a", "b"]' + "\n" + DURATION, "name: found ['a', 'b']"),
    "set is no table": (HEAD + "set = 1", "[set] must be a table, found 1"),
    "simulate is no table": (HEAD + "simulate = [1]", "[simulate] must be a table"),
    "set without an owner": (HEAD + DURATION + "[set]\ndamping = 1", "[set] 'damping': write OWNER.PROPERTY"),
    "set to a table": (HEAD + DURATION + '[set]\n"a.b" = {}', "[set] 'a.b': found {}"),
    "set to a date": (HEAD + DURATION + '[set]\n"a.b" = 2020-01-01', "where a number, a word"),
    "no number of samples": (HEAD + DURATION + '[random]\n"a.b" = { uniform = [0, 1] }', "write count = 100"),
    "samples beyond all": (
        HEAD + DURATION + '[random]\ncount = 1_000_000_000\n"a.b" = { uniform = [0, 1] }',
        "at most 1,000,000; found 1000000000",
    ),
    "samples of nothing": (HEAD + DURATION + "[random]\ncount = 5", "[random]: no parameter is drawn"),
    "a seed of no number": (
        HEAD + DURATION + '[random]\ncount = 5\nseed = 0.0\n"a.b" = {choice = [1]}',
        "seed must be",
    ),
    "a seed below 0": (HEAD + DURATION + '[random]\ncount = 5\nseed = -1\n"a.b" = {choice = [1]}', "found -1"),
    "a grid beyond all": (
        HEAD + DURATION + "[grid]\n" + "\n".join(f'"a.x{n}" = {list(range(10))}' for n in range(7)),
        "[grid] has more than 1,000,000 combinations",
    ),
    "grid and samples beyond all": (
        HEAD
        + DURATION
        + '[grid]\n"a.x" = { from = 0, to = 1, count = 10000 }\n[random]\ncount = 10000\n"a.y" = {choice = [1]}',
        "these are more than 1,000,000 jobs",
    ),
    "given twice": (
        HEAD + DURATION + '[set]\n"elbow.damping" = 1\n[grid]\n"elbow.damping" = [1]',
        "'elbow.damping' is given twice; say it in one of [set], [grid], [random] and the table",
    ),
    "a swept option that is none": (
        HEAD + DURATION + "[grid]\nspeed = [1]",
        "'speed' is no OWNER.PROPERTY, and `simulate` has no option 'speed'; it has: ",
    ),
    "a table for no job": (
        'files = "arm.sdf"\noutputs = "x.sdf"\n' + DURATION,
        "[simulate]: no job uses it; for these files and outputs all use convert",
    ),
    "no such placeholder": (
        'files = "arm.sdf"\noutputs = "{speed}.npz"\n' + DURATION,
        "'{speed}.npz': there is no '{speed}'; there are: file, number, name",
    ),
    "its own name": ('files = "arm.sdf"\noutputs = "x.npz"\nname = "{name}"\n' + DURATION, "there is no '{name}'"),
    "two jobs, one file": (
        'files = "arm.sdf"\noutputs = "x.npz"\n' + DURATION + '[grid]\n"a.x" = [1, 2]',
        "two jobs would write 'x.npz': arm.sdf with a.x=1 and arm.sdf with a.x=2; put {name}, {number} or what",
    ),
    "one file by two ways": (
        'files = "arm.sdf"\noutputs = ["{name}/../x.npz"]\n' + DURATION + '[grid]\n"a.x" = [1, 2]',
        "two jobs would write",
    ),
    "folders but for case": (
        'files = "arm.sdf"\noutputs = "{a.x}.npz"\n' + DURATION + '[grid]\n"a.x" = ["Out_A", "out_a"]',
        "two jobs would write 'out_a.npz'",
    ),
    "names but for case": (
        'files = "arm.sdf"\nname = "{a.x}"\noutputs = "{number}.npz"\n' + DURATION + '[grid]\n"a.x" = ["A", "a"]',
        "two jobs would be named 'a'",
    ),
    "one output twice": (
        'files = "arm.sdf"\noutputs = ["Out/A.npz", "out/a.npz"]\n' + DURATION,
        "job 'arm_0001' would write one file twice: Out/A.npz, out/a.npz",
    ),
    "the input": ('files = "arm.sdf"\noutputs = "{file}.sdf"', "'arm.sdf' of job 'arm_0001' is the input of job"),
    "the table": (
        'files = "arm.sdf"\noutputs = "t.csv"\ntable = "t.csv"\n' + DURATION,
        "is the table of this file; write to another file",
    ),
    "no suffix": ('files = "arm.sdf"\noutputs = "{name}"', "must end in .blend, .npz, .csv, .json, .sdf, .world"),
    "another suffix": ('files = "arm.sdf"\noutputs = "x.mp4"', "'x.mp4' of job 'arm_0001' must end in .blend"),
    "Blender is needed": ('files = "arm.sdf"\noutputs = "x.blend"', "needs the verb 'bake', which comes with Blender"),
    "no letter for a file": ('files = "arm.sdf"\noutputs = "a\\u0000.npz"\n' + DURATION, "is no name for a file"),
    "a name with a folder": (HEAD + 'name = "a/b"\n' + DURATION, "name: 'a/b' is no name for a file"),
    "a name of dots": (HEAD + 'name = ".."\n' + DURATION, "name: '..' is no name for a file"),
    "too long a name": (HEAD + f'name = "{"n" * 300}"\n' + DURATION, "is too long; shorten the pattern"),
    "too long an output": (f'files = "arm.sdf"\noutputs = "{"é" * 120}.npz"\n' + DURATION, "is too long"),
    "a limit of nothing": (HEAD + "limit = 0\n" + DURATION, "limit: the seconds that a job may take, above 0; found 0"),
    "a limit that is a word": (HEAD + 'limit = "1 h"\n' + DURATION, "limit: "),
    "a limit beyond all": (HEAD + f"limit = 1{'0' * 400}\n" + DURATION, "limit: "),
    "a table that is not there": (HEAD + 'table = "u.csv"\n' + DURATION, "table 'u.csv' cannot be read: no such file"),
    "not TOML": ("files =", "not TOML: "),
    "twice": ("name = 'a'\nname = 'b'", "not TOML: Cannot overwrite a value"),
    "lists without end": (f"name = {'[' * 100_000}", "not TOML: lists inside each other without end"),
    "digits without end": (f"limit = {'9' * 5000}", "a number has more digits than can be read"),
    "hexadecimal without end": (f"limit = 0x{'f' * 5000}", "a number has more digits than can be read"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_jobs_file(tmp_path, case):
    """Guards one line that names the file, what was found and what to do, in little memory, before any work."""
    text, words = REFUSED[case]
    tracemalloc.start()
    told = refusal(tmp_path, text)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert words in told
    assert most < MOST_MEMORY


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x80name = 1", None])
def test_a_jobs_file_that_cannot_be_read(tmp_path, content):
    """Guards a file that is no text, and one that is not there."""
    path = tmp_path / "jobs.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BatchError, match=f"^{path}: (not TOML: it is no UTF-8 text|cannot be read: no such file)"):
        read_jobs(path, OPTIONS)


def test_a_limit_may_be_endless(tmp_path):
    """Guards `limit = inf`, which is what it is where nothing is said."""
    assert jobs_in(tmp_path, HEAD + "limit = inf\n" + DURATION).limit == jobs_in(tmp_path, HEAD + DURATION).limit


words = st.sampled_from(["arm.sdf", "*.sdf", "{name}.npz", "{number}.sdf", "from", "uniform", "a.b", "", "\n", "true"])
scalars = st.one_of(
    words, st.text(max_size=5), st.integers(), st.floats(), st.booleans(), st.integers(0, 3), st.just(10**400)
)
names = st.one_of(
    st.sampled_from(["a.b", "from", "to", "count", "scale", "seed", "duration", "uniform", "normal", "choice", "fps"]),
    st.text(max_size=3),
)
shapes = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=6
)
usual = {"files": "arm.sdf", "outputs": "{name}.npz", "simulate": {"duration": 0.1}}
keys = ["files", "outputs", "name", "limit", "table", "set", "grid", "random", "simulate", "convert"]
tables = st.dictionaries(st.sampled_from(keys), shapes, max_size=4).map(lambda some: usual | some)


def toml(value):
    """As TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(letter):08X}" for letter in value) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{toml(key)} = {toml(part)}' for key, part in value.items())}}}"
    return repr(value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("hostile")
    jobs_in(place, HEAD + DURATION)
    return place


def require_jobs_or_one_line(path):
    try:
        jobs = read_jobs(path, OPTIONS).jobs
    except BatchError as error:
        told = str(error)
    else:
        told = f"{path}: {len(jobs)} jobs"
        assert jobs
        assert len({job.name for job in jobs}) == len(jobs)
        assert json.dumps([job.commands for job in jobs])
    assert told.startswith(f"{path}: ")
    assert len(told.splitlines()) == 1


@settings(max_examples=400, deadline=None)
@given(tables)
@example(usual | {"grid": {"a.b": {"from": 1, "to": 2, "count": 1, "scale": []}}})
@example(usual | {"random": {"count": 1, "seed": False, "a.b": {"choice": [1]}}})
def test_values_of_any_shape(folder, said):
    """Guards hostile values in every place: jobs, or one error of one line."""
    path = folder / "jobs.toml"
    path.write_text("\n".join(f"{key} = {toml(value)}" for key, value in said.items()), encoding="utf-8")
    require_jobs_or_one_line(path)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60), st.integers(0, len(HEAD)))
def test_bytes_of_any_kind(folder, noise, place):
    """Guards files that are damaged, or something else altogether."""
    path = folder / "jobs.toml"
    path.write_bytes(HEAD[:place].encode() + noise + (HEAD[place:] + DURATION).encode())
    require_jobs_or_one_line(path)


def test_a_pattern_looks_at_so_many_files(tmp_path, monkeypatch):
    """Guards against `../../**`, which would walk over whole disks without an answer: it ends, in a line."""
    from limberjack.core.batch import jobs_file

    monkeypatch.setattr(jobs_file, "MOST_SEEN", 50)
    for number in range(60):
        (tmp_path / "a" / f"{number}").mkdir(parents=True)
    (tmp_path / "a" / "x.sdf").write_text("x")
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "b.sdf").write_text("x")
    text = 'files = "%s"\noutputs = "{name}.npz"\n[simulate]\nduration = 1\n'
    with pytest.raises(BatchError, match="looks at more than 50 files; name their folder"):
        jobs_in(work, text % "../**/*.sdf")
    assert [job.file for job in jobs_in(work, text % "../*.sdf").jobs] == ["../b.sdf"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right that few users of Windows have")
def test_a_pattern_passes_over_what_cannot_be_looked_at(tmp_path):
    """Guards a search beside a link that leads where nobody may look: it is passed over, as in a search for files."""
    (tmp_path / "work").mkdir()
    (tmp_path / "b.sdf").write_text("x")
    (tmp_path / "odd").symlink_to("x" * 300)  # no system has such a name, so that root cannot look either
    text = 'files = "../**/*.sdf"\noutputs = "{name}.npz"\n[simulate]\nduration = 1\n'
    assert [job.file for job in jobs_in(tmp_path / "work", text).jobs] == ["../b.sdf", "../work/arm.sdf"]
