"""`steward ask`: one question, one answer, nothing kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from desktop.app import Core
from desktop.chat.prompts import default_system_prompt
from desktop.chat.thinking import ThinkingSplitter
from desktop.chat.turn import sampling
from desktop.engine.engine import start_thread
from desktop.engine.requests import GenerateRequest, Message
from desktop.engine.stream import Stream
from desktop.errors import UserFacing


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


def ask(core: Core, question: str, model: str | None, as_json: bool) -> int:
    """Print the answer as it comes, or at the end as JSON with its figures."""
    with running_engine(core, model):
        system = core.settings.current.chat.system_prompt or default_system_prompt()
        request = GenerateRequest(
            conversation="ask",
            messages=(Message("system", system), Message("user", question)),
            sampling=sampling(core.settings.current.model),
        )
        stream = core.engine.submit(request)
        text, thinking = _read(stream, show=not as_json)
        if as_json:
            _print_json(core, stream, text, thinking)
    return 0


@contextmanager
def running_engine(core: Core, model: str | None) -> Iterator[None]:
    """The engine on a plain thread, with the wanted model chosen."""
    from desktop.cli.models import chosen

    core.engine.use(chosen(core, model), insist=model is not None)
    thread = start_thread(core.engine)
    try:
        yield
    finally:
        core.engine.close()
        thread.join()


def _read(stream: Stream, show: bool) -> tuple[str, str]:
    splitter = ThinkingSplitter()
    text = thinking = ""
    try:
        for piece in stream:
            split = splitter.feed(piece)
            text, thinking = text + split.text, thinking + split.thinking
            _show(split.text, show)
    except KeyboardInterrupt:
        stream.cancel()
        raise
    last = splitter.finish()
    _show(last.text + "\n", show)
    return text + last.text, thinking + last.thinking


def _show(text: str, show: bool) -> None:
    if show:
        sys.stdout.write(text)
        sys.stdout.flush()


def _print_json(core: Core, stream: Stream, text: str, thinking: str) -> None:
    status = core.engine.status
    answer = {
        "answer": text,
        "thinking": thinking,
        "finish": stream.finish,
        "model": status.model_id,
        "metrics": {**asdict(stream.metrics), "tokens_per_s": stream.metrics.tokens_per_s},
    }
    sys.stdout.write(json.dumps(answer, ensure_ascii=False, indent=2) + "\n")


def _file_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserFacing(
            f"The file {path} could not be read ({error}).", "", "Give a text file in UTF-8.", code="usage"
        ) from error


def _piped() -> str:
    return sys.stdin.buffer.read().decode("utf-8", errors="replace")
