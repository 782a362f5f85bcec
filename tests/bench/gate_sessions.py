"""How often real sessions of coding agents would be asked, by a user who says yes in the best lasting way.

Each session is gone through in order; at a question the user chooses, of what the dialog offers, the yes that
lasts longest: project mode where the agent can be held to it, else the programs by name, else exactly this,
always. What only a yes for once can answer is asked each time. Nothing is run for that.
"""

from __future__ import annotations

import collections
import json
import posixpath
import random
import re
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from desktop.gate import policy
from desktop.gate.commands import Commands
from desktop.gate.grants import Covers, Grant, GrantKind, GrantScope, covers_of, offered_scopes
from desktop.gate.policy import Basis, PolicySettings
from desktop.gate.projects import Project, beyond, deleted, is_here, stays_in_scratch
from desktop.gate.request import Request
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Effect, Flag, Gate, Network, Verdict
from desktop.paths import resources
from tests.bench.gate_replay import Task, replay, summary

MANY = 20  # commands, from which on a session counts as a long one
GOES_TO = re.compile(r"(?:^|[;&\n]\s*)cd\s+(/[\w./-]+)")
LARGE = frozenset(["node_modules", ".venv", "venv", "target"])  # on a disk: more than is kept


class Way(StrEnum):
    """What the user has to say yes with."""

    ONCE = "every question answered once"
    EXACT = "exactly this, always (as before)"
    NAMES = "programs by name, without rewriting"
    PROJECT = "project mode, with a rewriting agent"


@dataclass(frozen=True)
class Line:
    """One command of a session. `project` is the repository that it works in, as far as the log tells."""

    session: str
    agent: str
    folder: str
    project: str
    command: str


@dataclass
class User:
    """What somebody has allowed so far."""

    way: Way
    grants: list[Grant] = field(default_factory=list)
    project: Project | None = None

    def add(self, covers: Iterable[Covers]) -> None:
        self.grants += [Grant(0, GrantScope.ALWAYS, each, "", 0, 0, 0) for each in covers]

    def is_asked(self, request: Request) -> bool:
        can_confine = self.way is Way.PROJECT
        decision = policy.decide(request, (), self.grants, PolicySettings(), self.project, can_confine)
        return decision.gate is not Gate.ALLOW

    def says_yes(self, request: Request) -> None:
        """In the way that lasts longest and is offered."""
        if self.way is Way.PROJECT and self.project is None and request.project is not None:
            project = Project(0, request.project, 0, None, 0, 0)
            with_it = policy.decide(request, (), (), PolicySettings(), project, can_confine=True)
            if with_it.ground is Basis.PROJECT:
                self.project = project
                return
        named = covers_of(request) if self.way in (Way.PROJECT, Way.NAMES) else ()
        if named:
            self.add(named)
        elif self.way is not Way.ONCE and GrantScope.ALWAYS in offered_scopes(request):
            self.add([Covers(request.tool, GrantKind.EXACT, request.text, request.folder)])


def lines_of(file: Path) -> list[Line]:
    """The commands of a log, each with its folder; where the log names none, the one its session goes to."""
    rows = [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]
    folders = dict(_folders(rows))
    found = []
    for row in rows:
        project = folders[row["source"]]
        folder = row["cwd"] or project
        if not (folder == project or folder.startswith(project + "/")):
            project = folder
        # Commands are confined on Linux, where /tmp is no link.
        command = row["command"].replace("/private/tmp", "/tmp")
        found.append(Line(row["session"], row["agent"], folder, project, command))
    return found


def _folders(rows: list[dict[str, str]]) -> Iterator[tuple[str, str]]:
    """The repository of each source: the folder that bears its name, of those that its sessions work in."""
    by_source: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for row in rows:
        seen = by_source[row["source"]]
        seen.update([row["cwd"]] if row["cwd"] else GOES_TO.findall(row["command"]))
    for source, seen in by_source.items():
        name = source.rpartition("/")[2]
        common = seen.most_common(1)[0][0] if seen else f"/home/dev/{name}"
        parts = posixpath.normpath(common).split("/")
        yield source, "/".join(parts[: parts.index(name) + 1]) if name in parts else common


def request_of(commands: Commands, line: Line) -> tuple[Verdict, Request]:
    """As the handler makes it, with a disk that holds whatever the line names."""
    verdict = commands.verdict(line.command, "bash", line.folder, line.project)
    tool, folder, project = f"Bash of {line.agent}", Path(line.folder), Path(line.project)
    request = commands.request(verdict, line.command, folder, tool, line.session, project=project)
    if request.effect is Effect.READ:
        request = replace(request, flags=request.flags - {Flag.OUTSIDE})
    kept = deleted(request) if request.effect is Effect.DELETE else None
    is_kept = kept is not None and LARGE.isdisjoint(part for path in kept for part in path.split("/"))
    near = bool(request.hosts) and all(map(is_here, request.hosts))
    told = {"is_kept": is_kept, "stays_near": near, "in_scratch": stays_in_scratch(request)}
    return verdict, replace(request, beyond=beyond(request), **told)


def why(request: Request, verdict: Verdict) -> str:
    """The kind of reason for which project mode still asks."""
    if request.flags:
        return "+".join(sorted(flag.value for flag in request.flags))
    if request.beyond:
        return "beyond: " + re.sub(r"^\S+ (is no|talks|changes)", r"… \1", str(request.beyond))
    if request.effect is Effect.DELETE:
        return "DELETE without copies"
    return f"{verdict.effect.name} before project mode was on"


def simulate(file: Path, examples: int = 0) -> dict[str, object]:
    """Questions for 100 commands, for each way; of project mode and of names also what is still asked.

    What was allowed in a project lasts over its sessions, as it does for a user; `fresh` is the same with a
    user who begins each session with nothing.
    """
    commands = Commands(Classifier(Tables(resources() / "commands"), remember=False))
    judged = [(line, *request_of(commands, line)) for line in lines_of(file)]
    return {
        "commands": len(judged),
        "sessions": len({line.session for line, _, _ in judged}),
        **{way.name.lower(): _one_way(way, judged, examples) for way in Way},
        "fresh": {
            way.name.lower(): _one_way(way, judged, 0, is_fresh=True) for way in (Way.NAMES, Way.PROJECT)
        },
    }


def _one_way(
    way: Way, judged: list[tuple[Line, Verdict, Request]], examples: int, is_fresh: bool = False
) -> dict[str, object]:
    users: dict[str, User] = {}
    asked: collections.Counter[str] = collections.Counter()
    sizes: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    shown: dict[str, list[str]] = collections.defaultdict(list)
    for line, verdict, request in judged:
        user = users.setdefault(line.session if is_fresh else line.project, User(way))
        sizes[line.session] += 1
        if not user.is_asked(request):
            continue
        asked[line.session] += 1
        reason = why(request, verdict)
        reasons[reason] += 1
        if len(shown[reason]) < examples:
            shown[reason].append(line.command[:200])
        user.says_yes(request)
    long = [session for session, size in sizes.items() if size >= MANY]
    result: dict[str, object] = {
        "way": way.value,
        "questions_per_100": round(100 * sum(asked.values()) / len(judged), 2),
        "median_of_a_session": statistics.median(asked[each] for each in sizes),
        "median_of_a_long_session": statistics.median(asked[each] for each in long) if long else None,
        "long_sessions": len(long),
    }
    if way in (Way.NAMES, Way.PROJECT) and not is_fresh:
        result["still_asked"] = dict(reasons.most_common(40))
    if examples:
        result["examples"] = dict(shown)
    return result


# -- run for real -----------------------------------------------------------------------------------


def replayed(file: Path, sample: int, timeout_s: float) -> dict[str, object]:
    """Of lines that project mode does not ask about, `sample` run under the confinement of their verdict."""
    commands = Commands(Classifier(Tables(resources() / "commands"), remember=False))
    lines = lines_of(file)
    tasks = [task for line in lines if (task := _task(commands, line)) is not None]
    chosen = random.Random(12).sample(tasks, min(sample, len(tasks)))
    return {"not_asked": len(tasks), "of": len(lines), **summary(chosen, replay(chosen, timeout_s))}


def attacked(file: Path, timeout_s: float) -> dict[str, object]:
    """Lines proven to write: how many reading alone allows, and what they do, run as the verdict orders."""
    commands = Commands(Classifier(Tables(resources() / "commands"), remember=False))
    rows = [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]
    proven = [row["command"] for row in rows if row["writes_proven"] and row["shell"] == "bash"]
    place = "/home/replay/me/project"
    lines = [Line("attack", "any", place, place, command) for command in proven]
    without = [task for line in lines if (task := _task(commands, line, project_mode=False)) is not None]
    inside = [task for line in lines if (task := _task(commands, line)) is not None]
    reading, project = replay(without, timeout_s), replay(inside, timeout_s)
    return {
        "proven_to_write": len(proven),
        "allowed_by_reading_alone": len(without),
        "allowed_lines": [task.command for task in without],
        "allowed_and_effective": sum(bool(each.changed or each.escaped) for each in reading),
        "in_project_mode": summary(inside, project),
    }


def _task(commands: Commands, line: Line, project_mode: bool = True) -> Task | None:
    """What would be run of a line without a question, and how; None where it asks."""
    verdict, request = request_of(commands, line)
    project = Project(0, Path(line.project), 0, None, 0, 0) if project_mode else None
    decision = policy.decide(request, (), (), PolicySettings(), project, can_confine=True)
    if decision.gate is not Gate.ALLOW or decision.confined is None:
        return None
    uses_network = verdict.network is not Network.NONE
    confined = decision.confined.value
    return Task(line.command, line.folder, line.project, confined, uses_network, request.scratch)
