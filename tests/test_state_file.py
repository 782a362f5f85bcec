"""Damaged small files: each is a sentence, the bad file is kept aside, and the program goes on."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PySide6", reason="one of the files belongs to a window")

from desktop.agents.hook import _api
from desktop.agents.settings_file import Receipts
from desktop.agents.tokens import Tokens
from desktop.app import build_core
from desktop.chat.tool_mode import _read as capabilities
from desktop.database import Database
from desktop.engine.crash_marker import CrashMarker
from desktop.engine.thread_tuning import CalibrationFile
from desktop.engine.trial_load import TrialLoad
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.extensions.registry import Registry
from desktop.gate.audit import AuditLog
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.redaction import Redactor
from desktop.mcp.pins import Pins
from desktop.models.fit import SpeedFile
from desktop.models.transfer import read_sidecar
from desktop.offload.choice import here as toolchain_here
from desktop.offload.programs import Program, read_programs
from desktop.offload.workers import SeenFile, WorkerFile
from desktop.paths import Paths, ensure
from desktop.sandbox.confinement import Method
from desktop.sandbox.parser import Parser
from desktop.server.openai.programs import ProgramLog, ProgramTokens
from desktop.server.question_socket import ask_running
from desktop.state_file import ASIDE, kept_aside, put_aside, read_object
from desktop.system.crash_reports import _read_marker
from desktop.system.secrets import Secrets
from desktop.ui.placement import WindowState, load_window_state

GARBAGE = {
    "empty": b"",
    "zeros": bytes(4096),
    "no text": b"\xff\xfe\x00garbage\x80",
    "cut": b'{"version": 1, "mod',
    "other text": b"hello",
    "a list": b"[]",
    "a list of lists": b"[[1], {}]",
    "a number": b"5",
    "nothing": b"null",
    "a text": b'"text"',
    "deep": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
}
OTHER_KINDS = {
    "values of other kinds": {
        "version": [],
        "models": 7,
        "now": 5,
        "past": {},
        "names": 1,
        "aside": [],
        "x": 1,
    },
    "rows of other kinds": {
        "names": [1],
        "models": [[]],
        "now": [],
        "past": [5, []],
        "tried": [1],
        "k": {"way": 3},
    },
    "paths out of the profile": {"names": ["data/../../x", "y"], "aside": "../../outside"},
}


class NoKeyring:
    """A computer without one: secrets are in the file."""

    def __getattr__(self, _name: str) -> Any:
        from keyring.errors import NoKeyringError

        raise NoKeyringError


def _secrets(paths: Paths) -> object:
    return Secrets(paths, NoKeyring).get("token")


def _audit(paths: Paths) -> object:
    database = Database(paths.database, MIGRATIONS)
    try:
        return AuditLog(database, Redactor(()), paths.audit_head).verify()
    finally:
        database.close()


# What reads each file, as the program does.
READERS: dict[str, tuple[Callable[[Paths], Path], Callable[[Paths], object]]] = {
    "restoring": (lambda p: p.restoring, build_core),
    "load marker": (lambda p: p.load_marker, lambda p: CrashMarker(p.load_marker).failed_step("m")),
    "running marker": (lambda p: p.running_marker, lambda p: _read_marker(p.running_marker)),
    "window": (lambda p: p.window, lambda p: load_window_state(p.window)),
    "pages": (lambda p: p.pages, lambda p: load_window_state(p.pages)),
    "calibration": (lambda p: p.calibration, lambda p: CalibrationFile(p.calibration).read("k")),
    "capabilities": (lambda p: p.capabilities, lambda p: capabilities(p.capabilities)),
    "fit": (lambda p: p.fit, lambda p: SpeedFile(p.fit, "k").read()),
    "tried models": (
        lambda p: p.tried_models,
        lambda p: TrialLoad(p.tried_models, Parser(lambda: Method.NONE), lambda _path: True)._read(),
    ),
    "models": (lambda p: p.models / "models.json", lambda p: build_core(p).library.installed()),
    "a download": (lambda p: p.downloads / "a.json", lambda p: read_sidecar(p.downloads / "a.json")),
    "agents' tokens": (
        lambda p: p.config / "agent_tokens.json",
        lambda p: Tokens(p).agents(),
    ),
    "launched runs' tokens": (
        lambda p: p.runtime / "launch_tokens.json",
        lambda p: Tokens(p).any_expected,
    ),
    "programs' tokens": (lambda p: p.program_tokens, lambda p: ProgramTokens(p).names()),
    "what programs asked": (lambda p: p.program_use, lambda p: ProgramLog(p, Bus()).uses()),
    "tools of servers": (lambda p: p.served_tools, lambda p: Pins(p.served_tools).is_known("a")),
    "extensions": (
        lambda p: p.extension_list,
        lambda p: Registry(p.extension_list.parent, Bus()).installed(),
    ),
    "workers": (lambda p: p.workers, lambda p: WorkerFile(p).all()),
    "what was seen of workers": (lambda p: p.workers_seen, lambda p: SeenFile(p).latest()),
    "compilers here": (
        lambda p: p.toolchains,
        lambda p: toolchain_here(Program("make", frozenset(), frozenset()), p.config, p),
    ),
    "a receipt": (lambda p: p.config / "claude.json", lambda p: Receipts(p.config).read("claude")),
    "secrets": (lambda p: p.secrets, _secrets),
    "audit head": (lambda p: p.audit_head, _audit),
    "api": (lambda p: p.runtime / "api.json", lambda p: _api(p.runtime)),
    "questions of a terminal": (lambda p: p.question_token, lambda p: ask_running(p, {})),
}
# Evidence; written anew at every start; kept under a name of its own; told until the user has looked.
STAYS = {"audit head", "api", "models", "questions of a terminal", "secrets"}


def _sentence(use: Callable[[], object]) -> str:
    """What is told; empty where nothing is."""
    try:
        use()
    except UserFacing as error:
        return str(error)
    return ""


@pytest.mark.parametrize("damage", [*GARBAGE, *OTHER_KINDS])
@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_ends_nothing(paths: Paths, name: str, damage: str) -> None:
    """Whatever stands there: no error but a sentence, then the file is out of the way, and kept."""
    place, use = READERS[name]
    file = place(paths)
    content = GARBAGE.get(damage) if damage in GARBAGE else json.dumps(OTHER_KINDS[damage]).encode()
    assert content is not None
    ensure(file.parent)
    file.write_bytes(content)
    file.chmod(0o600)
    for said in (_sentence(lambda: use(paths)), _sentence(lambda: use(paths))):
        assert not said or (name == "secrets" and str(file) in said)
    if name not in STAYS and damage in GARBAGE:
        assert not file.exists()
        assert [aside.read_bytes() for aside in kept_aside(file.parent)] == [content]


def _pipe(file: Path) -> None:
    os.mkfifo(file)


def _folder(file: Path) -> None:
    file.mkdir()
    (file / "kept").write_text("kept")


def _gigabytes(file: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(2 << 30)


def _device(file: Path) -> None:
    file.symlink_to("/dev/zero")


def _loop(file: Path) -> None:
    file.symlink_to(file.name)


# Whoever damages a profile may leave what is no file: a pipe has no end, a device no end of bytes.
NO_FILES = {
    "a pipe": _pipe,
    "a folder": _folder,
    "gigabytes": _gigabytes,
    "a device": _device,
    "a loop": _loop,
}


@pytest.mark.skipif(sys.platform == "win32", reason="has no such things among its files")
@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("name", [*READERS, "settings", "programs of workers"])
def test_what_is_no_file_is_not_waited_for(paths: Paths, name: str, kind: str) -> None:
    """Neither read to its end nor into memory; it is put aside, or a sentence says what lies there."""
    readers = {
        **READERS,
        "settings": (lambda p: p.settings, build_core),
        "programs of workers": (lambda p: p.offload_programs, lambda p: read_programs(p.offload_programs)),
    }
    place, use = readers[name]
    file = place(paths)
    ensure(file.parent)
    NO_FILES[kind](file)
    said = _within(10.0, lambda: _sentence(lambda: use(paths)))
    assert not said or name in ("settings", "programs of workers", "secrets", "models", "audit head"), said
    # What leads nowhere may count as not there, and tokens that others could write as none.
    stays = kind == "a loop" or (kind == "a device" and "tokens" in name)
    if name not in STAYS | {"settings", "programs of workers"} and not stays:
        assert not os.path.lexists(file)
        assert [each.name for each in kept_aside(file.parent)] == [f"{file.name}{ASIDE}"]


def _within(seconds: float, use: Callable[[], str]) -> str:
    """What it says; fails where it does not end."""
    told: list[str] = []
    thread = threading.Thread(target=lambda: told.append(use()), daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "it waits for what has no end"
    assert told, "it raised"
    return told[0]


def test_every_small_file_of_a_profile_is_in_the_table(paths: Paths) -> None:
    """A file that is added needs its row; what is written by hand has tests of its own, and refuses."""
    named = {
        value
        for name in dir(paths)
        if isinstance(value := getattr(paths, name), Path) and value.suffix in (".json", ".toml")
    }
    tried = {place(paths) for place, _ in READERS.values()}
    assert named - tried == {paths.settings, paths.offload_programs}


@pytest.mark.parametrize("content", [*GARBAGE.values(), b"[chat]\nsystem_prompt = 5\n", b"chat = 5\n"])
def test_damaged_settings_are_a_sentence_and_stay(paths: Paths, content: bytes) -> None:
    """They hold the rules of the gate, written by hand: they are never left out or moved in silence."""
    ensure(paths.config)
    paths.settings.write_bytes(content)
    said = _sentence(lambda: build_core(paths))
    assert str(paths.settings) in said or not content.strip()
    assert paths.settings.read_bytes() == content


def test_what_was_prepared_with_a_damaged_list_is_not_put_in_place(paths: Paths) -> None:
    """The profile stays as it is, and what was unpacked lies beside it."""
    staged = ensure(paths.data / ".restore") / "steward.sqlite3"
    staged.write_bytes(b"unpacked")
    paths.restoring.write_bytes(b"{")
    build_core(paths)
    assert staged.read_bytes() == b"unpacked"
    assert not paths.restoring.exists()


def test_a_whole_object_is_read_and_a_missing_file_is_empty(tmp_path: Path) -> None:
    """The ordinary way makes nothing and moves nothing."""
    file = tmp_path / "a.json"
    assert read_object(file, "It") == {}
    file.write_text('{"a": 1}')
    assert read_object(file, "It") == {"a": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_the_latest_damaged_file_is_kept(tmp_path: Path) -> None:
    """A second one takes the place of the first: the folder doesn't fill."""
    file = tmp_path / "a.json"
    for content in ("first", "second"):
        file.write_text(content)
        put_aside(file, "It", "it is no JSON")
    assert [aside.read_text() for aside in kept_aside(tmp_path)] == ["second"]


def test_the_window_is_where_it_is_by_default(paths: Paths) -> None:
    """A place of another kind is none."""
    ensure(paths.config)
    paths.window.write_text('{"x": "left"}')
    assert load_window_state(paths.window) == WindowState()
