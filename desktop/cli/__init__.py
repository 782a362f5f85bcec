"""The verbs of `steward`: each calls one function.

Exit codes: 0 done; 1 failed, with the reason on stderr; 2 wrong usage; 4 no model is installed;
130 interrupted.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from desktop import __version__
from desktop.app import LogFormat, Services, build_core, run_desktop, start_logging
from desktop.cli import addon_verbs, gate_verbs, keeping_verbs, memory_verbs
from desktop.errors import Cancelled, UserFacing
from desktop.paths import Paths

EXIT_FAILED = 1
EXIT_NO_MODEL = 4
EXIT_INTERRUPTED = 130

EPILOG = (
    "Exit codes: 0 done, 1 failed (the reason is on stderr), 2 wrong usage, 4 no model is installed, "
    "130 interrupted."
)

app = typer.Typer(
    name="steward",
    help="A private assistant: a local model in your system tray.",
    epilog=EPILOG,
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
models_app = typer.Typer(help="The model files on this computer.", no_args_is_help=True)
app.add_typer(models_app, name="models")
app.add_typer(memory_verbs.memory, name="memory")
app.add_typer(addon_verbs.addons, name="addons")
gate_verbs.add_to(app)
keeping_verbs.add_to(app)

ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="NAME|FILE|REPO_ID", help="An installed model, a GGUF file, or a repository."
    ),
]
NoMemoryOption = Annotated[
    bool, typer.Option("--no-memory", help="Use and keep nothing of what is remembered.")
]


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
    context.call_on_close(lambda: _end(context.obj))
    if context.invoked_subcommand is None:
        raise typer.Exit(run_desktop(context.obj))


def _end(core: Services) -> None:
    core.close()
    if core.restart_wanted:
        from desktop.app.desktop import start_again

        start_again(core.paths, core.restart_chat)


@app.command("run")
def run_verb(
    context: typer.Context,
    hidden: Annotated[bool, typer.Option("--hidden", help="Start in the tray, without a window.")] = False,
    chat: Annotated[int, typer.Option("--chat", metavar="NUMBER", hidden=True)] = 0,
) -> None:
    """Start the tray app (the default)."""
    raise typer.Exit(run_desktop(context.obj, hidden=hidden, chat=chat))


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


@app.command("ask")
def ask_verb(
    context: typer.Context,
    question: Annotated[
        list[str] | None, typer.Argument(help="The question; stdin is read when it is piped.")
    ] = None,
    prompt_file: Annotated[
        Path | None, typer.Option("--prompt-file", help="Read the question from a file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print answer, calls and figures as JSON.")] = False,
    allow: Annotated[
        str, typer.Option(help="What tools may do: none (that changes), read (anywhere) or workspace.")
    ] = "none",
    model: ModelOption = None,
    no_memory: NoMemoryOption = False,
) -> None:
    """Ask one question and print the answer."""
    from desktop.cli.ask import Allow, ask, read_question

    if allow not in list(Allow):
        raise typer.BadParameter("none, read or workspace", param_hint="--allow")
    text = read_question(question or [], prompt_file)
    raise typer.Exit(ask(context.obj, text, model, as_json, Allow(allow), not no_memory))


@app.command("chat")
def chat_verb(
    context: typer.Context,
    session: Annotated[
        Path | None,
        typer.Option("--session", metavar="FILE.json", help="Keep the conversation in this file."),
    ] = None,
    model: ModelOption = None,
    no_memory: NoMemoryOption = False,
) -> None:
    """Talk with the model in the terminal."""
    from desktop.cli.chat import chat

    raise typer.Exit(chat(context.obj, session, model, not no_memory))


@models_app.command("list")
def models_list(
    context: typer.Context, as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False
) -> None:
    """Installed models, and those that can be had."""
    from desktop.cli import models

    models.show(context.obj, as_json)


@models_app.command("get")
def models_get(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A name of `models list`, or a repository id.")] = "",
    recommended: Annotated[
        bool, typer.Option("--recommended", help="The one that suits this computer best.")
    ] = False,
    if_none: Annotated[
        bool, typer.Option("--if-none", help="Do nothing when a model is already installed.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Also without a known hash.")] = False,
) -> None:
    """Download a model and verify it."""
    from desktop.cli import models

    raise typer.Exit(models.get(context.obj, name, recommended, if_none, yes))


@models_app.command("measure")
def models_measure(
    context: typer.Context, as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False
) -> None:
    """How fast models are on this computer; the active one is measured, for at most 20 seconds."""
    from desktop.cli import models

    raise typer.Exit(models.measure(context.obj, as_json))


@models_app.command("import")
def models_import(context: typer.Context, file: Annotated[Path, typer.Argument(help="A GGUF file.")]) -> None:
    """Use a file that you have, where it is; nothing is copied."""
    from desktop.cli import models

    models.import_file(context.obj, file)


@models_app.command("remove")
def models_remove(context: typer.Context, name: Annotated[str, typer.Argument(help="Its name.")]) -> None:
    """Remove a model; a file that you imported stays where it is."""
    from desktop.cli import models

    models.remove(context.obj, name)


@models_app.command("verify")
def models_verify(
    context: typer.Context, name: Annotated[str, typer.Argument(help="Its name; all when left out.")] = ""
) -> None:
    """Read the files again and compare their hashes."""
    from desktop.cli import models

    raise typer.Exit(models.verify(context.obj, name))


@app.command("classify", context_settings={"ignore_unknown_options": True})
def classify_verb(words: Annotated[list[str], typer.Argument(metavar="COMMAND")]) -> None:
    """Say what a shell command would do; nothing is run. See: steward classify --help"""
    from desktop.gate.shell.classify import main as classify

    raise typer.Exit(classify(words))


@app.command("selftest")
def selftest_verb(
    model: Annotated[str, typer.Option("--model", metavar="FILE", help="Also load this model.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Try every part of this copy of Steward."""
    from desktop.cli.selftest import main as selftest

    words = [*(("--model", model) if model else ()), *(("--json",) if as_json else ())]
    raise typer.Exit(selftest(words))


@app.command("update")
def update_verb(context: typer.Context) -> None:
    """Ask whether there is a newer version; nothing is installed."""
    from desktop.cli.update import look

    raise typer.Exit(look(context.obj))


@app.command("purge")
def purge_verb(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what there is.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; models stay.")] = False,
    models: Annotated[bool, typer.Option("--models", help="Remove downloaded models, too.")] = False,
    keep_data: Annotated[
        bool, typer.Option("--keep-data", help="Keep conversations, notes and settings.")
    ] = False,
) -> None:
    """Remove what Steward keeps on this computer; models stay unless you ask for it."""
    from desktop.cli.purge import purge

    raise typer.Exit(purge(context.obj, dry_run, yes, models, keep_data))


@app.command("doctor")
def doctor_verb(
    context: typer.Context, as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False
) -> None:
    """What works on this computer and what does not."""
    from desktop.cli.doctor import show

    raise typer.Exit(show(context.obj, as_json))


def main(arguments: list[str]) -> int:
    """Run one verb. Errors of the world become sentences on stderr; bugs stay loud."""
    try:
        app(args=arguments, prog_name="steward")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else EXIT_FAILED
    except UserFacing as error:
        sys.stderr.write("".join(f"{line}\n" for line in (error.cause, error.not_lost, error.action) if line))
        if _clicked(arguments):
            from desktop.ui.application import show_start_error

            show_start_error(error)
        return EXIT_NO_MODEL if error.code == "no-model" else EXIT_FAILED
    except Cancelled:
        sys.stderr.write("Interrupted.\n")
        return EXIT_INTERRUPTED
    return 0


def _clicked(arguments: list[str]) -> bool:
    """Whether the app was started where nobody reads stderr, on a desktop that can show a window."""
    shown = sys.platform != "linux" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    verbs = [word for word in arguments if word in _VERBS]
    return shown and not sys.stderr.isatty() and verbs in ([], ["run"])


_VERBS = frozenset(
    {
        *("run", "demo", "ask", "chat", "models", "classify", "doctor", "undo", "audit", "agents"),
        *("grants", "rules", "reminders", "serve", "launch", "hook", "memory", "selftest", "purge", "update"),
        *("backup", "restore", "export", "import", "addons"),
    }
)
