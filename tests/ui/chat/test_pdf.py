"""A conversation as a PDF that another program reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from PySide6.QtGui import QTextBlockFormat
from PySide6.QtWidgets import QApplication

from desktop.chat.export_import import ChatsForm
from desktop.chat.messages import Role
from desktop.chat.page_export import formulas_of
from desktop.errors import UserFacing
from desktop.settings import Theme as Mode
from desktop.ui.chat.formula_view import OBJECT
from desktop.ui.chat.pdf import document_of, write_pdf
from desktop.ui.theme import Theme
from tests.chat.test_page_export import Drawn, chat
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_window import add_conversation

TEXT = """\
# Head

So $x^2$ and \\[\\frac{a}{b}\\], then:

| Name | Height |
|------|--------|
| Ebb | 1 |

```python
print("tide")
```

- [x] done <script>
"""


def written(target: Path, text: str, outlines: Any = None) -> PdfReader:
    form = ChatsForm(conversations=(chat((Role.USER, "How high?"), (Role.ASSISTANT, text)),))
    write_pdf(form, target, outlines, "de")
    return PdfReader(target)


def test_all_of_a_chat_is_in_the_document(qapp: QApplication, tmp_path: Path) -> None:
    """Title, question, words, table, code, task, the formula as text; what would act is words."""
    reader = written(tmp_path / "chat.pdf", TEXT)
    text = " ".join(reader.pages[0].extract_text().split())
    wanted = ("Tides", "Sie", "How high?", "Head", "x²", "a/b,", "Ebb", 'print ( "tide" )', "done <script>")
    assert [words for words in wanted if words not in text] == []
    assert reader.metadata is not None
    assert reader.metadata.title == "Tides"


def test_nobody_else_can_read_it(qapp: QApplication, tmp_path: Path) -> None:
    """A chat is private in whatever form it is exported."""
    target = tmp_path / "chat.pdf"
    written(target, TEXT)
    assert target.stat().st_mode & 0o077 == 0


def test_formulas_are_drawn_on_the_page(qapp: QApplication, tmp_path: Path) -> None:
    """As shapes, no longer as letters."""
    as_text = written(tmp_path / "text.pdf", TEXT).pages[0].extract_text()
    drawn = written(tmp_path / "drawn.pdf", TEXT, Drawn()).pages[0].extract_text()
    assert "x²" in as_text
    assert "x²" not in drawn


def test_each_formula_stands_in_its_place(qapp: QApplication) -> None:
    """Also behind letters that take two places, and where one occurs twice."""
    form = chat((Role.ASSISTANT, "𝒜 $a_1$ and $b_2$ and $a_1$, $bad_1$"))
    outlines: Any = Drawn()
    known = outlines.all_of(formulas_of(form))
    text = document_of(form, known, "en").toRawText()
    assert f"𝒜 {OBJECT} and {OBJECT} and {OBJECT}, bad₁" in text


def test_a_long_chat_has_several_pages(qapp: QApplication, tmp_path: Path) -> None:
    """Numbered by Qt; nothing is cut off at the end of the first."""
    reader = written(tmp_path / "chat.pdf", "\n\n".join(f"Paragraph {number}" for number in range(200)))
    assert len(reader.pages) > 3
    assert "Paragraph 199" in reader.pages[-1].extract_text().replace("\t", " ")


def test_what_was_there_stays_when_nothing_can_be_written(qapp: QApplication, tmp_path: Path) -> None:
    """And the reason is told with the name."""
    with pytest.raises(UserFacing, match=r"chat\.pdf"):
        written(tmp_path / "no folder" / "chat.pdf", "x")
    (tmp_path / "folder.pdf").mkdir()
    (tmp_path / "folder.pdf" / "kept").write_text("x")
    with pytest.raises(UserFacing):
        written(tmp_path / "folder.pdf", "x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.pdf"]


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("c.pdf", b"%PDF"),
        ("c.html", b"<!DOCTYPE html>"),
        ("c.md", b"# New chat"),
        ("c", b"# New chat"),
        ("c.json", b"{"),
    ],
)
def test_the_window_writes_what_the_ending_says(desk: Desk, tmp_path: Path, name: str, begins: bytes) -> None:
    """Markdown where the dialog of the system gave none; the toast tells where it is."""
    number = add_conversation(desk, "T", "An answer with $x^2$.")
    exporting = desk.window.exporting
    exporting.start(number)
    desk.qtbot.waitUntil(lambda: exporting.dialog is not None)
    assert exporting.dialog is not None
    exporting.dialog.fileSelected.emit(str(tmp_path / name))
    exporting.dialog.close()
    written = tmp_path / ("c.md" if name == "c" else name)
    desk.qtbot.waitUntil(desk.window.toast.isVisible)
    assert written.read_bytes().startswith(begins)


def test_paper_is_white_whatever_the_windows_are(qapp: QApplication, theme: Theme) -> None:
    """A link has the colour that is read on it, and a task a box in place of a dot and a box."""
    theme.set_mode(Mode.DARK)
    form = chat((Role.ASSISTANT, "- [x] see [the tables](https://example.org)\n- [ ] not"))
    document = document_of(form, {}, "en")
    block = document.begin()
    markers, links = [], set[str]()
    while block.isValid():
        markers.append(block.blockFormat().marker())
        links |= {
            piece.format.foreground().color().name()
            for piece in block.textFormats()
            if piece.format.isAnchor()
        }
        block = block.next()
    kind = QTextBlockFormat.MarkerType
    assert [each for each in markers if each != kind.NoMarker] == [kind.Checked, kind.Unchecked]
    assert links == {"#2563eb"}
