"""The verdicts in a file: CSV for people with a spreadsheet, JSON lines for programs."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from desktop.agents.events import HookDecided
from desktop.errors import UserFacing
from desktop.gate.redaction import Redactor
from desktop.ui.language import tr
from desktop.ui.pages.activity_words import Row

COLUMNS = (
    "time",
    "agent",
    "session",
    "folder",
    "tool",
    "command",
    "class",
    "flags",
    "reason",
    "tier",
    "answer",
    "by",
    "ms",
)
# A spreadsheet takes a cell that begins so for a formula (OWASP, "CSV injection").
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export_to(path: Path, rows: Iterable[Row], redactor: Redactor) -> int:
    """Write the decided ones, the oldest first, secrets replaced; returns how many.

    The file's ending says how: `.csv`, else JSON lines. It is there whole or not at all. Raises UserFacing.
    """
    records = [_record(row, redactor) for row in reversed(list(rows)) if isinstance(row, HookDecided)]
    write = _write_csv if path.suffix.lower() == ".csv" else _write_json
    try:
        _replace(path, lambda file: write(file, records))
    except OSError as error:
        raise UserFacing(
            tr("The file could not be written: {strerror}.", strerror=error.strerror or error),
            tr("No verdict was lost."),
            tr("Choose another place."),
            code="export-failed",
        ) from error
    return len(records)


def _record(row: HookDecided, redactor: Redactor) -> dict[str, Any]:
    at = datetime.fromtimestamp(row.at, UTC).isoformat(timespec="milliseconds")
    values = (
        at,
        row.agent,
        row.session,
        row.folder,
        row.tool,
        redactor.text(row.text),
        row.classed,
        list(row.flags),
        redactor.text(row.reason),
        row.tier,
        row.choice.value,
        row.by.value,
        round(row.ms, 3),
    )
    return dict(zip(COLUMNS, values, strict=True))


def _write_csv(file: IO[str], records: Iterable[dict[str, Any]]) -> None:
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for record in records:
        writer.writerow([_cell(value) for value in record.values()])


def _cell(value: Any) -> str:
    text = " ".join(value) if isinstance(value, list) else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _write_json(file: IO[str], records: Iterable[dict[str, Any]]) -> None:
    for record in records:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _replace(path: Path, write: Callable[[IO[str]], None]) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    part = Path(name)
    try:
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            write(file)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
