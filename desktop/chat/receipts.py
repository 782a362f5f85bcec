"""What was done, told by the program from the results of its own calls, in the language of the request.

A model that is asked to say what was done says what it was asked to do. So nothing here comes from a model:
each sentence is made of one call that has ended, and of what it gave. What failed, was refused or never begun
is named as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan
from desktop.chat.intent_words import language_of, last_part, name_of, say, sentences
from desktop.chat.messages import Message
from desktop.chat.prompts import RESULTS_BYTES
from desktop.reasons import ENGLISH, LANGUAGES
from desktop.tools.calendar_files import told_events
from desktop.tools.calls import CallResult, CallStatus
from desktop.tools.notes import NO_NOTES
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.reminders import AGAIN, NO_REMINDERS
from desktop.tools.run_command import NO_OUTPUT
from desktop.tools.text import head_tail
from desktop.tools.time_translations import in_language, repeats_in_language
from desktop.tools.times import local_now
from desktop.tools.tool import Toolbox

SHOWN_BYTES = 160  # of a text that was added or exchanged
SHOWN_RESULT_BYTES = 600  # of what a server answered; its card has the rest
_MOVED = re.compile(r"Moved (?P<a>.+) to (?P<b>.+)\.\Z", re.DOTALL)
_WROTE = re.compile(r"Wrote (?P<size>.+) to (?P<path>.+)\.\Z", re.DOTALL)
_CANCELLED = re.compile(r"Cancelled reminder \d+(?: \((?P<when>[^)]*\)?)\))?: (?P<text>.+)", re.DOTALL)
_REMINDER = re.compile(
    r"Reminder \d+ is set(?: for|,) (?P<when>.+? \([^()]*\)): (?P<text>.+?)\.(?: Note: (?P<note>[^.]*)\.)?"
    r"(?P<later> It is shown while Steward runs.*)?",
    re.DOTALL,
)
_SCHEDULED = re.compile(
    r"I will ask this (?P<often>[^“]+): “.*” The first time is (?P<next>[^.]+)\. .* This is schedule "
    r"(?P<number>\d+);.*",
    re.DOTALL,
)
_NOTES_FOR = re.compile(r"Notes for (?P<day>.+):|No note names (?P<other>.+)\. The latest:")
_NOTE_LINE = re.compile(r"^(?P<day>\d{4}-\d\d-\d\d) \d\d:\d\d  (?P<text>.+)$")
# One that comes again has its days in the place of a time and of how far that is.
_REMINDER_LINE = re.compile(
    r"(?P<number>\d+)\. (?P<when>(?:every|on) [^\n]+? at \d\d:\d\d|.+? \([^()]*\)): (?P<text>.+)"
)
_UNDONE = ("restored", "removed", "moved_back", "as_before", "left", "saved_beside", "nothing_left")
_LARGEST = "Largest file: "
_NONE_FOUND = re.compile(r"No file in .+ is named like ", re.DOTALL)
CHANGING = frozenset(
    (
        "make_directory",
        "move_file",
        "delete_file",
        "write_file",
        "append_text",
        "replace_text",
        "undo_change",
        "set_reminder",
        "cancel_reminder",
        "clipboard_write",
        "save_note",
    )
)


def told_plan(plan: IntentPlan, ended: Sequence[CallResult]) -> str:
    """All parts of a request, in their order: those that were done, and those that were not."""
    results = list(ended)
    lines = []
    was_done = True
    partly: list[str] = []
    for step in plan.steps:
        if step.call is None:
            lines += [step.text] if was_done or not step.if_done else []
        elif results:
            result = results.pop(0)
            was_done = result.ok
            # What was read for a text stands in that text; its card shows it whole.
            is_material = plan.written is not None and not step.changes and result.ok
            if step.quoted and result.ok:
                lines.append(step.quoted)
            elif not is_material:
                lines.append(receipt(result, plan.language))
            elif len(result.text.encode()) > RESULTS_BYTES // len(plan.calls):
                partly.append(str(result.arguments.get("path", result.call.arguments["path"])))
        else:
            # A refusal, Stop or the limit of steps came before it.
            was_done = False
            lines.append(say("not_begun", plan.language, a=name_of(step.call, plan.language)))
    # The model has seen the beginning and the end of it: a summary that hides this is a claim too.
    if partly and was_done:
        lines.append(say("read_in_part", plan.language, a=", ".join(partly)))
    return "\n\n".join(lines)


_ASKED = re.compile(
    r"\b(?:tell me|what|which|how (?:many|much)|who|when|sag mir|was|welche\w*|wie ?viel\w*|wer|wann|"
    r"dis-moi|quel\w*|"
    r"combien|qui|quand|dime|qué|cuál\w*|cuánt\w*|quién|cuándo)\b",
    re.IGNORECASE,
)
_LOOKED_INTO = frozenset(("read_file", "search_text", "web_search", "fetch_page", "run_command"))


def told_results(results: Sequence[CallResult], asked: str) -> str:
    """What the model's own calls of one turn did; "" where it has to tell their results in its own words."""
    known = {each.call.name for each in results}
    if printed := _printed(results, asked):
        return printed
    acted = [each for each in results if each.call.name in CHANGING]
    others = known - CHANGING - _LOOKED_INTO
    if not acted or "run_command" in known or any("__" in name for name in others):
        return ""
    # What was read and asked about is the model's to tell, with its receipts in the cards.
    if known & _LOOKED_INTO and _ASKED.search(asked):
        return ""
    language = language_of(asked)
    shown = [each for each in results if each.call.name not in _LOOKED_INTO or not each.ok]
    return "\n\n".join(receipt(each, language) for each in shown)


# Asked to run something, and not what to make of what it prints.
_RUNS = re.compile(
    r"^\W*(?:(?:please|bitte|can you|could you|kannst du)\W+)?(?:run|execute|führ\w*|starte?|lance[rz]?|"
    r"exécute[rz]?|ejecut\w*)\b(?!.*\b(?:why|explain|mean\w*|fix|warum|erklär\w*|bedeut\w*|pourquoi|expliqu\w*|"
    r"signifi\w*|por qué|explic\w*|signific\w*)\b)",
    re.IGNORECASE | re.DOTALL,
)
SHORT_OUTPUT = 600  # characters; more is for the model to sum up


def _printed(results: Sequence[CallResult], asked: str) -> str:
    """What the one command printed, word for word: a small model tells what such a command usually prints."""
    if len(results) != 1 or results[0].call.name != "run_command" or not results[0].ok:
        return ""
    text = results[0].text.strip()
    if not text or len(text) > SHORT_OUTPUT or "```" in text or not _RUNS.search(asked):
        return ""
    command = str(results[0].call.arguments.get("command", ""))
    if text == NO_OUTPUT:
        return say("printed_nothing", language_of(asked), a=command)
    return f"`{command}`\n\n```\n{text}\n```"


def told_changes(results: Sequence[CallResult], asked: str) -> str:
    """What the calls of one turn changed, or did not; what they read is left to the model."""
    language = language_of(asked)
    return "\n\n".join(receipt(each, language) for each in results if each.call.name in CHANGING)


def told_by_servers(results: Sequence[CallResult], toolbox: Toolbox, asked: str) -> str:
    """What tools of servers that do something have answered; "" where one of the calls was another, or
    failed.

    What they have done nobody here can know. A model that is given "Successfully wrote" tells what it was
    asked to do, so the server's own words stand in its place."""
    tools = [toolbox.get(each.call.name) for each in results]
    if not results or not all(each.reached_its_goal for each in results):
        return ""
    if any(tool is None or not tool.hint.tells for tool in tools):
        return ""
    language = language_of(asked)
    return "\n\n".join(
        _served(str(tool.gate_name), each.text, language)
        for tool, each in zip(tools, results, strict=True)
        if tool is not None
    )


def told_difference(results: Sequence[CallResult], asked: str) -> str:
    """What has changed, in the lines of the difference that was read; "" where something else was asked, or
    read."""
    if len(results) != 1 or not results[0].reached_its_goal or not asks_what_changed(asked):
        return ""
    language = language_of(asked)
    return "\n\n".join(
        say("changed_lines", language, a=each.name, b=_fenced("\n".join(each.lines)))
        for each in changed_files(results[0].text)
    )


def told_sums(results: Sequence[CallResult]) -> str:
    """What was worked out, as it was worked out; "" where something else was done, or it has no result. A
    small model that has "5.28" before it still says that 20 litres are 0.264 gallons."""
    if not all(each.call.name == "calculator" and each.ok for each in results):
        return ""
    return "\n\n".join(f"{each.call.arguments['expression']} = {each.text}" for each in results)


def _served(gate_name: str, text: str, language: str) -> str:
    server, tool = gate_name.split("__", 2)[1:]
    shown = _fenced(head_tail(text.strip(), SHOWN_RESULT_BYTES))
    return say("served", language, a=tool, b=server, c=shown)


def receipts_of(messages: Sequence[Message], asked: str) -> list[str]:
    """What the calls of a conversation changed, oldest first, in the language of `asked`."""
    language = language_of(asked)
    return [
        _done(each.tool.name, each.tool.arguments, each.text, language)
        for each in messages
        if each.tool is not None and each.tool.name in CHANGING and each.tool.ending is CallStatus.DONE
    ]


def receipt(ended: CallResult, language: str) -> str:
    """What one call did, or that it did not."""
    if ended.ok:
        return _done(ended.call.name, ended.arguments or ended.call.arguments, ended.text, language)
    named = name_of(ParsedCall(ended.call.name, ended.arguments or ended.call.arguments), language)
    if ended.ending is CallStatus.DENIED:
        return say("refused", language, a=named)
    why = ended.failure.in_language(language) if ended.failure and language in LANGUAGES else ended.text
    return say("failed", language, a=named, b=why)


def _done(name: str, given: Mapping[str, Any], text: str, language: str) -> str:
    told = {
        "move_file": _moved,
        "make_directory": _made,
        "delete_file": _deleted,
        "write_file": _wrote,
        "append_text": _added,
        "replace_text": _replaced,
        "undo_change": _undone,
        "cancel_reminder": _cancelled,
        "set_reminder": _set,
        "schedule_question": _scheduled,
        "list_reminders": _reminders,
        "recall_notes": _noted,
        "read_file": _read,
        "list_directory": _listed,
        "find_files": _found,
        "search_text": _said_in,
    }.get(name)
    return told(given, text, language) if told is not None else text


def _moved(given: Mapping[str, Any], text: str, language: str) -> str:
    found = _MOVED.match(text)
    a, b = (found["a"], found["b"]) if found else (str(given["source"]), str(given["destination"]))
    is_renamed = a.rpartition("/")[0] == b.rpartition("/")[0]
    return say("renamed" if is_renamed else "moved", language, a=a, b=b)


def _made(given: Mapping[str, Any], text: str, language: str) -> str:
    key = "folder_was_there" if text.endswith("exists already.") else "folder"
    return say(key, language, a=str(given["path"]))


def _deleted(given: Mapping[str, Any], _text: str, language: str) -> str:
    return say("deleted", language, a=str(given["path"]))


def _wrote(given: Mapping[str, Any], text: str, language: str) -> str:
    found = _WROTE.match(text)
    if found is None:
        return text
    return say("wrote", language, a=str(given["path"]), b=_size_in(language, found["size"]))


def _size_in(language: str, size: str) -> str:
    """The tool's size ("1.2 kB") as the language writes it."""
    number, _space, unit = size.partition(" ")
    written = number if language == ENGLISH else number.replace(".", ",")
    return f"{written} {_UNITS.get(language, {}).get(unit, unit)}"


_UNITS: Mapping[str, Mapping[str, str]] = {
    "de": {"bytes": "Byte"},
    "fr": {"bytes": "octets", "kB": "ko", "MB": "Mo", "GB": "Go"},
}


def _added(given: Mapping[str, Any], _text: str, language: str) -> str:
    return say("added", language, a=str(given["path"]), b=_short(str(given["text"])))


def _replaced(given: Mapping[str, Any], _text: str, language: str) -> str:
    path, old, new = str(given["path"]), str(given["old"]), str(given["new"])
    if not new:
        return say("taken_out", language, a=path, b=_short(old))
    # A line that comes behind another is put in by replacing that one with both.
    added = new.removeprefix(old)
    if added != new and added.startswith(("\n", "\r\n")):
        return say("added", language, a=path, b=_short(added))
    return say("replaced", language, a=path, b=_short(old), c=_short(new))


def _undone(_given: Mapping[str, Any], text: str, language: str) -> str:
    for key in _UNDONE:
        # The sentence of the journal, found by its English form: a test holds the two together.
        english = re.escape(sentences()["undone"][key]["en"]).replace(r"\{a\}", "(?P<a>.+)")
        found = re.fullmatch(english, text)
        if found is not None:
            text = sentences()["undone"][key][language].format(**found.groupdict())
            break
    return say("undone", language, a=text)


def _set(_given: Mapping[str, Any], text: str, language: str) -> str:
    found = _REMINDER.fullmatch(text)
    if found is None or language == "en":
        return text
    often, again, first = found["when"].partition(AGAIN)
    when = in_language(found["when"], language)
    if again:
        when = say("again", language, a=_when(often, language), b=in_language(first, language))
    told = [say("reminder_set_again" if again else "reminder_set", language, a=when, b=found["text"])]
    told += [f"({found['note']})"] if found["note"] else []
    told += [say("only_while_running", language)] if found["later"] else []
    return " ".join(told)


def _scheduled(given: Mapping[str, Any], text: str, language: str) -> str:
    """What was understood; the tool itself says it in English and German."""
    found = _SCHEDULED.fullmatch(text)
    if found is None or language in LANGUAGES:
        return text
    often, first = _when(found["often"], language), in_language(found["next"], language)
    return say("schedule_set", language, a=often, b=str(given["question"]), c=first, d=found["number"])


def _when(when: str, language: str) -> str:
    """A time, or how often, as `language` says it."""
    if not when.startswith(("every ", "on ")):
        return in_language(when, language)
    repeats = read_when(when, local_now()).repeats
    return repeats_in_language(repeats.in_words(), language) if repeats is not None else when


def _reminders(_given: Mapping[str, Any], text: str, language: str) -> str:
    if text == NO_REMINDERS:
        return say("no_reminders_set", language)
    lines = []
    for line in text.splitlines():
        found = _REMINDER_LINE.fullmatch(line)
        told = f"- {found['text']}: {_when(found['when'], language)}" if found is not None else line
        lines.append(told)
    return "\n".join(lines)


def _noted(_given: Mapping[str, Any], text: str, language: str) -> str:
    """Each note as it was written, with its date; first what day they are for, or that none is."""
    if text == NO_NOTES:
        return say("no_notes", language)
    lines = text.splitlines()
    head = _NOTES_FOR.fullmatch(lines[0])
    if head is None:
        told = say("notes", language)
    else:
        day = in_language(head["day"] or head["other"], language)
        told = say("notes_for" if head["day"] else "no_note_for", language, a=day)
    notes = lines if head is None else lines[1:]
    # A note of several lines: only the first begins with a date.
    listed = [_NOTE_LINE.sub(r"- \g<text> (\g<day>)", line) for line in notes]
    return "\n".join((told, "", *listed))


def _cancelled(_given: Mapping[str, Any], text: str, language: str) -> str:
    found = _CANCELLED.match(text)
    if found is None:
        return text
    when = f" ({_when(found['when'], language)})" if found["when"] else ""
    return say("cancelled", language, a=f"{found['text']}{when}")


def _read(given: Mapping[str, Any], text: str, language: str) -> str:
    name = last_part(str(given["path"]))
    if text.endswith(" is empty.") and "\n" not in text:
        return say("empty", language, a=name)
    return f"{say('reads', language, a=name)}\n\n{_fenced(text)}"


def _fenced(text: str) -> str:
    # A fence longer than any inside, so that the text stays one block and is no Markdown of ours.
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"


def _listed(given: Mapping[str, Any], text: str, language: str) -> str:
    path = str(given.get("path", "."))
    if text.endswith(" is empty.") and "\n" not in text:
        return say("empty", language, a=path)
    lines = [line for line in text.splitlines() if not line.startswith(_LARGEST)]
    head = say("content", language, a="." if path in ("", ".") else path)
    return "\n".join((head, "", *(f"- {line}" for line in lines)))


def _found(given: Mapping[str, Any], text: str, language: str) -> str:
    if _NONE_FOUND.match(text):
        return say("found_none", language, a=str(given["pattern"]))
    lines = text.splitlines()
    return "\n".join((say("found", language, a=str(len(lines))), "", *(f"- {line}" for line in lines)))


def _said_in(given: Mapping[str, Any], text: str, language: str) -> str:
    if text.startswith("No line in "):
        return say("said_nowhere", language, a=str(given["pattern"]))
    return "\n".join((say("said_in", language), "", *(f"- {line}" for line in text.splitlines())))


def _short(text: str) -> str:
    if events := told_events(text):
        return events
    return head_tail(" / ".join(line.strip() for line in text.strip().splitlines()), SHOWN_BYTES)


# -- what a difference says --------------------------------------------------------------------

# What a difference says, in its own lines: unified diffs as Git and `diff -u` write them.
#
# A small model that is given one tells a line that only stands beside a change as changed ("removing one
# fig"). So where somebody asks what has changed, the lines themselves are the answer. Pure; any thread.

# Lines that answer by themselves; more of them are to be summed up.
MOST_LINES = 40
_ASKS = re.compile(
    r"\b(?:changes|changed|did\b.{0,60}\bchange|differ(?:s|ent|ence|ences)?|diffs?|modifi(?:ed|cations?)|"
    r"(?:ge)?änder\w*|verändert|unterschied\w*|changé\w*|changements?|modifié\w*|différen\w*|"
    r"cambi(?:o|os|ó|ado|aron)|modificad\w*|diferen\w*)\b",
    re.IGNORECASE,
)
# What is to be made of it, the model says.
_MAKES = re.compile(
    r"\b(?:why|explain|summ\w*|review|message|commit|describe|warum|wieso|erklär\w*|fass\w*|beschreib\w*|nachricht|"
    r"pourquoi|expliqu\w*|résum\w*|décri\w*|message|por qué|explic\w*|resum\w*|describ\w*|mensaje)\b",
    re.IGNORECASE,
)
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NOWHERE = "/dev/null"


@dataclass(frozen=True)
class ChangedFile:
    """The lines of one file that are gone (`-`) and new (`+`), in their order."""

    name: str
    lines: tuple[str, ...]


def asks_what_changed(asked: str) -> bool:
    return bool(_ASKS.search(asked)) and not _MAKES.search(asked)


def changed_files(text: str) -> tuple[ChangedFile, ...]:
    """What a unified diff in `text` changes; empty where there is none, or more than answers by itself."""
    files: list[ChangedFile] = []
    name = before = ""
    changed: list[str] = []
    gone = new = 0  # lines of the hunk that are still to come, so that "--- a" inside of one is a line
    for line in text.splitlines():
        if gone > 0 or new > 0:
            kind = line[:1]
            if kind == "\\":  # "No newline at end of file" is said of the line above it
                continue
            gone -= kind != "+"
            new -= kind != "-"
            if kind in ("-", "+"):
                changed.append(line)
        elif (hunk := _HUNK.match(line)) and name:
            gone, new = (int(each or 1) for each in hunk.groups())
        elif line.startswith("--- "):
            before = _path(line)
        elif line.startswith("+++ "):
            files += [ChangedFile(name, tuple(changed))] if changed else []
            after = _path(line)
            name, changed = before if after == _NOWHERE else after, []
    files += [ChangedFile(name, tuple(changed))] if changed else []
    return tuple(files) if sum(len(each.lines) for each in files) <= MOST_LINES else ()


def _path(line: str) -> str:
    """Without Git's letter, and without the time that `diff -u` puts behind it."""
    path = line[4:].partition("\t")[0].strip()
    return path[2:] if path[:2] in ("a/", "b/") else path
