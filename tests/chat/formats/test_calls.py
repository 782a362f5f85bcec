"""Calls are told from words while an answer streams, and never shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.streaming import CallSplitter

NAMES = ("read_file", "write_file", "current_time")
READ = ParsedCall("read_file", {"path": "a.txt"})
TIME = ParsedCall("current_time", {})


def split(text: str, size: int = 1, **options: bool) -> tuple[str, list[ParsedCall], int]:
    """What is shown, called and broken, when `text` comes in pieces of `size`."""
    splitter = CallSplitter(NAMES, **options)
    shown = "".join(splitter.feed(text[at : at + size]) for at in range(0, len(text), size))
    return shown + splitter.finish(), splitter.calls, splitter.broken


CALLS = {
    "hermes": '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>',
    "hermes, never closed": '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}',
    "fenced": '```json\n{\n  "name": "read_file",\n  "arguments": {"path": "a.txt"}\n}\n```',
    "fenced, plain": '```\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n```',
    "bare": '{"name": "read_file", "parameters": {"path": "a.txt"}}',
    "doubled braces": '{{"name": "read_file", "arguments": {"path": "a.txt"}}}',
    "trailing comma": '{"name": "read_file", "arguments": {"path": "a.txt",},}',
    "arguments first": '{"arguments": {"path": "a.txt"}, "name": "read_file"}',
    "arguments as text": '{"name": "read_file", "arguments": "{\\"path\\": \\"a.txt\\"}"}',
    "function inside": '{"function": {"name": "read_file", "arguments": {"path": "a.txt"}}}',
    "a list": '[{"name": "read_file", "arguments": {"path": "a.txt"}}]',
    "python": 'read_file(path="a.txt")',
    "a python list": '[read_file(path="a.txt")]',
    "python in a fence": '```python\nread_file(path="a.txt")\n```',
    "function tag": "<function=read_file><parameter=path>\na.txt\n</parameter></function>",
    "function tag in a call": "<tool_call>\n<function=read_file>\n<parameter=path>a.txt</parameter>\n"
    "</function>\n</tool_call>",
    "function tag with JSON": '<function=read_file>{"path": "a.txt"}</function>',
    "gemma": "<start_function_call>call:read_file{path:<escape>a.txt<escape>}<end_function_call>",
    "gemma without marks": "call:read_file{path:<escape>a.txt<escape>}",
}


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS.keys())
def test_every_form_of_a_call_is_read_and_hidden(text: str, size: int) -> None:
    """However it is written and wherever it is cut, it is one call, and nothing is shown."""
    assert split(text, size) == ("", [READ], 0)


def test_several_calls_come_in_order() -> None:
    """Two calls one after the other, the first not closed."""
    opening = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n'
    text = opening + '<tool_call>\n{"name": "current_time", "arguments": {}}\n</tool_call>'
    assert split(text) == ("", [READ, TIME], 0)


def test_words_before_a_call_are_said_and_what_follows_is_not() -> None:
    """A model that goes on after its call makes the result up."""
    text = f"Let me look.\n{CALLS['hermes']}\nThe file says hello."
    splitter = CallSplitter(NAMES)
    shown = splitter.feed(text) + splitter.finish()
    assert shown == "Let me look.\n"
    assert splitter.calls == [READ]
    assert splitter.said_after


def test_a_call_in_the_middle_of_a_line_is_hidden_too() -> None:
    """A model that must begin with a word may go on with JSON all the same."""
    text = '* {"name": "current_time", "arguments": {}} and {"name": "Anna"} too'
    assert split(text)[1:] == ([TIME], 0)
    assert '"name": "current_time"' not in split(text)[0]


PLAIN = (
    'The form is {"city": "Berlin"} or {"name": "Anna"}.',
    "Hello there.",
    "a < b and <b>bold</b>",
    "reading is fun",
    "read_file is the name of a tool",
    "[a link](https://example.org) and [ ] a box",
    "- [ ] todo\n* {x}\n{not json}\n`code` here",
    '```json\n{"name": "my-package", "version": "1.0"}\n```\nThat is a package.json.',
    '```json\n{"title": "Example", "items": [1, 2]}\n```',
    "```python\nprint({'a': 1})\n{ 'name': 'read_file' }\n```\nDone.",
    '{"city": "Berlin"}',
    "```\nplain block\n```\n\n```js\nlet x = {};\n```",
    "`",
    "<",
    "{",
    "call: me",
    "```",
)


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_call_is_shown_whole(text: str, size: int) -> None:
    """Code, JSON of other things, links and lists arrive letter by letter as they are."""
    assert split(text, size) == (text, [], 0)


@pytest.mark.parametrize("form", ["fenced", "bare"])
def test_json_that_was_asked_for_is_shown(form: str) -> None:
    """Who asks for JSON gets it as text, and no tool runs."""
    assert split(CALLS[form], json_is_text=True) == (CALLS[form], [], 0)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_call_of_no_tool_is_not_shown(size: int) -> None:
    """Raw JSON is no answer; what only has a name is one."""
    unknown = '{"name": "replace", "arguments": {"text": "Stephen", "replacement": "Steph"}}'
    assert split(unknown, size) == ("", [], 1)
    assert split(unknown, size, json_is_text=True) == (unknown, [], 0)
    for text in ('{"name": "Anna", "age": 31}', '{"name": "Anna"}', '{"action": "jump", "height": 2}'):
        assert split(text, size) == (text, [], 0)


def test_patterns_are_calls_only_where_they_were_taught() -> None:
    """[READ: path] is a call for models that manage no more, and text for all others."""
    assert split("[READ: a.txt]", patterns=True) == ("", [READ], 0)
    assert split("[TIME]", patterns=True) == ("", [TIME], 0)
    assert split("[READ: a.txt]") == ("[READ: a.txt]", [], 0)


BROKEN = (
    '<tool_call>\n{"name": "read_file", "argu',
    "<tool_call>nonsense</tool_call>",
    '{"name": "read_file", "arguments": {"path": ',
    '```json\n{"name": "read_file", "arguments": {"path": "a\n```',
    'read_file(path="a.txt"',
)


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_call_is_neither_shown_nor_made(text: str) -> None:
    """It is counted, so that the model can be told."""
    assert split(text) == ("", [], 1)


_WORDS = st.sampled_from(
    [
        *CALLS.values(),
        *PLAIN,
        *BROKEN,
        "\n",
        "\n\n",
        " ",
        "Sure: ",
        "</tool_call>",
        "<tool_call>",
        "```json\n",
        "```",
        "}",
        '"name": "read_file"',
        "read_file(",
        "Über 5 €",
    ]
)
_OUTPUTS = st.one_of(
    st.lists(_WORDS, max_size=6).map("".join),
    st.text(alphabet="{}[]()<>`\"'\\:,/ \nabcnmerd_fil", max_size=80),
    st.tuples(st.sampled_from(sorted(CALLS.values())), st.integers(0, 80)).map(lambda cut: cut[0][: cut[1]]),
)


@settings(max_examples=1000, deadline=None)
@given(text=_OUTPUTS, size=st.integers(1, 12))
@example(text='```json\ncall: me```json\n<tool_call>\n{"name": "read_file"}\n</tool_call>', size=1)
@example(text=f'call: me```python\nread_file(path="a.txt")\n```{CALLS["gemma"]}', size=1)
def test_a_thousand_outputs_show_no_call(text: str, size: int) -> None:
    """Whatever a model writes: the same in any pieces, no call in the bubble, only known arguments made."""
    shown, calls, broken = split(text, size)
    assert (shown, calls, broken) == split(text, len(text) or 1)
    assert "<tool_call>" not in shown.replace("`", "") or "```" in shown
    for line in shown.splitlines():
        assert not _is_bare_call(line) or "```" in shown
    for call in calls:
        json.dumps(call.arguments, default=str)
        assert call.name


def _is_bare_call(line: str) -> bool:
    try:
        value = json.loads(line)
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("name") in NAMES


@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet=st.characters(exclude_characters="<`{[c", exclude_categories=["Cs"])))
def test_words_pass_through_unchanged(text: str) -> None:
    """Text without a character that could begin a call is never held back at the end, lost or doubled."""
    assert split(text.replace("read_file", "").replace("write_file", ""), 3)[0] == text.replace(
        "read_file", ""
    ).replace("write_file", "")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('"\\ud83d"', "\ufffd"),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('"\\ude00\\ud83d x"', "\ufffd\ufffd x"),
        ('["a", {"\\udc00": "\\ud800"}]', ["a", {"\ufffd": "\ufffd"}]),
        ('"C:\\\\udata"', "C:\\udata"),
    ],
)
def test_an_argument_has_whole_characters_alone(written: str, read: object) -> None:
    """Whatever form the call has: files, the database and the line to a program take nothing else."""
    forms = (
        f'<tool_call>\n{{"name": "read_file", "arguments": {{"path": {written}}}}}\n</tool_call>',
        f"[read_file(path={written})]",
    )
    for text in forms:
        _shown, calls, _broken = split(text, 1000)
        assert [each.arguments for each in calls] == [{"path": read}]


DEEP = {
    "brackets": '<tool_call>\n{"name": "read_file", "arguments": ' + "[" * 30_000,
    "braces": '<tool_call>\n{"name": "read_file", "arguments": '
    + '{"a": ' * 900
    + "1"
    + "}" * 902
    + "\n</tool_call>",
    "names": "<tool_call>\n" + '{"name": ' * 950 + '"read_file"' + "}" * 950 + "\n</tool_call>",
    "a tag": "<function=read_file><parameter=path>" + "[" * 30_000 + "</parameter></function>",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_a_call_nested_without_end_breaks_nothing(text: str) -> None:
    """A small model that repeats itself opens brackets until it is cut."""
    shown, _calls, _broken = split(text, 30_000)
    assert "[[" not in shown


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_the_marks_around_a_result_are_nobody_s_words(size: int) -> None:
    """What stands between them is shown, and judged like all else."""
    assert split("<tool_response>\nThree photos.\n</tool_response>", size) == ("\nThree photos.\n", [], 0)
    assert split("a <tool b and 1 < 2", size) == ("a <tool b and 1 < 2", [], 0)
