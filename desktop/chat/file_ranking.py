"""Which files of the workspace a message is about, the likeliest first.

Words alone do not tell: "ran 5.5k in 34 min, log it" has none of running.csv. The model does, by names and
the beginning of each file, and it does not know what stands further down: that the words do
(`content_search.py`). So both are added up, in nats over no file at all. Any thread; blocks while the model
reads.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

import structlog

from desktop.chat.content_search import shares
from desktop.chat.described_files import likely_of
from desktop.chat.intent_plan import Surroundings
from desktop.chat.intent_words import language_of
from desktop.chat.prompts import behind_examples
from desktop.chat.tool_args import Submit
from desktop.engine.requests import Message
from desktop.paths import resources
from desktop.tools.periods import times_in
from desktop.tools.table_queries import has_dates_in, head_of, rows_in

log = structlog.get_logger(__name__)

CONVERSATION = "file-ranking"  # of all chats: what stands before the folder is always the same
NO_FILE = "none"
MOST_FILES = 24  # shown
LINES_SHOWN = 4
LONGEST_BEGINNING = 90  # characters of a file
LONGEST_SAID = 240
# Nats for a word that only this file has, and for all of them. Chosen on 63 messages to five folders: 35 of
# 43 files came first, 30 without the words.
FOR_A_WORD = 2.0
MOST_FOR_WORDS = 4.0
FOR_A_DAY = 2.0  # for a row of a day that is named
FOR_A_DATE = 4.0  # by its number: the 12th, 8 dec
_SYSTEM = """Somebody has files and says something to an assistant. Which file do they mean, or which file \
has what they ask for? Answer with its name, or none where it is about no file."""


@dataclass(frozen=True)
class Ranked:
    """A file, and by how many nats it is likelier to be meant than none."""

    name: str
    over: float


def ranked(
    said: str, files: Sequence[str], around: Surroundings, submit: Submit, today: date
) -> tuple[Ranked, ...]:
    """Those of `files` by how likely `said` is about them, the likeliest first; () where the model was
    stopped. Of many only those are looked at that share a word with it, and the first."""
    words = shares(said, around)
    shown = sorted(files, key=lambda each: -words.get(each, 0.0))[:MOST_FILES]
    shown = [each for each in files if each in shown]
    if not shown:
        return ()
    folder = "\n".join(f"{each}: {_beginning(each, around)}" for each in shown)
    asked = f"{folder}\nSaid: {' '.join(said.split())[:LONGEST_SAID]}"
    request = behind_examples(CONVERSATION, told_first(), asked)
    likely = likely_of(submit, request, (*shown, NO_FILE))
    none = likely.get(NO_FILE, 0.0)
    shared = {each: min(FOR_A_WORD * words.get(each, 0.0), MOST_FOR_WORDS) for each in shown}
    days = tuple(each for each in times_in(said, language_of(said), today) if each.first == each.last)
    dates = tuple(each for each in days if re.search(r"\d", each.words))
    for each in shown:
        rows = rows_in(around.whole(each)) if days else None
        is_of_date = bool(dates) and has_dates_in(rows, dates)
        shared[each] += FOR_A_DATE if is_of_date else FOR_A_DAY if days and has_dates_in(rows, days) else 0.0
    found = (Ranked(each, likely.get(each, -math.inf) - none + shared[each]) for each in shown)
    best = sorted(found, key=lambda each: -each.over) if likely else []
    if best:
        log.info("files ranked", among=len(shown), over=round(best[0].over, 2))
    return tuple(best)


def _beginning(name: str, around: Surroundings) -> str:
    whole = around.whole(name) or around.document(name)
    table = rows_in(whole)
    # The first lines of notes say more than the kinds of their columns.
    if table is not None and table.head_line and not table.is_told_by_line:
        return head_of(table)
    lines = [each.strip() for each in whole.splitlines() if each.strip()]
    return " / ".join(lines[:LINES_SHOWN])[:LONGEST_BEGINNING]


@cache
def told_first() -> tuple[Message, ...]:
    """What is the same in all these prompts: what is asked, and examples."""
    read: Mapping[str, list[Mapping[str, str]]] = tomllib.loads(
        (resources() / "file_ranking.toml").read_text(encoding="utf-8")
    )
    messages, folder = [Message("system", _SYSTEM)], ""
    for each in read["choices"]:
        lines = [read["folders"][each["folder"]]] if each["folder"] != folder else []  # type: ignore[call-overload]
        messages.append(Message("user", "\n".join((*lines, f"Said: {each['said']}")).strip()))
        messages.append(Message("assistant", each["name"]))
        folder = each["folder"]
    return tuple(messages)
