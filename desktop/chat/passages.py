"""The passages of a long text that speak of a question: what goes along where the whole has no room.

By words alone, which takes no model: a passage counts for each word of the question that it has, the more the
fewer passages have it (BM25's weight of a term). Passages stay in their order, with their lines.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from desktop.chat.attachments import Attachment, AttachmentKind
from desktop.chat.reasons import ChatReason
from desktop.errors import UserFacing
from desktop.memory.text import stem

LONGEST_PASSAGE = 900  # characters; a paragraph that is longer is cut at its lines
SATURATION = 0.4  # a word that is there ten times is hardly worth more than one that is there once
SMALL_WORD = 3  # letters: articles and the like, in most languages; they count for a quarter
_WORD = re.compile(r"[^\W_]{2,}")


@dataclass(frozen=True)
class Passage:
    """Some lines of a text, counted from one; `last` is one of them."""

    first: int
    last: int
    text: str


def matching(attachment: Attachment, question: str, room: int, count: Callable[[str], int]) -> Attachment:
    """The passages for `question` that fit into `room` tokens, as `count` counts them. Any thread.

    Raises UserFacing where no word of the question is in the text.
    """
    about = attachment.about
    found = tuple(passages(attachment.text))
    chosen: list[Passage] = []
    left = room
    for each in ranked(found, question):
        tokens = count(_told(each)) + 1  # for the empty line between two
        if tokens <= left:
            chosen.append(each)
            left -= tokens
    if not chosen:
        raise UserFacing(ChatReason.NOTHING_FOUND_IN.of(name=about.name))
    text = "\n\n".join(_told(each) for each in sorted(chosen, key=lambda each: each.first))
    whole = about.whole_tokens or about.tokens
    return Attachment(
        replace(about, kind=AttachmentKind.PASSAGES, tokens=count(text), whole_tokens=whole), text
    )


def ranked(found: Sequence[Passage], question: str) -> list[Passage]:
    """Those that have words of the question, the best first.

    Where the text has words of it that tell something, each has one: what shares only "the" with the question
    would fill the context, and be read for minutes.
    """
    asked = {stem(word) for word in _WORD.findall(question.casefold())}
    words = [Counter(stem(word) for word in _WORD.findall(each.text.casefold())) for each in found]
    having = Counter(word for counted in words for word in asked if word in counted)
    weights = {
        word: math.log(1 + len(found) / having[word]) * (1.0 if _tells(word) else 0.25)
        for word in asked
        if having[word]
    }

    def worth(counted: Counter[str]) -> float:
        return sum(
            weight * counted[word] / (counted[word] + SATURATION)
            for word, weight in weights.items()
            if word in counted
        )

    telling = {word for word in weights if _tells(word) and having[word] <= len(found) / 2}
    worths = [worth(counted) if not telling or telling & counted.keys() else 0.0 for counted in words]
    order = sorted(range(len(found)), key=lambda number: (-worths[number], number))
    return [found[number] for number in order if worths[number] > 0]


def _tells(word: str) -> bool:
    return len(word) > SMALL_WORD or not word.isalpha()


def passages(text: str) -> Iterator[Passage]:
    """All of it: paragraphs, short ones together and long ones cut at their lines."""
    first, held = 1, 0
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        is_full = held + len(line) > LONGEST_PASSAGE
        ends_paragraph = not line.strip() and held > LONGEST_PASSAGE // 3
        if lines and (is_full or ends_paragraph):
            yield Passage(first, number - 1, "\n".join(lines))
            lines, held = [], 0
        if line.strip() or lines:
            if not lines:
                first = number
            lines.append(line)
            held += len(line)
    if lines:
        yield Passage(first, first + len(lines) - 1, "\n".join(lines))


def _told(passage: Passage) -> str:
    return f"[lines {passage.first} to {passage.last}]\n{passage.text.rstrip()}"
