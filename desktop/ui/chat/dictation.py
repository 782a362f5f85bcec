"""Messages that are spoken: the microphone beside the message box, and what comes of it.

The words are put where the user types, to be read and changed; nothing is sent. The microphone is open from
one press to the next, a minute at most, and shut whenever the window goes away.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QWidget

from desktop.settings import SettingsChanged
from desktop.ui import theme
from desktop.ui.chat.services import ChatServices
from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.toast import Toast

if TYPE_CHECKING:
    from desktop.system.recognizer import Recognizer
    from desktop.system.recording import Recording, RecordingProgram


class DictationState(Enum):
    OFF = "off"  # it is not offered
    READY = "ready"
    OPENING = "opening"  # the microphone, which has given no sound yet
    LISTENING = "listening"
    READING = "reading"  # what was recorded is turned into words


_IN_HAND = (DictationState.OPENING, DictationState.LISTENING, DictationState.READING)


class DictationButton(QWidget):
    """A microphone that begins and ends, and how long it has been open. Main thread only."""

    begin_wanted = Signal()
    stop_wanted = Signal()
    cancel_wanted = Signal()
    width_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = DictationState.OFF
        self.label = Label("", SMALL_PX, name="dictation_state")
        self.button = IconButton("microphone", tr("Dictate in English"), "dictate", self.press, size=36)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.label, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)
        theme.space(row, 4)
        self.show_state(DictationState.OFF)

    @property
    def in_hand(self) -> bool:
        """Whether something is recorded or read now."""
        return self.state in _IN_HAND

    def show_state(self, state: DictationState, seconds: int = 0) -> None:
        """`seconds` is how long the microphone has been open."""
        self.state = state
        words, tip, icon, ink = {
            DictationState.OFF: ("", "", "microphone", "secondary"),
            DictationState.READY: ("", tr("Dictate in English"), "microphone", "secondary"),
            DictationState.OPENING: (
                tr("One moment …"),
                tr("Switching on the microphone (Esc cancels)"),
                "microphone",
                "secondary",
            ),
            DictationState.LISTENING: (
                f"0:{seconds:02d}",
                tr("Stop and write down what was said (Enter; Esc cancels)"),
                "stop",
                "danger",
            ),
            DictationState.READING: (
                tr("Writing down …"),
                tr("Writing down what was said (Esc cancels)"),
                "microphone",
                "secondary",
            ),
        }[state]
        self.label.setText(words)
        self.label.setVisible(bool(words))
        self.button.set_icon(icon, ink)
        self.button.set_words(tip)
        self.setVisible(state is not DictationState.OFF)
        self.width_changed.emit()

    def press(self) -> None:
        """Begins, or ends what is being said."""
        if self.state is DictationState.READY:
            self.begin_wanted.emit()
        elif self.state is DictationState.LISTENING:
            self.stop_wanted.emit()


class DictationController(QObject):
    """Of one message box. Nothing of it is loaded, and no program looked for, before the setting is on. Main
    thread only."""

    _heard = Signal(object, int)

    def __init__(
        self, services: ChatServices, button: DictationButton, text: QPlainTextEdit, toast: Toast
    ) -> None:
        super().__init__()
        self._settings = services.settings
        self._background = services.background
        self._button, self._text, self._toast = button, text, toast
        self._program: RecordingProgram | None = None
        self._recognizer: Recognizer | None = None
        self._recording: Recording | None = None  # the one in hand
        self._was_wanted = False
        button.begin_wanted.connect(self.begin)
        button.stop_wanted.connect(self.stop)
        button.cancel_wanted.connect(self.cancel)
        # It is told on the pool, several times a recording.
        self._heard.connect(self._on_heard, Qt.ConnectionType.QueuedConnection)
        services.relay.listen(SettingsChanged, lambda _event: self.refresh())
        app = QCoreApplication.instance()
        assert app is not None
        app.aboutToQuit.connect(self.cancel)
        self.refresh()

    def refresh(self) -> None:
        """Show the button as the setting says."""
        wanted = self._settings.current.chat.dictate
        if wanted == self._was_wanted:
            return
        self._was_wanted = wanted
        if wanted:
            # Whoever has added it since switches it off and on.
            self._background.run(_parts, done=self._on_found, failed=self._toast.refuse)
            return
        self.cancel()
        self._button.show_state(DictationState.OFF)

    def begin(self) -> None:
        """Open the microphone."""
        if self._program is None or self._button.state is not DictationState.READY:
            return
        from desktop.system.recording import Recording

        recording = self._recording = Recording(self._program)
        self._button.show_state(DictationState.OPENING)
        self._background.run(
            recording.run,
            lambda seconds: self._heard.emit(recording, seconds),
            done=lambda samples: self._on_recorded(recording, samples),
            failed=lambda error: self._on_failed(recording, error),
        )

    def stop(self) -> None:
        """Stop listening, and write down what was said."""
        if self._recording is not None:
            self._recording.stop()

    def cancel(self) -> None:
        """Shut the microphone and forget what was said; harmless when there is nothing."""
        recording, self._recording = self._recording, None
        if recording is None:
            return
        recording.cancel()
        if self._recognizer is not None:
            self._recognizer.cancel()
        self._button.show_state(DictationState.READY)

    # -- inside -------------------------------------------------------------------------------

    def _on_found(self, found: tuple[RecordingProgram | None, Recognizer | None]) -> None:
        if not self._was_wanted:
            return
        self._program, self._recognizer = found
        if words := _lacking(found):
            self._toast.offer(words)
        else:
            self._button.show_state(DictationState.READY)

    def _on_heard(self, recording: Recording, seconds: int) -> None:
        # What was queued before the end says nothing any more.
        if recording is self._recording and self._button.state in _IN_HAND[:2]:
            self._button.show_state(DictationState.LISTENING, seconds)

    def _on_recorded(self, recording: Recording, samples: bytes) -> None:
        if recording is not self._recording or self._recognizer is None:
            return
        self._button.show_state(DictationState.READING)
        self._background.run(
            self._recognizer.words,
            samples,
            done=lambda words: self._on_words(recording, samples, words),
            failed=lambda error: self._on_failed(recording, error),
        )

    def _on_words(self, recording: Recording, samples: bytes, words: str) -> None:
        if recording is not self._recording:
            return
        from desktop.system.recording import LONGEST_BYTES, LONGEST_S

        self._over()
        if not words:
            self._toast.offer(tr("No words were understood. Speak close to the microphone, in English."))
            return
        self._insert(words)
        if len(samples) >= LONGEST_BYTES:
            self._toast.offer(
                tr(
                    "The microphone was switched off after {seconds} seconds. Press it again to go on.",
                    seconds=LONGEST_S,
                )
            )

    def _on_failed(self, recording: Recording, error: Exception) -> None:
        if recording is self._recording:
            self._over()
        self._toast.refuse(error)

    def _over(self) -> None:
        self._recording = None
        self._button.show_state(DictationState.READY)

    def _insert(self, words: str) -> None:
        """Where the cursor is, in place of what is selected, a space away from other words."""
        cursor = self._text.textCursor()
        text = self._text.toPlainText()
        before = text[: cursor.selectionStart()][-1:]
        after = text[cursor.selectionEnd() :][:1]
        head = " " if before and not before.isspace() else ""
        tail = " " if after and not after.isspace() else ""
        cursor.insertText(f"{head}{words}{tail}")
        self._text.setTextCursor(cursor)
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)


def dictation_lacks() -> str:
    """What is missing for it here, for who has just switched it on; "" where nothing is. On the pool."""
    said = _lacking(_parts())
    return f"{said}\n{tr('Then switch this setting off and on.')}" if said else ""


def _lacking(found: tuple[RecordingProgram | None, Recognizer | None]) -> str:
    program, recognizer = found
    said = []
    if recognizer is None:
        said.append(
            tr("Dictation needs its add-on (56 MB). Type in a terminal: steward addons add dictation")
        )
    if program is None:
        said.append(
            tr("No program for recording was found. Install pulseaudio-utils, PipeWire or alsa-utils.")
        )
    return "\n".join(said)


def _parts() -> tuple[RecordingProgram | None, Recognizer | None]:
    """On the pool: it reads files."""
    from desktop.sandbox.confinement import available
    from desktop.sandbox.parser import Parser
    from desktop.system.recognizer import Recognizer
    from desktop.system.recording import recording_program

    return recording_program(), Recognizer.installed(Parser(lambda: available().best))
