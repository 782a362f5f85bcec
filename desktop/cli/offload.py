"""`steward offload`: builds and tests on other machines of yours."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from desktop.cli.terminal import JsonOption, YesOption, agree, say
from desktop.errors import UserFacing
from desktop.reasons import Reason

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.offload.history import CommandRecord
    from desktop.offload.setup import Examination
    from desktop.offload.workers import Worker, WorkerReport

offload_app = typer.Typer(help="Builds and tests on other machines of yours.", no_args_is_help=True)

SHOWN_JOBS = 10
AGENTS_LINE = (
    "Run builds and tests as `steward offload run -- COMMAND`, such as `steward offload run -- make`."
)


@offload_app.command("add")
def add_verb(
    context: typer.Context,
    host: Annotated[str, typer.Argument(help="As you would give it to ssh.")] = "",
    slurm: Annotated[
        str, typer.Option("--slurm", metavar="HOST", help="Login host of a Slurm cluster.")
    ] = "",
    partition: Annotated[str, typer.Option("--partition", help="Of the cluster, for its jobs.")] = "",
    srun: Annotated[str, typer.Option("--srun", help="Further options for srun, as one text.")] = "",
    folder: Annotated[
        list[Path] | None, typer.Option("--folder", help="What may go there; else the project you are in.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="What to call it; else the host.")] = "",
    ssh_config: Annotated[
        Path | None, typer.Option("--ssh-config", help="A file for ssh in place of your own.")
    ] = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check a worker, show what would leave this computer, and add it once you agree."""
    worker = _worker(slurm or host, name, folder or [], ssh_config)
    if slurm:
        worker = _with_slurm(worker, partition, srun)
    core: Services = context.obj
    from desktop.offload.reasons import OffloadReason
    from desktop.offload.setup import WorkerSetup

    setup = WorkerSetup(core.paths)
    examined = setup.examine(worker)
    words = _examined_words(examined)
    if not as_json:
        sys.stdout.write(f"{words}\n")
    agree(
        "Add it, and let these files go there whenever such a command runs?",
        yes,
        OffloadReason.ADD_UNANSWERED.of(),
    )
    setup.add(examined)
    core.settings.change("offload", "enabled", True)
    record = {"name": worker.name, "files": examined.files, "bytes": examined.size_bytes}
    record["tools"] = {each: match.value for each, match in examined.tools.items()}
    line = (
        f"{worker.name} is added. Agents that run what they are told need nothing more; for others put this\n"
    )
    say(record, as_json, f"{line}line into AGENTS.md:\n  {AGENTS_LINE}")


@offload_app.command("status")
def status_verb(context: typer.Context, as_json: JsonOption = False) -> None:
    """All workers with their load and mirrors, and what ran last."""
    from desktop.offload.history import History
    from desktop.offload.setup import WorkerSetup

    core: Services = context.obj
    setup = WorkerSetup(core.paths)
    seen = setup.look() if setup.workers else {}
    jobs = History(core.paths).jobs()[-SHOWN_JOBS:]
    is_on = core.settings.current.offload.enabled
    lines = [f"Builds on workers are {'on' if is_on else 'off'}."]
    lines += [_worker_words(each, seen[each.name], setup.mirrors(each)) for each in setup.workers]
    if not setup.workers:
        lines.append("There are no workers. Add one with: steward offload add HOST")
    lines += [_job_words(each) for each in jobs]
    record = {
        "enabled": is_on,
        "workers": [_worker_record(each, seen[each.name], setup.mirrors(each)) for each in setup.workers],
        "jobs": [asdict(each) for each in jobs],
    }
    say(record, as_json, "\n".join(lines))


@offload_app.command("why")
def why_verb(
    context: typer.Context,
    command: Annotated[str, typer.Argument(help="A command line, in quotes.")],
    as_json: JsonOption = False,
) -> None:
    """Say where a command would run, and why; nothing is run, and nothing of the project is sent."""
    from desktop.offload.setup import explained, foreseen

    core: Services = context.obj
    found = foreseen(command, Path.cwd(), core.paths)
    if isinstance(found, Reason):
        say({"where": "here", **found.as_json()}, as_json, f"here: {found}.")
        return
    plan, worker = found
    words = f"{worker.name}: {explained(plan.kind, plan.program)}."
    say({"where": worker.name, "kind": plan.kind.value, "text": words}, as_json, words)


@offload_app.command("remove")
def remove_verb(context: typer.Context, name: Annotated[str, typer.Argument(help="Of the worker.")]) -> None:
    """Remove a worker, and the copies of your projects on it."""
    from desktop.offload.setup import WorkerSetup

    core: Services = context.obj
    is_clean = WorkerSetup(core.paths).remove(name)
    rest = "" if is_clean else " It could not be reached: what lies in ~/.cache/steward-offload there stays."
    sys.stdout.write(f"{name} is removed.{rest}\n")


@offload_app.command("run")
def run_verb(
    context: typer.Context,
    command: Annotated[list[str], typer.Argument(help="After --: the command and its words.")],
    worker: Annotated[str, typer.Option("--worker", help="This one, also for what is quick here.")] = "",
) -> None:
    """Run a build or a test on a worker; here, where none takes it. Its exit code is the command's."""
    from desktop.offload.client import main

    core: Services = context.obj
    chosen = ["--worker", worker] if worker else []
    raise typer.Exit(main([*chosen, "--", *command], core.paths))


def _worker(host: str, name: str, folders: list[Path], ssh_config: Path | None) -> Worker:
    from desktop.offload.mirror import root_of
    from desktop.offload.workers import Worker, checked_host, checked_name

    chosen = folders or [root_of(Path.cwd()) or Path.cwd()]
    return Worker(
        checked_name(name or host.rpartition("@")[2].lower()),
        checked_host(host),
        tuple(os.path.realpath(each.expanduser()) for each in chosen),
        str(ssh_config.expanduser().absolute()) if ssh_config else "",
    )


def _with_slurm(worker: Worker, partition: str, srun: str) -> Worker:
    from dataclasses import replace

    from desktop.offload.reasons import OffloadReason

    if not partition:
        raise UserFacing(OffloadReason.NO_PARTITION.of())
    return replace(worker, partition=partition, options=tuple(shlex.split(srun)))


def _examined_words(found: Examination) -> str:
    from desktop.offload.setup import Match
    from desktop.reasons import size_text

    worker, seen = found.worker, found.seen
    same = [name for name, match in found.tools.items() if match is Match.SAME]
    other = [f"{name} ({match.value})" for name, match in found.tools.items() if match is not Match.SAME]
    kind = f", Slurm partition {worker.partition}" if worker.is_slurm else ""
    lines = [
        f"{worker.name} ({worker.host}): {seen.system}, {_counted(seen.cores, 'core')}{kind}",
        f"  load {seen.load:.1f}, {size_text(seen.free_kb * 1024)} free",
        f"  runs: {', '.join(same) or 'nothing'}",
    ]
    if other:
        lines.append(f"  stays here: {', '.join(other)}")
    lines.append(
        f"What would leave this computer: {_counted(found.files, 'file')}, {size_text(found.size_bytes)}, of "
        f"{', '.join(worker.folders)}"
    )
    lines.append(
        "  and what programs need of what git ignores (make, cmake, node_modules; see docs/offload.md)"
    )
    if found.withheld:
        lines.append(f"Never: {', '.join(found.withheld[:20])}")
    return "\n".join(lines)


def _worker_words(worker: Worker, seen: WorkerReport | Reason, mirrors: int) -> str:
    where = f"{worker.name} ({worker.host}{', Slurm ' + worker.partition if worker.is_slurm else ''})"
    if isinstance(seen, Reason):
        return f"{where}: {seen}"
    return (
        f"{where}: load {seen.load:.1f} on {_counted(seen.cores, 'core')}, {_counted(mirrors, 'mirror')}; "
        f"{', '.join(worker.folders)}"
    )


def _worker_record(worker: Worker, seen: WorkerReport | Reason, mirrors: int) -> dict[str, Any]:
    record: dict[str, Any] = {**asdict(worker), "mirrors": mirrors}
    if isinstance(seen, Reason):
        return {**record, "error": str(seen)}
    return {**record, "load": seen.load, "cores": seen.cores, "free_kb": seen.free_kb}


def _job_words(job: CommandRecord) -> str:
    where = job.worker or "here"
    ended = "runs" if not job.is_over else "lost" if job.code is None else f"exit {job.code}"
    there = f", {job.processor_s:.1f} s of processor there" if job.worker else ""
    return f"  {where}: {job.command} ({ended}, {job.seconds:.1f} s{there})"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
