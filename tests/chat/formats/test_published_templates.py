"""The templates that makers publish, read from a cache outside of the tree: they are not ours to keep in it.

Put them, under the names that llama.cpp's collection gives them, into the folder `templates` of the tests'
cache, or into the folder that STEWARD_TEST_TEMPLATES names.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

from desktop.chat.formats.family import (
    COMPACT,
    GEMMA4,
    HERMES,
    LFM2,
    LLAMA3,
    PHI4,
    QWEN_XML,
    Family,
    family_of,
)
from desktop.engine.chat_template import ChatTemplate, Rendered
from desktop.engine.requests import Message
from desktop.engine.template_traits import traits_of

# Family, whether the model can think, whether a call is told with the template's own marks.
PUBLISHED = {
    "Qwen-Qwen2.5-7B-Instruct": (HERMES, False),
    "Qwen-Qwen3-0.6B": (HERMES, True),
    "Qwen3-Coder": (QWEN_XML, False),
    "Qwen3.5-4B": (QWEN_XML, True),
    "LFM2-8B-A1B": (LFM2, False),
    "LFM2.5-Instruct": (LFM2, False),
    # As published for llama.cpp it shows no tools: they are told in words.
    "HuggingFaceTB-SmolLM3-3B": (COMPACT, True),
    "google-gemma-4-31B-it": (GEMMA4, True),
    "google-gemma-4-31B-it-interleaved": (GEMMA4, True),
    "llama-cpp-microsoft-Phi-4-mini-instruct": (PHI4, False),
    "ibm-granite-granite-4.0": (HERMES, False),
    "meta-llama-Llama-3.2-3B-Instruct": (LLAMA3, False),
    "google-gemma-2-2b-it": (COMPACT, False),
    "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": (COMPACT, True),
}
TOOL = {
    "type": "function",
    "function": {
        "name": "read_file",
        "description": "Reads a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string", "description": "Where."}}},
    },
}


def source_of(name: str) -> str:
    root = Path(
        os.environ.get("STEWARD_TEST_TEMPLATES") or platformdirs.user_cache_path("steward-dev") / "templates"
    )
    path = root / f"{name}.jinja"
    if not path.exists():
        pytest.skip(f"{name}'s template is not in {root}")
    return path.read_text(encoding="utf-8")


def conversation(family: Family) -> list[Message]:
    return [
        Message("system", "Be kind."),
        Message("user", "Read a.txt"),
        family.call_message("read_file", {"path": "a.txt"}),
        family.result_message("read_file", "milk"),
    ]


def text(rendered: Rendered) -> str:
    return "".join(each.text for each in rendered.segments)


@pytest.mark.parametrize(("name", "found"), PUBLISHED.items(), ids=PUBLISHED)
def test_family_and_thinking_are_found_out(name: str, found: tuple[Family, bool]) -> None:
    """From the template alone, without a word about the model."""
    source = source_of(name)
    assert (family_of(source), traits_of(source).can_think) == found


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("thinks", [False, True])
def test_a_conversation_with_a_call_is_written_by_its_own_template(name: str, thinks: bool) -> None:
    """The plain one never takes its place, and nothing is lost, with tools and without."""
    source = source_of(name)
    family, template = family_of(source), ChatTemplate(source)
    for tools in ((), (TOOL,)) if family.native else ((),):
        written = text(template.render(conversation(family), tools, thinks))
        assert written.index("Read a.txt") < written.rindex("a.txt") < written.rindex("milk")
        assert template.trouble == ""


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_thought_is_left_open_unasked(name: str) -> None:
    """Small models answer at once: after the prompt the next word is the answer's."""
    template = ChatTemplate(source_of(name))
    rendered = template.render([Message("user", "Hello")])
    assert not rendered.is_thinking
    assert text(rendered).count("<think>") == text(rendered).count("</think>")
