"""`steward audit`: look at the log of decisions and runs, check it, write it to a file."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path

from desktop.app import Services
from desktop.errors import UserFacing
from desktop.gate.audit import (
    AuditFilter,
    AuditRecord,
    Verified,
    export_to,
    outcome_words,
    verify_export,
    what_words,
)
from desktop.sandbox.refusals import visible

LISTED = 50
EXIT_BROKEN = 1


def verify(core: Services, as_json: bool, file: Path | None = None) -> int:
    """Check that nobody changed the log, or an exported `file`; the exit code."""
    verified = core.audit.verify() if file is None else _verified_file(file)
    if as_json:
        found = {
            "records": verified.count,
            "whole": verified.is_whole,
            "broken_at": verified.broken_at,
            "reason": verified.reason,
        }
        sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
    else:
        finding = (
            "whole" if verified.is_whole else f"broken at record {verified.broken_at}: {verified.reason}"
        )
        sys.stdout.write(f"{verified.count} records, the chain is {finding}\n")
    return 0 if verified.is_whole else EXIT_BROKEN


def show(core: Services, wanted: AuditFilter, as_json: bool) -> None:
    """The records that `wanted` names, the newest first; one JSON object a line with `as_json`."""
    found = core.audit.records(wanted)
    if not found and not as_json:
        sys.stdout.write("No record matches.\n")
    for record in found:
        sys.stdout.write(f"{record.as_json()}\n" if as_json else _line(record))


def export(core: Services, path: Path, wanted: AuditFilter, as_json: bool) -> None:
    """Write the records to `path`, one JSON object a line, the oldest first. Raises UserFacing."""
    count = export_to(core.audit, path, wanted)
    if as_json:
        sys.stdout.write(json.dumps({"file": str(path), "records": count}, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(f"{count} records written to {path}\n")


def _verified_file(file: Path) -> Verified:
    try:
        with file.open(encoding="utf-8") as lines:
            return verify_export(lines)
    except (OSError, UnicodeDecodeError) as error:
        raise UserFacing(
            f"{file} cannot be read ({error}).",
            "Nothing was changed.",
            "Name a file that `steward audit export` has written.",
            code="export-unreadable",
        ) from error


def _line(record: AuditRecord) -> str:
    moment = datetime.fromtimestamp(record.at).astimezone()
    words = " · ".join(part for part in (what_words(record.record), outcome_words(record.record)) if part)
    return f"{record.number:7} {moment:%Y-%m-%d %H:%M:%S} {record.kind:9} {visible(words)}\n"
