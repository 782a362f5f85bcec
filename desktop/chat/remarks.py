"""What is said to a remark, which asks for nothing: one sentence of ours that fits its mood.

"Kemal zieht vielleicht weg, wär echt schade" wants a kind word. A small model talks about it at length, makes
up a police report or takes a word for another thing, and in languages that it hardly has it babbles. What it
can do is say how somebody feels who writes so: it weighs a few words against each other and writes none, and
the sentence is from a table (`resources/requests.toml`, `remarks`). Any thread; blocks while the model reads.
"""

from __future__ import annotations

from enum import StrEnum

import structlog

from desktop.chat.described_files import likely_of
from desktop.chat.intent_words import language_of, sentences
from desktop.chat.message_classes import clearest, message_scores
from desktop.chat.prompts import behind_examples
from desktop.chat.request_kinds import DRAFTS, LETTERS
from desktop.chat.speech_acts import may_only_tell, only_remarks
from desktop.chat.tool_args import Submit
from desktop.engine.requests import GenerateRequest, Message

log = structlog.get_logger(__name__)

CONVERSATION = "remarks"  # of all chats: what stands before the remark is always the same
LONGEST = 240  # characters; who writes more than that wants to be read
FEWEST_WORDS = 9  # of a story that no file speaks of
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
