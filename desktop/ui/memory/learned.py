"""What I learned: which fix worked for which failure, and what may be done about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from desktop.memory.hindsight.fixes import PROMOTED_FROM, Fix, said
from desktop.memory.hindsight.hindsight import Hindsight
from desktop.memory.item import Layer
from desktop.qt.background import Background, Latest
from desktop.ui.language import date_words, plural, tr, tr_noop
from desktop.ui.memory.list import layer_words
from desktop.ui.widgets.buttons import action
from desktop.ui.widgets.cards import Row
from desktop.ui.widgets.layout import ScrollColumn, order_tabs
from desktop.ui.widgets.lists import EmptyWords, FilteredList

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
