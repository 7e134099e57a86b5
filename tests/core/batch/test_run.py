# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch: results as by hand, only what is stale is done, and failures stay with their jobs."""

import json

import numpy as np
import pytest

from limberjack.core import cli
from limberjack.core.batch import BatchError, work
from limberjack.core.formats import read
from limberjack.core.trajectory.files.reading import read_trajectory
from support.batches import batch_of, contents, errors_of, jobs_in, records_of

JOBS = """files = "arm.sdf"\nname = "{elbow.damping}"\noutputs = ["{name}.npz", "{name}.sdf"]
[simulate]\nduration = 0.2\ninitial = "state.json"\n[set]\n"upper.mass" = 3.25\n[grid]\n"elbow.damping" = [%s]\n"""
PUSHED = JOBS.replace("elbow.damping", "elbow.drive_target").replace("3.25", '3.25\n"elbow.drive_mode" = "force"')
"""The same with a motor, whose torque of 1e300 N m no step can follow."""


def batch_in(folder, values="1, 2, 3", jobs=JOBS, **ways):
    folder.mkdir(exist_ok=True)
    if not (folder / "state.json").exists():
        (folder / "state.json").write_text('{"q": {"shoulder": 2.0}}')
    return batch_of(jobs_in(folder, jobs % values), **ways)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder in which three jobs are done."""
    folder = tmp_path_factory.mktemp("batch")
    batch = batch_in(folder, workers=2)
    batch.require_doable()
    assert errors_of(batch) == {"1": "", "2": "", "3": ""}
    return folder


@pytest.fixture
def again(finished, tmp_path):
    """A copy of it that a test may change."""
    for name, content in contents(finished).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_results_are_those_of_the_commands_by_hand(finished, tmp_path, monkeypatch):
    """Guards the promise of a batch: arrays bit for bit, SDF to the letter, and the settings in the model."""
    monkeypatch.chdir(finished)
    sets = ["--set", "upper.mass=3.25", "--set", "elbow.damping=2"]
    simulate = ["simulate", "arm.sdf", "--duration", "0.2", "--initial", "state.json"]
    assert cli.main([*simulate, *sets, "-o", str(tmp_path / "hand.npz")]) == cli.DONE
    assert cli.main(["convert", "arm.sdf", str(tmp_path / "hand.sdf"), *sets]) == cli.DONE
    with np.load(finished / "2.npz") as ours, np.load(tmp_path / "hand.npz") as hand:
        assert set(ours) == set(hand)
        assert all(ours[name].tobytes() == hand[name].tobytes() for name in ours)
    assert (finished / "2.sdf").read_text() == (tmp_path / "hand.sdf").read_text()
    for value in (1, 2, 3):
        model = read(finished / f"{value}.sdf").model
        assert [joint.axes[0].damping for joint in model.joints if joint.name == "elbow"] == [value]
        assert [link.mass for link in model.links if link.name == "upper"] == [3.25]
    assert len({read_trajectory(finished / f"{value}.npz").q.tobytes() for value in (1, 2, 3)}) == 3


def test_the_manifest_has_all_records_in_order(finished):
    """Guards what pipelines read at the end."""
    lines = [json.loads(line) for line in (finished / "jobs.manifest.jsonl").read_text().splitlines()]
    assert [line["name"] for line in lines] == ["1", "2", "3"]
    assert all(line["status"] == "done" and line["seconds"] > 0 and line["reports"] for line in lines)
    assert all(set(line["inputs"]) == {"arm.sdf", "state.json"} for line in lines)


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        (lambda folder: None, {}),
        (lambda folder: (folder / "2.npz").unlink(), {"2": "'2.npz' is missing or changed"}),
        (lambda folder: (folder / "3.sdf").write_text("other"), {"3": "'3.sdf' is missing or changed"}),
        (
            lambda folder: (folder / "state.json").write_text("{}"),
            dict.fromkeys(("1", "2", "3"), "'state.json' has changed"),
        ),
        (lambda folder: (folder / "jobs.records/1.json").write_text('{"name": "1"'), {"1": "not done yet"}),
        (lambda folder: (folder / "jobs.manifest.jsonl").unlink(), {}),
    ],
)
def test_only_what_is_stale_is_done(again, change, stale):
    """Guards resumption: what was deleted, changed or torn is to be done again, and all else is not."""
    change(again)
    assert batch_in(again).stale == stale


def test_what_is_done_again_is_as_before(again):
    """Guards resumption to its end: one job is done, its result is the same, and no other file is touched."""
    before = contents(again)
    (again / "2.npz").unlink()
    batch = batch_in(again)
    batch.require_doable()
    assert errors_of(batch) == {"2": ""}
    after = contents(again)
    changed = {name for name in after if after[name] != before[name]}
    assert changed <= {"jobs.records/2.json", "jobs.manifest.jsonl"}
    assert batch_in(again).pending == []


def test_another_value_is_another_job_only_where_it_is(again):
    """Guards sweeps that grow: jobs that were there stay done, and `again` does them all."""
    assert list(batch_in(again, "1, 2, 3, 4").stale) == ["4"]
    assert batch_in(again, again=True).stale == dict.fromkeys(("1", "2", "3"), "asked for again")
    parts = [list(batch_in(again, "1, 2, 3, 4, 5, 6, 7", part=(number, 3)).stale) for number in (1, 2, 3)]
    assert parts == [["4", "7"], ["5"], ["6"]]


def test_an_included_file_is_an_input(tmp_path):
    """Guards models of several files, for motions and conversions alike: a change in any is seen."""
    jobs_in(tmp_path, 'files = "arm.sdf"\noutputs = "x.sdf"')
    (tmp_path / "model").mkdir()
    (tmp_path / "arm.sdf").rename(tmp_path / "model" / "model.sdf")
    (tmp_path / "model" / "model.config").write_text('<model><name>m</name><sdf version="1.9">model.sdf</sdf></model>')
    (tmp_path / "all.world").write_text(
        '<sdf version="1.9"><world name="w"><include><uri>model</uri></include></world></sdf>'
    )
    text = 'files = "all.world"\nname = "{number}"\noutputs = "x.sdf"'
    batch = batch_of(jobs_in(tmp_path, text))
    batch.require_doable()
    assert errors_of(batch) == {"0001": ""}
    assert "model/model.sdf" in records_of(batch.file)["0001"]["inputs"]
    assert batch_of(jobs_in(tmp_path, text)).stale == {}
    with (tmp_path / "model" / "model.sdf").open("a") as stream:
        stream.write("<!-- a change -->")
    assert batch_of(jobs_in(tmp_path, text)).stale == {"0001": "'model/model.sdf' has changed"}


def test_one_job_that_fails_stops_no_other(tmp_path):
    """Guards a setting that only the simulation finds impossible: named, its outputs gone, and alone tried again."""
    batch = batch_in(tmp_path, "1, 1e300, 2", PUSHED, workers=2)
    (tmp_path / "1e+300.npz").write_text("old")
    batch.require_doable()
    errors = errors_of(batch)
    assert (errors["1"], errors["2"]) == ("", "")
    assert "arm.sdf: error simulation: link 'lower'" in errors["1e+300"]
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == ["1.npz", "2.npz"]
    assert sorted(path.name for path in tmp_path.glob("*.sdf")) == ["1.sdf", "2.sdf", "arm.sdf"]
    assert not list(tmp_path.glob(".*"))
    assert batch_in(tmp_path, "1, 1e300, 2", PUSHED).stale == {"1e+300": "failed before"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"grid": '"knee.damping" = [1]'}, "--set knee.damping=1: no joint or link 'knee'; there are: "),
        (
            {"grid": '"elbow.colour" = [1]'},
            "jobs.toml: --set elbow.colour=1: joint 'elbow' (continuous) has no property",
        ),
        ({"grid": '"upper.mass" = [1, 2, -3, 4]'}, "mass takes a number above 0, found '-3'"),
        ({"grid": '"upper.mass" = [1, "much", 4]'}, "found 'much'"),
        ({"model": "<sdf version='1.9'><model"}, "arm.sdf"),
        ({"model": "<sdf version='1.9'><model name='m'><link/></model></sdf>"}, "no-name"),
    ],
)
def test_what_can_be_known_is_told_before_any_work(tmp_path, change, words):
    """Guards a check of files and settings first: one line, and no output, record or manifest."""
    path = f'path = "{change["path"]}"\n' if "path" in change else ""
    text = f'files = "arm.sdf"\noutputs = "{{name}}.npz"\n[simulate]\nduration = 0.2\n{path}[grid]\n'
    jobs = jobs_in(tmp_path, text + change.get("grid", '"elbow.damping" = [1, 2]'))
    if "model" in change:
        (tmp_path / "arm.sdf").write_text(change["model"])
    before = contents(tmp_path)
    with pytest.raises(BatchError) as caught:
        batch_of(jobs).require_doable()
    assert str(caught.value).startswith(f"{tmp_path / 'jobs.toml'}: ")
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        ("arm.sdf/{name}.npz", "cannot be written to: not a directory"),
        ("taken/{name}.npz", "is a folder; name a file"),
        ("/proc/limberjack/{name}.npz", "'/proc/limberjack' cannot be written to: no such file or directory"),
    ],
)
def test_outputs_that_cannot_be_kept(tmp_path, outputs, words):
    """Guards results of a long batch: that there is a place for them is known before."""
    (tmp_path / "taken" / "arm_0001.npz").mkdir(parents=True)
    jobs = jobs_in(tmp_path, f'files = "arm.sdf"\noutputs = "{outputs}"\n[simulate]\nduration = 1')
    with pytest.raises(BatchError) as caught:
        batch_of(jobs).require_doable()
    assert words in str(caught.value).replace("file exists", "not a directory")


def test_a_full_disk_ends_the_batch(tmp_path, monkeypatch):
    """Guards against a failure for each of a million jobs: the rest is left, and what was done before stays done."""
    write, written = work.write_record, []

    def fill_up(records, record):
        if written:
            raise OSError(28, "No space left on device")
        written.append(record["name"])
        write(records, record)

    monkeypatch.setattr(work, "write_record", fill_up)
    batch = batch_in(tmp_path)
    batch.require_doable()
    with pytest.raises(BatchError, match=r"no space left on device; make room, and run this again for the rest$"):
        errors_of(batch)
    assert list(records_of(batch.file)) == written == batch.progress.done
    assert list(batch_in(tmp_path).stale) == [name for name in ("1", "2", "3") if name not in written]
