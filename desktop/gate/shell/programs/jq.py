"""jq: it only computes and prints, but it sees all variables of the environment."""

from __future__ import annotations

import re

from desktop.gate.shell.call import Call
from desktop.gate.shell.programs.tokens import look_at_environment
from desktop.gate.shell.tables import Spec
from desktop.gate.verdict import Effect

# `.env` and `{env: …}` are fields of what is read; a text without an escape holds no code.
ENVIRONMENT = re.compile(r"\$ENV\b|(?<![\w.$\"'])env\b(?!\s*:|\")")
ONE_VARIABLE = re.compile(r"(?:\$ENV|(?<![\w.$\"'])env)\s*(?:\.\s*\"?(\w+)|\[\s*\"(\w+)\"\s*\])")
TEXT = re.compile(r"(?<!\[)\"[^\"\\]*\"")


def judge_jq(call: Call, _spec: Spec) -> None:
    call.found(Effect.READ, f"{call.name} only prints")
    for word in call.arguments:
        if word.text[:1] != "-":
            look_at_environment(call, TEXT.sub("0", word.text), word, ENVIRONMENT, ONE_VARIABLE)
        elif re.match(r"-[a-zA-Z]*i|--in-place", word.text):
            call.found(Effect.UPDATE, f"{call.name} edits files in place", word)
