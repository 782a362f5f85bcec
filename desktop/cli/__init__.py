"""The verbs of `steward`: each calls one function.

A verb's module is imported when somebody asks for that verb: the app, which is started without one, would
keep those of all of them in memory for as long as it runs, and each verb would wait for the others.

Exit codes: 0 done; 1 failed, with the reason on stderr; 2 wrong usage; 4 no model is installed;
130 interrupted.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from desktop import __version__
from desktop.app import LogFormat, Services, build_core, run_desktop, start_logging
from desktop.cli.reasons import CliReason
from desktop.cli.terminal import Declined, guard_terminal, shown
from desktop.errors import Cancelled, UserFacing
from desktop.paths import Paths

EXIT_FAILED = 1
EXIT_NO_MODEL = 4
EXIT_INTERRUPTED = 130
MOST_SHOWN = 100  # characters of an argument that is refused
MOST_SENTENCE = 2000  # characters in which an argument may stand whole
LONGEST_NAME = 60  # characters of a file's name that every system takes: four bytes each
# What Python makes of bytes that are no UTF-8; on Windows also of halves of a character.
_UNDECODED = re.compile("[\ud800-\udfff]")

EPILOG = (
    "Exit codes: 0 done, 1 failed (the reason is on stderr), 2 wrong usage, 4 no model is installed, "
    "130 interrupted."
)

# A module of this package, and in it the function of a verb or the verbs below one. In the order of the help.
VERBS = {
    "serve": "serve.serve_verb",
    "launch": "launch.launch_verb",
    "confine": "gate.confine_verb",
    "hook": "agents.hook_verb",
    "undo": "gate.undo_verb",
    "backup": "backup.backup_verb",
    "restore": "backup.restore_verb",
    "export": "backup.export_verb",
    "import": "backup.import_verb",
    "ask": "chat.ask_verb",
    "chat": "chat.chat_verb",
    "fix": "fix.fix_verb",
    "selftest": "selftest.selftest_verb",
    "update": "maintenance.update_verb",
    "purge": "maintenance.purge_verb",
    "doctor": "maintenance.doctor_verb",
    "models": "models.models_app",
    "memory": "memory.memory_app",
    "skills": "skills.skills_app",
    "addons": "maintenance.addons_app",
    "agents": "agents.agents_app",
    "api": "serve.api_app",
    "engines": "models.engines_app",
    "extensions": "extensions.extensions_app",
    "grants": "gate.grants_app",
    "rules": "gate.rules_app",
    "audit": "gate.audit_app",
    "mcp": "mcp.mcp_app",
    "offload": "offload.offload_app",
    "reminders": "memory.reminders_app",
    "projects": "projects.projects_app",
    "schedules": "schedules.schedules_app",
}
# What follows the first word is another program's.
OF_OTHER_PROGRAMS = ("launch", "confine", "hook")
PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False}


class _Verbs(MutableMapping[str, Any]):
    """Commands by their names: those of this module, which are given, and those of `VERBS`, loaded when asked
    for."""

    def __init__(self, own: MutableMapping[str, Any]) -> None:
        self._loaded = dict(own)
        self._names = [*own, *(name for name in VERBS if name not in own)]

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = _load(name)
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._loaded[name] = command
        if name not in self._names:
            self._names.append(name)

    def __delitem__(self, name: str) -> None:
        self._names.remove(name)
        self._loaded.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._names  # that of the base class would load it

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _load(name: str) -> Any:
    """The command; KeyError where there is none of that name."""
    module, attribute = VERBS[name].split(".")
    found = getattr(import_module(f"desktop.cli.{module}"), attribute)
    holder = typer.Typer(add_completion=False, rich_markup_mode=None)
    holder.callback()(_nothing)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=name)
    else:
        holder.command(name, context_settings=PASSED_ON if name in OF_OTHER_PROGRAMS else None)(found)
    return get_command(holder).commands[name]  # type: ignore[attr-defined] # a group, since it has a callback


def _nothing() -> None:
    pass


class _Steward(TyperGroup):
    """The outermost command."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Verbs(self.commands)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - typer's own signature
        return list(self.commands)


app = typer.Typer(
    cls=_Steward,
    name="steward",
    help="A private assistant: a local model in your system tray.",
    epilog=EPILOG,
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    profile: Annotated[
        Path | None, typer.Option("--profile", metavar="DIR", help="Keep everything in this folder.")
    ] = None,
    log_format: Annotated[
        str | None, typer.Option("--log-format", metavar="console|json", help="Also write the log to stderr.")
    ] = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Start the tray app, or do what the verb says."""
    if version:
        sys.stdout.write(f"steward {__version__}\n")
        raise typer.Exit
    if log_format not in (None, "console", "json"):
        raise typer.BadParameter("console or json", param_hint="--log-format")
    paths = Paths.under(profile) if profile else Paths.default()
    chosen: LogFormat | None = "json" if log_format == "json" else "console" if log_format else None
    start_logging(paths, chosen)
    context.obj = build_core(paths)
    # However the verb ends, also by an error: locks and threads must not outlive it.
    context.call_on_close(lambda: _end(context.obj))
    if context.invoked_subcommand is None:
        raise typer.Exit(run_desktop(context.obj))


def _end(core: Services) -> None:
    core.close()
    # Only now: the new process takes the same lock and the same database.
    if core.restart_wanted:
        from desktop.app.desktop import start_again

        start_again(core.paths, core.restart_chat)


@app.command("run")
def run_verb(
    context: typer.Context,
    hidden: Annotated[bool, typer.Option("--hidden", help="Start in the tray, without a window.")] = False,
    chat: Annotated[int, typer.Option("--chat", metavar="NUMBER", hidden=True)] = 0,
    finish_with: Annotated[Path | None, typer.Option("--finish-with", metavar="FILE", hidden=True)] = None,
) -> None:
    """Start the tray app (the default)."""
    raise typer.Exit(run_desktop(context.obj, hidden=hidden, chat=chat, finish_with=finish_with))


@app.command("toggle-quick-ask")
def toggle_quick_ask_verb(context: typer.Context) -> None:
    """Show or hide Quick-ask: bind this to keys where Steward can have no hotkey of its own."""
    raise typer.Exit(run_desktop(context.obj, quick_ask=True))


@app.command("demo", hidden=True)
def demo_verb(
    context: typer.Context,
    question: Annotated[str, typer.Option()],
    screenshot: Annotated[str, typer.Option()],
) -> None:
    """Ask one question through the real window, print the answer, save a picture."""
    from desktop.app import Demo

    raise typer.Exit(run_desktop(context.obj, demo=Demo(question, screenshot)))


@app.command("classify", context_settings={"ignore_unknown_options": True})
def classify_verb(words: Annotated[list[str], typer.Argument(metavar="COMMAND")]) -> None:
    """Say what a shell command would do; nothing is run. See: steward classify --help"""
    from desktop.gate.shell.classify import main as classify

    raise typer.Exit(classify(words))


def main(arguments: list[str]) -> int:
    """Run one verb. Errors of the world become sentences on stderr; bugs stay loud."""
    guard_terminal()
    try:
        with _arguments_refused(arguments):
            app(args=arguments, prog_name="steward")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else EXIT_FAILED
    except UserFacing as error:
        said = (error.cause, error.not_lost, error.action)
        sys.stderr.write("".join(f"{shown(_cut(line, arguments))}\n" for line in said if line))
        if _clicked(arguments):
            from desktop.ui.application import show_start_error

            show_start_error(error)
        return EXIT_NO_MODEL if error.code == "no-model" else EXIT_FAILED
    except Declined:
        sys.stderr.write("Nothing was changed.\n")
        return EXIT_FAILED
    except Cancelled:
        sys.stderr.write("Interrupted.\n")
        return EXIT_INTERRUPTED
    return 0


@contextmanager
def _arguments_refused(arguments: list[str]) -> Iterator[None]:
    """What no verb looks for: bytes that are no text, which a path may have, names of kilobytes, and numbers
    that the database cannot be asked for."""
    try:
        yield
    except UnicodeEncodeError:
        odd = next((each for each in arguments if _UNDECODED.search(each)), None)
        if odd is None:
            raise
        raise UserFacing(CliReason.ARGUMENT_NO_TEXT.of(argument=_shown(odd))) from None
    except OverflowError:
        number = next((each for each in arguments if _LARGE.fullmatch(each)), None)
        if number is None:
            raise
        raise UserFacing(CliReason.NUMBER_TOO_LARGE.of(number=_shown(number))) from None
    except OSError as error:
        # Made absolute, it is no longer the argument; but only one of them can be as long.
        name = max(arguments, key=len, default="")
        if error.errno != errno.ENAMETOOLONG or len(name) <= LONGEST_NAME:
            raise
        raise UserFacing(CliReason.NAME_TOO_LONG.of(name=_shown(name))) from None


_LARGE = re.compile(r"[+-]?\d{19,}")


def _cut(sentence: str, arguments: list[str]) -> str:
    """The sentence with arguments of kilobytes shortened, so that it can be read."""
    for each in arguments:
        if len(each) > MOST_SHOWN and len(sentence) > MOST_SENTENCE:
            sentence = sentence.replace(each, _shown(each))
    return sentence


def _shown(argument: str) -> str:
    printable = argument.encode("utf-8", "backslashreplace").decode()
    return printable if len(printable) <= MOST_SHOWN else f"{printable[:MOST_SHOWN]}…"


def _clicked(arguments: list[str]) -> bool:
    """Whether the app was started where nobody reads stderr, on a desktop that can show a window."""
    # Without a display no window could say it either.
    shown = sys.platform != "linux" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    # Whoever types another verb reads stderr; a click or a key starts the app alone.
    known = get_command(app).commands  # type: ignore[attr-defined] # a group, since it has several
    verbs = [word for word in arguments if word in known]
    return shown and not sys.stderr.isatty() and verbs in ([], ["run"], ["toggle-quick-ask"])
