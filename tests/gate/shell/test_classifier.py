"""`steward classify`: its output, and that it imports nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.gate.shell.classify import main

HEAVY = (
    "PySide6",
    "llama_cpp",
    "numpy",
    "httpx",
    "pydantic",
    "pydantic_settings",
    "typer",
    "structlog",
    "rich",
)


def test_it_imports_nothing_heavy() -> None:
    """A verdict must come within a tenth of a second, so the verb leaves the program's libraries alone."""
    code = (
        "import sys; sys.argv = ['steward', 'classify', 'find . -name x | xargs rm']\n"
        "from desktop.__main__ import main\n"
        f"main(); print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert done.stdout.startswith("DELETE: ask")


def test_a_verdict_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """A person reads the class, the reason and the deciding part."""
    assert main(["ls && sudo rm -r build", "--no-model"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("DELETE PRIVILEGED: ask\n")
    assert "because of: rm" in printed


def test_one_command_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The wire form has plain values."""
    main(["cat notes.txt", "--json"])
    row = json.loads(capsys.readouterr().out)
    assert row["class"] == "READ"
    assert row["gate"] == "allow"
    assert row["flags"] == []
    assert row.keys() == {
        *("command", "class", "flags", "gate", "reason", "code", "span", "tier", "ms"),
        *("is_static", "touched", "unknown_program", "network", "hosts"),
    }


def test_a_batch_is_answered_line_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every line of the file gets one line of answer; folder and shell may stand in the line."""
    rows = [
        {"command": "ls"},
        {"command": "touch /srv/x", "cwd": "/home/me/project"},
        {"command": "Remove-Item x", "shell": "powershell"},
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    assert main(["--batch", str(file), "--json", "--no-model"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["class"] for answer in answers] == ["READ", "CREATE", "DELETE"]
    assert answers[1]["flags"] == ["OUTSIDE"]


@pytest.mark.parametrize("text", ["nonsense", "[]", '{"cmd": "ls"}'])
def test_a_batch_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """The line is named, and the exit code says that something failed."""
    file = tmp_path / "rows.jsonl"
    file.write_text(text, encoding="utf-8")
    assert main(["--batch", str(file)]) == 1
    assert "rows.jsonl:1" in capsys.readouterr().err


def test_a_bug_is_loud_and_allows_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command that breaks the classifier neither passes nor ends the batch."""

    def broken(*_words: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("desktop.gate.shell.classifier.Classifier.classify", broken)
    assert main(["ls", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["gate"] == "ask"
    assert "RuntimeError: a bug" in printed.err


def test_a_missing_batch_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """No file, no verdicts, and the reason on stderr."""
    assert main(["--batch", "/nowhere/at/all.jsonl"]) == 1
    assert "Nothing was classified" in capsys.readouterr().err
