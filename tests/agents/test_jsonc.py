"""Edits of JSON with comments: an entry goes in and out, and every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.agents.jsonc import UnreadableJson, appended, find, parse, set_if_missing, without

PATH = ("hooks", "PreToolUse")
ENTRY = {
    "matcher": "^(Bash)$",
    "hooks": [{"type": "http", "url": "http://127.0.0.1:1/hooks/x // no comment"}],
}


def ours(value: Any) -> bool:
    return isinstance(value, dict) and str(value.get("url", "")).startswith("http://127.0.0.1:1/hooks/")


READ = [
    ("{}", {}),
    ('\ufeff{"a": 1}', {"a": 1}),
    ('{"a": [1, 2.5e3, -0, true, null, "x"]}', {"a": [1, 2500.0, 0, True, None, "x"]}),
    ('// head\n{"a": /* in */ 1, // behind\n}\n// tail', {"a": 1}),
    ('{"a": "// no comment", "b": "/* nor */",}', {"a": "// no comment", "b": "/* nor */"}),
    ('{"a": 1, "a": 2}', {"a": 2}),
    (r'{"\u0061": "\"\\"}', {"a": '"\\'}),
    ("[]", []),
]


@pytest.mark.parametrize(("text", "value"), READ)
def test_reads_what_agents_read(text: str, value: Any) -> None:
    """JSON, with comments, trailing commas and a byte order mark."""
    assert parse(text).value == value


BROKEN = [
    ("", "line 1"),
    ("{", "line 1"),
    ('{\n"a" 1}', "line 2: a colon"),
    ('{\n\n"a": }', "line 3: a value"),
    ('{"a": 1 "b": 2}', "a comma or }"),
    ("{'a': 1}", "a key in quotes"),
    ("{} {}", "behind the end"),
    ('{"a": "\n"}', "a value"),
    (r'{"a": "\x"}', "written wrongly"),
    ("[1,,2]", "a value"),
    ("[" * 200 + "]" * 200, "nested too deeply"),
    ("{/* open", "line 1"),
]


@pytest.mark.parametrize(("text", "why"), BROKEN)
def test_a_broken_file_is_named_by_its_line(text: str, why: str) -> None:
    """Whoever wrote it can find the place."""
    with pytest.raises(UnreadableJson, match=why):
        parse(text)


IN_THE_WAY = [
    '{"hooks": {}, "hooks": {}}',
    '{"hooks": []}',
    '{"hooks": {"PreToolUse": {}}}',
    "[]",
    '{"hooks": null}',
]


@pytest.mark.parametrize("text", IN_THE_WAY)
def test_another_kind_of_value_is_not_overwritten(text: str) -> None:
    """What is in the way is somebody's."""
    with pytest.raises(UnreadableJson):
        appended(text, PATH, ENTRY)


PLACES = [
    ("", '{\n  "hooks": {\n    "PreToolUse": [\n      1\n    ]\n  }\n}\n'),
    ("{}", '{\n  "hooks": {\n    "PreToolUse": [\n      1\n    ]\n  }\n}'),
    ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"hooks": {\n\t\t"PreToolUse": [\n\t\t\t1\n\t\t]\n\t}\n}\n'),
    (
        '{\r\n    "hooks": {}\r\n}',
        '{\r\n    "hooks": {\r\n        "PreToolUse": [\r\n            1\r\n        ]\r\n    }\r\n}',
    ),
    ('{"hooks": {"PreToolUse": [0]}}', '{"hooks": {"PreToolUse": [0,\n  1]}}'),
    ('{"hooks": {"PreToolUse": [0, /* last */]}}', '{"hooks": {"PreToolUse": [0,\n  1, /* last */]}}'),
    ('{"hooks": {"PreToolUse": [0 // zero\n]}}', '{"hooks": {"PreToolUse": [0,\n  1 // zero\n]}}'),
]


@pytest.mark.parametrize(("before", "after"), PLACES)
def test_an_entry_is_written_in_the_style_of_the_file(before: str, after: str) -> None:
    """Indentation, line ends, trailing commas and comments are those that were there."""
    assert appended(before, PATH, 1) == after


def test_a_missing_key_is_set_and_one_that_is_there_stays() -> None:
    """Some agents want a version beside their hooks."""
    assert json.loads(set_if_missing("{}", "version", 1)) == {"version": 1}
    assert set_if_missing('{"version": 2}', "version", 1) == '{"version": 2}'


CHANGED = [
    ('{"a": 1, OURS, "b": 2}', '{"a": 1, "b": 2}'),
    ('{OURS, "b": 2}', '{ "b": 2}'),
    ('{"a": 1, OURS}', '{"a": 1}'),
    ('{"a": 1, // one\n OURS // two\n}', '{"a": 1 // one\n // two\n}'),
    ('{"a": 1, /* one */ OURS}', '{"a": 1 /* one */}'),
    ('{"a": 1,\n OURS /* c */, /* d */ "b": 2}', '{"a": 1, /* c */ /* d */ "b": 2}'),
    ("{OURS}", "{}"),
    ("{ // c\n OURS}", "{ // c\n}"),
]


@pytest.mark.parametrize(("before", "after"), CHANGED)
def test_an_entry_is_cut_out_of_what_was_changed_around_it(before: str, after: str) -> None:
    """Commas are put right; what the user wrote beside it stays."""
    entry = '"hooks": {"PreToolUse": [{"matcher": "x", "hooks": [{"url": "http://127.0.0.1:1/hooks/x"}]}]}'
    cut = without(before.replace("OURS", entry), ours)
    assert cut == after
    assert not find(cut, ours)


def test_what_the_user_put_into_our_group_stays() -> None:
    """Only our handler goes, and lists that are empty because the user made them so."""
    text = json.dumps(
        {"hooks": {"A": [], "B": [{"matcher": "x", "hooks": [ENTRY["hooks"][0], {"mine": 1}]}]}}
    )
    left = parse(without(text, ours)).value
    assert left == {"hooks": {"A": [], "B": [{"matcher": "x", "hooks": [{"mine": 1}]}]}}


SPACE = st.sampled_from(["", " ", "\n", "\n    ", "\t", "\r\n  ", " // note, {\n", "/* [ */", ' // " }\r\n'])
NAMES = st.sampled_from(["hooks", "PreToolUse", "a", "ä // b", "permissions", "url"])
SCALARS = st.sampled_from(["1", "null", "true", '"x"', '"http://a/b // c"', '"/* \\" */"', "-2.5e+3"])


def _container(children: st.SearchStrategy[str], opening: str, closing: str) -> st.SearchStrategy[str]:
    named = (
        st.tuples(SPACE, NAMES, SPACE, SPACE, children, SPACE).map(
            lambda t: f"{t[0]}{json.dumps(t[1], ensure_ascii=False)}{t[2]}:{t[3]}{t[4]}{t[5]}"
        )
        if opening == "{"
        else st.tuples(SPACE, children, SPACE).map("".join)
    )
    return st.tuples(st.lists(named, max_size=4), st.booleans(), SPACE).map(
        lambda t: opening + ",".join(t[0]) + ("," if t[0] and t[1] else "") + t[2] + closing
    )


VALUES = st.recursive(
    SCALARS, lambda inner: _container(inner, "{", "}") | _container(inner, "[", "]"), max_leaves=12
)
DOCUMENTS = st.tuples(SPACE, _container(VALUES, "{", "}"), SPACE).map("".join)


def is_subsequence(short: str, long: str) -> bool:
    rest = iter(long)
    return all(character in rest for character in short)


def plus(value: Any) -> Any:
    """What the document means with the entry."""
    changed = json.loads(json.dumps(value))
    changed.setdefault(PATH[0], {}).setdefault(PATH[1], []).append(ENTRY)
    return changed


@settings(max_examples=400, deadline=None)
@given(DOCUMENTS)
def test_an_entry_only_adds(text: str) -> None:
    """The document means the same and the entry; not a character of it is lost, and it goes out again."""
    before = parse(text).value
    try:
        after = appended(text, PATH, ENTRY)
    except UnreadableJson:
        assert text.count('"hooks"') + text.count('"PreToolUse"') > 1 or not _fits(before)
        return
    assert parse(after).value == plus(before)
    assert is_subsequence(text, after)
    again = without(after, ours)
    assert not find(again, ours)
    assert _lean(parse(again).value) == _lean(before)
    assert [c for c in again if not c.isspace()] == [c for c in _bare(text, again) if not c.isspace()]


def _fits(value: Any) -> bool:
    hooks = value.get(PATH[0], {})
    return isinstance(hooks, dict) and isinstance(hooks.get(PATH[1], []), list)


def _lean(value: Any) -> Any:
    """Without an empty list and an empty object at the place of the entry."""
    changed = json.loads(json.dumps(value))
    if changed.get(PATH[0], {}).get(PATH[1]) == []:
        del changed[PATH[0]][PATH[1]]
    if changed.get(PATH[0]) == {}:
        del changed[PATH[0]]
    return changed


def _bare(text: str, again: str) -> str:
    """`text`, or `again` where a list that was empty before went with the entry."""
    return again if parse(text).value != parse(again).value else text
