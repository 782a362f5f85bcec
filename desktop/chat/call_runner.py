"""Runs the calls of a turn: those that only read together, the others one after another.

What a call gave is on disk before the next begins, and no call is made twice in a turn. One thread; calls
that are made together run on threads of their own.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from desktop.chat.events import CallAdded, CallClosed
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.lessons import NO_LESSON, Lesson
from desktop.chat.messages import Message, ToolRecord
from desktop.chat.reasons import ChatReason
from desktop.chat.turn_context import ContextWindow, Steps, TurnContext
from desktop.chat.write_guard import refusal
from desktop.errors import UserFacing
from desktop.gate.verdict import Effect
from desktop.memory.hindsight.hindsight import FixOffer, SuggestedFix
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.executor import Stop

TOGETHER = 4  # calls at the same time, at most
# A text that speaks to the model instead of the reader.
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override|ignorier\w*|vergiss|missachte\w*)\b.{0,40}"
    r"\b(?:instructions?|rules|prompt|guidelines|orders|anweisung\w*|regeln|vorgaben)\b",
    re.IGNORECASE | re.DOTALL,
)


class CallRunner:
    """Runs the calls of a turn, on its thread. `context` is the conversation with what came of them."""

    def __init__(self, window: ContextWindow, context: TurnContext, steps: Steps, asked: str = "") -> None:
        """`asked`: the user's words, for tools that look into them for what the model left out. The context
        must have tools."""
        assert context.tools is not None
        self.context = context
        self._window = window
        self._store, self._bus = window.store, window.bus
        self._tools = context.tools
        self._steps = steps
        self._asked = asked

    def run(self, calls: Sequence[ParsedCall], stop: Stop) -> list[CallResult]:
        """What came of each that was begun, in order. Stop, the limit of steps, a refusal and a call that was
        made before leave the rest out."""
        ended: list[CallResult] = []
        waiting = [Call(secrets.token_hex(6), found.name, found.arguments) for found in calls]
        for group in self._groups(waiting):
            fresh = self._fresh(group)
            if stop.stopped or not fresh or not self._steps.may_call:
                break
            # What was to take its place was not set: without this one nothing would be left.
            if ended and not ended[-1].ok and IN_PLACE_OF.get(fresh[0].name) == ended[-1].call.name:
                continue
            ended += self._together(fresh, stop)
        return ended

    def _repaired(self, repairs: Sequence[_Repair], stop: Stop) -> None:
        """Try again at once what only reads and failed for a known slip in its arguments."""
        for repair in repairs:
            call = Call(secrets.token_hex(6), repair.tool, repair.offer.arguments or {})
            if stop.stopped or not self._steps.may_call or self._steps.was_made(ToolRecord.of(call)):
                return
            assert self._tools.lessons is not None
            self._tools.lessons.applied(self.context.conversation_id, repair.offer.fix.id)
            self._together([call], stop)

    def _groups(self, calls: Sequence[Call]) -> Iterator[list[Call]]:
        """Neighbours that only read, and each of the others by itself."""
        group: list[Call] = []
        for call in calls:
            reads = self._only_reads(call)
            # What changes something waits for all before it, and all after it wait for that.
            if group and (not reads or len(group) == TOGETHER):
                yield group
                group = []
            group.append(call)
            if not reads:
                yield group
                group = []
        if group:
            yield group

    def _only_reads(self, call: Call) -> bool:
        tool = self._tools.toolbox.get(call.name)
        return tool is not None and tool.effect is Effect.READ

    def _fresh(self, group: list[Call]) -> list[Call]:
        """What of `group` may still be run; a call that was made before ends it."""
        # A model that repeats itself repeats whole lists; the first repetition ends the list.
        fresh: list[Call] = []
        for call in group[: self._steps.left]:
            if self._steps.was_made(ToolRecord.of(call), [ToolRecord.of(each) for each in fresh]):
                break
            fresh.append(call)
        return fresh

    def _together(self, calls: Sequence[Call], stop: Stop) -> list[CallResult]:
        # Asked anew for each group: what one call has read taints those after it.
        untrusted = self.context.untrusted
        cards = [self._begin(call) for call in calls]

        def run(call: Call, card: Message) -> CallResult:
            toolbox = self._tools.toolbox
            # Before the gate: nobody is asked about a call that can only do harm.
            refused = refusal(call, toolbox.get(call.name), self._asked, self._steps.done, self.context.asked)
            if refused is not None:
                return CallResult(call, CallStatus.FAILED, str(refused), failure=refused)
            late = partial(self._end_late, card)
            return self._tools.executor.run(
                call, toolbox, untrusted, card.conversation_id, stop, asked=self._asked, on_late=late
            )

        if len(calls) == 1:
            results = [run(calls[0], cards[0])]
        else:
            # Only what reads gets here together, so the order of their effects does not matter.
            with ThreadPoolExecutor(len(calls), thread_name_prefix="call") as pool:
                results = list(pool.map(run, calls, cards))
        lessons = [self._end(card, ended) for card, ended in zip(cards, results, strict=True)]
        pairs = zip(results, lessons, strict=True)
        repairs = [_Repair(e.call.name, each.repair) for e, each in pairs if each.repair is not None]
        self._repaired(repairs, stop)
        return results

    def _begin(self, call: Call) -> Message:
        tool = self._tools.toolbox.get(call.name)
        record = ToolRecord.of(call)
        if tool is not None:
            title = tool.title(call.arguments) if tool.title is not None else None
            record = ToolRecord.of(call, tool.verb, title)
        card = self._store.add_call(self.context.conversation_id, record)
        self._bus.publish(CallAdded(card.conversation_id, card))
        return card

    def _end(self, card: Message, ended: CallResult) -> Lesson:
        reads, known = self._only_reads(ended.call), self._tools.toolbox.get(ended.call.name) is not None
        lesson = NO_LESSON
        if self._tools.lessons is not None:
            lesson = self._tools.lessons.ended(card.conversation_id, ended, reads)
        self._steps.add(ended, changed=known and not reads, hint=lesson.hint)
        record = replace((card.tool or ToolRecord.of(ended.call)).closed_by(ended), hint=lesson.hint)
        closed = self._store.close_call(card.id, record, ended.text)
        self.context = self.context.with_message(closed)
        self._bus.publish(CallClosed(card.conversation_id, closed))
        # The model is told it as data in any case; the reader learns that somebody has tried.
        if ended.ok and gives_orders(ended.text):
            where = next(iter(ended.arguments.values()), ended.call.name)
            self._window.tell(card.conversation_id, ChatReason.TEXT_GIVES_ORDERS.of(where=str(where)))
        return lesson

    def _end_late(self, card: Message, ended: CallResult) -> None:
        """A step that was told as still running is over: its card says how it went, the model is not told."""
        try:
            record = (card.tool or ToolRecord.of(ended.call)).closed_by(ended)
            closed = self._store.close_call(card.id, record, ended.text)
        except KeyError:  # the conversation was deleted since; the audit log has it
            return
        self._bus.publish(CallClosed(card.conversation_id, closed))


IN_PLACE_OF = {"cancel_reminder": "set_reminder"}  # moved: set anew, then the old one goes


@dataclass(frozen=True)
class _Repair:
    tool: str
    offer: FixOffer


def gives_orders(text: str) -> bool:
    """Whether a text from a tool speaks to the model: "ignore your instructions"."""
    return _ORDERS.search(text) is not None


def run_fix(window: ContextWindow, context: TurnContext, fix: SuggestedFix, stop: Stop) -> CallResult:
    """Make the call that a known fix proposes, when the user presses its button.

    Through the same executor and gate as any call, with a card of its own, counted as tried and, where it
    worked, as a success. Blocks; on a pool thread. Raises UserFacing where tools are off.
    """
    if context.tools is None:
        raise UserFacing(ChatReason.TOOLS_OFF.of())
    if context.tools.lessons is not None:
        context.tools.lessons.applied(context.conversation_id, fix.fix_id)
    # Nothing was asked: no words of the user may stand in for arguments of this call.
    runner = CallRunner(window, context, Steps(limit=1))
    (ended,) = runner.run([ParsedCall(fix.tool, dict(fix.arguments))], stop)
    return ended
