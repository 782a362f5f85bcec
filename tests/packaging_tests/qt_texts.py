"""Writes as JSON what Qt does with texts of many languages, and which library of ICU's data it had."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import (
    QByteArray,
    QCollator,
    QDate,
    QDateTime,
    QLocale,
    QTextBoundaryFinder,
    QTime,
    QTimeZone,
)

LOCALES = ("de_DE", "en_GB", "es_ES", "fr_FR", "tr_TR", "ja_JP", "zh_CN", "he_IL")
WORDS = [
    "Zebra",
    "Äpfel",
    "apfel",
    "ärger",
    "Öl",
    "offen",
    "straße",
    "Strasse",
    "file10",
    "file9",
    "ñandú",
    "nube",
    "日本",
    "中文",
    "ไทย",
    "été",
    "eteindre",
    "İstanbul",
    "ısırık",
]
TEXTS = (
    "ภาษาไทยเป็นภาษา",
    "我们今天去看电影。好吗?",
    "Well done. Is it? Yes!",
    "\N{WOMAN}\u200d\N{GIRL} family",
)
AT = QDateTime(QDate(2026, 11, 28), QTime(14, 5))


def in_locale(name: str) -> list[object]:
    """Order, dates, numbers and names as this locale has them."""
    locale = QLocale(name)
    order = QCollator(locale)
    order.setNumericMode(True)
    zone = QTimeZone(QByteArray(b"Europe/Berlin"))
    return [
        [[order.compare(one, other) for other in WORDS] for one in WORDS],
        locale.toString(AT, QLocale.FormatType.LongFormat),
        locale.toString(1234567.5, "f", 2),
        locale.toCurrencyString(12.5),
        (locale.nativeLanguageName(), locale.nativeTerritoryName()),
        (locale.toUpper("ißaıi"), locale.toLower("IİA")),
        zone.displayName(AT, QTimeZone.NameType.LongName, locale),
        (locale.createSeparatedList(["a", "b", "c"]), locale.quoteString("x")),
        locale.formattedDataSize(123456),
    ]


def boundaries(text: str) -> Iterator[list[int]]:
    """Where letters, words, sentences and lines may be cut."""
    for kind in QTextBoundaryFinder.BoundaryType:
        finder, places = QTextBoundaryFinder(kind, text), []
        while (place := finder.toNextBoundary()) >= 0:
            places.append(place)
        yield places


def main() -> None:
    told: dict[str, object] = {name: in_locale(name) for name in LOCALES}
    told |= {text: list(boundaries(text)) for text in TEXTS}
    mapped = re.search(r"/.*libicudata\.so.*", Path("/proc/self/maps").read_text(encoding="utf-8"))
    told["icu"] = mapped[0] if mapped else ""
    json.dump({name: str(value) for name, value in told.items()}, sys.stdout)


main()
