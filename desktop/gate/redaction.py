"""What must never be kept is replaced before anything is written to the audit log or to memory.

`Redactor` knows secrets, by the table `resources/redaction.toml`; besides it, a value whose name says that it
is a secret is replaced whole. Nothing can promise to find every secret; whoever writes to the log therefore
hands in commands and arguments, never contents of files nor output.

`Cleaner` is for memory, which outlives what it was said in: it also takes out cards and accounts, and other
people's addresses and numbers unless the user asked. A number is taken for a card or an account only where
its checksum is right; what is left of it is its kind and its last two characters, so that its owner
recognises it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from desktop.sandbox.environment import SECRET_NAME

# A longer text keeps its beginning and its end, cut at white space: half a token would not be recognised.
LIMIT_CHARACTERS = 16_000
WHOLE = "named-secret"
MOST_NAMES = 1_000
# What stands in every record is looked through once; longer texts are seldom the same twice.
MOST_PLAIN = 1_000
LONGEST_PLAIN = 300
OPTION = re.compile(r"--?[A-Za-z][A-Za-z0-9_-]{0,60}")


# While the rules are applied, a replaced secret is one character of this range: it neither moves what follows
# out of its sight, nor is it taken for a secret, and a text that was redacted before is what it was then.
FIRST_MARK, MARKS = 0xE000, 256
MARK = f"[{chr(FIRST_MARK)}-{chr(FIRST_MARK + MARKS - 1)}]"
TOLD = re.compile(r"\[redacted: ([a-z-]{1,40})\]")
# A word of a command that is a secret: not replaced yet, no variable; in quotation marks with its spaces.
VALUE = (
    rf"""(?P<secret>(?!["']?{MARK}|["']?\$[({{A-Za-z_])"""
    r"""(?:"(?:[^"\\\r\n]|\\.){1,300}"?|'[^'\r\n]{1,300}'?|[^\s"'|;&<>()]{1,4000}))"""
)
# What one rule replaces can let an earlier one see further; in no command does that go on for long.
MOST_PASSES = 16
FOREIGN_MARKS = dict.fromkeys(range(FIRST_MARK, FIRST_MARK + MARKS), "\N{REPLACEMENT CHARACTER}")

# A list of arguments is read as one line: a space between the words that no word has, and within them nothing
# that ends a word on a command line.
BETWEEN_WORDS = "\x1f"
INNER = {ord(each): chr(FIRST_MARK + MARKS + place) for place, each in enumerate(" \t\n\r\x1f\"'|;&<>()\\")}
INNER_AGAIN = {ord(hidden): chr(each) for each, hidden in INNER.items()}


@dataclass(frozen=True)
class SecretPattern:
    """One kind of secret. `words` are lower case; `pattern` may have a group `secret`."""

    id: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]

    def apply(self, text: str, lower: str, mark: str) -> str:
        """`text` with `mark` for each secret. `lower` is the text in lower case."""
        if self.words and not _holds_one(self.words, lower):
            return text
        place = 0
        while found := self.pattern.search(text, place):
            start, end = self._secret(found)
            text = text[:start] + mark + text[end:]
            place = found.start()  # from where it began: the same program may be given a second one
        return text

    def _secret(self, found: re.Match[str]) -> tuple[int, int]:
        has_one = "secret" in self.pattern.groupindex and found["secret"] is not None
        return found.span("secret") if has_one else found.span()


class Redactor:
    """Replaces secrets. Pure; may be used on any thread."""

    def __init__(self, rules: Iterable[SecretPattern]) -> None:
        self._rules = tuple(rules)
        kinds = dict.fromkeys((WHOLE, *(rule.id for rule in self._rules)))
        self._marks = {kind: chr(FIRST_MARK + place) for place, kind in enumerate(kinds)}
        self._told = {ord(mark): f"[redacted: {kind}]" for kind, mark in self._marks.items()}
        self._words = tuple({word for rule in self._rules for word in rule.words})
        self._can_skip = all(rule.words for rule in self._rules)
        # Of fields, which are few: those that hold no secret, and whether what stands under them is one.
        self._names: dict[str, bool] = {}
        self._plain: set[str] = set()  # texts that were found to hold none

    def text(self, text: str) -> str:
        """`text` with every secret replaced by `[redacted: <rule>]`, and shortened to `LIMIT_CHARACTERS`."""
        if text in self._plain:
            return text
        told = self._looked_through(text)
        if told == text and len(text) <= LONGEST_PLAIN:
            if len(self._plain) >= MOST_PLAIN:
                self._plain = set()
            self._plain.add(text)
        return told

    def _looked_through(self, text: str) -> str:
        cut = shortened(text)
        if self._can_skip and not _holds_one(self._words, cut.lower()):
            return cut
        return self._applied(self._with_marks(cut)).translate(self._told)

    def _with_marks(self, text: str) -> str:
        return TOLD.sub(self._marked, text.translate(FOREIGN_MARKS))

    def _applied(self, marked: str) -> str:
        for _ in range(MOST_PASSES):
            before, lower = marked, marked.lower()
            for rule in self._rules:
                told = rule.apply(marked, lower, self._marks[rule.id])
                if told is not marked:
                    marked, lower = told, told.lower()
            if marked == before:
                break
        return marked

    def _marked(self, told: re.Match[str]) -> str:
        return self._marks.get(told[1], told[0])

    def value(self, value: Any, name: str = "") -> Any:
        """A JSON value, all the way down; what stands under the name of a secret is replaced whole."""
        if isinstance(value, str):
            if name and value and self._is_secret(name):
                return f"[redacted: {WHOLE}]"
            return self.text(value)
        # Before the abstract classes, which are slow to ask: most of what is left of a record is this.
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, (list, tuple)):
            return self._list(value, name)
        if isinstance(value, (dict, Mapping)):
            return self._fields(value)
        return self._list(value, name) if isinstance(value, Sequence) else value

    def _fields(self, fields: Mapping[Any, Any]) -> dict[str, Any]:
        told: dict[str, Any] = {}
        for key, each in fields.items():
            name = str(key)
            # Most of a record: a text that was found to hold no secret, under a name that tells of none.
            if self._names.get(name) is False and isinstance(each, str) and each in self._plain:
                told[name] = each
            else:
                told[self._name(name)] = self.value(each, name)
        return told

    def _list(self, values: Sequence[Any], name: str) -> list[Any]:
        if not values:
            return []
        told = [self.value(each, said) for each, said in zip(values, _names(values, name), strict=True)]
        return self._words_of_one_command(told) if _are_words(told) else told

    def _is_secret(self, name: str) -> bool:
        """Whether a name says that a secret stands under it."""
        known = self._names.get(name)
        return _says_secret(name) if known is None else known

    def _words_of_one_command(self, words: list[str]) -> list[str]:
        """A program is told by the first word, its secret stands in another: they are read as one line."""
        line = BETWEEN_WORDS.join(self._with_marks(word).translate(INNER) for word in words)
        if not _holds_one(self._words, line.lower()):
            return words
        found = self._applied(line).split(BETWEEN_WORDS)
        told = [word.translate(self._told).translate(INNER_AGAIN) for word in found]
        # What began in one word and ended in another: they are told as one rather than any of them whole.
        return told if len(told) == len(words) else [" ".join(told)]

    def _name(self, name: str) -> str:
        if name in self._names:
            return name
        told = self.text(name)
        if told == name and len(self._names) < MOST_NAMES:
            self._names[name] = _says_secret(name)
        return told


def _holds_one(words: tuple[str, ...], lower: str) -> bool:
    for word in words:  # noqa: SIM110 - any() takes five times as long, at some hundred words for every text
        if word in lower:
            return True
    return False


def _says_secret(name: str) -> bool:
    return SECRET_NAME.search(name.replace("-", "_")) is not None


def _are_words(values: list[Any]) -> bool:
    """At least two texts, together within the limit."""
    if len(values) < 2 or not all(isinstance(each, str) for each in values):
        return False
    return sum(len(each) + 1 for each in values) <= LIMIT_CHARACTERS


def _names(values: Sequence[Any], name: str) -> list[str]:
    """What each value stands under: in a list of arguments that is the option before it."""
    before = [None, *values]
    return [each if isinstance(each, str) and OPTION.fullmatch(each) else name for each in before[:-1]]


def read_rules(path: Path) -> list[SecretPattern]:
    """The rules of `resources/redaction.toml`; a mistake in it is a bug and raises."""
    return [_rule(each) for each in tomllib.loads(path.read_text(encoding="utf-8"))["rule"]]


def _rule(table: Mapping[str, Any]) -> SecretPattern:
    if options := table.get("options"):
        programs = {program for each in options.values() for program in each}
        pattern = "|".join(_option_pattern(option, each) for option, each in options.items())
        return SecretPattern(table["id"], tuple(sorted(programs)), re.compile(rf"(?:{pattern}){VALUE}"))
    pattern = table["pattern"].replace("{value}", VALUE).replace("{mark}", MARK)
    return SecretPattern(table["id"], tuple(table.get("words", ())), re.compile(pattern))


def _option_pattern(option: str, programs: Sequence[str]) -> str:
    """What stands before the secret: one of the programs, and the option within the same command."""
    names = "|".join(sorted(map(re.escape, programs)))
    if option.endswith("…"):
        written = re.escape(option[:-1])
    elif option.endswith(" "):
        written = re.escape(option[:-1]) + r"\s{1,3}"
    else:
        written = re.escape(option) + (r"[\s=]{1,3}" if option.startswith("--") else r"\s{0,3}")
    return rf"\b(?:{names})(?:\.exe)?\b[^\n|;&]{{0,200}}?\s{written}"


def shortened(text: str) -> str:
    """At most about `LIMIT_CHARACTERS`, and a note in the place of what is left out."""
    if len(text) <= LIMIT_CHARACTERS:
        return text
    half = (LIMIT_CHARACTERS - len("[… 1,000,000,000 characters …]")) // 2
    head, tail = _until_space(text[:half]), _until_space(text[-half:][::-1])[::-1]
    return f"{head}[… {len(text) - len(head) - len(tail):,} characters …]{tail}"


def _until_space(text: str) -> str:
    """`text` without the word at its end, which may be cut."""
    places = [place for place in (text.rfind(space) for space in " \n\t") if place >= 0]
    return text[: max(places) + 1] if places else ""


# -- for memory -------------------------------------------------------------------------------


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
        if not text:
            return text
        # Secrets first: what is left of a key must not be taken for a number.
        clean = self._redactor.text(text)
        clean = _CARD.sub(lambda m: _mark("card", m[0]) if _is_card(m[0]) else m[0], clean)
        clean = _ACCOUNT.sub(_account, clean)
        if strictness is Strictness.SECRETS:
            return clean
        if "@" in clean:
            clean = _MAIL.sub("[redacted: e-mail]", clean)
        return _PHONE.sub(lambda m: _mark("phone", m[0]) if _is_phone(m[0]) else m[0], clean)

    def value(self, value: Any) -> Any:
        """A JSON value, all the way down."""
        return self._texts(self._redactor.value(value))

    def _texts(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):  # what the redactor has made of a mapping
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
