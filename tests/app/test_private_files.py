"""What a session leaves is for its owner alone, whatever the umask, and holds no secret of a command."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
import structlog

pytest.importorskip("PySide6", reason="one of the files belongs to a window")

from desktop.agents.settings_file import Receipt, Receipts
from desktop.agents.tokens import Tokens
from desktop.app import build_core, logs
from desktop.backup.restore import prepare
from desktop.backup.write import write_backup
from desktop.chat.store import Role
from desktop.engine.crash_marker import CrashMarker, LoadAttempt
from desktop.engine.kv_cache import PrefixStore
from desktop.engine.thread_tuning import CalibrationFile, ThreadRates
from desktop.gate.audit import export_to
from desktop.models.fit import MeasuredSpeed, SpeedFile
from desktop.models.transfer import PartFile
from desktop.paths import Paths, ensure
from desktop.state_file import put_aside
from desktop.system.crash_reports import CrashKind, CrashWatch
from desktop.system.secrets import Secrets
from desktop.tools.calls import Call
from desktop.tools.tool import Toolbox
from desktop.ui.placement import WindowState, save_window_state
from tests.test_state_file import NoKeyring

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of Unix")

SECRET = "hunter22-of-a-command"


@pytest.fixture
def paths(tmp_path: Path) -> Iterator[Paths]:
    """A profile that is not there yet, with the umask of most systems."""
    before = os.umask(0o022)
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    made = Paths.under(tmp_path / "deep" / "profile")
    logs.start_logging(made, None)
    yield made
    logs.end_logging()
    root.handlers, root.level = handlers, level
    os.umask(before)


@contextmanager
def session(paths: Paths) -> Iterator[None]:
    """Something of everything that the program writes; inside it the marks of a running program are there."""
    core = build_core(paths)
    core.settings.change("chat", "steps", 7)
    conversation = core.store.create("A chat").id
    core.store.add(conversation, Role.USER, "hello")
    core.reminders.add("Tea", datetime(2090, 1, 1, tzinfo=UTC))
    for name, arguments in (
        ("write_file", {"path": "a.txt", "content": "x"}),
        ("run_command", {"command": f"echo PASSWORD='{SECRET} two' --token {SECRET}"}),
    ):
        core.acting.executor.run(Call(name, name, arguments), Toolbox(tuple(core.toolbox)))
    Secrets(paths, NoKeyring).set("token", "abc")
    tokens = Tokens(paths)
    tokens.make("claude")
    tokens.publish("http://127.0.0.1:1")
    Receipts(ensure(paths.data / "agents")).write("claude", Receipt("f", "", None))
    save_window_state(paths.window, WindowState())
    CalibrationFile(paths.calibration).write("k", ThreadRates(2, {2: 1.0}))
    SpeedFile(paths.fit, "k").write(MeasuredSpeed("m", 1, 1, 1.0, 1.0, 1.0))
    with CrashMarker(paths.load_marker).trying(LoadAttempt("m", 0)):
        pass
    prefixes = PrefixStore(paths.prefixes, "m")
    prefixes.write([1, 2], b"state")
    with PartFile(paths.downloads / "model.part"):
        pass
    watch = CrashWatch(paths, core.crash_reports)
    watch.start()
    structlog.get_logger("test").error(
        "it failed", command=f"run --password {SECRET}", env={"API_KEY": SECRET}
    )
    logging.getLogger("other").warning("DB_PASS=%s was refused", SECRET)
    core.crash_reports.write(CrashKind.BUG, f"PIN={SECRET}", f"Traceback\n  argv --password '{SECRET} two'")
    paths.window.write_text("{")
    put_aside(paths.window, "The window", "it is no JSON")
    core.audit.seal()
    export_to(core.audit, paths.data / "log.jsonl")
    write_backup(paths, paths.data / "a.backup", "1.0")
    prepare(paths.data / "a.backup", paths, core.known)
    core.close()
    yield
    watch.stop()


def test_every_file_a_session_leaves_is_private(paths: Paths) -> None:
    """Files 0600, folders and programs 0700, also those above that had to be made."""
    root = paths.profile.parent
    with session(paths):
        found = {place: place.lstat().st_mode & 0o777 for place in (root, *root.rglob("*"))}
        folders = {place for place in found if place.is_dir()}
    own = {place: mode for place, mode in found.items() if paths.workspace not in (place, *place.parents)}
    wrong = {
        place: oct(mode) for place, mode in own.items() if mode != (0o700 if place in folders else 0o600)
    }
    assert wrong == {}
    assert len(own.keys() - folders) > 20


def test_no_file_of_a_session_holds_a_secret_of_a_command(paths: Paths) -> None:
    """Neither log, report, database nor export: values of the environment and of options are left out."""
    with session(paths):
        files = [place for place in paths.profile.rglob("*") if place.is_file()]
        holding = [place for place in files if SECRET.encode() in place.read_bytes()]
        log = paths.log_file.read_bytes()
    assert holding == []
    assert log.count(b"[redacted: ") >= 3
