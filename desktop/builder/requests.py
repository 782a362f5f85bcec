"""What the user typed, read as a wish that a check is to pass: English and German, never guessed.

Two forms are known. A check that is named ("make `pytest tests/test_x.py` pass"), and a function that is to
be written so that examples hold; those become the check. Anything else is no wish of this kind. Pure
functions.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

_ENDINGS = r"py|jsx?|mjs|cjs|tsx?|go|rs|c"
FILE = re.compile(rf"(?<![\w./`-])(?P<file>(?:[\w.-]+/)*[\w-]+\.(?:{_ENDINGS}))(?![\w/])")
# A program that runs tests begins a check without quotes, too.
_PLAIN = (
    r"(?:pytest|python3? -m (?:pytest|unittest)|node --test|npm (?:run )?test|npx (?:jest|vitest)|go test"
    r"|cargo test|ctest|make (?:check|test))"
    r"(?:[ \t]+(?!(?:to|by|in|pass|durch|zum|grün|besteh\w*)\b)[\w./:=-]+)*"
)
_QUOTED = r"`(?P<ticked>[^`\n]{2,400})`|[\"“„](?P<quoted>[^\"“”\n]{2,400})[\"”“]"
_CHECK = rf"(?:{_QUOTED}|(?P<plain>{_PLAIN}))"
_LEAD = (
    r"(?:(?:please|bitte|ok|hey|can you|could you|kannst du|könntest du)[, ]+)*"
    r"(?:(?:change|fix|mend|repair|edit|correct|ändere|repariere|behebe|korrigiere)\s+(?P<before>\S+)\s+"
    r"(?:so that|so|until|, ?so ?dass|sodass|so dass|damit|bis)\s+)?"
)
_WISHES = tuple(
    re.compile(rf"^\s*{_LEAD}{pattern}(?P<rest>[^\n]{{0,160}})$", re.IGNORECASE)
    for pattern in (
        rf"(?:make|get|let|have)\s+(?:the\s+)?(?:check|tests?|command)?\s*{_CHECK}\s+(?:to\s+)?(?:pass|succeed|work|green)\b",
        rf"(?:the\s+)?(?:check|tests?)?\s*{_CHECK}\s+(?:passes|succeeds|works)\b",
        rf"(?:bring|bringe)\s+(?:den\s+|die\s+)?(?:test|tests|prüfung|befehl)?\s*{_CHECK}\s+zum\s+(?:laufen|bestehen|durchlaufen)\b",
        rf"(?:mach|mache)\s+{_CHECK}\s+(?:grün|heil)\b",
        rf"(?:lass|lasse)\s+{_CHECK}\s+(?:bestehen|durchlaufen)\b",
        rf"(?:sorge?\s+(?:dafür)?,?\s*dass\s+)?(?:der\s+|die\s+)?(?:test|tests|prüfung)?\s*{_CHECK}\s+"
        r"(?:besteht|bestehen|durchläuft|durchgeht|läuft|grün wird|funktioniert)\b",
    )
)
# What makes a plain sentence with a check in it a wish: it would be none without one of these.
_WANTS = re.compile(
    r"^\s*(?:(?:please|bitte|ok|hey|can you|could you|kannst du|könntest du)[, ]+)*"
    r"(?:make|get|let|have|change|fix|mend|repair|edit|correct|bring|mach|lass|sorg|änder|reparier|beheb|korrigier)",
    re.IGNORECASE,
)
_WRITE = re.compile(
    r"^\s*(?:(?:please|bitte)[, ]+)?(?:write|add|implement|schreib\w*|ergänze|implementiere)\s+"
    r"(?:the function |a function |die funktion |eine funktion )?`?(?P<head>[A-Za-z_]\w*\([^()\n]*\))`?\s+"
    r"(?:in|into|to)\s+(?:die datei\s+|the file\s+)?`?(?P<file>(?:[\w.-]+/)*[\w-]+\.py)`?,?\s*"
    r"(?P<how>[^\n:]*):?[ \t]*(?P<examples>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_SO_THAT = re.compile(r"so that|such that|examples?|hold|so ?dass|beispiele?|gelten|gilt", re.IGNORECASE)
_MEANS = re.compile(r"\s*(?:===?|->|=>|→|=|\b(?:gives|returns|is|becomes|ergibt|liefert|ist|wird)\b)\s*")
MOST_EXAMPLES = 20
LONGEST = 4_000  # characters: more is a text about something


@dataclass(frozen=True)
class Example:
    """A call and what it has to give, as they were written."""

    call: str
    wanted: str


def wish(text: str) -> Mapping[str, str] | None:
    """The arguments of the call that fulfils it; None for every other text."""
    # Patterns are tried at each place of a text: what somebody pasted must not hold the turn up.
    if len(text) > LONGEST:
        return None
    return _named_check(text) or _written_function(text)


def _named_check(text: str) -> dict[str, str] | None:
    line = " ".join(text.split())
    # "`pytest` passes now, thank you" has a check and a verb, and wants nothing.
    if _WANTS.match(line) is None:
        return None
    found = next((match for pattern in _WISHES if (match := pattern.match(line))), None)
    if found is None:
        return None
    groups = found.groupdict()
    check = groups.get("ticked") or groups.get("quoted") or groups.get("plain") or ""
    # Anything may stand in quotation marks; backticks are what commands are written in.
    is_plain = groups.get("quoted") is None or re.match(_PLAIN, check) is not None
    if not is_plain or not _is_command(check):
        return None
    around = f"{groups.get('before') or ''} {groups.get('rest') or ''}".replace("`", " ")
    files = tuple(dict.fromkeys(match["file"] for match in FILE.finditer(around)))
    return {"check": check.strip(), **({"files": "\n".join(files)} if files else {})}


def _is_command(check: str) -> bool:
    """A sentence in quotes is none: a command has a program, and a word of it says what of."""
    try:
        words = shlex.split(check)
    except ValueError:  # a quote without its end
        return False
    return (
        bool(words) and re.fullmatch(r"[\w./+-]+", words[0]) is not None and not check.rstrip().endswith("?")
    )


# -- a function that is not there yet ------------------------------------------------------------------


def _written_function(text: str) -> dict[str, str] | None:
    found = _WRITE.match(text)
    if found is None or not _SO_THAT.search(found["how"] + found["examples"]):
        return None
    name = found["head"].partition("(")[0]
    parts = _SO_THAT.split(found["how"], maxsplit=1)
    examples = examples_in(f"{parts[-1]}\n{found['examples']}", name)
    if not examples or not _is_head(found["head"]):
        return None
    about = parts[0].strip(" ,.")
    return {
        "check": check_of(found["file"], examples),
        "files": found["file"],
        "function": found["head"],
        **({"about": about} if about else {}),
    }


def examples_in(text: str, name: str) -> tuple[Example, ...]:
    """Lines, or parts between semicolons and "and", with a call of the function and what it gives."""
    found = []
    lines = text.replace(">>>", " ").splitlines()
    for line in [part for each in lines for part in re.split(r";|\s+(?:and|und)\s+(?=`?\w+\()", each)]:
        example = _example(line.strip(" \t-*`,."), name)
        if example is not None:
            found.append(example)
    return tuple(found[:MOST_EXAMPLES])


def _example(line: str, name: str) -> Example | None:
    if not line.startswith(f"{name}("):
        return None
    for match in _MEANS.finditer(line):
        call, wanted = line[: match.start()].strip("` "), line[match.end() :].strip("` ")
        if _is_call(call, name) and _is_value(wanted):
            return Example(call, wanted)
    return None


def _is_call(text: str, name: str) -> bool:
    """A call of this one function with plain values: what is written here is run as it stands."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != name:
        return False
    return all(_is_value(ast.unparse(each)) for each in (*node.args, *(k.value for k in node.keywords)))


def _is_value(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _is_head(head: str) -> bool:
    try:
        ast.parse(f"def {head}: pass")
    except SyntaxError:
        return False
    return True


def check_of(file: str, examples: tuple[Example, ...]) -> str:
    """A command that ends with 0 where all examples hold; it is shown whole before it is agreed to."""
    module = file.removeprefix("src/").removesuffix(".py").replace("/", ".")
    name = examples[0].call.partition("(")[0]
    # A file may be called by what no program could.
    is_plain = all(part.isidentifier() for part in module.split("."))
    lines = [
        f"from {module} import {name}"
        if is_plain
        else f"from importlib import import_module; {name} = import_module({module!r}).{name}",
        "bad = 0",
        "for said, got, wanted in (",
        *(
            f"    ({json.dumps(each.call, ensure_ascii=False)}, lambda: {each.call}, {each.wanted}),"
            for each in examples
        ),
        "):",
        "    try: value = got()",
        "    except Exception as error: value = error",
        "    if value != wanted:",
        "        bad += 1",
        '        print(f"E  {said} gives {value!r}, expected {wanted!r}")',
        f'print(f"{{{len(examples)} - bad}} passed, {{bad}} failed in 0.00s")',
        "raise SystemExit(bad > 0)",
    ]
    return f"python3 -c {shlex.quote(chr(10).join(lines))}"
