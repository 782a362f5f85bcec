"""`steward memory team`: the memory that a group shares.

Every function writes to stdout, as sentences or, with `as_json`, as one JSON value; each raises UserFacing.
"""

from __future__ import annotations

import getpass
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from desktop.cli.terminal import JsonOption, agree, say
from desktop.errors import UserFacing
from desktop.memory.reasons import MemoryReason

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.memory.item import Layer
    from desktop.memory.shared.authors import JudgedItem
    from desktop.memory.shared.connection import Passwords, TeamAddress
    from desktop.memory.shared.team import TeamState

_ROLES = {
    "owner": "The tables belong to your login; steward memory team sql prints how others get in.",
    "member": "You may read, share and withdraw.",
    "reader": "You may only read.",
    "unknown": "What you may do there shows when you do it.",
}
_MARKS = {
    "unsigned": " [unsigned]",
    "key-changed": " [not told: a different key than before]",
    "forged": " [not told: the signature is wrong]",
}
SETTINGS = ("team_store", "team_group", "team_name", "team_cache")


def status(core: Services, as_json: bool) -> None:
    """Where the shared memory is, and whether it answers now."""
    state = core.team.state()
    trouble = f"{state.error.cause} {state.error.action}" if state.error is not None else ""
    record = {
        **asdict(state.place),
        "name": state.author,
        "on": core.team.is_on,
        "role": state.role.value,
        "doubted": state.doubted,
        "trouble": trouble,
    }
    say(record, as_json, _in_words(state))


def connect(core: Services, place: TeamAddress, name: str, passwords_on_stdin: bool, as_json: bool) -> None:
    """Try the store out, and use it from now on; nothing is kept of one that does not answer."""
    from desktop.memory.shared.connection import checked
    from desktop.system.secrets import TEAM_CACHE_PASSWORD, TEAM_PASSWORD

    checked(place)
    passwords = _asked_for(place, passwords_on_stdin)
    # Before anything is kept: a wrong address must not take the place of one that works.
    core.team.try_out(place, passwords)
    for secret, value in ((TEAM_PASSWORD, passwords.store), (TEAM_CACHE_PASSWORD, passwords.cache)):
        if value is None:
            core.secrets.delete(secret)
        else:
            # Where a password lies is said even with --json, whose promise is about stdout.
            sys.stderr.write(f"{core.secrets.set(secret, value).reason}\n")
    for setting, value in zip(SETTINGS, (place.store, place.group, name, place.cache), strict=True):
        core.settings.change("memory", setting, value)
    status(core, as_json)


def forget(core: Services, as_json: bool) -> None:
    """Use it no longer; address and passwords are gone, what was shared stays with the group."""
    from desktop.system.secrets import TEAM_CACHE_PASSWORD, TEAM_PASSWORD

    # The passwords first: where the keyring is locked nothing is changed, as its error says.
    for secret in (TEAM_PASSWORD, TEAM_CACHE_PASSWORD):
        core.secrets.delete(secret)
    for setting in reversed(SETTINGS):
        core.settings.reset("memory", setting)
    say({"on": False}, as_json, "Shared memory is off. What you shared stays with the group.")


def latest(core: Services, as_json: bool, limit: int = 50) -> None:
    """What the group shared last."""
    found = core.team.latest(limit)
    words = "\n".join(map(_line, found)) or "Nothing is shared yet."
    records = [{**asdict(each.item), "authorship": each.authorship.value} for each in found]
    say(records, as_json, words)


def trust(core: Services, author: str, as_json: bool) -> None:
    """Accept the new key of a member, after the user has compared it with them."""
    from desktop.memory.shared.authors import short_key

    key = core.team.trust(author)
    words = f"Texts by {author} are told again; their key is {short_key(key)}."
    say(
        {"author": author, "key": key},
        as_json,
        words if key else f"Texts by {author} are told again, without a signature.",
    )


def sql(owner: str, members: Sequence[str], readers: Sequence[str]) -> None:
    """What an administrator of a PostgreSQL server runs for a group. Asks no server."""
    from desktop.memory.shared.postgres import administration_sql

    sys.stdout.write(administration_sql(owner, members, readers))


def share(core: Services, number: int, layer: Layer, yes: bool, as_json: bool) -> None:
    """Show what would be sent of a note, and send it after a yes."""
    from desktop.memory.housekeeping import Housekeeping

    keeping = Housekeeping(core.memory, len, core.team.share)
    # Before the server is asked for anything.
    if not core.memory.store.items((number,)):
        raise UserFacing(MemoryReason.MEMORY_UNKNOWN.of(number=number))
    promotion = keeping.promotion(number, layer)
    host = urlsplit(core.team.place.store).hostname or "the server"
    # The text as it would be sent, and not the note: what is taken out of it has to be seen.
    sys.stderr.write(f"All of the group can read this on {host} ({layer.value}):\n  {promotion.text}\n")
    agree("Share it?", yes, MemoryReason.NOBODY_TO_ASK.of())
    keeping.promote(promotion)
    say({"layer": layer.value, "text": promotion.text}, as_json, "Shared.")


def withdraw(core: Services, shared_id: str, as_json: bool) -> None:
    """Delete what was shared, for everybody."""
    if not core.team.withdraw((shared_id,)):
        raise UserFacing(MemoryReason.SHARED_UNKNOWN.of(id=shared_id))
    say({"withdrawn": shared_id}, as_json, "Deleted for everybody.")


def _in_words(state: TeamState) -> str:
    if not state.place.store:
        return "Shared memory is off. “steward memory team connect” sets it up."
    name = f" as {state.author}" if state.author else ""
    cache = f"\nAnswers are kept for five minutes at {state.place.cache}." if state.place.cache else ""
    if state.error is not None:
        answer = f"{state.error.cause} {state.error.action}"
    else:
        answer = f"It answers. {_ROLES[state.role.value]}"
    doubts = "".join(
        f"\nTexts by {author} are not told to a model: their key has changed, or they are forged."
        f" Ask {author} for the new key; steward memory team trust {author} accepts it."
        for author in state.doubted
    )
    return f"Group {state.place.group}{name}, at {state.place.store}.{cache}\n{answer}{doubts}"


def _line(judged: JudgedItem) -> str:
    item = judged.item
    day = f"{datetime.fromtimestamp(item.at).astimezone():%Y-%m-%d}"
    mark = _MARKS.get(judged.authorship.value, "")
    return f"{item.id}  {day}  {item.author or 'somebody'}{mark} ({item.layer.value}): {item.text}"


def _asked_for(place: TeamAddress, on_stdin: bool) -> Passwords:
    """From the terminal, unseen; or a line of stdin each. An empty one means that none is needed."""
    from desktop.memory.shared.connection import Passwords

    # A script without --password-stdin may have something else on stdin; it is not read as a password.
    if not on_stdin and not sys.stdin.isatty():
        return Passwords()
    wanted = ["Password of the store (empty: none): "]
    wanted += ["Password of the cache (empty: none): "] if place.cache else []
    given = [sys.stdin.readline().strip() if on_stdin else getpass.getpass(each) for each in wanted]
    return Passwords(*(each or None for each in given))


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
    """Use a group's memory from now on. Asks for the password, which the keyring keeps, if there is one."""
    from desktop.memory.shared.connection import TeamAddress

    connect(context.obj, TeamAddress(address, group, cache), name, on_stdin, as_json)


@team_app.command("forget")
def forget_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """Stop using it, and forget its address and passwords."""
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


@team_app.command("trust")
def trust_verb(
    context: typer.Context,
    author: Annotated[str, typer.Argument(help="A name whose key has changed, as the list shows it.")],
    as_json: JsonOption = False,
) -> None:
    """Accept a member's new key; compare it with them first."""
    trust(context.obj, author, as_json)


@team_app.command("sql")
def sql_verb(
    owner: Annotated[str, typer.Option("--owner", help="The login that the tables belong to.")],
    members: Annotated[
        list[str] | None, typer.Option("--member", help="A login that may share; as often as needed.")
    ] = None,
    readers: Annotated[
        list[str] | None, typer.Option("--reader", help="A login that may only read; as often as needed.")
    ] = None,
) -> None:
    """Print what an administrator of a PostgreSQL server runs for a group."""
    sql(owner, members or (), readers or ())
