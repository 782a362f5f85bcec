"""The list of what ran: whole while several write it, and as long as it may be."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from desktop.offload import history
from desktop.offload.history import CommandRecord, History
from desktop.paths import Paths

WRITERS, EACH = 4, 20


def job(number: int) -> CommandRecord:
    return CommandRecord(str(number), float(number), "/project", f"make part-{number}", "make", is_over=True)


def test_no_line_is_lost_while_several_trim_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four commands at once, each of which finds the list long enough to trim: all of theirs are in it."""
    monkeypatch.setattr(history, "_TRIMMED_AT_BYTES", 1_000)
    paths = Paths.under(tmp_path / "profile")
    together = threading.Barrier(WRITERS)

    def write(first: int) -> None:
        together.wait(60)
        for number in range(first, first + EACH):
            History(paths).put(job(number))

    threads = [threading.Thread(target=write, args=(EACH * each,)) for each in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {each.id for each in History(paths).jobs()} == {str(number) for number in range(WRITERS * EACH)}


def test_the_list_keeps_the_latest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is older than the last so many goes; a line that was cut by a kill costs only itself."""
    monkeypatch.setattr(history, "_TRIMMED_AT_BYTES", 1_000)
    monkeypatch.setattr(history, "MOST", 10)
    paths = Paths.under(tmp_path / "profile")
    for number in range(20):
        History(paths).put(job(number))
    with open(paths.offload_jobs, "ab") as file:
        file.write(json.dumps({"id": "cut"}).encode()[:8])
    History(paths).put(job(20))
    assert [each.id for each in History(paths).jobs()] == [str(number) for number in range(11, 21)]
