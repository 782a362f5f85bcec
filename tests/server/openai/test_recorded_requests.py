"""What real programs send: each request of `recorded_requests.json` is answered.

They were recorded from OpenCode 1.18.33, Continue's command line 1.5.47, aider 0.86.2, litellm 1.110.2, `llm`
0.36 and OpenAI's package 3.57.0 on 29 November 2026, and shortened. `test_clients.py` runs such programs
themselves, where they can be installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop.settings import ModelSettings
from tests.fakes.scripted_model import ScriptedBackend
from tests.server.openai.conftest import HERMES, Api, MakeApi, events

CHATS, RESPONSES = "/v1/chat/completions", "/v1/responses"
RECORDED: dict[str, dict[str, dict[str, Any]]] = json.loads(
    Path(__file__).with_name("recorded_requests.json").read_text("utf-8")
)


@pytest.fixture
def answering(make_api: MakeApi) -> Api:
    backend = ScriptedBackend("Hello there.", template=HERMES)
    return make_api(backend, ModelSettings(threads=2, context_tokens=8192), chat_template=HERMES)


@pytest.mark.parametrize("sent", RECORDED[CHATS].values(), ids=RECORDED[CHATS])
def test_a_chat_of_a_real_program_is_answered(answering: Api, sent: dict[str, Any]) -> None:
    """Whole, or as a stream that ends, with its count of tokens where that was asked for."""
    answer = answering.post(CHATS, sent)
    assert answer.status_code == 200, answer.text
    if not sent.get("stream"):
        assert answer.json()["choices"][0]["finish_reason"] == "stop"
        return
    *chunks, last = events(answer.text)
    assert last == "[DONE]"
    reasons = [choice["finish_reason"] for each in chunks for choice in each["choices"]]
    assert [each for each in reasons if each] == ["stop"]
    assert bool(chunks[-1].get("usage")) is bool(sent.get("stream_options"))


@pytest.mark.parametrize("sent", RECORDED[RESPONSES].values(), ids=RECORDED[RESPONSES])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_response_for_a_real_program_comes_whole(
    answering: Api, sent: dict[str, Any], streamed: bool
) -> None:
    """The words are in the object, and in the events, which have numbers without a gap and end completed."""
    answer = answering.post(RESPONSES, {**sent, "stream": streamed})
    assert answer.status_code == 200, answer.text
    if streamed:
        found = events(answer.text)
        assert [each["sequence_number"] for each in found] == [*range(len(found))]
        assert found[-1]["type"] == "response.completed"
    last = found[-1]["response"] if streamed else answer.json()
    assert last["output"][-1]["content"][0]["text"] == "Hello there."
