"""What a message is, where no table of fixed answers is sure: its words weigh, and the model has a say.

Wordings have no end: tables that must understand a message whole reached twelve of thirty messages of danger
that nobody had foreseen, and five of thirty questions about Steward. So words are weighed instead
(`fixed_answers.signs_of_danger`, `topics_asked`): each speaks for a danger or a topic, or against it, and
none decides alone. What the words leave open the model is asked, once, in a prompt that always begins with
the same examples, so that a message costs its own words and a few more; it says one word, and only the
logits of the words that it could say are read. A small model alone is a poor judge of this: asked for yes or
no it was worse than chance. docs/benchmarks.md has how each does alone, and both together.

The answers stay those of `fixed_answers.py`: the model chooses among cards, it writes nothing. Any thread;
blocks while the model reads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import structlog

from desktop.chat.fixed_answers import (
    TOPICS,
    DangerSigns,
    EmergencyKind,
    OwnFact,
    may_ask_of_steward,
    signs_of_danger,
    topics_asked,
)
from desktop.chat.tool_args import Submit
from desktop.engine.requests import ContextOverflow, GenerateRequest, Message, Priority, Sampling
from desktop.errors import UserFacing
from desktop.paths import resources

log = structlog.get_logger(__name__)

SHOWN = 280  # characters of a message: its beginning and its end
NONE = "none"
GO_ON = Message("user", "Go on with the list.")

# All chosen on the development set, with the 1.5B model (docs/benchmarks.md).
CLEAR_BY_WORDS = 2.2  # nobody is asked any more
CLEAR = 1.6  # words and model together: from here on it is told as a danger
DOUBT = 0.9  # from here on a line stands before the model's own answer
CLEAR_KIND = 1.0  # more than for the next kind
MODEL_WEIGHT = 0.25  # of a nat of the model's, in words
MOST_NATS = 4.0  # more sure than that it is never believed
CLEAR_TOPIC = 1.5  # without any word of a topic, one must be so much likelier than the next, in nats

# The words that the model says of dangers, with their kinds. How likely all are together counts; which one it
# would say was right too seldom.
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
# What is likely whatever is asked says nothing of this: it is taken off what is likely here.
NOTHING_SAID = "…"


@dataclass(frozen=True)
class FixedAnswer:
    """What the host says to a message. Where that is not the `is_whole` answer, the model's own follows."""

    text: str
    is_whole: bool = True


@dataclass(frozen=True)
class Danger:
    """`kind` is GENERAL where the words do not tell which; without `is_clear` there may be none."""

    kind: EmergencyKind
    is_clear: bool


class MessageJudge:
    """Asks the model where it has to. `submit` is the engine's, watched so that Stop reaches it."""

    def __init__(self, submit: Submit) -> None:
        self._submit = submit

    def danger(self, text: str) -> Danger | None:
        """What `text` tells of; None where it tells of no danger. Where the model cannot be asked its words
        decide alone."""
        signs = signs_of_danger(text)
        if not signs.are_worth_asking:
            return None
        if signs.weight >= CLEAR_BY_WORDS:
            return Danger(kind_of(signs), True)
        scores = self._scores("dangers", text, tuple(KINDS))
        whole = signs.weight + MODEL_WEIGHT * (over_none(scores) if scores else 0.0)
        if whole < DOUBT:
            return None
        return Danger(kind_of(signs), whole >= CLEAR)

    def fact(self, text: str) -> OwnFact | None:
        """Which fact about Steward `text` asks for; None where it asks for none, or none is clear."""
        if not may_ask_of_steward(text):
            return None
        topics = topics_asked(text)
        most = max(topics.values(), default=0)
        likeliest = [topic for topic in TOPICS if topics.get(topic, 0) == most]
        facts = {TOPICS[topic] for topic in likeliest}
        if len(facts) == 1:
            return facts.pop()
        scores = self._scores("own_facts", text, tuple(TOPICS))
        usual = self._scores("own_facts", NOTHING_SAID, tuple(TOPICS)) if scores else {}
        if not usual:
            return TOPICS[likeliest[0]] if most else None  # nobody could be asked
        (best, weight), (_, next_weight) = ranked(likeliest, scores, usual)[:2]
        return TOPICS[best] if most or weight - next_weight >= CLEAR_TOPIC else None

    def _scores(self, name: str, text: str, words: Sequence[str]) -> Mapping[str, float]:
        """The logit of each word and of NONE; {} where nobody could be asked, or it was stopped."""
        try:
            stream = self._submit(asked_of(name, text, words))
            stream.text()
        except (UserFacing, ContextOverflow) as error:  # the answer that follows says what is wrong
            log.info("message not judged", reason=str(error))
            return {}
        return {label.strip(): score for label, score in stream.scores.items()}


def over_none(scores: Mapping[str, float]) -> float:
    """How much likelier all words together are than NONE, in nats, within what is believed."""
    said = [score for word, score in scores.items() if word != NONE]
    most = max(said)
    whole = most + math.log(sum(math.exp(score - most) for score in said))
    return max(-MOST_NATS, min(MOST_NATS, whole - scores[NONE]))


def kind_of(signs: DangerSigns) -> EmergencyKind:
    """The kind that far more words speak for than for the next; else GENERAL, whose answer fits all."""
    likeliest, second = sorted(signs.kinds, key=lambda kind: -signs.kinds[kind])[:2]
    is_clear = signs.kinds[likeliest] - signs.kinds[second] >= CLEAR_KIND
    return likeliest if is_clear else EmergencyKind.GENERAL


def ranked(
    topics: Sequence[str], scores: Mapping[str, float], usual: Mapping[str, float]
) -> Sequence[tuple[str, float]]:
    """`topics`, the likeliest first, with how likely each is beside what is `usual`, in nats."""
    weights = {topic: scores[topic] - usual[topic] for topic in topics}
    return sorted(weights.items(), key=lambda each: -each[1])


def asked_of(name: str, text: str, words: Sequence[str]) -> GenerateRequest:
    """The question what `text` is; `name` is that of the prompt, which stays in the KV cache."""
    told = (resources() / "prompts" / f"{name}.txt").read_text(encoding="utf-8").strip()
    return GenerateRequest(
        name.replace("_", " "),
        (Message("system", told), GO_ON),
        Sampling(temperature=0, max_tokens=1),
        Priority.QUICK_ASK,
        answer_start=f'"{shown(text)}" =',
        labels=tuple(f" {each}" for each in (*words, NONE)),
    )


def shown(text: str) -> str:
    """As the list has it: one line, without the marks that end an entry, and no longer than needed."""
    line = " ".join(text.replace('"', "'").split())
    half = SHOWN // 2
    return line if len(line) <= SHOWN else f"{line[:half]} … {line[-half:]}"


def beginnings() -> tuple[GenerateRequest, ...]:
    """What is the same in all these prompts, to be read while nobody waits."""
    asked = (
        asked_of("dangers", NOTHING_SAID, tuple(KINDS)),
        asked_of("own_facts", NOTHING_SAID, tuple(TOPICS)),
    )
    return tuple(replace(each, priority=Priority.BACKGROUND) for each in asked)
