"""What the model's commands for a request come to: the same steps as those that the tables read.

A command is carried out by the acts of the tables, which hold its values against the conversation and the
folder. A plan is only made where all of the request is in it: each file that the request names, and each
command understood. Otherwise the request goes on to be decided as before. Any thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from desktop.chat.file_intents import FileReading
from desktop.chat.follow_ups import time_like
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import (
    IntentPlan,
    PlannedPart,
    PlanState,
    Step,
    Surroundings,
    planned,
    touched,
)
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import (
    HAS_ENDING,
    MAY_ACT,
    as_written,
    bare_of,
    language_of,
    last_part,
    line_of,
    line_with,
    say,
    stems,
    without_thing,
    words,
)
from desktop.chat.intents import Intents
from desktop.chat.references import Past
from desktop.chat.reminder_shifts import as_time
from desktop.chat.request_commands import (
    ANSWER,
    CONVERSATION,
    MOST_WORDS,
    Command,
    asked_for,
    commands_in,
    grammar_of,
    sight_of,
)
from desktop.chat.request_kinds import ASKS_IF_DONE, DRAFTS, LETTERS, is_act
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in, own_hints
from desktop.chat.turn_context import TurnContext
from desktop.engine.requests import ContextOverflow, FinishReason, GenerateRequest, Priority, Sampling
from desktop.errors import UserFacing

log = structlog.get_logger(__name__)
MOST_TOKENS = 96
LONG_WORD = 5  # letters; shorter ones are seldom what a part is about
SHORT_WORD = 4  # letters of a name that may stand in a command
_MINUTES = {"minutes": 1, "hours": 60, "days": 60 * 24, "weeks": 60 * 24 * 7}

Replan = Callable[[str, Past], "IntentPlan | None"]  # reads a request by tables


def read_request(context: TurnContext, past: Past, around: Surroundings, submit: Submit) -> IntentPlan | None:
    """What is to be done for the question of `context`: as the tables read it, else as the model does. None
    where it is to be answered. Nothing is changed; blocks while the model reads and writes."""
    tables = Intents(around)
    plan = tables.plan(context.asked, past)
    if plan is not None or not may_be_commands(context):
        return plan
    try:
        return CommandReader(around, tables.plan).plan(context.asked, past, submit)
    except (UserFacing, ContextOverflow) as error:  # the answer that follows says what is wrong
        log.info("request not put into commands", reason=str(error))
        return None


def may_be_commands(context: TurnContext) -> bool:
    """Whether the model is asked for commands: where something was done just before, or is asked for in plain
    words; never for what is a question about the world or a text. A model that calls by itself needs none."""
    asked = context.asked
    if context.tools is None or not context.profile.is_guided or own_hints().needs_nothing(asked):
        return False
    if DRAFTS.search(asked) or LETTERS.match(asked) or ASKS_IF_DONE.search(asked):
        return False
    return context.follows_an_act or is_act(asked) or bool(files_in(asked))


@dataclass(frozen=True)
class CommandReader:
    """Has the model put requests into commands. `replan` reads a sentence as the tables do."""

    around: Surroundings
    replan: Replan

    def plan(self, request: str, past: Past, submit: Submit) -> IntentPlan | None:
        """The plan for `request`; None where it is no act, or is not understood whole. Blocks while the model
        reads and writes."""
        if not request.strip() or len(request.split()) > MOST_WORDS:
            return None
        state = PlanState(past, tuple(self.around.files()), tuple(self.around.folders()))
        sight = sight_of(request, state, self.around)
        asked = GenerateRequest(
            CONVERSATION,
            asked_for(sight),
            Sampling(temperature=0, max_tokens=MOST_TOKENS),
            Priority.CHAT,
            grammar=grammar_of(sight),
        )
        stream = submit(asked)
        written = stream.text()
        if stream.finish is not FinishReason.STOP or written.strip() == ANSWER:
            return None
        return self.plan_of(commands_in(written), sight.request, state)

    def plan_of(self, commands: Sequence[Command], request: str, state: PlanState) -> IntentPlan | None:
        """The steps of `commands`; None where one cannot be carried out, or where the request names a file
        that is in none of them."""
        language = _language(request, state.past)
        commands = grounded(commands, request)
        acts = _Acts(self.around, language, Slots(language), request)
        steps: list[Step] = []
        for command in commands:
            if command.name == "again":
                again = self._again(command, state.past)
                return again if len(commands) == 1 else None
            done = acts.done(command, state)
            if done is None:
                return None
            steps, state = [*steps, *done.steps], done.state
        if not steps or any(not _covers(each, commands) for each in files_in(request)):
            return None
        rest = _unread(request, commands, language)
        unread = [Step(text=say("not_understood", language, a=each)) for each in rest]
        return IntentPlan(language, (*steps, *unread))

    def _again(self, command: Command, past: Past) -> IntentPlan | None:
        """The last request with one passage exchanged, where that only looks or works something out."""
        new, old = command.values
        if not old or past.asked.count(old) != 1:
            return None
        asked = past.asked.replace(old, new)
        result = self.around.worked_out(asked)
        if result:
            return IntentPlan("en", (Step(text=f"{asked.strip(' ?¿')} = {result}", changes=False),))
        found = self.replan(asked, replace(past, asked=""))
        return found if found is not None and not found.changes else None


_ON_FILES = frozenset(("add", "remove", "replace", "move", "copy", "rename", "delete", "show"))


def grounded(commands: Sequence[Command], request: str) -> tuple[Command, ...]:
    """Those of several commands for which a word of the request speaks: a small model goes on with what it
    has just seen. One alone may be meant by "it". Of two on one file the one that loses less is meant."""
    said = request.casefold()
    named = [each for each in commands if each.name not in _ON_FILES or _speaks_for(each, said)]
    kept = named if named and len(commands) > 1 else list(commands)
    changed = {each.values[-1] for each in kept if each.name in ("remove", "replace", "add")}
    return tuple(each for each in kept if not (each.name == "delete" and each.values[0] in changed))


def _unread(request: str, commands: Sequence[Command], language: str) -> Iterator[str]:
    """The parts that ask for an act and of which no command has a word: a small model stops after the first.
    Where it wrote a command for each part, none is missing."""
    parts = [each.strip(" .!?") for each in words("joins", language).split(request) if each]
    acts = [each for each in parts if MAY_ACT.match(bare_of(each, language))]
    if len(commands) >= len(acts):
        return
    told = " ".join(value.casefold() for command in commands for value in command.values)
    for part in acts:
        said = stems(" ".join(part.split()[1:]))
        is_of_something = any(len(word) >= LONG_WORD for word in said)
        if is_of_something and not any(word[:LONG_WORD] in told for word in said if len(word) >= SHORT_WORD):
            yield part


def _speaks_for(command: Command, said: str) -> bool:
    """Whether a word of the request is its object; of two passages the new one alone may be said."""
    objects = command.values[:-1] if command.name == "replace" else command.values[:1]
    return any(_is_said(each, said) for each in objects)


def _is_said(value: str, said: str) -> bool:
    """Whether the request says it; of a file's name, one of its words."""
    if value.casefold() in said:
        return True
    words = re.findall(r"[^\W\d_]{2,}|\d+", last_part(value).rsplit(".", 1)[0].casefold())
    return HAS_ENDING.fullmatch(last_part(value)) is not None and any(word in said for word in words)


def _language(request: str, past: Past) -> str:
    """That of the request; of the one before, where it has no word that tells."""
    return language_of(f"{request} {past.asked if len(request.split()) < 4 else ''}")


def _covers(name: str, commands: Sequence[Command]) -> bool:
    """Whether a command speaks of the file `name`."""
    wanted = last_part(name).casefold()
    return any(wanted in value.casefold() for command in commands for value in command.values)


@dataclass(frozen=True)
class _Acts:
    """Single commands, carried out by the acts of the tables."""

    around: Surroundings
    language: str
    slots: Slots
    request: str

    def done(self, command: Command, state: PlanState) -> PlannedPart | None:
        act = _OF_COMMANDS.get(command.name)
        return act(self, command.values, state) if act is not None else None

    @property
    def files(self) -> FileReading:
        return FileReading(self.around, self.language, self.slots)

    def add(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        text, name = values
        text = self.slots.without_the(text) if len(text.split()) > 1 else text
        return self.files.append({"what": text, "to": name}, state)

    def remove(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        wanted, name = values
        text = self.around.text(name)
        bare = self.slots.without_the(wanted)
        line = (
            line_of(wanted, text) or line_of(bare, text) or line_with(wanted, text) or line_with(bare, text)
        )
        # What stands in no line, or in several, is not guessed.
        if not line:
            return None
        new = without_thing(bare, line, text)
        call = ParsedCall("replace_text", {"path": name, "old": line, "new": new})
        return planned([call], touched(state, name))

    def replace(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        wanted, new, name = values
        text = self.around.text(name)
        bare = self.slots.without_the(wanted)
        old = as_written(wanted, text) or as_written(bare, text)
        if not old or old == new or text.count(old) != 1:
            return None
        new = self.slots.without_the(new) if old == bare != wanted else new
        call = ParsedCall("replace_text", {"path": name, "old": old, "new": new})
        return planned([call], touched(state, name))

    def write(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        text, name = values
        if last_part(name).casefold() in text.casefold():
            return None  # the name of a file is no text for it
        return self.files.save({"literal": text, "to": name}, state) if HAS_ENDING.fullmatch(name) else None

    def write_result(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        (name,) = values
        text = state.past.value or state.past.text
        return self.files.save({"literal": text, "to": name}, state) if HAS_ENDING.fullmatch(name) else None

    def move(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        name, folder = values
        return self.files.move({"what": name, "to": f"{folder}/"}, state)

    def copy(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        name, to = values
        return self.files.copy({"what": name, "to": to}, state)

    def rename(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        name, to = values
        return self.files.rename({"what": name, "to": to}, state) if to not in state.files else None

    def delete(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self.files.delete({"what": values[0]}, state)

    def undo(self, _values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self.files.undo({}, state) if state.past.undo else None

    def undo_one(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        done = self.files.undo_part({"what": values[0]}, state)
        if done is None:
            return None
        # The others can still be taken back by the next command.
        taken = [step.call for step in done.steps]
        left = [
            pair for pair in zip(state.past.undo, state.past.undo_of, strict=True) if pair[0] not in taken
        ]
        past = replace(
            done.state.past, undo=tuple(call for call, _ in left), undo_of=tuple(name for _, name in left)
        )
        return replace(done, state=replace(done.state, past=past))

    def folder(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self.files.make_folder({"what": values[0]}, state)

    def show(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self.files.read({"what": values[0]}, state)

    def list(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return planned([ParsedCall("list_directory", {"path": values[0]})], state, changes=False)

    def remind(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        text, when = values
        time = self._time(when, self._time_before(state))
        return planned([ParsedCall("set_reminder", {"text": text, "when": time})], state) if time else None

    def cancel(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return planned([ParsedCall("cancel_reminder", {"reminder": values[0]})], state)

    def change(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        number, when = int(values[0]), values[1]
        return self._set_anew(number, self._time(when, self._time_before(state, number)), state)

    def later(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self._shifted(values, 1, state)

    def earlier(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self._shifted(values, -1, state)

    def _shifted(self, values: Sequence[str], sign: int, state: PlanState) -> PlannedPart | None:
        number, amount, unit = values
        due = self.around.due(int(number))
        by = timedelta(minutes=float(amount.replace(",", ".")) * _MINUTES[unit])
        return self._set_anew(int(number), as_time(due + sign * by) if due is not None else "", state)

    def calculate(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        result = self.around.worked_out(values[0])
        if not result:
            return None
        past = replace(state.past, value=result, text=result)
        step = Step(text=f"{values[0]} = {result}", changes=False)
        return PlannedPart((step,), replace(state, past=past))

    def _time(self, said: str, before: str) -> str:
        return time_like(said, before, self.language, self.around)

    def _time_before(self, state: PlanState, number: int = 0) -> str:
        """The time of the reminder that is spoken of, as it was said; of one from before, as it stands."""
        of = dict(self.around.reminders()).get(number or state.past.reminder, "")
        calls = [each for each in state.past.calls if each.name == "set_reminder"]
        said = [str(each.arguments["when"]) for each in calls if str(each.arguments.get("text", "")) == of]
        if said:
            return said[-1]
        due = self.around.due(number or state.past.reminder)
        return f"{due:%A} at {due:%H:%M}" if due is not None else ""

    def _set_anew(self, number: int, when: str, state: PlanState) -> PlannedPart | None:
        """Set first, then the old one goes: a time that is refused loses nothing."""
        text = dict(self.around.reminders()).get(number)
        if text is None or not when:
            return None
        set_ = ParsedCall("set_reminder", {"text": text, "when": when})
        return planned([set_, ParsedCall("cancel_reminder", {"reminder": str(number)})], state)


_Act = Callable[[_Acts, Sequence[str], PlanState], "PlannedPart | None"]
_OF_COMMANDS: Mapping[str, _Act] = {
    name: getattr(_Acts, name)
    for name in (
        "add",
        "remove",
        "replace",
        "write",
        "write_result",
        "move",
        "copy",
        "rename",
        "delete",
        "undo",
        "undo_one",
        "folder",
        "show",
        "list",
        "remind",
        "cancel",
        "change",
        "later",
        "earlier",
        "calculate",
    )
}
