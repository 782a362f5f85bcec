"""`steward memory` and `steward reminders`: what is kept for the user, also while the app runs.

The functions of memory write to stdout, as sentences or, with `as_json`, as one JSON value, and raise
UserFacing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from desktop.cli.reasons import CliReason
from desktop.cli.team import team_app
from desktop.cli.terminal import JsonOption, say
from desktop.errors import UserFacing
from desktop.paths import write_atomically

if TYPE_CHECKING:
    from desktop.memory.item import Item
    from desktop.memory.memory import Memory
    from desktop.tools.reminders import Reminders

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
