"""From the bytes of tokens to text that can be shown: whole characters, nothing of a stop text."""

from __future__ import annotations

import codecs


class AnswerText:
    """Collects an answer. `push` gives what may be shown now; `stopped` tells that a stop text came."""

    def __init__(self, stop: tuple[str, ...] = ()) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._stop = tuple(text for text in stop if text)
        self._held = ""
        self.shown: list[str] = []
        self.stopped = False

    def push(self, piece: bytes) -> str:
        """Add the bytes of one token."""
        return self._release(self._decoder.decode(piece))

    def finish(self) -> str:
        """What was held back, at the end of the answer."""
        if self.stopped:
            return ""
        rest = self._release(self._decoder.decode(b"", final=True))
        held, self._held = self._held, ""
        if held and not self.stopped:
            self.shown.append(held)
            return rest + held
        return rest

    @property
    def whole(self) -> str:
        """All that was shown."""
        return "".join(self.shown)

    def _release(self, text: str) -> str:
        text = self._held + text
        if self._stop:
            text = self._cut(text)
        else:
            self._held = ""
        if text:
            self.shown.append(text)
        return text

    def _cut(self, text: str) -> str:
        places = [place for place in map(text.find, self._stop) if place >= 0]
        if places:
            self.stopped, self._held = True, ""
            return text[: min(places)]
        keep = max(_overlap(text, stop) for stop in self._stop)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]


def _overlap(text: str, stop: str) -> int:
    """How many characters at the end of `text` could begin `stop`."""
    for size in range(min(len(text), len(stop) - 1), 0, -1):
        if stop.startswith(text[-size:]):
            return size
    return 0
