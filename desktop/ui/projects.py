"""The Projects page: a folder, instructions, a model and chats under one name; making, changing, deleting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from desktop.chat.events import ConversationsChanged
from desktop.chat.projects import LONGEST_NAME, TOLD_TOKENS, ChatProject, ChatProjects, ChatProjectsChanged
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.ui import theme
from desktop.ui.language import plural, tr, tr_noop
from desktop.ui.pages.page import Page
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import ActionRow, ComboBox, action
from desktop.ui.widgets.cards import EntryForm, EscapeFrame, FormPlace, OutcomeLine, Row, line_field
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import ScrollColumn, named, order_tabs, sized
from desktop.ui.widgets.lists import EmptyWords, SearchedList

SAYS = tr_noop(
    "A folder, instructions, a memory, a model and chats under one name. In a chat of a project the "
    "assistant works in its folder, and what you allow there holds there."
)
NONE_YET = tr_noop("There are no projects. Add one, then start a chat in it or move one there.")
NOT_FOUND = tr_noop("No project matches the search.")
INSTRUCTIONS_PX = 96


@dataclass(frozen=True)
class ProjectActs:
    """What the page asks for and does, on the pool. `models` are ids and names of those that are installed,
    `allowed` how many permissions hold in each folder that has any."""

    projects: Callable[[], ChatProjects]
    delete_chat: Callable[[int], None]
    models: Callable[[], Sequence[tuple[str, str]]]
    allowed: Callable[[], Mapping[str, int]]


@dataclass(frozen=True)
class _Line:
    """A project as its row shows it; equal values keep their row."""

    project: ChatProject
    chats: int
    allowed: int
    model: str  # its name; "" for that of the settings
    is_gone: bool  # the model or the folder


class ProjectsPage(Page):
    """Main thread only; projects are read and changed on the pool."""

    title = tr_noop("Projects")
    icon = "folder"
    chat_requested = Signal(int, str)  # a new one, in the project with this id and name

    def __init__(self, acts: ProjectActs, relay: Relay, background: Background) -> None:
        super().__init__(tr(SAYS))
        self._acts = acts
        self._background = background
        self._reading = Latest(background)
        self._build()
        self.follow(relay, ChatProjectsChanged, ConversationsChanged)

    def shown(self) -> None:
        self._reading.run(self._read, done=self._show, failed=self.outcome.refuse)

    def _read(self) -> tuple[_Line, ...]:
        projects, names = self._acts.projects(), dict(self._acts.models())
        # Each is read once for all of them: asked for one by one, many projects took many reads.
        chats, allowed = projects.chat_counts(), self._acts.allowed()
        return tuple(
            _Line(
                each,
                chats.get(each.id, 0),
                allowed.get(each.folder, 0) if each.folder else 0,
                names.get(each.model, each.model),
                bool(each.model and each.model not in names)
                or bool(each.folder and not Path(each.folder).is_dir()),
            )
            for each in projects.all()
        )

    def _show(self, lines: tuple[_Line, ...]) -> None:
        self.found.show_values(lines)

    # -- doing ------------------------------------------------------------------------------------

    def _run(self, act: Callable[..., object], *given: Any, then: Callable[[], None] = lambda: None) -> None:
        clear = self.outcome.clearing()

        def done(_result: object) -> None:
            clear()
            then()
            self.shown()

        self._background.run(act, *given, done=done, failed=self.outcome.refuse)

    def _open_form(self, project: ChatProject | None = None) -> None:
        # The models are looked up on the pool: their list is a file.
        self._background.run(
            self._acts.models, done=partial(self._show_form, project), failed=self.outcome.refuse
        )

    def _show_form(self, project: ChatProject | None, models: Sequence[tuple[str, str]]) -> None:
        form = ProjectForm(project or ChatProject(""), models)
        form.saved.connect(self._save)
        self.form_place.open(form, form.name)
        self._scroll.reveal(form)

    def _save(self, project: ChatProject) -> None:
        self._run(lambda: self._acts.projects().save(project), then=self.form_place.close)

    def _ask_deletion(self, line: _Line) -> None:
        self.question.ask(line.project, line.chats)
        self._scroll.reveal(self.question)

    def _delete(self, project: ChatProject, with_chats: bool) -> None:
        def act() -> None:
            projects = self._acts.projects()
            for each in projects.chats(project.id) if with_chats else ():
                self._acts.delete_chat(each)
            projects.delete(project.id)

        def tell() -> None:
            name = project.name
            if with_chats:
                said = tr("The project {name} and its chats were deleted. Its files stay.", name=name)
            else:
                said = tr("The project {name} was deleted. Its chats and files stay.", name=name)
            self.toast.offer(said)

        self._run(act, then=tell)

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        self.outcome = OutcomeLine("projects_result")
        self.found: SearchedList[_Line] = SearchedList(
            "projects",
            self._row,
            lambda line: line.project.id,
            lambda line: " ".join((line.project.name, *_captions(line))),
            EmptyWords(NONE_YET, NOT_FOUND),
            tr("Search projects"),
        )
        self.found.rows.changed.connect(self._order_tabs)
        self.question = DeleteQuestion()
        self.question.answered.connect(self._delete)
        self.add = action(tr("Add a project"), "project_add", self._open_form)
        self.form_place: FormPlace[ProjectForm] = FormPlace(self.add)
        self._scroll = ScrollColumn("projects_scroll")
        body = self._scroll.body
        body.addLayout(self.outcome)
        for widget in (self.question, self.found):
            body.addWidget(widget)
        body.addLayout(self.form_place)
        body.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeading)
        body.addStretch(1)
        self.column.addWidget(self._scroll, 1)

    def _order_tabs(self) -> None:
        question = (self.question.no, self.question.keep, self.question.gone)
        order_tabs((*question, *self.found.stops, self.add))

    def _row(self, line: _Line) -> QWidget:
        project = line.project

        def act(label: str, name: str, run: Callable[[], object]) -> QPushButton:
            described = f"{label.rstrip('…')}: {project.name}"
            return action(label, f"project_{name}_{project.id}", run, described=described)

        buttons = (
            act(tr("New chat"), "chat", partial(self.chat_requested.emit, project.id, project.name)),
            act(tr("Edit"), "edit", partial(self._open_form, project)),
            act(tr("Delete…"), "delete", partial(self._ask_deletion, line)),
        )
        ink = "warning" if line.is_gone else "secondary"
        return Row("folder", ink, project.name, _captions(line), buttons)


def _captions(line: _Line) -> tuple[str, ...]:
    project = line.project
    counted = plural("{count} chat", "{count} chats", line.chats)
    if line.allowed:
        allowed = plural("{count} permission", "{count} permissions", line.allowed)
        counted = tr("{chats} · {allowed}", chats=counted, allowed=allowed)
    if line.model:
        counted = tr("{rest} · model {name}", rest=counted, name=line.model)
    words = [project.folder or tr("No folder: the assistant works in its own."), counted]
    if line.is_gone:
        words.append(tr("Its folder or its model is missing."))
    if project.instructions:
        words.append(" ".join(project.instructions.split()))
    return tuple(words)


class DeleteQuestion(EscapeFrame):
    """What becomes of the chats. Hidden until `ask`; Esc and the first button change nothing."""

    answered = Signal(ChatProject, bool)  # whether the chats go too

    def __init__(self) -> None:
        super().__init__()
        self._project = ChatProject("")
        self.setObjectName("project_question")
        self.setProperty("confirm", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.words = Label("", SMALL_PX, name="project_question_words")
        self.no = action(tr("Keep the project"), "project_question_no", self.on_escape)
        self.keep = action(tr("Keep the chats"), "project_question_keep", partial(self._answer, False))
        self.gone = action(tr("Delete the chats too"), "project_question_gone", partial(self._answer, True))
        self.gone.setProperty("danger", True)
        column = theme.space(QVBoxLayout(self), 8, (12, 10, 12, 10))
        column.addWidget(self.words)
        column.addLayout(ActionRow(self.no, self.keep, self.gone))
        self.hide()

    def ask(self, project: ChatProject, chats: int) -> None:
        self._project = project
        words = plural(
            "Delete the project {name}? That cannot be undone. What becomes of its {count} chat? The files "
            "of its folder stay.",
            "Delete the project {name}? That cannot be undone. What becomes of its {count} chats? The files "
            "of its folder stay.",
            chats,
            name=project.name,
        )
        self.words.setText(words)
        self.setAccessibleName(words)
        self.show()
        self.no.setFocus(Qt.FocusReason.OtherFocusReason)

    def on_escape(self) -> None:
        self.hide()

    def _answer(self, with_chats: bool) -> None:
        self.hide()
        self.answered.emit(self._project, with_chats)


class ProjectForm(EntryForm):
    """`saved` comes with the `ChatProject` as it was written. Main thread only."""

    def __init__(self, project: ChatProject, models: Sequence[tuple[str, str]]) -> None:
        super().__init__("project_form")
        self._project = project
        self.name = line_field("project_name", tr("Name"), tr("Name of the project"))
        self.name.setMaxLength(LONGEST_NAME)
        self.folder = line_field("project_folder", tr("Folder"), tr("Folder, such as ~/letters; optional"))
        self.instructions = named(QPlainTextEdit(), "project_instructions", tr("Instructions"))
        self.instructions.setPlaceholderText(
            tr("Instructions that every chat in it begins with; at most {count} tokens", count=TOLD_TOKENS)
        )
        self.instructions.setTabChangesFocus(True)
        sized(self.instructions, height=INSTRUCTIONS_PX)
        self.model = ComboBox("project_model", tr("Model"))
        self.model.addItem(tr("The model in the settings"), "")
        for model_id, name in models:
            self.model.addItem(name, model_id)
        self.save = action(tr("Save"), "project_save", self._on_save, described=tr("Save the project"))
        self.leave = action(
            tr("Cancel"), "project_leave", self.left.emit, described=tr("Leave the project as it is")
        )
        column = theme.space(QVBoxLayout(self), 8)
        for widget in (self.name, self.folder, self.instructions, self.model):
            widget.setFont(theme.font(SMALL_PX))
            column.addWidget(widget)
        column.addLayout(ActionRow(self.save, self.leave))
        for field in (self.name, self.folder):
            field.returnPressed.connect(self._on_save)
        self.name.textChanged.connect(lambda _text: self._check())
        self._fill()
        self._check()

    def _fill(self) -> None:
        self.name.setText(self._project.name)
        self.folder.setText(self._project.folder)
        self.instructions.setPlainText(self._project.instructions)
        # A model that is gone is still the one that was chosen.
        if self._project.model and self.model.findData(self._project.model) < 0:
            self.model.addItem(self._project.model, self._project.model)
        self.model.setCurrentIndex(max(0, self.model.findData(self._project.model)))

    def _check(self) -> None:
        self.save.setEnabled(bool(self.name.text().strip()))

    def _on_save(self) -> None:
        if self.save.isEnabled():
            written = replace(
                self._project,
                name=self.name.text(),
                folder=self.folder.text(),
                instructions=self.instructions.toPlainText(),
                model=str(self.model.currentData() or ""),
            )
            self.saved.emit(written)
