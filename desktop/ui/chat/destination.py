"""The signs of a chat that a model server answers: header, frame, message box, title, status line.

They are made of the address that the next request uses, read anew whenever chat, choice or settings change.
A sign comes before the choice is stored and goes after it was, so that no word leaves between the two; and
where words are just leaving, the host that the sender names is shown, whatever was thought before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QFrame, QWidget

from desktop.chat.destinations import DestinationChanged, WordsLeaving
from desktop.settings import SettingsChanged
from desktop.ui.chat.services import ChatServices
from desktop.ui.language import tr
from desktop.ui.permission.visible import visible
from desktop.ui.theme import BODY_PX
from desktop.ui.widgets.buttons import action
from desktop.ui.widgets.cards import Banner
from desktop.ui.widgets.labels import Sign
from desktop.ui.widgets.menu import Menu

if TYPE_CHECKING:
    from desktop.engine.remote import RemoteServer

Servers = Callable[[], "Sequence[RemoteServer]"]
Fail = Callable[[Exception], None]


def where_words(server: RemoteServer) -> str:
    """Where the words of a chat go, as a sentence."""
    host = visible(server.shown)
    if server.is_here:
        return tr(
            "Another program on this computer answers this chat ({host}). It may pass your words on.",
            host=host,
        )
    if server.is_encrypted:
        return tr("Your words in this chat go to {host}.", host=host)
    return tr("Your words in this chat go to {host}, unencrypted.", host=host)


class DestinationBanner(Banner):
    """Stands over a chat for as long as its words go elsewhere. Main thread only."""

    here_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("destination", Sign("globe", "warning", BODY_PX), parent=parent)
        self.here = action(
            tr("Answer here instead"),
            "destination_here",
            self.here_wanted.emit,
            described=tr("Have the model on this computer answer this chat"),
        )
        self.row.addWidget(self.here)


class DestinationFrame(QFrame):
    """Around the whole chat; takes no click."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("destination_frame")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()


class DestinationController(QObject):
    """Which server the open chat has, and every sign of it. A chat that does not exist yet gets its server
    with its first message. Main thread only."""

    shown = Signal(str, str)  # host and the sentence; both "" where the model of this computer answers

    def __init__(
        self, services: ChatServices, current: Callable[[], int], servers: Servers, failed: Fail
    ) -> None:
        """`servers`: those that are set up; `failed` tells what went wrong."""
        super().__init__()
        self._turns = services.turns
        self._background = services.background
        self._current = current
        self._servers = servers
        self._failed = failed
        self._waiting = ""  # for the chat that does not exist yet
        self._leaving: dict[int, str] = {}  # hosts that words are on their way to, by chat
        self._coming: dict[int, str] = {}  # servers that are about to be stored
        services.relay.listen(DestinationChanged, lambda _event: self.refresh())
        services.relay.listen(SettingsChanged, lambda _event: self.refresh())
        services.relay.listen(WordsLeaving, self._on_leaving)

    @property
    def chosen(self) -> str:
        """The name of the open chat's server; "" for the model of this computer."""
        current = self._current()
        if current <= 0:
            return self._waiting
        if current in self._coming:
            return self._coming[current]
        destination = self._turns.destination(current)
        return destination.server if destination is not None else ""

    def show_open(self) -> None:
        """Another chat was opened; a new one is answered by the model of this computer."""
        if self._current() == 0:
            self._waiting = ""
        self.refresh()

    def take_up(self, conversation_id: int) -> None:
        """The chat now exists and is about to be asked its first question."""
        waiting, self._waiting = self._waiting, ""
        if waiting:
            # Here and not on the pool: the question must not be answered before its server is stored.
            self._turns.choose_server(conversation_id, waiting)
        self.refresh()

    def choose(self, server: str) -> None:
        """For the open chat, from its next answer on; "": the model of this computer."""
        current = self._current()
        if current <= 0:
            self._waiting = server
            self.refresh()
            return
        if server:
            self._coming[current] = server
            self.refresh()

        def over(error: Exception | None = None) -> None:
            self._coming.pop(current, None)
            self.refresh()
            if error is not None:
                self._failed(error)

        self._background.run(
            self._turns.choose_server, current, server, done=lambda _none: over(), failed=over
        )

    def refresh(self) -> None:
        """Show what is true now."""
        name = self.chosen
        server = next((each for each in self._servers() if each.name == name), None)
        leaving = self._leaving.get(self._current(), "")
        if leaving and (server is None or leaving != server.shown):
            self.shown.emit(leaving, tr("Your words in this chat go to {host}.", host=visible(leaving)))
        elif server is not None:
            self.shown.emit(server.shown, where_words(server))
        elif name:
            gone = tr("The model server {name} is no longer set up. Nothing is sent.", name=visible(name))
            self.shown.emit(name, gone)
        else:
            self.shown.emit("", "")

    def fill(self, menu: Menu) -> None:
        """What can be chosen for the open chat, below the models of this computer."""
        servers = self._servers()
        if not servers:
            return
        menu.heading(tr("Who answers this chat"))
        group, chosen = QActionGroup(menu), self.chosen
        choices = [("", tr("The model on this computer"))]
        choices += [(each.name, self._entry(each)) for each in servers]
        for number, (name, words) in enumerate(choices):
            use = partial(self.choose, name)
            group.addAction(menu.choice(words, name == chosen, use, f"use_server_{number}"))

    def _entry(self, server: RemoteServer) -> str:
        return tr("{name}: sends to {host}", name=server.name, host=visible(server.shown))

    def _on_leaving(self, event: WordsLeaving) -> None:
        if event.ended:
            self._leaving.pop(event.conversation_id, None)
        else:
            self._leaving[event.conversation_id] = event.host
        self.refresh()
