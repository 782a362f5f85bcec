"""A conversation as one page of HTML that stands by itself: no address in it is fetched by anybody.

Code is coloured, formulas are drawings with their text beside them, raw HTML of an answer is words and a
picture its description. The page forbids its reader to load anything, should something have come through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.chat.export_import import ChatsForm, ConversationForm, MessageForm, open_branch, write_each
from desktop.chat.latex import MARKS, Formula, number_of, unicode_of, with_marks
from desktop.chat.messages import Role
from desktop.chat.reasons import ChatReason
from desktop.reasons import ENGLISH, date_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from desktop.chat.formulas import Outline, Outlines

ALLOWED = ("http://", "https://", "mailto:")  # as in the window: a click may lead there, nothing else
_EM = 20  # units of an outline that make one em
_AGAINST_WORDS = 1.15  # as in the window: letters of formulas are lower than those of words
_SPEAKERS = {
    Role.USER: ChatReason.PAGE_YOU,
    Role.ASSISTANT: ChatReason.PAGE_STEWARD,
    Role.TOOL: ChatReason.PAGE_TOOL,
}
_EACH_WAY = frozenset({"paragraph", "heading", "list_item", "blockquote", "table", "td", "th"})
# For the PDF: Qt draws what stands here, and not all that the style says.
_TABLE = {"border": "1", "cellspacing": "0", "cellpadding": "4"}
_TASKS = {"[ ] ": "unchecked", "[x] ": "checked", "[X] ": "checked"}  # Qt draws a box for these classes
# Whoever opens the page has fonts of his own; colours are those of the light theme.
_STYLE = """
body { font-family: system-ui, sans-serif; font-size: 16px; line-height: 1.55; color: #171717;
  background: #ffffff; max-width: 46em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.4em; } h2, h3 { font-size: 1.15em; }
.when, .notice { color: #525252; font-size: 0.85em; }
.who { font-weight: 600; margin: 2em 0 0.3em; }
.question { background: #f5f5f5; padding: 0.6em 1em; border-radius: 0.8em; white-space: pre-wrap; }
pre { background: #f5f5f5; padding: 0.8em 1em; overflow-x: auto; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
table { border-collapse: collapse; border: 0; display: block; overflow-x: auto; }
th, td { border: 1px solid #8f8f8f; padding: 0.3em 0.7em; }
li.checked { list-style-type: "☑  "; } li.unchecked { list-style-type: "☐  "; }
blockquote { border-inline-start: 3px solid #8f8f8f; margin-inline: 0; padding-inline-start: 1em; }
.display { display: block; text-align: center; overflow-x: auto; margin: 0.7em 0; }
svg { fill: currentColor; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

ShowFormula = Callable[[Formula, str], str]  # the HTML for a formula and the mark that ends its sentence
_MARKED = re.compile(f"({MARKS.pattern})([.,;:!?]?)")


def write_pages(
    chats: ChatsForm, target: Path, outlines: Outlines | None, language: str = ENGLISH
) -> tuple[Path, ...]:
    """One conversation into the file `target`, several into the folder. Blocks. Raises UserFacing."""
    return write_each(chats, target, (".html", ".htm"), lambda each: drawn_page(each, outlines, language))


def drawn_page(conversation: ConversationForm, outlines: Outlines | None, language: str = ENGLISH) -> str:
    """With its formulas as drawings, for which a child is started where there are any; as text without
    `outlines`. Blocks."""
    known = outlines.all_of(formulas_of(conversation)) if outlines is not None else {}
    return page(conversation, lambda formula, end: _shown(formula, known.get(formula), end), language)


def formulas_of(conversation: ConversationForm) -> list[Formula]:
    """All that its answers hold."""
    return [
        formula
        for message in conversation.messages
        if message.role is Role.ASSISTANT
        for formula in with_marks(message.text)[1]
    ]


def page(conversation: ConversationForm, formula: ShowFormula, language: str = ENGLISH) -> str:
    """The open branch as it reads, and after it what other versions there are."""
    branch = open_branch(conversation)
    others = [each for each in conversation.messages if each not in branch and each.role is not Role.NOTICE]
    title = escape(conversation.title)
    writer = _Writer(formula, language)
    began = ChatReason.PAGE_BEGUN.of(when=_when(conversation.created_at, language)).in_language(language)
    parts = [f"<h1 dir='auto'>{title}</h1>", f"<p class='when'>{escape(began)}</p>"]
    parts += [writer.told(message) for message in branch]
    if others:
        parts.append(f"<hr><h1>{writer.word(ChatReason.PAGE_VERSIONS)}</h1>")
        parts += [writer.told(message) for message in others]
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style>"
    )
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html lang="{language}"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


class _Writer:
    """Writes the messages of one page."""

    def __init__(self, formula: ShowFormula, language: str) -> None:
        self._formula = formula
        self._language = language
        self._markdown = _reader()

    def word(self, code: ChatReason) -> str:
        return escape(code.of().in_language(self._language))

    def told(self, message: MessageForm) -> str:
        if message.role is Role.NOTICE:
            return f"<p class='notice' dir='auto'>{escape(message.text)}</p>"
        who = self.word(_SPEAKERS[message.role])
        if message.role is Role.ASSISTANT and message.model:
            who += f" ({escape(message.model)})"
        if message.role is Role.TOOL and message.tool:
            who += f" ({escape(str(message.tool.get('name', '')))})"
        lines = [
            f"<p class='who'>{who} <span class='when'>{_when(message.created_at, self._language)}</span></p>"
        ]
        for each in message.attachments:
            words = ChatReason.PAGE_ATTACHED.of(name=each.name).in_language(self._language)
            lines.append(f"<p class='when' dir='auto'>{escape(words)}</p>")
        lines.append(self._said(message))
        return "\n".join(lines)

    def _said(self, message: MessageForm) -> str:
        text = message.text.strip()
        if message.role is Role.USER:
            return f"<div class='question' dir='auto'>{escape(text)}</div>"
        if message.role is Role.TOOL:
            asked = (message.tool or {}).get("arguments")
            shown = json.dumps(asked, ensure_ascii=False, indent=2) if asked else ""
            return "".join(f"<pre dir='auto'>{escape(part)}</pre>" for part in (shown, text) if part)
        marked, formulas = with_marks(text)
        written = str(self._markdown.render(marked))
        if not formulas:
            return written
        return _MARKED.sub(lambda mark: self._formula(formulas[number_of(mark[1])], mark[2]), written)


def _when(moment: Any, language: str) -> str:
    local = moment.astimezone()
    return f"{date_text(local.date(), language)} {local:%H:%M}"


def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False, "highlight": _coloured}).enable(
        ["table", "strikethrough"]
    )
    # Else it stays as it was written: nothing of an answer is lost.
    setattr(reader, "validateLink", lambda address: address.lower().startswith(ALLOWED))  # noqa: B010 - a method
    reader.add_render_rule("image", _described)
    reader.core.ruler.push("steward", _finished)
    return reader


def _finished(state: Any) -> None:
    """Each paragraph by its own letters, tasks with boxes, headings below that of the chat."""
    item = None
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + 1, 6)}"
        if token.type == "table_open":
            for name, value in _TABLE.items():
                token.attrSet(name, value)
        if token.nesting == 1 and token.type.removesuffix("_open") in _EACH_WAY:
            token.attrSet("dir", "auto")
        if token.type == "inline" and item is not None and token.children:
            first = token.children[0]
            task = _TASKS.get(first.content[:4])
            if task is not None:
                item.attrSet("class", task)
                first.content = first.content[4:]
        # Only the words that an item begins with; between them and it stands its paragraph.
        if token.type == "list_item_open":
            item = token
        elif token.type != "paragraph_open":
            item = None


def _described(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    """A picture is never shown: the address alone would tell its owner that the page was read."""
    return f"[{escape(tokens[index].content)}]"


def _coloured(code: str, language: str, _attributes: str) -> str:
    from pygments import highlight
    from pygments.formatters.html import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    code = code.rstrip("\n")
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True, noclasses=True, style="default"))).rstrip(
        "\n"
    )


def _shown(formula: Formula, outline: Outline | None, end: str) -> str:
    read = unicode_of(formula.source)
    shown = escape(read).replace("\n", "<br>") if outline is None else _svg(outline, read, formula.source)
    return f"<span class='display'>{shown}{end}</span>" if formula.display else shown + end


def _svg(outline: Outline, read: str, source: str) -> str:
    height = outline.ascent + outline.descent
    size = [side * _AGAINST_WORDS for side in (outline.width, height, -outline.descent)]
    style = "width:{:.3f}em;height:{:.3f}em;vertical-align:{:.3f}em".format(*size)
    box = " ".join(f"{side * _EM:.3f}" for side in (outline.left, -outline.ascent, outline.width, height))
    # The paths were checked when they came from the child: they hold letters of steps and numbers only.
    lines = "".join(
        f'<path d="{path}" fill="none" stroke="currentColor" stroke-width="{width:.3f}"/>'
        for path, width in outline.drawn
    )
    return (
        f'<svg role="img" aria-label="{escape(read)}" style="{style}" viewBox="{box}">'
        f"<title>{escape(source)}</title>"
        f'<path d="{outline.filled}"/>{lines}</svg>'
    )
