"""Every call goes through here: repair, plan, decide, ask, run with a time-out, log. Nothing raises.

`decide` is called on one line; no tool, format or window decides by itself.

A call that is out of time or stopped ends for good: no step of it that changes something begins any more (see
`cancellation`), child processes are ended, and what it had changed by then can be undone. A step that can't
be interrupted is said to be still running, and how it went is logged, and shown on its card, when it is over.
"""

from __future__ import annotations

import copy
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import structlog

from desktop import cancellation
from desktop.asking import (
    ARGUMENTS,
    Answer,
    Asker,
    AskingReason,
    AskTimedOut,
    NetworkUse,
    Origin,
    Question,
    Risk,
    Scope,
    ScopeOffer,
)
from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus
from desktop.gate import grants
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.policy import Basis, Decision
from desktop.gate.projects import rules_programs
from desktop.gate.reasons import GateReason, reason_fields
from desktop.gate.request import Request
from desktop.gate.shell.places import GATE
from desktop.gate.verdict import Effect, Flag, Gate
from desktop.reasons import Reason
from desktop.tools.arguments import WrongArguments, closest, repaired
from desktop.tools.calls import Call, CallResult, CallStatus, ToolAsked, ToolEnded, ToolRunning
from desktop.tools.reasons import ToolReason
from desktop.tools.tool import TIMEOUT_S, Plan, Running, Tool, Toolbox, ToolResult

log = structlog.get_logger(__name__)

_KEPT = {Scope.SESSION: grants.GrantScope.CHAT, Scope.ALWAYS: grants.GrantScope.ALWAYS}
_ASKED = {kept: asked for asked, kept in _KEPT.items()}
SETTLE_S = 2.0  # for the step under way when a call is given up: a child process to be killed, a rename
MOST_QUESTIONS = 3  # about one call, where what it would do changes while they are open
OUTCOME_UNKNOWN = "outcome unknown"  # in the log: Steward ended before the call did
ONE_LINE = 60  # characters of a list or an object that is shown on one line
LONGEST_RESULT = 16_000  # characters; the tools themselves cut sooner


class Audit(Protocol):
    """Where decisions and runs are written down."""

    def append(self, kind: str, record: Mapping[str, Any]) -> object: ...


@dataclass
class Stop:
    """The user's Stop, for the calls of one turn. Any thread."""

    stopped: bool = False
    _running: list[Running] = field(default_factory=list)

    def watch(self, running: Running) -> None:
        self._running.append(running)
        if self.stopped:
            running.stop()

    def stop(self) -> None:
        self.stopped = True
        for running in list(self._running):
            running.stop()


class _OpenEnds:
    """Calls that were given up and whose threads still run, with what was logged of them. Any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._records: dict[int, Mapping[str, Any]] = {}

    def add(self, record: Mapping[str, Any]) -> int:
        with self._changed:
            key = id(record)  # the record is held as long as its key
            self._records[key] = record
            return key

    def take(self, key: int) -> bool:
        """Whether nobody has said of it yet that its end is not known."""
        with self._changed:
            was_open = self._records.pop(key, None) is not None
            self._changed.notify_all()
            return was_open

    def take_all(self, wait_s: float) -> list[Mapping[str, Any]]:
        """The calls that are still open after `wait_s`."""
        with self._changed:
            self._changed.wait_for(lambda: not self._records, wait_s)
            left = list(self._records.values())
            self._records.clear()
            return left


class Executor:
    """Runs calls. `run` blocks its thread; never call it on the main thread."""

    def __init__(
        self,
        bus: Bus,
        asker: Asker,
        gatekeeper: Gatekeeper,
        folder: Path,
        audit: Audit | None = None,
        timeout_s: Callable[[], float] = lambda: TIMEOUT_S,
    ) -> None:
        """`folder` is the workspace: where commands run and relative paths begin. `timeout_s` is the limit of
        the settings, for tools that have none of their own.
        """
        self._bus = bus
        self._asker = asker
        self._audit = audit
        self.gatekeeper = gatekeeper
        self.folder = folder
        self.timeout_s = timeout_s
        self._open_ends = _OpenEnds()

    def settle(self, wait_s: float = SETTLE_S) -> None:
        """Before the log is closed: calls that were given up get a moment to end, and of those that do not
        it is written down that nobody knows how they ended."""
        for record in self._open_ends.take_all(wait_s):
            self.log("tool", {**record, "ending": OUTCOME_UNKNOWN, "late": True})

    def run(
        self,
        call: Call,
        toolbox: Toolbox,
        untrusted: tuple[str, ...] = (),
        conversation_id: int = 0,
        stop: Stop | None = None,
        why: str = "",
        asked: str = "",
        on_late: Callable[[CallResult], None] = lambda _ended: None,
    ) -> CallResult:
        """Do what `call` asks, if it may be. Whatever goes wrong is in the result, in words.

        `untrusted` names where text in the conversation came from that is not the user's. `asked` is what the
        user wrote, for tools that mend what a model makes up. `on_late` is called, on another thread, when a
        call that was told as still running is over.
        """
        begun = time.monotonic()
        key = 0  # of what is left open

        def late(ended: CallResult, was_told: CallStatus) -> None:
            ended = replace(ended, seconds=time.monotonic() - begun - run.asked_s)
            record = {**_record(ended), "conversation": conversation_id, "late": True}
            # The log may be closed by now, and has said so.
            if self._open_ends.take(key):
                self.log("tool", record)
            # Whoever was told that it was given up was told the truth; only an open end is closed.
            if was_told is CallStatus.STILL_RUNNING:
                on_late(ended)
                self._bus.publish(ToolEnded(conversation_id, ended))

        run = _Run(self, call, toolbox, untrusted, conversation_id, stop or Stop(), why, late, asked)
        ended = run.result()
        ended = replace(ended, seconds=time.monotonic() - begun - run.asked_s)
        told = {**_record(ended), "conversation": conversation_id}
        self.log("tool", told)
        self._bus.publish(ToolEnded(conversation_id, ended))
        if run.left_behind is not None:
            key = self._open_ends.add(told)
            run.tell_late(ended.ending)
        return ended

    def unattended(self) -> Executor:
        """The same where nobody sits before it: it asks nothing, and its gate allows only what reads."""
        alone = copy.copy(self)
        alone.gatekeeper = self.gatekeeper.unattended()
        return alone

    def ask(self, question: Question) -> Answer:
        return self._asker.ask(question)

    def publish_asked(self, conversation_id: int, call: Call, title: Reason) -> None:
        self._bus.publish(ToolAsked(conversation_id, call, title))

    def publish_running(self, conversation_id: int, call: Call) -> None:
        self._bus.publish(ToolRunning(conversation_id, call))

    def log(self, kind: str, record: Mapping[str, Any]) -> None:
        if self._audit is not None:
            self._audit.append(kind, record)


@dataclass
class _Run:
    """One call on its way."""

    executor: Executor
    call: Call
    toolbox: Toolbox
    untrusted: tuple[str, ...]
    conversation_id: int
    stop: Stop
    why: str
    late: Callable[[CallResult, CallStatus], None]
    asked: str = ""
    decision: Reason | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    left_behind: _Left | None = None
    keeps_copies: bool = False
    was_asked: bool = False
    asked_s: float = 0.0  # how long the user was asked, which is none of the call's own time

    def result(self) -> CallResult:
        tool = self._tool()
        if tool is None:
            known = ", ".join(self.toolbox.names)
            reason = ToolReason.CALL_NO_SUCH_TOOL.of(name=self.call.name, known=known)
            return self._failed(CallStatus.UNKNOWN_TOOL, reason)
        try:
            self.arguments = repaired(tool.parameters, self.call.arguments)
            # Before the plan, so that the user is asked about what will really be done.
            if tool.mend is not None and self.asked:
                self.arguments = tool.mend(self.arguments, self.asked)
            plan = self._plan(tool)
            for _ in range(MOST_QUESTIONS):
                refused = self._refused(tool, plan)
                if refused is not None:
                    return refused
                # What was agreed to is what the question showed. A dialog may stay open for hours, and others
                # write to the same files.
                again = self._plan(tool) if self.was_asked else plan
                if _would_do(again) == _would_do(plan):
                    return self._act(tool, again)
                plan = again
            return self._failed(CallStatus.FAILED, ToolReason.CALL_KEEPS_CHANGING.of())
        except WrongArguments as error:
            return self._failed(CallStatus.WRONG_ARGUMENTS, error.reason)
        except UserFacing as error:
            return self._failed(CallStatus.FAILED, error.reason)
        except Cancelled:
            return self._failed(CallStatus.STOPPED, ToolReason.CALL_STOPPED.of())
        except Exception:  # the edge of other people's and of our own mistakes: the turn goes on
            log.exception("tool broke", tool=tool.name)
            return self._failed(CallStatus.FAILED, ToolReason.CALL_BROKE.of(tool=tool.name))

    def _tool(self) -> Tool | None:
        found = self.toolbox.get(self.call.name)
        if found is None:
            name = closest(self.call.name, self.toolbox.names)
            found = self.toolbox.get(name) if name is not None and _same_word(name, self.call.name) else None
        return found

    def _plan(self, tool: Tool) -> Plan:
        if tool.plan is not None:
            return _guarded(tool.plan(**self.arguments))
        return Plan(ToolReason.ASK_USE.of(tool=tool.name), ToolReason.USES_ONCE.of(), tool.effect, tool.flags)

    def _refused(self, tool: Tool, plan: Plan) -> CallResult | None:
        self.was_asked = False
        request = self._request(tool, plan)
        decision = self.executor.gatekeeper.decide(request, plan.own_notes)
        if decision.gate is Gate.ASK:
            decision = self._asked(tool, plan, request, decision)
        self.decision = decision.reason
        # Logged before anything is done: what a crash cuts off has its decision in the log.
        self.executor.log("decision", _decided(request, decision))
        if decision.gate is Gate.ALLOW:
            return None
        return self._failed(CallStatus.DENIED, ToolReason.CALL_DENIED.of(why=decision.reason))

    def _request(self, tool: Tool, plan: Plan) -> Request:
        return Request(
            tool=tool.gate_name or tool.name,
            effect=plan.effect,
            flags=plan.flags,
            parts=plan.parts,
            text=plan.command,
            folder=self.executor.folder,
            chat=str(self.conversation_id),
            runs=bool(plan.command),
            is_static=plan.is_static,
            never=plan.never,
            commands=plan.commands,
            steps=plan.steps,
            touched=plan.touched,
            untrusted=self.untrusted,
            below=plan.below,
            pin=plan.pin,
        )

    def _asked(self, tool: Tool, plan: Plan, request: Request, decision: Decision) -> Decision:
        self.was_asked = True
        self.executor.publish_asked(self.conversation_id, self.call, plan.title)
        offers = self.executor.gatekeeper.offers(request)
        begun = time.monotonic()
        try:
            answer = self.executor.ask(self._question(tool, plan, decision, offers))
        except AskTimedOut:
            # Nobody there is a no, else an unattended computer would say yes to whatever asks long enough.
            return Decision(Gate.DENY, decision.ground, GateReason.NOBODY_ANSWERED_THE_QUESTION.of())
        finally:
            self.asked_s += time.monotonic() - begun
        if not answer.allowed:
            said = GateReason.USER_ASKS_INSTEAD.of(text=answer.instead) if answer.instead else None
            return Decision(Gate.DENY, decision.ground, said or GateReason.USER_SAID_NO.of())
        self.keeps_copies = answer.snapshot
        kept = _KEPT.get(answer.scope)
        # Only what was offered: a dialog cannot give more than the gate would.
        if kept is not None and kept in dict(offers):
            self.executor.gatekeeper.remember(request, kept)
        return Decision(Gate.ALLOW, Basis.GRANT, GateReason.ALLOWED_BY_THE_USER.of())

    def _question(
        self, tool: Tool, plan: Plan, decision: Decision, offers: Iterable[tuple[grants.GrantScope, Reason]]
    ) -> Question:
        return Question(
            title=plan.title,
            text=plan.says,
            risk=_risk(plan),
            arguments=plan.command or plan.places or _written(tool, self.arguments),
            origin=Origin(conversation_id=self.conversation_id, folder=str(self.executor.folder)),
            arguments_name=_arguments_name(tool, plan),
            diff=plan.diff,
            files=plan.files,
            why=self.why,
            # Where a page may have spoken to the model, that comes before whatever the tool warns of.
            warning=ToolReason.SENTENCE.of(why=decision.reason) if self.untrusted else plan.warning,
            reversible=plan.reversible,
            to_trash=plan.to_trash,
            network=NetworkUse.USES if Flag.SENDS in plan.flags else plan.network,
            hosts=plan.hosts,
            outside=Flag.OUTSIDE in plan.flags or self._reaches_out(plan),
            command=plan.view,
            scopes=tuple(ScopeOffer(_ASKED[scope], words) for scope, words in offers),
        )

    def _reaches_out(self, plan: Plan) -> bool:
        """Whether a server's tool may write beyond the workspace."""
        return bool(plan.pin) and any(
            not Path(each).is_relative_to(self.executor.folder) for each in plan.touched
        )

    def _act(self, tool: Tool, plan: Plan) -> CallResult:
        # While the dialog was open the user may have stopped the whole answer.
        if self.stop.stopped:
            raise Cancelled
        limit_s = self.executor.timeout_s() if tool.timeout_s is None else tool.timeout_s
        outside = frozenset({plan.outside} if plan.outside else ())
        running = Running(self.call.id, outside, limit_s, self.untrusted, keeps_copies=self.keeps_copies)
        self.stop.watch(running)
        self.executor.publish_running(self.conversation_id, self.call)
        work = _Work(tool, self.arguments, running)
        left = _Left(tool, plan, work, limit_s)
        # A tool that ends by itself at the limit tells what there is until then, so it is left a moment more.
        if work.wait(limit_s + tool.grace_s):
            return self._done(left)
        left.was_stopped = running.stopped.is_set()
        running.stop()
        # The token says whether a step was under way when it ended: only then is there something to wait for.
        if not running.token.end() and work.wait_over(SETTLE_S):
            return self._over(left)
        self.left_behind = left
        return self._given_up(left)

    def _done(self, left: _Left) -> CallResult:
        """Raises what the tool raised."""
        taint = _source(left.plan) if left.tool.untrusted_result else ""
        result = left.work.result()
        # A tool that shortens badly must not fill the context.
        ended = self._ended(CallStatus.DONE, result.text[:LONGEST_RESULT])
        return replace(ended, tainted_by=taint, changes=result.changes, exit_code=result.exit_code)

    def _over(self, left: _Left) -> CallResult:
        """Of work that was given up and has ended by now: the step under way may have been its last."""
        try:
            ended = self._done(left)
        except Cancelled:
            return self._given_up(left)
        except UserFacing as error:
            return replace(self._failed(CallStatus.FAILED, error.reason), changes=left.changes)
        except Exception:
            log.exception("tool broke after it was given up", tool=left.tool.name)
            reason = ToolReason.CALL_BROKE_LATE.of(tool=left.tool.name)
            return replace(self._failed(CallStatus.FAILED, reason), changes=left.changes)
        # A command that was stopped ends by itself and says so, but the user's Stop is what ended it.
        return replace(ended, ending=CallStatus.STOPPED) if left.was_stopped and left.plan.command else ended

    def _given_up(self, left: _Left) -> CallResult:
        ending = CallStatus.STOPPED if left.was_stopped else CallStatus.TIMED_OUT
        is_acting = left.work.is_acting
        if is_acting:
            ending = CallStatus.STILL_RUNNING
        return replace(self._failed(ending, left.reason(is_acting)), changes=left.changes)

    def tell_late(self, was_told: CallStatus) -> None:
        """When what was left behind is over, say how that went; called once the first answer is out."""
        left = self.left_behind
        if left is not None:
            left.work.on_over(lambda: self.late(self._over(left), was_told))

    def _ended(self, ending: CallStatus, text: str) -> CallResult:
        return CallResult(self.call, ending, text, self.arguments, self.decision)

    def _failed(self, ending: CallStatus, reason: Reason) -> CallResult:
        return replace(self._ended(ending, str(reason)), failure=reason)


class _Work:
    """A tool on a thread of its own, so that one that hangs can be left behind: without the right to act."""

    def __init__(self, tool: Tool, arguments: Mapping[str, Any], running: Running) -> None:
        self._over = threading.Event()
        self._wake = threading.Event()  # it is over, or was stopped
        self._lock = threading.Lock()
        self._afterwards: list[Callable[[], None]] = []
        self._token = running.token
        self._result = ToolResult("")
        self._error: BaseException | None = None
        more = {name: running if what == "running" else running.call_id for name, what in tool.wants.items()}
        running.on_stop(self._wake.set)
        self._thread = threading.Thread(
            # A daemon: one that hangs for good must not keep the program from ending.
            target=self._work,
            args=(tool, {**arguments, **more}),
            name=f"tool {tool.name}",
            daemon=True,
        )
        self._thread.start()

    def wait(self, timeout_s: float) -> bool:
        """False: it is still at work, or was stopped."""
        self._wake.wait(timeout_s)
        return self._over.is_set()

    def wait_over(self, timeout_s: float) -> bool:
        """Wait as `wait` does, without regard to Stop."""
        return self._over.wait(timeout_s)

    @property
    def is_acting(self) -> bool:
        """Whether a step that changes something is under way."""
        return not self._token.wait_still(0)

    @property
    def has_acted(self) -> bool:
        return self._token.has_acted

    @property
    def changes(self) -> tuple[int, ...]:
        return self._token.changes

    def on_over(self, then: Callable[[], None]) -> None:
        """Call `then` when it is over, on its thread; at once, and here, if it is over already."""
        with self._lock:
            if not self._over.is_set():
                self._afterwards.append(then)
                return
        then()

    def result(self) -> ToolResult:
        if self._error is not None:
            raise self._error
        return self._result

    def _work(self, tool: Tool, arguments: Mapping[str, Any]) -> None:
        try:
            with cancellation.held(self._token):
                result = tool.function(**arguments)
            self._result = result if isinstance(result, ToolResult) else ToolResult(result)
        except BaseException as error:  # handed to whoever waits
            self._error = error
        finally:
            # Both in one lock: who asks to be told afterwards is told exactly once, now or by the list.
            with self._lock:
                self._over.set()
                afterwards = tuple(self._afterwards)
            self._wake.set()
            for then in afterwards:
                then()


@dataclass
class _Left:
    """A call at work, and what is to be said when it is given up."""

    tool: Tool
    plan: Plan
    work: _Work
    limit_s: float
    was_stopped: bool = False

    @property
    def changes(self) -> tuple[int, ...]:
        return self.work.changes

    def reason(self, is_acting: bool) -> Reason:
        """What became of it; `is_acting`: one step is still under way."""
        ended = ToolReason.CALL_STOPPED.of()
        if not self.was_stopped:
            ended = ToolReason.CALL_TIMED_OUT.of(tool=self.tool.name, seconds=self.limit_s)
        if is_acting:
            return ToolReason.CALL_STEP_GOES_ON.of(ended=ended)
        if self.changes:
            return ToolReason.CALL_CAN_BE_UNDONE.of(ended=ended)
        # Changed without an entry in the journal, such as a command: nobody can say how much.
        if self.work.has_acted and self.plan.effect is not Effect.READ:
            return ToolReason.CALL_PARTLY_DONE.of(ended=ended)
        return ToolReason.CALL_CHANGED_NOTHING.of(ended=ended)


def _would_do(plan: Plan) -> tuple[object, ...]:
    """What a plan does, without the words of its question: a time in them may have gone on."""
    changes = (plan.diff, plan.files, plan.parts, plan.touched, plan.reversible, plan.to_trash)
    return (plan.effect, plan.flags, plan.outside, plan.never, *changes)


def _arguments_name(tool: Tool, plan: Plan) -> Reason:
    if plan.command:
        return AskingReason.COMMAND.of()
    if plan.places or plan.files:
        return AskingReason.FILE.of()
    # Of a tool that somebody else wrote they are what its documents call them.
    return AskingReason.DETAILS.of() if tool.verb is not None else ARGUMENTS


def _written(tool: Tool, arguments: Mapping[str, Any]) -> str:
    """All of them, one after another, also what the diff shows too.

    A name stands at the beginning of a line and what is inside a value never does, so that no value can
    look like another argument.
    """
    # A single text needs no name in front of it.
    if len(arguments) == len(tool.parameters) == 1:
        return _as_text(next(iter(arguments.values())))
    return "\n".join(f"{name}: {_inside(_as_text(value))}" for name, value in arguments.items()) or tool.name


def _as_text(value: Any) -> str:
    """Lists and objects of a server's tool as JSON, which is what it gets."""
    if not isinstance(value, list | dict):
        return str(value)
    line = json.dumps(value, ensure_ascii=False, default=str)
    return line if len(line) <= ONE_LINE else json.dumps(value, ensure_ascii=False, default=str, indent=2)


def _inside(value: str) -> str:
    if value.splitlines() in ([], [value]):
        return value
    return "\n" + "".join(f"    {line}" for line in value.splitlines(keepends=True))


def _guarded(plan: Plan) -> Plan:
    """With a warning where a change reaches what other programs run or obey by themselves, and with the flag
    of what no permission covers where that is the gate's or an agent's own."""
    if plan.effect is Effect.READ or plan.command:
        return plan
    for path in filter(os.path.isabs, plan.parts):
        name = os.path.basename(path)
        if GATE.search(path):
            why = GateReason.HOLDS_THE_GATES_SETTINGS.of(name=name)
            return replace(plan, flags=plan.flags | {Flag.GATE}, warning=ToolReason.SENTENCE.of(why=why))
        if rules_programs(path):
            why = GateReason.RULES_WHAT_OTHERS_RUN.of(name=name)
            return replace(plan, warning=ToolReason.SENTENCE.of(why=why))
    return plan


def _risk(plan: Plan) -> Risk:
    if plan.command:
        return Risk.DELETES if plan.effect is Effect.DELETE else Risk.RUNS
    if Flag.SENDS in plan.flags:
        return Risk.SENDS
    return {Effect.READ: Risk.READS, Effect.DELETE: Risk.DELETES}.get(plan.effect, Risk.CHANGES)


def _source(plan: Plan) -> str:
    """Where a text comes from; "" where it is the user's own workspace."""
    if plan.source:
        return plan.source
    if plan.outside is not None:
        return str(plan.outside)
    return "a command's output" if plan.command else ""


def _same_word(known: str, given: str) -> bool:
    """Whether both are the name of one tool: only a slip of spelling is forgiven."""
    return known.replace("_", "") == given.casefold().replace("_", "").replace("-", "").replace(" ", "")


def _decided(request: Request, decision: Decision) -> dict[str, Any]:
    return {
        "tool": request.tool,
        "class": request.effect.name,
        "flags": sorted(flag.value for flag in request.flags),
        "parts": list(request.parts),
        "gate": decision.gate.value,
        "ground": decision.ground.value,
        **reason_fields(decision.reason),
    }


def _record(ended: CallResult) -> dict[str, Any]:
    return {
        "tool": ended.call.name,
        "call": ended.call.id,
        "arguments": dict(ended.arguments) or dict(ended.call.arguments),
        "ending": ended.ending.value,
        # In English, and so that whoever reads it later is told in another language.
        "decision": str(ended.decision or ""),
        **{name: value for name, value in reason_fields(ended.decision).items() if name != "reason"},
        "failure": ended.failure.code.value if ended.failure else "",
        "seconds": round(ended.seconds, 3),
        "result_characters": len(ended.text),
        "changes": list(ended.changes),
    }
