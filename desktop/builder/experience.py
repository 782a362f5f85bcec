"""What memory has to do with it: asked at each failure, told of each try, and of what did it in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from desktop.builder.job import CheckJob, Round, TestStatus
from desktop.errors import UserFacing
from desktop.memory.capture import EventKind, TrajectoryEvent
from desktop.memory.hindsight.hindsight import suggested
from desktop.memory.hindsight.signature import Failure
from desktop.memory.memory import Memory
from desktop.memory.store import View
from desktop.settings import MemorySettings

log = structlog.get_logger(__name__)

TOOL = "fix"  # under which all of it is kept
NOTES_TOKENS = 200
HINTS = 2
LONGEST_HINT = 400  # characters: a whole function that mended something else tells a small model nothing
LINES = 12  # of a failure: what differs from problem to problem stands at its end


@dataclass(frozen=True)
class KnownFix:
    """What is known of a failure: a function that mended this very one before, or lines for the prompt."""

    function: str = ""
    hints: tuple[str, ...] = ()


NOTHING_KNOWN = KnownFix()


@dataclass(frozen=True)
class Failed:
    """A failure of the check with a function as it was then."""

    file: str
    name: str
    function: str
    failure: str


class Experience:
    """Methods use the disk, on the thread of the job."""

    def __init__(
        self,
        memory: Callable[[], Memory],
        settings: Callable[[], MemorySettings],
        count: Callable[[str], int | None] = lambda _text: None,
    ) -> None:
        self._memory = memory
        self._settings = settings
        self._count = count

    def known(self, job: CheckJob, failed: Failed) -> KnownFix:
        """Remember a failure, and say what worked the last times."""
        if not self._settings().is_on:
            return NOTHING_KNOWN
        try:
            offers = self._memory().hindsight.failed(
                Failure(
                    TOOL,
                    "\n".join(failed.failure.splitlines()[-LINES:]),
                    "",
                    _arguments(failed.file, failed.name, failed.function),
                    job.session,
                    str(job.folder),
                )
            )
        # Without memory the job goes on as well.
        except UserFacing as error:
            log.warning("hindsight could not be asked", reason=str(error))
            return NOTHING_KNOWN
        fix = suggested(offers)
        # Only for the very same text: a fix is a whole function, and another one's would be put in its place.
        mended = str(fix.arguments.get("code", "")) if fix is not None else ""
        if mended and mended != failed.function:
            return KnownFix(mended)
        lines = (offer.fix.for_retry() for offer in offers if not offer.fix.forbidden)
        return KnownFix(hints=tuple(line for line in lines if len(line) <= LONGEST_HINT)[:HINTS])

    def tried(self, job: CheckJob, failed: Failed, done: Round) -> None:
        """Each round becomes an event."""
        if not self._settings().is_on:
            return
        # Of the function its beginning is kept, since capture cuts long values: enough to tell tries apart.
        good = done.test.status is TestStatus.PASSED
        self._memory().capture.capture(
            TrajectoryEvent(
                tool=TOOL,
                ok=good,
                what=EventKind.TOOL,
                arguments={
                    **_arguments(failed.file, failed.name, done.build.output),
                    "command": job.check,
                    "round": done.number,
                    "improvement": done.improvement.value,
                },
                seconds=done.build.seconds + done.test.duration_s,
                error="" if good else done.failure or done.build.notes,
                error_class="" if good else done.test.status.value,
                session=job.session,
                project=str(job.folder),
            )
        )

    def solved(self, job: CheckJob, failed: Failed, function: str) -> None:
        """What did it is a fix for the next time."""
        if not self._settings().is_on:
            return
        try:
            arguments = _arguments(failed.file, failed.name, function)
            self._memory().hindsight.worked(TOOL, arguments, job.session, str(job.folder))
        except UserFacing as error:
            log.warning("nothing was learned from a fix", reason=str(error))

    def notes(self, job: CheckJob, failed: Failed) -> str:
        """What is remembered that belongs to this function, in few tokens; "" for nothing."""
        if not self._settings().is_on:
            return ""
        try:
            context = self._memory().assembler.assemble(
                f"{failed.name} {failed.file} {job.about}"[:300],
                NOTES_TOKENS,
                View.of(project=str(job.folder)),
                lambda text: self._count(text) or len(text.encode()) // 3,
                only_relevant=True,
            )
        except UserFacing as error:
            log.warning("memory could not be asked", reason=str(error))
            return ""
        return context.content


def _arguments(file: str, name: str, function: str) -> dict[str, str]:
    return {"path": file, "function": name, "code": function}
