"""The line that offers to find by meaning too, shows the download, and switches it off again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from desktop.errors import Cancelled
from desktop.memory.vectors.better_search import BetterSearch, BetterState
from desktop.models.progress import DownloadControl, DownloadPhase, DownloadProgress
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.ui import theme
from desktop.ui.language import plural, size_text, tr, words_of
from desktop.ui.permission.visible import plain_tip
from desktop.ui.theme import CAPTION_PX
from desktop.ui.widgets.actions import button, small
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import sized

BAR_PX = 120
LOOK_MS = 5000  # while memories are still being read
_OVER = (DownloadPhase.DONE, DownloadPhase.FAILED, DownloadPhase.CANCELLED)


class MeaningLine(QWidget):
    """Words, a bar while the model arrives, one button. Main thread only."""

    def __init__(
        self,
        better: BetterSearch,
        relay: Relay,
        background: Background,
        failed: Callable[[Exception], None],
    ) -> None:
        """`failed` takes the error of a download that ended."""
        super().__init__()
        self._better = better
        self._background = background
        self._failed = failed
        self._control: DownloadControl | None = None
        self._state = BetterState(is_on=False, is_fetched=False)
        self.setObjectName("memory_meaning")
        self.words = Label("", CAPTION_PX, colour="secondary", name="memory_meaning_words")
        self.bar = QProgressBar()
        self.bar.setObjectName("memory_meaning_bar")
        self.bar.setTextVisible(False)
        self.bar.hide()
        self.button = button("", "memory_meaning_button")
        small(self.button)
        self.button.clicked.connect(lambda _checked: self._on_clicked())
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.words, 1)
        self._row.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self.button)
        self._timer = QTimer(self, singleShot=True, interval=LOOK_MS)
        self._timer.timeout.connect(self.read)
        relay.listen(DownloadProgress, self._on_progress)
        sized(self.bar, width=BAR_PX)
        theme.space(self._row, 10)

    def read(self) -> None:
        """Look how it stands."""
        self._background.run(self._better.state, done=self._on_state, failed=self._failed)

    # -- inside -----------------------------------------------------------------------------------

    def _on_state(self, state: BetterState) -> None:
        self._state = state
        self._show()
        # Reading goes on out of sight, and nothing ticks meanwhile.
        if state.waiting and self.isVisible():
            self._timer.start()

    def _show(self) -> None:
        loading = self._control is not None
        self.bar.setVisible(loading)
        if loading:
            self._label(tr("Cancel"), tr("Cancel the download"))
            return
        state = self._state
        if not state.is_on:
            self.words.setText(tr("Found by words, dates and parts of words."))
            size = size_text(self._better.download_bytes)
            words = tr("Better search") if state.is_fetched else tr("Better search ({size})…", size=size)
            self._label(words, tr("Find by meaning too, with a small model of its own"))
            return
        words = tr("Found by words and by meaning.")
        if state.waiting:
            more = plural(
                "{count:,} memory is still to be read, when nothing else is to do.",
                "{count:,} memories are still to be read, when there is nothing else to do.",
                state.waiting,
            )
            words = f"{words} {more}"
        self.words.setText(words)
        self._label(tr("Words only"), tr("Find by words only"))

    def _label(self, words: str, described: str) -> None:
        self.button.setText(words)
        self.button.setAccessibleName(words.rstrip("…"))
        self.button.setAccessibleDescription(described)
        self.button.setToolTip(plain_tip(described))

    def _on_clicked(self) -> None:
        if self._control is not None:
            self._control.cancel()
        elif self._state.is_on:
            self._background.run(self._better.switch_off, done=lambda _none: self.read(), failed=self._failed)
        else:
            self._begin()

    def _begin(self) -> None:
        self._control = DownloadControl()
        self.words.setText(tr("Fetching the model…"))
        self._show()
        self._background.run(self._fetch, self._control, done=self._on_over, failed=self._on_failed)

    def _fetch(self, control: DownloadControl) -> None:
        """On the pool; a cancelled download is no error."""
        try:
            self._better.switch_on(control)
        except Cancelled:
            return

    def _on_progress(self, event: DownloadProgress) -> None:
        # Downloads of other models are announced by the same event.
        if event.model_id != self._better.model_id or event.phase in _OVER or self._control is None:
            return
        # Without a total the bar only moves: Qt's sign for that is an empty range.
        self.bar.setRange(0, 100 if event.bytes_total else 0)
        if event.bytes_total:
            self.bar.setValue(event.bytes_done * 100 // event.bytes_total)
        done = size_text(event.bytes_done)
        words = tr("{phase}: {done}", phase=words_of(event.phase.reason), done=done)
        self.words.setText(words)
        self.bar.setAccessibleName(words)

    def _on_over(self, _none: object) -> None:
        self._control = None
        self.read()

    def _on_failed(self, error: Exception) -> None:
        self._control = None
        self.read()
        self._failed(error)
