"""What tests of several windows need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from desktop.ui.translations import speak


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    """The program speaks German until the end of the test."""
    before = QLocale()
    speak(qapp, "de")
    yield
    for translator in qapp.findChildren(QTranslator):
        qapp.removeTranslator(translator)
        translator.deleteLater()
    QLocale.setDefault(before)
