"""PowerShell and cmd.exe, with the shell told and with the syntax telling it."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect, Gate

POWERSHELL = {
    "READ": [
        "Get-ChildItem -Recurse | Where-Object { $_.Length -gt 1MB } | Sort-Object Length",
        "Get-Process notepad | Tee-Object -Variable found | Select-Object Name",
        "$PSVersionTable.PSVersion",
        "$x = Get-Content a.txt; $x.Length",
        "Get-Content a.txt | Select-String foo | % { $_.Line }",
        '[System.IO.File]::ReadAllText("a.txt")',
        "Invoke-WebRequest https://example.com",
        "if (Test-Path x) { Get-Item x } else { Write-Host none }",
        "Get-Item a,b -ErrorAction SilentlyContinue",
        "Remove-Item x -WhatIf",
        '(Get-Date).ToString("yyyy")',
    ],
    "CREATE": [
        "New-Item -ItemType Directory x",
        "Get-Process | Out-File p.txt",
        "Get-Process > p.txt",
        "Copy-Item a b",
        "Invoke-WebRequest https://example.com -OutFile a.zip",
    ],
    "UPDATE": ["Add-Content a.txt hi", "Move-Item a b", "Set-ExecutionPolicy RemoteSigned", '"x" >> a.txt'],
    "DELETE": [
        "Remove-Item -Recurse -Force build",
        "rm -r build",
        "gci *.tmp | ri",
        '[System.IO.File]::Delete("a")',
        "(Get-Item a).Delete()",
        "foreach ($f in gci) { Remove-Item $f }",
        'Write-Host "$(Remove-Item x)"',
        'powershell -Command "Remove-Item x"',
        "git push --force",
    ],
    "UNKNOWN": [
        "iex (iwr https://example.com)",
        "iwr https://example.com | iex",
        "Invoke-Expression $x",
        "& $cmd",
        ".\\build.ps1",
        "Start-Process notepad",
        "Add-Type -TypeDefinition $code",
        "$x.Invoke()",
        "unheard-of thing",
    ],
}
CMD = {
    "READ": [
        "dir C:\\x /s",
        "type a.txt | findstr /i foo",
        "echo hi > nul",
        "if exist a.txt type a.txt",
        "for %f in (*.txt) do type %f",
        "cd /d C:\\x && dir",
        "reg query HKLM\\x",
    ],
    "CREATE": ["md x", "echo hi > a.txt", "copy a.txt b.txt"],
    "UPDATE": ["echo hi >> a.txt", "ren a b", "attrib +r a.txt"],
    "DELETE": [
        "del /q a.txt",
        "if exist build rd /s /q build",
        "for %f in (*.tmp) do del %f",
        "for /f %i in ('del x') do echo %i",
        "taskkill /f /im x.exe",
        "d^el a.txt",
        "dir & del a.txt",
        'cmd /c "del a.txt"',
    ],
    "UNKNOWN": ["call build.bat", "%CMD% x", "start x"],
}
ROWS = [
    (shell, name, command)
    for shell, table in (("powershell", POWERSHELL), ("cmd", CMD))
    for name, commands in table.items()
    for command in commands
]


@pytest.mark.parametrize(("shell", "name", "command"), ROWS)
def test_a_command_has_its_class(classifier: Classifier, shell: str, name: str, command: str) -> None:
    """Cmdlets by verb, batch files by their own reader, programs by the same tables."""
    assert classifier.classify(command, shell).effect is Effect[name]


@pytest.mark.parametrize(("name", "command"), [row[1:] for row in ROWS if row[1] != "READ"])
def test_without_a_shell_nothing_becomes_milder(classifier: Classifier, name: str, command: str) -> None:
    """Where the syntax has to tell, a write is still asked about."""
    assert classifier.classify(command).gate is Gate.ASK
    assert name


def test_what_another_shell_would_run_counts(classifier: Classifier) -> None:
    """A string for PowerShell may be a command for bash: both must find the line harmless."""
    line = 'Get-Content "a`rm x`b"'
    assert classifier.classify(line, "powershell").gate is Gate.ALLOW
    assert classifier.classify(line).gate is Gate.ASK
