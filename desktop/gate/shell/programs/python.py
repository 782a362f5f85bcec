"""python -c by its syntax tree, python -m by module; a script is unknown."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
import warnings

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import sort_words
from desktop.gate.shell.programs.python_code import INSTALLED, CodeReader
from desktop.gate.shell.reading import Call, shown
from desktop.gate.shell.table_effects import apply
from desktop.gate.shell.tables import Spec, vocabulary
from desktop.gate.shell.words import OPAQUE, OUTPUT, VARIABLE, Word
from desktop.gate.verdict import Effect

WORDS = vocabulary("python")
MODULES = WORDS.section("modules").effects()
PROGRAMS = WORDS.words("programs")
NAMES = {
    "pre_commit": "pre-commit",
    "pip_audit": "pip-audit",
    "sphinx": "sphinx-build",
    "django": "django-admin",
    "yt_dlp": "yt-dlp",
    "httpie": "http",
    "awscli": "aws",
    "piptools": "pip-tools",
}


# Flags that change neither what is run nor where it is written; a value of -W or -X that only tells.
FLAGS = frozenset("bBdEIOPqRsStuv")
WARNINGS = re.compile(
    r"(?:ignore|error|default|always|module|once|all)(?::[\w ]*(?::\w*(?::[\w]*(?::\d*)?)?)?)?"
)
SETTINGS = re.compile(
    r"utf8(?:=[01])?|dev|faulthandler|importtime|tracemalloc(?:=\d+)?|no_debug_ranges|int_max_str_digits=\d+"
    r"|frozen_modules(?:=\w+)?|warn_default_encoding|showrefcount"
)


def judge_python(call: Call, _spec: Spec) -> None:
    """Options are read as the interpreter reads them: -c and -m end them, and take the rest of their word."""
    words = list(call.arguments)
    if len(words) == 1 and words[0].text in TELLS:
        call.found(Effect.READ, GateReason.ONLY_TELLS_ABOUT_ITSELF.of(name=call.name))
        return
    while words and words[0].text[:1] == "-" and words[0].text != "-":
        word = words.pop(0)
        if word.text == "--":
            break
        end = _cluster(call, word, words)
        if end == "c":
            return
        if end == "m":
            return
    _script_or_input(call, words)


TELLS = frozenset(
    {"-V", "-VV", "--version", "-h", "--help", "-?", "--help-all", "--help-env", "--help-xoptions"}
)


def _cluster(call: Call, word: Word, rest: list[Word]) -> str:
    """One word of options. The letter that ended them, or "" when there may be more."""
    text = word.text
    if text.startswith("--"):
        if text == "--check-hash-based-pycs" and rest:
            rest.pop(0)
        else:
            call.found(
                Effect.UNKNOWN,
                GateReason.NOT_KNOWN_HARMLESS.of(name=f"{call.name} {shown(text)}"),
                word,
            )
        return ""
    for place, letter in enumerate(text[1:], 2):
        if letter in "cmWX":
            value = word.but(text[place:]) if text[place:] else (rest.pop(0) if rest else None)
            _value(call, letter, value, rest)
            return letter if letter in "cm" else ""
        if letter not in FLAGS:
            call.found(
                Effect.UNKNOWN,
                GateReason.LETTER_NOT_KNOWN_HARMLESS.of(name=call.name, text=shown(letter)),
                word,
            )
    return ""


def _value(call: Call, letter: str, value: Word | None, rest: list[Word]) -> None:
    if letter == "c":
        if value is None:
            call.found(Effect.UNKNOWN, GateReason.C_GETS_ITS_CODE_FROM_ELSEWHERE.of(name=call.name))
        else:
            read_code(call, value.text, value)
    elif letter == "m":
        _module(call, value, rest)
    elif value is None or not (WARNINGS if letter == "W" else SETTINGS).fullmatch(value.text):
        call.found(
            Effect.UNKNOWN,
            GateReason.LETTER_NOT_KNOWN_HARMLESS.of(name=call.name, text=letter),
            value,
        )


def _script_or_input(call: Call, words: list[Word]) -> None:
    if words and words[0].text not in ("-", "/dev/stdin"):
        call.found(Effect.UNKNOWN, GateReason.RUNS.of(name=call.name, text=shown(words[0].text)), words[0])
    elif call.stdin is not None and call.stdin.text is not None:
        if CODING.match(call.stdin.text):
            call.found(Effect.UNKNOWN, GateReason.RUNS_CODE_THAT_CANNOT_BE_READ.of(name=call.name))
        read_code(call, call.stdin.text, call.word)
    elif call.stdin is not None or words:
        call.found(Effect.UNKNOWN, GateReason.RUNS_WHAT_IT_IS_FED.of(name=call.name))
    else:
        call.found(Effect.UNKNOWN, GateReason.OPENS_A_SESSION.of(name=call.name))


# A first or second line that says that the bytes of a file mean other letters than they seem.
CODING = re.compile(r"(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*(?!utf-?8\b)", re.IGNORECASE)


def _module(call: Call, module: Word | None, arguments: list[Word]) -> None:
    if module is None:
        call.found(Effect.UNKNOWN, GateReason.M_GETS_ITS_MODULE_FROM_ELSEWHERE.of(name=call.name))
        return
    name = module.text
    asks_help = [each.text for each in arguments] in (["--help"], ["-h"])
    is_standard = name.partition(".")[0] in sys.stdlib_module_names
    if is_standard and name not in ("unittest", "doctest") and asks_help:
        call.found(Effect.READ, GateReason.M_ONLY_TELLS_ABOUT_ITSELF.of(name=call.name, text=name))
    elif name in MODULES:
        _known_module(call, module, arguments)
    elif name in PROGRAMS:
        call.argv([module.but(NAMES.get(name, name)), *arguments])
    elif name == "timeit":
        _timed(call, arguments)
    elif name in ("zipfile", "tarfile"):
        _archive(call, module, arguments)
    else:
        call.found(Effect.UNKNOWN, GateReason.M_RUNS.of(name=call.name, text=shown(name)), module)


def judge_pydoc(call: Call, spec: Spec) -> None:
    """What it tells about is imported: a module of the project's own is code that runs."""
    found = sort_words(spec, call.arguments)
    apply(call, found)
    for word in found.words if not found.has("-k") else ():
        root = word.text.partition(".")[0]
        is_installed = root in sys.stdlib_module_names or root in INSTALLED or hasattr(builtins, root)
        if not is_installed and not (keyword.iskeyword(root) or root in ("keywords", "modules", "topics")):
            call.found(Effect.UNKNOWN, GateReason.LOADS.of(name=call.name, text=shown(word.text)), word)


def _timed(call: Call, arguments: list[Word]) -> None:
    """timeit runs its operands, and what -s and --setup give."""
    words = list(arguments)
    codes: list[str] = []
    while words:
        word = words.pop(0)
        short = re.fullmatch(r"-[pvh]*(?:([nrsu])(.*))?", word.text, re.DOTALL)
        if word.text.startswith("--"):
            codes.append(word.text.partition("=")[2])
        elif short is None:
            codes.append(word.text)
        elif short[1]:
            value = short[2] or (words.pop(0).text if words else "")
            codes += [value] if short[1] == "s" else []
    read_code(call, "\n".join(codes), arguments[0] if arguments else call.word)


# Options of json.tool, and the one with a value.
JSON_OPTION = re.compile(
    r"--(?:sort-keys|no-ensure-ascii|json-lines|tab|no-indent|compact|indent=\d+)|-h|--help"
)


def _known_module(call: Call, module: Word, arguments: list[Word]) -> None:
    name = module.text
    call.found(MODULES[name], GateReason.RUNS_MODULE.of(name=call.name, text=name), module)
    if name == "json.tool":
        _json_tool(call, list(arguments))
    elif name == "sysconfig" and arguments:
        call.found(Effect.UNKNOWN, GateReason.M_RUNS.of(name=call.name, text=shown(name)), module)
    elif name == "venv" and any(each.text == "--clear" for each in arguments):
        call.found(Effect.DELETE, GateReason.VENV_CLEAR_EMPTIES_THE_FOLDER.of(), module)


def _json_tool(call: Call, words: list[Word]) -> None:
    """The first operand is read, the second is written."""
    operands: list[Word] = []
    while words:
        word = words.pop(0)
        if word.text == "--indent" and words:
            words.pop(0)
        elif word.text[:1] != "-" or word.text == "-":
            operands.append(word)
        elif not JSON_OPTION.fullmatch(word.text):
            call.found(
                Effect.UNKNOWN,
                GateReason.NOT_KNOWN_HARMLESS.of(name=f"{call.name} {shown(word.text)}"),
                word,
            )
    for target in operands[1:]:
        call.writes(target)


def _archive(call: Call, module: Word, arguments: list[Word]) -> None:
    texts = {each.text for each in arguments}
    reads = texts & {"-l", "--list", "-t", "--test"}
    call.found(
        Effect.READ if reads else Effect.CREATE,
        GateReason.RUNS_MODULE.of(name=call.name, text=module.text),
        module,
    )


def read_code(call: Call, text: str, place: Word) -> None:
    """Judge code that is spelled out; a value from the shell in it stands for a word."""
    if OUTPUT in text or OPAQUE in text:
        call.found(Effect.UNKNOWN, GateReason.RUNS_CODE_MADE_AT_RUN_TIME.of(name=call.name), place)
        return
    code = text.replace(VARIABLE, "value_of_the_shell")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the code's author should know is not for this process
            tree = ast.parse(code if "\n" in code else code.lstrip(" "))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call.found(Effect.UNKNOWN, GateReason.RUNS_CODE_THAT_CANNOT_BE_READ.of(name=call.name), place)
        return
    CodeReader(call, place).read(tree)
