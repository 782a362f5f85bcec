"""Which words of everyday life mean the same, in English and German: `resources/memory/meanings.toml`.

Whoever asks for a spouse finds what was said of the wife, and "Wie alt ist mein Junge?" what was said of the
son. The table knows everyday words and little grammar: it adds to what words find by themselves and closes
nothing. For an embedding model that knows English alone it puts German into English, word by word.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

from desktop.paths import resources

SHORTEST_PART = 4  # letters of the last part of a compound; the first may have three
# Letters of a last part that says enough where the first is not known: "Lieblingsfarbe", not "Europas".
SURE_PART = 6
SHORTEST_BASE = 3
LONGEST_PHRASE = 4  # words
KEPT_WORDS = 20_000  # whose meanings are known without looking
_WORD = re.compile(r"[\w'’-]+")
_PLAIN = str.maketrans({"ä": "a", "ö": "o", "ü": "u"})  # "Ärzte" are more than one "Arzt"
_FOLDED = str.maketrans({"ß": "ss", "’": "'"})
# An ending, and what may stand in its place in the form that the table has.
_ENGLISH_ENDINGS = (
    ("'s", ("",)),
    ("ies", ("y",)),
    ("es", ("", "e")),
    ("s", ("",)),
    ("ing", ("", "e")),
    ("ed", ("", "e")),
)
_GERMAN_ENDINGS = tuple(
    (ending, ("", "e", "en"))
    for ending in ("innen", "in", "ten", "te", "er", "es", "em", "en", "e", "n", "s", "st", "t")
)
# What a German compound puts between its parts.
_JOINTS = ("", "s", "n", "en", "es", "er")
# German words that are English ones too say nothing about the language.
_OF_BOTH = frozenset("in an am was will die war so also man hat bin august september winter".split())


@dataclass(frozen=True)
class MeantWord:
    """A word or phrase of a question, and the meanings that would answer it."""

    text: str
    answered_by: frozenset[str]


@dataclass(frozen=True)
class _Lexicon:
    """The words of one language: `words` and `phrases` by how they are written, folded."""

    endings: tuple[tuple[str, tuple[str, ...]], ...]
    has_compounds: bool = False
    words: dict[str, dict[str, str]] = field(default_factory=dict)  # meaning to English word
    phrases: dict[str, dict[str, str]] = field(default_factory=dict)
    seen: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def put(self, written: str, meaning: str, english: str) -> None:
        text = written.replace("_", " ").translate(_FOLDED)
        table = self.phrases if " " in text else self.words
        table.setdefault(text, {})[meaning] = english.replace("_", " ")

    def of_word(self, word: str) -> Mapping[str, str]:
        """The meanings of a folded word in whatever form, with the English words for them; of a compound that
        is not in the table those of its parts, the last part's first."""
        if word not in self.seen:
            # Words of names and numbers have no end; those of a language come back.
            if len(self.seen) >= KEPT_WORDS:
                self.seen.clear()
            self.seen[word] = self._meant(word)
        return self.seen[word]

    def _meant(self, word: str) -> Mapping[str, str]:
        found = self._of_form(word)
        if found or not self.has_compounds:
            return found
        for start in range(SHORTEST_BASE, len(word) - SHORTEST_PART + 1):
            tail, head = self._of_form(word[start:]), self._of_head(word[:start])
            if tail and (head or len(word) - start >= SURE_PART):
                return {**tail, **head}
        return {}

    def _of_form(self, word: str) -> Mapping[str, str]:
        forms = chain(_forms(word, self.endings), _forms(word.translate(_PLAIN), self.endings))
        return next((self.words[form] for form in forms if form in self.words), {})

    def _of_head(self, head: str) -> Mapping[str, str]:
        heads = (head.removesuffix(joint) for joint in _JOINTS if head.endswith(joint))
        return next((self.words[each] for each in heads if each in self.words), {})


def _forms(word: str, endings: Iterable[tuple[str, tuple[str, ...]]]) -> Iterator[str]:
    """The word, and what may stand for it in the table, the likeliest first."""
    yield word
    for ending, instead in endings:
        base = word.removesuffix(ending)
        if base == word or len(base) < SHORTEST_BASE:
            continue
        for other in instead:
            yield base + other
        # "stopped" is of "stop".
        if base[-1] == base[-2]:
            yield base[:-1]


class Meanings:
    """A meaning is named by its first English word. Pure; any thread."""

    def __init__(self, lines: Iterable[str], small_words: Iterable[str], phrases: Iterable[str]) -> None:
        """The arguments are tables of `resources/memory/meanings.toml`."""
        self._english, self._german = (
            _Lexicon(_ENGLISH_ENDINGS),
            _Lexicon(_GERMAN_ENDINGS, has_compounds=True),
        )
        self._answered_by: dict[str, set[str]] = {}
        self._written: dict[str, list[str]] = defaultdict(list)
        self._small = _pairs(small_words)
        self._phrases = _pairs(phrases)
        for line in lines:
            self._read(line)

    def of(self, text: str) -> frozenset[str]:
        """All meanings that the words of a text have."""
        lexicon, words = self._lexicon(text), _folded(text)
        found = {
            meaning for phrase in _phrases_in(words, lexicon.phrases) for meaning in lexicon.phrases[phrase]
        }
        for word in words:
            found.update(lexicon.of_word(word))
        return frozenset(found)

    def of_word(self, word: str, text: str) -> frozenset[str]:
        """The meanings of one word of `text`, which tells the language: a word alone has none of the small
        words that do."""
        return frozenset(self._lexicon(text).of_word(_fold(word)))

    def asked_in(self, question: str, small: frozenset[str] = frozenset()) -> tuple[MeantWord, ...]:
        """What a question asks for: each phrase and word that the table knows, but for those in `small`."""
        lexicon, words = self._lexicon(question), _folded(question)
        ours, given = self._small, _all_folded(small)
        found: dict[str, Mapping[str, str]] = {
            phrase: lexicon.phrases[phrase] for phrase in _phrases_in(words, lexicon.phrases)
        }
        in_phrases = {word for phrase in found for word in phrase.split()}
        for word in words:
            if word in ours or word in given or word in in_phrases:
                continue
            if meant := lexicon.of_word(word):
                found[word] = meant
        return tuple(MeantWord(text, self._answers(meant)) for text, meant in found.items())

    def written(self, meanings: Iterable[str]) -> tuple[str, ...]:
        """All words and phrases of these meanings, in both languages."""
        return tuple(dict.fromkeys(text for each in meanings for text in self._written[each]))

    def in_english(self, text: str) -> str:
        """A German text word by word, its names as they are; any other text as it is."""
        if not self._is_german(text):
            return text
        for phrase, english in self._phrases.items():
            text = re.sub(rf"\b{phrase}\b", english, text, flags=re.I)
        return _WORD.sub(lambda match: self._in_english(match[0]), text)

    def can_put_into_english(self, text: str, words: Collection[str]) -> bool:
        """Whether `in_english` leaves at most half of `words`, which say what `text` is about, as they are.
        What is left of "Wie sperr ich meine EC-Karte?" in English is "how, I, my", which is like anything."""
        if not self._is_german(text):
            return True
        known = sum(bool(_fold(word) in self._small or self._german.of_word(_fold(word))) for word in words)
        return 2 * known >= len(words)

    # -- inside -------------------------------------------------------------------------------

    def _read(self, line: str) -> None:
        both, _, under = line.partition(">")
        english, _, german = both.partition("|")
        name = english.split()[0]
        self._answered_by.setdefault(name, set()).add(name)
        # Not the other way: who asks for a teacher does not mean everybody that works.
        self._answered_by[name].update(under.split())
        for written in english.split():
            self._english.put(written, name, name)
            self._written[name].append(written.replace("_", " "))
        for written in german.split():
            text, _, other = written.partition(":")
            self._german.put(text, name, other or name)
            self._written[name].append(text.replace("_", " "))

    def _answers(self, meant: Iterable[str]) -> frozenset[str]:
        return frozenset(each for meaning in meant for each in self._answered_by[meaning])

    def _lexicon(self, text: str) -> _Lexicon:
        return self._german if self._is_german(text) else self._english

    def _is_german(self, text: str) -> bool:
        """Whether a text is German, by its small words: hardly a sentence is without."""
        return any(word in self._small and word not in _OF_BOTH for word in _folded(text))

    def _in_english(self, word: str) -> str:
        folded = _fold(word)
        if folded in self._small:
            return self._small[folded]
        found = self._german.of_word(folded)
        # Of a compound the last part says what it is: "Hausarzt" is a house doctor.
        return " ".join(dict.fromkeys(reversed(tuple(found.values())))) if found else word


@cache
def everyday_meanings() -> Meanings:
    """Read when a question first needs them: few do, and the table takes a few milliseconds."""
    return read_meanings(resources() / "memory" / "meanings.toml")


def read_meanings(path: Path) -> Meanings:
    """Raises where the file is wrong, which is a bug."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    lines = (line for line in table["meanings"].splitlines() if line.strip() and not line.startswith("#"))
    return Meanings(lines, table["small_words"].split(), table["phrases"].split())


def _pairs(written: Iterable[str]) -> dict[str, str]:
    pairs = (each.partition(":") for each in written)
    return {
        german.replace("_", " ").translate(_FOLDED): english.replace("_", " ") for german, _, english in pairs
    }


def _folded(text: str) -> list[str]:
    return [_fold(word) for word in _WORD.findall(text)]


@lru_cache(maxsize=4)  # a vocabulary has some six hundred, and each question asks with the same
def _all_folded(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_fold, words))


def _fold(word: str) -> str:
    return word.casefold().translate(_FOLDED).strip("'-")


def _phrases_in(words: list[str], phrases: Mapping[str, object]) -> Iterator[str]:
    for size in range(2, LONGEST_PHRASE + 1):
        for start in range(len(words) - size + 1):
            phrase = " ".join(words[start : start + size])
            if phrase in phrases:
                yield phrase
