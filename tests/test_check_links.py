"""The finder of dead links finds them, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("markdown_it", reason="comes with rich")

from tests.check_links import anchors, dead_links, documents, main


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text("# Guide\n\n## What it needs\n", encoding="utf-8")
    (tmp_path / "picture one.png").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[a](docs/guide.md)", ""),
        ("[a](docs/guide.md#what-it-needs)", ""),
        ("[a](docs/guide.md#what-it-costs)", "no such heading"),
        ("[a](docs/gide.md)", "no such file"),
        ("[a][1]\n\n[1]: docs/gide.md", "no such file"),
        ("![a](picture%20one.png)", ""),
        ("![a](picture.png)", "no such file"),
        ("# Here I am\n\n[a](#here-i-am)", ""),
        ("[a](#nowhere)", "no such heading"),
        ("| a |\n|---|\n| [a](gone.md) |", "no such file"),
        ("[a](https://example.org/gone)", ""),
        ("`[a](gone.md)`", ""),
        ("```\n[a](gone.md)\n```", ""),
    ],
)
def test_links(root: Path, text: str, reason: str) -> None:
    """Files and headings are looked up; code and the network are left alone."""
    (root / "README.md").write_text(text, encoding="utf-8")
    assert [link.reason for link in dead_links(root / "README.md")] == ([reason] if reason else [])


def test_equal_headings_are_numbered() -> None:
    """A second heading of the same words is reached with -1, as where the documents are shown."""
    assert anchors("# One two\n\n# One `two`\n\n# Größe & Maß\n") == {"one-two", "one-two-1", "größe--maß"}


def test_every_document_is_read_and_the_line_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """README, CHANGELOG and docs/ are read, and each dead link is reported with its document and line."""
    (root / "CHANGELOG.md").write_text("# Changes\n\nsee [b](gone.md)\n", encoding="utf-8")
    assert [path.name for path in documents(root)] == ["CHANGELOG.md", "guide.md"]
    assert main(root) == 1
    assert capsys.readouterr().out == f"{root / 'CHANGELOG.md'}:3: gone.md: no such file\n"
