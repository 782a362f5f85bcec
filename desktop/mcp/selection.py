"""Which tools of servers come into question for one request: by words, at most four, beside Steward's own.

All schemas of six servers take 6,900 tokens, which a small model on a processor reads for a minute. So the
tools are ranked by how well name, description and parameters fit the words of the request (BM25), without
the model, and only the best are shown to it, as one line each. What this conversation has used stays: the
model has its calls before its eyes.

Any thread.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from desktop.mcp.access import Access
from desktop.mcp.as_tool import Call, ServedTool, as_tool, name_of, words_in
from desktop.tools.tool import Tool

AT_MOST = 4
# BM25's usual constants; the texts are short and alike in length, so both hardly matter.
SATURATION, LENGTH_WEIGHT = 1.2, 0.75
NAME_WEIGHT = 3  # a word of the name counts as often as three of the description
LEAST_SCORE = 1.5  # a single word that every second tool has says nothing
SHORTEST_STEM = 4

# Words that stand in nearly every request and say nothing of what is wanted.
_EMPTY = frozenset(
    {
        *(
            "a",
            "an",
            "and",
            "are",
            "as",
            "at",
            "be",
            "by",
            "can",
            "could",
            "did",
            "do",
            "does",
            "for",
            "from",
            "give",
            "have",
            "how",
            "i",
            "in",
            "into",
            "is",
            "it",
            "its",
            "let",
            "me",
            "my",
            "of",
            "on",
            "or",
            "our",
            "please",
            "show",
            "so",
            "tell",
            "than",
            "that",
            "the",
            "them",
            "then",
            "there",
            "these",
            "they",
            "this",
            "to",
            "up",
            "us",
            "was",
            "we",
            "what",
            "when",
            "where",
            "which",
            "who",
            "why",
            "will",
            "with",
            "would",
            "you",
            "your",
            "all",
            "any",
            "some",
            "make",
            "get",
            "use",
            "now",
        ),
        *(
            "der",
            "die",
            "das",
            "den",
            "dem",
            "des",
            "ein",
            "eine",
            "einen",
            "einem",
            "und",
            "oder",
            "ist",
            "sind",
            "war",
            "was",
            "wer",
            "wie",
            "wo",
            "wann",
            "welche",
            "welcher",
            "mit",
            "von",
            "zu",
            "zum",
            "zur",
            "im",
            "in",
            "auf",
            "für",
            "mir",
            "mich",
            "ich",
            "du",
            "bitte",
            "zeig",
            "zeige",
            "sag",
            "sage",
            "gib",
            "mach",
            "es",
            "sich",
            "hat",
            "haben",
        ),
    }
)
_ENDINGS = ("ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s", "e")


@dataclass(frozen=True)
class _Entry:
    """One tool with its words, stemmed and counted."""

    served: ServedTool
    words: Counter[str]
    length: int


class ToolSelection:
    """Chooses for one request after another. Keeps nothing: ranking 200 tools takes some milliseconds."""

    def __init__(
        self,
        offered: Callable[[], Sequence[ServedTool]],
        call: Call,
        own: Iterable[str],
        can_keep: Callable[[Access], bool] = lambda _access: True,
    ) -> None:
        """`own` are the names of Steward's tools, which no other tool may bear."""
        self._offered = offered
        self._call = call
        self._can_keep = can_keep
        self._own = frozenset(own)

    def chosen(self, request: str, used: Iterable[str] = ()) -> tuple[Tool, ...]:
        """At most four, those of `used` first; none where no word fits."""
        served = self._offered()
        if not served:
            return ()
        named = self._named(served)
        names_of = {id(each): name for name, each in named.items()}
        kept = [name for name in dict.fromkeys(used) if name in named][-AT_MOST:]
        ranked = [names_of[id(each)] for each, _score in ranked_by(served, request)]
        names = list(dict.fromkeys((*kept, *ranked)))[:AT_MOST]
        asked = stems(request)
        return tuple(self._tool(name, named[name], asked) for name in names)

    def all_tools(self) -> tuple[Tool, ...]:
        """Every tool that may be called now, under the name that the model knows it by."""
        return tuple(self._tool(name, each, ()) for name, each in self._named(self._offered()).items())

    def _named(self, served: Sequence[ServedTool]) -> dict[str, ServedTool]:
        """By the names that the model sees, which are never those of Steward's own tools."""
        named: dict[str, ServedTool] = {}
        for each in served:
            taken = self._own | named.keys()
            name = name_of(each, set(taken))
            while name in taken:  # a server that calls its tool by the name of another server and its tool
                name += "_2"
            named[name] = each
        return named

    def _tool(self, name: str, served: ServedTool, asked: Iterable[str]) -> Tool:
        def can_keep() -> bool:
            return self._can_keep(served.access)

        return as_tool(name, served, self._call, hint_words(served, asked), can_keep)


def ranked_by(tools: Sequence[ServedTool], request: str) -> list[tuple[ServedTool, float]]:
    """Those that fit `request`, the best first, with their scores."""
    entries = [_entry(each) for each in tools]
    asked = set(stems(request))
    if not entries or not asked:
        return []
    mean = sum(each.length for each in entries) / len(entries)
    weights = {word: _rarity(word, entries) for word in asked}
    scored = [(each.served, _score(each, weights, mean)) for each in entries]
    return sorted((pair for pair in scored if pair[1] >= LEAST_SCORE), key=lambda pair: -pair[1])


def _score(entry: _Entry, weights: dict[str, float], mean: float) -> float:
    total = 0.0
    for word, weight in weights.items():
        count = sum(number for other, number in entry.words.items() if _alike(word, other))
        if count:
            long = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * entry.length / mean
            total += weight * count * (SATURATION + 1) / (count + SATURATION * long)
    return total


def _rarity(word: str, entries: Sequence[_Entry]) -> float:
    having = sum(any(_alike(word, other) for other in each.words) for each in entries)
    return math.log(1 + (len(entries) - having + 0.5) / (having + 0.5))


def _alike(word: str, other: str) -> bool:
    """The same word, or the beginning of the other one: repo of repository."""
    if word == other:
        return True
    short, long = sorted((word, other), key=len)
    return len(short) >= SHORTEST_STEM and long.startswith(short)


def _entry(served: ServedTool) -> _Entry:
    name = [stem(each) for each in (*words_in(served.pin.name), *words_in(served.server))]
    properties = served.pin.schema.get("properties") or {}
    about = [stem(each) for name in properties for each in words_in(str(name))]
    said = stems(served.pin.summary)
    words = Counter([*name * NAME_WEIGHT, *said, *about])
    return _Entry(served, words, sum(words.values()))


def stems(text: str) -> list[str]:
    """The words of a text that say something, without their endings."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return [stem(word) for word in words if word not in _EMPTY and len(word) > 1]


def stem(word: str) -> str:
    """A word without its English ending: changes, changed and changing are one."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM - 1:
            return word[: -len(ending)]
    return word


def hint_words(served: ServedTool, asked: Iterable[str]) -> str:
    """The words of a request that stand in the tool's name, as a pattern; "" where there are none."""
    named = [stem(each) for each in (*words_in(served.pin.name), *words_in(served.server))]
    found = dict.fromkeys(word for word in asked if any(_alike(word, other) for other in named))
    return rf"\b(?:{'|'.join(map(re.escape, found))})" if found else ""
