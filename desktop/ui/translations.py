"""Reads a translation from its Qt Linguist file and gives it to Qt.

The `.ts` file itself is read: it needs no compiler, so a fresh clone and a bundle work alike, and a
translator sees an edit at the next start. Only a language other than English costs the reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator

from desktop.paths import resources
from desktop.ui.language import CONTEXT, CORE

LANGUAGES = ("en", "de")
_FIELD = re.compile(r"\{(\w+)(?:[:!][^{}]*)?\}")
_SENTENCE_END = re.compile(r"(?<=[.?])\s+(?=\S)")


@dataclass(frozen=True)
class Template:
    """A sentence with values in it, to be found again in what was said."""

    source: str
    pattern: re.Pattern[str]
    translation: str

    @property
    def weight(self) -> int:
        """How many letters of it are fixed: the more, the less it is mistaken for another."""
        return len(_FIELD.sub("", self.source))


@dataclass
class Catalogue:
    """All translations of one language: words of the windows, and sentences from below them."""

    words: dict[str, str] = field(default_factory=dict)
    plurals: dict[str, tuple[str, ...]] = field(default_factory=dict)
    core: dict[str, str] = field(default_factory=dict)
    templates: list[Template] = field(default_factory=list)

    @classmethod
    def read(cls, file: Path) -> Catalogue:
        """Raises OSError when there is no such file; what is not translated is left out."""
        catalogue = cls()
        for context in ElementTree.parse(file).getroot().iter("context"):  # noqa: S314 - ships with the program
            for message in context.iter("message"):
                catalogue._add(context.findtext("name", ""), message)
        catalogue.templates.sort(key=lambda template: -template.weight)
        return catalogue

    def word(self, text: str, count: int = -1) -> str | None:
        """A word of the windows, or None."""
        forms = self.plurals.get(text)
        if forms and count >= 0:
            return forms[0 if count == 1 else -1]
        return self.words.get(text)

    def sentence(self, text: str) -> str | None:
        """What the core said, or None. Sentences that are not known together are looked up one by one."""
        whole = self._whole(text)
        if whole is not None:
            return whole
        parts = _SENTENCE_END.split(text)
        if len(parts) < 2:
            return None
        found = [self._whole(part) for part in parts]
        if not any(found):
            return None
        return " ".join(new or old for new, old in zip(found, parts, strict=True))

    def _whole(self, text: str) -> str | None:
        known = self.core.get(text) or self.words.get(text)
        return known or next(self._filled(text), None)

    def _filled(self, text: str) -> Iterator[str]:
        """Translations of the templates that `text` fits, the most certain first."""
        for template in self.templates:
            found = template.pattern.fullmatch(text)
            if found:
                values = {name: self._value(value) for name, value in found.groupdict().items()}
                yield _FIELD.sub(lambda hole, values=values: values[hole[1]], template.translation)  # type: ignore[misc]

    def _value(self, value: str) -> str:
        """A value may be a word of ours: "the model is in use"; names of files stay as they are."""
        return self.core.get(value) or value

    def _add(self, context: str, message: ElementTree.Element) -> None:
        source, translation = message.findtext("source", ""), message.find("translation")
        if translation is None or translation.get("type"):
            return
        forms = tuple(form.text or "" for form in translation.iter("numerusform"))
        if forms:
            self.plurals[source] = forms
        elif context == CONTEXT:
            self.words[source] = translation.text or ""
        elif translation.text:
            self.core[source] = translation.text
            if _FIELD.search(source):
                self.templates.append(Template(source, pattern_of(source), translation.text))


def pattern_of(template: str) -> re.Pattern[str]:
    """Matches what `template` became when its fields were filled; a field that comes twice has one value."""
    place, parts, seen = 0, [], set[str]()
    for hole in _FIELD.finditer(template):
        parts.append(re.escape(template[place : hole.start()]))
        parts.append(f"(?P={hole[1]})" if hole[1] in seen else f"(?P<{hole[1]}>.+?)")
        seen.add(hole[1])
        place = hole.end()
    parts.append(re.escape(template[place:]))
    return re.compile("".join(parts), re.DOTALL)


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
        if context == CORE:
            return self._catalogue.sentence(source) or source
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
    return language


def _install_qt_words(application: QCoreApplication, language: str) -> None:
    """The buttons and menus that Qt itself makes: Cancel, Copy, Select all."""
    words = QTranslator(application)
    if words.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(words)
