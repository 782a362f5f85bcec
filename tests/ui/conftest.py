"""What tests of several windows need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from desktop.ui.language import speak


@pytest.fixture(autouse=True)
def no_widget_outlives_its_test() -> Iterator[None]:
    """What is to be deleted later is deleted now, and so is what belongs to nobody, as the menu of a tray: no
    loop runs between tests, and each change of the theme or the zoom would dress the windows of all before.
    """
    before = set(QApplication.topLevelWidgets())
    yield
    # First what the pool has to tell them, which would come to a widget that is no more.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.MetaCall)
    for widget in set(QApplication.topLevelWidgets()) - before:
        if widget.parent() is None:
            widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


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
