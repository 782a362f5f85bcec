"""Under an answer: how it ended, what can be done with it, what it cost."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from desktop.chat.store import Message, MessageStatus
from desktop.chat.turn import CAN_CONTINUE
from desktop.ui.buttons import IconButton
from desktop.ui.chat.action_row import ActionRow
from desktop.ui.chat.message import set_colour
from desktop.ui.language import number_words, plural, tr
from desktop.ui.mirroring import mirror
from desktop.ui.theme import CAPTION_PX, Theme


def status_words(status: MessageStatus) -> str:
    """How an answer ended, where that has to be said."""
    return {
        MessageStatus.STOPPED: tr("Stopped by you"),
        MessageStatus.LENGTH: tr("Stopped at the length limit"),
        MessageStatus.CONTEXT_FULL: tr("Stopped because the context is full"),
        MessageStatus.REPEATED: tr("Stopped because it repeated itself"),
        MessageStatus.INTERRUPTED: tr("Interrupted when Steward ended"),
        MessageStatus.FAILED: tr("This answer failed"),
    }.get(status, "")


class Footer(QWidget):
    """Its room is always kept, so that nothing moves when it appears."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("message_footer")
        self.status = QLabel(self)
        self.status.setFont(theme.font(CAPTION_PX))
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        set_colour(self.status, theme, "warning")
        self.sign = QLabel(self)
        self.sign.setPixmap(theme.icon("warning", "warning").pixmap(theme.px(14), theme.px(14)))
        self.row = ActionRow(theme, self, tr("Copy answer"))
        self.copy_button = self.row.copy_button
        self.again_button = self.row.again_button
        self.caption = self.row.caption
        row = self.row  # the versions stand first here
        order = (
            row.versions.previous,
            row.versions.next,
            row.copy_button,
            row.again_button,
            row.delete_button,
        )
        for one, other in pairwise(order):
            QWidget.setTabOrder(one, other)
        set_colour(self.caption, theme, "secondary")
        self.continue_button = IconButton(
            theme, "play", tr("Continue this answer"), "continue_answer", label=tr("Continue"), parent=self
        )

    def show_state(self, message: Message, last: bool, failed_with_card: bool, revisable: bool) -> None:
        """What is offered for `message` as it stands."""
        words = "" if failed_with_card else status_words(message.status)
        for part in (self.status, self.sign):
            part.setVisible(bool(words))
        self.status.setText(words)
        self.continue_button.setVisible(last and bool(message.text) and message.status in CAN_CONTINUE)
        self.caption.setText(caption_of(message))
        self.row.offer(*self._offered(message, last, failed_with_card, revisable))

    def _offered(
        self, message: Message, last: bool, failed_with_card: bool, revisable: bool
    ) -> list[QWidget]:
        if message.status is MessageStatus.STREAMING:
            return []
        offered: list[QWidget] = [self.copy_button] if message.text else []
        if (last or revisable) and not failed_with_card:
            offered.append(self.again_button)
        if revisable:
            offered.append(self.row.delete_button)
        return [*offered, self.caption] if self.caption.text() else offered

    def focus_first(self) -> bool:
        """Give the focus to the first action."""
        if not self.continue_button.isHidden():
            self.continue_button.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        return self.row.focus_first()

    def arrange(self, width: int, y: int) -> int:
        """Place everything for `width` at `y`; returns the height."""
        px = self._theme.px
        top = px(4)
        if self.status.text():
            top = self._arrange_status(px(28))
            mirror(self, width, self.sign, self.status, self.continue_button)
        row = self.row.arrange(width)
        self.row.setGeometry(0, top, width, row)
        self.setGeometry(0, y, width, top + row)
        return top + row

    def _arrange_status(self, row: int) -> int:
        px = self._theme.px
        top = px(8)
        self.sign.setGeometry(0, top, px(18), row)
        size = self.status.sizeHint()
        self.status.setGeometry(px(20), top, size.width(), row)
        hint = self.continue_button.sizeHint()
        self.continue_button.setGeometry(px(28) + size.width(), top, hint.width(), row)
        return top + row


def caption_of(message: Message) -> str:
    """What an answer cost: "512 tokens · 11 tok/s · 46 s"."""
    if not message.answer_tokens:
        return ""
    tokens = plural("{count} token", "{count} tokens", message.answer_tokens)
    rate, time = number_words(message.tokens_per_s, 1), number_words(message.total_s, 1)
    speed = tr("{speed} tok/s", speed=rate) if message.tokens_per_s else ""
    return " · ".join(part for part in (tokens, speed, tr("{seconds} s", seconds=time)) if part)
