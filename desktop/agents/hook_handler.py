"""A hook of a coding agent: read it, judge it, decide, maybe ask, answer in the agent's own form.

`gatekeeper.decide` is called on one line. Nothing but an allow of the gate or a click of the user becomes an
allow: a time-out, a dropped connection, a missing window and a bug end in what the agent's module calls
unanswered, or in a refusal where the settings name the agent in `hooks.fail_closed`.
"""

from __future__ import annotations

import itertools
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import structlog

from desktop.agents.action import (
    NO_OPINION,
    Action,
    ActionKind,
    BadPayload,
    HookChoice,
    HookResponse,
    Moment,
    Reply,
    refuse,
)
from desktop.agents.agent import Agent
from desktop.agents.agent_list import agent_named
from desktop.agents.confined_runs import ConfinedRun, ConfinedRuns, PendingEnd, as_it_was, note_of_run
from desktop.agents.copies import Copies
from desktop.agents.events import (
    ConfinedOutcome,
    DecidedBy,
    HookAsked,
    HookDecided,
    HookRan,
    NotRewritten,
    PauseChanged,
)
from desktop.agents.file_verdict import places, verdict_on
from desktop.agents.hook_request import (
    HookDecision,
    HookRequest,
    Judgement,
    PendingApproval,
    PendingHook,
    asked,
    by_gate,
    decided,
    denied,
    network_use,
    note_of,
    open_to_read,
    record_of,
    request_for,
)
from desktop.agents.lessons import Learner
from desktop.agents.questions import Answers, Offers, QuestionFacts, question
from desktop.agents.reasons import AgentReason
from desktop.agents.rewriting import RewriteOutcome
from desktop.agents.verdict_log import Recent
from desktop.asking import Answer, Asker, AskTimedOut, NetworkUse, Question, Reach, Scope
from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus
from desktop.gate.command_question import CopyOffer
from desktop.gate.commands import Commands
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants
from desktop.gate.judge import ModelVerdict
from desktop.gate.policy import Basis, Confined, Decision
from desktop.gate.reasons import GateReason
from desktop.gate.request import AgentRule, Request
from desktop.gate.verdict import Effect, Flag, Gate
from desktop.reasons import Reason
from desktop.settings import HookSettings

log = structlog.get_logger(__name__)

WITHDRAW_EVERY_S = 0.05

# In such a session an error lets it run. Looked for in the bytes, because they could not be read.
UNGUARDED = re.compile(rb'"permission_mode"\s*:\s*"bypassPermissions"')

RAN = {
    RewriteOutcome.CONFINED: ConfinedOutcome.CONFINED,
    RewriteOutcome.IGNORED: ConfinedOutcome.UNCONFINED,
    RewriteOutcome.UNSEEN: ConfinedOutcome.UNCONFINED,
}

_NO_FOLDER = Path("/")  # how an agent's module says that it named none
_NO_PLACE = str(_NO_FOLDER)  # texts are compared with every hook, and paths part by part


class Log(Protocol):
    """Where verdicts are written down."""

    def put(self, kind: str, record: Mapping[str, Any]) -> None: ...


def _holds_in_a_pause(decision: Decision, request: Request) -> bool:
    """What is never done stays denied, and what guards this computer is not changed unasked."""
    guards = Flag.GATE in request.flags and decision.gate is not Gate.ALLOW
    return decision.ground is Basis.HARD_RULE or guards


def _unbroken(_action: Action) -> None:
    return None


def _no_rules(_action: Action, _request: Request) -> tuple[AgentRule, ...]:
    return ()


def _no_project(_folder: Path) -> None:
    return None


@dataclass(frozen=True)
class HookJudges:
    """What says whether a call may run.

    `own` are Steward's folders, which no agent changes or reads unasked, `hooks` the settings in which agents
    keep Steward's entries, which none changes unasked. `seals` says why everything must be
    asked for a session, None where nothing is wrong. `root_of` finds the project that a folder is in, and
    `honoured` the agent's own allow rules that the user agreed to.
    """

    commands: Commands
    gatekeeper: Gatekeeper
    grants: Grants
    own: tuple[Path, ...] = ()
    seals: Callable[[Action], Reason | None] = _unbroken
    root_of: Callable[[Path], Path | None] = _no_project
    honoured: Callable[[Action, Request], tuple[AgentRule, ...]] = _no_rules
    hooks: tuple[Path, ...] = ()


@dataclass(frozen=True)
class HookAsker:
    """Who is asked: `asker` gives None where nobody can be; `withdraw` ends the question it is given."""

    asker: Callable[[], Asker | None]
    withdraw: Callable[[Question], None] = lambda _question: None


@dataclass(frozen=True)
class HookListeners:
    """Who is told of a verdict. Without `lessons` nothing is learned."""

    recorder: Log
    bus: Bus
    lessons: Learner | None = None


class AgentHandler:
    """Answers hooks. Methods may be called on any thread, at the same time."""

    def __init__(
        self,
        judges: HookJudges,
        asker: HookAsker,
        listeners: HookListeners,
        copies: Copies,
        settings: Callable[[], HookSettings],
        runs: ConfinedRuns | None = None,
    ) -> None:
        """Without `runs` nothing is confined."""
        self._commands, self._gatekeeper = judges.commands, judges.gatekeeper
        self._offers = Offers(judges.gatekeeper, judges.grants)
        # Links are followed once here: what an agent names is compared with where it really leads.
        self._own = tuple(each.resolve() for each in judges.own)
        self._hooks = frozenset(each.resolve() for each in judges.hooks)
        self._seals, self._root_of, self._honoured = judges.seals, judges.root_of, judges.honoured
        self._asker, self._withdraw = asker.asker, asker.withdraw
        self._recorder, self._bus, self._lessons = listeners.recorder, listeners.bus, listeners.lessons
        self._copies = copies
        self._settings = settings
        self._runs = runs
        self._answers = Answers()
        self._pause = Pause(listeners.bus)
        # From the clock, so that no number comes again after a restart: the log and the page go by it.
        self._ids = itertools.count(int(time.time() * 1000))
        self._recent = Recent()
        self._waiting: dict[int, HookAsked] = {}

    def knows(self, agent: str) -> bool:
        """Whether hooks of an agent of this name are answered."""
        return agent_named(agent) is not None

    # -- for the server -----------------------------------------------------------------------

    def quick(self, agent: str, body: bytes) -> Reply | PendingHook:
        """Answer at once what needs no question; the rest is held. Never waits for the user or the model.

        Raises BadPayload for what cannot be read, unless that would let it run.
        """
        begun, arrived = time.perf_counter(), time.monotonic()
        known = agent_named(agent)
        if known is None:
            refuse(f"no agent is called {agent[:40]}")
        try:
            action = self._read(known, body)
        except BadPayload as error:
            return self._unreadable(known, error, body)
        hook = HookRequest(next(self._ids), time.time(), begun, arrived, known, action)
        try:
            return self._quick(hook)
        except Exception:  # the edge of a hook: a bug must not let anything through
            log.exception("hook failed", agent=agent)
            return self._end(hook, None, self._nobody(hook, GateReason.STEWARD_FAILED.of(), DecidedBy.ERROR))

    def hold(self, held: PendingHook) -> Reply:
        """Ask the model and the user. Blocks, on a thread that nothing else waits for."""
        if not held.begin():
            return self._unheard(held.hook)
        try:
            return self._held(held)
        except Exception:  # the edge of a hook, as above
            log.exception("held hook failed", agent=held.agent)
            return self._give_up(held, GateReason.STEWARD_FAILED.of(), DecidedBy.ERROR)
        finally:
            held.over.set()

    def give_up(self, held: PendingHook, why: Reason | None = None) -> Reply:
        """Answer a hook that cannot be held, as a rule because too many are."""
        if not held.begin():
            return self._unheard(held.hook)
        held.over.set()
        return self._give_up(held, why or GateReason.TOO_MANY_QUESTIONS.of())

    def refuse(self, held: PendingHook, why: str) -> Reply:
        """Deny a hook that came in a way on which nobody is asked. `why` is told to the agent."""
        if not held.begin():
            return self._unheard(held.hook)
        held.over.set()
        if not isinstance(held, PendingApproval):
            return held.hook.agent.reply(held.hook.action, NO_OPINION)
        return self._end(
            held.hook,
            held.judgement,
            HookDecision(HookChoice.DENY, DecidedBy.NOBODY, GateReason.NOT_ASKED.of(), why),
        )

    def turned_away(self, agent: str, body: bytes, why: str) -> Reply:
        """Deny, without looking at it further, what somebody without a token wants to do. Raises BadPayload
        like `quick`, and keeps nothing of it: anybody could send it."""
        known = agent_named(agent)
        if known is None:
            refuse(f"no agent is called {agent[:40]}")
        try:
            action = self._read(known, body)
        except BadPayload:
            if not UNGUARDED.search(body):
                raise
            # Taken for one before a tool: what cannot be read, in a mode without prompts, is denied as well.
            action = Action(known.name, Moment.BEFORE)
        if action.moment not in (Moment.BEFORE, Moment.PERMISSION):
            return known.reply(action, NO_OPINION)
        return known.reply(action, HookResponse(HookChoice.DENY, why))

    def drop(self, held: PendingHook) -> None:
        """The agent no longer waits: its question is withdrawn. Returns at once."""
        held.drop()
        if held.begin():
            held.over.set()
            self._give_up(held, GateReason.AGENT_HAS_GONE.of())
        elif not held.over.is_set():
            # Not here: withdrawing may wait for the window, and this runs on the loop.
            threading.Thread(
                target=self._withdraw_until_over, args=(held,), name="hook withdrawal", daemon=True
            ).start()

    def unread(self, agent: str, head: bytes, why: str) -> Reply:
        """Answer a hook of which only the beginning was taken. Raises BadPayload like `quick`."""
        known = agent_named(agent)
        if known is None:
            refuse(f"no agent is called {agent[:40]}")
        try:
            refuse(why)
        except BadPayload as error:
            return self._unreadable(known, error, head)

    def decide_call(
        self, agent: str, tool: str, command: str, folder: Path
    ) -> tuple[int, HookDecision] | None:
        """Whether an agent may run `command`, which it gave to a tool of ours instead of its own shell, with
        the number of the call, for `call_ran`.

        The same rules, the same question, the same log. None for an agent that nobody knows. Blocks.
        """
        known = agent_named(agent)
        if known is None:
            return None
        arguments = {"command": command, "folder": str(folder)}
        action = Action(  # noqa: S604 - `shell` is the syntax of the line; nothing is started
            known.name,
            Moment.BEFORE,
            kind=ActionKind.COMMAND,
            tool=tool,
            arguments=arguments,
            command=command,
            shell="bash",
            folder=folder,
        )
        hook = HookRequest(next(self._ids), time.time(), time.perf_counter(), time.monotonic(), known, action)
        judgement = self._judged(hook)
        # Nothing is confined here: what allows a command only in its box does not allow this.
        decision = self._decide(hook, judgement.request, confine=False)
        if decision.gate is Gate.ASK:
            held = PendingApproval(hook, judgement, decision)
            outcome = replace(self._asked(held, None, can_send=False), line="")
        else:
            outcome = by_gate(judgement.verdict, decision)
        self._end(hook, judgement, outcome)
        return hook.id, outcome

    def call_ran(self, call: int, worker: str, saved_s: float) -> None:
        """A call that `decide_call` allowed has ended on a worker, which spent so much of its processor."""
        ran = HookRan(call, ConfinedOutcome.UNTOLD, worker=worker, saved_s=saved_s)
        self._recent.ran(ran)
        self._bus.publish(ran)

    # -- for the window -----------------------------------------------------------------------

    @property
    def recent(self) -> tuple[HookDecided, ...]:
        """The last verdicts, the newest last."""
        return self._recent.listed()

    @property
    def waiting(self) -> tuple[HookAsked, ...]:
        """What the user is asked now, the newest last."""
        return tuple(self._waiting.copy().values())

    @property
    def paused_until(self) -> float | None:
        """Seconds since 1970; None while the gate works."""
        return self._pause.until

    def pause(self, seconds: float) -> None:
        """Have no opinion for so long; what is never done stays denied, and the gate itself asks."""
        self._pause.begin(seconds)

    def resume(self) -> None:
        self._pause.end()

    def close(self) -> None:
        """End the clock of a pause. The recorder is closed by whoever made it."""
        self._pause.close()

    # -- tiers 0 to 3 -------------------------------------------------------------------------

    def _read(self, known: Agent, body: bytes) -> Action:
        try:
            return known.read(body)
        except BadPayload:
            raise
        except Exception as error:  # a bug of its module is told like a wrong hook
            log.exception("a hook could not be read", agent=known.name)
            refuse("Steward failed while reading it", error)

    def _unreadable(self, known: Agent, error: BadPayload, body: bytes) -> Reply:
        """A refusal where an error would be no gate at all; else the error, after which the agent asks."""
        self._write({"agent": known.name, "moment": "unreadable", "reason": error.cause})
        if known.name in self._settings().fail_closed:
            return Reply(exit_code=2, stderr=str(error))
        # In every other mode an error leads the agent to ask by itself.
        if not UNGUARDED.search(body):
            raise error
        before = Action(known.name, Moment.BEFORE)
        return known.reply(before, HookResponse(HookChoice.DENY, f"{error.cause} {error.not_lost}"))

    def _quick(self, hook: HookRequest) -> Reply | PendingHook:
        if hook.action.moment not in (Moment.BEFORE, Moment.PERMISSION):
            return self._noted(hook)
        # Behind the notes: what has happened is written down also while nothing is decided.
        if not self._settings().enabled:
            return hook.agent.reply(hook.action, NO_OPINION)
        run = self._runs.known(hook.action) if self._runs is not None else None
        # What was decided a moment ago for this very call is not asked a second time.
        if run is not None and self.paused_until is None:
            return self._end(self._as_it_was(hook, run), run.judgement, replace(run.outcome, line=""))
        judgement = self._judged(hook)
        decision = self._decide(hook, judgement.request)
        if self.paused_until is not None and not _holds_in_a_pause(decision, judgement.request):
            return self._end(
                hook,
                judgement,
                HookDecision(HookChoice.NO_OPINION, DecidedBy.PAUSE, GateReason.GATE_IS_PAUSED.of()),
            )
        # Answered on the loop's own thread: most hooks only read, and each waits for its answer.
        if decision.gate is Gate.ALLOW and not self._takes_time(judgement, decision):
            outcome = self._allowed(hook, judgement, decision)
            if outcome is not None:
                return self._end(hook, judgement, outcome)
            decision = self._decide(hook, judgement.request, confine=False)
        if decision.gate is Gate.ASK:
            return self._asks(hook, judgement, decision)
        if decision.gate is Gate.ALLOW and self._takes_time(judgement, decision):
            return PendingApproval(hook, judgement, decision)
        return self._end(hook, judgement, by_gate(judgement.verdict, decision))

    def _takes_time(self, judgement: Judgement, decision: Decision) -> bool:
        """Whether copies are to be made before it runs."""
        return decision.confined is Confined.PROJECT or self._copies.may_be_due(judgement.verdict)

    def _as_it_was(self, hook: HookRequest, run: ConfinedRun) -> HookRequest:
        return replace(hook, action=as_it_was(run, hook.action))

    def _noted(self, hook: HookRequest) -> Reply | PendingHook:
        is_end = hook.action.moment in (Moment.AFTER, Moment.FAILED)
        run = self._runs.end(hook.action) if is_end and self._runs is not None else None
        if run is not None:
            return PendingEnd(self._as_it_was(hook, run), run, hook.action)
        if hook.action.moment is Moment.SESSION_END:
            self._end_session(hook)
        if hook.action.moment is not Moment.OTHER:
            self._write(note_of(hook))
        if hook.action.moment is Moment.SESSION_END and self._copies.goes_on(hook.action):
            return PendingHook(hook)
        if not is_end:
            return hook.agent.reply(hook.action, NO_OPINION)
        lessons = self._lessons
        if self._copies.wait_for(hook.action) or (lessons is not None and lessons.waits_for(hook.action)):
            return PendingHook(hook)
        return self._told(hook.action, hook.agent)

    def _end_session(self, hook: HookRequest) -> None:
        self._offers.end_session(hook)
        if self._runs is not None:
            self._runs.end_session(hook.action)

    def _told(self, action: Action, known: Agent) -> Reply:
        """What is known of the end of a call."""
        context = self._lessons.learn(action) if self._lessons is not None else ""
        return known.reply(action, HookResponse(HookChoice.NO_OPINION, context=context))

    def _judged(self, hook: HookRequest) -> Judgement:
        action = hook.action
        if action.kind is ActionKind.COMMAND:
            place = str(action.folder)
            folder = None if place == _NO_PLACE else place
            project = self._root_of(action.folder) if folder else None
            root = str(project) if project else None
            verdict = self._commands.untimed_verdict(action.command, action.shell, folder, root)
            request = self._commands.request(
                verdict, action.command, action.folder, tool=hook.tool, chat=hook.chat, project=project
            )
            # Only then: the files of the agent's rules are looked at for nothing where it reads.
            if request.effect is not Effect.READ:
                request = replace(request, agent_rules=self._honoured(action, request))
            return Judgement(verdict, open_to_read(request))
        found = places(action, self._own, self._hooks)
        verdict = self._commands.guarded(verdict_on(action, found))
        return Judgement(verdict, request_for(hook, verdict, found or ()), found or ())

    def _decide(
        self, hook: HookRequest, request: Request, opinion: ModelVerdict | None = None, confine: bool = True
    ) -> Decision:
        runs, known, action = self._runs, hook.agent, hook.action
        can_confine = confine and runs is not None and runs.may_confine(known, action, request)
        decision = self._gatekeeper.decide(request, opinion=opinion, can_confine=can_confine)
        # Project mode lets run unseen what it can undo; that needs an agent that was seen to run
        # what it is told.
        if decision.confined is Confined.PROJECT and runs is not None and not runs.is_proven(known, action):
            return self._decide(hook, request, opinion, confine=False)
        broken = self._seals(hook.action)
        # Whoever changed the run's settings may have taken hooks out; nothing of it is believed any more.
        if broken and decision.gate is Gate.ALLOW:
            return Decision(Gate.ASK, Basis.NOTHING, broken)
        return decision

    def _asks(self, hook: HookRequest, judgement: Judgement, decision: Decision) -> Reply | PendingHook:
        earlier = self._answers.recall(hook.action)
        if earlier is not None:
            again = earlier if earlier.by is DecidedBy.USER else self._nobody(hook, earlier.reason)
            # Copies belong to the call that was answered first.
            return self._end(hook, judgement, replace(again, changes=()))
        # The model can still be asked where no person can.
        if self._asker() is None and not judgement.verdict.unknown_program:
            return self._end(hook, judgement, self._nobody(hook, GateReason.NO_WINDOW_TO_ASK_IN.of()))
        return PendingApproval(hook, judgement, decision)

    # -- held ---------------------------------------------------------------------------------

    def _held(self, held: PendingHook) -> Reply:
        action = held.hook.action
        if isinstance(held, PendingApproval):
            return self._end(held.hook, held.judgement, self._outcome(held))
        if action.moment is Moment.SESSION_END:
            self._copies.settle_session(action)
            return held.hook.agent.reply(action, NO_OPINION)
        if isinstance(held, PendingEnd):
            self._settle(held)
        else:
            self._copies.settle(action)
        return self._told(action, held.hook.agent)

    def _settle(self, held: PendingEnd) -> None:
        """A call that was to run confined has ended: did it?"""
        if self._runs is None:
            return
        changes: tuple[int, ...] = ()
        if held.run.goes_on:
            self._copies.leave_open(held.hook.action)
        else:
            changes = self._copies.settle(held.hook.action)
        settled = self._runs.settle(held.run, held.after)
        run, how = held.run, RAN.get(settled.ending, ConfinedOutcome.UNTOLD)
        use = network_use(run.action, run.judgement.verdict, run.outcome.confined)
        # Judged as one that is cut off from the network, and then it ran without its box.
        was_open = how is ConfinedOutcome.UNCONFINED and use is NetworkUse.CANNOT
        ran = HookRan(
            run.hook.id,
            how,
            settled.refused,
            changes,
            may_have_used_network=was_open and not settled.worker,
            worker=settled.worker,
            saved_s=settled.saved_s,
        )
        self._write(note_of_run(held, ran))
        self._recent.ran(ran)
        self._bus.publish(ran)
        words = settled.mark.in_words(held.hook.agent.title) if settled.mark is not None else None
        if words is not None:
            log.warning("an agent did not run what it was told", agent=held.agent, ran=ran.ran.name)
            self._bus.publish(NotRewritten(held.agent, words))

    def _outcome(self, held: PendingApproval) -> HookDecision:
        if held.decision.gate is Gate.ALLOW:
            outcome = self._kept_and_allowed(held)
            if outcome is not None:
                return outcome
            held.decision = self._decide(held.hook, held.judgement.request, confine=False)
            if held.decision.gate is not Gate.ASK:
                return by_gate(held.judgement.verdict, held.decision)
        opinion = self._consulted(held)
        if opinion is not None:
            decision = self._decide(held.hook, held.judgement.request, opinion)
            if decision.gate is not Gate.ASK:
                outcome = self._allowed(held.hook, held.judgement, decision)
                return outcome or self._asked(held, opinion)
        return self._asked(held, opinion)

    def _kept_and_allowed(self, held: PendingApproval) -> HookDecision | None:
        """What it will change is kept first. None where it is to be asked about after all."""
        if held.decision.confined is Confined.PROJECT:
            root = held.decision.folder
            # All of the folder and not what the line names: inside its box the command may change anything
            # there.
            if root is None or not self._copies.keep_project(held.hook, root):
                return None
            return self._allowed(held.hook, held.judgement, held.decision)
        outcome = self._copies.keep(
            held.hook, held.judgement.verdict, HookDecision(HookChoice.ALLOW, DecidedBy.RULE, None)
        )
        if outcome.choice is not HookChoice.ALLOW:
            return outcome
        allowed = self._allowed(held.hook, held.judgement, held.decision)
        return replace(allowed, changes=outcome.changes) if allowed is not None else None

    def _allowed(self, hook: HookRequest, judgement: Judgement, decision: Decision) -> HookDecision | None:
        """What the gate decided by itself, in its box; None where it should be in one and cannot."""
        return self._begun(hook, judgement, by_gate(judgement.verdict, decision), decision.confined)

    def _begun(
        self, hook: HookRequest, judgement: Judgement, outcome: HookDecision, confined: Confined | None
    ) -> HookDecision | None:
        """An allowed call with the line that it becomes, in its box or on a worker; else as it is."""
        if self._runs is None:
            return outcome
        # What only reads is no build, whatever it is called.
        reads = confined is Confined.READ_ONLY
        offer = None if reads else self._runs.offer(hook, judgement.request)
        if confined is None and offer is None:
            return outcome
        try:
            return self._runs.begin(hook, judgement, outcome, confined, offer)
        except (UserFacing, OSError) as error:
            # Asked about instead: it was allowed because it would be held.
            log.warning("a command could not be confined", agent=hook.agent.name, error=str(error))
            return None

    def _consulted(self, held: PendingApproval) -> ModelVerdict | None:
        """The model's opinion, where only the program is unknown; its time-out is told in the reason."""
        action = held.hook.action
        if not held.judgement.verdict.unknown_program:
            return None
        folder = None if action.folder == _NO_FOLDER else str(action.folder)
        project = held.judgement.request.project
        root = str(project) if project else None
        judged = self._commands.judged(action.command, action.shell, folder, root=root)
        # For the question and the log, which tell whether the judge was in time.
        held.judgement = replace(held.judgement, verdict=judged.verdict)
        return judged.opinion

    def _asked(
        self, held: PendingApproval, opinion: ModelVerdict | None, can_send: bool = True
    ) -> HookDecision:
        """`can_send`: an allowed build may become a line that goes to a worker."""
        hook, asker = held.hook, self._asker()
        if asker is None:
            return self._nobody(hook, GateReason.NO_WINDOW_TO_ASK_IN.of())
        # Set before it is asked: a connection that drops meanwhile withdraws it by this.
        held.question = self._question(held, opinion)
        event = self._waiting[hook.id] = asked(hook)
        self._bus.publish(event)
        try:
            if held.dropped:
                raise Cancelled
            answer = asker.ask(held.question)
        except AskTimedOut:
            outcome = self._nobody(hook, GateReason.NOBODY_ANSWERED.of())
        except Cancelled:
            return self._nobody(hook, GateReason.QUESTION_WITHDRAWN.of())
        else:
            outcome = self._answered(held, answer)
            outcome = self._sent(held, outcome) if can_send else outcome
        self._answers.remember(hook.action, outcome)
        return outcome

    def _sent(self, held: PendingApproval, outcome: HookDecision) -> HookDecision:
        """What the user allowed, on a worker where one takes it: the question said so."""
        if outcome.choice is not HookChoice.ALLOW or outcome.line:
            return outcome
        return self._begun(held.hook, held.judgement, outcome, None) or outcome

    def _question(self, held: PendingApproval, opinion: ModelVerdict | None) -> Question:
        verdict, folder = held.judgement.verdict, held.hook.action.folder
        offer = self._runs.offer(held.hook, held.judgement.request) if self._runs is not None else None
        ground, reason = held.decision.ground, held.decision.reason
        is_told = ground in (Basis.ASK_RULE, Basis.UNTRUSTED) or bool(self._seals(held.hook.action))
        held.copies = self._copies.offer(verdict, folder)
        more = QuestionFacts(
            warning=AgentReason.SENTENCE.of(why=reason) if is_told else None,
            opinion=opinion.in_words() if opinion else None,
            scopes=self._offers.made(held.hook, held.judgement.request, self._is_proven(held)),
            copies=held.copies,
            worker=offer.place if offer is not None else "",
        )
        return question(held.hook, held.judgement, more)

    def _answered(self, held: PendingApproval, answer: Answer) -> HookDecision:
        if not answer.allowed:
            return denied(answer.instead)
        says = "The user allowed this in Steward."
        outcome = HookDecision(HookChoice.ALLOW, DecidedBy.USER, GateReason.ALLOWED_BY_THE_USER.of(), says)
        is_promised = answer.snapshot or held.copies is CopyOffer.KEPT
        if is_promised or self._copies.are_always_kept:
            outcome = self._copies.keep(held.hook, held.judgement.verdict, outcome, is_promised=is_promised)
        if outcome.choice is not HookChoice.ALLOW or answer.scope is Scope.ONCE:
            return outcome
        kept = self._offers.keep(held.hook, held.judgement.request, answer.scope, answer.reach)
        if kept and answer.reach is Reach.PROJECT:
            return self._in_project(held, outcome)
        # Only such a yes is echoed to the agent: one for programs or a project is another than what it
        # suggests.
        is_exact = answer.scope is Scope.ALWAYS and answer.reach is Reach.EXACT
        return replace(outcome, always=kept and is_exact)

    def _in_project(self, held: PendingApproval, outcome: HookDecision) -> HookDecision:
        """Project mode has begun with this command: it is the first that runs in its project."""
        decision = self._decide(held.hook, held.judgement.request)
        if decision.confined is not Confined.PROJECT:
            return outcome
        held.decision = decision
        boxed = self._kept_and_allowed(held)
        return replace(boxed, by=DecidedBy.USER, says=outcome.says) if boxed is not None else outcome

    def _is_proven(self, held: PendingApproval) -> bool:
        """Whether project mode can be offered: the agent runs what it is told, and that can be confined."""
        runs, known, action = self._runs, held.hook.agent, held.hook.action
        can_confine = runs is not None and runs.may_confine(known, action, held.judgement.request)
        return can_confine and runs is not None and runs.is_proven(known, action)

    # -- endings ------------------------------------------------------------------------------

    def _nobody(
        self, hook: HookRequest, why: Reason | None, by: DecidedBy = DecidedBy.NOBODY
    ) -> HookDecision:
        """What is said where nothing was decided."""
        closed = hook.agent.name in self._settings().fail_closed
        choice = HookChoice.DENY if closed else hook.agent.unanswered(hook.action)
        words = {
            HookChoice.DENY: f"Steward did not allow this: {why}. Nothing was run.",
            HookChoice.ASK: f"Steward leaves this to you: {why}.",
        }
        return HookDecision(choice, by, why, words.get(choice, ""))

    def _give_up(self, held: PendingHook, why: Reason, by: DecidedBy = DecidedBy.NOBODY) -> Reply:
        if not isinstance(held, PendingApproval):
            return held.hook.agent.reply(held.hook.action, NO_OPINION)
        return self._end(held.hook, held.judgement, self._nobody(held.hook, why, by))

    def _unheard(self, hook: HookRequest) -> Reply:
        """For a hook that was ended already; in case somebody listens after all."""
        outcome = self._nobody(hook, GateReason.AGENT_HAS_GONE.of())
        return hook.agent.reply(hook.action, HookResponse(outcome.choice, outcome.says))

    def _end(self, hook: HookRequest, judgement: Judgement | None, outcome: HookDecision) -> Reply:
        response = HookResponse(outcome.choice, outcome.says, outcome.always, command=outcome.line)
        reply = hook.agent.reply(hook.action, response)
        event = decided(hook, judgement, outcome, (time.perf_counter() - hook.begun) * 1000)
        self._recent.add(event)
        self._waiting.pop(hook.id, None)
        self._bus.publish(event)
        if self._lessons is not None:
            self._lessons.decided(event)
        self._write(record_of(hook, event, outcome))
        return reply

    def _write(self, record: Mapping[str, Any]) -> None:
        try:
            self._recorder.put("hook", record)
        except UserFacing as error:  # a full disk must not change what the gate says
            log.error("a verdict could not be written to the log", error=str(error))

    def _withdraw_until_over(self, held: PendingHook) -> None:
        """The question may be on its way to the window just now."""
        while True:
            if held.question is not None:
                self._withdraw(held.question)
            if held.over.wait(WITHDRAW_EVERY_S):
                return


class Pause:
    """Methods may be called on any thread."""

    def __init__(self, bus: Bus, now: Callable[[], float] = time.time) -> None:
        self._bus = bus
        self._now = now
        self._lock = threading.Lock()
        self._until: float | None = None
        self._timer: threading.Timer | None = None

    @property
    def until(self) -> float | None:
        """Seconds since 1970; None while the gate works."""
        until = self._until
        if until is not None and self._now() >= until:  # the clock went on while the computer slept
            self.end()
            return None
        return until

    def begin(self, seconds: float) -> None:
        """Pause from now on, for `seconds`."""
        self._set(self._now() + seconds, seconds)

    def end(self) -> None:
        """Work again; without a pause nothing happens."""
        if self._until is not None:
            self._set(None, 0.0)

    def close(self) -> None:
        """End the clock; nobody is told any more."""
        with self._lock:
            self._stop()

    def _set(self, until: float | None, seconds: float) -> None:
        with self._lock:
            self._stop()
            self._until = until
            if until is not None:
                self._timer = threading.Timer(seconds, self.end)
                self._timer.name, self._timer.daemon = "hook pause", True
                self._timer.start()
        self._bus.publish(PauseChanged(until))

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
