"""A conversation as a page that loads nothing: what is in it, and what cannot come through."""

from __future__ import annotations

from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.chat.attachments import AttachmentKind
from desktop.chat.export_import import AttachmentForm, ChatsForm, ConversationForm, MessageForm
from desktop.chat.formulas import Outline, Outlines
from desktop.chat.latex import Formula
from desktop.chat.messages import Role
from desktop.chat.page_export import drawn_page, page, write_pages
from desktop.errors import UserFacing
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser

NOW = datetime(2026, 11, 23, 5, 0, tzinfo=UTC)
# What a reader of HTML would fetch, run or leave the page for by itself.
LOADING = {"src", "srcset", "data", "poster", "background", "action", "formaction", "ping", "xlink:href"}
FORBIDDEN = {
    "script",
    "img",
    "iframe",
    "object",
    "embed",
    "link",
    "base",
    "form",
    "audio",
    "video",
    "use",
    "image",
}


def chat(*messages: tuple[Role, str], title: str = "Tides") -> ConversationForm:
    forms = tuple(
        MessageForm(id=number, parent=number - 1 or None, role=role, text=text, created_at=NOW)
        for number, (role, text) in enumerate(messages, 1)
    )
    return ConversationForm(title=title, created_at=NOW, updated_at=NOW, open=len(forms), messages=forms)


def answer(text: str) -> str:
    """The page of a chat with this answer, its formulas as text."""
    return drawn_page(chat((Role.USER, "?"), (Role.ASSISTANT, text)), None)


class Seen(HTMLParser):
    """All tags, attributes and words of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and *slanted*", "<strong>bold</strong> and <em>slanted</em>"),
        ("~~gone~~", "<s>gone</s>"),
        ("# Head", '<h2 dir="auto">Head</h2>'),
        ("- one\n- two", '<li dir="auto">one</li>'),
        ("- [x] done\n- [ ] not", '<li dir="auto" class="checked">done</li>'),
        ("- [x] done\n- [ ] not", '<li dir="auto" class="unchecked">not</li>'),
        ("- [ ] one\n\n  more\n- x", '<li dir="auto">'),
        ("| a | b |\n|---|---|\n| 1 | 2 |", '<td dir="auto">2</td>'),
        ("[site](https://example.org/a?b=c)", '<a href="https://example.org/a?b=c">site</a>'),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("[x](file:///etc/passwd)", "[x](file:///etc/passwd)"),
        ("![a tide](https://example.org/t.png)", "[a tide]"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("```\n<b>&\n```", "<pre><code>&lt;b&gt;&amp;</code></pre>"),
        ("so $x^2$ is", "so x² is"),
        ("so $$\\frac{a}{b}$$, is", "<span class='display'>a/b,</span>"),
        ("code `$x^2$`", "<code>$x^2$</code>"),
        ("it costs $5 and $10", "it costs $5 and $10"),
    ],
)
def test_an_answer_becomes_html(text: str, html: str) -> None:
    """What Markdown means, with boxes for tasks; what would act or load stays words."""
    assert html in answer(text)


def test_code_is_coloured_in_the_page_itself() -> None:
    """No style sheet has to be found; all letters of the code are there."""
    written = answer('```python\ndef f(x):\n    return "<b>"  # &\n```')
    assert "<span style=" in written
    assert 'def f(x):\n    return "<b>"  # &' in Seen(written).words


def test_a_question_stays_as_it_was_typed() -> None:
    """It is no Markdown; its spaces and lines are kept by the style."""
    html = drawn_page(chat((Role.USER, "# not a head\n  <b>two</b>")), None)
    assert "<div class='question' dir='auto'># not a head\n  &lt;b&gt;two&lt;/b&gt;</div>" in html


def test_what_a_tool_was_asked_and_said_is_there() -> None:
    """With its name."""
    message = MessageForm(
        id=1,
        role=Role.TOOL,
        text="two <lines>",
        created_at=NOW,
        tool={"name": "read_file", "arguments": {"path": "~/a.txt"}},
    )
    form = ConversationForm(title="T", created_at=NOW, updated_at=NOW, open=1, messages=(message,))
    words = Seen(drawn_page(form, None)).words
    assert "Tool (read_file)" in words
    assert '"path": "~/a.txt"' in words
    assert "two <lines>" in words


def test_other_versions_follow_and_attachments_are_named() -> None:
    """Nothing of the conversation is left out; the text of an attachment is."""
    attached = AttachmentForm(name="tide.txt", kind=next(iter(AttachmentKind)), text="SECRET")
    messages = (
        MessageForm(id=1, role=Role.USER, text="first", created_at=NOW, attachments=(attached,)),
        MessageForm(id=2, parent=1, role=Role.ASSISTANT, text="shown", model="tiny", created_at=NOW),
        MessageForm(id=3, parent=1, role=Role.ASSISTANT, text="other", created_at=NOW),
    )
    form = ConversationForm(title="T", created_at=NOW, updated_at=NOW, open=2, messages=messages)
    words = Seen(drawn_page(form, None)).words
    shown, others = words.split("Other versions")
    assert "shown" in shown
    assert "other" in others
    assert "Steward (tiny)" in words
    assert "Attached: tide.txt" in words
    assert "SECRET" not in words


def test_the_page_speaks_the_language_of_the_window() -> None:
    """And says so to whoever reads it out."""
    html = page(chat((Role.USER, "?"), title="Ebbe"), lambda formula, end: formula.source + end, "de")
    assert '<html lang="de">' in html
    assert "exportiert aus Steward" in html
    assert "Sie <span" in html


hostile = st.text(
    alphabet=st.sampled_from(list("<>\"'&`[]()!*_#|\\$^{}=:/.;- \n\txsrchefjavonimg")), max_size=160
) | st.sampled_from(
    [
        '<img src="https://example.org/x">',
        "![x](https://example.org/x.png)",
        "[x]: https://example.org\n\n![x]",
        '[x](https://example.org "onload=1" )',
        "<https://example.org/x>",
        "[x](<javascript:alert(1)>)",
        "[x](JAVASCRIPT:x)",
        "[x](https:x)",
        "```html\n<img src=x onerror=y>\n```",
        '```"><script>\nx\n```',
        "$</span><script>x_1</script>$",
        '\\(x_1"><img src=x>\\)',
        "| <img src=x> | b |\n|---|---|\n| 1 | 2 |",
    ]
)


@settings(max_examples=60)
@given(hostile, hostile, hostile)
def test_nothing_is_loaded_and_nothing_runs(title: str, question: str, text: str) -> None:
    """Whatever a model or a page wrote: no tag that loads or acts, no address but behind a link's click."""
    form = chat((Role.USER, question), (Role.ASSISTANT, text), (Role.TOOL, text), title=title)
    seen = Seen(drawn_page(form, None))
    assert not FORBIDDEN & set(seen.tags)
    assert seen.tags.count("meta") == 3
    for name, value in seen.attributes:
        assert name not in LOADING
        assert not name.startswith("on")
        assert name != "href" or value.lower().startswith(("http://", "https://", "mailto:"))
        assert name != "style" or "url(" not in value


def test_the_page_forbids_its_reader_to_load() -> None:
    """Should something have come through all the same."""
    assert "default-src 'none'" in answer("x")


class Drawn:
    """Outlines that are all the same, with a stroke."""

    def all_of(self, formulas: list[Formula]) -> dict[Formula, Outline | None]:
        made = Outline(0, 2, 1, 0.5, "M 0 0 L 1 1 Z", (("M 0 0 L 9 9", 0.5),))
        return {each: made if "bad" not in each.source else None for each in formulas}


def test_a_formula_is_a_drawing_with_its_words() -> None:
    """In the colour and size of the words, hanging below the line; heard as text, its source as its title."""
    outlines: Any = Drawn()
    html = drawn_page(chat((Role.ASSISTANT, r"so $a < b_1$ and \(bad^2\)")), outlines)
    assert 'aria-label="a &lt; b₁"' in html
    assert "<title>a &lt; b_1</title>" in html
    assert "vertical-align:-0.575em" in html
    assert 'stroke="currentColor" stroke-width="0.500"' in html
    assert "bad²" in html


@pytest.mark.children
def test_formulas_are_drawn_by_the_real_child(tmp_path: Path) -> None:
    """From the chat to the file."""
    outlines = Outlines(Parser(lambda: available().best))
    form = ChatsForm(conversations=(chat((Role.ASSISTANT, r"so \[\frac{a}{b}\] and $x^2$")),))
    (written,) = write_pages(form, tmp_path / "chat.html", outlines)
    assert written.read_text(encoding="utf-8").count("<svg") == 2


def test_several_chats_become_several_pages(tmp_path: Path) -> None:
    """In a folder, under their days and titles; equal ones with a number."""
    form = ChatsForm(conversations=(chat((Role.USER, "a")), chat((Role.USER, "b"))))
    written = write_pages(form, tmp_path / "pages", None)
    assert [path.name for path in written] == ["2026-11-23 Tides.html", "2026-11-23 Tides 2.html"]
    assert all(path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>") for path in written)


def test_where_nothing_can_be_written_that_is_said(tmp_path: Path) -> None:
    """With the name of the file."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserFacing, match="chat"):
        write_pages(ChatsForm(conversations=(chat((Role.USER, "a")),)), tmp_path / "file" / "chat.html", None)
