"""What was done to one thing, done again to another: the calls of the last turn with one value exchanged.

"Same for scan2", "and the other one", "no, I meant scan3" say only what is different. Which file that is, and
where it goes, is taken from the call before; a copy, of which only the text was written, is known again by
its text. Where it could be two things nothing is planned.

Pure functions over what a conversation has; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import PlanState, Step, Surroundings
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import HAS_ENDING, expression, last_part, typed, unquoted
from desktop.chat.tool_choice import files_in

_PLACED = {
    "move_file": "source",
    "delete_file": "path",
    "read_file": "path",
    "append_text": "path",
    "replace_text": "path",
}
_LISTS = re.compile(r"\s*,\s*(?:and |und |et |y )?|\s+(?:and|und|et|y)\s+", re.IGNORECASE)
# "The other one too, the 2": the second says which one the first is.
_TOO = r"(?:\s+(?:too|as well|also|auch|ebenfalls|aussi|également|también|igual))?"


def said(pattern: str, asked: str) -> str:
    """The piece of `asked` that `pattern`, where it fits whole, finds; "" where it does not. Accents may be
    left out."""
    found = _compiled(pattern).fullmatch(asked)
    return next((each.strip(" .!?") for each in found.groups() if each), "") if found is not None else ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(typed(pattern), re.IGNORECASE)


def steps_of(calls: Sequence[ParsedCall]) -> tuple[Step, ...]:
    return tuple(Step(call, changes=call.name != "read_file") for call in calls)


def objects_meant(phrase: str, slots: Slots, state: PlanState) -> tuple[str, ...]:
    """The files that are meant; () where one of them is not there. An ending need not be said."""
    phrase = _specified(phrase, slots)
    whole = slots.files(phrase, state)
    if whole:
        return whole
    names = [one_meant(each, slots, state) for each in _LISTS.split(phrase) if each.strip()]
    return tuple(each for each in names if each) if all(names) else ()


def one_meant(phrase: str, slots: Slots, state: PlanState) -> str:
    """The one file that is meant, by its name, or by its number beside the one touched last."""
    found = slots.file(phrase, state)
    if found:
        return found
    bare = unquoted(slots.without_the(phrase)).casefold()
    fitting = [each for each in state.files if last_part(each).rpartition(".")[0].casefold() == bare]
    if len(fitting) != 1 and (numbered := slots.numbered(phrase, state)):
        return numbered
    return fitting[0] if len(fitting) == 1 else ""


def _specified(phrase: str, slots: Slots) -> str:
    """The end of "the other file, summary.txt" and of "the other one too, the 2", which says more."""
    others = expression("others", slots.language)
    beside = re.match(typed(rf"(?:{others}){_TOO}\s*[,:]\s*(?=\S)"), phrase, re.IGNORECASE)
    return phrase[beside.end() :] if beside is not None else phrase


def other_named(asked: str, language: str) -> str:
    """ "The 2" of "and the other one too, the 2"; "" where the other is not said to be anything."""
    bare = re.sub(r"^(?:and|und|et|y)\s+", "", asked, flags=re.IGNORECASE)
    named = _specified(bare, Slots(language))
    return named if named != bare else ""


def named_apart(phrase: str, language: str) -> str:
    """ "The other file summary.txt" is the one that is named."""
    beside = re.match(rf"(?:{expression('others', language)})\s*[,:]?\s+(?=\S)", phrase, re.IGNORECASE)
    named = phrase[beside.end() :] if beside is not None else ""
    return named if files_in(named) else phrase


def copied_from(call: ParsedCall, state: PlanState, around: Surroundings) -> str:
    """The file whose text a call has written elsewhere; "" where it wrote one of its own."""
    text, path = str(call.arguments.get("content", "")), str(call.arguments.get("path", ""))
    if call.name != "write_file" or not text.strip():
        return ""
    alike = [
        each for each in state.files if each != path and around.whole(each).rstrip("\n") == text.rstrip("\n")
    ]
    # Of two with the same text the one that is called so, or was named.
    named = files_in(state.past.asked)
    sure = [each for each in alike if last_part(each) == last_part(path) or each in named]
    return alike[0] if len(alike) == 1 else (sure[0] if len(sure) == 1 else "")


def alike(
    calls: Sequence[ParsedCall], objects: Sequence[str], state: PlanState, around: Surroundings
) -> tuple[ParsedCall, ...]:
    """The last call of a kind, made for each of `objects`; () where that call has no one object. A folder
    that was made for it is there by now."""
    last = calls[-1]
    if any(call.name not in (last.name, "make_directory") for call in calls):
        return ()
    if last.name == "write_file":
        return _copies(last, objects, state, around)
    key = _PLACED.get(last.name)
    if key is None:
        return ()
    made = []
    for each in objects:
        arguments = {**last.arguments, key: each}
        if last.name == "move_file":
            arguments["destination"] = destination_like(
                str(last.arguments[key]), str(last.arguments["destination"]), each
            )
        made.append(ParsedCall(last.name, arguments))
    targets = {str(call.arguments.get("destination", at)) for at, call in enumerate(made)}
    # Two files under one name would lose one of them.
    return tuple(made) if len(targets) == len(made) else ()


def _copies(
    last: ParsedCall, objects: Sequence[str], state: PlanState, around: Surroundings
) -> tuple[ParsedCall, ...]:
    """A copy of each of `objects`, where the last one went; () where one is no text, or stands there."""
    source, path = copied_from(last, state, around), str(last.arguments["path"])
    targets = [destination_like(source, path, each) for each in objects] if source else []
    texts = [around.whole(each) for each in objects]
    if not targets or not all(texts) or len({*targets}) < len(targets) or {*targets} & {*state.files}:
        return ()
    return tuple(
        ParsedCall("write_file", {"path": target, "content": text})
        for target, text in zip(targets, texts, strict=True)
    )


def placed_elsewhere(
    last: ParsedCall, folder: str, state: PlanState, around: Surroundings
) -> tuple[ParsedCall, ...]:
    """The last move or copy, made once more into `folder`; () where that is no such call."""
    source = str(last.arguments.get("source", "")) or copied_from(last, state, around)
    was = str(last.arguments.get("destination", last.arguments.get("path", "")))
    target = last_part(was) if folder in ("", ".") else f"{folder.rstrip('/')}/{last_part(was)}"
    if not source or target in (was, source) or target in state.files:
        return ()
    if last.name == "move_file":
        return (ParsedCall("move_file", {"source": source, "destination": target}),)
    return (ParsedCall("write_file", {**last.arguments, "path": target}),)


def destination_like(old: str, target: str, source: str) -> str:
    """Where `source` goes as `old` went to `target`: into its folder, or under a name with its number."""
    folder, _, name = target.rpartition("/")
    if name == last_part(old) or not HAS_ENDING.fullmatch(name):
        place = folder if name == last_part(old) else target
        return f"{place.rstrip('/')}/{last_part(source)}" if place else last_part(source)
    numbers = re.findall(r"\d+", last_part(old)), re.findall(r"\d+", last_part(source))
    if len(numbers[0]) == 1 and len(numbers[1]) == 1 and numbers[0][0] in name:
        renamed = name.replace(numbers[0][0], numbers[1][0], 1)
        return f"{folder}/{renamed}" if folder else renamed
    return target


def before_it(state: PlanState, was: str) -> PlanState:
    """`state` with the file that was moved or deleted where it was, as it is once that is taken back."""
    return state if was in state.files or not was else replace(state, files=(*state.files, was))
