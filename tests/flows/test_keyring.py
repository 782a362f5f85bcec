"""The real keyring daemon on a desktop where nobody has made a keyring yet."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.desktop_session import ROOT, DesktopSession

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
