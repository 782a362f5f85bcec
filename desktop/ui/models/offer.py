"""A quiet card: a better model fits this computer. Once, and gone for good when it is not wanted."""

from __future__ import annotations

from collections.abc import Callable

from desktop.models.setup import ModelChoice
from desktop.ui import theme
from desktop.ui.language import language_in_use, size_text, tr
from desktop.ui.models.cards import Card
from desktop.ui.models.words import speed_words
from desktop.ui.theme import BODY_PX, SMALL_PX
from desktop.ui.widgets.actions import ActionRow, button
from desktop.ui.widgets.labels import Label


class BetterModelCard(Card):
    """What it is good at, how large and how quick it is; two buttons, and nothing that has to be answered."""

    def __init__(
        self, choice: ModelChoice, get: Callable[[ModelChoice], object], decline: Callable[[str], object]
    ) -> None:
        super().__init__("better_model")
        entry = choice.entry.in_language(language_in_use())
        size = size_text(entry.size_bytes or 0)
        self.column.addWidget(
            Label(tr("A better model fits this computer"), BODY_PX, bold=True, name="better_model_heading")
        )
        facts = (f"{entry.name}: {entry.good_for}", speed_words(choice.speed))
        self.column.addWidget(
            Label(
                ". ".join(each for each in facts if each),
                SMALL_PX,
                colour="secondary",
                name="better_model_facts",
            )
        )
        kept = tr("The model that you have stays. This project has not tried the new one itself.")
        self.column.addWidget(Label(kept, SMALL_PX, colour="secondary", name="better_model_kept"))
        self.get_button = button(
            tr("Download ({size})", size=size),
            "better_model_get",
            lambda: get(choice),
            described=tr("Download {name}", name=entry.name),
        )
        self.decline_button = button(tr("No, thanks"), "better_model_decline", lambda: decline(entry.id))
        self.column.addSpacing(theme.px(4))
        self.column.addLayout(ActionRow(self.get_button, self.decline_button))
