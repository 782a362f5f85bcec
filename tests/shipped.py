"""What the program ships and never changes, read once: that takes longer than most tests."""

from __future__ import annotations

from functools import cache

from desktop.gate.redaction import Redactor, read_rules
from desktop.gate.shell.tables import Tables
from desktop.paths import resources


@cache
def redactor() -> Redactor:
    return Redactor(read_rules(resources() / "redaction.toml"))


@cache
def command_tables() -> Tables:
    return Tables(resources() / "commands")
