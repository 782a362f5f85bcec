"""`steward fix`: make a command pass by changing one function, in a throw-away copy."""

from __future__ import annotations

import os
import secrets
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from desktop.cli.chat import ModelOption, running_engine
from desktop.cli.terminal import JsonOption, VerbAsker, YesOption, print_json, says_yes, shown

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.builder.job import CheckProgress, LoopState
    from desktop.builder.proposals import JobRecord
    from desktop.builder.tool import CheckFixing
    from desktop.tools.calls import CallResult
    from desktop.tools.executor import Executor, Stop

MOST_ROUNDS = 3
_WRITTEN = "Written; the check itself has run in the copy only. To undo it: steward undo\n"
_NOT_WRITTEN = "Nothing was written.\n"


def fix_verb(
    context: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(help="The file that may be changed; without it, the one that the failure names."),
    ] = None,
    check: Annotated[
        str, typer.Option("--check", metavar="COMMAND", help="What has to end with exit code 0.")
    ] = "",
    build: Annotated[
        str, typer.Option("--build", metavar="COMMAND", help="Run before each check, 120 seconds at most.")
    ] = "",
    about: Annotated[str, typer.Option("--about", help="What the function should do, in words.")] = "",
    function: Annotated[
        str,
        typer.Option("--write", metavar="HEAD", help='Write this function: "slug(text)". Only Python.'),
    ] = "",
    examples: Annotated[
        list[str] | None,
        typer.Option("--example", metavar="LINE", help="What it has to return, instead of --check."),
    ] = None,
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, max=MOST_ROUNDS, help="Tries, at most.")
    ] = MOST_ROUNDS,
    apply: Annotated[
        bool, typer.Option("--apply", help="Write what makes the check pass, without asking again.")
    ] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
    model: ModelOption = None,
) -> None:
    """Make a check pass: one function, at most three tries, in a throw-away copy."""
    if examples:
        check = _check_of(function, examples, files or [], check)
    arguments: dict[str, Any] = {"check": check, "rounds": rounds}
    more = {"files": "\n".join(files or ()), "build": build, "about": about, "function": function}
    arguments |= {name: value for name, value in more.items() if value}
    raise typer.Exit(fix(context.obj, arguments, model, apply, yes, as_json))


def fix(
    core: Services, arguments: dict[str, Any], model: str | None, apply: bool, yes: bool, as_json: bool
) -> int:
    """0 where the check passes now, as it was or with what is proposed. Raises UserFacing."""
    from desktop.app.project_parts import check_fixing_in
    from desktop.builder.job import CheckProgress
    from desktop.tools.executor import Executor, Stop

    folder = Path(os.getcwd())
    stop = Stop()
    core.asker = asker = VerbAsker(yes, lambda: stop.stopped)
    if not as_json:
        core.bus.subscribe(CheckProgress, Progress().show)
    executor = Executor(core.bus, core.asker, core.gatekeeper, folder, core.audit)
    with running_engine(core, model):
        fixing = check_fixing_in(core, lambda: folder)
        call_id = secrets.token_hex(6)
        ended = _run(executor, fixing, call_id, arguments, stop)
        record = fixing.record(call_id)
        change = _applied(fixing, call_id, record, apply, as_json)
    ended = _told_apart(ended, asker.found_nobody)
    if record is not None and _asks(record, apply, as_json) and sys.stdout.isatty():
        # The difference has just been read, with the question below it.
        sys.stdout.write(_WRITTEN if change else _NOT_WRITTEN)
    else:
        _print(ended, record, change, as_json)
    return 0 if ended.reached_its_goal else 1


def _run(
    executor: Executor, fixing: CheckFixing, call_id: str, arguments: dict[str, Any], stop: Stop
) -> CallResult:
    """The call on a thread of its own, so that Ctrl+C stops it at once and in order."""
    from desktop.tools.calls import Call
    from desktop.tools.tool import Toolbox

    tool = fixing.tool()
    with ThreadPoolExecutor(1, "fix") as pool:
        future = pool.submit(executor.run, Call(call_id, tool.name, arguments), Toolbox((tool,)), stop=stop)
        return _waited(future, stop)


def _waited(future: Future[CallResult], stop: Stop) -> CallResult:
    while True:
        try:
            return future.result()
        except KeyboardInterrupt:
            # Only asked to stop: its processes and its copy are taken down in order before this returns.
            stop.stop()


def _applied(fixing: CheckFixing, call_id: str, record: JobRecord | None, apply: bool, as_json: bool) -> int:
    """The journal's entry; 0 where nothing was written. Only what makes the check pass is written unasked."""
    if record is None or record.proposal is None:
        return 0
    if apply and record.proposal.solves:
        return fixing.apply(call_id)
    if not _asks(record, apply, as_json):
        return 0
    said = " ".join(str(each) for each in (record.says, record.next_step) if each is not None)
    return fixing.apply(call_id) if says_yes(f"{_plain(record.proposal.diff)}\n{said}\nApply?") else 0


def _asks(record: JobRecord, apply: bool, as_json: bool) -> bool:
    """Whether the difference is shown with a question, and not only printed."""
    is_unasked = apply and record.proposal is not None and record.proposal.solves
    return record.proposal is not None and not as_json and not is_unasked and sys.stdin.isatty()


class Progress:
    """A line on stderr for each step, and for each try how it ended. On the thread of the job."""

    def __init__(self) -> None:
        self._last = ""
        self._told = 0  # tries

    def show(self, event: CheckProgress) -> None:
        from desktop.builder.job import Stage
        from desktop.builder.tool import try_words

        state = event.state
        lines = [f"  {try_words(each)}" for each in state.done[self._told :]]
        self._told = len(state.done)
        # A step is announced again whenever anything else of the state is another.
        line = _step_words(state)
        if state.stage is not Stage.ENDED and line != self._last:
            lines.append(line)
        self._last = line
        sys.stderr.write("".join(f"{_plain(each)}\n" for each in lines))
        sys.stderr.flush()


def _step_words(state: LoopState) -> str:
    if not state.iteration:
        return f"{state.stage.value} as it is"
    where = f" {state.place.function} in {state.place.file}" if state.place else ""
    return f"try {state.iteration} of {state.rounds}: {state.stage.value}{where}"


def _check_of(function: str, examples: list[str], files: list[str], check: str) -> str:
    """The command that the examples become. Raises UserFacing."""
    from desktop.builder.reasons import BuilderReason
    from desktop.builder.requests import check_of, examples_in
    from desktop.errors import UserFacing

    name = function.partition("(")[0].strip()
    found = examples_in("\n".join(examples), name) if name else ()
    # One that cannot be read would be left out of the check, and nobody would know.
    if check or len(files) != 1 or len(found) != len(examples):
        raise UserFacing(BuilderReason.NO_EXAMPLES.of())
    return check_of(files[0], found)


def _told_apart(ended: CallResult, found_nobody: bool) -> CallResult:
    """Nobody has said no where nobody could be asked."""
    from desktop.builder.reasons import BuilderReason
    from desktop.tools.calls import CallStatus

    if ended.ending is not CallStatus.DENIED or not found_nobody:
        return ended
    return replace(ended, text=str(BuilderReason.NOBODY_TO_ASK.of()))


def _print(ended: CallResult, record: JobRecord | None, change: int, as_json: bool) -> None:
    if as_json:
        print_json(_record(ended, record, change))
        return
    written = _WRITTEN if change else ""
    (sys.stdout if ended.ok else sys.stderr).write(f"{_plain(ended.text)}\n{written}")


def _plain(text: str) -> str:
    """A difference and what a test says come from a repository, and may not act on the terminal."""
    return shown(text.replace("\r\n", "\n"))


def _record(ended: CallResult, record: JobRecord | None, change: int) -> dict[str, Any]:
    proposal = record.proposal if record is not None else None
    return {
        "ending": record.ending.value if record is not None else ended.ending.value,
        "passes": ended.reached_its_goal,
        "says": str(record.says) if record is not None else ended.text,
        "next_step": str(record.next_step) if record is not None and record.next_step else None,
        "file": proposal.file if proposal is not None else None,
        "diff": proposal.diff if proposal is not None else None,
        "rounds": [vars(each) for each in record.rounds] if record is not None else [],
        "applied": bool(change),
        "seconds": round(ended.seconds, 1),
    }
