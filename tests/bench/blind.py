"""Sets written by somebody who had not seen the program: forgetting, known fixes, follow-ups.

    python -m tests.bench.blind forgetting|fixes|follow_ups|statements [--cases FILE] [--only N …]
        [--model NAME]

`forgetting`: each row has a profile of its own, in which the user tells, wishes to forget, says yes where
that is asked, and asks again in the same and in a new conversation; meanwhile all bytes of the profile are
searched. `fixes`: failures and what helped come through the hook of a coding agent, in one project.
`follow_ups`: conversations over a workspace, whose files and reminders are compared afterwards.
`statements`: facts, thanks and remarks right after an act, which are no orders, and orders that go on from
one. All go the way of the program with its databases; without `--model` the model is one that says nothing,
so that only what needs none is done. The fields are told in the sets.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import sys
import tempfile
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import structlog

from desktop.agents.lessons import OFFERED
from desktop.memory.hindsight.hindsight import FIRST, FixOffer
from desktop.memory.hindsight.signature import Failure
from desktop.paths import Paths
from tests.agents.test_lessons import School
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days
from tests.flows.real_model import installed_model

HERE = Path(__file__).parent
SILENT = "(nothing by rule)"  # what the model that stands in says to all
YES = {"en": "yes", "de": "ja", "fr": "oui", "es": "sí"}
# What was told long before a look-alike is said: something of each could go.
BEFORE = (
    "Remember that my umbrella is red.",
    "Remember that the laundry is done on Mondays.",
    "I like trains and cats.",
    "Remember that my grandmother lives in Bath.",
    "Merk dir, dass mein Schlüssel beim Nachbarn liegt.",
    "Merk dir, dass Oma im Mai Geburtstag hat.",
    "J'ai garé la voiture rue Haute.",
    "Ma sœur arrive par le train.",
    "Mi abuela vive en Soria.",
    "Mis llaves son azules.",
)

Row = Mapping[str, Any]


@contextmanager
def profile(model: str = "") -> Iterator[tuple[Days, ScriptedBackend | None, Path]]:
    """A program of its own, and the folder that all of its files are in."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        backend = None if model else ScriptedBackend(SILENT, template=HERMES_TEMPLATE)
        chosen = installed_model() if model else installed(folder / "models", chat_template=HERMES_TEMPLATE)
        surroundings = patch.dict(os.environ, {"HOME": home, "XDG_DATA_HOME": str(folder / "share")})
        with surroundings, days(folder / "profile", chosen, backend, folder / "Steward") as used:
            # The dates of reminders are those of the computer.
            used.now = datetime.now().timestamp()
            used.root.mkdir(parents=True, exist_ok=True)
            yield used, backend, folder


# -- forgetting -----------------------------------------------------------------------------------


def forgetting(cases: Mapping[str, Any], model: str) -> list[dict[str, Any]]:
    rows = [forgotten(row, model) for row in cases.get("row", ())]
    return rows + [left_alone(row, model) for row in cases.get("lookalike", ())]


def forgotten(row: Row, model: str) -> dict[str, Any]:
    """What is left of what was to be forgotten: told again, in memory, in the bytes of the files."""
    with profile(model) as (used, backend, folder):
        first = used.chat()
        for text in row["tell"]:
            # A secret is kept only after a question.
            if _asks_yes(used.say(text, first).text):
                used.say(YES[row["lang"]], first)
        known = [_has(used, word) for word in row["gone"]]
        said = [used.say(row["forget"], first).text]
        if _asks_yes(said[0]):
            said.append(used.say(YES[row["lang"]], first).text)
        asked_from = len(backend.prompts) if backend is not None else 0
        blocks_from = len(used.used)
        answers = [used.say(row["ask"], chat).text for chat in (first, used.chat())]
        stays = used.say(row["ask_stays"]).text
        told = [*answers, stays, *(block.text for block in used.used[blocks_from:])]
        told += backend.prompts[asked_from:] if backend is not None else []
        problems = [f"told again: {word}" for word in row["gone"] if any(_in(word, each) for each in told)]
        problems += [f"in memory: {word}" for word in row["gone"] if _has(used, word)]
        problems += [f"was lost: {word}" for word in row["stays"] if not _has(used, word)]
        is_told = all(any(_in(word, each) for each in told) for word in row["stays"])
        used.core.memory.capture.flush()
        problems += _bytes_left(folder, row["gone"], "while open")
    # A secret may stand in the chats alone; from there it has to go as well.
    return {
        "forget": row["forget"],
        "said": said,
        "was_kept": all(known),
        "stays_told": is_told,
        "missed": problems,
    }


def left_alone(row: Row, model: str) -> dict[str, Any]:
    """Nothing that was told may go, nor be offered to."""
    with profile(model) as (used, _, _folder):
        first = used.chat()
        for text in BEFORE:
            used.say(text, first)
        before = {item.id: item.text for item in used.items()}
        said = used.say(row["text"], first).text
        after = {item.id: item.text for item in used.items()}
        problems = [f"was lost: {text}" for key, text in before.items() if after.get(key) != text]
        problems += ["offers to forget"] if _asks_yes(said) else []
    return {"text": row["text"], "said": [said], "missed": problems}


def _asks_yes(said: str) -> bool:
    return any(f"{mark}{word}" in said for word in YES.values() for mark in ("“", "„", "« ", "«"))


def _has(used: Days, word: str) -> bool:
    return any(_in(word, item.text) for item in used.items())


def _in(word: str, text: str) -> bool:
    return _plain(word) in _plain(text)


def _plain(text: str) -> str:
    """As the index of words has it: small letters without accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in apart if not unicodedata.combining(each))


def _bytes_left(folder: Path, words: Sequence[str], when: str) -> list[str]:
    """In any file of the profile, databases with their journals as well."""
    problems = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        content = path.read_bytes()
        text = _plain(content.decode("utf-8", "ignore"))
        # Folded by bytes too: broken UTF-8 around it must hide nothing.
        small = content.lower()
        for word in words:
            pieces = {word.casefold().encode(), _plain(word).encode(), word.encode("utf-16-le").lower()}
            if _plain(word) in text or any(piece in small for piece in pieces):
                problems.append(f"{when} in {path.name}: {word}")
    return problems


# -- fixes ----------------------------------------------------------------------------------------


def fixes(cases: Mapping[str, Any], _model: str) -> list[dict[str, Any]]:
    """All are learned first, in one project; then each comes back in a session of its own."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        school = School(Paths.under(folder / "profile"), folder)
        seen: list[tuple[FixOffer, ...]] = []
        hindsight = school.memory.hindsight
        remember = hindsight.failed

        def failed(failure: Failure) -> tuple[FixOffer, ...]:
            seen.append(remember(failure))
            return seen[-1]

        hindsight.failed = failed  # type: ignore[method-assign]
        try:
            every = [*cases.get("row", ()), *cases.get("lookalike", ())]
            learned = [_learned(school, row, f"first{n}") for n, row in enumerate(every)]
            found = []
            same: dict[tuple[str, str], set[int]] = defaultdict(set)
            for row, fix in zip(every, learned, strict=True):
                same[row["failed"], row["worked"]] |= {fix} - {0}
            for number, row in enumerate(every):
                seen.clear()
                told = school.broke(row["later"], f"later{number}", f"Exit code 1\n{row['later_error']}")
                offers = seen[-1][:OFFERED] if seen else ()
                fixes_of = frozenset(same[row["failed"], row["worked"]])
                found.append(_of_fix(row, fixes_of, offers, told, number < len(cases["row"])))
        finally:
            school.close()
    return found


def _learned(school: School, row: Row, session: str) -> int:
    """The fix that is kept of it; 0 for none."""
    school.broke(row["failed"], session, f"Exit code 1\n{row['error']}")
    before = {fix.id: fix.successes for fix in school.memory.hindsight.fixes()}
    school.ran(row["worked"], session)
    if row.get("again"):
        school.ran(row["failed"], session)
    after = {fix.id: fix.successes for fix in school.memory.hindsight.fixes()}
    return next((each for each, successes in after.items() if before.get(each) != successes), 0)


def _of_fix(
    row: Row, fixes_of: frozenset[int], offers: Sequence[FixOffer], told: str, wanted: bool
) -> dict[str, Any]:
    """`fixes_of` are those that were learned of these two commands, in a row or in a look-alike."""
    mine = [offer for offer in offers if offer.fix.id in fixes_of]
    problems = []
    if wanted and not fixes_of:
        problems.append("was not learned")
    elif wanted and not (mine and told):
        problems.append("was not offered")
    elif not wanted and any(_said(offer) == _line(row["worked"]) for offer in mine):
        problems.append("was offered to a look-alike")
    return {
        "later": row["later"],
        "error": row["later_error"][:120],
        "learned": bool(fixes_of),
        "as_a_call": [offer.arguments for offer in mine],
        "others": [str(offer.fix.after) for offer in offers if offer not in mine],
        "missed": problems,
    }


def _line(command: str) -> str:
    return " ".join(command.split())


def _said(offer: FixOffer) -> str:
    """The call that is offered: with the names of the failure at hand it may be another."""
    arguments = offer.arguments or offer.fix.after
    return _line(str(arguments.get(FIRST, arguments.get("command", ""))))


# -- follow-ups -----------------------------------------------------------------------------------


def follow_ups(cases: Mapping[str, Any], model: str) -> Iterator[dict[str, Any]]:
    with profile(model) as (used, _, _folder):
        for row in cases["conversation"]:
            yield followed(used, row)


def followed(used: Days, row: Row) -> dict[str, Any]:
    _fresh(used, row["files"])
    chat = used.chat()
    messages = [used.say(turn, chat) for turn in row["turns"]]
    said = [each.text for each in messages]
    standing = {
        str(path.relative_to(used.root)): path.read_text(encoding="utf-8", errors="replace")
        for path in used.root.rglob("*")
        if path.is_file()
    }
    expect = row["expect"]
    problems = [*_of_files(expect, row["files"], standing), *_of_reminders(expect, used)]
    problems += [f"not said: {word}" for word in expect.get("said", ()) if not _in(word, said[-1])]
    if expect.get("only"):
        problems += [f"{name} is new" for name in standing if name not in {*row["files"], *expect["exact"]}]
    # Where all is to be as it was, doing nothing would do.
    calls = [each.tool for each in used.core.store.messages(chat, limit=None) if each.tool is not None]
    if expect.get("acted") and not any(each.changes or each.name in _ON_REMINDERS for each in calls):
        problems.append("nothing was done")
    turns = list(zip(row["turns"], said, strict=True))
    return {"turns": turns, "files": standing, "missed": problems}


def _fresh(used: Days, files: Mapping[str, str]) -> None:
    """Without reminders, and with these files alone."""
    for reminder in used.core.reminders.open():
        used.core.reminders.end(reminder.id)
    for old in sorted(used.root.rglob("*"), reverse=True):
        old.rmdir() if old.is_dir() else old.unlink()
    for name, text in files.items():
        (used.root / name).parent.mkdir(parents=True, exist_ok=True)
        (used.root / name).write_text(text, encoding="utf-8")


_ON_REMINDERS = ("set_reminder", "cancel_reminder")


def _of_files(expect: Row, before: Mapping[str, str], standing: Mapping[str, str]) -> list[str]:
    problems = []
    for name, content in expect.get("exact", {}).items():
        if standing.get(name, "(not there)").strip() != content.strip():
            problems.append(f"{name} is {standing.get(name, '(not there)')[:80]!r}")
    for name, words in expect.get("contains", {}).items():
        problems += [f"{name} has not {word}" for word in words if not _in(word, standing.get(name, ""))]
    for name, words in expect.get("lacks", {}).items():
        problems += [f"{name} has {word}" for word in words if _in(word, standing.get(name, ""))]
    problems += [f"{name} is still there" for name in expect.get("gone", ()) if name in standing]
    named = {*expect.get("exact", {}), *expect.get("contains", {}), *expect.get("lacks", {})}
    named |= set(expect.get("gone", ()))
    # Its content may lie elsewhere: then it was moved, else it is lost.
    for name, content in before.items():
        if name not in named and standing.get(name) != content:
            problems.append(f"{name} was changed or is gone")
        if content not in standing.values() and name not in standing and name not in named:
            problems.append(f"LOST {name}")
    return problems


def _of_reminders(expect: Row, used: Days) -> list[str]:
    waiting = list(used.core.reminders.open())
    problems = []
    for wanted in expect.get("reminders", ()):
        fitting = [each for each in waiting if all(_in(word, each.text) for word in wanted["words"])]
        times = [each.due.astimezone() for each in fitting]
        if [f"{each:%H:%M}" for each in times] != [wanted["at"]]:
            problems.append(f"reminder {wanted['words']}: {[str(each) for each in times]}")
        elif wanted.get("day") == "tomorrow" and times[0].date() != _tomorrow():
            problems.append(f"reminder {wanted['words']} on {times[0].date()}")
    for word in expect.get("no_reminders", ()):
        problems += [f"still a reminder: {each.text}" for each in waiting if _in(word, each.text)]
    if "reminders" in expect and len(waiting) != len(expect["reminders"]):
        problems.append(f"{len(waiting)} reminders")
    return problems


def _tomorrow() -> object:
    return (datetime.now() + timedelta(days=1)).date()


# -- what is said right after an act --------------------------------------------------------------

BESIDE = {"report.txt": "Q1 was good", "notes.txt": "ask Ann"}


def statements(cases: Mapping[str, Any], _model: str) -> list[dict[str, Any]]:
    """Each statement behind each act, and each order behind its own: whether it is taken for an order, by a
    rule or by the model, which is asked for commands then and would make one of anything."""
    acts = {act["lang"]: {kind: said for kind, said in act.items() if kind != "lang"} for act in cases["act"]}
    with profile() as (used, backend, _):
        assert backend is not None
        asked: list[str] = []

        def eager(prompt: str) -> str:
            asked.append(prompt)
            return _any_command(prompt)

        backend.commands = eager
        rows = []
        for row in cases.get("statement", ()):
            taken = {
                kind: how
                for kind, act in acts[row["lang"]].items()
                if (how := _taken(used, act, row["text"], asked))
            }
            rows.append({"text": row["text"], "missed": [f"{kind}: {how}" for kind, how in taken.items()]})
        for row in cases.get("order", ()):
            how = _taken(used, acts[row["lang"]][row["after"]], row["text"], asked)
            problems = [] if how else [f"{row['after']}: not taken for an order"]
            rows.append({"text": row["text"], "said": [how], "missed": problems})
    return rows


def _any_command(prompt: str) -> str:
    """What a model that takes everything for an order would write."""
    state = prompt.rsplit("\nRequest: ", 1)
    words = state[1].split("<|im_end|>")[0]
    reminder = re.findall(r'Reminders: (\d+) "', state[0].rsplit("<|im_start|>user", 1)[1])
    file = re.findall(r"\nFiles: ([^,\n]+)", state[0].rsplit("<|im_start|>user", 1)[1])
    if reminder:
        return f"cancel {reminder[0]}"
    return f'add "{words.strip(" .!?")}" to {file[0] if file else "notes.txt"}'


def _taken(used: Days, act: str, text: str, asked: list[str]) -> str:
    """How `text` behind `act` is taken for an order; "" where it is answered in words."""
    _fresh(used, BESIDE)
    chat = used.chat()
    first = used.say(act, chat)
    assert SILENT not in first.text, f"no rule does {act!r}"
    asked.clear()
    said = used.say(text, chat)
    if asked:
        return f"put to the model as commands, {said.text[:60]!r}"
    return f"by rule, {said.text[:60]!r}" if said.text != SILENT else ""


# -- all of them ----------------------------------------------------------------------------------

PARTS: Mapping[str, Callable[[Mapping[str, Any], str], Iterable[dict[str, Any]]]] = {
    "forgetting": forgetting,
    "fixes": fixes,
    "follow_ups": follow_ups,
    "statements": statements,
}


def told(row: Row) -> str:
    head = str(row.get("forget") or row.get("text") or row.get("later") or "")
    lines = [f"{'MISSED' if row['missed'] else 'good'} {head}"]
    lines += [f"   > {asked}\n     {said[:300]}" for asked, said in row.get("turns", ())]
    lines += [f"   {said[:300]}" for said in row.get("said", ())]
    lines += [f"   - {problem}" for problem in row["missed"]]
    if row["missed"]:
        lines += [
            f"   {key}: {row[key]}" for key in ("files", "error", "as_a_call", "others") if row.get(key)
        ]
    return "\n".join(lines)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--only", type=int, nargs="+", help="these cases, counted from 0")
    parser.add_argument("--model", default="")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(words)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    cases = options.cases or HERE / f"blind_{options.part}_dev.toml"
    read = tomllib.loads(cases.read_text(encoding="utf-8"))
    if options.only is not None:
        read = {
            name: [each for n, each in enumerate(rows) if n in options.only] for name, rows in read.items()
        }
    rows: list[dict[str, Any]] = []
    for number, row in enumerate(PARTS[options.part](read, options.model)):
        sys.stdout.write(f"{number}. {told(row)}\n")
        sys.stdout.flush()
        rows.append(row)
    if options.out is not None:
        options.out.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    read.pop("act", None)  # is no row of its own
    counts = {
        name: sum(not row["missed"] for row in rows[start:end])
        for name, start, end in _spans(read, len(rows))
    }
    sys.stdout.write(f"as expected: {counts} of {[len(each) for each in read.values()]}\n")
    return 0


def _spans(read: Mapping[str, Sequence[Row]], _count: int) -> list[tuple[str, int, int]]:
    spans, start = [], 0
    for name, rows in read.items():
        spans.append((name, start, start + len(rows)))
        start += len(rows)
    return spans


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
