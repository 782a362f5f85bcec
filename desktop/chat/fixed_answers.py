"""Answers that are fixed in tables, in English, German, French and Spanish, where small models err.

Messages that tell of a danger to life now: asked "chest pain and a numb arm, aspirin and lie down?", a small
model says "Yes". What to do now stands in `resources/emergencies.toml`, with the country's numbers.

Questions about Steward itself: asked "do you send my data anywhere?", a small model says yes. What Steward
is, sends, stores, may see and can do, which model answers and what it costs is in `resources/own_facts.toml`.
The model's name, the working folder and the count of requests are put in when it is asked, so the answer
cannot be untrue.

Which message is answered so is told by its likeness to examples (`desktop/chat/message_classes.py`): they
choose among these answers, and write none.

Pure functions over tables that are read once; any thread.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

import structlog

from desktop.chat.described_files import likely_of
from desktop.chat.intent_words import language_of, sentences
from desktop.chat.message_classes import (
    CLEAR_KIND,
    CLEAR_TOPIC,
    IS_DANGER,
    IS_OWN,
    IS_SURELY_OWN,
    LONGEST_MESSAGE,
    MAY_BE_DANGER,
    MessageScores,
    clearest,
    message_scores,
    without_courtesy,
)
from desktop.chat.prompts import behind_examples
from desktop.chat.request_kinds import DRAFTS, LETTERS
from desktop.chat.speech_acts import may_only_tell, only_remarks
from desktop.chat.tool_args import Submit
from desktop.engine.requests import GenerateRequest, Message
from desktop.network.log import Traffic
from desktop.paths import resources
from desktop.settings import Settings

ANYWHERE = "unknown"  # the entry of numbers where no country is known


@dataclass(frozen=True)
class FixedAnswer:
    """What the host says to a message. Where that is not the `is_whole` answer, the model's own follows."""

    text: str
    is_whole: bool = True


# -- a danger to life -------------------------------------------------------------------------


class EmergencyKind(StrEnum):
    """What there is an answer for; the keys of the table, and the kinds of the examples."""

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


@dataclass(frozen=True)
class Danger:
    """What a message tells of; GENERAL where its kind is not clear. Without `is_clear` there may be none."""

    kind: EmergencyKind
    is_clear: bool


# A medicine that was taken twice: told that all is well, nobody asks who would know.
_MEDICINE = (
    r"(?:tablets?|pills?|medic(?:ine|ation)s?|insulin|doses?|\d+ ?mg|tabletten?|pillen?|medikamente?|dosis|"
    r"comprimés?|cachets?|pilules?|médicaments?|pastillas?|comprimidos?|medicamentos?|medicación)"
)
_TWICE = (
    r"(?:twice|two times|doubled?|too many|two instead of one|doppelt|zweimal|zwei statt einer?|zu viele?|"
    r"deux fois|en double|le double|trop|dos veces|doble|demasiad[ao]s?)"
)
_TAKEN = (
    r"(?:(?:i|she|he|we)(?:['’](?:ve|s)| have| has)?(?: \w+){0,2} (?:taken|took|had|given|gave)"
    r"|(?:ich|er|sie|wir)\b.{0,40}\b(?:genommen|gegeben)|habe\b.{0,60}\bgenommen"
    r"|(?:j['’]?ai|il a|elle a)(?: \w+)? pris|(?:he|ha|hemos) (?:tomado|dado)|(?:me )?tomé|tomó)"
)
_MISTAKEN = (
    r"(?:mistake|accident\w*|error|wrong|oops|versehentlich|aus versehen|vertan|erreur|trompée?|sin querer|"
    r"equivoc\w*|too many|zu viele?|trop|demasiad\w*|doubled?|doppelt|en double|doble)"
)
# Each by itself: one pattern of four parts in any order takes minutes for a long text.
_DOUBLE_DOSE = tuple(
    re.compile(rf"\b{each}\b", re.IGNORECASE | re.DOTALL) for each in (_TAKEN, _MEDICINE, _TWICE, _MISTAKEN)
)


def danger_in(text: str) -> Danger | None:
    """What `text` tells of; None where it is like what tells of no danger."""
    if all(each.search(text[:LONGEST_MESSAGE]) for each in _DOUBLE_DOSE):
        return Danger(EmergencyKind.POISON, is_clear=True)
    message = message_scores(text)
    if message.danger < MAY_BE_DANGER:
        return None
    kind, more = clearest(message.kinds)
    is_kind = more >= CLEAR_KIND
    return Danger(EmergencyKind(kind) if is_kind else EmergencyKind.GENERAL, message.danger >= IS_DANGER)


def emergency_in(text: str, country: str) -> str | None:
    """The answer to a clear danger that `text` tells of, in its language; `country` is a code of two letters,
    or empty."""
    danger = danger_in(text)
    if danger is None or not danger.is_clear:
        return None
    return emergency_answer(danger.kind, message_scores(text).language, country)


def in_doubt(text: str, country: str) -> str | None:
    """What stands before the model's own answer to `text` where there may be a danger; None where there is
    none, or a clear one."""
    danger = danger_in(text)
    if danger is None or danger.is_clear:
        return None
    language = message_scores(text).language
    line: str = _emergencies()["maybe"][language]
    return line.format(**_numbers(language, country))


def country_of_computer() -> str:
    """The country of the system's language settings, such as `DE`; empty where none is set, as on Windows."""
    for name in ("LC_ALL", "LC_TELEPHONE", "LC_MESSAGES", "LANG"):
        found = re.match(r"[a-z]{2,3}[_-]([A-Z]{2})\b", os.environ.get(name, ""))
        if found is not None:
            return found[1]
    return ""


def emergency_answer(kind: EmergencyKind, language: str, country: str) -> str:
    """What to do now, with the numbers of `country`."""
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


# -- Steward itself ---------------------------------------------------------------------------


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


# What a server keeps or may reach its own tools tell.
OF_SERVERS_TOO = frozenset({OwnFact.REACH, OwnFact.STORES, OwnFact.CAN})
# The topics of the examples, and the facts behind them.
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


# Of these a small model says what frightens, or what is not so.
_OF_PRIVACY = (OwnFact.SENDS, OwnFact.TRAINING, OwnFact.INTERNET)
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+")
_HAS_WORD = re.compile(r"\w")


def fact_asked(text: str, is_doubtful: bool = False) -> OwnFact | None:
    """Which fact about Steward `text` asks for; None where it is like other messages. `is_doubtful`: "you"
    may be somebody else, such as whoever has just made a call, or a server."""
    # That somebody asks politely says nothing of what is asked.
    text = without_courtesy(text)
    message = message_scores(text)
    parts = [each for each in _SENTENCE_ENDS.split(text[:LONGEST_MESSAGE].strip()) if _HAS_WORD.search(each)]
    if message.own >= (IS_SURELY_OWN if is_doubtful else IS_OWN):
        is_meant = message.own >= IS_SURELY_OWN or (_is_of_one_topic(message) and _is_in_a_sentence(parts))
        return TOPICS[clearest(message.topics)[0]] if is_meant else None
    # "Cheers. By the way, does anything I type here get sent off?" asks in its last sentence.
    surely = max(map(message_scores, parts), key=lambda each: each.own, default=message)
    if len(parts) < 2 or surely.own < IS_SURELY_OWN:
        return None
    fact = TOPICS[clearest(surely.topics)[0]]
    return fact if fact in _OF_PRIVACY else None


def _is_of_one_topic(message: MessageScores) -> bool:
    """Whether it is clear what of Steward is asked: who speaks of their own dry hands asks for none of it.
    What is said of the user's data is near to each other."""
    first, second = (
        TOPICS[name] for name in sorted(message.topics, key=lambda each: -message.topics[each])[:2]
    )
    is_clear = clearest(message.topics)[1] >= CLEAR_TOPIC
    return is_clear or (first in _OF_PRIVACY and second in _OF_PRIVACY)


def _is_in_a_sentence(parts: Sequence[str]) -> bool:
    """Whether one of several sentences asks about Steward by itself."""
    return len(parts) < 2 or max(message_scores(each).own for each in parts) >= IS_OWN


def own_answer(fact: OwnFact, language: str, state: OwnState) -> str:
    """What is so of `fact`, in a language of the four."""
    told: str = _own_facts()[fact]["exception" if state.is_exception(fact) else "told"][language]
    model = state.model or _own_facts()["network"]["none"][language]
    return told.format(model=model, folder=state.folder, network=_network(state, language))


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


# -- what is said to a remark ------------------------------------------------------------------

# What is said to a remark, which asks for nothing: one sentence of ours that fits its mood.
#
# "Kemal zieht vielleicht weg, wär echt schade" wants a kind word. A small model talks about it at length,
# makes up a police report or takes a word for another thing, and in languages that it hardly has it
# babbles. What it can do is say how somebody feels who writes so: it weighs a few words against each
# other and writes none, and the sentence is from a table (`resources/requests.toml`, `remarks`). Any
# thread; blocks while the model reads.

log = structlog.get_logger(__name__)

CONVERSATION = "remarks"  # of all chats: what stands before the remark is always the same
FEWEST_WORDS = 9  # of a story
LONGEST = 240  # characters; who writes more than that wants to be read
# Nats over the next act for a remark of which no file speaks, so that "a short poem on spring" gets its poem.
SURELY_TELLS = 3.0


class Mood(StrEnum):
    """By the words that the model weighs."""

    SAD = "sad"
    WORRIED = "worried"
    ANNOYED = "annoyed"
    TIRED = "tired"
    GLAD = "glad"
    FUNNY = "funny"
    THANKFUL = "thankful"  # or says goodbye
    NEUTRAL = "neutral"


_SYSTEM = "Somebody tells something. How do they feel about it? One word: " + ", ".join(Mood) + "."
_EXAMPLES = (
    ("my nan died on sunday", Mood.SAD),
    ("die heizung ist schon wieder kaputt, ich könnt schreien", Mood.ANNOYED),
    ("we won 4-1!!", Mood.GLAD),
    ("je suis crevée, trois nuits sans dormir", Mood.TIRED),
    ("the parcel came at ten", Mood.NEUTRAL),
    ("mañana le dicen lo de los análisis, a ver", Mood.WORRIED),
    ("der hund hat die torte gefressen haha", Mood.FUNNY),
    ("sie zieht vielleicht weg, wär schade", Mood.SAD),
    ("ella s'est plainte ENCORE du parking", Mood.ANNOYED),
    ("paula ya ha vuelto, qué alegría", Mood.GLAD),
    ("danke, schönen abend noch", Mood.THANKFUL),
    ("it rained all night", Mood.NEUTRAL),
    ("merci beaucoup, à demain", Mood.THANKFUL),
    ("what a week, so much to do before the party", Mood.TIRED),
)


def mood_of(remark: str, submit: Submit) -> Mood:
    """How somebody feels who says `remark`; neutral where the model was stopped."""
    likely = likely_of(submit, _request(remark), tuple(Mood))
    found = Mood(max(likely, key=lambda each: likely[each])) if likely else Mood.NEUTRAL
    log.info("mood of a remark", mood=found.value)
    return found


def is_answered_here(message: str, speaks_of_files: bool) -> bool:
    """Whether `message` only tells something, so that a sentence of ours is all that it wants: where no file
    speaks of it, only where that is sure."""
    if len(message) > LONGEST or not only_remarks(message):
        return False
    acts = message_scores(message).acts
    return speaks_of_files or (bool(acts) and clearest(acts)[1] >= SURELY_TELLS)


def is_rather_told(message: str) -> bool:
    """Whether `message`, of which nothing else could be made, is rather a story than a wish: several words,
    none of which asks, orders or wants a text."""
    words = len(message.split())
    if len(message) > LONGEST or words < FEWEST_WORDS or DRAFTS.search(message) or LETTERS.match(message):
        return False
    return may_only_tell(message)


def reply_to(remark: str, submit: Submit, speaks_of_files: bool) -> str:
    """The sentence that fits, in the language of `remark`, and where it speaks of what stands in files that
    none was changed."""
    language = language_of(remark)
    told = sentences()["remarks"]
    said: str = told[mood_of(remark, submit)][language]
    unchanged: str = told["unchanged"][language]
    return f"{said} {unchanged}" if speaks_of_files else said


def _request(remark: str) -> GenerateRequest:
    return behind_examples(CONVERSATION, _told_first(), " ".join(remark.split()))


def _told_first() -> tuple[Message, ...]:
    messages = [Message("system", _SYSTEM)]
    for said, mood in _EXAMPLES:
        messages += (Message("user", said), Message("assistant", mood))
    return tuple(messages)
