"""PySide is kept from reading the source of every module that is imported."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import linecache, sys
from desktop.qt.imports import read_no_sources
assert {call}
before = set(linecache.cache)
assert "{call}" == "True" or not before  # what PySide read until then is given back
import desktop.ui.application, json.tool, PySide6.QtWidgets
print(len([name for name in set(linecache.cache) - before if "desktop" in name or "json" in name]))
# Signals, properties and enumerations are as ever.
from PySide6.QtCore import QObject, Qt, Signal
class Sender(QObject):
    sent = Signal(int)
sender, got = Sender(), []
sender.sent.connect(got.append)
sender.sent.emit(3)
sender.setObjectName("a")
assert (got, sender.objectName(), Qt.Orientation.Vertical.name) == ([3], "a", "Vertical")
"""


def sources_read(call: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(call=call)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_no_source_is_read_at_an_import() -> None:
    """With PySide's own way it is read, or this test would show nothing; all else works as before."""
    assert sources_read("read_no_sources()") == 0
    assert sources_read("True") > 0
