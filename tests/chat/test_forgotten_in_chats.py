"""What stands in conversations alone is forgotten there too: a secret that nobody wanted kept."""

from __future__ import annotations

from pathlib import Path

from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import days

SECRET = "73519"


def test_a_secret_that_was_not_kept_leaves_the_chats(tmp_path: Path) -> None:
    model = installed(tmp_path / "models", chat_template=HERMES_TEMPLATE)
    backend = ScriptedBackend("I see.", template=HERMES_TEMPLATE)
    with days(tmp_path / "profile", model, backend) as used:
        chat = used.chat()
        assert "password manager" in used.say(f"Remember that my locker code is {SECRET}.", chat).text
        used.say("no, better not", chat)
        assert not any(SECRET in item.text for item in used.items())
        asked = used.say("Forget my locker code", used.chat()).text
        assert SECRET in asked
        # Nothing goes before the user agrees, in whatever language.
        assert any(SECRET in each.text for each in used.core.store.messages(chat, limit=None))


def test_agreeing_takes_it_out_of_the_files(tmp_path: Path) -> None:
    """At once, of the question that showed it as well; in whatever language the yes is."""
    model = installed(tmp_path / "models", chat_template=HERMES_TEMPLATE)
    backend = ScriptedBackend("I see.", template=HERMES_TEMPLATE)
    with days(tmp_path / "profile", model, backend) as used:
        chat = used.chat()
        used.say(f"Remember that my locker code is {SECRET}.", chat)
        used.say("Forget my locker code", chat)
        assert SECRET.encode() in used.raw_bytes()
        used.say("oui", chat)
        assert SECRET.encode() not in used.raw_bytes()
