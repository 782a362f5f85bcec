"""Starting again from the Settings page, in the real program: another language, the same chat."""

from __future__ import annotations

import time
from pathlib import Path

import psutil
import pytest

from desktop.paths import Paths
from tests.flows.desktop_session import DesktopSession, settle, wait_for
from tests.flows.profile import answers
from tests.flows.test_versions import with_a_model

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(180)]


def test_a_language_counts_after_start_again(
    session: DesktopSession, tmp_path: Path, artefacts: Path
) -> None:
    """The button ends this process and starts one that shows the same chat in German."""
    profile = tmp_path / "profile"
    with_a_model(profile)
    program = session.start("--profile", str(profile))
    try:
        session.activate_window("Steward$")
        session.type("12 * 7")
        session.key("Return")
        wait_for(lambda: len(answers(profile, "complete")) == 1, "the answer")
        with Paths.under(profile).settings.open("a", encoding="utf-8") as file:
            file.write('\n[window]\nlanguage = "de"\n')
        session.key("ctrl+comma")
        session.activate_window("^Settings")
        settle(program)
        session.key("F6")
        session.type("window.language")
        settle(program)
        session.screenshot(artefacts / "restart" / "1-settings.png")
        session.key("Tab", "Tab", "Tab", "space")
        program.wait(30)
        session.activate_window("12 . 7")
        time.sleep(1)
        session.screenshot(artefacts / "restart" / "2-german.png")
        session.choose_in_tray("Beenden")
        _, err = program.communicate(timeout=30)  # both wrote there
        assert "Traceback" not in err, err
    finally:
        for process in _of(profile):
            process.kill()


def _of(profile: Path) -> list[psutil.Process]:
    """What still runs in this profile."""
    running = psutil.process_iter(["cmdline"])
    return [each for each in running if str(profile) in (each.info["cmdline"] or ())]
