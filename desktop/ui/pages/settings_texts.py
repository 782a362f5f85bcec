"""Editors of settings that are text: a line, words, a folder, several lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPlainTextEdit, QWidget

from desktop.ui.labels import button
from desktop.ui.language import tr
from desktop.ui.pages.rows import small
from desktop.ui.pages.settings_editor import Offers, SettingEditor
from desktop.ui.pages.settings_known import Kind, Known
from desktop.ui.theme import SMALL_PX, Theme

LEAST_WIDTH_PX, LONG_HEIGHT_PX = 140, 88


class TextEditor(SettingEditor):
    """One line: a text, or words between commas."""

    def __init__(self, theme: Theme, known: Known, offers: Offers = tuple) -> None:
        super().__init__(theme, known)
        self._shown = ""
        self.line = QLineEdit()
        self.line.setObjectName(self.name)
        self.line.setPlaceholderText(known.manner.empty)
        self.line.editingFinished.connect(self.commit)
        names = ", ".join(value for _, value in offers())
        self._names = tr("Between commas: {names}.", names=names) if names else ""
        self.take(self.line)
        self.line.setToolTip(self._names)
        self.line.setAccessibleDescription(" ".join(filter(None, (known.about(), self._names))))
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def control(self) -> QWidget:
        return self.line

    @property
    def is_edited(self) -> bool:
        return self.line.text().strip() != self._shown.strip()

    def show_value(self, value: Any) -> None:
        self._shown = ", ".join(value) if self.known.kind is Kind.WORDS else str(value)
        self.line.setText(self._shown)
        self.line.setCursorPosition(0)

    def commit(self) -> None:
        text = self.line.text().strip()
        if self.is_edited:
            self._shown = text
            self.wanted.emit(_words(text) if self.known.kind is Kind.WORDS else text)

    def _restyle(self) -> None:
        self.line.setFont(self.theme.font(SMALL_PX))
        self.line.setMinimumWidth(self.theme.px(LEAST_WIDTH_PX))


class FolderEditor(TextEditor):
    """A line, and a button that lets a folder be looked for."""

    def __init__(self, theme: Theme, known: Known) -> None:
        super().__init__(theme, known)
        self.choose = button(
            tr("Choose…"), f"{self.name}_choose", described=tr("Choose a folder: {title}", title=known.title)
        )
        small(self.choose)
        self.choose.clicked.connect(lambda _checked: self._open())
        self.column.addWidget(self.choose)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        return (self.line, self.choose)

    def _open(self) -> None:
        dialog = QFileDialog(self, self.known.title, self.line.text())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.choose_folder)
        dialog.open()

    def choose_folder(self, folder: str) -> None:
        """What the dialog brings."""
        self.line.setText(folder)
        self.commit()


class LongEditor(SettingEditor):
    """Several lines; saved when the focus goes elsewhere."""

    def __init__(self, theme: Theme, known: Known) -> None:
        super().__init__(theme, known)
        self._shown = ""
        self.text = _LongText(self.commit)
        self.text.setObjectName(self.name)
        self.text.setPlaceholderText(known.manner.empty)
        self.take(self.text)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def control(self) -> QWidget:
        return self.text

    @property
    def is_edited(self) -> bool:
        return self.text.toPlainText().strip() != self._shown.strip()

    def show_value(self, value: Any) -> None:
        self._shown = str(value)
        if self.text.toPlainText() != self._shown:  # which would move the cursor
            self.text.setPlainText(self._shown)

    def commit(self) -> None:
        text = self.text.toPlainText().strip()
        if self.is_edited:
            self._shown = text
            self.wanted.emit(text)

    def _restyle(self) -> None:
        self.text.setFont(self.theme.font(SMALL_PX))
        self.text.setFixedHeight(self.theme.px(LONG_HEIGHT_PX))


class _LongText(QPlainTextEdit):
    def __init__(self, left: Callable[[], None]) -> None:
        super().__init__()
        self._left = left
        self.setProperty("setting", True)
        self.setTabChangesFocus(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._left()


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
