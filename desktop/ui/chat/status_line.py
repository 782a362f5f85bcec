"""The line under the composer: model, device, speed, context, network. Each part is a button.

It is one row. Where the room runs out, the model's name is cut first; then parts fold into a menu at its end,
what matters least first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QStyleOptionToolButton, QStylePainter, QToolButton, QWidget

from desktop.chat.context_use import NEARLY_FULL
from desktop.reasons import Reason
from desktop.ui import theme
from desktop.ui.language import decimal_point, number_words, plural, tr, tr_noop, words_of
from desktop.ui.permission.visible import plain_tip
from desktop.ui.widgets.buttons import WordsButton
from desktop.ui.widgets.labels import paint_meter
from desktop.ui.widgets.layout import mirror, sized
from desktop.ui.widgets.menu import Menu


@dataclass(frozen=True)
class LineFacts:
    """What the line shows. `loading` is 0 to 1 while a model loads."""

    model_name: str = ""
    device: str = ""
    threads: int = 0
    gpu_layers: int = 0
    tokens_per_s: float = 0.0
    context_used: int = 0
    context_tokens: int = 0
    context_estimated: bool = False  # no model is loaded that could count
    context_automatic: bool = False  # its size was chosen by the memory that is free
    loading: float | None = None
    offline: bool = False
    network: str = ""  # whether something leaves this computer, in words
    network_help: str = ""  # what has left it
    unguarded: bool = False  # nothing is asked before it is done
    program: str = ""  # another program, which the model answers now
    report: str = ""  # that the last run ended unexpectedly
    note: str = ""  # a standing remark about this window, with `note_help`
    note_help: str = ""
    device_notice: Reason | None = None  # why the graphics card is not used

    @property
    def context_share(self) -> float:
        return self.context_used / self.context_tokens if self.context_tokens else 0.0


UNGUARDED_HELP = tr_noop(
    "Never ask is on: files can be deleted and data sent without a question. Click to change it."
)

LONGEST_PRESET = 24
GAP = 6


class StatusLine(QWidget):
    """Shows `LineFacts`. Main thread only."""

    model_clicked = Signal()
    device_clicked = Signal()
    speed_clicked = Signal()
    context_clicked = Signal()
    network_clicked = Signal()
    note_clicked = Signal()
    program_clicked = Signal()
    report_clicked = Signal()
    unguarded_clicked = Signal()
    preset_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts = LineFacts()
        self._preset = ""
        self._folded: list[QToolButton] = []
        self.setObjectName("status_line")
        self._make_parts()
        theme.current().changed.connect(self._arrange)
        self.show_preset("")
        self.show_facts(self._facts)

    def show_facts(self, facts: LineFacts) -> None:
        self._facts = facts
        fill(self.unguarded, tr("never asks") if facts.unguarded else "", tr(UNGUARDED_HELP))
        self.model.show_model(facts)
        fill(self.device, device_words(facts), device_help(facts))
        speed = tr("{speed:.1f} tok/s", speed=facts.tokens_per_s) if facts.tokens_per_s else ""
        fill(self.speed, speed, tr("How fast the latest answer was written"))
        self.context.show_context(facts)
        self._show_network(facts)
        answering = tr("answering {name}", name=facts.program) if facts.program else ""
        fill(self.program, answering, tr("A program asked the model. Your own questions go first."))
        fill(self.note, facts.note, facts.note_help)
        fill(self.report, facts.report, tr("Show the report. It is kept on this computer; nothing was sent."))
        self._arrange()

    def show_preset(self, name: str) -> None:
        """The preset of the open chat; "" for none, which is an icon without words."""
        self._preset = name
        words = name if len(name) <= LONGEST_PRESET else f"{name[: LONGEST_PRESET - 1]}…"
        help_words = tr("Instructions and style of this chat: {name}. Click to choose others.", name=name)
        plain = tr("Give this chat its own instructions and style")
        beside, alone = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
        self.preset.setToolButtonStyle(beside if name else alone)
        fill(self.preset, words or tr("No preset"), help_words if name else plain)
        self._arrange()

    @property
    def row_height(self) -> int:
        """How tall the row is, in pixels."""
        return max(part.sizeHint().height() for part in (self.more, *self.parts))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    # -- the row ----------------------------------------------------------------------------------

    def _arrange(self) -> None:
        """Cut and fold until everything stands within the row, and place it."""
        # By the name and not by the visible words, which the model's part may have cut away.
        telling = [part for part in self.parts if part.accessibleName()]
        folded = self._too_much(telling)
        shown = [part for part in telling if part not in folded]
        row: list[QToolButton] = [*shown, self.more] if folded else list(shown)
        self.model.fit(self.width() - self._width_of(row) + self._least(self.model))
        left, height = 0, self.row_height
        for part in row:
            part.setGeometry(QRect(left, 0, part.sizeHint().width(), height))
            left += part.width() + theme.px(GAP)
        mirror(self, self.width(), *row)
        for part in folded:
            # A folded part is pressed through the menu and opens its own menu at its place.
            part.setGeometry(self.more.geometry())  # its menu opens there
        for part in (*self.parts, self.more):
            part.setVisible(part in row)
        self._folded = folded
        words = ", ".join(part.accessibleName() for part in telling if part in folded)
        self.more.setToolTip(plain_tip(words))
        self.more.setAccessibleDescription(words)

    def _too_much(self, telling: list[QToolButton]) -> list[QToolButton]:
        """The parts that must go, the least important first."""
        folded: list[QToolButton] = []
        # Model and the warning that nothing is asked are not in this list: they are always in sight.
        for part in self._folding:
            left = [each for each in telling if each not in folded]
            # The button of the menu takes room as well, but only once there is something in it.
            if self._width_of([*left, self.more] if folded else left) <= self.width():
                break
            if part in telling:
                folded.append(part)
        return self._without_needless(folded, telling)

    def _without_needless(self, folded: list[QToolButton], telling: list[QToolButton]) -> list[QToolButton]:
        """Where a long part had to go there may be room again for short ones that went before it."""
        for part in reversed(folded[:-1]):
            left = [each for each in telling if each not in folded or each is part]
            if self._width_of([*left, self.more]) <= self.width():
                folded.remove(part)
        return folded

    def _width_of(self, row: list[QToolButton]) -> int:
        """The least that a row takes, in pixels."""
        return sum(map(self._least, row)) + theme.px(GAP) * max(0, len(row) - 1)

    def _least(self, part: QToolButton) -> int:
        return self.model.least_width if part is self.model else part.sizeHint().width()

    def _open_menu(self) -> None:
        """Filled only now: what folds while it is open must not take it away."""
        self._menu.clear()
        for part in self.parts:
            if part in self._folded:
                action = self._menu.addAction(part.icon(), part.accessibleName().replace("&", "&&"))
                action.setObjectName(f"folded_{part.objectName()}")
                action.setToolTip(part.toolTip())
                action.triggered.connect(lambda _checked=False, part=part: part.click())
        self._menu.popup(self.more.mapToGlobal(QPoint(0, -self._menu.sizeHint().height())))

    # -- building ---------------------------------------------------------------------------------

    def _make_parts(self) -> None:
        self.unguarded = self._part("status_unguarded", self.unguarded_clicked)
        self.model = ModelPart(self)
        self.model.clicked.connect(self.model_clicked)
        self.preset = self._part("status_preset", self.preset_clicked)
        self.device = self._part("status_device", self.device_clicked)
        self.speed = self._part("status_speed", self.speed_clicked)
        self.context = ContextPart(self)
        self.context.clicked.connect(self.context_clicked)
        self.network = self._part("status_network", self.network_clicked)
        self.program = self._part("status_program", self.program_clicked)
        self.note = self._part("status_note", self.note_clicked)
        self.report = self._part("status_report", self.report_clicked)
        # From left to right.
        self.parts = (
            *(self.unguarded, self.model, self.preset, self.device, self.speed),
            *(self.context, self.network, self.program, self.note, self.report),
        )
        self._folding = (
            self.device,
            self.speed,
            self.preset,
            self.note,
            self.network,
            self.program,
            self.report,
            self.context,
        )
        self.more = WordsButton(self)
        self.more.setObjectName("status_more")
        self.more.setText("…")
        self.more.setAccessibleName(tr("More about model and network"))
        self.more.clicked.connect(self._open_menu)
        self._menu = Menu(self, "status_menu")
        self._menu.setToolTipsVisible(True)
        for part in (*self.parts, self.more):
            part.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            part.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            sized(part, icon=14)
        self.preset.setIcon(theme.icon("edit"))
        self.unguarded.setIcon(theme.icon("warning", "danger"))
        self.model.setIcon(theme.icon("model"))
        self.network.setIcon(theme.icon("shield"))
        self.program.setIcon(theme.icon("terminal"))
        self.note.setIcon(theme.icon("warning", "warning"))

    def _part(self, name: str, clicked: object) -> QToolButton:
        button = WordsButton(self)
        button.setObjectName(name)
        button.clicked.connect(clicked)
        return button

    def _show_network(self, facts: LineFacts) -> None:
        words = facts.network or (tr("offline") if facts.offline else "")
        refused = tr("Offline: every request of Steward's own is refused.") if facts.offline else ""
        click = tr("Click to see every request that Steward made.")
        fill(self.network, words, " ".join(filter(None, (refused, facts.network_help, click))))


METER_WIDTH = 32
SHORTEST_NAME = 88  # of a model; before it is cut further, other parts give way


class ModelPart(WordsButton):
    """The model's name, cut at its end where the row has no room for all of it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._facts = LineFacts()
        self.setObjectName("status_model")

    def show_model(self, facts: LineFacts) -> None:
        self._facts = facts
        fill(self, model_words(facts), tr("Choose and manage models"))

    @property
    def whole_width(self) -> int:
        """The width with the whole name, in pixels."""
        return self._width_of(model_words(self._facts))

    @property
    def least_width(self) -> int:
        """The width with as much of the name as must be seen."""
        name = self._facts.model_name
        spare = self.fontMetrics().horizontalAdvance(name) - theme.px(SHORTEST_NAME)
        return self.whole_width - max(0, spare)

    def fit(self, width: int) -> None:
        """Show as much as `width` has room for."""
        whole, name = model_words(self._facts), self._facts.model_name
        # The words around the name, such as "Loading … 43 %", are never cut: only the name gives way.
        over = self.whole_width - width
        if over > 0:
            room = self.fontMetrics().horizontalAdvance(name or whole) - over
            cut = self.fontMetrics().elidedText(name or whole, Qt.TextElideMode.ElideRight, max(0, room))
            whole = model_words(replace(self._facts, model_name=cut)) if name else cut
        self.setText(whole)

    def _width_of(self, words: str) -> int:
        advance = self.fontMetrics().horizontalAdvance
        return self.sizeHint().width() + advance(words) - advance(self.text())


class ContextPart(WordsButton):
    """ "context 1.2k/8k" with a small meter that turns when the context is nearly full."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._facts = LineFacts()
        self.setObjectName("status_context")

    def show_context(self, facts: LineFacts) -> None:
        self._facts = facts
        full = facts.context_share >= NEARLY_FULL
        self.setIcon(theme.icon("warning", "warning") if full else QIcon())
        fill(self, context_words(facts, full), context_help(facts))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width() + theme.px(METER_WIDTH + 8), hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.rect.setRight(
            option.rect.right() - theme.px(METER_WIDTH + 8)
        )  # the words keep clear of the meter
        self.paint_in(painter, option)
        width = theme.px(METER_WIDTH)
        share = self._facts.context_share
        ink = "warning" if share >= NEARLY_FULL else "secondary"
        # A part of nothing is shown too: it says where the meter begins.
        left = self.width() - width - theme.px(4)
        paint_meter(painter, left, self.height() // 2, width, max(share, 0.01), ink)


def fill(part: QToolButton, words: str, tip: str) -> None:
    """Have a part say `words`; one without any is not shown."""
    part.setText(words)
    part.setToolTip(plain_tip(tip))
    part.setAccessibleName(words)
    part.setAccessibleDescription(tip)


def model_words(facts: LineFacts) -> str:
    if facts.loading is not None:
        return tr("Loading {name} {share:.0%}", name=facts.model_name or tr("model"), share=facts.loading)
    return facts.model_name or tr("Choose a model")


def device_words(facts: LineFacts) -> str:
    return {"cpu": "CPU", "cuda": "CUDA", "metal": "Metal", "vulkan": "Vulkan"}.get(
        facts.device, facts.device
    )


def device_help(facts: LineFacts) -> str:
    """Where it computes, with how many threads and layers, and why not on the graphics card."""
    threads = ", " + plural("{count} thread", "{count} threads", facts.threads) if facts.threads else ""
    layers = ", " + tr("{count} layers on the GPU", count=facts.gpu_layers) if facts.gpu_layers > 0 else ""
    notice = f". {words_of(facts.device_notice)}" if facts.device_notice else ""
    return tr("Where the model runs") + threads + layers + notice


def context_words(facts: LineFacts, nearly_full: bool) -> str:
    """ "context 1.2k/8.2k"; "" while there is none."""
    if not facts.context_tokens:
        return ""
    # More than all is never in it: what is too much is left out before the model reads.
    used = short_count(min(facts.context_used, facts.context_tokens))
    words = tr(
        "context {used}/{all}",
        used=f"≈{used}" if facts.context_estimated else used,
        all=short_count(facts.context_tokens),
    )
    if facts.context_used > facts.context_tokens:
        return tr("{words} · full", words=words)
    return tr("{words} · nearly full", words=words) if nearly_full else words


def context_help(facts: LineFacts) -> str:
    words = tr(
        "{used:,} of {all:,} tokens that the model can see at once are used ({share:.0%})",
        used=facts.context_used,
        all=facts.context_tokens,
        share=facts.context_share,
    )
    if facts.context_used > facts.context_tokens:
        words = tr(
            "The chat has {used:,} tokens and the model sees {all:,} at once: the next question may leave "
            "the oldest messages out",
            used=facts.context_used,
            all=facts.context_tokens,
        )
    return f"{words}. {automatic_words()}" if facts.context_automatic else words


def automatic_words() -> str:
    """Where the size of the context comes from when nobody has named one."""
    return tr("The size was chosen to fit the memory that is free; a number in the settings overrides it.")


def short_count(number: int) -> str:
    """1234 as "1.2k"."""
    return (
        str(number)
        if number < 1000
        else number_words(number / 1000, 1).removesuffix(f"{decimal_point()}0") + "k"
    )
