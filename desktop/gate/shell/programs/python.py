"""python -c by its syntax tree, python -m by module; a script is unknown."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace

from desktop.gate.shell.call import Call
from desktop.gate.shell.operands import Operands, sort_words
from desktop.gate.shell.programs.python_code import CodeReader
from desktop.gate.shell.reading import shown
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.vocabulary import vocabulary
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


def judge_python(call: Call, spec: Spec) -> None:
    words = call.arguments
    for number, word in enumerate(words):
        text = word.text
        if (
            text.startswith("-")
            and not text.startswith("--")
            and "c" in text[1:]
            and "W" not in text
            and "X" not in text
            and "m" not in text
        ):
            return _code(call, word, words[number + 1 :], text)
        if text.startswith("-m") or (
            text.startswith("-") and not text.startswith("--") and text.endswith("m") and "W" not in text
        ):
            return _module(call, word, words[number + 1 :])
        if not text.startswith("-") or text == "-":
            break
    found = sort_words(replace(spec, run="argv"), words)
    _script_or_input(call, found)
    return None


def _code(call: Call, word: Word, rest: list[Word], text: str) -> None:
    joined = text[text.index("c") + 1 :]
    code = word.but(joined) if joined else (rest[0] if rest else None)
    if code is None:
        call.found(Effect.UNKNOWN, f"{call.name} -c gets its code from elsewhere")
        return
    read_code(call, code.text, code)


def _script_or_input(call: Call, found: Operands) -> None:
    if found.has("-V", "--version", "-h", "--help", "-VV") and not found.words:
        call.found(Effect.READ, f"{call.name} only tells about itself")
    elif found.words and found.words[0].text not in ("-", "/dev/stdin"):
        call.found(Effect.UNKNOWN, f"{call.name} runs {shown(found.words[0].text)}", found.words[0])
    elif call.stdin is not None and call.stdin.text is not None:
        read_code(call, call.stdin.text, call.word)
    elif call.stdin is not None or found.words:
        call.found(Effect.UNKNOWN, f"{call.name} runs what it is fed")
    else:
        call.found(Effect.UNKNOWN, f"{call.name} opens a session")


def _module(call: Call, word: Word, rest: list[Word]) -> None:
    joined = word.text.partition("m")[2]
    if joined:
        rest = [word.but(joined), *rest]
    if not rest:
        call.found(Effect.UNKNOWN, f"{call.name} -m gets its module from elsewhere")
        return
    module, arguments = rest[0], rest[1:]
    name = module.text
    if name in MODULES:
        _known_module(call, module, arguments)
    elif name.partition(".")[0] in PROGRAMS and "." not in name:
        call.argv([module.but(NAMES.get(name, name)), *arguments])
    elif name in ("timeit", "trace", "cProfile", "profile", "pdb") and name == "timeit":
        for code in [each for each in arguments if not each.text.startswith("-")]:
            read_code(call, code.text, code)
    elif name in ("zipfile", "tarfile"):
        _archive(call, module, arguments)
    elif name in ("unittest", "doctest") or name not in sys.stdlib_module_names:
        call.found(Effect.UNKNOWN, f"{call.name} -m runs {shown(name)}", module)
    elif len(arguments) == 1 and arguments[0].text in ("--help", "-h"):
        call.found(Effect.READ, f"{call.name} -m {name} only tells about itself")
    else:
        call.found(Effect.UNKNOWN, f"{call.name} -m runs {shown(name)}", module)


def _known_module(call: Call, module: Word, arguments: list[Word]) -> None:
    name = module.text
    operands = [each for each in arguments if not each.text.startswith("-")]
    call.found(MODULES[name], f"{call.name} -m {name}", module)
    if name == "json.tool" and len(operands) > 1:
        call.writes(operands[1])
    if name == "venv" and any(each.text == "--clear" for each in arguments):
        call.found(Effect.DELETE, "venv --clear empties the folder", module)
    if name == "base64":
        return


def _archive(call: Call, module: Word, arguments: list[Word]) -> None:
    texts = {each.text for each in arguments}
    reads = texts & {"-l", "--list", "-t", "--test"}
    call.found(Effect.READ if reads else Effect.CREATE, f"{call.name} -m {module.text}", module)


def read_code(call: Call, text: str, place: Word) -> None:
    """Judge code that is spelled out; a value from the shell in it stands for a word."""
    if OUTPUT in text or OPAQUE in text:
        call.found(Effect.UNKNOWN, f"{call.name} runs code made at run time", place)
        return
    try:
        tree = ast.parse(
            text.replace(VARIABLE, "value_of_the_shell").lstrip(" ")
            if "\n" not in text
            else text.replace(VARIABLE, "value_of_the_shell")
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call.found(Effect.UNKNOWN, f"{call.name} runs code that cannot be read", place)
        return
    CodeReader(call, place).read(tree)
