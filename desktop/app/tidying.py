"""At quiet moments: old conversations go where the settings say so, and the last traces of deleted ones."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from desktop.app.services import Services

if TYPE_CHECKING:
    from desktop.chat.retention import RetentionOutcome
    from desktop.qt.background import Background
    from desktop.ui.desktop import Desktop
    from desktop.ui.tray import Tray

FIRST_MS, LATER_MS = 60_000, 6 * 3_600_000  # after the start, and from then on


def tidy_chats(
    core: Services, desktop: Desktop, tray: Tray, background: Background, ending: ExitStack
) -> None:
    """Look a minute after the start and every six hours; what is open or answered stays. Main thread."""
    from PySide6.QtCore import QTimer

    from desktop.chat.retention import DeletedTextPurge, Retention

    forgetting = DeletedTextPurge(core.database, lambda: core.engine.is_busy)
    retention = Retention(
        core.database,
        core.store,
        lambda: core.settings.current.chat.keep_days,
        lambda: core.settings.current.chat.told_about_keeping,
        lambda text: core.settings.change("chat", "told_about_keeping", text),
    )

    def apply(in_use: frozenset[int]) -> tuple[RetentionOutcome, bool]:
        outcome = retention.apply(in_use)
        is_done = forgetting.tidy()
        core.remembering.forget_gone()  # what was said in a chat that is gone is remembered no more
        return outcome, is_done

    def applied(found: tuple[RetentionOutcome, bool]) -> None:
        outcome, is_done = found
        if not is_done:
            timer.start(FIRST_MS)  # somebody was being answered
        _tell(core, tray, outcome)

    def look() -> None:
        timer.start(LATER_MS)
        background.run(apply, desktop.in_use, done=applied)

    timer = QTimer(singleShot=True)
    timer.timeout.connect(look)
    timer.start(FIRST_MS)
    ending.callback(timer.stop)


def _tell(core: Services, tray: Tray, outcome: RetentionOutcome) -> None:
    from desktop.chat.events import ConversationsChanged
    from desktop.ui.language import plural, tr

    days = core.settings.current.chat.keep_days
    if outcome.deleted:
        core.bus.publish(ConversationsChanged())
    if outcome.due:
        words = plural(
            "{count} chat was not used for {days} days and is deleted tomorrow. Pin what is to stay.",
            "{count} chats were not used for {days} days and are deleted tomorrow. Pin what is to stay.",
            outcome.due,
            days=days,
        )
        tray.say(tr("Old chats"), words)
