"""Takes out of a text what must never be kept: secrets always, and other people's numbers unless the user
asked.

A number is taken for a card or an account only where its checksum is right; what is left of it is its kind
and its last two characters, so that its owner recognises it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

from desktop.gate.redaction import Redactor


class Strictness(Enum):
    """How much is taken out."""

    SECRETS = "secrets"  # keys, passwords, cards, accounts: of what the user wanted kept
    PERSONAL = "personal"  # also addresses and telephone numbers: of everything else


_CARD = re.compile(r"(?<![\w.,-])(?:\d[ -]?){12,18}\d(?![\w-])")
_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_MAIL = re.compile(r"[\w.%+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}\b")
# With a country or an area code, or in groups: a bare run of digits is as often something else.
_PHONE = re.compile(
    r"(?<![\w.,:/+-])(?:\+\d{1,3}|00[1-9]\d{0,2}|0\d{2,5}|\(\d{2,5}\))(?:[ /.()-]{1,3}\d{2,8}){1,5}(?![\w:-])"
    r"|(?<![\w.+-])\+\d{8,15}(?!\w)"
    r"|(?<![\w.-])\d{3}[ .-]\d{3}[ .-]\d{4}(?![\w-])"
)

_DATE = re.compile(r"\d{2}[./-]\d{2}[./-]\d{4}|\d{4}-\d{2}-\d{2}")


class Cleaner:
    """Pure; may be used on any thread."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def text(self, text: str, strictness: Strictness = Strictness.PERSONAL) -> str:
        """`text` without what must not be kept."""
        # Secrets first: what is left of a key must not be taken for a number.
        clean = self._redactor.text(text)
        clean = _CARD.sub(lambda m: _mark("card", m[0]) if _is_card(m[0]) else m[0], clean)
        clean = _ACCOUNT.sub(_account, clean)
        if strictness is Strictness.SECRETS:
            return clean
        clean = _MAIL.sub("[redacted: e-mail]", clean)
        return _PHONE.sub(lambda m: _mark("phone", m[0]) if _is_phone(m[0]) else m[0], clean)

    def value(self, value: Any) -> Any:
        """A JSON value, all the way down."""
        return self._texts(self._redactor.value(value))

    def _texts(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self._texts(each) for key, each in value.items()}
        if isinstance(value, Sequence):
            return [self._texts(each) for each in value]
        return value


def _mark(kind: str, found: str) -> str:
    return f"[redacted: {kind}, ends {found.strip()[-2:]}]"


def _account(match: re.Match[str]) -> str:
    """The pattern may take the next word along: what is left of it has a right checksum or none has."""
    for text in _shorter(match[0]):
        if _is_account(text):
            return _mark("account", text) + match[0][len(text) :]
    return match[0]


def _shorter(text: str) -> Iterator[str]:
    """`text`, and without its last words."""
    while text:
        yield text
        text = text.rpartition(" ")[0]


def _is_card(text: str) -> bool:
    """Luhn's checksum (ISO/IEC 7812-1), of 13 to 19 digits that are not all the same."""
    digits = [int(character) for character in text if character.isdigit()]
    # Zeros pass the checksum too, and payment cards begin with none of these digits.
    if len(set(digits)) < 2 or digits[0] in (0, 7, 8, 9):
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_account(text: str) -> bool:
    """An IBAN's checksum (ISO 13616): moved to the end and read as digits, it leaves 1 when divided by 97."""
    plain = text.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(character, 36)) for character in plain[4:] + plain[:4])) % 97 == 1


def _is_phone(text: str) -> bool:
    """7 to 15 digits (ITU-T E.164), and no date."""
    digits = sum(character.isdigit() for character in text)
    # A day is written in groups of digits too.
    return 7 <= digits <= 15 and not _DATE.fullmatch(text.strip())
