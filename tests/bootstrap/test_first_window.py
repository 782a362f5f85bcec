"""The window before the rest: what a first start installs first, and that its end survives what happens.

For real, as in tests/test_dev.py: pip, its hashes, kills and a package index that breaks off, in a small copy
of the tree. `qasync` stands for what a window needs, `drawing` for the rest.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bootstrap import first_window
from bootstrap.environment import RUN
from bootstrap.locks import locked
from desktop.paths import Paths
from desktop.system.autostart import command_of
from tests.test_dev import Copy, build_copy, make_wheel, wait_for

pytestmark = [
    pytest.mark.setup,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX, and no display to be told of"),
]
DISPLAY = {"DISPLAY": ":7"}  # nothing of the stand-in connects to it


@dataclass
class Index:
    """A package index on loopback; it may stop in the middle of a file."""

    folder: Path
    address: str = ""
    breaks: bool = False
    hold: threading.Event = field(default_factory=threading.Event)
    asked: list[str] = field(default_factory=list)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        name = handler.path.strip("/").rpartition("/")[2]
        self.asked.append(name)
        file = self.folder / name
        if file.suffix == ".whl" and file.is_file():
            self._send(handler, file.read_bytes(), self.breaks or not self.hold.is_set())
        else:
            found = [each.name for each in self.folder.glob(f"{name}-*.whl")]
            links = "".join(f'<a href="/files/{each}">{each}</a>' for each in found)
            self._send(handler, f"<!DOCTYPE html><html><body>{links}</body></html>".encode(), False)

    def _send(self, handler: BaseHTTPRequestHandler, body: bytes, stops: bool) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html" if body.startswith(b"<!") else "application/zip")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if stops:
            handler.wfile.write(body[: len(body) // 2])
            handler.wfile.flush()
            if not self.breaks:
                self.hold.wait()
                handler.wfile.write(body[len(body) // 2 :])
            handler.close_connection = True
        else:
            handler.wfile.write(body)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    made = Index(tmp_path / "served")
    made.folder.mkdir()
    made.hold.set()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # http.server's name
            made.answer(self)

        def log_message(self, *_args: object) -> None:
            """Tests look at `asked` instead."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, args=(0.02,))
    thread.start()
    made.address = f"http://127.0.0.1:{http.server_address[1]}"
    yield made
    made.hold.set()
    http.shutdown()
    http.server_close()
    thread.join()


@pytest.fixture
def copy(tmp_path: Path, index: Index) -> Copy:
    """A fresh clone whose first set is on this computer, and whose rest comes from `index`."""
    made = build_copy(tmp_path / "computer")
    local = tmp_path / "computer" / "index"
    bundled = first_window.bundled_pip()
    assert bundled is not None
    pip = Path(shutil.copy(bundled, local))
    drawing = {f"PySide6/{name}.py": "" for name in ("__init__", "QtWidgets")}
    for old in local.glob("drawing-*"):
        old.unlink()
    wheels = {
        f"pip=={pip.name.split('-')[1]}": pip,
        "qasync==1.0": make_wheel(local, "qasync", "1.0", {"qasync.py": ""}),
        "drawing==1.0": make_wheel(index.folder, "drawing", "1.0", drawing),
    }
    lock = "".join(f"{name} \\\n    --hash=sha256:{digest(wheel)}\n" for name, wheel in wheels.items())
    for name in ("run", "dev"):
        (made.root / "requirements" / f"{name}.lock").write_text(lock, encoding="utf-8")
    environ = {name: value for name, value in made.environ.items() if name != "PIP_NO_INDEX"}
    environ |= {"PIP_INDEX_URL": f"{index.address}/simple", "PIP_RETRIES": "0"}
    return replace(made, environ=environ)


def digest(wheel: Path) -> str:
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


def told(output: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


def has(copy: Copy, package: str) -> bool:
    return any((copy.root / ".venv").rglob(f"{package}-1.0.dist-info/RECORD"))


def start_window(copy: Copy) -> list[str]:
    """What the program is started with."""
    done = copy.dev("run", "--profile", "x", **DISPLAY)
    assert done.returncode == 0, done.stderr
    words: list[str] = json.loads(done.stdout)[0]
    return words


def test_the_window_comes_first_and_the_rest_behind_it(copy: Copy, index: Index) -> None:
    """The program starts with the first set alone, and is told what installs the rest; then all is ready, and
    the next start knows of nothing more to do.
    """
    program = str(copy.root / "dev.py")
    assert start_window(copy) == ["--profile", "x", "run", "--finish-with", program]
    assert has(copy, "qasync")
    assert not has(copy, "drawing")
    assert not [name for name in index.asked if name.endswith(".whl")]
    assert not (copy.root / ".venv" / "bin" / "steward").exists()
    done = copy.dev("finish")
    assert done.returncode == 0, done.stderr
    assert told(done.stdout)[-1] == {"done": True}
    assert has(copy, "drawing")
    assert start_window(copy) == ["--profile", "x"]
    assert told(copy.dev("finish").stdout) == [{"done": True}]


@pytest.mark.slow
def test_who_has_no_screen_sees_it_in_the_terminal(copy: Copy) -> None:
    """As do a start into the tray, every other verb, and a set-up that only changes."""
    done = copy.dev("run", "--hidden", **DISPLAY)
    assert json.loads(done.stdout)[0] == ["--hidden"]
    assert has(copy, "drawing")
    lock = copy.root / "requirements" / "run.lock"
    lock.write_text(lock.read_text() + "# newer\n")
    assert start_window(copy) == ["--profile", "x"]


@pytest.mark.slow
def test_a_kill_behind_the_window_leaves_the_window(copy: Copy, index: Index) -> None:
    """After a kill -9 while a package arrives, the next start opens at once with what was there, and its
    set-up goes on; what was half there is written over.
    """
    start_window(copy)
    made = (copy.root / ".venv" / "pyvenv.cfg").stat().st_mtime_ns
    index.hold.clear()
    child = subprocess.Popen(
        [*copy.command, "finish"],
        env=copy.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    wait_for(lambda: "drawing-1.0-py3-none-any.whl" in index.asked)
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate()
    index.hold.set()
    half = next((copy.root / ".venv" / "lib").glob("python*/site-packages")) / "drawing-1.0.dist-info"
    half.mkdir()
    (half / "METADATA").write_text("Metadata-Version: 2.1\nName: drawing\nVersion: 1.0\n")
    assert start_window(copy)[-2] == "--finish-with"
    assert (copy.root / ".venv" / "pyvenv.cfg").stat().st_mtime_ns == made
    done = copy.dev("finish")
    assert told(done.stdout)[-1] == {"done": True}, done.stderr
    assert has(copy, "drawing")


@pytest.mark.slow
def test_an_autostart_chosen_before_the_end(copy: Copy, tmp_path: Path) -> None:
    """The computer was switched off half way: what then starts with it sets up the rest first, hidden."""
    start_window(copy)
    assert not has(copy, "drawing")
    words = command_of(Paths.under(tmp_path / "profile"), copy.root / "dev.py")
    environ = {**copy.environ, **DISPLAY}
    done = subprocess.run(words, env=environ, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0] == ["--profile", str(tmp_path / "profile"), "run", "--hidden"]
    assert has(copy, "drawing")


@pytest.mark.slow
def test_a_kill_before_the_window_begins_afresh(copy: Copy) -> None:
    """The first set is whole or not there."""
    start_window(copy)
    venv = copy.root / ".venv"
    (venv / "steward-first.json").unlink()
    (venv / "steward-unfinished").touch()
    (venv / "left-over").touch()
    assert start_window(copy)[-2] == "--finish-with"
    assert not (venv / "left-over").exists()


@pytest.mark.slow
def test_a_line_that_breaks_off(copy: Copy, index: Index) -> None:
    """Is said as such, and the next try goes on."""
    start_window(copy)
    index.breaks = True
    done = copy.dev("finish")
    assert done.returncode == 1
    assert told(done.stdout)[-1]["failed"] in ("offline", "wrong-hash"), done.stdout
    assert not has(copy, "drawing")
    index.breaks = False
    assert told(copy.dev("finish").stdout)[-1] == {"done": True}


@pytest.mark.slow
def test_without_a_line_nobody_is_sent_for_a_compiler(copy: Copy) -> None:
    """Packages come first: where the index does not answer, that is the error."""
    start_window(copy)
    done = copy.dev("finish", PIP_INDEX_URL="http://127.0.0.1:9/simple")
    assert told(done.stdout)[-1]["failed"] == "offline"


@pytest.mark.slow
def test_a_package_with_another_hash(copy: Copy, index: Index) -> None:
    """Is refused, and nothing of it is installed."""
    start_window(copy)
    make_wheel(index.folder, "drawing", "1.0", {"drawing.py": "other = 1"})
    done = copy.dev("finish")
    assert told(done.stdout)[-1]["failed"] == "wrong-hash"
    assert not has(copy, "drawing")


@pytest.mark.slow
def test_two_at_once_take_turns(copy: Copy, index: Index) -> None:
    """The second says that it waits, and finds everything done."""
    start_window(copy)
    index.hold.clear()
    first = copy.start("finish")
    wait_for(lambda: "drawing-1.0-py3-none-any.whl" in index.asked)
    second = copy.start("finish")
    assert second.stdout is not None
    assert json.loads(second.stdout.readline()) == {"step": "waiting"}
    # A start meanwhile opens the window, which the program that runs brings to the front.
    assert start_window(copy)[-2] == "--finish-with"
    index.hold.set()
    assert told(first.communicate()[0])[-1] == {"done": True}
    assert told(second.communicate()[0])[-1] == {"done": True}
    assert index.asked.count("drawing-1.0-py3-none-any.whl") == 1


@pytest.mark.slow
def test_a_window_that_is_gone_ends_it(copy: Copy, index: Index) -> None:
    """Nothing goes on behind a program that was killed: the line into nowhere ends pip, too."""
    start_window(copy)
    index.hold.clear()
    child = copy.start("finish")
    wait_for(lambda: "drawing-1.0-py3-none-any.whl" in index.asked)
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    assert child.wait(60) == first_window.ENDED
    child.stderr.close()
    index.hold.set()
    assert told(copy.dev("finish").stdout)[-1] == {"done": True}


@pytest.mark.slow
def test_what_the_window_was_opened_with_is_gone(copy: Copy) -> None:
    """Then nothing is changed under it: the next start makes everything anew."""
    start_window(copy)
    shutil.rmtree(next((copy.root / ".venv" / "lib").glob("python*/site-packages")) / "pip")
    done = copy.dev("finish")
    assert told(done.stdout)[-1]["failed"] == "other"
    assert start_window(copy)[-2] == "--finish-with"
    assert told(copy.dev("finish").stdout)[-1] == {"done": True}


def test_the_first_set_is_locked() -> None:
    """Every name of it is one of the lock file's."""
    assert set(locked(RUN.lock.read_text(encoding="utf-8"))) >= first_window.FIRST
