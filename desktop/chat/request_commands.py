"""A request in plain words as the model puts it into commands, where no table understands it.

What people say of what was done before has no end of wordings: "Sam quit", "the feb one belongs there too".
A small model that is asked for a tool loses the thread there, but it is good at saying the same in other
words. So it is shown what the conversation is about, in few lines, and writes what is meant as commands of a
small language, under a grammar in which nothing can be made up: files, folders and reminders are those that
are there, and texts, names and times are words of the request, of the file, or of what was done before.

Pure functions: `asked_for` is what the model reads, `grammar_of` what it may write, `commands_in` what it
wrote. `desktop/chat/command_plan.py` turns commands into steps. Any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from desktop.chat.content_search import mentions
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.formats.family import literal
from desktop.chat.intent_plan import PlanState, Surroundings
from desktop.chat.intent_words import COUNTS, last_part, shape_of, stems, thing_of
from desktop.chat.orders import asks_inside, asks_plainly
from desktop.chat.prompts import NOTHING_ASKED
from desktop.chat.repeated_calls import destination_like
from desktop.chat.tool_choice import files_in
from desktop.chat.undo_requests import says_several, things_done
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling
from desktop.tools.table_cells import TASK, is_open, row_names, shared_values
from desktop.tools.tables import Table, table_in

CONVERSATION = "commands"  # of all chats: what stands before the request is always the same
ANSWER = "answer"  # what is no act at all: the model says it in words
MOST_FILES = 10  # shown; a small model loses itself in more
MOST_FOLDERS = 6
MOST_LINES = 24  # of the file that is spoken of
MOST_LINE_WORDS = 16
MOST_PASSAGE_WORDS = 80  # of a file, parts of whose lines may be exchanged
MOST_COMMANDS = 5
MOST_WORDS = 40  # of a request: a longer one is a text with a request in it

_SYSTEM = """You turn the last request of a chat into commands, one a line. Use files, reminders and words \
that are shown. What is to be done with "it", "the other one" or "there" follows from what was done before. \
A request that is a question about the world, small talk, or a text to write or to change is: answer

add "words" to FILE
add "words" on top of FILE
add FILE to FILE
remove "words" from FILE
replace "old" with "new" in FILE
tick "task" in FILE
untick "task" in FILE
set COLUMN of "row" to "value" in FILE
lower COLUMN of "row" by NUMBER in FILE
raise COLUMN of "row" by NUMBER in FILE
write "words" to NEW-FILE
move FILE to FOLDER
copy FILE to FOLDER-OR-NAME
rename FILE to NAME
delete FILE
undo FILE
undo "thing"
undo
folder NAME
show FILE
list FOLDER
remind "what" at "when"
cancel NUMBER
change NUMBER to "when"
later NUMBER by 10 minutes
earlier NUMBER by 1 hours
calculate 12 * 3
again with "new" for "old"
answer"""

# Of each kind that small models get wrong without having seen it, in the languages that people write.
_EXAMPLES: tuple[tuple[str, str], ...] = (
    (
        "Files: guests.txt\nguests.txt: Ben | Mia | Tom\nDone: show guests.txt\n"
        "Request: Mia can't make it, and Ella comes in her place",
        'remove "Mia" from guests.txt\nadd "Ella" to guests.txt',
    ),
    (
        'Files: guests.txt\nguests.txt: Ben | Tom | Ella\nDone: remove "Mia" from guests.txt\n'
        "Request: auch noch Jan",
        'add "Jan" to guests.txt',
    ),
    (
        "Files: bild1.jpg, bild2.jpg, bild3.jpg\nFolders: Urlaub\nDone: move bild1.jpg to Urlaub\n"
        "Request: die anderen beiden gehören da auch hin",
        "move bild2.jpg to Urlaub\nmove bild3.jpg to Urlaub",
    ),
    (
        'Reminders: 4 "call Eva" (Friday 09:00)\nDone: remind "call Eva" at "Friday at 9"\n'
        "Request: she is away then, Saturday is better",
        'change 4 to "Saturday"',
    ),
    (
        'Reminders: 6 "Zug" (Monday 08:00)\nDone: remind "Zug" at "Montag um 8"\n'
        "Request: eine halbe Stunde früher",
        "earlier 6 by 0.5 hours",
    ),
    (
        'Reminders: 7 "sortir le gâteau" (Tuesday 16:00), 8 "appeler Zoé" (Tuesday 17:00)\n'
        'Done: remind "sortir le gâteau" at "16h"; remind "appeler Zoé" at "17h"\n'
        "Request: le gâteau, je n'en ai plus besoin",
        "cancel 7",
    ),
    (
        "Files: alt.txt\nDone: delete entwurf.txt\n"
        "Request: oh nein, den brauche ich noch, ich meinte alt.txt",
        "undo entwurf.txt\ndelete alt.txt",
    ),
    (
        'Files: rezept.txt\nrezept.txt: Mehl\nDone: remove "Eier" from rezept.txt; '
        'remove "Hefe" from rezept.txt\nRequest: hold on, the Eier were right',
        'undo "Eier"',
    ),
    (
        "Files: Fotos/a.jpg, Fotos/b.jpg\nDone: move a.jpg to Fotos; move b.jpg to Fotos\n"
        "Request: b.jpg doesn't belong there",
        "undo b.jpg",
    ),
    (
        'Files: plan.txt\nplan.txt: eins | zwei | drei\nDone: add "drei" to plan.txt\n'
        "Request: it comes before the others",
        'add "drei" on top of plan.txt',
    ),
    (
        "Files: precios.txt\nprecios.txt: Pan: 2 EUR | Leche: 1 EUR\nDone: show precios.txt\n"
        "Request: el pan vale ahora 3",
        'replace "2" with "3" in precios.txt',
    ),
    (
        "Files: todo.md\ntodo.md: - [ ] call the bank | - [ ] mow the lawn | - [x] pay Eva\n"
        "Request: der Rasen ist gemäht",
        'tick "mow the lawn" in todo.md',
    ),
    (
        "Files: plan.csv\nplan.csv: day,what,room | Mon,Yoga,4 | Tue,Choir,2\nRequest: yoga is on friday now",
        'set day of "Yoga" to "friday" in plan.csv',
    ),
    (
        "Files: club.csv\nclub.csv: name,paid | Ivo,no | Lena,yes\nRequest: Ivo vient de payer",
        'set paid of "Ivo" to "yes" in club.csv',
    ),
    (
        "Files: cellar.csv\ncellar.csv: what,bottles | cider,12 | juice,4\nRequest: we drank 3 of the cider",
        'lower bottles of "cider" by 3 in cellar.csv',
    ),
    (
        "Files: films.txt\nfilms.txt: Alien | Brazil\nRequest: Alien scared me when i was a kid",
        "answer",
    ),
    ('Result: 40\nDone: "what is 8 times 5"\nRequest: and split between 4 of us?', "calculate 40 / 4"),
    ('Result: 40\nDone: "what is 8 times 5"\nRequest: oops, 6 times', 'again with "6" for "8"'),
    (
        'Result: 30\nDone: "combien font 5 fois 6"\nRequest: garde-le dans total.txt',
        "write result to total.txt",
    ),
    ("Files: todo.txt\nDone: show todo.txt\nRequest: why is the sky blue?", "answer"),
)


@dataclass(frozen=True)
class Command:
    """One line of what the model wrote: `name` is its verb, `values` what stands in its places, in order."""

    name: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sight:
    """What a request may be about, as it is shown to the model and as its grammar allows it."""

    request: str
    files: tuple[str, ...]
    folders: tuple[str, ...]
    lines: Mapping[str, tuple[str, ...]]  # of the files that are spoken of, by their names
    reminders: tuple[tuple[int, str, str], ...]  # number, text, time
    copied: Mapping[str, str]  # what a new file is a copy of
    tables: Mapping[str, Table]  # of those of `lines` that are tables with named columns
    state: PlanState


def sight_of(request: str, state: PlanState, around: Surroundings) -> Sight:
    """What is near: the file that speaks of it, what was touched last, named in the request, or named like
    what was touched. Whatever else is in the folder is not shown: a small model would take it."""
    past = state.past
    copied = _copied(state, around)
    told = {each.name: each.lines for each in mentions(request, around) if each.lines}
    first = tuple(told)[:1]
    spoken = tuple(dict.fromkeys((*first, *_spoken_of(request, state), *copied.values())))[:MOST_FILES]
    lines = {}
    for name in spoken[:2]:
        found = [each.strip() for each in around.text(name).splitlines() if each.strip()]
        if found and len(found) <= MOST_LINES:
            lines[name] = tuple(found)
        elif name in told:
            lines[name] = told[name][:MOST_LINES]
    tables = {name: table for name in lines if (table := table_in(around.whole(name))) and table.header}
    folders = dict.fromkeys((past.folder, *_like(request, state.folders)))
    return Sight(
        request=" ".join(request.split()),
        files=spoken,
        folders=tuple(each for each in folders if each)[:MOST_FOLDERS],
        lines=lines,
        reminders=tuple(_reminders(around)),
        copied=copied,
        tables=tables,
        state=state,
    )


def _copied(state: PlanState, around: Surroundings) -> dict[str, str]:
    """What the last request made copies of: a copy is written like any other file, and only where it came
    from tells "the original" from "the copy"."""
    named = [each for each in state.files if last_part(each) in map(last_part, files_in(state.past.asked))]
    found: dict[str, str] = {}
    for call in state.past.calls:
        if call.name == "write_file":
            path, text = str(call.arguments.get("path", "")), str(call.arguments.get("content", ""))
            same = [each for each in named if each != path and text and around.whole(each) == text]
            found |= {path: same[0]} if len(same) == 1 else {}
    return found


def _reminders(around: Surroundings) -> Iterator[tuple[int, str, str]]:
    for number, text in around.reminders()[-MOST_FILES:]:
        due = around.due(number)
        yield number, text, f"{due:%A %H:%M}" if due is not None else "again and again"


def _spoken_of(request: str, state: PlanState) -> tuple[str, ...]:
    past = state.past
    shapes = {shape_of(each) for each in _touched(past.calls or past.lately)}
    alike = [each for each in state.files if shape_of(each) in shapes]
    near = (*_like(request, state.files), past.file, *past.files, *alike)
    return tuple(dict.fromkeys(each for each in near if each in state.files))


def _like(request: str, names: Sequence[str]) -> list[str]:
    """Those of which the request says a word."""
    said = stems(request)
    return [each for each in names if stems(last_part(each).rsplit(".", 1)[0].replace("_", " ")) & said]


def _touched(calls: Sequence[ParsedCall]) -> list[str]:
    return [str(call.arguments.get("source", call.arguments.get("path", ""))) for call in calls]


# -- what the model reads ---------------------------------------------------------------------


def asked_for(sight: Sight) -> tuple[Message, ...]:
    """The prompt: always the same until the last message, so that the KV cache has it."""
    return (*_told_first(), Message("user", told_state(sight)))


def beginning() -> GenerateRequest:
    """What is the same in all these prompts, to be read while nobody waits."""
    messages = (*_told_first(), Message("user", NOTHING_ASKED))
    sampling = Sampling(temperature=0, max_tokens=1)
    return GenerateRequest(CONVERSATION, messages, sampling, Priority.BACKGROUND)


def _told_first() -> Iterator[Message]:
    yield Message("system", _SYSTEM)
    for told, commands in _EXAMPLES:
        yield Message("user", told)
        yield Message("assistant", commands)


def told_state(sight: Sight) -> str:
    past = sight.state.past
    lines = []
    if sight.files:
        lines.append(f"Files: {', '.join(sight.files)}")
    if sight.folders:
        lines.append(f"Folders: {', '.join(sight.folders)}")
    lines += [f"{name}: {' | '.join(of)}" for name, of in sight.lines.items()]
    if sight.reminders:
        told = ", ".join(f'{number} "{text}" ({when})' for number, text, when in sight.reminders)
        lines.append(f"Reminders: {told}")
    if past.value:
        lines.append(f"Result: {past.value}")
    done = "; ".join(_told(call, sight.copied) for call in past.calls) or f'"{past.asked}"'
    # "Both of those" may be what two requests did; else more of the past only misleads a small model.
    acts = (*reversed(past.acts_before), *reversed(past.undo_acts)) if says_several(sight.request) else ()
    before = [command_of(call) for call in (*past.lately, *acts) if call not in past.calls]
    lines += [f"Done before: {'; '.join(before)}"] if before else []
    lines += [f"Done: {done}"] if past.asked else []
    return "\n".join((*lines, f"Request: {sight.request}"))


def _told(call: ParsedCall, copied: Mapping[str, str]) -> str:
    source = copied.get(str(call.arguments.get("path", ""))) if call.name == "write_file" else None
    return f"copy {source} to {call.arguments['path']}" if source else command_of(call)


def command_of(call: ParsedCall) -> str:
    """What was done, as the command that would do it."""
    given = {key: str(value) for key, value in call.arguments.items()}
    path, text = given.get("path", given.get("source", "")), given.get("text", given.get("content", ""))
    short = " / ".join(text.strip().splitlines())[:60]
    if call.name == "move_file":
        target = given.get("destination", "")
        folder, _, name = target.rpartition("/")
        return (
            f"move {path} to {folder}" if name == last_part(path) and folder else f"rename {path} to {target}"
        )
    if call.name == "replace_text":
        old, new = given.get("old", "").strip(), given.get("new", "")
        before, after = TASK.fullmatch(old), TASK.fullmatch(new)
        if before and after and before["what"] == after["what"]:
            return f'{"untick" if is_open(after) else "tick"} "{after["what"]}" in {path}'
        return f'replace "{old}" with "{new}" in {path}' if new else f'remove "{old}" from {path}'
    told = {
        "read_file": f"show {path}",
        "list_directory": f"list {path}",
        "make_directory": f"folder {path}",
        "delete_file": f"delete {path}",
        "append_text": f'add "{short}" to {path}',
        "write_file": f'write "{short}" to {path}',
        "set_reminder": f'remind "{text}" at "{given.get("when", "")}"',
        "cancel_reminder": f"cancel {given.get('reminder', '')}",
        "undo_change": "undo",
    }
    return told.get(call.name, call.name)


# -- what the model may write -----------------------------------------------------------------


_WORD = re.compile(r"\S+?['’](?=\w)|\S+")
_EDGES = " .,;:!?¿¡()\"'“”„«»‘’…"
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# Said in letters, the numbers that a result is worked on with: half of it is divided by 2.
_SAID_NUMBERS = {**COUNTS, "half": 2, "hälfte": 2, "moitié": 2, "mitad": 2, "double": 2, "dozen": 12}


def grammar_of(sight: Sight, without: Sequence[str] = ()) -> str:
    """Commands in which every value is one that is there, or was said; none of those called `without`."""
    rules = {"text": spans("t", sight.request), **span_rules("t", sight.request)}
    beside = {"new": _names(sight)}
    if sight.files:
        beside["file"] = _choice(sight.files)
    if sight.folders:
        beside["folder"] = _choice(sight.folders)
    beside |= _made_and_done(sight)
    old = ["text"]
    for at, (_, lines) in enumerate(sight.lines.items()):
        things = [thing_of(each) for each in lines if len(each.split()) <= MOST_LINE_WORDS]
        beside[f"line-{at}"] = _choice([each for each in dict.fromkeys((*lines, *things)) if each])
        old.append(f"line-{at}")
        whole = " ".join(lines)
        # Each word may begin a passage, and the sampler follows all of them at once.
        if len(whole.split()) <= MOST_PASSAGE_WORDS:
            beside |= span_rules(f"f{at}", whole)
            beside[f"words-{at}"] = spans(f"f{at}", whole)
            old.append(f"words-{at}")
    beside["old"] = " | ".join(old)
    if sight.reminders:
        beside["reminder"] = _choice([str(number) for number, _, _ in sight.reminders])
        beside["amount"] = _amounts(sight.request)
    what = [literal(each) for each in dict.fromkeys(text for _, text, _ in sight.reminders) if each]
    beside["what"] = " | ".join(("text", *what))
    if sight.state.past.value and (numbers := _numbers(sight.request)):
        beside["number"] = numbers
    if sight.state.past.asked:
        beside |= span_rules("b", sight.state.past.asked)
        beside["before"] = spans("b", sight.state.past.asked)
    lines_ = [*_lines(frozenset(beside), sight), *_of_tasks(sight, beside), *_of_cells(sight, beside)]
    asks = sight.request.endswith("?") or asks_plainly(sight.request)
    if (asks and _ONLY_ASKS.match(sight.request)) or asks_inside(sight.request):
        lines_ = [each for each in lines_ if each.startswith(_LOOKS)]
    lines_ = [each for each in lines_ if not each.startswith(tuple(f'"{name} ' for name in without))]
    if not lines_:  # a question, where there is nothing to look at
        return f"root ::= {literal(ANSWER)}"
    rules |= beside
    root = f'root ::= {literal(ANSWER)} | line ( "\\n" line ){{0,{MOST_COMMANDS - 1}}}'
    body = [f"{name} ::= {body}" for name, body in {"line": " | ".join(lines_), **rules}.items()]
    return "\n".join((root, *body))


def _made_and_done(sight: Sight) -> dict[str, str]:
    """The files that this request makes, which its next part may write to; what the last acts were about."""
    new_files = [each for each in files_in(sight.request) if each not in sight.state.files]
    things = [each for each in dict.fromkeys(things_done(sight.state.past)) if each]
    found = {"made": _choice(new_files), "done": _choice(things)}
    return {name: choice for name, choice in found.items() if choice}


# A question in the form of one wants to know something: by it nothing is changed.
_ONLY_ASKS = re.compile(
    r"\W*(?:(?:good|great|fine|ok|okay|right|thanks|thank you|perfect|gut|danke|super|bien|merci|"
    r"parfait|vale|bueno|gracias|perfecto|hm+)[.,!]*\s+)*"
    r"(?:(?:and|so|und|et|y|then|also|dann|alors|entonces)\s+)?(?:what(?!\s+(?:about|if))|who|which|when|where|why|"
    r"how(?!\s+about)|is|are|was|were|did|does|has|wer|welche\w*|wann|wo|warum|wie(?!\s+w[äa]r)|ist|sind|"
    r"qu['’]|que\b|quel\w*|qui|quand|où|combien|pourquoi|est-ce|¿?qué(?!\s+tal)|¿?cuál\w*|¿?quién\w*|"
    r"¿?cuándo|¿?dónde|¿?cuánt\w*|¿?hay)\b",
    re.IGNORECASE,
)
_LOOKS = ('"show ', '"list ', '"calculate ', '"again ')


def _lines(known: frozenset[str], sight: Sight) -> list[str]:
    quoted = '"\\""'
    lines = ['"folder " new', f'"write " {quoted} text {quoted} " to " new']
    if sight.state.past.value or sight.state.past.text:
        lines.append('"write result to " new')
    lines.append(f'"remind " {quoted} what {quoted} " at " {quoted} text {quoted}')
    made = " | made" if "made" in known else ""
    done = " | done" if "done" in known else ""
    if "file" in known:
        lines += [
            f'"add " {quoted} text {quoted} " to " ( file{made} )',
            f'"add " {quoted} ( text{done} ) {quoted} " on top of " file',
            '"add " file " to " file',
            f'"remove " {quoted} old {quoted} " from " file',
            f'"replace " {quoted} old {quoted} " with " {quoted} text {quoted} " in " file',
            '"rename " file " to " new',
            '"copy " file " to " new',
            '"move " file " to " new',
            '"delete " file',
            '"show " file',
        ]
    if "folder" in known:
        lines.append('"list " folder')
    if "folder" in known and "file" in known:
        lines += ['"copy " file " to " folder', '"move " file " to " folder']
    if sight.state.past.undo:
        named = [each for each in dict.fromkeys(sight.state.past.undo_of) if each]
        things = [each for each in dict.fromkeys(things_done(sight.state.past)) if each and each not in named]
        lines += ['"undo"', *([f'"undo " ( {_choice(named)} )'] if named else [])]
        lines += [f'"undo " {quoted} ( {_choice(things)} ) {quoted}'] if things else []
    if "reminder" in known:
        unit = '( "minutes" | "hours" | "days" | "weeks" )'
        lines += ['"cancel " reminder', f'"change " reminder " to " {quoted} text {quoted}']
        lines += [
            f'"later " reminder " by " amount " " {unit}',
            f'"earlier " reminder " by " amount " " {unit}',
        ]
    if "number" in known:
        # A sum that goes on from the last result with what is said now; any other is read by rule.
        steps = max(1, len(_NUMBER.findall(sight.request)))
        value = literal(f"calculate {sight.state.past.value}")
        lines.append(f'{value} ( " " [-+*/] " " number "%"? ){{1,{steps}}}')
    if "before" in known:
        lines.append(f'"again with " {quoted} text {quoted} " for " {quoted} before {quoted}')
    return lines


def _of_tasks(sight: Sight, rules: dict[str, str]) -> list[str]:
    """Those of the files in sight are ticked off, or opened again; what they need is added to `rules`."""
    lines = []
    for at, (name, of) in enumerate(sight.lines.items()):
        tasks = [found for each in of if (found := TASK.fullmatch(each))]
        for verb, is_done in (("tick", False), ("untick", True)):
            named = [each["what"] for each in tasks if is_open(each) is not is_done]
            if named:
                rules[f"{verb}-{at}"] = _choice(list(dict.fromkeys(named)))
                in_quotes = literal(f'{verb} "'), f"{verb}-{at}", literal(f'" in {name}')
                lines.append(" ".join(in_quotes))
    return lines


def _of_cells(sight: Sight, rules: dict[str, str]) -> list[str]:
    """Cells of the tables in sight get another value, of the request or one that other rows have."""
    lines = []
    for at, (name, table) in enumerate(sight.tables.items()):
        rows = row_names(table)
        if not rows:
            continue
        rules[f"row-{at}"] = _choice(rows)
        row, to, by = f"row-{at}", literal('" to "'), literal('" by ')
        for column, called in enumerate(table.header):
            values = shared_values(table, column)
            value = f"( text | {_choice(values)} )" if values else "text"
            head, end = literal(f'set {called} of "'), literal(f'" in {name}')
            lines.append(f"{head} {row} {to} {value} {end}")
        numbers = _numbers(sight.request)
        for column in table.numeric if numbers else ():
            rules["by"] = numbers
            head, end = literal(f'{table.header[column]} of "'), literal(f" in {name}")
            lines.append(f'( "lower " | "raise " ) {head} {row} {by} by {end}')
    return lines


def _choice(values: Sequence[str]) -> str:
    return " | ".join(literal(each) for each in values)


def span_rules(name: str, text: str) -> dict[str, str]:
    """Each word of `text`, alone or with those behind it: a run of words costs one rule a word."""
    pieces = [*_WORD.finditer(text)]
    rules = {}
    for at, piece in enumerate(pieces):
        alone = piece[0].strip(_EDGES) or piece[0]
        options = [literal(alone)] if alone != piece[0] or at + 1 == len(pieces) else [literal(piece[0])]
        if at + 1 < len(pieces):
            between = text[piece.end() : pieces[at + 1].start()]
            options.append(f"{literal(piece[0].lstrip(_EDGES) + between)} {name}{at + 1}")
        rules[f"{name}{at}"] = " | ".join(options)
    return rules


def spans(name: str, text: str) -> str:
    """Any run of words of `text`, by the rules of `span_rules`."""
    return " | ".join(f"{name}{at}" for at, _ in enumerate(_WORD.finditer(text)))


def _names(sight: Sight) -> str:
    """New names: those that were said, and those that follow from what was done: chapter2.md."""
    said = {each.strip(_EDGES) for each in sight.request.split()}
    derived = set()
    for call in sight.state.past.calls:
        if call.name == "move_file":
            old, new = str(call.arguments["source"]), str(call.arguments["destination"])
            derived |= {destination_like(old, new, each) for each in sight.files}
    names = sorted(each for each in derived - set(sight.files) - said if each)
    return " | ".join(["text", *(literal(each) for each in names)])


def _numbers(request: str) -> str:
    """The numbers of the request, in figures or in letters."""
    said = [each[0] for each in _NUMBER.finditer(request)]
    in_letters = (_SAID_NUMBERS.get(each) for each in re.findall(r"[^\W\d_]+", request.casefold()))
    return _choice(list(dict.fromkeys((*said, *(str(each) for each in in_letters if each)))))


_CLOCKS = re.compile(
    r"\b(?:at|um|gegen|à|vers|a las?)\s+\d{1,2}(?:[:.h]\d{2})?\s*(?:am|pm|uhr|h)?\b|"
    r"\b\d{1,2}(?:[:.h]\d{2})?\s*(?:am|pm|uhr)\b",
    re.IGNORECASE,
)


def _amounts(request: str) -> str:
    # "Um 19 Uhr" is a time of day, and no 19 hours later.
    said = [each[0] for each in _NUMBER.finditer(_CLOCKS.sub(" ", request))]
    return _choice([*said, *(each for each in ("1", "2", "3", "0.5") if each not in said)])


# -- what the model wrote ---------------------------------------------------------------------


_FORMS = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("add_first", r'add "(.+)" on top of (.+)'),
        ("add", r'add "(.+)" to (.+)'),
        ("add_file", r"add ([^\"]+) to (.+)"),
        ("remove", r'remove "(.+)" from (.+)'),
        ("replace", r'replace "(.+)" with "(.+)" in (.+)'),
        ("tick", r'tick "(.+)" in (.+)'),
        ("untick", r'untick "(.+)" in (.+)'),
        ("set", r'set (.+?) of "(.+?)" to "(.+)" in (.+)'),
        ("lower", r'lower (.+?) of "(.+?)" by (.+?) in (.+)'),
        ("raise", r'raise (.+?) of "(.+?)" by (.+?) in (.+)'),
        ("write_result", r"write result to (.+)"),
        ("write", r'write "(.+)" to (.+)'),
        ("move", r"move (.+?) to (.+)"),
        ("copy", r"copy (.+?) to (.+)"),
        ("rename", r"rename (.+?) to (.+)"),
        ("delete", r"delete (.+)"),
        ("undo_one", r'undo "(.+)"'),
        ("undo_one", r"undo (.+)"),
        ("undo", r"undo"),
        ("folder", r"folder (.+)"),
        ("show", r"show (.+)"),
        ("list", r"list (.+)"),
        ("remind", r'remind "(.+)" at "(.+)"'),
        ("cancel", r"cancel (\d+)"),
        ("change", r'change (\d+) to "(.+)"'),
        ("later", r"later (\d+) by ([\d.,]+) (\w+)"),
        ("earlier", r"earlier (\d+) by ([\d.,]+) (\w+)"),
        ("calculate", r"calculate (.+)"),
        ("again", r'again with "(.+)" for "(.+)"'),
    )
)


def commands_in(written: str) -> tuple[Command, ...]:
    """The commands of what the model wrote; () for an answer in words, and where it was cut."""
    commands = []
    for line in written.strip().splitlines():
        found = next(((name, m) for name, form in _FORMS if (m := form.fullmatch(line.strip()))), None)
        if found is None:
            return ()
        commands.append(Command(found[0], found[1].groups()))
    return tuple(dict.fromkeys(commands))
