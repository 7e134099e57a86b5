# SPDX-License-Identifier: GPL-3.0-or-later
"""Records: what they tell of, and what of a job's inputs, outputs and record makes it stale. No work is done here."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limberjack.core.batch.job import Job
from limberjack.core.batch.records import (
    describe_output,
    digest_of,
    digests_of,
    read_record,
    record_path,
    why_stale,
    write_manifest,
    write_record,
)

JOB = Job("one", "in.sdf", {"a.b": "1"}, (("simulate", "in.sdf"),), ("out.npz",))


@pytest.fixture
def done(tmp_path):
    """A folder in which the job is done: its record."""
    (tmp_path / "in.sdf").write_text("model")
    (tmp_path / "out.npz").write_text("motion")
    record = {
        "name": JOB.name,
        "status": "done",
        "fingerprint": JOB.fingerprint,
        "inputs": digests_of(tmp_path, ["in.sdf"]),
        "outputs": {"out.npz": describe_output(tmp_path / "out.npz")},
    }
    write_record(tmp_path, record)
    return read_record(tmp_path, JOB.name)


def test_what_is_done_is_fresh(tmp_path, done):
    """Guards against doing all again: also where only the time of an output is another, as after a copy."""
    assert why_stale(JOB, done, tmp_path) == ""
    os.utime(tmp_path / "out.npz", ns=(0, 0))
    assert why_stale(JOB, done, tmp_path) == ""


def test_digests_are_those_of_sha256sum(tmp_path):
    """Guards what others compare with; a file that is not there has none."""
    (tmp_path / "a").write_bytes(b"abc")
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digests_of(tmp_path, ["a", "b"]) == {"a": abc, "b": None}
    assert describe_output(tmp_path / "a")["sha256"] == abc
    assert digest_of(tmp_path / ("x" * 5000)) is None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda folder, record: (folder / "out.npz").unlink(), "'out.npz' is missing or changed"),
        (lambda folder, record: (folder / "out.npz").write_text("motioN"), "'out.npz' is missing or changed"),
        (lambda folder, record: (folder / "out.npz").write_text("more motion"), "'out.npz' is missing or changed"),
        (lambda folder, record: (folder / "in.sdf").write_text("other"), "'in.sdf' has changed"),
        (lambda folder, record: (folder / "in.sdf").unlink(), "'in.sdf' has changed"),
        (lambda folder, record: record.update(status="failed"), "failed before"),
        (lambda folder, record: record.update(fingerprint="0"), "made in another way"),
        (lambda folder, record: record.update(outputs={}), "its record cannot be read"),
        (lambda folder, record: record.update(outputs={"out.npz": [1]}), "its record cannot be read"),
        (lambda folder, record: record.update(inputs=None), "its record cannot be read"),
        (lambda folder, record: record.update(inputs={"a\0b": "0"}), "its record cannot be read"),
        (lambda folder, record: record.clear(), "its record cannot be read"),
    ],
)
def test_what_makes_a_job_stale(tmp_path, done, change, why):
    """Guards that each change is seen, and told."""
    change(tmp_path, done)
    assert why_stale(JOB, done, tmp_path) == why
    assert why_stale(JOB, None, tmp_path) == "not done yet"


def test_a_fingerprint_is_of_the_commands_and_the_version(monkeypatch):
    """Guards settings and versions: another of either is another result; another name is none."""
    renamed = Job("two", "in.sdf", {}, JOB.commands, ())
    assert renamed.fingerprint == JOB.fingerprint
    assert Job("one", "in.sdf", {}, (("simulate", "in.sdf", "--fps=2"),), ()).fingerprint != JOB.fingerprint
    before = JOB.fingerprint
    monkeypatch.setattr("limberjack.core.batch.job.VERSION", "99.0.0")
    assert JOB.fingerprint != before


@pytest.mark.parametrize(
    "text", ['{"name": "one", "sta', "", "[]", "null", '{"name": "two"}', "\x00", "[" * 100_000, '{"name": 1e999}']
)
def test_a_torn_record_is_none(tmp_path, text):
    """Guards records that were cut off, or are of something else."""
    record_path(tmp_path, "one").write_text(text)
    assert read_record(tmp_path, "one") is None


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
)
keys = ["status", "inputs", "outputs"]


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(keys), values, max_size=3))
def test_a_record_of_any_shape(tmp_path_factory, said):
    """Guards records that others wrote: a reason to do the job, never an exception."""
    record = {"status": "done", "fingerprint": JOB.fingerprint, "inputs": {}} | said
    assert why_stale(JOB, json.loads(json.dumps(record)), tmp_path_factory.getbasetemp())


def test_a_manifest_is_a_line_for_each_record_there_is(tmp_path, done):
    """Guards the order of the jobs, and jobs that have no record yet."""
    other = Job("zwei\n", "in.sdf", {}, (), ())
    write_record(tmp_path, done | {"name": "first"})
    jobs = [Job("first", "in.sdf", {}, (), ()), other, JOB]
    write_manifest(tmp_path / "m.jsonl", tmp_path, jobs)
    lines = (tmp_path / "m.jsonl").read_text().splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["first", "one"]


def test_a_record_that_cannot_be_written_leaves_the_old(tmp_path, done, monkeypatch):
    """Guards a full disk: the record that was there stays whole, and no part of a new one is left."""

    def refuse(*paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("limberjack.core.batch.records.os.replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        write_record(tmp_path, done | {"status": "failed"})
    assert read_record(tmp_path, "one") == done
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.sdf", "one.json", "out.npz"]
