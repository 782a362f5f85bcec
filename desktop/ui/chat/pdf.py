"""A conversation as a PDF: the page of the HTML export, laid out by Qt on the paper of the country.

Any thread: the document is made, laid out and written by the one that calls.
"""

from __future__ import annotations

import tempfile
from html import escape
from pathlib import Path

from PySide6.QtCore import QLocale, QMarginsF
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QPageLayout,
    QPageSize,
    QPdfWriter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)

from desktop.chat.export_import import ChatsForm, ConversationForm
from desktop.chat.formulas import Outline, Outlines
from desktop.chat.latex import MOST_FORMULAS, Formula, mark_of, unicode_of
from desktop.chat.page_export import formulas_of, page
from desktop.chat.reasons import ChatReason
from desktop.errors import UserFacing
from desktop.ui.chat.formula_view import OBJECT, FormulaObjects

# Qt lays a document out in the dots of the paper: it scales gaps, and letters that are given in points. But
# formulas are measured by the pixels of the letters around them, so letters have as many dots as they need.
DOTS_PER_INCH = 600
BODY, SMALL, LARGE = (round(points / 72 * DOTS_PER_INCH) for points in (10.5, 9, 15))
_INK = "#171717"
_STYLE = f"""
.who {{ margin-top: 18px; margin-bottom: 4px; font-weight: 600; }}
.when {{ color: #525252; font-size: {SMALL}px; font-weight: 400; }}
.notice {{ color: #525252; font-size: {SMALL}px; }}
.question {{ background-color: #f5f5f5; white-space: pre-wrap; }}
pre {{ background-color: #f5f5f5; white-space: pre-wrap; font-size: {SMALL}px; }}
code {{ font-size: {SMALL}px; }}
a {{ color: #2563eb; }}
h1 {{ font-size: {LARGE}px; }}
h2, h3, h4, h5, h6 {{ font-size: {round(1.15 * BODY)}px; }}
table {{ border-color: #8f8f8f; border-style: solid; border-collapse: collapse; }}
"""


def write_pdf(chats: ChatsForm, target: Path, outlines: Outlines | None, language: str) -> Path:
    """The first conversation into the file `target`. Blocks. Raises UserFacing."""
    conversation = chats.conversations[0]
    known = outlines.all_of(formulas_of(conversation)) if outlines is not None else {}
    try:
        # Beside the target and then in its place: a full disk leaves no half of a document under its name.
        with tempfile.TemporaryDirectory(prefix=".steward-", dir=target.parent) as folder:
            made = Path(folder) / target.name
            _print(document_of(conversation, known, language), conversation.title, made)
            if not made.exists() or not made.read_bytes().rstrip().endswith(b"%%EOF"):
                raise OSError("the document could not be written whole")
            made.chmod(0o600)  # as the other exports: a chat is for nobody else on this computer
            made.replace(target)
    except OSError as error:
        refused = ChatReason.EXPORT_REFUSED.of(target=target, error=error.strerror or str(error))
        raise UserFacing(refused) from error
    return target


def _print(document: QTextDocument, title: str, target: Path) -> None:
    writer = QPdfWriter(str(target))
    writer.setCreator("Steward")
    writer.setTitle(title)
    writer.setPageSize(QPageSize(_paper()))
    writer.setResolution(DOTS_PER_INCH)
    # Qt leaves two centimetres by itself, and numbers the pages there.
    writer.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Millimeter)
    document.print_(writer)


def _paper() -> QPageSize.PageSizeId:
    """A4, or Letter where the country measures in inches."""
    imperial = QLocale.system().measurementSystem() == QLocale.MeasurementSystem.ImperialUSSystem
    return QPageSize.PageSizeId.Letter if imperial else QPageSize.PageSizeId.A4


def document_of(
    conversation: ConversationForm, known: dict[Formula, Outline | None], language: str
) -> QTextDocument:
    """The page as Qt lays it out, with its formulas as objects."""
    drawn: list[Formula] = []

    def marked(formula: Formula, end: str) -> str:
        if known.get(formula) is None or len(drawn) >= MOST_FORMULAS:
            shown = escape(unicode_of(formula.source)).replace("\n", "<br>")
        else:
            drawn.append(formula)
            shown = mark_of(len(drawn) - 1)
        return f"<p align='center'>{shown}{end}</p>" if formula.display else shown + end

    document = QTextDocument()
    font = QFont(document.defaultFont())
    font.setPixelSize(BODY)
    document.setDefaultFont(font)
    document.setDefaultStyleSheet(_STYLE)
    html = page(conversation, marked, language)
    # Its own style is for browsers.
    document.setHtml(html[html.index("<body>") :])
    usual = QImage(1, 1, QImage.Format.Format_Mono).logicalDpiX()
    objects = FormulaObjects(document, lambda: QColor(_INK), DOTS_PER_INCH / usual)
    _put_formulas(document, objects, drawn, known)
    return document


def _put_formulas(
    document: QTextDocument,
    objects: FormulaObjects,
    drawn: list[Formula],
    known: dict[Formula, Outline | None],
) -> None:
    """Each in the place of its mark, from the end: places before it stay as they are."""
    text = document.toPlainText().encode("utf-16-le")  # Qt counts in its units of two bytes
    cursor = QTextCursor(document)
    for number in range(len(drawn) - 1, -1, -1):
        at = text.rfind(mark_of(number).encode("utf-16-le")) // 2
        outline = known[drawn[number]]
        if at < 0 or outline is None:
            continue
        cursor.setPosition(at)
        cursor.setPosition(at + 2, QTextCursor.MoveMode.KeepAnchor)
        words = QTextCharFormat(cursor.charFormat())
        font = QFont(words.font())
        font.setPixelSize(BODY)
        words.setFont(font)
        cursor.insertText(OBJECT, objects.format_of(drawn[number], outline, words))
