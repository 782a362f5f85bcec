"""set, shopt, setopt: options of the shell itself."""

from __future__ import annotations

from desktop.gate.shell.call import Call
from desktop.gate.shell.reading import shown
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.vocabulary import vocabulary
from desktop.gate.shell.words import Word
from desktop.gate.verdict import Effect, Flag

# Letters and names that change how the line fails, prints or finds files, not what its words mean.
LETTERS = frozenset("abefhmnptuvxBCEPT")
NAMES = vocabulary("shell").words("options")


def judge_set(call: Call, _spec: Spec) -> None:
    """Options that are known to be harmless; `set` alone shows every variable."""
    call.found(Effect.READ, f"{call.name} only changes this shell")
    if call.name == "set":
        _set(call)
        return
    for word in call.arguments:
        if word.text.lower() not in NAMES and not _is_letters(word, "supqo"):
            _unknown(call, word)


def _set(call: Call) -> None:
    if not call.arguments and not call.filtered:
        call.flag(Flag.SECRET, "set shows all variables, also tokens")
    words = list(call.arguments)
    while words:
        word = words.pop(0)
        if word.text in ("--", "-") or word.text[:1] not in ("-", "+"):
            return  # the rest are parameters
        letters = word.text[1:]
        if letters.endswith("o") and letters[:-1] != "-":
            if words and words.pop(0).text not in NAMES:
                _unknown(call, word)
            letters = letters[:-1]
        if not set(letters) <= LETTERS:
            _unknown(call, word)


def _is_letters(word: Word, letters: str) -> bool:
    return word.text[:1] in ("-", "+") and set(word.text[1:]) <= set(letters)


def _unknown(call: Call, word: Word) -> None:
    call.found(Effect.UNKNOWN, f"{call.name} {shown(word.text)} is not known to be harmless", word)
