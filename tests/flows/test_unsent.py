"""What is typed in the real program survives its death."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.flows.desktop_session import DesktopSession, settle, stop, wait_for
from tests.flows.profile import answers, drafts, messages
from tests.flows.test_versions import with_a_model

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(180)]


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_what_was_typed_is_in_the_box_after_a_start(
    session: DesktopSession, tmp_path: Path, artefacts: Path, how: signal.Signals
) -> None:
    """After a kill, and after an end that was asked for; Enter sends it, and nothing was sent before."""
    profile = tmp_path / "profile"
    with_a_model(profile)
    program = session.start("--profile", str(profile))
    try:
        session.activate_window("Steward$")
        session.type("12 * 7")
        wait_for(lambda: drafts(profile) == ["12 * 7"], "the draft on disk")
    finally:
        stop(program, how)
    program = session.start("--profile", str(profile))
    try:
        session.activate_window("Steward$")
        settle(program)
        session.screenshot(artefacts / "unsent" / f"{how.name.lower()}.png")
        assert messages(profile) == []

        def sent() -> bool:
            """Until the draft is in the box there is nothing to send; afterwards there is nothing left."""
            session.key("Return")
            return bool(messages(profile))

        wait_for(sent, "the question sent")
        wait_for(lambda: answers(profile, "complete"), "the answer")
        assert messages(profile)[0][2] == "12 * 7"
    finally:
        stop(program)
