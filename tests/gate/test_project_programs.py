"""Programs that a project's own files name, which readings of a tool start."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from desktop.gate import project_programs
from desktop.gate.commands import Commands
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Effect, Gate
from desktop.paths import resources

PLAIN = 'resource "null_resource" "a" {}\nmodule "m" { source = "../modules/m" }\ndata "aws_ami" "b" {}\n'
EXTERNAL = 'data "external" "x" {\n  program = ["sh", "-c", "touch pwned"]\n}\n'


@pytest.fixture(scope="module")
def commands() -> Commands:
    return Commands(Classifier(Tables(resources() / "commands")))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose plan reads nothing but its files, with a module beside it."""
    (tmp_path / "infra" / ".terraform" / "modules" / "far").mkdir(parents=True)
    (tmp_path / "modules" / "m").mkdir(parents=True)
    (tmp_path / "infra" / "main.tf").write_text(PLAIN)
    (tmp_path / "modules" / "m" / "main.tf").write_text('variable "a" {}\n')
    return tmp_path


PLANS = [
    ("bash", "cd infra && terraform plan"),
    ("bash", "terraform -chdir=infra plan -no-color"),
    ("bash", "(cd infra; tofu plan)"),
    ("bash", "cd infra && timeout 60 terraform plan -refresh=false | tail -5"),
    ("powershell", "cd infra; terraform plan"),
    ("cmd", "cd infra && terraform plan"),
]


@pytest.mark.parametrize(("shell", "command"), PLANS)
@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("infra/data.tf", EXTERNAL),
        ("infra/data.tf.json", '{"data": {"external": {"x": {"program": ["sh"]}}}}'),
        ("modules/m/data.tf", EXTERNAL),
        ("infra/.terraform/modules/far/data.tf", EXTERNAL),
    ],
)
def test_a_plan_that_starts_a_program_asks(
    commands: Commands, project: Path, shell: str, command: str, file: str, content: str
) -> None:
    """Wherever the file with it lies, and passes without it."""
    assert commands.verdict(command, shell, str(project), str(project)).gate is Gate.ALLOW
    (project / file).write_text(content)
    verdict = commands.verdict(command, shell, str(project), str(project))
    assert (verdict.effect, verdict.gate) == (Effect.UNKNOWN, Gate.ASK)
    assert "may name programs" in str(verdict.reason)


@pytest.mark.parametrize(
    "line",
    [
        'inputs = { a = run_cmd("touch", "pwned") }',
        'terraform { before_hook "x" { execute = ["touch", "pwned"] } }',
    ],
)
def test_terragrunt_runs_what_its_files_say(commands: Commands, project: Path, line: str) -> None:
    """Whatever is asked of it."""
    for command in ("terragrunt plan", "terragrunt validate", "terragrunt output"):
        (project / "infra" / "terragrunt.hcl").write_text("inputs = {}\n")
        assert commands.verdict(command, "bash", str(project / "infra"), str(project)).gate is Gate.ALLOW
        (project / "infra" / "terragrunt.hcl").write_text(line)
        assert commands.verdict(command, "bash", str(project / "infra"), str(project)).gate is Gate.ASK


def test_what_computes_no_data_passes(commands: Commands, project: Path) -> None:
    """The same files do nothing to these."""
    (project / "infra" / "data.tf").write_text(EXTERNAL)
    for command in ("terraform validate", "terraform fmt -check", "terraform state list", "cat data.tf"):
        assert commands.verdict(command, "bash", str(project / "infra"), str(project)).gate is Gate.ALLOW


def test_more_than_can_be_looked_at_asks(
    commands: Commands, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows what the rest holds."""
    monkeypatch.setattr(project_programs, "MOST_BYTES", 10)
    assert commands.verdict("cd infra && terraform plan", "bash", str(project), str(project)).gate is Gate.ASK


@pytest.mark.skipif(os.name != "posix", reason="pipes have names there")
def test_a_pipe_among_the_files_asks_and_is_not_waited_for(commands: Commands, project: Path) -> None:
    """What it will say nobody knows yet, and the gate answers while agents wait."""
    os.mkfifo(project / "infra" / "data.tf")
    assert commands.verdict(PLANS[0][1], "bash", str(project), str(project)).gate is Gate.ASK
