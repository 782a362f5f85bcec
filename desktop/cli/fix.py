"""`steward fix`: make a command pass by changing one function, in a throw-away copy."""

from __future__ import annotations

import json
import os
import secrets
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from desktop.cli.chat import ModelOption, running_engine
from desktop.cli.mcp import TerminalAsker
from desktop.cli.options import JsonOption, YesOption
from desktop.cli.terminal import says_yes

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.builder.events import CheckProgress
    from desktop.builder.proposals import JobRecord
    from desktop.builder.tool import CheckFixing
    from desktop.tools.calls import CallResult
    from desktop.tools.executor import Executor, Stop

MOST_ROUNDS = 3


def fix_verb(
    context: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(help="The file that may be changed; without it, as the failure says."),
    ] = None,
    check: Annotated[
        str, typer.Option("--check", metavar="COMMAND", help="What has to end with exit code 0.")
    ] = "",
    build: Annotated[
        str, typer.Option("--build", metavar="COMMAND", help="Run before each check, 120 seconds at most.")
    ] = "",
    about: Annotated[str, typer.Option("--about", help="What the function should do, in words.")] = "",
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
    arguments: dict[str, Any] = {"check": check, "rounds": rounds}
    more = {"files": "\n".join(files or ()), "build": build, "about": about}
    arguments |= {name: value for name, value in more.items() if value}
    raise typer.Exit(fix(context.obj, arguments, model, apply, yes, as_json))


def fix(
    core: Services, arguments: dict[str, Any], model: str | None, apply: bool, yes: bool, as_json: bool
) -> int:
    """0 where the check passes now, as it was or with what is proposed. Raises UserFacing."""
    from desktop.app.builder_parts import check_fixing_in
    from desktop.builder.events import CheckProgress
    from desktop.tools.executor import Executor

    folder = Path(os.getcwd())
    core.asker = TerminalAsker(yes)
    if not as_json:
        core.bus.subscribe(CheckProgress, _show)
    executor = Executor(core.bus, core.asker, core.gatekeeper, folder, core.audit)
    with running_engine(core, model):
        fixing = check_fixing_in(core, lambda: folder)
        call_id = secrets.token_hex(6)
        ended = _run(executor, fixing, call_id, arguments)
        record = fixing.record(call_id)
        change = _applied(fixing, call_id, record, apply, as_json)
    _print(ended, record, change, as_json)
    return 0 if ended.reached_its_goal else 1


def _run(executor: Executor, fixing: CheckFixing, call_id: str, arguments: dict[str, Any]) -> CallResult:
    """The call on a thread of its own, so that Ctrl+C stops it at once and in order."""
    from desktop.tools.calls import Call
    from desktop.tools.executor import Stop
    from desktop.tools.tool import Toolbox

    stop = Stop()
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
    if as_json or not sys.stdin.isatty():
        return 0
    return fixing.apply(call_id) if says_yes(f"{record.proposal.diff}\n{record.says}\nApply?") else 0


def _show(event: CheckProgress) -> None:
    """A line for each step, on stderr."""
    state = event.state
    round_words = f"try {state.iteration} of {state.rounds}: " if state.iteration else ""
    where = f" {state.place.function} in {state.place.file}" if state.place and state.iteration else ""
    sys.stderr.write(f"{round_words}{state.stage.value}{where}\n")
    sys.stderr.flush()


def _print(ended: CallResult, record: JobRecord | None, change: int, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(_record(ended, record, change), ensure_ascii=False, indent=2) + "\n")
        return
    written = "Written; to take it back: steward undo\n" if change else ""
    (sys.stdout if ended.ok else sys.stderr).write(f"{ended.text}\n{written}")


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
