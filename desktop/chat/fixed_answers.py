"""Answers that are fixed in tables, in English, German, French and Spanish, where small models err.

Messages that speak of a danger to life now: asked "chest pain and a numb arm, aspirin and lie down?", a small
model says "Yes". So signs of heart attack, stroke, poisoning, self-harm, gas and lost consciousness are known
by their words (`resources/emergencies.toml`), and what to do now stands there, with the country's numbers.
Words of a text, a lesson or the past are no sign: a novel may have its heart attack, and the model writes it.

Questions about Steward itself: asked "do you send my data anywhere?", a small model says yes. What Steward
is, sends, stores, may see and can do, which model answers and what it costs is in `resources/own_facts.toml`.
The model's name, the working folder and the count of requests are put in when it is asked, so the answer
cannot be untrue. A rule speaks only where it understands the whole question.

What these tables say nothing of the model may still tell (`desktop/chat/message_judge.py`); it chooses among
the same answers.

Pure functions over tables that are read once; any thread.
"""

from __future__ import annotations

import os
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

from desktop.chat.intent_words import likely_languages
from desktop.chat.request_kinds import ASKS_IF_DONE
from desktop.chat.tool_choice import files_in
from desktop.network.log import Traffic
from desktop.paths import resources
from desktop.settings import Settings

# As people type them: without the apostrophe, or by a letter.
_SHORTENED = """
    don't can't won't didn't isn't doesn't aren't wasn't i'm i've he's she's what's who's that's j'ai c'est
    u=you ur=your pls=please plz=please hab=habe gibts=gibt_es gehts=geht_es nen=einen ne=eine q=que
"""
_SHORT_FORMS = {
    short.replace("'", ""): (whole or short).replace("_", " ")
    for short, _, whole in (each.partition("=") for each in _SHORTENED.split())
}


def plain_words(text: str) -> str:
    """Small letters without accents, one space between words: as the table's expressions are written."""
    folded = unicodedata.normalize("NFKD", text.replace("’", "'").casefold())
    bare = "".join(letter for letter in folded if not unicodedata.combining(letter))
    words = re.sub(r"[,;:!?¿¡.()\"“”„«»*…-]+", " ", bare).split()
    return " ".join(_SHORT_FORMS.get(word, word) for word in words)


# -- a danger to life -------------------------------------------------------------------------

# A longer message is a text that was pasted; nobody in danger writes a page.
LONGEST_ALARM = 600
NEAR = 7  # words between the two of a pair
FEW_WORDS = 12  # as many as somebody in need throws down
ANYWHERE = "unknown"  # the entry of numbers where no country is known


class EmergencyKind(StrEnum):
    """What there is an answer for. `BY_WORDS` are known by tables; words that weigh and the model tell all of
    them (`message_judge.py`)."""

    UNCONSCIOUS = "unconscious"
    GAS = "gas"
    VENOM = "venom"
    POISON = "poison"
    SELF_HARM = "selfharm"
    STROKE = "stroke"
    HEART = "heart"
    BREATHING = "breathing"
    BLEEDING = "bleeding"
    BURN = "burn"
    HEAD = "head"
    FIRE = "fire"
    VIOLENCE = "violence"
    SEIZURE = "seizure"
    CHILD = "child"
    GENERAL = "general"  # whatever else may be one


# Those with signs in the table, in the order in which they are looked for: what leaves the least time first.
BY_WORDS = (
    EmergencyKind.UNCONSCIOUS,
    EmergencyKind.GAS,
    EmergencyKind.VENOM,
    EmergencyKind.POISON,
    EmergencyKind.SELF_HARM,
    EmergencyKind.STROKE,
    EmergencyKind.HEART,
)


# What is said of people here is said of computers, mails and landlords as well.
LIKE_MACHINES = frozenset({EmergencyKind.UNCONSCIOUS, EmergencyKind.STROKE, EmergencyKind.HEART})


@dataclass(frozen=True)
class Emergency:
    """What was recognised, and the answer in the language (`en`, `de`, `fr`, `es`) of the message."""

    kind: EmergencyKind
    language: str
    answer: str


def emergency_in(text: str, country: str) -> Emergency | None:
    """The emergency that `text` tells of; `country` is a code of two letters, or empty."""
    if len(text) > LONGEST_ALARM:
        return None
    said = plain_words(text)
    # A sign in what speaks of texts and plans has to be one of many: else it is no table's to tell.
    if _found(_message_words().against["texts"], said) and signs_of_danger(text).weight < SURE_OF_TEXTS:
        return None
    languages = sorted(_people(), key=lambda language: _people()[language].search(said) is None)
    for kind in BY_WORDS:
        for language in languages:  # those first whose people it names: many signs are alike in two languages
            if _tells(said, kind, language):
                told = _of_chest(said, kind, language)
                return Emergency(told, language, _answer(told, language, country))
    return None


def _of_chest(said: str, kind: EmergencyKind, language: str) -> EmergencyKind:
    """A numb arm beside a chest that hurts is the heart's, though it alone could be a stroke's."""
    is_heart = kind is EmergencyKind.STROKE and _chest()[language].search(said) is not None
    return EmergencyKind.HEART if is_heart and _tells(said, EmergencyKind.HEART, language) else kind


def emergency_of(kind: EmergencyKind, text: str, country: str) -> Emergency:
    """The answer to `text`, which somebody else has recognised as an emergency of `kind`."""
    language = said_in(text)
    return Emergency(kind, language, _answer(kind, language, country))


def in_doubt(text: str, country: str) -> str:
    """What stands before the model's own answer to `text`, where a danger is neither clear nor ruled out."""
    language = said_in(text)
    line: str = _emergencies()["maybe"][language]
    return line.format(**_numbers(language, country))


def said_in(text: str) -> str:
    """The language of `text` among the four, by its small words; English where they say nothing."""
    said, small = plain_words(text), _own_questions().small
    order = list(likely_languages(text))

    def known(language: str) -> int:
        words = _apart(said, language).split()
        is_of_people = _people()[language].search(said) is not None
        return sum(small[language].fullmatch(word) is not None for word in words) + is_of_people

    return max(order, key=lambda language: (known(language), -order.index(language)))


def country_of_computer() -> str:
    """The country of the system's language settings, such as `DE`; empty where none is set, as on Windows."""
    for name in ("LC_ALL", "LC_TELEPHONE", "LC_MESSAGES", "LANG"):
        found = re.match(r"[a-z]{2,3}[_-]([A-Z]{2})\b", os.environ.get(name, ""))
        if found is not None:
            return found[1]
    return ""


def _tells(said: str, kind: EmergencyKind, language: str) -> bool:
    if _elsewhere()[language].search(said) is not None:
        return False
    # Said of a machine or of an animal, unless somebody is named whom it happens to.
    if not _persons()[language].search(said):
        if kind in LIKE_MACHINES and _things()[language].search(said) is not None:
            return False
        if kind is not EmergencyKind.GAS and _animals()[language].search(said) is not None:
            return False
    if kind is EmergencyKind.POISON and _is_food(said, language):
        return False
    signs, pairs = _signs()[kind][language], _pairs().get(kind, {}).get(language, ())
    if not any(sign.search(said) for sign in signs) and not any(pair.is_in(said) for pair in pairs):
        return False
    # Who writes of hurting oneself writes of oneself, and a few words thrown down ("chest pain, numb arm")
    # tell of somebody here. Everything else needs somebody whom it happens to.
    is_short = len(said.split()) <= FEW_WORDS
    return kind is EmergencyKind.SELF_HARM or is_short or _people()[language].search(said) is not None


def _is_food(said: str, language: str) -> bool:
    """Mushrooms on a pizza; not those of a wood, and none that somebody is ill from."""
    return (
        _food()[language].search(said) is not None
        and _dishes()[language].search(said) is not None
        and _ill()[language].search(said) is None
    )


@dataclass(frozen=True)
class _Pair:
    """Two expressions that are a sign near each other; `in_order`: only where the first comes first."""

    first: re.Pattern[str]
    second: re.Pattern[str]
    in_order: bool = False

    def is_in(self, said: str) -> bool:
        """Whether both stand in `said` with no more than `NEAR` words between them."""
        firsts, seconds = (
            [said.count(" ", 0, m.start()) for m in each.finditer(said)] for each in self._both
        )
        distances = [second - first for first in firsts for second in seconds]
        return any(0 <= each <= NEAR if self.in_order else abs(each) <= NEAR for each in distances)

    @property
    def _both(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        return self.first, self.second


def _answer(kind: EmergencyKind, language: str, country: str) -> str:
    answer: str = _emergencies()["answers"][kind][language]
    return answer.format(**_numbers(language, country))


def _numbers(language: str, country: str) -> dict[str, str]:
    numbers = _emergencies()["numbers"]
    anywhere = numbers[ANYWHERE]
    of_country = numbers.get(country, anywhere)
    # One number brings all in most countries, and the bandage of one is harm in the others.
    found = dict.fromkeys(("fire", "police"), of_country["emergency"])
    found |= {name: anywhere[name] for name in ("bandage", "abuse")} | dict(of_country)
    return {name: _number(entry, language) for name, entry in found.items()}


def _number(entry: str | Mapping[str, str], language: str) -> str:
    """Where no country is known, the entry is a sentence in each language."""
    return entry if isinstance(entry, str) else entry[language]


@cache
def _emergencies() -> Mapping[str, Any]:
    return tomllib.loads((resources() / "emergencies.toml").read_text(encoding="utf-8"))


@cache
def _signs() -> Mapping[EmergencyKind, Mapping[str, tuple[re.Pattern[str], ...]]]:
    return {
        kind: {
            language: tuple(map(re.compile, found))
            for language, found in _emergencies()["signs"][kind].items()
        }
        for kind in BY_WORDS
    }


@cache
def _pairs() -> Mapping[str, Mapping[str, tuple[_Pair, ...]]]:
    return {
        kind: {
            language: tuple(
                _Pair(re.compile(one), re.compile(other), bool(then)) for one, other, *then in pairs
            )
            for language, pairs in languages.items()
        }
        for kind, languages in _emergencies()["pairs"].items()
    }


@cache
def _chest() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("chest"))


@cache
def _people() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("people"))


@cache
def _elsewhere() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("elsewhere"))


@cache
def _food() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("food"))


@cache
def _dishes() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("dishes"))


@cache
def _ill() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("ill"))


@cache
def _persons() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("persons"))


@cache
def _animals() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("animals"))


@cache
def _things() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("things"))


def _compiled(name: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    for language, pattern in _emergencies()[name].items():
        yield language, re.compile(pattern)


# -- Steward itself ---------------------------------------------------------------------------

LONGEST_QUESTION = 160
MOST_WORDS = 20  # of a question that is read by its concepts
# Concepts whose words stay of something else: that of a request, and the programs of others.
WANTS, SERVICE = "wants", "service"


class OwnFact(StrEnum):
    """What may be asked of Steward; the keys of the table."""

    MODEL = "model"
    TRAINING = "training"
    STORES = "stores"
    INTERNET = "internet"
    REACH = "reach"
    SENDS = "sends"
    MAKER = "maker"
    IDENTITY = "identity"
    CAN = "can"
    LANGUAGES = "languages"
    MISTAKES = "mistakes"


@dataclass(frozen=True)
class OwnState:
    """What the answers are filled with. `started` is local time, since which `traffic` is counted; `model` is
    empty where none is installed.
    """

    settings: Settings
    model: str
    folder: str
    started: datetime
    traffic: Traffic

    @property
    def has_team(self) -> bool:
        """A shared memory is asked at each question."""
        return bool(self.settings.memory.team_store)

    @property
    def looks_for_updates(self) -> bool:
        return self.settings.network.look_for_updates

    def is_exception(self, fact: OwnFact) -> bool:
        """Whether the settings make the usual answer to `fact` untrue."""
        if fact is OwnFact.REACH:
            asked = self.settings.permissions
            return asked.dangerously_skip_permissions or not asked.require_confirmation_cud
        return fact is OwnFact.SENDS and (self.has_team or self.looks_for_updates)


@dataclass(frozen=True)
class OwnAnswer:
    """`language` is that of the question: `en`, `de`, `fr` or `es`."""

    fact: OwnFact
    language: str
    text: str


def asked_of_steward(text: str) -> tuple[OwnFact, str] | None:
    """Which fact is asked for, and in which language; None where it is another question."""
    if len(text) > LONGEST_QUESTION:
        return None
    asked = plain_words(text)
    for fact in OwnFact:
        for language, pattern in _questions()[fact].items():
            if pattern.fullmatch(asked) is not None:
                return fact, language
    return _by_concepts(text, asked)


def _by_concepts(text: str, asked: str) -> tuple[OwnFact, str] | None:
    """The fact of the first rule whose concepts a question has, in whatever words and order, with no more
    beside them that is of something else than the rule bears: "is this free or do I have to pay", but not
    "is the parking free"."""
    table = _own_questions()
    if len(asked.split()) > MOST_WORDS:
        return None
    read = {language: table.read(asked, language) for language in table.small}
    # Many words are the same in two languages; the question's own leaves the fewest over.
    fewest = min(each.beside for each in read.values())
    for language, reading in read.items():
        if reading.beside == fewest and ("?" in text or table.begins[language].match(asked)):
            for fact, rules in table.rules.items():
                if any(rule.fits(reading) for rule in rules):
                    return _by_topics(fact, text), language
    return None


def _by_topics(fact: OwnFact, text: str) -> OwnFact:
    """`fact`, or the one that more words of `text` ask for: a rule looks at few of them."""
    asked = Counter[OwnFact]()
    for name, count in topics_asked(text).items():
        asked[TOPICS[name]] += count
    likeliest, most = max(asked.items(), key=lambda each: each[1], default=(fact, 0))
    return likeliest if most > asked[fact] else fact


@dataclass(frozen=True)
class _Reading:
    """Which concepts a question has, and how many words that are neither theirs nor small."""

    concepts: frozenset[str]
    beside: int


@dataclass(frozen=True)
class _Rule:
    """Of each of `needed` one has to be there, and none of `barred`."""

    needed: tuple[frozenset[str], ...]
    barred: frozenset[str]
    beside: int

    @classmethod
    def of(cls, line: str) -> _Rule:
        words = line.split()
        needed = tuple(frozenset(each.split("|")) for each in words if each[0] not in "!+")
        barred = frozenset(each[1:] for each in words if each[0] == "!")
        return cls(needed, barred, sum(int(each) for each in words if each[0] == "+"))

    def fits(self, reading: _Reading) -> bool:
        return (
            reading.beside <= self.beside
            and self.barred.isdisjoint(reading.concepts)
            and all(not each.isdisjoint(reading.concepts) for each in self.needed)
        )


@dataclass(frozen=True)
class _OwnQuestions:
    """`resources/own_questions.toml`, compiled."""

    begins: Mapping[str, re.Pattern[str]]
    small: Mapping[str, re.Pattern[str]]
    concepts: Mapping[str, Mapping[str, re.Pattern[str]]]
    rules: Mapping[OwnFact, tuple[_Rule, ...]]

    def read(self, asked: str, language: str) -> _Reading:
        line = _apart(asked, language)
        found, left = set(), list(line)
        for name, patterns in self.concepts.items():
            spans = [match.span() for match in patterns[language].finditer(line)]
            if spans:
                found.add(name)
            # What is wanted done takes in the whole request, and another's program is what is asked about.
            for start, end in spans if name not in (WANTS, SERVICE) else ():
                left[start:end] = " " * (end - start)
        return _Reading(frozenset(found), len(self.small[language].sub(" ", "".join(left)).split()))


def _apart(asked: str, language: str) -> str:
    """With a space where an apostrophe joins two words: l'internet, you're."""
    if language == "fr":
        return re.sub(r"\b([ldjtmnsc]|qu)'(?=\w)", r"\1' ", asked)
    return _JOINED.sub(lambda match: f" {_WHOLE[match[1]]}", asked) if language == "en" else asked


_WHOLE = {"re": "are", "s": "is", "m": "am", "ve": "have", "ll": "will", "d": "would"}
_JOINED = re.compile(rf"'({'|'.join(_WHOLE)})\b")


@cache
def _own_questions() -> _OwnQuestions:
    table = tomllib.loads((resources() / "own_questions.toml").read_text(encoding="utf-8"))
    lead = _own_facts()["lead"]

    def whole_words(found: str) -> re.Pattern[str]:
        return re.compile(rf"(?<![\w'])(?:{found})(?![\w])")

    return _OwnQuestions(
        {each: re.compile(rf"(?:{lead[each]})?(?:{found})\b") for each, found in table["begins"].items()},
        {each: whole_words(found) for each, found in table["small"].items()},
        {
            name: {each: whole_words(found) for each, found in concept.items()}
            for name, concept in table["concepts"].items()
        },
        {OwnFact(fact): tuple(map(_Rule.of, rules)) for fact, rules in table["rules"].items()},
    )


def own_answer(text: str, now: Callable[[], OwnState]) -> OwnAnswer | None:
    """The answer to a question about Steward, or None where the tables see none in it."""
    found = asked_of_steward(text)
    return _told(*found, now()) if found is not None else None


def own_answer_of(fact: OwnFact, text: str, state: OwnState) -> OwnAnswer:
    """The answer to `text`, which somebody else has recognised as a question for `fact`."""
    return _told(fact, said_in(text), state)


def _told(fact: OwnFact, language: str, state: OwnState) -> OwnAnswer:
    told: str = _own_facts()[fact]["exception" if state.is_exception(fact) else "told"][language]
    model = state.model or _own_facts()["network"]["none"][language]
    return OwnAnswer(
        fact, language, told.format(model=model, folder=state.folder, network=_network(state, language))
    )


@dataclass(frozen=True)
class Examples:
    """What stands before the examples of an answer, and their requests, each to be said as it stands."""

    lead: str
    requests: tuple[str, ...]


def examples_in(text: str) -> Examples | None:
    """Those of "What can you do for me?", and the one of a file that is offered to be read in parts; None for
    any other text."""
    lead, _, examples = text.partition("\n\n")
    is_known = any(lead == told.partition("\n\n")[0] for told in _own_facts()[OwnFact.CAN]["told"].values())
    if not is_known and not _IN_PARTS.fullmatch(examples):
        return None
    # Beside the first request of a line may stand what it is for.
    requests = tuple(_EXAMPLE.findall(examples))
    return Examples(lead, requests) if requests else None


_IN_PARTS = re.compile(r"- \*(?:Summarise [^*\n]+ in parts|Fasse [^*\n]+ in Teilen zusammen)\*")
_EXAMPLE = re.compile(r"^- \*([^*]+)\*", re.MULTILINE)


def _network(state: OwnState, language: str) -> str:
    """What has left, counted: never a promise."""
    words = _own_facts()["network"]
    sent: str = words["requests" if state.traffic.requests else "quiet"][language]
    told = sent.format(time=f"{state.started:%H:%M}", count=state.traffic.requests)
    if state.traffic.open_commands:
        told += words["commands"][language].format(count=state.traffic.open_commands)
    if state.looks_for_updates:
        told += words["updates"][language]
    if state.has_team:
        told += words["team"][language]
    return told


@cache
def _own_facts() -> Mapping[str, Any]:
    return tomllib.loads((resources() / "own_facts.toml").read_text(encoding="utf-8"))


@cache
def _questions() -> Mapping[OwnFact, Mapping[str, re.Pattern[str]]]:
    return {fact: dict(_patterns(fact)) for fact in OwnFact}


def _patterns(fact: OwnFact) -> Iterator[tuple[str, re.Pattern[str]]]:
    table = _own_facts()
    for language, asked in table[fact]["asked"].items():
        yield language, re.compile(f"{table['lead'][language]}(?:{asked}){table['tail'][language]}")


# -- where no table is sure -------------------------------------------------------------------

# What each kind of word weighs, chosen on the development set of `dev.py bench messages`.
SURE, MAYBE, SOMEBODY, MOST_PEOPLE = 1.0, 0.5, 0.3, 3
OF_TEXTS, OF_THINGS, OF_PAST, OF_TASKS, OF_QUESTIONS = 1.2, 0.8, 1.2, 1.0, 0.5
MOST_AGAINST = 2
SURE_OF_TEXTS = 1.5  # a table's sign in a message of texts counts from here on
WORTH_ASKING = 0.6  # from here on there may be a danger
MOST_QUESTION_WORDS = 24  # of a question about Steward
FEW_QUESTION_WORDS = 16  # of one that names it by no more than "this"


@dataclass(frozen=True)
class DangerSigns:
    """How much the words of a message speak for a danger to somebody, and for which kind."""

    weight: float
    kinds: Mapping[EmergencyKind, float]

    @property
    def are_worth_asking(self) -> bool:
        """Whether there may be a danger: people alone are no sign of one."""
        return self.weight >= WORTH_ASKING and any(self.kinds.values())


def signs_of_danger(text: str) -> DangerSigns:
    """What the words of `text` say of a danger, those that speak against one taken off."""
    if len(text) > LONGEST_ALARM:
        return DangerSigns(0.0, {})
    said, words = plain_words(text), _message_words()
    sure, maybe, kinds = set[str](), set[str](), dict[EmergencyKind, float]()
    for kind, (of_itself, of_others) in words.signs.items():
        certain = _found(of_itself, said)
        possible = _found(of_others, said) - certain
        kinds[kind] = SURE * len(certain) + MAYBE * len(possible)
        sure |= certain
        maybe |= possible
    people = min(len(_found(words.people, said)), MOST_PEOPLE)
    weight = SURE * len(sure) + MAYBE * len(maybe - sure) + SOMEBODY * people
    for name, each in (("texts", OF_TEXTS), ("things", OF_THINGS), ("past", OF_PAST)):
        weight -= each * min(len(_found(words.against[name], said)), MOST_AGAINST)
    weight -= OF_TASKS * _is_task(said) + OF_QUESTIONS * (words.asks.match(said) is not None)
    return DangerSigns(weight, kinds)


def may_ask_of_steward(text: str) -> bool:
    """Whether `text` may be a question about Steward itself, and asks for nothing to be done."""
    said = plain_words(text)
    count = len(said.split())
    if not said or len(text) > LONGEST_QUESTION or count > MOST_QUESTION_WORDS:
        return False
    words = _message_words()
    speaks_to = _speaks_to_steward(text, said)
    # Another program is asked about, or somebody who made one.
    if not speaks_to and any(each.search(said) for each in _own_questions().concepts[SERVICE].values()):
        return False
    if not speaks_to and words.here.search(said) is None:
        points = count <= FEW_QUESTION_WORDS and _POINTS_HERE.search(said) is not None
        if not points or not any(topics_asked(text).get(each) for each in TOPICS_OF_THIS):
            return False
    if _is_task(said) or words.general.search(said) is not None:
        return False
    return _asks(text) and not (files_in(text) or "://" in text or ASKS_IF_DONE.search(text))


def topics_asked(text: str) -> Mapping[str, int]:
    """How many words of each topic `text` has, by the names of `own.topics`."""
    said = plain_words(text)
    found = {name: len(_found(each, said)) for name, each in _message_words().topics.items()}
    return {name: count for name, count in found.items() if count}


# The names of `own.topics`, which are words that a model can say, and the facts behind them.
TOPICS: Mapping[str, OwnFact] = {
    "sends": OwnFact.SENDS,
    "stores": OwnFact.STORES,
    "training": OwnFact.TRAINING,
    "internet": OwnFact.INTERNET,
    "access": OwnFact.REACH,
    "price": OwnFact.MAKER,
    "maker": OwnFact.MAKER,
    "identity": OwnFact.IDENTITY,
    "model": OwnFact.MODEL,
    "abilities": OwnFact.CAN,
    "languages": OwnFact.LANGUAGES,
    "mistakes": OwnFact.MISTAKES,
}
OF_SERVERS_TOO = frozenset({OwnFact.REACH, OwnFact.STORES, OwnFact.CAN})
# What "this" may cost, send or need; what it is able to do is said of everything.
TOPICS_OF_THIS = ("sends", "price", "internet")
# In the middle of a sentence, where it is not "they".
_POLITE = re.compile(r"(?<=[\w,] )(?:Sie|Ihnen|Ihre?[nmrs]?)\b")
_POINTS_HERE = re.compile(
    r"\b(?:this|here|das|hier|dies|ca|c'est|ici|il faut|y a|esto|eso|aqui|hay que|hay)\b"
)


def _asks(text: str) -> bool:
    """Whether a question is in it: by its mark, or by how a part of it begins."""
    if "?" in text or _message_words().asks_without_mark.search(plain_words(text)) is not None:
        return True
    begins = _own_questions().begins[said_in(text)]
    return any(begins.match(plain_words(each)) for each in _PARTS.split(text))


_PARTS = re.compile(r"[,;.:]\s+|\s(?:and|or|so|und|oder|et|ou|y|o)\s", re.IGNORECASE)


def _speaks_to_steward(text: str, said: str) -> bool:
    you = _message_words().you
    # Its language last: most messages have no such word of any.
    if any(each.search(said) for each in you.values()) and you[said_in(text)].search(said) is not None:
        return True
    return _POLITE.search(text) is not None


def _is_task(said: str) -> bool:
    return _message_words().task.search(said) is not None


def _found(words: re.Pattern[str], said: str) -> set[str]:
    return {match.group() for match in words.finditer(said)}


@dataclass(frozen=True)
class _MessageWords:
    """`resources/message_words.toml`, compiled."""

    task: re.Pattern[str]
    people: re.Pattern[str]
    asks: re.Pattern[str]
    against: Mapping[str, re.Pattern[str]]
    signs: Mapping[EmergencyKind, tuple[re.Pattern[str], re.Pattern[str]]]
    you: Mapping[str, re.Pattern[str]]
    here: re.Pattern[str]
    asks_without_mark: re.Pattern[str]
    general: re.Pattern[str]
    topics: Mapping[str, re.Pattern[str]]


@cache
def _message_words() -> _MessageWords:
    table = tomllib.loads((resources() / "message_words.toml").read_text(encoding="utf-8"))
    task, danger, own = table["task"], table["danger"], table["own"]
    verbs = rf"(?:[mt]')?(?:{'|'.join(task['verbs'].split(chr(10)))}|{task['plays']})\b"
    begins = rf"^(?:(?:{task['lead']}) )*{verbs}"
    asks = rf"\b(?:{task['asked']}) (?:\S+ ){{0,2}}?{verbs}"
    return _MessageWords(
        task=re.compile(
            "|".join(
                (begins, asks, rf"\b{task['also']}\b", rf"\b(?:{task['ends']})$", rf"\b(?:{task['marks']})\b")
            )
        ),
        people=_any_of(danger["people"]),
        asks=re.compile(rf"(?:{danger['asks']})\b"),
        against={name: _any_of(words) for name, words in danger["against"].items()},
        signs={
            kind: (_any_of(danger[kind]["sure"]), _any_of(danger[kind]["maybe"])) for kind in EmergencyKind
        },
        you={language: _any_of(words) for language, words in own["you"].items()},
        here=_any_of(own["here"]),
        asks_without_mark=re.compile(own["asks"]),
        general=re.compile("|".join(own["general"].replace("_", " ").split("\n"))),
        topics={name: _any_of(words) for name, words in own["topics"].items()},
    )


def _any_of(words: str) -> re.Pattern[str]:
    found = (re.escape(each).replace("_", " ").replace(r"\*", r"[\w']*") for each in words.split())
    return re.compile(rf"(?<![\w'])(?:{'|'.join(found)})(?![\w'])")
