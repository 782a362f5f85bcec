"""Which file is meant by "the shopping list", "la factura de marzo" or "how much do I spend a month?".

People describe their files, often in another language than the names are in: no table leads from
"einkaufsliste" to shopping.txt. So where a request needs a file that it does not name, the model is asked,
once, which one of those that are there is meant, or that none is; it writes nothing, and what is read is how
likely it would write each of the names. Where two of them are near, the user is asked. Whether a request is
of that kind is told by its words (`describes_file`, `asks_own_affairs`): a question about the world costs
nothing. `desktop/chat/request_reading.py` says when this is done. Any thread; blocks while the model reads.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import structlog

from desktop.chat.intent_words import (
    HAS_ENDING,
    LANGUAGES,
    LIST_WORDS,
    ending_of,
    expression,
    last_part,
    stems,
    words,
)
from desktop.chat.tool_args import Submit
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling
from desktop.tools.calendar_files import is_calendar

log = structlog.get_logger(__name__)

CONVERSATION = "described"  # of all chats: most of the prompt is always the same
NONE = "none"
UNKNOWN = "(the file that is described).txt"  # stands for one that was not chosen yet
MOST_SHOWN = 25  # names
MOST_WEIGHED = 4  # of those that begin alike
REQUEST_SHOWN = 300  # characters
MOST_WORDS = 9  # of a description

# In nats, of the likeliest name over the next one and over none; chosen on tests/bench/described.toml, where
# right ones are 2.7 ahead and 2.5 over none or more (3.6 where something is written), and wrong ones that are
# as far ahead at most 1.9 over none.
CLEAR = 2.0
OVER_NONE_TO_READ = 2.0
OVER_NONE_TO_CHANGE = 2.5
MOST_NEAR = 3  # that the user is asked about

_NO_TEXT = """
    jpg jpeg png gif bmp webp svg heic tif tiff mp3 mp4 mkv mov avi wav ogg flac zip tar gz xz 7z iso exe deb
    appimage ttf otf so o pyc gguf
"""
_NO_TEXTS = frozenset(_NO_TEXT.split())
_WRITABLE = frozenset(("", "txt", "md", "markdown", "text", "org", "rst", "log"))

_SYSTEM = """Somebody talks to an assistant that has files. Answer with the one file that their words are \
about, or that has what they want to know. Where no file of the list can be meant, answer: none"""
# In the languages that people write, about files with names of another; and what no file of a list has.
_EXAMPLES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("addresses.txt", "gifts.md", "lease.pdf", "packing.txt"),
        "Setz Sonnencreme auf die Packliste",
        "packing.txt",
    ),
    (("cv.docx", "Versicherung.pdf", "wine.csv"), "what's the excess of my insurance?", "Versicherung.pdf"),
    (("cv.docx", "gifts.md", "wine.csv"), "Wie heißt der Hund von Tina?", NONE),
    (("diario.txt", "lease.pdf", "plants.md"), "À quelle fréquence faut-il arroser le ficus ?", "plants.md"),
    (("addresses.txt", "lease.pdf", "packing.txt"), "¿Qué dice la carta del banco?", NONE),
    (
        ("addresses.txt", "dentist-bill.pdf", "plants.md"),
        "¿Cuánto fue lo del dentista?",
        "dentist-bill.pdf",
    ),
    (("addresses.txt", "gifts.md", "films.txt"), "put jam on the breakfast list", NONE),
)


@dataclass(frozen=True)
class FileMeant:
    """`name` is the file that is meant, `near` those of which one is, where nobody can tell which. Neither:
    none of them, or it was stopped."""

    name: str = ""
    near: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileChoice:
    """Asks the model. `submit` is the engine's, watched so that Stop reaches it."""

    submit: Submit

    def meant(self, request: str, files: Sequence[str], to_change: bool) -> FileMeant:
        """Which of the workspace's `files` the request is about; `to_change`: it is to be written to."""
        shown = candidates(request, files, to_change)
        if in_folder := _named_in_folder(request, shown):
            return FileMeant(in_folder)
        if not shown:
            return FileMeant()
        found = judged(self.likely(request, shown), to_change)
        log.info("file chosen by its description", name=found.name, near=found.near)
        return found

    def likely(self, request: str, files: Sequence[str]) -> dict[str, float]:
        """How likely the model would name each of `files`, and NONE; {} where it was stopped. Names that
        begin alike are told apart by the whole of each."""
        asked = GenerateRequest(
            CONVERSATION,
            tuple(_messages(files, request)),
            Sampling(temperature=0, max_tokens=1),
            Priority.CHAT,
        )
        return likely_of(self.submit, asked, (*files, NONE))


def likely_of(submit: Submit, asked: GenerateRequest, names: Sequence[str]) -> dict[str, float]:
    """How likely the model would answer each of `names` to `asked`; {} where it was stopped."""
    stream = submit(replace(asked, labels=tuple(names)))
    stream.text()
    found = dict(stream.scores)
    alike = [each for each in found if found[each] == max(found.values())]
    # Only the first token of each was read: minutes.md and minutes-draft.md share it.
    if 1 < len(alike) <= MOST_WEIGHED:
        shared, whole = found[alike[0]], {}
        for each in alike:
            stream = submit(replace(asked, weighed=each))
            stream.text()
            whole[each] = stream.scores.get(each, -math.inf)
        most = max(whole.values())
        found |= {each: shared + weight - most for each, weight in whole.items() if most > -math.inf}
    return found


def judged(likely: Mapping[str, float], to_change: bool) -> FileMeant:
    """What the likelihoods say: an act takes a file only where it is clear that it is meant."""
    ranked = sorted((each for each in likely if each != NONE), key=lambda each: -likely[each])
    over_none = OVER_NONE_TO_CHANGE if to_change else OVER_NONE_TO_READ
    if not ranked or likely[ranked[0]] - likely[NONE] < over_none:
        return FileMeant()
    near = [each for each in ranked if likely[ranked[0]] - likely[each] < CLEAR]
    return FileMeant(near[0]) if len(near) == 1 else FileMeant(near=tuple(near[:MOST_NEAR]))


def candidates(request: str, files: Sequence[str], to_change: bool) -> tuple[str, ...]:
    """Those that could be meant: what can be read, or added to; the nearest first where there are many."""
    fitting = [each for each in files if _may_be_meant(each, to_change)]
    if len(fitting) <= MOST_SHOWN:
        return tuple(fitting)
    said = stems(request)

    def far(name: str) -> tuple[bool, int]:
        return not (stems(last_part(name).rsplit(".", 1)[0]) - LIST_WORDS) & said, name.count("/")

    nearest = sorted(fitting, key=far)[:MOST_SHOWN]
    return tuple(each for each in fitting if each in nearest)


def _named_in_folder(request: str, files: Sequence[str]) -> str:
    """The one file whose name and folder are both said, "la lista esa que está en documentos"; else ""."""
    said = frozenset(re.findall(r"[\w-]+", request.casefold()))
    found = [
        each
        for each in files
        if "/" in each
        and {part.casefold() for part in (*each.split("/")[:-1], last_part(each).rsplit(".", 1)[0])} <= said
    ]
    return found[0] if len(found) == 1 else ""


def _may_be_meant(name: str, to_change: bool) -> bool:
    if any(part.startswith(".") for part in name.split("/")):
        return False
    ending = ending_of(last_part(name)) if "." in last_part(name) else ""
    return ending in _WRITABLE if to_change else ending not in _NO_TEXTS


_CONDITION = re.compile(
    r"\b(?:if|unless|in case|wenn|falls|sofern|außer|si|sauf|au cas|salvo|siempre que|instead|statt)\b|,",
    re.IGNORECASE,
)


# -- what is a description ------------------------------------------------------------------------


def is_description(phrase: str, language: str) -> bool:
    """Whether `phrase`, what a part of a request is about, is a description of a file and not its name."""
    # "The shopping list if it's not on there yet" says more than which file it is.
    if len(phrase.split()) > MOST_WORDS or HAS_ENDING.search(phrase) or _CONDITION.search(phrase):
        return False
    return _bare_paper(language).search(phrase) is not None


def place_named(text: str, files: Sequence[str]) -> str:
    """The file that `text` says to look in, by its name without the ending: "mira en todo"; else ""."""
    for language in LANGUAGES:
        found = words("look_in", language).search(text)
        if found is None:
            continue
        said = found["what"].casefold()
        named = [each for each in files if last_part(each).rsplit(".", 1)[0].casefold() == said]
        if len(named) == 1:
            return named[0]
    return ""


SHORTEST_NAME = 3  # letters
_IN_THE = (
    r"\b(?:in|into|onto|on|ins?|auf|dans|sur|en)\s+(?:(?:the|my|our|de[nmr]|die|das|meine?[nmr]?|unsere?[nmr]?|"
    r"les?|la|mon|ma|mes|nos|notre|el|los|las|mis?)\s+)?"
)

CALENDAR_NAMES = r"(?:calend[ae]r|diary|agenda|(?:termin)?kalender|calendrier|calendario)(?!\w)"
# "My work calendar", "den Kalender": not "an advent calendar".
_CALENDAR = re.compile(
    r"(?<!\w)(?:my|the|our|de[nmrl]|du|die|das|i[mn]s?|zum|vom|meine?[nmrs]?|unsere?[nmrs]?|mon|ma|mes|notre|nos|les?|la|l['’]|"
    r"au|el|al|los|las|mis?|nuestr[oa]s?)\s*(?:[\w-]+ )?" + CALENDAR_NAMES,
    re.IGNORECASE,
)


def put_into(text: str, files: Sequence[str]) -> str:
    """The file into which something is to go by its bare name, "enter it in the practice log", that of the
    longest name where it is several, or the one calendar that there is; else ""."""
    stems_of = {each: last_part(each).rsplit(".", 1)[0] for each in files}
    named = [
        each
        for each, stem in stems_of.items()
        # "In a" names no a.txt.
        if len(stem) >= SHORTEST_NAME and re.search(rf"{_IN_THE}{re.escape(stem)}(?!\w)", text, re.IGNORECASE)
    ]
    calendars = [each for each in files if is_calendar(each)]
    if not named and len(calendars) == 1 and _CALENDAR.search(text):
        return calendars[0]
    return max(named, key=len, default="")


@cache
def _bare_paper(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){expression('papers', language)}(?!\w)", re.IGNORECASE)


# -- the prompt -----------------------------------------------------------------------------------


def _messages(files: Sequence[str], request: str) -> Iterator[Message]:
    yield Message("system", _SYSTEM)
    for names, said, meant in _EXAMPLES:
        yield Message("user", _shown(names, said))
        yield Message("assistant", meant)
    yield Message("user", _shown(files, request[:REQUEST_SHOWN]))


def _shown(files: Sequence[str], request: str) -> str:
    return "\n".join(("Files:", *files, "", f"Said: {' '.join(request.split())}"))
