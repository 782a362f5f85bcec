"""The Permissions page: what Steward may do without asking, and how to take that back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.agents.agent_list import agent_named
from desktop.agents.events import HookDecided
from desktop.chat.store import ChatStore
from desktop.gate.agent_rules import RuleFile
from desktop.gate.grants import UNUSED_S, Grant, Grants, GrantScope
from desktop.gate.projects import Project, Projects
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.settings import SettingsChanged, SettingsFile
from desktop.tools.calls import ToolEnded
from desktop.ui.language import date_words, moment_words, plural, tr, tr_noop, words_of
from desktop.ui.pages.page import Page
from desktop.ui.pages.permission_sections import AgentRuleList, PermissionSwitches, ProjectModes, WrapperList
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import action, small
from desktop.ui.widgets.cards import Confirm, OutcomeLine, Row
from desktop.ui.widgets.labels import Label, SectionHeading
from desktop.ui.widgets.layout import ScrollColumn, order_tabs
from desktop.ui.widgets.lists import EmptyWords, FilteredList, RowList, SearchField

AT_ONCE = 100  # rows; more on demand
SAYS = tr_noop(
    "What Steward may do without asking. Anything else is asked about, unless it only reads, changes only "
    "Steward's own notes and reminders, or a rule of yours allows it."
)
NOTHING_YET = tr_noop(
    "You have allowed nothing for longer than a single time. When a question comes, the arrow beside Allow "
    "offers to allow the same thing for a chat or always; it is then listed here."
)

NOT_FOUND = tr_noop("No permission matches the search.")


@dataclass(frozen=True)
class ChatPermissions:
    """What chats were given: `title` names the chat of a grant and is called on the pool; `folders` were
    opened to the assistant beside the workspace, `close_folder` takes one back and `open_folder` gives it
    again, both on the pool.
    """

    title: Callable[[str], str] = str
    folders: Callable[[], Sequence[Path]] = tuple
    close_folder: Callable[[Path], None] = lambda _folder: None
    open_folder: Callable[[Path], None] = lambda _folder: None


@dataclass(frozen=True)
class AgentPermissions:
    """What coding agents were given: projects in which nothing is asked, the rules of their own settings."""

    projects: Projects | None = None
    rules: AgentRuleList | None = None


class PermissionsPage(Page):
    """Reads the grants on the pool whenever it comes into sight and after calls. Main thread only."""

    title = tr_noop("Permissions")
    icon = "shield"

    def __init__(
        self,
        grants: Grants,
        settings_file: SettingsFile,
        relay: Relay,
        background: Background,
        chats: ChatPermissions | None = None,
        agents: AgentPermissions | None = None,
    ) -> None:
        super().__init__(tr(SAYS))
        agents = agents or AgentPermissions()
        self._grants = grants
        self._background = background
        self._chats = chats or ChatPermissions()
        self._reading = Latest(background)
        self.projects = (
            ProjectModes(agents.projects, relay, background) if agents.projects is not None else None
        )
        self.agent_rules = agents.rules
        self._build(settings_file)
        self.follow(relay, ToolEnded, HookDecided)
        relay.listen(SettingsChanged, lambda _event: self._on_settings_changed())

    # -- what is shown ----------------------------------------------------------------------------

    def shown(self) -> None:
        """Read the grants again."""
        self.switches.refresh()
        self._show_folders()
        if self.projects is not None:
            self.projects.refresh()
        if self.agent_rules is not None:
            self.agent_rules.refresh()
        self.wrappers.refresh()
        self._reading.run(self._read, done=self.rows.show_values, failed=self._outcome.refuse)

    def _read(self) -> list[GrantLine]:
        """On the pool."""
        return [GrantLine(grant, self._chat_of(grant)) for grant in self._grants.listed()]

    def _chat_of(self, grant: Grant) -> str:
        return self._chats.title(grant.chat) if grant.chat else ""

    def _on_settings_changed(self) -> None:
        self.switches.refresh()
        self.wrappers.refresh()

    def _on_rows(self) -> None:
        """Other permissions are shown, or another number is known."""
        self.count.show_text(_count(self.rows.found, self.rows.known))
        self.search.setVisible(self.rows.known > 0)
        self.revoke_all.setVisible(self.rows.known > 1)
        self._order_tabs()

    def _order_tabs(self) -> None:
        confirm = self.confirm
        order_tabs((self.revoke_all, confirm.no, confirm.yes, *self.rows.stops, *self.folder_list.stops))

    def _show_folders(self) -> None:
        folders = [(str(folder), folder) for folder in self._chats.folders()]
        self.folders_heading.setVisible(bool(folders))
        self.folder_list.show_rows(folders)
        self._order_tabs()

    # -- doing ------------------------------------------------------------------------------------

    def _revoke(self, grant: Grant) -> None:
        self._background.run(
            self._grants.revoke,
            grant.id,
            done=lambda _none: self._on_revoked(grant),
            failed=self._outcome.refuse,
        )

    def _on_revoked(self, grant: Grant) -> None:
        self.shown()
        self.toast.offer(tr("Revoked. Steward will ask next time."), tr("Undo"), lambda: self._restore(grant))

    def _restore(self, grant: Grant) -> None:
        self._background.run(
            self._grants.restore, grant.id, done=lambda _none: self.shown(), failed=self._outcome.refuse
        )

    def _on_project_ended(self, project: Project) -> None:
        assert self.projects is not None
        restore = self.projects.restore
        self.toast.offer(
            tr("Project mode has ended. Agents ask again."), tr("Undo"), lambda: restore(project)
        )

    def _on_honoured(self, rules: RuleFile) -> None:
        assert self.agent_rules is not None
        withdraw = self.agent_rules.withdraw
        self.toast.offer(
            tr("Honoured. What these rules allow is not asked about."), tr("Undo"), lambda: withdraw(rules)
        )

    def _on_withdrawn(self, rules: RuleFile) -> None:
        assert self.agent_rules is not None
        agree = self.agent_rules.agree
        self.toast.offer(tr("Steward asks about it again."), tr("Undo"), lambda: agree(rules))

    def _on_wrapper_removed(self, name: str) -> None:
        self.toast.offer(tr("The wrapper was removed."), tr("Undo"), lambda: self.wrappers.put(name))

    def _ask_revoke_all(self) -> None:
        count = self.rows.known
        self.confirm.ask(
            tr(
                "Revoke all {count} permissions? From then on each of these is asked about again.",
                count=count,
            ),
            tr("Revoke all"),
            tr("Keep them"),
            self._revoke_all,
            self.revoke_all.setFocus,
        )

    def _revoke_all(self) -> None:
        self._background.run(
            self._grants.revoke_all, done=lambda _none: self._on_all_revoked(), failed=self._outcome.refuse
        )

    def _on_all_revoked(self) -> None:
        self.shown()
        # The button that was pressed is gone with the last permission.
        self.switches.rows["auto_allow_read"].control.setFocus()
        self.toast.offer(tr("All permissions were revoked."))

    def _close_folder(self, folder: Path) -> None:
        self._background.run(
            self._chats.close_folder,
            folder,
            done=lambda _none: self._on_folder_closed(folder),
            failed=self._outcome.refuse,
        )

    def _on_folder_closed(self, folder: Path) -> None:
        def undo() -> None:
            self._background.run(
                self._chats.open_folder,
                folder,
                done=lambda _none: self._show_folders(),
                failed=self._outcome.refuse,
            )

        self._show_folders()
        self.toast.offer(tr("Closed. The assistant may no longer read there."), tr("Undo"), undo)

    # -- building ---------------------------------------------------------------------------------

    def _build(self, settings_file: SettingsFile) -> None:
        self._outcome = OutcomeLine("permissions_result")
        self.switches = PermissionSwitches(settings_file, self._background)
        self.switches.refused.connect(self._outcome.refuse)
        self.confirm = Confirm("revoke_all_confirm")
        self.rows: FilteredList[GrantLine] = FilteredList(
            "grants",
            self._grant_row,
            lambda line: line.grant.id,
            EmptyWords(NOTHING_YET, NOT_FOUND),
            GrantLine.contains,
            AT_ONCE,
        )
        self.folder_list: RowList[Path] = RowList("open_folders", self._folder_row)
        self.folders_heading = SectionHeading(tr("Folders that are open for reading"))
        self._scroll = ScrollColumn("permissions_scroll")
        body = self._scroll.body
        body.addLayout(self._outcome)
        body.addWidget(self.switches)
        if self.projects is not None:
            self.projects.ended.connect(self._on_project_ended)
            self.projects.failed.connect(self._outcome.refuse)
            body.addWidget(self.projects)
        body.addWidget(SectionHeading(tr("What you allowed")))
        body.addLayout(self._search_row())
        body.addWidget(self.confirm)
        for widget in (self.rows, self.folders_heading, self.folder_list):
            body.addWidget(widget)
        if self.agent_rules is not None:
            self.agent_rules.honoured.connect(self._on_honoured)
            self.agent_rules.withdrawn.connect(self._on_withdrawn)
            self.agent_rules.failed.connect(self._outcome.refuse)
            body.addWidget(self.agent_rules)
        self.wrappers = WrapperList(settings_file, self._background)
        self.wrappers.removed.connect(self._on_wrapper_removed)
        self.wrappers.failed.connect(self._outcome.refuse)
        body.addWidget(self.wrappers)
        body.addStretch(1)
        self.column.addWidget(self._scroll, 1)
        # An empty search box would flash up at each opening.
        for each in (self.search, self.count, self.revoke_all):
            each.hide()  # until it is known what there is
        self.rows.changed.connect(self._on_rows)

    def _search_row(self) -> QVBoxLayout:
        self.search = small(SearchField("grants_search", tr("Search permissions")))
        self.search.searched.connect(self.rows.search)
        self.count = Label("", SMALL_PX, colour="secondary", name="grants_count")
        self.revoke_all = action(
            tr("Revoke all…"), "revoke_all", self._ask_revoke_all, described=tr("Revoke all permissions")
        )
        row = QHBoxLayout()
        row.addWidget(self.count, 1)
        row.addWidget(self.revoke_all)
        both = QVBoxLayout()
        both.addWidget(self.search)
        both.addLayout(row)
        return both

    def _grant_row(self, line: GrantLine) -> QWidget:
        words = words_of(line.grant.in_words())
        described = tr("Revoke: {words}", words=words)
        name = f"revoke_{line.grant.id}"
        revoke = action(tr("Revoke"), name, lambda: self._revoke(line.grant), described=described)
        captions = (about(line), history(line.grant, time.time()))
        return Row("check", "success", words, captions, (revoke,))

    def _folder_row(self, folder: Path) -> QWidget:
        close = action(
            tr("Close"),
            "close_folder",
            lambda: self._close_folder(folder),
            described=tr("Close the folder {folder} to the assistant", folder=folder),
        )
        captions = (tr("The assistant may read here until you close it."),)
        return Row("folder", "secondary", str(folder), captions, (close,))


def _count(found: int, known: int) -> str:
    if not known:
        return ""
    words = plural("{count} permission", "{count} permissions", known)
    return words if found == known else tr("{found} of {words}", found=found, words=words)


class ChatNames:
    """Called with what a grant holds as its chat. Reads the store: not on the main thread."""

    def __init__(self, store: ChatStore) -> None:
        self._store = store

    def __call__(self, chat: str) -> str:
        """A chat's title; "Claude Code, session 1a2b" for an agent's."""
        # Grants of the assistant carry the number of their conversation, those of agents a name and a
        # session.
        if chat.isdecimal():
            return self._title(int(chat))
        name, _, session = chat.partition("/")
        found = agent_named(name)
        return (
            tr("{agent}, session {session}", agent=found.title if found else name, session=session)
            if session
            else chat
        )

    def _title(self, conversation_id: int) -> str:
        try:
            return self._store.get(conversation_id).title
        except KeyError:
            return tr("a chat that was deleted")


_SCOPES = {
    GrantScope.ONCE: tr_noop("once"),
    GrantScope.CHAT: tr_noop("one chat or session"),
    GrantScope.WEEK: tr_noop("7 days in this folder"),
    GrantScope.ALWAYS: tr_noop("always in this folder"),
}


@dataclass(frozen=True)
class GrantLine:
    """A grant and the name of the chat, or of the agent's session, that it is for."""

    grant: Grant
    chat: str = ""

    def contains(self, text: str) -> bool:
        """Whether a search for `text` finds it: every word, anywhere."""
        folder = str(self.grant.covers.folder)
        heap = f"{self.grant.in_words()} {folder} {self.chat}".casefold()
        return all(word in heap for word in text.casefold().split())


def about(line: GrantLine) -> str:
    """Scope, tool, folder, chat."""
    grant = line.grant
    parts = [
        tr("Scope: {scope}", scope=tr(_SCOPES[grant.scope])),
        tr("Tool: {tool}", tool=grant.covers.tool),
        tr("Folder: {folder}", folder=grant.covers.folder),
        line.chat and tr("Chat: {chat}", chat=line.chat),
    ]
    return " · ".join(part for part in parts if part)


def history(grant: Grant, now: float) -> str:
    """When it was granted, how often it was used, and when it ends."""
    if grant.uses:
        times = plural("once", "{count} times", grant.uses)
        used = tr("used {times}, last {moment}", times=times, moment=moment_words(grant.used_at, now))
    else:
        used = tr("not used yet")
    if grant.until is not None:
        ends = date_words(datetime.fromtimestamp(grant.until))
        return tr(
            "Granted {moment} · {used} · ends on {ends}",
            moment=moment_words(grant.granted_at, now),
            used=used,
            ends=ends,
        )
    lapses = date_words(datetime.fromtimestamp(grant.used_at + UNUSED_S))
    return tr(
        "Granted {moment} · {used} · ends on {lapses} unless it is used",
        moment=moment_words(grant.granted_at, now),
        used=used,
        lapses=lapses,
    )
