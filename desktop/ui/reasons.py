"""What ui says to people: the codes of the sentences in resources/messages."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class WindowReason(ReasonCode):
    """See resources/messages/en/ui.toml."""

    BUG = "ui.bug"
    CHOICE_NOT_SAVED = "ui.choice-not-saved"
    WRONG_HASH = "ui.wrong-hash"
    EXPORT_FAILED = "ui.export-failed"
    DOCTOR_FAILED = "ui.doctor-failed"
    SET_BY_ENVIRONMENT = "ui.set-by-environment"
    OCR_EMPTY = "ui.ocr-empty"
