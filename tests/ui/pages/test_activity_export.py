"""The verdicts in files, without secrets."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QWidget

from desktop.ui.pages.activity import ActivityPage
from tests.ui.pages.activity_samples import (
    ASKED,
    FIRST,
    READ,
    hooks_fixture,
    open_page_fixture,
    tell,
    words,
)
from tests.ui.pages.conftest import World

hooks, open_page = hooks_fixture, open_page_fixture


def test_what_is_chosen_is_exported_without_secrets(
    world: World, open_page: Callable[..., ActivityPage], tmp_path: Path
) -> None:
    """JSON lines and CSV, the oldest first; a cell that would be a formula is quoted."""
    token = "ghp_" + "a1B2" * 9
    page = open_page(
        replace(FIRST, text=f"curl -H 'Authorization: Bearer {token}' x"),
        replace(READ, id=2, text="=HYPERLINK(1)"),
    )
    tell(world, page, ASKED)
    for name in ("out.jsonl", "out.csv"):
        page.export(tmp_path / name)
        world.until(lambda name=name: (tmp_path / name).exists())  # type: ignore[misc]
    world.until(lambda: "2 lines were written" in words(page, "activity_result"))
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["class"] for line in lines] == ["DELETE", "READ"]
    assert lines[0]["flags"] == ["OUTSIDE"]
    assert token not in (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[1]["command"] == "'=HYPERLINK(1)"
    assert rows[0]["answer"] == "deny"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_an_export_that_fails_says_so(
    world: World, open_page: Callable[..., ActivityPage], tmp_path: Path
) -> None:
    """Cause, what was not lost, and what to do."""
    page = open_page(FIRST)
    page.export(tmp_path / "no such folder" / "out.csv")
    world.until(lambda: page.findChild(QWidget, "error_card") is not None)
    assert "could not be written" in words(page, "error_cause")


def test_the_file_is_chosen_in_the_systems_dialog(
    world: World, open_page: Callable[..., ActivityPage], tmp_path: Path
) -> None:
    """Not modal to the program; the chosen file is written."""
    page = open_page(FIRST)
    page.export_button.click()
    assert page.dialog is not None
    page.dialog.fileSelected.emit(str(tmp_path / "out.csv"))
    page.dialog.close()
    world.until((tmp_path / "out.csv").exists)
