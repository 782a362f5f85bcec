"""The words of the windows in the language of the person."""

from __future__ import annotations

import string
from datetime import date

from PySide6.QtCore import QCoreApplication, QDate, QLocale

from desktop.errors import UserFacing
from desktop.reasons import ENGLISH, GERMAN, Reason
from desktop.reasons import size_text as core_size_text

CONTEXT = "Steward"  # one context for all windows: a word means the same in each
CORE = "Core"  # sentences that are made below the windows; see `told`


def tr(text: str, /, **values: object) -> str:
    """`text` in the language in use, with `{name}` replaced by `values`.

    Pass literals: they are collected from the source.

    Without `values` braces are left alone. A number with a format (`{count:,}`, `{share:.0%}`) is written as
    the language writes numbers. Any thread.
    """
    translated = QCoreApplication.translate(CONTEXT, text)
    return _NUMBERS.vformat(translated, (), values) if values else translated


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


def told(text: str, /) -> str:
    """A finished sentence from below the windows in the language in use; as it is where that is not known.

    The rooms below know no language. What they say is found again by its template: "notes.txt is missing."
    by "{name} is missing.", which the translation fills with the same name.
    """
    return QCoreApplication.translate(CORE, text) if text else text


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
    if QLocale().language() == QLocale.Language.German:
        return _locale().toString(QDate(day.year, day.month, day.day), "d. MMMM")
    return _locale().toString(QDate(day.year, day.month, day.day), "d MMMM")


def date_words(day: date) -> str:
    """`22 Nov 2026`, as the language writes a short date."""
    if QLocale().language() == QLocale.Language.German:
        return f"{day.day}.{day.month}.{day.year}"
    return _locale().toString(QDate(day.year, day.month, day.day), "d MMM yyyy")


def size_text(size_bytes: float) -> str:
    """`1.1 GB`, `640 kB`, `12 bytes`, as the language writes numbers."""
    number, _, unit = core_size_text(size_bytes).partition(" ")
    whole, point, fraction = number.partition(".")
    unit = tr("bytes") if unit == "bytes" else unit
    return f"{whole}{decimal_point() if point else ''}{fraction} {unit}"


def decimal_point() -> str:
    """What stands between a number and its fraction."""
    return _locale().decimalPoint()


def number_words(value: float, decimals: int = 0) -> str:
    """`1,234.5`, as the language writes numbers."""
    return _locale().toString(float(value), "f", decimals)


class _Numbers(string.Formatter):
    """Writes numbers that have a format as the language does."""

    def format_field(self, value: object, format_spec: str) -> str:
        if not isinstance(value, int | float) or not format_spec:
            return str(super().format_field(value, format_spec))
        decimals = int(format_spec.partition(".")[2][:1] or 0)
        if format_spec.endswith("%"):
            return _percent(value, decimals)
        grouped = "," in format_spec
        if grouped or format_spec.endswith("f"):
            words = number_words(value, decimals)
            return words if grouped else words.replace(_locale().groupSeparator(), "")
        return str(super().format_field(value, format_spec))


def _percent(value: float, decimals: int) -> str:
    words = number_words(value * 100, decimals)
    german = QLocale().language() == QLocale.Language.German
    return f"{words}\u00a0%" if german else f"{words}%"


def _locale() -> QLocale:
    """The language's way of writing; English where no language was chosen yet, as in a script."""
    chosen = QLocale()
    return QLocale(QLocale.Language.English) if chosen.language() == QLocale.Language.C else chosen


_NUMBERS = _Numbers()
