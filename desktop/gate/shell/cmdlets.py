"""PowerShell's own words: verbs, cmdlets that differ from their verb, aliases, methods."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop.gate.shell.vocabulary import vocabulary
from desktop.gate.shell.words import Word
from desktop.gate.verdict import Effect

WORDS = vocabulary("powershell")
VERBS = WORDS.section("verbs").effects()
CMDLETS = WORDS.section("cmdlets").effects()
ALIASES = WORDS.section("aliases").pairs("words")
ON_NETWORK = WORDS.section("network").words("uses")
WEB_METHODS = {
    "post": Effect.CREATE,
    "put": Effect.UPDATE,
    "patch": Effect.UPDATE,
    "delete": Effect.DELETE,
    "get": Effect.READ,
    "head": Effect.READ,
    "options": Effect.READ,
}


def cmdlet_effect(name: str, words: Sequence[Word]) -> Effect | None:
    """The class of a cmdlet, None when its verb is not known."""
    texts = [word.text.lower() for word in words]
    if any(re.fullmatch(r"-wh(?:a(?:t(?:if?)?)?)?(?::\$?true)?", text) for text in texts):
        return Effect.READ
    if name in ("invoke-webrequest", "invoke-restmethod"):
        return _web(texts)
    if name == "invoke-command" and any(text.startswith("-file") for text in texts):
        return Effect.UNKNOWN
    if name in ("invoke-command", "foreach-object", "where-object") and not any(
        "{" in text for text in texts
    ):
        return Effect.UNKNOWN if name == "invoke-command" else Effect.READ
    if name == "tee-object":
        return Effect.READ if any(text.startswith("-var") for text in texts) else Effect.CREATE
    if name == "import-module" and any(
        "/" in text or "\\" in text or text.endswith((".psm1", ".psd1", ".dll")) for text in texts
    ):
        return Effect.UNKNOWN
    if name in CMDLETS:
        return CMDLETS[name]
    return VERBS.get(name.partition("-")[0])


def _web(texts: list[str]) -> Effect:
    effect = Effect.READ
    for number, text in enumerate(texts):
        following = texts[number + 1] if number + 1 < len(texts) else ""
        if text in ("-method", "-custommethod", "-m", "-me", "-met"):
            effect = max(effect, WEB_METHODS.get(following, Effect.UNKNOWN))
        elif text in ("-outfile", "-outf", "-infile", "-form") or (
            text == "-body" and "-method" not in texts
        ):
            effect = max(effect, Effect.CREATE)
    return effect


SAFE_TYPES = WORDS.section("types").words("safe")
METHODS = {
    (name, method): effect
    for name in WORDS.section("methods").sections()
    for method, effect in WORDS.section("methods", name).effects().items()
}
