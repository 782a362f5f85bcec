"""The first time that a model file is loaded, it is loaded where it can do no harm.

llama.cpp reads model files in native code. A file that passes every check of `models.gguf` can still abort
it, or keep it writing for ever, and the whole program with it. So a file whose content nobody has published
is loaded once in a child, which also renders its chat template and computes one token. That is remembered for
exactly this file; another size or time makes it a new one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import structlog

from desktop import __version__
from desktop.engine.inference import ContextShape, Decoded, InferenceError, TextOrigin
from desktop.engine.reasons import EngineReason
from desktop.errors import UserFacing
from desktop.models.gguf import read_facts
from desktop.models.heads import ConfinedHeads
from desktop.paths import write_atomically
from desktop.sandbox.parser import ParseFailed, ParseFailure, Parser, ParserLimits
from desktop.sandbox.parser_child import ParseRefused
from desktop.state_file import read_object

log = structlog.get_logger(__name__)

FUNCTION = "desktop.engine.trial_load:load_once"
KEPT = 200  # files that are remembered
BASE_S = 120.0
SLOWEST_BYTES_PER_S = 20_000_000  # of a disk
# Of processor, beside what starting takes. A file of 98 MB with 49,152 tokens took 0.8 s with all imports,
# one of 1.1 GB with 151,936 tokens 3.3: twelve times as much is for larger vocabularies and slow computers.
BASE_PROCESSOR_S = 8.0
PROCESSOR_BYTES_PER_S = 50_000_000
BASE_BYTES = 6_000_000_000  # addresses, not memory: threads and libraries reserve many
CELLS = 256
# Every byte that UTF-8 has, in some character: a vocabulary that lacks one can end whoever asks for it, and
# one whose pieces don't begin with whole pieces is read for ever.
EVERY_BYTE = [
    *range(1, 0x800),
    *range(0x800, 0xD800, 0x800),
    *range(0xE000, 0x10000, 0x800),
    *range(0x10000, 0x110000, 0x8000),
]
PART = 64  # characters that are tokenized together: what stops at the first one would hide the others


class TrialLoad:
    """Engine thread."""

    def __init__(self, file: Path, parser: Parser, is_published: Callable[[Path], bool]) -> None:
        """`file` remembers what went well. `is_published` tells of a model file whether its content has the
        hash that its publisher states."""
        self._file = file
        self._parser = parser
        self._is_published = is_published

    def check(self, path: Path) -> None:
        """Return when `path` may be loaded here. Blocks as long as loading it takes, the first time.

        Raises UserFacing for a head that is refused and for a file that ended its child, InferenceError where
        llama.cpp refused it.
        """
        if self._is_published(path):
            return
        try:
            found = path.stat()
        except OSError:
            read_facts(path)  # which says it in a sentence
            raise
        # Of exactly this file and this version: another may be read by other code.
        key, known = f"{path} {found.st_size} {found.st_mtime_ns} {__version__}", self._read()
        if key in known:
            return
        ConfinedHeads(self._parser).read(path)
        log.info("a model file is tried in a process of its own", file=path.name)
        try:
            self._parser.parse(FUNCTION, path, limits=_limits(found.st_size))
        except ParseFailed as failed:
            if failed.failure is ParseFailure.REFUSED:
                raise InferenceError(failed.reason) from failed
            raise _unsafe(path, failed.failure) from failed
        self._write([*known, key][-KEPT:])

    def _read(self) -> list[str]:
        """Each file is tried once more where the list is damaged."""
        known = read_object(self._file, "The list of tried models").get("tried")
        return [each for each in known if isinstance(each, str)] if isinstance(known, list) else []

    def _write(self, known: list[str]) -> None:
        try:
            write_atomically(self._file, json.dumps({"tried": known}).encode())
        except OSError as error:  # a full disk must not keep the model from loading
            log.warning("the list of tried models is not kept", reason=str(error))


def _limits(size_bytes: int) -> ParserLimits:
    """Of processor time above all: a good file under a heavy load needs long, one without an end computes."""
    return ParserLimits(
        time_s=BASE_S + size_bytes / SLOWEST_BYTES_PER_S,
        processor_s=BASE_PROCESSOR_S + size_bytes / PROCESSOR_BYTES_PER_S,
        memory_bytes=BASE_BYTES + 3 * size_bytes,
        result_bytes=10_000,
    )


def load_once(source: Path) -> str:
    """Runs in the child of `desktop.sandbox.parser`. Raises Refused with what llama.cpp says of the file."""
    from desktop.engine.chat_template import ChatTemplate
    from desktop.engine.llama import LlamaBackend

    try:
        model = LlamaBackend().load(source, 0, lambda _fraction: True)
        ChatTemplate(model.chat_template, "", model.begin_text, model.end_text, model.control_texts).try_out()
        context = model.new_context(ContextShape(CELLS, 1, CELLS, 1, 1))
        begin = [] if model.begin_token is None else [model.begin_token]
        words = model.tokenize("hello", TextOrigin.FOREIGN, at_start=not begin)
        if not words:
            raise ParseRefused("it knows no word of any text")
        for place in range(0, len(EVERY_BYTE), PART):
            part = "".join(map(chr, EVERY_BYTE[place : place + PART]))
            model.tokenize(part, TextOrigin.FOREIGN, at_start=not begin)
        tokens = [*begin, *words]
        if context.decode(tokens, 0, 0) is not Decoded.DONE:
            raise ParseRefused("it computes nothing")
        first = context.logits([0])[0]
    except (InferenceError, UserFacing) as error:
        raise ParseRefused(error.cause if isinstance(error, UserFacing) else str(error)) from error
    # Not a number: the weights are damaged in a way that no check of the file can see.
    if first != first:
        raise ParseRefused("it computes no numbers")
    return "done"


def _unsafe(path: Path, failure: ParseFailure) -> UserFacing:
    reasons = {
        ParseFailure.TOO_SLOW: EngineReason.ENDLESS,
        ParseFailure.TOO_LARGE: EngineReason.CRASHED,
    }
    reason = reasons.get(failure, EngineReason.FAILED_THERE).of()
    return UserFacing(EngineReason.MODEL_UNSAFE.of(name=path.name, reason=reason))
