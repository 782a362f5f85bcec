"""Names of conversations: by rule at once, by the model when idle, never against the user."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from desktop.chat.store import ChatStore
from desktop.chat.titles import ASKED, LONGEST, title_from, title_of
from tests.chat.test_turns import Room, room
from tests.fakes.scripted_model import ScriptedBackend

__all__ = ["room"]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Why is the sky blue?", "Why is the sky blue?"),
        ("\n\n  ## Plan for **Monday**\nmore", "Plan for Monday"),
        ("run `rm -r build`", "run rm -r build"),
        ("2 ** 3 ** 4, and `", "2 ** 3 ** 4, and"),
        ("> quoted", "quoted"),
        ("###", "###"),
        ("", "New chat"),
        ("x" * 100, "x" * LONGEST + "…"),
    ],
)
def test_the_first_line_names_a_chat(question: str, title: str) -> None:
    """Without the marks in it and at its ends, cut where it is too long."""
    assert title_of(question) == title


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Baking bread overnight", "Baking bread overnight"),
        ('"Baking Bread."', "Baking Bread"),
        ("Title: bread in the fridge\nThat is it.", "Bread in the fridge"),
        ("**Brot im Kühlschrank**", "Brot im Kühlschrank"),
        ("# Brot", "Brot"),
        ("Sure, here is a title for it", None),
        ('<tool_call>\n{"name": "x"}', None),
        ('{"name": "current_time", "arguments": {}}', None),
        ("This conversation is about how long dough has to rise in a fridge", None),
        ("I am sorry, I cannot do that", None),
        ("Steward: Hello, how can I assist you today?", None),
        ("", None),
        ("x", None),
        ("https://example.org", None),
    ],
)
def test_only_what_reads_like_a_title_is_taken(written: str, title: str | None) -> None:
    """Sentences, calls and apologies of small models are left alone."""
    assert title_from(written, "How long does dough have to rise?") == title


@pytest.mark.parametrize(
    ("written", "question", "title"),
    [
        ("Conversation about the capital of Norway", "What is the capital of Norway?", "Capital of Norway"),
        ("A Conversation About Sourdough Bread", "My loaf is flat", "Sourdough Bread"),
        ("This conversation is about sourdough", "My loaf is flat", "Sourdough"),
        ("Chat about bread", "My loaf is flat", "Bread"),
        ("Discussion of the French Revolution", "1789?", "French Revolution"),
        ("Brief discussion on a sore knee", "It hurts when I run", "Sore knee"),
        ("User's question about recursion", "Explain it to me", "Recursion"),
        ("The user asks about train times", "When can I leave?", "Train times"),
        ("The user wants to know how dough rises", "Bread?", "How dough rises"),
        ("The user greets the assistant", "Hello there", None),
        ("User interface of a till", "Draw me one", "User interface of a till"),
        ("Chat about two fans", "Write a chat about football", "Chat about two fans"),
        ("Gespräch über die Hauptstadt von Norwegen", "Norwegen?", "Hauptstadt von Norwegen"),
        ("Eine Unterhaltung über das neue Auto", "Es zieht nach links", "Das neue Auto"),
        ("Frage zum neuen Auto", "Es zieht nach links", "Frage zum neuen Auto"),
        ("Frage zur Hauptstadt Norwegens", "Wie heißt sie?", "Hauptstadt Norwegens"),
        ("Diskussion zum Thema Brot", "Es ist flach", "Brot"),
        ("Der Benutzer fragt nach der Hauptstadt", "Norwegen?", "Hauptstadt"),
        ("Der Nutzer möchte wissen, wie Teig geht", "Brot?", "Wie Teig geht"),
        ("Der Nutzer begrüßt mich", "Hallo", None),
    ],
)
def test_a_title_begins_with_the_matter(written: str, question: str, title: str | None) -> None:
    """Not with a conversation or the user being about it, in English and in German."""
    assert title_from(written, question) == title


@pytest.mark.parametrize(
    ("written", "question", "title"),
    [
        ("Norway", "What is the capital of Norway?", None),
        ("Python lists", "How do I sort Python lists by length?", None),
        ("Hauptstadt", "Wie heißt die Hauptstadt von Norwegen?", None),
        ("Sort Python lists", "How do I sort Python lists by length?", "Sort Python lists"),
        ("Capital of Norway", "What is the capital of Norway?", "Capital of Norway"),
        ("Oslo", "What is the capital of Norway?", "Oslo"),
        ("Python lists", "How do I sort Python lists by length, and what…", "Python lists"),
        ("General question", "What is the capital of Norway?", None),
        ("Conversation about various topics", "Hello", None),
        ("Hilfe bei einer Frage", "Wie heißt die Hauptstadt von Norwegen?", None),
    ],
)
def test_the_question_stays_where_a_title_says_less(written: str, question: str, title: str | None) -> None:
    """A question that was too long for a name gives way in any case."""
    assert title_from(written, question) == title


def named(chat: Room) -> tuple[int, str]:
    """A conversation after its first exchange."""
    conversation_id = chat.store.create().id
    chat.turns.run(conversation_id, "How long does dough have to rise?")
    return conversation_id, chat.store.get(conversation_id).title


def test_the_model_names_a_chat_once(room: Callable[..., Room]) -> None:
    """After the first exchange, with what it has read already; the second time nothing is asked."""
    backend = ScriptedBackend(["An hour.", "Rising dough", "never asked"])
    chat = room(backend)
    conversation_id, by_rule = named(chat)
    assert by_rule == "How long does dough have to rise?"
    before = backend.evaluated_tokens
    assert chat.turns.name(conversation_id)
    assert chat.store.get(conversation_id).title == "Rising dough"
    assert ASKED in backend.prompts[-1]
    assert backend.evaluated_tokens - before < 80  # the exchange itself was in the cache
    assert not chat.turns.name(conversation_id)
    assert len(backend.prompts) == 2


def test_no_model_is_loaded_for_a_name(room: Callable[..., Room]) -> None:
    """What a rule has answered is named by its question as long as no model is in memory."""
    backend = ScriptedBackend("Never asked")
    chat = room(backend)
    conversation_id = chat.store.create().id
    chat.store.open_turn(conversation_id, "12 * 7")
    assert not chat.turns.name(conversation_id)
    assert backend.loads == []


def test_the_name_is_no_message(room: Callable[..., Room]) -> None:
    """Neither in the conversation nor in the prompt of the next answer."""
    backend = ScriptedBackend(["An hour.", "Rising dough", "Two."])
    chat = room(backend)
    conversation_id, _ = named(chat)
    chat.turns.name(conversation_id)
    chat.turns.run(conversation_id, "And rye?")
    assert [m.text for m in chat.store.messages(conversation_id)][1::2] == ["An hour.", "Two."]
    assert "Write a title" not in backend.prompts[-1]


def test_a_name_of_the_user_is_never_changed(room: Callable[..., Room]) -> None:
    """Renamed before or while the model writes: the user's name stays."""
    chat = room(ScriptedBackend(["An hour.", "Rising dough"]))
    conversation_id, _ = named(chat)
    chat.store.rename(conversation_id, "My bread")
    assert not chat.turns.name(conversation_id)
    assert not chat.store.name_by_model(conversation_id, "Rising dough")
    assert chat.store.get(conversation_id).title == "My bread"


def test_a_chat_called_as_new_ones_are_keeps_that_name(store: ChatStore) -> None:
    """Somebody may want to call a chat “New chat”."""
    conversation_id = store.create().id
    store.rename(conversation_id, "New chat")
    store.open_turn(conversation_id, "Hello")
    assert store.get(conversation_id).title == "New chat"


def test_what_is_no_title_leaves_the_rule_s(room: Callable[..., Room]) -> None:
    """A model that answers instead of naming changes nothing."""
    chat = room(ScriptedBackend(["An hour.", "Sure! Here is a title for you: Bread."]))
    conversation_id, by_rule = named(chat)
    assert not chat.turns.name(conversation_id)
    assert chat.store.get(conversation_id).title == by_rule
