"""`steward models …`, and the choice of the model for `ask` and `chat`; `steward engines …`: model servers
that may answer a chat, and what is asked before words go to one.
"""

from __future__ import annotations

import getpass
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import Declined, JsonOption, print_json, says_yes
from desktop.errors import UserFacing
from desktop.reasons import size_text

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.chat.destinations import Agreed
    from desktop.chat.remote_turn import OutgoingText
    from desktop.engine.remote import RemoteServer
    from desktop.models.library import InstalledModel
    from desktop.models.progress import DownloadControl, DownloadProgress
    from desktop.models.setup import ModelChoice, UnknownHash

models_app = typer.Typer(help="The model files on this computer.", no_args_is_help=True)


def show(core: Services, as_json: bool) -> None:
    """Installed models first, then what the catalogue offers and whether it fits here."""
    installed = core.library.installed()
    choices = core.setup.choices(core.settings.current.model.needed_context_tokens)
    active = core.settings.current.model.active
    if as_json:
        _print_models(installed, choices, active)
        return
    for model in installed:
        mark = "*" if model.id == active else " "
        facts = f"{size_text(model.size_bytes)}, {model.facts.quantization}"
        sys.stdout.write(f"{mark} {model.id:28} {facts:20} {model.path}\n")
    if not installed:
        sys.stdout.write("No model is installed.\n")
    sys.stdout.write("\nAvailable with `steward models get NAME`:\n")
    for choice in choices:
        if not choice.installed:
            sys.stdout.write(_offer(choice))


def get(core: Services, name: str, recommended: bool, if_none: bool, yes: bool) -> int:
    """Download one model with progress on stderr; the first one becomes the active model."""
    # A model whose file is gone is none: whoever calls this wants one that works.
    if if_none and any(not model.is_missing for model in core.library.installed()):
        return 0
    if not name and not recommended:
        raise UserFacing(CliReason.MODEL_UNNAMED.of())
    model = _fetch_with_leave(core, name, yes)
    _make_first_active(core, model)
    sys.stderr.write(f"{model.name} is ready ({size_text(model.size_bytes)}).\n")
    return 0


def measure(core: Services, as_json: bool) -> int:
    """How fast the active model is on this computer, and what that lets expect of the others."""
    from desktop.engine.engine import start_thread

    core.engine.use(chosen(core, None))
    thread = start_thread(core.engine)
    try:
        measured = core.speed_test.run()
    finally:
        core.engine.close()
        thread.join()
    if measured is None:
        raise UserFacing(CliReason.NOT_MEASURED.of())
    choices = core.setup.choices(core.settings.current.model.needed_context_tokens)
    rows = [(choice.entry.id, choice.speed) for choice in choices if choice.speed is not None]
    if as_json:
        found = [{"id": name, **asdict(speed)} for name, speed in rows]
        print_json(found)
        return 0
    for name, speed in rows:
        mark = " " if speed.is_measured else "≈"
        first = f"first word after {speed.first_token_s:.1f} s"
        sys.stdout.write(f"{mark} {name:28} {speed.tokens_per_s:6.1f} tok/s, {first}\n")
    return 0


def import_file(core: Services, file: Path) -> None:
    """Use a file where it is."""
    model = core.library.import_file(file)
    _make_first_active(core, model)
    sys.stdout.write(f"{model.id}: {model.path} is used where it is.\n")


def remove(core: Services, name: str) -> None:
    """Forget a model, and delete its file when Steward downloaded it."""
    model = _installed(core, name)
    core.library.remove(model.id)
    # Else the settings would name a model that is gone, and each start would say so.
    if core.settings.current.model.active == model.id:
        core.settings.change("model", "active", "")
    kept = f"; the file {model.path} stays" if model.by_reference else ""
    sys.stdout.write(f"{model.name} is removed{kept}.\n")


def verify(core: Services, name: str) -> int:
    """Hash the files again; the exit code is 1 when one is wrong."""
    wanted = (_installed(core, name),) if name else core.library.installed()
    all_right = True
    for model in wanted:
        right = core.library.verify(model.id, _on_hashed)
        all_right = all_right and right
        sys.stdout.write(f"{model.id}: {'right' if right else 'the file has changed'}\n")
    return 0 if all_right else 1


def _on_hashed(bytes_done: int, bytes_total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\rReading {size_text(bytes_done)} of {size_text(bytes_total)} ")


def chosen(core: Services, wanted: str | None) -> InstalledModel:
    """The model for this run: the named one, the active one, or the first that is installed."""
    if wanted is not None:
        return _named(core, wanted)
    installed = [model for model in core.library.installed() if not model.is_missing]
    active = next((m for m in installed if m.id == core.settings.current.model.active), None)
    if active is not None:
        return active
    if not installed:
        raise UserFacing(CliReason.NO_MODEL.of())
    return installed[0]


def _named(core: Services, wanted: str) -> InstalledModel:
    found = core.library.find(wanted)
    if found is not None:
        return found
    # A name of the library first, so that a file in this folder cannot take a model's place.
    if Path(wanted).expanduser().is_file():
        return core.library.import_file(Path(wanted).expanduser())
    return _fetch_with_leave(core, wanted, yes=False)


def _fetch_with_leave(core: Services, name: str, yes: bool) -> InstalledModel:
    """Fetch a model; what only the user can settle (no known hash, a licence) is asked in a terminal."""
    from desktop.models.setup import UnknownHash

    if not name:
        return _fetch_recommended(core, yes)
    # A slash makes it a repository; anything else is a slip of the pen and is not looked for on the network.
    if core.catalogue.get(name) is None and "/" not in name:
        raise UserFacing(CliReason.MODEL_UNKNOWN.of(name=name))
    while True:
        try:
            with download_progress(core) as control:
                return _fetch(core, name, control, yes)
        except UnknownHash as error:
            yes = _agreed(error)
        except UserFacing as error:
            # What else goes wrong cannot be settled by typing something.
            if error.code != "licence-not-accepted":
                raise
            _ask_token(core, error)


def _fetch_recommended(core: Services, yes: bool) -> InstalledModel:
    """The one that suits this computer best; where its publisher cannot be reached, the one that always
    works, which can be had from another place too."""
    choices = core.setup.choices(core.settings.current.model.needed_context_tokens)
    best = next(each.entry for each in choices if each.recommended)
    always = next(each.entry for each in choices if each.is_fallback)
    if best == always:
        return _fetch_with_leave(core, best.id, yes)
    try:
        return _fetch_with_leave(core, best.id, yes)
    except UserFacing as error:
        sys.stderr.write(
            f"{best.name} could not be fetched: {error.cause} {always.name} is fetched instead.\n"
        )
        return _fetch_with_leave(core, always.id, yes)


def _agreed(error: UnknownHash) -> bool:
    if not sys.stdin.isatty():
        raise UserFacing(CliReason.HASH_UNKNOWN.of(name=error.file.name)) from error
    if not says_yes(f"{error.cause}\n{error.action} Download it?"):
        raise Declined
    return True


def _ask_token(core: Services, error: UserFacing) -> None:
    """Keep an access token from the terminal; raises `error` where there is nobody to ask."""
    from desktop.system.secrets import HUGGING_FACE_TOKEN

    if not sys.stdin.isatty():
        raise error
    sys.stderr.write(
        f"{error.cause}\nAccept it on the model's page, create an access token, and paste it here.\n"
    )
    # Not echoed, and not on the command line, where every user of this computer could see it.
    token = getpass.getpass("Token (empty to stop): ", sys.stderr).strip()
    if not token:
        raise error
    sys.stderr.write(f"{core.secrets.set(HUGGING_FACE_TOKEN, token).reason}\n")


def _fetch(core: Services, name: str, control: DownloadControl, yes: bool) -> InstalledModel:
    """A name of the catalogue, or a repository id."""
    if core.catalogue.get(name) is not None:
        return core.setup.get(name, control, accept_unknown_hash=yes)
    remote = core.setup.resolve_repository(name)
    return core.setup.get_remote(remote, control, accept_unknown_hash=yes)


def _installed(core: Services, name: str) -> InstalledModel:
    model = core.library.find(name)
    if model is None:
        raise UserFacing(CliReason.MODEL_NOT_INSTALLED.of(name=name))
    return model


def _make_first_active(core: Services, model: InstalledModel) -> None:
    # Only the first: a further download must not change which model answers.
    if not core.settings.current.model.active:
        core.settings.change("model", "active", model.id)


def _offer(choice: ModelChoice) -> str:
    """Two lines: what it is and whether it suits this computer; what it is good at."""
    entry = choice.entry
    # What is reckoned is marked: some publishers state no size.
    size = size_text(entry.size_bytes) if entry.size_bytes else f"≈ {size_text(entry.weight_bytes)}"
    marks = ["recommended"] if choice.recommended else []
    marks += [str(reason) for reason in (choice.fit.reason, entry.tried_note) if reason is not None]
    facts = f"{size:9} {_speed(choice):14} {entry.licence}"
    return f"  {entry.id:20} {facts}; {'; '.join(marks)}\n  {'':20} {entry.good_for}\n"


def _speed(choice: ModelChoice) -> str:
    """Words a second on this computer, measured or reckoned from the size."""
    if choice.speed is None:
        return ""
    about = "" if choice.speed.is_measured else "≈ "
    rate = choice.speed.words_per_s
    return f"{about}{rate:.{0 if rate >= 10 else 1}f} words/s"


def _print_models(
    installed: tuple[InstalledModel, ...], choices: tuple[ModelChoice, ...], active: str
) -> None:
    listing = {
        "active": active,
        "installed": [
            {
                "id": model.id,
                "name": model.name,
                "path": str(model.path),
                "size_bytes": model.size_bytes,
                "quantization": model.facts.quantization,
                "sha256": model.sha256,
                "by_reference": model.by_reference,
            }
            for model in installed
        ],
        "available": [
            {
                "id": choice.entry.id,
                "name": choice.entry.name,
                "size_bytes": choice.entry.size_bytes,
                "licence": choice.entry.licence,
                "tried": choice.entry.tried,
                "fit": choice.fit.value,
                "recommended": choice.recommended,
                "good_for": choice.entry.good_for,
                "words_per_s": round(choice.speed.words_per_s, 1) if choice.speed is not None else None,
            }
            for choice in choices
            if not choice.installed
        ],
    }
    print_json(listing)


@contextmanager
def download_progress(core: Services) -> Iterator[DownloadControl]:
    """A bar on stderr that follows the download; Ctrl+C stops it, and the next try goes on from there."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    from desktop.models.progress import DownloadControl, DownloadProgress

    control = DownloadControl()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    task = bar.add_task("Connecting", total=None)
    lock = threading.Lock()
    said = ""

    def on_progress(event: DownloadProgress) -> None:
        nonlocal said
        words = " ".join(map(str, filter(None, (event.phase.reason, event.note))))
        with lock:
            bar.update(task, description=words, completed=event.bytes_done, total=event.bytes_total)
            # In a log of a script a line for each change is enough; a bar would fill it.
            if words != said and not bar.console.is_terminal:
                sys.stderr.write(f"{words}\n")
            said = words

    end = core.bus.subscribe(DownloadProgress, on_progress)
    try:
        with bar:
            yield control
    except KeyboardInterrupt:
        # What has arrived stays, and the next try goes on from there.
        control.cancel()
        raise
    finally:
        end()


@models_app.command("list")
def models_list(context: typer.Context, as_json: JsonOption = False) -> None:
    """Installed models, and those that are available."""
    show(context.obj, as_json)


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
    raise typer.Exit(get(context.obj, name, recommended, if_none, yes))


@models_app.command("measure")
def models_measure(context: typer.Context, as_json: JsonOption = False) -> None:
    """How fast models are on this computer; the active one is measured, for at most 20 seconds."""
    raise typer.Exit(measure(context.obj, as_json))


@models_app.command("import")
def models_import(context: typer.Context, file: Annotated[Path, typer.Argument(help="A GGUF file.")]) -> None:
    """Use a file that you have, where it is; nothing is copied."""
    import_file(context.obj, file)


@models_app.command("remove")
def models_remove(context: typer.Context, name: Annotated[str, typer.Argument(help="Its name.")]) -> None:
    """Remove a model; a file that you imported stays where it is."""
    remove(context.obj, name)


@models_app.command("verify")
def models_verify(
    context: typer.Context, name: Annotated[str, typer.Argument(help="Its name; all when left out.")] = ""
) -> None:
    """Read the files again and compare their hashes."""
    raise typer.Exit(verify(context.obj, name))


engines_app = typer.Typer(
    help="Model servers: other programs or computers that may answer a chat, when you choose one for it.",
    no_args_is_help=True,
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="As `steward engines list` shows it.")]


def where(server: RemoteServer) -> str:
    """Where the words go, in plain words."""
    if server.is_here:
        return f"another program on this computer ({server.shown}), which may pass them on"
    return f"{server.shown}" if server.is_encrypted else f"{server.shown}, unencrypted"


def preview(leaving: OutgoingText) -> str:
    """What would leave, before it does."""
    server = leaving.server
    lines = [
        f"This chat would be answered by {server.model or 'a model'} of {server.name}.",
        f"Your words go to: {where(server)}",
        "What goes there: Steward's instructions, your questions"
        + (f", {leaving.earlier} earlier messages" if leaving.earlier else "")
        + (f", the files {', '.join(leaving.files)}" if leaving.files else "")
        + (f", what tools find in {leaving.folder}" if leaving.tools else ""),
        "What stays here: what is remembered, passwords and PINs that you have told Steward alone, titles, "
        "summaries, and what the gate decides.",
    ]
    return "\n".join(lines)


def ask_on_terminal(agreed_host: str) -> Callable[[OutgoingText], Agreed | None]:
    """Who is asked before the first sentence goes out: whoever sits before the terminal, unless the command
    has named the very host."""

    def ask(leaving: OutgoingText) -> Agreed | None:
        from desktop.chat.destinations import Agreed

        sys.stderr.write(f"{preview(leaving)}\n")
        if agreed_host and agreed_host in (leaving.server.shown, leaving.server.host):
            return Agreed()
        if agreed_host or not sys.stdin.isatty():
            return None
        return Agreed() if says_yes("Send it?") else None

    return ask


def _record(server: RemoteServer) -> dict[str, object]:
    return {
        "name": server.name,
        "address": server.url,
        "model": server.model,
        "here": server.is_here,
        "encrypted": server.is_encrypted,
        "tools": server.tools,
        "key": server.has_key,
    }


def _typed_key(name: str) -> str:
    """Typed unseen, or a line of stdin; never an argument, which other programs can read."""
    asked = f"Key for {name}: "
    return (getpass.getpass(asked) if sys.stdin.isatty() else sys.stdin.readline()).strip()


@engines_app.command("list")
def list_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the model servers, and where words would go."""
    core: Services = context.obj
    servers = core.remote_engines.all()
    if as_json:
        rows = [_record(each) for each in servers]
        print_json(rows)
        return
    sys.stdout.writelines(f"{each.name}\n    {each.model}\n    {where(each)}\n" for each in servers)
    if not servers:
        sys.stdout.write("There are no model servers. Add one with: steward engines add NAME ADDRESS\n")


@engines_app.command("add")
def add_verb(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lowercase letters, digits, - and _.")],
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="Such as https://models.example.org/v1.")],
    model: Annotated[
        str, typer.Option("--model", help="Which of its models; not needed if it has only one.")
    ] = "",
    key: Annotated[bool, typer.Option("--key", help="Ask for a key and keep it in the keyring.")] = False,
    no_tools: Annotated[bool, typer.Option("--no-tools", help="Its model is offered no tools.")] = False,
    unencrypted: Annotated[
        bool, typer.Option("--unencrypted", help="Allow http to a computer in your own network.")
    ] = False,
) -> None:
    """Add a model server. It is asked once which models it has; no words of yours are sent."""
    core: Services = context.obj
    typed = _typed_key(name) if key else ""
    server = core.remote_setup.add(name, address, model, typed, tools=not no_tools, unencrypted=unencrypted)
    sys.stdout.write(f"Added {name}, with the model {server.model}. Words would go to: {where(server)}\n")
    sys.stdout.write("No chat uses it until you choose it there.\n")


@engines_app.command("test")
def models_verb(context: typer.Context, name: NameArgument, as_json: JsonOption = False) -> None:
    """Ask a model server which models it has; no words of yours are sent."""
    found = context.obj.remote_engines.models(name)
    if as_json:
        print_json(list(found))
    else:
        sys.stdout.write("".join(f"{each}\n" for each in found) or "It answers, and names no model.\n")


@engines_app.command("key")
def key_verb(
    context: typer.Context,
    name: NameArgument,
    remove: Annotated[bool, typer.Option("--remove", help="Forget the key.")] = False,
) -> None:
    """Enter the key of a model server; it is kept in the keyring, if there is one."""
    context.obj.remote_setup.set_key(name, "" if remove else _typed_key(name))
    sys.stdout.write(f"The key of {name} was {'forgotten' if remove else 'kept'}.\n")


@engines_app.command("remove")
def remove_verb(context: typer.Context, name: NameArgument) -> None:
    """Remove a model server and its key. Chats stay, and no longer go there."""
    context.obj.remote_setup.remove(name)
    sys.stdout.write(f"{name} was removed.\n")
