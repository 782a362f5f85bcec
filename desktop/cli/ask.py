"""`steward ask`: one question, one answer, nothing kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path

from desktop.app import Services
from desktop.asking import ALLOWED_ONCE, DENIED, Answer, NetworkUse, Question, Risk
from desktop.chat.conversation_memory import MemoryBlock, MemoryUsed
from desktop.chat.events import AnswerGrew, TurnFailed
from desktop.chat.store import ChatStore, Message, MessageStatus
from desktop.cli.forgotten import forgotten_store
from desktop.engine.engine import start_thread
from desktop.engine.events import GenerationFinished
from desktop.engine.requests import FinishReason, Metrics
from desktop.errors import UserFacing
from desktop.tools.calls import Ended, ToolEnded


class Allow(StrEnum):
    """What is done without a person to ask."""

    NONE = "none"
    READ = "read"  # also outside the workspace
    WORKSPACE = "workspace"  # also changes inside it


def read_question(words: list[str], prompt_file: Path | None) -> str:
    """The question from the arguments, a file or a pipe, joined in that order."""
    parts = [" ".join(words)]
    if prompt_file is not None:
        parts.append(_file_text(prompt_file))
    if not sys.stdin.isatty() and (not words or prompt_file is None):
        parts.append(_piped())
    question = "\n\n".join(part for part in parts if part.strip())
    if not question:
        raise UserFacing("There is no question.", "", 'Try: steward ask "Why is the sky blue?"', code="usage")
    return question


def ask(
    core: Services,
    question: str,
    model: str | None,
    as_json: bool,
    allow: Allow = Allow.NONE,
    remembers: bool = True,
) -> int:
    """Print the answer as it comes, or at the end as JSON with its calls and figures. What is remembered is
    used unless `remembers` is false; of the question nothing is kept but what it asks to remember.
    """
    core.asker = AllowAsker(allow)
    with running_engine(core, model), forgotten_store() as store:
        asked = _Asked(core, store, show=not as_json, remembers=remembers)
        answer = asked.run(question)
        if as_json:
            asked.print_json(answer)
    return 0


class AllowAsker:
    """Answers for the user as the command line says."""

    def __init__(self, allow: Allow) -> None:
        self._allow = allow

    def ask(self, question: Question) -> Answer:
        reads = question.risk is Risk.READS and question.network in (None, NetworkUse.CANNOT)
        changes = question.risk in (Risk.CHANGES, Risk.DELETES) and not question.outside
        if (reads and self._allow is not Allow.NONE) or (changes and self._allow is Allow.WORKSPACE):
            return ALLOWED_ONCE
        return DENIED


@contextmanager
def running_engine(core: Services, model: str | None) -> Iterator[None]:
    """The engine on a plain thread, with the wanted model chosen."""
    from desktop.cli.models import chosen

    core.engine.use(chosen(core, model), insist=model is not None)
    thread = start_thread(core.engine)
    try:
        yield
    finally:
        core.engine.close()
        thread.join()


class _Asked:
    """One turn, watched."""

    def __init__(self, core: Services, store: ChatStore, show: bool, remembers: bool) -> None:
        self._core = core
        self._turns = core.turns_for(store, remembers)
        self._memory: MemoryBlock | None = None
        core.bus.subscribe(MemoryUsed, self._on_memory_used)
        self._conversation_id = store.create().id
        self._show = show
        self._metrics = Metrics()
        self._calls: list[Ended] = []
        self._error: UserFacing | None = None
        core.bus.subscribe(AnswerGrew, self._on_grew)
        core.bus.subscribe(GenerationFinished, self._on_finished)
        core.bus.subscribe(ToolEnded, self._on_tool_ended)
        core.bus.subscribe(TurnFailed, self._on_failed)

    def run(self, question: str) -> Message:
        """Raises UserFacing when there is no answer. Ctrl+C stops the turn and is raised again."""
        with ThreadPoolExecutor(1, thread_name_prefix="turn") as pool:
            turn = pool.submit(self._turns.run, self._conversation_id, question)
            try:
                answer = turn.result()
            except KeyboardInterrupt:
                self._turns.stop(self._conversation_id)
                raise
        if self._error is not None:
            raise self._error
        if self._show:
            sys.stdout.write("\n")
        return answer

    def print_json(self, answer: Message) -> None:
        found = {
            "answer": answer.text,
            "thinking": answer.thinking,
            "finish": _FINISH.get(answer.status, answer.status.value),
            "model": self._core.engine.status.model_id,
            "notice": str(self._core.engine.status.notice or ""),
            "calls": [_call(ended) for ended in self._calls],
            "memory": _remembered(self._memory),
            "seconds": round(answer.total_s, 3),
            "metrics": {**asdict(self._metrics), "tokens_per_s": self._metrics.tokens_per_s},
        }
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=2) + "\n")

    # -- events, on the thread of the turn or of the engine -----------------------------------

    def _on_grew(self, event: AnswerGrew) -> None:
        if self._show:
            sys.stdout.write(event.text)
            sys.stdout.flush()

    def _on_finished(self, event: GenerationFinished) -> None:
        self._metrics = event.metrics

    def _on_tool_ended(self, event: ToolEnded) -> None:
        self._calls.append(event.ended)
        sign = "✓" if event.ended.ok else "✗"
        if self._show:
            sys.stderr.write(f"{sign} {event.ended.call.name} · {event.ended.seconds:.1f} s\n")

    def _on_memory_used(self, event: MemoryUsed) -> None:
        self._memory = event.block

    def _on_failed(self, event: TurnFailed) -> None:
        self._error = event.error


_FINISH = {
    MessageStatus.COMPLETE: FinishReason.STOP.value,
    MessageStatus.STOPPED: FinishReason.CANCELLED.value,
    MessageStatus.CONTEXT_FULL: FinishReason.CONTEXT_FULL.value,
    MessageStatus.REPEATED: FinishReason.REPEATED.value,
}


def _remembered(block: MemoryBlock | None) -> dict[str, object]:
    if block is None:
        return {"ids": [], "tokens": 0, "text": ""}
    return {"ids": [item.id for item in block.items], "tokens": block.tokens, "text": block.text}


def _call(ended: Ended) -> dict[str, object]:
    return {
        "name": ended.call.name,
        "arguments": dict(ended.arguments) or dict(ended.call.arguments),
        "result": ended.text,
        "ending": ended.ending.value,
        "decision": ended.decision,
        "seconds": round(ended.seconds, 3),
    }


def _file_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserFacing(
            f"The file {path} could not be read ({error}).", "", "Give a text file in UTF-8.", code="usage"
        ) from error


def _piped() -> str:
    return sys.stdin.buffer.read().decode("utf-8", errors="replace")
