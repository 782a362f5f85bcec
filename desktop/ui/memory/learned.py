"""What I learned: which fix worked for which failure, and what may be done about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.memory.hindsight.fixes import PROMOTED_FROM, Fix, said
from desktop.memory.hindsight.hindsight import Hindsight
from desktop.memory.item import Layer
from desktop.qt.background import Background
from desktop.ui.language import plural, tr
from desktop.ui.memory.model import layer_words
from desktop.ui.pages.times import day_words
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.labels import Label, button
from desktop.ui.widgets.rows import Row, RowList, order_tabs, small
from desktop.ui.widgets.scroll import ScrollColumn

AT_ONCE = 50  # rows; more on demand


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
        parts = [worked, tr("last {day}", day=day_words(fix.last_at)), layer_words(fix.layer, fix.scope)]
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
        self._learned: list[Learned] = []
        self._text = ""
        self._shown = AT_ONCE
        self._readings = 0
        self.setObjectName("memory_learned")
        self._changed = changed
        self.list: RowList[Learned] = RowList("memory_fixes", self._row)
        self.empty = Label("", SMALL_PX, colour="secondary", name="memory_fixes_empty")
        self.more = button("", "memory_fixes_more")
        small(self.more)
        self.more.clicked.connect(lambda _checked: self._show_more())
        scroll = ScrollColumn("memory_fixes_scroll")
        for widget in (self.empty, self.list):
            scroll.body.addWidget(widget)
        line = QHBoxLayout()
        line.addWidget(self.more)
        line.addStretch(1)
        scroll.body.addLayout(line)
        scroll.body.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scroll, 1)

    @property
    def count(self) -> int:
        return len(self._learned)

    def read(self) -> None:
        """Read the fixes again."""
        self._readings += 1
        number = self._readings
        self._background.run(self._hindsight.fixes, done=lambda fixes: self._on_read(number, fixes))

    def search(self, text: str) -> None:
        """Show those in which all words of `text` stand."""
        # Another search begins at the top again.
        self._text, self._shown = text, AT_ONCE
        self._show()

    # -- inside -----------------------------------------------------------------------------------

    def _on_read(self, number: int, fixes: tuple[Fix, ...]) -> None:
        if number == self._readings:
            self._learned = [Learned(fix) for fix in fixes]
            self._show()

    def _show(self) -> None:
        found = [each for each in self._learned if each.contains(self._text)]
        part = found[: self._shown]
        self.list.show_rows([(each.fix.id, each) for each in part])
        left = len(found) - len(part)
        self.more.setVisible(left > 0)
        self.more.setText(tr("Show {count} more of {left}", count=min(AT_ONCE, left), left=left))
        self.empty.show_text("" if found else self._nothing())
        order_tabs((*self.list.stops, self.more))
        self._changed()

    def _nothing(self) -> str:
        if self._learned:
            return tr("No fix matches the search.")
        return tr(
            "Nothing learned yet. When a tool or command fails and another try at the same thing works, what "
            "helped is kept here and offered the next time."
        )

    def _show_more(self) -> None:
        self._shown += AT_ONCE
        self._show()

    def _row(self, learned: Learned) -> Row:
        fix = learned.fix
        stop = button(
            tr("Offer again") if fix.forbidden else tr("Never offer"), f"memory_fix_forbid_{fix.id}"
        )
        stop.clicked.connect(lambda _checked: self._forbid(fix))
        forget = button(tr("Forget"), f"memory_fix_forget_{fix.id}", described=tr("Forget this fix"))
        forget.clicked.connect(lambda _checked: self._forget(fix))
        buttons = [stop, forget]
        # What counts everywhere already has nowhere to go.
        if fix.layer is Layer.PROJECT and not fix.forbidden:
            buttons.insert(0, self._promote_button(fix))
        icon = "denied" if fix.forbidden else "check" if fix.may_be_promoted else "again"
        ink = "secondary" if fix.forbidden or not fix.may_be_promoted else "success"
        return Row(icon, ink, learned.title, (learned.problem, learned.record), buttons)

    def _promote_button(self, fix: Fix) -> QPushButton:
        made = button(tr("Promote…"), f"memory_fix_promote_{fix.id}", described=tr("Offer it everywhere"))
        # Shown and grey with its reason rather than hidden: one learns what it takes.
        made.setEnabled(fix.may_be_promoted)
        if not fix.may_be_promoted:
            made.setToolTip(
                tr("It has to work {count} times, and nearly always, first.", count=PROMOTED_FROM)
            )
        made.clicked.connect(lambda _checked: self._ask_promote(fix))
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
