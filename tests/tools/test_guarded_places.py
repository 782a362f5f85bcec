"""What other programs run or obey by themselves is changed by nobody without a question of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.agents.action import Action, ActionKind, Moment
from desktop.agents.file_verdict import places, verdict_on
from desktop.asking import Answer, Choice, Question
from desktop.database import Database
from desktop.events import Bus
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Covers, GrantKind, Grants, GrantScope
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.policy import PolicySettings
from desktop.gate.projects import rules_programs
from desktop.gate.verdict import Gate
from desktop.tools.calls import Call, CallStatus
from desktop.tools.executor import Executor
from desktop.tools.files import FileTools
from desktop.tools.tool import Toolbox
from tests.agents.conftest import house
from tests.agents.gatehouse import Gatehouse
from tests.tools.conftest import Desk

__all__ = ["house"]

# Below a home folder that is the workspace, or a project in it.
GATES = (
    ".config/steward/settings.toml",
    ".local/share/steward/steward.sqlite3",
    ".claude/settings.json",
    "project/.claude/settings.local.json",
    "project/.claude/hooks/check.sh",
    ".claude.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    "project/.gemini/settings.json",
    ".cursor/hooks.json",
    "project/.github/hooks/a.json",
    ".factory/settings.json",
    "opencode.json",
)
STARTED = (
    "project/.git/hooks/pre-commit",
    "project/.git/config",
    "project/.GIT/Hooks/post-checkout",
    "project/deep/er/and/deeper/.git/hooks/pre-push",
    "project/.git/modules/sub/config",
    "project/.envrc",
    "project/.vscode/tasks.json",
    "project/.vscode/settings.json",
    "project/.idea/workspace.xml",
    "project/.devcontainer/devcontainer.json",
    "project/a.code-workspace",
    "project/mise.toml",
    "project/sub/.mcp.json",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".config/fish/config.fish",
    ".config/fish/conf.d/new.fish",
    ".xprofile",
    ".config/autostart/new.desktop",
    ".config/systemd/user/new.service",
    ".config/environment.d/new.conf",
    ".local/share/dbus-1/services/new.service",
    ".local/bin/git",
    ".gitconfig",
    ".config/git/config",
    ".ssh/authorized_keys",
    ".ssh/rc",
    ".vimrc",
    ".config/nvim/init.lua",
    ".npmrc",
    ".cargo/config.toml",
    ".tmux.conf",
    "library/LaunchAgents/new.plist",
)
ORDINARY = (
    "notes.txt",
    "project/src/a.py",
    "project/pyproject.toml",
    "project/package.json",
    "project/.gitignore",
    "project/.github/workflows/ci.yml",
    "project/.vscode/extensions.json",
    "project/.claude/notes.md",
    "project/bin/run",
    "project/etc/hosts",
    "project/config.fish",
    "project/git/hooks/pre-commit",
    "model.pth",
    ".config/other/settings.toml",
)
OLD, NEW = "old\n", "new\n"


class No:
    """Says no to every question, and keeps it."""

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def ask(self, question: Question) -> Answer:
        self.questions.append(question)
        return Answer(Choice.DENY)


@dataclass
class Home:
    """A home folder that is the workspace, where every file tool was allowed for good."""

    root: Path
    asker: No
    run: Callable[..., CallStatus]

    def lay(self, path: str, way: str) -> Path:
        """The place as each of `WAYS` finds it, and nothing asked yet."""
        file, away = self.root / path, self.root / "away"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(OLD)
        away.unlink(missing_ok=True)
        (self.root / "made").write_text(NEW)
        if way == "moved to":
            file.unlink()
        self.asker.questions.clear()
        return file


TOOLS = ("write_file", "append_text", "replace_text", "move_file", "delete_file", "make_directory")


@pytest.fixture
def home(desk: Desk, bus: Bus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("HOME", str(desk.root))
    database = Database(tmp_path / "gate.sqlite", MIGRATIONS)
    grants, asker = Grants(database), No()
    for name in TOOLS:
        grants.add(GrantScope.ALWAYS, Covers(name, GrantKind.BELOW, folder=desk.root))
    # Who wants no questions about changes has not agreed to code that others run, either.
    gatekeeper = Gatekeeper(grants, lambda: PolicySettings(require_confirmation_cud=False))
    executor = Executor(bus, asker, gatekeeper, desk.root)
    toolbox = Toolbox(FileTools(desk.tools, desk.tools._workspace, desk.journal, {}).tools())

    def run(name: str, **arguments: str) -> CallStatus:
        return executor.run(Call(name, name, arguments), toolbox).ending

    yield Home(desk.root, asker, run)
    database.close()


WAYS: dict[str, Callable[[Home, str], CallStatus]] = {
    "written": lambda home, path: home.run("write_file", path=path, content=NEW),
    "added to": lambda home, path: home.run("append_text", path=path, text=NEW),
    "changed": lambda home, path: home.run("replace_text", path=path, old="old", new="new"),
    "moved to": lambda home, path: home.run("move_file", source="made", destination=path),
    "moved away": lambda home, path: home.run("move_file", source=path, destination="away"),
    "deleted": lambda home, path: home.run("delete_file", path=path),
}


@pytest.mark.parametrize("path", [*GATES, *STARTED])
def test_a_file_tool_asks_with_a_warning(home: Home, path: str) -> None:
    """Though every tool may change all that is in the folder."""
    for way, change in WAYS.items():
        file = home.lay(path, way)
        assert change(home, path) is CallStatus.DENIED, way
        (question,) = home.asker.questions
        said = str(question.warning)
        assert ("gate" if path in GATES else "other programs run") in said, way
        # One file of these may well be allowed for good, if it is none of the gate's.
        assert path in STARTED or question.scopes == (), way
        assert file.exists() is (way != "moved to"), way
        assert way == "moved to" or file.read_text() == OLD, way


@pytest.mark.parametrize("path", ORDINARY)
def test_ordinary_files_need_no_second_yes(home: Home, path: str) -> None:
    """The twin: what was granted is done."""
    for way, change in WAYS.items():
        home.lay(path, way)
        assert change(home, path) is CallStatus.DONE, way
        assert home.asker.questions == [], way


@pytest.mark.parametrize("folder", [".git", ".vscode", ".claude", ".config", ".config/autostart", ".ssh"])
def test_a_folder_is_not_moved_there_with_all_that_is_in_it(home: Home, folder: str) -> None:
    """Made elsewhere file by file, under names that mean nothing."""
    (home.root / "made").mkdir()
    (home.root / "made" / "config").write_text(NEW)
    (home.root / folder).parent.mkdir(exist_ok=True)
    assert home.run("move_file", source="made", destination=folder) is CallStatus.DENIED
    assert len(home.asker.questions) == 1


EDITS: dict[str, Callable[[str], tuple[str, dict[str, object]]]] = {
    "Write": lambda path: ("Write", {"file_path": path, "content": NEW}),
    "Edit": lambda path: ("Edit", {"file_path": path, "old_string": "old", "new_string": "new"}),
    "MultiEdit": lambda path: (
        "MultiEdit",
        {"file_path": path, "edits": [{"old_string": "old", "new_string": "new"}]},
    ),
}


@pytest.mark.parametrize("path", [*GATES, *STARTED])
def test_an_agents_edit_asks_with_a_warning(
    house: Gatehouse, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Though the user had allowed the tool in the folder for good, and wants no questions about changes."""
    home = house.project.resolve()
    monkeypatch.setenv("HOME", str(home))
    file = home / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(OLD)
    house.policy = PolicySettings(require_confirmation_cud=False)
    for edit, call in EDITS.items():
        house.questions.clear()
        tool, arguments = call(str(file))
        house.grants.add(GrantScope.ALWAYS, Covers(f"{tool} of claude-code", GrantKind.BELOW, folder=home))
        house.answer(house.hook(tool, arguments))
        (question,) = house.questions
        assert ("gate" if path in GATES else "other programs run") in str(question.text), edit


@pytest.mark.parametrize("path", [*GATES, *STARTED])
def test_a_patch_that_reaches_there_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """One file among others is enough."""
    monkeypatch.setenv("HOME", str(tmp_path))
    patch = f"*** Begin Patch\n*** Add File: a.py\n+1\n*** Add File: {path}\n+1\n*** End Patch\n"
    action = Action("any", Moment.BEFORE, ActionKind.EDIT, "apply_patch", diff=patch, folder=tmp_path)
    verdict = verdict_on(action, places(action, ()))
    assert verdict.gate is Gate.ASK
    assert ("gate" if path in GATES else "other programs run") in str(verdict.reason)


@pytest.mark.parametrize("path", ORDINARY)
def test_an_agents_ordinary_edit_needs_no_second_yes(
    house: Gatehouse, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """The twin."""
    home = house.project.resolve()
    monkeypatch.setenv("HOME", str(home))
    for edit, call in EDITS.items():
        tool, arguments = call(str(home / path))
        house.grants.add(GrantScope.ALWAYS, Covers(f"{tool} of claude-code", GrantKind.BELOW, folder=home))
        house.answer(house.hook(tool, arguments))
        assert house.questions == [], edit


@pytest.mark.parametrize(
    ("path", "rules"),
    [
        ("/etc/profile.d/new.sh", True),
        ("/etc/cron.d/new", True),
        ("/var/spool/cron/crontabs/ada", True),
        ("/usr/local/bin/git", True),
        ("/home/ada/.bashrc", True),
        ("/Users/ada/Library/LaunchAgents/new.plist", True),
        ("/srv/data/site/sitecustomize.py", True),
        ("/srv/data/etc/profile", False),
        ("/home/ada/notes/bashrc", False),
        ("/home/ada", False),
        ("/", False),
    ],
)
def test_places_of_the_system_and_of_other_homes_count(path: str, rules: bool) -> None:
    """Also those that no file tool reaches without a question about the place."""
    assert rules_programs(path) is rules
