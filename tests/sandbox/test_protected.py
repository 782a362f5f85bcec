"""What lies in a project and is acted on by others later: a confined command leaves it as it is."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from desktop.errors import UserFacing
from desktop.sandbox.confinement_table import secret_places
from desktop.sandbox.confiner import ConfinedRefusal, Confiner, in_project
from tests.sandbox.confined import Box

pytestmark = pytest.mark.children

THERE = {
    ".git/config": "git config core.fsmonitor 'touch /tmp/x'",
    ".git/config by hand": "echo '[core]' >> .git/config",
    ".git/config, renamed over": "cp .git/config c; echo x >> c; mv -f c .git/config",
    ".git/config, removed": "rm -f .git/config",
    ".git, put aside": "mv .git old; mkdir -p .git/hooks; cp old/config .git/config; echo x >> .git/config",
    ".git, removed": "rm -rf .git/hooks .git/config",
    ".git, exchanged": "mkdir other; mv --exchange other .git",
    "a hook": "echo 'touch /tmp/x' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "hooks, put aside": "mv .git/hooks .git/old; mkdir .git/hooks; touch .git/hooks/pre-push",
    "a remote": "git remote add origin https://git.example/x",
    "a submodule's": "echo x >> .git/modules/sub/config; mv .git/modules .git/m",
    "the file of a submodule": "echo 'gitdir: ../evil' > module/.git; rm module/.git",
    "the file of a submodule, put aside": "mv module m; mkdir module; echo 'gitdir: ../evil' > module/.git",
    "a repository below": "echo x >> below/.git/config; mv below/.git below/g; mv below away",
    "an agent's settings": "echo '{\"hooks\": {}}' > .claude/settings.json",
    "an agent's settings, put aside": "mv .claude c; mkdir .claude; echo '{}' > .claude/settings.json",
    "an editor's tasks": "echo '{}' > .vscode/tasks.json; sed -i s/a/b/ .vscode/tasks.json",
    "through a link": "ln -s .git/config l; echo x >> l; ln .git/config h && echo x >> h",
    "permissions": "chmod 777 .git/config .git/hooks; touch .git/config",
}
MISSING = {
    "settings": ("mkdir -p .codex; echo x > .codex/config.toml", ".codex"),
    "a file": ("echo '{}' > .mcp.json", ".mcp.json"),
    "renamed to it": ("echo '{}' > a; mv a .mcp.json", ".mcp.json"),
    "linked to it": ("echo '{}' > a; ln -s a .mcp.json", ".mcp.json"),
    "a folder moved there": ("mkdir a; echo '{}' > a/mcp.json; mv a .cursor", ".cursor/mcp.json"),
    "a folder linked there": ("mkdir a; echo '{}' > a/mcp.json; ln -s a .cursor", ".cursor"),
    "settings that git takes from elsewhere": ("echo ../evil > .git/commondir", ".git/commondir"),
    "the same of a submodule": ("echo ../e > .git/modules/sub/commondir", ".git/modules/sub/commondir"),
    "the same of a repository below": ("echo ../e > below/.git/commondir", "below/.git/commondir"),
    "settings of a repository below": ("echo x > .git/modules/new/config", ".git/modules/new/config"),
    "Mercurial's": ("mkdir .hg; echo x > .hg/hgrc", ".hg/hgrc"),
    "Zed's": ("mkdir .zed; echo '{}' > .zed/settings.json", ".zed/settings.json"),
    "deep, bit by bit": (
        "mkdir .gemini; sleep 0.1; echo '{}' > .gemini/settings.json",
        ".gemini/settings.json",
    ),
    "by a process left behind": ("(sleep 0.3; echo '{}' > .mcp.json) > /dev/null 2>&1 &", ".mcp.json"),
}


@pytest.fixture
def repository(box: Box) -> Box:
    if reason := Confiner(box.paths).why_not_project():
        pytest.skip(str(reason))
    for folder in (box.project, box.project / "below"):
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (box.project / "module").mkdir()
    (box.project / "module" / ".git").write_text("gitdir: ../.git/modules/sub\n")
    (box.project / ".git/modules/new").mkdir(parents=True)
    for name in (".git/modules/sub/config", ".claude/settings.json", ".vscode/tasks.json"):
        (box.project / name).parent.mkdir(parents=True, exist_ok=True)
        (box.project / name).write_text("a\n")
    return box


def protected_of(box: Box) -> dict[str, tuple[int, bytes]]:
    """What must stay; times of folders may change, as their neighbours do."""
    names = (
        *(".git/config", ".git/hooks", ".git/modules/sub/config", "below/.git/config", "below/.git/hooks"),
        "module/.git",
    )
    roots = [box.project / name for name in (*names, ".claude/settings.json", ".vscode/tasks.json")]
    files = [file for root in roots for file in (root, *root.rglob("*"))]
    return {str(file): (file.stat().st_mode, file.read_bytes() if file.is_file() else b"") for file in files}


@pytest.mark.parametrize("act", THERE)
def test_what_is_protected_stays(repository: Box, act: str) -> None:
    """Under its own name, with its content and permissions."""
    before = protected_of(repository)
    repository.run(THERE[act], in_project(repository.paths, repository.project))
    assert Confiner(repository.paths).did_run("call")
    assert protected_of(repository) == before


@pytest.mark.parametrize("act", MISSING)
def test_what_is_protected_does_not_come_to_be(repository: Box, act: str) -> None:
    """It is renamed at once, nothing is lost, and Steward is told."""
    line, name = MISSING[act]
    repository.run(line, in_project(repository.paths, repository.project))
    gone = repository.project / name
    wait_until(lambda: gone.with_name(f"{gone.name}.refused-by-steward-1").exists())
    assert not os.path.lexists(gone)
    # It is told a moment after it was renamed.
    told = Confiner(repository.paths)
    wait_until(lambda: any(each.kind == "taken away" for each in told.refusals("call")))


class Running:
    """A confined command that waits for files of its project, named by its letter, before it goes on."""

    def __init__(self, box: Box, letter: str, line: str) -> None:
        self._project, self._letter = box.project, letter
        before = watchers(box)
        held = in_project(box.paths, box.project)
        begins = f"touch {letter}-runs; {_until(f'{letter}-goes')}"
        ends = f"touch {letter}-did; {_until(f'{letter}-ends')}"
        whole = Confiner(box.paths).rewritten(f"{begins}; {line}; {ends}", held, letter)
        words = ["/bin/bash", "-c", whole]
        self._process = subprocess.Popen(words, cwd=box.project, env={**os.environ, "HOME": str(box.home)})
        wait_until((box.project / f"{letter}-runs").exists)
        (self.watcher,) = watchers(box) - before

    def go(self) -> None:
        (self._project / f"{self._letter}-goes").touch()
        wait_until((self._project / f"{self._letter}-did").exists)

    def end(self) -> None:
        """And what watches it."""
        (self._project / f"{self._letter}-ends").touch()
        self._process.wait(60)
        wait_until(lambda: has_ended(self.watcher))


def has_ended(process: psutil.Process) -> bool:
    """Also one that nobody has taken note of yet: the system's first process may take seconds for that."""
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def watchers(box: Box) -> set[psutil.Process]:
    """Of commands in this box, by the files that they tell in; other tests have theirs."""
    found = set()
    for each in psutil.process_iter(["name"]):
        with suppress(psutil.Error):
            told = each.info["name"] == "steward-network" and each.open_files()
            if told and any(file.path.startswith(str(box.paths.runtime)) for file in told):
                found.add(each)
    return found


def _until(name: str) -> str:
    return f"while [ ! -e {name} ]; do sleep 0.02; done"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("echo '{}' > .mcp.json", ".mcp.json"),
        ("ln -s a .mcp.json", ".mcp.json"),
        ("mkdir .gemini; echo '{}' > .gemini/settings.json", ".gemini/settings.json"),
    ],
)
def test_what_another_command_has_made_was_not_there_before(repository: Box, line: str, name: str) -> None:
    """One begins in the moment in which what the other has made still stands: once that is taken away, and
    the other has ended, it may not make it either."""
    place = repository.project / name
    first = Running(repository, "a", line)
    first.watcher.suspend()  # the moment, as long as wanted
    first.go()
    assert os.path.lexists(place)
    second = Running(repository, "b", f"mkdir -p {os.path.dirname(name) or '.'}; echo evil > {name} || true")
    first.watcher.resume()
    wait_until(lambda: not os.path.lexists(place))
    first.end()
    second.go()
    second.end()
    assert not os.path.lexists(place)
    assert list((repository.paths.runtime / "confined/missing").iterdir()) == []


def test_what_the_user_makes_beside_no_command_is_there(repository: Box) -> None:
    """A list that a killed watcher has left says nothing, and goes."""
    first = Running(repository, "a", "true")
    first.watcher.kill()
    first.go()
    first.end()
    settings = repository.project / ".mcp.json"
    settings.write_text("{}")
    lists = repository.paths.runtime / "confined/missing"
    assert len(list(lists.iterdir())) == 1
    repository.run("echo x > .mcp.json; echo fine > new", in_project(repository.paths, repository.project))
    assert settings.read_text() == "{}"
    assert (repository.project / "new").exists()
    wait_until(lambda: list(lists.iterdir()) == [])


def test_nothing_of_others_is_taken_away_through_a_link(repository: Box) -> None:
    """The watcher has all rights and is not to be led anywhere."""
    theirs = repository.outside / "settings.json"
    theirs.write_text("{}")
    line = f"ln -s '{repository.outside}' .gemini; sleep 0.3"
    repository.run(line, in_project(repository.paths, repository.project))
    wait_until(lambda: not os.path.lexists(repository.project / ".gemini"))
    assert theirs.read_text() == "{}"
    assert [each.name for each in sorted(repository.outside.iterdir())] == ["kept.txt", "settings.json"]


@pytest.mark.parametrize(
    "act", ["rm .mcp.json; echo '{}' > .mcp.json", "ln -sfn made .mcp.json", "mv made .mcp.json"]
)
def test_a_protected_link_is_not_replaced(repository: Box, act: str) -> None:
    """It stays as long as nobody touches it; what comes in its place is taken away."""
    settings, link = repository.project / "kept.json", repository.project / ".mcp.json"
    settings.write_text("{}")
    link.symlink_to("kept.json")
    confinement = in_project(repository.paths, repository.project)
    repository.run("echo x > new; echo x >> kept.json; sleep 0.2", confinement)
    assert (link.readlink(), settings.read_text()) == (Path("kept.json"), "{}")
    repository.run(f"echo x > made; {act}", confinement)
    wait_until(lambda: link.with_name(".mcp.json.refused-by-steward-1").is_file())
    assert not os.path.lexists(link)
    assert settings.read_text() == "{}"


def test_ordinary_work_beside_it_goes_on(repository: Box) -> None:
    """Commits, branches, other files of an agent's or an editor's folder."""
    line = (
        "set -e; echo x > .claude/notes.md; echo x > .vscode/extensions.json; git add -A . ':!below'; "
        "git -c user.name=a -c user.email=a@example.org commit -qm one; git checkout -qb two; git gc -q"
    )
    done = repository.run(line, in_project(repository.paths, repository.project))
    assert done.returncode == 0, done.stderr
    assert Confiner(repository.paths).refusals("call") == ()


def test_a_worktree_commits_into_its_repository(repository: Box) -> None:
    """And writes nothing else there."""
    git = ["git", "-C", str(repository.project), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    tree = repository.home / "tree"
    subprocess.run([*git, "worktree", "add", "-q", str(tree)], check=True)
    line = "echo x > new; git add new; git -c user.name=a -c user.email=a@example.org commit -qm two"
    confinement = in_project(repository.paths, tree)
    assert repository.run(line, confinement, folder=tree).returncode == 0
    before = protected_of(repository)
    real = f"'{repository.project}'"
    hostile = (
        f"echo x >> {real}/.git/config; echo /tmp > {real}/.git/worktrees/tree/commondir; touch {real}/new"
    )
    hostile += "; echo gitdir: /tmp > .git"
    link = (tree / ".git").read_text()
    repository.run(hostile, confinement, folder=tree)
    assert protected_of(repository) == before
    assert not (repository.project / "new").exists()
    assert (tree / ".git").read_text() == link


def test_a_forged_worktree_opens_nothing(repository: Box) -> None:
    """What a project says of its repository is believed only where that says so too."""
    forged = repository.home / "forged"
    forged.mkdir()
    (forged / ".git").write_text(f"gitdir: {repository.outside}\n")
    assert repository.outside not in in_project(repository.paths, forged).writable
    for name, text in (("gitdir", "/elsewhere/.git"), ("commondir", "../..")):
        (repository.outside / "worktrees/x").mkdir(parents=True, exist_ok=True)
        (repository.outside / "worktrees/x" / name).write_text(text)
    (forged / ".git").write_text(f"gitdir: {repository.outside}/worktrees/x\n")
    assert (
        in_project(repository.paths, forged).writable[:2] == in_project(repository.paths, forged).writable[:2]
    )
    assert not any(
        each.is_relative_to(repository.outside) for each in in_project(repository.paths, forged).writable
    )


@pytest.mark.parametrize(
    "place", ["/", "/etc", "/usr/share", "/home", "/tmp", "~", "~/..", "~/.ssh", "~/none"]
)
def test_what_is_no_project_is_refused(box: Box, place: str) -> None:
    """One that holds several, the system's, or secrets."""
    with pytest.raises(UserFacing, match="confined"):
        in_project(box.paths, Path(place).expanduser())


def test_caches_hold_no_settings_and_no_programs(box: Box) -> None:
    """No writable place is, holds or lies in a place of settings, programs on the path or secrets."""
    never = (".cargo/bin", ".cargo/config.toml", ".npmrc", ".gradle/init.d", ".gradle/gradle.properties")
    never += (
        ".m2/settings.xml",
        ".local/bin",
        ".bashrc",
        ".profile",
        ".config/git/config",
        "go/bin",
        ".bun/bin",
    )
    named = [each.replace("~", str(box.home)) for each in secret_places() if each.startswith("~")]
    forbidden = [*map(Path, named), *(box.home / each for each in never)]
    for cache in in_project(box.paths, box.project).writable[1:]:
        for each in forbidden:
            assert not each.is_relative_to(cache), (each, cache)
            assert not cache.is_relative_to(each), (each, cache)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)


def test_a_name_forges_no_refusal(repository: Box) -> None:
    """A socket may be called as a command likes; its name begins no second line and no second field."""
    name = "/x\\nconnection\\tevil.example port 443"
    line = f"python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('{name}')\""
    repository.run(line, in_project(repository.paths, repository.project))
    wait_until(lambda: bool(Confiner(repository.paths).refusals("call")))
    said = Confiner(repository.paths).refusals("call")
    assert said == (ConfinedRefusal("connection", "/x?connection?evil.example port 443"),)


def test_a_refusal_is_read_back(box: Box) -> None:
    """As the supervisor wrote it."""
    if reason := Confiner(box.paths).why_not_project():
        pytest.skip(str(reason))
    line = "exec 3<>/dev/tcp/192.0.2.1/81"
    box.run(line, in_project(box.paths, box.project))
    assert Confiner(box.paths).refusals("call") == (ConfinedRefusal("connection", "192.0.2.1 port 81"),)


def test_caches_lie_where_the_setting_says(box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tools look where XDG_CACHE_HOME points: their caches there may be written to, and a token there stays
    out of sight, as does the one at home.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    (tmp_path / "caches" / "turbo").mkdir(parents=True)
    held = in_project(box.paths, box.project)
    assert tmp_path / "caches" / "turbo" in held.writable
    for token in (tmp_path / "caches" / "huggingface" / "token", box.home / ".cache/huggingface/token"):
        assert token in held.hidden
