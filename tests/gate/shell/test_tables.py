"""The command tables: every one can be read, and what cannot is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.gate.shell.programs import HANDLERS, SUB_HANDLERS, load_all
from desktop.gate.shell.tables import Spec, Tables
from desktop.gate.verdict import Effect


def test_every_table_can_be_read(tables: Tables) -> None:
    """Keys, classes, braces and handlers of all programs are known."""
    for name in tables.names():
        spec = tables.spec(name)
        assert spec is not None, name
        for each in (spec, *spec.subs.values(), *(sub for _, sub in spec.globs)):
            assert not each.handler or each.handler in HANDLERS or each.handler in SUB_HANDLERS, name


def test_every_handler_exists() -> None:
    """A name in the list without a function would only fail at its first command."""
    load_all()


def test_thousands_of_programs_are_known(tables: Tables) -> None:
    """A table that is lost by accident is noticed."""
    assert len(set(tables.names())) > 3000


def build(folder: Path, text: str) -> Spec | None:
    (folder / "x.toml").write_text(text, encoding="utf-8")
    return Tables(folder).spec("tool")


def test_adding_a_program_is_one_table(tmp_path: Path) -> None:
    """Subcommands by class, options that flip it."""
    spec = build(
        tmp_path, '[tool]\nREAD = "list show/{a,b}"\nDELETE = "rm"\noptions = { "--force" = "DELETE" }\n'
    )
    assert spec is not None
    found = spec.find(("show", "b"))
    assert found is not None
    assert found.effect is Effect.READ
    assert spec.options["--force"].raises is Effect.DELETE


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[tool]\nclas = "READ"', "unknown keys"),
        ('[tool]\nclass = "MAYBE"', "is no class"),
        ('[tool]\noptions = { "-o" = "fil" }', "is not known"),
        ('[tool]\nREAD = "{a,b"', "do not match"),
    ],
)
def test_a_slip_in_a_table_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    """Whoever adds a program learns what is wrong with it."""
    with pytest.raises(ValueError, match=complaint):
        build(tmp_path, text)
