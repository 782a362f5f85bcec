"""The time, the computer, and commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect
from desktop.sandbox.confinement import Method, available
from desktop.sandbox.process import Limits
from desktop.sandbox.workspace import Workspace
from desktop.tools.run_command import CommandTool
from desktop.tools.system_info import system_info, time_tool
from desktop.tools.text import head_tail
from desktop.tools.tool import Running
from tests.shipped import command_tables


def test_the_time_has_date_weekday_and_zone() -> None:
    """All that a question about today may need."""
    at = datetime(2026, 11, 20, 8, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    said = str(time_tool(lambda: at).function())
    assert all(part in said for part in ("08:30", "Friday", "2026-11-20", "CET", "+0100"))


def test_the_computer_tells_memory_disks_and_addresses() -> None:
    """One line each, without a shell."""
    said = system_info()
    assert all(word in said for word in ("Memory:", "Processor:", "Battery:", "IP address"))
    assert "127.0.0.1" not in said


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[CommandTool]:
    workspace = Workspace(tmp_path)
    classifier = Classifier(command_tables())
    yield CommandTool(workspace, classifier, lambda: available().best)
    workspace.close()


def test_a_command_runs_in_the_workspace(commands: CommandTool, tmp_path: Path) -> None:
    """Its output comes back; an error has its code."""
    assert commands.run_command("pwd", Running("c")).text == str(tmp_path)
    failed = commands.run_command("exit 3", Running("c"))
    assert ("[exit code 3]" in failed.text, failed.exit_code) == (True, 3)


def test_a_command_that_reads_is_kept_from_writing(tmp_path: Path) -> None:
    """Classed READ it runs confined and needs no question; where nothing confines, it asks."""
    workspace = Workspace(tmp_path)
    classifier = Classifier(command_tables())
    confined = CommandTool(workspace, classifier, lambda: available().best).tool()
    bare = CommandTool(workspace, classifier, lambda: Method.NONE).tool()
    assert confined.plan is not None
    assert bare.plan is not None
    assert confined.plan(command="ls -la").effect is Effect.READ
    assert bare.plan(command="ls -la").effect is Effect.UNKNOWN
    assert confined.plan(command="touch a").effect is Effect.CREATE
    assert confined.plan(command="rm a").effect is Effect.DELETE
    workspace.close()


def test_a_plan_has_what_grants_and_rules_look_at(commands: CommandTool, tmp_path: Path) -> None:
    """Its parts, its commands in plain words, whether all of it can be read off; the disk counts too."""
    plan = commands.tool().plan
    assert plan is not None
    made = plan(command="touch a && 'e'cho b")
    assert (made.is_static, made.parts) == (True, ("touch a", "'e'cho b"))
    assert made.commands == ("touch a", "echo b")
    assert not plan(command="touch $X").is_static
    (tmp_path / "a").write_text("")
    assert plan(command="touch a").effect is Effect.UPDATE


def test_a_command_without_an_end_is_ended(commands: CommandTool) -> None:
    """After its time the whole tree is gone, and the model is told."""
    ended = commands.run_command("sleep 60 & sleep 60", Running("c", timeout_s=1.0))
    assert ("[stopped after 1 seconds]" in ended.text, ended.exit_code) == (True, -1)


def test_a_stopped_command_ends_at_once(commands: CommandTool) -> None:
    """Stop reaches the child, also when it came first."""
    running = Running("c")
    running.stop()
    assert "[stopped by the user]" in commands.run_command("touch begun; sleep 60", running).text
    assert not (commands._workspace.root / "begun").exists()


LIMITED = [
    ("head -c 2000000 /dev/zero > a", "[stopped: a file grew beyond 1.0 MB]"),
    ("python3 -c \"open('a', 'wb').write(bytes(2000000))\"", "[no file may grow beyond 1.0 MB]"),
    ("python3 -c \"import time; x = b'x' * 200_000_000; time.sleep(60)\"", "100.0 MB of memory"),
    ("for i in {1..300}; do sleep 60 & done; wait", "[stopped: more than 200 processes at the same time]"),
    ("yes", "[stopped: more than 5.0 MB of output]"),
    ("kill -9 $PPID; sleep 60", "[stopped: it ended the process that watches over it"),
    ('python3 -c "import os; [os.dup(1) for _ in range(100_000)]"', "more than 256 files open]"),
]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the supervisor is for Linux")
@pytest.mark.parametrize(("line", "sentence"), LIMITED)
def test_a_limit_that_is_reached_is_said(tmp_path: Path, line: str, sentence: str) -> None:
    """The model and the card hear which limit it was, and how high."""
    workspace = Workspace(tmp_path)
    classifier = Classifier(command_tables())
    limits = Limits(memory_bytes=100_000_000, file_bytes=1_000_000, flood_bytes=5_000_000, open_files=256)
    commands = CommandTool(workspace, classifier, lambda: Method.NONE, lambda: limits)
    ended = commands.run_command(line, Running("c"))
    workspace.close()
    assert sentence in ended.text
    assert ended.exit_code != 0


@pytest.mark.skipif(os.name != "posix", reason="written for a shell of POSIX")
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("sleep 60 & echo begun", "begun\n[a process that it had left running was ended]"),
        (
            "setsid sh -c 'setsid sleep 60 & setsid sleep 60 &' & sleep 0.5; exit 3",
            "(no output)\n[exit code 3] [2 processes that it had left running were ended]",
        ),
        ("true", "(no output)"),
    ],
)
def test_what_was_ended_with_a_command_is_said(commands: CommandTool, line: str, sentence: str) -> None:
    """Or a model would tell that the server it has started in the background runs."""
    assert commands.run_command(line, Running("c")).text == sentence


def test_long_texts_keep_head_and_tail() -> None:
    """The notice counts what is missing, and no letter is cut in half."""
    cut = head_tail("ä" * 5000, 1000)
    assert "9,000 bytes left out" in cut
    assert set(cut.splitlines()[0]) == {"ä"}
    assert head_tail("short") == "short"
