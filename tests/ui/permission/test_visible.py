"""Nothing hides in what the user is asked to allow."""

from __future__ import annotations

import ast
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from desktop.ui.permission.visible import (
    LONGEST_SPACES,
    PLACE,
    PartKind,
    breakable,
    parts,
    pieces,
    plain_tip,
    visible,
)

ROOT = Path(__file__).resolve().parents[3]
# Words of settings, of dates, of the tray (which Qt hands to the desktop), and keys beside ours.
OURS = frozenset(
    {
        "presets.py: preset.instructions if preset is not None else ''",  # in a menu that shows no tooltips
        "sidebar.py: with_keys(tr('New chat'), 'new_chat')",
        "status_line.py: part.toolTip()",
        "log.py: words",
        "settings_editors.py: self.field.limits()",
        "settings_editors.py: field.title",
        "settings_form.py: field.default_in_words()",
        "settings_form.py: f'{words} {kept}'",
        "tray.py: self.tooltip",
    }
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ls -l /tmp", "ls -l /tmp"),
        ("größe €20 日本語", "größe €20 日本語"),
        ("a\x1b[2Kb", "a\\x1b[2Kb"),
        ("a\rb\0c\x7f\x9b", "a\\rb\\0c\\x7f\\x9b"),
        ("x\u202egpj.exe", "x\\u202egpj.exe"),
        ("a\u2066b\u2069", "a\\u2066b\\u2069"),
        ("a\u200bb\u200db\u2060\ufeff", "a\\u200bb\\u200db\\u2060\\ufeff"),
        ("a\u00adb\u00a0c\u3000d", "a\\xadb\\xa0c\\u3000d"),
        ("a\u3164b\u2800c\u034f\ufe0f", "a\\u3164b\\u2800c\\u034f\\ufe0f"),
        ("a\U000e0041\U000e0100", "a\\U000e0041\\U000e0100"),
        ("a\u2028b\ue000c\ud800", "a\\u2028b\\ue000c\\ud800"),
        ("a  b", "a··b"),
        (" a b ", "·a b·"),
        ("a\tb", "a→b"),
        ("a \nb", "a·↵\nb"),
        ("a\n\nb", "a↵\n↵\nb"),
        ("a" + " " * 1200 + "b", "a‹1,200 spaces›b"),
        ("a" + "\t " * 20 + "b", "a‹40 spaces and tabs›b"),
        ("a" + "\n" * 500 + "b", "a‹500 line breaks›\nb"),
        ("", ""),
        (" ", "·"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    """Controls, bidi, zero width, blanks, runs of spaces and ends of lines; all else stays as it is."""
    assert visible(text) == shown


@given(st.text())
def test_no_unseen_character_is_left(text: str) -> None:
    """Whatever the text, every character that is shown draws something or is a plain space or line end."""
    for letter in visible(text):
        assert letter in " \n" or unicodedata.category(letter) not in {
            "Cc",
            "Cf",
            "Cs",
            "Co",
            "Cn",
            "Zl",
            "Zp",
            "Zs",
        }
    assert "  " not in visible(text)


@given(st.text(max_size=LONGEST_SPACES), st.text(max_size=LONGEST_SPACES))
def test_two_texts_look_alike_only_if_they_are(first: str, second: str) -> None:
    """The parts tell our own writing from the text's, so an imitated escape is another sequence of parts."""
    if first != second:
        assert parts(first) != parts(second)


@pytest.mark.parametrize(("real", "imitated"), [("\u202e", "\\u202e"), ("a  b", "a··b"), ("a\tb", "a→b")])
def test_an_imitated_mark_is_told_from_a_real_one(real: str, imitated: str) -> None:
    """The same letters, but the text's own ones are plain text and ours are marked."""
    assert visible(real) == visible(imitated)
    assert {part.kind for part in parts(imitated)} == {PartKind.TEXT}
    assert {part.kind for part in parts(real)} & {PartKind.ESCAPE, PartKind.SPACE}


@given(st.text(), st.lists(st.integers(0, 60)))
def test_cut_pieces_are_the_same_text(text: str, cuts: list[int]) -> None:
    """Wherever it is cut, the pieces cover every character once, in order, and read the same."""
    found = list(pieces(text, cuts))
    assert "".join(piece.part.text for piece in found) == visible(text)
    assert [piece.start for piece in found] == [0, *(piece.end for piece in found[:-1])][: len(found)]
    assert (found[-1].end if found else 0) == len(text)


def test_what_is_passed_over_as_a_whole_comes_out_the_same() -> None:
    """No letter among plain words hides there, or stands in another order, because nobody looked at it."""
    for code in range(0x20, 0x2100):
        text = f"a{chr(code)} {chr(code)}b"
        looked_at = [placed.part for placed in pieces(text)]
        assert visible(text) == "".join(part.text for part in looked_at)
        assert {part.kind for part in parts(text)} == {part.kind for part in looked_at}


@given(st.text(st.sampled_from("ab \u202e\u200b\x1b\t")), st.integers(0, 40), st.integers(0, 40))
def test_a_stretch_is_found_again_after_escaping(text: str, one: int, other: int) -> None:
    """The pieces between two places are what those characters are shown as, however much longer."""
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    found = list(pieces(text, (start, end)))
    inside = [piece for piece in found if piece.start < end and start < piece.end]
    counted = [piece for piece in inside if "‹" in piece.part.text]
    if not counted:
        assert (start, end) == (start, start) or (inside[0].start, inside[-1].end) == (start, end)


def test_right_to_left_words_are_kept_apart() -> None:
    """Hebrew stays readable, with its points, and is marked so that its neighbours keep their order."""
    assert [(part.text, part.kind) for part in parts("cp שָׁלוֹם/12 x")] == [
        ("cp ", PartKind.TEXT),
        ("שָׁלוֹם", PartKind.RIGHT_TO_LEFT),
        ("/12 x", PartKind.TEXT),
    ]


@given(st.text(st.characters(codec="utf-8", exclude_characters="\u200b↵")))
@example("Delete שלום/123/אבג?")
def test_places_to_break_change_nothing_else(text: str) -> None:
    """Without what takes no room (places to break, marks around Hebrew words) the text of a label is the
    visible text, in one line."""
    shown = breakable(text)
    for mark in "\u200b\u2068\u2069":
        shown = shown.replace(mark, "")
    assert shown.replace("\n", " ") == visible(text).replace("\n", " ")


def test_what_is_written_out_already_is_not_written_out_again() -> None:
    """The end of a line, which is marked once; with `lines` the line ends there."""
    assert breakable(visible("a\nb")) == breakable("a\nb") == "a↵ b"
    assert breakable("a\nb", lines=True) == "a↵\nb"


def test_hebrew_words_do_not_turn_their_neighbours_around_in_a_label() -> None:
    """Each part of a path keeps its place, a sentence its order; what begins with Hebrew is left to it."""
    path = breakable("Delete שלום/1/אבג?").replace("\u200b", "")
    assert path == "Delete \u2068שלום\u2069/1/\u2068אבג\u2069?"
    assert breakable("buy שני לחם now") == "buy \u2068שני לחם\u2069 now"
    assert breakable("לקנות לחם, 2") == "לקנות לחם, 2"


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf x # <b>reads</b>",
        "<img src='x'> & co",
        "a &lt;b&gt;",
        "a\n<b>b</b>",
        "plain & simple",
        "1 < 2",
    ],
)
def test_a_tooltip_shows_the_marks_that_are_in_a_text(qapp: QApplication, text: str) -> None:
    """Whatever Qt would take for mark-up of its own."""
    read = QTextDocument()
    shown = plain_tip(text)
    read.setHtml(shown) if shown.startswith("<qt>") else read.setPlainText(shown)
    assert read.toPlainText() == text
    assert shown.startswith("<qt>") or "<" not in shown


def test_no_tooltip_takes_what_others_wrote_as_it_is() -> None:
    """Each in the windows is ours, made of `tr` alone, or went through `plain_tip`."""
    raw = [
        f"{file.name}: {ast.unparse(call.args[0])}"
        for file in sorted((ROOT / "desktop" / "ui").rglob("*.py"))
        if "setToolTip" in (text := file.read_text(encoding="utf-8"))
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if call.func.attr == "setToolTip"
        if not ast.unparse(call.args[0]).startswith(("tr(", "plain_tip("))
    ]
    assert [each for each in raw if each not in OURS] == []


@pytest.mark.parametrize("sentence", ["„Paketverzeichnisse“.", "(Tastatureinstellungen)", "unausgesprochen,"])
def test_a_word_is_not_broken_in_its_middle(sentence: str) -> None:
    """A language may have long ones, and half of one is read as another word."""
    assert PLACE not in breakable(sentence)


@pytest.mark.parametrize("path", ["/tmp/ada/work", "--force-with-lease", "./build", "/"])
def test_the_root_does_not_stand_alone(path: str) -> None:
    """A line that ends with / would be read as the whole file system."""
    assert breakable(path).split(PLACE)[0] not in ("/", "--", "./") or path == "/"


def test_a_long_name_can_be_broken() -> None:
    """No stretch without a place to break is longer than a label of the narrowest window holds."""
    words = breakable("Overwrite " + "x" * 200 + "/" + "y" * 50 + ".txt?").replace(" ", "\u200b")
    assert max(map(len, words.split("\u200b"))) <= 16
