"""What came of a job, kept until it is applied: the card shows it later, and *Apply* writes it.

A user's file changes here and nowhere else in this room: through the undo journal, when the user has said so,
and only where the file still is as it was when the job began.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.builder.job import JobEnding, JobOutcome, Proposal
from desktop.builder.reasons import BuilderReason
from desktop.errors import UserFacing
from desktop.gate.journal import Journal, Origin
from desktop.paths import ensure, write_atomically
from desktop.reasons import Reason, reason_from_json
from desktop.sandbox.workspace import HeldPath, hold

TOOL = "make_check_pass"
KEPT_S = 30 * 24 * 3600.0
MOST_BYTES = 4_000_000


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
class JobRecord:
    """What a card needs of an outcome. `change` is the journal's entry once it was applied, else 0."""

    ending: JobEnding
    says: Reason
    next_step: Reason | None
    proposal: Proposal | None
    rounds: tuple[RoundRecord, ...]
    change: int = 0

    @property
    def may_be_applied(self) -> bool:
        return self.proposal is not None and not self.change


class Proposals:
    """Small files of one folder. Any thread but the main one."""

    def __init__(self, folder: Path, journal: Journal) -> None:
        self._folder = folder
        self._journal = journal

    def keep(self, call: str, outcome: JobOutcome) -> JobRecord:
        """Keep what a card needs; older records go after thirty days."""
        rounds = tuple(
            RoundRecord(
                each.number,
                each.improvement.value,
                each.test.status.value,
                each.test.passed,
                each.test.failed,
                each.failure,
                each.build.notes,
            )
            for each in outcome.rounds
        )
        record = JobRecord(outcome.ending, outcome.says, outcome.next_step, outcome.proposal, rounds)
        self._write(call, record)
        return record

    def record(self, call: str) -> JobRecord | None:
        """None where nothing is kept, or what is kept cannot be read."""
        place = self._place(call)
        try:
            if place.stat().st_size > MOST_BYTES:
                return None
            return _read(json.loads(place.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def apply(self, call: str) -> int:
        """Write it, if the file is as it was; the number of the journal's entry. Raises UserFacing."""
        record = self.record(call)
        if record is None or record.proposal is None:
            raise UserFacing(BuilderReason.NO_PROPOSAL.of())
        if record.change:
            return record.change
        change = self._applied(record.proposal, call)
        self._write(
            call,
            JobRecord(record.ending, record.says, record.next_step, record.proposal, record.rounds, change),
        )
        return change

    def _applied(self, proposal: Proposal, call: str) -> int:
        # The user's own click, so it works in folders that are not granted to tools.
        with hold(proposal.folder) as folder:
            place = HeldPath(folder, tuple(proposal.file.split("/")))
            now = hashlib.sha256(place.read()).hexdigest() if place.exists() else ""
            if now != proposal.before_sha256:
                raise UserFacing(BuilderReason.CHANGED_MEANWHILE.of(file=proposal.file))
            return self._journal.write(place, proposal.content.encode(proposal.encoding), Origin(TOOL, call))

    def _write(self, call: str, record: JobRecord) -> None:
        ensure(self._folder)
        self._tidy()
        write_atomically(self._place(call), json.dumps(_plain(record), ensure_ascii=False).encode())

    def _tidy(self) -> None:
        now = time.time()
        for path in self._folder.glob("*.json"):
            if now - path.stat().st_mtime > KEPT_S:
                path.unlink(missing_ok=True)

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
        "proposal": {
            "folder": str(proposal.folder),
            "file": proposal.file,
            "content": proposal.content,
            "before_sha256": proposal.before_sha256,
            "diff": proposal.diff,
            "solves": proposal.solves,
            "encoding": proposal.encoding,
        }
        if proposal is not None
        else None,
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
        Proposal(**{**proposal, "folder": Path(proposal["folder"])}) if proposal is not None else None,
        tuple(RoundRecord(**each) for each in said["rounds"]),
        int(said["change"]),
    )
