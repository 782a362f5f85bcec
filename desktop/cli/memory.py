"""`steward memory` and `steward reminders`: what is kept for the user, also while the app runs.

The functions of memory write to stdout, as sentences or, with `as_json`, as one JSON value, and raise
UserFacing.
"""

from __future__ import annotations

import getpass
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import JsonOption, agree, say
from desktop.errors import UserFacing
from desktop.memory.reasons import MemoryReason
from desktop.paths import write_atomically

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.memory.item import Item, Layer
    from desktop.memory.memory import Memory
    from desktop.memory.shared.authors import JudgedItem
    from desktop.memory.shared.connection import Passwords, TeamAddress
    from desktop.memory.shared.team import TeamState
    from desktop.tools.reminders import Reminders


# -- steward memory team -----------------------------------------------------------------------

# `steward memory team`: the memory that a group shares.
#
# Every function writes to stdout, as sentences or, with `as_json`, as one JSON value; each raises
# UserFacing.

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


def forget_team(core: Services, as_json: bool) -> None:
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
def team_forget_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """Stop using it, and forget its address and passwords."""
    forget_team(context.obj, as_json)


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


reminders_app = typer.Typer(help="Reminders that are set.", no_args_is_help=True)


def search(memory: Memory, words: str, as_json: bool, project: str = "", limit: int = 10) -> None:
    """The same ranking that a conversation uses, with the reason; of all layers where no project is named."""
    from desktop.memory.memory import found_in_words
    from desktop.memory.store import EVERYWHERE, View

    # A person who searches by hand wants all that is kept, a conversation only what belongs to its folder.
    view = View.of(project=project) if project else EVERYWHERE
    hits = memory.search.hits(memory.search.question(words, view), limit)
    records = [{**as_record(hit.item), "score": hit.score, "why": str(hit.why)} for hit in hits]
    say(records, as_json, found_in_words(hits))


def add(memory: Memory, text: str, as_json: bool, project: str = "") -> None:
    """Remember a text, for the user or for a project's folder."""
    from desktop.memory.item import Layer
    from desktop.memory.memory import MemoryRequest, RequestKind

    wish = MemoryRequest(RequestKind.REMEMBER, text, Layer.PROJECT if project else Layer.USER)
    told = memory.fulfil(wish, project=project)
    if not told.done:
        raise UserFacing(CliReason.SECRET_NOT_KEPT.of(says=told.says))
    say([as_record(item) for item in told.items], as_json, told.says)


def forget(memory: Memory, wanted: str, as_json: bool, agreed: bool = False) -> None:
    """Forget the memory with this number, or all about these words; of more than one note only where it was
    `agreed` to what goes. Sentences in chats go with it."""
    from desktop.chat.retention import MARK, ForgottenWords
    from desktop.memory.memory import MemoryRequest, RequestKind, item_number

    # A number is one memory for certain.
    if (number := item_number(wanted)) is not None:
        items = memory.store.items((number,))
        if not items:
            raise UserFacing(CliReason.MEMORY_UNKNOWN.of(wanted=wanted))
        reply = memory.carry_out(memory.forgetting.plan_of(items[0]))
    else:
        reply = memory.fulfil(MemoryRequest(RequestKind.FORGET, wanted))
        if reply.plan is not None and not reply.done and agreed:
            reply = memory.carry_out(reply.plan)
    if reply.plan is None or not reply.done:
        raise UserFacing(CliReason.MEMORY_UNCLEAR.of(says=reply.says))
    plan = reply.plan
    ForgottenWords(memory.store.database).mark(lambda text: memory.forgetting.rest(plan.subject, text, MARK))
    say([as_record(item) for item in reply.items], as_json, reply.says)


def forget_everything(memory: Memory, as_json: bool) -> None:
    """Delete all memories, events and known fixes."""
    reply = memory.forget_everything()
    # What was forgotten is still in these files, which are the user's to delete.
    backups = [str(path) for path in memory.store.backups()]
    say({"says": reply.says, "backups": backups}, as_json, reply.says)


def export(memory: Memory, file: Path | None, episodes: bool = True) -> None:
    """Write all memories as Markdown, to a file or to stdout."""
    from desktop.memory.housekeeping import markdown

    lines = markdown(memory.store, memory.hindsight.fixes(), episodes)
    if file is None:
        sys.stdout.writelines(lines)
        return
    try:
        write_atomically(file, "".join(lines).encode())
    except OSError as error:
        raise UserFacing(CliReason.EXPORT_FAILED.of(file=file, strerror=str(error.strerror))) from error
    sys.stdout.write(f"Written to {file}.\n")


def doctor(memory: Memory, as_json: bool) -> None:
    """What is kept twice, contradicts itself, or was never needed."""
    from desktop.memory.housekeeping import examine

    findings = examine(memory.store, time.time())
    records = [
        {
            "trouble": each.trouble.value,
            "says": str(each.says),
            "items": [as_record(item) for item in each.items],
        }
        for each in findings
    ]
    lines = [f"{each.says}\n{_listed(each.items)}" for each in findings]
    say(records, as_json, "\n".join(lines) or "No problems found.")


def stats(memory: Memory, as_json: bool) -> None:
    """How much there is."""
    counts = memory.counts()
    lines = "\n".join(f"{name.replace('_', ' ')}: {count:,}" for name, count in counts.items())
    say(counts, as_json, lines)


def as_record(item: Item) -> dict[str, Any]:
    """One memory for scripts; times in seconds since 1970."""
    return {
        "id": item.id,
        "layer": item.layer.value,
        "scope": item.scope,
        "kind": item.kind.value,
        "source": item.source.value,
        "status": item.status.value,
        "text": item.text,
        "at": item.at,
        "date": item.date,
        "speaker": item.speaker,
        "origin": item.origin,
        "supersedes": item.supersedes,
        "superseded_by": item.superseded_by,
        "used": item.used,
    }


def _listed(items: Sequence[Item]) -> str:
    return "\n".join(f"  {item.id}. {item.date}  {item.text}" for item in items)


def show_reminders(reminders: Reminders) -> None:
    """All that are open, the first to come due first, with the numbers that `cancel` takes."""
    found = reminders.open()
    if not found:
        sys.stdout.write("No reminders are set.\n")
    for each in found:
        sys.stdout.write(f"{reminders.line(each)}\n")


def cancel_reminder(reminders: Reminders, wanted: str) -> None:
    """Cancel the one with this number or these words. Raises UserFacing where none or several fit."""
    sys.stdout.write(f"{reminders.cancel_reminder(wanted)}\n")


ProjectOption = Annotated[
    str, typer.Option("--project", metavar="DIR", help="What belongs to this folder, too.")
]

memory_app = typer.Typer(help="What Steward keeps for you: notes, and what it learned.", no_args_is_help=True)
memory_app.add_typer(team_app, name="team")


@memory_app.command("search")
def search_verb(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(help="What to look for.")],
    project: ProjectOption = "",
    limit: Annotated[int, typer.Option("--limit", min=1)] = 10,
    as_json: JsonOption = False,
) -> None:
    """Find what is kept, the best first, with the reason."""
    search(context.obj.memory, " ".join(words), as_json, project, limit)


@memory_app.command("add")
def add_verb(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(help="What to keep.")],
    project: ProjectOption = "",
    as_json: JsonOption = False,
) -> None:
    """Keep something."""
    add(context.obj.memory, " ".join(words), as_json, project)


@memory_app.command("forget")
def forget_verb(
    context: typer.Context,
    wanted: Annotated[str, typer.Argument(help="Its number, or words of it.")] = "",
    everything: Annotated[bool, typer.Option("--everything", help="All of it.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="All that it lists, without a further look.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete something for good, from chats too."""
    if bool(wanted) == everything:
        raise typer.BadParameter("name what to forget, or --everything")
    if everything:
        forget_everything(context.obj.memory, as_json)
    else:
        forget(context.obj.memory, wanted, as_json, agreed=yes)


@memory_app.command("export")
def export_verb(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="A Markdown file; printed when left out.")] = None,
) -> None:
    """Write everything that is kept as Markdown."""
    export(context.obj.memory, file)


@memory_app.command("doctor")
def doctor_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """What is kept twice, contradicts itself, or was never needed."""
    doctor(context.obj.memory, as_json)


@memory_app.command("stats")
def stats_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """How much is kept."""
    stats(context.obj.memory, as_json)


@reminders_app.command("list")
def reminders_list(context: typer.Context) -> None:
    """All that are open, with their numbers."""
    show_reminders(context.obj.reminders)


@reminders_app.command("cancel")
def reminders_cancel(
    context: typer.Context, reminder: Annotated[str, typer.Argument(help="Its number, or words of it.")]
) -> None:
    """Cancel one."""
    cancel_reminder(context.obj.reminders, reminder)
