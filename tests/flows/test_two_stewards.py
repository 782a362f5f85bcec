"""One Steward answers the chats of another: the API of the one is the model server of the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.chat.destinations import Agreed, WordsLeaving
from desktop.chat.events import TurnFailed
from desktop.chat.messages import MessageStatus, Role
from desktop.system.secrets import Secrets
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days
from tests.ports import free_port

keyring_fail = pytest.importorskip("keyring.backends.fail", reason="keyring is not installed")


@contextmanager
def two(folder: Path, backend: ScriptedBackend) -> Iterator[tuple[Days, Days, int]]:
    """The one that is asked, the one that answers with `backend`, and the chat between them."""
    far_model = installed(folder / "far" / "models", chat_template=HERMES_TEMPLATE)
    with days(folder / "near", None) as near, days(folder / "far", far_model, backend) as far:
        far.core.settings.change("api", "enabled", True)
        far.core.settings.change("hooks", "port", free_port())
        token = far.core.program_tokens.make("other-steward")
        port = far.core.server.start()
        near.core.secrets = Secrets(near.core.paths, keyring_fail.Keyring)
        near.core.ask_to_send = lambda _leaving: Agreed()
        near.core.remote_setup.add("far", f"http://127.0.0.1:{port}", model="steward", key=token)
        chat = near.chat()
        near.core.turns.choose_server(chat, "far")
        yield near, far, chat


def test_an_answer_comes_from_the_other_one(tmp_path: Path) -> None:
    """Streamed, with its figures; the question reaches the other's model and none of its chats."""
    backend = ScriptedBackend("Blue as the sea.", template=HERMES_TEMPLATE)
    with two(tmp_path, backend) as (near, far, chat):
        answer = near.say("Which colour has the sky?", chat)
        assert (answer.text, answer.status) == ("Blue as the sea.", MessageStatus.COMPLETE)
        assert answer.model.startswith("steward @ 127.0.0.1:")
        assert answer.answer_tokens > 0
        assert any("Which colour has the sky?" in each for each in backend.prompts)
        assert far.core.store.conversations() == ()


def test_a_tool_is_decided_there_and_runs_here(tmp_path: Path) -> None:
    """The other's decision path makes the call; the file is written on this side, after its own question."""
    wish = ("write_file", {"path": "sea.txt", "content": "deep"})
    backend = ScriptedBackend("It is written.", template=HERMES_TEMPLATE, calls=(wish,))
    with two(tmp_path, backend) as (near, far, chat):
        near.say("Write the word deep into the file sea.txt", chat)
        assert (near.root / "sea.txt").read_text() == "deep"
        assert not (far.root / "sea.txt").exists()
        assert len(near.person.questions) == 1
        assert far.person.questions == []
        cards = [each for each in near.core.store.messages(chat, limit=None) if each.role is Role.TOOL]
        assert len(cards) == 1


def test_what_the_other_refuses_is_told(tmp_path: Path) -> None:
    """A token that was ended, an API that was switched off: each its sentence, and no answer from here."""
    with two(tmp_path, ScriptedBackend("Blue.", template=HERMES_TEMPLATE)) as (near, far, chat):
        failed: list[str] = []
        signs: list[WordsLeaving] = []
        near.core.bus.subscribe(TurnFailed, lambda event: failed.append(event.error.code))
        near.core.bus.subscribe(WordsLeaving, signs.append)
        far.core.program_tokens.revoke("other-steward")
        near.say("One?", chat)
        far.core.settings.change("api", "enabled", False)
        near.say("Two?", chat)
        assert failed == ["remote-key-refused", "remote-key-refused"]
        assert [each.ended for each in signs] == [False, True] * 2
