"""The tool `build` of Steward's MCP server: a build or a test, for agents that cannot be rewritten.

The gate decides over the command as over any of the agent's own; then the very program runs that a rewritten
line would have started.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.agents.action import HookChoice
from desktop.paths import Paths, own_program

if TYPE_CHECKING:
    from desktop.agents.hook_handler import AgentHandler
    from desktop.offload.workers import Worker

TOOL = "build"
MOST_CHARACTERS = 30_000  # of each stream; the end says how it went
LONGEST_S = 3600.0


def build_for_agent(handler: AgentHandler, paths: Paths, agent: str, command: str, folder: str) -> str:
    """What came of it, in words for the agent. Blocks while the user is asked and while it runs."""
    from desktop.offload.history import History
    from desktop.offload.setup import where
    from desktop.offload.workers import WorkerFile
    from desktop.reasons import Reason

    place = Path(folder)
    if not place.is_absolute() or not place.is_dir():
        return f"{folder} is no folder here. Nothing was run."
    workers: tuple[Worker, ...] = WorkerFile(paths).all()
    found = where(command, place, paths, workers)
    if isinstance(found, Reason):
        return f"Not run, because {found}. Run it in your own shell."
    decided = handler.decide_call(agent, TOOL, command, place)
    if decided is None:
        return "Only an agent that Steward knows may build. Nothing was run."
    call, outcome = decided
    if outcome.choice is not HookChoice.ALLOW:
        return outcome.says or "It was not allowed. Nothing was run."
    profile = ("--profile", str(paths.profile)) if paths.profile else ()
    job_id = os.urandom(8).hex()
    head = (*own_program(), *profile, "offload", "run", "--id", job_id, "--")
    words = (*head, *shlex.split(command.removesuffix(" 2>&1")))
    try:
        done = subprocess.run(
            words,
            cwd=place,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "It was stopped after an hour."
    job = History(paths).job(job_id)
    if job is not None and job.worker:
        handler.call_ran(call, job.worker, job.processor_s)
    return f"exit code {done.returncode}\n{_told('stdout', done.stdout)}{_told('stderr', done.stderr)}"


def _told(name: str, text: str) -> str:
    if not text:
        return ""
    cut = "…\n" if len(text) > MOST_CHARACTERS else ""
    return f"--- {name} ---\n{cut}{text[-MOST_CHARACTERS:]}"
