"""What can be said about the engine: codes, whose sentences lie in resources/messages."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class EngineReason(ReasonCode):
    """See resources/messages/en/engine.toml."""

    ADDON_MISFIT = "engine.addon-misfit"
    DISK_FULL = "engine.disk-full"
    UNKNOWN_ADDON = "engine.unknown-addon"
    ADDON_NOT_REMOVED = "engine.addon-not-removed"
    MODEL_FAILED = "engine.model-failed"
    MODEL_FILE_MISSING = "engine.model-file-missing"
    MODEL_TOO_LARGE = "engine.model-too-large"
    CONTEXT_TOO_LARGE = "engine.context-too-large"
    MODEL_LOAD_FAILED = "engine.model-load-failed"
    MODEL_UNSAFE = "engine.model-unsafe"
    NO_DRIVER = "engine.no-driver"
    NOT_STARTED = "engine.not-started"
    NO_CARD_FOUND = "engine.no-card-found"
    CARD_REFUSED = "engine.card-refused"
    CARD_CRASHED = "engine.card-crashed"
    CARD_FULL = "engine.card-full"
    PLAIN_TEMPLATE = "engine.plain-template"
    TWO_NOTICES = "engine.two-notices"
    ENDLESS = "engine.endless"
    CRASHED = "engine.crashed"
    FAILED_THERE = "engine.failed-there"
    FOR_OTHER_SYSTEM = "engine.for-other-system"
    FOR_OTHER_LLAMA = "engine.for-other-llama"
    CRASHED_WHILE_LOADING = "engine.crashed-while-loading"
    CRASHED_WHILE_COMPUTING = "engine.crashed-while-computing"
    NO_MODEL = "engine.no-model"
    ADDON_DAMAGED = "engine.addon-damaged"
    ADDON_NOT_UNPACKED = "engine.addon-not-unpacked"
