"""awk: programs that print are reads; redirections, pipes and system() are what they say."""

from __future__ import annotations

import re

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import Operands, sort_words
from desktop.gate.shell.places import holds_secrets
from desktop.gate.shell.programs.reach import put_together
from desktop.gate.shell.programs.tokens import look_at_environment
from desktop.gate.shell.reading import Call, shown
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.words import OPAQUE, OUTPUT, VARIABLE, Word
from desktop.gate.verdict import Effect, Flag

TOKEN = re.compile(
    r"""(?x)(?P<string>"(?:[^"\\\n]|\\.)*") | (?P<comment>\#[^\n]*) | (?P<name>[A-Za-z_]\w*)
    | (?P<number>\d[\w.]*)
    | (?P<operator>>>|>=|<=|==|!=|&&|\|\||\|&|\+\+|--|[-+*/%^]=|.) | (?P<line>\n)""",
    re.DOTALL,
)
ENVIRONMENT = re.compile(r"\b(?:ENVIRON|SYMTAB|PROCINFO)\b")
ONE_VARIABLE = re.compile(r"\bENVIRON\s*\[\s*\"(\w+)\"\s*\]|\bPROCINFO\s*\[\s*\"(\w+)\"")
BEFORE_VALUE = frozenset({"name", "number", "string"})


def judge_awk(call: Call, spec: Spec) -> None:
    found = sort_words(spec, call.arguments)
    programs = [*found.values("-e", "--source")]
    if found.has("-f", "--file", "-E", "--exec", "-i", "--include", "-l", "--load"):
        for name, _, value in found.options:
            if name in ("-i", "--include") and value.text == "inplace":
                call.found(Effect.UPDATE, GateReason.EDITS_FILES_IN_PLACE.of(name="awk"), value)
            elif name in ("-f", "--file", "-E", "--exec", "-i", "--include", "-l", "--load"):
                call.found(Effect.UNKNOWN, GateReason.AWK_RUNS_A_PROGRAM_FROM_A_FILE.of(), value)
    elif not programs and found.words:
        programs = [found.words[0]]
    if any(value.text not in ("version", "help", "usage") for value in found.values("-W")) or found.has(
        "-Wexec"
    ):
        call.found(Effect.UNKNOWN, GateReason.AWK_W_MAY_RUN_A_PROGRAM_FROM_A_FILE.of())
    _options(call, found)
    for program in programs:
        read_program(call, program)
    call.found(Effect.READ, GateReason.ONLY_PRINTS.of(name="awk"))


def _options(call: Call, found: Operands) -> None:
    for name, _, value in found.options:
        if name in ("-o", "--pretty-print", "-p", "--profile", "-d", "--dump-variables"):
            call.writes(value.but(value.text or "awkprof.out"))
        # The debugger takes commands from a file or its input, and some of them write.
        elif name in ("-D", "--debug"):
            call.found(Effect.UNKNOWN, GateReason.AWK_RUNS_A_PROGRAM_FROM_A_FILE.of(), value)


def tokens_of(text: str) -> list[tuple[str, str]]:
    """Tokens without comments; a regular expression is one token."""
    tokens: list[tuple[str, str]] = []
    place = 0
    while place < len(text):
        if text[place] == "/" and _regex_may_start(tokens):
            end = _regex_end(text, place)
            tokens.append(("regex", text[place:end]))
            place = end
            continue
        found = TOKEN.match(text, place)
        if found is None:
            break
        kind = found.lastgroup or "operator"
        if kind != "comment" and not (kind == "operator" and found[0] in " \t\r"):
            tokens.append((kind, found[0]))
        place = found.end()
    return tokens


def _regex_may_start(tokens: list[tuple[str, str]]) -> bool:
    if not tokens:
        return True
    kind, text = tokens[-1]
    if kind == "name":
        return text in ("print", "printf", "return", "in", "case", "getline")
    return kind not in BEFORE_VALUE and text not in (")", "]", "++", "--", "$")


def _regex_end(text: str, place: int) -> int:
    in_class = False
    place += 1
    while place < len(text):
        letter = text[place]
        if letter == "\\":
            place += 1
        elif letter == "[":
            in_class = True
        elif letter == "]":
            in_class = False
        elif (letter == "/" and not in_class) or letter == "\n":
            return place + 1
        place += 1
    return len(text)


def read_program(call: Call, program: Word) -> None:
    if OUTPUT in program.text or OPAQUE in program.text or program.text.strip() == VARIABLE:
        call.found(Effect.UNKNOWN, GateReason.AWK_RUNS_A_PROGRAM_FROM_A_FILE.of(), program)
    look_at_environment(call, program.text, program, ENVIRONMENT, ONE_VARIABLE)
    tokens = tokens_of(program.text)
    _reads(call, program, tokens)
    depth, printing = 0, False
    for number, (kind, text) in enumerate(tokens):
        if kind == "name":
            _name(call, program, tokens, number)
            printing = printing or text in ("print", "printf")
            depth = 0 if text in ("print", "printf") else depth
        elif text in ("(", "["):
            depth += 1
        elif text in (")", "]"):
            depth -= 1
        elif text in (";", "}", "{") or kind == "line":
            printing, depth = False, 0
        elif text in (">", ">>") and (printing and depth <= 0):
            _redirects(call, program, tokens, number)
        elif text in ("|", "|&"):
            _pipes(call, program, tokens, number)
        elif text == "@":
            call.found(Effect.UNKNOWN, GateReason.AWK_CALLS_WHAT_A_VARIABLE_NAMES.of(), program)


def _reads(call: Call, program: Word, tokens: list[tuple[str, str]]) -> None:
    """getline reads files that no operand names."""
    if not any(text == "getline" for _, text in tokens):
        return
    texts = [text[1:-1] for kind, text in tokens if kind == "string"]
    for text in texts:
        call.reading.reads(program.but(text))
    secret = next(filter(holds_secrets, put_together(texts)), "")
    if secret:
        call.flag(Flag.SECRET, GateReason.MAY_HOLD_SECRETS.of(name=shown(secret)), program)
    # Which file that is stands in a name, or is put together.
    is_made = any(
        first[1] == "<" and (second[0] != "string" or third[1] not in (")", ";", "}"))
        for first, second, third in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )
    names = {text for kind, text in tokens if kind == "name"}
    if is_made and (not MAKE_TEXTS.isdisjoint(names) or ("ENVIRON" in names and "HOME" in texts)):
        reason = GateReason.INLINE_CODE_READS_A_FILE_NAMED_AT_RUN_TIME.of(name="awk")
        call.flag(Flag.SECRET, reason, program)


MAKE_TEXTS = frozenset({"sprintf", "substr", "tolower", "toupper", "gsub", "sub", "gensub", "strtonum"})


def _name(call: Call, program: Word, tokens: list[tuple[str, str]], number: int) -> None:
    text = tokens[number][1]
    if text == "system":
        _runs(call, program, tokens, number + 2, ")")
    elif text in ("load", "include") and number and tokens[number - 1][1] == "@":
        call.found(Effect.UNKNOWN, GateReason.LOADS_OTHER_CODE.of(name="awk"), program)


def _literal(tokens: list[tuple[str, str]], start: int, closers: str) -> str | None:
    """A string that stands alone, or joined with values: their place is marked."""
    text, strings = "", 0
    for kind, part in tokens[start:]:
        if part in closers or kind == "line" or part in (";", "}"):
            break
        if kind == "string":
            strings += 1
            text += part[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        elif kind == "number":
            text += part
        elif kind == "name" or part == "$":
            text += OUTPUT  # what is read, or made from it, is no code
        elif part not in ("(", ")"):
            return None
    return text if strings else None


def _runs(call: Call, program: Word, tokens: list[tuple[str, str]], start: int, closers: str) -> None:
    command = _literal(tokens, start, closers)
    if command is None:
        call.found(Effect.UNKNOWN, GateReason.AWK_RUNS_A_COMMAND_MADE_AT_RUN_TIME.of(), program)
    else:
        call.shell(command, program)


def _redirects(call: Call, program: Word, tokens: list[tuple[str, str]], number: int) -> None:
    kind, following_text = tokens[number + 1] if number + 1 < len(tokens) else ("", "")
    name = following_text[1:-1] if kind == "string" else "\x01"
    following = tokens[number + 2][1] if number + 2 < len(tokens) else ";"
    if kind == "string" and following not in (";", "}", ")", "\n") and tokens[number + 2][0] != "line":
        name = "\x01"
    call.writes(program.but(name), append=tokens[number][1] == ">>")


def _pipes(call: Call, program: Word, tokens: list[tuple[str, str]], number: int) -> None:
    following = tokens[number + 1] if number + 1 < len(tokens) else ("", "")
    if following[1] == "getline":
        start = number
        while (start and tokens[start - 1][0] in ("string", "name", "number")) or (
            start and tokens[start - 1][1] in "$()"
        ):
            start -= 1
        _runs(call, program, tokens[:number], start, "")
    else:
        _runs(call, program, tokens, number + 1, "")
