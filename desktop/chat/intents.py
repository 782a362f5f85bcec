"""What a request asks to be done, read by tables: its parts, and the calls that each one stands for.

A small model loses the second half of a request, writes the name of a file into the file, and says that it
has undone what it has not. So what people ask for in plain words is read here, in English, German, French and
Spanish (`resources/requests.toml`), and every value comes from the request, the conversation or the folder:
none is written by a model. A request is read only where each of its parts is understood whole; whatever
else is said stays the model's to decide, so the tables open a way and close none.

`Intents.plan` looks and changes nothing: the calls it names go through the executor like every other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from desktop.chat.compositions import (
    Composition,
    composition_in,
    free_name,
    is_about_last,
    is_only_work,
    is_other_length,
    is_table,
    object_of,
    sorted_word,
    table_work,
    told_making,
)
from desktop.chat.follow_ups import follow_up, other_file
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, PlannedPart, PlanState, Step, Surroundings, touched
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import (
    HAS_ENDING,
    LIST_BREAK,
    LIST_WORDS,
    MAY_ACT,
    PAIRS,
    PATH,
    RATHER,
    TELLS,
    as_list,
    as_written,
    bare_of,
    endings_of,
    expression,
    is_name,
    is_passage_kind,
    is_plural,
    is_quoted,
    joined,
    last_part,
    likely_languages,
    line_at,
    line_number,
    line_of,
    name_of,
    named_like,
    passage_of,
    patterns_of,
    sentences,
    stems,
    thing_of,
    things_of,
    unhung,
    unquoted,
    words,
)
from desktop.chat.references import Past
from desktop.chat.reminder_intents import ReminderReading
from desktop.chat.sum_follow_ups import same_sum, sum_going_on

LONGEST = 300  # characters; more is a text with a request somewhere in it
MOST_STEPS = 8
SHORT_ANSWER = 60  # characters; less is no text that could be made shorter
MOST_LOOSE_WORDS = 4
MOST_SOURCES = 3  # files that are read for one text; more do not fit before a small model

_THE_FILES = re.compile(
    r"(?:the|die|les|los|my|meine|mes|mis) (?:files|dateien|fichiers|archivos)", re.IGNORECASE
)
_QUOTES = "\"“”„«»'"
_NO = re.compile(r"(?:^|\s)no\s+$", re.IGNORECASE)
_WITH_WORDS = frozenset(("append_text", "write_file", "replace_text", "set_reminder", "save_note"))
_INTO_FOLDERS = frozenset(("make_directory", "move_file"))
_NOTES = re.compile(r"(?:my[ _-])?(?:notes?|notizen|notas?)\b", re.IGNORECASE)


class Intents:
    """Any thread. `around` is asked at the time of the request."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    def plan(self, request: str, past: Past) -> IntentPlan | None:
        """What is to be done for `request`, or None where the model has to be asked."""
        asked = " ".join(request.split())
        if not asked or len(asked) > LONGEST or "\n" in request.strip():
            return None
        further = sum_going_on(asked, past.value) if past.value else ""
        if further and (result := self._around.worked_out(further)):
            # Signs and numbers say no language; the sentence has none either.
            return IntentPlan("en", (Step(text=f"{further} = {result}", changes=False),))
        same = same_sum(asked, past.asked) if past.value else ""
        if same and (result := self._around.worked_out(same)):
            return IntentPlan("en", (Step(text=result, changes=False),))
        swapped = other_file(asked, past.asked)
        again = self.plan(swapped, replace(past, asked="")) if swapped else None
        if again is not None and not again.changes:
            return again
        state = PlanState(past, tuple(self._around.files()), tuple(self._around.folders()))
        following = follow_up(asked, state, self._around, bare_of)
        if following is not None:
            return following
        readings = [_Reading(self._around, each, Slots(each)) for each in likely_languages(asked)]
        for reading in readings:
            done = reading.parts(asked, state, first=True)
            if done is not None and len(done.steps) <= MOST_STEPS:
                # What the model writes is asked for once, when all else is done.
                early = any(step.making for step in done.steps[:-1])
                return None if early else IntentPlan(reading.language, done.steps)
        for reading in readings:
            looked = reading.look(asked, state)
            if looked:
                return IntentPlan(reading.language, looked, is_asked=True)
        return None


_OneAct = Callable[[Mapping[str, str], PlanState], "PlannedPart | None"]


@dataclass(frozen=True)
class _Reading:
    """One request in one language."""

    around: Surroundings
    language: str
    slots: Slots
    _sentences: Mapping[str, Any] = field(default_factory=sentences)

    # -- parts --------------------------------------------------------------------------------

    def parts(self, clause: str, state: PlanState, first: bool = False) -> PlannedPart | None:
        """All parts of `clause`; None where one of them is not understood and may be the model's."""
        said, clause = clause, bare_of(clause, self.language)
        if not clause:
            return None
        # "Actually no cheese": not a no to what was asked before.
        whole = self._act(f"no {clause}", state) if _NO.search(said.removesuffix(clause)) else None
        whole = whole or self._act(clause, state)
        apart = self._apart(clause, state, whole)
        if apart is not None or whole is not None:
            return apart or whole
        # From the last joint backwards: "milk and eggs" stays together as long as that can be read.
        for joint in reversed(list(words("joins", self.language).finditer(clause))):
            left, right = clause[: joint.start()], clause[joint.end() :]
            done = self._act(bare_of(left, self.language), state) or (
                self._value(left, state) if first else None
            )
            if done is None:
                continue
            rest = (
                self.parts(right, done.state)
                or self._carried(bare_of(left, self.language), right, done.state)
                or self._unread(right, done)
            )
            if rest is not None:
                return PlannedPart((*done.steps, *rest.steps), rest.state)
        return self._composed(clause, state)

    def _apart(self, clause: str, state: PlanState, whole: PlannedPart | None) -> PlannedPart | None:
        """Two acts that are both understood, where the first could swallow the second: "change a to b and put
        c at the end". What somebody is to be reminded of stays whole."""
        if whole is not None and any(step.call and step.call.name == "set_reminder" for step in whole.steps):
            return None
        for joint in words("joins", self.language).finditer(clause):
            left, right = clause[: joint.start()], clause[joint.end() :]
            # What stands in quotation marks is no act.
            if sum(left.count(mark) for mark in _QUOTES) % 2 or not MAY_ACT.match(
                bare_of(right, self.language)
            ):
                continue
            done = self._act(bare_of(left, self.language), state)
            rest = self.parts(right, done.state) if done is not None else None
            if done is not None and rest is not None:
                return PlannedPart((*done.steps, *rest.steps), rest.state)
        return None

    def _carried(self, left: str, right: str, state: PlanState) -> PlannedPart | None:
        """A part that has no verb of its own, with that of the part before: "and scan2.txt to b.txt", and the
        day: "tomorrow at 7 …, and at 9 …"."""
        verb = re.match(r"(?:[\w-]+)(?: (?:me|mich|mir|a|an|einen?|eine|un|une|una))?(?=\s)", left)
        if verb is None:
            return None
        right = bare_of(right, self.language)
        day = words("days", self.language).search(left)
        is_timed = re.match(r"(?:at|um|à|a las?) \d", right, re.IGNORECASE) is not None
        if is_timed and day is not None and not words("days", self.language).search(right):
            right = f"{day[0]} {right}"
        one = words("another_one", self.language).match(right)
        if one is not None:
            right = f"{self._object(left)}{right[one.end() :]}"
        return self.parts(f"{verb[0]} {right}", state)

    def _object(self, left: str) -> str:
        """The folder or file of "make a folder called a and one called b"."""
        kinds = (
            re.search(expression(name, self.language), left, re.IGNORECASE) for name in ("folder", "file")
        )
        return next((found[0] for found in kinds if found is not None), "")

    def _unread(self, right: str, done: PlannedPart) -> PlannedPart | None:
        """A part that is no act of ours: named as not done, unless it is something to tell."""
        changes = any(step.call is not None and step.changes for step in done.steps)
        if not changes or TELLS.search(right) or not right.strip(" .!?"):
            return None
        return PlannedPart((Step(text=self._say("not_understood", a=right.strip())),), done.state)

    def _value(self, left: str, state: PlanState) -> PlannedPart | None:
        """A sum whose result the next part keeps."""
        result = self.around.worked_out(left)
        if not result:
            return None
        step = Step(text=f"{bare_of(left, self.language)} = {result}", changes=False)
        return PlannedPart((step,), replace(state, past=replace(state.past, value=result, text=result)))

    # -- acts ---------------------------------------------------------------------------------

    def _act(self, clause: str, state: PlanState, may_shorten: bool = True) -> PlannedPart | None:
        for name, act in _ACTS.items():
            for pattern in patterns_of(self.language)[name]:
                found = pattern.fullmatch(clause)
                if found is None:
                    continue
                groups = {key: value.strip() for key, value in found.groupdict().items() if value}
                done = act(self, groups, state)
                if done is not None:
                    return done
        if not may_shorten:
            return None
        return self._act_plainly(clause, state) or self._act_apart(clause, state)

    def _act_apart(self, clause: str, state: PlanState) -> PlannedPart | None:
        """The same with the pronoun that hangs on the verb set apart: "supprime-le", "bórralo"."""
        plain = unhung(clause, self.language)
        return self._act(plain, state, may_shorten=False) if plain != clause else None

    def _act_plainly(self, clause: str, state: PlanState) -> PlannedPart | None:
        """The same without the small words between: "zeig mir danach die Dateien". Only what holds no words
        of the user's own, which these could belong to."""
        particles = rf"\s+(?:{expression('particles', self.language)})(?=\s)"
        plain = re.sub(particles, "", clause, flags=re.IGNORECASE)
        if plain == clause or any(mark in clause for mark in _QUOTES):
            return None
        done = self._act(plain, state, may_shorten=False)
        is_free = done is None or any(step.call and step.call.name in _WITH_WORDS for step in done.steps)
        return None if is_free else done

    def look(self, asked: str, state: PlanState) -> tuple[Step, ...]:
        """What has to be read before `asked` can be answered: the files that a question names, or means."""
        clause = bare_of(asked, self.language)
        made = composition_in(clause, self.language)
        if made is None or made.target:
            return ()
        sources = self._sources(made, state)
        if not sources or len(sources) > MOST_SOURCES:
            return ()
        return tuple(Step(ParsedCall("read_file", {"path": each}), changes=False) for each in sources)

    def _sources(self, made: Composition, state: PlanState) -> tuple[str, ...]:
        """The files that are read; () where one of them is not there."""
        if made.names:
            found = [self.slots.file(each, state) for each in made.names]
            return tuple(each for each in found if each) if all(found) else ()
        if is_about_last(made.making, self.language):
            return (state.past.file,) if state.past.file in state.files else ()
        meant = self.slots.file(object_of(made.making, self.language), state)
        return (meant,) if meant is not None else ()

    def _last_table(self, clause: str, made: Composition, state: PlanState) -> tuple[str, ...]:
        """For "… and tell me the total": what was named last, or what it is a copy of."""
        last = state.past.file
        if made.target or made.names or not is_table(last):
            return ()
        known = self.around.files()
        beside = [last] if last in known else [each for each in known if last_part(each) == last_part(last)]
        works = beside and table_work(clause, self.around.whole(beside[0]), self.language) is not None
        return tuple(beside[:1]) if works else ()

    def _composed(self, clause: str, state: PlanState) -> PlannedPart | None:
        """Something that is made of files and kept in another: by the program where it can be worked out."""
        made = composition_in(clause, self.language)
        if made is None:
            return None
        result = self.around.worked_out(made.making) if made.target and not made.names else ""
        if result and made.target not in state.files:
            # A number that a model writes is mostly another one.
            write = ParsedCall("write_file", {"path": made.target, "content": f"{result}\n"})
            return self._calls([write], touched(state, made.target))
        sources = self._sources(made, state) or self._last_table(clause, made, state)
        if len(sources) == 1 and is_table(sources[0]):
            worked = self._table(clause, made, sources[0], state)
            if worked is not None:
                return worked
        # A source is never the target; a file that stands there is only replaced in a dialog, by the model.
        if not made.target or made.target in sources or len(sources) > MOST_SOURCES:
            return None
        gone = [each for each in made.names if self.slots.file(each, state) is None]
        write = ParsedCall("write_file", {"path": made.target, "content": ""})
        if gone:
            named = name_of(write, self.language)
            return PlannedPart((Step(text=self._say("no_such", a=", ".join(gone), b=named)),), state)
        is_of_answer = is_other_length(made.making, self.language) and len(state.past.text) > SHORT_ANSWER
        if is_of_answer:
            # Made of a file, what was said last is made anew of that; else it stands before the model.
            before = composition_in(state.past.asked, self.language)
            sources = self._sources(before, state) if before is not None and before.names else ()
            if before is not None and sources:
                made = replace(before, making=f"{before.making}, {made.making}", target=made.target)
        if not sources and (made.target in state.files or (state.past.text and not is_of_answer)):
            return None
        reads = [Step(ParsedCall("read_file", {"path": each}), changes=False) for each in sources]
        return PlannedPart(
            (*reads, Step(write, making=told_making(made, self.language))), touched(state, made.target)
        )

    def _table(self, clause: str, made: Composition, name: str, state: PlanState) -> PlannedPart | None:
        work = table_work(clause, self.around.whole(name), self.language)
        if work is None or not is_only_work(clause, made.names[0] if made.names else name, self.language):
            return None
        if work.total is not None:
            told = Step(text=self._say("total", a=name, b=str(work.total), c=work.column), changes=False)
        else:
            sorted_ = self._say("sorted", a=name, b=str(work.rows), c=work.column)
            told = Step(text=sorted_, changes=False, if_done=True)
        target = made.target
        if not target and work.total is None:
            target = free_name(name, sorted_word(self.language), state.files)
        if not target:
            return PlannedPart((told,), state)
        if target == name or target in state.files:
            return PlannedPart((Step(text=self._say("is_there", a=target)),), state)
        call = ParsedCall("write_file", {"path": target, "content": work.text})
        return PlannedPart((Step(call), told), touched(state, target))

    def copy(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        to = said.get("to", "")
        several = self.slots.files(said["what"], state) or ()
        if len(several) > 1:
            return self._copies(several, to, state)
        source = self.slots.file(said["what"], state)
        if source is None:
            return self._missing(said["what"], state, "write_file", to) if to else None
        target = unquoted(self.slots.without_the(to))
        # "Copy it there too": into the folder that was meant last.
        folder = self.slots.target_folder("", state) if not to else None
        if not to and folder is None:
            return None
        if to and not HAS_ENDING.fullmatch(last_part(target)):
            folder = self.slots.folder(to, state)
            if folder is None and self.slots.says_folder(to):
                folder = self.slots.target_folder(to, state)
        target = joined(folder, last_part(source)) if folder is not None else named_like(source, target)
        if not is_name(last_part(target)):
            return None
        if target in state.files:
            return PlannedPart((Step(text=self._say("is_there", a=target)),), state)
        text = self.around.whole(source)
        if not text:
            return PlannedPart((Step(text=self._say("no_text", a=source)),), state)
        call = ParsedCall("write_file", {"path": target, "content": text})
        return self._calls([call], touched(state, target))

    def _copies(self, sources: Sequence[str], to: str, state: PlanState) -> PlannedPart | None:
        """Several into one folder; those that no tool can copy are named."""
        folder = self.slots.target_folder(to, state)
        said = [{"what": each, "to": joined(folder or "", last_part(each))} for each in sources]
        return self._each(self.copy, said, state) if folder is not None else None

    def _each(self, act: _OneAct, said: Sequence[Mapping[str, str]], state: PlanState) -> PlannedPart | None:
        """One act for several things; None where one of them cannot be read."""
        steps: list[Step] = []
        for each in said:
            done = act(each, state)
            if done is None:
                return None
            steps, state = [*steps, *done.steps], done.state
        return PlannedPart(tuple(steps), state)

    def undo(self, _said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        calls = state.past.undo
        if not calls:
            return PlannedPart((Step(text=self._say("nothing_to_undo")),), state)
        return PlannedPart(
            tuple(Step(call) for call in calls), replace(state, past=replace(state.past, undo=()))
        )

    def undo_part(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """Of several changes the one that is named, by its place or its file; all of them where all are."""
        what, past = said["what"], state.past
        if self.slots.is_it(what) and is_plural(what):
            return self.undo(said, state)
        # The newest is taken back first, and named last.
        names = tuple(reversed(past.undo_of))
        bare = unquoted(self.slots.without_the(what)).casefold()
        nth = self.slots.nth(what, names)
        named = [
            each for each in names if each == nth or bare in (each.casefold(), each.casefold().split(".")[0])
        ]
        calls = [call for call, name in zip(past.undo, past.undo_of, strict=True) if named == [name]]
        return self._calls(calls, replace(state, past=replace(past, undo=(), undo_of=()))) if calls else None

    def count(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """Lines, words or letters of a file: a model counts them wrong."""
        name = self.slots.file(said["what"], state)
        text = self.around.whole(name) if name is not None else ""
        if name is None or not text:
            return None
        kind = said["kind"].casefold()
        count = len(text)
        if re.match(r"w|mot|palabra", kind):
            count = len(text.split())
        elif re.match(r"line|item|entr|row|zeile|eintr|ligne|élém|línea|elem", kind):
            count = sum(bool(line.strip()) for line in text.splitlines())
        told = Step(text=self._say("counted", a=name, b=str(count), c=said["kind"]), changes=False)
        return PlannedPart((told,), touched(state, name))

    def make_folder(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        name = unquoted(self.slots.without_the(said.get("what", "")))
        # "for my invoices and letters of last year" is a description, not a name.
        has_ending = any(HAS_ENDING.fullmatch(each) for each in name.split())
        if not name or len(name.split()) > 4 or has_ending or self.slots.is_it(name):
            return None
        # "crée un dossier factures et mets-y …": the rest is another part.
        if not is_quoted(said["what"]) and words("joins", self.language).search(name):
            return None
        known = self.slots.folder(name, state) or name
        after = replace(state.past, folder=known)
        folders = tuple(dict.fromkeys((*state.folders, known)))
        state = replace(state, past=after, folders=folders, made=(*state.made, known))
        return self._calls([ParsedCall("make_directory", {"path": known})], state)

    def rename(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        to = said["to"]
        what = self.slots.several_names(said.get("what", state.past.file))
        sources = self.slots.files(what, state) if what else None
        targets = (
            [unquoted(each) for each in LIST_BREAK.split(to)]
            if len(sources or ()) > 1
            else [unquoted(RATHER.sub("", to))]
        )
        if sources is None:
            return self._missing(what, state, "move_file", to)
        if len(sources) != len(targets):
            return PlannedPart((Step(text=self._say("which_names")),), state)
        if not all(is_name(each) for each in targets):
            return None
        calls = [
            ParsedCall("move_file", {"source": old, "destination": named_like(old, new)})
            for old, new in zip(sources, targets, strict=True)
        ]
        return self._moved(calls, state)

    def move(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        what, to = self.slots.several_names(said["what"]), said.get("to", "")
        folder = self.slots.target_folder(to, state)
        sources = self.slots.files(what, state)
        if sources is None:
            # Only where the words are surely of files: "put milk on the list" moves nothing.
            return self._missing(what, state, "move_file", folder or to) if folder is not None else None
        if folder is None:
            is_there = not to or self.slots.is_there(to)
            return PlannedPart((Step(text=self._say("which_folder")),), state) if is_there else None
        # "Move the meeting to Friday" names no file: a new folder is made for files that are named as such.
        is_new = folder != "." and folder not in state.folders and not self.slots.says_folder(to)
        if is_new and to and not (HAS_ENDING.search(what) or self.slots.is_it(what)):
            return None
        calls = [
            ParsedCall("move_file", {"source": each, "destination": joined(folder, last_part(each))})
            for each in sources
            if each != folder
        ]
        done = self._moved(calls, state) if calls else None
        if done is None:
            return None
        return replace(done, state=replace(done.state, past=replace(done.state.past, folder=folder)))

    def delete(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        what = self.slots.several_names(said["what"])
        names = self.slots.files(what, state)
        if names is None:
            folder = self.slots.folder(what, state) if self.slots.says_folder(what) else None
            if folder is None:
                return self._missing(what, state, "delete_file", "")
            names = (folder,)
        calls = [ParsedCall("delete_file", {"path": each}) for each in names]
        left = tuple(each for each in state.files if each not in names)
        return self._calls(calls, replace(state, files=left, past=replace(state.past, file="", files=())))

    def append(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        what, to = said["what"], said.get("to", "")
        # Without a place named only a few words are meant for the last file: more is a text to work on.
        if not to and not is_quoted(what) and len(what.split()) > MOST_LOOSE_WORDS:
            return None
        if len(several := self.slots.files(to, state) or ()) > 1:
            return self._each(self.append, [{"what": what, "to": each} for each in several], state)
        target = self.slots.append_target(to, state)
        if target is None:
            return self._unknown_list(to, state)
        text = self.slots.content(what, state)
        plain = not is_quoted(what) and not self.slots.is_it(what)
        # "Write a poem about rain into …" is not these words.
        if not text or (plain and TELLS.search(what)):
            return None
        # What makes a new file of free words is the model's; "it" is written by `save`.
        if target not in state.files and (plain or self.slots.is_it(what)):
            return None
        before = self.around.text(target)
        lines = as_list(text, before, is_quoted=is_quoted(what))
        call = ParsedCall("append_text", {"path": target, "text": lines})
        return self._calls([call], touched(state, target))

    def replace_passage(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        if "to" not in said:
            return self._replace_in_last(said, state)
        target = self.slots.file(said["to"], state)
        if target is None:
            named = HAS_ENDING.fullmatch(unquoted(said["to"])) is not None
            return self._missing(said["to"], state, "replace_text", "") if named else None
        text = self.around.text(target)
        several = PAIRS.fullmatch(said["new"])
        if several is not None and as_written(unquoted(several["old"]), text):
            first = {**said, "new": several["new"]}
            second = {"to": said["to"], "old": several["old"], "new": several["then"]}
            return self._each(self.replace_passage, (first, second), state)
        old = line_at(unquoted(said["old"]), text)
        old = (
            old
            or as_written(unquoted(said["old"]), text)
            or as_written(unquoted(self.slots.without_the(said["old"])), text)
        )
        call = ParsedCall(
            "replace_text",
            {"path": target, "old": old or unquoted(said["old"]), "new": unquoted(said["new"])},
        )
        return self._calls([call], touched(state, target))

    def _replace_in_last(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """In the file that was named last, where what goes stands there once; else it may be anything."""
        target = state.past.file
        text = self.around.text(target) if target else ""
        wanted, new = unquoted(said["old"]), unquoted(said["new"])
        bare = unquoted(self.slots.without_the(said["old"]))
        # "The price" is what stands behind the word; the word itself is left as it is.
        old = line_at(wanted, text) or (
            passage_of(bare, text, self.language)
            if is_passage_kind(bare, self.language)
            else as_written(wanted, text) or as_written(bare, text)
        )
        if not old or text.count(old) != 1:
            return None
        if bare != wanted and old.casefold() == bare.casefold():
            new = unquoted(self.slots.without_the(said["new"]))  # "the pears" by "the peaches"
        call = ParsedCall("replace_text", {"path": target, "old": old, "new": new})
        return self._calls([call], touched(state, target))

    def take_out(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        folder = self.slots.folder(said["to"], state)
        if folder is not None and HAS_ENDING.fullmatch(unquoted(said["what"])):
            return self.delete({"what": joined(folder, unquoted(said["what"]))}, state)
        target = self.slots.file(said["to"], state)
        if target is None:
            return None
        text, wanted = self.around.text(target), unquoted(said["what"])
        if (at := line_number(wanted, text)) is not None:
            call = ParsedCall("replace_text", {"path": target, "old": text.splitlines()[at], "new": ""})
            return self._calls([call], touched(state, target))
        old = (
            line_of(wanted, text) or line_of(self.slots.without_the(wanted), text) or as_written(wanted, text)
        )
        call = ParsedCall("replace_text", {"path": target, "old": old or wanted, "new": ""})
        return self._calls([call], touched(state, target))

    def take_out_line(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """The one line that has the words; where several have them, or none, the model is asked."""
        target = state.past.file
        if "told" in said:
            return self._take_out_named(said["told"], target, state)
        wanted = unquoted(self.slots.without_the(self.slots.without_a(said["what"]))).casefold()
        if not wanted or self.slots.is_it(said["what"]) or HAS_ENDING.fullmatch(wanted):
            return None
        if self.slots.file(said["what"], replace(state, past=Past())) is not None:
            return None  # "delete scan1" means the file, whatever the last one says of it
        text = self.around.text(target) if target else ""
        place = line_at(unquoted(said["what"]), text)
        place = (
            place or self.slots.nth(said["what"], [each for each in text.splitlines() if each.strip()]) or ""
        )
        lines = [place] if place else []
        lines = lines or [each for each in text.splitlines() if wanted in each.casefold()]
        if not target or len(lines) != 1:
            return None
        call = ParsedCall("replace_text", {"path": target, "old": lines[0], "new": ""})
        return self._calls([call], touched(state, target))

    def _take_out_named(self, told: str, target: str, state: PlanState) -> PlannedPart | None:
        """The one line that is named in what is told of it: "the milk has gone off, take it out"."""
        lines = [each for each in self.around.text(target).splitlines() if each.strip()] if target else []
        named = [each for each in lines if as_written(thing_of(each), told)]
        if len(named) != 1:
            return None
        call = ParsedCall("replace_text", {"path": target, "old": named[0], "new": ""})
        return self._calls([call], touched(state, target))

    def save(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        target = self.slots.new_file(said["to"], state)
        if target is None:
            return None
        if "empty" in said or not {"what", "literal"} & said.keys():
            if "empty" not in said and not state.past.text:
                return self._calls([ParsedCall("write_file", {"path": target, "content": ""})], state)
            text = "" if "empty" in said else (state.past.value or state.past.text)
        else:
            text = said.get("literal", "") or self._kept(said["what"], state)
            if not text:
                return None
        # What stands there is never lost to a request that names no loss.
        if target in state.files:
            return self._calls(
                [ParsedCall("append_text", {"path": target, "text": text})], touched(state, target)
            )
        call = ParsedCall(
            "write_file",
            {"path": target, "content": text if text.endswith("\n") or not text else text + "\n"},
        )
        return self._calls([call], touched(state, target))

    def read(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        what = unquoted(said["what"])
        # "Show me the files" means the folder's, whatever was read last.
        if _THE_FILES.fullmatch(what):
            return None
        # What was just put into a folder is not what "in there" asks for.
        if self.slots.is_there(what) and any(each.name in _INTO_FOLDERS for each in state.past.calls):
            return None
        path = PATH.fullmatch(what)
        name = what if path is not None else self.slots.file(what, state)
        if name is None:
            named = HAS_ENDING.fullmatch(unquoted(self.slots.without_the(what))) is not None
            return self._missing(what, state, "read_file", "") if named else None
        return self._calls([ParsedCall("read_file", {"path": name})], touched(state, name), changes=False)

    def list_folder(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        what = said.get("what", "")
        folder = "." if not what or self.slots.is_workspace(what) else self.slots.folder(what, state)
        if folder is None and self.slots.is_there(what):
            folder = state.past.folder or None
        if folder is None:
            return None
        after = replace(state, past=replace(state.past, folder="" if folder == "." else folder))
        return self._calls([ParsedCall("list_directory", {"path": folder})], after, changes=False)

    def find(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        where = said.get("where", "")
        folder = "." if not where or self.slots.is_workspace(where) else self.slots.folder(where, state)
        if folder is None:
            return None
        if "named" in said:
            call = ParsedCall("find_files", {"pattern": f"*{said['named']}*", "path": folder})
            return self._calls([call], state, changes=False)
        what = unquoted(self.slots.without_the(said["what"]))
        endings = endings_of(what)
        pattern = ", ".join(f"*.{each}" for each in endings)
        if not endings:
            if HAS_ENDING.fullmatch(what) or what.startswith("*."):
                pattern = what
            elif (name := self.slots.file(what, state)) is not None and not self.slots.is_it(what):
                pattern = last_part(name)
        if not pattern:
            return None
        call = ParsedCall("find_files", {"pattern": pattern, "path": folder})
        return self._calls([call], state, changes=False)

    def search(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """Words in the files of the workspace; whole topics are the model's."""
        what = unquoted(self.slots.without_the(said["what"]))
        if not what or len(what.split()) > MOST_LOOSE_WORDS or self.slots.is_it(said["what"]):
            return None
        return self._calls([ParsedCall("search_text", {"pattern": what})], state, changes=False)

    def clipboard_read(self, _said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        if "clipboard_read" not in state.past.tools:
            return PlannedPart((Step(text=self._say("no_clipboard"), changes=False),), state)
        return self._calls([ParsedCall("clipboard_read", {})], state, changes=False)

    def recall_notes(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """What was noted: for a day, on a subject, or lately. A file that is called so is meant before."""
        if any(_NOTES.match(last_part(each)) for each in (*state.files, *state.folders)):
            return None
        call = ParsedCall("recall_notes", {"query": said.get("what", "")})
        return self._calls([call], state, changes=False)

    @property
    def reminders(self) -> ReminderReading:
        return ReminderReading(self.around, self.language, self.slots, self._say)

    def _unknown_list(self, to: str, state: PlanState) -> PlannedPart | None:
        """Asked to add to a list or a file that is not there, or that was never named."""
        if to and (self.slots.is_it(to) or self.slots.is_there(to)) and not state.past.file:
            return PlannedPart((Step(text=self._say("which_file")),), state)
        name = unquoted(self.slots.without_the(to))
        # "A file there" is no name: where it is to be is for the model, which knows other tools than ours.
        is_name = not self.slots.is_there(name) and ":" not in name and not HAS_ENDING.search(name)
        if to and is_name and stems(to) & LIST_WORDS and not self.slots.says_folder(to):
            named = self._name("append_text", name, "")
            return PlannedPart((Step(text=self._say("no_such", a=name, b=named)),), state)
        return None

    def _kept(self, what: str, state: PlanState) -> str:
        """What is saved, where no model has to write it; "" where one has to."""
        if self.slots.is_it(what):
            return state.past.value or state.past.text
        if is_quoted(what):
            return unquoted(what)
        if words("last_text", self.language).fullmatch(what.strip()):
            return state.past.text
        return self.around.worked_out(what) or things_of(what, self.language)

    # -- steps --------------------------------------------------------------------------------

    def _calls(self, calls: Sequence[ParsedCall], state: PlanState, changes: bool = True) -> PlannedPart:
        return PlannedPart(tuple(Step(call, changes=changes) for call in calls), state)

    def _moved(self, calls: Sequence[ParsedCall], state: PlanState) -> PlannedPart:
        files = list(state.files)
        targets = []
        for call in calls:
            old, new = str(call.arguments["source"]), str(call.arguments["destination"])
            files = [new if each == old else each for each in files]
            targets.append(new)
        past = replace(state.past, file=targets[-1], files=tuple(targets) if len(targets) > 1 else ())
        return self._calls(calls, replace(state, files=tuple(files), past=past))

    def _missing(self, what: str, state: PlanState, tool: str, to: str) -> PlannedPart | None:
        """A file that is named and not there, or "it" with nothing that it could be."""
        if self.slots.is_it(what):
            return PlannedPart((Step(text=self._say("which_file")),), state)
        names = [unquoted(self.slots.without_the(each)) for each in LIST_BREAK.split(what)]
        gone = [
            each
            for each in names
            if HAS_ENDING.fullmatch(last_part(each)) and self.slots.file(each, state) is None
        ]
        if not gone:
            return None
        text = self._say("no_such", a=", ".join(gone), b=self._name(tool, gone[0], unquoted(to)))
        return PlannedPart((Step(text=text),), state)

    def _name(self, tool: str, a: str, b: str) -> str:
        return name_of(ParsedCall(tool, {"path": a, "destination": b}), self.language)

    def _say(self, key: str, **values: str) -> str:
        template: str = self._sentences["told"][key][self.language]
        return template.format(**values)


Act = Callable[[_Reading, Mapping[str, str], PlanState], "PlannedPart | None"]
# In the order in which they are tried: what needs more of its words comes first.
_ACTS: Mapping[str, Act] = {
    "undo": _Reading.undo,
    "undo_part": _Reading.undo_part,
    "count": _Reading.count,
    "list_reminders": lambda reading, said, state: reading.reminders.all(said, state),
    "recall_notes": _Reading.recall_notes,
    "cancel_reminder": lambda reading, said, state: reading.reminders.cancel(said, state),
    "remind": lambda reading, said, state: reading.reminders.remind(said, state),
    "remind_more": lambda reading, said, state: reading.reminders.remind_more(said, state),
    "reschedule": lambda reading, said, state: reading.reminders.reschedule(said, state),
    "clipboard_read": _Reading.clipboard_read,
    "replace": _Reading.replace_passage,
    "rename": _Reading.rename,
    "make_folder": _Reading.make_folder,
    "copy": _Reading.copy,
    "move": _Reading.move,
    "take_out": _Reading.take_out,
    "take_out_line": _Reading.take_out_line,
    "append": _Reading.append,
    "save": _Reading.save,
    "delete": _Reading.delete,
    "read": _Reading.read,
    "list_folder": _Reading.list_folder,
    "search": _Reading.search,
    "find": _Reading.find,
}
