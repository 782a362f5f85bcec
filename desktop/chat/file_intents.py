"""What a request asks of files, read by tables: copied, moved, renamed, deleted, read, their text changed.

One language at a time; the words are in `resources/requests.toml`. Every value comes from the request, the
conversation or the folder. What could be two things is asked, and what stands in a file is never replaced by
a request that names no loss. Nothing is changed here: what is planned goes through the executor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from desktop.chat.compositions import is_table
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import PlannedPart, PlanState, Step, Surroundings, planned, touched
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import (
    HAS_ENDING,
    LIST_BREAK,
    LIST_WORDS,
    PAIRS,
    PATH,
    RATHER,
    TELLS,
    as_entries,
    as_list,
    as_written,
    bare_thing,
    bare_thing_of,
    ending_of,
    endings_of,
    entries_of,
    is_listed,
    is_name,
    is_passage_kind,
    is_plural,
    is_quoted,
    joined,
    last_part,
    line_at,
    line_number,
    line_of,
    line_with,
    name_of,
    named_like,
    passage_of,
    row_of,
    say,
    stems,
    thing_of,
    things_of,
    unquoted,
    without_thing,
    words,
)
from desktop.chat.references import Past
from desktop.chat.spellings import passage_like
from desktop.chat.tool_choice import files_in
from desktop.chat.undo_requests import meant, named, taking_back

MOST_LOOSE_WORDS = 4

_THE_FILES = re.compile(
    r"(?:the|die|les|los|my|meine|mes|mis) (?:files|dateien|fichiers|archivos)", re.IGNORECASE
)
# "The line mar", and not "the last line".
_THE_LINE = re.compile(
    r"^(?:(?:the|die|den|la|le|el) )?(?:line|item|entry|row|zeile|eintrag|ligne|línea|entrada|fila) "
    r"(?:(?:with|of|for|about|mit|von|für|zu|über|avec|de|du|pour|con|del|para|sobre) )?"
    r"(?!\d|number|nummer|numéro|número|última|dernière|primera|première)(?=\S)",
    re.IGNORECASE,
)
_WHOSE_LINE = re.compile(r"['’]s? (?:line|item|entry|row)$", re.IGNORECASE)
_SOMEBODY = re.compile(r"him|her|them|ihn|sie|ihm|l[eao]s?", re.IGNORECASE)
_INTO_FOLDERS = frozenset(("make_directory", "move_file"))
# "Hugo between the two" says where, and no tool can put it there.
_PLACE_BEHIND = re.compile(
    r"\s(?:between|zwischen|entre|(?:right |just )?(?:before|after|above|below)|juste (?:avant|après)|"
    r"justo (?:antes|después))"
    r"\s+\w.*\Z",
    re.IGNORECASE,
)
# Before what is added or put somewhere: "häng danach Zucker an", "mets-y aussi devis.txt".
_BESIDES = re.compile(
    r"(?:(?:also|then|afterwards|as well|too|auch|noch|danach|dann|außerdem|aussi|encore|ensuite|puis|"
    r"también|luego|después|además)\s+)+(?=\S)",
    re.IGNORECASE,
)
_NOTES = re.compile(r"(?:my[ _-])?(?:notes?|notizen|notas?)\b", re.IGNORECASE)
_OneAct = Callable[[Mapping[str, str], PlanState], PlannedPart | None]


MOST_ADDED = 40  # files that are looked into for numbers
_BARE_AMOUNT = re.compile(r"(?P<label>)(?P<number>-?\d+(?:[.,]\d{1,2})?)")
_AMOUNT = re.compile(
    r"(?P<label>.*[^\d\s.,:-].*?)[\s:=-]+(?:[$€£] ?)?(?P<number>-?\d+(?:[.,]\d{1,2})?)(?: ?(?:[$€£]|EUR|"
    r"USD|GBP|euros?))?"
)


def _amounts(text: str) -> list[tuple[str, str]]:
    """What each line is of, and its number; [] where one has none."""
    lines = [each.strip() for each in text.splitlines() if each.strip()]
    found = [_AMOUNT.fullmatch(each) or _BARE_AMOUNT.fullmatch(each) for each in lines]
    return [(each["label"], each["number"]) for each in found if each is not None] if all(found) else []


_CALLED_AS = re.compile(
    r",?\s+(?:as|called|named|als|namens|comme|nommée?|como|llamad[oa])\s+(?P<name>[^\s/]+\.\w{2,4})\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class FileReading:
    """The acts on files, each for the words that its expression found. Any thread."""

    around: Surroundings
    language: str
    slots: Slots

    def copy(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        to, what = said.get("to", ""), said.get("what", "") or state.past.file
        # "Into a new folder archive, as winter_2026.txt" has two parts.
        called = _CALLED_AS.search(to)
        to = to[: called.start()] if called is not None else to
        several = self.slots.files(what, state) or () if what else ()
        if len(several) > 1:
            return self._copies(several, to, state)
        source = self.slots.file(what, state) if what else None
        if source is None:
            return self._missing(what, state, "write_file", to) if to and what else None
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
        if called is not None:
            target = joined(folder if folder is not None else target.rpartition("/")[0], called["name"])
        if not is_name(last_part(target)):
            return None
        if target in state.files:
            return PlannedPart((Step(text=self._say("is_there", a=target)),), state)
        text = self.around.whole(source)
        if not text:
            return PlannedPart((Step(text=self._say("no_text", a=source)),), state)
        call = ParsedCall("write_file", {"path": target, "content": text})
        return planned([call], touched(state, target))

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
            tuple(Step(call) for call in calls),
            replace(state, past=replace(state.past, undo=(), undo_of=(), undo_acts=(), undo_before=())),
        )

    def never_mind(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """As `undo`, of what was done for the sentence before; of anything else it takes nothing back."""
        return self.undo(said, state) if state.past.calls and state.past.undo else None

    def needs_back(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """As `undo`, where all that was done for the sentence before took something away."""
        took = [
            call.name == "delete_file"
            or (call.name == "replace_text" and not str(call.arguments.get("new", "")).strip())
            for call in state.past.calls
        ]
        return self.undo(said, state) if took and all(took) and state.past.undo else None

    def undo_part(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """Of several changes the one that is named, by its place or its file; all of them where all are."""
        what, past = said["what"], state.past
        if self.slots.is_it(what) and is_plural(what):
            return self.undo({}, replace(state, past=replace(past, undo=meant(what, past))))
        # The newest is taken back first, and named last.
        names = tuple(reversed(past.undo_of))
        bare = unquoted(self.slots.without_the(what)).casefold()
        nth = self.slots.nth(what, names)
        which = [
            at
            for at, each in enumerate(past.undo_of)
            if each == nth or bare in (each.casefold(), each.casefold().split(".")[0])
        ]
        calls = taking_back(which or named(bare, past), past, self.around.text)
        left = replace(past, undo=(), undo_of=(), undo_acts=(), undo_before=())
        return planned(calls, replace(state, past=left)) if calls else None

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

    def total(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """What the lines of a list come to, each of which ends with a number: a model adds them up wrong. The
        list that is named, or the only one; a question about one of its lines is another."""
        asked = stems(said.get("about", ""))
        lists = {
            each: _amounts(self.around.text(each)) for each in state.files[:MOST_ADDED] if "/" not in each
        }
        lists = {name: found for name, found in lists.items() if len(found) > 1}
        named = [each for each in lists if (stems(last_part(each).rsplit(".", 1)[0]) - LIST_WORDS) & asked]
        meant = named or ([state.past.file] if state.past.file in lists else list(lists))
        if len(meant) != 1 or not (named or "sum" in said):
            return None
        amounts = lists[meant[0]]
        if any(stems(label) & asked - stems(last_part(meant[0])) for label, _ in amounts):
            return None
        result = self.around.worked_out(" + ".join(number for _, number in amounts))
        if not result:
            return None
        told = f"{meant[0]}: {' + '.join(number for _, number in amounts)} = {result}"
        return PlannedPart((Step(text=told, changes=False),), touched(state, meant[0]))

    def append_labelled(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """The last result as a line of its own, with a word before it."""
        target = self.slots.append_target(said.get("to", ""), state)
        if target is None or target not in state.files or not state.past.value:
            return None
        text = f"{unquoted(said['label'])} {state.past.value}"
        return planned([ParsedCall("append_text", {"path": target, "text": text})], touched(state, target))

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
        return planned([ParsedCall("make_directory", {"path": known})], state)

    def rename(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        to = said["to"] if is_quoted(said["to"]) else self.slots.without_there(said["to"])
        what = self.slots.several_names(said.get("what", state.past.file))
        past = state.past
        # "Call it …" behind a look is the name for what was told, and no other one for the file.
        only_looked = not past.lately and all(each.name == "read_file" for each in past.calls)
        if said.get("called") and self.slots.is_it(what) and only_looked and past.text and not state.made:
            return None
        sources = self.slots.files(what, state) if what else None
        targets = (
            [unquoted(each) for each in LIST_BREAK.split(to)]
            if len(sources or ()) > 1
            else [unquoted(RATHER.sub("", to))]
        )
        are_names = all(is_name(each) for each in targets)
        if sources is None:
            return (
                self._missing(what, state, "move_file", to)
                if are_names or not self.slots.is_it(what)
                else None
            )
        if len(sources) != len(targets):
            return PlannedPart((Step(text=self._say("which_names")),), state)
        if not are_names:
            return None
        calls = [
            ParsedCall("move_file", {"source": old, "destination": named_like(old, new)})
            for old, new in zip(sources, targets, strict=True)
        ]
        return self._moved(calls, state)

    def move(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        what, to = self.slots.several_names(_BESIDES.sub("", said["what"])), said.get("to", "")
        folder = self.slots.target_folder(to, state)
        sources = self.slots.files(what, state)
        if sources is None:
            # Only where the words are surely of files: "put milk on the list" moves nothing.
            if folder is None:
                return None
            there = self._there(what, state)
            missing = self._missing(what, state, "move_file", folder or to)
            moved = self.move({**said, "what": " , ".join(there)}, state) if there and missing else None
            return self._beside(moved, missing)
        if folder is None:
            is_there = not to or self.slots.is_there(to)
            return PlannedPart((Step(text=self._say("which_folder")),), state) if is_there else None
        # "Move the meeting to Friday" names no file: a new folder is made for files that are named as such.
        is_new = folder != "." and folder not in state.folders and not self.slots.says_folder(to)
        if is_new and to and not (HAS_ENDING.search(what) or self.slots.is_it(what)):
            return None
        # "Put that into my notes", and notes.txt is there: what was said goes into it, by `append`.
        is_named = bool(to) and not self.slots.is_there(to)
        into = self.slots.append_target(to, state) if is_new and is_named and self.slots.is_it(what) else None
        if into in state.files:
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

    def into(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """A file that is named with its ending, and a folder that is there: no verb is needed."""
        names = [unquoted(self.slots.without_the(each)) for each in LIST_BREAK.split(said["what"])]
        folder = self.slots.folder(said["to"], state)
        is_named = all(HAS_ENDING.fullmatch(each) and each in state.files for each in names)
        return self.move(said, state) if is_named and folder is not None else None

    def move_out(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """Out of the folder that a file is in, beside it: taken out is not deleted."""
        folder = self.slots.folder(said["to"], state)
        names = [joined(folder or "", unquoted(each)) for each in LIST_BREAK.split(said["what"])]
        if folder is None or not all(each in state.files for each in names):
            return None
        above = folder.rpartition("/")[0]
        targets = [joined(above, last_part(each)) for each in names]
        if any(each in state.files for each in targets):
            return None
        return self._moved(
            [
                ParsedCall("move_file", {"source": old, "destination": new if above else f"./{new}"})
                for old, new in zip(names, targets, strict=True)
            ],
            state,
        )

    def swap(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """Two passages of a file in the place of each other: each stands there once."""
        target = self.slots.file(said["to"], state) if "to" in said else state.past.file
        text = self.around.text(target) if target in state.files else ""
        named = [
            unquoted(self.slots.without_the(self.slots.without_a(said[each]))) for each in ("old", "new")
        ]
        old, new = (as_written(each, text) for each in named)
        lines = [line_with(each, text) for each in (old, new) if each]
        if (
            target is None
            or len(lines) != 2
            or not all(lines)
            or text.count(old) != 1
            or text.count(new) != 1
        ):
            return None
        # In one call: after the first of two the same words would stand there twice.
        at = sorted(text.index(each) for each in lines)
        end = max(text.index(each) + len(each) for each in lines)
        block, other = text[at[0] : end], {old: new, new: old}
        pattern = "|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in other)
        swapped = re.sub(pattern, lambda found: other[found[0]], block)
        call = ParsedCall("replace_text", {"path": target, "old": block, "new": swapped})
        return planned([call], touched(state, target)) if text.count(block) == 1 else None

    def how_many(self, _said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """The entries of the list that was just written to: "how many's that now?"."""
        name = state.past.file
        text = self.around.text(name) if name in state.files and state.past.calls else ""
        if not is_listed(text):
            return None
        count = sum(bool(line.strip()) for line in text.splitlines())
        kind = {"en": "lines", "de": "Zeilen", "fr": "lignes", "es": "líneas"}[self.language]
        told = Step(text=self._say("counted", a=name, b=str(count), c=kind), changes=False)
        return PlannedPart((told,), touched(state, name))

    def append_file(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """What stands in one file at the end of another."""
        source, target = self.slots.file(said["what"], state), self.slots.file(said["to"], state)
        text = self.around.whole(source).rstrip("\n") if source is not None else ""
        if not text or target is None or source == target:
            return None
        # "…, then bin it": the one that it was taken from.
        call = ParsedCall("append_text", {"path": target, "text": text})
        return planned([call], touched(state, source or ""))

    def respell(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """ "In the letter it's Dear Luisa": the one passage that is written much like it."""
        target = self.slots.file(said["to"], state)
        text = self.around.text(target) if target is not None else ""
        old, new = passage_like(unquoted(said["new"]), text), unquoted(said["new"])
        if target is None or not old or old == new:
            return None
        call = ParsedCall("replace_text", {"path": target, "old": old, "new": new})
        return planned([call], touched(state, target))

    def delete(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        what = self.slots.several_names(said["what"])
        names = self.slots.files(what, state)
        if names is None:
            folder = self.slots.folder(what, state) if self.slots.says_folder(what) else None
            if folder is None:
                there, missing = self._there(what, state), self._missing(what, state, "delete_file", "")
                gone = self.delete({"what": " , ".join(there)}, state) if there and missing else None
                return self._beside(gone, missing)
            names = (folder,)
        calls = [ParsedCall("delete_file", {"path": each}) for each in names]
        left = tuple(each for each in state.files if each not in names)
        return planned(calls, replace(state, files=left, past=replace(state.past, file="", files=())))

    def append(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        if "literal" in said:
            return self._append_literal(said["literal"], said["to"], state)
        what, to = self.slots.without_there(_BESIDES.sub("", said["what"])), said.get("to", "")
        # The name of a file is no text: "put devis.txt there too".
        if not is_quoted(what) and HAS_ENDING.fullmatch(what) and self.slots.file(what, state) is not None:
            return None
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
        if not text or (plain and (TELLS.search(what) or _PLACE_BEHIND.search(what))):
            return None
        # What makes a new file of free words is the model's; "it" is written by `save`.
        if target not in state.files and (plain or self.slots.is_it(what)):
            return None
        before = self.around.text(target)
        text = bare_thing(text) if plain and self.language == "fr" else text
        lines = as_list(text, before, is_quoted=is_quoted(what))
        call = ParsedCall("append_text", {"path": target, "text": lines})
        return planned([call], touched(state, target))

    def _append_literal(self, text: str, to: str, state: PlanState) -> PlannedPart | None:
        """What stands behind a colon, as it stands there: "put in notes.txt: Anna calls on Friday"."""
        target = self.slots.append_target(to, state)
        if target is None:
            return self._unknown_list(to, state)
        if target not in state.files:
            return None
        lines = as_list(unquoted(text), self.around.text(target), is_quoted=is_quoted(text))
        call = ParsedCall("append_text", {"path": target, "text": lines})
        return planned([call], touched(state, target))

    def prepend(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """Above the first line that is no heading; what stands further down goes there."""
        what, to = said["what"], said.get("to", "")
        name = self.slots.append_target(to, state)
        # "That as the last line, with Total" is no text.
        points = not is_quoted(what) and self.slots.is_it(what.split()[0]) and len(what.split()) > 1
        if name is None or name not in state.files or points:
            return None
        text = self.around.text(name)
        lines = [each for each in text.splitlines() if each.strip()]
        first = next((each for each in lines if not each.startswith("#")), "")
        wanted = self.slots.content(what, state)
        bare = self.slots.without_the(wanted) if not is_quoted(what) else wanted
        standing = line_of(wanted, text) or line_of(bare, text)
        if not wanted or not first or text.count(first) != 1 or standing == first:
            return None
        new = standing or as_list(wanted, first, is_quoted=True)
        calls = [ParsedCall("replace_text", {"path": name, "old": standing, "new": ""})] if standing else []
        calls.append(ParsedCall("replace_text", {"path": name, "old": first, "new": f"{new}\n{first}"}))
        return planned(calls, touched(state, name))

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
        # "… Tom by Thomas and in notes.txt Friday by Saturday": the second half was taken for the new words.
        if not is_quoted(said["new"]) and files_in(said["new"]):
            return None
        old = line_at(unquoted(said["old"]), text)
        old = (
            old
            or as_written(unquoted(said["old"]), text)
            or as_written(unquoted(self.slots.without_the(said["old"])), text)
        )
        # A file that is named tells what it lacks; of "the copy" nobody knows which is meant.
        if not old and self.slots.is_it(said["to"]):
            return None
        call = ParsedCall(
            "replace_text",
            {"path": target, "old": old or unquoted(said["old"]), "new": unquoted(said["new"])},
        )
        return planned([call], touched(state, target))

    def _replace_in_last(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """In the file that was named last, where what goes stands there once; else it may be anything."""
        target = state.past.file
        text = self.around.text(target) if target else ""
        # "… with doctor there": the place is that of the last request.
        placed = said["new"] if is_quoted(said["new"]) else self.slots.without_there(said["new"])
        wanted, new = unquoted(said["old"]), unquoted(placed)
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
        return planned([call], touched(state, target))

    def take_out(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        folder = self.slots.folder(said["to"], state)
        if folder is not None and HAS_ENDING.fullmatch(unquoted(said["what"])):
            return self.delete({"what": joined(folder, unquoted(said["what"]))}, state)
        target = self.slots.file(said["to"], state)
        # "The second one is done, take it off the list": what is meant stands elsewhere.
        if target is None or self.slots.is_it(said["what"]) or _SOMEBODY.fullmatch(said["what"].strip()):
            return None
        text = self.around.text(target)
        wanted = unquoted(_WHOSE_LINE.sub("", _THE_LINE.sub("", said["what"])))
        if (at := line_number(wanted, text)) is not None:
            call = ParsedCall("replace_text", {"path": target, "old": text.splitlines()[at], "new": ""})
            return planned([call], touched(state, target))
        bare = self.slots.without_the(wanted)
        if several := self._things_in(said["what"], text):
            return self._each(self.take_out, [{"what": each, "to": said["to"]} for each in several], state)
        if is_table(target):
            return self._take_out_row(bare, target, state)
        line, rest = line_of(wanted, text) or line_of(bare, text), ""
        if not line and (named := bare_thing_of(bare)) and not as_written(bare, text):
            line = line_with(named, text)
        if not line and (with_others := line_with(bare, text)):
            rest = without_thing(bare, with_others, text)
            line = with_others if rest else ""
        old = line or as_written(wanted, text) or as_written(bare, text) or wanted
        call = ParsedCall("replace_text", {"path": target, "old": old, "new": rest})
        return planned([call], touched(state, target))

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
        if several := self._things_in(said["what"], text):
            return self._each(self.take_out_line, [{"what": each} for each in several], state)
        place = line_at(unquoted(said["what"]), text)
        place = (
            place or self.slots.nth(said["what"], [each for each in text.splitlines() if each.strip()]) or ""
        )
        lines = [place] if place else [each for each in text.splitlines() if wanted in each.casefold()]
        if not target or len(lines) != 1:
            return None
        if is_table(target) and not place:
            return self._take_out_row(_WHOSE_LINE.sub("", wanted), target, state)
        rest = "" if place else without_thing(wanted, lines[0], text)
        call = ParsedCall("replace_text", {"path": target, "old": lines[0], "new": rest})
        return planned([call], touched(state, target))

    def _take_out_row(self, wanted: str, target: str, state: PlanState) -> PlannedPart | None:
        """Whole, or it would be none any more. Which of several is meant `table_changes.py` asks."""
        row = row_of(wanted, self.around.text(target))
        call = ParsedCall("replace_text", {"path": target, "old": row, "new": ""})
        return planned([call], touched(state, target)) if row else None

    def _things_in(self, what: str, text: str) -> tuple[str, ...]:
        """The things of a list that go, one by one: "the eggs and milk"; those that stand there first. () for
        one thing, and where none of them stands there."""
        things = [each for each in LIST_BREAK.split(what) if each.strip()]
        if is_quoted(what) or len(things) < 2 or as_written(unquoted(what), text):
            return ()
        stand = {each: bool(as_written(unquoted(self.slots.without_the(each)), text)) for each in things}
        is_list = any(stand.values())
        return tuple(sorted(things, key=lambda each: not stand[each])) if is_list else ()

    def _take_out_named(self, told: str, target: str, state: PlanState) -> PlannedPart | None:
        """The one line that is named in what is told of it: "the milk has gone off, take it out"."""
        lines = [each for each in self.around.text(target).splitlines() if each.strip()] if target else []
        named = [each for each in lines if as_written(thing_of(each), told)]
        if len(named) != 1:
            return None
        call = ParsedCall("replace_text", {"path": target, "old": named[0], "new": ""})
        return planned([call], touched(state, target))

    def make_list(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """A new list, one entry a line; what is there already gets them at its end."""
        name = unquoted(said["to"]).rstrip(",:")
        entries = entries_of(unquoted(said["what"]))
        if not entries or (HAS_ENDING.fullmatch(last_part(name)) is None and not name.isalpha()):
            return None
        return self.save({"literal": entries, "to": named_like("list.txt", name)}, state)

    def save(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        target = self.slots.new_file(said["to"], state)
        if target is None:
            return None
        if "empty" in said or not {"what", "literal"} & said.keys():
            if "empty" not in said and not state.past.text:
                return planned([ParsedCall("write_file", {"path": target, "content": ""})], state)
            text = "" if "empty" in said else (state.past.value or state.past.kept_text)
        else:
            text = said.get("literal", "") or self._kept(said["what"], state)
            # "With: mow, rake, paint"; what has signs of its own is a text.
            text = as_entries(text, "") if "literal" in said else text
            if not text:
                return None
        # What stands there is never lost to a request that names no loss.
        if target in state.files:
            return planned(
                [ParsedCall("append_text", {"path": target, "text": text})], touched(state, target)
            )
        call = ParsedCall(
            "write_file",
            {"path": target, "content": text if text.endswith("\n") or not text else text + "\n"},
        )
        return planned([call], touched(state, target))

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
            if not named:
                return None
            # The tool says that it is not there, and memory learns from that which name was meant.
            name = unquoted(self.slots.without_the(what))
        return planned([ParsedCall("read_file", {"path": name})], touched(state, name), changes=False)

    def list_folder(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        what = said.get("what", "")
        folder = "." if not what or self.slots.is_workspace(what) else self.slots.folder(what, state)
        if folder is None and self.slots.is_there(what):
            folder = state.past.folder or None
        if folder is None:
            return None
        after = replace(state, past=replace(state.past, folder="" if folder == "." else folder))
        return planned([ParsedCall("list_directory", {"path": folder})], after, changes=False)

    def find(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        where = said.get("where", "")
        folder = "." if not where or self.slots.is_workspace(where) else self.slots.folder(where, state)
        if folder is None:
            return None
        if "named" in said:
            call = ParsedCall("find_files", {"pattern": f"*{said['named']}*", "path": folder})
            return planned([call], state, changes=False)
        what = unquoted(self.slots.without_the(said["what"]))
        endings = endings_of(what, {ending_of(each) for each in state.files})
        pattern = ", ".join(f"*.{each}" for each in endings)
        if not endings:
            if HAS_ENDING.fullmatch(what) or what.startswith("*."):
                pattern = what
            elif (name := self.slots.file(what, state)) is not None and not self.slots.is_it(what):
                pattern = last_part(name)
        if not pattern:
            return None
        call = ParsedCall("find_files", {"pattern": pattern, "path": folder})
        return planned([call], state, changes=False)

    def search(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """Words in the files of the workspace; whole topics are the model's."""
        what = unquoted(self.slots.without_the(said["what"]))
        if not what or len(what.split()) > MOST_LOOSE_WORDS or self.slots.is_it(said["what"]):
            return None
        return planned([ParsedCall("search_text", {"pattern": what})], state, changes=False)

    def clipboard_write(self, _said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """The answer before, for other programs; None where there was none, or there is no tool for it."""
        text = state.past.kept_text
        if "clipboard_write" not in state.past.tools or not text or state.past.calls:
            return None
        return planned([ParsedCall("clipboard_write", {"text": text})], state)

    def clipboard_read(self, _said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        if "clipboard_read" not in state.past.tools:
            return PlannedPart((Step(text=self._say("no_clipboard"), changes=False),), state)
        return planned([ParsedCall("clipboard_read", {})], state, changes=False)

    def recall_notes(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """What was noted: for a day, on a subject, or lately. A file that is called so is meant before."""
        if any(_NOTES.match(last_part(each)) for each in (*state.files, *state.folders)):
            return None
        call = ParsedCall("recall_notes", {"query": said.get("what", "")})
        return planned([call], state, changes=False)

    def _unknown_list(self, to: str, state: PlanState) -> PlannedPart | None:
        """Asked to add to a list or a file that is not there, or that was never named."""
        if to and (self.slots.is_it(to) or self.slots.is_there(to)) and not state.past.file:
            return PlannedPart((Step(text=self._say("which_file")),), state)
        name = unquoted(self.slots.without_the(to))
        # "A file there" is no name: where it is to be is for the model, which knows other tools than ours.
        is_name = not self.slots.is_there(name) and ":" not in name and not HAS_ENDING.search(name)
        if to and is_name and stems(to) & LIST_WORDS and not self.slots.says_folder(to):
            named = self._name("append_text", name, "")
            said = self._say("no_such", a=name, b=named)
            return PlannedPart((Step(text=said, lacks_file=True),), state)
        return None

    def _kept(self, what: str, state: PlanState) -> str:
        """What is saved, where no model has to write it; "" where one has to."""
        if self.slots.is_it(what):
            return state.past.value or state.past.kept_text
        if is_quoted(what):
            return unquoted(what)
        if words("last_text", self.language).fullmatch(what.strip()):
            return state.past.kept_text
        return self.around.worked_out(what) or things_of(what, self.language)

    def _moved(self, calls: Sequence[ParsedCall], state: PlanState) -> PlannedPart:
        files = list(state.files)
        targets = []
        for call in calls:
            old, new = str(call.arguments["source"]), str(call.arguments["destination"])
            files = [new if each == old else each for each in files]
            targets.append(new)
        past = replace(state.past, file=targets[-1], files=tuple(targets) if len(targets) > 1 else ())
        return planned(calls, replace(state, files=tuple(files), past=past))

    def _there(self, what: str, state: PlanState) -> list[str]:
        """Of several files that are named, those that are there."""
        names = [each for each in LIST_BREAK.split(what) if each.strip()]
        found = [self.slots.file(each, state) for each in names] if len(names) > 1 else []
        return [each for each in found if each]

    def _beside(self, done: PlannedPart | None, missing: PlannedPart | None) -> PlannedPart | None:
        """What was done with those that are there, and that the others are not."""
        if done is None or missing is None:
            return missing
        return PlannedPart((*done.steps, *missing.steps), done.state)

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
        return say(key, self.language, **values)
