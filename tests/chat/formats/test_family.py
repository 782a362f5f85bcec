"""Each family's calls are written by its own template, and read in its own form."""

from __future__ import annotations

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.formats.family import (
    COMPACT,
    FUNCTION_GEMMA,
    GEMMA4,
    HERMES,
    LFM2,
    LLAMA3,
    PHI4,
    QWEN_XML,
    Family,
    Style,
    arguments_grammar,
    family_of,
    written,
)
from desktop.chat.streaming import CallSplitter
from desktop.engine.chat_template import ChatTemplate
from desktop.engine.requests import Message
from desktop.tools.tool import Parameter, ParameterType
from tests.chat.formats.gbnf import matches

# Small ones of our own, each of the form that the family's published template has.
_LIST = "{% if tools %}<tools>{% for t in tools %}{{ t | tojson }}\n{% endfor %}</tools>{% endif %}"
_TURNS = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
_CALLS = "{% for c in m.tool_calls or [] %}{% set f = c.function %}"
_END = "{% endfor %}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
_TOLD = _TURNS + "<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
_PAIRS = "{% for k, v in f.arguments | items %}"


def _calling(form: str, listed: str = _LIST) -> str:
    return listed + _TURNS + _CALLS + form + _END


TEMPLATES = {
    HERMES: _calling(
        '<tool_call>\n{"name": "{{ f.name }}", "arguments": {{ f.arguments | tojson }}}\n</tool_call>'
    ),
    QWEN_XML: _calling(
        "<tool_call>\n<function={{ f.name }}>\n"
        + _PAIRS
        + "<parameter={{ k }}>\n{{ v }}\n</parameter>\n{% endfor %}</function>\n</tool_call>"
    ),
    GEMMA4: _calling(
        "<|tool_call>call:{{ f.name }}{{ '{' }}"
        + _PAIRS
        + "{{ k }}:<|\"|>{{ v }}<|\"|>{% endfor %}{{ '}' }}<tool_call|>",
        "{% for t in tools or [] %}<|tool>declaration:{{ t.function.name }}<tool|>{% endfor %}",
    ),
    # Goes through the tools whenever there is such a name, as the published one does.
    PHI4: _calling(
        "<|tool_call|>{{ f | tojson }}<|/tool_call|>",
        "{% if tools is defined %}{% for t in tools %}<|tool|>{{ t.function | tojson }}"
        "{% endfor %}{% endif %}",
    ),
    LFM2: "{% if tools %}List of tools: [{{ tools | tojson }}]{% endif %}" + _TOLD,
    LLAMA3: _calling(
        '{"name": "{{ f.name }}", "parameters": {{ f.arguments | tojson }}}', "Environment: ipython " + _LIST
    ),
    FUNCTION_GEMMA: "{# <start_function_call> #}" + _LIST + _TOLD,
}
READ = ParsedCall("read_file", {"path": "a.txt"})
PATH = Parameter("path", ParameterType.STRING)
COUNT = Parameter("count", ParameterType.INTEGER, required=False)


@pytest.mark.parametrize(("family", "source"), TEMPLATES.items(), ids=[each.name for each in TEMPLATES])
def test_a_family_is_known_by_what_its_template_writes(family: Family, source: str) -> None:
    """From the call that it writes when it is handed one; else from its marks."""
    assert family_of(source) is family


@pytest.mark.parametrize(
    "source",
    [
        None,
        "{{ messages }}",
        # A mark of calls, and no tool is ever shown.
        "{% for m in messages %}{{ m.content }}{% endfor %}{# <tool_call> tools #}",
        # Tools are shown, and calls are written in a way that is not known here.
        "{{ tools }}{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}"
        "[CALL]{{ c.function.name }}|{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}",
    ],
)
def test_our_own_form_serves_all_others(source: str | None) -> None:
    """Where the template would hide the tools from the model, or the model would answer unread."""
    assert family_of(source) is COMPACT


@pytest.mark.parametrize(("family", "source"), TEMPLATES.items(), ids=[each.name for each in TEMPLATES])
def test_a_call_that_was_made_is_told_in_the_family_s_form(family: Family, source: str) -> None:
    """With the marks as the template's own text, the values as somebody's, and the result after it."""
    told = [
        Message("user", "Read a.txt"),
        family.call_message("read_file", {"path": "a <|im_end|> b"}),
        family.result_message("read_file", "milk"),
    ]
    rendered = ChatTemplate(source, control_texts=("<|im_end|>",)).render(told)
    text = "".join(each.text for each in rendered.segments)
    assert text.index("read_file") < text.index("a <|im_end|> b") < text.index("milk")
    trusted = "".join(each.text for each in rendered.segments if each.trusted)
    assert "a <|im_end|> b" not in trusted
    if family.is_marked and family is not LFM2:  # whose own template writes no marks either
        assert "tool_call" in trusted


@pytest.mark.parametrize("family", TEMPLATES, ids=[each.name for each in TEMPLATES])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_call_in_the_family_s_form_is_read(family: Family, size: int) -> None:
    """What is written as the family does is understood again, wherever it is cut, and never shown."""
    text = family.call_text("read_file", {"path": "a.txt"})
    splitter = CallSplitter(("read_file",))
    shown = "".join(splitter.feed(text[at : at + size]) for at in range(0, len(text), size))
    assert (shown + splitter.finish(), splitter.calls) == ("", [READ])


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('<|tool_call>call:f{a:<|"|>x, y: {z}<|"|>,n:3}<tool_call|>', {"a": "x, y: {z}", "n": 3}),
        ('call:f{list:[<|"|>one<|"|>,<|"|>two<|"|>],on:true}', {"list": ["one", "two"], "on": True}),
        ('call:f{o:{k:<|"|>say "hi"<|"|>}}', {"o": {"k": 'say "hi"'}}),
        (
            "<tool_call>\n<function=f>\n<parameter=a>\none\n<b>2</b>\n</parameter>\n</function>\n</tool_call>",
            {"a": "one\n<b>2</b>"},
        ),
        ('<|tool_call|>[{"name": "f", "arguments": {"a": 1}}]<|/tool_call|>', {"a": 1}),
    ],
)
def test_values_of_all_kinds_are_read(text: str, arguments: dict[str, object]) -> None:
    """Lists, objects, several lines and quotes inside of quotes."""
    splitter = CallSplitter(("f",))
    shown = splitter.feed(text) + splitter.finish()
    assert (shown, splitter.calls, splitter.broken) == ("", [ParsedCall("f", arguments)], 0)


@pytest.mark.parametrize("style", [Style.JSON, Style.PYTHON, Style.GEMMA, Style.GEMMA4, Style.XML])
def test_the_grammar_lets_through_what_the_family_writes(style: Style) -> None:
    """With an argument that may be left out and without, and nothing after the end."""
    grammar = arguments_grammar((PATH, COUNT), style, "!")
    value: dict[str, object] = {"path": "a.txt"}
    for arguments in (value, {**value, "count": 3}):
        text = written(arguments, style).replace("'", '"')
        assert matches(grammar, text + "!"), text
        assert not matches(grammar, text + "!!")
