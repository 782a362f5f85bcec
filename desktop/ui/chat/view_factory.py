"""Makes the widget of a message and lets go of it again; what it asks for comes out as signals here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.chat.sources import AnswerSource
from desktop.chat.store import Message, Role
from desktop.ui.chat.answer import AnswerView
from desktop.ui.chat.message import MessageView, NoticeView, SummaryView
from desktop.ui.chat.question import QuestionView
from desktop.ui.chat.tool_card import FixOffers, ToolCard
from desktop.ui.chat.transcript_items import Item, show_group
from desktop.ui.undo import UndoController

if TYPE_CHECKING:
    from desktop.ui.chat.check_card import CheckJobs

CHECK_TOOL = "make_check_pass"  # as builder/tool.py calls it, which is not loaded for its name


class ViewFactory(QObject):
    """Makes the widgets of one transcript. Main thread only."""

    link_clicked = Signal(str)
    regenerate_wanted = Signal(int)  # the answer; 0: whatever the latest question needs
    continue_wanted = Signal(int)
    edited = Signal(int, str)
    version_wanted = Signal(int, int)
    delete_wanted = Signal(int)
    undo_summary_wanted = Signal(object)  # Summary
    attachment_opened = Signal(object)  # Attached
    source_opened = Signal(object)  # AnswerSource
    extensions_undone = Signal(int, bool)
    example_wanted = Signal(str)
    file_wanted = Signal(str)  # a path as a tool was given it
    folder_wanted = Signal(str)
    read_wanted = Signal(int)  # an answer: aloud, or no more

    def __init__(self, canvas: QWidget, revisable: bool) -> None:
        """`revisable`: messages may be edited and deleted, and have versions."""
        super().__init__(canvas)
        self._canvas = canvas
        self._revisable = revisable
        self.undo_controller: UndoController | None = None
        self.fixes: FixOffers | None = None
        self.jobs: Callable[[], CheckJobs] | None = None
        self.sources: Callable[[Item], tuple[AnswerSource, ...]] = lambda _item: ()  # what an answer drew on
        self.shows_thinking = True
        self.reads_aloud = False
        self.spoken = 0  # the answer that is being read aloud
        self.waiting = ""  # what an answer without a word waits for, or a call that runs
        self.held = False  # nothing that was said may change now

    def make(
        self, item: Item, on_resized: Callable[[], None], on_group_toggled: Callable[[], None]
    ) -> MessageView:
        """The widget of an item, with what the item remembers of an earlier one."""
        view = item.view = view_of(item.message, self._canvas)
        if self._revisable:
            view.set_revisable()
        view.link_clicked.connect(self.link_clicked)
        view.regenerate_wanted.connect(self.regenerate_wanted)
        view.continue_wanted.connect(self.continue_wanted)
        view.edited.connect(self.edited)
        view.version_wanted.connect(self.version_wanted)
        view.delete_wanted.connect(self.delete_wanted)
        view.resized.connect(on_resized)
        view.attachment_opened.connect(self.attachment_opened)
        view.source_opened.connect(self.source_opened)
        view.extensions_undone.connect(self.extensions_undone)
        view.example_wanted.connect(self.example_wanted)
        if isinstance(view, AnswerView):
            view.set_waiting(self.waiting)
            view.set_shows_thinking(self.shows_thinking)
            view.read_wanted.connect(self.read_wanted)
            view.set_reads_aloud(self.reads_aloud, item.message.id == self.spoken)
            view.follow_sources(lambda: self.sources(item))
            view.show_failure(item.failure)
        elif isinstance(view, ToolCard):
            view.set_waiting(self.waiting)
            view.group_toggled.connect(on_group_toggled)
            view.file_wanted.connect(self.file_wanted)
            view.folder_wanted.connect(self.folder_wanted)
            if self.undo_controller is not None:
                view.use(self.undo_controller)
            if self.fixes is not None:
                view.use_fixes(self.fixes)
            # Most conversations have no such card: then nothing of it is loaded.
            if (
                self.jobs is not None
                and item.message.tool is not None
                and item.message.tool.name == CHECK_TOOL
            ):
                view.use_jobs(self.jobs())
        elif isinstance(view, SummaryView):
            view.undo_summary_wanted.connect(self.undo_summary_wanted)
        elif isinstance(view, QuestionView) and item.draft is not None:
            view.start_editing(item.draft)
        # After all else, because the parts that were just made know nothing of an answer under way.
        view.hold(self.held)
        view.show_versions(*item.version)
        show_group(item)
        return view

    def release(self, item: Item) -> None:
        """Let the widget go; what was being written in it is kept."""
        if item.view is None:
            return
        item.draft = item.view.draft if isinstance(item.view, QuestionView) else None
        item.view.hide()
        # Not at once: what was pressed in it may still be returning from its signal.
        item.view.deleteLater()
        item.view = None


def view_of(message: Message, parent: QWidget) -> MessageView:
    """The widget for a message of whichever role."""
    kinds: dict[Role, Callable[[Message, QWidget], MessageView]] = {
        Role.USER: QuestionView,
        Role.ASSISTANT: AnswerView,
        Role.NOTICE: NoticeView if message.summary is None else SummaryView,
        Role.TOOL: ToolCard,
    }
    return kinds[message.role](message, parent)
