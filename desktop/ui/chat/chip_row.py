"""Small buttons in a row that wraps: what went along with a question, what an answer drew on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from desktop.chat.attachments import Attached
from desktop.chat.used import UsedKind, UsedSource
from desktop.ui.buttons import WordsButton
from desktop.ui.chat.attachment_chips import ICONS, short, size_words
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.labels import Label
from desktop.ui.language import plural, tr
from desktop.ui.theme import CAPTION_PX, Theme

GAP = 8


@dataclass(frozen=True)
class ChipFacts:
    """`what` is handed over when the chip is pressed."""

    icon: str
    words: str
    tip: str
    what: object


class ChipRow(QWidget):
    """Arranged by hand like the message that holds it. Main thread only."""

    opened = Signal(object)

    def __init__(self, theme: Theme, name: str, lead: str, parent: QWidget) -> None:
        """`lead` stands before the chips; the chips are called `name` with a number."""
        super().__init__(parent)
        self._theme = theme
        self._name = name
        self._shown: tuple[ChipFacts, ...] = ()
        self._flow = FlowLayout(self)
        self.chips: list[QToolButton] = []
        self.setObjectName(name)
        self._lead = Label(theme, lead, CAPTION_PX, colour="secondary", name=f"{name}_lead", parent=self)
        self._lead.setWordWrap(False)
        self._lead.setVisible(bool(lead))
        if lead:
            self._flow.addWidget(self._lead)
        self.hide()

    def show_chips(self, facts: Sequence[ChipFacts]) -> bool:
        """True when they are others than before."""
        if tuple(facts) == self._shown:
            return False
        self._shown = tuple(facts)
        for chip in self.chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.setParent(None)
            chip.deleteLater()
        self.chips = [self._chip(number, each) for number, each in enumerate(facts)]
        if self.chips:  # the words before them stand at the height of theirs
            self._lead.setFixedHeight(self.chips[0].sizeHint().height())
        self.setVisible(bool(facts))
        return True

    def arrange(self, width: int, top: int) -> int:
        """Place it at `top`; returns the height that it takes."""
        height = self._flow.heightForWidth(width)
        self.setGeometry(0, top, width, height)
        return height

    def natural_width(self) -> int:
        """What all chips side by side need."""
        return self._flow.sizeHint().width()

    def _chip(self, number: int, facts: ChipFacts) -> QToolButton:
        chip = WordsButton(self)
        chip.setObjectName(f"{self._name}_{number}")
        chip.setProperty("source_chip", True)
        chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        side = self._theme.px(14)
        chip.setIconSize(QSize(side, side))
        chip.setIcon(self._theme.icon(facts.icon))
        chip.setFont(self._theme.font(CAPTION_PX))
        chip.setText(facts.words.replace("&", "&&"))
        chip.setToolTip(facts.tip)
        chip.setAccessibleName(facts.words)
        chip.setAccessibleDescription(facts.tip)
        chip.clicked.connect(lambda _checked=False: self.opened.emit(facts.what))
        self._flow.addWidget(chip)
        chip.show()
        return chip


def attached_facts(about: Attached) -> ChipFacts:
    """A chip of a message that was sent."""
    words = f"{short(about.name)} · {size_words(about)}"
    return ChipFacts(ICONS[about.kind], words, tr("Show the text that went along"), about)


def used_facts(source: UsedSource) -> ChipFacts:
    """A chip under an answer."""
    icon, words, tip = {
        UsedKind.FILE: ("file", source.title, tr("Show the file in the file manager")),
        UsedKind.FOLDER: ("folder", _folder(source.title), tr("Open the folder in the file manager")),
        UsedKind.PAGE: ("globe", _host(source.title), tr("Open the page in the browser")),
        UsedKind.SEARCH: ("search", source.title, tr("Show what the search found")),
        UsedKind.NOTE: ("edit", tr("Notes"), tr("Show the notes on the Memory page")),
        UsedKind.CLIPBOARD: ("clipboard", tr("Clipboard"), tr("Show the text from the clipboard")),
        UsedKind.SCREEN: ("region", tr("Screen"), tr("Show the text from the screen")),
        UsedKind.ATTACHMENT: ("file", source.title, tr("Show the text that went along")),
        UsedKind.MEMORY: ("memory", memory_words(source), tr("Show what the model was told")),
    }[source.kind]
    address = source.where if source.kind in (UsedKind.PAGE, UsedKind.FILE) else ""
    return ChipFacts(icon, short(words), f"{tip}\n{address}".strip(), source)


def memory_words(source: UsedSource) -> str:
    """ "4 memories (312 tokens)"."""
    memories = plural("{count} memory", "{count} memories", source.memories)
    tokens = plural("{count} token", "{count} tokens", source.tokens)
    return tr("{memories} ({tokens})", memories=memories, tokens=tokens)


def _folder(path: str) -> str:
    return tr("Workspace folder") if path in ("", ".", "./") else path


def _host(address: str) -> str:
    return address.split("://", 1)[-1].split("/", 1)[0] or address
