"""The check of words and translations finds what it is there for."""

from __future__ import annotations

from pathlib import Path

import pytest

from bootstrap.words import collect, file_of, read_translations, unwrapped, update, wrong_with

SOURCE = '''
from desktop.ui.language import tr_noop, plural, tr
TITLE = tr_noop("Log")
def show(label, name, count):
    """Not shown."""
    label.setText(tr("Delete {name}?", name=name))
    label.setToolTip(plural("{count} file", "{count:,} files", count))
    label.setObjectName("not_shown")
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("desktop/ui", "desktop/tools", "resources/translations"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "resources" / "catalogue.toml").write_text("", encoding="utf-8")
    (tmp_path / "resources" / "presets.toml").write_text('[[preset]]\nname = "Concise"\n', encoding="utf-8")
    (tmp_path / "desktop" / "ui" / "page.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def test_marked_and_declared_words_are_collected(root: Path) -> None:
    """Literals of the windows, words of the settings and names of presets; keys and defaults are none."""
    declared = root / "desktop" / "settings" / "declared.py"
    declared.parent.mkdir()
    declared.write_text(
        'class Theme(Worded):\n    DARK = "dark", "Dark"\n'
        "class Window(Section):\n"
        '    theme = setting("system", "Theme", "How it looks.", Display(unit="px", offers="themes"))\n',
        encoding="utf-8",
    )
    settings = {"Dark", "Theme", "How it looks.", "px"}
    assert set(collect(root)) == {"Log", "Delete {name}?", "{count:,} files", "Concise"} | settings


def test_an_update_keeps_what_is_translated(root: Path) -> None:
    """And says what is still to be done."""
    update(root)
    file = file_of(root, "de")
    done = file.read_text(encoding="utf-8").replace(
        '<source>Log</source>\n        <translation type="unfinished"></translation>',
        "<source>Log</source>\n        <translation>Protokoll</translation>",
    )
    file.write_text(done, encoding="utf-8")
    _count, missing = update(root)
    assert read_translations(file)["Log"] == ("Protokoll",)
    assert "Log" not in missing
    assert "Delete {name}?" in missing


def test_a_stale_file_is_found(root: Path) -> None:
    """A new word, a word that is gone, and one that nobody has translated."""
    update(root)
    page = root / "desktop" / "ui" / "page.py"
    page.write_text(SOURCE.replace("Log", "Journal"), encoding="utf-8")
    wrong = "\n".join(wrong_with(root))
    assert "lacks 'Journal'" in wrong
    assert "holds 'Log'" in wrong
    assert "no translation of 'Delete {name}?'" in wrong


def test_other_values_in_a_translation_are_found(root: Path) -> None:
    """They would fail only when the text is shown."""
    update(root)
    file = file_of(root, "de")
    text = file.read_text(encoding="utf-8")
    unfinished = '<source>Delete {name}?</source>\n        <translation type="unfinished">'
    assert unfinished in text
    file.write_text(
        text.replace(unfinished, "<source>Delete {name}?</source>\n        <translation>{file} löschen?"),
        encoding="utf-8",
    )
    assert any("names other values" in line for line in wrong_with(root))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('label.setText("Delete it")', True),
        ('label.setText(f"Delete {name}")', True),
        ('QPushButton("Close")', True),
        ('label.setText(name or "Nothing yet")', True),
        ('label.setText(tr("Delete it"))', False),
        ('button("", "an_object_name", tr("Close"))', False),
        ('label.setObjectName("Delete it")', False),
        ('label.setText("…")', False),
        ("label.setText(name)", False),
    ],
)
def test_a_word_that_is_shown_unmarked_is_found(root: Path, line: str, found: bool) -> None:
    """Where it is, and what it says."""
    (root / "desktop" / "ui" / "other.py").write_text(f"def f(label, name):\n    {line}\n", encoding="utf-8")
    wrong = list(unwrapped(root))
    assert bool(wrong) is found, wrong
    assert all("other.py:2" in each for each in wrong)
