"""The Extensions page: what is installed, what it may do, how it does, and what comes with Steward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from desktop.extensions.authoring import shipped
from desktop.extensions.chain import Chain, ExtensionFigures
from desktop.extensions.manifest import SETTING_CHARACTERS, Manifest, SettingDeclaration, read_manifest
from desktop.extensions.process import can_confine
from desktop.extensions.reasons import ExtensionReason
from desktop.extensions.registry import Extension, ExtensionsChanged, ExtensionStatus
from desktop.extensions.state import StateSize
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.reasons import Reason
from desktop.settings import Display, Editor
from desktop.ui import theme
from desktop.ui.language import number_words, plural, size_text, tr, tr_noop, words_of
from desktop.ui.pages.page import Page
from desktop.ui.pages.settings_fields import FieldGroup, SettingField, field_kind
from desktop.ui.pages.settings_form import SettingRow, SettingsGroup
from desktop.ui.save_dialog import ask_which
from desktop.ui.widgets.buttons import ActionRow, action
from desktop.ui.widgets.cards import Confirm, EscapeFrame, OutcomeLine, Row
from desktop.ui.widgets.labels import SectionHeading
from desktop.ui.widgets.layout import AROUND, ScrollColumn, clear, order_tabs
from desktop.ui.widgets.lists import EmptyWords, RowList, SearchedList

SAYS = tr_noop(
    "Other people's code that works on questions and answers, each in a process of its own that can only ask "
    "Steward. A text goes through them from top to bottom."
)
SAYS_UNCONFINED = tr_noop(
    "Other people's code that works on questions and answers, each in a process of its own. On this computer "
    "nothing confines it: it can do what you can do. A text goes through them from top to bottom."
)
SETTINGS_SAY = tr_noop("The extension's author named them. A change applies from the next question on.")
NOTHING_YET = tr_noop("No extension is installed.")
NOT_FOUND = tr_noop("No extension matches the search.")
# Of those that come with Steward, in the reader's language. Once installed, an extension speaks for itself:
# it may be somebody else's under the same name.
OWN = {
    "expand": (
        tr_noop("Text expansion"),
        tr_noop("Writes out your own short forms, such as ;sum, before the model reads a message."),
    ),
    "table": (
        tr_noop("A table from a tag"),
        tr_noop("Draws rows that the model writes with semicolons between <rows> and </rows> as a table."),
    ),
    "units": (
        tr_noop("Units in answers"),
        tr_noop("Writes the metric value after miles, inches, pounds, gallons and degrees Fahrenheit."),
    ),
}


@dataclass(frozen=True)
class ExtensionLine:
    """One that is installed, and how it does; equal values keep their row."""

    extension: Extension
    figures: ExtensionFigures
    kept: StateSize
    is_first: bool


class ExtensionsPage(Page):
    """Reads on the pool. Main thread only."""

    title = tr_noop("Extensions")
    icon = "extension"

    def __init__(
        self,
        chain: Callable[[], Chain],
        remove: Callable[[str], None],
        relay: Relay,
        background: Background,
    ) -> None:
        """`remove` takes one away with all that it left elsewhere."""
        super().__init__(tr(SAYS if can_confine() else SAYS_UNCONFINED))
        self._chain = chain
        self._remove = remove
        self._background = background
        self._reading = Latest(background)
        self._form: ExtensionSettings | None = None
        self._build()
        self.follow(relay, ExtensionsChanged)

    def shown(self) -> None:
        """Read the list again."""
        self._reading.run(self._read, done=lambda found: self._on_read(*found), failed=self.outcome.refuse)

    def install(self, source: Path) -> None:
        """Copy one in; its row then says what it may do and waits for a yes."""
        self._do(lambda: self._chain().registry.install(source))

    # -- reading ----------------------------------------------------------------------------------

    def _read(self) -> tuple[list[ExtensionLine], list[Manifest]]:
        """On the pool."""
        chain = self._chain()
        found = chain.registry.installed()
        lines = [
            ExtensionLine(each, chain.figures(each.id), chain.store.kept(each.id), number == 0)
            for number, each in enumerate(found)
        ]
        others = [folder for name, folder in shipped().items() if name not in {each.id for each in found}]
        return lines, [read_manifest(folder) for folder in others]

    def _on_read(self, lines: list[ExtensionLine], others: list[Manifest]) -> None:
        self.found.show_values(lines)
        self.others.show_rows([(each.id, each) for each in others])
        self.others_heading.setVisible(bool(others))
        self._show_settings({line.extension.id: line.extension for line in lines})
        self._order_tabs()

    def _order_tabs(self) -> None:
        form = self._form.stops if self._form is not None else ()
        stops = (self.from_file, self.from_folder, self.confirm.no, self.confirm.yes, *self.found.stops)
        order_tabs((*stops, *form, *self.others.stops))

    # -- settings of one --------------------------------------------------------------------------

    def _open_settings(self, extension: Extension, pressed: QPushButton) -> None:
        self._close_settings()
        form = ExtensionSettings(extension)
        form.wanted.connect(partial(self._set, extension.id))
        form.left.connect(self._close_settings)
        form.left.connect(pressed.setFocus)
        self._form = form
        self._form_place.addWidget(form)
        form.begin()
        self._order_tabs()

    def _close_settings(self) -> None:
        if self._form is not None:
            self._form.commit()
            clear(self._form_place)
            self._form = None

    def _show_settings(self, installed: dict[str, Extension]) -> None:
        """The form goes with its extension, and is another one after an update."""
        if self._form is None:
            return
        now = installed.get(self._form.extension.id)
        if now is None or now.manifest.settings != self._form.extension.manifest.settings:
            self._close_settings()
        else:
            self._form.show_extension(now)

    def _set(self, extension_id: str, name: str, value: object) -> None:
        registry = self._chain().registry
        if value is None:
            self._do(partial(registry.reset_setting, extension_id, name))
        else:
            self._do(partial(registry.set_setting, extension_id, name, value))

    def hideEvent(self, event: QHideEvent) -> None:
        """What was typed and not finished is not lost."""
        if self._form is not None:
            self._form.commit()
        super().hideEvent(event)

    # -- doing ------------------------------------------------------------------------------------

    def _do(self, act: Callable[[], object]) -> None:
        clear = self.outcome.clearing()

        def done(_result: object) -> None:
            clear()
            self.shown()

        self._background.run(act, done=done, failed=self.outcome.refuse)

    def _accept(self, extension: Extension) -> None:
        # Where nothing confines it, agreeing and switching on are two steps.
        self._do(partial(self._chain().registry.accept, extension.id, can_confine()))

    def _switch(self, extension: Extension) -> None:
        self._do(partial(self._chain().registry.set_on, extension.id, not extension.is_on))

    def _to_top(self, extension: Extension) -> None:
        self._do(partial(self._chain().registry.set_order, [extension.id]))

    def _ask_removal(self, extension: Extension, pressed: QPushButton) -> None:
        self.confirm.ask(
            tr(
                "Remove {name}? What it kept goes with it, and chats read as if it had never been there.",
                name=extension.manifest.name,
            ),
            tr("Remove it"),
            tr("Keep it"),
            lambda: self._do(partial(self._remove, extension.id)),
            pressed.setFocus,
        )

    def _choose_file(self) -> None:
        ask_which(self, tr("Install an extension"), (tr("Packages (*.zip)"),), self.install)

    def _choose_folder(self) -> None:
        # The manifest and not the folder: a file can be chosen in every system's dialog.
        kinds = (tr("Manifests (extension.toml)"),)
        ask_which(self, tr("Install an extension"), kinds, lambda file: self.install(file.parent))

    # -- rows -------------------------------------------------------------------------------------

    def _row(self, line: ExtensionLine) -> QWidget:
        extension = line.extension
        manifest = extension.offered or extension.manifest
        sign, ink = _sign(extension)
        buttons = self._buttons(extension, line)
        return Row(sign, ink, f"{manifest.name} {manifest.version}", _captions(line), buttons)

    def _buttons(self, extension: Extension, line: ExtensionLine) -> list[QPushButton]:
        name, own = extension.manifest.name, extension.id
        made = []
        if extension.status is ExtensionStatus.WAITS:
            label = tr("Agree and switch on") if can_confine() else tr("Agree")
            described = tr("Agree to what {name} may do", name=name)
            made.append(action(label, f"accept_{own}", lambda: self._accept(extension), described=described))
        elif extension.status is not ExtensionStatus.BROKEN:
            label = tr("Switch off") if extension.is_on else tr("Switch on")
            described = tr("{label}: {name}", label=label, name=name)
            made.append(action(label, f"switch_{own}", lambda: self._switch(extension), described=described))
        if extension.is_accepted and extension.manifest.settings:
            described = tr("Settings of {name}", name=name)
            settings = action(tr("Settings…"), f"settings_{own}", described=described)
            settings.clicked.connect(lambda _checked: self._open_settings(extension, settings))
            made.append(settings)
        if not line.is_first:
            described = tr("Send texts through {name} first", name=name)
            made.append(
                action(tr("To the top"), f"top_{own}", lambda: self._to_top(extension), described=described)
            )
        remove = action(tr("Remove…"), f"remove_{own}", described=tr("Remove {name}", name=name))
        remove.clicked.connect(lambda _checked: self._ask_removal(extension, remove))
        return [*made, remove]

    def _other_row(self, manifest: Manifest) -> QWidget:
        name, description = map(tr, OWN[manifest.id])
        add = action(
            tr("Install"),
            f"install_{manifest.id}",
            lambda: self.install(shipped()[manifest.id]),
            described=tr("Install {name}", name=name),
        )
        return Row("extension", "secondary", name, (description,), (add,))

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        self.from_file = action(tr("Install a zip file…"), "extension_file", self._choose_file)
        self.from_folder = action(tr("Install a folder…"), "extension_folder", self._choose_folder)
        self.found: SearchedList[ExtensionLine] = SearchedList(
            "extensions",
            self._row,
            lambda line: line.extension.id,
            lambda line: " ".join((line.extension.id, line.extension.manifest.name, *_captions(line))),
            EmptyWords(NOTHING_YET, NOT_FOUND),
            tr("Search extensions"),
        )
        self.found.rows.changed.connect(self._order_tabs)
        self.others_heading = SectionHeading(tr("Comes with Steward"))
        self.others: RowList[Manifest] = RowList("extensions_shipped", self._other_row)
        self.confirm = Confirm("extension_confirm")
        scroll = ScrollColumn("extensions_scroll")
        scroll.setAccessibleName(tr("Installed extensions"))
        self._form_place = QVBoxLayout()
        for widget in (self.found, self.others_heading, self.others):
            scroll.body.addWidget(widget)
        scroll.body.insertLayout(1, self._form_place)  # below those that are installed
        scroll.body.addStretch(1)
        self.outcome = OutcomeLine("extensions_result")
        ways = ActionRow(self.from_file, self.from_folder)
        ways.setContentsMargins(AROUND, 0, AROUND, 0)  # in line with what scrolls below
        self.column.addLayout(ways)
        self.column.addLayout(self.outcome)
        self.column.addWidget(self.confirm)
        self.column.addWidget(scroll, 1)


@dataclass(frozen=True)
class _DeclaredField(SettingField):
    """A setting of an extension. No variable sets it, and its declaration says what it takes."""

    declared: SettingDeclaration | None = None

    @property
    def variable(self) -> str | None:
        return None

    def refusal(self, value: Any) -> Reason | None:
        assert self.declared is not None
        takes = self.declared.takes(value)
        return None if takes else ExtensionReason.SETTING_TOO_LONG.of(count=SETTING_CHARACTERS)


class ExtensionSettings(EscapeFrame):
    """What a manifest declares as settings, each a row as on the Settings page. Main thread only.

    `wanted` brings name and value, None for what the manifest says; `left` comes when it may go.
    """

    wanted = Signal(str, object)
    left = Signal()

    def __init__(self, extension: Extension) -> None:
        super().__init__()
        self.extension = extension
        self.setObjectName("extension_settings")
        title = tr("Settings of {name}", name=extension.manifest.name)
        fields = tuple(_field(each) for each in extension.manifest.settings)
        self.rows = tuple(self._row(field) for field in fields)
        self._group = SettingsGroup(
            FieldGroup("extension", title, tr(SETTINGS_SAY), fields), self.rows, self.updateGeometry
        )
        self.close_button = action(
            tr("Close"), "extension_settings_close", self.left.emit, described=tr("Close the settings")
        )
        column = theme.space(QVBoxLayout(self), 8)
        column.addWidget(self._group)
        column.addLayout(ActionRow(self.close_button))

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches, in order."""
        return (*self._group.stops, self.close_button)

    def begin(self) -> None:
        """Once it stands on its page: show the values, and take the keyboard."""
        self._group.search("")
        self.show_extension(self.extension)
        self.rows[0].editor.control.setFocus()

    def show_extension(self, extension: Extension) -> None:
        """The values as they are now; what is being typed stays."""
        self.extension = extension
        for row in self.rows:
            row.show_value(extension.settings[row.field.name])

    def commit(self) -> None:
        """Take what was typed and not finished."""
        for row in self.rows:
            row.commit()

    def on_escape(self) -> None:
        self.left.emit()

    def _row(self, field: SettingField) -> SettingRow:
        row = SettingRow(field)
        row.changed.connect(lambda value: self.wanted.emit(field.name, value))
        row.reset.connect(lambda: self.wanted.emit(field.name, None))
        return row


LONG_CHARACTERS = 60  # a default of that length has a field of several lines


def _field(declared: SettingDeclaration) -> SettingField:
    """A declaration of an extension as a row of the form sees it. Names are an author's, and stay as they
    are but for what a name in a file cannot have."""
    default = declared.default
    is_long = isinstance(default, str) and (len(default) > LONG_CHARACTERS or "\n" in default)
    display = Display(editor=Editor.LONG if is_long else Editor.AS_TYPED)
    title = declared.name.replace("_", " ").capitalize()
    kind = field_kind(default, display)
    return _DeclaredField(
        "extension", declared.name, title, declared.description, default, kind, display, declared=declared
    )


def _captions(line: ExtensionLine) -> tuple[str, ...]:
    extension = line.extension
    manifest = extension.offered or extension.manifest
    return (manifest.description, *ability_words(extension), state_words(line))


def ability_words(extension: Extension) -> tuple[str, ...]:
    """What it may do, a line each; before it is accepted what is new in it, and how it is held."""
    if extension.status is ExtensionStatus.BROKEN:
        return ()
    is_update = extension.offered is not None and extension.offered is not extension.manifest
    shown = extension.more if is_update else (extension.offered or extension.manifest).abilities()
    lines = [tr("New: {what}", what=words_of(each)) if is_update else words_of(each) for each in shown]
    if is_update and not shown:
        lines = [tr("It may do nothing that it could not do before.")]
    if extension.offered is not None:
        held = ExtensionReason.CONFINED if can_confine() else ExtensionReason.UNCONFINED
        lines.append(words_of(held.of()))
    return tuple(lines)


def state_words(line: ExtensionLine) -> str:
    """Whether it is on, why not, how long its calls took, and what it keeps."""
    extension, figures = line.extension, line.figures
    status = {
        ExtensionStatus.ON: tr("On"),
        ExtensionStatus.OFF: tr("Off"),
        ExtensionStatus.WAITS: tr("Off until you agree"),
        ExtensionStatus.BROKEN: tr("Cannot be used"),
    }[extension.status]
    parts = [status]
    if figures.calls:
        calls = plural("{count} call", "{count:,} calls", figures.calls)
        mean = number_words(1000 * figures.total_s / figures.calls, 1)
        parts.append(tr("{calls}, {mean} ms on average", calls=calls, mean=mean))
    if line.kept.entries:
        parts.append(tr("keeps {size}", size=size_text(line.kept.size_bytes)))
    why = extension.why_off or figures.latest_failure
    if why is not None:
        parts.append(words_of(why))
    return " · ".join(parts)


def _sign(extension: Extension) -> tuple[str, str]:
    if extension.is_on:
        return "check", "success"
    if extension.status is ExtensionStatus.OFF and extension.why_off is None:
        return "extension", "secondary"
    return "warning", "warning"
