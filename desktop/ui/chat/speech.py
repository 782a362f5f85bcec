"""Answers read aloud by the system's speech: offered where that is switched on and a program works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject

from desktop.chat.intent_words import language_of
from desktop.settings import Settings, SettingsChanged
from desktop.ui.chat.services import ChatServices
from desktop.ui.chat.transcript import Transcript
from desktop.ui.language import tr
from desktop.ui.widgets.toast import Toast

if TYPE_CHECKING:
    from desktop.system.speech import Speaker


class SpeechController(QObject):
    """For one transcript. Nothing of it is loaded, and no program looked for, before the setting is on. Main
    thread only."""

    def __init__(self, services: ChatServices, transcript: Transcript, toast: Toast) -> None:
        super().__init__()
        self._settings = services.settings
        self._background = services.background
        self._transcript = transcript
        self._toast = toast
        self.speaker: Speaker | None = None
        self._asked = False
        self._spoken = 0  # the answer that is being read
        transcript.maker.read_wanted.connect(self._on_read_wanted)
        services.relay.listen(SettingsChanged, lambda event: self._follow(event.settings))
        app = QCoreApplication.instance()
        assert app is not None
        # A voice that goes on after the window is gone has nobody who could stop it.
        app.aboutToQuit.connect(self.stop)
        self._follow(self._settings.current)

    def stop(self) -> None:
        """End what is being read."""
        if self.speaker is not None and self._spoken:
            self.speaker.stop()
            self._show(0)  # what was given up tells nobody of its end

    # -- inside -------------------------------------------------------------------------------

    def _follow(self, settings: Settings) -> None:
        wanted = settings.chat.read_aloud
        if not wanted:
            self.stop()
            self._asked = False  # whoever has installed a program since switches it off and on
        elif self.speaker is None:
            self._look()
            return
        self._transcript.set_reads_aloud(wanted)

    def _look(self) -> None:
        """For a program, once while it is on: on the pool, for one of them starts a server to answer."""
        if self._asked:
            return
        self._asked = True
        self._background.run(_speaker, done=self._on_found, failed=self._on_not_found)

    def _on_found(self, speaker: Speaker | None) -> None:
        self._asked = False
        self.speaker = speaker
        if speaker is not None:
            self._transcript.set_reads_aloud(self._settings.current.chat.read_aloud)
        elif self._settings.current.chat.read_aloud:
            self._asked = True  # and not at every other change of a setting
            self._toast.offer(_lacking())

    def _on_not_found(self, error: Exception) -> None:
        self._asked = False
        self._toast.refuse(error)

    def _on_read_wanted(self, message_id: int) -> None:
        """Read the answer, or stop where it is being read already."""
        is_same = message_id == self._spoken
        self.stop()
        message = self._transcript.message(message_id)
        if is_same or message is None or self.speaker is None:
            return
        from desktop.system.speech import spoken_words

        text = spoken_words(message.shown)
        if not text:
            self._toast.offer(tr("This answer has no words to read: code is left out."))
            return
        self._show(message_id)
        self._background.run(
            self.speaker.speak,
            text,
            language_of(message.shown),
            done=lambda _none: self._on_over(message_id),
            failed=lambda error: self._on_over(message_id, error),
        )

    def _on_over(self, message_id: int, error: Exception | None = None) -> None:
        if self._spoken == message_id:
            self._show(0)
        if error is not None:
            self._toast.refuse(error)

    def _show(self, message_id: int) -> None:
        self._spoken = message_id
        self._transcript.show_spoken(message_id)


def speech_lacks() -> str:
    """What is missing to read aloud here, for who has switched it on; "" where nothing is. On the pool."""
    return "" if _speaker() is not None else f"{_lacking()} {tr('Then switch this setting off and on.')}"


def _lacking() -> str:
    return tr("No working speech program was found. Install espeak-ng.")


def _speaker() -> Speaker | None:
    """On the pool."""
    from desktop.system.speech import Speaker, speech_program

    program = speech_program()
    return Speaker(program) if program is not None else None
