"""One process holds a profile; every later start is heard by it, after any death and in any race."""

from __future__ import annotations

import json
import os
import signal
import socket as sockets
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from pytestqt.qtbot import QtBot

from desktop.agents.tokens import Tokens
from desktop.errors import UserFacing
from desktop.paths import Paths, ensure
from desktop.system import single_instance as module
from desktop.system.single_instance import LARGEST_MESSAGE_BYTES, LaterStart, SingleInstance, _socket_name

ROOT = Path(__file__).parents[2]

# Prints "first" and then every later start as JSON, or "second"; ends on a line of input.
PROGRAM = """
import json, sys, threading
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QMetaObject, Qt
from desktop.paths import Paths
from desktop.system.single_instance import SingleInstance
app = QCoreApplication([])
instance = SingleInstance(Paths.under(Path(sys.argv[1])))
instance.asked.connect(lambda later: print(json.dumps(later.arguments), flush=True))
if not instance.start(sys.argv[2:]):
    print("second", flush=True)
    sys.exit(0)
print("first", flush=True)
def wait():
    sys.stdin.readline()
    QMetaObject.invokeMethod(app, "quit", Qt.ConnectionType.QueuedConnection)
thread = threading.Thread(target=wait)
thread.start()
app.exec()
instance.close()
thread.join()
"""


def start_process(profile: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(profile), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"},
    )


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def end(process: subprocess.Popen[str]) -> int:
    process.communicate("\n", timeout=10)
    return process.returncode


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "p"


@pytest.fixture
def first(profile: Path, qtbot: QtBot) -> Iterator[SingleInstance]:
    instance = SingleInstance(Paths.under(profile))
    assert instance.start([])
    yield instance
    instance.close()


@pytest.mark.parametrize("arguments", [["show"], [], ["new-chat", "Grüße\n“quoted”", "שלום"]])
def test_a_second_start_is_heard_and_exits_zero(
    profile: Path, first: SingleInstance, qtbot: QtBot, arguments: list[str]
) -> None:
    """The running one gets exactly the arguments of the later start."""
    with qtbot.waitSignal(first.asked, timeout=10000) as heard:
        second = start_process(profile, *arguments)
    assert heard.args is not None
    assert heard.args[0].arguments == tuple(arguments)
    assert said(second) == "second"
    assert end(second) == 0


def test_profiles_are_independent(profile: Path, first: SingleInstance, tmp_path: Path) -> None:
    """Another profile starts beside the running one."""
    other = SingleInstance(Paths.under(tmp_path / "other"))
    assert other.start(["show"])
    other.close()


def test_after_closing_the_next_start_is_first(profile: Path, first: SingleInstance) -> None:
    """A clean end leaves nothing that would hold the profile."""
    first.close()
    again = SingleInstance(Paths.under(profile))
    assert again.start([])
    again.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows pipes do not outlive their process")
def test_a_killed_process_does_not_hold_the_profile(profile: Path) -> None:
    """After kill -9 the stale socket is taken over, and later starts are heard again."""
    victim = start_process(profile)
    assert said(victim) == "first"
    victim.send_signal(signal.SIGKILL)
    victim.communicate(timeout=10)
    assert Path(_socket_name(Paths.under(profile))).exists()
    heir = start_process(profile)
    assert said(heir) == "first"
    later = start_process(profile, "show")
    assert said(later) == "second"
    assert json.loads(said(heir)) == ["show"]
    assert (end(later), end(heir)) == (0, 0)


def test_two_at_once_make_one_first_and_one_second(profile: Path) -> None:
    """However the race goes, one process runs and has heard the other."""
    pair = [start_process(profile, "show") for _ in range(2)]
    words = [said(process) for process in pair]
    assert sorted(words) == ["first", "second"]
    running = pair[words.index("first")]
    assert json.loads(said(running)) == ["show"]
    assert [end(process) for process in pair] == [0, 0]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows pipes have no mode")
def test_only_the_user_can_reach_the_socket(profile: Path, first: SingleInstance) -> None:
    """Neither group nor others can enter the folder or open the socket."""
    path = Path(_socket_name(Paths.under(profile)))
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    assert stat.S_IMODE(path.parent.stat().st_mode) & 0o077 == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows pipes are not limited")
def test_a_deep_profile_folder_works(tmp_path: Path, qtbot: QtBot) -> None:
    """A path longer than a socket's address is replaced by a short one in a private folder."""
    profile = tmp_path / ("very-long-folder-name-" * 8)
    instance = SingleInstance(Paths.under(profile))
    assert instance.start([])
    with qtbot.waitSignal(instance.asked, timeout=10000) as heard:
        second = start_process(profile, "show")
    assert heard.args == [LaterStart(("show",), heard.args[0].activation_token)]
    assert end(second) == 0
    instance.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a Unix socket")
@pytest.mark.parametrize(
    "message",
    [
        b"not json\n",
        b'{"arguments": "show", "activation_token": ""}\n',
        b'{"arguments": [1], "activation_token": ""}\n',
        b"[]\n",
        b"x" * (LARGEST_MESSAGE_BYTES + 2),
    ],
)
def test_foreign_messages_are_dropped(
    profile: Path, first: SingleInstance, qtbot: QtBot, message: bytes
) -> None:
    """What we would not have sent is not acted on, and the sender is cut off."""
    heard: list[LaterStart] = []
    first.asked.connect(heard.append)
    with sockets.socket(sockets.AF_UNIX) as client:
        client.connect(_socket_name(Paths.under(profile)))
        client.setblocking(False)
        sent = 0

        def cut_off() -> bool:
            nonlocal sent
            try:
                sent += client.send(message[sent:]) if sent < len(message) else 0
                return client.recv(16) == b""
            except BlockingIOError:
                return False
            except (BrokenPipeError, ConnectionResetError):
                return True

        qtbot.waitUntil(cut_off, timeout=5000)
    assert heard == []


class AskedFor:
    """A clock on which each wait takes all of the time that it may."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        left_ms = module._left_ms
        monkeypatch.setattr(module, "time", self)
        monkeypatch.setattr(module, "_left_ms", lambda deadline: self._wait(left_ms(deadline)))

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def _wait(self, milliseconds: int) -> int:
        self.sleep(milliseconds / 1000)
        return 1


def test_a_silent_first_ends_in_a_sentence(
    profile: Path, first: SingleInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the running one hangs (here: its event loop does not turn), the user is told within the patience."""
    clock = AskedFor(monkeypatch)
    second = SingleInstance(Paths.under(profile), patience_s=2.0)
    with pytest.raises(UserFacing) as caught:
        second.start(["show"])
    assert caught.value.code == "instance-silent"
    assert 2.0 <= clock.now < 2.1


def test_a_background_service_is_named(profile: Path) -> None:
    """Where `steward serve` holds the profile, the message says so instead of waiting for a window."""
    paths = Paths.under(profile)
    lock = FileLock(ensure(paths.runtime) / paths.instance_lock.name)
    with lock:
        Tokens(paths).publish("http://127.0.0.1:47615")
        with pytest.raises(UserFacing) as caught:
            SingleInstance(paths, patience_s=0.1).start([])
    assert caught.value.code == "instance-serving"
    assert "steward serve" in caught.value.cause
