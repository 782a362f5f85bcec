"""Which of the tools of other programs' servers a request calls for, asked in a short prompt of its own.

Names and descriptions of these tools are somebody else's, nearly always English, and each a neighbour of the
next. Words alone do not find the right one, since people ask in others; a small model alone takes the one
that sounds alike. So both only bring a few into question: the model is shown all of the tools, in one line
each, says first in plain English what is asked for, and then how likely each of their names is, or "none",
once below that line and once below the request as it stands: a line that is wrong takes its name with it. To
that is added how well the words of the request and those of the English line fit each tool. Which of the few
is meant, or none, is also asked the other way round: each is shown by itself, and the model gives how likely
somebody says just this who wants it. Where the words speak for quite another one than the names, these are
looked at once more before the few alone. The examples are of tools that no server has. The arguments are
written in the prompt with all, below the request as well, under the tool's own schema.

Everything before the request is always the same as long as the servers are, so the KV cache has it: a request
costs its own words twice and some fifty new tokens, and some 36 for each of the few. docs/measurements.md has
the figures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from desktop.chat.formats.family import COMPACT
from desktop.chat.tool_args import Submit, WrittenCall, write_call
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling, Stream
from desktop.tools.tool import Tool, ToolCatalogue

CONVERSATION = "served tools"  # of all chats: what stands before the request is always the same
SAYINGS = "what is said for a served tool"  # of all chats, too, and so is most of what stands before
FEW = "a few served tools"  # those in doubt alone, so that the prompt with all stays in the KV cache
NONE = "none"
MEANT_TOKENS = 32
# Words: without it the model writes a call at times, of a tool that there is not.
MEANT_GRAMMAR = r"""root ::= [a-zA-Z]+ ( [ ,'] [^\n({]* )? "\n" """
# What a score of words counts beside a logarithm of the model's likelihood, where a few are picked out. Tuned
# on 240 requests, where much else between 0.3 and 0.9 does as well.
WORDS_WEIGHT = 0.6
LEAST_LIKELY = -8.0  # what is less likely than that is hardly so by its name
NONE_LIKELY = -12.0
CLEAR_CHOICE = 7.0  # nearer to the next than that, several are held against what was said
OTHER_NAMED = 3.0  # and so they are where the words of the request fit another one by so much better
LOOKED_AT = 3  # and those that the words of the request alone bring up, and its names alone
WORTH_WEIGHING = 0.0  # over none; what is less likely is not called, whatever was said
# What counts in the end: how likely the request is for a tool, its name below the request and below the line
# that the model wrote, and the words of the request. Those of the line only repeat the name. Near to what was
# learned by tests/bench/learn_served.py. How likely a request is, all tokens together, is told in full by
# its own words: of two tools it is likelier for the one that has them in its line, wanted or not.
SAID_COUNTS, NAMED_COUNTS, LIKELY_COUNTS, REQUEST_COUNTS, OWN_COUNTS = 0.35, 0.8, 0.2, 0.2, 1.0
OVER_NONE = 1.0  # what is called, all in all
OWN_FIRST = 2.0  # of two tools that do the same, Steward's own
WORTH_OPENING = -6.0  # names that begin less likely are not told apart
REQUEST_SHOWN = 600  # characters
MOST_OWN = 3  # of Steward's own tools beside; the model loses itself in more

_POLITE_END = re.compile(
    r"(?:[\s,]+(?:please|pl[sz]|bitte|s['’]il (?:te|vous) pla[iî]t|stp|svp|por favor|porfa))+[\s.!?]*$",
    re.IGNORECASE,
)

_SYSTEM = """You are shown a few functions and one request. First say in one line of plain English what the \
request asks for. Below it write the call of the function that does exactly this, or none. None is right for \
questions about the world, what something means or how it is done, for small talk, for what somebody only \
tells, for an opinion, and for texts to write or to translate."""

_MUSIC = """play_song(title, volume?): Plays a song.
stop_music(): Stops what is playing.
list_songs(kind): Lists the songs of the library."""
_PEOPLE = """add_contacts(contacts): Adds new contacts to the address book.
add_notes(notes): Adds notes to contacts that exist.
link_contacts(links): Links contacts with each other.
remove_contacts(names): Removes contacts."""
_DOORS = """lock_door(door): Locks a door.
door_state(door): Shows whether a door is open.
find_key(pattern, room): Finds keys in a room."""
_QUEUE = """queue_add(jobs): Adds jobs to the queue.
queue_clear(): Removes all jobs from the queue.
queue_list(): Shows what is in the queue.
queue_run(note): Runs all jobs of the queue."""
_MONEY = """convert_money(amount, from, to): Converts money between currencies.
current_rate(currency): Gets the rate of a currency.
search_bills(query): Searches bills for a text."""

# Of what small models get wrong without having seen it: what exists and what is new, what is told and what is
# wanted, a question that looks and one about the world, in the languages that people write.
_EXAMPLES: tuple[tuple[str, str, str, tuple[str, str]], ...] = (
    (_MUSIC, "Leg mal Yesterday auf", "play the song Yesterday", ("play_song", '{"title": "Yesterday"}')),
    (
        _PEOPLE,
        "Paula can't eat nuts, put that with her",
        "add a note to the existing contact Paula",
        ("add_notes", '{"notes": [{"contact": "Paula", "texts": ["cannot eat nuts"]}]}'),
    ),
    (_MUSIC, "Why do songs get stuck in our heads?", "explain why songs get stuck in heads", (NONE, "{}")),
    (
        _PEOPLE,
        "Halte in den Kontakten fest, dass Jan der Bruder von Paula ist",
        "link the contact Jan to Paula as brother",
        ("link_contacts", '{"links": [{"from": "Jan", "to": "Paula", "kind": "brother of"}]}'),
    ),
    (
        _QUEUE,
        "The next run should have report.pdf in it",
        "add report.pdf to the queue",
        ("queue_add", '{"jobs": ["report.pdf"]}'),
    ),
    (
        _DOORS,
        "Ist vorne noch offen?",
        "show whether the front door is open",
        ("door_state", '{"door": "front"}'),
    ),
    (_DOORS, "I finally painted the front door last week.", "tells about painting a door", (NONE, "{}")),
    (
        _PEOPLE,
        "Enlève Jan de mes contacts",
        "remove the contact Jan",
        ("remove_contacts", '{"names": ["Jan"]}'),
    ),
    (_QUEUE, "Is it smart to run jobs at night?", "give an opinion on running jobs at night", (NONE, "{}")),
    (
        _MONEY,
        "¿Cuántos euros son 30 dólares?",
        "convert 30 dollars to euros",
        ("convert_money", '{"amount": 30, "from": "USD", "to": "EUR"}'),
    ),
    (
        _PEOPLE,
        "Write me a birthday card for a contact of mine",
        "write the text of a birthday card",
        (NONE, "{}"),
    ),
    (_MUSIC, "Welche Lieder hab ich?", "list the songs of the library", ("list_songs", '{"kind": "all"}')),
    (
        _DOORS,
        "Any keys for the shed lying around in the kitchen?",
        "find the shed keys in the kitchen",
        ("find_key", '{"pattern": "shed", "room": "kitchen"}'),
    ),
    (_MONEY, 'Gib mir ein anderes Wort für "Rechnung"', "find a synonym of a word", (NONE, "{}")),
)


_SAID_BY = """One function of a program is shown. Write what somebody says who wants it called, in a few \
words of theirs. With none of them they say what needs no function."""
_NOTHING_CALLED = """none: A question about the world, small talk, an opinion, a text to write, or something \
that is only told."""
_SAYINGS: tuple[tuple[str, str], ...] = (
    ("play_song(title, volume?): Plays a song.", "Leg mal Yesterday auf"),
    ("add_notes(notes): Adds notes to contacts that exist.", "Paula can't eat nuts, put that with her"),
    (_NOTHING_CALLED, "Why do songs get stuck in our heads?"),
    ("queue_add(jobs): Adds jobs to the queue.", "The next run should have report.pdf in it"),
    (_NOTHING_CALLED, "Was heißt eigentlich Warteschlange?"),
    ("door_state(door): Shows whether a door is open.", "Ist vorne noch offen?"),
    ("remove_contacts(names): Removes contacts.", "Enlève Jan de mes contacts"),
    (_NOTHING_CALLED, "I finally painted the front door last week."),
    ("convert_money(amount, from, to): Converts money between currencies.", "¿Cuántos euros son 30 dólares?"),
    (_NOTHING_CALLED, "Is it smart to run jobs at night?"),
    (
        "find_key(pattern, room): Finds keys in a room.",
        "Any keys for the shed lying around in the kitchen?",
    ),
)


@dataclass(frozen=True)
class ServedPick:
    """The likeliest tool, how much likelier it is than none, in nats, and what the request means in the
    model's own words. No tool where it was stopped."""

    tool: Tool | None
    preference: float = -math.inf
    meant: str = ""


@dataclass(frozen=True)
class Look:
    """The tools in question for one request. `meant` says it in the model's own words; `likely` are the
    logarithms of how likely each name is behind that, and NONE, `named` behind the request itself, both {}
    where it was stopped; how well the words of the request fit each, and those of `meant`."""

    tools: tuple[Tool, ...]
    meant: str
    likely: Mapping[str, float]
    named: Mapping[str, float]
    by_request: Mapping[str, float]
    by_meaning: Mapping[str, float]


class ServedChoice:
    """Chooses for one request. `submit` is the engine's, watched so that Stop reaches it."""

    def __init__(self, submit: Submit, priority: Priority) -> None:
        self._submit = submit
        self._priority = priority

    def pick(self, catalogue: ToolCatalogue, own: Sequence[Tool], request: str) -> ServedPick:
        """Which of the catalogue the request calls for, or of Steward's `own` that stand beside."""
        look = self.look(catalogue, own, request)
        if not look.likely or not look.named or not look.tools:
            return ServedPick(None)
        scores = scores_of(look, own)
        ranked = sorted(look.tools, key=lambda each: -scores[each.name])
        ahead = scores[ranked[0].name] - scores[NONE]
        if ahead < WORTH_WEIGHING:
            return ServedPick(ranked[0], ahead, look.meant)
        few = in_doubt(ranked, scores, look)
        said = self.said_for(request, few)
        if not said:
            return ServedPick(None)
        counted = {each.name: counts(each.name, look, said, each in own) for each in few}
        weights = counted
        if _worded_otherwise(ranked, look) is not None:
            # Before all the tools the model says in its line what one of them says of itself ("show the
            # commit logs" for "What changed?"), and is then sure of that one; before a few it does not.
            apart = self.look(catalogue, own, request, few)
            if not apart.likely or not apart.named:
                return ServedPick(None)
            seen = scores_of(apart, own)
            weights = {each.name: SAID_COUNTS * said[each.name] + seen[each.name] for each in few}
        best = max(few, key=lambda each: weights[each.name])
        return ServedPick(best, counted[best.name] - counts(NONE, look, said), look.meant)

    def look(
        self, catalogue: ToolCatalogue, own: Sequence[Tool], request: str, few: Sequence[Tool] = ()
    ) -> Look:
        """What the names say, all of them before the model at once, or a `few` alone."""
        tools = few or (*catalogue.tools, *own)
        asked = replace(self._asked(tools, request), conversation=FEW if few else CONVERSATION)
        meant = self._meant(asked)
        by_request, by_meaning = catalogue.fits(request), catalogue.fits(meant)
        in_question = tuple(each for each in tools if each.name in by_request or each in own)
        likely = self._likely(asked, meant, in_question)
        named = self._likely(asked, _shown_of(request), in_question)
        return Look(in_question, meant, likely, named, by_request, by_meaning)

    def said_for(self, request: str, tools: Sequence[Tool]) -> dict[str, float]:
        """By name the logarithm of how likely somebody says just this who wants the tool called, and for NONE
        who wants nothing called; {} where it was stopped.

        A small model writes what a function is for far better than it chooses among names."""
        said = _shown_of(request)
        found: dict[str, float] = {}
        for name, line in (*((each.name, each.signature) for each in tools), (NONE, _NOTHING_CALLED)):
            messages = (*_told_of_sayings(), Message("user", line))
            stream = self._submit(
                GenerateRequest(SAYINGS, messages, _certain(1), self._priority, weighed=said)
            )
            stream.text()
            if said not in stream.scores:
                return {}
            found[name] = stream.scores[said]
        return found

    def _meant(self, asked: GenerateRequest) -> str:
        """What the request asks for, in a line of plain English."""
        written = replace(asked, grammar=MEANT_GRAMMAR, sampling=_certain(MEANT_TOKENS), stop=("\n",))
        return self._text(written).strip()

    def _likely(self, asked: GenerateRequest, meant: str, tools: Sequence[Tool]) -> dict[str, float]:
        """The logarithms of how likely each name is behind `meant`, and NONE; {} where it was stopped.

        Names are told apart word by word, as far as their beginnings are likely: those of one server mostly
        share the first word."""
        start = f"{meant}\n{COMPACT.opening}"
        names = (*(each.name for each in tools), NONE)
        waiting = [("", 0.0, {each: _name_parts(each) for each in names})]
        found: dict[str, float] = {}
        while waiting:
            begun, likely, rest = waiting.pop()
            if len(rest) == 1 or likely < WORTH_OPENING:
                found |= dict.fromkeys(rest, likely)
                continue
            branches: dict[str, dict[str, tuple[str, ...]]] = {}
            for name, (part, *others) in rest.items():
                branches.setdefault(part, {})[name] = tuple(others)
            weights = self._weights(replace(asked, answer_start=start + begun), tuple(branches))
            if not weights:
                return {}
            waiting += [(begun + part, likely + weights[part], more) for part, more in branches.items()]
        return found

    def _weights(self, asked: GenerateRequest, parts: tuple[str, ...]) -> dict[str, float]:
        """The logarithms of how likely each of `parts` comes next, and nothing else can."""
        if len(parts) == 1:
            return {parts[0]: 0.0}
        stream = self._submit(replace(asked, labels=parts, sampling=_certain(1)))
        stream.text()
        scores = stream.scores
        if not scores:
            return {}
        highest = max(scores.values())
        whole = highest + math.log(sum(math.exp(each - highest) for each in scores.values()))
        return {part: scores[part] - whole for part in parts}

    def call(
        self, base: GenerateRequest, pick: ServedPick, shown: Sequence[Tool], request: str
    ) -> WrittenCall:
        """The call of what was picked among `shown`. `base` is the request for the answer, with the whole
        conversation: a value may stand anywhere in it."""
        assert pick.tool is not None
        messages = self._asked(shown, request).messages

        def shortly(asked: GenerateRequest) -> Stream:
            return self._submit(replace(asked, conversation=CONVERSATION, messages=messages, tools=()))

        def written(line: str) -> WrittenCall:
            assert pick.tool is not None
            return write_call(
                shortly, base, pick.tool, replace(COMPACT, opening=f"{line}\n{COMPACT.opening}")
            )

        # Below the request's own words: in others the folder "dokumente" becomes "documents".
        found = written(_shown_of(request))
        return found if found.call is not None else written(pick.meant)

    def _asked(self, tools: Sequence[Tool], request: str) -> GenerateRequest:
        return GenerateRequest(
            CONVERSATION, tuple(_messages(tools, request)), Sampling(temperature=0), self._priority
        )

    def _text(self, asked: GenerateRequest) -> str:
        return self._submit(asked).text()


def scores_of(look: Look, own: Sequence[Tool]) -> dict[str, float]:
    """By name, NONE too, what speaks for each at first: how likely it is, and how well words fit it."""
    fitting = {name: fit + look.by_meaning.get(name, 0.0) for name, fit in look.by_request.items()}
    # The words of Steward's own were said, or they would not stand here.
    of_own = OWN_FIRST + WORDS_WEIGHT * max(fitting.values(), default=0.0)
    found = {
        each.name: (_at_least(look.likely[each.name]) + _at_least(look.named[each.name])) / 2
        + (of_own if each in own else WORDS_WEIGHT * fitting[each.name])
        for each in look.tools
    }
    none = (max(look.likely[NONE], NONE_LIKELY) + max(look.named[NONE], NONE_LIKELY)) / 2
    return {**found, NONE: none}


def counts(name: str, look: Look, said: Mapping[str, float], is_own: bool = False) -> float:
    """What speaks for a tool in the end, or for NONE, in nats."""
    # The words of Steward's own were said, or it would not stand here.
    words = max(look.by_request.values(), default=0.0) if is_own else look.by_request.get(name, 0.0)
    return (
        SAID_COUNTS * said[name]
        + NAMED_COUNTS * _at_least(look.named[name])
        + LIKELY_COUNTS * _at_least(look.likely[name])
        + REQUEST_COUNTS * words
        + OWN_COUNTS * is_own
    )


def _at_least(likely: float) -> float:
    return max(likely, LEAST_LIKELY)


def in_doubt(ranked: Sequence[Tool], scores: Mapping[str, float], look: Look) -> tuple[Tool, ...]:
    """Those that may be meant: the first alone where the next is far behind it and neither the words of the
    request itself nor the names below it speak for another one."""
    best = ranked[0]
    worded = _worded_otherwise(ranked, look)
    named = max(ranked, key=lambda each: look.named[each.name])
    is_close = len(ranked) > 1 and scores[best.name] - scores[ranked[1].name] < CLEAR_CHOICE
    if not is_close and worded is None and named is best:
        return (best,)
    few = (*ranked[:LOOKED_AT], *([worded] if worded is not None else ()), named)
    return tuple({each.name: each for each in few}.values())


def _worded_otherwise(ranked: Sequence[Tool], look: Look) -> Tool | None:
    """The tool that the words of the request itself fit far better than the first of `ranked`."""
    fits = look.by_request
    worded = max(ranked, key=lambda each: fits.get(each.name, -math.inf))
    is_other = fits.get(worded.name, 0.0) - fits.get(ranked[0].name, math.inf) >= OTHER_NAMED
    return worded if is_other else None


_NAME_PART = re.compile(r"[^A-Za-z0-9]*(?:[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+)|[^A-Za-z0-9]+$")


def _name_parts(name: str) -> tuple[str, ...]:
    """A name word by word, and how the call goes on behind it: git_log is no beginning of git_logs. All of
    what comes behind it, since a part is known by its first token, and a quotation mark alone is another one
    than that with a comma behind it."""
    return (*_NAME_PART.findall(name), COMPACT.between)


def beginnings(catalogue: ToolCatalogue) -> tuple[GenerateRequest, ...]:
    """What is the same in all these prompts, to be read while nobody waits."""
    next_one = "(The next one.)"
    prompts = {
        CONVERSATION: tuple(_messages(catalogue.tools, next_one)),
        SAYINGS: (*_told_of_sayings(), Message("user", next_one)),
    }
    return tuple(
        GenerateRequest(conversation, messages, _certain(1), Priority.BACKGROUND)
        for conversation, messages in prompts.items()
    )


def _messages(tools: Sequence[Tool], request: str) -> Iterator[Message]:
    yield from _told_first()
    yield Message("user", _shown("\n".join(tool.signature for tool in tools), _shown_of(request)))


def _told_first() -> Iterator[Message]:
    yield Message("system", _SYSTEM)
    for lines, said, meant, (name, arguments) in _EXAMPLES:
        yield Message("user", _shown(lines, said))
        call = COMPACT.opening + name + COMPACT.between + arguments + COMPACT.closing
        yield Message("assistant", f"{meant}\n{call}")


def _told_of_sayings() -> Iterator[Message]:
    yield Message("system", _SAID_BY)
    for line, said in _SAYINGS:
        yield Message("user", line)
        yield Message("assistant", said)


def _shown(lines: str, request: str) -> str:
    return f"{lines}\n\nRequest: {_in_one_line(request)}"


def _shown_of(request: str) -> str:
    """As much of a request as is shown, without the polite word at its end, of which a small model makes a
    name: "du dossier src stp"."""
    return _in_one_line(_POLITE_END.sub("", request)[:REQUEST_SHOWN])


def _in_one_line(request: str) -> str:
    return " ".join(request.split())


def _certain(max_tokens: int) -> Sampling:
    return Sampling(temperature=0, max_tokens=max_tokens)
