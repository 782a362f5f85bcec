"""The Memory page: all that is remembered, found as an answer finds it, and every way to change that.

A line of it offers to find by meaning too, shows the download, and switches it off again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from desktop.errors import Cancelled
from desktop.memory.events import MemoryChanged, MemoryForgotten, NotesSuggested
from desktop.memory.hindsight.fixes import PROMOTED_FROM, Fix, said
from desktop.memory.hindsight.hindsight import Hindsight
from desktop.memory.housekeeping import Housekeeping, PinnedProfile
from desktop.memory.item import Item, Layer
from desktop.memory.vectors.ranker import BetterSearch, BetterState
from desktop.models.progress import DownloadControl, DownloadPhase, DownloadProgress
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.ui import theme
from desktop.ui.language import date_words, plural, size_text, tr, tr_noop, words_of
from desktop.ui.memory.actions import MemoryActions
from desktop.ui.memory.list import (
    Details,
    ItemList,
    ItemModel,
    Part,
    Tab,
    TabQuery,
    count_words,
    first_filled,
    layer_words,
    read,
)
from desktop.ui.pages.page import Page
from desktop.ui.permission.visible import plain_tip
from desktop.ui.save_dialog import ask_where
from desktop.ui.theme import CAPTION_PX
from desktop.ui.widgets.buttons import ActionRow, action, button, small
from desktop.ui.widgets.cards import Confirm, Notice, OutcomeLine, Row
from desktop.ui.widgets.details import ListWithDetails
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import AROUND, EDGE, ScrollColumn, from_its_side, named, order_tabs, sized
from desktop.ui.widgets.lists import EmptyState, EmptyWords, FilteredList, SearchField

BAR_PX = 120
LOOK_MS = 5000  # while memories are still being read
_OVER = (DownloadPhase.DONE, DownloadPhase.FAILED, DownloadPhase.CANCELLED)


class MeaningLine(QWidget):
    """Words, a bar while the model arrives, one button. Main thread only."""

    def __init__(
        self,
        better: BetterSearch,
        relay: Relay,
        background: Background,
        failed: Callable[[Exception], None],
    ) -> None:
        """`failed` takes the error of a download that ended."""
        super().__init__()
        self._better = better
        self._background = background
        self._failed = failed
        self._control: DownloadControl | None = None
        self._state = BetterState(is_on=False, is_fetched=False)
        self.setObjectName("memory_meaning")
        self.words = Label("", CAPTION_PX, colour="secondary", name="memory_meaning_words")
        self.bar = QProgressBar()
        self.bar.setObjectName("memory_meaning_bar")
        self.bar.setTextVisible(False)
        self.bar.hide()
        self.button = button("", "memory_meaning_button", self._on_clicked)
        small(self.button)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.words, 1)
        self._row.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self.button)
        self._timer = QTimer(self, singleShot=True, interval=LOOK_MS)
        self._timer.timeout.connect(self.read)
        relay.listen(DownloadProgress, self._on_progress)
        sized(self.bar, width=BAR_PX)
        theme.space(self._row, 10)

    def read(self) -> None:
        """Look how it stands."""
        self._background.run(self._better.state, done=self._on_state, failed=self._failed)

    # -- inside -----------------------------------------------------------------------------------

    def _on_state(self, state: BetterState) -> None:
        self._state = state
        self._show()
        # Reading goes on out of sight, and nothing ticks meanwhile.
        if state.waiting and self.isVisible():
            self._timer.start()

    def _show(self) -> None:
        loading = self._control is not None
        self.bar.setVisible(loading)
        if loading:
            self._label(tr("Cancel"), tr("Cancel the download"))
            return
        state = self._state
        if not state.is_on:
            self.words.setText(tr("Found by words, dates and parts of words."))
            size = size_text(self._better.download_bytes)
            words = tr("Better search") if state.is_fetched else tr("Better search ({size})…", size=size)
            self._label(words, tr("Find by meaning too, with a small model of its own"))
            return
        words = tr("Found by words and by meaning.")
        if state.waiting:
            more = plural(
                "{count:,} memory is still to be read, when nothing else is to do.",
                "{count:,} memories are still to be read, when there is nothing else to do.",
                state.waiting,
            )
            words = f"{words} {more}"
        self.words.setText(words)
        self._label(tr("Words only"), tr("Find by words only"))

    def _label(self, words: str, described: str) -> None:
        self.button.setText(words)
        self.button.setAccessibleName(words.rstrip("…"))
        self.button.setAccessibleDescription(described)
        self.button.setToolTip(plain_tip(described))

    def _on_clicked(self) -> None:
        if self._control is not None:
            self._control.cancel()
        elif self._state.is_on:
            self._background.run(self._better.switch_off, done=lambda _none: self.read(), failed=self._failed)
        else:
            self._begin()

    def _begin(self) -> None:
        self._control = DownloadControl()
        self.words.setText(tr("Fetching the model…"))
        self._show()
        self._background.run(self._fetch, self._control, done=self._on_over, failed=self._on_failed)

    def _fetch(self, control: DownloadControl) -> None:
        """On the pool; a cancelled download is no error."""
        try:
            self._better.switch_on(control)
        except Cancelled:
            return

    def _on_progress(self, event: DownloadProgress) -> None:
        # Downloads of other models are announced by the same event.
        if event.model_id != self._better.model_id or event.phase in _OVER or self._control is None:
            return
        # Without a total the bar only moves: Qt's sign for that is an empty range.
        self.bar.setRange(0, 100 if event.bytes_total else 0)
        if event.bytes_total:
            self.bar.setValue(event.bytes_done * 100 // event.bytes_total)
        done = size_text(event.bytes_done)
        words = tr("{phase}: {done}", phase=words_of(event.phase.reason), done=done)
        self.words.setText(words)
        self.bar.setAccessibleName(words)

    def _on_over(self, _none: object) -> None:
        self._control = None
        self.read()

    def _on_failed(self, error: Exception) -> None:
        self._control = None
        self.read()
        self._failed(error)


SEARCH_AFTER_MS = 200
LOW_PX = 500
IN_LINE = (AROUND, 0, EDGE, 0)  # with what scrolls, as the fixes and the question do


class MemoryPage(Page):
    """Reads pages of memories on the pool, also after what others changed. Main thread only."""

    title = tr_noop("Memory")
    icon = "memory"
    pause_wanted = Signal(bool)

    def __init__(
        self,
        keeping: Housekeeping,
        relay: Relay,
        background: Background,
        paused: Callable[[], bool] = lambda: False,
        shared: Callable[[], bool] = lambda: False,
        better: BetterSearch | None = None,
    ) -> None:
        """`paused` tells whether anything is kept at all now, `shared` whether there are layers beyond this
        computer; `better` finds by meaning too.
        """
        super().__init__(tr("What Steward remembers, all of it on this computer."))
        self._memory = keeping.memory
        self._background = background
        self._keeping = keeping
        self._paused = paused
        self._reading = Latest(background)
        self._chosen: int | None = None
        self._tab_was_chosen = False
        self.model = ItemModel()
        self.acts = MemoryActions(keeping, background, self, shared)
        self.meaning = MeaningLine(better, relay, background, self.fail) if better is not None else None
        self._build(shared)
        self.follow(relay, MemoryChanged, MemoryForgotten, NotesSuggested, read=self.read_again)
        self._on_tab(0)
        # What _on_tab noted was this line's own doing, not the user's.
        self._tab_was_chosen = False

    # -- what the parts of the page call ----------------------------------------------------------

    @property
    def tab(self) -> Tab:
        """The one in sight."""
        return tuple(Tab)[self.tabs.currentIndex()]

    def show_tab(self, tab: Tab) -> None:
        """Show this tab, for whoever sends the user here."""
        self._tab_was_chosen = True
        self.tabs.setCurrentIndex(tuple(Tab).index(tab))

    def shown(self) -> None:
        self.show_pause()
        if self._tab_was_chosen:
            self.read_again()
        else:
            # A page that opens on an empty tab would look as if nothing were remembered at all.
            self._background.run(first_filled, self._memory, done=self._open_on, failed=self.fail)
        if self.meaning is not None:
            self.meaning.read()

    def show_pause(self) -> None:
        """Say whether memory pauses now."""
        paused = self._paused()
        pressed, opposite = self.pause, self.paused_bar.button
        if not paused:
            pressed, opposite = opposite, pressed
        had_focus = pressed.hasFocus()
        self.paused_bar.setVisible(paused)
        self.pause.setVisible(not paused)
        # The button that had the keyboard is gone; its opposite takes its place.
        if had_focus:
            opposite.setFocus(Qt.FocusReason.OtherFocusReason)

    def read_again(self, chosen: int | None = None) -> None:
        """Read what is in sight; `chosen` is the memory to stand on afterwards."""
        # By its number, because rows move while others write notes.
        self._chosen = chosen if chosen is not None else self._current_id()
        if self.tab is Tab.LEARNED:
            self.learned.read()
        self._reading.run(
            read, self._memory, self._keeping, self._wanted(), done=self._on_read, failed=self.fail
        )

    def ask(self, words: str, yes: str, no: str, act: Callable[[], None]) -> None:
        """A question in the place of the list, which has room for a long text."""

        def agreed() -> None:
            self._show_stack()
            act()

        # All of a text that may be shared has to be readable before the yes, and it may be long.
        self._stack.setCurrentWidget(self._question)
        self.confirm.ask(words, yes, no, agreed, self._show_stack)

    def take_away(self, ids: tuple[int, ...]) -> None:
        """Rows whose memories are being forgotten."""
        # The row that takes its place is chosen, so that several can be forgotten one after another.
        row = self.list.currentIndex().row()
        self.model.remove(ids)
        if self.model.rowCount():
            self.list.setCurrentIndex(self.model.index(min(max(row, 0), self.model.rowCount() - 1), 0))

    def fail(self, error: Exception) -> None:
        """Why something was refused, in its place."""
        self._outcome.refuse(error)

    def say(self, words: str) -> None:
        """What was done, where it stays in sight."""
        self._outcome.say(words, "check", "success")

    # -- reading ----------------------------------------------------------------------------------

    def _open_on(self, tab: Tab) -> None:
        """The first time the page opens where something stands, unless a tab was chosen meanwhile."""
        if not self._tab_was_chosen:
            self.show_tab(tab)
        self.read_again()

    def _wanted(self) -> TabQuery:
        tab = Tab.PINNED if self.tab is Tab.LEARNED else self.tab
        return TabQuery(tab, self.search.text())

    def _current_id(self) -> int | None:
        shown = self.model.at(self.list.currentIndex())
        return shown.item.id if shown is not None else None

    def _on_read(self, part: Part) -> None:
        self._show_waiting(part.waiting)
        if part.profile is not None:
            self.meter.show_profile(part.profile)
        # An answer that ends while somebody edits a note reads the page again.
        if self.tab is Tab.LEARNED or (self.details.is_editing and self._chosen == self._current_id()):
            return  # nobody's half-written words are taken away
        self.model.show(part.rows, part.has_more)
        self._stand_on(self._chosen)
        self._show_count()

    def _read_more(self) -> None:
        last = self.model.rows[-1].item.id
        self._reading.more(
            read, self._memory, self._keeping, self._wanted(), last, done=self._on_more, failed=self.fail
        )

    def _on_more(self, part: Part) -> None:
        self.model.append(part.rows, part.has_more)
        self._show_count()

    def _stand_on(self, item_id: int | None) -> None:
        row = self.model.row_of(item_id) if item_id is not None else -1
        if row >= 0:
            self.list.setCurrentIndex(self.model.index(row, 0))
        self._on_current(self.list.currentIndex())

    def _show_count(self) -> None:
        count = self.model.rowCount()
        more = self.model.canFetchMore(QModelIndex())
        words = count_words(count)
        self.count.setText(tr("The newest {memories}", memories=words) if more else words)
        searched = bool(self.search.text().strip())
        self.empty.show_text(
            "" if count else tr("Nothing matches. Try other words.") if searched else self.tab.nothing_yet
        )
        self.splitter.setVisible(bool(count))
        self._body_rest.setVisible(not count)

    def _show_fixes(self) -> None:
        if self.tab is Tab.LEARNED:
            self.count.setText(plural("{count} fix", "{count} fixes", self.learned.count))

    def _show_waiting(self, count: int) -> None:
        title = Tab.SUGGESTIONS.title
        self.tabs.setTabText(2, tr("{title} ({count})", title=title, count=count) if count else title)

    # -- what is chosen ---------------------------------------------------------------------------

    def _on_tab(self, _index: int) -> None:
        self._tab_was_chosen = True
        self._show_stack()
        self.meter.setVisible(self.tab is Tab.PINNED)
        self._show_extras()
        hint = tr("Search: {title}", title=self.tab.title)
        self.search.setPlaceholderText(from_its_side(self.search, hint))
        self.list.setAccessibleName(tr("{title}: memories", title=self.tab.title))
        self.confirm.hide()
        self.details.show_item(None)
        # The rows of the other tab would stand under this one's name until the store has answered.
        self.model.show((), False)
        self.learned.search(self.search.text())
        if self.isVisible():
            self.read_again()

    def _show_extras(self) -> None:
        """What a low window has no room for."""
        low = self.height() < theme.px(LOW_PX)
        self.says.setVisible(not low)
        if self.meaning is not None:
            self.meaning.setVisible(not low and self.tab in (Tab.NOTES, Tab.EPISODES))

    def _show_stack(self) -> None:
        self._stack.setCurrentWidget(self.learned if self.tab is Tab.LEARNED else self._items)

    def _on_search(self) -> None:
        if self.tab is Tab.LEARNED:
            self.learned.search(self.search.text())
        else:
            self.read_again()

    def _on_current(self, current: QModelIndex) -> None:
        shown = self.model.at(current)
        item = shown.item if shown is not None else None
        if item != self.details.item or not self.details.is_editing:
            self.details.show_item(item)

    def _forget_current(self) -> None:
        item = self._current()
        if item is not None:
            self.acts.forget(item)

    def _current(self) -> Item | None:
        shown = self.model.at(self.list.currentIndex())
        return shown.item if shown is not None else None

    def _choose_file(self) -> None:
        kinds = (tr("Markdown (*.md)"),)
        title = tr("Export what is remembered")
        self.dialog = ask_where(self, title, "steward-memory.md", kinds, self.acts.export)

    # -- building ---------------------------------------------------------------------------------

    def _build(self, shared: Callable[[], bool]) -> None:
        says = tr("Memory is paused: nothing new is kept, and nothing is put into answers.")
        resume = action(tr("Resume"), "memory_resume", described=tr("Remember again"))
        self.paused_bar = Notice("memory_paused", says, resume)
        self.paused_bar.acted.connect(lambda: self.pause_wanted.emit(False))
        self.tabs = self._make_tabs()
        self.search = SearchField("memory_search", tr("Search what is remembered"), after_ms=SEARCH_AFTER_MS)
        self.search.searched.connect(lambda _text: self._on_search())
        self.meter = ProfileMeter()
        self.confirm = Confirm("memory_confirm")
        self.empty = EmptyState("memory_empty")
        self.learned = LearnedList(
            self._memory.hindsight,
            self._background,
            self.fail,
            self.toast.offer,
            self.ask,
            self._show_fixes,
        )
        self._items = self._make_items(shared)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._items)
        self._stack.addWidget(self.learned)
        self._question = ScrollColumn("memory_question")
        self._question.body.addWidget(self.confirm)
        self._question.body.addStretch(1)
        self._stack.addWidget(self._question)
        self._outcome = OutcomeLine("memory_result")
        above, below = (theme.space(QVBoxLayout(), 8, IN_LINE) for _ in range(2))
        for widget in (self.paused_bar, self.tabs, self.search, self.meaning, self.meter):
            if widget is not None:
                above.addWidget(widget)
        below.addLayout(self._outcome)
        below.addLayout(self._lower_row())
        body = theme.space(QVBoxLayout(), 8)
        body.addLayout(above)
        body.addWidget(self._stack, 1)
        body.addLayout(below)
        self.column.addLayout(body, 1)
        self.tabs.currentChanged.connect(self._on_tab)
        self._add_shortcut()

    def _make_tabs(self) -> QTabBar:
        tabs = named(QTabBar(), "memory_tabs", tr("Kinds of memories"))
        tabs.setExpanding(False)
        tabs.setDrawBase(False)
        # Large letters in a narrow window: scrolled tabs can be reached, cut ones cannot be read.
        tabs.setUsesScrollButtons(True)
        tabs.setElideMode(Qt.TextElideMode.ElideNone)
        tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for tab in Tab:
            tabs.addTab(tab.title)
        return tabs

    def _make_items(self, shared: Callable[[], bool]) -> QWidget:
        self.list = ItemList(self.model)
        self.list.forget_pressed.connect(self._forget_current)
        self.list.selectionModel().currentChanged.connect(lambda current, _old: self._on_current(current))
        self.model.more_wanted.connect(self._read_more)
        self.details = self._make_details(shared)
        self.list.activated.connect(lambda _index: self.details.edit())
        self.splitter = ListWithDetails("memory", self.list, self.details)
        self.splitter.setSizes([300, 200])
        self._body_rest = QWidget()
        made = QWidget()
        column = theme.space(QVBoxLayout(made), 8, IN_LINE)
        column.addWidget(self.empty)
        column.addWidget(self.splitter, 1)
        column.addWidget(self._body_rest, 1)
        self.splitter.hide()
        return made

    def _make_details(self, shared: Callable[[], bool]) -> Details:
        details = Details(shared)
        details.saved.connect(self.acts.save)
        details.forget_wanted.connect(self.acts.forget)
        details.pin_wanted.connect(self.acts.pin)
        details.promote_wanted.connect(self.acts.promote)
        details.accept_wanted.connect(self.acts.accept)
        details.decline_wanted.connect(self.acts.decline)
        return details

    def _lower_row(self) -> QHBoxLayout:
        self.count = Label("", CAPTION_PX, colour="secondary", name="memory_count")
        self.pause = action(
            tr("Pause"),
            "memory_pause",
            lambda: self.pause_wanted.emit(True),
            described=tr("Keep nothing new for now"),
        )
        self.export_button = action(
            tr("Export…"), "memory_export", self._choose_file, described=tr("Export as Markdown")
        )
        self.delete = action(tr("Delete everything…"), "memory_delete_all", self.acts.ask_delete_everything)
        row = QHBoxLayout()
        row.addWidget(self.count, 1)
        row.addLayout(ActionRow(self.pause, self.export_button, self.delete))
        return row

    def _add_shortcut(self) -> None:
        action = QAction(self)
        action.setObjectName("memory_key_search")
        action.setShortcut(QKeySequence(QKeySequence.StandardKey.Find))
        # Other pages of the same window have a search of their own.
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(
            lambda _checked=False: self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        )
        self.addAction(action)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_extras()


class ProfileMeter(QWidget):
    """A bar and its words. Main thread only."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("memory_meter")
        self.bar = QProgressBar()
        self.bar.setObjectName("memory_meter_bar")
        self.bar.setTextVisible(False)
        self.words = Label("", CAPTION_PX, colour="secondary", name="memory_meter_words")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self.words, 1)
        sized(self.bar, width=BAR_PX)
        theme.space(self._row, 10)

    def show_profile(self, profile: PinnedProfile) -> None:
        """Show what is used of the budget, and how many memories do not fit."""
        self.bar.setRange(0, profile.budget)
        # Qt shows nothing at all for a value beyond the range.
        self.bar.setValue(min(profile.tokens, profile.budget))
        words = tr("{used} of {budget} tokens pinned", used=profile.tokens, budget=profile.budget)
        left = len(profile.left_out)
        if left:
            more = plural(
                "{count} does not fit and is left out. Shorten or unpin one.",
                "{count} do not fit and are left out. Shorten or unpin some.",
                left,
            )
            words = f"{words}. {more}"
        self.words.set_colour("warning" if left else "secondary")
        self.words.setText(words)
        self.bar.setAccessibleName(words)


# -- what I learned ----------------------------------------------------------------------------

# What I learned: which fix worked for which failure, and what may be done about it.

NOTHING_YET = tr_noop(
    "Nothing learned yet. When a tool or command fails and another try at the same thing works, what "
    "helped is kept here and offered the next time."
)
NOT_FOUND = tr_noop("No fix matches the search.")


@dataclass(frozen=True)
class Learned:
    """A fix and the words of its row."""

    fix: Fix

    @property
    def title(self) -> str:
        return f"{said(self.fix.before)} → {said(self.fix.after)}"

    @property
    def problem(self) -> str:
        return tr("{tool}: {message}", tool=self.fix.tool, message=self.fix.message)

    @property
    def record(self) -> str:
        """How often it worked, when last, and where it is offered."""
        fix = self.fix
        worked = plural(
            "Worked {successes} of {count} time",
            "Worked {successes} of {count} times",
            fix.applications,
            successes=fix.successes,
        )
        parts = [
            worked,
            tr("last {day}", day=date_words(datetime.fromtimestamp(fix.last_at))),
            layer_words(fix.layer, fix.scope),
        ]
        return " · ".join([*parts, *([tr("never offered")] if fix.forbidden else [])])

    def contains(self, text: str) -> bool:
        wanted = text.casefold().split()
        whole = f"{self.title} {self.problem}".casefold()
        return all(word in whole for word in wanted)


class LearnedList(QWidget):
    """Reads all fixes on the pool; shows fifty at once. Main thread only."""

    def __init__(
        self,
        hindsight: Hindsight,
        background: Background,
        failed: Callable[[Exception], None],
        said_so: Callable[[str], None],
        ask: Callable[[str, str, str, Callable[[], None]], None],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`failed` takes what was refused, `said_so` what was done, in words; `ask` puts a question with its
        yes and its no.
        """
        super().__init__()
        self._hindsight = hindsight
        self._background = background
        self._failed = failed
        self._said_so = said_so
        self._ask = ask
        self._reading = Latest(background)
        self.setObjectName("memory_learned")
        self.rows: FilteredList[Learned] = FilteredList(
            "memory_fixes",
            self._row,
            lambda learned: learned.fix.id,
            EmptyWords(NOTHING_YET, NOT_FOUND),
            Learned.contains,
        )
        self.rows.changed.connect(lambda: order_tabs(self.rows.stops))
        self.rows.changed.connect(changed)
        scroll = ScrollColumn("memory_fixes_scroll")
        scroll.body.addWidget(self.rows)
        scroll.body.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scroll, 1)

    @property
    def count(self) -> int:
        return self.rows.known

    def read(self) -> None:
        """Read the fixes again."""
        self._reading.run(
            self._hindsight.fixes,
            done=lambda fixes: self.rows.show_values([Learned(fix) for fix in fixes]),
            failed=self._failed,
        )

    def search(self, text: str) -> None:
        """Show those in which all words of `text` stand."""
        self.rows.search(text)

    # -- inside -----------------------------------------------------------------------------------

    def _row(self, learned: Learned) -> Row:
        fix = learned.fix
        stop = action(
            tr("Offer again") if fix.forbidden else tr("Never offer"),
            f"memory_fix_forbid_{fix.id}",
            lambda: self._forbid(fix),
        )
        forget = action(
            tr("Forget"),
            f"memory_fix_forget_{fix.id}",
            lambda: self._forget(fix),
            described=tr("Forget this fix"),
        )
        buttons = [stop, forget]
        # What counts everywhere already has nowhere to go.
        if fix.layer is Layer.PROJECT and not fix.forbidden:
            buttons.insert(0, self._promote_button(fix))
        icon = "denied" if fix.forbidden else "check" if fix.may_be_promoted else "again"
        ink = "secondary" if fix.forbidden or not fix.may_be_promoted else "success"
        return Row(icon, ink, learned.title, (learned.problem, learned.record), buttons)

    def _promote_button(self, fix: Fix) -> QPushButton:
        made = action(
            tr("Promote…"),
            f"memory_fix_promote_{fix.id}",
            lambda: self._ask_promote(fix),
            described=tr("Offer it everywhere"),
        )
        # Shown and grey with its reason rather than hidden: one learns what it takes.
        made.setEnabled(fix.may_be_promoted)
        if not fix.may_be_promoted:
            made.setToolTip(tr("It first has to work {count} times, and nearly always.", count=PROMOTED_FROM))
        return made

    def _ask_promote(self, fix: Fix) -> None:
        self._background.run(
            # Asked of the store, which leaves out paths and names before a fix leaves its project.
            self._hindsight.preview,
            fix.id,
            done=lambda text: self._on_preview(fix, text),
            failed=self._failed,
        )

    def _on_preview(self, fix: Fix, text: str) -> None:
        self._ask(
            tr("Offer this fix everywhere? This is what is kept of it:\n{text}", text=text),
            tr("Offer everywhere"),
            tr("Keep in the project"),
            lambda: self._do(self._hindsight.promote, fix.id, Layer.USER, says=tr("Offered everywhere now.")),
        )

    def _forbid(self, fix: Fix) -> None:
        says = tr("Offered again.") if fix.forbidden else tr("Never offered again.")
        self._do(self._hindsight.forbid, fix.id, not fix.forbidden, says=says)

    def _forget(self, fix: Fix) -> None:
        self._ask(
            tr("Forget what helped here? It is learned again only when it happens again."),
            tr("Forget"),
            tr("Keep"),
            lambda: self._do(self._hindsight.forget, fix.id, says=tr("Forgotten.")),
        )

    def _do(self, fn: Callable[..., object], *values: object, says: str) -> None:
        def done(_result: object) -> None:
            self.read()
            self._said_so(says)

        self._background.run(fn, *values, done=done, failed=self._failed)
