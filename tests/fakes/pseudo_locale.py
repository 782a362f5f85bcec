"""A language that nobody speaks: English with accents, brackets around it, and 40 % longer."""

from __future__ import annotations

import re

from PySide6.QtCore import QTranslator

from desktop.ui.language import CONTEXT

BEGIN, END = "⟦", "⟧"
LONGER = 0.4
_ACCENTS = str.maketrans("aceinosuyACEINOSUY", "áçéíñóśúýÁÇÉÍÑÓŚÚÝ")
_KEPT = re.compile(r"(\{[^{}]*\}|&\w|\t.*$)")  # fields, mnemonics, the keys of a menu's entry
_INSIDE = re.compile(f"{BEGIN}[^{BEGIN}{END}]*{END}")
_WORD = re.compile(r"[A-Za-z]{3,}")


class PseudoLocale(QTranslator):
    """Translates all words of the windows, and all that goes through `told`."""

    def isEmpty(self) -> bool:  # noqa: N802 - Qt's name
        return False

    def translate(self, context: str, source: str, _disambiguation: str | None = None, _n: int = -1) -> str:
        return pseudo(source) if context == CONTEXT else None  # type: ignore[return-value]


def pseudo(text: str) -> str:
    """`Read {name}` as `⟦Réád {name}~~~⟧`."""
    if BEGIN in text:  # what was said already is said once
        return "".join(
            part if BEGIN in part else _outside(part) for part in re.split(f"({_INSIDE.pattern})", text)
        )
    parts = [part if _KEPT.fullmatch(part) else part.translate(_ACCENTS) for part in _KEPT.split(text)]
    keys = parts.pop() if parts and parts[-1].startswith("\t") else ""
    body = "".join(parts)
    return f"{BEGIN}{body}{'~' * round(LONGER * len(body))}{END}{keys}"


def _outside(text: str) -> str:
    return pseudo(text) if _WORD.search(text) else text


def untranslated(text: str) -> list[str]:
    """The English words of `text` that stand outside all brackets."""
    while _INSIDE.search(text):
        text = _INSIDE.sub("", text)
    return _WORD.findall(text)
