"""Messages and the calls among them: what is kept of a call, and what is made of older records."""

from __future__ import annotations

import json

import pytest

from desktop.chat.messages import ToolRecord
from desktop.gate.reasons import GateReason
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.reasons import ToolReason

CALL = Call("c", "read_file", {"path": "a.txt"})
GIVEN_UP = ToolReason.CALL_CHANGED_NOTHING.of(ended=ToolReason.CALL_TIMED_OUT.of(tool="read_file", seconds=3))


def test_a_record_comes_back_as_it_was_kept() -> None:
    """Decision, failure and verb are values after a restart too, so that they can be told in any language."""
    ended = CallResult(
        CALL,
        CallStatus.TIMED_OUT,
        str(GIVEN_UP),
        {"path": "b.txt"},
        GateReason.IT_ONLY_READS.of(),
        1.5,
        changes=(1, 2),
        failure=GIVEN_UP,
        exit_code=1,
    )
    record = ToolRecord.of(CALL, ToolReason.VERB_READ_FILE).closed_by(ended)
    assert record.arguments == {"path": "b.txt"}
    assert ToolRecord.read(record.as_json()) == record


@pytest.mark.parametrize(
    ("name", "verb"),
    [("read_file", ToolReason.VERB_READ_FILE), ("time_convert", None), ("calc-too-large", None), ("", None)],
)
def test_records_without_a_verb_are_told_by_their_tool(name: str, verb: ToolReason | None) -> None:
    """Those of before verbs were kept; a tool of a server has none."""
    kept = json.loads(ToolRecord("c", name).as_json())
    del kept["verb"], kept["failure"], kept["exit_code"]
    assert ToolRecord.read(json.dumps(kept)).verb is verb
