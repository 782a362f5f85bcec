"""`steward launch` from the terminal's side: the daemon, the agent's exit code, and cleaning up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.agents import launch as launched
from desktop.agents.launch import LaunchedRuns
from desktop.agents.tokens import Tokens
from desktop.app import Services
from desktop.cli import launch as launching
from desktop.cli.launch import launch
from desktop.errors import UserFacing
from tests.agents.answering import Answering, says
from tests.agents.installing import everything_in

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the programs of these tests are scripts for sh")

ROOT = Path(__file__).resolve().parents[2]
AGENT = """#!/bin/sh
printf '%s\\n' "$@" > "$OUT/words"
env | grep ORCHESTRATOR_ > "$OUT/variables"
cp "$2" "$OUT/settings.json"
exit 7
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a program `claude` that writes down what it was given."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "out").mkdir()
    program = tmp_path / "bin" / "claude"
    program.write_text(AGENT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OUT", str(tmp_path / "out"))
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(launched, "MEMORY", Path("/nowhere"))
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    (tmp_path / "home" / ".claude" / "settings.json").write_text('{"model": "opus"}')
    return tmp_path


@pytest.fixture
def daemon(core: Services) -> Iterator[Answering]:
    """Has figures on the port of the settings, and has published where."""
    tokens = Tokens(core.paths)
    figures = says(b"steward_model_loaded 1\n")
    with Answering(figures, tokens=lambda: (tokens.general(),)) as server:
        core.settings.change("hooks", "port", int(server.address))
        tokens.publish(f"http://127.0.0.1:{server.address}")
        yield server


def test_the_agent_runs_and_its_exit_code_is_ours(
    home: Path, core: Services, daemon: Answering, capfd: pytest.CaptureFixture[str]
) -> None:
    """With the user's words behind ours; afterwards nothing is left, and the user's file is as before."""
    before = everything_in(home / "home")
    assert launch(core, "claude", ("-p", "make it so")) == 7
    words = (home / "out" / "words").read_text().splitlines()
    assert (words[0], words[2:]) == ("--settings", ["-p", "make it so"])
    assert set(json.loads((home / "out" / "settings.json").read_text())) == {"hooks"}
    assert "ORCHESTRATOR_SESSION=" in (home / "out" / "variables").read_text()
    assert everything_in(home / "home") == before
    assert not LaunchedRuns(core.paths).folder.exists()
    assert not Tokens(core.paths).any_expected
    assert "No model is installed" in capfd.readouterr().err


def test_an_agent_ended_by_a_signal_is_told_as_shells_do(
    home: Path, core: Services, daemon: Answering
) -> None:
    """128 and the number."""
    (home / "bin" / "claude").write_text("#!/bin/sh\nkill -9 $$\n")
    assert launch(core, "claude", ()) == 128 + 9


def test_no_daemon_no_agent(home: Path, core: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """When Steward cannot be started the agent is not started unguarded."""
    monkeypatch.setattr(launching, "own_words", lambda: [sys.executable, "-c", "raise SystemExit(1)"])
    with pytest.raises(UserFacing) as caught:
        launch(core, "claude", ())
    assert caught.value.code == "no-daemon"
    assert not (home / "out" / "words").exists()
    assert not LaunchedRuns(core.paths).folder.exists()


def test_a_stranger_on_the_port_is_no_daemon(
    home: Path, core: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It cannot prove to be the Steward that has published its address there."""
    monkeypatch.setattr(launching, "own_words", lambda: [sys.executable, "-c", "raise SystemExit(1)"])
    with Answering(
        raw=lambda line: line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    ) as stranger:
        core.settings.change("hooks", "port", int(stranger.address))
        Tokens(core.paths).publish(f"http://127.0.0.1:{stranger.address}")
        with pytest.raises(UserFacing):
            launch(core, "claude", ())
    assert not (home / "out" / "words").exists()


DAEMON = """
import json, os, sys, threading
from pathlib import Path
from tests.agents.answering import Answering
profile = Path(sys.argv[sys.argv.index("--profile") + 1])
(profile / "out.json").write_text(json.dumps({"pid": os.getpid(), "words": sys.argv[1:]}))
with Answering(tokens=lambda: ("t",)) as server:
    path = profile / "run" / "api.json"
    path.parent.mkdir(exist_ok=True, parents=True)
    path.touch(0o600)
    facts = {"url": f"http://127.0.0.1:{server.address}", "socket": os.environ["SOCKET"]}
    path.write_text(json.dumps({**facts, "token": "t", "pid": os.getpid()}))
    threading.Event().wait()
"""


def test_a_daemon_started_for_the_run_ends_with_it(
    home: Path, core: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`serve` with this profile, and no longer than the agent."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("SOCKET", str(core.paths.hook_socket))
    monkeypatch.setattr(launching, "own_words", lambda: [sys.executable, "-c", DAEMON])
    assert launch(core, "claude", ()) == 7
    profile = core.paths.data.parent
    told = json.loads((profile / "out.json").read_text())
    assert told["words"] == ["--profile", str(profile), "serve"]
    with pytest.raises(ProcessLookupError):
        os.kill(told["pid"], 0)


LAUNCH = """
import sys
from pathlib import Path
from desktop.agents import launch as launched
from desktop.app import Services, build_core
from desktop.cli.launch import launch
from desktop.paths import Paths
launched.MEMORY = Path("/nowhere")
core = build_core(Paths.under(Path(sys.argv[1])))
code = launch(core, "claude", ())
core.close()
sys.exit(code)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT])
def test_what_ends_the_launcher_ends_the_agent_first(
    home: Path, core: Services, daemon: Answering, number: signal.Signals
) -> None:
    """And everything is cleaned up all the same."""
    fifo = home / "started"
    os.mkfifo(fifo)
    script = f"#!/bin/sh\ntrap 'exit 9' TERM HUP QUIT INT\necho > {fifo}\nwhile :; do sleep 0.05; done\n"
    (home / "bin" / "claude").write_text(script)
    command = [sys.executable, "-c", LAUNCH, str(core.paths.data.parent)]
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True, stdin=subprocess.DEVNULL) as launcher:
        fifo.read_text()
        if number is signal.SIGINT:
            os.killpg(launcher.pid, number)  # as the terminal does
        else:
            launcher.send_signal(number)
        assert launcher.wait(20) == 9
    assert not LaunchedRuns(core.paths).folder.exists()
    assert not Tokens(core.paths).any_expected


@pytest.mark.parametrize("forks", [False, True], ids=["the agent", "what the agent became"])
def test_a_killed_launcher_leaves_its_agent_guarded(
    home: Path, core: Services, daemon: Answering, forks: bool
) -> None:
    """Files and token stay while the agent lives, also through the next launch; then they go."""
    fifo, over = home / "started", home / "over"
    os.mkfifo(fifo)
    waits = f"echo > {fifo}; while [ ! -e {over} ]; do sleep 0.05; done"
    script = f"({waits}) &\nkill -9 $PPID\n" if forks else f"{waits}\n"
    (home / "bin" / "claude").write_text(f"#!/bin/sh\n{script}")
    command = [sys.executable, "-c", LAUNCH, str(core.paths.data.parent)]
    launcher = subprocess.Popen(command, cwd=ROOT, start_new_session=True, stdin=subprocess.DEVNULL)
    try:
        fifo.read_text()
        if not forks:
            launcher.kill()
        launcher.wait(20)
        (run,) = LaunchedRuns(core.paths).alive()
        token = run.file("hook.token").read_text().splitlines()[0]
        (home / "bin" / "claude").write_text("#!/bin/sh\nexit 7\n")
        assert launch(core, "claude", ()) == 7
        assert Tokens(core.paths).agent_of(token) == "claude-code"
        assert run.file("hook.token").exists()
    finally:
        over.touch()
    deadline = time.monotonic() + 20
    while run.is_alive and time.monotonic() < deadline:
        time.sleep(0.05)
    assert launch(core, "claude", ()) == 7
    assert Tokens(core.paths).agent_of(token) is None
    assert not run.folder.exists()
