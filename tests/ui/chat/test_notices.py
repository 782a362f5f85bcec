"""What the program says in a chat, in the language of the user."""

from __future__ import annotations

import pytest

from desktop.chat.presets import OWN, Preset, built_in
from desktop.chat.store import MessageStatus, Role
from desktop.chat.turn_context import AS_SET, FOR_ROOM
from desktop.ui.chat.message import NoticeView
from desktop.ui.chat.presets import shown_name
from desktop.ui.language import told
from desktop.ui.theme import Theme
from tests.ui.chat.conftest import theme
from tests.ui.chat.test_transcript import message

__all__ = ["theme"]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            f"{FOR_ROOM.format(count=4)} They begin with “Why” and end with what followed “And”."
            " They are still here.",
            "Damit Platz ist, sieht das Modell die 4 ältesten Nachrichten nicht mehr. Sie beginnen mit „Why“"
            " und enden mit dem, was auf „And“ folgte. Sie sind weiterhin hier.",
        ),
        (
            f"{AS_SET.format(count=2)} They are “Why” and what followed. They are still here.",
            "Wie in den Einstellungen gewählt, sieht das Modell die 2 ältesten Nachrichten nicht mehr. Es"
            " sind „Why“ und was darauf folgte. Sie sind weiterhin hier.",
        ),
        ("From here on with the preset “Concise”.", "Von hier an mit der Vorlage „Knapp“."),
        ("From here on with the preset “Pirate”.", "Von hier an mit der Vorlage „Pirate“."),
        ("From here on with the usual instructions.", "Von hier an mit den üblichen Anweisungen."),
    ],
)
@pytest.mark.usefixtures("german")
def test_lines_about_the_chat_are_translated(theme: Theme, said: str, shown: str) -> None:
    """Stored in English, shown and spoken in German, with the user's own words as they are."""
    view = NoticeView(message(1, said, Role.NOTICE, MessageStatus.COMPLETE))
    assert view.label.text() == shown
    assert shown[:60] in view.accessibleName()
    view.deleteLater()


@pytest.mark.usefixtures("german")
def test_presets_that_come_with_steward_are_named_in_german() -> None:
    """All of them; one of the user's keeps the name that they gave it."""
    assert shown_name(built_in()[0]) == "Knapp"
    assert all(told(each.name) != each.name for each in built_in())
    assert shown_name(Preset("Concise", "", key=f"{OWN}1")) == "Concise"
