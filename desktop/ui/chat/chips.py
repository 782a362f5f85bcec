"""Chips above the text of a message: what goes along with it, what is being read, what could not be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from desktop.chat.attachments import Attached, Attachment, AttachmentKind
from desktop.chat.sources import AnswerSource, SourceKind
from desktop.chat.store import Message, Role
from desktop.engine.events import LargerContext
from desktop.errors import UserFacing
from desktop.ui import theme
from desktop.ui.chat.status_line import short_count
from desktop.ui.language import error_words, plural, size_text, tr
from desktop.ui.permission.visible import plain_tip
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import IconButton, WordsButton
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import FlowLayout

NAME_SHOWN, NAME_SHOWN_TIGHT = 36, 18  # characters
TIP_SHOWN = 500

ICONS = {
    AttachmentKind.FILE: "file",
    AttachmentKind.PDF: "file",
    AttachmentKind.PICTURE: "picture",
    AttachmentKind.CLIPBOARD: "clipboard",
    AttachmentKind.SELECTION: "selection",
    AttachmentKind.SCREEN: "region",
    AttachmentKind.PASTE: "clipboard",
    AttachmentKind.SKILL: "file",
    AttachmentKind.PASSAGES: "search",
    AttachmentKind.PARTS: "file",
    AttachmentKind.FOLDER: "search",
    AttachmentKind.TEXT: "edit",
}


@dataclass
class Pending:
    """What is to go along: being read until `attachment` or `error` is there. `excess` is how many tokens
    of the attachment can go along when not all of them can; None: all can. `larger` is the context in which
    all of them would have room, where the memory has room for that."""

    key: int
    name: str
    attachment: Attachment | None = None
    error: UserFacing | None = None
    excess: int | None = None
    larger: LargerContext | None = None

    @property
    def is_reading(self) -> bool:
        return self.attachment is None and self.error is None

    @property
    def is_ready(self) -> bool:
        return self.attachment is not None and self.excess is None


LINK_ROWS = 2  # at most, of what can be done about one that is too large


class AttachmentChip(QFrame):
    """One of them. The label opens the text; what does not fit offers its beginning; the cross removes it."""

    opened = Signal()
    removed = Signal()
    beginning_wanted = Signal(int)  # tokens
    search_wanted = Signal(int)  # tokens of passages that have room
    parts_wanted = Signal()
    context_wanted = Signal(object)  # LargerContext

    def __init__(self, pending: Pending, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_tight = False
        self._links: list[tuple[IconButton, str, str]] = []  # with its words, and shorter ones
        self.setObjectName(name)
        self.setProperty("chip", True)
        self.label = WordsButton(self)
        self.label.setObjectName(f"{name}_open")
        self.label.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.label.setFont(theme.font(SMALL_PX))
        self.label.clicked.connect(lambda _checked=False: self.opened.emit())
        cross = tr("Remove {name}", name=pending.name)
        self.cross = IconButton("close", cross, f"{name}_remove", self.removed.emit, size=24)
        column = theme.space(QVBoxLayout(self), 0, (8, 0, 2, 0))
        row = theme.space(QHBoxLayout(), 2)
        icon, colour = _sign_of(pending)
        row.addWidget(Sign(icon, colour, SMALL_PX))
        row.addWidget(self.label)
        row.addStretch(1)  # a row of links below may be longer
        row.addWidget(self.cross)
        column.addLayout(row)
        # Below, where they have the width: one of them alone is as long as a name.
        self._rows = [theme.space(QHBoxLayout(), 2) for _each in range(LINK_ROWS)]
        for below in self._rows:
            column.addLayout(below)
            below.addStretch(1)
        self._pending = pending
        self._offer(pending, name)
        self._arrange(rows=1)

    def fit(self, width: int) -> None:
        """Say it in one row of `width` pixels, else in two, else in fewer words; the tooltips say it all."""
        for each in self.findChildren(QToolButton):
            each.ensurePolished()  # else its width would be that of another font
        for is_tight in (False, True):
            for rows in range(1, LINK_ROWS + 1):
                self._is_tight = is_tight
                self._arrange(rows)
                if self.sizeHint().width() <= width:
                    return

    def _arrange(self, rows: int) -> None:
        self._show(self._pending)
        in_row = -(-len(self._links) // rows)
        for at, (link, words, shorter) in enumerate(self._links):
            for row in self._rows:
                row.removeWidget(link)
            link.labelled(shorter if self._is_tight else words)
            below = self._rows[at // in_row]
            below.insertWidget(below.count() - 1, link)

    def _offer(self, pending: Pending, name: str) -> None:
        """What can be done about one that is too large."""
        if pending.excess:
            self._offer_search(pending.excess, name)
            self._offer_beginning(pending.excess, name)
        if pending.excess is not None:
            self._offer_parts(name)
        if pending.excess is not None and pending.larger is not None:
            self._offer_context(pending.larger, name)

    def _show(self, pending: Pending) -> None:
        words, tip = words_of(pending), tip_of(pending)
        shown = words_of(pending, is_tight=True) if self._is_tight else words
        self.label.setText(shown.replace("&", "&&"))
        self.label.setToolTip(plain_tip(tip))
        self.label.setAccessibleName(words)
        self.label.setAccessibleDescription(tip)
        self.label.setEnabled(not pending.is_reading)

    def _offer_search(self, tokens: int, name: str) -> None:
        words = tr("Search in it")
        tip = tr("Only the passages about the question that you have written are attached")
        self._link((words, words, tip), f"{name}_search", lambda: self.search_wanted.emit(tokens))

    def _offer_beginning(self, tokens: int, name: str) -> None:
        words = tr("Use the first {tokens:,} tokens", tokens=tokens)
        shorter = tr("First {tokens:,} tokens", tokens=tokens)
        self._link((words, shorter, words), f"{name}_beginning", lambda: self.beginning_wanted.emit(tokens))

    def _offer_parts(self, name: str) -> None:
        words, shorter = tr("Summarise in parts"), tr("In parts")
        tip = tr("The model reads all of it part by part, which takes a while, and summarises the parts")
        self._link((words, shorter, tip), f"{name}_parts", self.parts_wanted.emit)

    def _offer_context(self, larger: LargerContext, name: str) -> None:
        tokens, size = short_count(larger.tokens), size_text(larger.memory_bytes)
        words = tr("Raise the context to {tokens} (needs {size})", tokens=tokens, size=size)
        shorter = tr("Context {tokens}", tokens=tokens)
        self._link((words, shorter, words), f"{name}_context", lambda: self.context_wanted.emit(larger))

    def _link(self, said: tuple[str, str, str], name: str, act: Callable[[], object]) -> None:
        words, shorter, tip = said
        link = IconButton("", tip, name, act, size=24).labelled(words)
        link.setProperty("link", True)
        self._links.append((link, words, shorter))


def words_of(pending: Pending, is_tight: bool = False) -> str:
    """ "report.pdf · 1,204 tokens", "Reading report.pdf…", "report.pdf · not attached"."""
    name = short(pending.name, NAME_SHOWN_TIGHT if is_tight else NAME_SHOWN)
    if pending.error is not None:
        return tr("{name} · not attached", name=name)
    if pending.attachment is None:
        return tr("Reading {name}…", name=name)
    if is_tight and pending.excess is not None:
        return tr("{name} · too large", name=name)
    size = size_words(pending.attachment.about)
    if pending.excess is None:
        return f"{name} · {size}"
    return tr("{name} · {size}, too large", name=name, size=size)


def tip_of(pending: Pending) -> str:
    """The beginning of the text, or why there is none."""
    if pending.error is not None:
        return error_words(pending.error)
    if pending.attachment is None:
        return tr("It is being read; the message can be sent after that.")
    # No beginning is offered where not even one token of it has room.
    if pending.excess == 0:
        return tr("There is no room left in the context. Remove something, or raise the context size.")
    if pending.excess is not None:
        return tr(
            "The model's context has room for {tokens:,} tokens of it. Use only the beginning, "
            "remove something, or raise the context size in the settings.",
            tokens=pending.excess,
        )
    return pending.attachment.text[:TIP_SHOWN]


def size_words(about: Attached) -> str:
    """ "1,204 tokens", "≈ 1,204 tokens" where no model counted, "first 800 of 4,000 tokens" of a part."""
    sign = "≈ " if about.is_estimate else ""
    if about.kind is AttachmentKind.PARTS:
        return tr("{sign}{whole:,} tokens, in parts", sign=sign, whole=about.whole_tokens)
    if about.whole_tokens and about.kind is AttachmentKind.PASSAGES:
        return tr(
            "passages, {sign}{tokens:,} of {whole:,} tokens",
            sign=sign,
            tokens=about.tokens,
            whole=about.whole_tokens,
        )
    if about.whole_tokens:
        return tr(
            "first {sign}{tokens:,} of {whole:,} tokens",
            sign=sign,
            tokens=about.tokens,
            whole=about.whole_tokens,
        )
    return plural("{sign}1 token", "{sign}{count:,} tokens", about.tokens, sign=sign)


def short(name: str, longest: int = NAME_SHOWN) -> str:
    """A name of so many characters that fits on a chip, with its ending."""
    line = " ".join(name.split())
    if len(line) <= longest:
        return line
    # The ending tells what it is: the middle of a name is missed least.
    end = longest // 3
    return f"{line[: longest - end - 1]}…{line[-end:]}"


def _sign_of(pending: Pending) -> tuple[str, str]:
    if pending.error is not None:
        return "failed", "danger"
    if pending.attachment is None:
        return "running", "secondary"
    if pending.excess is not None:
        return "warning", "warning"
    return ICONS[pending.attachment.about.kind], "secondary"


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

    def __init__(self, name: str, lead: str, parent: QWidget) -> None:
        """`lead` stands before the chips; the chips are called `name` with a number."""
        super().__init__(parent)
        self._name = name
        self._shown: tuple[ChipFacts, ...] = ()
        self._flow = FlowLayout(self)
        self.chips: list[QToolButton] = []
        self.setObjectName(name)
        self._lead = Label(lead, CAPTION_PX, colour="secondary", name=f"{name}_lead", parent=self)
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
            # Deletion comes with the next turn of the event loop; until then a test or a screen reader
            # would find it.
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
        side = theme.px(14)
        chip.setIconSize(QSize(side, side))
        chip.setIcon(theme.icon(facts.icon))
        chip.setFont(theme.font(CAPTION_PX))
        chip.setText(facts.words.replace("&", "&&"))
        chip.setToolTip(plain_tip(facts.tip))
        chip.setAccessibleName(facts.words)
        chip.setAccessibleDescription(facts.tip)
        chip.clicked.connect(lambda _checked=False: self.opened.emit(facts.what))
        self._flow.addWidget(chip)
        chip.show()
        return chip


def attached_facts(about: Attached) -> ChipFacts:
    """A chip of a message that was sent."""
    name = tr("Skill {name}", name=about.name) if about.kind is AttachmentKind.SKILL else about.name
    words = f"{short(name)} · {size_words(about)}"
    return ChipFacts(ICONS[about.kind], words, tr("Show the text that was attached"), about)


def used_facts(source: AnswerSource) -> ChipFacts:
    """A chip under an answer."""
    icon, words, tip = {
        SourceKind.FILE: ("file", source.title, tr("Show the file in the file manager")),
        SourceKind.PASSAGE: ("file", source.title, tr("Open the file")),
        SourceKind.FOLDER: ("folder", _folder(source.title), tr("Open the folder in the file manager")),
        SourceKind.PAGE: ("globe", _host(source.title), tr("Open the page in the browser")),
        SourceKind.SEARCH: ("search", source.title, tr("Show what the search found")),
        SourceKind.NOTE: ("edit", tr("Notes"), tr("Show the notes on the Memory page")),
        SourceKind.CLIPBOARD: ("clipboard", tr("Clipboard"), tr("Show the text from the clipboard")),
        SourceKind.SCREEN: ("region", tr("Screen"), tr("Show the text from the screen")),
        SourceKind.ATTACHMENT: ("file", source.title, tr("Show the text that was attached")),
        SourceKind.MEMORY: ("memory", memory_words(source), tr("Show what the model was told")),
    }[source.kind]
    # Where a click leads is told before the click: titles of pages are written by strangers.
    address = source.where if source.kind in (SourceKind.PAGE, SourceKind.FILE, SourceKind.PASSAGE) else ""
    return ChipFacts(icon, short(words), f"{tip}\n{address}".strip(), source)


def example_facts(request: str) -> ChipFacts:
    """A chip that says something which can be asked."""
    return ChipFacts("edit", request, tr("Write this as your message; nothing is sent yet"), request)


def changed_facts(message: Message) -> list[ChipFacts]:
    """The chip of a message that extensions had a part in; none for others. Handed over is whether what they
    made is to be undone."""
    changed = message.changed
    if changed is None:
        return []
    names = ", ".join(changed.by)
    if changed.is_undone:
        tip = tr("Show again what extensions made of this")
        return [ChipFacts("extension", tr("Without {names} · use again", names=names), tip, False)]
    tip = tr("The model was told: {text}", text=changed.text[:TIP_SHOWN])
    if message.role is Role.ASSISTANT:
        tip = tr("The model wrote: {text}", text=message.text[:TIP_SHOWN])
    return [ChipFacts("extension", tr("Changed by {names} · undo", names=names), tip, True)]


def memory_words(source: AnswerSource) -> str:
    """ "4 memories (312 tokens)"."""
    memories = plural("{count} memory", "{count} memories", source.memories)
    tokens = plural("{count} token", "{count} tokens", source.tokens)
    return tr("{memories} ({tokens})", memories=memories, tokens=tokens)


def _folder(path: str) -> str:
    return tr("Workspace folder") if path in ("", ".", "./") else path


def _host(address: str) -> str:
    return address.split("://", 1)[-1].split("/", 1)[0] or address
