"""How words, numbers and errors come into another language."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from desktop.engine.reasons import EngineReason
from desktop.errors import UserFacing
from desktop.ui.language import (
    TranslationCatalogue,
    chosen_language,
    date_words,
    day_words,
    distance_words,
    error_parts,
    number_words,
    plural,
    share_words,
    size_text,
    tr,
)

ROOT = Path(__file__).resolve().parents[2]
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_english_stands_as_it_is_written(qapp: QApplication) -> None:
    """Without a translation the literal is the text, with its values."""
    assert tr("Delete {name}?", name="a {b}") == "Delete a {b}?"
    assert tr("braces {stay} without values") == "braces {stay} without values"
    assert plural("{count} file", "{count:,} files", 1) == "1 file"
    assert plural("{count} file", "{count} files", 1234) == "1,234 files"
    assert tr("{count} of {all:,} at {port:d}", count=4096, all=8192, port=47615) == "4,096 of 8,192 at 47615"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: tr("Delete {name}?", name="notes.txt"), "notes.txt löschen?"),
        (lambda: plural("{count} file", "{count:,} files", 1), "1 Datei"),
        (lambda: plural("{count} file", "{count:,} files", 1234), "1.234 Dateien"),
        (lambda: tr("{speed:.1f} tok/s", speed=11.25), "11,2 Token/s"),
        (lambda: number_words(1234567.5, 1), "1.234.567,5"),
        (lambda: share_words(0.43), "43\N{NO-BREAK SPACE}%"),
        (lambda: size_text(1_100_000_000), "1,1 GB"),
        (lambda: size_text(12), "12 Byte"),
        (lambda: day_words(date(2026, 11, 22)), "22. November"),
        (lambda: date_words(date(2026, 11, 22)), "22.11.2026"),
        (lambda: distance_words(NOON + timedelta(days=3), NOON), "in 3 Tagen"),
        (lambda: distance_words(NOON + timedelta(hours=3, minutes=10), NOON), "in 3 Std. 10 Min."),
        (lambda: distance_words(NOON - timedelta(minutes=1), NOON), "vor 1 Minute"),
    ],
)
def test_german(german: None, made: object, expected: str) -> None:
    """Words, plurals, numbers, sizes and dates."""
    assert made() == expected  # type: ignore[operator]


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        (timedelta(seconds=20), "in less than a minute"),
        (timedelta(seconds=-20), "just now"),
        (timedelta(minutes=1), "in 1 minute"),
        (timedelta(minutes=59), "in 59 minutes"),
        (timedelta(hours=1), "in 1 hour"),
        (timedelta(hours=3, minutes=10), "in 3 h 10 min"),
        (timedelta(hours=23, minutes=59), "in 23 h 59 min"),
        (timedelta(hours=-5, minutes=-20), "5 hours ago"),
        (timedelta(days=1), "in 1 day"),
        (timedelta(days=-7), "7 days ago"),
    ],
)
def test_how_far_a_moment_is(qapp: QApplication, ahead: timedelta, words: str) -> None:
    """Ahead and gone, each in the unit that people would use."""
    assert distance_words(NOON + ahead, NOON) == words


def test_an_error_keeps_its_code(german: None) -> None:
    """Only what people read changes."""
    error = UserFacing(EngineReason.NO_MODEL.of())
    assert error_parts(error)[0] == "Es ist kein Modell gewählt."
    assert error.code == "no-model"


@pytest.mark.parametrize(
    ("locale", "setting", "side"),
    [
        ("he_IL.UTF-8", "system", "RightToLeft"),
        ("ar_EG.UTF-8", "system", "RightToLeft"),
        ("he_IL.UTF-8", "en", "LeftToRight"),
        ("de_DE.UTF-8", "system", "LeftToRight"),
    ],
)
def test_windows_begin_where_those_of_the_system_do(locale: str, setting: str, side: str) -> None:
    """On a Hebrew or Arabic desktop at the right, unless a language is set that begins at the left."""
    made = (
        "from PySide6.QtWidgets import QApplication; from desktop.ui.language import speak;"
        f"app = QApplication([]); speak(app, {setting!r}); print(app.layoutDirection().name)"
    )
    spoken = {"LANG": locale, "LC_ALL": "", "LANGUAGE": "", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", made],
        cwd=ROOT,
        env=os.environ | spoken,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == side


@pytest.mark.parametrize("setting", ["de", "en"])
def test_a_chosen_language_is_used(setting: str) -> None:
    """Whatever the system speaks."""
    assert chosen_language(setting) == setting


def test_a_language_that_is_not_there_is_english() -> None:
    """What is set is `system`, and the system speaks one of ours or none."""
    assert chosen_language("system") in ("en", "de")


def test_reading_the_file_leaves_out_what_is_not_done(tmp_path: Path) -> None:
    """English stands where a translator has not been yet."""
    file = tmp_path / "steward_xx.ts"
    file.write_text(
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE TS><TS version="2.1"><context><name>Steward</name>'
        "<message><source>Yes</source><translation>Ja</translation></message>"
        '<message><source>No</source><translation type="unfinished"></translation></message>'
        "</context></TS>",
        encoding="utf-8",
    )
    catalogue = TranslationCatalogue.read(file)
    assert (catalogue.word("Yes"), catalogue.word("No")) == ("Ja", None)


def test_windows_show_no_error_as_the_rooms_below_say_it() -> None:
    """`str(error)` is English: what a window shows goes through `error_words` first."""
    shown = re.compile(r"(?:offer|show_text|setText)\(str\(error\)")
    files = [
        path for path in (ROOT / "desktop" / "ui").rglob("*.py") if shown.search(path.read_text("utf-8"))
    ]
    assert files == []


def test_dots_stay_behind_their_word_in_a_mirrored_window(qapp: QApplication) -> None:
    """What is drawn from the right would begin with them; a mark that nobody sees holds them."""
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        assert tr("Export...") == "Export...\N{LEFT-TO-RIGHT MARK}"
        assert tr("Export") == "Export"
    finally:
        qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    assert tr("Export...") == "Export..."
