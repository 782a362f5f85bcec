"""Remembers, across a crash of the whole program, which model was being loaded.

A damaged file or driver can end the process inside native code. The marker is written before a load and
removed after it; one that a dead process left behind names a model that is not loaded again unless the user
insists.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import psutil
import structlog

from desktop.paths import write_atomically

log = structlog.get_logger(__name__)


class LoadMarker:
    """The file `path`. Engine thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def crashed(self, model_id: str) -> bool:
        """Whether the program ended while it loaded this model."""
        return model_id in self._crashed(self._read())

    def begin(self, model_id: str) -> None:
        """`model_id` is being loaded from now on."""
        crashed = sorted(self._crashed(self._read()) - {model_id})
        self._write({"model_id": model_id, "pid": os.getpid(), "time": time.time(), "crashed": crashed})

    def end(self) -> None:
        """The load is over, whether it worked or was refused in an orderly way."""
        crashed = self._read().get("crashed", [])
        if crashed:
            self._write({"crashed": crashed})
        else:
            self._path.unlink(missing_ok=True)

    def _crashed(self, marker: dict[str, Any]) -> set[str]:
        crashed = {str(model_id) for model_id in marker.get("crashed", [])}
        if "model_id" in marker and not _is_running(marker):
            crashed.add(str(marker["model_id"]))
        return crashed

    def _read(self) -> dict[str, Any]:
        try:
            marker = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            log.warning("load marker could not be read", path=str(self._path), reason=str(error))
            return {}
        return marker if isinstance(marker, dict) else {}

    def _write(self, marker: dict[str, Any]) -> None:
        try:
            write_atomically(self._path, json.dumps(marker).encode())
        except OSError as error:  # a full disk must not keep the model from loading
            log.warning("load marker could not be written", path=str(self._path), reason=str(error))


def _is_running(marker: dict[str, Any]) -> bool:
    """Whether the process that wrote the marker still runs; a later one with its number does not count."""
    try:
        started_at = psutil.Process(int(marker["pid"])).create_time()
    except (psutil.Error, KeyError, ValueError, TypeError):
        return False
    written_at = marker.get("time", 0.0)
    return isinstance(written_at, int | float) and started_at <= written_at + 1.0
