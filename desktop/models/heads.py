"""The heads of model files of strangers, read by a confined child of `sandbox.parser`.

`models.gguf` bounds every count, but not their product: a file without data on the disk can list thousands
of arrays of millions of empty texts, and reading past them takes hours. So what came from somewhere is read
where it can be ended: one child for all the files of a folder.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from desktop.errors import UserFacing
from desktop.models.gguf import GgufFacts, model_refused
from desktop.models.reasons import ModelReason
from desktop.reasons import Reason, reason_from_json
from desktop.sandbox.parser import ParseFailed, ParseFailure, Parser, ParserLimits

CHILD = "desktop.models.gguf:read_in_child"
LIMITS = ParserLimits(time_s=15.0, memory_bytes=1_000_000_000, result_bytes=16_000_000)
_FACTS = TypeAdapter(GgufFacts)


class ConfinedHeads:
    """Blocks; never on the main thread."""

    def __init__(self, parser: Parser, limits: ParserLimits = LIMITS) -> None:
        """`limits` are of one file."""
        self._parser = parser
        self._limits = limits

    def read(self, path: Path) -> GgufFacts:
        """As `gguf.read_facts`, and raises what it raises; a head that has no end is refused, too."""
        try:
            return self._read([path])[0]
        except ParseFailed as failed:
            raise _refused(path, failed) from failed

    def read_all(self, paths: Sequence[Path]) -> dict[Path, GgufFacts | UserFacing]:
        """The facts of each file, or why it has none."""
        try:
            return dict(zip(paths, self._read(paths), strict=True)) if paths else {}
        except (ParseFailed, UserFacing):
            # One of them is refused, or has ended the child: which one shows when each has its own.
            return {path: self._read_or_refuse(path) for path in paths}

    def _read_or_refuse(self, path: Path) -> GgufFacts | UserFacing:
        try:
            return self.read(path)
        except UserFacing as error:
            return error

    def _read(self, paths: Sequence[Path]) -> list[GgufFacts]:
        options = {"files": [str(path.absolute()) for path in paths]}
        said = self._parser.parse(CHILD, paths[0].absolute(), options, self._limits)
        try:
            facts = [_FACTS.validate_json(json.dumps(each), strict=True) for each in said]
        except (TypeError, ValidationError) as error:
            raise ParseFailed(ParseFailure.BROKEN) from error
        if len(facts) != len(paths):
            raise ParseFailed(ParseFailure.BROKEN)
        return facts


def _refused(path: Path, failed: ParseFailed) -> UserFacing:
    if failed.failure is ParseFailure.REFUSED and (reason := _reason(failed.reason)) is not None:
        return UserFacing(reason)
    costly = failed.failure in (ParseFailure.TOO_SLOW, ParseFailure.TOO_LARGE)
    why = ModelReason.HEAD_TOO_COSTLY if costly else ModelReason.HEAD_UNREADABLE
    return model_refused(path, why.of())


def _reason(text: str) -> Reason | None:
    """The reason that was handed over; None for what is no sentence of this room."""
    try:
        reason = reason_from_json(json.loads(text))
    except (ValueError, RecursionError):
        return None
    return reason if reason is not None and isinstance(reason.code, ModelReason) else None
