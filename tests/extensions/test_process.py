"""One extension's process: started late, ended when idle, and the same from a bundle's verb."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from desktop.extensions import process as module
from desktop.extensions.process import (
    PROGRAM,
    CallFailed,
    ChildKeeper,
    ChildSpec,
    Process,
    RequestRefused,
    can_confine,
)
from tests.extensions.world import package

FACTS = {"tenant": "", "session": "s", "tools": [], "settings": {}}
ECHO = """
import os

def on_plain_text(text, context):
    print("said", text)
    return f"{text} {os.getpid()}"

def on_llm_output(text, context):
    raise ValueError("as it says")

def on_event(kind, facts, context):
    return [kind, facts, sorted(os.environ), context.tenant, context.session, context.tools]
"""


class NoRequests:
    def answer(self, wish: Mapping[str, Any], _until: float, /) -> Any:
        raise RequestRefused(module.ExtensionReason.UNKNOWN_REQUEST.of())


Make = Callable[..., tuple[Process, list[str]]]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    ends: list[Callable[[], None]] = []

    def made(code: str = ECHO, idle_s: float = 60.0) -> tuple[Process, list[str]]:
        said: list[str] = []
        keeper = ChildKeeper(idle_s)
        spec = ChildSpec("demo", package(tmp_path / "demo", code), "extension.py", can_confine())
        process = Process(spec, keeper, NoRequests(), said.append)
        ends.extend((process.end, keeper.close))
        return process, said

    yield made
    for end in ends:
        end()


def test_nothing_starts_before_the_first_call_and_one_process_answers_all(make: Make) -> None:
    """What it prints goes to its log."""
    process, said = make()
    assert process.pid is None
    first, second = (process.call("on_plain_text", {"text": "a"}, FACTS, 10.0) for _ in range(2))
    assert first == second == f"a {process.pid}"
    assert said == ["said a", "said a"]


def test_what_it_raises_is_told_with_its_line_and_the_process_goes_on(make: Make) -> None:
    """An exception is no reason for a new process."""
    process, _ = make()
    process.call("on_plain_text", {"text": "a"}, FACTS, 10.0)
    pid = process.pid
    with pytest.raises(CallFailed, match=r"ValueError: as it says \(extension.py, line 9\)"):
        process.call("on_llm_output", {"text": "a"}, FACTS, 10.0)
    with pytest.raises(CallFailed, match="there is no function on_tag"):
        process.call("on_tag", {"name": "a", "content": "b"}, FACTS, 10.0)
    assert process.pid == pid


def test_it_knows_what_it_is_told_and_next_to_nothing_of_the_environment(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No variable of the user's session is handed on."""
    monkeypatch.setenv("STEWARD_SECRET_TOKEN", "secret")
    process, _ = make()
    kind, facts, names, *rest = process.call("on_event", {"kind": "k", "facts": {"a": 1}}, FACTS, 10.0)
    assert (kind, facts, rest) == ("k", {"a": 1}, ["", "s", []])
    assert set(names) <= {"LANG", "LC_CTYPE", "LD_LIBRARY_PATH", "SYSTEMROOT"}


def test_an_idle_process_is_ended_and_the_next_call_starts_another(make: Make) -> None:
    """Nothing ticks in between."""
    process, _ = make(idle_s=0.2)
    first = process.call("on_plain_text", {"text": "a"}, FACTS, 10.0)
    child = psutil.Process(process.pid)
    child.wait(10.0)
    assert process.call("on_plain_text", {"text": "a"}, FACTS, 10.0) != first


def test_a_killed_process_is_one_failed_call(make: Make) -> None:
    """And the next one works."""
    process, _ = make("import os\n\ndef on_plain_text(text, context):\n    os._exit(3)\n")
    for _ in range(2):
        with pytest.raises(CallFailed, match="ended in the middle"):
            process.call("on_plain_text", {"text": "a"}, FACTS, 10.0)


def test_one_that_cannot_be_loaded_says_why(make: Make) -> None:
    """A module that is not there, a syntax error."""
    process, _ = make("import numpy\n")
    with pytest.raises(CallFailed, match="No module named 'numpy'"):
        process.call("on_plain_text", {"text": "a"}, FACTS, 10.0)


def test_two_calls_at_once_wait_for_each_other_and_that_counts_against_nobody(make: Make) -> None:
    """The second one is given up at its own limit."""
    process, _ = make("import time\n\ndef on_plain_text(text, context):\n    time.sleep(30)\n")
    import threading

    failed: list[CallFailed] = []

    def hang() -> None:
        with pytest.raises(CallFailed) as raised:
            process.call("on_plain_text", {"text": "a"}, FACTS, 1.0)
        failed.append(raised.value)

    thread = threading.Thread(target=hang)
    thread.start()
    while process.pid is None:
        time.sleep(0.01)
    with pytest.raises(CallFailed) as raised:
        process.call("on_plain_text", {"text": "a"}, FACTS, 0.05)
    thread.join()
    assert (raised.value.counts, failed[0].counts) == (False, True)


def test_a_bundle_starts_it_by_its_verb(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """`steward extension-host`: the same program, confined just as well."""
    start = (
        "import sys; sys.path.append(sys.argv[1]); sys.argv[:] = ['steward', *sys.argv[2:]];"
        " from desktop.__main__ import main; main()"
    )
    words = (sys.executable, "-I", "-c", start, PROGRAM, module.VERB)
    monkeypatch.setattr(module, "_launcher", lambda: words)
    code = "def on_plain_text(text, context):\n    return open('/etc/passwd').read()\n"
    process, _ = make(ECHO)
    assert process.call("on_plain_text", {"text": "a"}, FACTS, 20.0) == f"a {process.pid}"
    if can_confine():
        process, _ = make(code)
        with pytest.raises(CallFailed, match="PermissionError"):
            process.call("on_plain_text", {"text": "a"}, FACTS, 20.0)


def test_in_a_bundle_the_library_stays_where_it_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lies in the folder of Steward's own modules, which elsewhere is taken off the path."""
    spec = ChildSpec("echo", tmp_path, "extension.py", confined=False)
    assert json.loads(spec.words()[-1])["program"] == PROGRAM
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert spec.words()[:2] == (sys.executable, module.VERB)
    assert json.loads(spec.words()[-1])["program"] == ""


@pytest.mark.skipif(os.name != "posix", reason="sessions are of Unix")
def test_it_has_a_session_of_its_own(make: Make) -> None:
    """Ctrl-C in the terminal that Steward was started from is not for it."""
    process, _ = make()
    process.call("on_plain_text", {"text": "a"}, FACTS, 10.0)
    assert process.pid is not None
    assert os.getsid(process.pid) == process.pid
