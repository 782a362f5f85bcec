"""Work that only the main thread may do."""

from __future__ import annotations

import threading

import pytest

pytest.importorskip("PySide6", reason="the main thread is Qt's")
from pytestqt.qtbot import QtBot

from desktop import cancellation
from desktop.cancellation import Token
from desktop.errors import Cancelled, UserFacing
from desktop.system.main_thread import MainThread


class Caller(threading.Thread):
    """Calls from another thread and keeps what came of it."""

    def __init__(self, main_thread: MainThread, what: object, timeout_s: float) -> None:
        super().__init__()
        self._call = lambda: main_thread.call(what, timeout_s)
        self.result: object = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self._call()
        except BaseException as error:
            self.error = error


def called(qtbot: QtBot, what: object, timeout_s: float = 5.0) -> Caller:
    caller = Caller(MainThread(), what, timeout_s)
    caller.start()
    qtbot.waitUntil(lambda: not caller.is_alive())
    return caller


def test_it_runs_there(qtbot: QtBot) -> None:
    """The result comes from the main thread."""
    assert called(qtbot, threading.current_thread).result is threading.main_thread()


def test_errors_come_back(qtbot: QtBot) -> None:
    """What goes wrong there is raised where it was asked for."""
    error = called(qtbot, lambda: 1 / 0).error
    assert isinstance(error, ZeroDivisionError)


def test_a_busy_window(qtbot: QtBot) -> None:
    """A main thread that does not come to it in time is not waited for, and does not do it afterwards."""
    done: list[int] = []
    main_thread = MainThread()
    caller = Caller(main_thread, lambda: done.append(1), 0.05)
    caller.start()
    caller.join()
    qtbot.wait(10)
    assert isinstance(caller.error, UserFacing)
    assert caller.error.code == "window-busy"
    assert done == []


def test_the_main_thread_does_not_wait_for_itself(qtbot: QtBot) -> None:
    """It would stand still for ever."""
    with pytest.raises(RuntimeError):
        MainThread().call(lambda: None)


def test_work_that_was_given_up_is_not_done_later(qtbot: QtBot) -> None:
    """A call whose tool ran out of time while the window was busy has lost its turn there too."""
    done: list[int] = []
    token, main_thread = Token(), MainThread()

    def write() -> None:
        with cancellation.held(token):
            main_thread.call(lambda: done.append(1), 5.0)

    caller = Caller(main_thread, None, 0.0)
    caller._call = write
    caller.start()
    token.end()
    qtbot.waitUntil(lambda: not caller.is_alive())
    assert isinstance(caller.error, Cancelled)
    assert done == []
