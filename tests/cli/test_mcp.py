"""`steward mcp`: the verbs, through the real command line and a real server."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.cli import main
from tests.mcp.conftest import HOSTILE, needs_confinement

SERVER = ["--", sys.executable, "-I", "-S", str(HOSTILE)]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def verb(*words: str) -> tuple[int, str, str]:
        code = main(["--profile", str(tmp_path / "profile"), "mcp", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return verb


def test_a_server_is_added_listed_called_and_removed(run: Run) -> None:
    """With its tools, what it may do, and its log."""
    code, said, _ = run("add", "it", *SERVER)
    assert code == 0
    assert "Added it, with 2 tools." in said
    (listed,) = json.loads(run("list", "--json")[1])
    assert (listed["name"], listed["tools"]) == ("it", 2)
    assert run("call", "it", "echo", '{"text": "hello"}', "--yes")[:2] == (0, "hello\n")
    assert "Started in" in run("log", "it")[1]
    assert run("off", "it")[0] == 0
    assert "switched off" in run("call", "it", "echo")[2]
    assert run("on", "it")[0] == 0
    assert run("remove", "it")[0] == 0
    assert "There are no servers." in run("list")[1]


@needs_confinement
def test_without_a_person_a_call_that_asks_is_not_made(run: Run, tmp_path: Path) -> None:
    """The reason is on stderr: nobody was there to say no."""
    work = tmp_path / "work"
    work.mkdir()
    run("add", "it", "--folder", str(work), *SERVER)
    code, said, error = run("call", "it", "act", '{"text": "Path(\'made\').touch()"}')
    assert (code, said) == (1, "")
    assert "nobody at the terminal to ask" in error
    assert not (work / "made").exists()


def test_what_changed_is_shown_until_it_is_agreed_to(run: Run, tmp_path: Path) -> None:
    """`tools` starts the server and compares."""
    mark = tmp_path / "mark"
    run("add", "it", *SERVER, "changes", str(mark))
    mark.touch()
    said = run("tools", "it")[1]
    assert "+Deletes everything." in said
    assert "Held back until you agree" in said
    assert "Held back" not in run("tools", "it", "--agree")[1]


def test_a_list_is_shown_and_taken_switched_off(run: Run, tmp_path: Path) -> None:
    """Nothing is added without a yes, and what is there already stays as it is."""
    file = tmp_path / "list.json"
    servers = {"a": {"command": "npx", "args": ["x"]}, "odd": {"cmd": "npx"}}
    file.write_text(json.dumps({"mcpServers": servers}))
    code, said, error = run("import", str(file))
    shown, left_out = said.splitlines()
    assert (code, shown) == (1, "a: npx x")
    assert left_out.endswith(": odd.")
    assert "Nothing was added." in error
    assert run("import", str(file), "--yes")[0] == 0
    assert "a (off, tools not known yet): npx x" in run("list")[1]
    assert "(there already)" in run("import", str(file), "--yes")[1]


def test_an_imported_server_that_is_switched_on_shows_its_tools(run: Run, tmp_path: Path) -> None:
    """It is started once for that: what is not known is never offered. One that does not start stays off."""
    file = tmp_path / "list.json"
    good, bad = {"command": SERVER[1], "args": SERVER[2:]}, {"command": "no-such-program-anywhere"}
    file.write_text(json.dumps({"mcpServers": {"good": good, "bad": bad}}))
    run("import", str(file), "--yes")
    assert run("on", "good")[:2] == (
        0,
        "good is on, with 2 tools. It is started when one of them is called.\n",
    )
    code, _, error = run("on", "bad")
    assert code == 1
    assert "not installed" in error
    assert "bad (off, " in run("list")[1]


@needs_confinement
def test_what_a_server_may_do_is_changed(run: Run, tmp_path: Path) -> None:
    """What is not named stays; a folder that is not there is told."""
    run("add", "it", *SERVER)
    assert str(tmp_path) in run("allow", "it", "--folder", str(tmp_path))[1]
    said = run("allow", "it", "--network")[1]
    assert str(tmp_path) in said
    assert "ask" in said or "network" in said or "computers" in said
    assert str(tmp_path) not in run("allow", "it", "--no-folders")[1]
    assert run("allow", "it", "--folder", str(tmp_path / "none"))[0] == 1
    assert run("allow", "it", "--folder", str(tmp_path), "--no-folders")[0] == 2


def test_arguments_that_are_no_object_are_told(run: Run) -> None:
    """Nothing is called then."""
    run("add", "it", *SERVER)
    assert "not a JSON object" in run("call", "it", "echo", "[1]")[2]
    assert run("add", "other", "--env", "nothing", *SERVER)[0] == 2
