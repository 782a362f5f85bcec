"""`steward extensions`: other people's code, installed, looked at, switched and removed; also while the app
runs, which sees it with the next question.
"""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import Declined, JsonOption, YesOption, print_json
from desktop.errors import Cancelled, UserFacing
from desktop.reasons import Reason

if TYPE_CHECKING:
    from desktop.extensions.registry import Extension

extensions_app = typer.Typer(
    help="Extensions: other people's code, in a process that can only ask.", no_args_is_help=True
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Its name, as `list` shows it.")]


@extensions_app.command("new")
def new_verb(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder; its name becomes the id.")],
) -> None:
    """Write a working extension with recorded calls, to start from."""
    from desktop.extensions.authoring import write_skeleton

    for file in write_skeleton(folder):
        sys.stdout.write(f"{file}\n")
    sys.stdout.write(f"Try it: steward extensions test {folder}\n")


@extensions_app.command("install")
def install_verb(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(help="A folder, a zip file, or one that comes with Steward.")],
    yes: YesOption = False,
) -> None:
    """Install one, show what it may do, and switch it on once you agree."""
    from desktop.extensions.authoring import shipped

    chain = context.obj.extensions
    # A folder of the same name in the working directory is meant by writing ./units.
    found = chain.registry.install(shipped().get(str(source), source))
    _agree(context, found, yes)


@extensions_app.command("list")
def list_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """What is installed, in the order in which texts go through, and what comes with Steward."""
    from desktop.extensions.authoring import shipped

    core = context.obj
    # Without a list nothing of extensions is loaded.
    found = core.extensions.registry.installed() if core.paths.extension_list.exists() else ()
    others = [each for each in shipped() if each not in {one.id for one in found}]
    if as_json:
        records = [_record(context, each) for each in found]
        print_json({"installed": records, "shipped": others})
        return
    sys.stdout.writelines(f"{_line(each)}\n" for each in found)
    if not found:
        sys.stdout.write("No extension is installed.\n")
    if others:
        sys.stdout.write(f"These come with Steward and can be installed by name: {', '.join(others)}\n")


@extensions_app.command("on")
def on_verb(
    context: typer.Context,
    name: NameArgument,
    yes: YesOption = False,
    chosen: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SETTING=VALUE", help="One of its settings, as often as needed."),
    ] = None,
) -> None:
    """Switch one on; what it may do beyond what you agreed to is shown first."""
    from desktop.extensions.registry import ExtensionStatus

    registry = context.obj.extensions.registry
    found = registry.get(name)
    for each in chosen or ():
        setting, sign, value = each.partition("=")
        if not sign:
            raise typer.BadParameter(f"{each!r} has no =", param_hint="--set")
        registry.set_setting(name, setting, _value(value, found.settings.get(setting)))
    if found.status in (ExtensionStatus.WAITS, ExtensionStatus.BROKEN):
        _agree(context, found, yes, on=True)
        return
    registry.set_on(name, True)
    sys.stdout.write(f"{name} is on.\n")


@extensions_app.command("off")
def off_verb(context: typer.Context, name: NameArgument) -> None:
    """Switch one off; what it keeps stays."""
    context.obj.extensions.registry.set_on(name, False)
    sys.stdout.write(f"{name} is off.\n")


@extensions_app.command("order")
def order_verb(
    context: typer.Context,
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="The first gets a text first.")],
) -> None:
    """Set which ones get a text first; those that are not named follow."""
    registry = context.obj.extensions.registry
    registry.set_order(names)
    sys.stdout.write(" → ".join(each.id for each in registry.installed()) + "\n")


@extensions_app.command("remove")
def remove_verb(context: typer.Context, name: NameArgument, yes: YesOption = False) -> None:
    """Remove one with all that it kept and all that it changed in chats."""
    core = context.obj
    core.extensions.registry.get(name)
    if not (
        yes or _confirmed(f"Remove {name} with everything it kept?", CliReason.EXTENSION_KEPT.of(name=name))
    ):
        raise Declined
    core.remove_extension(name)
    sys.stdout.write(f"{name} was removed.\n")


@extensions_app.command("test")
def test_verb(
    folder: Annotated[Path, typer.Argument(file_okay=False, help="An extension's own folder.")],
) -> None:
    """Run the recorded calls of an extension, confined as it will be; nothing is installed."""
    from desktop.extensions.authoring import run_recorded

    failed = 0
    for tried in run_recorded(folder, lambda line: sys.stdout.write(f"    {line}\n")):
        sys.stdout.write(f"{'✓' if tried.passed else '✗'} {tried.title}\n")
        if not tried.passed:
            failed += 1
            sys.stdout.write(f"    expected {tried.expected!r}\n    got      {tried.got!r}\n")
    if failed:
        raise typer.Exit(1)


@extensions_app.command("log")
def log_verb(context: typer.Context, name: NameArgument, as_json: JsonOption = False) -> None:
    """The latest lines of what an extension said, asked for and failed at."""
    chain = context.obj.extensions
    chain.registry.get(name)
    lines = chain.store.log(name)
    if as_json:
        records = [{"at": each.at, "kind": each.kind, "text": each.text} for each in lines]
        print_json(records)
        return
    for each in lines:
        moment = datetime.fromtimestamp(each.at).astimezone()
        sys.stdout.write(f"{moment:%Y-%m-%d %H:%M:%S}  {each.kind:6}  {each.text}\n")


def _agree(context: typer.Context, found: Extension, yes: bool, on: bool | None = None) -> None:
    """Tell what it may do, ask, and accept it. Where it cannot be confined, `on` has to be said."""
    from desktop.extensions.process import can_confine
    from desktop.extensions.reasons import ExtensionReason
    from desktop.extensions.registry import ExtensionStatus

    if found.status not in (ExtensionStatus.WAITS, ExtensionStatus.BROKEN):
        sys.stdout.write(f"{_line(found)}\n")
        return
    offered = found.offered or found.manifest
    confined = can_confine()
    sys.stdout.write(f"{offered.name} {offered.version}: {offered.description}\n")
    # In our words, made from what it asks for; the author's own, above, prove nothing.
    sys.stdout.writelines(f"  - {each}\n" for each in offered.abilities())
    held = ExtensionReason.CONFINED if confined else ExtensionReason.UNCONFINED
    sys.stdout.write(f"  - {held.of()}\n")
    if found.offered is not None and found.manifest is not found.offered:
        news = [str(each) for each in found.more] or ["nothing that it could not do before"]
        sys.stdout.writelines(["This is not the version you agreed to. New:\n"])
        sys.stdout.writelines(f"  + {each}\n" for each in news)
    if not (yes or _confirmed("Agree?", CliReason.EXTENSION_UNANSWERED.of(name=found.id))):
        sys.stdout.write(f"{found.id} is installed and stays off.\n")
        return
    # `install` never switches on what nothing holds; `on` is somebody's own wish, after the same words.
    switched = confined if on is None else on
    context.obj.extensions.registry.accept(found.id, switched)
    sys.stdout.write(f"{found.id} is {'on' if switched else 'installed, and off'}.\n")


def _confirmed(question: str, unanswered: Reason) -> bool:
    """Raises UserFacing with `unanswered` where nobody can be asked, Cancelled at Ctrl+C and Ctrl+D."""
    if not sys.stdin.isatty():
        raise UserFacing(unanswered)
    try:
        return bool(typer.confirm(question))
    except typer.Abort as error:
        raise Cancelled from error


def _value(text: str, before: object) -> object:
    """What was typed, as the kind of value that the setting has; left as text where it is none of that."""
    if isinstance(before, bool):
        return {"true": True, "false": False}.get(text.casefold(), text)
    try:
        return type(before)(text) if isinstance(before, int | float) else text
    except ValueError:
        return text


def _line(each: Extension) -> str:
    why = f"  {each.why_off}" if each.why_off is not None and not each.is_on else ""
    return f"{each.id:20} {each.manifest.version:8} {each.status.value:7} {each.manifest.name}{why}"


def _record(context: typer.Context, each: Extension) -> dict[str, Any]:
    kept = context.obj.extensions.store.kept(each.id)
    return {
        "id": each.id,
        "version": each.manifest.version,
        "name": each.manifest.name,
        "status": each.status.value,
        "priority": each.priority,
        "settings": dict(each.settings),
        "may": [str(reason) for reason in each.manifest.abilities()],
        "why_off": str(each.why_off or ""),
        "state_bytes": kept.size_bytes,
    }
