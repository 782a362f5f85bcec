"""`steward launch AGENT [ARGUMENTS]`: a coding agent for one run, with the gate in it."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import structlog
import typer

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import says_yes
from desktop.errors import UserFacing
from desktop.paths import Paths, own_program, own_words

if TYPE_CHECKING:
    from desktop.agents.launch import Launcher, ModelFacts, Prepared
    from desktop.agents.tokens import Api, Tokens
    from desktop.app import Services

log = structlog.get_logger(__name__)

DAEMON_STARTS_S = 30.0
ASKED_EVERY_S = 0.1
ANSWERS_S = 1.0
ENDS_S = 5.0
PASSED_ON = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name))


def launch(core: Services, agent: str, arguments: tuple[str, ...]) -> int:
    """Run the agent and return its exit code. Everything made for the run is gone when it ends."""
    from desktop.agents.launch import LaunchedRuns, Launcher
    from desktop.cli.agents import installer_of

    tokens = core.tokens
    settings = core.settings.current
    launcher = Launcher(
        LaunchedRuns(core.paths), tokens, installer_of(core), settings.hooks, settings.permissions
    )
    launcher.tidy()
    # While the terminal is still ours: the agent takes it over.
    _offer_model(core)
    with ExitStack() as ending:
        prepared = launcher.prepare(agent, arguments, os.environ, _model_facts(core, tokens))
        # Before the daemon is waited for: where that fails, the files of the run still go.
        ending.callback(launcher.end, prepared.run)
        ending.enter_context(_daemon(core, tokens))
        return _run(prepared, launcher)


def _run(prepared: Prepared, launcher: Launcher) -> int:
    """The terminal is the agent's: Ctrl+C goes to it, and what would end us ends it first."""
    signals = _Signals()
    with signals.caught(), subprocess.Popen(prepared.command, env=dict(prepared.environment)) as agent:
        signals.goes_to(agent)
        launcher.started(prepared.run, agent.pid)
        code = agent.wait()
    # As a shell tells that a signal ended it.
    return code if code >= 0 else 128 - code


class _Signals:
    """Hands signals to the agent, also those that come before it is there."""

    def __init__(self) -> None:
        self._agent: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Ctrl+C reaches the agent from the terminal itself, so nothing is done about it here."""
        handlers = {number: signal.signal(number, self._pass_on) for number in PASSED_ON}
        handlers[signal.SIGINT] = signal.signal(signal.SIGINT, lambda _number, _frame: None)
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def goes_to(self, agent: subprocess.Popen[bytes]) -> None:
        # What came while it was being started has been heard by nobody else.
        self._agent = agent
        for number in self._early:
            agent.send_signal(number)

    def _pass_on(self, number: int, _frame: FrameType | None) -> None:
        if self._agent is None:
            self._early.append(number)
        else:
            self._agent.send_signal(number)


@contextmanager
def _daemon(core: Services, tokens: Tokens) -> Iterator[None]:
    """Start Steward unless it answers: the app where there is a screen, else `serve` for this run.

    Raises UserFacing when it does not come, or answers on another port than the settings say.
    """
    if _answers(core, tokens):
        yield
        return
    shows = _has_screen()
    steward = own_program() if shows else own_words()  # the app outlives this process
    profile = ("--profile", str(core.paths.data.parent)) if core.paths != Paths.default() else ()
    words = [*steward, *profile, *(("run", "--hidden") if shows else ("serve",))]
    quiet = subprocess.DEVNULL
    # In a session of its own: Ctrl+C in this terminal is meant for the agent and must not end the gate.
    daemon = subprocess.Popen(
        words, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True, env=dict(os.environ)
    )
    try:
        _wait_for(core, tokens, daemon, may_end=shows)
        yield
    finally:
        if not shows:  # the app stays, as if the user had started it
            daemon.terminate()
            _reap(daemon)


def _wait_for(core: Services, tokens: Tokens, daemon: subprocess.Popen[bytes], may_end: bool) -> None:
    """The app may end at once when it runs already; it is then told to listen."""
    deadline = time.monotonic() + DAEMON_STARTS_S
    while time.monotonic() < deadline:
        if _answers(core, tokens):
            return
        if daemon.poll() is not None and not (may_end and daemon.returncode == 0):
            break
        time.sleep(ASKED_EVERY_S)
    raise UserFacing(CliReason.NO_DAEMON.of(port=core.settings.current.hooks.port))


def _answers(core: Services, tokens: Tokens) -> bool:
    """Whether our own daemon is there, on the socket or the port that the run's files name."""
    api = tokens.published()
    if api is None:
        return False
    # One that listens elsewhere has other settings, and the hooks of this run would not reach it.
    wanted = f"http://127.0.0.1:{core.settings.current.hooks.port}"
    return (api.url == wanted or api.socket == str(core.paths.hook_socket)) and _metrics(api) is not None


def _metrics(api: Api) -> str | None:
    """The figures of the daemon, which proves that it knows the token."""
    from desktop.agents import client

    try:
        deadline = time.monotonic() + ANSWERS_S
        _code, body, _error = client.exchange(api.address, api.token.encode(), "figures", b"", deadline)
    except (client.Failed, OSError, ValueError) as error:
        log.info("the daemon does not answer", error=str(error))
        return None
    return body.decode("utf-8", "replace")


def _reap(daemon: subprocess.Popen[bytes]) -> None:
    try:
        daemon.wait(ENDS_S)
    except subprocess.TimeoutExpired:
        # Left behind it would hold the profile, and the next start would find it taken.
        daemon.kill()
        daemon.wait(ENDS_S)


def _has_screen() -> bool:
    if importlib.util.find_spec("PySide6") is None:
        return False
    if sys.platform != "linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _offer_model(core: Services) -> None:
    """Without a model the gate works, and asks about every unknown program."""
    from desktop.cli import models
    from desktop.settings import Judge

    if core.settings.current.hooks.judge is Judge.NONE or _installed(core):
        return
    if not sys.stdin.isatty():
        sys.stderr.write(
            "No model is installed, so nothing judges unknown programs: you are asked about them.\n"
        )
        return
    if says_yes(
        "No model is installed. One that runs here gives its opinion on unknown programs;\n"
        "without it you are simply asked about them. Download the recommended one?"
    ):
        models.get(core, "", recommended=True, if_none=True, yes=False)


def _installed(core: Services) -> bool:
    return any(not model.is_missing for model in core.library.installed())


def _model_facts(core: Services, tokens: Tokens) -> ModelFacts:
    from desktop.agents.launch import ModelFacts
    from desktop.cli import models

    if not _installed(core):
        return ModelFacts()
    model = models.chosen(core, None)
    api = tokens.published()
    text = (_metrics(api) or "") if api is not None else ""
    loaded = re.search(r"^steward_model_loaded(?:\{.*\})? 1", text, re.MULTILINE) is not None
    return ModelFacts(model.id, str(model.path), model.size_bytes, model.facts.quantization, loaded)


def launch_verb(
    context: typer.Context, agent: Annotated[str, typer.Argument(help="Such as claude.")]
) -> None:
    """Start a coding agent with Steward at its door, for this run alone; your settings stay as they are."""
    raise typer.Exit(launch(context.obj, agent, tuple(context.args)))
