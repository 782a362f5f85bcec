"""A coding agent's hook, whole: over HTTP into the running program, to the user, and back in its own form."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from desktop.agents.tokens import Tokens
from desktop.paths import Paths
from desktop.ui.permission.dialog import ARM_MS
from tests.flows.conftest import virtual_desktop
from tests.flows.desktop_session import DesktopSession, stop, typed_elsewhere, wait_for
from tests.flows.other_window import TITLE as TERMINAL
from tests.ports import free_port

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(180)]

DIALOG = "^Permission"


@dataclass
class Gate:
    """The program in the tray, its general token, and a project folder."""

    session: DesktopSession
    program: subprocess.Popen[str]
    url: str
    token: str
    paths: Paths
    project: Path
    pool: ThreadPoolExecutor
    pictures: Path
    agent: str = "s1"  # its session

    def hook(self, command: str, event: str = "PreToolUse", **more: Any) -> Future[httpx.Response]:
        """Claude Code's POST, on a thread, because it may be held."""
        body = {
            "session_id": self.agent,
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": event,
            "tool_name": "Bash",
            "tool_input": {"command": command, "description": "Clean up before building"},
            **more,
        }
        return self.pool.submit(self.post, body)

    def post(self, body: dict[str, Any]) -> httpx.Response:
        return httpx.post(
            f"{self.url}/hooks/claude-code",
            json=body,
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=60,
            trust_env=False,
        )

    def decides(self, command: str, event: str = "PreToolUse") -> dict[str, Any]:
        """The answer's own part."""
        answer = self.hook(command, event).result(60)
        assert answer.status_code == 200, answer.text
        return dict(answer.json()["hookSpecificOutput"])

    def press_until(self, done: Future[httpx.Response], *keys: str) -> dict[str, Any]:
        """Press again and again: what comes before the dialog is armed is swallowed."""

        def pressed() -> bool:
            self.session.key(*keys)
            # The answer may be on its way: a second key would go to the window below, and Escape closes that.
            wait([done], 2)
            return done.done()

        self.session.activate_window(DIALOG)
        wait([done], ARM_MS / 1000)  # a busy computer may take longer
        wait_for(pressed, "the answer", 30)
        assert done.result().status_code == 200
        return dict(done.result().json()["hookSpecificOutput"])

    @contextmanager
    def hung_up(self, command: str) -> Iterator[None]:
        """A hook whose agent ends at the end of the block, before there is an answer."""
        body = {
            "session_id": "s2",
            "cwd": str(self.project),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
        }
        host, port = self.url.removeprefix("http://").split(":")
        content = json.dumps(body).encode()
        head = (
            f"POST /hooks/claude-code HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {self.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        with socket.create_connection((host, int(port))) as line:
            line.sendall(head.encode() + content)
            yield

    def waiting(self) -> int:
        """How many hooks the server holds now."""
        api = Tokens(self.paths).published()
        assert api is not None
        headers = {"Authorization": f"Bearer {api.token}"}
        text = httpx.get(f"{self.url}/metrics", headers=headers, trust_env=False).text
        return int(float(re.search(r"^steward_held_calls (\S+)$", text, re.MULTILINE)[1]))  # type: ignore[index]

    def width(self, window: str) -> int:
        """Of a window, in pixels."""
        told = self.session.run("xdotool", "getwindowgeometry", "--shell", window)
        return int(re.search(r"^WIDTH=(\d+)$", told, re.MULTILINE)[1])  # type: ignore[index]

    def picture(self, name: str) -> None:
        self.session.screenshot(self.pictures / f"{name}.png")

    def no_dialog(self) -> bool:
        return not self.session.windows(DIALOG)


@dataclass
class Room:
    """The gate beside another program's window, and what is typed there."""

    gate: Gate
    typed: list[str]


@contextmanager
def room(folder: Path, artefacts: Path) -> Iterator[Room]:
    with (
        virtual_desktop() as session,
        typed_elsewhere(session) as typed,
        started(session, folder, artefacts) as gate,
    ):
        yield Room(gate, typed)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, artefacts: Path) -> Iterator[Room]:
    """One program for those who leave it as it was, with no question open."""
    with room(tmp_path_factory.mktemp("hooks"), artefacts) as made:
        yield made


@pytest.fixture
def terminal(shared: Room) -> list[str]:
    """What is typed in the other program's window, which has the focus."""
    shared.typed.clear()
    return shared.typed


@pytest.fixture
def gate(shared: Room, terminal: list[str]) -> Iterator[Gate]:
    shared.gate.session.activate_window(TERMINAL)
    with ThreadPoolExecutor(4) as pool:
        # An agent of its own: one that asks the same again at once has the same answer.
        yield replace(shared.gate, pool=pool, agent=uuid4().hex)
    wait_for(shared.gate.no_dialog, "the dialog gone")


@contextmanager
def started(session: DesktopSession, folder: Path, artefacts: Path) -> Iterator[Gate]:
    """The program runs hidden in the tray of a profile in which Claude Code's hook is installed."""
    profile, project = folder / "profile", folder / "shop"
    (project / "build").mkdir(parents=True)
    (project / "build" / "app.js").write_text("x" * 2000, encoding="utf-8")
    paths = Paths.under(profile)
    tokens = Tokens(paths)
    tokens.make("claude-code")
    program = session.start(
        "--profile", str(profile), "run", "--hidden", STEWARD_HOOKS__PORT=str(free_port())
    )
    pool = ThreadPoolExecutor(4)
    try:
        api = wait_for(tokens.published, "the address of the server", 60)
        yield Gate(session, program, api.url, api.token, paths, project, pool, artefacts / "hooks")
    finally:
        out, err = stop(program)
        pool.shutdown(wait=True, cancel_futures=True)
    assert "Traceback" not in err, err
    assert out == ""


def test_a_deletion_is_asked_without_taking_the_focus(gate: Gate, terminal: list[str]) -> None:
    """The dialog stands on top, the other window keeps the keyboard, and a click on Allow goes back."""
    active = gate.session.run("xdotool", "getactivewindow")
    asked = gate.hook("rm -rf build")
    gate.session.wait_for_window(DIALOG)
    gate.picture("1-asked")
    assert gate.session.run("xdotool", "getactivewindow") == active
    gate.session.type("y\n1\n")
    gate.session.key("Return", "space", "alt+a")
    wait_for(lambda: terminal and terminal[-1].startswith("y1"), "what was typed in the other window")
    assert not asked.done()
    assert gate.session.windows(DIALOG)
    decision = gate.press_until(asked, "alt+a")
    assert decision["permissionDecision"] == "allow"
    wait_for(gate.no_dialog, "the dialog gone")


def test_each_event_is_answered_in_its_form(gate: Gate) -> None:
    """What only reads passes without a window; Esc on the dialog is a deny, and the agent is told by whom;
    PermissionRequest has another form, which the answer fits."""
    decision = gate.decides("git log --oneline | head -5")
    assert decision["hookEventName"] == "PreToolUse"
    assert decision["permissionDecision"] == "allow"
    assert gate.no_dialog()

    asked = gate.hook("rm -rf build")
    gate.session.wait_for_window(DIALOG)
    decision = gate.press_until(asked, "Escape")
    assert decision["permissionDecision"] == "deny"
    assert decision["permissionDecisionReason"]
    wait_for(gate.no_dialog, "the dialog gone")

    asked = gate.hook("npm install vitest", "PermissionRequest")
    gate.session.wait_for_window(DIALOG)
    gate.picture("2-permission-request")
    decision = gate.press_until(asked, "alt+a")
    assert decision["decision"]["behavior"] == "allow"


def test_several_agents_are_asked_one_after_the_other(gate: Gate) -> None:
    """Who answers one goes on with the next without touching the mouse, each armed anew."""
    asked = [gate.hook(f"rm -rf build/{n}") for n in range(3)]
    gate.session.wait_for_window(DIALOG)
    gate.picture("3-queue")
    gate.session.activate_window(DIALOG)

    def denied() -> bool:
        gate.session.key("Escape")
        return all(each.done() for each in asked)

    wait_for(denied, "three answers", 60)
    for each in asked:
        assert each.result().json()["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_hook_that_hangs_up_takes_its_question_away(gate: Gate) -> None:
    """The agent was stopped: nothing was allowed, and the next question takes no focus either."""
    active = gate.session.run("xdotool", "getactivewindow")
    with gate.hung_up("rm -rf build"):
        first = gate.session.wait_for_window(DIALOG)
        alone = gate.width(first)
        second = gate.hook("rm -rf build/app.js")
        wait_for(lambda: gate.waiting() == 2, "the second question")
        # Held is not yet shown: it may be on its way to the window, which would close with the first.
        wait_for(lambda: gate.width(first) > alone, "the list of questions beside the first")
    wait_for(lambda: gate.waiting() == 1, "the first question to be gone")
    assert gate.session.windows(DIALOG) == [first]  # the window stays where it is, with the next question
    assert gate.session.run("xdotool", "getactivewindow") == active
    assert not second.done()
    assert gate.press_until(second, "Escape")["permissionDecision"] == "deny"
    assert (gate.project / "build" / "app.js").exists()


def test_the_activity_page_shows_what_was_decided(gate: Gate) -> None:
    """Opened from the tray while a question waits: verdicts, the waiting line, a pause with its clock."""
    gate.decides("git log --oneline | head -5")
    asked = gate.hook("rm -rf build")
    gate.session.wait_for_window(DIALOG)
    gate.session.choose_in_tray("Activity")
    gate.session.activate_window("^Activity")
    gate.picture("4-activity")
    assert gate.press_until(asked, "Escape")["permissionDecision"] == "deny"
    gate.session.choose_in_tray("Activity")  # a last Escape of a busy computer may have closed it
    gate.session.activate_window("^Activity")
    gate.session.key("F6", "Tab", "Tab", "Tab", "Tab", "Home")
    gate.picture("5-activity-chosen")
    gate.session.choose_in_tray("For 10 minutes")
    wait_for(lambda: not gate.hook("git status").result(60).content, "no opinion while it pauses")
    gate.picture("6-activity-paused")
    gate.session.choose_in_tray("Resume")
    wait_for(lambda: gate.hook("git status").result(60).content, "the gate at work again")


def test_the_program_ends_while_a_hook_is_held(tmp_path: Path, artefacts: Path) -> None:
    """No allow comes of it: no opinion, a deny or a broken line."""
    with room(tmp_path, artefacts) as made:
        gate = made.gate
        asked = gate.hook("rm -rf build")
        gate.session.wait_for_window(DIALOG)
        gate.session.choose_in_tray("Quit")
        assert gate.program.wait(20) == 0
        with suppress(httpx.HTTPError):  # a broken line is no opinion to the agent
            assert b"allow" not in asked.result(20).content
