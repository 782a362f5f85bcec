"""Inline code of script languages: harmless when every word in it is known to be, unknown otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from desktop.gate.shell.call import Call
from desktop.gate.shell.reading import shown
from desktop.gate.shell.words import OPAQUE, OUTPUT, VARIABLE, Word
from desktop.gate.verdict import Effect


@dataclass(frozen=True)
class Language:
    """`harmless` words compute, read or print; `effects` are the others that are known."""

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


def read_tokens(call: Call, code: str, place: Word, language: Language) -> None:
    """Judge inline code by its words."""
    what = f"{call.name}: inline code"
    if OUTPUT in code or OPAQUE in code:
        call.found(Effect.UNKNOWN, f"{what} is made at run time", place)
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
        call.found(Effect.UNKNOWN, f"{what} uses {shown(forbidden[0])}", place)
    inner = " ".join(
        next(filter(None, found.groups()), "")
        for text in language.strings.finditer(code)
        for found in language.inside.finditer(text[0])
    )
    bare = language.comments.sub(" ", language.strings.sub(" '' ", code)) + " " + inner
    own = {name for found in language.defines.finditer(bare) for name in found.groups() if name}
    own |= {name for group in list(own) for name in re.findall(r"\w+", group)}
    for word in (
        re.findall(rf"(?<![\w{re.escape(language.sigils)}])[A-Za-z_]\w*[?!]?", bare)
        if language.sigils
        else re.findall(r"[A-Za-z_$]\w*[?!]?", bare)
    ):
        if word in language.effects:
            call.found(language.effects[word], f"{what} calls {word}", place)
        elif (
            word not in language.harmless
            and word.rstrip("?!") not in own
            and word not in own
            and word.rstrip("?!") not in language.harmless
        ):
            call.found(Effect.UNKNOWN, f"{what} uses {shown(word, 30)}", place)
    call.found(Effect.READ, f"{what} only computes and prints", place)
