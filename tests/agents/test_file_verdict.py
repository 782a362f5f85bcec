"""What an agent's file tools do, told by the places they touch."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.agents.action import Action, ActionKind, Moment
from desktop.agents.file_verdict import places, target, verdict_on
from desktop.gate.verdict import Effect, Flag, Gate, Verdict

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-1\n+2\n*** Delete File: {}\n*** End Patch\n"


def action(kind: ActionKind, folder: Path, path: str = "", diff: str = "", url: str = "") -> Action:
    return Action("any", Moment.BEFORE, kind, "Tool", path=path, diff=diff, url=url, folder=folder)


def judged(
    kind: ActionKind, folder: Path, path: str = "", own: Path | None = None, diff: str = ""
) -> Verdict:
    asked = action(kind, folder, path, diff)
    return verdict_on(asked, places(asked, (own,) if own else ()))


@pytest.mark.parametrize(
    ("kind", "path", "effect", "flags"),
    [
        (ActionKind.WRITE, "new.txt", Effect.CREATE, set()),
        (ActionKind.WRITE, "here.txt", Effect.UPDATE, set()),
        (ActionKind.WRITE, "no/such/folder/a", Effect.CREATE, set()),
        (ActionKind.EDIT, "here.txt", Effect.UPDATE, set()),
        (ActionKind.DELETE, "here.txt", Effect.DELETE, set()),
        (ActionKind.READ, "here.txt", Effect.READ, set()),
        (ActionKind.READ, "/proc/self/cwd/here.txt", Effect.READ, set()),
        (ActionKind.WRITE, "/proc/self/cwd/new.txt", Effect.CREATE, set()),
        (ActionKind.WRITE, "/proc/self/cwd/../out.txt", Effect.CREATE, {Flag.OUTSIDE}),
        (ActionKind.WRITE, "/proc/1/cwd/new.txt", Effect.CREATE, {Flag.OUTSIDE}),
        (ActionKind.WRITE, "../out.txt", Effect.CREATE, {Flag.OUTSIDE}),
        (ActionKind.WRITE, "sub/../../out.txt", Effect.CREATE, {Flag.OUTSIDE}),
        (ActionKind.WRITE, "away/out.txt", Effect.CREATE, {Flag.OUTSIDE}),
        (ActionKind.READ, ".env", Effect.READ, {Flag.SECRET}),
        (ActionKind.READ, "plain.txt", Effect.READ, {Flag.SECRET, Flag.OUTSIDE}),
        (ActionKind.EDIT, ".claude/settings.json", Effect.UPDATE, {Flag.GATE}),
        (ActionKind.WRITE, ".github/hooks/a.json", Effect.CREATE, {Flag.GATE}),
        (ActionKind.READ, ".claude/settings.json", Effect.READ, set()),
        (ActionKind.WRITE, "own/a", Effect.CREATE, {Flag.GATE}),
        (ActionKind.READ, "own/a", Effect.READ, {Flag.SECRET}),
    ],
)
def test_a_place_says_what_it_is(
    tmp_path: Path, kind: ActionKind, path: str, effect: Effect, flags: set[Flag]
) -> None:
    """New or there, inside or not, secret, or the gate's own; links are followed."""
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / "own").mkdir()
    (folder / "here.txt").write_text("x")
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_rsa").write_text("x")
    (folder / "away").symlink_to(tmp_path)
    (folder / "plain.txt").symlink_to(tmp_path / ".ssh" / "id_rsa")
    verdict = judged(kind, folder, path, own=folder / "own")
    assert (verdict.effect, set(verdict.flags)) == (effect, flags)
    asks = effect is not Effect.READ or bool(flags & {Flag.SECRET, Flag.GATE})
    assert verdict.gate is (Gate.ASK if asks else Gate.ALLOW)


@pytest.mark.parametrize(
    ("also", "flags"),
    [
        ((".env",), {Flag.SECRET}),
        (("**/*.pem",), {Flag.SECRET}),
        (("*.{py,env}", "*.{md,pem}"), {Flag.SECRET}),
        (("a.md", "config/credentials.json"), {Flag.SECRET}),
        (("*.ts, .env",), {Flag.SECRET}),
        (("../.ssh/id_rsa",), {Flag.SECRET, Flag.OUTSIDE}),
        (("away/.ssh/*",), {Flag.SECRET, Flag.OUTSIDE}),
        (("plain.txt",), {Flag.SECRET, Flag.OUTSIDE}),
        (("*",), set()),
        (("**/*.{ts,tsx}", "src/**"), set()),
        (("*.py", "!.env"), set()),
        (("!**/*.pem",), set()),
    ],
)
def test_what_is_chosen_below_a_folder_counts(
    tmp_path: Path, also: tuple[str, ...], flags: set[Flag]
) -> None:
    """A search of contents in `.env` reads it; a list of names does not."""
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_rsa").write_text("x")
    (folder / "away").symlink_to(tmp_path)
    (folder / "plain.txt").symlink_to(tmp_path / ".ssh" / "id_rsa")
    asked = replace(action(ActionKind.READ, folder, str(folder)), also=also)
    assert set(verdict_on(asked, places(asked, ())).flags) == flags
    listed = replace(asked, only_names=True)
    assert verdict_on(listed, places(listed, ())).flags == frozenset()


@pytest.mark.parametrize("path", ["~", "..", "/", "/etc", "/home/u/.config"])
def test_a_search_from_a_home_folder_on_is_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """The files in it are read, whichever; their names alone are none."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "project"
    folder.mkdir()
    asked = action(ActionKind.READ, folder, path)
    assert Flag.SECRET in verdict_on(asked, places(asked, ())).flags
    listed = replace(asked, only_names=True)
    assert Flag.SECRET not in verdict_on(listed, places(listed, ())).flags


def test_too_many_chosen_files_are_not_read_off(tmp_path: Path) -> None:
    """And ask."""
    asked = replace(
        action(ActionKind.READ, tmp_path, str(tmp_path)), also=tuple(f"{number}.md" for number in range(500))
    )
    assert verdict_on(asked, places(asked, ())).gate is Gate.ASK


def test_without_a_folder_everything_is_outside(tmp_path: Path) -> None:
    """The agent did not say where it works."""
    assert Flag.OUTSIDE in judged(ActionKind.WRITE, Path("/"), str(tmp_path / "a")).flags


def test_a_patch_is_as_grave_as_its_worst_file(tmp_path: Path) -> None:
    """All of its files count, each with its place."""
    verdict = judged(ActionKind.EDIT, tmp_path, "a.py", diff=PATCH.format(".env"))
    assert verdict.effect is Effect.DELETE
    assert Flag.SECRET in verdict.flags
    assert verdict.touched == (str(tmp_path / "a.py"), str(tmp_path / ".env"))


@pytest.mark.parametrize(("path", "diff"), [("", ""), ("a\0b", ""), ("a", "*** Begin Patch\n*** What: a\n")])
def test_what_cannot_be_read_off_is_unknown(tmp_path: Path, path: str, diff: str) -> None:
    """And asks."""
    verdict = judged(ActionKind.EDIT, tmp_path, path, diff=diff)
    assert (verdict.effect, verdict.gate) == (Effect.UNKNOWN, Gate.ASK)


@pytest.mark.parametrize("kind", [ActionKind.MCP, ActionKind.OTHER])
def test_what_nobody_knows_is_unknown(tmp_path: Path, kind: ActionKind) -> None:
    """An MCP tool can do anything."""
    assert judged(kind, tmp_path).effect is Effect.UNKNOWN


@given(text=st.text(max_size=30))
def test_any_name_gets_a_verdict(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """No file name breaks it, and changing a file never passes unasked."""
    folder = tmp_path_factory.getbasetemp()
    assert judged(ActionKind.WRITE, folder, text).gate is Gate.ASK
    assert judged(ActionKind.READ, folder, text).effect in (Effect.READ, Effect.UNKNOWN)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://docs.example:8443/a?b", "docs.example"),
        ("sqlite wal mode", "the web"),
        ("http://[broken", "the web"),
        ("https://me@evil.example", "evil.example"),
    ],
)
def test_a_request_names_where_it_goes(tmp_path: Path, url: str, host: str) -> None:
    """The computer, not what stands before an @."""
    assert target(action(ActionKind.FETCH, tmp_path, url=url)) == host
    assert judged(ActionKind.FETCH, tmp_path).flags == {Flag.SENDS}


def test_a_hard_link_is_changed_outside_too(tmp_path: Path) -> None:
    """What an agent writes into it changes the other name's file; a file with one name does not."""
    (tmp_path / "project").mkdir()
    for name in ("project/plain", "outside"):
        (tmp_path / name).write_text("")
    os.link(tmp_path / "outside", tmp_path / "project" / "link")
    flags = {
        name: judged(ActionKind.EDIT, tmp_path / "project", name).flags for name in ("plain", "link", "new")
    }
    assert {name for name, found in flags.items() if Flag.OUTSIDE in found} == {"link"}
