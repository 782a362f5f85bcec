"""Which entry of a list or table is meant by a word that it does not have: "Miete" where it says "rent".

The words of a request and those of a file are often in two languages, and no table leads from one to the
other. So the model is asked once which of the entries that are there is meant, or that none is; it writes
nothing, and what is read is how likely it would write each (`described_files.py` does the same for names of
files). Any thread; blocks while the model reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import structlog

from desktop.chat.described_files import NONE, likely_of
from desktop.chat.tool_args import Submit
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling

log = structlog.get_logger(__name__)

CONVERSATION = "described-rows"  # of all chats: most of the prompt is always the same
MOST_SHOWN = 40  # entries; of more nobody knows which
LONGEST_SHOWN = 40  # characters of one

# In nats, over the next entry, and over none; chosen on tests/bench/described_rows.toml, where the one wrong
# entry that is ahead is 3.1 over none and right ones are 2.1 to 8.2. What lies between is asked about.
CLEAR = 2.0
OVER_NONE = 3.3
OVER_NONE_TO_ASK = 1.5
MOST_NEAR = 3

_SYSTEM = """A list has entries. Somebody says one word, perhaps in another language. Answer with the entry \
that means the same as that word. Where no entry means the same, answer: none"""
_EXAMPLES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("flour", "butter", "salt", "water"), "Mehl", "flour"),
    (("insurance", "water", "phone", "car"), "Geschenke", NONE),
    (("Strom", "Wasser", "Heizung"), "water", "Wasser"),
    (("pan", "leche", "queso"), "jambon", NONE),
    (("bread", "cheese", "apples"), "manzanas", "apples"),
    (("voiture", "école", "vacances"), "holidays", "vacances"),
    (("bus", "taxi", "hotel"), "lunch", NONE),
)


@dataclass(frozen=True)
class RowMeant:
    """`label` is the entry that is meant; `near` those of which one may be, where that is not clear."""

    label: str = ""
    near: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowChoice:
    """Asks the model. `submit` is the engine's, watched so that Stop reaches it."""

    submit: Submit

    def meant(self, word: str, labels: Sequence[str]) -> RowMeant:
        """Which of `labels` the `word` is."""
        shown = [each for each in labels if len(each) <= LONGEST_SHOWN and each.casefold() != NONE]
        if not shown or len(shown) > MOST_SHOWN or len(shown) < len(labels):
            return RowMeant()
        found = judged(self.likely(word, shown))
        log.info("entry chosen by its meaning", found=bool(found.label), near=len(found.near))
        return found

    def likely(self, word: str, labels: Sequence[str]) -> Mapping[str, float]:
        """How likely the model would name each of `labels`, and NONE; {} where it was stopped."""
        asked = GenerateRequest(
            CONVERSATION, tuple(_messages(labels, word)), Sampling(temperature=0, max_tokens=1), Priority.CHAT
        )
        return likely_of(self.submit, asked, (*labels, NONE))


def judged(likely: Mapping[str, float]) -> RowMeant:
    """What the likelihoods say: an entry is taken only where it is clear that it is meant."""
    ranked = sorted((each for each in likely if each != NONE), key=lambda each: -likely[each])
    over_none = likely[ranked[0]] - likely[NONE] if ranked else 0.0
    if over_none < OVER_NONE_TO_ASK:
        return RowMeant()
    near = [each for each in ranked if likely[ranked[0]] - likely[each] < CLEAR]
    is_clear = len(near) == 1 and over_none >= OVER_NONE
    return RowMeant(near[0]) if is_clear else RowMeant(near=tuple(near[:MOST_NEAR]))


def _messages(labels: Sequence[str], word: str) -> Iterator[Message]:
    yield Message("system", _SYSTEM)
    for entries, said, meant in _EXAMPLES:
        yield Message("user", _shown(entries, said))
        yield Message("assistant", meant)
    yield Message("user", _shown(labels, word))


def _shown(labels: Sequence[str], word: str) -> str:
    return "\n".join((f"Entries: {', '.join(labels)}", f"Said: {' '.join(word.split())[:80]}"))
