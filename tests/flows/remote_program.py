"""Chats of every kind in one real program without windows: here, elsewhere, refused, offline, moved.

Run as `python -m tests.flows.remote_program PROFILE LOG`, behind the socket guard that writes to LOG: the
signs are written there too, so that the order of both can be read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from desktop.app import Services, build_core
from desktop.chat.destinations import Agreed, WordsLeaving
from desktop.chat.remote_turn import OutgoingText
from desktop.engine.engine import Engine, start_thread
from desktop.engine.requests import Priority
from desktop.paths import Paths
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed

# For documentation (RFC 5737), and an address of an own network: nobody is at either.
FAR, NEAR, NAMED = "192.0.2.7", "10.99.0.7", "models.example"
SERVERS = {
    "far": {"url": f"https://{FAR}/v1", "model": "m"},
    "near": {"url": f"http://{NEAR}:8080/v1", "model": "m", "unencrypted": True},
    "named": {"url": f"https://{NAMED}/v1", "model": "m"},
}
QUESTION = "What is my plan for the lighthouse?"


def main(profile: str, log: str) -> int:
    core = build_core(Paths.under(Path(profile)))
    core.settings.change("chat", "workspace", str(Path(profile) / "work"))
    for name, server in SERVERS.items():
        core.settings.put("engines", "servers", name, server)
    backend = ScriptedBackend("Here.", template=HERMES_TEMPLATE)
    core.engine = Engine(core.paths, core.bus, lambda: core.settings.current.model, backend)
    core.engine.use(installed(Path(profile) / "models", chat_template=HERMES_TEMPLATE))
    thread = start_thread(core.engine)

    def note(line: str) -> None:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    core.bus.subscribe(WordsLeaving, lambda each: note(f"{'over' if each.ended else 'sign'} {each.host}"))
    for agrees in (False, True):
        core.ask_to_send = agreeing(agrees)
        for server in SERVERS:
            every_way(core, server)
    core.stop()
    core.close()
    thread.join()
    return 0


def agreeing(agrees: bool) -> Callable[[OutgoingText], Agreed | None]:
    return lambda _leaving: Agreed(memory=True) if agrees else None


def every_way(core: Services, server: str) -> None:
    """All that can be done with a chat of this server, and with one beside it that is answered here."""
    turns, store = core.turns, core.store
    here, there = store.create().id, store.create().id
    turns.run(here, QUESTION)
    turns.choose_server(there, server)
    first = turns.run(there, QUESTION)
    turns.run(there, QUESTION)
    turns.regenerate(there, first.id)
    question = next(each for each in store.messages(there, limit=None) if each.text == QUESTION)
    turns.edit(there, question.id, f"{QUESTION} Again.")
    turns.run(there, QUESTION, priority=Priority.QUICK_ASK)
    turns.name(there)
    turns.context_use(there)
    core.settings.change("network", "offline", True)
    turns.run(there, QUESTION)
    core.settings.change("network", "offline", False)
    # The same name leads elsewhere: what was agreed to does not go along.
    core.settings.put("engines", "servers", server, SERVERS["far"])
    turns.run(there, QUESTION)
    core.settings.put("engines", "servers", server, SERVERS[server])
    turns.choose_server(there, "")
    turns.run(there, QUESTION)
    turns.run(here, QUESTION)
    turns.warm_up()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
