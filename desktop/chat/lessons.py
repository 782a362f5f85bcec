"""What is learned from calls: each becomes an event, a failure is looked up, what worked after it is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from desktop.chat.conversation_memory import MemoryProject
from desktop.chat.events import TurnFailed
from desktop.chat.store import Message
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.memory.capture import EventKind, TrajectoryEvent
from desktop.memory.events import FixesFound
from desktop.memory.hindsight.hindsight import FixOffer, SuggestedFix, suggested
from desktop.memory.hindsight.signature import Failure, tag_of
from desktop.memory.memory import Memory
from desktop.settings import MemorySettings
from desktop.tools.calls import CallResult, CallStatus, ToolEnded

log = structlog.get_logger(__name__)
LINES = 12  # of a command's output: what went wrong stands at its end
_NOT_ITS_FAULT = frozenset(
    {CallStatus.DENIED, CallStatus.STOPPED, CallStatus.STILL_RUNNING, CallStatus.UNKNOWN_TOOL}
)


@dataclass(frozen=True)
class Lesson:
    """What is known about a call that failed: a line for the model's next try, and, for a tool that only
    reads, the arguments to try at once.
    """

    hint: str = ""
    repair: FixOffer | None = None


NO_LESSON = Lesson()


class Lessons:
    """For all calls of the assistant's own tools. `ended` writes to the disk: on the threads of turns."""

    def __init__(
        self,
        memory: Memory,
        bus: Bus,
        settings: Callable[[], MemorySettings],
        project: Callable[[], MemoryProject] = MemoryProject,
    ) -> None:
        self._memory = memory
        self._bus = bus
        self._settings = settings
        self._project = project
        bus.subscribe(ToolEnded, self._on_tool_ended)
        bus.subscribe(TurnFailed, self._on_turn_failed)

    def ended(self, conversation_id: int, ended: CallResult, only_reads: bool) -> Lesson:
        """Learn from a call, and say what is known of its failure."""
        settings = self._settings()
        if not settings.enabled or settings.paused:
            return NO_LESSON
        try:
            # What worked after a failure in the same conversation is kept as its fix.
            if ended.reached_its_goal:
                self._memory.hindsight.worked(
                    ended.call.name, _arguments(ended), str(conversation_id), self._scope
                )
                return NO_LESSON
            return self._looked_up(conversation_id, ended, only_reads)
        # The call has ended well or badly by itself; learning from it must not change that.
        except UserFacing as error:
            log.warning("nothing was learned from a call", reason=str(error))
            return NO_LESSON

    def known(self, message: Message) -> SuggestedFix | None:
        """The fix for a card that was written earlier, without counting the failure again."""
        record = message.tool
        if record is None or record.ending is None:
            return None
        failure = Failure(
            record.name,
            "\n".join(message.text.splitlines()[-LINES:]),
            "" if record.ending is CallStatus.DONE else record.ending.value,
            record.arguments,
            str(message.conversation_id),
            self._scope,
        )
        return suggested(self._memory.hindsight.lookup(failure))

    def applied(self, conversation_id: int, fix_id: int) -> None:
        """The user pressed the button of an offer, or it is tried by itself."""
        self._memory.hindsight.applied(fix_id, str(conversation_id))

    @property
    def _scope(self) -> str:
        project = self._project()
        return project.folder if project.chosen else ""

    def _looked_up(self, conversation_id: int, ended: CallResult, only_reads: bool) -> Lesson:
        # A refusal or a stop says nothing about the call.
        if ended.ending in _NOT_ITS_FAULT:
            return NO_LESSON
        failure = Failure(
            ended.call.name,
            error_of(ended),
            "" if ended.ok else ended.ending.value,
            _arguments(ended),
            str(conversation_id),
            self._scope,
        )
        offers = self._memory.hindsight.failed(failure)
        if not offers:
            return NO_LESSON
        repair = next((offer for offer in offers if _repairs(offer, ended, only_reads)), None)
        self._bus.publish(FixesFound(conversation_id, ended.call.id, offers, repair))
        return Lesson(offers[0].fix.for_retry(), repair)

    def _on_tool_ended(self, event: ToolEnded) -> None:
        self._memory.capture.capture(event_of(event, self._scope))

    def _on_turn_failed(self, event: TurnFailed) -> None:
        self._memory.capture.capture(
            TrajectoryEvent(
                tool="answer",
                ok=False,
                what=EventKind.ERROR,
                error=event.error.cause,
                error_class=event.error.code,
                session=str(event.conversation_id),
                project=self._scope,
            )
        )


def event_of(event: ToolEnded, project: str) -> TrajectoryEvent:
    """A call as it is kept: what it was called with and whether it worked, not what it gave back."""
    ended, arguments = event.ended, _arguments(event.ended)
    good, tag = ended.reached_its_goal, tag_of(arguments)
    return TrajectoryEvent(
        tool=ended.call.name,
        ok=good,
        what=EventKind.COMMAND if "command" in arguments else EventKind.TOOL,
        arguments=arguments,
        seconds=ended.seconds,
        tags=(tag,) if tag else (),
        error="" if good else error_of(ended),
        error_class="" if good else _class_of(ended),
        session=str(event.conversation_id),
        project=project,
    )


def error_of(ended: CallResult) -> str:
    """What went wrong, of a long output its end."""
    return "\n".join(ended.text.splitlines()[-LINES:])


def _class_of(ended: CallResult) -> str:
    return f"exit code {ended.exit_code}" if ended.ok else ended.ending.value


def _arguments(ended: CallResult) -> Mapping[str, Any]:
    return ended.arguments or ended.call.arguments


def _repairs(offer: FixOffer, ended: CallResult, only_reads: bool) -> bool:
    """Only other arguments, of a tool that changes nothing, from a fix that has proven itself."""
    if offer.arguments is None or dict(offer.arguments) == dict(_arguments(ended)):
        return False
    # A command is never repeated by itself, however often it has worked.
    return "command" not in offer.arguments and offer.fix.may_apply_itself(only_reads)
