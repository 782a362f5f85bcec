"""Check 17: the whole way without a mouse and without a screen, as a screen reader hears it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.flows.desktop_session import ROOT, DesktopSession, stop, wait_for
from tests.flows.reading import AWAKE, Reader, is_there, reading
from tests.flows.scripted_program import CONTENT, FILE
from tests.ui.models.conftest import tiny_gguf

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(180)]

RECEIPT = f"Wrote {FILE} ({len(CONTENT)} bytes)."  # the program's own word, in place of the model's
NEXT = ("Next", "Skip", "Start chatting")  # the steps of the first run after the model


def test_first_run_ask_allow_copy_quit_by_keyboard_alone(
    session: DesktopSession, tmp_path: Path, artefacts: Path
) -> None:
    """Every step is reached by keys, and everything on the way says its name and what it is."""
    if not is_there():
        pytest.skip("AT-SPI and its bindings are not installed")
    model = tmp_path / "tiny.gguf"
    model.write_bytes(tiny_gguf("Tiny", template=HERMES_TEMPLATE))
    with reading(session) as reader:
        program = start(session, tmp_path)
        try:
            first_run(session, reader, model, artefacts)
            ask_and_allow(session, reader, tmp_path)
            copy_the_answer(session, reader)
            names_and_roles(reader)
            session.screenshot(artefacts / "keyboard-answer.png")
            session.key("ctrl+q")
            assert program.wait(30) == 0
        finally:
            session.screenshot(artefacts / "keyboard-end.png")
            _out, err = stop(program)
        assert "Traceback" not in err, err


def start(session: DesktopSession, folder: Path) -> subprocess.Popen[str]:
    more = AWAKE | {
        "STEWARD_CHAT__WORKSPACE": str(folder / "workspace"),
        "STEWARD_WINDOW__ANNOUNCEMENTS": "full",
        "STEWARD_WINDOW__LANGUAGE": "en",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "tests.flows.scripted_program", str(folder / "profile")],
        cwd=ROOT,
        env=session.environment | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def first_run(session: DesktopSession, reader: Reader, model: Path, artefacts: Path) -> None:
    """A model of one's own from the disk, then whatever steps follow."""
    session.activate_window("Welcome to Steward")
    reader.until(lambda: reader.focused["role"] == "radio button", "the models to choose from")
    reader.tab_to(session, "I have a GGUF file")
    session.key("space")
    session.activate_window("Choose a model file")
    session.type(str(model))
    session.key("Return")
    reader.until(lambda: reader.focused["name"].startswith(NEXT), "what comes after the model")
    session.screenshot(artefacts / "keyboard-first-run.png")
    for _ in range(4):
        if reader.focused["name"] == "Message to Steward":
            break
        heard = len(reader.heard)
        session.key("space")
        reader.until(lambda heard=heard: len(reader.heard) > heard, "the next step")  # type: ignore[misc]
        reader.until(lambda: reader.focused["name"].startswith((*NEXT, "Message")), "the step's button")
    session.activate_window("Steward")


def ask_and_allow(session: DesktopSession, reader: Reader, folder: Path) -> None:
    """The question has the keyboard on No; a yes is a deliberate way from there."""
    reader.until(lambda: reader.focused["name"] == "Message to Steward", "the box for messages")
    session.type("Save milk to list.txt")
    session.key("Return")
    session.activate_window("Permission")
    reader.until(lambda: reader.focused["name"] == "Deny", "the question")
    assert reader.focused["role"] == "push button"
    reader.tab_to(session, "Allow once")
    session.key("space")
    file = folder / "workspace" / FILE
    wait_for(lambda: file.exists() and file.read_text() == CONTENT, "the file that was allowed")
    reader.until(lambda: RECEIPT in reader.announced, "the answer, read aloud")
    reader.until(lambda: reader.announced[-1] == "The answer is complete", "that nothing more comes")


def copy_the_answer(session: DesktopSession, reader: Reader) -> None:
    """F6 goes to the messages; what is copied there is pasted into the box, and read back from it."""
    session.activate_window("Steward")
    for _ in range(6):
        if reader.focused["name"].startswith("Steward,") and RECEIPT in reader.focused["name"]:
            break
        session.key("F6")
        reader.until(lambda: True, "the focus", 1)
    assert RECEIPT in reader.focused["name"]
    session.key("ctrl+c")
    for _ in range(6):
        if reader.focused["name"] == "Message to Steward":
            break
        session.key("F6")
        reader.until(lambda: True, "the focus", 1)
    session.key("ctrl+v")
    wait_for(lambda: RECEIPT in pasted(reader), "the answer, copied and pasted")


def pasted(reader: Reader) -> str:
    fields = (fact for fact in reader.tree() if fact["name"] == "Message to Steward")
    return "".join(fact["text"] for fact in fields)


def names_and_roles(reader: Reader) -> None:
    """Nothing that takes the keyboard is without a name or a role."""
    shown = [fact for fact in reader.tree() if {"FOCUSABLE", "SHOWING"} <= set(fact["states"])]
    assert len(shown) > 8
    nameless = [fact for fact in shown if not fact["name"] and fact["role"] not in ("scroll pane", "frame")]
    assert not nameless, nameless
    assert {"push button", "text"} & {fact["role"] for fact in shown}
