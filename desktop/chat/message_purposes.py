"""What somebody wants with a message, as the model judges it: an answer from their files, a change, a
reminder, an undoing, a text, nothing, what anybody could know, or a sum.

Verbs and question words know the requests that somebody thought of, and what was learned from examples knows
their neighbours (`speech_acts.py`); "quick text i can send sheila, ill be late" and "actually no, leave him
as he was" are like none of these, and were taken for a change of the row that has Sheila. A language model
tells them apart without writing a word: it is shown what was said, with the sentence before it, and weighs
eight words. Where one is clearly ahead, and no word of the message speaks against it, the rooms that read for
another purpose are not asked; where none is, all goes on as before. docs/measurements.md has how often that
is right. Any thread; blocks while the model reads.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache

import structlog

from desktop.chat.compositions import kept_composition
from desktop.chat.described_files import likely_of, put_into
from desktop.chat.message_classes import without_courtesy
from desktop.chat.prompts import behind_examples, read_ahead
from desktop.chat.request_kinds import KEEPS, OUT_OF_REACH
from desktop.chat.said_values import names_number
from desktop.chat.speech_acts import may_only_tell
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in
from desktop.engine.requests import GenerateRequest, Message
from desktop.paths import resources

log = structlog.get_logger(__name__)

CONVERSATION = "purposes"  # of all chats: what stands before the message is always the same
LONGEST_SAID, LONGEST_BEFORE = 300, 200  # characters


class Purpose(StrEnum):
    """By the words that the model weighs."""

    LOOK = "look"  # what stands in their own files, tables and reminders
    CHANGE = "change"
    REMIND = "remind"
    UNDO = "undo"
    WRITE = "write"  # a text that is shown and used elsewhere
    TALK = "talk"  # nothing is to be done
    KNOW = "know"
    SUM = "sum"


# Nats over the next purpose, for what keeps other rooms from being asked. Chosen on 366 messages of ten
# strangers, none of whose words are among the examples.
LEAST_OVER_NEXT = {Purpose.LOOK: 0.7, Purpose.WRITE: 1.0, Purpose.TALK: 1.0, Purpose.UNDO: 1.2}
# A change is wanted in many words that also undo, remind or write, and far from those of whoever only asks or
# tells; more is looked at before anything is changed.
ACTS = (Purpose.CHANGE, Purpose.REMIND, Purpose.UNDO, Purpose.WRITE)
LEAST_OVER_NO_ACT = 2.0
# Of a calculation that has its numbers in what was said: no file has the answer.
LEAST_OF_NUMBERS, SUM_OVER_LOOK = 2, 2.0
# "How much honey was it this year" looks like a sum; where nobody has said a number it is one of theirs.
LEAST_WITHOUT_NUMBERS = 2.5
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# Of a text that they send themselves.
_SENDS = re.compile(r"\b(?:send|schick|envoi|envoy|enví|invia)\w*\b", re.IGNORECASE)


class PurposeJudge:
    """What the model says of one message, kept for the turn: several rooms want to know. Any thread."""

    def __init__(self) -> None:
        self._last: tuple[str, str, Purpose | None] | None = None

    def forget(self) -> None:
        """A new turn begins, perhaps with another model."""
        self._last = None

    def of(self, said: str, before: str, submit: Submit, files: Sequence[str] = ()) -> Purpose | None:
        """What `said` clearly wants, where `before` is the sentence of the user's before it and `files` are
        theirs; None where two purposes are near, its words speak against it, or the model was stopped.
        Blocks."""
        last = self._last
        if last is None or last[:2] != (said, before):
            likely = likely_purposes(said, before, submit)
            clear = clear_purpose(likely, names_number(f"{before} {said}"))
            if clear is None and self._is_sum(said, before, likely, submit):
                clear = Purpose.SUM
            # "Please enter it in the practice log": no text for elsewhere.
            clear = Purpose.CHANGE if clear is Purpose.WRITE and put_into(said, files) else clear
            last = self._last = (said, before, None if _is_against(said, clear) else clear)
            log.info("purpose of a message", purpose=last[2])
        return last[2]

    @staticmethod
    def _is_sum(said: str, before: str, likely: Mapping[str, float], submit: Submit) -> bool:
        if _is_own_sum(said, before, likely):
            return True
        # What has all its numbers is no less a sum behind another matter, which blurs what the model sees.
        is_alone = bool(before) and len(_NUMBER.findall(said)) >= LEAST_OF_NUMBERS
        return is_alone and _is_own_sum(said, "", likely_purposes(said, "", submit))

    def known(self, said: str) -> Purpose | None:
        """The same where it was asked for already."""
        return self._last[2] if self._last is not None and self._last[0] == said else None

    def take(self, said: str, before: str, purpose: Purpose) -> None:
        """`said` is known to have `purpose` without the model."""
        self._last = (said, before, purpose)

    def wants_text(self, said: str) -> bool:
        return self.known(said) is Purpose.WRITE


def likely_purposes(said: str, before: str, submit: Submit) -> Mapping[str, float]:
    """How likely each purpose is, in nats; {} where the model was stopped. Blocks."""
    # "Would you be so kind as to tell me" is like nothing that was shown; what follows is clear.
    shown = _told(without_courtesy(said), without_courtesy(before))
    request = behind_examples(CONVERSATION, _told_first(), shown)
    return likely_of(submit, request, tuple(Purpose))


def clear_purpose(likely: Mapping[str, float], names_number: bool = True) -> Purpose | None:
    """The one that is far enough ahead of the next to go by; without a number in what was said a sum is
    looked up."""
    if len(likely) < len(Purpose):
        return None
    best, second, third = sorted(likely, key=lambda each: -likely[each])[:3]
    least = LEAST_OVER_NEXT.get(Purpose(best))
    if least is not None and likely[best] - likely[second] >= least:
        return Purpose(best)
    over_no_act = likely[best] - max(likely[each] for each in Purpose if each not in ACTS)
    if best == Purpose.CHANGE and over_no_act >= LEAST_OVER_NO_ACT:
        return Purpose.CHANGE
    is_own_sum = not names_number and {best, second} == {Purpose.LOOK, Purpose.SUM}
    return Purpose.LOOK if is_own_sum and likely[best] - likely[third] >= LEAST_WITHOUT_NUMBERS else None


def _is_own_sum(said: str, before: str, likely: Mapping[str, float]) -> bool:
    """Whether `said` is a calculation with numbers of its own: "62 miles at 45p a mile", "and with 10 %"."""
    best = max(likely, key=lambda each: likely[each], default="")
    over_look = likely.get(Purpose.SUM, 0.0) - likely.get(Purpose.LOOK, 0.0)
    # "… and note it in the log" is more than a sum.
    is_kept = bool(files_in(said)) or KEEPS.search(said) is not None
    has_numbers = (
        not is_kept and _NUMBER.search(said) and len(_NUMBER.findall(f"{before} {said}")) >= LEAST_OF_NUMBERS
    )
    return best == Purpose.SUM and over_look >= SUM_OVER_LOOK and bool(has_numbers)


def _is_against(said: str, purpose: Purpose | None) -> bool:
    """Whether words of `said` speak against `purpose`: a remark that asks or orders, and a text that goes
    into a file or to where no tool reaches."""
    if purpose is Purpose.WRITE:
        is_kept = KEEPS.search(_SENDS.sub(" ", said)) is not None or kept_composition(said) is not None
        return is_kept or bool(files_in(said)) or OUT_OF_REACH.search(said) is not None
    return purpose is Purpose.TALK and not may_only_tell(said)


def beginning() -> GenerateRequest:
    """What is the same in all these prompts, to be read while nobody waits."""
    return read_ahead(CONVERSATION, _told_first())


def _told(said: str, before: str) -> str:
    lines = [f"Before: {' '.join(before.split())[:LONGEST_BEFORE]}"] if before.strip() else []
    return "\n".join((*lines, f"Said: {' '.join(said.split())[:LONGEST_SAID]}"))


@cache
def _told_first() -> tuple[Message, ...]:
    read = tomllib.loads((resources() / "message_purposes.toml").read_text(encoding="utf-8"))
    messages = [Message("system", read["asks"])]
    for each in read["examples"]:
        messages += (
            Message("user", _told(each["said"], each.get("before", ""))),
            Message("assistant", each["purpose"]),
        )
    return tuple(messages)
