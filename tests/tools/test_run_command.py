"""The shell of a command on Windows; what a command does is tested with the executor and the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.gate.shell.classify import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Verdict
from desktop.paths import resources
from desktop.sandbox.confinement import Method
from desktop.sandbox.workspace import Workspace
from desktop.tools import run_command
from desktop.tools.run_command import Commands


class Noting(Classifier):
    """Keeps in which shell's syntax it was told to read."""

    def __init__(self) -> None:
        super().__init__(Tables(resources() / "commands"))
        self.shells: list[str | None] = []

    def classify(self, command: str, shell: str | None = None, folder: str | None = None) -> Verdict:
        self.shells.append(shell)
        return super().classify(command, shell, folder)


@pytest.mark.parametrize(("windows", "shell"), [(True, "powershell"), (False, None)])
def test_a_command_is_read_in_the_syntax_of_the_shell_that_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, windows: bool, shell: str | None
) -> None:
    monkeypatch.setattr(run_command, "WINDOWS", windows)
    reader = Noting()
    commands = Commands(Workspace(tmp_path), reader, lambda: Method.NONE)
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
