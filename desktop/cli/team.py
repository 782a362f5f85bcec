"""`steward memory team`: the memory that a group shares.

Every function writes to stdout, as sentences or, with `as_json`, as one JSON value; each raises UserFacing.
"""

from __future__ import annotations

import getpass
import json
import sys
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from desktop.cli.options import JsonOption
from desktop.errors import Cancelled, UserFacing

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.memory.item import Layer
    from desktop.memory.shared.connection import Passwords, TeamAddress
    from desktop.memory.shared.store import SharedItem
    from desktop.memory.shared.team import TeamState


SETTINGS = ("team_store", "team_group", "team_name", "team_cache")


def status(core: Services, as_json: bool) -> None:
    """Where the shared memory is, and whether it answers now."""
    state = core.team.state()
    record = {**asdict(state.place), "name": state.author, "on": core.team.is_on, "trouble": state.trouble}
    _say(record, as_json, _in_words(state))


def connect(core: Services, place: TeamAddress, name: str, passwords_on_stdin: bool, as_json: bool) -> None:
    """Try the store out, and use it from now on; nothing is kept of one that does not answer."""
    from desktop.memory.shared.connection import checked
    from desktop.system.secrets import TEAM_CACHE_PASSWORD, TEAM_PASSWORD

    checked(place)
    passwords = _asked_for(place, passwords_on_stdin)
    core.team.try_out(place, passwords)
    for secret, value in ((TEAM_PASSWORD, passwords.store), (TEAM_CACHE_PASSWORD, passwords.cache)):
        if value is None:
            core.secrets.delete(secret)
        else:
            sys.stderr.write(f"{core.secrets.set(secret, value).sentence}\n")
    for setting, value in zip(SETTINGS, (place.store, place.group, name, place.cache), strict=True):
        core.settings.change("memory", setting, value)
    status(core, as_json)


def forget(core: Services, as_json: bool) -> None:
    """Use it no longer; address and passwords are gone, what was shared stays with the group."""
    from desktop.system.secrets import TEAM_CACHE_PASSWORD, TEAM_PASSWORD

    for setting in reversed(SETTINGS):
        core.settings.reset("memory", setting)
    for secret in (TEAM_PASSWORD, TEAM_CACHE_PASSWORD):
        core.secrets.delete(secret)
    _say({"on": False}, as_json, "Shared memory is off. What you shared stays with the group.")


def latest(core: Services, as_json: bool, limit: int = 50) -> None:
    """What the group shared last."""
    items = core.team.latest(limit)
    words = "\n".join(map(_line, items)) or "Nothing is shared yet."
    _say([asdict(item) for item in items], as_json, words)


def share(core: Services, number: int, layer: Layer, yes: bool, as_json: bool) -> None:
    """Show what would be sent of a note, and send it after a yes."""
    from desktop.memory.housekeeping import Housekeeping

    keeping = Housekeeping(core.memory, len, core.team.share)
    if not core.memory.store.items((number,)):
        raise UserFacing(
            f"There is no memory with the number {number}.",
            "Nothing was sent.",
            "Look the number up with: steward memory search WORDS",
            code="memory-unknown",
        )
    promotion = keeping.promotion(number, layer)
    host = urlsplit(core.team.place.store).hostname or "the server"
    sys.stderr.write(f"All of the group can read this on {host} ({layer.value}):\n  {promotion.text}\n")
    _agree(yes)
    keeping.promote(promotion)
    _say({"layer": layer.value, "text": promotion.text}, as_json, "Shared.")


def withdraw(core: Services, shared_id: str, as_json: bool) -> None:
    """Delete what was shared, for everybody."""
    if not core.team.withdraw((shared_id,)):
        raise UserFacing(
            f"Nothing is shared under {shared_id}.",
            "Nothing was deleted.",
            "Look it up with: steward memory team list",
            code="memory-unknown",
        )
    _say({"withdrawn": shared_id}, as_json, "Deleted for everybody.")


def _in_words(state: TeamState) -> str:
    if not state.place.store:
        return "Shared memory is off. “steward memory team connect” sets it up."
    name = f" as {state.author}" if state.author else ""
    cache = f"\nAnswers are kept for five minutes at {state.place.cache}." if state.place.cache else ""
    trouble = f"\n{state.trouble}" if state.trouble else "\nIt answers."
    return f"Group {state.place.group}{name}, at {state.place.store}.{cache}{trouble}"


def _line(item: SharedItem) -> str:
    day = f"{datetime.fromtimestamp(item.at).astimezone():%Y-%m-%d}"
    return f"{item.id}  {day}  {item.author or 'somebody'} ({item.layer.value}): {item.text}"


def _asked_for(place: TeamAddress, on_stdin: bool) -> Passwords:
    """From the terminal, unseen; or a line of stdin each. An empty one means that none is needed."""
    from desktop.memory.shared.connection import Passwords

    if not on_stdin and not sys.stdin.isatty():
        return Passwords()
    wanted = ["Password of the store (empty: none): "]
    wanted += ["Password of the cache (empty: none): "] if place.cache else []
    given = [sys.stdin.readline().strip() if on_stdin else getpass.getpass(each) for each in wanted]
    return Passwords(*(each or None for each in given))


def _agree(yes: bool) -> None:
    """Raises Cancelled for a no, and UserFacing where there is nobody to ask."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise UserFacing(
            "Nobody can be asked here whether this may be shared.",
            "Nothing was sent.",
            "Add --yes to send it as shown.",
            code="usage",
        )
    sys.stderr.write("Share it? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
        raise Cancelled


def _say(record: object, as_json: bool, words: str) -> None:
    text = json.dumps(record, ensure_ascii=False, indent=2) if as_json else words
    sys.stdout.write(f"{text}\n")


team_app = typer.Typer(
    help="Memory that a group shares on a server of its own; off at first.", no_args_is_help=True
)


@team_app.command("status")
def status_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """Where it is, and whether it answers."""
    status(context.obj, as_json)


@team_app.command("connect")
def connect_verb(
    context: typer.Context,
    address: Annotated[str, typer.Argument(help="postgresql://me@host/steward, or https://host:6333.")],
    group: Annotated[str, typer.Option("--group", help="Whose memory: all its members write the same.")],
    name: Annotated[str, typer.Option("--name", help="Who you are, for the others.")] = "",
    cache: Annotated[str, typer.Option("--cache", help="A Redis server before it: redis://host/0.")] = "",
    on_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password, and the cache's, from stdin.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Use a group's memory from now on. Asks for the password, which goes into the keyring."""
    from desktop.memory.shared.connection import TeamAddress

    connect(context.obj, TeamAddress(address, group, cache), name, on_stdin, as_json)


@team_app.command("forget")
def forget_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """Use it no longer, and forget address and password."""
    forget(context.obj, as_json)


@team_app.command("list")
def list_verb(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", min=1)] = 50,
    as_json: JsonOption = False,
) -> None:
    """What was shared last, with its ids."""
    latest(context.obj, as_json, limit)


@team_app.command("share")
def share_verb(
    context: typer.Context,
    number: Annotated[int, typer.Argument(help="Of a memory of yours.")],
    layer: Annotated[str, typer.Option("--layer", help="team, organisation or company.")] = "team",
    yes: Annotated[bool, typer.Option("--yes", help="Without asking.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what would be sent of a memory, and send it after a yes."""
    from desktop.memory.item import SHARED, Layer

    if layer not in SHARED:
        raise typer.BadParameter("the layer is team, organisation or company")
    share(context.obj, number, Layer(layer), yes, as_json)


@team_app.command("withdraw")
def withdraw_verb(
    context: typer.Context,
    shared_id: Annotated[str, typer.Argument(help="As `steward memory team list` shows it.")],
    as_json: JsonOption = False,
) -> None:
    """Delete what was shared, for everybody."""
    withdraw(context.obj, shared_id, as_json)
