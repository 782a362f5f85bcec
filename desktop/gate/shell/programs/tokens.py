"""Inline code of script languages: harmless when every word in it is known to be, unknown otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from desktop.gate.reasons import GateReason
from desktop.gate.shell.places import SECRET_VARIABLE
from desktop.gate.shell.programs.reach import ReadPatterns, look_at_reach
from desktop.gate.shell.reading import Call, shown
from desktop.gate.shell.words import OPAQUE, OUTPUT, VARIABLE, Word
from desktop.gate.verdict import Effect, Flag

NEVER = re.compile(r"(?!)")
NO_EXPRESSIONS = re.compile(r"(?!)(?P<literal>)(?P<bare>)")


@dataclass(frozen=True)
class LanguageWords:
    """`harmless` words compute, read or print; `effects` are the others that are known.

    Without a whole parser, where a text begins and ends cannot always be told: a quote may stand in a regular
    expression, a comment in a text. `doubtful` is what may begin such a thing outside of texts and comments,
    `odd` what may do so anywhere. Where either is met, texts and comments are searched for words too.
    """

    harmless: frozenset[str]
    effects: Mapping[str, Effect]
    strings: re.Pattern[str]
    inside: re.Pattern[str]  # code within strings
    comments: re.Pattern[str]
    defines: re.Pattern[str]  # a name that the code itself gives a value
    shells: re.Pattern[str]  # literal shell commands; group "command"
    forbidden: re.Pattern[str]
    sigils: str = ""  # variables start with these
    files: re.Pattern[str] | None = None
    calls: re.Pattern[str] = NEVER  # in code without its texts: something is called that only run time tells
    environment: re.Pattern[str] = NEVER  # where the variables of the environment are reached
    variables: re.Pattern[str] = NEVER  # where only one of them is, with its name in a group
    expressions: re.Pattern[str] = NO_EXPRESSIONS  # regular expressions where nothing else can stand
    doubtful: re.Pattern[str] = NEVER
    odd: re.Pattern[str] = NEVER
    reach: ReadPatterns | None = None  # how it reads files
    pieces: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        kinds = (self.expressions.pattern, f"(?P<text>(?s:{self.strings.pattern}))")
        comment = f"(?P<comment>(?s:{self.comments.pattern}))"
        object.__setattr__(self, "pieces", re.compile("|".join((*kinds, comment))))


@dataclass(frozen=True)
class SplitCode:
    """Code without its texts, expressions and comments, and those."""

    bare: str
    texts: tuple[str, ...]
    other: tuple[str, ...]  # expressions and comments


def cut(code: str, language: LanguageWords) -> SplitCode:
    """From left to right, so that a quote in a comment begins no text, and the other way round."""
    bare: list[str] = []
    texts: list[str] = []
    other: list[str] = []
    place = 0
    for match in language.pieces.finditer(code):
        start = max(match.start("literal"), match.start("bare"))
        start = match.start() if start < 0 else start
        is_text, is_comment = match["text"] is not None, match["comment"] is not None
        bare += [code[place:start], " " if is_comment else " '' "]
        (texts if is_text else other).append(code[start : match.end()])
        place = match.end()
    bare.append(code[place:])
    return SplitCode("".join(bare), tuple(texts), tuple(other))


def read_tokens(call: Call, code: str, place: Word, language: LanguageWords) -> None:
    """Judge inline code by its words."""
    if OUTPUT in code or OPAQUE in code:
        call.found(Effect.UNKNOWN, GateReason.INLINE_CODE_IS_MADE_AT_RUN_TIME.of(name=call.name), place)
        return
    code = code.replace(VARIABLE, "0")
    for found in language.shells.finditer(code):
        call.shell(found["command"], place)
    code = language.shells.sub(" ", code)
    if language.files is not None:
        for found in language.files.finditer(code):
            call.reading.reads(place.but(found["file"]))
    forbidden = language.forbidden.search(code)
    if forbidden is not None:
        call.found(
            Effect.UNKNOWN, GateReason.INLINE_CODE_USES.of(name=call.name, text=shown(forbidden[0])), place
        )
    parts = cut(code, language)
    computed = language.calls.search(parts.bare)
    if computed is not None:
        call.found(
            Effect.UNKNOWN, GateReason.INLINE_CODE_USES.of(name=call.name, text=shown(computed[0])), place
        )
    if language.reach is not None:
        look_at_reach(call, place, parts.bare, parts.texts, language.reach)
    look_at_environment(call, code, place, language.environment, language.variables)
    inner = " ".join(
        next(filter(None, found.groups()), "")
        for text in (*parts.texts, *parts.other)
        for found in language.inside.finditer(text)
    )
    own = _own_names(parts.bare + " " + inner, language)
    _words(call, place, parts.bare + " " + inner, own, language)
    is_doubtful = bool(language.doubtful.search(parts.bare) or language.odd.search(code))
    if is_doubtful or any(map(language.expressions.search, [code])):
        for text in (*parts.texts, *parts.other):
            _hidden_words(call, place, text, own, language)
    call.found(Effect.READ, GateReason.INLINE_CODE_ONLY_COMPUTES_AND_PRINTS.of(name=call.name), place)


def look_at_environment(
    call: Call, code: str, place: Word, environment: re.Pattern[str], variables: re.Pattern[str]
) -> None:
    """One variable is shown if its name tells nothing secret; all of them are secret."""
    names = [next(filter(None, found.groups()), "") for found in variables.finditer(code)]
    if len(names) < len(environment.findall(code)):
        call.flag(Flag.SECRET, GateReason.SHOWS_ALL_VARIABLES_ALSO_TOKENS.of(name=call.name), place)
    elif any(map(SECRET_VARIABLE.search, names)):
        call.flag(Flag.SECRET, GateReason.SHOWS_A_VARIABLE_WITH_SECRETS.of(name=call.name), place)


def _own_names(bare: str, language: LanguageWords) -> set[str]:
    """What the code itself gives a value."""
    own = {name for found in language.defines.finditer(bare) for name in found.groups() if name}
    return own | {name for group in list(own) for name in re.findall(r"\w+", group)}


def _words(call: Call, place: Word, bare: str, own: set[str], language: LanguageWords) -> None:
    before = rf"(?<![\w{re.escape(language.sigils)}])[A-Za-z_]" if language.sigils else "[A-Za-z_$]"
    for word in re.findall(rf"{before}\w*[?!]?", bare):
        if word in language.effects:
            call.found(
                language.effects[word], GateReason.INLINE_CODE_CALLS.of(name=call.name, text=word), place
            )
        elif not _is_known(word, own, language):
            call.found(
                Effect.UNKNOWN, GateReason.INLINE_CODE_USES.of(name=call.name, text=shown(word, 30)), place
            )


def _is_known(word: str, own: set[str], language: LanguageWords) -> bool:
    plain = word.rstrip("?!")
    return word in language.harmless or plain in language.harmless or word in own or plain in own


def _hidden_words(call: Call, place: Word, text: str, own: set[str], language: LanguageWords) -> None:
    """A text that may be none: words that do something, and calls that are not known, count."""
    for found in re.finditer(r"([A-Za-z_]\w*[?!]?)\s*(\(?)", text):
        word = found[1]
        if word in language.effects:
            call.found(
                language.effects[word], GateReason.INLINE_CODE_MAY_CALL.of(name=call.name, text=word), place
            )
        elif found[2] and not _is_known(word, own, language):
            call.found(
                Effect.UNKNOWN,
                GateReason.INLINE_CODE_MAY_CALL.of(name=call.name, text=shown(word, 30)),
                place,
            )
