"""Tiers 0 to 4 behind one door: the disk counts, bugs ask, threads share it, the model is asked last."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest

from desktop.gate.commands import FAILED, CommandPlaces, Commands
from desktop.gate.judge import Consulted, ModelVerdict
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Effect, Flag, Gate, Verdict
from desktop.paths import resources

THINKS_IT_READS = ModelVerdict(Effect.READ, 0.99, {"READ": 0.99, "DELETE": 0.01}, "Tiny", 12.0)


class ScriptedJudge:
    def __init__(self, consulted: Consulted | None = None) -> None:
        self.consulted = consulted
        self.asked: list[tuple[str, float | None]] = []

    def consult(self, command: str, timeout_s: float | None) -> Consulted:
        self.asked.append((command, timeout_s))
        if self.consulted is None:
            raise RuntimeError("a bug of the judge")
        return self.consulted


class Broken(Classifier):
    def classify(self, command: str, shell: str | None = None, folder: str | None = None) -> Verdict:
        raise RuntimeError("a bug")


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables(resources() / "commands")


@pytest.fixture
def commands(tables: Tables) -> Commands:
    return Commands(Classifier(tables))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "project"
    found.mkdir()
    return found


def test_a_file_that_is_there_is_changed_not_made(commands: Commands, folder: Path) -> None:
    """The line alone cannot tell; the disk can."""
    assert commands.verdict("echo x > out", "bash", str(folder)).effect is Effect.CREATE
    (folder / "out").write_text("old")
    verdict = commands.verdict("echo x > out", "bash", str(folder))
    assert (verdict.effect, verdict.tier) == (Effect.UPDATE, 3)
    assert str(verdict.reason) == "out already exists and gets new content"
    assert commands.verdict("echo x > out", "bash").effect is Effect.CREATE


def test_the_disk_is_looked_at_each_time(commands: Commands, folder: Path) -> None:
    """Only what the text alone says is remembered."""
    before = commands.verdict("touch new", "bash", str(folder))
    (folder / "new").write_text("")
    after = commands.verdict("touch new", "bash", str(folder))
    assert (before.effect, after.effect) == (Effect.CREATE, Effect.UPDATE)


def test_a_folder_that_is_there_stays_a_creation(commands: Commands, folder: Path) -> None:
    """`mkdir -p` and copies into a folder destroy nothing."""
    (folder / "src").mkdir()
    assert commands.verdict("mkdir -p src", "bash", str(folder)).effect is Effect.CREATE


def test_a_link_that_leads_out_is_outside(commands: Commands, folder: Path) -> None:
    """Also where one of its folders is the link."""
    (folder.parent / "elsewhere").mkdir()
    (folder / "link").symlink_to(folder.parent / "elsewhere")
    for command in ("touch link/x", "echo x > link/a/../x", "rm -r link"):
        assert Flag.OUTSIDE in commands.verdict(command, "bash", str(folder)).flags, command
    assert not commands.verdict("touch here", "bash", str(folder)).flags


def test_a_link_inside_the_folder_is_none(commands: Commands, folder: Path) -> None:
    """And a working folder that is itself reached by a link is where it is."""
    (folder / "a").mkdir()
    (folder / "b").symlink_to("a")
    assert not commands.verdict("touch b/x", "bash", str(folder)).flags
    (folder.parent / "shortcut").symlink_to(folder)
    assert not commands.verdict("touch x", "bash", str(folder.parent / "shortcut")).flags


def test_a_link_to_a_secret_is_one(commands: Commands, folder: Path) -> None:
    """A harmless name does not hide what is read."""
    keys = folder.parent / ".ssh"
    keys.mkdir()
    (keys / "id_ed25519").write_text("key")
    (folder / "notes.txt").symlink_to(keys / "id_ed25519")
    verdict = commands.verdict("cat notes.txt", "bash", str(folder))
    assert (verdict.gate, str(verdict.reason)) == (Gate.ASK, "notes.txt may hold secrets")
    assert Flag.SECRET in verdict.flags


@pytest.mark.parametrize("line", ["grep -r KEY d/..", "rg KEY d/../", "find d/.. -type f | xargs cat"])
def test_dots_behind_a_link_lead_above_where_it_leads(tables: Tables, folder: Path, line: str) -> None:
    """The text says that it is the project; the system follows the link first."""
    home = folder.parent / "home"
    (home / "sub").mkdir(parents=True)
    (folder / "d").symlink_to(home / "sub")
    commands = Commands(Classifier(tables), around=CommandPlaces(home=str(home)))
    verdict = commands.verdict(line, "bash", str(folder))
    assert Flag.SECRET in verdict.flags
    (folder / "d").unlink()
    (folder / "d").mkdir()
    assert commands.verdict(line, "bash", str(folder)).gate is Gate.ALLOW


def test_what_is_written_behind_dots_of_a_link_is_outside(commands: Commands, folder: Path) -> None:
    """`d/../x` lies beside where the link leads."""
    (folder.parent / "other" / "sub").mkdir(parents=True)
    (folder.parent / "other" / "x").touch()
    (folder / "d").symlink_to(folder.parent / "other" / "sub")
    assert Flag.OUTSIDE in commands.verdict("echo a > d/../x", "bash", str(folder)).flags


@pytest.mark.parametrize(
    ("working", "line", "flags"),
    [
        ("keys", "cat work", {Flag.SECRET}),
        ("keys", "cat *", {Flag.SECRET}),
        ("keys", "grep -r x .", {Flag.SECRET}),
        ("keys", "ls", set()),
        (".", "find keys -type f -exec cat {} +", {Flag.SECRET}),
        (".", "for f in keys/*; do cat $f; done", {Flag.SECRET}),
        (".", "(cd keys && cat work)", {Flag.SECRET}),
        ("agent", "tee settings.json", {Flag.GATE, Flag.OUTSIDE}),
        ("plain", "cat *", set()),
        ("plain", "tee x", set()),
        (".", "cat *", set()),
    ],
)
def test_a_working_folder_counts_by_where_its_links_lead(
    commands: Commands, folder: Path, working: str, line: str, flags: set[Flag]
) -> None:
    """A hook tells where the agent works; a link of the project may lead to keys there, or to hooks."""
    for name, place in {"keys": ".ssh", "agent": ".claude"}.items():
        (folder.parent / place).mkdir()
        (folder / name).symlink_to(folder.parent / place)
    (folder / "sub").mkdir()
    (folder / "plain").symlink_to(folder / "sub")
    found = commands.verdict(line, "bash", str(folder / working), str(folder)).flags
    assert found == flags


def test_our_own_folders_are_the_gates(tables: Tables, folder: Path) -> None:
    """Changing them is GATE, reading them SECRET, whatever the profile is called."""
    profile = folder.parent / "profile"
    profile.mkdir()
    (profile / "tokens.json").write_text("{}")
    found = Commands(Classifier(tables), around=CommandPlaces.of(profile))
    changed = found.verdict("echo x > ../profile/settings.toml", "bash", str(folder))
    assert {Flag.GATE, Flag.OUTSIDE} <= changed.flags
    read = found.verdict("cat ../profile/tokens.json", "bash", str(folder))
    assert (read.effect, read.gate) == (Effect.READ, Gate.ASK)
    assert found.verdict("cat other.json", "bash", str(folder)).gate is Gate.ALLOW
    assert found.verdict("ls", "bash", str(profile)).gate is Gate.ALLOW
    assert Flag.SECRET in found.verdict("cat tokens.json", "bash", str(profile)).flags


def test_an_agents_hooks_behind_a_link(commands: Commands, folder: Path) -> None:
    """Writing through a link into an agent's settings is GATE."""
    (folder / ".claude").mkdir()
    (folder / "conf").symlink_to(".claude")
    assert Flag.GATE in commands.verdict("echo x > conf/settings.json", "bash", str(folder)).flags


@pytest.mark.parametrize(
    "command",
    ["ls", "rm -r a", "touch a", "cat a b", "sed -i s/a/b/ a", "cd sub && touch a", "echo x > a; rm b"],
)
def test_the_disk_never_makes_a_verdict_milder(commands: Commands, folder: Path, command: str) -> None:
    """Whatever is there."""
    plain = commands.verdict(command, "bash")
    (folder / "a").write_text("")
    (folder / "b").symlink_to("/etc")
    (folder / "sub").mkdir()
    there = commands.verdict(command, "bash", str(folder))
    assert there.effect >= plain.effect
    assert there.flags >= plain.flags
    assert not (there.gate is Gate.ALLOW and plain.gate is not Gate.ALLOW)


@pytest.mark.parametrize("folder_name", ["/nowhere/at/all", "relative", ""])
def test_a_folder_that_is_not_there(commands: Commands, folder_name: str) -> None:
    """Adds nothing, and does no harm."""
    assert commands.verdict("touch a", "bash", folder_name).effect is Effect.CREATE


def test_a_bug_asks(tables: Tables) -> None:
    """It is in the log, and the command is not allowed."""
    verdict = Commands(Broken(tables)).verdict("ls", "bash", "/")
    assert (verdict.effect, verdict.gate, verdict.reason) == (Effect.UNKNOWN, Gate.ASK, FAILED)


def test_the_model_is_asked_about_unknown_programs_alone(tables: Tables) -> None:
    """Whatever it thinks, the verdict stays."""
    judge = ScriptedJudge(Consulted(THINKS_IT_READS))
    commands = Commands(Classifier(tables), judge)
    for command in ("ls", "rm x", "./run.sh", "frobnicate > out", "make", "python x.py"):
        assert commands.judged(command, "bash").opinion is None, command
    judged = commands.judged("frobnicate list", "bash", timeout_ms=500)
    assert judged.opinion is THINKS_IT_READS
    assert (judged.verdict.effect, judged.verdict.gate) == (Effect.UNKNOWN, Gate.ASK)
    assert judge.asked == [("frobnicate list", 0.5)]


def test_a_time_out_is_named(tables: Tables) -> None:
    """In the reason, for the log and for whoever asked."""
    judged = Commands(Classifier(tables), ScriptedJudge(Consulted(timed_out=True))).judged(
        "frobnicate", "bash"
    )
    assert judged.judge_timed_out
    assert judged.opinion is None
    assert judged.verdict.gate is Gate.ASK
    assert str(judged.verdict.reason).endswith("and the model timed out")


def test_a_judge_with_a_bug_is_no_judge(tables: Tables) -> None:
    """The gate works without."""
    judged = Commands(Classifier(tables), ScriptedJudge()).judged("frobnicate", "bash")
    assert (judged.opinion, judged.verdict.gate) == (None, Gate.ASK)


def test_a_request_has_what_policy_and_grants_look_at(commands: Commands, folder: Path) -> None:
    """Its parts, its commands in plain words, whether it is static, and that it runs."""
    line = "touch a > b && 'r'm -f c"
    verdict = commands.verdict(line, "bash", str(folder))
    request = commands.request(verdict, line, folder, chat="7", untrusted=("a page",))
    assert request.parts == ("touch a > b", "'r'm -f c")
    assert request.commands == ("touch a", "rm -f c")
    assert (request.text, request.runs, request.is_static) == (line, True, True)
    assert (request.effect, request.chat, request.untrusted) == (Effect.DELETE, "7", ("a page",))


def test_many_threads_share_it(commands: Commands, folder: Path) -> None:
    """All get the verdict that one alone gets."""
    lines = ["ls -la", "rm -rf x", "git push --force", "cat a | grep b", "frobnicate"] * 20
    expected = [commands.verdict(line, "bash", str(folder)).effect for line in lines]
    found: dict[int, list[Effect]] = {}

    def work(number: int) -> None:
        found[number] = [commands.verdict(line, "bash", str(folder)).effect for line in lines]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert all(each == expected for each in found.values())


def test_settling_loads_all_and_keeps_it_from_the_collector(tables: Tables) -> None:
    """As a long-running program wants it."""
    before = gc.get_freeze_count()
    try:
        Commands(Classifier(tables)).settle()
        assert gc.get_freeze_count() > before + 1000
    finally:
        gc.unfreeze()
