"""The whole tray program with a model that says what its script says.

Run as `python -m tests.flows.scripted_program PROFILE`. The first answer writes a file, which asks; then it
says so.
"""

from __future__ import annotations

import sys
from pathlib import Path

from desktop.app import build_core
from desktop.app.desktop import run_desktop
from desktop.engine.engine import Engine
from desktop.paths import Paths
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend

FILE, CONTENT = "list.txt", "milk"
ANSWER = "Milk is on the list now."


def main(profile: str) -> int:
    core = build_core(Paths.under(Path(profile)))
    backend = ScriptedBackend(ANSWER, template=HERMES_TEMPLATE)
    backend.calls = [("write_file", {"path": FILE, "content": CONTENT})]
    core.engine = Engine(core.paths, core.bus, lambda: core.settings.current.model, backend)
    return run_desktop(core)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
