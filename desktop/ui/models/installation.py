"""At the foot of the first window: one progress over all that a first start still fetches and sets up.

The rest of Steward comes in a process of its own (`Installation`), the model by `Downloads`; both at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QSizePolicy, QVBoxLayout

from desktop.system.installation import Installation, InstallationProgress, InstallationStep
from desktop.ui import theme
from desktop.ui.language import share_words, size_text, tr, tr_noop
from desktop.ui.models.cards import Page
from desktop.ui.models.downloads import Download, Downloads
from desktop.ui.models.words import time_left_text
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import clear, named

STEPS = {
    InstallationStep.STARTING: tr_noop("Setting up Steward"),
    InstallationStep.WAITING: tr_noop("Another set-up is running; this one goes on after it"),
    InstallationStep.SYSTEM: tr_noop("Setting up Steward: packages of the system"),
    InstallationStep.PACKAGES: tr_noop("Setting up Steward: fetching packages"),
    InstallationStep.UNPACKING: tr_noop("Setting up Steward: unpacking packages"),
    InstallationStep.ENGINE: tr_noop("Setting up Steward: fetching what runs the models"),
    InstallationStep.COMPILING: tr_noop("Setting up Steward: compiling what runs the models"),
    InstallationStep.ENGINE_INSTALLING: tr_noop("Setting up Steward: installing what runs the models"),
    InstallationStep.TRYING: tr_noop("Setting up Steward: trying what was installed"),
}
# What the rest of Steward weighs beside a model: its bytes, and the work on them as bytes of a quick line.
INSTALLATION_BYTES = 150_000_000


@dataclass(frozen=True)
class Whole:
    """What is being done, how far all of it is, in words and as a share of 1, and how far each part is."""

    words: str
    progress: str
    parts: str
    share: float | None


def whole(progress: InstallationProgress, downloads: Sequence[Download]) -> Whole:
    """Both together. Without a measurement of each there is no estimate: none is better than a guess."""
    running = [each for each in downloads if each.is_running]
    # Unbroken: the line may have to be two.
    left = time_left_text(_seconds_left(progress, running)).replace(" ", "\N{NO-BREAK SPACE}")
    share = _share(progress, running)
    # Beside the bar only what the bar shows: bytes of one part would be taken for those of the whole.
    said = (tr("{share} of everything", share=share_words(share)) if share is not None else "", left)
    parts = (_amount(progress), *map(_arrived, running))
    return Whole(tr(STEPS[progress.step]), _joined(said), _joined(parts), share)


def _joined(parts: Iterable[str]) -> str:
    return " · ".join(part for part in parts if part)


def _amount(progress: InstallationProgress) -> str:
    if progress.bytes_done is not None and progress.bytes_total is not None:
        done, total = size_text(progress.bytes_done), size_text(progress.bytes_total)
        return tr("This step: {done} of about {size}", done=done, size=total)
    if progress.count_done is not None and progress.count_total is not None:
        return tr(
            "This step: {done} of {total} packages", done=progress.count_done, total=progress.count_total
        )
    return ""


def _arrived(download: Download) -> str:
    progress = download.progress
    if progress is None or not progress.bytes_total:
        return download.name
    done, size = size_text(progress.bytes_done), size_text(progress.bytes_total)
    return tr("{name}: {done} of {size}", name=download.name, done=done, size=size)


def _seconds_left(progress: InstallationProgress, downloads: Sequence[Download]) -> float | None:
    """Seconds until the slower of both is done: they go on beside each other."""
    left = [progress.seconds_left]
    left += [each.progress.seconds_left if each.progress else None for each in downloads]
    known = [each for each in left if each is not None]
    return max(known) if len(known) == len(left) else None


def _share(progress: InstallationProgress, downloads: Sequence[Download]) -> float | None:
    if progress.share is None:
        return None
    total, done = float(INSTALLATION_BYTES), INSTALLATION_BYTES * progress.share
    for each in downloads:
        total += each.size_bytes or 0
        arrived = each.progress.bytes_done if each.progress is not None else 0
        done += (each.size_bytes or 0) if each.installed is not None else arrived
    return min(done / total, 1.0)


def _breakable(text: str) -> str:
    """Lets what no person wrote (a hash, a path) wrap, which would else make the window wider."""
    return re.sub(r"(\S{24})(?=\S)", "\\1\u200b", text)


class InstallationStrip(QFrame):
    """Follows an installation and the downloads beside it, until everything is there. Main thread only."""

    def __init__(self, installation: Installation, downloads: Downloads) -> None:
        super().__init__()
        self.setObjectName("installation_strip")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._installation, self._downloads = installation, downloads
        self._followed: list[Download] = []
        self._problem: ErrorCard | None = None
        self.words = Label("", SMALL_PX, bold=True, name="installation_words")
        self.bar = named(QProgressBar(), "installation_bar", tr("Progress of the set-up"))
        self.bar.setTextVisible(False)
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.progress = Label("", SMALL_PX, name="installation_progress")
        self.parts = Label("", CAPTION_PX, colour="secondary", name="installation_parts")
        self._shown_while_it_runs = (self.words, self.bar, self.progress, self.parts)
        self._place = QVBoxLayout()
        column = theme.space(QVBoxLayout(self), 6, (24, 12, 24, 14))
        for widget in self._shown_while_it_runs:
            column.addWidget(widget)
        column.addLayout(self._place)
        installation.changed.connect(self._show)
        installation.done.connect(self._on_done)
        downloads.changed.connect(self._follow_downloads)
        self._follow_downloads()

    def _follow_downloads(self) -> None:
        for download in self._downloads.all:
            if download not in self._followed:
                self._followed.append(download)
                download.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        if self._installation.is_done:
            return
        error = self._installation.error
        for widget in self._shown_while_it_runs:
            widget.setVisible(error is None)
        if error is not None:
            self._show_problem()
            return
        self._problem = None
        clear(self._place)
        shown = whole(self._installation.progress, self._followed)
        self.words.setText(shown.words)
        self.progress.show_text(shown.progress)
        self.parts.show_text(shown.parts)
        busy = shown.share is None and not theme.current().reduced_motion
        self.bar.setRange(0, 0 if busy else 1000)
        self.bar.setValue(round(1000 * (shown.share or 0)))
        percent = "" if shown.share is None else tr("{done} percent", done=round(100 * shown.share))
        self.bar.setAccessibleDescription(percent)

    def _on_done(self) -> None:
        """It says so, as high as it was: somebody may aim at a button, which must not move. Its owner takes
        it away with the page."""
        self.setMinimumHeight(self.height())
        self.words.setText(tr("Steward is set up"))
        self.progress.hide()
        self.parts.hide()
        self.bar.setRange(0, 1000)
        self.bar.setValue(1000)
        self.bar.setAccessibleDescription(tr("{done} percent", done=100))

    def _show_problem(self) -> None:
        error = self._installation.error
        if error is not None and (self._problem is None or self._problem.error is not error):
            clear(self._place)
            self._problem = ErrorCard(error, [(tr("Try again"), self._installation.start)], write=_breakable)
            self._place.addWidget(self._problem)


class WaitPage(Page):
    """The page of a start where nothing is left to choose; the chat comes by itself."""

    back = Signal()

    def __init__(self) -> None:
        super().__init__("wait_page", tr("Nearly there"))
        tip = tr("Steward is still being set up. The chat opens by itself as soon as that is done.")
        self.body.addWidget(Label(tip, name="wait_words"))
        self.body.addStretch(1)
        self.back_button = button(tr("Back"), "wait_back", self.back.emit)
        self.buttons.addWidget(self.back_button)
