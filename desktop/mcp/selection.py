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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize

from desktop.chat.intent_words import LANGUAGES, words
from desktop.chat.tool_choice import files_in
from desktop.mcp.access import Access
from desktop.mcp.as_tool import Call, ServedTool, acts, as_tool, name_of, parameters_of, words_in
from desktop.mcp.request_words import (
    RequestWords,
    alike,
    brings_text,
    empty_words,
    named_things,
    same_words,
    stem,
    stems,
    wants_words,
)
from desktop.tools.places import CLOCK_TIME, asks_time_there
from desktop.tools.tool import NEVER, ParameterType, Tool, ToolCatalogue

AT_MOST = 4
# Of the lines of all tools that are shown at once, some 1,300 tokens; six servers with 51 tools have 3,800.
CATALOGUE_CHARACTERS = 6000
# BM25's usual constants; the texts are short and alike in length, so both hardly matter.
SATURATION, LENGTH_WEIGHT = 1.2, 0.75
NAME_WEIGHT = 3  # a word of the name counts as often as three of the description
MEANT_WEIGHT = 0.8  # a word that is meant against one that is said
LEAST_SCORE = 1.5  # a single word that every second tool has says nothing
HELD_BACK_WEIGHT = 0.4  # of what the request speaks against
VALUE_MISSED = 2.0  # of a value that no parameter takes, or of none where one must be given
VALUE_GIVEN = 2.0  # for each value of a kind that a tool must be given
CALLED = 4.0  # for a name that the request says
VERB_SAID = 1.0
# What a parameter is called that says how and not what: a request need not name it.
MANNERS = frozenset(("type", "kind", "mode", "format", "style", "scope", "order", "sort", "unit", "units"))
# Stems in names of parameters that a file can be given as.
FILE_WORDS = frozenset(stem(each) for each in ("path", "paths", "file", "files", "source", "filename", "uri"))
FOLDER_WORDS = frozenset(stem(each) for each in ("directory", "directories", "folder", "folders", "dir"))
# Whatever may be the name of a file or a folder, also of one without an ending.
_MAY_BE_A_PATH = re.compile(r"[\w.-]{3,}(?:/[\w.-]+)*")


@dataclass(frozen=True)
class _Entry:
    """One tool with its words, stemmed and counted. `own` are those of its name without its server's, in
    their order, `states` those of them that say how a thing is ("staged"). `needs_text`: a text must be given
    that the settings do not hold. `takes_file`: one of its parameters can name a file. `takes` and `needs`:
    kinds of values that its parameters can be given, and those that they must be; `wants` are those that
    speak for it where they are given. `offers`: names of which one must be given. `counting`: what it may be
    told how many of it are wanted. `places`: words for where it works, which the settings say."""

    served: ServedTool
    words: Counter[str]
    length: int
    own: tuple[str, ...]
    acts: bool
    needs_text: bool
    states: frozenset[str] = frozenset()
    takes_file: bool = False
    links: bool = False
    numbers: int = 0
    takes: frozenset[ArgumentKind] = frozenset()
    needs: frozenset[ArgumentKind] = frozenset()
    wants: frozenset[ArgumentKind] = frozenset()
    offers: tuple[tuple[str, ...], ...] = ()
    counting: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()

    @classmethod
    def of(cls, served: ServedTool) -> _Entry:
        server = [stem(each) for each in words_in(served.server)]
        name = [stem(each) for each in words_in(served.pin.name)]
        properties = served.pin.schema.get("properties") or {}
        about = [stem(each) for name in properties for each in words_in(str(name))]
        words = Counter([*(*name, *server) * NAME_WEIGHT, *stems(served.pin.summary), *about])
        own = tuple(each for each in name if each not in server and each not in empty_words())
        needs_text = any(
            each.required
            and each.kind is ParameterType.STRING
            and not each.choices
            and MANNERS.isdisjoint(words_in(each.name))
            for each in parameters_of(served.pin.schema, served.fixed)
        )
        states = frozenset(stem(each) for each in words_in(served.pin.name) if each.endswith("ed"))
        takes = kinds_taken(served.pin.schema, served.fixed)
        # Of what the settings give nothing can be said: but what works in a folder, and must be told no more,
        # may be asked about a file of it.
        given = {
            stem(each) for name in properties if name not in served.fixed for each in words_in(str(name))
        }
        is_told_all = not any(each.required for each in parameters_of(served.pin.schema, served.fixed))
        told = set(about) if is_told_all else given
        # What lists a folder is given the path of one, and no file.
        is_of_folders = not FOLDER_WORDS.isdisjoint(own) and FILE_WORDS.isdisjoint(own)
        # One that says "file" itself takes it in whatever it is told: the data to compress.
        is_of_files = not FILE_WORDS.isdisjoint(own) and ArgumentKind.ADDRESS in takes
        takes_file = (is_of_files or not FILE_WORDS.isdisjoint(told)) and not is_of_folders
        return cls(
            served,
            words,
            sum(words.values()),
            own,
            acts(served),
            needs_text,
            states,
            takes_file,
            links_two(served.pin.schema),
            numbers_needed(served.pin.schema, served.fixed),
            takes,
            kinds_needed(served.pin.schema, served.fixed),
            kinds_wanted(served.pin.schema, served.fixed),
            names_offered(served.pin.schema, served.fixed),
            numbers_counting(served.pin.schema, served.fixed),
            frozenset(
                ["server", *server, *(stem(each) for fixed in served.fixed for each in words_in(fixed))]
            ),
        )


class ToolSelection:
    """Chooses for one request after another. Keeps nothing: ranking 200 tools takes some milliseconds."""

    def __init__(
        self,
        offered: Callable[[], Sequence[ServedTool]],
        call: Call,
        own: Iterable[str],
        can_keep: Callable[[Access], bool] = lambda _access: True,
        workspace: Callable[[], Path | None] = lambda: None,
    ) -> None:
        """`own` are the names of Steward's tools, which no other tool may bear; they work in `workspace`."""
        self._offered = offered
        self._call = call
        self._can_keep = can_keep
        self._own = frozenset(own)
        self._workspace = workspace

    def chosen(self, request: str, used: Iterable[str] = ()) -> tuple[Tool, ...]:
        """At most four, those of `used` first; none where no word fits."""
        served = self._offered()
        if not served:
            return ()
        asked = RequestWords.of(request)
        named = self._named(served)
        before = [name for name in dict.fromkeys(used) if name in named]
        meant = _servers_meant(asked, served, [named[name] for name in before])
        names_of = {id(each): name for name, each in named.items()}
        among = [each for each in served if not meant or each.server in meant]
        kept = [name for name in before if named[name] in among][-AT_MOST:]
        entries = [_Entry.of(each) for each in among]
        is_for_words = not asked.speaks_of_a_server and _is_for_words(asked, entries)
        if not meant and not kept and (asked.is_general or is_for_words):
            return ()
        asked = _bare(asked, {word for each in among for word in words_in(each.pin.name)}, entries)
        # Of a server that is meant some tool is wanted, in whatever words.
        least = -math.inf if meant or asked.speaks_of_a_server else LEAST_SCORE
        ranked = [names_of[id(each.served)] for each, _score in _ranked(entries, asked, least)]
        names = list(dict.fromkeys((*kept, *ranked)))[:AT_MOST]
        by_tool = {id(each.served): each for each in entries}
        return tuple(
            self._tool(
                name, named[name], _hint(by_tool[id(named[name])], asked, entries), is_alone=bool(meant)
            )
            for name in names
        )

    def catalogue(self, request: str, used: Iterable[str] = ()) -> ToolCatalogue:
        """All tools, as long as they fit into a prompt; else those of the servers that fit best. In question
        come those of the servers that `request` means."""
        served = self._offered()
        named = self._named(served)
        meant = _servers_meant(
            RequestWords.of(request), served, [named[name] for name in used if name in named]
        )
        entries = {name: _Entry.of(each) for name, each in named.items()}
        known = {word for each in served for word in words_in(each.pin.name)}

        of_request = _bare(RequestWords.of(request), known, entries.values())

        def fits(text: str) -> Mapping[str, float]:
            asked = of_request
            if text != request:
                asked = replace(_bare(RequestWords.of(text), known, entries.values()), retells=of_request)
            scores = _scores(list(entries.values()), asked)
            return {
                name: scores.get(id(entry), 0.0)
                for name, entry in entries.items()
                if (not meant or entry.served.server in meant) and not _cannot_take(entry, asked)
            }

        is_told = any(ArgumentKind.COMMIT in each.wants for each in entries.values()) and (
            ArgumentKind.COMMIT in kinds_in(request)
        )
        tools = [self._tool(name, each, "", is_alone=bool(meant)) for name, each in named.items()]
        own = self._instead(entries, request)
        outdone = self._outdoing(entries, own, of_request)
        return ToolCatalogue(
            _within_limit(tools, fits(request)),
            fits,
            {name: same for name, same in own.items() if name not in outdone},
            frozenset(own[name] for name in outdone),
            is_told,
            self._is_theirs(served, of_request),
        )

    def _is_theirs(self, served: Iterable[ServedTool], asked: RequestWords) -> bool:
        """Whether a thing is named that only tools of servers have in their names (a branch, a graph), or a
        server itself, and none that is Steward's own, such as a file."""
        own = {stem(word) for name in self._own for word in words_in(name)}
        things = {stem(words_in(name)[-1]) for name in self._own if words_in(name)}
        known = named_things() | {"graph"}
        theirs = {
            stem(word)
            for each in served
            for word in words_in(each.pin.name)
            if word in known or word in words_in(each.server)
        }
        is_ours = bool(asked.files) or any(map(asked.has, things))
        return not is_ours and (asked.speaks_of_a_server or any(map(asked.has, theirs - own)))

    def _instead(self, entries: Mapping[str, _Entry], request: str) -> dict[str, str]:
        """By the name of a tool the own one that does the same; none where it is about what lies in the
        folders of the server alone, which a path of the workspace does not reach."""
        own = {name: _same_name(words_in(name)) for name in sorted(self._own)}
        found: dict[str, str] = {}
        for name, entry in entries.items():
            same = next((each for each, words in own.items() if _does_the_same(entry, words)), None)
            if same is not None and not _lies_there(request, _places(entry.served), self._workspace()):
                found[name] = same
        return found

    def _outdoing(
        self, entries: Mapping[str, _Entry], alike_to: Collection[str], asked: RequestWords
    ) -> set[str]:
        """Which of those that do the same as Steward's own can be told more of what the request says: how
        many lines. None where it is about what lies in the workspace alone."""
        workspace = self._workspace()
        return {
            name
            for name in alike_to
            if any(map(asked.counts, entries[name].counting))
            and not (workspace and _lies_only_in(workspace, _places(entries[name].served), asked.text))
        }

    def all_tools(self) -> tuple[Tool, ...]:
        """Every tool that may be called now, under the name that the model knows it by."""
        return tuple(self._tool(name, each, "") for name, each in self._named(self._offered()).items())

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

    def _tool(self, name: str, served: ServedTool, hint: str, is_alone: bool = False) -> Tool:
        def can_keep() -> bool:
            return self._can_keep(served.access)

        return as_tool(name, served, self._call, hint, can_keep, is_alone)


def _same_name(words: Iterable[str]) -> frozenset[str]:
    return frozenset(same_words().get(stem(each), stem(each)) for each in words)


def _does_the_same(entry: _Entry, own: frozenset[str]) -> bool:
    """Whether a tool is named as one of Steward's own is, in these or in other words. What its name leaves
    out has to be said of it elsewhere: "fetch", which takes an address, is fetch_page."""
    said, server = words_in(entry.served.pin.name), words_in(entry.served.server)
    # The server "fetch" has a tool "fetch".
    name = _same_name([each for each in said if each not in server] or said)
    left = own - name
    return name <= own and (not left or left <= {same_words().get(each, each) for each in entry.words})


def _lies_there(request: str, places: Sequence[Path], workspace: Path | None) -> bool:
    """Whether `request` names what is in one of `places` and not in the workspace."""
    return any(
        _is_in(place, name) and not (workspace is not None and _is_in(workspace, name))
        for place in places
        for name in _may_be_named(request)
    )


def _lies_only_in(workspace: Path, places: Sequence[Path], request: str) -> bool:
    return any(
        _is_in(workspace, name) and not any(_is_in(place, name) for place in places)
        for name in _may_be_named(request)
    )


def _may_be_named(request: str) -> set[str]:
    return {*files_in(request), *_MAY_BE_A_PATH.findall(request)}


def _is_in(folder: Path, name: str) -> bool:
    try:
        return (folder / name).exists()
    except (OSError, ValueError):  # no name of a file
        return False


def _bare(asked: RequestWords, of_tools: Collection[str], entries: Iterable[_Entry]) -> RequestWords:
    """Without the words that are names of something or only say of which kind another thing is."""
    return asked.without_names(of_tools).without_kinds({word for each in entries for word in each.words})


def _within_limit(tools: Sequence[Tool], fitting: Mapping[str, float]) -> tuple[Tool, ...]:
    """`tools` in their order, as many as can be shown at once: first those that fit best."""
    room, kept = CATALOGUE_CHARACTERS, set()
    for tool in sorted(tools, key=lambda each: -fitting.get(each.name, 0.0)):
        room -= len(tool.signature)
        if room < 0:
            break
        kept.add(tool.name)
    return tuple(each for each in tools if each.name in kept)


def _is_for_words(asked: RequestWords, entries: Sequence[_Entry]) -> bool:
    """Whether a text is wanted and no tool: one of two words or more that are said is what is wanted, and
    one of a single word where the text is given."""
    known = {word for each in entries for word in each.words}
    enough = 1 if brings_text(asked) else 2
    is_called = any(len(each.own) >= enough and _is_said_whole(each, asked) for each in entries)
    return not is_called and wants_words(asked, known)


def _servers_meant(
    asked: RequestWords, served: Sequence[ServedTool], before: Sequence[ServedTool]
) -> frozenset[str]:
    """Those that the request names ("with the git server"), or whose place is the one that "there" means:
    where the tool works that was used last. Empty where any will do."""
    named = frozenset(each.server for each in served if _is_named(each.server, asked.text))
    if named or not before or asked.looks:
        return named
    if not any(words("there", language).search(asked.text) for language in LANGUAGES):
        return named
    there = _places(before[-1])
    at_home = frozenset(
        each.server
        for each in served
        if any(_is_within(place, folder) for place in there for folder in each.access.folders)
    )
    return at_home or frozenset({before[-1].server})


def _is_named(server: str, request: str) -> bool:
    name = re.escape(server)
    kind = r"(?:mcp[- ])?(?:servers?|serveurs?|servidor|tools?|werkzeug\w*|outils?|herramienta)"
    return re.search(rf"\b{kind}\W+{name}\b|\b{name}[\W_]+{kind}\b", request, re.IGNORECASE) is not None


def _places(served: ServedTool) -> tuple[Path, ...]:
    """Where a tool works: what it may write to, and what the settings give it as an argument."""
    given = (Path(value) for value in served.fixed.values() if value.startswith(("/", "~")))
    return (*(each.expanduser().resolve() for each in given), *served.access.folders)


def _is_within(place: Path, folder: Path) -> bool:
    return place == folder or folder in place.parents or place in folder.parents


def ranked_by(tools: Sequence[ServedTool], request: str) -> list[tuple[ServedTool, float]]:
    """Those that fit `request`, the best first, with their scores."""
    ranked = _ranked([_Entry.of(each) for each in tools], RequestWords.of(request), LEAST_SCORE)
    return [(each.served, score) for each, score in ranked]


def _ranked(entries: Sequence[_Entry], asked: RequestWords, least: float) -> list[tuple[_Entry, float]]:
    scores = _scores(entries, asked)
    scored = [(each, scores[id(each)]) for each in entries if id(each) in scores]
    return sorted((pair for pair in scored if pair[1] >= least), key=lambda pair: -pair[1])


def _scores(entries: Sequence[_Entry], asked: RequestWords) -> dict[int, float]:
    """How well each fits, by the entry's id; {} where nothing is asked."""
    if not entries or not asked.said:
        return {}
    mean = sum(each.length for each in entries) / len(entries)
    weights = {word: _rarity(word, entries) for word in asked.said}
    weights |= {
        word: MEANT_WEIGHT * _rarity(word, entries)
        for word in asked.meant
        if not any(alike(word, each) for each in asked.said)
    }
    return {id(each): _weighed(_score(each, weights, mean), each, asked, entries) for each in entries}


def _score(entry: _Entry, weights: Mapping[str, float], mean: float) -> float:
    total = 0.0
    for word, weight in weights.items():
        count = sum(number for other, number in entry.words.items() if alike(word, other))
        if count:
            long = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * entry.length / mean
            total += weight * count * (SATURATION + 1) / (count + SATURATION * long)
    return total


def _weighed(score: float, entry: _Entry, asked: RequestWords, entries: Sequence[_Entry]) -> float:
    # Names are called and acts ordered by the user alone: the model has all of them before its eyes.
    own = asked.retells or asked
    if _is_called(entry.served, own) and not _is_said_with_more(entry, own, entries):
        return score + CALLED
    # The number of a commit is for the tool that must have one, whatever the words; counted once.
    if asked.retells is None:
        score += VALUE_GIVEN * len(entry.wants) * (entry.wants <= kinds_in(asked.text))
        if score and entry.numbers > 1 and entry.numbers == numbers_in(asked.text):
            score += VALUE_GIVEN
    score -= _left_out(entry, asked, entries)
    # Of a name of words that stand in every request: "show" of git_show.
    named = words_in(entry.served.pin.name)  # none in a name of single letters
    if score and named and not entry.own and _says(named[-1], asked):
        return score + VERB_SAID
    # "When was plan.txt changed?" is no question for a tool that no file can be given to.
    if _takes_other_values(entry, asked) or _links_one(entry, own):
        # Below what says nothing of it at all: the model takes such a tool for what sounds alike.
        return score * HELD_BACK_WEIGHT - VALUE_MISSED
    is_against = _cannot_take(entry, asked) or _is_held_back(entry, own, entries)
    return score * HELD_BACK_WEIGHT if score and is_against else score


def _cannot_take(entry: _Entry, asked: RequestWords) -> bool:
    """Whether a file or an address is named and the tool can be given none, nor is it called by its name or
    given what it is for."""
    kinds = kinds_in(asked.given)
    has_file = bool(asked.files) and not entry.takes_file
    if not has_file and (ArgumentKind.ADDRESS not in kinds or ArgumentKind.ADDRESS in entry.takes):
        return False
    is_for_it = bool(entry.wants) and entry.wants <= kinds
    return not is_for_it and not _is_called(entry.served, asked) and not _is_said_whole(entry, asked)


def _takes_other_values(entry: _Entry, asked: RequestWords) -> bool:
    """Whether the request gives a value that no parameter takes, or none of a kind that must be given: to
    tell the time in a city is not to convert 17:30, and a branch that is named is no value for what shows
    all that is staged."""
    given = kinds_in(asked.given)
    # Where it works is in the settings: the name of the repository is no value that it lacks.
    if any(not any(alike(stem(thing), each) for each in entry.places) for thing in asked.called.values()):
        given |= {ArgumentKind.NAME}
    if not all(says_one(names, asked.given) for names in entry.offers):
        return True
    return not given <= entry.takes or not entry.needs <= given


def _left_out(entry: _Entry, asked: RequestWords, entries: Iterable[_Entry]) -> float:
    """What speaks against a tool that can be told less than the request says: one that shows all there is,
    where something is named that a neighbour can be given. Below nought for a link where two are named."""
    if entry.links:
        return -VALUE_MISSED * (asked.tells_of > 1)
    if entry.takes or entry.acts or not asked.looks:
        return 0.0
    near = [each for each in entries if each.served.server == entry.served.server]
    known = {word for each in near for word in each.words}
    takes_names = any(ArgumentKind.NAME in each.takes and not each.acts for each in near)
    return VALUE_MISSED if takes_names and asked.names_something(known) else 0.0


def _links_one(entry: _Entry, asked: RequestWords) -> bool:
    """Whether it links two, and the request speaks of no link and points at one: "that he is retired"."""
    return entry.links and asked.tells_of == 1 and not asked.has(stem("relation"))


def _is_said_with_more(entry: _Entry, asked: RequestWords, entries: Iterable[_Entry]) -> bool:
    """Whether a neighbour is said whole that says the same and more: to create a Git branch is no call of
    git_branch."""
    return any(
        other.served.server == entry.served.server
        and set(entry.own) < set(other.own)
        and _is_said_whole(other, asked)
        for other in entries
    )


def _is_said_whole(entry: _Entry, asked: RequestWords) -> bool:
    return bool(entry.own) and all(map(asked.has, entry.own))


def _rarity(word: str, entries: Sequence[_Entry]) -> float:
    having = sum(any(alike(word, other) for other in each.words) for each in entries)
    return math.log(1 + (len(entries) - having + 0.5) / (having + 0.5))


def _is_called(served: ServedTool, asked: RequestWords) -> bool:
    """Whether the request says the very name, which has to have two words: "git show", "directory tree"."""
    name = r"[\W_]+".join(map(re.escape, words_in(served.pin.name)))
    return len(words_in(served.pin.name)) > 1 and bool(re.search(rf"\b{name}\b", asked.text, re.IGNORECASE))


def _says(word: str, asked: RequestWords) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", asked.text, re.IGNORECASE) is not None


def _is_held_back(entry: _Entry, asked: RequestWords, entries: Iterable[_Entry]) -> bool:
    """Whether the request speaks against a tool: it only looks and the tool acts; it orders what the tool's
    name says has been done ("stage" and git_diff_staged), or denies it ("not staged"); another tool of the
    server is said whole that shares a word with this one, of which a word is not said ("delete the
    observation" and delete_entities); or the tool must be given a text, and the request has no word left that
    could be it."""
    if asked.looks and entry.acts:
        return True
    if asked.ordered and stem(asked.ordered) in entry.states and not asked.ordered.endswith("ed"):
        return True
    if not asked.denied.isdisjoint(entry.states):
        return True
    own = set(entry.own)
    if not all(map(asked.has, own)) and any(
        other.served.server == entry.served.server
        # To make a branch is no wish for the list of them, whose name is in it.
        and (asked.looks or other.acts or not entry.acts)
        and not own.isdisjoint(other.own)
        and _is_said_whole(other, asked)
        for other in entries
    ):
        return True
    return entry.needs_text and not asked.left_by(entry.words)


def hint_words(served: ServedTool, request: str, tools: Iterable[ServedTool] = ()) -> str:
    """The words of a request that speak for the tool, as a pattern; one that nothing fits where it speaks
    against it, and "" where it says nothing of it. `tools`: all that it is chosen among."""
    return _hint(_Entry.of(served), RequestWords.of(request), [_Entry.of(each) for each in tools])


def _hint(entry: _Entry, asked: RequestWords, entries: Sequence[_Entry]) -> str:
    is_called = _is_called(entry.served, asked)
    if not is_called and _is_held_back(entry, asked, entries):
        return NEVER
    named = [stem(each) for each in (*words_in(entry.served.pin.name), *words_in(entry.served.server))]
    found = asked.speaking_for(named)
    # A name of words that stand in every request has none of its own to be said.
    if is_called and not found:
        return rf"\b{words_in(entry.served.pin.name)[0]}"
    return rf"\b(?:{'|'.join(map(re.escape, found))})" if found else ""


# -- what kind of values a request gives -------------------------------------------------------

# What kind of values a request gives, and which of them the parameters of a tool can take.
#
# A tool that a time on the clock cannot be given to does not convert it, and one that must have an
# address does nothing for a request without any: that is read off the schema and off the form of what was
# said, in any language, and needs neither tables of words nor a model.
#
# Pure; any thread.


class ArgumentKind(Enum):
    """Kinds that are known by their form."""

    CLOCK = "clock"  # 17:30, half past five
    ADDRESS = "address"  # https://…
    ZONE = "zone"  # a place whose time is asked for
    COMMIT = "commit"  # the number of a commit
    NAME = "name"  # what is called something, what stands in quotation marks, the number of a commit


_ADDRESS = re.compile(r"\bhttps?://\S|\bwww\.\w", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"\n]{1,300}"|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]|«[^»\n]{1,300}»')
# The number of a commit: letters and digits, or it is a word or a year.
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b", re.IGNORECASE)

_ZONES = frozenset({"timezone", "timezones", "tz", "zone", "zones"})
_ADDRESSES = frozenset({"url", "urls", "uri", "uris", "href", "link", "links", "address"})
_PATHS = frozenset({"path", "paths", "file", "files", "filename", "directory", "folder", "dir"})
_CLOCKS = frozenset(
    {"time", "times", "timestamp", "date", "dates", "datetime", "hour", "hours", "when", "since", "until"}
)
_ENDS = tuple(
    frozenset(pair)
    for pair in (("from", "to"), ("source", "target"), ("subject", "object"), ("parent", "child"))
)
_NUMBER = re.compile(r"(?<![\w.,:/-])-?\d+(?:[.,]\d+)?(?![\w:/-])")
_SAID_TO_COUNT = re.compile(r"\b(?:N|number of|how many)\s+([a-z]+)")
_COMMITS = frozenset({"revision", "commit", "sha", "hash", "changeset"})
_NO_TEXT = frozenset({"integer", "number", "boolean", "null"})
NAME_STEM = 4  # letters that tell a name, whatever its ending in another language


@lru_cache(maxsize=64)  # asked of one text for each of the tools
def kinds_in(request: str) -> frozenset[ArgumentKind]:
    """Kinds of the values that `request` gives by their form alone."""
    found = {
        ArgumentKind.ADDRESS: _ADDRESS.search(request),
        ArgumentKind.CLOCK: CLOCK_TIME.search(request),
        ArgumentKind.ZONE: asks_time_there(request),
        ArgumentKind.COMMIT: _HASH.search(request),
        ArgumentKind.NAME: _QUOTED.search(request) or _HASH.search(request),
    }
    return frozenset(kind for kind, match in found.items() if match)


def kinds_taken(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> frozenset[ArgumentKind]:
    """What the parameters that are not `fixed` can be given."""
    return frozenset(kind for name, about in _open(schema, fixed) for kind in _kinds_of(name, about))


def kinds_needed(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> frozenset[ArgumentKind]:
    """What must be given: of a parameter of one kind alone that is required. Not every place is known."""
    single = {kind for _, kinds in _required(schema, fixed) if len(kinds) == 1 for kind in kinds}
    return frozenset(single - {ArgumentKind.NAME, ArgumentKind.ZONE})


def kinds_wanted(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> frozenset[ArgumentKind]:
    """What speaks for a tool where it is given: kinds that a parameter is there for and that is required."""
    required = list(_required(schema, fixed))
    single = {kind for _, kinds in required if len(kinds) == 1 for kind in kinds}
    commits = {ArgumentKind.COMMIT for name, _ in required if _COMMITS & frozenset(words_in(name))}
    return frozenset((single - {ArgumentKind.NAME}) | commits)


def numbers_needed(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> int:
    """How many numbers must be given."""
    required = _names_required(schema)
    return sum(
        name in required and about.get("type") in ("integer", "number")
        for name, about in _open(schema, fixed)
    )


def numbers_in(request: str) -> int:
    """How many numbers stand in it by themselves."""
    return len(_NUMBER.findall(request))


def numbers_counting(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> frozenset[str]:
    """What those numbers count that may be left out, as their names and descriptions say: the lines of
    context_lines, and of "returns only the last N lines"."""
    required = _names_required(schema)
    counting = [
        (name, about)
        for name, about in _open(schema, fixed)
        if name not in required and about.get("type") in ("integer", "number")
    ]
    said = (word for _, about in counting for word in _SAID_TO_COUNT.findall(str(about.get("description"))))
    named = (word for name, _ in counting for word in words_in(name)[1:])
    return frozenset((*map(str.casefold, said), *named))


def links_two(schema: Mapping[str, Any]) -> bool:
    """Whether what must be given is a list of things with two ends: from and to, source and target."""
    required = _names_required(schema)
    items = (about.get("items") for name, about in _open(schema, {}) if name in required)
    listed = [_names_required(each) for each in items if isinstance(each, dict)]
    return any(ends <= {name.casefold() for name in names} for names in listed for ends in _ENDS)


def names_offered(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Of each parameter that must be one of a few names, such as cities, those names. Kinds and manners are
    no names, and are said in many words."""
    required = _names_required(schema)
    lists = (about.get("enum") for name, about in _open(schema, fixed) if name in required)
    return tuple(
        tuple(each) for each in lists if isinstance(each, list) and each and all(map(_is_name, each))
    )


def says_one(names: tuple[str, ...], text: str) -> bool:
    """Whether one of `names` is said, in whatever spelling of its language: "Nueva York" is New York."""
    said = {word[:NAME_STEM] for word in _bare_words(text)}
    return any(word[:NAME_STEM] in said for name in names for word in _bare_words(name))


def _is_name(value: object) -> bool:
    """As names are written: a code is all in capitals, and a word in none."""
    return isinstance(value, str) and value[:1].isupper() and not value.isupper()


def _bare_words(text: str) -> list[str]:
    """Those that tell one name from another, without accents: "Los" of Los Angeles does not."""
    plain = "".join(each for each in normalize("NFKD", text) if not combining(each)).casefold()
    words = re.findall(r"[^\W\d_]+", plain)
    return [word for word in words if len(word) >= NAME_STEM] or words


def _required(
    schema: Mapping[str, Any], fixed: Mapping[str, str]
) -> Iterator[tuple[str, frozenset[ArgumentKind]]]:
    required = _names_required(schema)
    return ((name, _kinds_of(name, about)) for name, about in _open(schema, fixed) if name in required)


def _names_required(schema: Mapping[str, Any]) -> set[str]:
    listed = schema.get("required")
    return {each for each in listed if isinstance(each, str)} if isinstance(listed, list) else set()


def _open(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> list[tuple[str, Mapping[str, Any]]]:
    properties = schema.get("properties")
    pairs = properties.items() if isinstance(properties, dict) else ()
    return [
        (str(name), about if isinstance(about, dict) else {}) for name, about in pairs if name not in fixed
    ]


def _kinds_of(name: str, about: Mapping[str, Any]) -> frozenset[ArgumentKind]:
    """By its type, its form, its name and what is said of it."""
    words = frozenset(words_in(name))
    if about.get("type") in _NO_TEXT or "enum" in about:
        return frozenset()
    if words & _ZONES:
        return frozenset({ArgumentKind.ZONE})
    if about.get("format") == "uri" or words & _ADDRESSES:
        return frozenset({ArgumentKind.ADDRESS})
    is_clock = about.get("format") in ("time", "date-time") or "HH:MM" in str(about.get("description"))
    if is_clock or words & _CLOCKS:
        return frozenset({ArgumentKind.CLOCK})
    # A path lies on this computer, and is no address.
    return frozenset(ArgumentKind) - ({ArgumentKind.ADDRESS} if words & _PATHS else set())
