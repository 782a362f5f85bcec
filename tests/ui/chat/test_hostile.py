"""A model's answer is somebody else's text: nothing in it loads, runs or opens by itself."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDesktopServices, QTextCursor, QTextDocument
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.chat.answer import BlockStack
from desktop.ui.chat.rich_text import ProseView, is_allowed
from desktop.ui.theme import Theme
from tests.processor_time import processor_time

ADDRESSES = [
    ("https://example.org/page?q=1#top", True),
    ("http://example.org", True),
    ("HTTPS://EXAMPLE.ORG", True),
    ("mailto:someone@example.org", True),
    ("file:///etc/passwd", False),
    ("FILE:///etc/passwd", False),
    ("javascript:alert(1)", False),
    ("JavaScript:alert(1)", False),
    ("data:text/html,<script>alert(1)</script>", False),
    ("vbscript:x", False),
    ("ms-settings:privacy", False),
    ("smb://host/share", False),
    ("\\\\host\\share", False),
    ("//host/share", False),
    ("/etc/passwd", False),
    ("relative/path", False),
    ("http:", False),
    ("https:///etc/passwd", False),
    ("", False),
]


@pytest.fixture
def stack(theme: Theme, qtbot: QtBot) -> Iterator[BlockStack]:
    holder = QWidget()
    qtbot.addWidget(holder)
    holder.resize(800, 4000)
    view = BlockStack(holder)
    holder.show()
    yield view
    holder.close()


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A loopback server that writes down what is asked of it."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            return

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listener.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{listener.server_port}", asked
    listener.shutdown()
    listener.server_close()
    thread.join()


def shown(stack: BlockStack) -> str:
    stack.arrange(700)
    return "\n".join(part.toPlainText() for part in stack.parts if isinstance(part, ProseView))


def anchors(view: ProseView) -> list[str]:
    found = []
    block = view.document().begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            if address := iterator.fragment().charFormat().anchorHref():
                found.append(address)
            iterator += 1
        block = block.next()
    return found


@pytest.mark.parametrize(("address", "allowed"), ADDRESSES)
def test_which_links_may_open(address: str, allowed: bool) -> None:
    """Web pages and mail; no files, no scripts, no handlers of other programs."""
    assert is_allowed(address) is allowed


@pytest.mark.parametrize(
    "text",
    [
        '<img src="file:///etc/passwd">',
        "<script>alert(1)</script>",
        "<b>bold</b>",
        '<a href="javascript:alert(1)">x</a>',
        "<style>* { color: red }</style>",
        "<!-- comment -->",
        "<iframe src=https://example.org></iframe>",
        "<details><summary>x</summary></details>",
    ],
)
def test_html_is_shown_as_text(stack: BlockStack, text: str) -> None:
    """Tags are characters like all others, inline and as blocks."""
    stack.set_text(f"{text}\n\nbefore {text} after")
    assert shown(stack).count(text) == 2
    assert all("javascript" not in address for part in stack.parts for address in anchors(part))  # type: ignore[arg-type]


def test_no_image_is_loaded(
    stack: BlockStack, server: tuple[str, list[str]], tmp_path: Path, qtbot: QtBot
) -> None:
    """Pictures from network and disk stay descriptions: nobody learns that the answer was read."""
    address, asked = server
    local = tmp_path / "secret.png"
    local.write_bytes(b"not a picture")
    opened = local.stat().st_atime_ns
    stack.set_text(
        f"![beacon]({address}/pixel.png) ![local]({local.as_uri()}) ![plain]({local})\n\n"
        f"<img src={address}/html.png>\n\n| a |\n|---|\n| ![t]({address}/table.png) |\n\n"
        f"> ![q]({address}/quote.png)"
    )
    text = shown(stack)
    stack.parentWidget().grab()
    qtbot.wait(100)
    assert asked == []
    assert local.stat().st_atime_ns == opened
    assert "[image: beacon]" in text
    assert "\ufffc" not in text


def test_the_view_refuses_resources(theme: Theme, qtbot: QtBot) -> None:
    """Whatever Qt asks the view to load, it gets nothing."""
    view = ProseView()
    qtbot.addWidget(view)
    for kind in QTextDocument.ResourceType:
        assert view.loadResource(kind.value, "file:///etc/hostname") is None


def test_refused_links_are_plain_words(stack: BlockStack) -> None:
    """Only links that may open look and act like links."""
    stack.set_text(
        "[one](javascript:alert(1)) [two](file:///etc/passwd) [three](https://example.org/) <https://example.com/>"
    )
    assert "one two three" in shown(stack)
    assert anchors(stack.parts[0]) == ["https://example.org/", "https://example.com/"]  # type: ignore[arg-type]


def test_a_link_opens_on_a_click_only(
    stack: BlockStack, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Showing, hovering and selecting open nothing; a click hands over the address."""
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    stack.set_text("[page](https://example.org/)")
    clicked: list[str] = []
    stack.link_clicked.connect(clicked.append)
    shown(stack)
    view = stack.parts[0]
    assert isinstance(view, ProseView)
    cursor = QTextCursor(view.document())
    cursor.setPosition(2)
    where = view.cursorRect(cursor).center()
    qtbot.mouseMove(view.viewport(), where)
    assert clicked == []
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(where))
    assert clicked == ["https://example.org/"]
    assert opened == []


@pytest.mark.parametrize(
    "text",
    [
        "x" * 200_000,
        "word " * 40_000,
        "> " * 2_000 + "deep",
        "- " * 2_000 + "deep",
        "[" * 20_000,
        "*" * 20_000,
        "`" * 20_000,
        "![" * 5_000,
        "<" * 20_000,
        "|" + "a|" * 200 + "\n|" + "-|" * 200 + "\n" + ("|" + "b|" * 200 + "\n") * 5,
        "```" + "x" * 50_000,
        "```python\n" + "x = (" * 5_000,
        "\u202e" * 1_000 + "reversed",
        "\x00\x01\ufffe\ud7ff text",
        "#" * 5_000,
        "1. " * 3_000,
    ],
    ids=lambda text: f"{text[:4]!r}-{len(text)}",
)
def test_monstrous_answers_are_survived(stack: BlockStack, text: str) -> None:
    """Huge and deeply nested texts are shown within a time that a reader forgives."""
    with processor_time() as spent:
        stack.set_text(text)
        height = stack.arrange(700)
    assert spent.at_rest_s < 3
    assert height > 0


def test_copying_gives_plain_text(stack: BlockStack) -> None:
    """What is selected in an answer is copied as the words that are seen."""
    stack.set_text("# Title\n\nSome **bold** and `code`.")
    view = stack.parts[0]
    assert isinstance(view, ProseView)
    view.selectAll()
    assert view.textCursor().selection().toPlainText() == "Title\nSome bold and code."
