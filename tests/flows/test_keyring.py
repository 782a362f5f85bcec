"""The real keyring daemon on a desktop where nobody has made a keyring yet."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.paths import Paths
from tests.flows.desktop_session import ROOT, DesktopSession, wait_for

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.skipif(shutil.which("gnome-keyring-daemon") is None, reason="no keyring daemon here"),
]

READS = """
import sys
from pathlib import Path
from desktop.paths import Paths
from desktop.system.secrets import Secrets
secrets = Secrets(Paths.under(Path(sys.argv[1])), timeout_s=10)
print(secrets.get("huggingface-token"), secrets.place().value)
"""


def test_reading_makes_nobody_choose_a_password(session: DesktopSession, tmp_path: Path) -> None:
    """A secret that is not there is not there; no window of the keyring opens for it."""
    # The daemon keeps what it has below the runtime folder of this desktop.
    session.environment.pop("PYTHON_KEYRING_BACKEND")
    done = subprocess.run(
        [sys.executable, "-c", READS, str(tmp_path)],
        cwd=ROOT,
        env=session.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.returncode) == ("None keyring\n", 0), done.stderr
    assert session.windows(".") == []


KEEPS = """
import sys
from pathlib import Path
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.system.secrets import Secrets
try:
    Secrets(Paths.under(Path(sys.argv[1])), timeout_s=60).set("huggingface-token", "hf_x")
except UserFacing as error:
    print(error.code)
"""


@pytest.mark.skipif(not Path("/usr/libexec/gcr-prompter").exists(), reason="nothing asks for passwords here")
def test_a_person_who_says_no_to_the_first_keyring(session: DesktopSession, tmp_path: Path) -> None:
    """The window of the keyring is dismissed by Esc; nothing is kept anywhere, and the error says so."""
    session.environment.pop("PYTHON_KEYRING_BACKEND")
    command = [sys.executable, "-c", KEEPS, str(tmp_path)]
    keeping = subprocess.Popen(
        command, cwd=ROOT, env=session.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    asking = wait_for(lambda: _prompts(session), "the question for a password", 60)
    session.run("xdotool", "windowactivate", "--sync", asking[0])
    session.key("Escape")
    assert keeping.communicate(timeout=60)[0] == "keyring-not-made\n"
    assert not Paths.under(tmp_path).secrets.exists()


def _prompts(session: DesktopSession) -> list[str]:
    found = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--class", "gcr-prompter"],
        env=session.environment,
        capture_output=True,
        text=True,
    )
    return found.stdout.split()
