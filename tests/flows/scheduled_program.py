"""The whole tray program with a model that answers slowly, or at once.

Run as `python -m tests.flows.scheduled_program PROFILE SECONDS`, the time that each token takes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from desktop.app import build_core
from desktop.app.desktop import run_desktop
from desktop.engine.engine import Engine
from desktop.paths import Paths
from tests.fakes.scripted_model import ScriptedBackend

ANSWER = "Ships rest in a harbour, and gulls wait there for bread."


def main(profile: str, token_s: str) -> int:
    core = build_core(Paths.under(Path(profile)))
    backend = ScriptedBackend(ANSWER, token_s=float(token_s))
    core.engine = Engine(core.paths, core.bus, lambda: core.settings.current.model, backend)
    return run_desktop(core, hidden=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
