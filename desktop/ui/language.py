"""The words of the windows in the language of the person, and where Qt gets their translation from.

The `.ts` file of Qt Linguist itself is read: it needs no compiler, so a fresh clone and a bundle work alike,
and a translator sees an edit at the next start. Only a language other than English costs the reading.
"""

from __future__ import annotations

import math
import string
import unicodedata
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, Qt, QTranslator
from PySide6.QtGui import QGuiApplication

from desktop import reasons
from desktop.errors import UserFacing
from desktop.paths import resources
from desktop.reasons import ENGLISH, GERMAN, Reason

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

BEHIND = ("...", "…", "?")  # how the words of a button end, beside letters
LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"
HOUR_S, DAY_S = 3600.0, 86_400.0
CONTEXT = "Steward"  # one context for all windows: a word means the same in each


def tr(text: str, /, **values: object) -> str:
    """`text` in the language in use, with `{name}` replaced by `values`.

    Pass literals: they are collected from the source.

    Without `values` braces are left alone. Numbers are written as the language writes them, a count with its
    groups (`4,096`); `{port:d}` keeps the digits of one that is a name together. Any thread.
    """
    translated = QCoreApplication.translate(CONTEXT, text)
    said = _NUMBERS.vformat(translated, (), values) if values else translated
    # A button draws its words in the direction of the window: on a Hebrew desktop the dots came first.
    mirrored = said.endswith(BEHIND) and QGuiApplication.layoutDirection() == Qt.LayoutDirection.RightToLeft
    return said + LEFT_TO_RIGHT if mirrored else said


def without_mark(words: str) -> str:
    """Words of `tr` for a place that writes out what cannot be seen: there the mark would be read."""
    return words.removesuffix(LEFT_TO_RIGHT)


def tr_noop(text: str, /) -> str:
    """`text` unchanged: a word in a table of the source, which goes through `tr` when it is shown."""
    return text


def plural(one: str, many: str, count: int, /, **values: object) -> str:
    """`one` or `many` for `count`, which both may name as `{count}`, in the language in use.

    A language may have more forms than two: the translation of `many` carries all of them.
    """
    translated = QCoreApplication.translate(CONTEXT, many, None, count)
    chosen = one if translated == many and count == 1 else translated
    return _NUMBERS.vformat(chosen, (), {"count": count, **values})


def words_of(reason: Reason) -> str:
    """A reason in the language in use. Any thread."""
    return reason.in_language(language_in_use())


def language_in_use() -> str:
    """The key of the language's table of messages: `en` or `de`."""
    return GERMAN if QLocale().language() == QLocale.Language.German else ENGLISH


def error_parts(error: UserFacing) -> tuple[str, str, str]:
    """Cause, what was not lost, and one action, in the language in use; the last two may be empty."""
    return error.reason.parts(language_in_use())


def error_words(error: UserFacing) -> str:
    """All three in one line."""
    return words_of(error.reason)


def day_words(day: date) -> str:
    """`22 November`, as the language writes a day of the year."""
    return reasons.day_text(day, language_in_use())


def date_words(day: date) -> str:
    """`22 Nov 2026`, as the language writes a short date."""
    return reasons.date_text(day, language_in_use())


def moment_words(at: float, now: float) -> str:
    """ "today 09:30", "yesterday 18:02", "18 Nov 2026 07:11"; both in seconds since 1970, local time."""
    moment, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now).date()
    clock = f"{moment:%H:%M}"
    if moment.date() == today:
        return tr("today {clock}", clock=clock)
    if moment.date() == today - timedelta(days=1):
        return tr("yesterday {clock}", clock=clock)
    return f"{date_words(moment)} {clock}"


def distance_words(at: datetime, now: datetime) -> str:
    """`in 20 minutes`, `in 3 h 10 min`, `in 7 days`; for what is over, `5 minutes ago`. Both are aware."""
    days = abs((at.date() - now.astimezone(at.tzinfo).date()).days)
    minutes = round(abs((at - now).total_seconds()) / 60)
    hours, rest = divmod(minutes, 60)
    is_ahead = at >= now
    if not minutes:
        return tr("in less than a minute") if is_ahead else tr("just now")
    if not hours:
        if is_ahead:
            return plural("in {count} minute", "in {count} minutes", minutes)
        return plural("{count} minute ago", "{count} minutes ago", minutes)
    if hours < DAY_S / HOUR_S or not days:
        if is_ahead and rest:
            return tr("in {hours} h {rest} min", hours=hours, rest=rest)
        if is_ahead:
            return plural("in {count} hour", "in {count} hours", hours)
        return plural("{count} hour ago", "{count} hours ago", hours)
    if is_ahead:
        return plural("in {count} day", "in {count} days", days)
    return plural("{count} day ago", "{count} days ago", days)


def left_words(until: float | None, now: float) -> str:
    """`3 h left`."""
    if until is None:
        return tr("until you end it")
    left_s = max(0.0, until - now)
    if left_s < HOUR_S:
        # Rounded up: "0 min left" would say that it is over.
        return tr("{count} min left", count=math.ceil(left_s / 60))
    if left_s < 2 * DAY_S:
        return tr("{count} h left", count=round(left_s / HOUR_S))
    return tr("{count} days left", count=round(left_s / DAY_S))


def size_text(size_bytes: float) -> str:
    """`1.1 GB`, `640 kB`, `12 bytes`, as the language writes numbers."""
    return reasons.size_text(size_bytes, language_in_use())


def number_words(value: float, decimals: int = 0) -> str:
    """`1,234.5`, as the language writes numbers."""
    return reasons.number_text(value, f",.{decimals}f", language_in_use())


def share_words(share: float) -> str:
    """`43%` of 0.43, as the language writes it."""
    return reasons.number_text(share, ".0%", language_in_use())


def decimal_point() -> str:
    """What stands between a number and its fraction."""
    return reasons.number_text(0.5, ".1f", language_in_use())[1]


def group_sign() -> str:
    """What stands between the groups of a long number."""
    return reasons.number_text(1000, ",", language_in_use())[1]


class _Numbers(string.Formatter):
    """Writes numbers as the language does."""

    def format_field(self, value: object, format_spec: str) -> str:
        number = reasons.written(value, format_spec, language_in_use())
        return str(super().format_field(value, format_spec)) if number is None else number


_NUMBERS = _Numbers()


def reads_from_right(text: str) -> bool:
    """Whether the first letter with a direction belongs to a script from the right."""
    strong = (unicodedata.bidirectional(letter) for letter in text)
    return next((each in ("R", "AL") for each in strong if each in ("L", "R", "AL")), False)


LANGUAGES = ("en", "de")


@dataclass
class TranslationCatalogue:
    """All translations of one language."""

    words: dict[str, str] = field(default_factory=dict)
    plurals: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> TranslationCatalogue:
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

    def __init__(self, catalogue: TranslationCatalogue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._catalogue = catalogue

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, _disambiguation: str | None = None, n: int = -1) -> str:
        """The translation; None, which Qt takes for unknown, where the source text is to stand."""
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
        translations = Translations(TranslationCatalogue.read(translation_file(language)), application)
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
