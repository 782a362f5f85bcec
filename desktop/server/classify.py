"""`POST /api/classify`: what a command line would do. It allows nothing; it only says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from aiohttp import web
from pydantic import ValidationError
from pydantic_core import from_json

from desktop.gate.verdict import Verdict
from desktop.server.auth import BUSY, Refusal, problem
from desktop.server.connection import read_body
from desktop.server.held_calls import HELD, HeldCalls, TooManyHeld, held
from desktop.server.metrics import Metrics
from desktop.server.openapi import (
    CLASS_NAMES,
    FOUR_WORDS,
    LONGEST_TIMEOUT_MS,
    Answered,
    Classified,
    ClassifiedMany,
    ClassifyMany,
    ClassifyOne,
    CommandLine,
    JudgeOpinion,
)

if TYPE_CHECKING:
    from desktop.gate.commands import Commands, Judged

MOST_AT_ONCE = 8  # requests that wait; hooks must find threads too
NO_OPINION = "; no model gave an opinion within the time-out of {} ms"
NO_JUDGE = "; the judge was not asked, since the batch took too long"
BREATH_S = 0.0001  # between the lines of a batch: hooks that came meanwhile get the interpreter
LONGEST_BATCH_S = 30.0  # of waiting for the judge; later lines go without it


class ClassifyRoute:
    """Answers the route. Loop thread; what may wait, and a batch, goes to a held-call thread."""

    def __init__(self, commands: Commands, calls: HeldCalls, metrics: Metrics) -> None:
        self._commands = commands
        self._calls = calls
        self._metrics = metrics
        self._waiting = 0

    async def answer(self, request: web.Request) -> web.Response:
        try:
            asked = read(await read_body(request))
        except NotUnderstood as error:
            return problem(Refusal(400, str(error), "See /openapi.json for the form of a request."))
        batch = _Batch(asked)
        if isinstance(asked, ClassifyOne):
            verdict = self._commands.verdict(asked.command, asked.shell, asked.cwd)
            if not verdict.unknown_program:  # nothing is left to ask the judge about
                return as_json(self._counted(classified(asked.command, verdict)))
            batch.tier = verdict.tier
        # Hooks of agents wait on the same threads and go first.
        if self._waiting >= MOST_AT_ONCE:
            return problem(BUSY)
        return await self._waited(request, batch)

    async def _waited(self, request: web.Request, batch: _Batch) -> web.Response:
        request[HELD] = True
        self._waiting += 1
        try:
            return _json(await held(self._calls, lambda: written(self._all(batch))))
        except TooManyHeld:
            return problem(BUSY)
        finally:
            self._waiting -= 1
            batch.gone = True

    def _all(self, batch: _Batch) -> Classified | ClassifiedMany:
        started_s = time.perf_counter()
        results = []
        for line in batch.lines():
            results.append(self._judged(line, batch))
            # Classifying holds the interpreter; a hook that came meanwhile must not wait for the batch.
            time.sleep(BREATH_S)
        if batch.is_one:
            return results[0]
        return ClassifiedMany(results=results, ms=round((time.perf_counter() - started_s) * 1000, 3))

    def _judged(self, line: CommandLine, batch: _Batch) -> Classified:
        if batch.judge_is_late():
            verdict = self._commands.verdict(line.command, line.shell, line.cwd)
            note = NO_JUDGE if verdict.unknown_program else ""
            return self._counted(classified(line.command, verdict, note))
        judged = self._commands.judged(line.command, line.shell, line.cwd, batch.timeout_ms)
        found = with_opinion(line.command, judged, batch.timeout_ms)
        return self._counted(found.model_copy(update={"tier": max(found.tier, batch.tier)}))

    def _counted(self, found: Classified) -> Classified:
        self._metrics.verdict("api", found.class_name, found.tier, found.ms / 1000)
        return found


class _Batch:
    """One request's command lines; `gone` is set when nobody waits for the rest any more."""

    def __init__(self, asked: ClassifyOne | ClassifyMany) -> None:
        self._asked = asked
        self._started_s = time.monotonic()
        self.is_one = isinstance(asked, ClassifyOne)
        wanted_ms = asked.inference_timeout_ms
        self.timeout_ms = None if wanted_ms is None else min(wanted_ms, LONGEST_TIMEOUT_MS)
        self.tier = 0  # at which a single line was found out before, and is remembered now
        self.gone = False

    def lines(self) -> Iterator[CommandLine]:
        commands = [self._asked] if isinstance(self._asked, ClassifyOne) else self._asked.commands
        for each in commands:
            if self.gone:
                return
            yield CommandLine(command=each) if isinstance(each, str) else each

    def judge_is_late(self) -> bool:
        return time.monotonic() - self._started_s > LONGEST_BATCH_S


def read(body: bytes) -> ClassifyOne | ClassifyMany:
    """The request; whatever Content-Type says. Raises NotUnderstood."""
    try:
        content = from_json(body)
        is_batch = isinstance(content, dict) and "commands" in content
        return ClassifyMany.model_validate(content) if is_batch else ClassifyOne.model_validate(content)
    except ValidationError as error:
        raise NotUnderstood(_in_words(error)) from error
    except ValueError as error:
        raise NotUnderstood(f"This is not JSON: {error}.") from error


class NotUnderstood(Exception):
    """A request that is not in the form of this route; the reason in a sentence."""


def _in_words(error: ValidationError) -> str:
    # Without the input: the command that was sent need not come back in an error.
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"] if part not in ("CommandLine", "str"))
    return f"{place or 'the request'}: {first['msg']}."


def classified(
    command: str, verdict: Verdict, note: str = "", judge: JudgeOpinion | None = None
) -> Classified:
    """The wire form of a verdict."""
    return Classified(
        command=command,
        classification=FOUR_WORDS[verdict.effect],
        class_name=CLASS_NAMES[verdict.effect],
        flags=sorted(verdict.flags, key=lambda flag: flag.value),
        gate=verdict.gate,
        reason=f"{verdict.reason}{note}",
        span=verdict.span,
        tier=verdict.tier,
        ms=round(verdict.ms, 3),
        judge=judge,
    )


def with_opinion(command: str, judged: Judged, timeout_ms: int | None) -> Classified:
    """The wire form of what the judge was asked about, too. Whoever set a time-out hears what came of it."""
    opinion = judged.opinion
    if opinion is None:
        silent = timeout_ms and judged.verdict.unknown_program and not judged.judge_timed_out
        return classified(command, judged.verdict, NO_OPINION.format(timeout_ms) if silent else "")
    told = JudgeOpinion(
        class_name=CLASS_NAMES[opinion.effect],
        probability=opinion.probability,
        model=opinion.model,
        ms=round(opinion.ms, 3),
    )
    return classified(command, judged.verdict, f"; {opinion.in_words()}", told)


def as_json(found: Answered) -> web.Response:
    """The answer that holds `found`."""
    return _json(written(found))


def written(found: Answered) -> bytes:
    return found.model_dump_json(by_alias=True, exclude_none=True).encode()


def _json(body: bytes) -> web.Response:
    return web.Response(body=body, content_type="application/json")
