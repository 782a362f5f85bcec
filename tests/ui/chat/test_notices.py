"""What the program says in a chat, in the language of the user."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from desktop.chat.presets import OWN, Preset, built_in
from desktop.chat.reasons import ChatReason
from desktop.chat.store import MessageStatus, Role
from desktop.reasons import Reason
from desktop.ui.chat.message import NoticeView
from desktop.ui.chat.presets import shown_name
from desktop.ui.language import tr
from desktop.ui.theme import Theme
from tests.ui.chat.conftest import theme
from tests.ui.chat.test_transcript import message

__all__ = ["theme"]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            ChatReason.LEFT_OUT_FOR_ROOM.of(
                count=4, which=ChatReason.LEFT_OUT_FROM_TO.of(first="Why", last="And")
            ),
            "Damit Platz ist, sieht das Modell die 4 ältesten Nachrichten nicht mehr. Sie beginnen mit „Why“"
            " und enden mit dem, was auf „And“ folgte. Sie sind weiterhin hier.",
        ),
        (
            ChatReason.LEFT_OUT_AS_SET.of(count=2, which=ChatReason.LEFT_OUT_ONE_QUESTION.of(first="Why")),
            "Wie in den Einstellungen gewählt, sieht das Modell die 2 ältesten Nachrichten nicht mehr. Es"
            " sind „Why“ und was darauf folgte. Sie sind weiterhin hier.",
        ),
        (ChatReason.FROM_HERE_PRESET.of(name="Concise"), "Von hier an mit der Vorlage „Knapp“."),
        (ChatReason.FROM_HERE_PRESET.of(name="Pirate"), "Von hier an mit der Vorlage „Pirate“."),
        (ChatReason.FROM_HERE_USUAL.of(), "Von hier an mit den üblichen Anweisungen."),
    ],
)
@pytest.mark.usefixtures("german")
def test_lines_about_the_chat_are_translated(theme: Theme, said: Reason, shown: str) -> None:
    """Kept as a code with values, shown and spoken in German, with the user's own words as they are."""
    notice = message(1, str(said), Role.NOTICE, MessageStatus.COMPLETE)
    view = NoticeView(replace(notice, reason_json=json.dumps(said.as_json())))
    assert view.label.text() == shown
    assert shown[:60] in view.accessibleName()
    view.deleteLater()


@pytest.mark.usefixtures("german")
def test_a_line_of_an_older_program_stands_as_it_was_written(theme: Theme) -> None:
    """It has no code; its English is better than nothing."""
    view = NoticeView(message(1, "The oldest messages are out.", Role.NOTICE, MessageStatus.COMPLETE))
    assert view.label.text() == "The oldest messages are out."
    view.deleteLater()


@pytest.mark.usefixtures("german")
def test_presets_that_come_with_steward_are_named_in_german() -> None:
    """All of them; one of the user's keeps the name that they gave it."""
    assert shown_name(built_in()[0]) == "Knapp"
    assert all(tr(each.name) != each.name for each in built_in())
    assert shown_name(Preset("Concise", "", key=f"{OWN}1")) == "Concise"
