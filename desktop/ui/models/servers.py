"""Model servers in the window of models: which there are, where words would go, adding, trying, removing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsChanged
from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.permission.visible import visible
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import ActionRow, CheckBox, action
from desktop.ui.widgets.cards import Confirm, EntryForm, FormPlace, OutcomeLine, Row, line_field
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.lists import RowList

if TYPE_CHECKING:
    from desktop.engine.remote import RemoteEngines, RemoteServer, RemoteSetup

SECTION_PX = 17.0


@dataclass(frozen=True)
class ServerActs:
    """What the section does, on the pool; nothing of that room is loaded before there is a server, or one is
    to be added. `known`: whether there is any."""

    known: Callable[[], bool]
    engines: Callable[[], RemoteEngines]
    setup: Callable[[], RemoteSetup]


class ServersSection(QWidget):
    """Main thread only; whatever asks a server or the keyring runs on the pool."""

    def __init__(self, acts: ServerActs, relay: Relay, background: Background) -> None:
        super().__init__()
        self.setObjectName("model_servers")
        self._acts = acts
        self._background = background
        heading = Label(tr("Model servers"), SECTION_PX, bold=True, name="model_servers_heading")
        hint = tr(
            "Another program or computer can answer a chat, when you choose it for that chat in the menu of "
            "the model. Everything else stays on this computer."
        )
        self.outcome = OutcomeLine("model_servers_result")
        self.list: RowList[RemoteServer] = RowList("model_servers_list", self._row)
        self.confirm = Confirm("model_server_confirm")
        self.add = action(tr("Add a model server"), "model_server_add", self._open_form)
        self.form_place: FormPlace[ServerForm] = FormPlace(self.add)
        column = theme.space(QVBoxLayout(self), 8)
        column.setContentsMargins(0, theme.px(12), 0, 0)
        column.addWidget(heading)
        column.addWidget(Label(hint, SMALL_PX, colour="secondary", name="model_servers_hint"))
        column.addLayout(self.outcome)
        column.addWidget(self.confirm)
        column.addWidget(self.list)
        column.addLayout(self.form_place)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeading)
        relay.listen(SettingsChanged, lambda _event: self.refresh())
        self.refresh()

    def refresh(self) -> None:
        """Show those that are set up now."""
        servers = self._acts.engines().all() if self._acts.known() else ()
        self.list.show_rows([(each.name, each) for each in servers])

    # -- inside -------------------------------------------------------------------------------

    def _row(self, server: RemoteServer) -> QWidget:
        from desktop.ui.chat.destination import where_words

        name = server.name
        test = action(
            tr("Test"),
            f"model_server_test_{name}",
            partial(self._test, name),
            described=tr("Ask {name} which models it has", name=name),
        )
        remove = action(
            tr("Remove…"),
            f"model_server_remove_{name}",
            partial(self._ask_removal, name),
            described=tr("Remove {name}", name=name),
        )
        key = tr("With a key from the keyring") if server.has_key else tr("Without a key")
        return Row(
            "globe",
            "secondary",
            name,
            (visible(server.model), where_words(server), key),
            (test, remove),
        )

    def _run(self, act: Callable[[], str], then: Callable[[], None] = lambda: None) -> None:
        """On the pool; what came of it is told in its place."""
        clear = self.outcome.clearing()

        def done(words: str) -> None:
            self.outcome.say(words) if words else clear()
            then()

        self._background.run(act, done=done, failed=self.outcome.refuse)

    def _test(self, name: str) -> None:
        def act() -> str:
            found = ", ".join(map(visible, self._acts.engines().models(name)[:20]))
            return tr("{name} answers. It has: {models}", name=name, models=found or "?")

        self._run(act)

    def _ask_removal(self, name: str) -> None:
        def act() -> str:
            self._acts.setup().remove(name)
            return tr("{name} was removed. Chats that it answered stay.", name=name)

        self.confirm.ask(
            tr("Remove {name}? Its key in the keyring goes with it.", name=name),
            tr("Remove it"),
            tr("Keep it"),
            lambda: self._run(act),
        )

    def _open_form(self) -> None:
        form = ServerForm()
        form.saved.connect(self._add)
        self.form_place.open(form, form.name)

    def _add(self, given: Mapping[str, Any]) -> None:
        def act() -> str:
            made = self._acts.setup().add(**given)
            return tr("{name} was added, with the model {model}.", name=made.name, model=visible(made.model))

        self.outcome.say(tr("Asking which models it has …"))
        # Only then: what is typed there is not lost to a test or a removal of another one.
        self._run(act, then=self.form_place.close)


class ServerForm(EntryForm):
    """`saved` comes with what `RemoteSetup.add` takes. Main thread only."""

    def __init__(self) -> None:
        super().__init__("model_server_form")
        self.name = line_field(
            "model_server_name", tr("Name"), tr("Name: lowercase letters, digits, - and _")
        )
        self.url = line_field("model_server_url", tr("Address"), tr("Such as https://models.example.org/v1"))
        one = tr("Not needed if it has only one")
        self.model = line_field("model_server_model", tr("Model"), one)
        hint = tr("Key, if it needs one; kept in the keyring if there is one")
        self.key = line_field("model_server_key", tr("Key"), hint)
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.tools = CheckBox(tr("Its model may be offered tools"), "model_server_tools")
        self.tools.setChecked(True)
        self.unencrypted = CheckBox(
            tr("It is in my own network and has no https"), "model_server_unencrypted"
        )
        said = tr("It is asked once which models it has. No words of yours are sent.")
        self.save = action(tr("Add"), "model_server_save", self._on_save)
        self.leave = action(
            tr("Cancel"), "model_server_leave", self.left.emit, described=tr("Add no model server")
        )
        column = theme.space(QVBoxLayout(self), 8)
        for field in (self.name, self.url, self.model, self.key):
            field.textChanged.connect(lambda _text: self._check())
            field.returnPressed.connect(self._on_save)
            column.addWidget(field)
        for box in (self.tools, self.unencrypted):
            column.addWidget(box)
        column.addWidget(Label(said, CAPTION_PX, colour="secondary", name="model_server_says"))
        column.addLayout(ActionRow(self.save, self.leave))
        self._check()

    def _check(self) -> None:
        self.save.setEnabled(bool(self.name.text().strip() and self.url.text().strip()))

    def _on_save(self) -> None:
        if not self.save.isEnabled():
            return
        self.saved.emit(
            {
                "name": self.name.text().strip(),
                "url": self.url.text().strip(),
                "model": self.model.text().strip(),
                "key": self.key.text().strip(),
                "tools": self.tools.isChecked(),
                "unencrypted": self.unencrypted.isChecked(),
            }
        )
