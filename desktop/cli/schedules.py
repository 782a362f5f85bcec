"""`steward schedules`: questions that Steward puts to itself, and reminders that repeat.

Every function writes to stdout, as sentences or, with `as_json`, as one JSON value; each raises UserFacing.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from desktop.cli.terminal import JsonOption, say

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.tools.reminders import Reminders, Schedule

schedules_app = typer.Typer(
    help="Questions that Steward puts to itself, and reminders that repeat.", no_args_is_help=True
)

NumberArgument = Annotated[str, typer.Argument(metavar="NUMBER", help="Its number, or words of it.")]


def show_list(reminders: Reminders, as_json: bool) -> None:
    """List all schedules with their next time and what came of the last."""
    found = reminders.schedules()
    lines = [_line(each) for each in found]
    empty = 'There are no schedules. Add one with: steward schedules add "every weekday at 8" QUESTION'
    say([_record(each) for each in found], as_json, "\n".join(lines) or empty)


def add(core: Services, when: str, question: str, as_json: bool) -> None:
    """Keep a question; the answer says when it will be asked."""
    from desktop.tools.schedules import Scheduling

    scheduling = Scheduling(core.reminders)
    made = scheduling.add(question, when)
    say({"id": made.id, "next": made.due.isoformat()}, as_json, scheduling.said(made, when))


def switch(reminders: Reminders, wanted: str, is_on: bool) -> None:
    found = reminders.schedule(wanted)
    reminders.set_on(found.id, is_on)
    word = "on" if is_on else "off"
    sys.stdout.write(f"Switched {word} schedule {found.id}: {found.text}\n")


def delete(reminders: Reminders, wanted: str) -> None:
    found = reminders.schedule(wanted)
    reminders.end(found.id)
    sys.stdout.write(f"Deleted schedule {found.id}: {found.text}\n")


def run(core: Services, wanted: str) -> int:
    """Put the question now, in this process, and print the answer; 1 where there is none."""
    from desktop.chat.messages import MessageStatus
    from desktop.cli.chat import running_engine

    reminders = core.reminders
    found = reminders.schedule(wanted)
    # A reminder is shown by the tray app, a question is answered here.
    if not found.asks:
        reminders.run_now(found.id)
        sys.stdout.write(f"Shown while Steward runs in the tray: {found.text}\n")
        return 0
    # The model first: without one nothing is begun, which would stand in the list as waiting for its answer.
    with running_engine(core, None):
        put = reminders.run_now(found.id, is_taken=True)
        if put is None:
            sys.stdout.write("It is being asked already; the answer comes as a chat.\n")
            return 0
        answer = core.scheduled.put(put)
    if answer is None or answer.status is MessageStatus.FAILED:
        return 1
    sys.stdout.write(f"{answer.text}\n")
    return 0


def _line(schedule: Schedule) -> str:
    from desktop.tools.recurrence import moment_reason

    each, latest = schedule.reminder, schedule.latest
    assert each.repeats is not None
    origin = f" from {each.origin}" if each.origin else ""
    kind = "" if each.asks else f" (reminder{origin})"
    when = f"next {moment_reason(each.due)}" if each.is_on else "switched off"
    last = ""
    if latest is not None:
        came = f", {latest.outcome}" if latest.outcome else ""
        last = f"\n    last {moment_reason(latest.due)}{came}"
    return f"{each.id}. {each.text}{kind}\n    {each.repeats.in_words()}; {when}{last}"


def _record(schedule: Schedule) -> dict[str, Any]:
    each, latest = schedule.reminder, schedule.latest
    return {
        "id": each.id,
        "text": each.text,
        "asks": each.asks,
        "from": each.origin,
        "on": each.is_on,
        "repeats": str(each.repeats.in_words()) if each.repeats is not None else "",
        "next": each.due.isoformat(),
        "last": None
        if latest is None
        else {"due": latest.due.isoformat(), "outcome": latest.outcome, "chat": latest.chat},
    }


@schedules_app.command("list")
def list_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """All schedules: how often, the next time, and what came of the last."""
    show_list(context.obj.reminders, as_json)


@schedules_app.command("add")
def add_verb(
    context: typer.Context,
    when: Annotated[str, typer.Argument(help='How often and when: "every weekday at 8".')],
    question: Annotated[list[str], typer.Argument(help="The question.")],
    as_json: JsonOption = False,
) -> None:
    """Have a question asked repeatedly."""
    add(context.obj, when, " ".join(question), as_json)


@schedules_app.command("on")
def on_verb(context: typer.Context, schedule: NumberArgument) -> None:
    """Switch one on again."""
    switch(context.obj.reminders, schedule, True)


@schedules_app.command("off")
def off_verb(context: typer.Context, schedule: NumberArgument) -> None:
    """Switch one off, and keep it."""
    switch(context.obj.reminders, schedule, False)


@schedules_app.command("run")
def run_verb(context: typer.Context, schedule: NumberArgument) -> None:
    """Ask one now, and print the answer; it is kept as a chat."""
    raise typer.Exit(run(context.obj, schedule))


@schedules_app.command("delete")
def delete_verb(context: typer.Context, schedule: NumberArgument) -> None:
    """Delete one; answers that it got stay."""
    delete(context.obj.reminders, schedule)
