"""What somebody does with a message: ask about the world or about things of their own, order, tell, or tell
of something that a list or table has.

"Tess got Mabel a new coat" only tells, and whatever a small model writes into a table for it is wrong;
"Gérard vient de payer" tells as well, and many would have it put down. Verbs and question words decide what
they can (`orders.py`); what they leave open is learned from some 5,800 messages (`message_classes.py`).
Pure functions; any thread.
"""

from __future__ import annotations

from enum import StrEnum

from desktop.chat.message_classes import clearest, message_scores
from desktop.chat.orders import asks_inside, asks_plainly, is_order
from desktop.chat.request_kinds import is_act

# Nats over the next, chosen by examples that were left out in turn (docs/measurements.md).
CLEARLY_TELLS, CLEARLY_ASKS = 1.0, 1.5
MAY_TELL_BELOW = 1.5  # below the likeliest act
BEHIND_AN_ACT = 1.5  # more, where something was just done: "and Mia's as well" goes on from it


class SpeechAct(StrEnum):
    """By the names that the examples have."""

    ASK = "ask"
    LOOK = "look"  # asks for what stands in files of their own
    ORDER = "order"
    TELL = "tell"  # nobody would expect that anything is done or looked up
    TASK = "task"  # of what happened to a thing of theirs, which many would have put down


def speech_act(message: str) -> SpeechAct:
    """What `message` does; where that is no clear telling, what its words speak for."""
    acts = message_scores(message).acts
    if _asks_by_words(message):
        return max(SpeechAct.ASK, SpeechAct.LOOK, key=lambda each: acts.get(each, 0.0))
    if is_order(message) or is_act(message):
        return SpeechAct.ORDER
    if not acts:
        return SpeechAct.TELL
    name, over = clearest(acts)
    if name == SpeechAct.TELL and over < CLEARLY_TELLS:
        name = max((each for each in acts if each != SpeechAct.TELL), key=lambda each: acts[each])
    return SpeechAct(name)


def only_asks(message: str, behind_an_act: bool = False) -> bool:
    """Whether `message` asks, and no word of it orders anything, so that nothing is to be changed for it."""
    if is_order(message) or is_act(message):
        return False
    least = CLEARLY_ASKS + (BEHIND_AN_ACT if behind_an_act else 0.0)
    return _asks_by_words(message) or _asking_over_others(message) >= least


def asks_for_own(message: str) -> bool:
    """Whether `message` only asks, and rather for what stands in somebody's own files than for what anybody
    could know."""
    return only_asks(message) and speech_act(message) is SpeechAct.LOOK


def may_want_change(message: str) -> bool:
    """Whether a verb of `message` orders something, or it is rather an order, or tells of what has happened
    to a thing of theirs, than anything else."""
    if is_order(message) or is_act(message):
        return True
    acts = message_scores(message).acts
    return bool(acts) and clearest(acts)[0] in (SpeechAct.ORDER, SpeechAct.TASK)


def may_only_tell(message: str) -> bool:
    """Whether `message` has no verb that orders and no question, and may as well only tell as want something:
    what it would be taken for is then no more than a guess."""
    if is_order(message) or is_act(message) or _asks_by_words(message):
        return False
    acts = message_scores(message).acts
    others = [acts[each] for each in acts if each != SpeechAct.TELL]
    return bool(others) and acts[SpeechAct.TELL] >= max(0.0, max(others) - MAY_TELL_BELOW)


def only_remarks(message: str, behind_an_act: bool = False) -> bool:
    """Whether `message` only tells, so that nothing is to be changed or looked up for it."""
    if speech_act(message) is not SpeechAct.TELL:
        return False
    acts = message_scores(message).acts
    return not behind_an_act or not acts or clearest(acts)[1] >= CLEARLY_TELLS + BEHIND_AN_ACT


def _asks_by_words(message: str) -> bool:
    has_sign = message.rstrip(" )\"'!").endswith("?")
    return has_sign or asks_plainly(message) or asks_inside(message)


def _asking_over_others(message: str) -> float:
    """By how many nats a question of either kind is likelier than anything else that was learned."""
    acts = message_scores(message).acts
    asking = (SpeechAct.ASK, SpeechAct.LOOK)
    if not acts:
        return 0.0
    return max(acts[each] for each in asking) - max(acts[each] for each in acts if each not in asking)
