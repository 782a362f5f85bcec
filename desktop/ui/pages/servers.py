"""The Servers page: which programs bring tools, what each may do, its tools and its log; adding and
trying."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCompleter, QVBoxLayout, QWidget

from desktop.mcp.pins import PinnedTool, PinState
from desktop.mcp.servers import Servers, ServersChanged, ServerState, ServerView
from desktop.mcp.setup import ImportedServer, ServerList, ServerSetup, read_list, usual_places
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.settings import SettingsChanged
from desktop.ui import theme
from desktop.ui.language import moment_words, plural, tr, tr_noop, words_of
from desktop.ui.pages.page import Page
from desktop.ui.permission.visible import visible
from desktop.ui.theme import CAPTION_PX
from desktop.ui.widgets.buttons import ActionRow, AskingSwitch, CheckBox, ComboBox, action
from desktop.ui.widgets.cards import Confirm, EntryForm, FormPlace, OutcomeLine, Row, SwitchRow, line_field
from desktop.ui.widgets.details import DetailText
from desktop.ui.widgets.labels import Label, SectionHeading
from desktop.ui.widgets.layout import ScrollColumn, order_tabs, sized
from desktop.ui.widgets.lists import EmptyWords, RowList, SearchedList

SAYS = tr_noop(
    "Programs that bring tools for the assistant (MCP servers). What a tool can do is what its server may "
    "do, which each row says; what it tells of itself counts for nothing."
)
NONE_YET = tr_noop("There are no servers. Add one, or import the list of another program.")
NOT_FOUND = tr_noop("No server matches the search.")
STATES = {
    ServerState.OFF: tr_noop("Off"),
    ServerState.WAITS: tr_noop("Starts when it is needed"),
    ServerState.RUNS: tr_noop("Running"),
    ServerState.FAILED: tr_noop("Has ended too often"),
}
SIGNS = {
    ServerState.OFF: ("pause", "secondary"),
    ServerState.WAITS: ("check", "secondary"),
    ServerState.RUNS: ("running", "success"),
    ServerState.FAILED: ("failed", "danger"),
}
CHANGES = {
    PinState.CHANGED: tr_noop("Describes itself differently than when you agreed; held back."),
    PinState.NEW: tr_noop("New since you agreed; held back."),
    PinState.GONE: tr_noop("The server no longer has it."),
}
LOG_HEIGHT_PX = 120


@dataclass(frozen=True)
class ServerActions:
    """What the page does, all on the pool. `try_tool` takes server, tool and arguments as JSON, goes
    through the gate, and returns what came of it."""

    servers: Callable[[], Servers]
    setup: Callable[[], ServerSetup]
    try_tool: Callable[[str, str, str], str]


@dataclass(frozen=True)
class _Reading:
    """What the page shows: all servers, and the log of the chosen one."""

    views: tuple[ServerView, ...]
    lines: tuple[str, ...] = ()


class ServersPage(Page):
    """Main thread only; whatever starts, ends or asks a server runs on the pool."""

    title = tr_noop("Servers")
    icon = "plug"

    def __init__(self, acts: ServerActions, relay: Relay, background: Background) -> None:
        super().__init__(tr(SAYS))
        self._acts = acts
        self._background = background
        self._reading = Latest(background)
        self._chosen = ""
        self._offered: tuple[ImportedServer, ...] = ()  # of another program's list, and not taken yet
        self._build()
        self.follow(relay, ServersChanged, SettingsChanged)

    def shown(self) -> None:
        self._reading.run(self._read, self._chosen, done=self._show, failed=self.outcome.refuse)

    # -- what is shown ------------------------------------------------------------------------

    def _read(self, chosen: str) -> _Reading:
        servers = self._acts.servers()
        views = servers.views()
        known = any(each.name == chosen for each in views)
        return _Reading(views, servers.lines(chosen) if known else ())

    def _show(self, reading: _Reading) -> None:
        self.servers.show_values([(each, each.name == self._chosen) for each in reading.views])
        found = next((each for each in reading.views if each.name == self._chosen), None)
        is_new = found is not None and self.details.isHidden()
        self.details.setVisible(found is not None)
        if found is not None:
            is_new = is_new or found.name != self.details.name
            self.details.show_server(found, reading.lines)
        if is_new:
            self._scroll.reveal(self.details)  # it stands below all servers

    def _order_tabs(self) -> None:
        order_tabs((self.confirm.no, self.confirm.yes, *self.servers.stops, self.add))

    def _choose(self, name: str) -> None:
        self._chosen = "" if self._chosen == name else name
        self.shown()

    # -- doing --------------------------------------------------------------------------------

    def _run(self, act: Callable[..., object], *given: Any, then: Callable[[], None] = lambda: None) -> None:
        """On the pool; what went wrong is told in its place, and the list is read again in any case."""
        clear = self.outcome.clearing()

        def done(_result: object) -> None:
            clear()
            then()
            self.shown()

        def failed(error: Exception) -> None:
            self.outcome.refuse(error)
            self.shown()

        self._background.run(act, *given, done=done, failed=failed)

    def _switch(self, name: str, on: bool) -> None:
        self._run(lambda: self._acts.setup().switch(name, on))

    def _start(self, name: str) -> None:
        self._chosen = name
        self._run(lambda: self._acts.servers().start(name))

    def _ask_removal(self, name: str) -> None:
        # Its secrets cannot be brought back.
        self.confirm.ask(
            tr("Remove {name}? Its secrets in the keyring go with it.", name=name),
            tr("Remove it"),
            tr("Keep it"),
            partial(self._remove, name),
        )

    def _remove(self, name: str) -> None:
        def tell() -> None:
            self.toast.offer(tr("{name} was removed, with its secrets.", name=name))

        self._run(lambda: self._acts.setup().remove(name), then=tell)

    def _on_tool(self, name: str, tool: str, on: bool) -> None:
        self._run(lambda: self._acts.setup().switch_tool(name, tool, on))

    def _allow(self, name: str, folders: list[str], has_network: bool) -> None:
        self._run(lambda: self._acts.setup().allow(name, folders, has_network))

    def _agree(self, name: str) -> None:
        self._run(lambda: self._acts.servers().agree(name))

    def _try(self, name: str, tool: str, arguments: str) -> None:
        self.details.result.setPlainText(tr("It runs …"))
        self._background.run(
            self._acts.try_tool,
            name,
            tool,
            arguments,
            done=self.details.result.setPlainText,
            failed=self._on_try_failed,
        )

    def _on_try_failed(self, error: Exception) -> None:
        self.details.result.setPlainText("")
        self.outcome.refuse(error)

    # -- adding -------------------------------------------------------------------------------

    def _open_form(self) -> None:
        form = AddForm()
        form.saved.connect(self._add)
        self.form_place.open(form, form.name)

    def _add(self, given: tuple[str, Mapping[str, Any]]) -> None:
        name, entry = given

        def act() -> None:
            self._acts.setup().add(name, entry, {})

        self._chosen = name
        self.outcome.say(tr("Starting {name} once, to see its tools …", name=name))
        self._run(act, then=self.form_place.close)

    def _look_at_list(self) -> None:
        file = Path(self.file.text().strip()).expanduser()
        self._background.run(read_list, file, done=self._offer_list, failed=self.outcome.refuse)

    def _offer_list(self, listed: ServerList) -> None:
        """Every command is shown before anything is taken; what is left out is named."""
        self.outcome.clear()
        if listed.note:
            self.outcome.say(words_of(listed.note))
        self._show_offered(listed.servers)

    def _show_offered(self, servers: tuple[ImportedServer, ...]) -> None:
        self._offered = servers
        self.found.show_rows([(each.name, each) for each in servers])

    def _take(self, server: ImportedServer) -> None:
        def tell() -> None:
            self._show_offered(tuple(each for each in self._offered if each != server))
            self.toast.offer(tr("{name} was added, switched off.", name=server.name))

        self._run(lambda: self._acts.setup().take(server), then=tell)

    # -- building -----------------------------------------------------------------------------

    def _build(self) -> None:
        self.outcome = OutcomeLine("servers_result")
        self.servers: SearchedList[tuple[ServerView, bool]] = SearchedList(
            "servers",
            self._row,
            lambda shown: shown[0].name,
            lambda shown: " ".join((shown[0].name, *_captions(shown[0]), *_tool_names(shown[0]))),
            EmptyWords(NONE_YET, NOT_FOUND),
            tr("Search servers"),
        )
        self.servers.rows.changed.connect(self._order_tabs)
        self.found: RowList[ImportedServer] = RowList("servers_found", self._found_row)
        self.confirm = Confirm("server_confirm")
        self.add = action(tr("Add a server"), "server_add", self._open_form)
        self.form_place: FormPlace[AddForm] = FormPlace(self.add)
        self.details = ServerDetails()
        self.details.switched.connect(self._on_tool)
        self.details.agreed.connect(self._agree)
        self.details.allowed.connect(self._allow)
        self.details.tried.connect(self._try)
        self.details.hide()
        self.file = line_field(
            "servers_file", tr("List of another program"), tr("Such as ~/.cursor/mcp.json")
        )
        self.file.returnPressed.connect(self._look_at_list)
        # Offered while typing and not filled in: which list is meant, the user says.
        self.file.setCompleter(QCompleter([str(each) for each in usual_places(Path.home())], self.file))
        look = action(tr("Show what it holds"), "servers_look", self._look_at_list)
        self._scroll = ScrollColumn("servers_scroll")
        body = self._scroll.body
        body.addLayout(self.outcome)
        for widget in (self.confirm, self.servers):
            body.addWidget(widget)
        body.addLayout(self.form_place)
        body.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeading)
        body.addWidget(self.details)
        body.addWidget(SectionHeading(tr("Import another program's list")))
        body.addWidget(self.file)
        body.addWidget(look, 0, Qt.AlignmentFlag.AlignLeading)
        body.addWidget(self.found)
        body.addStretch(1)
        self.column.addWidget(self._scroll, 1)

    def _row(self, shown: tuple[ServerView, bool]) -> QWidget:
        view, is_open = shown
        name, is_on = view.name, view.settings.enabled
        icon, ink = SIGNS[view.state]
        show = action(
            tr("Hide tools") if is_open else tr("Show tools"),
            f"server_show_{name}",
            partial(self._choose, name),
            described=tr("Hide tools of {name}", name=name) if is_open else tr("Tools of {name}", name=name),
        )
        start = action(
            tr("Start"),
            f"server_start_{name}",
            partial(self._start, name),
            described=tr("Start {name}", name=name),
        )
        switch = action(
            tr("Switch off") if is_on else tr("Switch on"),
            f"server_switch_{name}",
            partial(self._switch, name, not is_on),
            described=tr("Switch {name} off", name=name) if is_on else tr("Switch {name} on", name=name),
        )
        remove = action(
            tr("Remove…"),
            f"server_remove_{name}",
            partial(self._ask_removal, name),
            described=tr("Remove {name}", name=name),
        )
        starts = is_on and view.state is not ServerState.RUNS
        return Row(icon, ink, name, _captions(view), (show, *((start,) if starts else ()), switch, remove))

    def _found_row(self, server: ImportedServer) -> QWidget:
        take = action(
            tr("Add, switched off"),
            f"server_take_{server.name}",
            partial(self._take, server),
            described=tr("Add {name}, switched off", name=server.name),
        )
        return Row("terminal", "secondary", server.name, (visible(server.shown),), (take,))


def _captions(view: ServerView) -> tuple[str, ...]:
    """How it is, what it may do, where it is and what went wrong with it."""
    # Nobody has asked it yet: that is not a server without tools.
    counted = plural("{count} tool", "{count} tools", len(view.tools))
    counted = counted if view.tools else tr("its tools are not known yet")
    captions = (
        tr("{state} · {tools}", state=tr(STATES[view.state]), tools=counted),
        words_of(view.access.in_words()),
        visible(shlex.join(view.settings.command) or view.settings.url),
    )
    return (*captions, words_of(view.trouble)) if view.trouble is not None else captions


def _tool_names(view: ServerView) -> tuple[str, ...]:
    """Somebody who looks for a tool need not know whose it is."""
    return tuple(each.name for each in view.tools)


class ServerDetails(QWidget):
    """Tools with a switch each, what is another than was agreed to, a try, and the log. Main thread only."""

    switched = Signal(str, str, bool)  # server, tool, on
    agreed = Signal(str)
    allowed = Signal(str, object, bool)  # server, folders that it may write to, whether it has the network
    tried = Signal(str, str, str)  # server, tool, arguments

    def __init__(self) -> None:
        super().__init__()
        self.name = ""  # of the server that is shown
        self._shown: tuple[str, list[str], bool] | None = None  # what it may do
        self._settled = ("", False)  # folders and network as they were filled in or sent last
        self.heading = SectionHeading("")
        self.tools: RowList[tuple[str, PinnedTool, bool]] = RowList("server_tools", self._row)
        self.changed = DetailText("server_changes", tr("What has changed"))
        self.agree = action(tr("Agree to what is new"), "server_agree", lambda: self.agreed.emit(self.name))
        self.folders = line_field(
            "server_folders",
            tr("Folders that it may write to"),
            tr("Folders that it may write to, in quotation marks if they hold spaces; empty: nowhere"),
        )
        self.folders.returnPressed.connect(self._on_allow)
        self.network = CheckBox(tr("It may talk to other computers"), "server_may_send")
        self.allow = action(tr("Let it do this"), "server_allow", self._on_allow)
        self.access = QWidget()
        self.access_heading = SectionHeading("")
        self.tool = ComboBox("server_tool", tr("Tool to try"))
        self.arguments = line_field("server_arguments", tr("Arguments, as JSON"), "{}")
        self.arguments.returnPressed.connect(self._on_try)
        self.run = action(tr("Try it"), "server_try", self._on_try)
        self.result = DetailText("server_result", tr("Result"), tr("Result"))
        self.log = DetailText("server_log", tr("Log of the server"), tr("Nothing yet."))
        column = theme.space(QVBoxLayout(self), 8)
        access = theme.space(QVBoxLayout(self.access), 8)
        access.setContentsMargins(0, 0, 0, 0)
        for widget in (self.access_heading, self.folders, self.network):
            access.addWidget(widget)
        access.addWidget(self.allow, 0, Qt.AlignmentFlag.AlignLeading)
        column.addWidget(self.access)
        for part in (self.heading, self.tools, self.changed):
            column.addWidget(part)
        column.addWidget(self.agree, 0, Qt.AlignmentFlag.AlignLeading)
        column.addWidget(SectionHeading(tr("Try it")))
        column.addWidget(self.tool)
        column.addWidget(self.arguments)
        column.addWidget(self.run, 0, Qt.AlignmentFlag.AlignLeading)
        column.addWidget(sized(self.result, min_height=LOG_HEIGHT_PX))
        column.addWidget(SectionHeading(tr("Log")))
        column.addWidget(sized(self.log, min_height=LOG_HEIGHT_PX))

    def show_server(self, view: ServerView, lines: tuple[str, ...]) -> None:
        """Another server begins with another try; the same one keeps what was typed."""
        if view.name != self.name:
            self.name = view.name
            self.arguments.clear()
            self.result.clear()
        self.heading.setText(tr("Tools of {name}", name=view.name))
        self.access_heading.setText(tr("What {name} may do", name=view.name))
        off = view.settings.tools_off
        self.tools.show_rows([(each.name, (view.name, each, each.name not in off)) for each in view.tools])
        held = [each for each in view.tools if each.state in (PinState.CHANGED, PinState.NEW)]
        self.changed.setPlainText("\n\n".join(f"{each.name}\n{each.difference()}" for each in held))
        for widget in (self.changed, self.agree):
            widget.setVisible(bool(held))
        same = (each.name for each in view.tools if each.state is PinState.SAME)
        self._offer([name for name in same if name not in off])
        self.log.setPlainText("\n".join(lines))
        self._show_access(view)

    def _show_access(self, view: ServerView) -> None:
        # Nothing here holds what runs at an address, or was added unconfined.
        self.access.setVisible(view.access.is_confined)
        shown = (view.name, view.settings.folders, view.settings.network)
        if shown == self._shown:
            return
        is_other = self._shown is None or self._shown[0] != view.name
        self._shown = shown
        if is_other or self._filled_in() == self._settled:  # what is being typed outlives a new look
            self.folders.setText(shlex.join(view.settings.folders))
            self.network.show_checked(view.settings.network)
            self._settled = self._filled_in()

    def _filled_in(self) -> tuple[str, bool]:
        return self.folders.text(), self.network.isChecked()

    def _on_allow(self) -> None:
        self._settled = self._filled_in()
        try:
            folders = [str(Path(each).expanduser().absolute()) for each in shlex.split(self.folders.text())]
        except ValueError:  # a quotation mark that is open: the mark that it lacks is what the user sees
            folders = [self.folders.text().strip()]
        self.allowed.emit(self.name, folders, self.network.isChecked())

    def _offer(self, names: list[str]) -> None:
        if names == [self.tool.itemText(place) for place in range(self.tool.count())]:
            return
        self.tool.clear()
        self.tool.addItems(names)

    def _on_try(self) -> None:
        if self.tool.currentText():
            self.tried.emit(self.name, self.tool.currentText(), self.arguments.text().strip())

    def _row(self, shown: tuple[str, PinnedTool, bool]) -> QWidget:
        server, tool, is_on = shown
        known = tool.now or tool.agreed
        assert known is not None
        used = (
            tr("Never used")
            if not tool.used_at
            else tr("Used {when}", when=moment_words(tool.used_at, time.time()))
        )
        row = Row(
            "check" if tool.state is PinState.SAME else "warning",
            "secondary" if tool.state is PinState.SAME else "warning",
            visible(tool.name),
            (visible(known.summary), tr(CHANGES[tool.state]) if tool.state in CHANGES else used),
        )
        control = AskingSwitch(f"server_tool_{tool.name}")
        control.setChecked(is_on)
        control.asked.connect(lambda on: self.switched.emit(server, tool.name, on))
        spoken = tr("{tool} may be used", tool=visible(tool.name))
        row.add_below(SwitchRow(control, tr("May be used"), spoken=spoken))
        return row


class AddForm(EntryForm):
    """`saved` comes with a name and what the settings get. Main thread only."""

    def __init__(self) -> None:
        super().__init__("server_form")
        self.name = line_field("server_name", tr("Name"), tr("Name: lowercase letters, digits, - and _"))
        self.where = line_field(
            "server_where",
            tr("Command or address"),
            tr("Command with its arguments, or an address with https://"),
        )
        self.folder = line_field(
            "server_folder",
            tr("Folder that it may write to"),
            tr("Folder that it may write to; empty: nowhere"),
        )
        self.network = CheckBox(tr("It may talk to other computers"), "server_network")
        self.problem = Label("", CAPTION_PX, colour="secondary", name="server_problem")
        self.save = action(tr("Add and start once"), "server_save", self._on_save)
        self.leave = action(tr("Cancel"), "server_leave", self.left.emit, described=tr("Add no server"))
        column = theme.space(QVBoxLayout(self), 8)
        for field in (self.name, self.where, self.folder):
            field.textChanged.connect(lambda _text: self._check())
            field.returnPressed.connect(self._on_save)
            column.addWidget(field)
        column.addWidget(self.network)
        column.addWidget(self.problem)
        column.addLayout(ActionRow(self.save, self.leave))
        self._check()

    def _entry(self) -> dict[str, Any]:
        """Raises ValueError for quotation marks that do not close."""
        where, folder = self.where.text().strip(), self.folder.text().strip()
        is_address = where.startswith(("http://", "https://"))
        entry: dict[str, Any] = {"url": where} if is_address else {"command": shlex.split(where)}
        if folder:
            entry["folders"] = [str(Path(folder).expanduser())]
        if self.network.isChecked():
            entry["network"] = True
        return entry

    def _check(self) -> None:
        try:
            is_whole = bool(self.name.text().strip() and self.where.text().strip() and self._entry())
        except ValueError:
            is_whole = False
            self.problem.show_text(tr("A quotation mark is not closed."))
        else:
            self.problem.show_text("")
        self.save.setEnabled(is_whole)

    def _on_save(self) -> None:
        if self.save.isEnabled():
            self.saved.emit((self.name.text().strip(), self._entry()))
