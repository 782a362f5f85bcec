"""What was done is told from the results of calls, in the language of the request."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_words import LANGUAGES
from desktop.chat.intents import IntentPlan, Step
from desktop.chat.receipts import receipt, told_plan
from desktop.tools.calls import Call, CallResult, CallStatus


def ended(name: str, result: str, /, ending: CallStatus = CallStatus.DONE, **given: Any) -> CallResult:
    return CallResult(Call("c", name, given), ending, result, given)


TOLD = [
    (
        ended("move_file", "Moved a.txt to x/a.txt.", source="a.txt", destination="x"),
        "Moved a.txt to x/a.txt.",
    ),
    (ended("move_file", "Moved a to b.", source="a", destination="b"), "Renamed a to b."),
    (ended("make_directory", "x exists already.", path="x"), "The folder x was there already."),
    (ended("write_file", "Wrote 3 bytes to a.txt.", path="a.txt", content="abc"), "Wrote a.txt (3 bytes)."),
    (ended("append_text", "Added", path="a.txt", text="b\nc"), "Added to a.txt: b / c"),
    (ended("replace_text", "Replaced", path="a.txt", old="b", new=""), "Removed from a.txt: b"),
    (
        ended("cancel_reminder", "Cancelled reminder 1 (Monday, 09:00 (in 2 hours)): tea", reminder="1"),
        "Cancelled the reminder: tea (Monday, 09:00 (in 2 hours))",
    ),
    (ended("find_files", "No file in . is named like *.jpg.", pattern="*.jpg"), "No: I found no such file"),
    (ended("read_file", "milk\n", path="d/a.txt"), "a.txt says:\n\n```\nmilk\n```"),
    (
        ended("delete_file", "It is gone.", ending=CallStatus.FAILED, path="a.txt"),
        "Not done: deleting a.txt. It is gone.",
    ),
    (
        ended("delete_file", "No.", ending=CallStatus.DENIED, path="a.txt"),
        "Not done, you said no: deleting a.txt.",
    ),
]


@pytest.mark.parametrize(("end", "said"), TOLD)
def test_one_call_is_told(end: CallResult, said: str) -> None:
    """By its result; what failed or was refused never reads as done."""
    assert receipt(end, "en").startswith(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_call_is_told_in_each_language(language: str) -> None:
    """Never the same words as in English, but for what a tool itself has said."""
    for end, _ in TOLD:
        assert (receipt(end, language) == receipt(end, "en")) is (language == "en")


def test_what_was_not_begun_is_named() -> None:
    """After a refusal the rest of the plan is told as not done."""
    calls = [ParsedCall("make_directory", {"path": "x"}), ParsedCall("delete_file", {"path": "a.txt"})]
    plan = IntentPlan("en", tuple(Step(each) for each in calls))
    told = told_plan(plan, [ended("make_directory", "No.", ending=CallStatus.DENIED, path="x")])
    assert told.splitlines()[-1] == "Not done: deleting a.txt."


def test_a_fence_in_a_file_ends_no_block() -> None:
    """The block around it is longer."""
    assert receipt(ended("read_file", "```\nx\n```", path="a.md"), "en").count("````") == 2
