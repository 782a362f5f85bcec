"""The program's own log: a file of the profile and, where asked for, stderr. stdout belongs to the answer."""

from __future__ import annotations

import logging
import logging.handlers
import os
import sys
import threading
from collections.abc import Mapping, MutableMapping
from functools import cache
from io import TextIOWrapper
from types import TracebackType
from typing import Any, Literal

import structlog

from desktop.app.reasons import AppReason
from desktop.errors import UserFacing
from desktop.gate.redaction import Redactor, read_rules
from desktop.paths import PRIVATE_FILE, Paths, ensure, private, resources

log = structlog.get_logger(__name__)

LogFormat = Literal["console", "json"]

LOG_BYTES = 2_000_000
LOG_FILES = 3


def start_logging(paths: Paths, to_stderr: LogFormat | None) -> None:
    """Log to the profile's file and, where asked for, to stderr; stdout belongs to the answer.

    Raises UserFacing where the folder cannot be made: nothing else could be kept there either.
    """
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    _make_folder(paths)
    handlers: list[logging.Handler] = [
        _LogFile(paths.log_file, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", delay=True)
    ]
    handlers[0].setFormatter(_formatter("json"))
    if to_stderr is not None:
        handlers.append(logging.StreamHandler(sys.stderr))
        handlers[-1].setFormatter(_formatter(to_stderr))
    logging.basicConfig(level=logging.INFO, handlers=handlers, force=True)
    # The HTTP client logs every request with its address; network.py keeps that log itself.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    # Libraries warn of what is for whoever writes programs, such as a computer without a time zone.
    logging.captureWarnings(True)
    _log_what_nobody_caught()


def end_logging() -> None:
    """Close the log; nothing is written any more. Before its folder goes: Windows keeps what is open."""
    logging.captureWarnings(False)
    root = logging.getLogger()
    for handler in list(root.handlers):
        root.removeHandler(handler)
        handler.close()
    root.addHandler(logging.NullHandler())


class _LogFile(logging.handlers.RotatingFileHandler):
    """Grows past its size where it cannot be renamed: on Windows, while another process writes to it too.

    On a full disk lines are lost without a word: whoever keeps something there tells, and with what to do.
    """

    def _open(self) -> TextIOWrapper:
        """Open the file for its owner alone, also one from before that others could read."""
        stream = open(self.baseFilename, self.mode, encoding=self.encoding, opener=private)  # noqa: SIM115 - kept
        if os.name == "posix":
            os.fchmod(stream.fileno(), PRIVATE_FILE)
        assert isinstance(stream, TextIOWrapper)
        return stream

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)

    def doRollover(self) -> None:  # noqa: N802 - the library's name
        if self.stream:
            self.stream.close()
            self.stream = None
        try:
            os.rename(self.baseFilename, self.baseFilename)
        except PermissionError:
            return  # before the older files are moved on
        super().doRollover()


def _make_folder(paths: Paths) -> None:
    try:
        ensure(paths.logs)
    except OSError as error:
        raise UserFacing(AppReason.NO_FOLDER.of(logs=paths.logs, strerror=str(error.strerror))) from error


def _formatter(kind: LogFormat) -> logging.Formatter:
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if kind == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    return structlog.stdlib.ProcessorFormatter(
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _without_secrets, renderer],
        foreign_pre_chain=[structlog.stdlib.add_log_level, structlog.processors.TimeStamper(fmt="iso")],
    )


@cache
def _redactor() -> Redactor:
    return Redactor(read_rules(resources() / "redaction.toml"))


def _without_secrets(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """The last step before writing: environment, arguments and messages of errors may hold some."""
    redacted: Mapping[str, Any] = _redactor().value(dict(event))
    return redacted


def _log_what_nobody_caught() -> None:
    def on_main(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            log.critical("a bug ended the program", exc_info=(kind, error, trace))
        sys.__excepthook__(kind, error, trace)

    def on_thread(caught: threading.ExceptHookArgs) -> None:
        error = (caught.exc_type, caught.exc_value, caught.exc_traceback)
        log.critical("a bug ended a thread", exc_info=error)

    sys.excepthook = on_main
    threading.excepthook = on_thread
