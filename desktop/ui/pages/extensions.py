"""The Extensions page: what is installed, what it may do, how it does, and what comes with Steward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QPushButton, QWidget

from desktop.extensions.authoring import shipped
from desktop.extensions.chain import Chain, ExtensionFigures
from desktop.extensions.events import ExtensionsChanged
from desktop.extensions.manifest import Manifest, read_manifest
from desktop.extensions.process import can_confine
from desktop.extensions.reasons import ExtensionReason
from desktop.extensions.registry import Extension, ExtensionStatus
from desktop.extensions.state import StateSize
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.ui.language import number_words, plural, size_text, tr, tr_noop, words_of
from desktop.ui.pages.page import Page
from desktop.ui.save_dialog import ask_which
from desktop.ui.theme import BODY_PX
from desktop.ui.widgets.actions import ActionRow, action
from desktop.ui.widgets.cards import Confirm, Row
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import ScrollColumn, order_tabs
from desktop.ui.widgets.lists import RowList

SAYS = tr_noop(
    "Other people's code that works on questions and answers, each in a process of its own that can only ask "
    "Steward. A text goes through them from top to bottom."
)
NOTHING_YET = tr_noop("No extension is installed.")
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
        tr_noop("Writes the metric value behind miles, inches, pounds, gallons and degrees Fahrenheit."),
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
        super().__init__(tr(SAYS))
        self._chain = chain
        self._remove = remove
        self._background = background
        self._reading = Latest(background)
        self._build()
        self.follow(relay, ExtensionsChanged)

    def shown(self) -> None:
        """Read the list again."""
        self._reading.run(self._read, done=lambda found: self._on_read(*found))

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
        self.list.show_rows([(line.extension.id, line) for line in lines])
        self.empty.show_text("" if lines else tr(NOTHING_YET))
        self.others.show_rows([(each.id, each) for each in others])
        self.others_heading.setVisible(bool(others))
        stops = (self.from_file, self.from_folder, *self.list.stops, self.confirm.no, self.confirm.yes)
        order_tabs((*stops, *self.others.stops))

    # -- doing ------------------------------------------------------------------------------------

    def _do(self, act: Callable[[], object]) -> None:
        self._background.run(act, done=lambda _result: self.shown(), failed=self.toast.refuse)

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
        captions = (manifest.description, *ability_words(extension), state_words(line))
        return Row(sign, ink, f"{manifest.name} {manifest.version}", captions, self._buttons(extension, line))

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
        if not line.is_first:
            described = tr("Have texts go through {name} first", name=name)
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
        self.empty = EmptyState("extensions_empty")
        self.list: RowList[ExtensionLine] = RowList("extensions", self._row)
        self.others_heading = Label(tr("Comes with Steward"), BODY_PX, bold=True, name="section_heading")
        self.others: RowList[Manifest] = RowList("extensions_shipped", self._other_row)
        self.confirm = Confirm("extension_confirm")
        scroll = ScrollColumn("extensions_scroll")
        scroll.setAccessibleName(tr("Installed extensions"))
        for widget in (self.empty, self.list, self.others_heading, self.others):
            scroll.body.addWidget(widget)
        scroll.body.addStretch(1)
        self.column.addLayout(ActionRow(self.from_file, self.from_folder))
        self.column.addWidget(self.confirm)
        self.column.addWidget(scroll, 1)


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
