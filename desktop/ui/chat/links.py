"""Which links of a model's answer may leave the program."""

from __future__ import annotations

from PySide6.QtCore import QUrl

ALLOWED_SCHEMES = frozenset({"http", "https", "mailto"})


def is_allowed(address: str) -> bool:
    """Whether a click on `address` may open the system's browser or mail program.

    Everything else (file, javascript, data, the handlers of other programs) is refused: the text comes from
    a model and may have been planted.
    """
    url = QUrl(address, QUrl.ParsingMode.StrictMode)
    return (
        url.isValid()
        and url.scheme().lower() in ALLOWED_SCHEMES
        and (url.scheme() == "mailto" or bool(url.host()))
    )
