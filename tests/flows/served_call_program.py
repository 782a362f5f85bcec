"""The tray program in which a tool of a server is about to write: its question, without a model.

Run as `python -m tests.flows.served_call_program PROFILE`; a server "notes" with a tool `write_file`
is set up in the profile.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from desktop.app import Services, build_core
from desktop.app.desktop import run_desktop
from desktop.app.project_parts import executor_in
from desktop.chat.store import Role
from desktop.engine.engine import Engine
from desktop.paths import Paths
from desktop.qt.asker import QtAsker
from desktop.tools.calls import Call
from desktop.tools.tool import Toolbox
from tests.fakes.scripted_model import ScriptedBackend

ASKED = "With the notes server, write garden.md: carrots were sown on Sunday, water them twice a week."
ARGUMENTS = {"path": "garden.md", "content": "Carrots were sown on Sunday.\nWater them twice a week."}


def main(profile: str) -> int:
    core = build_core(Paths.under(Path(profile)))
    core.engine = Engine(core.paths, core.bus, lambda: core.settings.current.model, ScriptedBackend())
    chat = core.store.create("Garden").id
    core.store.add(chat, Role.USER, ASKED)
    threading.Thread(target=_call, args=(core, chat), name="served call", daemon=True).start()
    return run_desktop(core, chat=chat)


def _call(core: Services, chat: int) -> None:
    """Once somebody is there who can be asked."""
    while not isinstance(core.asker, QtAsker):
        time.sleep(0.05)
    tools = core.served_tools.chosen(ASKED)
    # Its server's name stands before its own, which a tool of Steward's has already.
    name = next(each.name for each in tools if each.name.endswith("write_file"))
    executor_in(core, core.workspace).run(
        Call("1", name, ARGUMENTS), Toolbox(tools), conversation_id=chat, asked=ASKED
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
