"""Reads a translation from its Qt Linguist file and gives it to Qt.

The `.ts` file itself is read: it needs no compiler, so a fresh clone and a bundle work alike, and a
translator sees an edit at the next start. Only a language other than English costs the reading.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, Qt, QTranslator
from PySide6.QtGui import QGuiApplication

from desktop.paths import resources
from desktop.ui.language import CONTEXT

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LANGUAGES = ("en", "de")


@dataclass
class Catalogue:
    """All translations of one language."""

    words: dict[str, str] = field(default_factory=dict)
    plurals: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> Catalogue:
        """Raises OSError when there is no such file; what is not translated is left out."""
        from xml.etree import ElementTree

        catalogue = cls()
        for message in ElementTree.parse(file).getroot().iter("message"):  # noqa: S314 - ships with the program
            catalogue._add(message)
        return catalogue

    def word(self, text: str, count: int = -1) -> str | None:
        """A word of the windows, or None."""
        forms = self.plurals.get(text)
        if forms and count >= 0:
            return forms[0 if count == 1 else -1]
        return self.words.get(text)

    def _add(self, message: Element) -> None:
        source, translation = message.findtext("source", ""), message.find("translation")
        if translation is None or translation.get("type"):
            return
        forms = tuple(form.text or "" for form in translation.iter("numerusform"))
        if forms:
            self.plurals[source] = forms
        else:
            self.words[source] = translation.text or ""


class Translations(QTranslator):
    """One language, for Qt to ask. Any thread."""

    def __init__(self, catalogue: Catalogue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._catalogue = catalogue

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, _disambiguation: str | None = None, n: int = -1) -> str:
        """None, which Qt takes for unknown, where the source text is to stand."""
        if context == CONTEXT:
            return self._catalogue.word(source, n) or source
        return None  # type: ignore[return-value]


def translation_file(language: str) -> Path:
    """Where the words of `language` ("de") lie."""
    return resources() / "translations" / f"steward_{language}.ts"


def chosen_language(setting: str) -> str:
    """`en` or `de`: what is set, else the first language of the system that there is, else English."""
    if setting in LANGUAGES:
        return setting
    wanted = (name.partition("-")[0] for name in QLocale.system().uiLanguages())
    return next((name for name in wanted if name in LANGUAGES), "en")


def chosen_direction(setting: str) -> Qt.LayoutDirection:
    """From which side windows begin: as all others on a Hebrew or Arabic desktop, even where our words are
    English; from the left where a language is set that is read from there."""
    first = next(iter(QLocale.system().uiLanguages()), "en")
    return QLocale(setting if setting in LANGUAGES else first).textDirection()


def speak(application: QCoreApplication, setting: str) -> str:
    """Use the language of `setting` ("system", "en", "de") from now on, and return which it is. Main thread.

    Windows that are already made keep their words: call it before the first.
    """
    language = chosen_language(setting)
    system = QLocale.system()
    same = system.name().partition("_")[0] == language
    QLocale.setDefault(system if same else QLocale(language))
    if language != "en":
        _install_qt_words(application, language)
        translations = Translations(Catalogue.read(translation_file(language)), application)
        application.installTranslator(translations)
    # Last: Qt takes the side of a language whose words are installed.
    if isinstance(application, QGuiApplication):
        application.setLayoutDirection(chosen_direction(setting))
    return language


def _install_qt_words(application: QCoreApplication, language: str) -> None:
    """The buttons and menus that Qt itself makes: Cancel, Copy, Select all."""
    words = QTranslator(application)
    if words.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(words)
