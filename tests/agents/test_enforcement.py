"""A verdict on its way through the handler: its box, the call's later hooks, the report, the fallback."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from desktop.agents.action import HookChoice, Reply
from desktop.agents.claude_code import FUNCTIONS
from desktop.agents.confined_runs import MOST_OF_SESSION, MOST_OPEN, ConfinedRun
from desktop.agents.copies import MOST_SESSIONS
from desktop.agents.events import ConfinedOutcome, ConfinementRefused, DecidedBy, HookRan, NotRewritten
from desktop.asking import ALLOWED_ONCE, Answer, Reach, Scope
from desktop.asking import Choice as Click
from desktop.gate.policy import Confined, PolicySettings
from desktop.gate.project_copies import CopyLimits, ProjectCopies
from desktop.gate.undo import undo_changes
from tests.agents.gatehouse import Gatehouse, word
from tests.fakes.asker import FakeAsker
from tests.fakes.boxes import FakeBoxes
from tests.fakes.failures import failure
from tests.held_objects import held

DENIED = Answer(Click.DENY)


@pytest.fixture
def boxes(house: Gatehouse, tmp_path: Path) -> FakeBoxes:
    made = FakeBoxes(tmp_path / "reports")
    house.make(boxes=made)
    house.asker = FakeAsker(DENIED)
    return made


def specific(reply: Reply) -> dict[str, Any]:
    return dict(json.loads(reply.body)["hookSpecificOutput"]) if reply.body else {}


def line_of(reply: Reply) -> str:
    """The rewritten command, "" where there is none."""
    found = specific(reply)
    inner = found.get("updatedInput") or found.get("decision", {}).get("updatedInput") or {}
    return str(inner.get("command", ""))


def ran(house: Gatehouse) -> list[HookRan]:
    return [event for event in house.events if isinstance(event, HookRan)]


def marked(house: Gatehouse) -> list[str]:
    return [str(event.words) for event in house.events if isinstance(event, NotRewritten)]


def run(line: str, folder: Path) -> None:
    subprocess.run(["/bin/bash", "-c", line], cwd=folder, check=True, capture_output=True, timeout=30)


# -- what only reads ------------------------------------------------------------------------------


def test_what_only_reads_is_answered_with_its_box(house: Gatehouse, boxes: FakeBoxes) -> None:
    """At once, with every other argument of the call as the agent sent it."""
    arguments = {"command": "ls", "description": "Look", "timeout": 5000}
    reply = house.answer(house.hook("Bash", arguments, tool_use_id="t1"))
    found = specific(reply)["updatedInput"]
    assert found == {**arguments, "command": line_of(reply)}
    assert line_of(reply).endswith(" ls")
    assert [each.confined for each in boxes.boxes] == [Confined.READ_ONLY]
    assert house.decided[0].text == "ls"
    assert (house.decided[0].by, house.decided[0].confined) == (DecidedBy.READING, "read only")


@pytest.mark.parametrize(("command", "uses"), [("git ls-remote origin", True), ("ls", False)])
def test_the_box_has_a_network_only_for_what_may_use_one(
    house: Gatehouse, boxes: FakeBoxes, command: str, uses: bool
) -> None:
    """As the verdict says; and what has one is told as a command that may have used it."""
    house.answer(house.bash(command))
    assert [each.uses_network for each in boxes.boxes] == [uses]
    assert [each.may_use_network for each in house.decided] == [uses]


def test_what_asks_is_not_confined(house: Gatehouse, boxes: FakeBoxes) -> None:
    """A yes of the user's lets the command run as it was shown."""
    house.asker = FakeAsker(ALLOWED_ONCE)
    reply = house.answer(house.bash("rm x"))
    assert (word(reply), line_of(reply), boxes.boxes) == ("allow", "", [])
    assert house.decided[-1].may_use_network


def test_without_a_box_on_this_computer_reading_is_allowed_as_before(
    house: Gatehouse, boxes: FakeBoxes
) -> None:
    """The system lacks it, or the client is not there."""
    boxes.offered = False
    reply = house.answer(house.bash("ls"))
    assert (word(reply), line_of(reply)) == ("allow", "")


@pytest.mark.parametrize("error", [OSError("disk"), failure("Too long.", "Nothing.", "Split it.")])
def test_a_line_that_cannot_be_confined_is_judged_without(
    house: Gatehouse, boxes: FakeBoxes, error: Exception
) -> None:
    """What reads is allowed by its reading, what project mode let through is asked."""
    boxes.fails = error
    reply = house.answer(house.bash("ls"))
    assert (word(reply), line_of(reply)) == ("allow", "")
    house.projects.begin(house.project, None)
    assert house.says(house.bash("touch new.txt")) == "deny"
    assert len(house.questions) == 1


def test_a_command_of_another_shell_is_not_rewritten(house: Gatehouse, boxes: FakeBoxes) -> None:
    """The client starts bash."""
    house.answer(house.hook("PowerShell", {"command": "Get-Date"}))
    assert boxes.boxes == []


def test_an_agent_that_takes_no_other_command_is_told_as_before(house: Gatehouse, boxes: FakeBoxes) -> None:
    """Cursor has no form for it."""
    body = {"hook_event_name": "beforeShellExecution", "command": "ls", "cwd": str(house.project)}
    reply = house.answer(json.dumps(body).encode(), "cursor")
    assert json.loads(reply.body) == {"permission": "allow"}
    assert boxes.boxes == []


@pytest.mark.parametrize(
    ("calls", "described", "sessions", "kept"),
    [
        (MOST_OPEN + 60, 10, 10, MOST_OPEN),
        (MOST_OF_SESSION + 60, 10, 1, MOST_OF_SESSION),
        (60, 100_000, 10, 39),
    ],
)
def test_calls_whose_end_is_never_told_are_forgotten(
    house: Gatehouse, boxes: FakeBoxes, calls: int, described: int, sessions: int, kept: int
) -> None:
    """The oldest first, by number, of all and of a session, and by what they hold; later ones are known."""
    arguments = {"command": "ls", "description": "x" * described}

    def call(number: int) -> dict[str, str]:
        return {"tool_use_id": f"t{number}", "session_id": f"s{number % sessions}"}

    lines = [line_of(house.answer(house.hook("Bash", arguments, **call(number)))) for number in range(calls)]
    assert len(held(house.handler, ConfinedRun)) == kept
    for number in (0, calls - kept, calls - 1):
        house.answer(house.bash(lines[number], "PostToolUse", **call(number)))
    assert [each.id for each in ran(house)] == [house.decided[-kept].id, house.decided[-1].id]


# -- project mode ---------------------------------------------------------------------------------


def test_in_project_mode_a_command_runs_in_its_project(house: Gatehouse, boxes: FakeBoxes) -> None:
    """Without a question; what leaves the project asks as ever."""
    house.projects.begin(house.project, None)
    reply = house.answer(house.bash("touch new.txt"))
    assert line_of(reply)
    assert [(each.confined, each.project) for each in boxes.boxes] == [(Confined.PROJECT, house.project)]
    assert house.says(house.bash("git push")) == "deny"
    assert len(house.questions) == 1
    assert house.decided[0].confined == "project"


def test_an_untried_version_gets_project_mode_after_its_first_report(
    house: Gatehouse, boxes: FakeBoxes
) -> None:
    """Until then what is not proven to run confined is asked."""
    house.version = "3.0.0"
    house.projects.begin(house.project, None)
    assert house.says(house.bash("touch a.txt")) == "deny"
    line = line_of(house.answer(house.bash("ls", tool_use_id="t1")))
    run(line, house.project)
    house.answer(house.bash(line, "PostToolUse", tool_use_id="t1"))
    assert line_of(house.answer(house.bash("touch a.txt")))


def test_project_mode_is_offered_and_begins_with_the_command_itself(
    house: Gatehouse, boxes: FakeBoxes
) -> None:
    """By one answer; the command that was asked about runs in the project like all that follow."""
    house.asker = FakeAsker(Answer(Click.ALLOW, scope=Scope.TODAY, reach=Reach.PROJECT))
    assert line_of(house.answer(house.bash("touch new.txt")))
    assert Reach.PROJECT in [offer.reach for offer in house.questions[0].scopes]
    assert [project.folder for project in house.projects.listed()] == [house.project]
    assert line_of(house.answer(house.bash("touch other.txt")))
    assert len(house.questions) == 1
    assert [each.confined for each in boxes.boxes] == [Confined.PROJECT, Confined.PROJECT]


@pytest.mark.parametrize("offered", [True, False])
def test_project_mode_is_offered_only_where_it_can_be_kept(
    house: Gatehouse, boxes: FakeBoxes, offered: bool
) -> None:
    """Not where the system cannot confine."""
    boxes.offered = offered
    house.answer(house.bash("touch new.txt"))
    assert (Reach.PROJECT in [offer.reach for offer in house.questions[0].scopes]) is offered


def test_where_only_reading_can_be_confined_there_is_no_project_mode(
    house: Gatehouse, boxes: FakeBoxes
) -> None:
    """Landlock without namespaces: what reads gets its box, the rest asks, and the mode is not offered."""
    boxes.hold_projects = False
    assert line_of(house.answer(house.bash("ls")))
    house.answer(house.bash("touch new.txt"))
    assert Reach.PROJECT not in [offer.reach for offer in house.questions[0].scopes]
    house.projects.begin(house.project, None)
    assert house.says(house.bash("touch other.txt")) == "deny"
    assert len(house.questions) == 2
    assert [each.confined for each in boxes.boxes] == [Confined.READ_ONLY]


# -- later hooks ----------------------------------------------------------------------------------


def test_the_agents_own_prompt_about_the_line_is_answered(house: Gatehouse, boxes: FakeBoxes) -> None:
    """It shows what Steward wrote; Activity shows what the agent wrote."""
    line = line_of(house.answer(house.bash("ls", tool_use_id="t1")))
    reply = house.answer(house.bash(line, "PermissionRequest"))
    assert specific(reply)["decision"] == {"behavior": "allow"}
    assert [event.text for event in house.decided] == ["ls", "ls"]
    assert house.questions == []


def test_a_prompt_about_the_agents_own_line_gets_the_box_there(house: Gatehouse, boxes: FakeBoxes) -> None:
    """Where no hook came before it."""
    assert line_of(house.answer(house.bash("ls", "PermissionRequest")))


@pytest.mark.parametrize("more", [{"session_id": "another"}, {}])
def test_the_same_line_typed_again_is_a_command_like_any_other(
    house: Gatehouse, boxes: FakeBoxes, more: dict[str, Any]
) -> None:
    """In another session or as a new call: it is read as what it runs."""
    line = line_of(house.answer(house.bash("ls", tool_use_id="t1")))
    house.answer(house.bash(line, tool_use_id="t2", **more))
    assert [question.arguments for question in house.questions] == [line]


def test_a_line_that_looks_like_ours_is_not_ours(house: Gatehouse, boxes: FakeBoxes) -> None:
    """One character more, and it is the agent's."""
    line = line_of(house.answer(house.bash("ls", tool_use_id="t1")))
    reply = house.answer(house.bash(line + " ", "PermissionRequest"))
    assert word(reply) == "deny"
    assert len(house.questions) == 1


def test_after_its_end_the_line_is_known_no_more(house: Gatehouse, boxes: FakeBoxes) -> None:
    """A call ends once."""
    line = line_of(house.answer(house.bash("ls", tool_use_id="t1")))
    run(line, house.project)
    house.answer(house.bash(line, "PostToolUse", tool_use_id="t1"))
    house.answer(house.bash(line, "PermissionRequest"))
    assert len(house.questions) == 1


def test_the_end_of_a_session_forgets_its_lines(house: Gatehouse, boxes: FakeBoxes) -> None:
    """And says nothing about the version."""
    line = line_of(house.answer(house.bash("ls", tool_use_id="t1")))
    house.answer(json.dumps({"hook_event_name": "SessionEnd", "session_id": "s1"}).encode())
    house.answer(house.bash(line, "PermissionRequest"))
    assert len(house.questions) == 1
    assert marked(house) == []


# -- reports --------------------------------------------------------------------------------------


def test_a_report_is_told_and_kept(house: Gatehouse, boxes: FakeBoxes) -> None:
    """In Activity, in the log, and as the standing of the version."""
    line = line_of(house.answer(house.bash("ls", tool_use_id="t1")))
    run(line, house.project)
    house.answer(house.bash(line, "PostToolUse", tool_use_id="t1"))
    assert [(each.id, each.ran) for each in ran(house)] == [(house.decided[0].id, ConfinedOutcome.CONFINED)]
    assert house.handler.recent[0].ran is ConfinedOutcome.CONFINED
    assert list(boxes.folder.iterdir()) == []
    assert [mark.standing.value for mark in house.rewriting.marks()] == ["honoured"]
    verdict, end = house.logged()
    assert (verdict["text"], verdict["class"], verdict["ground"]) == ("ls", "READ", "reading")
    assert (verdict["confined"], end["confined"], end["reported"]) == ("read only", "read only", True)
    assert end["text"] == "ls"


def test_a_version_that_ignores_the_line_is_marked_and_asked_about(
    house: Gatehouse, boxes: FakeBoxes
) -> None:
    """It ran its own; from now on reading is believed as before, and project mode asks."""
    house.projects.begin(house.project, None)
    house.answer(house.bash("ls", tool_use_id="t1"))
    house.answer(house.bash("ls", "PostToolUse", tool_use_id="t1"))
    assert marked(house) == ["Claude Code 2.1.197 ignored the rewritten command; Steward asks again."]
    assert ran(house)[0].ran is ConfinedOutcome.UNCONFINED
    assert ran(house)[0].may_have_used_network
    reply = house.answer(house.bash("ls", session_id="s2"))
    assert (word(reply), line_of(reply)) == ("allow", "")
    assert house.says(house.bash("touch a.txt", session_id="s2")) == "deny"
    assert len(house.questions) == 1


def test_a_newer_version_is_tried_again(house: Gatehouse, boxes: FakeBoxes) -> None:
    """A mark is about one version."""
    house.answer(house.bash("ls", tool_use_id="t1"))
    house.answer(house.bash("ls", "PostToolUse", tool_use_id="t1"))
    house.version = "2.1.198"
    assert line_of(house.answer(house.bash("ls", session_id="s2")))


ENDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("PostToolUse", {"run_in_background": True}, {}),
    ("PostToolUseFailure", {}, {"error": "Exit code 137\nKilled"}),
    ("PostToolUseFailure", {}, {"error": "Exit code 1\nbash: no such file"}),
    ("PostToolUseFailure", {}, {"error": "Command timed out after 2m"}),
]


@pytest.mark.parametrize(("event", "arguments", "more"), ENDS)
def test_what_may_not_have_come_that_far_marks_nothing(
    house: Gatehouse, boxes: FakeBoxes, event: str, arguments: dict[str, Any], more: dict[str, Any]
) -> None:
    """In the background, killed, timed out or failed before the client began."""
    body = {"command": "ls", **arguments}
    line = line_of(house.answer(house.hook("Bash", body, tool_use_id="t1")))
    house.answer(house.hook("Bash", {**body, "command": line}, event, tool_use_id="t1", **more))
    assert [each.ran for each in ran(house)] == [ConfinedOutcome.UNTOLD]
    assert marked(house) == []
    assert line_of(house.answer(house.bash("pwd")))


def test_a_line_that_ran_without_a_report_is_marked(house: Gatehouse, boxes: FakeBoxes) -> None:
    """The agent shows the rewritten line and an end without error, and no client was there."""
    line = line_of(house.answer(house.bash("ls", tool_use_id="t1")))
    house.answer(house.bash(line, "PostToolUse", tool_use_id="t1"))
    assert marked(house) == ["Claude Code 2.1.197 ran a command without reporting it; Steward asks again."]


def test_after_a_missing_report_nothing_runs_unconfined(house: Gatehouse, boxes: FakeBoxes) -> None:
    """Also where earlier calls reported: project mode asks from then on, and what reads keeps its box."""
    house.projects.begin(house.project, None)
    first = line_of(house.answer(house.bash("touch a.txt", tool_use_id="t1")))
    run(first, house.project)
    house.answer(house.bash(first, "PostToolUse", tool_use_id="t1"))
    second = line_of(house.answer(house.bash("touch b.txt", tool_use_id="t2")))
    house.answer(house.bash(second, "PostToolUse", tool_use_id="t2"))  # no client was there
    for session in ("s1", "s2"):
        assert house.says(house.bash("touch c.txt", session_id=session)) == "deny"
        assert line_of(house.answer(house.bash("ls", session_id=session)))
    assert len(house.questions) == 2


def test_what_a_command_was_kept_from_is_told(house: Gatehouse, boxes: FakeBoxes) -> None:
    """For people, from the error's own words."""
    line = line_of(house.answer(house.bash("ls", tool_use_id="t1")))
    run(line, house.project)
    error = "Exit code 1\ntouch: cannot touch '/etc/x': Permission denied"
    house.answer(house.bash(line, "PostToolUseFailure", tool_use_id="t1", error=error))
    assert ran(house)[0].refused == (ConfinementRefused("touching", "/etc/x"),)
    assert house.logged()[-1]["refused"] == ["touching /etc/x"]


def test_what_the_client_refused_is_told(house: Gatehouse, boxes: FakeBoxes) -> None:
    """A connection, though the command went on without it."""
    boxes.refused = (ConfinementRefused("connection", "example.com:443"),)
    line = line_of(house.answer(house.bash("ls", tool_use_id="t1")))
    run(line, house.project)
    house.answer(house.bash(line, "PostToolUse", tool_use_id="t1"))
    assert ran(house)[0].refused == boxes.refused
    assert house.handler.recent[0].refused == boxes.refused


def test_an_agent_without_numbers_for_its_calls_is_followed_too(house: Gatehouse, boxes: FakeBoxes) -> None:
    """Gemini CLI gives none: the line alone tells the call."""
    house.version = "0.61.0"

    def hook(event: str, command: str) -> bytes:
        named = {"hook_event_name": event, "session_id": "g", "cwd": str(house.project)}
        return json.dumps(
            {**named, "tool_name": "run_shell_command", "tool_input": {"command": command}}
        ).encode()

    reply = house.answer(hook("BeforeTool", "ls"), "gemini-cli")
    line = str(specific(reply)["tool_input"]["command"])
    run(line, house.project)
    house.answer(hook("AfterTool", line), "gemini-cli")
    assert [each.ran for each in ran(house)] == [ConfinedOutcome.CONFINED]
    assert boxes.boxes[0].keeps_folder is False


# -- the rest -------------------------------------------------------------------------------------


def test_a_rule_of_the_agents_own_meets_the_line_that_it_is_about(house: Gatehouse, boxes: FakeBoxes) -> None:
    """It would not know the rewritten one; so the agent gets its own, and does what its user said."""
    settings = house.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"permissions": {"deny": ["Bash(ls:*)"]}}))
    reply = house.answer(house.bash("pwd && ls -a"))
    assert (word(reply), line_of(reply)) == ("allow", "")
    assert line_of(house.answer(house.bash("pwd")))


def test_during_a_pause_nothing_is_rewritten(house: Gatehouse, boxes: FakeBoxes) -> None:
    """Agents go by their own rules then."""
    house.handler.pause(60)
    assert house.says(house.bash("ls")) == ""
    assert boxes.boxes == []


def test_where_reading_asks_nothing_is_rewritten(house: Gatehouse, boxes: FakeBoxes) -> None:
    """The setting is the user's."""
    house.policy = PolicySettings(auto_allow_read=False)
    assert house.says(house.bash("ls")) == "deny"
    assert boxes.boxes == []


def test_a_folder_that_stands_first_stays_outside_the_box(house: Gatehouse, boxes: FakeBoxes) -> None:
    """The agent goes on in it; alone there is nothing to confine."""
    (house.project / "web").mkdir()
    assert line_of(house.answer(house.bash("cd web && ls"))).startswith(f"{FUNCTIONS}cd web && /bin/bash -c ")
    reply = house.answer(house.bash("cd web"))
    assert (word(reply), line_of(reply)) == ("allow", "")
    assert [event.choice for event in house.decided] == [HookChoice.ALLOW, HookChoice.ALLOW]


def test_what_a_command_does_in_its_project_is_undone(house: Gatehouse, boxes: FakeBoxes) -> None:
    """Copies are kept before the agent is told the line; its end writes down what to take back."""
    house.projects.begin(house.project, None)
    (house.project / "a.txt").write_text("before\n")
    line = line_of(house.answer(house.bash("make", tool_use_id="t1")))
    (house.project / "a.txt").write_text("after\n")
    house.answer(house.bash(line, "PostToolUse", tool_use_id="t1"))
    undo_changes(house.journal, [entry.id for entry in house.journal.of_call("t1")])
    assert (house.project / "a.txt").read_text() == "before\n"


def test_what_goes_on_in_the_background_is_undone_after_its_session(
    house: Gatehouse, boxes: FakeBoxes
) -> None:
    """The hook tells of an end when it has only begun."""
    house.projects.begin(house.project, None)
    (house.project / "a.txt").write_text("before\n")
    body = {"command": "make", "run_in_background": True}
    line = line_of(house.answer(house.hook("Bash", body, tool_use_id="t1")))
    house.answer(house.hook("Bash", {**body, "command": line}, "PostToolUse", tool_use_id="t1"))
    (house.project / "a.txt").write_text("after\n")
    assert house.journal.of_call("t1") == []
    house.answer(json.dumps({"hook_event_name": "SessionEnd", "session_id": "s1"}).encode())
    undo_changes(house.journal, [entry.id for entry in house.journal.of_call("t1")])
    assert (house.project / "a.txt").read_text() == "before\n"


def test_sessions_that_never_end_give_their_background_up(house: Gatehouse, boxes: FakeBoxes) -> None:
    """Of the one that was silent for longest it is written down what it has changed until then."""
    house.projects.begin(house.project, None)
    body = {"command": "make", "run_in_background": True}
    for number in range(MOST_SESSIONS + 3):
        of = {"tool_use_id": f"t{number}", "session_id": f"s{number}"}
        line = line_of(house.answer(house.hook("Bash", body, **of)))
        house.answer(house.hook("Bash", {**body, "command": line}, "PostToolUse", **of))
    rows = house.database.read(lambda c: c.execute("SELECT call FROM project_calls").fetchall())
    assert {row["call"] for row in rows} == {f"t{number}" for number in range(3, MOST_SESSIONS + 3)}


def test_a_project_that_cannot_be_kept_asks(house: Gatehouse, boxes: FakeBoxes) -> None:
    """A command whose effects could not be undone is the user's to allow."""
    house.projects.begin(house.project, None)
    house.copies = ProjectCopies(house.database, house.journal, house.project, CopyLimits(files=0))
    house.make(boxes=boxes)
    (house.project / "a.txt").write_text("x")
    assert house.says(house.bash("make")) == "deny"
    assert len(house.questions) == 1


@pytest.mark.parametrize("given", ["", "rg() { echo found it; }; export X=1", "a() { :; }; b() { :; }"])
def test_functions_of_claude_codes_shell_are_known_in_the_box(
    house: Gatehouse, boxes: FakeBoxes, given: str
) -> None:
    """It brings rg as one; nothing is printed where there is none."""
    line = line_of(house.answer(house.bash("type -t rg; cat /dev/null")))
    done = subprocess.run(["/bin/bash", "-c", f"{given}\n{line}"], capture_output=True, text=True, timeout=30)
    has_rg = shutil.which("rg") is not None
    expected = "function" if "rg()" in given else "file" if has_rg else ""
    assert (done.stdout.strip(), done.stderr) == (expected, "")
