"""A failure seen before brings the fix that worked; one that only looks like it brings none."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import pytest

from desktop.database import Database
from desktop.errors import UserFacing
from desktop.memory.hindsight.fixes import is_of_other_word
from desktop.memory.hindsight.hindsight import OPEN_FOR_S, Hindsight
from desktop.memory.hindsight.signature import (
    Failure,
    codes,
    is_other_module,
    names_in,
    normalised_error,
    program_of,
)
from desktop.memory.item import Layer
from desktop.memory.memory import Memory
from desktop.paths import Paths
from tests.memory.conftest import Clock
from tests.memory.hindsight.cases import CASES, learned, recognised
from tests.memory.hindsight.fresh_cases import failure, figures
from tests.processor_time import processor_time

PUSH = {"command": "git push"}
UPSTREAM = {"command": "git push --set-upstream origin topic"}
NO_UPSTREAM = "fatal: The current branch topic has no upstream branch."


@pytest.fixture
def hindsight(memory: Memory) -> Hindsight:
    return memory.hindsight


def fails(
    hindsight: Hindsight,
    arguments: Mapping[str, Any] = PUSH,
    message: str = NO_UPSTREAM,
    session: str = "1",
    tool: str = "run_command",
    project: str = "",
) -> Any:
    return hindsight.failed(Failure(tool, message, arguments=arguments, session=session, project=project))


def learn(hindsight: Hindsight, times: int = 1, project: str = "") -> int:
    fix = None
    for number in range(times):
        fails(hindsight, session=f"learn {number}", project=project)
        fix = hindsight.worked("run_command", UPSTREAM, f"learn {number}", project)
    assert fix is not None
    return fix.id


def test_there_are_forty_of_each() -> None:
    """As many as the figures are promised for."""
    assert len(CASES) == 40


def test_repeats_are_found_and_look_alikes_are_not(hindsight: Hindsight) -> None:
    """With all forty fixes known: at least 0.9 of the repeats bring theirs, at most 2 % of the look-alikes
    any.
    """
    for case in CASES:
        learned(hindsight, case)
    missed = [case.repeat[1] for case in CASES if not recognised(hindsight, case)]
    false = [case.look_alike[1] for case in CASES if hindsight.lookup(case.failure(case.look_alike))]
    assert len(missed) <= 4, missed
    assert len(false) <= 0.02 * len(CASES), false
    # Of this thread's processor: what a look-up waits beside other work is not its own.
    with processor_time(time.thread_time) as spent:
        for case in CASES:
            hindsight.lookup(case.failure(case.repeat))
    assert spent.at_rest_s / len(CASES) < 0.05


def test_what_programs_really_say_is_recognised_behind_whatever_leads_to_it(hindsight: Hindsight) -> None:
    """With all thirty fixes known at once: 27 repeats bring their own, no look-alike brings any."""
    found = figures(hindsight)
    assert found["repeats"] == 30
    assert found["offered"] >= 27
    assert found["offered_as_a_call"] >= 25
    assert found["look_alikes_offered_something"] == 0


@pytest.mark.parametrize(
    ("failed", "worked", "now", "proposed"),
    [
        # Before the whole of it, behind the folder that it is done in.
        ("docker ps", "sudo docker ps", "cd shop && docker ps -a", "cd shop && sudo docker ps -a"),
        ("node a.js", "npm install && node a.js", "node b.js", "npm install && node b.js"),
        # An option with another value goes with its value.
        ("pytest -n 4", "pytest", "pytest -n 8 tests", "pytest tests"),
        # What is done to something that the first call named is not done for another.
        ("ssh a@web1", "ssh-keygen -R web1 && ssh a@web1", "ssh a@web7", None),
    ],
)
def test_a_fix_becomes_a_call_for_the_command_at_hand(
    hindsight: Hindsight, failed: str, worked: str, now: str, proposed: str | None
) -> None:
    """Else the fix is told in words, and nothing is proposed."""
    message = "it went wrong: the juggler has no more plates"
    hindsight.failed(failure((failed, message), "1"))
    hindsight.worked("run_command", {"command": worked}, "1")
    (offer,) = hindsight.lookup(failure((now, message)))
    assert (None if offer.arguments is None else offer.arguments["command"]) == proposed


def test_another_word_for_one_that_was_not_taken_is_a_fix(hindsight: Hindsight) -> None:
    """Where the failure names the word, and right after it; any other command of the program is none."""
    refused = ("make test", "make: *** No rule to make target 'test'.  Stop.")
    hindsight.failed(failure(refused, "1"))
    assert hindsight.worked("run_command", {"command": "make check"}, "1") is not None
    hindsight.failed(failure(("make test", "make: *** [Makefile:31: test] Error 1"), "2"))
    assert hindsight.worked("run_command", {"command": "make clean"}, "2") is None
    hindsight.failed(failure(refused, "3"))
    hindsight.worked("run_command", {"command": "ls"}, "3")
    assert hindsight.worked("run_command", {"command": "make check"}, "3") is None


def test_what_worked_is_offered_when_it_fails_again(hindsight: Hindsight) -> None:
    """In another session, with how often it worked and a line for the next try."""
    learn(hindsight)
    (offer,) = fails(hindsight, session="2")
    assert offer.arguments == UPSTREAM
    assert offer.fix.in_words() == "worked 1 of 1 time, last 17 Nov"
    assert offer.fix.for_retry() == (
        "Last time `git push` failed with `fatal: the current branch topic has no upstream branch`,"
        " `git push --set-upstream origin topic` worked."
    )


def test_a_fix_speaks_of_the_failure_at_hand(hindsight: Hindsight) -> None:
    """The module that is missing now, not the one that was missing then."""
    run = {"command": "python main.py"}
    fails(hindsight, run, "ModuleNotFoundError: No module named 'yaml'")
    hindsight.worked("run_command", {"command": "pip install yaml"}, "1")
    hindsight.worked("run_command", run, "1")
    (offer,) = fails(hindsight, run, "ModuleNotFoundError: No module named 'requests'", "2")
    assert offer.fix.after["_first"] == "pip install requests"


def test_a_change_of_a_command_fits_another_command(hindsight: Hindsight) -> None:
    """An option put in is put in; where it does not fit, the fix is told and no call is proposed."""
    message = "rm: cannot remove 'build': Is a directory"
    fails(hindsight, {"command": "rm build"}, message)
    hindsight.worked("run_command", {"command": "rm -r build"}, "1")
    (offer,) = fails(hindsight, {"command": "rm dist"}, message.replace("build", "dist"), "2")
    assert offer.arguments == {"command": "rm -r dist"}


def test_a_fix_of_one_file_is_not_proposed_for_another(hindsight: Hindsight) -> None:
    """That Report.TXT is report.txt says nothing about Notes.MD."""
    fails(
        hindsight, {"path": "Report.TXT"}, "There is no file Report.TXT in the workspace.", tool="read_file"
    )
    hindsight.worked("read_file", {"path": "report.txt"}, "1")
    (same,) = fails(
        hindsight, {"path": "Report.TXT"}, "There is no file Report.TXT in the workspace.", "2", "read_file"
    )
    assert same.arguments == {"path": "report.txt"}
    (other,) = fails(
        hindsight, {"path": "Notes.MD"}, "There is no file Notes.MD in the workspace.", "3", "read_file"
    )
    assert other.arguments is None


def test_another_goal_teaches_nothing(hindsight: Hindsight) -> None:
    """Nor does the same call that went by itself, another session, or half an hour later."""
    fails(hindsight)
    assert hindsight.worked("run_command", {"command": "git status"}, "1") is None
    assert hindsight.worked("run_command", {"command": "git pull"}, "1") is None
    assert hindsight.worked("calculator", {"expression": "1 + 1"}, "1") is None
    assert hindsight.worked("run_command", UPSTREAM, "9") is None
    fails(hindsight, session="2")
    assert hindsight.worked("run_command", PUSH, "2") is None


def test_an_old_failure_is_no_longer_open(hindsight: Hindsight, clock: Clock) -> None:
    """What works an hour later was not its fix."""
    fails(hindsight)
    clock.now += OPEN_FOR_S + 1
    assert hindsight.worked("run_command", UPSTREAM, "1") is None


def test_a_success_is_taken_back_when_the_failure_returns(hindsight: Hindsight) -> None:
    """In the same session; in another one it is a new occasion."""
    fix_id = learn(hindsight, 2)
    assert (hindsight.fix(fix_id).applications, hindsight.fix(fix_id).successes) == (2, 2)
    fails(hindsight, session="learn 1")
    assert (hindsight.fix(fix_id).applications, hindsight.fix(fix_id).successes) == (2, 1)
    fails(hindsight, session="learn 1")
    assert hindsight.fix(fix_id).successes == 1


def test_a_fix_that_was_applied_counts_once(hindsight: Hindsight) -> None:
    """Pressing the button is the application; the call that works is the success."""
    fix_id = learn(hindsight)
    fails(hindsight, session="2")
    hindsight.applied(fix_id, "2")
    assert (hindsight.fix(fix_id).applications, hindsight.fix(fix_id).successes) == (2, 1)
    hindsight.worked("run_command", UPSTREAM, "2")
    assert (hindsight.fix(fix_id).applications, hindsight.fix(fix_id).successes) == (2, 2)
    fails(hindsight, session="3")
    hindsight.applied(fix_id, "3")
    fails(hindsight, session="3")
    assert hindsight.fix(fix_id).in_words().startswith("worked 2 of 3 times")


@pytest.mark.parametrize(
    ("applications", "successes", "promoted"),
    [(1, 1, False), (2, 2, False), (3, 3, True), (8, 7, True), (5, 4, False), (9, 6, False)],
)
def test_trust_needs_number_and_share(
    hindsight: Hindsight, database: Database, applications: int, successes: int, promoted: bool
) -> None:
    """(s+1)/(n+2) of at least 0.8 and three successes; what is not proven cannot be promoted."""
    fix_id = learn(hindsight)
    database.write(
        lambda c: c.execute(
            "UPDATE memory_fixes SET applications = ?, successes = ?", (applications, successes)
        )
    )
    fix = hindsight.fix(fix_id)
    assert fix.may_be_promoted is promoted
    assert fix.may_apply_itself(only_reads=True) is promoted
    assert not fix.may_apply_itself(only_reads=False)
    if promoted:
        assert hindsight.promote(fix_id, Layer.USER).layer is Layer.USER
    else:
        with pytest.raises(UserFacing, match="often enough"):
            hindsight.promote(fix_id, Layer.USER)


def test_a_fix_stays_in_its_project_until_it_is_promoted(hindsight: Hindsight) -> None:
    """Another folder is offered nothing before the user's yes."""
    fix_id = learn(hindsight, 3, project="/a")
    assert fails(hindsight, session="x", project="/a")
    assert not fails(hindsight, session="y", project="/b")
    hindsight.promote(fix_id, Layer.USER)
    assert fails(hindsight, session="z", project="/b")


def test_forbidden_and_forgotten(hindsight: Hindsight, paths: Paths) -> None:
    """A forbidden fix is not offered; a forgotten one is not on the disk."""
    fix_id = learn(hindsight)
    hindsight.forbid(fix_id)
    assert not fails(hindsight, session="2")
    hindsight.forbid(fix_id, False)
    assert fails(hindsight, session="3")
    hindsight.forget(fix_id)
    assert hindsight.fixes() == ()
    assert b"upstream" not in b"".join(f.read_bytes() for f in paths.data.iterdir() if f.is_file()).lower()


def test_no_secret_is_kept_or_shown(hindsight: Hindsight, paths: Paths) -> None:
    """Not of the message, not of the arguments, not in the preview."""
    token = "ghp_" + "a1B2c3D4e5" * 4
    command = {"command": f"git push https://{token}@example.org/x"}
    fails(hindsight, command, f"fatal: could not read from https://{token}@example.org/x, no upstream branch")
    fix = hindsight.worked("run_command", {"command": f"{command['command']} -u"}, "1")
    assert fix is not None
    assert token not in hindsight.preview(fix.id)
    assert token.encode() not in b"".join(file.read_bytes() for file in paths.data.iterdir())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("No such file: '/home/anna/a.txt'", "No such file: 'C:\\Users\\tom\\b.txt'"),
        ("failed at 2026-11-20 09:30:12 after 12 s", "failed at 2025-01-02 10:00:00 after 140 s"),
        ("object 8f3a9c1d not found", "object 11aa22bb not found"),
        (
            "id 123e4567-e89b-12d3-a456-426614174000 is gone",
            "id 00000000-e89b-12d3-a456-426614174abc is gone",
        ),
        ("see https://a.example/x?y=1", "see http://b.example/"),
        ('unknown key "colour"', "unknown key 'flavour'"),
    ],
)
def test_what_differs_from_run_to_run_is_replaced(one: str, other: str) -> None:
    """Paths, numbers, dates, ids, addresses, quoted names."""
    assert normalised_error(one) == normalised_error(other)


def test_what_means_something_is_kept() -> None:
    """The codes, the program behind sudo, the names in their order."""
    assert codes("exit status 127, HTTP 404, errno 2, line 99") == ("127", "404", "2")
    assert program_of("sudo FOO=1 /usr/bin/python3.11 x.py") == "python"
    assert program_of("python3.12 -m pip install x") == "pip"
    assert program_of("FOO=1 git push") == "git"
    assert program_of("") == ""
    assert names_in("copy 'a b' to /tmp/x.txt and `c`") == ("a b", "/tmp/x.txt", "c")


def test_every_cause_is_a_pattern_that_compiles(memory: Memory) -> None:
    """The table is read, and names no cause twice."""
    from desktop.memory.hindsight.signature import read_causes
    from desktop.paths import resources

    causes = read_causes(resources() / "memory" / "errors.toml")
    names = [name for name, _ in causes.patterns]
    assert len(names) == len(set(names)) > 30
    assert json.dumps(names)


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("cd shop && npm test", "npm"),
        ("cd shop; cd web && pytest -q", "pytest"),
        ("cd /srv/shop\ncargo build", "cargo"),
        ("export CI=1 && make", "make"),
        ("source .venv/bin/activate && python3.11 main.py", "python"),
        ("CI=1 sudo -u anna make", "make"),
        ("npx -y tsc --noEmit", "tsc"),
        ("cd web && npx eslint src", "eslint"),
        ("pnpm exec vitest run", "vitest"),
        ("yarn dlx prettier .", "prettier"),
        ("poetry run pytest", "pytest"),
        ("uv run ruff check", "ruff"),
        ("bundle exec rspec", "rspec"),
        ("timeout 20 go test ./...", "go"),
        ("cd shop", "cd"),
        ("", ""),
    ],
)
def test_a_command_is_known_by_what_it_does(command: str, program: str) -> None:
    """Not by where it goes first, nor by what runs it."""
    assert program_of(command) == program


LOCKED = "error: could not open the lock file: Permission denied"


@pytest.mark.parametrize(
    ("failed", "worked", "again", "offered"),
    [
        ("cd shop && npm tset", "cd shop && npm test", "cd blog && npm tset", "cd blog && npm test"),
        ("npm tset", "cd shop && npm test", "npm tset", "cd shop && npm test"),
        ("npx tsc --noEmitt", "npx tsc --noEmit", "npx tsc --noEmitt", "npx tsc --noEmit"),
    ],
)
def test_a_fix_is_learned_wherever_it_was_reached_from(
    hindsight: Hindsight, failed: str, worked: str, again: str, offered: str
) -> None:
    """Behind another folder, or run by another program."""
    fails(hindsight, {"command": failed}, LOCKED)
    assert hindsight.worked("run_command", {"command": worked}, "1") is not None
    offers = fails(hindsight, {"command": again}, LOCKED, session="2")
    assert [dict(offer.arguments or {}) for offer in offers] == [{"command": offered}]


def test_programs_behind_a_folder_share_no_fix(hindsight: Hindsight) -> None:
    """All of them began with the same word."""
    fails(hindsight, {"command": "cd shop && npm tset"}, LOCKED)
    hindsight.worked("run_command", {"command": "cd shop && npm test"}, "1")
    assert fails(hindsight, {"command": "cd shop && cargo biuld"}, LOCKED, session="2") == ()


def test_a_mark_in_the_place_of_a_secret_is_never_proposed(hindsight: Hindsight) -> None:
    """It would be run as it stands."""
    failed = "curl -H 'Authorization: Bearer sk-live-1234567890abcdef1234567890' http://localhost:1/x"
    worked = failed.replace("/x", "/y --retry 2")
    fails(hindsight, {"command": failed}, "curl: (7) Failed to connect")
    hindsight.worked("run_command", {"command": worked}, "1")
    offers = fails(hindsight, {"command": failed}, "curl: (7) Failed to connect", session="2")
    assert offers
    assert all(offer.arguments is None for offer in offers)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("npm run dev", "cd web && pnpm dev", True),
        ("npm start", "yarn start", True),
        ("npx tsc --noEmit", "pnpm tsc -p .", True),
        ("npm install", "yarn install", False),
        ("npm run dev", "bun add dev", False),
        (r".\build.ps1", r"powershell -ExecutionPolicy Bypass -File .\build.ps1", True),
    ],
)
def test_other_managers_run_the_same_scripts_and_programs(one: str, other: str, is_same: bool) -> None:
    assert (program_of(one) == program_of(other)) is is_same


@pytest.mark.parametrize(
    ("learned", "now", "after", "is_other"),
    [
        ("ld: cannot find -lfoo", "ld: cannot find -lbar", "apt-get install libfoo-dev", True),
        ("ld: cannot find -lfoo", "ld: cannot find -lfoo", "apt-get install libfoo-dev", False),
        ("foo failed at step one", "foo failed at step two", "make clean", False),
    ],
)
def test_a_fix_that_names_a_thing_is_for_that_thing(
    learned: str, now: str, after: str, is_other: bool
) -> None:
    assert is_of_other_word(learned, now, "make", after) is is_other


@pytest.mark.parametrize(
    ("fix", "message", "is_other"),
    [
        ("PYTHONPATH=. pytest", "No module named 'attrs'", True),
        ("PYTHONPATH=. pytest", "No module named 'shop.cart'", False),
        ("npm install", "Cannot find module 'lodash'", False),
        ("npm install", "Cannot find module './settings/site.js'", True),
    ],
)
def test_a_path_helps_only_the_module_that_it_leads_to(fix: str, message: str, is_other: bool) -> None:
    assert is_other_module(("shop",), fix, message) is is_other
