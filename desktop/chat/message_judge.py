"""What a message is, where the tables of fixed answers say nothing: the model is asked, and only its logits count.

Wordings have no end, and tables of words reached twelve of thirty messages of danger that nobody had foreseen.
So two broad gates (`resources/message_gates.toml`) let through what may tell of a danger, or may ask about
Steward itself, and leave out what wants a text or an act; the plain question of every day passes neither. Of
what passes, the model says by one word what it is: the logits of the words that it could say are read behind a
list of examples, which is always the same, so that a message costs its own words and a few more. How sure it
must be was measured (docs/benchmarks.md). The answers themselves stay those of `desktop/chat/fixed_answers.py`:
the model chooses among cards, it writes nothing.

Pure functions but for `MessageJudge`, which asks the engine; any thread.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import structlog

from desktop.chat.fixed_answers import LONGEST_ALARM, LONGEST_QUESTION, EmergencyKind, OwnFact, plain_words, said_in
from desktop.chat.orders import is_order
from desktop.chat.request_kinds import ASKS_IF_DONE, DRAFTS, LETTERS
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in
from desktop.engine.requests import ContextOverflow, GenerateRequest, Message, Priority, Sampling
from desktop.errors import UserFacing
from desktop.paths import resources

log = structlog.get_logger(__name__)

SHOWN = 280  # characters of a message: its beginning and its end
TALE_WORDS = 7  # of what somebody tells
MOST_QUESTION_WORDS = 24  # of a question about Steward
FEW_WORDS = 12  # of one that names it by no more than "this"
NONE = "none"
GO_ON = Message("user", "Go on with the list.")

# The words that the model chooses among, and the cards behind them.
KINDS: Mapping[str, EmergencyKind] = {
    "heart": EmergencyKind.HEART,
    "stroke": EmergencyKind.STROKE,
    "poison": EmergencyKind.POISON,
    "suicide": EmergencyKind.SELF_HARM,
    "gas": EmergencyKind.GAS,
    "fire": EmergencyKind.FIRE,
    "bleeding": EmergencyKind.BLEEDING,
    "breathing": EmergencyKind.BREATHING,
    "unconscious": EmergencyKind.UNCONSCIOUS,
    "seizure": EmergencyKind.SEIZURE,
    "burn": EmergencyKind.BURN,
    "injury": EmergencyKind.HEAD,
    "violence": EmergencyKind.VIOLENCE,
    "bite": EmergencyKind.VENOM,
    "child": EmergencyKind.CHILD,
    "emergency": EmergencyKind.GENERAL,
}
FACTS: Mapping[str, OwnFact] = {
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


@dataclass(frozen=True)
class FixedAnswer:
    """What the host says to a message. Where that is not the `is_whole` answer, the model's own follows."""

    text: str
    is_whole: bool = True


# -- which messages are asked about -----------------------------------------------------------


def may_be_danger(text: str) -> bool:
    """Whether `text` may tell of a danger to somebody: no sign of one, only worth the question."""
    if len(text) > LONGEST_ALARM:
        return False
    # Who is about to die may ask for help with a letter, and says why in the next sentence.
    if _is_task(plain_words(text)):
        asked, *rest = re.split(r"(?<=[.?!])\s+", text, maxsplit=1)
        text = "".join(rest)
        if ":" in asked:  # what follows is the text that something is to be done with
            return False
    said, gates = plain_words(text), _gates()
    if gates.strong.search(said) is not None:
        return True
    weak = {match.group() for match in gates.weak.finditer(said)}
    return len(weak) > 1 or bool(weak and gates.near.search(said)) or _tells_of_people(text, said)


def _tells_of_people(text: str, said: str) -> bool:
    """Whether it says what happens to somebody, in whatever words: no question of how something is done, and
    no text for somebody."""
    gates = _gates()
    if len(said.split()) < TALE_WORDS or gates.asks.match(said) is not None:
        return False
    if LETTERS.match(text) is not None or DRAFTS.search(text) is not None or is_order(text):
        return False
    people = {match.group() for match in gates.people.finditer(said)}
    return len(people) > 1 or (bool(people) and "?" not in text)


def may_ask_of_steward(text: str) -> bool:
    """Whether `text` may be a question about Steward itself, and asks for nothing to be done."""
    said = plain_words(text)
    count = len(said.split())
    if not said or len(text) > LONGEST_QUESTION or count > MOST_QUESTION_WORDS or files_in(text):
        return False
    gates = _gates()
    if _is_task(said) or gates.general.search(said) is not None or ASKS_IF_DONE.search(text) is not None:
        return False
    if gates.you[said_in(text)].search(said) is not None or _POLITE.search(text) is not None:
        return True
    if is_order(text):
        return False
    if gates.here.search(said) is not None:
        return True
    return count <= FEW_WORDS and _POINTS_HERE.search(said) is not None and gates.topic.search(said) is not None


# In the middle of a sentence, where it is not "they".
_POLITE = re.compile(r"(?<=[\w,] )(?:Sie|Ihnen|Ihre?[nmrs]?)\b")
_POINTS_HERE = re.compile(r"\b(?:this|it|here|that|das|hier|es|dies|ca|c'est|ici|il faut|esto|aqui|hay que)\b")


def _is_task(said: str) -> bool:
    return _gates().task.search(said) is not None


@dataclass(frozen=True)
class _Gates:
    """`resources/message_gates.toml`, compiled."""

    task: re.Pattern[str]
    strong: re.Pattern[str]
    weak: re.Pattern[str]
    near: re.Pattern[str]
    people: re.Pattern[str]
    asks: re.Pattern[str]
    you: Mapping[str, re.Pattern[str]]
    here: re.Pattern[str]
    topic: re.Pattern[str]
    general: re.Pattern[str]


@cache
def _gates() -> _Gates:
    table = tomllib.loads((resources() / "message_gates.toml").read_text(encoding="utf-8"))
    task, danger, own = table["task"], table["danger"], table["own"]
    verbs = "|".join(task["verbs"].split("\n"))
    asks = rf"^(?:(?:{task['lead']}) )*(?:(?:{task['asked']}) (?:\S+ ){{0,2}}?)?(?:{verbs})\b"
    return _Gates(
        task=re.compile(rf"{asks}|\b(?:{task['ends']})$|\b(?:{task['marks']})\b"),
        strong=_any_of(danger["strong"]),
        weak=_any_of(danger["weak"]),
        near=_any_of(danger["near"]),
        people=_any_of(danger["people"]),
        asks=re.compile(rf"(?:{danger['asks']})\b"),
        you={language: _any_of(words) for language, words in own["you"].items()},
        here=_any_of(own["here"]),
        topic=_any_of(own["topic"]),
        general=re.compile("|".join(own["general"].replace("_", " ").split("\n"))),
    )


def _any_of(words: str) -> re.Pattern[str]:
    found = (re.escape(each).replace("_", " ").replace(r"\*", r"[\w']*") for each in words.split())
    return re.compile(rf"(?<![\w'])(?:{'|'.join(found)})(?![\w'])")


# -- what the model takes them for ------------------------------------------------------------


@dataclass(frozen=True)
class Opinion:
    """The word that the model would say of a message, and how much likelier it is, in nats: `over_none` is all
    words together against `none`, `over_next` the word against the next one."""

    word: str
    over_none: float
    over_next: float


def opinion(scores: Mapping[str, float]) -> Opinion:
    """What the logits of all words say; one of them is NONE."""
    ranked = sorted((each for each in scores if each != NONE), key=lambda each: -scores[each])
    best = ranked[0]
    whole = scores[best] + math.log(sum(math.exp(scores[each] - scores[best]) for each in ranked))
    return Opinion(best, whole - scores[NONE], scores[best] - scores[ranked[1]])


def asked_of(name: str, text: str, words: Sequence[str]) -> GenerateRequest:
    """The question what `text` is; `name` is that of the prompt, which stays in the KV cache."""
    told = (resources() / "prompts" / f"{name}.txt").read_text(encoding="utf-8").strip()
    begun = f'"{shown(text)}" ='
    return GenerateRequest(
        name.replace("_", " "),
        (Message("system", told), GO_ON),
        Sampling(temperature=0, max_tokens=1),
        Priority.QUICK_ASK,
        answer_start=begun,
        labels=tuple(f" {each}" for each in (*words, NONE)),
    )


def shown(text: str) -> str:
    """As the list has it: one line, without the marks that end an entry, and no longer than needed."""
    line = " ".join(text.replace('"', "'").split())
    half = SHOWN // 2
    return line if len(line) <= SHOWN else f"{line[:half]} … {line[-half:]}"


# All in nats, measured with Qwen2.5-Coder-1.5B on the development set (docs/benchmarks.md).
DANGER = 1.0  # from here on the answer is that of a danger
DOUBT = -1.0  # from here on a line stands before the model's own answer
CLEAR_KIND = 0.5  # below it the kind is not certain enough for a card of its own
FACT = 0.0


@dataclass(frozen=True)
class Danger:
    """`kind` is GENERAL where the model is not certain which; without `is_clear` there may be none at all."""

    kind: EmergencyKind
    is_clear: bool


class MessageJudge:
    """Asks the model. `submit` is the engine's, watched so that Stop reaches it."""

    def __init__(self, submit: Submit) -> None:
        self._submit = submit

    def danger(self, text: str) -> Danger | None:
        """What `text` tells of; None where it tells of no danger, or nobody could be asked."""
        found = self._opinion("dangers", text, tuple(KINDS)) if may_be_danger(text) else None
        if found is None or found.over_none < DOUBT:
            return None
        kind = KINDS[found.word] if found.over_next >= CLEAR_KIND else EmergencyKind.GENERAL
        return Danger(kind, found.over_none >= DANGER)

    def fact(self, text: str) -> OwnFact | None:
        """Which fact about Steward `text` asks for; None where it asks for none, or nobody could be asked."""
        found = self._opinion("own_facts", text, tuple(FACTS)) if may_ask_of_steward(text) else None
        return FACTS[found.word] if found is not None and found.over_none >= FACT else None

    def _opinion(self, name: str, text: str, words: Sequence[str]) -> Opinion | None:
        try:
            stream = self._submit(asked_of(name, text, words))
            stream.text()
        except (UserFacing, ContextOverflow) as error:  # the answer that follows says what is wrong
            log.info("message not judged", reason=str(error))
            return None
        if not stream.scores:  # stopped
            return None
        found = opinion({label.strip(): score for label, score in stream.scores.items()})
        log.info("message judged", by=name, word=found.word, over_none=round(found.over_none, 2))
        return found


def beginnings() -> tuple[GenerateRequest, ...]:
    """What is the same in all these prompts, to be read while nobody waits."""
    asked = (asked_of("dangers", "", tuple(KINDS)), asked_of("own_facts", "", tuple(FACTS)))
    return tuple(replace(each, priority=Priority.BACKGROUND) for each in asked)
