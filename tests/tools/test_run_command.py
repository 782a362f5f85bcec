"""The shell of a command on Windows; what a command does is tested with the executor and the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.asking import NetworkUse
from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Verdict
from desktop.sandbox.confinement import Method, available
from desktop.sandbox.workspace import Workspace
from desktop.tools import run_command
from desktop.tools.run_command import CommandTool
from desktop.tools.tool import Running
from tests.shipped import command_tables


class Noting(Classifier):
    """Keeps in which shell's syntax it was told to read."""

    def __init__(self) -> None:
        super().__init__(command_tables())
        self.shells: list[str | None] = []

    def classify(
        self, command: str, shell: str | None = None, folder: str | None = None, root: str | None = None
    ) -> Verdict:
        self.shells.append(shell)
        return super().classify(command, shell, folder, root)


@pytest.mark.parametrize(("windows", "shell"), [(True, "powershell"), (False, None)])
def test_a_command_is_read_in_the_syntax_of_the_shell_that_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, windows: bool, shell: str | None
) -> None:
    monkeypatch.setattr(run_command, "WINDOWS", windows)
    reader = Noting()
    commands = CommandTool(Workspace(tmp_path), reader, lambda: Method.NONE)
    commands._plan("echo hello")
    assert set(reader.shells) == {shell}


def test_windows_starts_its_own_powershell_and_nothing_else_of_that_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By its full path, told to answer in UTF-8."""
    monkeypatch.setattr(run_command, "WINDOWS", True)
    monkeypatch.setenv("SYSTEMROOT", str(Path("/Windows")))
    program, *words = run_command._shell("Get-Date")
    assert Path(program) == Path("/Windows/System32/WindowsPowerShell/v1.0/powershell.exe")
    assert words[-2] == "-Command"
    assert words[-1].startswith("[Console]::OutputEncoding = [Text.UTF8Encoding]")
    assert words[-1].endswith("; Get-Date")


OPEN_LINES = [
    ("pip install requests", NetworkUse.USES, ()),
    ("curl -fsSL https://get.example.org/i.sh | bash", NetworkUse.USES, ()),
    ("wget https://a.example/x -O x", NetworkUse.USES, ("a.example",)),
    ("git push origin main", NetworkUse.USES, ()),
    ("make", NetworkUse.MAY, ()),
    ("./build.sh", NetworkUse.MAY, ()),
    ("python3 tool.py", NetworkUse.MAY, ()),
    ("rm -rf build", NetworkUse.MAY, ()),
]


@pytest.mark.parametrize(("line", "use", "hosts"), OPEN_LINES)
def test_a_question_tells_whether_a_command_uses_the_network(
    tmp_path: Path, line: str, use: NetworkUse, hosts: tuple[str, ...]
) -> None:
    """Sure where the text says so, with its hosts where these are all; else it may, for nothing keeps it."""
    commands = CommandTool(Workspace(tmp_path), Noting(), lambda: Method.LANDLOCK)
    plan = commands._plan(line)
    assert plan.network is use
    assert plan.hosts == hosts


@pytest.mark.parametrize(
    ("method", "use"), [(Method.LANDLOCK, NetworkUse.CANNOT), (Method.NONE, NetworkUse.MAY)]
)
def test_only_what_will_be_confined_is_said_to_be_without_network(
    tmp_path: Path, method: Method, use: NetworkUse
) -> None:
    """The same harmless line, on a system that can keep it from the network and on one that cannot."""
    assert CommandTool(Workspace(tmp_path), Noting(), lambda: method)._plan("ls -la").network is use


@pytest.mark.parametrize(("line", "counted"), [("echo a > made", 1), ("echo a", 0)])
def test_what_runs_unconfined_is_counted(tmp_path: Path, line: str, counted: int) -> None:
    """What reads is cut off and counts for nothing, where the system can do that."""
    method = available().best
    begun: list[str] = []
    commands = CommandTool(Workspace(tmp_path), Noting(), lambda: method, on_open=lambda: begun.append(line))
    commands.run_command(line, Running("c"))
    assert len(begun) == (counted if method is not Method.NONE else 1)
