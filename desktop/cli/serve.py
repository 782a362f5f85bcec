"""`steward serve`: the gate for agents without a window, which leaves what would be asked to the agent; and
`steward api …`: the programs that may ask the model.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from types import FrameType
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer
from filelock import FileLock, Timeout

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import JsonOption, print_json
from desktop.errors import UserFacing
from desktop.paths import Paths, ensure

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.settings.file import SettingsFile

LOOKS_EVERY_S = 0.5  # on Windows a wait without an end hears no Ctrl+C


def serve(core: Services) -> int:
    """Answer until Ctrl+C or SIGTERM. Main thread.

    Raises UserFacing: `already-serving` when a Steward has this profile, `port-taken` where hooks can come
    by the port alone; elsewhere the greeting says it.
    """
    with _profile_held(core.paths), _until_told() as ended, _engine(core):
        # Before the first hook, which would otherwise wait for the tables.
        core.commands.settle()
        core.server.start()
        sys.stdout.write(_greeting(core))
        sys.stdout.flush()
        # `steward api on` and the like are other processes, which write the file that this one has read.
        settings = SettingsReader(core.settings)
        try:
            while not ended.wait(LOOKS_EVERY_S):
                settings.look()
        finally:
            # Before the engine goes: a hook that is held may wait for its verdict.
            core.server.close()
    sys.stdout.write("Steward has stopped answering hooks.\n")
    return 0


class SettingsReader:
    """Reads the settings again whenever their file is another one. One thread."""

    def __init__(self, settings: SettingsFile) -> None:
        self._settings = settings
        # Read once more: it may have been written since this process read it.
        self._seen: tuple[int, int, int] | None = None

    def look(self) -> None:
        stamp = self._stamp()
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            self._settings.reload()
        except UserFacing as error:
            # What holds stays as it was; said once for each state of the file.
            sys.stderr.write(f"{error}\n")

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            found = self._settings.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


def _greeting(core: Services) -> str:
    refusal = core.server.port_refusal
    place = "its socket file alone" if refusal is not None else core.server.address
    lines = [
        f"Steward answers hooks at {place}.",
        *([str(refusal)] if refusal is not None else []),
        "There is no window to ask in: what needs a question is left to the agent's own prompt.",
    ]
    if not core.tokens.any_expected:
        lines.append("No agent is installed yet. Run: steward agents install")
    if not core.settings.current.hooks.enabled:
        lines.append("The gate is switched off in the settings (hooks.enabled): every hook gets no opinion.")
    return "\n".join([*lines, "Ctrl+C ends it.", ""])


@contextmanager
def _profile_held(paths: Paths) -> Iterator[None]:
    """The lock that the app takes, too: one process a profile, whichever it is."""
    ensure(paths.instance_lock.parent)
    lock = FileLock(paths.instance_lock, mode=0o600)
    try:
        # Not waited for: whoever has the profile may keep it for days.
        lock.acquire(blocking=False)
    except Timeout as error:
        raise _already(paths) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _until_told() -> Iterator[threading.Event]:
    """Set by the signals that end a program; who handled them before does so again afterwards."""
    ended = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32":
        numbers.append(signal.SIGHUP)  # the terminal was closed
    before = {number: signal.signal(number, on_signal) for number in numbers}
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _engine(core: Services) -> Iterator[None]:
    """The judge's engine, where a model is installed. It is loaded when it is first asked."""
    from desktop.engine.engine import start_thread

    installed = [model for model in core.library.installed() if not model.is_missing]
    if not installed:
        yield
        return
    # A model that was chosen and is gone since must not leave the judge without one.
    active = core.settings.current.model.active
    core.engine.use(next((model for model in installed if model.id == active), installed[0]))
    thread = start_thread(core.engine)
    core.question_socket.open()
    try:
        yield
    finally:
        # First the answers under way, which are told that the program ends.
        core.question_socket.close()
        core.engine.close()
        thread.join()


def _already(paths: Paths) -> UserFacing:
    from desktop.agents.tokens import Tokens
    from desktop.server.sockets import steward_at

    # The file may be left by a process that was killed, and its port be another program's by now.
    published = Tokens(paths).published()
    port = urlsplit(published.url).port if published is not None else None
    running = steward_at("127.0.0.1", port) if port else None
    if published is not None and running is not None and running.pid == published.pid:
        return UserFacing(CliReason.ANSWERING.of(url=published.url, pid=published.pid))
    return UserFacing(CliReason.RUNNING_UNANSWERING.of())


def serve_verb(context: typer.Context) -> None:
    """Answer the hooks of agents without a window; what would be asked gets no opinion."""
    raise typer.Exit(serve(context.obj))


api_app = typer.Typer(help="Programs on this computer that may ask the model.", no_args_is_help=True)
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The program's name, such as continue.")]


def status(core: Services, as_json: bool) -> int:
    """Whether programs are answered, where, and who may ask."""
    wanted = core.settings.current.api.enabled
    port = core.settings.current.hooks.port
    uses, names = core.program_log.uses(), core.program_tokens.names()
    url = f"http://127.0.0.1:{port}/v1"
    if as_json:
        programs = {name: asdict(uses[name]) if name in uses else None for name in names}
        rows = {"enabled": wanted, "url": url, "programs": programs}
        print_json(rows)
        return 0
    state = "on" if wanted else "off; switch it on with: steward api on"
    sys.stdout.write(f"The API is {state}.\nAddress: {url}\n")
    for name in names:
        use = uses.get(name)
        if use is None:
            sys.stdout.write(f"{name:20} has not asked yet\n")
            continue
        sys.stdout.write(
            f"{name:20} {use.requests} answered, {use.refused} refused, {use.prompt_tokens} tokens read, "
            f"{use.answer_tokens} written, last on {use.last_used}\n"
        )
        if use.refused_for:
            sys.stdout.write(f"{'':20} the last request was refused: {use.refused_for}\n")
    if not names:
        sys.stdout.write("No program has a token yet. Create one with: steward api token NAME\n")
    return 0


@api_app.command("status")
def api_status(context: typer.Context, as_json: JsonOption = False) -> None:
    """Say whether programs are answered, at which address, and what each has asked."""
    raise typer.Exit(status(context.obj, as_json))


@api_app.command("on")
def api_on(context: typer.Context) -> None:
    """Answer programs that have a token, from now on."""
    context.obj.settings.change("api", "enabled", True)
    sys.stdout.write("The API is on. A program needs a token: steward api token NAME\n")


@api_app.command("off")
def api_off(context: typer.Context) -> None:
    """Stop answering programs. Tokens stay."""
    context.obj.settings.change("api", "enabled", False)
    sys.stdout.write("The API is off.\n")


@api_app.command("token")
def api_token(context: typer.Context, name: NameArgument) -> None:
    """Create a token for a program and print it, once; an older one of the same name stops working."""
    token = context.obj.program_tokens.make(name)
    # Alone on stdout, so that a script can take it.
    sys.stdout.write(f"{token}\n")
    sys.stderr.write(
        f"The token of {name}. It is shown only this once; Steward keeps nothing but its hash.\n"
    )
    if not context.obj.settings.current.api.enabled:
        sys.stderr.write("The API is off. Switch it on with: steward api on\n")


@api_app.command("list")
def api_list(context: typer.Context) -> None:
    """Print the names of the programs that have a token."""
    sys.stdout.write("".join(f"{name}\n" for name in context.obj.program_tokens.names()))


@api_app.command("revoke")
def api_revoke(context: typer.Context, name: NameArgument) -> None:
    """End a program's token, at once."""
    if not context.obj.program_tokens.revoke(name):
        raise UserFacing(CliReason.PROGRAM_UNKNOWN.of(name=name))
    sys.stdout.write(f"{name} is no longer answered.\n")
