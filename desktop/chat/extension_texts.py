"""What extensions make of questions and answers: kept beside them, and never in their place.

A question is changed before the rules and the model see it; its own words stay in the conversation. Of an
answer only what is shown can change: the model's words go to the disk as they come, and a thread beside the
turn puts each paragraph that is whole through the extensions. So whatever an extension does, an answer is
neither later nor another one; and since the model is told its own words again, the saved prefix holds.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog

from desktop.chat.events import (
    AnswerGrew,
    CallClosed,
    SaidBeforeCall,
    TextsChanged,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from desktop.chat.messages import ExtensionText, Message, Role
from desktop.chat.store import ChatStore
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.extensions.chain import About, Chain
from desktop.extensions.manifest import ToolDeclaration, ToolParameter
from desktop.extensions.process import CallFailed
from desktop.extensions.reasons import ExtensionReason
from desktop.extensions.registry import Extension
from desktop.gate.verdict import Effect, Flag
from desktop.tools.tool import Parameter, ParameterType, Plan, Tool

log = structlog.get_logger(__name__)

_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_SPACE_AROUND = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)


def changed_request(
    chain: Chain, question: Message, tools: Sequence[str] = (), is_quick: bool = False
) -> ExtensionText | None:
    """What the model is to be told in place of a question; None where nobody changes it."""
    from desktop.extensions.chain import About
    from desktop.extensions.manifest import Hook

    about = About(question.conversation_id, tuple(tools), is_quick)
    made = chain.run(Hook.INPUT, question.text, about)
    # A question cannot be taken away: an empty one would let the model answer what nobody asked.
    if not made.by or not made.text.strip():
        return None
    return ExtensionText(made.text, made.by)


def closed_units(text: str, tags: Sequence[str]) -> Iterator[str]:
    """The paragraphs at the beginning of `text` that are whole, with the empty lines after them.

    A block of code is one with what stands around it, and so is a tag with all that is inside.
    """
    begin = at = 0
    in_code = False
    for line in text.splitlines(keepends=True):
        # The last line may go on.
        if not line.endswith("\n"):
            return
        at += len(line)
        if _FENCE.match(line):
            in_code = not in_code
        is_open = in_code or _open_tag(text[begin:at], tags)
        if not line.strip() and not is_open and text[begin:at].strip():
            yield text[begin:at]
            begin = at


def _open_tag(text: str, tags: Sequence[str]) -> bool:
    return any(text.count(f"<{tag}>") > text.count(f"</{tag}>") for tag in tags)


@dataclass
class _Answer:
    """One that is growing. `shown` stands for the first `upto` characters of `raw`."""

    message: Message
    about: About
    raw: str = ""
    shown: str = ""
    upto: int = 0
    by: tuple[str, ...] = ()


@dataclass
class _Rewriting:
    """Paragraph by paragraph; on the rewriter's thread."""

    chain: Chain
    tags: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.tags = tuple(sorted(self.chain.tags()))

    def take(self, answer: _Answer) -> bool:
        """Go on as far as paragraphs are whole; whether anything reads otherwise now."""
        before = answer.by, answer.shown
        for unit in closed_units(answer.raw[answer.upto :], self.tags):
            self._add(answer, unit)
        return bool(answer.by) and (answer.by, answer.shown) != before

    def finish(self, answer: _Answer) -> bool:
        """What is left, and then the whole of it once."""
        from desktop.extensions.manifest import Hook

        self.take(answer)
        if answer.upto < len(answer.raw):
            self._add(answer, answer.raw[answer.upto :])
        if answer.shown.strip():
            made = self.chain.run(Hook.OUTPUT, answer.shown, answer.about)
            answer.shown, answer.by = made.text, (*answer.by, *made.by)
        return bool(answer.by)

    def _add(self, answer: _Answer, unit: str) -> None:
        answer.upto += len(unit)
        answer.shown += self._rewritten(answer, unit)

    def _rewritten(self, answer: _Answer, unit: str) -> str:
        # Code is never touched: whoever copies it wants what the model wrote.
        if any(_FENCE.match(line) for line in unit.splitlines()):
            return unit
        if not self.tags:
            return self._plain(answer, unit)
        names = "|".join(map(re.escape, self.tags))
        parts, at = [], 0
        for found in re.finditer(rf"<({names})>(.*?)</\1>", unit, re.DOTALL):
            drawn = self.chain.draw(found[1], found[2], answer.about)
            if drawn is None:
                continue
            parts += [self._plain(answer, unit[at : found.start()]), drawn.text]
            answer.by = (*answer.by, *drawn.by)
            at = found.end()
        return "".join((*parts, self._plain(answer, unit[at:])))

    def _plain(self, answer: _Answer, text: str) -> str:
        from desktop.extensions.manifest import Hook

        parts = _SPACE_AROUND.fullmatch(text)
        assert parts is not None
        if not parts[2]:
            return text
        made = self.chain.run(Hook.PLAIN, parts[2], answer.about)
        answer.by = (*answer.by, *made.by)
        return parts[1] + made.text + parts[3]


class AnswerRewriter:
    """Follows the answers of one store, and keeps and announces what extensions make of them.

    Its thread begins with the first answer while an extension is on; the turn never waits for it.
    """

    def __init__(self, store: ChatStore, bus: Bus, extensions: Callable[[], Chain | None]) -> None:
        """`extensions` are those that are on; None for none."""
        self._store = store
        self._bus = bus
        self._extensions = extensions
        self._queue: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._following: set[int] = set()  # on the threads of turns
        self._answers: dict[int, _Answer] = {}  # on the thread of the rewriter
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._waiting = 0
        self._thread: threading.Thread | None = None
        kinds = (TurnStarted, AnswerGrew, CallClosed, SaidBeforeCall, TurnEnded, TurnFailed)
        self._unsubscribe = [bus.subscribe(kind, self._hear) for kind in kinds]

    def close(self) -> None:
        """What is under way is finished; nothing is followed afterwards."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def wait(self, timeout_s: float) -> bool:
        """Until everything that was heard is worked off; False where it is not by then."""
        with self._idle:
            return self._idle.wait_for(lambda: self._waiting == 0, timeout_s)

    def _hear(self, event: Event) -> None:
        """On the thread of a turn, which must not wait: it is put aside, and most of it at once forgotten."""
        if isinstance(event, TurnStarted):
            if self._extensions() is None:
                return
            self._following.add(event.answer.id)
        elif isinstance(event, AnswerGrew):
            if event.message_id not in self._following:
                return
        elif isinstance(event, CallClosed):
            if not self._following:
                return
        elif isinstance(event, SaidBeforeCall | TurnEnded | TurnFailed):
            if event.answer.id not in self._following:
                return
            self._following.discard(event.answer.id)
        with self._lock:
            self._waiting += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="extension texts", daemon=True)
                self._thread.start()
        self._queue.put(event)

    def _run(self) -> None:
        while (event := self._queue.get()) is not None:
            try:
                self._take(event)
            # A disk that refuses: the answer is shown as the model wrote it.
            except UserFacing as error:
                log.warning("what an extension made is not kept", reason=str(error))
            except KeyError:  # the conversation was deleted since
                log.info("an answer is gone before extensions were done with it")
            finally:
                with self._idle:
                    self._waiting -= 1
                    self._idle.notify_all()

    def _take(self, event: Event) -> None:
        chain = self._extensions()
        # Switched off in the middle of an answer, whose end nobody waits for then.
        if chain is None:
            self._answers.clear()
            return
        if isinstance(event, TurnStarted):
            self._begin(chain, event.answer)
        elif isinstance(event, AnswerGrew):
            self._grow(chain, event)
        elif isinstance(event, CallClosed):
            self._tell_call(chain, event)
        elif isinstance(event, SaidBeforeCall | TurnEnded | TurnFailed):
            self._end(chain, event.answer)

    def _begin(self, chain: Chain, message: Message) -> None:
        from desktop.extensions.chain import About

        about = About(message.conversation_id)
        # One that is continued has words already.
        self._answers[message.id] = _Answer(message, about, raw=message.text)
        chain.tell("answer-started", {}, about)

    def _grow(self, chain: Chain, event: AnswerGrew) -> None:
        answer = self._answers.get(event.message_id)
        if answer is None:
            return
        # By the place and not by adding: of an answer that goes on, the beginning was read from the store.
        answer.raw = answer.raw[: event.text_at] + event.text
        if _Rewriting(chain).take(answer):
            self._keep(answer)

    def _end(self, chain: Chain, message: Message) -> None:
        answer = self._answers.pop(message.id, None)
        if answer is None:
            return
        # What the turn closed with is the answer, whatever of its pieces was heard.
        answer.raw = message.text
        answer.message = message
        if _Rewriting(chain).finish(answer):
            self._keep(answer)
        facts = {
            "status": message.status.value,
            "model": message.model,
            "tokens": message.answer_tokens,
            "seconds": round(message.total_s, 3),
        }
        chain.tell("answer-ended", facts, answer.about)

    def _tell_call(self, chain: Chain, event: CallClosed) -> None:
        from desktop.extensions.chain import About

        tool = event.message.tool
        assert tool is not None
        ending = tool.ending.value if tool.ending is not None else ""
        facts = {"tool": tool.name, "ending": ending, "seconds": round(tool.seconds, 3)}
        chain.tell("tool-ended", facts, About(event.conversation_id))

    def _keep(self, answer: _Answer) -> None:
        by = tuple(dict.fromkeys(answer.by))
        made = ExtensionText(answer.shown, by, upto=answer.upto)
        assert answer.message.role is Role.ASSISTANT
        message = self._store.set_changed(answer.message, made)
        self._bus.publish(TextsChanged(message.conversation_id, message))


# -- tools of extensions -----------------------------------------------------------------------

# Tools of extensions as tools of the assistant: through the executor, with a result that nobody trusts.
#
# Imported only once an extension is on.


class ExtensionTools:
    """Those of all that are on, made again when that has changed. Thread-safe."""

    def __init__(self, chain: Callable[[], Chain | None]) -> None:
        self._chain = chain
        self._made: tuple[tuple[tuple[Extension, ToolDeclaration], ...], tuple[Tool, ...]] = ((), ())

    def __call__(self) -> tuple[Tool, ...]:
        chain = self._chain()
        declared = chain.tools() if chain is not None else ()
        # Compared by value: the tools stay the same objects, and the model's list the same text.
        known, tools = self._made
        if chain is not None and known != declared:
            tools = tuple(extension_tool(chain, extension, tool) for extension, tool in declared)
            self._made = (declared, tools)
        return tools if declared else ()


def extension_tool(chain: Chain, extension: Extension, declared: ToolDeclaration) -> Tool:
    """One tool. It changes nothing here, so it only reads; where its extension may ask hosts, what the model
    hands it can leave this computer, and the gate decides about that.

    What the question to the user says is ours: of the extension it has the names of both and its hosts.
    """
    # What it was given may leave with its next page, so the gate sees a tool that sends.
    hosts = extension.manifest.permissions.hosts
    flags = frozenset({Flag.SENDS}) if hosts else frozenset()

    def plan(**_arguments: Any) -> Plan:
        says = ExtensionReason.TOOL_WORKS.of(name=extension.id)
        if hosts:
            says = ExtensionReason.TOOL_WORKS_AND_SENDS.of(name=extension.id, hosts=", ".join(hosts))
        return Plan(
            ExtensionReason.ASK_TOOL.of(tool=declared.name, name=extension.id),
            says,
            Effect.READ,
            flags,
            parts=hosts,
            source=f"the extension {extension.id}",
            hosts=hosts,
        )

    def run(**arguments: Any) -> str:
        try:
            return chain.call_tool(extension, declared.name, arguments, About())
        except CallFailed as failed:
            failure = ExtensionReason.TOOL_FAILED.of(name=extension.id, why=failed.reason)
            raise UserFacing(failure) from failed

    return Tool(
        declared.name,
        declared.description,
        tuple(map(_parameter, declared.parameters)),
        run,
        Effect.READ,
        flags,
        plan,
        untrusted_result=True,
    )


def _parameter(declared: ToolParameter) -> Parameter:
    return Parameter(declared.name, ParameterType(declared.kind), declared.required, declared.description)
