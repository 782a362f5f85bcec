"""cmd.exe: a small reader of its own for lines of a batch file."""

from __future__ import annotations

import re
from collections.abc import Mapping

from desktop.gate.reasons import GateReason
from desktop.gate.shell.data_words import lists_names
from desktop.gate.shell.parser import MAX_CHARACTERS, Unreadable
from desktop.gate.shell.places import PATTERN
from desktop.gate.shell.reading import Argv, Piece, Reading
from desktop.gate.shell.simple_command import judge
from desktop.gate.shell.variables import check
from desktop.gate.shell.words import LOOSE, NAMES, OUTPUT, VARIABLE, Word
from desktop.gate.verdict import Effect, Flag

TOKEN = re.compile(
    r"""(?x)(?P<space>(?:[^\S\n]|[,;=])+) | (?P<join>&&|\|\||&|\||\n) | (?P<paren>[()])
    | (?P<redirect>\d?>>?&\d|\d?>>|\d?>|\d?<)
    | (?P<word>(?:\^.|"[^"\n]*"?|[^\s,;=&|<>()^"])+) | (?P<other>.)""",
    re.DOTALL,
)
VALUE = re.compile(r"%[\w()]+(?::[^%]*)?%|!\w+!|%%?~?\w*[a-zA-Z0-9*]")
ITSELF = "%0"  # the batch file that is running
KNOWN = {
    ITSELF: ITSELF,
    "%cd%": ".",
    "%userprofile%": "~",
    "%homepath%": "~",
    "%systemdrive%": "C:",
    "%homedrive%": "C:",
    "%systemroot%": "C:\\Windows",
    "%windir%": "C:\\Windows",
}
SILENT = frozenset(
    {
        "rem",
        "@rem",
        "::",
        "goto",
        "endlocal",
        "setlocal",
        "shift",
        "exit",
        "title",
        "color",
        "prompt",
        "cls",
        "pause",
        "ver",
        "vol",
        "path",
        "verify",
        "break",
        "popd",
        "pushd",
        "chdir",
        "cd",
        "date",
        "time",
    }
)


def read_cmd(piece: Piece, reading: Reading) -> None:
    """Every command of the text, whatever the branch. Raises Unreadable."""
    if len(piece.text) > MAX_CHARACTERS:
        raise Unreadable(GateReason.TOO_LONG.of(count=MAX_CHARACTERS), (0, len(piece.text.encode())))
    words: list[Word] = []
    awaits = ""
    given = _given_by_for(piece.text)
    for found in TOKEN.finditer(piece.text):
        kind, text = found.lastgroup, found[0]
        if kind == "word":
            word = Word(_value(text, given), *_place(piece, found))
            if awaits:
                _redirect(reading, word, awaits)
                awaits = ""
            else:
                words.append(word)
        elif kind == "redirect":
            awaits = "" if "&" in text else text.lstrip("0123456789")
        elif kind == "paren" and _is_list(words, text):
            words.append(Word(text, *_place(piece, found)))
        elif kind in ("join", "paren"):
            _run(piece, reading, words)
            words = []
    _run(piece, reading, words)


def _is_list(words: list[Word], text: str) -> bool:
    """Whether a parenthesis belongs to the list of a `for … in (…)`."""
    texts = [word.text.lower() for word in words]
    if not texts or texts[0].lstrip("@") != "for" or "do" in texts:
        return False
    return texts[-1] == "in" if text == "(" else "(" in texts


def _place(piece: Piece, found: re.Match[str]) -> tuple[int, int]:
    if piece.offset is None:
        return piece.start, piece.end
    start = len(piece.text[: found.start()].encode())
    return start + piece.offset, start + len(found[0].encode()) + piece.offset


# `for /f` takes lines of a file, of a text or of what a command prints apart, into its letter and the next.
FOR_LINES = re.compile(r"(?i)\bfor\s+/f\b[^()]{0,200}?%%?([a-z])\s+in\s*\(([^)]{0,400})")


def _given_by_for(text: str) -> dict[str, str]:
    """By letter: what stands for a word that data give, as in the other shells."""
    found: dict[str, str] = {}
    if "/f" not in text.lower():
        return found
    for each in FOR_LINES.finditer(text):
        command = each[2].strip().strip("'`").split()
        is_names = bool(command) and (command[0].lower() == "dir" or lists_names(command))
        for number in range(ord(each[1].lower()), ord("z") + 1):
            found[chr(number)] = OUTPUT + (NAMES if is_names else LOOSE)
    return found


def _value(text: str, given: Mapping[str, str]) -> str:
    text = re.sub(r"\^(.)", r"\1", text, flags=re.DOTALL).replace('"', "")

    def stands_for(found: re.Match[str]) -> str:
        known = KNOWN.get(found[0].lower())
        is_letter = known is None and found[0].startswith("%") and not found[0].endswith("%")
        return known or (given.get(found[0][-1].lower(), VARIABLE) if is_letter else VARIABLE)

    return VALUE.sub(stands_for, text)


def _redirect(reading: Reading, target: Word, operator: str) -> None:
    if operator.startswith(">") and target.text.lower() not in ("nul", "con", "prn"):
        reading.writes(target, GateReason.THE_REDIRECTION.of(), append=operator.startswith(">>"))
    elif operator == "<":
        reading.reads(target)


def _run(piece: Piece, reading: Reading, words: list[Word]) -> None:
    """One simple command, after if, for, call and @ are taken off."""
    while words:
        first = words[0].but(words[0].text.lstrip("@"))
        name = first.text.lower()
        if name in ("else", "do", "call", "in", "") or (name == "call" and len(words) > 1):
            words = words[1:]
        elif name == "if":
            for word in words:
                reading.visits(word)
            words = _behind_condition(words[1:])
        elif name == "for":
            start = next((n for n, word in enumerate(words) if word.text.lower() == "do"), len(words))
            _list_of_for(piece, reading, words[:start])
            words = words[start + 1 :]
        else:
            break
    else:
        return
    _judge(piece, reading, first, words[1:])


def _list_of_for(piece: Piece, reading: Reading, words: list[Word]) -> None:
    """`for /f … in ('command')` runs the command."""
    texts = [word.text for word in words]
    # `for /r folder %i in (*)` goes through all below it.
    lower = [text.lower() for text in texts[:2]]
    root = words[lower.index("/r") + 1 :] if "/r" in lower else []
    if root and reading.takes_in_secrets(root[0].text):
        reading.listed_secret = reading.listed_secret or root[0]
    if "/f" not in [text.lower() for text in texts] or "(" not in texts:
        return
    inside = words[texts.index("(") + 1 :]
    text = " ".join(word.text for word in inside if word.text != ")")
    if text[:1] in ("'", "`"):
        reading.shell(text.strip("'`"), words[0], piece.nesting, piece.scope, "cmd")


def _behind_condition(words: list[Word]) -> list[Word]:
    texts = [word.text.lower() for word in words]
    skip = sum(1 for text in texts[:2] if text in ("not", "/i"))
    test = texts[skip] if skip < len(texts) else ""
    if test in ("exist", "defined", "errorlevel", "cmdextversion"):
        return words[skip + 2 :]
    compares = skip + 1 < len(texts) and texts[skip + 1] in ("equ", "neq", "lss", "leq", "gtr", "geq")
    return words[skip + (3 if compares else 2) :]


# Of these alone it is known that no token's name begins like them.
PLAIN_NAMES = frozenset(
    [
        *("path", "pathext", "comspec", "temp", "tmp", "username", "userprofile", "computername", "os"),
        *(
            "java_home",
            "node_env",
            "windir",
            "systemroot",
            "programfiles",
            "homepath",
            "processor_architecture",
        ),
    ]
)


STEERING = frozenset({"path", "comspec", "pathext"})


def _set(piece: Piece, reading: Reading, first: Word, words: list[Word]) -> None:
    """A variable, which later commands inherit; without a word, all of them are shown."""
    is_shown = len(words) == 1 and words[0].text[:1] != "/" and not _is_given(piece, words[0].text)
    # `set GI` shows every variable that begins so.
    if not words or (is_shown and words[0].text.lower() not in PLAIN_NAMES):
        reading.flag(Flag.SECRET, GateReason.SHOWS_ALL_VARIABLES_ALSO_TOKENS.of(name="set"), first)
    elif words[0].text.lower() == "/p" and len(words) > 1 and words[1].text.lower() in STEERING:
        reading.armed = (GateReason.CHANGES_CODE_OF_PROGRAMS.of(name=words[1].text), words[1])
    elif words[0].text.lower() in STEERING:
        reading.armed = (GateReason.CHANGES_CODE_OF_PROGRAMS.of(name=words[0].text), words[0])
    elif len(words) > 1 and not words[0].text.startswith("/"):
        value = " ".join(word.text for word in words[1:])
        check(reading, piece.scope, piece.nesting, words[0].text, value, words[0])


def _is_given(piece: Piece, name: str) -> bool:
    """Whether a value, and be it none, is given: the words tell nothing of the sign between them."""
    return bool(re.search(rf"\b{re.escape(name)}=", piece.text))


def _builtin(piece: Piece, reading: Reading, name: str, first: Word, words: list[Word]) -> None:
    reading.found(Effect.READ, GateReason.ONLY_PRINTS_OR_CHANGES_THIS_SHELL.of(name=name), first)
    if name == "set":
        _set(piece, reading, first, words)
    elif name in GOES:
        _goes_to(reading, name, words)
    elif name == "path" and words:  # the folders in which later programs are looked for
        reading.armed = (GateReason.CHANGES_CODE_OF_PROGRAMS.of(name=name), first)
    for word in words:
        if name == "type":
            reading.reads(word)
            if not word.fixed or PATTERN.search(word.text):
                reading.unnamed = reading.unnamed or first
        elif name.startswith("echo") and VARIABLE in word.text and reading.shows_secret(word):
            reading.flag(Flag.SECRET, GateReason.SHOWS_A_VARIABLE_WITH_SECRETS.of(name="echo"), word)


GOES = frozenset({"cd", "chdir", "pushd", "popd"})


def _goes_to(reading: Reading, name: str, words: list[Word]) -> None:
    """Where a branch goes, the rest may not be: what follows may work in either."""
    targets = [word.text.replace("\\", "/") for word in words if word.text[:2].lower() != "/d"]
    if not targets and name != "popd":
        return  # tells where it is
    with reading.step(("cd", *targets)):
        pass
    if len(targets) == 1:
        reading.may_go_to(targets[0])
    reading.goes_to(targets[0] if len(targets) == 1 and not BRANCHES.search(reading.source) else None)


BRANCHES = re.compile(r"(?i)\b(?:if|for|else)\b|\|\|")


def _read_files(reading: Reading, name: str, first: Word, words: list[Word]) -> None:
    reading.found(Effect.READ, GateReason.ONLY_READS.of(name=name), first)
    if reading.armed is not None:  # programs themselves, or behind a pipe, which starts another cmd
        reading.found(Effect.UNKNOWN, *reading.armed)
    for word in words if name not in ("dir", "tree") else ():
        reading.reads(word)


def _judge(piece: Piece, reading: Reading, first: Word, words: list[Word]) -> None:
    name = first.text.lower()
    texts = [word.text.lower() for word in words]
    for word in words:
        reading.visits(word)
    if name == ITSELF and name in reading.commands:
        reading.ruins(GateReason.BATCH_FILE_STARTS_ITSELF_AGAIN.of(), first)
    if name in ("date", "time") and words and "/t" not in texts:
        reading.found(Effect.UPDATE, GateReason.SETS_THE_CLOCK.of(name=name), first)
    elif name in SILENT or name.startswith((":", "echo.")) or name in ("set", "echo", "type"):
        _builtin(piece, reading, name, first, words)
    elif name in ("find", "sort", "more", "tree", "dir", "comp", "fc") and not any(
        text.startswith("/o") and name == "sort" for text in texts
    ):
        with reading.step(
            (name, *[word.text for word in words])
        ):  # its words may be names that are looked at
            _read_files(reading, name, first, words)
    elif name == "print" or (name == "expand" and len(words) > 1):  # other programs than those of that name
        reading.found(Effect.CREATE, GateReason.MAKES_SOMETHING_NEW.of(name=name), first)
    elif name in ("sort",):
        reading.found(Effect.CREATE, GateReason.SORT_O_WRITES_A_FILE.of(), first)
    elif name == "start" and words:
        reading.found(Effect.UNKNOWN, GateReason.START_OPENS_A_PROGRAM.of(), first)
    else:
        judge(Argv([first, *words], piece.nesting, piece.scope), reading)
