"""How words, numbers and finished sentences come into another language."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from desktop.engine.reasons import EngineReason
from desktop.errors import UserFacing
from desktop.ui.language import (
    date_words,
    day_words,
    error_parts,
    number_words,
    plural,
    size_text,
    told,
    tr,
)
from desktop.ui.translations import Catalogue, chosen_language, pattern_of, translation_file

ROOT = Path(__file__).resolve().parents[2]
GERMAN = Catalogue.read(translation_file("de"))


def test_english_stands_as_it_is_written(qapp: QApplication) -> None:
    """Without a translation the literal is the text, with its values."""
    assert tr("Delete {name}?", name="a {b}") == "Delete a {b}?"
    assert tr("braces {stay} without values") == "braces {stay} without values"
    assert plural("{count} file", "{count:,} files", 1) == "1 file"
    assert plural("{count} file", "{count:,} files", 1234) == "1,234 files"
    assert told("notes.txt exists already.") == "notes.txt exists already."


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: tr("Delete {name}?", name="notes.txt"), "notes.txt löschen?"),
        (lambda: plural("{count} file", "{count:,} files", 1), "1 Datei"),
        (lambda: plural("{count} file", "{count:,} files", 1234), "1.234 Dateien"),
        (lambda: tr("{speed:.1f} tok/s", speed=11.25), "11,2 Token/s"),
        (lambda: number_words(1234567.5, 1), "1.234.567,5"),
        (lambda: size_text(1_100_000_000), "1,1 GB"),
        (lambda: size_text(12), "12 Byte"),
        (lambda: day_words(date(2026, 11, 22)), "22. November"),
        (lambda: date_words(date(2026, 11, 22)), "22.11.2026"),
        (lambda: told("notes.txt exists already."), "notes.txt gibt es schon."),
        (lambda: told("Nobody has ever said this."), "Nobody has ever said this."),
        (
            lambda: told("Fetches it. Uses the network: a.example, b.example."),
            "Fetches it. Benutzt das Netz: a.example, b.example.",
        ),
        (
            lambda: told("Makes a new file. Can be undone. May use the network."),
            "Legt eine neue Datei an. Lässt sich rückgängig machen. Benutzt vielleicht das Netz.",
        ),
    ],
)
def test_german(german: None, made: object, expected: str) -> None:
    """Words, plurals, numbers, sizes, dates, and sentences from below the windows."""
    assert made() == expected  # type: ignore[operator]


def test_an_error_keeps_its_code(german: None) -> None:
    """Only what people read changes."""
    error = UserFacing(EngineReason.NO_MODEL.of())
    assert error_parts(error)[0] == "Es ist kein Modell gewählt."
    assert error.code == "no-model"


@pytest.mark.parametrize("setting", ["de", "en"])
def test_a_chosen_language_is_used(setting: str) -> None:
    """Whatever the system speaks."""
    assert chosen_language(setting) == setting


def test_a_language_that_is_not_there_is_english() -> None:
    """What is set is `system`, and the system speaks one of ours or none."""
    assert chosen_language("system") in ("en", "de")


FILLED = [template for template in GERMAN.templates if template.weight > 12]


@given(st.sampled_from(FILLED), st.data())
def test_every_template_is_found_again(template: object, data: st.DataObject) -> None:
    """A sentence that was made of a template by any names is translated with the same names."""
    source, translation = template.source, template.translation  # type: ignore[attr-defined]
    names = sorted(set(re.findall(r"\{(\w+)", source)))
    values = {name: data.draw(st.from_regex(r"[A-Z]{4,9}", fullmatch=True), label=name) for name in names}
    said = re.sub(r"\{(\w+)[^{}]*\}", lambda hole: values[hole[1]], source)
    assert pattern_of(source).fullmatch(said)
    found = GERMAN.sentence(said)
    assert found is not None
    if len(set(values.values())) == len(values):
        assert all(value in found for name, value in values.items() if "{" + name in translation)


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
    catalogue = Catalogue.read(file)
    assert (catalogue.word("Yes"), catalogue.word("No")) == ("Ja", None)


@pytest.mark.timeout(20)
def test_looking_a_sentence_up_does_not_hang() -> None:
    """A long text from a file is no puzzle for the templates."""
    assert GERMAN.sentence("is not there " * 3000) is None


def test_windows_show_no_error_as_the_rooms_below_say_it() -> None:
    """`str(error)` is English: what a window shows goes through `error_words` first."""
    shown = re.compile(r"(?:offer|show_text|setText)\((?:told\()?str\(error\)")
    files = [
        path for path in (ROOT / "desktop" / "ui").rglob("*.py") if shown.search(path.read_text("utf-8"))
    ]
    assert files == []
