"""A fact told in the real window and used in another chat: the whole program with the recommended model."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from desktop.app import Services, build_core
from desktop.paths import Paths
from tests.flows import profile
from tests.flows.desktop_session import DesktopSession, stop, wait_for
from tests.flows.real_model import installed_model

pytestmark = [pytest.mark.desktop, pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(600)]

ANSWER_S = 240.0


def with_model(folder: Path) -> Services:
    """A profile of its own that shares the weights of the installed model."""
    model = installed_model()
    core = build_core(Paths.under(folder))
    own = core.paths.models / model.path.name
    own.parent.mkdir(parents=True)
    os.link(model.path, own)
    core.library.add_downloaded(model.id, model.name, own, model.sha256 or "")
    core.settings.change("model", "active", model.id)
    return core


def test_a_fact_told_in_one_chat_is_used_in_another(
    session: DesktopSession, tmp_path: Path, artefacts: Path
) -> None:
    """Typed, kept at once, asked for in a new chat; the chip under the answer says that memory was used."""
    core = with_model(tmp_path / "profile")
    core.close()
    folder = tmp_path / "profile"
    program = session.start("--profile", str(folder), HOME=str(tmp_path))
    try:
        session.activate_window("^Steward$")
        ask(session, folder, "Remember that my dentist is Doctor Okafor on Elm Street", 1)
        assert profile.answers(folder, "complete")[0].startswith("Remembered: my dentist is")
        session.key("ctrl+n")
        ask(session, folder, "Who is my dentist?", 2)
        time.sleep(1.0)  # the last repaint
        session.screenshot(artefacts / "memory.png")
        assert "Okafor" in profile.answers(folder, "complete")[-1]
    finally:
        stop(program)


def ask(session: DesktopSession, folder: Path, question: str, answers: int) -> None:
    session.type(question)
    session.key("Return")
    wait_for(lambda: len(profile.answers(folder, "complete")) >= answers, question, ANSWER_S)
