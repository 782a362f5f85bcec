"""Versions of messages through the real program, by keyboard alone; they survive a kill."""

from __future__ import annotations

import hashlib
import signal
from pathlib import Path

import pytest

from desktop.app import build_core
from desktop.paths import Paths
from tests.flows.desktop_session import DesktopSession, settle, stop, wait_for
from tests.flows.profile import answers, branch
from tests.models.tiny_gguf import TinyGguf

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(180)]


def with_a_model(profile: Path) -> None:
    """A model file, so that the window of the first run stays away; rules answer what is asked here."""
    core = build_core(Paths.under(profile))
    own = core.paths.models / "tiny.gguf"
    own.parent.mkdir(parents=True)
    own.write_bytes(TinyGguf().content)
    sha256 = hashlib.sha256(own.read_bytes()).hexdigest()
    core.library.add_downloaded("tiny", "Tiny", own, sha256)
    core.settings.change("model", "active", "tiny")
    core.close()


def _ask(session: DesktopSession, profile: Path, question: str, count: int) -> None:
    session.type(question)
    session.key("Return")
    wait_for(lambda: len(answers(profile, "complete")) == count, f"the answer to {question}")


def test_edit_switch_delete_and_a_kill(session: DesktopSession, tmp_path: Path, artefacts: Path) -> None:
    """Up edits the last question, ‹ brings the old one back, and after a kill it is the one that is open."""
    profile = tmp_path / "profile"
    with_a_model(profile)
    program = session.start("--profile", str(profile))
    try:
        session.activate_window("Steward$")
        _ask(session, profile, "12 * 7", 1)
        _ask(session, profile, "100 / 8", 2)
        settle(program)  # the answer is on disk before it is in the window
        session.key("Up", "ctrl+a")
        _ask(session, profile, "100 / 16", 3)
        wait_for(lambda: branch(profile)[2:3] == ["100 / 16"], "the edited question on its branch")
        session.screenshot(artefacts / "versions" / "1-edited.png")
        # F6 to the messages by way of the list, Up to the question, Enter to its actions, Tab to the arrows
        session.key("F6", "F6", "Up", "Return", "Tab", "Tab", "Tab", "space")
        wait_for(lambda: branch(profile)[2:3] == ["100 / 8"], "the old question")
        settle(program)  # the last repaint
        session.screenshot(artefacts / "versions" / "2-old.png")
    finally:
        stop(program, signal.SIGKILL)
    before = branch(profile)
    program = session.start("--profile", str(profile))
    try:
        session.activate_window("Steward$")
        settle(program)
        session.key("F6", "Home", "Return")
        session.activate_window("12 . 7")
        settle(program)
        session.screenshot(artefacts / "versions" / "3-after-kill.png")
        assert branch(profile) == before
        # The last answer: Enter to its actions, Tab from Copy over Answer again to Delete
        session.key("shift+F6", "Return", "Tab", "Tab", "space")
        wait_for(lambda: branch(profile) == before[:3], "the answer to be gone")
        settle(program)
        session.screenshot(artefacts / "versions" / "4-deleted.png")
    finally:
        _, err = stop(program)
    assert "Traceback" not in err, err
