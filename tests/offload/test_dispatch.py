"""What the program learns of jobs that other processes have run."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from desktop.network.log import RequestRecord
from desktop.offload.dispatch import Dispatcher
from desktop.offload.history import CommandRecord, History
from desktop.paths import Paths
from desktop.settings import OffloadSettings

SENDING = CommandRecord(
    "1", 100.0, "/p", "make", "make", "tower", "tower.lan", sent_bytes=9, sent_files=2, has_left=True
)
OVER = replace(SENDING, code=0, seconds=3.0, fetched_bytes=40, is_over=True)


def told_by(paths: Paths, since: float = 0.0) -> tuple[Dispatcher, list[RequestRecord]]:
    told: list[RequestRecord] = []
    return Dispatcher(paths, OffloadSettings, told.append, since), told


def test_what_leaves_is_told_when_it_leaves(tmp_path: Path) -> None:
    """Not only at the end, which a client that is killed never sees; what came back is told then."""
    paths = Paths.under(tmp_path)
    dispatcher, told = told_by(paths)
    dispatcher.catch_up()
    assert told == []
    History(paths).put(SENDING)
    dispatcher.catch_up()
    assert [(each.method, each.outcome) for each in told] == [("SEND", "sent")]
    History(paths).put(OVER)
    dispatcher.catch_up()
    assert [(each.method, each.outcome, each.received_bytes) for each in told[1:]] == [
        ("FETCH", "fetched", 40)
    ]


def test_what_was_lost_has_left_all_the_same(tmp_path: Path) -> None:
    """Its files are on the worker, whatever became of the command."""
    paths = Paths.under(tmp_path)
    dispatcher, told = told_by(paths)
    History(paths).put(replace(OVER, code=None))
    dispatcher.catch_up()
    assert [each.outcome for each in told] == ["sent", "lost"]


def test_only_what_left_since_the_start_is_told(tmp_path: Path) -> None:
    """The list of requests begins with the program; what ran here never left."""
    paths = Paths.under(tmp_path)
    dispatcher, told = told_by(paths, since=200.0)
    History(paths).put(OVER)
    History(paths).put(CommandRecord("2", 300.0, "/p", "make", "make", code=0, is_over=True))
    dispatcher.catch_up()
    assert told == []


def test_two_that_look_at_once_tell_it_once(tmp_path: Path) -> None:
    """The page and the end of a hook come together."""
    paths = Paths.under(tmp_path)
    dispatcher, told = told_by(paths)
    History(paths).put(OVER)
    threads = [threading.Thread(target=dispatcher.catch_up) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(told) == 2
