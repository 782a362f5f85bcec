"""Commands that an agent was told to run confined: what they became, how they are known again, how they end.

An agent shows the rewritten line in its later hooks. It is taken for Steward's own only as the exact text of
a call that is still open, never by its look: an agent can type such a line itself, with a wider box.
"""

from __future__ import annotations

import os
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from desktop.agents.action import Action, ActionKind, Moment
from desktop.agents.agent import Agent
from desktop.agents.events import ConfinedOutcome, ConfinementRefused, HookRan
from desktop.agents.hook_request import HookDecision, HookRequest, Judgement, PendingHook, note_of
from desktop.agents.rewriting import Mark, RewriteOutcome, Rewriting
from desktop.gate.policy import Confined
from desktop.gate.request import Request
from desktop.gate.verdict import Network
from desktop.network.index_proxy import IndexProxy
from desktop.paths import Paths
from desktop.sandbox.confiner import Confinement, Confiner, in_project, read_only, with_scratch

if TYPE_CHECKING:
    from desktop.offload.dispatch import Dispatcher, Offer

# An agent that never tells of an end must not fill the memory: a call takes 4 KB, one of long arguments more.
MOST_OPEN = 128
MOST_OF_SESSION = 32  # nor push out the long call of another
MOST_CHARACTERS = 4_000_000  # of lines and arguments; the call that began last stays, whatever its length
SHELL = "bash"

_STOPPED = re.compile(
    r"(?i)\b(interrupted|timed? ?out|aborted|cancell?ed|killed)\b|\bexit code 1(24|37|43)\b"
)

_DENIED = r"(?i:permission\ denied|operation\ not\ permitted|read-only\ file\ system)"

_KEPT_FROM = re.compile(
    rf"""
    (?<!\S) ['"‘]? (?!E[A-Z]+:) ([^\s:'"‘’]+) ['"’]? : \s {_DENIED}
    | {_DENIED} (?: : | , \s \w+ ) \s ['"] ([^'"\n]+) ['"]
    """,
    re.VERBOSE,
)

# A folder that stands first: without expansion, so that what it means can be looked up here.
_CD = re.compile(
    r"""
    \s* cd [ \t]+ (?: -- [ \t]+ )?
    (?: '([^'\n]+)' | "([^"$`\\!\n]+)" | ([\w./@%+:,-] [\w./@%+:,~-]*) ) [ \t]*
    (?: (?: && | ; | \n ) \s* | $ )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Box:
    """What a command is held to. `session` shares a temporary folder among its commands."""

    confined: Confined
    project: Path
    uses_network: bool  # or may use it: what only reads may then look something up
    session: str
    keeps_folder: bool  # the agent goes on in the folder in which a command ended
    scratch: tuple[str, ...] = ()  # places in /tmp that are the project's own


class Boxes(Protocol):
    """What confines commands on this computer. Methods return at once, on any thread."""

    @property
    def are_offered(self) -> bool:
        """Whether this system can hold a command to a box, and the client is there."""
        ...

    @property
    def hold_projects(self) -> bool:
        """Whether a box can also be a project's; Landlock alone makes only boxes to read in."""
        ...

    def line(self, box: Box, command: str, call: str) -> str:
        """The command line that runs `command` in its box; `call` names the report of it.

        Raises UserFacing or OSError where that cannot be.
        """
        ...

    def did_run(self, call: str) -> bool:
        """Whether the client reported that it confined this call."""
        ...

    def refusals(self, call: str) -> tuple[ConfinementRefused, ...]:
        """What the client kept this call from, as far as it knows."""
        ...

    def forget(self, call: str) -> None:
        """Nobody asks for this report again."""
        ...


@dataclass(frozen=True)
class ConfinedRun:
    """One call: as it came and was decided, and the line that it became. `report` names the report."""

    hook: HookRequest
    judgement: Judgement
    outcome: HookDecision
    line: str
    report: str

    @property
    def characters(self) -> int:
        """What it holds of the call."""
        return len(self.line) + len(str(self.action.arguments))

    @property
    def action(self) -> Action:
        """The agent's own."""
        return self.hook.action

    @property
    def goes_on(self) -> bool:
        """Whether it runs on after the agent has told of an end."""
        return self.hook.agent.goes_on(self.action)

    def ending(self, after: Action, reported: bool) -> RewriteOutcome:
        """Judged by what the agent shows of the call that has ended."""
        if reported:
            return RewriteOutcome.CONFINED
        if after.command == self.action.command:
            return RewriteOutcome.IGNORED
        ran = after.moment is Moment.AFTER and not _STOPPED.search(after.result)
        return RewriteOutcome.UNSEEN if ran and not self.goes_on else RewriteOutcome.UNTOLD


class PendingEnd(PendingHook):
    """A call that was to run confined has ended; `after` is the hook as the agent sent it."""

    def __init__(self, hook: HookRequest, run: ConfinedRun, after: Action) -> None:
        super().__init__(hook)
        self.run = run
        self.after = after


@dataclass(frozen=True)
class SettledRun:
    """How a call ended, what is news about its agent, and what the command was kept from."""

    ending: RewriteOutcome
    mark: Mark | None
    refused: tuple[ConfinementRefused, ...]
    worker: str = ""  # the machine that ran it; "" for this one
    saved_s: float = 0.0  # the processor's time that it took there


class ConfinedRuns:
    """The open calls. Methods may be called on any thread; `settle` waits for the database."""

    def __init__(
        self,
        boxes: Boxes,
        rewriting: Rewriting,
        is_ruled: Callable[[Action, Request], bool] = lambda _action, _request: False,
        dispatcher: Callable[[], Dispatcher | None] = lambda: None,
    ) -> None:
        """`is_ruled`: the agent's own rules may be about this line, and would not know it again. `dispatcher`
        gives None while everything runs here.
        """
        self._boxes = boxes
        self._is_ruled = is_ruled
        self._rewriting = rewriting
        self._dispatcher = dispatcher
        self._lock = threading.Lock()
        self._open: OrderedDict[str, ConfinedRun] = (
            OrderedDict()
        )  # by the line, in which the report's name is unique
        self._characters = 0  # of all of them

    def may_confine(self, known: Agent, action: Action, request: Request) -> bool:
        """Whether this call can be answered with a confined line."""
        if action.kind is not ActionKind.COMMAND or action.shell != SHELL:
            return False
        is_offered = self._rewriting.may_be_told(known, action) and self._boxes.are_offered
        return is_offered and not self._is_ruled(action, request)

    def is_proven(self, known: Agent, action: Action) -> bool:
        """Whether a command may be let through for the sole reason that it is confined to its project."""
        return self._rewriting.is_proven(known, action) and self._boxes.hold_projects

    def offer(self, hook: HookRequest, request: Request) -> Offer | None:
        """The worker that this call can be sent to; None where it runs here, as all but builds and tests do.

        Nothing is decided by it: whether the call may run at all is said of the agent's own line.
        """
        action = hook.action
        dispatcher = self._dispatcher()
        if dispatcher is None or action.kind is not ActionKind.COMMAND or action.shell != SHELL:
            return None
        if hook.agent.goes_on(
            action
        ):  # its output is looked at meanwhile, and it is ended in the agent's way
            return None
        _front, rest, folder = without_cd(action.command, action.folder)
        offer = dispatcher.offer(rest, folder)
        if offer is None or not self._rewriting.may_be_told(hook.agent, action):
            return None
        return None if self._is_ruled(action, request) else offer

    def begin(
        self,
        hook: HookRequest,
        judgement: Judgement,
        outcome: HookDecision,
        confined: Confined | None,
        offer: Offer | None = None,
    ) -> HookDecision:
        """The outcome with the call in its box or sent to a worker, or as it is where nothing is left to run
        (a `cd` alone).

        Looks at the disk for a `cd`. Raises UserFacing or OSError where it cannot be confined.
        """
        front, rest, folder = without_cd(hook.action.command, hook.action.folder)
        if not rest:
            return outcome
        # Not to be guessed: a command that knew it could report for another one.
        report = secrets.token_hex(8)
        line = rest
        if confined is not None:
            line = self._boxes.line(_box(hook, judgement, confined, folder), rest, report)
        dispatcher = self._dispatcher()
        if offer is not None and dispatcher is not None:
            # Where no worker takes it, what runs here is held to what it would have been held to.
            line = dispatcher.line(offer, report, here=line if confined is not None else "")
        line = (hook.agent.abilities.hands_on if confined is not None else "") + front + line
        outcome = replace(outcome, confined=confined, line=line)
        run = ConfinedRun(hook, judgement, outcome, line, report)
        with self._lock:
            # The line holds the report's name, so that no two calls share it.
            self._open[run.line] = run
            self._characters += run.characters
            self._make_room(hook.action)
        return outcome

    def known(self, action: Action) -> ConfinedRun | None:
        """The open call of which this is a later hook that shows the rewritten line.

        Before a tool runs only the very same call counts: the line typed again is a command like any other.
        """
        with self._lock:
            run = self._open.get(action.command)
        if run is None or not _is_of(run, action):
            return None
        # An agent that types the line itself asks for a box of its own choosing.
        if action.moment is Moment.BEFORE and not (action.call_id and action.call_id == run.action.call_id):
            return None
        return run

    def end(self, action: Action) -> ConfinedRun | None:
        """The call that has ended, which is then forgotten."""
        if not self._open:
            return None
        with self._lock:
            run = self._open.get(action.command)
            if run is None or not _is_of(run, action):
                run = self._of_call(action)
            if run is not None:
                self._close(run.line)
        return run

    def end_session(self, action: Action) -> None:
        """What never told of its end never will."""
        with self._lock:
            for line in [line for line, run in self._open.items() if _is_of(run, action)]:
                self._close(line)

    def settle(self, run: ConfinedRun, after: Action) -> SettledRun:
        """How a call ended that `end` gave."""
        dispatcher = self._dispatcher()
        was_started = dispatcher is not None and dispatcher.was_started(run.report)
        ending = run.ending(after, was_started or self._boxes.did_run(run.report))
        refused = self._boxes.refusals(run.report)
        if after.moment is Moment.FAILED and (path := kept_from(after.result)):
            refused = (*refused, ConfinementRefused("touching", path))
        self._boxes.forget(run.report)
        mark = self._rewriting.ended(after, ending)
        job = dispatcher.ended(run.report) if was_started and dispatcher is not None else None
        if job is None or dispatcher is None:
            return SettledRun(ending, mark, refused)
        dispatcher.catch_up()
        return SettledRun(ending, mark, refused, job.worker, job.processor_s)

    def _make_room(self, action: Action) -> None:
        """Forget the oldest, first those of the session in which `action` began; the lock is held."""
        if len(self._open) > MOST_OF_SESSION:  # most agents tell of every end
            of_session = [line for line, run in self._open.items() if _is_of(run, action)]
            for line in of_session[:-MOST_OF_SESSION]:
                self._close(line)
        while len(self._open) > 1 and (len(self._open) > MOST_OPEN or self._characters > MOST_CHARACTERS):
            self._close(next(iter(self._open)))

    def _close(self, line: str) -> None:
        """Forget one of them; the lock is held."""
        self._characters -= self._open.pop(line).characters

    def _of_call(self, action: Action) -> ConfinedRun | None:
        """By the agent's number for the call, or by its own line where it gives none; the oldest."""
        for run in self._open.values():
            same = (
                run.action.call_id == action.call_id
                if action.call_id
                else run.action.command == action.command
            )
            if same and _is_of(run, action):
                return run
        return None


def _box(hook: HookRequest, judgement: Judgement, confined: Confined, folder: Path) -> Box:
    return Box(
        confined,
        judgement.request.project or folder,
        judgement.verdict.network is not Network.NONE,
        hook.chat,
        hook.agent.abilities.keeps_folder,
        judgement.request.scratch if confined is Confined.PROJECT else (),
    )


def note_of_run(held: PendingEnd, ran: HookRan) -> dict[str, Any]:
    """The entry of the audit log: how a call ended that was to run confined."""
    confined = held.run.outcome.confined
    record = {
        **note_of(held.hook),
        "confined": confined.value if confined else "",
        "reported": ran.ran is ConfinedOutcome.CONFINED,
    }
    if ran.worker:
        record["worker"] = ran.worker
    if ran.refused:
        record["refused"] = [f"{each.kind} {each.what}" for each in ran.refused]
    return record


def as_it_was(run: ConfinedRun, action: Action) -> Action:
    """A later hook of the call with the agent's own command in it, as everybody else knows it."""
    return replace(action, command=run.action.command, arguments=run.action.arguments)


def without_cd(command: str, folder: Path) -> tuple[str, str, Path]:
    """What stands before the box, what goes into it, and the folder in which that works.

    Agents keep the folder that a command ended in: a `cd` in the box would be lost. Only a plain one at the
    front, to a folder that is there, so that it cannot fail and all that follows runs as it would have.
    """
    found = _CD.match(command)
    if found is None:
        return "", command, folder
    name = found[1] or found[2] or found[3]
    target = Path(os.path.join(folder, name))
    # A `cd` that fails would let what follows run somewhere else.
    if name == "-" or not os.access(target, os.X_OK) or not target.is_dir():
        return "", command, folder
    return command[: found.end()], command[found.end() :], target


def kept_from(output: str) -> str:
    """What a confined command was kept from, for people: the first path that it says it may not touch.

    Nothing is decided by it; programs word their errors as they like.
    """
    found = _KEPT_FROM.search(output)
    return (found[1] or found[2]) if found else ""


def _is_of(run: ConfinedRun, action: Action) -> bool:
    return (run.action.agent, run.action.session) == (action.agent, action.session)


MOST_CALLS = 1000  # of projects, whose refusals are still to be told
LOOKED_UP_EVERY_S = 5.0  # what of the table is there


class NativeBoxes:
    """See `confined_runs.Boxes`. Methods may be called on any thread."""

    def __init__(
        self,
        confiner: Confiner,
        paths: Paths,
        proxy: Callable[[], IndexProxy],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`proxy` gives the way out to package indexes; it is first asked for by a command of a project."""
        self._confiner = confiner
        self._paths = paths
        self._proxy = proxy
        self._projects: OrderedDict[str, str] = OrderedDict()  # of calls that run in one
        self._now = now
        self._looked_up: OrderedDict[tuple[Path | None, bool], tuple[float, Confinement]] = OrderedDict()

    @property
    def are_offered(self) -> bool:
        return self._confiner.available()

    @property
    def hold_projects(self) -> bool:
        return not self._confiner.why_not_project()

    def line(self, box: Box, command: str, call: str) -> str:
        """See Boxes."""
        confinement = with_scratch(self._confinement(box), box.scratch)
        if box.confined is Confined.PROJECT:
            self._projects[call] = str(box.project)
            while len(self._projects) > MOST_CALLS:
                self._projects.popitem(last=False)
        follows = box.keeps_folder
        return self._confiner.rewritten(command, confinement, call, box.session, follows=follows)

    def did_run(self, call: str) -> bool:
        return self._confiner.did_run(call)

    def refusals(self, call: str) -> tuple[ConfinementRefused, ...]:
        """See Boxes. A host that the proxy refused is told with the first call that ends after it."""
        project = self._projects.get(call)
        # The proxy knows the project, not the call.
        hosts = self._proxy().take_refused(project) if project is not None else ()
        refused = tuple(ConfinementRefused(each.kind, each.what) for each in self._confiner.refusals(call))
        return refused + tuple(ConfinementRefused("connection", host) for host in hosts)

    def forget(self, call: str) -> None:
        self._projects.pop(call, None)
        self._confiner.forget(call)

    def _confinement(self, box: Box) -> Confinement:
        key = (box.project if box.confined is Confined.PROJECT else None, box.uses_network)
        known, now = self._looked_up.get(key), self._now()
        if known is None or now - known[0] > LOOKED_UP_EVERY_S:
            known = self._looked_up[key] = (now, self._look_up(box))
            while len(self._looked_up) > MOST_CALLS:
                self._looked_up.popitem(last=False)
        return known[1]

    def _look_up(self, box: Box) -> Confinement:
        if box.confined is not Confined.PROJECT:
            return read_only(self._paths, box.uses_network)
        # Never a smaller box instead: whoever decided relied on this one.
        if reason := self._confiner.why_not_project():
            raise OSError(str(reason))
        return in_project(self._paths, box.project, self._proxy().address(str(box.project)))
