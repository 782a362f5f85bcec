"""The Programs page: which programs on this computer may ask the model, and what each has asked."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.server.openai.errors import TOO_LONG
from desktop.server.openai.programs import (
    ProgramAnswering,
    ProgramLog,
    ProgramTokens,
    ProgramUse,
    ProgramUsed,
)
from desktop.settings import SettingsChanged, SettingsFile
from desktop.ui import theme
from desktop.ui.language import moment_words, plural, tr, tr_noop
from desktop.ui.pages.page import Page
from desktop.ui.pages.setting_switch import SettingSwitch
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import action
from desktop.ui.widgets.cards import Confirm, OutcomeLine, Row, SwitchCard, line_field
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import ScrollColumn, order_tabs
from desktop.ui.widgets.lists import EmptyWords, SearchedList

SAYS = tr_noop(
    "Editors, scripts and agents that speak OpenAI's protocol can ask the model that answers here. "
    "Each needs a token of its own; your own questions go first."
)

EMPTY = EmptyWords(
    tr_noop("No program has a token yet. Give one a name, and put the token into its settings."),
    tr_noop("No program matches the search."),
)
LONGEST_NAME = 40


@dataclass(frozen=True)
class Program:
    """One row. `answers_now`: its request is being answered."""

    name: str
    use: ProgramUse | None
    answers_now: bool = False


class ProgramsPage(Page):
    """Follows the programs while it is in sight. Main thread only."""

    title = tr_noop("Programs")
    icon = "terminal"

    def __init__(
        self,
        tokens: ProgramTokens,
        uses: ProgramLog,
        settings_file: SettingsFile,
        relay: Relay,
        background: Background,
    ) -> None:
        super().__init__(tr(SAYS))
        self._tokens = tokens
        self._uses = uses
        self._file = settings_file
        self._background = background
        self._reading = Latest(background)
        self._answering = ""
        self._build()
        relay.listen(ProgramAnswering, self._on_answering)
        self.follow(relay, ProgramUsed, SettingsChanged)

    def shown(self) -> None:
        settings = self._file.current
        self.switch.refresh()
        url = f"http://127.0.0.1:{settings.hooks.port}/v1"
        self.address.setText(tr("Address: {url} · Model: {model}", url=url, model="steward"))
        self._reading.run(self._read, done=self._show, failed=self.outcome.refuse)

    # -- what there is ------------------------------------------------------------------------

    def _read(self) -> list[Program]:
        uses = self._uses.uses()
        return [Program(name, uses.get(name)) for name in self._tokens.names()]

    def _show(self, programs: list[Program]) -> None:
        self.found.show_values([replace(each, answers_now=each.name == self._answering) for each in programs])
        confirm = (self.confirm.no, self.confirm.yes)
        order_tabs((self.switch.control, self.name, self.make, self.copy, *confirm, *self.found.stops))

    def _on_answering(self, event: ProgramAnswering) -> None:
        self._answering = event.name
        if self.isVisible():
            self.shown()

    # -- what can be done ---------------------------------------------------------------------

    def _make(self) -> None:
        name = self.name.text().strip()
        if name:
            self._background.run(self._tokens.make, name, done=self._on_made, failed=self.outcome.refuse)

    def _on_made(self, token: str) -> None:
        """Shown now and never again; whoever leaves the page without it makes another."""
        self.token.setText(token)
        self.outcome.say(
            tr(
                "The token of {name}. Copy it now: it is not kept and not shown again.", name=self.name.text()
            ),
            "key",
        )
        self._made.setVisible(True)
        self.name.clear()
        self.copy.setFocus()
        self.shown()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.token.text())
        self.outcome.say(tr("Copied."), "check", "success")

    def _revoke(self, name: str) -> None:
        self.confirm.ask(
            tr("{name} will get no more answers from now on. Revoke its token?", name=name),
            tr("Revoke"),
            tr("Keep"),
            lambda: self._background.run(
                self._tokens.revoke, name, done=lambda _: self.shown(), failed=self.outcome.refuse
            ),
        )

    # -- building -----------------------------------------------------------------------------

    def _build(self) -> None:
        self.switch = SettingSwitch(self._file, self._background, "api.enabled", "programs_switch")
        self.address = Label("", CAPTION_PX, colour="secondary", name="programs_address")
        # It goes into the program's settings, as the token does.
        self.address.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.name = line_field(
            "programs_name", tr("Name of a program"), tr("Name of a program, such as continue")
        )
        self.name.setMaxLength(LONGEST_NAME)
        self.name.returnPressed.connect(self._make)
        self.make = action(tr("Create a token"), "programs_make", self._make)
        self.token = Label("", SMALL_PX, bold=True, name="programs_token")
        self.copy = action(tr("Copy"), "programs_copy", self._copy, described=tr("Copy the token"))
        self._made = QWidget()
        made = theme.space(QHBoxLayout(self._made), 8, (0, 0, 0, 0))
        made.addWidget(self.token, 1)
        made.addWidget(self.copy)
        self._made.hide()
        self.outcome = OutcomeLine("programs_outcome")
        self.switch.refused.connect(self.outcome.refuse)
        self.confirm = Confirm("programs_confirm")
        self.found: SearchedList[Program] = SearchedList(
            "programs",
            self._row,
            lambda program: program.name,
            lambda program: " ".join((program.name, *captions(program))),
            EMPTY,
            tr("Search programs"),
        )
        self._lay_out()

    def _lay_out(self) -> None:
        line = theme.space(QHBoxLayout(), 8, (0, 0, 0, 0))
        line.addWidget(self.name, 1)
        line.addWidget(self.make)
        top = theme.space(QVBoxLayout(), 8, (0, 0, 0, 0))
        top.addLayout(line)
        top.addLayout(self.outcome)
        top.addWidget(self._made)
        box = QWidget()
        box.setLayout(top)
        scroll = ScrollColumn("programs_scroll")
        scroll.setAccessibleName(tr("Programs that have a token"))
        scroll.body.addWidget(SwitchCard(self.switch))
        for widget in (self.address, box, self.confirm, self.found):
            scroll.body.addWidget(widget)
        scroll.body.addStretch(1)
        self.column.addWidget(scroll, 1)

    def _row(self, program: Program) -> QWidget:
        revoke = action(
            tr("Revoke"),
            f"programs_revoke_{program.name}",
            lambda: self._revoke(program.name),
            described=tr("Revoke the token of {name}", name=program.name),
        )
        sign, ink = ("running", "success") if program.answers_now else ("terminal", "secondary")
        return Row(sign, ink, program.name, captions(program), (revoke,))


def captions(program: Program) -> tuple[str, ...]:
    """What a program has asked for, and when it did last."""
    use = program.use
    if program.answers_now:
        first = tr("Is being answered")
    elif use is None:
        return (tr("Has not asked yet"),)
    else:
        first = tr("Last asked {when}", when=_moment(use.last_used))
    if use is None:
        return (first,)
    counts = plural("{count} answer", "{count} answers", use.requests)
    refused = plural("{count} refusal", "{count} refusals", use.refused)
    tokens = tr(
        "{read:,} tokens read, {written:,} written", read=use.prompt_tokens, written=use.answer_tokens
    )
    said = (first, f"{counts} · {refused} · {tokens}")
    if use.refused_for != TOO_LONG:
        return said
    # Codex says no more than that it ran out of room.
    return *said, tr("Its last request was longer than the model reads: raise “Context” in the settings")


def _moment(iso: str) -> str:
    try:
        return moment_words(datetime.fromisoformat(iso).timestamp(), time.time())
    except ValueError:  # a file that somebody has edited
        return iso
