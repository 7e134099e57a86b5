# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide to batches, held against what it speaks of."""

import json
import re
from pathlib import Path

import pytest

from limberjack.core.batch.jobs_file import KNOWN
from limberjack.core.batch.options import VERBS
from limberjack.core.cli import DONE, main
from limberjack.core.formats import read, write

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "batches.md").read_text(encoding="utf-8")


@pytest.fixture
def jobs(tmp_path):
    """The page's own JOBS.toml, beside files that it names."""
    (found,) = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
    crane = ROOT / "sample_scenes" / "crane.sdf"
    (tmp_path / "crane.sdf").write_bytes(crane.read_bytes())
    (tmp_path / "arms").mkdir()
    write(read(crane).model, tmp_path / "arms" / "one.urdf")
    path = tmp_path / "JOBS.toml"
    path.write_text(found, encoding="utf-8")
    return path


def test_its_example_is_a_batch(jobs, capsys):
    """Guards what a reader copies first: it is valid, and has 2 files x 3 x 2 x 20 jobs."""
    assert main(["batch", str(jobs), "--dry-run", "--json"]) == DONE
    assert len(json.loads(capsys.readouterr().out)["jobs"]) == 240


def test_its_table_has_every_key():
    """Guards the table of keys against the reader's."""
    (table,) = re.findall(r"\| key \| \|\n(.*?)\n\n", PAGE, re.S)
    named = re.findall(r"`\[?(\w+)\]?`", "\n".join(row.split("|")[1] for row in table.splitlines()))
    assert set(named) == {*KNOWN, *VERBS}


def test_its_table_of_records_is_what_they_hold(jobs):
    """Guards the manifest's names: those of a real record, which may have more."""
    jobs.write_text(
        'files = ["crane.sdf"]\noutputs = "{name}.npz"\n[simulate]\nduration = 0.1\naccuracy = "draft"\n', "utf-8"
    )
    assert main(["batch", str(jobs), "--workers", "1"]) == DONE
    (line,) = (jobs.parent / "JOBS.manifest.jsonl").read_text(encoding="utf-8").splitlines()
    (table,) = re.findall(r"\| in a record \| \|\n(.*?)\n\n", PAGE, re.S)
    named = re.findall(r"`(\w+)`", "\n".join(row.split("|")[1] for row in table.splitlines()))
    assert set(named) <= json.loads(line).keys()
    assert json.loads(line)["status"] == "done"
