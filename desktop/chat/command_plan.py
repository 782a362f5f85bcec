"""What the model's commands for a request come to: the same steps as those that the tables read.

What a command would do is held against the words of the request (`command_grounding.py`), and carried out by
the acts of the tables, which hold its values against the conversation and the folder. A plan is only made
where all of the request is in it: each file that the request names, and each command understood. Any thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice

from desktop.chat.command_grounding import (
    POINTS_AT,
    SHORT_WORD,
    as_one_file,
    as_quoted,
    beginnings,
    covers,
    for_both,
    grounded,
    is_meant,
    is_of_late,
    is_pointed_at,
    names_what_goes,
    of_series,
    part_of,
    request_language,
    spoken,
    unread_parts,
)
from desktop.chat.content_search import forms_of, shares
from desktop.chat.file_intents import FileReading
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
    TELLS,
    as_entries,
    as_written,
    expression,
    last_part,
    line_of,
    line_with,
    plain_letters,
    say,
    stems,
    without_thing,
    words,
)
from desktop.chat.moved_reminders import time_like
from desktop.chat.references import Past
from desktop.chat.reminder_intents import OF_REMINDERS, as_time
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
from desktop.chat.spellings import is_alike
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in
from desktop.chat.undo_requests import meant, named, says_several, spoken_of, taking_back, thing_done
from desktop.engine.requests import FinishReason, GenerateRequest, Priority, Sampling
from desktop.tools.amounts import amount_in
from desktop.tools.table_cells import TASK, amount_edit, cell_edit, with_mark
from desktop.tools.tables import table_in

MOST_TOKENS = 96
OF_ONE_FILE = 1.0  # share of words that no other file has, by which a message is of that file
_MINUTES = {"minutes": 1, "hours": 60, "days": 60 * 24, "weeks": 60 * 24 * 7}

Replan = Callable[[str, Past], "IntentPlan | None"]  # reads a request by tables


@dataclass(frozen=True)
class Understood:
    """What came of a request that was put before the model: the plan, where there is one, and whether the
    model took it for a wish to change something here that goes on from what was done."""

    plan: IntentPlan | None = None
    asks_for_change: bool = False


@dataclass(frozen=True)
class CommandReader:
    """Has the model put requests into commands. `replan` reads a sentence as the tables do."""

    around: Surroundings
    replan: Replan

    def plan(self, request: str, past: Past, submit: Submit) -> IntentPlan | None:
        """The plan for `request`; None where it is no act, or is not understood whole. Blocks while the model
        reads and writes."""
        return self.understood(request, past, submit).plan

    def understood(self, request: str, past: Past, submit: Submit) -> Understood:
        """As `plan`, and what is known where there is none."""
        if not request.strip() or len(request.split()) > MOST_WORDS:
            return Understood()
        state = PlanState(past, tuple(self.around.files()), tuple(self.around.folders()))
        sight = sight_of(request, state, self.around)
        asked = GenerateRequest(
            CONVERSATION,
            asked_for(sight),
            Sampling(temperature=0, max_tokens=MOST_TOKENS),
            Priority.CHAT,
            grammar=grammar_of(sight),
        )
        commands = _written(asked, submit)
        plan = self.plan_of(commands, sight.request, state)
        goes_on = bool(past.calls or past.lately)
        changes = goes_on and any(each.name not in _LOOKS for each in commands)
        refused = dict.fromkeys(each.name for each in commands)
        if plan is None and changes and all(name in _OFTEN_WRONG for name in refused):
            # What nothing speaks for is not what was meant: another verb may be.
            again = replace(asked, grammar=grammar_of(sight, tuple(refused)))
            other = self.plan_of(_written(again, submit), sight.request, state)
            plan = other if other is not None and names_what_goes(other, sight.request) else None
        return Understood(plan, changes)

    def plan_of(self, commands: Sequence[Command], request: str, state: PlanState) -> IntentPlan | None:
        """The steps of `commands`; None where one cannot be carried out, or where the request names a file
        that is in none of them."""
        past, language = state.past, request_language(request, state.past)
        past_files = (*state.files, *past.files)
        commands = as_quoted(grounded(commands, request), request)
        commands = as_one_file(spoken(commands, request, state.past), state.files)
        commands = for_both(commands, request, state.past, self.around.reminders())
        if not is_of_late(commands, request, state.past) or not is_meant(
            commands, request, state.past, state.files
        ):
            return None
        acts = _Acts(self.around, language, Slots(language), request)
        steps: list[Step] = []
        left: list[str] = []  # what is not done of the request
        for command in commands:
            if command.name == "again":
                again = self._again(command, state.past)
                return again if len(commands) == 1 else None
            done = acts.done(command, state)
            if done is not None:
                steps, state = [*steps, *done.steps], done.state
            elif part := part_of(command, request, language):
                left.append(part)
            else:
                return None
        uncovered = [each for each in files_in(request) if not covers(each, commands)]
        if commands and len(uncovered) == 1 and all(each.name in ("undo", "undo_one") for each in commands):
            # "Not that one, it was b.txt": the other half, which a small model leaves out.
            return self.replan(f"i meant {uncovered[0]}", past)
        # What is not there no command could speak of: it is named, and the rest is done.
        absent = [each for each in uncovered if each not in map(last_part, past_files)]
        if not steps or len(absent) < len(uncovered):
            return None
        missing = [
            Step(text=say("not_there", language, a=each))
            for each in (*absent, *of_series(request, past_files))
        ]
        if not is_pointed_at(steps, request, past, self.around):
            return None
        left += unread_parts(request, commands, language)
        rest = dict.fromkeys(left)
        unread = [Step(text=say("not_understood", language, a=each), unread=each) for each in rest]
        return IntentPlan(language, (*steps, *missing, *unread))

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


# Verbs that a small model takes where it knows no other. Where a line could not go nobody knows more.
_OFTEN_WRONG = frozenset(("delete", "rename", "replace", "write"))


def _written(asked: GenerateRequest, submit: Submit) -> tuple[Command, ...]:
    """The commands that the model writes; () for an answer, and for what was cut."""
    stream = submit(asked)
    written = stream.text()
    is_whole = stream.finish is FinishReason.STOP and written.strip() != ANSWER
    return commands_in(written) if is_whole else ()


_PERCENT = re.compile(r"\b(?:per ?cent|prozent|pour ?cent|por ?ciento)\b", re.IGNORECASE)
_LOOKS = frozenset(("show", "list", "calculate", "again"))


_CALLS = re.compile(
    r"\b(?:call|name|title|renam|nenn|benenn|umbenenn|heiß|heiss|appel|nomm|renomm|intitul|llam|nombr|"
    r"renombr|"
    r"titul)",
    re.IGNORECASE,
)


def _is_of_head(text: str, whole: str) -> bool:
    """Whether `text` stands only in the line that names the columns of a table."""
    table = table_in(whole) if text else None
    return (
        table is not None
        and bool(table.header)
        and text in table.head_line
        and text not in "".join(table.lines)
    )


def _said_lately(past: Past) -> frozenset[str]:
    """The beginnings of the words of what was done for the sentence before."""
    return beginnings(" ".join(str(each) for call in past.calls for each in call.arguments.values()))


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
        # "How much is 850 times 12? Note it": what it comes to is meant, and not the sum.
        text = (self.around.worked_out(text) if "?" in self.request else "") or text
        if gone := self._gone(text, name, state.past):
            return self._taken_back(gone, state)
        return self.files.append({"what": text, "to": name}, state)

    def _gone(self, wanted: str, name: str, past: Past) -> tuple[int, ...]:
        """The last act that took `wanted` out of the file: put in again it stands as it did."""
        taken = (
            at
            for at, act in enumerate(past.undo_acts)
            if past.undo_of[at] == name
            and act.name == "replace_text"
            and not str(act.arguments.get("new", "")).strip()
            and as_written(wanted, thing_done(act))
        )
        return tuple(islice(taken, 1))

    def add_first(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        text, name = values
        text = self.slots.without_the(text) if len(text.split()) > 1 else text
        return self.files.prepend({"what": text, "to": name}, state)

    def add_file(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        source, name = values
        text = self.around.whole(source).rstrip("\n")
        if not text or source == name:
            return None
        return planned([ParsedCall("append_text", {"path": name, "text": text})], touched(state, name))

    def remove(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        wanted, name = values
        text = self.around.text(name)
        wanted = self._as_named(wanted, text)
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
        old = self._in_its_line(as_written(wanted, text) or as_written(bare, text), new, text)
        old = self._as_spelled(old, new, text)
        old = as_written(self._exchanged(), old) or old
        # "N peters" is an "and" in a hurry, and no new name for Peter.
        if _is_of_head(old, self.around.whole(name)) or (len(new) == 1 < len(old) and new.isalpha()):
            return None
        if not old or old == new or text.count(old) != 1 or not self._may_stand_for(old, new, text):
            return None
        new = self.slots.without_the(new) if old == bare != wanted else new
        old = self._only_the_name(old, new)
        if text.count(old) != 1:
            return None
        call = ParsedCall("replace_text", {"path": name, "old": old, "new": new})
        return planned([call], touched(state, name))

    def _as_spelled(self, old: str, new: str, text: str) -> str:
        """The one word that `new` is another spelling of, whatever the model took: Meier for Meyer."""
        near = [each for each in dict.fromkeys(re.findall(r"[^\W\d_]{3,}", text)) if is_alike(each, new)]
        is_other = len(near) == 1 and near[0].casefold() not in (old.casefold(), new.casefold())
        return near[0] if is_other and " " not in new and not as_written(old, self.request) else old

    def _exchanged(self) -> str:
        """What the request says goes: "Best wishes instead of Yours"."""
        found = _INSTEAD_OF.search(self.request)
        return found["old"].strip(_EDGES) if found is not None else ""

    def _may_stand_for(self, old: str, new: str, text: str) -> bool:
        """Whether the request asks for `new` where `old` stands. Not where what it says goes is something
        else, where `new` names another line or a file, and where a number is by how much it changes."""
        said, away = self.request.casefold(), self._exchanged()
        if HAS_ENDING.fullmatch(new) and not HAS_ENDING.fullmatch(old):
            return False
        if as_written(away, text) and not as_written(away, old) and not as_written(old, away):
            return False
        if as_written(new, text) and old.casefold() not in said and not beginnings(old) & beginnings(said):
            return False
        return not (
            new.isdigit() and re.search(_BY_HOW_MUCH.format(re.escape(new)), said)
        ) and not _SWAPS.search(said)

    def _as_named(self, wanted: str, text: str) -> str:
        """`wanted`, or the one line that the request names where it says nothing of `wanted`."""
        lines = [each for each in text.splitlines() if each.strip()]
        said = beginnings(self.request)
        if (
            said & beginnings(wanted)
            or len(lines) < 2
            or says_several(self.request)
            or POINTS_AT.search(self.request)
        ):
            return wanted
        shared = frozenset.intersection(*map(beginnings, lines))
        named = [each for each in lines if (beginnings(each) - shared) & said]
        return named[0] if len(named) == 1 else wanted

    def _only_the_name(self, old: str, new: str) -> str:
        """Of a name of which the request says one word, to tell whose it is, only the other one changes:
        "Svenja is called Kranz now"."""
        parts = old.split()
        said = [each for each in parts if as_written(each, self.request)]
        if len(parts) != 2 or len(said) != 1 or len(new.split()) != 1 or not _CALLS.search(self.request):
            return old
        return next(each for each in parts if each not in said)

    def _in_its_line(self, old: str, new: str, text: str) -> str:
        """`old`, or what stands for it in the one line named beside `new`; "" where that line has nothing
        like it: "the cellar is 88" means no number of another line."""
        parts = words("joins", self.language).split(self.request)
        beside = next((each for each in parts if each and new in each), self.request)
        said = {each for each in stems(beside) if len(each) >= SHORT_WORD and not each.isdigit()}
        # A word that each line has tells none from another.
        every = [stems(each) for each in text.splitlines() if each.strip()]
        said -= frozenset.intersection(*every) if len(every) > 1 else frozenset()
        lines = [each for each in text.splitlines() if stems(each) & said]
        if not old or len(lines) != 1 or old.casefold() in self.request.casefold() or old in lines[0]:
            return old
        alike = re.findall(re.sub(r"\d+", r"\\d+", re.escape(old)), lines[0])
        return alike[0] if len(alike) == 1 else ""

    def tick(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self._marked(values, "x", state)

    def untick(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self._marked(values, " ", state)

    def _marked(self, values: Sequence[str], mark: str, state: PlanState) -> PlannedPart | None:
        """The task of a list as done, or as open again; None for one of which the request has no word."""
        wanted, name = values
        lines = self.around.whole(name).splitlines()
        found = [each for each in map(TASK.fullmatch, lines) if each and each["what"] == wanted]
        if len(found) != 1 or not beginnings(wanted) & (beginnings(self.request) | _said_lately(state.past)):
            return None
        old, new = found[0][0], with_mark(found[0], mark)
        call = ParsedCall("replace_text", {"path": name, "old": old, "new": new})
        return planned([call], touched(state, name))

    def set_cell(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        called, row, value, name = values
        table = table_in(self.around.whole(name))
        if table is None or called not in table.header:
            return None
        edit = cell_edit(table, row, table.header.index(called), self.slots.without_the(value))
        return self._edited(edit, name, state)

    def lower(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self._changed_by(values, -1, state)

    def raise_(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self._changed_by(values, 1, state)

    def _changed_by(self, values: Sequence[str], sign: int, state: PlanState) -> PlannedPart | None:
        called, row, by, name = values
        table, amount = table_in(self.around.whole(name)), amount_in(by)
        if table is None or amount is None or called not in table.header:
            return None
        edit = amount_edit(table, row, table.header.index(called), amount.value * sign)
        return self._edited(edit, name, state)

    def _edited(self, edit: tuple[str, str] | None, name: str, state: PlanState) -> PlannedPart | None:
        if edit is None or self.around.whole(name).count(edit[0]) != 1:
            return None
        call = ParsedCall("replace_text", {"path": name, "old": edit[0], "new": edit[1]})
        return planned([call], touched(state, name))

    def write(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        text, name = values
        # The name of a file is no text for it, and neither is what only describes one.
        is_quoted_ = re.search(rf"[\"'“„«‘]\s*{re.escape(text)}", self.request) is not None
        if last_part(name).casefold() in text.casefold() or (TELLS.search(text) and not is_quoted_):
            return None
        return self._saved(as_entries(text, self.request), name, state)

    def _saved(self, text: str, name: str, state: PlanState) -> PlannedPart | None:
        is_file = HAS_ENDING.fullmatch(last_part(name)) is not None
        return self.files.save({"literal": text, "to": name}, state) if is_file else None

    def write_result(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        (name,) = values
        text = state.past.value or state.past.kept_text
        return self._saved(text, name, state)

    def move(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        name, folder = values
        if (
            HAS_ENDING.fullmatch(folder)
            or not self._may_be_folder(folder, state)
            or folder == _folder_of(name)
        ):
            return None
        return self.files.move({"what": name, "to": f"{folder}/"}, state)

    def _may_be_folder(self, folder: str, state: PlanState) -> bool:
        """Whether it is there, or the request names it as one: "the top" is a place in a text."""
        if folder in (*state.folders, *state.made, state.past.folder) or self.slots.says_folder(self.request):
            return True
        into = r"(?:in|into|to|under|nach|unter|dans|vers|en|a|à)"
        return (
            re.search(rf"\b{into}\s+[\"'“„«]?{re.escape(folder)}(?!\w)", self.request, re.IGNORECASE)
            is not None
        )

    def copy(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        name, to = values
        return self.files.copy({"what": name, "to": to}, state)

    def rename(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        name, to = values
        if to in state.files or not (HAS_ENDING.fullmatch(last_part(to)) or self._is_called(name)):
            return None
        return self.files.rename({"what": name, "to": to}, state)

    def _is_called(self, name: str) -> bool:
        """Whether the request gives the file a name; somebody in a list has another name, not the list."""
        return bool(_CALLS.search(self.request)) and not stems(self.around.text(name)) & stems(self.request)

    def delete(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self.files.delete({"what": values[0]}, state)

    def undo(self, _values: Sequence[str], state: PlanState) -> PlannedPart | None:
        """All of it, or what the request names of it: "pic3 wasn't meant to go there"."""
        past = state.past
        if not past.undo:
            return None
        which = spoken_of(self.request, past)
        if which:
            return self._taken_back(which, state)
        calls = meant(self.request, past)
        left = replace(past, undo=(), undo_of=(), undo_acts=(), undo_before=())
        return planned(calls, replace(state, past=left))

    def undo_one(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        which = named(values[0], state.past)
        if len(which) == len(state.past.undo):
            return self.undo((), state)
        of_these = [at for at in spoken_of(self.request, state.past) if at in which]
        return self._taken_back(of_these or which, state) if which else None

    def _taken_back(self, which: Sequence[int], state: PlanState) -> PlannedPart | None:
        past = state.past
        calls = taking_back(which, past, self.around.text)
        if calls is None:
            return None
        # The others can still be taken back by the next command.
        left = [at for at in range(len(past.undo)) if at not in which]
        after = replace(
            past,
            undo=tuple(past.undo[at] for at in left),
            undo_of=tuple(past.undo_of[at] for at in left),
            undo_acts=tuple(past.undo_acts[at] for at in left if at < len(past.undo_acts)),
        )
        return planned(calls, replace(state, past=after))

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

    def _whole_time(self, said: str) -> str:
        """`said` with the hour or the day beside it in the request: "Saturday" of "Saturday at 11"."""
        at, hour = r"(?:at|by|um|gegen|à|vers|a las?)", r"\d[\d:.h]*(?:\s?(?:am|pm|uhr|h)\b)?"
        day = f"(?:{expression('days', self.language)})"
        wanted = re.escape(said)
        is_hour = said[:1].isdigit()
        pattern = rf"(?<!\w){day}\s+{at}\s+{wanted}" if is_hour else rf"(?<!\w){wanted}\s+{at}\s+{hour}"
        found = [each[0].rstrip(".:") for each in re.finditer(pattern, self.request, re.IGNORECASE)]
        # Of two times in one request only one is meant.
        return found[0] if len(found) == 1 and self.around.time_in(found[0], self.language) else said

    def cancel(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        # "Sag die Chorprobe ab" is of an event in a file, whichever reminder the model took.
        text = dict(self.around.reminders()).get(int(values[0]), "")
        said = forms_of(self.request)
        is_named = any(form.search(plain_letters(text.casefold())) for form in said.values())
        is_named = is_named or OF_REMINDERS.search(self.request) is not None
        if not is_named and max(shares(self.request, self.around).values(), default=0.0) >= OF_ONE_FILE:
            return None
        return planned([ParsedCall("cancel_reminder", {"reminder": values[0]})], state)

    def change(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        number, when = self._spoken_of(int(values[0])), self._whole_time(values[1])
        return self._set_anew(number, self._time(when, self._time_before(state, number)), state)

    def later(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self._shifted(values, 1, state)

    def earlier(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        return self._shifted(values, -1, state)

    def _shifted(self, values: Sequence[str], sign: int, state: PlanState) -> PlannedPart | None:
        number, (amount, unit) = self._spoken_of(int(values[0])), values[1:]
        due = self.around.due(number)
        by = timedelta(minutes=float(amount.replace(",", ".")) * _MINUTES[unit])
        return self._set_anew(number, as_time(due + sign * by) if due is not None else "", state)

    def _spoken_of(self, number: int) -> int:
        """The one reminder that the request names by a word, "the one for Paco", whichever the model took;
        else `number`."""
        said = {each for each in stems(self.request) if len(each) >= SHORT_WORD and not each.isdigit()}
        named = [each for each, text in self.around.reminders() if stems(text) & said]
        return named[0] if len(named) == 1 else number

    def calculate(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        # "5 % more" is no five times as much.
        is_share = "%" in self.request or _PERCENT.search(self.request)
        result = "" if is_share and "%" not in values[0] else self.around.worked_out(values[0])
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
        if said and (
            any(each.isdigit() for each in said[-1]) or self.around.due(number or state.past.reminder) is None
        ):
            return said[-1]
        due = self.around.due(number or state.past.reminder)
        return f"{due:%A} at {due:%H:%M}" if due is not None else ""

    def _set_anew(self, number: int, when: str, state: PlanState) -> PlannedPart | None:
        """Set first, then the old one goes: a time that is refused loses nothing."""
        text = dict(self.around.reminders()).get(number)
        if text is None or not when or self.around.is_due_at(number, when):
            return None
        set_ = ParsedCall("set_reminder", {"text": text, "when": when})
        return planned([set_, ParsedCall("cancel_reminder", {"reminder": str(number)})], state)


_EDGES = " .,;:!?\"'“”„«»‘’"
_INSTEAD_OF = re.compile(
    r"\b(?:instead of|rather than|in place of|(?<!why )(?<!is )(?<!'s )not|statt|anstatt|anstelle von|"
    r"au lieu d[eu’']|à la place d[eu’']|en vez de|en lugar de)\s+(?:the |der |die |das |le |la |el )?"
    r"(?P<old>[^\s,.;!?]+)",
    re.IGNORECASE,
)
_BY_HOW_MUCH = (
    r"\b(?:by|um|used|sold|spent|ate|eaten|took|taken|lost|bought|verbraucht|verkauft|gekauft|aufgebraucht)"
    r"\s+{0}(?!\w)"
    r"|(?:augment|diminu|baiss|mont|sub|baj)\w*\s+(?:de|en)\s+{0}(?!\w)"
    r"|(?<!\w){0}\s+(?:more|less|fewer|mehr|weniger|de plus|de moins|más|menos)(?!\w)"
)
_SWAPS = re.compile(
    r"\b(?:swap|switch|exchange|tausch\w*|vertausch\w*|échang\w*|interverti\w*|intercambi\w*)\b",
    re.IGNORECASE,
)


def _folder_of(name: str) -> str:
    return name.rpartition("/")[0]


_Act = Callable[[_Acts, Sequence[str], PlanState], "PlannedPart | None"]
_OF_COMMANDS: Mapping[str, _Act] = {
    "add": _Acts.add,
    "add_first": _Acts.add_first,
    "add_file": _Acts.add_file,
    "remove": _Acts.remove,
    "replace": _Acts.replace,
    "tick": _Acts.tick,
    "untick": _Acts.untick,
    "set": _Acts.set_cell,
    "lower": _Acts.lower,
    "raise": _Acts.raise_,
    "write": _Acts.write,
    "write_result": _Acts.write_result,
    "move": _Acts.move,
    "copy": _Acts.copy,
    "rename": _Acts.rename,
    "delete": _Acts.delete,
    "undo": _Acts.undo,
    "undo_one": _Acts.undo_one,
    "folder": _Acts.folder,
    "show": _Acts.show,
    "list": _Acts.list,
    "remind": _Acts.remind,
    "cancel": _Acts.cancel,
    "change": _Acts.change,
    "later": _Acts.later,
    "earlier": _Acts.earlier,
    "calculate": _Acts.calculate,
}
