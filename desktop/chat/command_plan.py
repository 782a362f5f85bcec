"""What the model's commands for a request come to: the same steps as those that the tables read.

A command is carried out by the acts of the tables, which hold its values against the conversation and the
folder. A plan is only made where all of the request is in it: each file that the request names, and each
command understood. Any thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice

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
    TELLS,
    as_entries,
    as_written,
    bare_of,
    expression,
    language_of,
    last_part,
    line_of,
    line_with,
    say,
    stems,
    without_thing,
    words,
)
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
from desktop.chat.spellings import is_alike
from desktop.chat.taking_back import meant, named, says_several, spoken_of, taking_back, thing_done
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in
from desktop.engine.requests import FinishReason, GenerateRequest, Priority, Sampling

MOST_TOKENS = 96
LONG_WORD = 5  # letters; shorter ones are seldom what a part is about
SHORT_WORD = 4  # letters of a name that may stand in a command
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
            plan = other if other is not None and _names_what_goes(other, sight.request) else None
        return Understood(plan, changes)

    def plan_of(self, commands: Sequence[Command], request: str, state: PlanState) -> IntentPlan | None:
        """The steps of `commands`; None where one cannot be carried out, or where the request names a file
        that is in none of them."""
        past, language = state.past, request_language(request, state.past)
        past_files = (*state.files, *past.files)
        commands = as_quoted(grounded(commands, request), request)
        commands = as_one_file(spoken(commands, request, state.past), state.files)
        commands = for_both(commands, request, state.past, self.around.reminders())
        if not _is_of_late(commands, request, state.past) or not _is_meant(commands, request, state.past):
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
            elif part := _part_of(command, request, language):
                left.append(part)
            else:
                return None
        uncovered = [each for each in files_in(request) if not _covers(each, commands)]
        if commands and len(uncovered) == 1 and all(each.name in ("undo", "undo_one") for each in commands):
            # "Not that one, it was b.txt": the other half, which a small model leaves out.
            return self.replan(f"i meant {uncovered[0]}", past)
        # What is not there no command could speak of: it is named, and the rest is done.
        absent = [each for each in uncovered if each not in map(last_part, past_files)]
        if not steps or len(absent) < len(uncovered):
            return None
        missing = [
            Step(text=say("not_there", language, a=each))
            for each in (*absent, *_of_series(request, past_files))
        ]
        if not _is_pointed_at(steps, request, past, self.around):
            return None
        left += _unread(request, commands, language)
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


_OF_SERIES = re.compile(r"(?<![\w.])([a-z_-]{2,})(\d{1,4})(?![\w.])", re.IGNORECASE)


def _of_series(request: str, files: Sequence[str]) -> Iterator[str]:
    """What the request calls like files that are there, "scan5" beside scan1.txt, and is not."""
    known = {last_part(each).rsplit(".", 1)[0].casefold() for each in files}
    heads = {found[1] for each in known if (found := re.fullmatch(r"([a-z_-]{2,})\d+", each))}
    for found in _OF_SERIES.finditer(request):
        if found[1].casefold() in heads and found[0].casefold() not in known:
            yield found[0]


# Verbs that a small model takes where it knows no other. Where a line could not go nobody knows more.
_OFTEN_WRONG = frozenset(("delete", "rename", "replace", "write"))


def _written(asked: GenerateRequest, submit: Submit) -> tuple[Command, ...]:
    """The commands that the model writes; () for an answer, and for what was cut."""
    stream = submit(asked)
    written = stream.text()
    is_whole = stream.finish is FinishReason.STOP and written.strip() != ANSWER
    return commands_in(written) if is_whole else ()


def _names_what_goes(plan: IntentPlan, request: str) -> bool:
    """Whether the request itself says what would go, be another, or be elsewhere: a second reading has only
    its words to stand on."""
    said = _forms(request)
    if any(call.name in ("undo_change", "cancel_reminder") for call in plan.calls) and not _BACK.search(
        request
    ):
        return False
    values = [
        str(call.arguments.get("old", call.arguments.get("source", call.arguments.get("path", ""))))
        for call in plan.calls
        if call.name in ("replace_text", "move_file", "delete_file")
    ]
    return all(_forms(last_part(each).replace("_", " ")) & said for each in values)


_LOOKS = frozenset(("show", "list", "calculate", "again"))
_ON_FILES = frozenset(
    ("add", "add_first", "add_file", "remove", "replace", "move", "copy", "rename", "delete", "show")
)


def grounded(commands: Sequence[Command], request: str) -> tuple[Command, ...]:
    """Those of several commands for which a word of the request speaks: a small model goes on with what it
    has just seen. One alone may be meant by "it". Of two on one file the one that loses less is meant."""
    said = request.casefold()
    named = [each for each in commands if each.name not in _ON_FILES or _speaks_for(each, said)]
    kept = named if named and len(commands) > 1 else list(commands)
    changed = {each.values[-1] for each in kept if each.name in ("remove", "replace", "add")}
    return tuple(each for each in kept if not (each.name == "delete" and each.values[0] in changed))


_KEEPS = re.compile(
    r"\b(?:keep|stays?|behalt\w*|bleib\w*|gard[eo]\w*|conserv\w*|reste\w*|qued\w*|mant[eé]n\w*)\b",
    re.IGNORECASE,
)
_DELETES = re.compile(
    r"\b(?:delet|remov|bin\b|trash|throw|rid\b|erase|drop|scrap|ditch|toss|discard|wipe|go(?:es)?\b|gone\b|"
    r"junk|"
    r"lösch|weg|schmeiß|schmeiss|wirf|werf|entfern|tonne|papierkorb|hau|supprim|effac|jet|vire|enl[eè]v|"
    r"poubelle|"
    r"corbeille|borr|bórr|elimin|quit|quít|tir[ae]|tíra|bot[ae]|papelera|suprim)",
    re.IGNORECASE,
)
_HALF_QUOTED = re.compile(r"\S['’\"”»](?=\s\S)|\s['\"“«„]\S")


_ONE_MORE = re.compile(
    r"\b(?:another (?:one|reminder|alarm)|one more|a second one|noch eine?n?|eine? weitere\w*|une? autre|"
    r"encore une?|otr[oa] (?:más|recordatorio|para|el|la)|un[oa] más)\b",
    re.IGNORECASE,
)
_QUOTATION = re.compile(r"(?<!\w)['\"“„«‘]\s*(.+?)\s*['\"”“»’](?!\w)")
# Where a text goes that is not the end; such a command is another one.
_IN_FRONT = re.compile(
    r"\b(?:before|in front|above|davor|voran|darüber|vorne|oben|zuerst|first|top|début|"
    r"principio|arriba|devant|avant|au-dessus|delante|antes|encima)\b",
    re.IGNORECASE,
)


def as_quoted(commands: Sequence[Command], request: str) -> tuple[Command, ...]:
    """With the texts that the request has in quotation marks, where a small model went past their end."""
    quoted = [each[1] for each in _QUOTATION.finditer(request)]
    if _IN_FRONT.search(request):
        return tuple(commands)
    found = []
    for each in commands:
        text = each.values[0] if each.name in ("add", "add_first", "write") else ""
        whole = [one for one in quoted if one in text and one != text and _HALF_QUOTED.search(text)]
        found.append(Command(each.name, (whole[0], *each.values[1:])) if len(whole) == 1 else each)
    return tuple(found)


# "A folder called Old" is no line of a file, and "the total" is not the word.
_FOLDER = r"(?:folders?|director(?:y|ies)|ordner|verzeichnis|dossiers?|répertoires?|carpetas?|directorios?)"
_CALLED = r"(?:called|named|namens|genannt|nommée?|appelée?|llamad[oa])"
_RESULT = (
    r"(?:total|sum|result|answer|summe|gesamtsumme|ergebnis|antwort|somme|résultat|réponse|suma|resultado|"
    r"respuesta)"
)


def _is_no_text(text: str, request: str) -> bool:
    """Whether `request` says these words as a name of a folder, or for a result that is to be worked out."""
    said = re.escape(text.strip())
    as_folder = rf"\b{_FOLDER}\s+(?:{_CALLED}\s+)?{said}(?!\w)"
    as_result = rf"(?<![\"'“„«‘])\b(?:the|die|das|den|le|la|el|l['’])\s*(?={_RESULT}){said}(?!\w)"
    return any(re.search(each, request, re.IGNORECASE) for each in (as_folder, as_result))


def _is_meant(commands: Sequence[Command], request: str, past: Past) -> bool:
    """Whether the request speaks of what its commands would lose: a file goes only where something says so,
    or another has just gone. A text ends where its quotation marks do, and is said to be one."""
    deleted = any(each.name == "delete" for each in commands)
    may_delete = _DELETES.search(request) or any(call.name == "delete_file" for call in past.calls)
    if deleted and (not may_delete or _KEEPS.search(request)):
        return False
    # One more is no other time of the same.
    if _ONE_MORE.search(request) and any(each.name in ("change", "later", "earlier") for each in commands):
        return False
    texts = [each.values[0] for each in commands if each.name in ("add", "add_first", "write")]
    return not any(_HALF_QUOTED.search(each) or _is_no_text(each, request) for each in texts)


_PLACES = re.compile(
    r"\b(?:first|last|latest|top|bottom|second|third|line|other|others|rest|it|that|this|one|ones|everything|"
    r"erste\w*|letzte\w*|oberste\w*|unterste\w*|zweite\w*|dritte\w*|zeile|andere\w*|rest|es|das|die|den|sie|"
    r"ihn|"
    r"premi\w+|derni\w+|deuxième|second\w*|ligne|autres?|le|la|les|ça|celui|celle|primer\w*|últim\w+|"
    r"segund\w+|"
    r"línea|otr[oa]s?|lo|los|las|es[eoa]|est[eoa])\b",
    re.IGNORECASE,
)


def _is_pointed_at(steps: Sequence[Step], request: str, past: Past, around: Surroundings) -> bool:
    """Whether something in the request, or what was done just before, speaks of each line and file that
    would go: whatever a small model takes besides is lost, and nobody asked for it."""
    said = _forms(request)
    lately = (*past.calls, *past.lately, *past.undo_acts, *past.acts_before)
    done = _forms(" ".join(str(each) for call in lately for each in call.arguments.values()))
    near = {past.file, *past.files} - {""}
    for call in (step.call for step in steps if step.call is not None):
        given = {key: str(value) for key, value in call.arguments.items()}
        if call.name == "delete_file":
            name = given.get("path", "")
            own = _forms(last_part(name).rsplit(".", 1)[0].replace("_", " ")) | _forms(
                around.text(name)[:400]
            )
            if not own & said and not (name in near and _PLACES.search(request)) and len(near) > 0:
                return False
        elif call.name == "replace_text" and not given.get("new", "").strip():
            gone = _forms(given.get("old", ""))
            points = _PLACES.search(request) or says_several(request)
            if gone and not gone & said and not (points and gone & done):
                return False
    return True


def _forms(text: str) -> frozenset[str]:
    """The beginnings of its words, by which two forms of one are known: mow and mowing."""
    found = re.findall(r"[^\W\d_]+|\d+", text.casefold())
    return frozenset(
        each[:SHORT_WORD] if not each.isdigit() else each for each in found if len(each) > 2 or each.isdigit()
    )


def as_one_file(commands: Sequence[Command], files: Sequence[str]) -> tuple[Command, ...]:
    """What is written into one new file in several commands is one text, and one question."""
    kept: list[Command] = []
    targets = {each.values[-1] for each in commands if each.name in ("copy", "rename")}
    for each in commands:
        command = each
        # What is not there yet is written.
        if command.name == "add" and command.values[1] not in (*files, *targets):
            command = Command("write", command.values)
        last = kept[-1] if kept else None
        of_new = last is not None and last.name == "write" and command.name in ("write", "add")
        if last is not None and of_new and last.values[1] == command.values[1]:
            text = f"{last.values[0]}\n{command.values[0]}"
            kept[-1] = Command("write", (text, last.values[1]))
        else:
            kept.append(command)
    return tuple(kept)


def spoken(commands: Sequence[Command], request: str, past: Past) -> tuple[Command, ...]:
    """Without those that take back what the request does not speak of, where it speaks of something else: of
    two files that went one is needed again."""
    meant_ = spoken_of(request, past)
    return tuple(
        each
        for each in commands
        if not meant_ or each.name != "undo_one" or set(named(each.values[0], past)) & set(meant_)
    )


def _is_of_late(commands: Sequence[Command], request: str, past: Past) -> bool:
    """Whether each of several lines that go was said or put there lately: a small model that does not know
    what "both" are takes the first two."""
    gone = [each.values[0] for each in commands if each.name == "remove"]
    said = request.casefold()
    lately = {thing_done(call).casefold() for call in (*past.undo_acts, *past.acts_before)}
    return len(gone) < 2 or all(_is_said(each, said) or each.casefold() in lately for each in gone)


_CALLS = re.compile(
    r"\b(?:call|name|title|renam|nenn|benenn|umbenenn|heiß|heiss|appel|nomm|renomm|intitul|llam|nombr|"
    r"renombr|"
    r"titul)",
    re.IGNORECASE,
)
_OF_REMINDERS = frozenset(("later", "earlier", "cancel", "change"))
_BOTH = re.compile(
    r"\b(?:both|all (?:two|three|of them)|beide[ns]?|alle (?:zwei|drei)|"
    r"(?:tou(?:te)?s )?les (?:deux|trois)|"
    r"amb[oa]s|l[oa]s (?:dos|tres))\b",
    re.IGNORECASE,
)


def for_both(
    commands: Sequence[Command], request: str, past: Past, reminders: Sequence[tuple[int, str]]
) -> tuple[Command, ...]:
    """The one command for one of several, made for each of them where the request says "both": a small model
    stops after the first."""
    if len(commands) != 1 or not _BOTH.search(request):
        return tuple(commands)
    (only,) = commands
    others: Sequence[str] = ()
    if only.name in _OF_REMINDERS:
        set_last = [call for call in past.calls if call.name == "set_reminder"]
        numbers = [str(number) for number, _ in reminders]
        others = numbers[-len(set_last) :] if len(set_last) > 1 else numbers if len(numbers) == 2 else ()
    elif only.name in ("move", "copy", "delete", "show"):
        others = past.files
    if not others or only.values[0] not in others:
        return tuple(commands)
    return tuple(Command(only.name, (each, *only.values[1:])) for each in others)


# "… bring them back" behind what is to come back.
_BACK = re.compile(
    r"\b(?:back|again|wieder|zurück|remet\w*|rends?|de nouveau|otra vez|de nuevo|vuelve\w*|recup[eé]ra\w*)\b|"
    r"^\W*(?:put|pon|tu|mets)(?:l[oae]s?|-l[ea]s?)?\s+(?:it|them|die|sie|es|ihn)?\b\W*$",
    re.IGNORECASE,
)


def _unread(request: str, commands: Sequence[Command], language: str) -> Iterator[str]:
    """The parts that ask for an act and of which no command has a word: a small model stops after the first.
    Where it wrote a command for each part, none is missing."""
    parts = [each.strip(" .!?") for each in words("joins", language).split(request) if each]
    acts = [each for each in parts if MAY_ACT.match(bare_of(each, language))]
    if len(commands) >= len(acts):
        return
    told = " ".join(value.casefold() for command in commands for value in command.values)
    restores = any(command.name in ("undo", "undo_one", "add") for command in commands)
    for part in acts:
        if restores and _BACK.search(part):
            continue
        said = stems(" ".join(part.split()[1:]))
        is_of_something = any(len(word) >= LONG_WORD for word in said)
        if is_of_something and not any(word[:LONG_WORD] in told for word in said if len(word) >= SHORT_WORD):
            yield part


def _part_of(command: Command, request: str, language: str) -> str:
    """The one part of several that asks for `command`, by a word of it; "" where that cannot be told."""
    parts = [each.strip(" .!?") for each in words("joins", language).split(request) if each.strip(" .!?")]
    asking = [each for each in parts if any(_is_said(value, each.casefold()) for value in command.values)]
    return asking[0] if len(parts) > 1 and len(asking) == 1 else ""


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


def request_language(request: str, past: Past) -> str:
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
        if as_written(new, text) and old.casefold() not in said and not _forms(old) & _forms(said):
            return False
        return not (
            new.isdigit() and re.search(_BY_HOW_MUCH.format(re.escape(new)), said)
        ) and not _SWAPS.search(said)

    def _as_named(self, wanted: str, text: str) -> str:
        """`wanted`, or the one line that the request names where it says nothing of `wanted`."""
        lines = [each for each in text.splitlines() if each.strip()]
        said = _forms(self.request)
        if (
            said & _forms(wanted)
            or len(lines) < 2
            or says_several(self.request)
            or _PLACES.search(self.request)
        ):
            return wanted
        shared = frozenset.intersection(*map(_forms, lines))
        named = [each for each in lines if (_forms(each) - shared) & said]
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
        text = state.past.value or state.past.text
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
        return planned([ParsedCall("cancel_reminder", {"reminder": values[0]})], state)

    def change(self, values: Sequence[str], state: PlanState) -> PlannedPart | None:
        number, when = int(values[0]), self._whole_time(values[1])
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
