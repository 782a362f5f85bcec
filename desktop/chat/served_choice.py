"""Which of the tools of other programs' servers a request calls for, asked in a short prompt of its own.

Names and descriptions of these tools are somebody else's, nearly always English, and each a neighbour of the
next: of four tools of a graph a small model takes the one that sounds alike. What it is good at is to say a
request in other words. So it is shown the few tools in question, in one line each, and says first in plain
English what is asked for, and then, by that, which tool does it, or that none does. The examples before it
are of tools that no server has. The difference of the logits of the likeliest name and of "none" decides; the
arguments are written in the same prompt, under the tool's own schema.

Everything before the request's own tools is always the same, so the KV cache has it: a request costs its own
lines and some forty new tokens. docs/benchmarks.md has the measurements.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from desktop.chat.formats.family import COMPACT, names_grammar
from desktop.chat.tool_args import Submit, WrittenCall, write_call
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling, Stream
from desktop.tools.tool import Tool

CONVERSATION = "served tools"  # of all chats: what stands before the tools is always the same
NONE = "none"
MEANT_TOKENS = 32
NAME_TOKENS = 32
REQUEST_SHOWN = 600  # characters
MOST_OWN = 3  # of Steward's own tools beside; the model loses itself in more

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


@dataclass(frozen=True)
class ServedPick:
    """The likeliest tool, how much likelier it is than none, in nats, and what the request means in the
    model's own words. No tool where it was stopped."""

    tool: Tool | None
    preference: float = -math.inf
    meant: str = ""


class ServedChoice:
    """Chooses for one request. `submit` is the engine's, watched so that Stop reaches it."""

    def __init__(self, submit: Submit, priority: Priority) -> None:
        self._submit = submit
        self._priority = priority

    def pick(self, tools: Sequence[Tool], request: str) -> ServedPick:
        """Which of `tools` the request calls for."""
        asked = self._asked(tools, request)
        meant = self._text(replace(asked, sampling=_certain(MEANT_TOKENS), stop=("\n",))).strip()
        after = replace(asked, answer_start=f"{meant}\n{COMPACT.opening}")
        names = tuple(tool.name for tool in tools)
        stream = self._submit(replace(after, labels=(*names, NONE), sampling=_certain(1)))
        stream.text()
        scores = stream.scores
        if not scores:
            return ServedPick(None)
        end = COMPACT.between[0]
        named = replace(after, grammar=names_grammar(names, end), sampling=_certain(NAME_TOKENS), stop=(end,))
        name = self._text(named).rstrip(end) if len(names) > 1 else names[0]
        tool = next((each for each in tools if each.name == name), None)
        return ServedPick(tool, max(scores[each] for each in names) - scores[NONE], meant)

    def call(
        self, base: GenerateRequest, pick: ServedPick, tools: Sequence[Tool], request: str
    ) -> WrittenCall:
        """The call of what was picked among `tools`. `base` is the request for the answer, with the whole
        conversation: a value may stand anywhere in it."""
        assert pick.tool is not None
        messages = self._asked(tools, request).messages

        def shortly(asked: GenerateRequest) -> Stream:
            return self._submit(replace(asked, conversation=CONVERSATION, messages=messages, tools=()))

        family = replace(COMPACT, opening=f"{pick.meant}\n{COMPACT.opening}")
        return write_call(shortly, base, pick.tool, family)

    def _asked(self, tools: Sequence[Tool], request: str) -> GenerateRequest:
        return GenerateRequest(
            CONVERSATION, tuple(_messages(tools, request)), Sampling(temperature=0), self._priority
        )

    def _text(self, asked: GenerateRequest) -> str:
        return self._submit(asked).text()


def beginning() -> GenerateRequest:
    """What is the same in all these prompts, to be read while nobody waits."""
    messages = (*_told_first(), Message("user", "(The next request.)"))
    return GenerateRequest(CONVERSATION, messages, _certain(1), Priority.BACKGROUND)


def _messages(tools: Sequence[Tool], request: str) -> Iterator[Message]:
    yield from _told_first()
    yield Message("user", _shown("\n".join(tool.signature for tool in tools), request[:REQUEST_SHOWN]))


def _told_first() -> Iterator[Message]:
    yield Message("system", _SYSTEM)
    for lines, said, meant, (name, arguments) in _EXAMPLES:
        yield Message("user", _shown(lines, said))
        call = COMPACT.opening + name + COMPACT.between + arguments + COMPACT.closing
        yield Message("assistant", f"{meant}\n{call}")


def _shown(lines: str, request: str) -> str:
    return f"{lines}\n\nRequest: {' '.join(request.split())}"


def _certain(max_tokens: int) -> Sampling:
    return Sampling(temperature=0, max_tokens=max_tokens)
