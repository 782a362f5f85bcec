"""What came of a job, kept until it is applied: the card shows it later, and *Apply* writes it.

A user's file changes here and nowhere else in this room: through the undo journal, when the user has said so,
and only where the file still is as it was when the job began.

Kept on the disk are the lines that change, never the whole file, for a week; what checks said has its secrets
replaced. A change cannot be shown without its secrets, since what is shown is what *Apply* writes: one that
has any stays in memory, and is gone with the program.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from desktop.builder.job import JobEnding, JobOutcome, Proposal
from desktop.builder.reasons import BuilderReason
from desktop.builder.spans import lines_of
from desktop.errors import UserFacing
from desktop.gate.journal import Journal, Origin
from desktop.paths import ensure, read_own, write_atomically
from desktop.reasons import Reason, reason_from_json
from desktop.sandbox.workspace import HeldPath, hold_itself

TOOL = "make_check_pass"
KEPT_S = 7 * 24 * 3600.0  # after a week the file is seldom as it was; how it ended stands in the conversation
MOST_BYTES = 4_000_000
# A text is searched for secrets in overlapping pieces: the redactor leaves out the middle of a long one.
PIECE, STEP = 8_000, 4_000


@dataclass(frozen=True)
class RoundRecord:
    """One line of a card that is looked at later."""

    number: int
    improvement: str
    status: str
    passed: int | None
    failed: int | None
    failure: str
    notes: str


@dataclass(frozen=True)
class ProposedChange:
    """What a proposal does to its file: `removed` lines from `first_line` on make room for `lines`, which
    have their ends. `before_sha256` is of the file as it was, "" where there was none.
    """

    folder: Path
    file: str
    first_line: int
    removed: int
    lines: str
    before_sha256: str
    diff: str
    solves: bool
    encoding: str

    @classmethod
    def of(cls, proposal: Proposal) -> ProposedChange:
        """The lines in which the file before and after differ."""
        before, after = lines_of(proposal.before), lines_of(proposal.content)
        first = 0
        while first < min(len(before), len(after)) and before[first] == after[first]:
            first += 1
        last = 0  # lines at the end that stay
        while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
            last += 1
        return cls(
            proposal.folder,
            proposal.file,
            first + 1,
            len(before) - last - first,
            "".join(after[first : len(after) - last]),
            proposal.before_sha256,
            proposal.diff,
            proposal.solves,
            proposal.encoding,
        )

    def applied_to(self, content: bytes) -> bytes:
        """What the file is to hold."""
        lines = lines_of(content.decode(self.encoding))
        start = self.first_line - 1
        lines[start : start + self.removed] = [self.lines]
        return "".join(lines).encode(self.encoding)


@dataclass(frozen=True)
class JobRecord:
    """What a card needs of an outcome. `change` is the journal's entry once it was applied, else 0."""

    ending: JobEnding
    says: Reason
    next_step: Reason | None
    proposal: ProposedChange | None
    rounds: tuple[RoundRecord, ...]
    change: int = 0

    @property
    def may_be_applied(self) -> bool:
        return self.proposal is not None and not self.change


class Proposals:
    """Small files of one folder. Any thread but the main one."""

    def __init__(self, folder: Path, journal: Journal, redact: Callable[[str], str]) -> None:
        """`redact` replaces the secrets of a text."""
        self._folder = folder
        self._journal = journal
        self._redact = redact
        self._unkept: dict[str, ProposedChange] = {}  # by call: those with a secret in them

    def keep(self, call: str, outcome: JobOutcome) -> JobRecord:
        """Keep what a card needs."""
        rounds = tuple(
            RoundRecord(
                each.number,
                each.improvement.value,
                each.test.status.value,
                each.test.passed,
                each.test.failed,
                self._redact(each.failure),
                self._redact(each.build.notes),
            )
            for each in outcome.rounds
        )
        change = ProposedChange.of(outcome.proposal) if outcome.proposal is not None else None
        record = JobRecord(outcome.ending, outcome.says, outcome.next_step, change, rounds)
        self._write(call, record)
        return record

    def record(self, call: str) -> JobRecord | None:
        """What was kept of a call; None where there is nothing, or it cannot be read."""
        place = self._place(call)
        self._tidy()
        try:
            if place.stat().st_size > MOST_BYTES:
                return None
            record = _read(json.loads(read_own(place)))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return record and replace(record, proposal=record.proposal or self._unkept.get(call))

    def apply(self, call: str) -> int:
        """Write it, if the file is as it was; the number of the journal's entry. Raises UserFacing."""
        record = self.record(call)
        if record is None or record.proposal is None:
            raise UserFacing(BuilderReason.NO_PROPOSAL.of())
        if record.change:
            return record.change
        change = self._applied(record.proposal, call)
        # The journal has the file as it was from here on; the card shows the difference and needs no more.
        self._write(call, replace(record, proposal=replace(record.proposal, lines=""), change=change))
        return change

    def _applied(self, proposal: ProposedChange, call: str) -> int:
        # The user's own click, so it works in folders that are not granted to tools.
        with hold_itself(proposal.folder) as folder:
            place = HeldPath(folder, tuple(proposal.file.split("/")))
            content = place.read() if place.exists() else b""
            now = hashlib.sha256(content).hexdigest() if place.exists() else ""
            if now != proposal.before_sha256:
                raise UserFacing(BuilderReason.CHANGED_MEANWHILE.of(file=proposal.file))
            return self._journal.write(place, proposal.applied_to(content), Origin(TOOL, call))

    def _write(self, call: str, record: JobRecord) -> None:
        ensure(self._folder)
        self._tidy()
        change = record.proposal
        self._unkept.pop(call, None)
        if change is not None and self._has_secret(change):
            self._unkept[call] = change
            record = replace(record, proposal=None)
        write_atomically(self._place(call), json.dumps(_plain(record), ensure_ascii=False).encode())

    def _has_secret(self, change: ProposedChange) -> bool:
        text = f"{change.diff}\n{change.lines}"
        pieces = (text[start : start + PIECE] for start in range(0, len(text), STEP))
        return any(self._redact(each) != each for each in pieces)

    def _tidy(self) -> None:
        now = time.time()
        for path in self._folder.glob("*.json"):
            try:
                if now - path.stat().st_mtime > KEPT_S:
                    path.unlink()
            except FileNotFoundError:  # another program of ours was quicker
                continue

    def _place(self, call: str) -> Path:
        # A call's id comes from a stored conversation, which may have been imported.
        name = hashlib.sha256(call.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._folder / f"{name}.json"


def _plain(record: JobRecord) -> dict[str, Any]:
    proposal = record.proposal
    return {
        "ending": record.ending.value,
        "says": record.says.as_json(),
        "next_step": record.next_step.as_json() if record.next_step is not None else None,
        "proposal": {**vars(proposal), "folder": str(proposal.folder)} if proposal is not None else None,
        "rounds": [vars(each) for each in record.rounds],
        "change": record.change,
    }


def _read(said: Mapping[str, Any]) -> JobRecord | None:
    says = reason_from_json(said["says"])
    if says is None:
        return None
    proposal = said["proposal"]
    return JobRecord(
        JobEnding(said["ending"]),
        says,
        reason_from_json(said["next_step"]),
        ProposedChange(**{**proposal, "folder": Path(proposal["folder"])}) if proposal is not None else None,
        tuple(RoundRecord(**each) for each in said["rounds"]),
        int(said["change"]),
    )
