"""`steward chat`: a conversation in the terminal."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from desktop.app import Services
from desktop.chat.events import AnswerGrew, NoticeAdded, TurnFailed
from desktop.chat.export_import import SessionFile
from desktop.chat.store import ChatStore, Message, MessageStatus
from desktop.cli.ask import running_engine
from desktop.cli.forgotten import forgotten_store
from desktop.engine.events import ModelFailed, ModelLoaded, ModelLoading, banner

LEAVE = frozenset({"quit", "exit", "/quit", "/exit"})
CLEAR = frozenset({"clear", "/clear"})

# While an answer streams the session file is written at most this often.
SAVE_INTERVAL_S = 1.0

_ENDINGS = {
    MessageStatus.STOPPED: "stopped",
    MessageStatus.LENGTH: "stopped at the length limit",
    MessageStatus.CONTEXT_FULL: "stopped because the context is full",
}


def chat(core: Services, session: Path | None, model: str | None, remembers: bool = True) -> int:
    """Read questions until `quit`, `exit` or the end of input; `clear` starts anew. `remembers`: what is
    remembered is used.
    """
    with running_engine(core, model), _store(core, session) as store:
        Terminal(core, store, SessionFile(session) if session else None, remembers).run()
    return 0


@contextmanager
def _store(core: Services, session: Path | None) -> Iterator[ChatStore]:
    """The user's own history or, with a session file, a store that lives as long as the chat."""
    if session is None:
        yield core.store
        return
    with forgotten_store() as store:
        yield store


class Terminal:
    """Questions in, answers out. `run` is called on the main thread; turns run on one other."""

    def __init__(
        self, core: Services, store: ChatStore, session: SessionFile | None, remembers: bool = True
    ) -> None:
        self._core = core
        self._store = store
        self._session = session
        self._turns = core.turns_for(store, remembers)
        self._conversation_id = store.create().id
        self._saved_s = 0.0
        self._interactive = sys.stdin.isatty()
        self._settled = threading.Event()  # the model is loaded, or will not be

    def run(self) -> None:
        if self._session is not None:
            count = self._session.load_into(self._store, self._conversation_id)
            self._say(f"{count} earlier messages." if count else "A new session.")
        self._listen()
        self._core.engine.preload()
        if self._interactive:
            self._settled.wait()  # the prompt would be overwritten by the news of loading
        with ThreadPoolExecutor(1, thread_name_prefix="turn") as pool:
            for question in self._questions():
                self._answer(pool.submit(self._turns.run, self._conversation_id, question))

    def _listen(self) -> None:
        subscribe = self._core.bus.subscribe
        subscribe(ModelLoading, self._on_loading)
        subscribe(ModelLoaded, self._on_loaded)
        subscribe(ModelFailed, self._on_load_failed)
        subscribe(AnswerGrew, self._on_answer_grew)
        subscribe(NoticeAdded, lambda event: self._say(event.notice.text))
        subscribe(TurnFailed, lambda event: self._say(str(event.error)))

    def _questions(self) -> Iterator[str]:
        if self._interactive:
            self._say("Type a question. clear starts anew, quit ends, Ctrl+C stops an answer.\n")
            _enable_line_editing()
        while (line := self._read_line()) is not None:
            text = line.strip()
            if text.lower() in LEAVE:
                return
            if text.lower() in CLEAR:
                self._clear()
            elif text:
                yield text

    def _read_line(self) -> str | None:
        try:
            return input("\n> " if self._interactive else "")
        except (EOFError, KeyboardInterrupt):
            return None

    def _clear(self) -> None:
        self._conversation_id = self._store.create().id
        self._save()
        self._say("A new conversation.")

    def _answer(self, turn: Future[Message]) -> None:
        answer = self._wait(turn)
        self._save()
        sys.stdout.write("\n")
        sys.stdout.flush()
        if answer.status is not MessageStatus.FAILED:
            self._say(figures(answer))

    def _wait(self, turn: Future[Message]) -> Message:
        while True:
            try:
                return turn.result()
            except KeyboardInterrupt:
                self._turns.stop(self._conversation_id)

    # -- events, on the thread of the turn or of the engine -----------------------------------

    def _on_answer_grew(self, event: AnswerGrew) -> None:
        sys.stdout.write(event.text)
        sys.stdout.flush()
        if time.monotonic() - self._saved_s > SAVE_INTERVAL_S:
            self._save()

    def _on_loading(self, event: ModelLoading) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\rLoading model {event.fraction:4.0%} ")

    def _on_loaded(self, event: ModelLoaded) -> None:
        model = self._core.library.get(event.status.model_id)
        line = banner(event.status, model) if model else event.status.model_name
        self._say(("\r" if sys.stderr.isatty() else "") + line)
        if event.notice:
            self._say(str(event.notice))
        self._settled.set()

    def _on_load_failed(self, event: ModelFailed) -> None:
        if not self._settled.is_set():
            self._say(str(event.error))
        self._settled.set()

    def _save(self) -> None:
        if self._session is not None:
            self._saved_s = time.monotonic()
            self._session.save(self._store.messages(self._conversation_id, limit=None))

    def _say(self, text: str) -> None:
        """Everything but the answer goes to stderr, so that a pipe gets the answers alone."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def figures(answer: Message) -> str:
    """The line after an answer."""
    ending = _ENDINGS.get(answer.status, "")
    line = f"{answer.answer_tokens} tokens · {answer.tokens_per_s:.1f} tok/s · {answer.total_s:.1f} seconds"
    return f"{line} · {ending}" if ending else line


def _enable_line_editing() -> None:
    """Give input() history and editing, where Python has readline."""
    if importlib.util.find_spec("readline"):
        importlib.import_module("readline")
