"""Texts as memory sees them: their words as the index has them, how alike two are, and how one is cut."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, cached_property
from pathlib import Path

from desktop.memory import statement_patterns as patterns
from desktop.memory.reasons import MemoryReason
from desktop.memory.statement_patterns import any_case
from desktop.reasons import Reason

LONGEST_QUERY = 32  # terms; a pasted page is searched by the first of its words
SHORT_STEM = 3  # letters, which much else begins with
SHORT_ENDING = r"(?:\w{0,2}|ing)"
GRAM = 3  # characters, as FTS5's trigram tokenizer has them
ALIKE = 0.8  # Jaccard of the sets of three characters
CONTAINED = 0.6  # of the longer text, where the shorter one stands in it word for word
_SHORTEST = 12  # characters of a text that says something by standing in another
# What anybody may ask, though it has an "I" in it, or wants something for "me".
_ADVICE = re.compile(
    r"\b(?:how (?:do|can|could|would|should)|(?:what|which|where)\b.{0,20}? (?:can|could|should)|wie (?:kann"
    r"|könnte|soll|sollte|muss|mache?|schreibe?)|(?:was|welche\w?|wo)\b.{0,20}? (?:kann|könnte|soll|sollte)) "
    r"(?:i|we|ich|wir)\b(?!.*\b(?:my|our|mein\w*|unser\w*)\b)"
)
_FOR_ME = re.compile(
    r"^\W*(?:please |bitte |can you |could you |kannst du )*(?:give|tell|show|send|make|write|draft|find|help"
    r"|teach|suggest|recommend|explain|get|let|gib|nenne?|zeige?|sage?|schreibe?|mache?|erkläre?|suche?|hilf"
    r"|empfiehl|erzähle?) (?:it to )?(?:me|us|mir|uns)\b(?!.*\b(?:i|my|we|our|ich|mein\w*|wir|unser\w*)\b)"
)
# Spanish leaves the "I" to its verb: "¿Qué desayuno?", "¿Dónde nací?"; how something is done anybody asks.
_SPANISH_I = re.compile(
    r"\b(?:qu[eé]|cu[aá]l|cu[aá]ndo|cu[aá]nt[oa]s?|a?d[oó]nde|qui[eé]n)"
    r"(?: (?!el\b|la\b|los\b|las\b|una?\b|es\b|son\b|de\b|en\b|por\b|para\b|no\b)\w+)?"
    r"(?: no)?(?: l[aeo]s?)? \w{2,}(?:o|oy|é|í)(?=\W*$| (?:a|al|de|del|en|con|para|por|que|yo|\w+[aei]r)\b)"
)
LONGEST = 800  # characters: some 200 tokens, half of a small budget
_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?:ings?|ed|es|ies|s|ers?|en|e|y)$")

# Scripts written without spaces: a run of them would be one token, found only whole.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_NO_WORD = re.compile(r"\W+")

# Where a text may be cut, the best place first.
_ENDS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"[.!?。！？]\s*"), re.compile(r"\s"))


@dataclass(frozen=True, eq=False)  # one of each file; what is made of it is kept by it
class Vocabulary:
    """What `resources/memory/words.toml` says."""

    stop: frozenset[str]
    months: tuple[str, ...]  # "May Mai", in the order of the calendar
    weekdays: tuple[str, ...]
    days_ago: Mapping[str, int]
    weak: frozenset[str] = frozenset()
    personal: frozenset[str] = frozenset()
    requests: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    recalls: tuple[str, ...] = ()

    @cached_property
    def small(self) -> frozenset[str]:
        """Words that ask for nothing."""
        return self.stop | self.weak

    def terms(self, question: str, now: datetime) -> tuple[str, ...]:
        """The words to look for, each once: no stop words, unless there is nothing else."""
        words = _WORD.findall(spaced(question).casefold())
        # A question of small words alone is still asked with them.
        wanted = [word for word in words if word not in self.stop] or words
        # “Yesterday” is looked for as the day that it was.
        days = [day_word(now - timedelta(days=self.days_ago[w])) for w in words if w in self.days_ago]
        return tuple(dict.fromkeys((*wanted, *days)))[:LONGEST_QUERY]

    def says_something(self, question: str) -> bool:
        """Whether a text says what could be remembered; "how are you?" does not."""
        return any(word not in self.stop for word in _WORD.findall(spaced(question).casefold()))

    def is_personal(self, question: str) -> bool:
        """Whether a question is about one's own affairs: not so "how do I exit vim?", which anybody asks, nor
        "give me a recipe"."""
        asked = _FOR_ME.sub(" ", _ADVICE.sub(" ", question.casefold()))
        return not self.personal.isdisjoint(_WORD.findall(asked)) or _SPANISH_I.search(asked) is not None

    def dates(self, at: float) -> str:
        """The words by which a day is found: "Friday Freitag 20 November November 2026 d20261120"."""
        day = datetime.fromtimestamp(at).astimezone()
        weekday, month = self.weekdays[day.weekday()], self.months[day.month - 1]
        return f"{weekday} {day.day} {month} {day.year} {day_word(day)}"


@cache
def read_vocabulary(path: Path) -> Vocabulary:
    """Raises where the file is wrong, which is a bug."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return Vocabulary(
        stop=_all_words(table["stop"]),
        months=_side_by_side(table["months"]),
        weekdays=_side_by_side(table["weekdays"]),
        days_ago=table["days_ago"],
        weak=_all_words(table["weak"]),
        personal=_all_words(table["personal"]),
        requests=_all_words(table["requests"]),
        leading=_all_words(table["leading"]),
        recalls=tuple(phrase for phrases in table["recalls"].values() for phrase in phrases),
    )


def _all_words(languages: Mapping[str, str]) -> frozenset[str]:
    return frozenset(word for text in languages.values() for word in text.casefold().split())


def _side_by_side(languages: Mapping[str, str]) -> tuple[str, ...]:
    rows = zip(*(text.split() for text in languages.values()), strict=True)
    return tuple(" ".join(dict.fromkeys(row)) for row in rows)


class Finder:
    """Sees which of some terms stand in a text, also in another form: nearly as the index's stemmer does."""

    def __init__(
        self, terms: Sequence[str], longest_ending: int | None = None, names: Collection[str] = ()
    ) -> None:
        """`longest_ending`: letters that may stand behind a stem, None for any: "middle" in "Middlemarch".
        `names` are those of the terms that may be short for another: Mel for Melanie."""
        stems = {stem(term): term for term in terms}
        self._terms = stems
        # Else the first alternative would hide a longer one that begins with it.
        longest_first = sorted(stems, key=len, reverse=True)

        def written(each: str) -> str:
            if longest_ending is None:
                return re.escape(each)
            # A teacher is no form of "tea".
            may_be_long = len(each) > SHORT_STEM or stems[each] in names
            behind = rf"\w{{0,{longest_ending}}}" if may_be_long else SHORT_ENDING
            return rf"{re.escape(each)}(?={behind}\b)"

        self._pattern = re.compile(r"\b(" + "|".join(map(written, longest_first)) + ")")

    def in_text(self, text: str) -> tuple[str, ...]:
        """The terms found, each once, in the order of their first place."""
        if not self._terms:
            return ()
        found = dict.fromkeys(self._pattern.findall(text.casefold()))
        return tuple(self._terms[each] for each in found)

    def excerpt(self, text: str, characters: int) -> str:
        """`text`, or of a longer one the part around the first term found, cut at words."""
        if len(text) <= characters:
            return text
        match = self._pattern.search(text.casefold()) if self._terms else None
        start = max(0, min((match.start() if match else 0) - characters // 3, len(text) - characters))
        part = text[start : start + characters]
        if start:
            # Cut at words, so that no half of one is taken for another.
            part = "… " + part.partition(" ")[2]
        return part if start + characters >= len(text) else part.rpartition(" ")[0] + " …"

    def why(self, text: str) -> Reason:
        """Why a text was found, for people."""
        found = self.in_text(text)
        if found:
            return MemoryReason.HAS_WORDS.of(words=", ".join(found))
        folded = text.casefold()
        inside = [term for term in self._terms.values() if term in folded]
        if inside:
            return MemoryReason.HAS_IN_A_WORD.of(words=", ".join(inside))
        return MemoryReason.STANDS_BESIDE.of()


def stem(word: str) -> str:
    return _ENDING.sub("", word) if len(word) > 4 else word


def folded(text: str) -> list[str]:
    """The words of a text as they are compared: in small letters, without a possessive ending."""
    words = patterns.WORD.findall(text.casefold().replace("’", "'"))
    return [word.removesuffix("'s").removesuffix("'") for word in words]


def singular(word: str) -> str:
    """A topic's word, so that "dentists" are about the dentist."""
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word


def day_word(day: datetime) -> str:
    """A day as one token, which no number in a text is."""
    return f"d{day:%Y%m%d}"


def spaced(text: str) -> str:
    """`text` with what is written without spaces cut into overlapping pairs: 東京都 → 東京 京都."""
    return _UNSPACED.sub(_pairs, text)


def _pairs(run: re.Match[str]) -> str:
    text = run[0]
    return f" {' '.join(text[n : n + 2] for n in range(max(1, len(text) - 1)))} "


def any_of(terms: Iterable[str]) -> str:
    """An FTS5 expression for texts with at least one of `terms`; "" where there are none."""
    return " OR ".join(f'"{term}"' for term in terms)


def grams_of(terms: Sequence[str]) -> str:
    """An FTS5 expression for texts in which at least one of `terms` stands, also inside a word.

    The index keeps no positions, so all grams of a term are asked for and the hits are to be looked at again.
    """
    return " OR ".join(
        "(" + " AND ".join(f'"{gram}"' for gram in _grams(term)) + ")" for term in terms if len(term) >= GRAM
    )


def _grams(term: str) -> Iterable[str]:
    return dict.fromkeys(term[start : start + GRAM] for start in range(len(term) - GRAM + 1))


def normalised(text: str) -> str:
    """Words alone, folded."""
    return _NO_WORD.sub(" ", text.casefold()).strip()


# What is secret by its own words, in whatever sentence: "my bank PIN is 4711", "mein Passwort lautet …".
_OF_WHAT = (
    r"(?:\s+(?:for|of|to|at|in|on|vom|von|für|fürs|zum|zur|am|im|beim|meiner|meines|meinem|der|des|dem"
    r"|de|del|para|du|pour|d['’]\w{1,20})(?:\s+[\w.@'’-]{1,40}){0,5}?)?"
)
_IS = (
    r"\s*(?:['’]s|\b(?:(?:was|has been) changed to|is|are|was|war|ist|sind|lautet|heißt|es|son|est|sera)\b"
    r"(?:\s+now|\s+jetzt)?|:|=)\s*"
)
# What is said of one without giving it away.
_NO_VALUE = (
    r"(?!(?:wrong|not|no|too|very|in|on|at|the|my|under|weak|strong|old|expired|lost|gone|safe|secure|broken|bent"
    r"|forgotten|printed|long|short|enough|mine|one|here|there|set|due|needed|optional|hidden|empty|invalid|sent"
    r"|shown|known|always|never|still|being|changed|blocked|locked|missing|unknown|required|stored|saved|hashed"
    r"|written|from|about|simple|easy|hard|(?:correct|right|fine|valid|ok|okay)(?=\s*(?:[.,;!?]|$))"
    r"|falsch|nicht|kein\w*|zu|im|weg|abgelaufen|gesperrt|vergessen|geändert|kaputt|unsicher|sicher|bei|unter|auf"
    r"|leicht|mir|dir|uns|lang|kurz|richtig|gültig|ungültig|leer|neu|da|hier|nötig"
    r"|demasiado|muy|en|cort[ao]|larg[ao]|incorrect[ao]|trop|très|pas|dans|sur|perdu\w*|oublié\w*|incorrecte?)\b)"
)
_VALUE = r"(?P<value>[\"'“„«]?[^\s.,;!?][^.,;!?\n]{1,80})"
_DIGITS = r"(?P<value>(?=[^\s,;!?]{0,40}\d)[\"'“„«]?[^\s,;!?]{2,40})"
# Words that name nothing else.
_GUARDED = (
    r"(?:pin(?: code| number|-?nummer)?|passcode|pass ?phrase|\w{0,30}(?:password|passwort|kennwort)|puk|tan"
    r"|cvv|cvc|totp(?: secret)?|2fa(?: secret)?|(?:seed|recovery) (?:phrase|words)|recovery codes?|secret key"
    r"|private key|(?:safe|lock|vault|locker) (?:code|combination)|zahlenkombination|geheimzahl|geheimnummer"
    r"|zugangscode|tresorcode|wiederherstellungs(?:code|phrase)|master ?passwort|contraseña|clave (?:secreta"
    r"|de acceso|del? wi-?fi)|código (?:pin|de acceso|de seguridad|de desbloqueo)|frase (?:semilla|de "
    r"recuperación)|mot de passe|code (?:pin|d['’]accès|secret|confidentiel)|phrase (?:secrète|de "
    r"récupération))"
)
# "Code" is much else, so it counts where it opens something, and where a number follows.
_OPENED = (
    r"(?:door|alarm(?: system)?|locker|access|unlock|keypad|safe|lock|vault|phone|card|wi-?fi|wlan|bike lock"
    r"|suitcase|(?:haus)?tür|alarmanlage|spind|tresor|safe|schließfach|fahrradschloss|koffer|handy|karte"
    r"|puerta|alarma|tarjeta|caja fuerte|taquilla|porte|alarme|coffre|casier|carte)"
)
_SECRETS = tuple(
    any_case(pattern)
    for pattern in (
        rf"\b{_GUARDED}{_OF_WHAT}(?:\s+at home|\s+zu hause)?{_IS}{_NO_VALUE}{_VALUE}",
        rf"\b{_OPENED}(?:['’]s)?[ -]?codes?\b{_OF_WHAT}{_IS}{_DIGITS}",
        rf"\b(?:entsperr|tür|haus|alarm)codes?\b{_OF_WHAT}{_IS}{_DIGITS}",
        rf"\b(?:code|combination|kombination|código|clave)\b\s+(?:for|of|to|vom|von|für|zum|zur|der|des|de|del|du)\b"
        rf"(?:\s+[\w'’-]{{1,40}}){{0,4}}?\s+{_OPENED}\b(?:\s+\w{{1,40}})?{_IS}{_DIGITS}",
        rf"\b(?:wi-?fi|wlan|network|netzwerk|api|access)[ -]?(?:key|schlüssel){_OF_WHAT}{_IS}{_DIGITS}",
        rf"\b(?:code|clave) (?:wi-?fi|du wi-?fi|del wi-?fi){_IS}{_VALUE}",
        rf"\b(?:has|have|use|uses|with|hat|haben|mit|nutzt?e?)\s+(?:(?:the|den|das|die|dem|der)\s+)?"
        rf"(?:code|pin|passcode|password|passwort|kennwort)\s+{_DIGITS}",
        rf"\b(?:login|log-in|credentials|zugangsdaten|anmeldedaten){_OF_WHAT}{_IS}"
        r"(?P<value>[^\s,;!?/]{1,40}(?:\s*/\s*|,?\s+(?:and|und|with|mit)\s+)[^\s,;!?]{3,40})",
    )
)
_PHRASE = any_case(r"phrase|frase|words")
MOST_WORDS = 3  # of a secret that is no phrase
NOT_KEPT = "[not kept]"


def holds_secret(text: str) -> bool:
    """Whether a text gives away a password, a PIN or their like in words."""
    return next(_secrets_in(text), None) is not None


def without_secrets(text: str) -> str:
    """`text` with a mark in the place of each such secret."""
    # Several patterns may find parts of the same one.
    places: list[tuple[int, int]] = []
    for start, end in sorted(set(_secrets_in(text))):
        if places and start < places[-1][1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((start, end))
    # From the end, so that the places before stay where they are.
    for start, end in reversed(places):
        text = text[:start] + NOT_KEPT + text[end:]
    return text


def _secrets_in(text: str) -> Iterator[tuple[int, int]]:
    """The places where secrets begin and end."""
    for pattern in _SECRETS:
        for match in pattern.finditer(text):
            if _gives_away(match):
                yield match.span("value")


def _gives_away(match: re.Match[str]) -> bool:
    """Words alone are one where they are few, or where the secret is a phrase: "is what I keep forgetting" is
    none.
    """
    value = match["value"]
    if value.startswith(NOT_KEPT[:4]):
        return False  # already taken out
    if re.search(r"\d|[^\w\s'’-]", value.rstrip(" .!?")):
        return True
    return len(value.split()) <= MOST_WORDS or _PHRASE.search(match[0]) is not None


class Likeness:
    """A text, prepared to be compared with many."""

    def __init__(self, text: str) -> None:
        self.text = normalised(text)
        self._grams = frozenset(self.text[n : n + 3] for n in range(max(1, len(self.text) - 2)))

    def is_like(self, other: Likeness) -> bool:
        shorter, longer = sorted((self, other), key=lambda each: len(each.text))
        # Too different in length for either test: most pairs end here.
        if len(shorter.text) < ALIKE * CONTAINED * len(longer.text):
            return False
        if len(shorter.text) >= _SHORTEST and shorter.text in longer.text:
            return len(shorter.text) >= CONTAINED * len(longer.text)
        shared = len(self._grams & other._grams)
        return shared >= ALIKE * (len(self._grams) + len(other._grams) - shared)


def sentences(text: str) -> tuple[str, ...]:
    """`text` cut at the ends of its sentences, each with its mark."""
    parts = (part for each in patterns.SENTENCE_END.split(text) for part in without_question(each.strip()))
    return tuple(part for part in parts if part)


def without_question(sentence: str) -> tuple[str, ...]:
    """A sentence, and apart from it the question behind it: "I quit, how do I tell my boss?" is two."""
    behind = patterns.QUESTION_BEHIND.match(sentence)
    return (sentence,) if behind is None else (f"{behind['said']}.", behind["asks"])


def asks(sentence: str) -> bool:
    """A question states nothing, and takes nothing back."""
    return sentence.rstrip().endswith("?")


def pieces(text: str) -> tuple[str, ...]:
    """`text`, cut at the end of a paragraph, line, sentence or word; joined they are `text` but for white
    space.
    """
    return tuple(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    while len(text) > LONGEST:
        end = _end(text[:LONGEST])
        yield text[:end].strip()
        text = text[end:].strip()
    if text:
        yield text


def _end(head: str) -> int:
    """Not in the first half: a heading by itself is no piece."""
    for pattern in _ENDS:
        places = [match.end() for match in pattern.finditer(head) if match.end() > LONGEST // 2]
        if places:
            return places[-1]
    return len(head)
