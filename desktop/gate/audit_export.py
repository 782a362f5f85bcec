"""The audit log as a file of JSON lines, which `verify_export` can check by itself."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from desktop.errors import UserFacing
from desktop.gate.audit import EVERYTHING, AuditFilter, AuditLog


def export_to(audit: AuditLog, path: Path, wanted: AuditFilter = EVERYTHING) -> int:
    """Write the records to `path`, the oldest first, whole or not at all; returns how many.

    A file that is there is replaced; its owner alone can read it. Raises UserFacing. Not on the main thread.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _refused(path, error) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            count = audit.export(file, wanted)
        os.replace(name, path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise _refused(path, error) from error
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return count


def _refused(path: Path, error: OSError) -> UserFacing:
    return UserFacing(
        f"The log could not be written to {path} ({error.strerror}).",
        "The log itself is untouched.",
        "Choose another place for the file.",
        code="export-failed",
    )
