"""The README's Python, as it stands."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_snippets_run(monkeypatch, capsys):
    """Guards the first lines of code that a reader copies: they run, one after the other, and print what they say."""
    monkeypatch.chdir(ROOT)
    snippets = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    assert len(snippets) == 2
    shared = {}
    for snippet in snippets:
        exec(compile(snippet, "README.md", "exec"), shared)
    told = capsys.readouterr().out
    assert "4  stick   reach   prismatic" in told
    assert told.splitlines()[-1] == str(shared["compiled"].nv)
