"""The redactor of the program, made once: compiling its rules takes longer than most tests."""

from __future__ import annotations

from functools import cache

from desktop.gate.redaction import Redactor, read_rules
from desktop.paths import resources


@cache
def redactor() -> Redactor:
    return Redactor(read_rules(resources() / "redaction.toml"))
