"""Dashed names, embedded repositories, named programs and links to secrets make a plain command ask."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from desktop.gate import planted_files
from desktop.gate.commands import CommandPlaces, Commands
from desktop.gate.planted_files import LookBudget, matched_secret
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Effect, Flag, Gate
from desktop.paths import resources


@pytest.fixture(scope="module")
def commands() -> Commands:
    return Commands(Classifier(Tables(resources() / "commands")))


# Whatever the user's own settings say about such repositories.
PLAIN = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, env=PLAIN)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a part of its own, a repository among its files, and a bare one beside it."""
    project = tmp_path / "project"
    (project / "part").mkdir(parents=True)
    (project / "data" / "evil").mkdir(parents=True)
    git(project, "init", "-q")
    git(project / "data" / "evil", "init", "-q", "--bare")
    git(project / "data" / "evil", "config", "core.bare", "false")
    git(project / "data" / "evil", "config", "core.worktree", ".")
    git(project / "data" / "evil", "config", "core.fsmonitor", f"touch '{tmp_path}/started';false")
    git(tmp_path, "init", "-q", "--bare", "own.git")
    return project


@pytest.mark.parametrize(
    "command",
    [
        "cd data/evil && git status",
        "git -C data/evil status",
        "git -C data -C evil diff --stat",
        "git -C data/evil/objects log",
        "(cd data/evil && git status)",
        "if true; then cd data/evil; fi; git status",
        "ls; cd data; cd evil; git log -1",
        "timeout 5 git -C data/evil status",
    ],
)
def test_git_in_such_a_repository_asks(commands: Commands, project: Path, command: str) -> None:
    """By whatever way it works there; the same line passes where the folder is none."""
    verdict = commands.verdict(command, "bash", str(project), str(project))
    assert (verdict.effect, verdict.gate) == (Effect.UNKNOWN, Gate.ASK)
    assert "may name programs" in str(verdict.reason)
    (project / "data" / "evil" / "HEAD").unlink()
    assert commands.verdict(command, "bash", str(project), str(project)).gate is Gate.ALLOW


@pytest.mark.parametrize(
    ("shell", "command"),
    [
        ("powershell", "cd data/evil; git status"),
        ("powershell", "cd data\\evil; git status"),
        ("powershell", "Set-Location data\\evil\ngit log -1"),
        ("powershell", "sl -Path data; sl evil; git.exe diff --stat"),
        ("powershell", "Push-Location data/evil; git status; Pop-Location"),
        ("powershell", "git -C data\\evil status"),
        ("powershell", "& git -C data/evil log -1"),
        ("powershell", "if ($true) { cd data/evil }; git status"),
        ("powershell", "cd data/evil && git status"),
        ("powershell", "gci | % { git -C data/evil log -1 }"),
        ("cmd", "cd data\\evil && git status"),
        ("cmd", "cd /d data\\evil & git status"),
        ("cmd", "pushd data\\evil & git log -1 & popd"),
        ("cmd", "git -C data\\evil status"),
        ("cmd", "if exist data cd data\\evil\ngit status"),
        ("cmd", "for %i in (1) do git -C data/evil status"),
        ("bash", "pwsh -c 'cd data/evil; git status'"),
    ],
)
def test_in_other_shells_too(commands: Commands, project: Path, shell: str, command: str) -> None:
    """PowerShell and cmd go there by other words and write paths with another sign."""
    verdict = commands.verdict(command, shell, str(project), str(project))
    assert (verdict.effect, verdict.gate) == (Effect.UNKNOWN, Gate.ASK)
    assert "may name programs" in str(verdict.reason)
    (project / "data" / "evil" / "HEAD").unlink()
    assert commands.verdict(command, shell, str(project), str(project)).gate is Gate.ALLOW


@pytest.mark.parametrize(
    ("shell", "command"),
    [
        ("powershell", "git status"),
        ("powershell", "cd part; git diff"),
        ("powershell", "Push-Location part; git log -1; Pop-Location; git status"),
        ("powershell", "gci data/evil"),
        ("powershell", "cd data/evil; gci"),
        ("cmd", "cd part && git status"),
        ("cmd", "dir data\\evil"),
        ("cmd", "git log -1 & cd"),
    ],
)
def test_other_shells_elsewhere_pass(commands: Commands, project: Path, shell: str, command: str) -> None:
    """In the project's own repository, and where git is not run."""
    assert commands.verdict(command, shell, str(project), str(project)).gate is Gate.ALLOW


def test_it_is_started_there(project: Path, tmp_path: Path) -> None:
    """What the question is about: git itself does it."""
    evil = project / "data" / "evil"
    subprocess.run(["git", "status"], cwd=evil, capture_output=True, check=False, env=PLAIN)
    assert (tmp_path / "started").exists()


def test_an_agent_may_work_in_it_from_the_start(commands: Commands, project: Path) -> None:
    """The folder that the hook names is one, too; so is one whose objects lie elsewhere."""
    evil = project / "data" / "evil"
    assert commands.verdict("git status", "bash", str(evil), str(project)).gate is Gate.ASK
    (evil / "objects").rename(project / "objects")
    assert commands.verdict("git status", "bash", str(evil), str(project)).gate is Gate.ALLOW
    (evil / "commondir").write_text("../..")
    assert commands.verdict("git status", "bash", str(evil), str(project)).gate is Gate.ASK


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "git -C part log -1",
        "cd part && git diff",
        "cd .git && git status",
        "git -C ../own.git log -1",
        "cd data && git status",
        "ls data/evil",
        "cat data/evil/config",
    ],
)
def test_other_repositories_are_read_as_ever(commands: Commands, project: Path, command: str) -> None:
    """The project's own, and a bare one of the user's own that lies in no project."""
    assert commands.verdict(command, "bash", str(project), str(project)).gate is Gate.ALLOW


GETS = [
    "sort *",
    "git log *",
    "cat x | sort - *",
    "rg x ?*",
    "find * -name x",
    "cd sub && sort *",
    "for f in a; do sort *; done",
    "git log [-a]*",
    "timeout 5 sort *",
    "ls | xargs sort",
    "ls | xargs -I{} sort {}",
    "sort $(ls)",
    "ls | while read f; do sort $f; done",
    'for f in *; do sort "$f"; done',
    "ls clean sub | xargs sort",
    "cd sub && ls | xargs -n1 sort",
]
GETS_NOT = [
    "sort -- *",
    "sort ./*",
    "ls *",
    "echo *",
    "sort *.txt",
    "sort sub/*",
    "git log -- *",
    "cd clean && sort *",
    "ls | xargs sort --",
    'for f in *; do sort -- "$f"; done',
    "ls | xargs echo",
    "cd clean && ls | xargs sort",
    "ls | wc -l",
    "ls | grep x | xargs basename",
]


@pytest.fixture(scope="module")
def forgetful() -> Commands:
    return Commands(Classifier(Tables(resources() / "commands"), remember=False))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place in (tmp_path, tmp_path / "sub"):
        place.mkdir(exist_ok=True)
        (place / "--output=x").write_text("")
    (tmp_path / "clean").mkdir()
    return tmp_path


@pytest.mark.parametrize("line", GETS)
def test_a_pattern_that_matches_such_a_name_asks(forgetful: Commands, folder: Path, line: str) -> None:
    """The question names the pattern and the file; without the file nobody is asked."""
    verdict = forgetful.verdict(line, "bash", str(folder))
    assert (verdict.gate, verdict.effect) == (Gate.ASK, Effect.UNKNOWN)
    assert "--output=x" in str(verdict.reason)
    for place in (folder, folder / "sub"):
        (place / "--output=x").unlink()
    assert forgetful.verdict(line, "bash", str(folder)).gate is Gate.ALLOW


@pytest.mark.parametrize("line", GETS_NOT)
def test_other_patterns_do_not(forgetful: Commands, folder: Path, line: str) -> None:
    """Behind `--`, below a folder, or where the names are only printed."""
    assert forgetful.verdict(line, "bash", str(folder)).gate is Gate.ALLOW


LOOPS = ["sort %i", "@sort %i", "more %i", 'sort "%~i"', "sort %~ni", "find %i", "fc a.txt %i", "git log %i"]


@pytest.mark.parametrize("body", LOOPS)
def test_a_loop_of_cmd_over_such_a_name_asks(forgetful: Commands, folder: Path, body: str) -> None:
    """cmd hands the names to programs of its own and to others, which may take one for an option."""
    for loop in ("for %i in (*)", "for /r %i in (*)", "for /f %i in ('dir /b')"):
        line = f"{loop} do {body}"
        assert forgetful.verdict(line, "cmd", str(folder)).gate is Gate.ASK, line
        assert forgetful.verdict(line, "cmd", str(folder / "clean")).gate is Gate.ALLOW, line
    assert forgetful.verdict("for %i in (*) do echo %i", "cmd", str(folder)).gate is Gate.ALLOW


HARMLESS = 'resource "null_resource" "a" {}\nmodule "m" { source = "../modules/m" }\ndata "aws_ami" "b" {}\n'
EXTERNAL = 'data "external" "x" {\n  program = ["sh", "-c", "touch pwned"]\n}\n'


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    """A project whose plan reads nothing but its files, with a module beside it."""
    (tmp_path / "infra" / ".terraform" / "modules" / "far").mkdir(parents=True)
    (tmp_path / "modules" / "m").mkdir(parents=True)
    (tmp_path / "infra" / "main.tf").write_text(HARMLESS)
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
    commands: Commands, plans: Path, shell: str, command: str, file: str, content: str
) -> None:
    """Wherever the file with it lies, and passes without it."""
    assert commands.verdict(command, shell, str(plans), str(plans)).gate is Gate.ALLOW
    (plans / file).write_text(content)
    verdict = commands.verdict(command, shell, str(plans), str(plans))
    assert (verdict.effect, verdict.gate) == (Effect.UNKNOWN, Gate.ASK)
    assert "may name programs" in str(verdict.reason)


@pytest.mark.parametrize(
    "line",
    [
        'inputs = { a = run_cmd("touch", "pwned") }',
        'terraform { before_hook "x" { execute = ["touch", "pwned"] } }',
    ],
)
def test_terragrunt_runs_what_its_files_say(commands: Commands, plans: Path, line: str) -> None:
    """Whatever is asked of it."""
    for command in ("terragrunt plan", "terragrunt validate", "terragrunt output"):
        (plans / "infra" / "terragrunt.hcl").write_text("inputs = {}\n")
        assert commands.verdict(command, "bash", str(plans / "infra"), str(plans)).gate is Gate.ALLOW
        (plans / "infra" / "terragrunt.hcl").write_text(line)
        assert commands.verdict(command, "bash", str(plans / "infra"), str(plans)).gate is Gate.ASK


def test_what_computes_no_data_passes(commands: Commands, plans: Path) -> None:
    """The same files do nothing to these."""
    (plans / "infra" / "data.tf").write_text(EXTERNAL)
    for command in ("terraform validate", "terraform fmt -check", "terraform state list", "cat data.tf"):
        assert commands.verdict(command, "bash", str(plans / "infra"), str(plans)).gate is Gate.ALLOW


def test_more_than_can_be_looked_at_asks(
    commands: Commands, plans: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows what the rest holds."""
    monkeypatch.setattr(planted_files, "MOST_BYTES", 10)
    assert commands.verdict("cd infra && terraform plan", "bash", str(plans), str(plans)).gate is Gate.ASK


@pytest.mark.skipif(os.name != "posix", reason="pipes have names there")
def test_a_pipe_among_the_files_asks_and_is_not_waited_for(commands: Commands, plans: Path) -> None:
    """What it will say nobody knows yet, and the gate answers while agents wait."""
    os.mkfifo(plans / "infra" / "pipe.tf")
    assert commands.verdict(PLANS[0][1], "bash", str(plans), str(plans)).gate is Gate.ASK


READS = [
    "cat *.md",
    "cat docs/*",
    "head -1 docs/*.md",
    "cat z?md",
    "cat [z].md",
    "cat < docs/*.md",
    "tail -n +1 **/*.md",
    "for f in *.md; do cat $f; done",
    "cat f? *.md",
    "cd docs && cat *",
    "cat l*/*",
    "cat pem/*",
    "cat k",
    "grep . k",
    "grep -r x d",
    "grep -r x h",
    "grep -r x l*",
    "rg x [d]",
    "cat $(ls)",
    "ls | xargs cat",
    'ls | while read f; do cat "$f"; done',
    "ls docs | xargs -I{} head docs/{}",
    "find . -type l | xargs cat",
    "find . -name '*.md' -exec cat {} +",
    "find -L . -type f -exec cat {} +",
    "fd -e md -x cat",
    "fd -L . -x head",
    "git ls-files | xargs head -3",
    "grep -R x .",
    "grep -rS x .",
    "cd docs && grep -R x",
    "rg -L x",
    "rg x --follow docs",
    "ag -f x",
    "tar chf - . | strings",
    "diff -r docs /dev/null",
    "head -1 " + " ".join(f"g{number}.txt" for number in range(40)) + " z.md",
    "head -1 " + " ".join(map(str, range(400))) + " k",
]
READS_NOT = [
    "cat *.txt",
    "cat sub/*",
    "cat docs/a*",
    "for f in *.md; do echo $f; done",
    "ls *",
    "cat l*",
    "cat [d]",
    "grep x li*",
    "ls *.md",
    "ls | wc -l",
    "ls | xargs -n1 basename",
    "cd sub && ls | xargs cat",
    "find . -type f | xargs cat",
    "find . -name '*.txt' -exec cat {} +",
    "find . -name '*.md'",
    "find sub -exec cat {} +",
    "fd -t f -x cat",
    "rg -l x | xargs head",
    "grep -r x .",
    "grep -R x sub",
    "rg x",
    "rg -L x sub",
    "diff -r sub sub",
    "sed 's/.*/x/' f1",
    "cat f1 sub/inner",
    "cat inside.md sub/[i]nner",
]


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier(Tables(resources() / "commands"), remember=False)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with a key, and a project with links to it."""
    keys, project = tmp_path / ".ssh", tmp_path / "work" / "project"
    keys.mkdir()
    (keys / "id_rsa").write_text("key")
    for folder in ("docs", "sub", "pem"):
        (project / folder).mkdir(parents=True)
    for name in ("f1", "g1.txt", "docs/a.md", "sub/inner", "sub/inner.txt", "pem/server.pem"):
        (project / name).write_text("x")
    (project / "sub" / "inside.txt").symlink_to("inner.txt")
    for link, to in (("z.md", "id_rsa"), ("docs/b.md", "id_rsa"), ("k", "id_rsa"), ("lib", ""), ("d", "")):
        (project / link).symlink_to(keys / to)
    (project / "h").symlink_to(tmp_path)
    (project / "inside.md").symlink_to("docs/a.md")
    return tmp_path


@pytest.fixture
def at_home(classifier: Classifier, home: Path) -> Commands:
    return Commands(classifier, around=CommandPlaces(home=str(home)))


@pytest.mark.parametrize("line", READS)
def test_a_link_to_a_secret_is_seen_without_its_name(at_home: Commands, home: Path, line: str) -> None:
    """By patterns, lists, programs that follow links, short names, and as the last of many."""
    verdict = at_home.verdict(line, "bash", str(home / "work" / "project"))
    assert verdict.gate is Gate.ASK
    assert Flag.SECRET in verdict.flags


@pytest.mark.parametrize("line", READS_NOT)
def test_what_does_not_reach_it_passes(at_home: Commands, home: Path, line: str) -> None:
    """Other names, names alone, plain files alone, programs that follow no link, links inside the project."""
    assert at_home.verdict(line, "bash", str(home / "work" / "project")).gate is Gate.ALLOW


@pytest.mark.parametrize("line", [line for line in READS if "pem" not in line])
def test_without_such_links_nobody_is_asked(at_home: Commands, home: Path, line: str) -> None:
    """The same lines where the links lead to files of the project."""
    project = home / "work" / "project"
    for place in (project, project / "docs"):
        for each in place.iterdir():
            if each.is_symlink():
                each.unlink()
                each.symlink_to(
                    project / "sub" / ("" if len(each.name) == 1 and each.name != "k" else "inner")
                )
    (project / "pem" / "server.pem").unlink()
    assert at_home.verdict(line, "bash", str(project)).gate is Gate.ALLOW


def test_a_look_ends(tmp_path: Path) -> None:
    """In circles of links, and after as many names as may be looked at."""
    (tmp_path / "again").symlink_to(tmp_path)
    for number in range(50):
        (tmp_path / f"f{number}").write_text("")
    look = LookBudget(lambda _path: False, left=500)
    assert matched_secret(f"{tmp_path}/" + "/".join(["*"] * 40), look) == ""
    assert look.left <= 0
    assert matched_secret(os.path.join(tmp_path, *["**"] * 60, "x"), LookBudget(lambda _path: False)) == ""
