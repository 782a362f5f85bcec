"""Extensions in real turns: what they change, where it stands, and what it never reaches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.chat.events import TextsChanged
from desktop.chat.store import Role
from desktop.paths import Paths
from tests.extensions.world import World, world
from tests.fakes.scripted_model import ScriptedBackend

UPPER = "def on_plain_text(text, context):\n    return text.upper()\n"
POLITE = "def on_input_messages(text, context):\n    return text + ' Please.'\n"
SHORT = "def on_llm_output(text, context):\n    return text.split('\\n')[0]\n"


@pytest.fixture
def made(paths: Paths, tmp_path: Path) -> Iterator[World]:
    with world(paths, tmp_path, ScriptedBackend("One.\n\nTwo.\n\n```\ncode\n```\n\nThree.")) as made:
        yield made


def test_a_changed_request_is_told_to_the_model_and_stored_beside_the_question(made: World) -> None:
    """The question keeps its own words; the model is told the others, now and in the next turn."""
    made.add("polite", POLITE, "on_input_messages")
    answer = made.ask("Who are you today?")
    question = made.services.store.message(answer.parent_id or 0)
    assert (question.text, question.sent) == ("Who are you today?", "Who are you today? Please.")
    assert question.changed is not None
    assert question.changed.by == ("polite",)
    context = made.services.turns.context(answer.conversation_id)
    assert "Who are you today? Please." in [each.content for each in context.prompt().messages]
    assert context.untrusted == ("the extension polite",)
    assert [type(each) for each in made.of(TextsChanged)] == [TextsChanged]


def test_undo_answers_the_question_in_the_users_own_words(made: World) -> None:
    """The answer to the changed question stays as another version."""
    made.add("polite", POLITE, "on_input_messages")
    first = made.ask("Who are you today?")
    second = made.services.turns.undo_extensions(first.conversation_id, first.parent_id or 0)
    assert second.versions == 2
    context = made.services.turns.context(first.conversation_id)
    assert context.untrusted == ()
    assert context.asked == "Who are you today?"


def test_paragraphs_are_shown_changed_and_stay_as_written_on_the_disk(made: World) -> None:
    """Code is let alone; the model sees its own words again."""
    made.add("upper", UPPER, "on_plain_text")
    answer = made.ask("Say three things.")
    assert answer.text == "One.\n\nTwo.\n\n```\ncode\n```\n\nThree."
    assert answer.shown == "ONE.\n\nTWO.\n\n```\ncode\n```\n\nTHREE."
    prompt = made.services.turns.context(answer.conversation_id).prompt()
    assert prompt.messages[-1].content == answer.text


def test_two_run_in_the_order_of_their_priority(made: World) -> None:
    """The first one's words are what the second one gets; another order gives another text."""
    made.add("first", "def on_plain_text(text, context):\n    return text + 'a'\n", "on_plain_text")
    made.add("second", "def on_plain_text(text, context):\n    return text + 'b'\n", "on_plain_text")
    registry = made.services.extensions.registry
    registry.set_order(["second", "first"])
    assert made.ask("Say something now.").shown.startswith("One.ba")
    registry.set_order(["first", "second"])
    assert made.ask("Say something now.").shown.startswith("One.ab")


def test_the_whole_answer_is_handed_over_once_at_its_end(made: World) -> None:
    """Undone, the answer reads as the model wrote it."""
    made.add("short", SHORT, "on_llm_output")
    answer = made.ask("Say three things.")
    assert answer.shown == "One."
    undone = made.services.turns.undo_extensions(answer.conversation_id, answer.id)
    assert undone.shown == answer.text


def test_switched_off_in_the_middle_of_an_answer_it_leaves_nothing(made: World) -> None:
    """The answer is as the model wrote it, and nobody waits for its end."""
    upper = made.add("upper", UPPER, "on_plain_text")

    def decoded(_context: object, _tokens: object) -> None:
        assert made.texts.wait(30.0)  # the beginning of the answer was heard
        if made.services.extensions.registry.enabled():
            assert made.texts._answers
            made.services.extensions.registry.set_on(upper, False)

    made.backend.on_decode = decoded
    answer = made.ask("Say three things.")
    assert answer.shown == answer.text
    assert made.texts._answers == {}


def test_nothing_is_loaded_and_nothing_changes_without_one(made: World) -> None:
    """The chain is not even made."""
    answer = made.ask("Say three things.")
    assert answer.shown == answer.text
    assert type(made.services).extensions.if_built(made.services) is None
    assert [m.changed for m in made.services.store.messages(answer.conversation_id)] == [None, None]
    assert made.services.store.messages(answer.conversation_id)[0].role is Role.USER
