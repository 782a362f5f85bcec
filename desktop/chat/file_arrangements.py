"""Files and folders arranged in anybody's words: the model writes `mkdir`, `mv` and `cp`, which nothing runs.

"Put my two invoices in a new folder called 2026 inside the invoices one" names no file. A small model writes
the commands for it well; so it may, under a grammar in which files and folders are those that are there and
new names are words of the message. They are read into calls of the file tools, each shown before it is made,
and nothing is written over. Any thread; blocks while the model reads and writes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import structlog

from desktop.chat.content_search import forms_of, shares
from desktop.chat.described_files import likely_of
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.formats.family import literal
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import language_of, last_part, plain_letters
from desktop.chat.prompts import behind_examples, read_ahead
from desktop.chat.request_commands import span_rules, spans
from desktop.chat.tool_args import Submit
from desktop.engine.requests import FinishReason, GenerateRequest, Message
from desktop.paths import resources
from desktop.tools.dates import ANY_DATE

log = structlog.get_logger(__name__)

CONVERSATION = "file-arrangements"  # of all chats: what stands before the files is always the same
NO_COMMAND = "none"
VERBS = ("mkdir", "mv", "cp")
MOST_TOKENS = 160
MOST_FILES = 30  # shown
MOST_COMMANDS = 8
LONGEST = 240  # characters of a message
OVER_NONE = 2.0  # nats; of 15 messages those that arrange files came to 2.6 and more
_SYSTEM = """Somebody has files and says something. Write the commands that arrange the files as they ask: \
mkdir, mv, cp. What asks for no such thing: none"""
_ALL = re.compile(
    r"\b(?:all|every\w*|both|each|rest|alle[sn]?|beide\w*|jede\w*|übrigen|tou(?:s|tes|t)|les deux|chaque|"
    r"tod[oa]s?|amb[oa]s|cada)\b",
    re.IGNORECASE,
)
_COMMAND = re.compile(r'(?P<verb>mkdir|mv|cp) "(?P<one>[^"]+)"(?: "(?P<two>[^"]+)")?')


@dataclass(frozen=True)
class FileArrangements:
    """Of one turn. `around` is the workspace, `submit` the engine's."""

    around: Surroundings
    submit: Submit

    def plan(self, asked: str) -> IntentPlan | None:
        """How `asked` wants files arranged; None where it wants none, or nothing of it can be done."""
        files = self._shown(asked)
        if not files or len(asked) > LONGEST or '"' in asked:
            return None
        shown = "\n".join((*files, f"Said: {' '.join(asked.split())}"))
        request = behind_examples(CONVERSATION, _told_first(), shown, MOST_TOKENS)
        likely = likely_of(self.submit, request, (NO_COMMAND, *VERBS))
        over = max((likely.get(each, 0.0) for each in VERBS), default=0.0) - likely.get(NO_COMMAND, 0.0)
        log.info("arrangement of files weighed", over=round(over, 2), files=len(files))
        if over < OVER_NONE:
            return None
        stream = self.submit(replace(request, grammar=_grammar(asked, files, self.around.folders())))
        written = stream.text()
        if stream.finish is not FinishReason.STOP:
            return None
        calls = tuple(self._meant(asked, tuple(_calls(written, self.around))))
        return IntentPlan(language_of(asked), tuple(map(Step, calls))) if calls else None

    def _meant(self, asked: str, calls: Sequence[ParsedCall]) -> Iterator[ParsedCall]:
        """`calls` without the files of which the message says no word, in their name or text, where it says
        one of others: "the lentil pie recipe somewhere in inbox" is not all of the inbox."""
        forms = forms_of(asked)
        folders = " ".join(plain_letters(each.casefold()) for each in self.around.folders())
        telling = [form for form in forms.values() if not form.search(folders)]
        made = [str(each.arguments["path"]) for each in calls if each.name == "make_directory"]
        moved = [str(each.arguments.get("source", "")) for each in calls if each.name == "move_file"]
        spoken = {each: self._says_of(each, telling) for each in moved}
        most = max(spoken.values(), default=0)
        for call in calls:
            if self._is_put_into_a_day(call, made, asked):
                continue
            is_one_of_many = call.name == "move_file" and len(moved) > 1 and not _ALL.search(asked)
            # What has less than half as many has a word that stands anywhere.
            if not is_one_of_many or not most or spoken[str(call.arguments["source"])] * 2 > most:
                yield call

    def _is_put_into_a_day(self, call: ParsedCall, made: Sequence[str], asked: str) -> bool:
        """Whether a file that nobody named would go into a folder that is not there nor `made`, called by a
        day: "move Marta to 5 december" is of a row."""
        folder = str(call.arguments.get("destination", "")).rpartition("/")[0]
        name = last_part(str(call.arguments.get("source", ""))).rpartition(".")[0]
        is_new = call.name == "move_file" and folder not in (*self.around.folders(), *made)
        return is_new and name.casefold() not in asked.casefold() and bool(ANY_DATE.fullmatch(folder))

    def _says_of(self, name: str, telling: Sequence[re.Pattern[str]]) -> int:
        """How many of the telling words a file has, in its name or its text."""
        text = self.around.whole(name) or self.around.document(name)
        plain = plain_letters(f"{last_part(name)} {text}".replace("_", " ").casefold())
        return sum(form.search(plain) is not None for form in telling)

    def _shown(self, asked: str) -> tuple[str, ...]:
        """The files, of many those that share most words with the message, in their order."""
        files = [each for each in self.around.files() if not last_part(each).startswith(".")]
        words = shares(asked, self.around) if len(files) > MOST_FILES else {}
        nearest = sorted(files, key=lambda each: -words.get(each, 0.0))[:MOST_FILES]
        return tuple(each for each in files if each in nearest)


def beginning() -> GenerateRequest:
    """What is the same in all these prompts, to be read while nobody waits."""
    return read_ahead(CONVERSATION, _told_first())


def _grammar(asked: str, files: Sequence[str], folders: Sequence[str]) -> str:
    """Commands whose sources are there and whose new names were said; none beside those of `files`."""
    endings = dict.fromkeys(
        f".{last_part(each).rpartition('.')[2]}" for each in files if "." in last_part(each)
    )
    inside = [*folders, *(each.rpartition("/")[0] for each in files if "/" in each)]
    place = " | ".join(literal(f"{each}/") for each in dict.fromkeys(inside) if each)
    rules = {
        "root": f'"{NO_COMMAND}" | line ( "\\n" line ){{0,{MOST_COMMANDS - 1}}}',
        "line": r'"mkdir \"" new "\"" | ( "mv" | "cp" ) " \"" file "\" \"" target "\""',
        "file": " | ".join(map(literal, files)),
        "new": ("place? " if place else "") + "text",
        "target": 'new "/" | new ending' + (" | place" if place else ""),
        "ending": " | ".join(map(literal, endings)) or '""',
        "text": spans("t", asked),
        **span_rules("t", asked),
    }
    rules |= {"place": place} if place else {}
    return "\n".join(f"{name} ::= {body}" for name, body in rules.items())


def _calls(written: str, around: Surroundings) -> Iterator[ParsedCall]:
    """What the commands come to: folders that are not there yet, and files that go where none is."""
    files, folders = list(around.files()), list(around.folders())
    for line in dict.fromkeys(written.strip().splitlines()):
        found = _COMMAND.fullmatch(line.strip())
        if found is None:
            return
        one, two = found["one"].strip("/ "), found["two"] or ""
        if found["verb"] == "mkdir":
            if one not in folders:
                folders.append(one)
                yield ParsedCall("make_directory", {"path": one})
            continue
        if one not in files:
            continue
        ending = f".{last_part(one).rpartition('.')[2]}"
        # A folder called eye op.txt is the new name.
        two = two.rstrip("/") if two.rstrip("/").endswith(ending) else two
        target = f"{two}{last_part(one)}" if two.endswith("/") else two
        target = target.removesuffix(ending) if target.endswith(ending * 2) else target
        if target in files or not target.endswith(ending) or not target.strip("/ "):
            continue
        files.append(target)
        if found["verb"] == "mv":
            files.remove(one)
            yield ParsedCall("move_file", {"source": one, "destination": target})
        elif text := around.whole(one):
            yield ParsedCall("write_file", {"path": target, "content": text})


@cache
def _told_first() -> tuple[Message, ...]:
    text = (resources() / "file_arrangements.toml").read_text(encoding="utf-8")
    read: Mapping[str, Any] = tomllib.loads(text)
    messages, folder = [Message("system", _SYSTEM)], ""
    for each in read["examples"]:
        lines = [read["folders"][each["folder"]].strip()] if each["folder"] != folder else []
        messages.append(Message("user", "\n".join((*lines, f"Said: {each['said']}"))))
        messages.append(Message("assistant", "\n".join(each["commands"]) or NO_COMMAND))
        folder = each["folder"]
    return tuple(messages)
