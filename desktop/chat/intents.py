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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from desktop.chat.compositions import (
    KEEPS_SOURCE,
    Composition,
    behind_praise,
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
from desktop.chat.file_intents import FileReading
from desktop.chat.follow_ups import follow_up, other_file, same_sum, sum_going_on
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, PlannedPart, PlanState, Step, Surroundings, planned, touched
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import (
    LANGUAGES,
    LIST_WORDS,
    MAY_ACT,
    TELLS,
    as_written,
    bare_of,
    expression,
    in_writing,
    last_part,
    likely_languages,
    line_with,
    name_of,
    patterns_of,
    say,
    stems,
    typed,
    unhung,
    words,
)
from desktop.chat.orders import is_reason, without_reason
from desktop.chat.references import Past
from desktop.chat.reminder_intents import ReminderReading, reworded
from desktop.chat.repeated_calls import copied_from
from desktop.chat.request_kinds import OUT_OF_REACH
from desktop.chat.speech_acts import only_asks
from desktop.chat.spellings import respelled
from desktop.chat.tool_choice import files_in
from desktop.chat.undo_requests import calls_back

LONGEST = 300  # characters; more is a text with a request somewhere in it
MOST_STEPS = 8
MOST_REASONS = 4  # ways to take a reason off, and names in it that are tried
MOST_LOOKED_IN = 6  # files in whose lines a name is looked for
MOST_FRONT = 4  # words before a verb that name a file
SHORT_ANSWER = 60  # characters; less is no text that could be made shorter
MOST_SOURCES = 3  # files that are read for one text; more do not fit before a small model

_QUOTES = "\"“”„«»'"
_NO = re.compile(r"(?:^|\s)no\s+$", re.IGNORECASE)
_HOW_TO = re.compile(
    r"\W*(?:how (?:do|does|can|could|should|would|to)|wie (?:kann|könnte|man|geht|öffne|mach\w*)|"
    r"comment (?:puis-je|je|on|faire|ouvrir)|cómo (?:puedo|se|abro|hago))\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\s*(?:and|und|et|y)(?: (?:also|auch|noch|aussi|encore|también))?\s+(?=\S)", re.IGNORECASE
)
_FREE_WORDS = frozenset(("append_text", "write_file", "save_note"))
_WITH_WORDS = frozenset(("append_text", "write_file", "replace_text", "set_reminder", "save_note"))


# In a part that was not read: that it is not to be, after all. Whole words: "neu" is no "ne".
_DOUBTS = re.compile(
    typed(
        r"(?<!\w)(?:(?:no+|nope|nah|not|stop|do not|don['’]?t|nein|ne+|nö|nicht|non|nan|"
        r"pas|rien|alto)(?!\w)"
        r"|never ?mind|nvm|scratch|forget|leave|keep|cancel|changed my|vergiss|lass(?:t|en)?(?!\w)|"
        r"überlegt|behalt|"
        r"abbrechen|bleib|laisse|oublie|annule|garde|déja|olvíd|cancela|guárda|consérva|mejor no)"
    ),
    re.IGNORECASE,
)
_TAKES_AWAY = frozenset(("move_file", "delete_file", "replace_text"))


class Intents:
    """Any thread. `around` is asked at the time of the request; `described` is the file that the request
    describes, where that was chosen."""

    def __init__(self, around: Surroundings, described: str = "") -> None:
        self._around = around
        self._described = described

    def plan(self, request: str, past: Past) -> IntentPlan | None:
        """What is to be done for `request`, or None where the model has to be asked."""
        asked = behind_praise(in_writing(" ".join(request.split())))
        if not asked or len(asked) > LONGEST or "\n" in request.strip():
            return None
        new = next((each for each in files_in(asked) if " " in each and each not in self._around.files()), "")
        if new:
            return self._with_blanks(asked, new, past)
        without = KEEPS_SOURCE.sub("", asked)
        if without != asked and (plan := self._plan(without, past)) is not None:
            # What takes the source away does not keep it.
            return plan if not {each.name for each in plan.calls} & _TAKES_AWAY else self._plan(asked, past)
        return self._plan(asked, past)

    def _with_blanks(self, asked: str, new: str, past: Past) -> IntentPlan | None:
        """The plan where a file that is to be made has a name of several words: read as if it were one."""
        one_word = re.sub(r"\s+", "-", new)
        plan = self.plan(re.sub(rf"[\"“”„«»]?{re.escape(new)}[\"“”«»]?", one_word, asked), past)
        if plan is None:
            return None

        def put_back(step: Step) -> Step:
            call = step.call
            if call is not None:
                given = {key: new if each == one_word else each for key, each in call.arguments.items()}
                call = replace(call, arguments=given)
            return replace(step, call=call, text=step.text.replace(one_word, new))

        return replace(plan, steps=tuple(map(put_back, plan.steps)))

    def _plan(self, asked: str, past: Past, is_apart: bool = False) -> IntentPlan | None:
        """`is_apart`: the reason was taken off, and is not looked for again in what is left: of many clauses
        that would be all of their parts."""
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
        files = dict.fromkeys((*self._around.files(), *filter(None, (self._described,))))
        state = PlanState(past, tuple(files), tuple(self._around.folders()))
        following = follow_up(asked, state, self._around, bare_of) or self._respelled(asked, state)
        following = following or self._sentence_by_sentence(asked, past, state)
        if following is not None:
            return following
        readings = [
            _Reading(self._around, each, Slots(each, self._described)) for each in likely_languages(asked)
        ]
        for reading in readings:
            done = reading.parts(asked, state, first=True)
            if done is not None and len(done.steps) <= MOST_STEPS:
                # What the model writes is asked for once, when all else is done.
                early = any(step.making for step in done.steps[:-1])
                plan = IntentPlan(reading.language, done.steps)
                return None if early else _held_back(plan) or plan
        going_on = _going_on(readings, asked, state)
        if going_on is None and _ASKS_FOR_REMINDERS.search(asked) and only_asks(asked):
            listed = Step(ParsedCall("list_reminders", {}), changes=False)
            return IntentPlan(readings[0].language, (listed,))
        if going_on is None and not is_apart:
            going_on = self._without_reason(asked, past, state)
        return going_on or _looked(readings, asked, state)

    def _sentence_by_sentence(self, asked: str, past: Past, state: PlanState) -> IntentPlan | None:
        """Two sentences of which the first goes on from the last request: "make that half 5. and another one
        friday 9am, ring Tully"; None where not all of both is understood."""
        parts = SENTENCE_ENDS.split(asked)
        if len(parts) != 2 or "?" in asked:
            return None
        first = follow_up(parts[0], state, self._around, bare_of)
        if first is None or not _is_certain(first, parts[0]):
            return None
        second = self._plan(parts[1], past, is_apart=True)
        if second is None or not second.changes or not _is_certain(second, parts[1]):
            return None
        return replace(first, steps=(*first.steps, *second.steps))

    def _without_reason(self, asked: str, past: Past, state: PlanState) -> IntentPlan | None:
        """What is asked for beside a reason: "make it margarine, she's off dairy", "Cole can't make it, take
        him off the guests". Of whom the reason speaks and the order only points at, that one is meant."""
        if "?" in asked:
            return None
        for order, reason in without_reason(asked)[:MOST_REASONS]:
            for said in (*islice(_named_in(order, reason, self._around, state), MOST_REASONS), order):
                plan = self._plan(said, past, is_apart=True)
                if plan is not None and plan.changes and not plan.is_asked and _is_certain(plan, said):
                    return self._of_one(plan, asked, past)
        return None

    def _of_one(self, plan: IntentPlan, asked: str, past: Past) -> IntentPlan | None:
        """Of several acts that would be taken back only the one that the reason speaks of."""
        calls = calls_back(asked, past, self._around.text) if plan.calls == past.undo else plan.calls
        if calls is None or calls == plan.calls:
            return plan if calls is not None else None
        return replace(plan, steps=tuple(Step(each) for each in calls))

    def reminders_named(self, request: str) -> tuple[tuple[int, str], ...]:
        """Number and text of the open reminders that a request to take one away names; () where it is no such
        request, or none fits."""
        asked = " ".join(request.split())
        for language in likely_languages(asked):
            reminders = _Reading(self._around, language, Slots(language)).reminders
            clause = bare_of(asked, language)
            for pattern in patterns_of(language)["cancel_reminder"]:
                for each in (clause, _without_particles(clause, language)):
                    found = pattern.fullmatch(each)
                    if found is not None and (named := reminders.named(_groups(found))):
                        return tuple(named)
        return ()

    def names_file(self, request: str) -> bool:
        """Whether the request has the words of a file or folder that is there, or speaks of a list."""
        said = stems(request)
        there = (stems(last_part(each).rsplit(".", 1)[0]) - LIST_WORDS for each in self._around.files())
        folders = (stems(last_part(each)) for each in self._around.folders())
        return bool(said & LIST_WORDS) or any(each and each <= said for each in (*there, *folders))

    def _respelled(self, asked: str, state: PlanState) -> IntentPlan | None:
        """A name that is spelled another way: in the reminder that was set last, or in the last file."""
        past, language = state.past, next(iter(likely_languages(asked)))
        if past.calls and past.calls[-1].name == "set_reminder":
            text = dict(self._around.reminders()).get(past.reminder, "")
            calls = reworded(past.reminder, respelled(asked, text), self._around)
            return IntentPlan(language, tuple(Step(each) for each in calls)) if calls else None
        text = self._around.text(past.file) if past.file in state.files else ""
        found = respelled(asked, text)
        lines = [each for each in text.splitlines() if found and as_written(found[0], each)]
        if found is None or len(lines) != 1:
            return None
        old = found[0] if text.count(found[0]) == 1 else lines[0]
        call = ParsedCall(
            "replace_text", {"path": past.file, "old": old, "new": old.replace(found[0], found[1])}
        )
        return IntentPlan(language, (Step(call),))


# "J'ai quoi comme rappels là": of those that are set, in whatever words it is asked.
_ASKS_FOR_REMINDERS = re.compile(
    r"^(?=.{0,60}$)(?=.*\b(?:i|ich|mir|meine?\w*|j['’]ai|je|mes|moi|tengo|mis|me|my|there|hay|gibt|offen\w*)\b)"
    r".*\b(?:reminders|timers|alarms|erinnerungen|wecker|rappels|minuteurs|alarmes|recordatorios|avisos|alarmas)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"(?<![\w'’])(?:him|her|it|them|that|ihn|sie|es|den|die|das|l[aeo]s?)(?![\w'’])", re.IGNORECASE
)
SHORTEST_NAME = 3  # letters
SENTENCE_ENDS = re.compile(r"(?<=\w[.!;])\s+(?=[^\W\d])")


def _named_in(order: str, reason: str, around: Surroundings, state: PlanState) -> Iterator[str]:
    """`order` with what the reason names, and a file has a line of, in the place of its pronoun."""
    # "Quítalo" has its pronoun behind it.
    order = next((plain for each in ("es", "fr") if (plain := unhung(order, each)) != order), order)
    pointed = _PERSON.search(order)
    if pointed is None:
        return
    texts = [around.text(each) for each in (state.past.file, *state.files)[:MOST_LOOKED_IN] if each]
    for word in dict.fromkeys(re.findall(r"[^\W\d_]+", reason)):
        stem = [
            each for each in state.files if last_part(each).rpartition(".")[0].casefold() == word.casefold()
        ]
        if len(word) >= SHORTEST_NAME and (stem or any(line_with(word, text) for text in texts)):
            yield f"{order[: pointed.start()]} {word}{order[pointed.end() :]}"


def _is_certain(plan: IntentPlan, said: str) -> bool:
    """Whether all of a plan is done, and nothing of it only told. A file goes by its name alone: "that was
    private, get rid of it" may be of anything."""
    gone = [str(call.arguments["path"]) for call in plan.calls if call.name == "delete_file"]
    if not all(stems(last_part(each).rsplit(".", 1)[0]) & stems(said) for each in gone):
        return False
    return all(step.call is not None and not step.unread and not step.making for step in plan.steps)


def _held_back(plan: IntentPlan) -> IntentPlan | None:
    """Nothing of `plan`, where it takes something away and the part that was not read may take that back:
    "delete a.txt, hm no better keep that one"."""
    doubt = next((step.unread for step in plan.steps if _DOUBTS.search(step.unread)), "")
    if not doubt or not {call.name for call in plan.calls} & _TAKES_AWAY:
        return None
    return IntentPlan(plan.language, (Step(text=say("held_back", plan.language, a=doubt), unread=doubt),))


def _going_on(readings: Sequence[_Reading], asked: str, state: PlanState) -> IntentPlan | None:
    plans = ((reading.language, reading.going_on(asked, state)) for reading in readings)
    return next((IntentPlan(language, done.steps) for language, done in plans if done is not None), None)


def _looked(readings: Sequence[_Reading], asked: str, state: PlanState) -> IntentPlan | None:
    """What has to be read before the question can be answered."""
    for reading in readings:
        if looked := reading.look(asked, state):
            return IntentPlan(reading.language, looked, is_asked=True)
    named = _asked_of(asked, state.files)
    return IntentPlan(readings[0].language, named, is_asked=True) if named else None


def _asked_of(asked: str, files: Sequence[str]) -> tuple[Step, ...]:
    """The reading of the files that a question names, whatever its words: nobody knows what is in them. Not
    where it is about the world, such as "How do I open a.csv in Python?", or asks for something to be
    done."""
    is_act = any(MAY_ACT.match(bare_of(asked, each)) for each in LANGUAGES)
    is_code = any(words("code", each).search(asked) for each in LANGUAGES)
    if not asked.endswith("?") or is_act or is_code or _HOW_TO.match(asked):
        return ()
    names = files_in(asked)
    found = [each for each in files if each in names]
    if not found or len(found) != len(names) or len(found) > MOST_SOURCES:
        return ()
    return tuple(Step(ParsedCall("read_file", {"path": each}), changes=False) for each in found)


def _groups(found: re.Match[str]) -> dict[str, str]:
    return {key: value.strip() for key, value in found.groupdict().items() if value}


def _without_particles(clause: str, language: str) -> str:
    return re.sub(rf"\s+(?:{expression('particles', language)})(?=\s)", "", clause, flags=re.IGNORECASE)


@dataclass(frozen=True)
class _Reading:
    """One request in one language."""

    around: Surroundings
    language: str
    slots: Slots

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
        verb = re.match(r"(?:[\w-]+)(?: (?:me|mich|mir|a(?! las?\b)|an|einen?|eine|un|une|una))?(?=\s)", left)
        if verb is None:
            return None
        right = bare_of(right, self.language)
        day = words("days", self.language).search(left)
        is_timed = re.match(r"(?:at|um|à|a las?) \d", right, re.IGNORECASE) is not None
        if is_timed and day is not None and not words("days", self.language).search(right):
            # "… lunes por martes, y a las 9 por a las 10" changes a text, and sets no reminder.
            plain = self.parts(f"{verb[0]} {right}", state)
            if plain is not None and all(
                step.call and step.call.name == "replace_text" for step in plain.steps
            ):
                return plain
            right = f"{day[0]} {right}"
        one = words("another_one", self.language).match(right)
        if one is not None:
            right = f"{self._object(left)}{right[one.end() :]}"
        return self.parts(f"{verb[0]} {right}", state)

    def going_on(self, asked: str, state: PlanState) -> PlannedPart | None:
        """What leaves out the verb, which stood in the request before: "and carrots with courgettes". Only
        where it cannot be anything else: free words would be added to a file for any "and thanks"."""
        before = bare_of(state.past.asked, self.language)
        if not state.past.calls or not _GOES_ON.match(asked):
            return None
        right = _GOES_ON.sub("", asked, count=1)
        # "In menu.txt, replace …": the first words need not be the verb.
        for verb in MAY_ACT.finditer(before):
            done = self._carried(before[verb.start() :], right, state)
            if done is not None and all(
                step.call is not None
                and (step.call.name not in _FREE_WORDS or copied_from(step.call, state, self.around))
                and (step.call.name != "set_reminder" or any(each.isdigit() for each in right))
                for step in done.steps
            ):
                return done
        return None

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
        if is_reason(right):
            return PlannedPart((), done.state)
        part = right.strip()
        return PlannedPart((Step(text=self._say("not_understood", a=part), unread=part),), done.state)

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
                done = act(self, _groups(found), state)
                if done is not None:
                    return done
        if not may_shorten:
            return None
        return self._act_plainly(clause, state) or self._act_apart(clause, state)

    def _act_apart(self, clause: str, state: PlanState) -> PlannedPart | None:
        """The same with the pronoun that hangs on the verb set apart: "supprime-le", "bórralo"."""
        plain = unhung(clause, self.language)
        done = self._act(plain, state, may_shorten=False) if plain != clause else None
        return done or self._act_behind(clause, state)

    def _act_behind(self, clause: str, state: PlanState) -> PlannedPart | None:
        """What is meant stands before its verb, which has a pronoun for it: "la primera muévela a …"."""
        said = clause.split()
        for size in range(1, min(MOST_FRONT, len(said) - 1) + 1):
            front, rest = " ".join(said[:size]).rstrip(","), " ".join(said[size:])
            plain = unhung(rest, self.language)
            if not MAY_ACT.match(plain) or self.slots.file(front, state) is None:
                continue
            verb, *others = plain.split()
            if others and self.slots.is_it(others[0]):
                others = others[1:]
            elif not self.slots.nth(front, state.past.files):
                continue
            return self._act(" ".join((verb, front, *others)), state, may_shorten=False)
        return None

    def _act_plainly(self, clause: str, state: PlanState) -> PlannedPart | None:
        """The same without the small words between: "zeig mir danach die Dateien". Only what holds no words
        of the user's own, which these could belong to."""
        plain = _without_particles(clause, self.language)
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
        meant = self.slots.file(object_of(made.making, self.language), state) or self.slots.described
        return (meant,) if meant else ()

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
        # What the computer is asked for it has to tell first; that is kept then.
        if made is None or (made.target and not made.names and self.around.is_looked_up(made.making)):
            return None
        result = self.around.worked_out(made.making) if made.target and not made.names else ""
        if result and made.target not in state.files:
            # A number that a model writes is mostly another one.
            write = ParsedCall("write_file", {"path": made.target, "content": f"{result}\n"})
            return planned([write], touched(state, made.target))
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
        about = self._about_last(made, sources, state)
        if about is None:
            return None
        made, sources = about
        reads = [Step(ParsedCall("read_file", {"path": each}), changes=False) for each in sources]
        return PlannedPart(
            (*reads, Step(write, making=told_making(made, self.language))), touched(state, made.target)
        )

    def _about_last(
        self, made: Composition, sources: tuple[str, ...], state: PlanState
    ) -> tuple[Composition, tuple[str, ...]] | None:
        """What is made, and of which files, where it is about what was said or asked last; None where that
        stands before the model."""
        if self._is_of_refused(made, state):
            making = f"{made.making}: {state.past.asked}"
            return replace(made, making=making), self._spoken_of(state.past.asked, state)
        is_of_answer = is_other_length(made.making, self.language) and len(state.past.text) > SHORT_ANSWER
        if is_of_answer:
            # Made of a file, what was said last is made anew of that; else it stands before the model.
            before = composition_in(state.past.asked, self.language)
            sources = self._sources(before, state) if before is not None and before.names else ()
            if before is not None and sources:
                made = replace(before, making=f"{before.making}, {made.making}", target=made.target)
        if not sources and (made.target in state.files or (state.past.text and not is_of_answer)):
            return None
        return made, sources

    def _is_of_refused(self, made: Composition, state: PlanState) -> bool:
        """Whether a text is wanted that says nothing of its subject, and what was asked before is beyond
        reach: "email the invoice to Jo", "then at least write me a draft in mail.txt"."""
        past = state.past
        is_refused = not past.calls and OUT_OF_REACH.search(past.asked) is not None
        kind = words("only_a_text", self.language).fullmatch(object_of(made.making, self.language))
        return is_refused and kind is not None and made.target not in state.files

    def _spoken_of(self, asked: str, state: PlanState) -> tuple[str, ...]:
        """The one file that another sentence speaks of: the invoice of "email the invoice to my landlord"."""
        languages = [each for each in LANGUAGES if words("the_one", each).search(asked)]
        said = [
            found[0]
            for each in languages
            for found in re.finditer(rf"(?<!\w){expression('the_one', each)}\s+[\w.-]+", asked, re.IGNORECASE)
        ]
        names = dict.fromkeys(name for each in said if (name := self.slots.file(each, state)) is not None)
        return tuple(names) if len(names) == 1 else ()

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

    @property
    def reminders(self) -> ReminderReading:
        return ReminderReading(self.around, self.language, self.slots, self._say)

    @property
    def files(self) -> FileReading:
        return FileReading(self.around, self.language, self.slots)

    def _say(self, key: str, **values: str) -> str:
        return say(key, self.language, **values)


Act = Callable[[_Reading, Mapping[str, str], PlanState], "PlannedPart | None"]


def _of_files(act: Callable[[FileReading, Mapping[str, str], PlanState], PlannedPart | None]) -> Act:
    return lambda reading, said, state: act(reading.files, said, state)


# In the order in which they are tried: what needs more of its words comes first.
_ACTS: Mapping[str, Act] = {
    "undo": _of_files(FileReading.undo),
    "needs_back": _of_files(FileReading.needs_back),
    "never_mind": _of_files(FileReading.never_mind),
    "undo_part": _of_files(FileReading.undo_part),
    "total": _of_files(FileReading.total),
    "append_labelled": _of_files(FileReading.append_labelled),
    "how_many": _of_files(FileReading.how_many),
    "count": _of_files(FileReading.count),
    "list_reminders": lambda reading, said, state: reading.reminders.all(said, state),
    "recall_notes": _of_files(FileReading.recall_notes),
    "cancel_reminder": lambda reading, said, state: reading.reminders.cancel(said, state),
    "remind_several": lambda reading, said, state: reading.reminders.remind_several(said, state),
    "remind": lambda reading, said, state: reading.reminders.remind(said, state),
    "remind_more": lambda reading, said, state: reading.reminders.remind_more(said, state),
    "reschedule": lambda reading, said, state: reading.reminders.reschedule(said, state),
    "clipboard_write": _of_files(FileReading.clipboard_write),
    "clipboard_read": _of_files(FileReading.clipboard_read),
    "make_list": _of_files(FileReading.make_list),
    "start_list": _of_files(FileReading.make_list),
    "swap": _of_files(FileReading.swap),
    "replace": _of_files(FileReading.replace_passage),
    "rename": _of_files(FileReading.rename),
    "make_folder": _of_files(FileReading.make_folder),
    "copy": _of_files(FileReading.copy),
    "move": _of_files(FileReading.move),
    "move_out": _of_files(FileReading.move_out),
    "take_out": _of_files(FileReading.take_out),
    "take_out_line": _of_files(FileReading.take_out_line),
    "append_file": _of_files(FileReading.append_file),
    "respell": _of_files(FileReading.respell),
    "prepend": _of_files(FileReading.prepend),
    "append": _of_files(FileReading.append),
    "save": _of_files(FileReading.save),
    "delete": _of_files(FileReading.delete),
    "read": _of_files(FileReading.read),
    "list_folder": _of_files(FileReading.list_folder),
    "search": _of_files(FileReading.search),
    "find": _of_files(FileReading.find),
    "into": _of_files(FileReading.into),
}
